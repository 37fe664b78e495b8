"""How the loops of this folder are translated: once, cached, without Python's lock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

#: What the compiler may do with floats. It may sum in another order and fuse a product with a sum;
#: it may not take NaN and infinities for impossible.
_LIBERTIES = {"contract", "reassoc", "nsz", "arcp"}


def loop(*signatures: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Translates the decorated function for these signatures, as 'void(float32[::1], int64)'."""
    return numba.njit(
        list(signatures), cache=True, nogil=True, error_model="numpy", fastmath=_LIBERTIES
    )
