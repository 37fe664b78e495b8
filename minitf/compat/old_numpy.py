"""Names of NumPy that programs of the years 2016 to 2019 use, and NumPy 2 no longer has.

A program that says `np.float` or `np.reshape(x, newshape=s)` ran when it was written. `python -m
minitf` and `%load_ext minitf` give such names back, each meaning what NumPy's notes say to write
instead; `import minitf` alone changes nothing in NumPy.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

_INSTEAD: dict[str, Any] = {
    "int": int,
    "float": float,
    "complex": complex,
    "object": object,
    "str": str,
    "unicode": str,
    "bool8": np.bool_,
    "float_": np.float64,
    "complex_": np.complex128,
    "string_": np.bytes_,
    "unicode_": np.str_,
    "Inf": np.inf,
    "Infinity": np.inf,
    "infty": np.inf,
    "NaN": np.nan,
    "product": np.prod,
    "cumproduct": np.cumprod,
    "sometrue": np.any,
    "alltrue": np.all,
    "round_": np.round,
    "row_stack": np.vstack,
    "in1d": lambda ar1, ar2, **options: np.isin(np.ravel(ar1), ar2, **options),
    "asscalar": lambda a: a.item(),
    "asfarray": lambda a, dtype=np.float64: np.asarray(a, dtype),
    "trapz": getattr(np, "trapezoid", None),
}


def install() -> None:
    """Adds the names that this NumPy lacks; those it has stay as they are."""
    there = vars(np)
    for name, meaning in _INSTEAD.items():
        if name not in there and meaning is not None:
            setattr(np, name, meaning)
    if not hasattr(np.reshape, "takes_newshape"):
        np.reshape = _with_newshape(np.reshape)


def _with_newshape(reshape: Any) -> Any:
    """`np.reshape` that takes the shape by its older name, too."""

    @functools.wraps(reshape)
    def with_newshape(a: Any, *args: Any, newshape: Any = None, **kwargs: Any) -> Any:
        if newshape is not None:
            kwargs["shape"] = newshape
        return reshape(a, *args, **kwargs)

    with_newshape.takes_newshape = True  # type: ignore[attr-defined]
    return with_newshape
