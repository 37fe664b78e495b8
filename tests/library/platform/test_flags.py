"""Flags, as programs of all years define, read and list them."""

import sys

import pytest

from minitf.library.platform import flags


@pytest.fixture(autouse=True)
def _fresh(monkeypatch):
    monkeypatch.setattr(flags, "FLAGS", flags.ParsingFlagValues())
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
    assert shown == ["fast=False", "kind=a", "lr=0.5", "n=3", "steps=3"]
    assert repr(flags.FLAGS.__dict__["__flags"]["lr"]) == "0.5"  # of old, it was the value itself
    for name in list(flags.FLAGS._flags()):  # what notebooks did before they defined them again
        flags.FLAGS.__delattr__(name)
    assert not len(flags.FLAGS)


def test_what_does_not_fit_is_refused():
    with pytest.raises(flags.IllegalFlagValueError, match="one of <a|b>"):
        flags.FLAGS(["program", "--kind=c"])
    flags.DEFINE_string("out", None, "where")
    flags.mark_flags_as_required(["out"])
    with pytest.raises(flags.IllegalFlagValueError, match="must have a value"):
        flags.FLAGS(["program"])


def test_a_flag_is_defined_once(tmp_path, monkeypatch):
    with pytest.raises(
        flags.DuplicateFlagError,
        match=r"The flag 'lr' is defined twice. First from (.*test_flags), second from \1. "
        "Description from first occurrence: step size",
    ):
        flags.DEFINE_float("lr", 2, "again")
    with pytest.raises(flags.DuplicateFlagError, match="'n' is defined twice"):
        flags.DEFINE_float("number", 2, "again", short_name="n")
    flags.DEFINE_float("lr", 2, "again", allow_override=True)
    assert flags.FLAGS["lr"].default == 2 and flags.FLAGS.main_module_help() == ""
    told = flags.FLAGS.module_help(__name__)
    assert "--lr: again" in told and "step size" not in told


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
