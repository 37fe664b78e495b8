"""Flags, as programs of all years define, read and list them."""

import subprocess
import sys

import pytest

from minitf.library.platform import flags


@pytest.fixture(autouse=True)
def _fresh(monkeypatch):
    monkeypatch.setattr(flags, "FLAGS", flags.FlagValues())
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
    with pytest.raises(flags.UnparsedFlagError, match="one of <a|b>"):
        flags.FLAGS(["program", "--kind=c"])
    flags.DEFINE_string("out", None, "where")
    flags.mark_flags_as_required(["out"])
    with pytest.raises(flags.UnparsedFlagError, match="must have a value"):
        flags.FLAGS(["program"])


PROGRAM = """
import minitf as tf
f = tf.flags
f.DEFINE_integer("steps", 1, "")
holder = f.DEFINE_multi(f.FloatParser(), f.ArgumentSerializer(), "rates", [0.5], "")
f.DEFINE_flag(f.BooleanFlag("quick", False, ""))
def main(argv):
    from absl import flags
    assert flags.FLAGS.steps == f.FLAGS.steps == 7 and "steps" in flags.FLAGS
    print(holder.value, f.FLAGS.rates, f.FLAGS.quick, argv[1:], hasattr(f, "EnumFlags"))
tf.app.run()
"""


def test_the_rest_is_absls_and_the_flags_are_one_set(tmp_path):
    pytest.importorskip("absl")
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    given = ["--quick", "--rates=1", "--steps=7", "left", "--rates=2"]
    done = subprocess.run([sys.executable, path, *given], capture_output=True, text=True)
    assert done.stdout == "[1.0, 2.0] [1.0, 2.0] True ['left'] False\n", done.stderr


def test_without_absl_a_sentence_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "absl", None)
    with pytest.raises(ImportError, match=r"tf.flags.EnumFlag .* pip install 'minitf\[programs\]'"):
        flags.EnumFlag  # noqa: B018
