"""Makes `import tensorflow as tf` mean minitf, for programs that were written for TensorFlow 1.x.

    python -m minitf program.py     the program says `import tensorflow as tf`
    %load_ext minitf                the same in a notebook

    import tensorflow.python.ops.array_ops
      -> Finder, first on sys.meta_path       is it below `tensorflow`?
      -> minitf/compat/tensorflow/tree.txt                which namespaces of minitf stand for it
      -> Alias, a module without a file       looks each name up there when it is asked for

The alias holds no names of its own but the version: minitf's `__version__` is minitf's, that of
`tensorflow` is the version of the interface, 1.15.0, by which programs decide what they may call.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import re
import sys
from collections.abc import Iterable, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from minitf.compat.tensorflow import old_numpy, old_packages, old_python
from minitf.library.platform.namespaces import advice, left_out
from minitf.library.platform.version import GIT_VERSION, VERSION


def _read(tree: str) -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for line in tree.splitlines():
        modules, colon, places = line.partition(":")
        if colon and not line.startswith("#"):
            for module, name in _each(modules):
                more = [place.replace("*", name) for place in places.split()]
                table[module] = (*table.get(module, ()), *more)
                while module := module.rpartition(".")[0]:
                    table.setdefault(module, ())
    return table


def _each(modules: str) -> list[tuple[str, str]]:
    """`a.{b,c}` as the modules a.b and a.c, each beside its own name."""
    package, brace, names = modules.partition("{")
    if not brace:
        return [(modules, "")]
    return [(package + name, name) for name in names.rstrip("}").split(",")]


#: module of TensorFlow's tree -> namespaces of minitf, in the order of looking
TABLE: dict[str, tuple[str, ...]] = _read(Path(__file__).with_name("tree.txt").read_text())


ALIAS = "tensorflow"
DATASETS = "tensorflow_datasets"  # a package of its own, which programs import beside it
KERAS = "keras"  # another: it means minitf's where none is installed
PROBABILITY = "tensorflow_probability"  # likewise, for its distributions alone
_PACKAGES = (ALIAS, "tensorflow_core", "tensorflow_estimator", DATASETS, KERAS, PROBABILITY)
_ROOT = __name__.partition(".")[0]
#: Where Keras was in older trees of TensorFlow's.
_KERAS_ELSEWHERE = re.compile(
    r"^(contrib\.keras(\.(python|api))?(\.keras)?|python\.keras\._impl(\.keras)?)\b"
)
#: A package of contrib: only the modules in it import others.
_PACKAGE_OF_CONTRIB = re.compile(r"\.contrib\.\w+\.python(\.\w+)?$")
_TOP_LEVEL = ("compat.tensorflow.old_tensorflow.TF", ".")  # what stands for `tensorflow` itself
_SHORT = {"K": f"{ALIAS}.python.keras.backend", "tf": ALIAS}  # as modules of Keras import them
_ABSENT = object()


class Alias(ModuleType):
    """A module of TensorFlow's tree, whose names are minitf's.

    Args:
      name: its full name, as "tensorflow.python.ops.array_ops".
      places: the namespaces of minitf to look in; see `minitf/compat/tensorflow/tree.txt`.
    """

    def __init__(self, name: str, places: Sequence[str]) -> None:
        super().__init__(name, f"Stands for {name}: names of minitf.")
        self.__path__: list[str] = []
        self._places = tuple(places)

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return self._everything()
        if name.startswith("__") and not (name == "__version__" and "." not in self._places):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        child = f"{self.__name__}.{name}"
        if _key(child) in TABLE and self.__name__ != DATASETS:
            return importlib.import_module(child)
        for place in self._places:
            value = getattr(find(place), name, _ABSENT)
            if value is not _ABSENT:
                break
        else:
            value = _imported(self.__name__, name)
            if value is not None:
                return value
            if name.startswith("_") or not (name.islower() and _of_contrib(_key(child))):
                raise AttributeError(missing(child, dir(self)))
            return importlib.import_module(child)
        if isinstance(value, ModuleType) and value.__name__.startswith(f"{_ROOT}."):
            value = importlib.import_module(child)
        if self.__name__.partition(".")[0] == KERAS:
            value = find("compat.tensorflow.old_keras").as_it_was(value)
        vars(self)[name] = value  # the next time Python finds it without asking here
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        """Keeps a function that hides the module of its name, as in TensorFlow."""
        if isinstance(value, Alias) and _key(value.__name__) not in TABLE:
            spaces = map(find, self._places)
            if any(not isinstance(getattr(space, name, value), ModuleType) for space in spaces):
                return
        super().__setattr__(name, value)

    def __reduce__(self) -> Any:
        return imported, (self.__name__,)

    def _everything(self) -> list[str]:
        """What `from tensorflow import *` brings: all that this machine has the packages for."""
        found = []
        for name in dir(self):
            with contextlib.suppress(AttributeError, ImportError):
                if not name.startswith("_") and getattr(self, name) is not None:
                    found.append(name)
        return found

    def __dir__(self) -> list[str]:
        prefix = _key(self.__name__)
        children = (module.removeprefix(f"{prefix}.") for module in TABLE if prefix in module)
        spaces = (find(place) for place in self._places)
        names = {name for space in spaces if space is not None for name in dir(space)}
        return sorted(names | {child for child in children if "." not in child} | set(vars(self)))


def find(place: str) -> Any:
    """Returns the namespace of minitf at a path, or None when minitf has none there.

    Args:
      place: a path below minitf, as "nn.rnn_cell"; "." is the public API.
    """
    space: Any = importlib.import_module(_ROOT)
    path = _ROOT
    for part in place.split(".") if place != "." else ():
        path = f"{path}.{part}"
        inside = getattr(space, part, None)
        if inside is None and hasattr(space, "__path__"):
            try:
                inside = importlib.import_module(path)
            except ModuleNotFoundError as error:
                if error.name != path:
                    raise
        if inside is None:
            return None
        space = inside
    return space


def missing(name: str, known: Iterable[str] = ()) -> str:
    """Says in one sentence that minitf leaves a name of TensorFlow's out, and what to use instead.

    Args:
      name: the full name, as "tensorflow.contrib.boosted_trees".
      known: the names that there are beside it.
    """
    short = name.replace(f"{ALIAS}.", "tf.", 1)
    return left_out(name) or f"minitf has no {short}{advice(name.rpartition('.')[2], known)}"


def _imported(module: str, name: str) -> ModuleType | None:
    """A module that another one of TensorFlow's imports under its own name, as theirs do.

    Args:
      module: a full name, as "tensorflow.python.ops.rnn".
      name: the last part of the other's name, as "rnn_cell_impl".
    """
    if ".python" in module and not _PACKAGE_OF_CONTRIB.search(module):
        folders = ("ops", "framework", "util", "platform", "client", "training", "layers")
        for folder in folders[: -2 if ".contrib." in module else None]:  # contrib has its own
            if f"python.{folder}.{name}" in TABLE:
                return importlib.import_module(f"{ALIAS}.python.{folder}.{name}")
    if name in _SHORT and ".keras." in f".{_key(module)}.":
        return importlib.import_module(_SHORT[name])
    return None


class Finder:
    """Finds `tensorflow` and what is below it; a finder and a loader in one."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Returns the specification of an alias, or None for a module that is no concern of ours.

        Raises:
          ModuleNotFoundError: for a module of TensorFlow's that minitf lacks.
        """
        head = fullname.partition(".")[0]
        if head not in _PACKAGES or head in (KERAS, PROBABILITY) and _is_installed(head):
            return None
        if _places(fullname) is None:
            # Python hides the sentence of an error with a name from `from tensorflow.nn import x`;
            # `pydoc.locate` and others know by the name that it was this module that is not there.
            raise ModuleNotFoundError(missing(fullname), name=None if _of_a_list() else fullname)
        return ModuleSpec(fullname, self, origin=_ROOT, is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Makes the alias module."""
        return Alias(spec.name, _places(spec.name) or ())

    def exec_module(self, module: ModuleType) -> None:
        """Gives `tensorflow` itself its version; the other names come when they are asked for."""
        if "." in (_places(module.__name__) or ()):
            vars(module).update(__version__=VERSION, __git_version__=GIT_VERSION)
            vars(module).update(__file__=importlib.import_module(_ROOT).__file__)
        elif module.__name__ == PROBABILITY:  # the one that came beside TensorFlow 1.15
            vars(module).update(__version__="0.8.0")


