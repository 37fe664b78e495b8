"""Products: polynomials, and products and quotients in which zero wins over infinity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_n_to_tensor, convert_to_tensor
from minitf.core.graph.op_def import call
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import not_equal
from minitf.core.ops.elementwise import binary


def polyval(coeffs: Sequence[Any], x: Any, name: str | None = None) -> Tensor:
    """The value of a polynomial at `x`; coefficients from the highest degree down."""
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type found {type(coeffs)}.")
    with name_scope(name, "polyval", [*coeffs, x]):
        x = convert_to_tensor(x, name="x")
        if not coeffs:
            return zeros_like(x)
        parts = convert_n_to_tensor(coeffs, x.dtype.base_dtype, "coeffs")
        total = parts[0]
        for part in parts[1:]:
            total = part + total * x
        return total


# ---- where zero wins ---------------------------------------------------------------------


def _zero_wins(function: Callable[[Any, Any, Any], Any]) -> Callable[[Any, Any, Any], Any]:
    """A kernel: 0 where `x` is 0, whatever `y` is, and `function` elsewhere."""

    def kernel(xp: Any, x: Any, y: Any) -> Any:
        safe = xp.where(x == 0, y.dtype.type(1), y)
        return xp.where(x == 0, x.dtype.type(0), function(xp, x, safe))[()]

    return kernel


def _one_where(x: Tensor) -> Tensor:
    """1 where `x` is not 0, 0 where it is."""
    return cast(not_equal(x, convert_to_tensor(0, x.dtype.base_dtype)), x.dtype.base_dtype)


_second_wins = _zero_wins(lambda xp, y, x: x * y)
multiply_no_nan = binary(
    "MulNoNan", lambda xp, x, y: _second_wins(xp, y, x),
    "Computes x y, and 0 where y is 0 even if x is infinite, elementwise.", dtypes.FLOATS,
    lambda x, y, z, dz: (multiply_no_nan(dz, y), multiply_no_nan(x, dz)),
    domain=((0.5, 2.0), (0.5, 2.0)), public="multiply_no_nan",
)  # fmt: skip
xlogy = binary(
    "Xlogy", _zero_wins(lambda xp, x, y: x * xp.log(y)),
    "Computes x log(y), and 0 where x is 0, elementwise.", dtypes.FLOATS,
    lambda x, y, z, dz: (dz * xlogy(_one_where(x), y), dz * xdivy(x, y)),
    domain=((0.5, 2.0), (0.5, 2.0)),
)  # fmt: skip
xdivy = binary(
    "Xdivy", _zero_wins(lambda xp, x, y: x / y),
    "Computes x / y, and 0 where x is 0, elementwise.", dtypes.FLOATS,
    lambda x, y, z, dz: (dz * xdivy(_one_where(x), y), dz * xdivy(-x, y * y)),
    domain=((0.5, 2.0), (0.5, 2.0)),
)  # fmt: skip
_xlog1py = binary(
    "Xlog1py", _zero_wins(lambda xp, x, y: x * xp.log1p(y)),
    "Computes x log(1 + y), and 0 where x is 0, elementwise.", dtypes.FLOATS,
    lambda x, y, z, dz: (dz * _xlog1py(_one_where(x), y), dz * xdivy(x, y + 1.0)),
    domain=((0.5, 2.0), (0.5, 2.0)),
)  # fmt: skip


def xlog1py(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x log(1 + y), exact for small y, and 0 where x is 0, elementwise.

    Args:
      x, y: float, of shapes that broadcast.
      name: the name of the scope.
    """
    with name_scope(name, "xlog1py", [x]):
        return _xlog1py(x, y)


def reciprocal_no_nan(x: Any, name: str | None = None) -> Tensor:
    """1 / x, and 0 where x is 0, elementwise."""
    with name_scope(name, "reciprocal_no_nan", [x]):
        x = convert_to_tensor(x, name="x")
        one = convert_to_tensor(1, x.dtype.base_dtype, name="one")
        return call("DivNoNan", one, x)
