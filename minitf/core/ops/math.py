"""Elementwise arithmetic, one row an op: sums and products, powers, exponentials, angles, rounding.

The functions after the tables use more than one op. library/numeric/elementwise.py has the rows
that no operator needs.

    row = (type, formula, sentence, dtypes, derivative, range of the samples)

The arguments of a derivative are the inputs, the output and the gradient of the output: `(x, y,
dy)` for one input, `(x, y, z, dz)` for two.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import call, op
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor, TensorLike
from minitf.core.ops.array import identity, merged_shape
from minitf.core.ops.array_filling import ones_like, zeros_like
from minitf.core.ops.cast import cast
from minitf.core.ops.elementwise import ARITHMETIC, FLOATING, binary, invalid, row, shown, unary

POSITIVE = (0.3, 3.0)
AWAY_FROM_ZERO = (0.4, 2.0)
ANY = (-2.0, 2.0)


# ---- the conjugate -----------------------------------------------------------------------------


_conj_op = row(
    "Conj",
    "input: T -> output: T",
    "xp.conjugate({0})",
    "Changes the sign of the imaginary part.",
    dtypes.COMPLEX,
    samples=[lambda rng: (rng.normal(size=(2, 3)) + 1j * rng.normal(size=(2, 3)), {})],
    shape=lambda x: x.shape,
    gradient=lambda op, dy: [conj(dy)],
)


def conj(x: Any, name: str | None = None) -> Tensor:
    """Changes the sign of the imaginary part; a real tensor is returned as it is.

    Raises:
      TypeError: when `x` is not numeric.
    """
    x = convert_to_tensor(x, name="x")
    if x.dtype.is_complex:
        return _conj_op(x, name=name)
    if x.dtype.is_floating or x.dtype.is_integer:
        return x
    raise TypeError(f"Expected numeric or variant tensor, got dtype {x.dtype!r}")


# ---- sums and products -------------------------------------------------------------------------

add = binary(
    "Add",
    "{0} + {1}",
    "Computes x + y, elementwise; joins strings.",
    (*dtypes.NUMBERS, dtypes.string),
    lambda x, y, z, dz: (dz, dz),
    ufunc="add",
)
add_v2 = binary(
    "AddV2",
    "{0} + {1}",
    "Computes x + y, elementwise; the op behind the operator +.",
    dtypes.NUMBERS,
    lambda x, y, z, dz: (dz, dz),
    ufunc="add",
)
subtract = binary(
    "Sub",
    "{0} - {1}",
    "Computes x - y, elementwise.",
    dtypes.NUMBERS,
    lambda x, y, z, dz: (dz, negative(dz)),
    ufunc="subtract",
    public="subtract",
)
multiply = binary(
    "Mul",
    "{0} * {1}",
    "Computes x * y, elementwise.",
    dtypes.NUMBERS,
    lambda x, y, z, dz: (multiply(dz, conj(y)), multiply(conj(x), dz)),
    ufunc="multiply",
    public="multiply",
)


def _quotient_grad(divide: Any, x: Tensor, y: Tensor, dz: Tensor) -> tuple[Tensor, Tensor]:
    y = conj(y)
    return divide(dz, y), multiply(dz, divide(divide(negative(conj(x)), y), y))


realdiv = binary(
    "RealDiv",
    "{0} / {1}",
    "Computes x / y of floating-point numbers, elementwise.",
    FLOATING,
    lambda x, y, z, dz: _quotient_grad(realdiv, x, y, dz),
    domain=(ANY, AWAY_FROM_ZERO),
    ufunc="divide",
    public="realdiv",
)


negative = unary(
    "Neg",
    "-{0}",
    "Computes -x, elementwise.",
    (*dtypes.FLOATS, *dtypes.SIGNED_INTS, *dtypes.COMPLEX),
    lambda x, y, dy: -dy,
    ufunc="negative",
    public="negative",
    takes_slices=True,
)
reciprocal = unary(
    "Reciprocal",
    "1 / {0}",
    "Computes 1 / x, elementwise.",
    FLOATING,
    lambda x, y, dy: _reciprocal_grad(y, dy),
    domain=AWAY_FROM_ZERO,
)
_reciprocal_grad = binary(
    "ReciprocalGrad",
    "xp.where({1} == 0, {1}, -{1} * {0} * {0})",
    "Computes -dy y^2, 0 where dy is 0: the gradient of y = 1 / x.",
    FLOATING,
    lambda y, dy, dx, ddx: (
        -2 * ddx * dy * y,
        _reciprocal_grad(y, ddx),
    ),
    inputs=("y", "dy"),
)


# ---- quotients that are not real: whole and rest -----------------------------------------------


def check_divisor(y: Any) -> None:
    """Raises for a division of integers by zero."""
    if y.dtype.kind in "iu" and not y.all():
        raise invalid("Integer division by zero")


def _floor_div(xp: Any, x: Any, y: Any) -> Any:
    check_divisor(y)
    return xp.floor(x / y) if y.dtype.kind == "f" else xp.floor_divide(x, y)


def _floor_mod(xp: Any, x: Any, y: Any) -> Any:
    check_divisor(y)
    return xp.mod(x, y)


def _div_no_nan(xp: Any, x: Any, y: Any) -> Any:
    if isinstance(x, np.generic) and isinstance(y, np.generic):  # a mean of metrics, in each step
        return x / y if y else x.dtype.type(0)
    zero = y == 0
    return xp.where(zero, x.dtype.type(0), x / xp.where(zero, y.dtype.type(1), y))[()]


floor_div = binary(
    "FloorDiv",
    _floor_div,
    "Computes x / y rounded towards minus infinity, elementwise.",
    dtypes.REALS,
    domain=(ANY, AWAY_FROM_ZERO),
)
floormod = binary(
    "FloorMod",
    _floor_mod,
    "Computes the rest of the floored division, with the sign of `y`.",
    dtypes.REALS,
    lambda x, y, z, dz: (dz, multiply(dz, negative(floor_div(x, y)))),
    domain=((0.55, 0.6), (0.22, 0.25)),
    public="floormod",
)
mod = floormod
_div_no_nan_op = binary(
    "DivNoNan",
    _div_no_nan,
    "Computes x / y, and 0 where y is 0.",
    FLOATING,
    lambda x, y, z, dz: _quotient_grad(_div_no_nan_op, x, y, dz),
    domain=(ANY, AWAY_FROM_ZERO),
)

# ---- sizes, orders, signs ----------------------------------------------------------------------


def _winner(wins: Tensor, dz: Tensor) -> tuple[Tensor, Tensor]:
    """The gradient of a maximum or minimum: `dz` goes to `x` where `wins` is true, else to `y`."""
    zeros = zeros_like(dz)
    return call("Select", wins, dz, zeros), call("Select", wins, zeros, dz)


maximum = binary(
    "Maximum",
    "xp.maximum({0}, {1})",
    "Computes the larger of x and y, elementwise.",
    dtypes.REALS,
    lambda x, y, z, dz: _winner(call("GreaterEqual", x, y), dz),
)
minimum = binary(
    "Minimum",
    "xp.minimum({0}, {1})",
    "Computes the smaller of x and y, elementwise.",
    dtypes.REALS,
    lambda x, y, z, dz: _winner(call("LessEqual", x, y), dz),
)
_abs = unary(
    "Abs",
    "abs({0})",
    "Computes |x|, elementwise.",
    (*dtypes.FLOATS, *dtypes.SIGNED_INTS),
    lambda x, y, dy: dy * sign(x),
    domain=AWAY_FROM_ZERO,
    ufunc="absolute",
    public="abs",
)
sign = unary(
    "Sign",
    "xp.sign({0})",
    "Computes -1, 0 or 1 after the sign of x; x / |x| of complex numbers.",
    ARITHMETIC,
    lambda x, y, dy: zeros_like(x),
    domain=AWAY_FROM_ZERO,
)

# ---- powers and roots --------------------------------------------------------------------------


def _power(xp: Any, x: Any, y: Any) -> Any:
    if y.dtype.kind == "i" and (y < 0).any():
        raise invalid("Integers to negative integer powers are not allowed")
    return x**y


def _power_grad(x: Tensor, y: Tensor, z: Tensor, dz: Tensor) -> tuple[Tensor, Tensor]:
    """d x^y = y x^(y-1) dx + x^y log(x) dy, with log(x) taken as 0 where it does not exist."""
    x, y, z = conj(x), conj(y), conj(z)
    one = convert_to_tensor(1, dtype=y.dtype.base_dtype, name="one")
    zero = zeros_like(x)
    keep = call("NotEqual", x, zero) if x.dtype.is_complex else call("Greater", x, zero)
    safe = call("Select", keep, x, ones_like(x))
    log_x = call("Select", keep, log(safe), zero)
    return dz * y * pow(x, y - one), dz * z * log_x


pow = binary(
    "Pow",
    _power,
    "Computes x to the power y, elementwise.",
    ARITHMETIC,
    _power_grad,
    domain=(POSITIVE, ANY),
    arithmetic="power({0}, {1})",
)
square = unary(
    "Square",
    "{0} * {0}",
    "Computes x^2, elementwise.",
    ARITHMETIC,
    lambda x, y, dy: multiply(dy, 2 * conj(x)),
    ufunc="square",
)
sqrt = unary(
    "Sqrt",
    "xp.sqrt({0})",
    "Computes the square root, elementwise; nan of negative numbers.",
    FLOATING,
    lambda x, y, dy: _sqrt_grad(y, dy),
    domain=POSITIVE,
)
_sqrt_grad = binary(
    "SqrtGrad",
    "xp.where({1} == 0, {1}, {1} * 0.5 / {0})",
    "Computes dy / (2 y), 0 where dy is 0: the gradient of y = sqrt(x).",
    FLOATING,
    lambda y, dy, dx, ddx: (
        negative(multiply(realdiv(ddx, conj(y)), conj(dx))),
        _sqrt_grad(conj(y), ddx),
    ),
    domain=(POSITIVE, ANY),
    inputs=("y", "dy"),
)
rsqrt = unary(
    "Rsqrt",
    "1 / xp.sqrt({0})",
    "Computes 1 / sqrt(x), elementwise.",
    FLOATING,
    lambda x, y, dy: _rsqrt_grad(y, dy),
    domain=POSITIVE,
)
_rsqrt_grad = binary(
    "RsqrtGrad",
    "xp.where({1} == 0, {1}, {1} * -0.5 * {0} * {0} * {0})",
    "Computes -dy y^3 / 2, 0 where dy is 0: the gradient of rsqrt.",
    FLOATING,
    lambda y, dy, dx, ddx: (
        ddx * (-1.5 * dy) * square(y),
        _rsqrt_grad(y, ddx),
    ),
    domain=(POSITIVE, ANY),
    inputs=("y", "dy"),
)

# ---- exponentials ------------------------------------------------------------------------------

exp = unary(
    "Exp",
    "xp.exp({0})",
    "Computes e^x, elementwise.",
    FLOATING,
    lambda x, y, dy: dy * conj(y),
)
log = unary(
    "Log",
    "xp.log({0})",
    "Computes the natural logarithm, elementwise.",
    FLOATING,
    lambda x, y, dy: dy * reciprocal(conj(x)),
    domain=POSITIVE,
)
tanh = unary(
    "Tanh",
    "xp.tanh({0})",
    "Computes the hyperbolic tangent, elementwise.",
    FLOATING,
    lambda x, y, dy: _tanh_grad(conj(y), dy),
)
_tanh_grad = binary(
    "TanhGrad",
    "{1} * (1 - {0} * {0})",
    "Computes dy (1 - y^2): the gradient of y = tanh(x).",
    FLOATING,
    lambda y, dy, dx, ddx: (ddx * (-2.0 * dy) * y, _tanh_grad(y, ddx)),
    inputs=("y", "dy"),
)
sigmoid = unary(
    "Sigmoid",
    "1 / (1 + xp.exp(-{0}))",
    "Computes 1 / (1 + e^-x), elementwise.",
    FLOATING,
    lambda x, y, dy: _sigmoid_grad(conj(y), dy),
)
_sigmoid_grad = binary(
    "SigmoidGrad",
    "{1} * {0} * (1 - {0})",
    "Computes dy y (1 - y): the gradient of the sigmoid.",
    FLOATING,
    lambda y, dy, dx, ddx: (
        ddx * dy * (1 - 2 * y),
        _sigmoid_grad(y, ddx),
    ),
    inputs=("y", "dy"),
)

# ---- angles, in radians ------------------------------------------------------------------------

sin = unary(
    "Sin",
    "xp.sin({0})",
    "Computes the sine of an angle in radians.",
    FLOATING,
    lambda x, y, dy: dy * cos(conj(x)),
)
cos = unary(
    "Cos",
    "xp.cos({0})",
    "Computes the cosine of an angle in radians.",
    FLOATING,
    lambda x, y, dy: -dy * sin(conj(x)),
)

# ---- rounding and checks -----------------------------------------------------------------------

floor = unary("Floor", "xp.floor({0})", "Rounds down, elementwise.", dtypes.FLOATS)
ceil = unary("Ceil", "xp.ceil({0})", "Rounds up, elementwise.", dtypes.FLOATS)
_round = unary("Round", "xp.rint({0})", "Rounds to the nearest whole, halves to even.", ARITHMETIC)


# ---- functions that are more than one op -------------------------------------------------------


def abs(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes |x|, elementwise; the magnitude of complex numbers, as real ones.

    Args:
      x: a tensor of numbers.
      name: the operation's name.
    Example:
      >>> sess.run(tf.abs([-1.5, 2.]))
      array([1.5, 2. ], dtype=float32)
    """
    if hasattr(x, "_map_elements"):  # a RaggedTensor
        return _abs(x, name=name)
    with name_scope(name, "Abs") as scope:
        x = convert_to_tensor(x, name="x")
        if x.dtype.is_complex:
            return call("ComplexAbs", x, Tout=x.dtype.real_dtype, name=scope)
        return _abs(x, name=scope)


