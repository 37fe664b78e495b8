"""Flags, as programs of all years define, read and list them."""

import subprocess
import sys
import types
from xml.etree import ElementTree

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


PROGRAM = """
import enum
import minitf as tf
from absl import flags
f = tf.flags
f.DEFINE_integer("steps", 1, "")
holder = f.DEFINE_multi(f.FloatParser(), f.ArgumentSerializer(), "rates", [0.5], "")
f.DEFINE_flag(f.BooleanFlag("quick", False, ""))
Colour = enum.Enum("Colour", "RED BLUE")
colour = f.DEFINE_enum_class("colour", "red", Colour, "")
def main(argv):
    assert flags.FLAGS.steps == f.FLAGS.steps == 7 and "steps" in flags.FLAGS
    print(holder.value, f.FLAGS.rates, f.FLAGS.quick, argv[1:], colour.value.name)
    print(hasattr(f, "EnumFlags"))
tf.app.run()
"""


def test_absls_flags_and_ours_are_one_set(tmp_path):
    pytest.importorskip("absl")
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    given = ["--quick", "--colour=blue", "--rates=1", "--steps=7", "left", "--rates=2"]
    done = subprocess.run([sys.executable, path, *given], capture_output=True, text=True)
    assert done.stdout == "[1.0, 2.0] [1.0, 2.0] True ['left'] BLUE\nFalse\n", done.stderr


HELPED = """
'''Trains %s.'''
{imports}
flags.DEFINE_integer("steps", 1, "how many, " + "of many " * 12, short_name="s", lower_bound=0)
flags.DEFINE_enum("kind", None, ["a", "b"], "which")
flags.DEFINE_bool("fast", True, "hurry")
flags.DEFINE_multi_string("names", ["x", "y"], None)
import apart
def main(argv):
    print(flags.FLAGS.steps, flags.FLAGS.apart, argv[1:])
app.run(main)
"""
ABSL = "from absl import app, flags"
OURS = "import minitf as tf; app, flags = tf.app, tf.app.flags"


def ran(folder, imports, *args, doc=True, program=HELPED):
    folder.mkdir(exist_ok=True)
    text = program.format(imports=imports)
    (folder / "program.py").write_text(text if doc else text.replace("'''Trains %s.'''", ""))
    (folder / "apart.py").write_text(f"{imports}\nflags.DEFINE_float('apart', 2, 'elsewhere')")
    command = [sys.executable, "program.py", *args]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize(
    "args", [["--help"], ["-?"], ["--helpshort"], ["--steps=2", "--help"], ["--help", "--nofast"]]
)
def test_help_is_that_of_absl(args, tmp_path):
    pytest.importorskip("absl")
    ours, theirs = (ran(tmp_path, imports, *args) for imports in (OURS, ABSL))
    assert "-s,--steps: how many, of many" in ours.stdout
    assert (ours.stdout, ours.returncode) == (theirs.stdout, theirs.returncode), ours.stderr
    assert ours.stdout == ran(tmp_path, OURS, "-h", *args[1:]).stdout or args[0] == "--steps=2"


def test_help_in_xml_is_that_of_absl(tmp_path):
    pytest.importorskip("absl")
    ours, theirs = (ran(tmp_path, imports, "--steps=2", "--helpxml") for imports in (OURS, ABSL))
    assert ours.returncode == theirs.returncode == 1
    told = []
    for done in (ours, theirs):
        top = ElementTree.fromstring(done.stdout)
        told.append([(each.tag, each.text) for each in top[:2]])
        for flag in top[2:]:  # absl.app has debuggers and profilers of its own
            if flag.find("file").text in ("program.py", "apart"):
                told[-1].append([(each.tag, each.text) for each in flag])
    assert told[0] == told[1]
    assert ("current", "2") in told[0][-1] and len(told[0]) == 2 + 5


