"""Flags, as programs of all years define, read and list them."""

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