def _of_a_list() -> bool:
    """Whether Python looks for one of the names of a `from module import name`."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_filename.startswith("<frozen importlib"):
        if frame.f_code.co_name == "_handle_fromlist":
            return True
        frame = frame.f_back
    return False


def _key(fullname: str) -> str:
    """A module's name in the table: `keras.layers` is TensorFlow's `python.keras.layers`."""
    head, _, inside = fullname.partition(".")
    if head == PROBABILITY:
        return fullname
    return f"python.{fullname}" if head == KERAS else _KERAS_ELSEWHERE.sub("python.keras", inside)


def _of_contrib(inside: str) -> tuple[str, ...]:
    """All that is below a `python` of a part of contrib stands for that part, or for one in it."""
    part, python, rest = f"{inside}.".partition(".python.")
    if not (python and re.fullmatch(r"contrib\.\w+", part) and isinstance(find(part), ModuleType)):
        return ()
    within = f"{part}.{rest.partition('.')[0]}"
    return (within, part) if isinstance(find(within), ModuleType) else (part,)


@functools.cache
def _is_installed(package: str) -> bool:
    return PathFinder.find_spec(package) is not None


def _places(fullname: str) -> tuple[str, ...] | None:
    """The namespaces that stand for a module; None when minitf lacks it."""
    head, _, inside = fullname.partition(".")
    if head == DATASETS:
        place = f"datasets.{inside}".rstrip(".")
        return (place,) if isinstance(find(place), ModuleType) else None
    if not inside and head not in (KERAS, PROBABILITY):
        return _TOP_LEVEL
    key = _key(fullname)
    if TABLE.get(key) or head == PROBABILITY:
        return TABLE.get(key)
    place = key.removeprefix("python.") if key.startswith("python.keras.") else inside
    if isinstance(find(place), ModuleType):
        return (place,)
    return _of_contrib(inside) or TABLE.get(key)


_FINDER = Finder()


def install() -> None:
    """Lets `tensorflow` mean minitf from now on, in this process.

    Raises:
      RuntimeError: when the real TensorFlow was imported before.
    """
    there = sys.modules.get(ALIAS)
    if there is not None and not isinstance(there, Alias):
        raise RuntimeError(
            "The real tensorflow is imported already; start afresh to let minitf take its name."
        )
    if not is_installed():
        sys.meta_path.insert(0, _FINDER)


def install_with_old_names() -> None:
    """As `install`; NumPy, Python and other packages have the names of TensorFlow 1's days, too."""
    install()
    for of_their_day in old_numpy, old_packages, old_python:
        of_their_day.install()


def is_installed() -> bool:
    """Whether `tensorflow` means minitf now."""
    return _FINDER in sys.meta_path


def imported(name: str) -> ModuleType:
    """Imports a module of TensorFlow's tree where a pickle that names it is read.

    Args:
      name: its full name.
    """
    install()
    return importlib.import_module(name)


def uninstall() -> None:
    """Gives the name `tensorflow` back; what a program has imported under it stays its own."""
    if is_installed():
        sys.meta_path.remove(_FINDER)
    for name in [name for name, module in sys.modules.items() if isinstance(module, Alias)]:
        del sys.modules[name]


def load_ipython_extension(ipython: Any) -> None:
    """`%load_ext minitf`: cells that say `import tensorflow as tf` get minitf."""
    install_with_old_names()


def unload_ipython_extension(ipython: Any) -> None:
    """`%unload_ext minitf`."""
    uninstall()
