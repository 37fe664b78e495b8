"""The public namespaces, read from their stubs: `minitf/api/nn.pyi` is what `tf.nn` holds.

    tf.nn.conv2d ──> tf.nn has no such attribute yet ──> api/nn.pyi: library.nets.convolution
                 <── the function, kept from now on  <── import that module

An editor reads the stubs for names, signatures and docstrings. `Namespaces` reads the same lines
when a name is asked for the first time, so that a program pays for the modules that it uses. One
line a name, written by hand; `scripts/stubs.py` sorts them.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import re
import sys
from collections.abc import Iterable, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

from minitf.core.graph.process import no_collections

_ROOT = __name__.partition(".")[0]
_FOLDER = Path(__file__).resolve().parents[2] / "api"
#: The stub of `tf` itself.
PUBLIC_API = _FOLDER / "__init__.pyi"
_LINE = re.compile(r"^from ([\w.]+) import (\w+) as (\w+)$", re.MULTILINE)
_ALL_OF = re.compile(r"^from minitf\.api\.([\w.]+) import \*$", re.MULTILINE)


def stub_of(name: str) -> Path | None:
    """The stub of a namespace, named as it is imported ("minitf.nn"); None when there is none."""
    path = _FOLDER.joinpath(*name.split(".")[1:])
    for stub in (path.with_name(path.name + ".pyi"), path / "__init__.pyi"):
        if stub.is_file():
            return stub
    return None


def entries_of(stub: Path) -> dict[str, tuple[str, str]]:
    """What a stub says: by public name the module, and the name there.

    A namespace inside stands for itself: `from minitf.api import nn as nn` is the module minitf.nn.
    `from minitf.api.signal import *` is all that the other stub says.
    """
    inside, text = f"{_ROOT}.api.", stub.read_text(encoding="utf-8")
    entries: dict[str, tuple[str, str]] = {}
    for other in _ALL_OF.findall(text):
        entries |= entries_of(stub_of(f"{_ROOT}.{other}"))  # type: ignore[arg-type]
    for module, name, public in _LINE.findall(text):
        entries[public] = f"{module}.".replace(inside, f"{_ROOT}.", 1)[:-1], name
    return entries


@functools.cache
def _instead() -> dict[str, str]:
    lines = _FOLDER.joinpath("left_out.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split(": ", 1) for line in lines if ": " in line and line[0] != "#")


def left_out(name: str) -> str:
    """One sentence on a name that minitf leaves out and what to use instead; "" for any other.

    Args:
      name: the full name, as "minitf.contrib.gan.gan_model".
    """
    path = name.partition(".")[2]
    for listed, use in _instead().items():
        if re.match(rf"{re.escape(listed)}(?![a-z_])", path):
            return f"minitf leaves out tf.{path}: {use}"
    return ""


def advice(name: str, known: Iterable[str]) -> str:
    """What follows on a name that is not there: whether a similar one that is known was meant."""
    spelled = {each.lower(): each for each in known}
    for near in difflib.get_close_matches(name.lower(), spelled, 1, 0.75):
        return f"; did you mean '{spelled[near]}'?"
    return "; minitf leaves out what programs do not use (docs/coverage.md)"


class Book:
    """Finds the names of one namespace.

    Args:
      space: the module's dictionary, which keeps what was found.
      stub: the file that says where the names are.
    """

    def __init__(self, space: dict[str, Any], stub: Path) -> None:
        self._space = space
        self._stub = stub
        self._entries: dict[str, tuple[str, str]] | None = None

    @property
    def entries(self) -> dict[str, tuple[str, str]]:
        """By public name the module, and the name there; read once."""
        if self._entries is None:
            self._entries = entries_of(self._stub)
        return self._entries

    def find(self, name: str) -> Any:
        """The object of a public name; the answer of a module's `__getattr__`."""
        if name == "__all__":
            return self.public
        if name not in self.entries:
            module = self._space["__name__"]
            absent = f"module '{module}' has no attribute '{name}'{advice(name, self.public)}"
            raise AttributeError(left_out(f"{module}.{name}") or absent)
        with no_collections(for_good=True):
            value = self._space[name] = _attribute(*self.entries[name])
        if isinstance(value, ModuleType) and value.__name__.startswith(f"{_ROOT}."):
            vars(value).setdefault("__dir__", lambda: _own_names(value))
        return value

    @property
    def public(self) -> list[str]:
        """The public names, sorted."""
        return sorted(name for name in self.entries if not name.startswith("_"))

    def names(self) -> list[str]:
        """The answer of a module's `__dir__`: what is public, not the modules it is made of."""
        return sorted({*self.public, *(name for name in self._space if name[:2] == "__")})


def _own_names(module: ModuleType) -> list[str]:
    """What Tab offers of a module that is a namespace itself: not what it has imported."""
    private = re.compile("_(?!_)")
    names = getattr(module, "__all__", None) or [
        name
        for name, value in vars(module).items()
        if not isinstance(value, ModuleType) and not private.match(name)
        if getattr(value, "__module__", _ROOT).startswith(_ROOT)
    ]
    return sorted(names)


def _attribute(module: str, name: str) -> Any:
    """What `from module import name` gives: an attribute, or a module inside the package."""
    if module == _ROOT or stub_of(f"{module}.{name}") is not None:
        return importlib.import_module(f"{module}.{name}")
    holder = importlib.import_module(module)
    try:
        return getattr(holder, name)
    except AttributeError:
        return importlib.import_module(f"{module}.{name}")


class Namespace(ModuleType):
    """A module of names only, as `tf.nn`."""

    _book: Book

    def __getattr__(self, name: str) -> Any:
        return self._book.find(name)

    def __dir__(self) -> list[str]:
        return self._book.names()

    def __reduce__(self) -> tuple:  # functions that are sent to tasks refer to namespaces
        return importlib.import_module, (self.__name__,)


class Namespaces:
    """Makes `import minitf.nn` find `api/nn.pyi`: a finder and a loader in one."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Returns the specification of a namespace, or None for a module that is none."""
        stub = stub_of(fullname) if fullname.startswith(f"{_ROOT}.") else None
        if stub is None:
            return None
        package = stub.name == "__init__.pyi"
        return ModuleSpec(fullname, self, origin=str(stub), is_package=package)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Makes the namespace, with the stub's docstring."""
        stub = Path(str(spec.origin))
        first = stub.read_text(encoding="utf-8").partition("\n")[0]
        module = Namespace(spec.name, first.strip('"'))
        module._book = Book(vars(module), stub)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Has nothing to do: the names come when they are asked for."""


def install() -> None:
    """Lets Python find the namespaces, after it has looked for files."""
    if not any(isinstance(finder, Namespaces) for finder in sys.meta_path):
        sys.meta_path.append(Namespaces())
