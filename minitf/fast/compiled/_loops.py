"""How the loops of this folder become machine code: once, kept, without Python's lock.

In the process that translates (`python -m minitf.fast`) the decorators here are numba's. In every
other one they take what machine_code.py has linked, and numba is not imported: helpers and
intrinsics are left as they stand, for nobody calls them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.core.kernels.threads import split
from minitf.fast import machine_code, translations

if translations.translating:
    import numba
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic
else:
    numba = ir = cgutils = types = None

    def intrinsic(generate: Callable[..., Any]) -> Callable[..., Any]:
        """Left as it stands."""
        return generate


__all__ = ["cgutils", "in_parts", "inlined", "intrinsic", "ir", "loop", "numba", "types"]

#: What the compiler may do with floats: fuse a product with a sum. It may not take NaN and
#: infinities for impossible.
_LIBERTIES = {"contract", "nsz"}
#: And in loops that add up: sum in another order, divide by multiplying.
_IN_SUMS = {*_LIBERTIES, "reassoc", "arcp"}

_linked: dict[str, dict[str, Callable[..., Any]]] = {}  # by file


def loop(*signatures: str, in_order: bool = False) -> Callable[[Callable[..., Any]], Any]:
    """Makes machine code of the decorated function: 'void(const(float32[::1]), int64)'.

    Args:
      signatures: none for a helper, which is translated together with each loop that calls it.
      in_order: whether sums keep the order in which they are written, so that x - y - z is that.
    """
    if not translations.translating:
        return _find if signatures else _leave
    names = {**vars(types), "const": lambda kind: kind.copy(readonly=True)}
    kinds = [eval(s, names) for s in signatures]
    liberties = _LIBERTIES if in_order else _IN_SUMS
    how = {"nogil": True, "error_model": "numpy", "fastmath": liberties}

    def translate(function: Callable[..., Any]) -> Any:
        if not kinds:
            return numba.njit(**how)(function)
        dispatcher = numba.njit(kinds, **how)(function)
        folder = translations.in_use[_file_of(function)]
        machine_code.keep(folder, function.__name__, dispatcher.overloads.values())
        return dispatcher

    return translate


def inlined(function: Callable[..., Any]) -> Any:
    """A helper that becomes part of every loop that calls it, with rules of its own for floats."""
    if not translations.translating:
        return function
    return numba.njit(function, forceinline=True, error_model="numpy", fastmath={"contract"})


def in_parts(run: Callable[[int, int], Any], length: int, least: int) -> list[Any]:
    """What `run(start, stop)` gives for pieces of a range, from several threads; see `split`."""
    parts: list[Any] = []
    split(lambda start, stop: parts.append(run(start, stop)), length, least)
    return parts


def _leave(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def _find(function: Callable[..., Any]) -> Callable[..., Any]:
    name = _file_of(function)
    if name not in _linked:
        _linked[name] = machine_code.link(translations.in_use[name])
    return _linked[name][function.__name__]


def _file_of(function: Callable[..., Any]) -> str:
    return function.__module__.rpartition(".")[2]
