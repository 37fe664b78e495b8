"""Names that packages had when programs of the years 2016 to 2019 were written.

    scipy.misc.imread("cat.jpg")               a change of scipy.misc    when the program imports it
    from sklearn.externals import joblib       a module that moved       when nothing else has it

As with `old_numpy`, each name means what its package's notes say to write instead. Nothing is
imported that the program does not import, and `import minitf` alone changes nothing. The changes
themselves stand in package_changes.py, which is slow to import: it comes with the first of them,
and in protobuf_text.py.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

#: Modules that moved, and where to.
_MOVED = {
    "cPickle": "pickle",
    "ConfigParser": "configparser",
    "Queue": "queue",
    "StringIO": "io",
    "cStringIO": "io",
    "urllib2": "urllib.request",
    "sklearn.cross_validation": "sklearn.model_selection",
    "sklearn.grid_search": "sklearn.model_selection",
    "sklearn.externals.joblib": "joblib",
    "pandas.tools.plotting": "pandas.plotting",
}

_NAMES = """
scipy.misc scipy.ndimage scipy.signal scipy.sparse PIL PIL.Image sklearn.datasets
sklearn.preprocessing pandas h5py matplotlib.pyplot absl.flags
""".split()
#: Modules that get names back, and the file here that says which; every summary brings the last.
_CHANGED = dict.fromkeys(_NAMES, "package_changes")
_CHANGED["google.protobuf.text_format"] = "protobuf_text"
_CHANGED["multiprocessing.spawn"] = "children"
_CHANGED["joblib.externals.loky.backend.spawn"] = "children"


def install() -> None:
    """Gives packages their names back, as soon as a program imports them."""
    if _changing not in sys.meta_path:
        sys.meta_path.insert(0, _changing)
        sys.meta_path.append(_moved)
    for name in _CHANGED:
        if name in sys.modules:
            _change(name)


def _change(name: str) -> None:
    file = importlib.import_module(f"minitf.compat.tensorflow.{_CHANGED[name]}")
    file.CHANGES[name](sys.modules[name])


class _Changing:
    """Finds the modules of `_CHANGED` as Python does, and changes each after it has run."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path) if fullname in _CHANGED else None
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def run_and_change(module: ModuleType) -> None:
                run(module)
                _change(fullname)

            spec.loader.exec_module = run_and_change  # type: ignore[method-assign]
        return spec


class _Moved:
    """Finds modules that are gone: one that hands on what has taken its place."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, self) if fullname in _MOVED else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return ModuleType(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        instead = importlib.import_module(_MOVED[module.__name__])
        vars(module).update({k: v for k, v in vars(instead).items() if not k.startswith("__")})


_changing, _moved = _Changing(), _Moved()


def renamed(function: Callable[..., Any], **names: str) -> Callable[..., Any]:
    """A function that takes keywords by their older names, too.

    Args:
      function: the function.
      names: the newer name of each older one.
    """

    @functools.wraps(function)
    def with_names(*args: Any, **kwargs: Any) -> Any:
        for old in names.keys() & kwargs.keys():
            kwargs.setdefault(names[old], kwargs.pop(old))
        return function(*args, **kwargs)

    return with_names


def add_names(holder: Any, **names: Any) -> None:
    """Gives a module or a class the names that it lacks."""
    there = vars(holder) if isinstance(holder, ModuleType) else dir(holder)
    for name in names.keys() - set(there):
        setattr(holder, name, names[name])
