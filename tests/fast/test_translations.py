"""Translations serve everybody who can read them, are whole, and are made once."""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("numba")

from minitf.fast import loader as library  # noqa: E402
from minitf.fast import translations  # noqa: E402

SOURCE = Path(translations.FOLDER).parents[1]
NAME = "rows"  # the file that is translated in the shortest time

#: Loads it, and says where from; numba is not needed where a translation is found.
LOAD = f"""
import importlib, subprocess, sys
from minitf.fast import loader as library, translations
if "strict" in sys.argv:
    def refuse(*_, **__): raise AssertionError("a translator was started")
    subprocess.Popen = refuse
library.request("{NAME}")
assert library.ready(200)  # the translator steps back behind everybody else
import numpy as np
loop = importlib.import_module("minitf.fast.compiled.{NAME}")._scatter
for numbers in (np.float32, np.float64):
    for places in (np.int32, np.int64):
        target = np.zeros((2, 3), numbers)
        loop(target, np.array([1, 1], places), np.ones((2, 3), numbers), False)
        assert target.tolist() == [[0] * 3, [2] * 3]
assert "numba" not in sys.modules
print(translations.find("{NAME}"))
"""


class Installation:
    """A copy of the library, and a machine on which users have homes of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.package = folder / "site" / "minitf"
        left_out = shutil.ignore_patterns("__pycache__")
        shutil.copytree(SOURCE, self.package, ignore=left_out)

    @property
    def beside_the_code(self) -> Path:
        return self.package / "fast" / "compiled" / "__pycache__"

    def home(self, name: str) -> Path:
        home = self.folder / "homes" / name
        home.mkdir(parents=True, exist_ok=True)
        return home

    def start(self, *args: str, home: Path, **environment: str) -> subprocess.Popen[str]:
        inherited = {k: v for k, v in os.environ.items() if k not in _OF_PLACES}
        inherited |= {"PYTHONPATH": str(self.package.parent), "HOME": str(home)}
        inherited |= {"PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.Popen(
            [*_without_privileges(), sys.executable, "-W", "error", *args],
            env=inherited | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
        )

    def run(self, *args: str, home: Path, **environment: str) -> str:
        out, err = self.start(*args, home=home, **environment).communicate(timeout=250)
        assert not err
        return out.strip()

    def translate(self) -> None:
        """Puts beside the code what a translator would: the source is the same as here."""
        library.load_all()
        made = translations.find(NAME)
        assert made is not None
        shutil.copytree(made, self.beside_the_code / made.name)

    def close(self) -> None:
        """Takes from everybody the right to write into it."""
        for path in [self.package, *self.package.rglob("*")]:
            path.chmod(path.stat().st_mode & ~0o222)

    def open(self) -> None:
        for path in [self.package, *self.package.rglob("*")]:
            path.chmod(path.stat().st_mode | 0o200)


_OF_PLACES = ("MINITF_TIERS", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME", "PYTHONPATH")


def _without_privileges() -> list[str]:
    """What stands before a command so that `root` too may write only where modes allow it."""
    if not hasattr(os, "geteuid") or os.geteuid():
        return []
    return ["setpriv", "--bounding-set", "-dac_override"]


@pytest.fixture
def installation(tmp_path: Path):
    made = Installation(tmp_path)
    yield made
    made.open()


@pytest.fixture
def closed(installation: Installation) -> Callable[[], Installation]:
    """Closes the installation, where this machine can."""

    def close() -> Installation:
        installation.close()
        probe = f"open({str(installation.package / 'probe')!r}, 'w')"
        try:
            tried = subprocess.run([*_without_privileges(), sys.executable, "-c", probe])
        except OSError:
            pytest.skip("this user may write everywhere, and there is no setpriv to forbid it")
        if not tried.returncode:
            pytest.skip("this user may write everywhere")
        return installation

    return close


def test_what_lies_beside_the_code_serves_all_users(installation, closed) -> None:
    installation.translate()
    closed()
    for user in ("ada", "emmy"):
        home = installation.home(user)
        found = installation.run("-c", LOAD, "strict", home=home)
        assert Path(found).parent == installation.beside_the_code
        assert not list(home.rglob("*"))


def test_where_the_code_cannot_be_written_the_users_cache_serves(installation, closed) -> None:
    closed()
    home = installation.home("ada")
    found = Path(installation.run("-c", LOAD, home=home))
    assert found.parent == home / ".cache" / "minitf" / "kernels"
    assert installation.run("-c", LOAD, "strict", home=home) == str(found)
    elsewhere = installation.folder / "elsewhere"  # a cache is a cache: it can be carried
    shutil.move(home / ".cache", elsewhere)
    again = installation.run("-c", LOAD, "strict", home=home, XDG_CACHE_HOME=str(elsewhere))
    assert Path(again).parent == elsewhere / "minitf" / "kernels"


@pytest.mark.parametrize("kind", ["missing", "closed"])
def test_a_home_is_not_needed(installation, closed, kind: str) -> None:
    closed()
    home = installation.folder / "home"
    if kind == "closed":
        home.mkdir(mode=0o555)
    temporary = installation.folder / "tmp"
    temporary.mkdir()
    found = Path(installation.run("-c", LOAD, home=home, TMPDIR=str(temporary)))
    assert found.parent == temporary / f"minitf-{os.getuid()}"
    assert not found.parent.stat().st_mode & 0o077  # what lies there is run as code
    found.parent.chmod(0o777)
    code = f"from minitf.fast import translations; print(translations.find('{NAME}'))"
    assert installation.run("-c", code, home=home, TMPDIR=str(temporary)) == "None"


def test_numbas_folder_is_taken_where_it_is_named(installation) -> None:
    home, named = installation.home("ada"), installation.folder / "named"
    found = Path(installation.run("-c", LOAD, home=home, NUMBA_CACHE_DIR=str(named)))
    assert found.parent == named / "minitf"
    assert not installation.beside_the_code.exists()


def test_translations_go_along_with_a_copy_and_not_with_another_source(installation) -> None:
    installation.translate()
    copy = Installation(installation.folder / "moved")
    shutil.rmtree(copy.package)
    shutil.copytree(installation.package, copy.package, copy_function=shutil.copy)  # times are new
    found = copy.run("-c", LOAD, "strict", home=copy.home("ada"))
    assert Path(found).parent == copy.beside_the_code
    helper = copy.package / "fast" / "compiled" / "_loops.py"
    helper.write_text(helper.read_text() + "\n# Another helper.\n")
    renewed = copy.run("-c", LOAD, home=copy.home("ada"))
    assert renewed != found
    assert os.listdir(copy.beside_the_code) == [Path(renewed).name]  # the old one is gone


def test_two_translators_at_once_leave_one_whole_folder(installation) -> None:
    args, home = ("-m", "minitf.fast", NAME), installation.home("ada")
    started = [installation.start(*args, home=home) for _ in range(2)]
    said, errors = zip(*(each.communicate(timeout=250) for each in started))
    assert (errors, [each.returncode for each in started]) == (("", ""), [0, 0])
    one_line = r"Translating kernels .*: 0 of 1 files are done\nKernels are translated .* s\. *\n"
    assert any(re.fullmatch(one_line, each) for each in said)  # "\r" is read as "\n" here
    assert len(os.listdir(installation.beside_the_code)) == 1
    installation.run("-c", LOAD, "strict", home=home)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder for translations, in this process."""
    monkeypatch.setattr(translations, "places", lambda: iter([tmp_path / "place"]))
    return tmp_path / "place"