@pytest.mark.parametrize("wrong", ["--steps=x", "--steps=-1", "--kind=c"])
def test_a_wrong_value_is_one_line(wrong, tmp_path):
    pytest.importorskip("absl")
    ours, theirs = (ran(tmp_path, imports, wrong) for imports in (OURS, ABSL))
    assert "FATAL Flags parsing error: flag --" in ours.stderr
    assert (ours.stderr, ours.returncode) == (theirs.stderr, theirs.returncode)


def test_the_whole_help_tells_all_modules(tmp_path):
    done = ran(tmp_path, OURS, "--helpfull", doc=False)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("\n       USAGE: program.py [flags]\nflags:\n\nprogram.py:\n")
    modules = [line for line in done.stdout.splitlines() if line.endswith(":") and line[0] != " "]
    assert modules == ["flags:", "program.py:", "absl.app:", "apart:", "absl.flags:"]
    assert "  -?,--[no]help: show this help\n    (default: 'false')" in done.stdout
    assert "--apart: elsewhere\n    (default: '2.0')\n    (a number)" in done.stdout
    assert ran(tmp_path, OURS, "--nohelp", "--steps=3").stdout.startswith("3 2.0")


def test_flags_stand_in_files(tmp_path):
    (tmp_path / "more").write_text("--apart=7\n")
    (tmp_path / "given").write_text("# a comment\n// too\n\n--steps=5\n--flagfile=more\n")
    args = ["--steps=4", "--flagfile=given", "left", "--undefok=old,gone", "--noold", "--gone=3"]
    assert ran(tmp_path, OURS, *args).stdout == "5 7.0 ['left']\n"
    assert ran(tmp_path, OURS, "--flagfile", "given", "--steps=9").stdout == "9 7.0 []\n"
    (tmp_path / "more").write_text("--flagfile=given")
    again = ran(tmp_path, OURS, "--flagfile=given")
    assert again.stderr.endswith("circular flagfile dependency. Ignoring flagfile: given\n")
    assert (
        "FATAL Flags parsing error: ERROR:: Unable to open"
        in ran(tmp_path, OURS, "--flagfile=none").stderr
    )


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


def test_a_cell_that_runs_again_defines_its_flags_anew(monkeypatch):
    cell = types.ModuleType("__main__")  # of a notebook: it has no file
    monkeypatch.setitem(sys.modules, "__main__", cell)
    cell.flags = flags
    exec("flags.DEFINE_integer('cells', 1, 'first')", vars(cell))
    exec("flags.DEFINE_integer('cells', 2, 'second')", vars(cell))
    assert flags.FLAGS["cells"].default == 2
    assert flags.FLAGS.flags_into_string().count("cells") == 1
    cell.__file__ = "program.py"
    with pytest.raises(flags.DuplicateFlagError):
        exec("flags.DEFINE_integer('cells', 3, 'third')", vars(cell))
    again = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", again)
    again.flags = flags
    exec("flags.DEFINE_integer('cells', 4, 'imported again')", vars(again))
    assert flags.FLAGS["cells"].default == 2


def test_a_module_takes_the_flags_of_another():
    own = flags.FlagValues()
    flags.DEFINE_integer("theirs", 1, "of another", flag_values=own, module_name="other")
    flags.DEFINE_integer("not", 1, "of another", flag_values=own, module_name="other")
    assert own.get_key_flags_for_module(__name__) == []
    flags.declare_key_flag("theirs", own)
    flags.declare_key_flag("theirs", own)
    assert own.module_help(__name__).split() == (
        f"{__name__}: --theirs: of another (default: '1') (an integer)".split()
    )
    flags.adopt_module_key_flags(types.ModuleType("other"), own)
    assert [flag.name for flag in own.get_key_flags_for_module(__name__)] == ["theirs", "not"]
    with pytest.raises(ValueError, match="Flag --none is undefined"):
        flags.declare_key_flag("none", own)


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