def round(x: TensorLike, name: str | None = None) -> Tensor:
    """Rounds to the nearest whole number, halves to even; integers are returned as they are.

    Args:
      x: a tensor of numbers.
      name: the operation's name.
    Example:
      >>> sess.run(tf.round([0.9, 2.5, 1.5, -4.5]))
      array([ 1.,  2.,  2., -4.], dtype=float32)
    """
    x = convert_to_tensor(x, name="x")
    return x if x.dtype.is_integer else _round(x, name=name)


# ---- division ----------------------------------------------------------------------------------

#: what `/` casts integers to; None: they are divided as they are
_TRUE_DIVISION: dict[dtypes.DType, dtypes.DType | None] = {
    **dict.fromkeys((dtypes.uint8, dtypes.int8, dtypes.uint16, dtypes.int16), dtypes.float32),
    **dict.fromkeys((dtypes.int32, dtypes.int64), dtypes.float64),
    **dict.fromkeys(FLOATING),
}


def _same_type(x: Any, y: Any, strict: bool) -> tuple[Tensor, Tensor]:
    """Both operands of a division as tensors of one dtype; a strict `y` must convert to `x`'s."""
    x = convert_to_tensor(x, name="x")
    kind = x.dtype.base_dtype
    y = convert_to_tensor(y, dtype=kind if strict else None, name="y", preferred_dtype=kind)
    if x.dtype.base_dtype != y.dtype.base_dtype:
        raise TypeError(
            "x and y must have the same dtype, got "
            f"{x.dtype.base_dtype!r} != {y.dtype.base_dtype!r}"
        )
    return x, y


def truediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Computes x / y as Python 3 does: integers are cast to floating point first.

    int8 and int16 become float32; int32 and int64 become float64.

    Args:
      x: a tensor of numbers.
      y: another of the same type, in a shape that broadcasts.
      name: the operation's name.
    Raises:
      TypeError: when `x` and `y` have different dtypes.
    Example:
      >>> sess.run(tf.truediv([7, -7], 2))
      array([ 3.5, -3.5])
    """
    with name_scope(name, "truediv") as scope:
        x, y = _same_type(x, y, strict=False)
        if x.dtype.base_dtype not in _TRUE_DIVISION:
            raise TypeError(f"Invalid dtype {x.dtype.base_dtype!r} in __truediv__")
        wide = _TRUE_DIVISION[x.dtype.base_dtype]
        if wide is not None:
            x, y = cast(x, wide), cast(y, wide)
        return realdiv(x, y, name=scope)


def div(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Computes x / y as Python 2 does: integers give an integer, rounded down.

    Args:
      x: a tensor of numbers.
      y: another of the same type, in a shape that broadcasts.
      name: the operation's name.
    Example:
      >>> sess.run(tf.div([7, -7], 2))
      array([ 3, -4], dtype=int32)
      >>> sess.run(tf.div(7.0, 2.0))
      3.5
    """
    with name_scope(name, "div") as scope:
        x, y = _same_type(x, y, strict=True)
        whole = x.dtype.is_integer
        return floor_div(x, y, name=scope) if whole else realdiv(x, y, name=scope)


