"""How the loops of this folder are translated: once, kept, without Python's lock."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import caching

from minitf.fast import loader as library
from minitf.fast import translations

#: What the compiler may do with floats: fuse a product with a sum. It may not take NaN and
#: infinities for impossible.
_LIBERTIES = {"contract", "nsz"}
#: And in loops that add up: sum in another order, divide by multiplying.
_IN_SUMS = {*_LIBERTIES, "reassoc", "arcp"}


class _Shelf(caching._CacheLocator):  # type: ignore[misc]
    """Tells numba where it finds and leaves translations of this folder; others are not its own.

    numba's own locators write into a folder to see whether they can, so that one that can only be
    read serves nobody.
    """

    def __init__(self, folder: Path, line: int) -> None:
        self._folder, self._line = folder, line

    @classmethod
    def from_function(cls, function: Any, file: str) -> _Shelf | None:
        """A locator for a function of a file that library.py loads, None for any other."""
        package, _, name = function.__module__.rpartition(".")
        folder = translations.in_use.get(name) if package == __package__ else None
        return None if folder is None else cls(folder, function.__code__.co_firstlineno)

    def get_cache_path(self) -> str:
        """The folder."""
        return str(self._folder)

    def get_source_stamp(self) -> str:
        """What must be the same when it is read: nothing, the folder's name has it all."""
        return ""

    def get_disambiguator(self) -> str:
        """What tells two functions of one name apart."""
        return str(self._line)

    def ensure_cache_path(self) -> None:
        """Makes nothing and tries nothing: the folder is there."""


caching.CacheImpl._locator_classes.insert(0, _Shelf)


def _const(kind: numba.types.Array) -> numba.types.Array:
    """Of an array that is only read: it may be one that cannot be written, as a constant is."""
    return kind.copy(readonly=True)


def loop(*signatures: str, in_order: bool = False) -> Callable[[Callable[..., Any]], Any]:
    """Translates the decorated function for signatures: 'void(const(float32[::1]), int64)'.

    Args:
      signatures: none for a helper, which is translated together with each loop that calls it.
      in_order: whether sums keep the order in which they are written, so that x - y - z is that.
    """
    library.stop_here()
    names = {**vars(numba.types), "const": _const}
    kinds = [eval(s, names) if isinstance(s, str) else s for s in signatures]
    liberties = _LIBERTIES if in_order else _IN_SUMS
    how = {"nogil": True, "error_model": "numpy", "fastmath": liberties}
    return numba.njit(kinds, cache=True, **how) if kinds else numba.njit(**how)