def made() -> Path:
    with library.making(NAME) as folder:
        for file in ("loops.json", "one.0.o"):
            (folder / file).write_text("object code")
    found = translations.find(NAME)
    assert found is not None
    return found


def test_what_is_not_whole_is_made_again(place: Path) -> None:
    assert translations.find(NAME) is None
    folder = made()
    for harm in (
        Path.unlink,
        lambda file: file.write_bytes(b""),
        lambda file: file.write_bytes(b"object codf"),  # one bit
        lambda file: (folder / "two.0.o").write_bytes(b""),
        lambda file: (folder / "whole").write_bytes(b"\xff"),
    ):
        harm(folder / "one.0.o")
        assert translations.find(NAME) is None
        assert made() == folder
        assert sorted(os.listdir(folder)) == ["loops.json", "one.0.o", "whole"]


@pytest.mark.parametrize("name", ["", "one.0.o", "loops.json", "whole"])
def test_what_another_user_may_have_written_is_not_run(place: Path, name: str) -> None:
    folder = made()
    mode = (folder / name).stat().st_mode
    for more in (0o020, 0o002):
        (folder / name).chmod(mode | more)
        assert translations.find(NAME) is None
    (folder / name).chmod(mode)
    assert translations.find(NAME) == folder
    if name:
        (folder / name).rename(place / "elsewhere")
        (folder / name).symlink_to(place / "elsewhere")
        assert translations.find(NAME) is None
        assert made() == folder
    if not os.geteuid():
        os.chown(folder / name, 12345, 12345)
        assert translations.find(NAME) is None
        assert made() == folder


