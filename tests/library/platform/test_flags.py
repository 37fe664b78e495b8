"""Flags, as programs of all years define, read and list them."""

import subprocess
import sys

import pytest

from minitf.library.platform import flags


@pytest.fixture(autouse=True)
def _fresh(monkeypatch):
    monkeypatch.setattr(flags, "FLAGS", flags._ParsingFlagValues())
    monkeypatch.setattr(sys, "argv", ["program", "--lr", "0.5", "-n=3", "--nofast", "data.csv"])
    flags.DEFINE_float("lr", 1, "step size")
    flags.DEFINE_integer(flag_name="steps", default_value=9, docstring="how many", short_name="n")
    flags.DEFINE_boolean("fast", True, "hurry")
    flags.DEFINE_enum("kind", "a", ["a", "b"], "which")


def test_values_come_from_the_command_line():
    values = flags.FLAGS
    assert (values.lr, values.steps, values.fast, values.kind) == (0.5, 3, False, "a")
    assert values(sys.argv) == ["program", "data.csv"]


def test_early_programs_parse_and_list_by_hand():
    flags.FLAGS._parse_flags()
    shown = [f"{name}={value}" for name, value in sorted(getattr(flags.FLAGS, "__flags").items())]
    assert shown == ["fast=False", "kind=a", "lr=0.5", "steps=3"]


def test_what_does_not_fit_is_refused():
    with pytest.raises(flags.IllegalFlagValueError, match="one of <a|b>"):
        flags.FLAGS(["program", "--kind=c"])
    flags.DEFINE_string("out", None, "where")
    flags.mark_flags_as_required(["out"])
    with pytest.raises(flags.IllegalFlagValueError, match="must have a value"):
        flags.FLAGS(["program"])


PROGRAM = """
import enum
import minitf as tf
f = tf.flags
f.DEFINE_integer("steps", 1, "")
holder = f.DEFINE_multi(f.FloatParser(), f.ArgumentSerializer(), "rates", [0.5], "")
f.DEFINE_flag(f.BooleanFlag("quick", False, ""))
Colour = enum.Enum("Colour", "RED BLUE")
colour = f.DEFINE_enum_class("colour", "red", Colour, "")
def main(argv):
    from absl import flags
    assert flags.FLAGS.steps == f.FLAGS.steps == 7 and "steps" in flags.FLAGS
    print(holder.value, f.FLAGS.rates, f.FLAGS.quick, argv[1:], colour.value.name)
    print(hasattr(f, "EnumFlags"))
tf.app.run()
"""


def test_flags_of_enum_classes_are_absls_and_all_are_one_set(tmp_path):
    pytest.importorskip("absl")
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    given = ["--quick", "--colour=blue", "--rates=1", "--steps=7", "left", "--rates=2"]
    done = subprocess.run([sys.executable, path, *given], capture_output=True, text=True)
    assert done.stdout == "[1.0, 2.0] [1.0, 2.0] True ['left'] BLUE\nFalse\n", done.stderr


def test_without_absl_a_sentence_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "absl", None)
    with pytest.raises(
        ImportError, match=r"tf.flags.EnumClassFlag .* pip install 'minitf\[programs\]'"
    ):
        flags.EnumClassFlag  # noqa: B018


def test_a_program_makes_flags_of_its_own():
    class Size(flags.ArgumentParser):
        syntactic_help = "two numbers with an x"

        def parse(self, argument):
            width, height = argument.split("x")
            return int(width), int(height)

        def flag_type(self):
            return "size"

    own = flags.FlagValues()
    holder = flags.DEFINE(Size(), "size", "2x3", "how large", flag_values=own, short_name="s")
    flags.DEFINE_flag(flags.EnumFlag("kind", None, "which", ["a", "b"]), own, required=True)
    assert holder.default == (2, 3) and own["size"].flag_type() == "size"
    with pytest.raises(flags.UnparsedFlagAccessError, match="--size before flags were parsed"):
        holder.value  # noqa: B018
    with pytest.raises(flags.IllegalFlagValueError, match="--kind must have a value other than"):
        own(["program", "-s", "4x5"])
    assert own(["program", "--kind=b"]) == ["program"]
    assert (holder.value, holder.present, own.kind, own["kind"].present) == ((4, 5), True, "b", 1)
    assert "kind" not in flags.FLAGS or flags.FLAGS["kind"] is not own["kind"]
    with pytest.raises(flags.IllegalFlagValueError, match="flag --size=6: not enough values"):
        own(["program", "--size=6"])