def divide(x: TensorLike, y: TensorLike, name: str | None = None) -> Any:
    """Computes `x / y` with Python's own rules for its arguments."""
    return x / y if name is None else truediv(x, y, name)


def floordiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Computes x / y rounded towards minus infinity: the operator //."""
    with name_scope(name, "floordiv") as scope:
        return floor_div(x, y, name=scope)


def div_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Computes x / y, and 0 where y is 0."""
    with name_scope(name, "div_no_nan") as scope:
        x, y = _same_type(x, y, strict=True)
        return _div_no_nan_op(x, y, name=scope)


# ---- AddN --------------------------------------------------------------------------------------


def _list_sample(count: int, shape: tuple[int, ...]) -> Any:
    return lambda rng: ([rng.normal(size=shape) for _ in range(count)], {})


@op(
    "AddN",
    "inputs: N*T -> sum: T",
    batch="each",
    T=dtypes.NUMBERS,
    alias=True,
    arithmetic="{0} + {1}",
    samples=[_list_sample(2, (2, 3)), _list_sample(1, (3,)), _list_sample(4, ())],
)
def _add_n_op(xp: Any, inputs: list) -> Any:
    """Adds tensors of one shape, from the first to the last."""
    first = inputs[0]
    for index, x in enumerate(inputs):
        if x.shape != first.shape:
            raise invalid(
                "Inputs to operation of type AddN must have the same size and shape.  "
                f"Input 0: {shown(first)} != input {index}: {shown(x)}"
            )
    if len(inputs) == 1:
        return first
    total = inputs[0] + inputs[1]
    for x in inputs[2:]:
        total += x  # a fresh array: nobody else sees it
    return total


_add_n_op.shape(merged_shape)


@_add_n_op.gradient
def _add_n_grad(op: Any, dy: Tensor) -> list:
    return [dy] * len(op.inputs)


def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """Adds the tensors of a list, elementwise.

    Args:
      inputs: tensors of one shape and dtype.
      name: the operation's name.
    Returns: the sum; the tensor itself when there is one.
    Raises:
      ValueError: when the list is empty or the shapes differ.
      TypeError: when the dtypes differ.
    Example:
      >>> sess.run(tf.add_n([[1, 2], [3, 4], [5, 6]]))
      array([ 9, 12], dtype=int32)
    """
    message = (
        "inputs must be a list of at least one Tensor/IndexedSlices with the same dtype and shape"
    )
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError(message)
    tensors = [convert_to_tensor(x) for x in inputs]
    if len(tensors) == 1:
        return tensors[0] if name is None else identity(tensors[0], name=name)
    return _add_n_op(tensors, name=name)