def program(installation: Installation, code: str) -> str:
    """A program in a folder of its own, while the current folder holds modules of the user."""
    for name in ("numba.py", "llvmlite.py", "numpy.py"):
        (installation.folder / name).write_text("open('ran', 'w').close(); raise SystemExit(3)")
    path = installation.folder / "programs" / "program.py"
    path.parent.mkdir()
    path.write_text(code + LOAD)
    return str(path)


def test_the_translator_runs_no_module_of_the_current_folder(installation) -> None:
    found = installation.run(program(installation, ""), home=installation.home("ada"))
    assert Path(found).parent == installation.beside_the_code
    assert not (installation.folder / "ran").exists()


def test_the_translator_is_of_the_minitf_that_asks_for_it(installation) -> None:
    """A program may have found it in a place of its own, with modules of the user around it."""
    site = installation.package.parent
    code = f"import sys; import numpy, llvmlite; sys.path.insert(0, {str(site)!r}); import minitf\n"
    code += "del sys.path[0]\n"
    started = program(installation, code)
    shutil.copy(installation.folder / "numba.py", site)
    found = installation.run(started, home=installation.home("ada"), PYTHONPATH="")
    assert Path(found).parent == installation.beside_the_code
    assert not (installation.folder / "ran").exists()


def test_a_permissive_umask_leaves_translations_that_are_found(installation) -> None:
    home = installation.home("ada")
    before = os.umask(0)
    try:
        installation.run("-m", "minitf.fast", NAME, home=home)
    finally:
        os.umask(before)
    installation.run("-c", LOAD, "strict", home=home)


def test_what_cannot_be_cleared_is_left_where_it_is(place: Path, monkeypatch) -> None:
    title, second = translations.title(NAME), place.parent / "second"
    monkeypatch.setattr(translations, "places", lambda: iter([place, second]))
    place.mkdir()
    (place / title).symlink_to(place.parent)  # as a folder of another user in a shared place
    assert made() == second / title
    assert (place / title).is_symlink()


def test_what_fails_leaves_nothing_behind(place: Path) -> None:
    with pytest.raises(ZeroDivisionError), library.making(NAME) as folder:
        (folder / "loops.json").touch()
        1 / 0  # noqa: B018
    assert not os.listdir(place)


def test_the_second_of_two_makers_leaves_the_first_ones_work(place: Path) -> None:
    with library.making(NAME) as folder:
        first = made()
        when = first.stat().st_ctime_ns
        assert folder != first
    assert translations.find(NAME) == first
    assert first.stat().st_ctime_ns == when
    assert os.listdir(place) == [first.name]


def test_an_abandoned_folder_is_cleared_away(place: Path) -> None:
    folder = made()
    abandoned, begun = (place / f"{folder.name}.{number}.1" for number in (1, 2))
    abandoned.mkdir()
    begun.mkdir()  # somebody may be at work on it
    os.utime(abandoned, (0, 0))
    other = place / f"{folder.name.rpartition('-')[0]}-0"  # of another installation's source
    other.mkdir()
    made()
    assert set(place.iterdir()) == {folder, begun, other}


def test_with_numba_switched_off_there_are_no_loops_in_plain_python(installation) -> None:
    code = "from minitf.fast import loader as library; print(library.available())"
    home = installation.home("ada")
    assert installation.run("-c", code, home=home, NUMBA_DISABLE_JIT="1") == "False"
    assert installation.run("-c", code, home=home, NUMBA_DISABLE_JIT="0") == "True"


@pytest.mark.parametrize("name", library.names())
def test_loops_depend_on_no_source_but_their_own_and_the_helpers(name: str) -> None:
    """A constant of another file would be translated in, and a change of it go unseen."""
    source = (translations.FOLDER / f"{name}.py").read_text()
    foreign = {
        alias.asname or alias.name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("minitf.")
        for alias in node.names
        if not (node.module or "").startswith("minitf.fast.compiled._")
        and not (node.module == "minitf.fast.compiled" and alias.name.startswith("_"))
    }
    loops = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef)
        and any(re.match(r"loop\(|inlined$", ast.unparse(d)) for d in node.decorator_list)
    ]
    assert loops
    for loop in loops:
        read = {node.id for node in ast.walk(loop) if isinstance(node, ast.Name)}
        assert not foreign & read, loop.name
