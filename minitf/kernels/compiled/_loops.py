"""How the loops of this folder are translated: once, cached, without Python's lock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

#: What the compiler may do with floats: fuse a product with a sum. It may not take NaN and
#: infinities for impossible.
_LIBERTIES = {"contract", "nsz"}
#: And in loops that add up: sum in another order, divide by multiplying.
_IN_SUMS = {*_LIBERTIES, "reassoc", "arcp"}


def _const(kind: numba.types.Array) -> numba.types.Array:
    """Of an array that is only read: it may be one that cannot be written, as a constant is."""
    return kind.copy(readonly=True)


def loop(*signatures: str, in_order: bool = False) -> Callable[[Callable[..., Any]], Any]:
    """Translates the decorated function for signatures: 'void(const(float32[::1]), int64)'.

    Args:
      in_order: whether sums keep the order in which they are written, so that x - y - z is that.
    """
    names = {**vars(numba.types), "const": _const}
    kinds = [eval(s, names) if isinstance(s, str) else s for s in signatures]
    liberties = _LIBERTIES if in_order else _IN_SUMS
    return numba.njit(kinds, cache=True, nogil=True, error_model="numpy", fastmath=liberties)
