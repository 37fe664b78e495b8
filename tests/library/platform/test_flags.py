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
    assert values.flag_values_dict() == {
        "lr": 0.5,
        "steps": 3,
        "n": 3,
        "fast": False,
        "kind": "a",
    }
    assert (values["lr"].default, values["lr"].present, values["kind"].present) == (1.0, 2, 0)


def test_early_programs_parse_and_list_by_hand():
    flags.FLAGS._parse_flags()
    shown = [f"{name}={value}" for name, value in sorted(getattr(flags.FLAGS, "__flags").items())]
    assert shown == ["fast=False", "kind=a", "lr=0.5", "n=3", "steps=3"]
    assert repr(flags.FLAGS.__dict__["__flags"]["lr"]) == "0.5"  # of old, it was the value itself
    for name in list(flags.FLAGS._flags()):  # what notebooks did before they defined them again
        flags.FLAGS.__delattr__(name)
    assert not len(flags.FLAGS)


def test_all_that_a_command_line_may_say():
    flags.DEFINE_string("out", None, "where")
    flags.DEFINE_list("hosts", "a,b", "which")
    flags.DEFINE_integer("seed", None, "of the numbers")
    values = flags.FLAGS
    rest = values(
        [
            "p",
            "-out",
            "--x",
            "one",
            "--fast=0",
            "--hosts=c, d",
            "--seed=0x10",
            "-other",
            "--",
            "--lr=9",
        ],
        known_only=True,
    )
    assert rest == ["p", "one", "-other", "--", "--lr=9"]
    assert (values.out, values.fast, values.hosts, values.seed) == ("--x", False, ["c", "d"], 16)
    assert values.lr == 1.0 and "lr" in values and "x" not in values
    values.lr = 7
    assert values.lr == 7
    values(["p", "--fast", "false"])
    assert values.fast  # a Boolean flag takes no text behind it


@pytest.mark.parametrize(
    ("argument", "error", "message"),
    [
        ("--kind=c", "IllegalFlagValueError", "flag --kind=c: value should be one of <a|b>"),
        ("--steps=x", "IllegalFlagValueError", r"flag --steps=x: invalid literal for int\(\)"),
        ("--lr=x", "IllegalFlagValueError", "flag --lr=x: could not convert string to float: 'x'"),
        ("--fast=x", "IllegalFlagValueError", r"flag --fast=x: \('Non-boolean argument to boolean"),
        ("--lr", "Error", "Missing value for flag --lr"),
        ("--stips=3", "UnrecognizedFlagError", "line flag 'stips'. Did you mean: steps ?"),
        ("--nolr", "UnrecognizedFlagError", "Unknown command line flag 'nolr'"),
    ],
)
def test_what_does_not_fit_is_refused(argument, error, message):
    with pytest.raises(getattr(flags, error), match=message):
        flags.FLAGS(["program", argument])


def test_what_is_required_and_what_is_unknown():
    flags.DEFINE_string("out", None, "where")
    flags.mark_flags_as_required(["out"])
    with pytest.raises(flags.IllegalFlagValueError, match="--out must have a value other than"):
        flags.FLAGS(["program"])
    with pytest.raises(AttributeError, match="other"):
        flags.FLAGS.other  # noqa: B018
    with pytest.raises(flags.UnrecognizedFlagError, match="'other'"):
        flags.FLAGS.other = 3


def test_a_flag_is_defined_once():
    with pytest.raises(
        flags.DuplicateFlagError,
        match=r"The flag 'lr' is defined twice. First from (.*test_flags), second from \1. "
        "Description from first occurrence: step size",
    ):
        flags.DEFINE_float("lr", 2, "again")
    with pytest.raises(flags.DuplicateFlagError, match="'n' is defined twice"):
        flags.DEFINE_float("number", 2, "again", short_name="n")
    with pytest.raises(flags.IllegalFlagValueError, match="must be a string, found \"<class 'int"):
        flags.DEFINE_string("text", 3, "no text")
    own = flags.FlagValues()
    flags.DEFINE_float("lr", 2, "again", own)
    assert own["lr"].default == 2 and flags.FLAGS["lr"].default == 1


def test_help_lists_the_flags(capsys):
    with pytest.raises(SystemExit) as ended:
        flags.FLAGS(["program", "--help"])
    told = capsys.readouterr().out
    assert ended.value.code == 1
    for line in (
        "  --lr: step size\n    (default: '1.0')",
        "-n,--steps: how many",
        "--[no]fast: hurry",
    ):
        assert line in told
    assert told.count("how many") == 1
