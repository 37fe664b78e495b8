"""Numbers of 8, 16 or 32 bits that stand for floats: `tf.quantize`, and arithmetic with them.

    quint8    0 ........ 255       qint8   -128 ..... 127
              low ..... high                low ..... high      floats, given beside the numbers

A quantized tensor holds whole numbers alone; the floats that the smallest and the largest of them
stand for travel as two tensors more. NumPy sees such an array as one of records with one field, so
that nothing adds steps of different sizes by mistake. The modes say how floats become steps:

    MIN_COMBINED   low is the first step, high the last
    MIN_FIRST      as well, but moved so that 0 is a step
    SCALED         0 is the step 0, and the steps are as wide as the farther end needs
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.dtypes import DType
from minitf.core.graph.op_def import op, unchanged_shape
from minitf.core.graph.shapes import TensorShape, broadcast_shapes
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.cast import cast
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.linalg import matmul_op
from minitf.library.nets.conv_ops import check_inputs, conv2d_op, slide
from minitf.library.nets.kernels.conv import convolve
from minitf.library.nets.kernels.pooling import max_pool, mean_pool
from minitf.library.nets.pooling import places_of, pool_shape

_MODES = ("MIN_COMBINED", "MIN_FIRST", "SCALED")
_ROUNDINGS = ("HALF_AWAY_FROM_ZERO", "HALF_TO_EVEN")
_RANGED = "output: {0}, output_min: float32, output_max: float32"
_OPTIONS: dict[str, Any] = {"differentiable": False, "host_only": True}


# ---- steps -------------------------------------------------------------------------------


def _held(x: Any) -> Any:
    """The whole numbers in an array of records."""
    return np.asarray(x)[x.dtype.names[0]]


def _records(numbers: Any, dtype: DType) -> Any:
    """Whole numbers as an array of a quantized type."""
    return np.asarray(numbers, dtype.numpy_dtype[0]).view(dtype.numpy_dtype)


def _limits(dtype: Any) -> tuple[int, int]:
    """The smallest and the largest number of a type."""
    info = np.iinfo(dtype[0] if isinstance(dtype, np.dtype) else dtype.numpy_dtype[0])
    return int(info.min), int(info.max)


def _rounded(x: Any, mode: str = _ROUNDINGS[0]) -> Any:
    return np.rint(x) if mode == "HALF_TO_EVEN" else np.trunc(x + np.copysign(0.5, x))


def _float_of(numbers: Any, dtype: Any, low: Any, high: Any) -> Any:
    """The floats that numbers stand for, with 0 among the steps."""
    first, last = _limits(dtype)
    low, high = np.float64(low), np.float64(high)
    if low == high:
        return np.full(np.shape(numbers), low)
    step = (high - low) / (last - first)
    single = np.float64(np.float32(step))
    return np.rint(low / single) * single + (np.asarray(numbers, np.float64) - first) * step


def _steps_of(x: Any, dtype: Any, low: Any, high: Any) -> Any:
    """The steps nearest to floats, with 0 among them; they may lie outside of the type."""
    first, last = _limits(dtype)
    low, high = np.float64(low), np.float64(high)
    if low == high:
        return np.zeros(np.shape(x))
    count = last - first + 1
    scale = count / ((high - low) * (count / (count - 1)))  # as TensorFlow rounds in between
    return _rounded(x * scale) - _rounded(low * scale) + first


def _requantized(x: Any, low: Any, high: Any, new_low: Any, new_high: Any, dtype: DType) -> Any:
    """The same floats as steps of another range; of 32 bits to 8 in TensorFlow's fixed point."""
    first, last = _limits(dtype)
    if x.dtype[0] != np.int32 or dtype != dtypes.quint8:
        floats = _float_of(_held(x), x.dtype, low, high)
        return _records(np.clip(_steps_of(floats, dtype, new_low, new_high), first, last), dtype)
    low, high, new_low, new_high = map(np.float32, (low, high, new_low, new_high))
    unit, width = np.float32(1 << 16), new_high - new_low
    if not width:
        return _records(np.zeros(x.shape), dtype)
    scale = int(np.float64(255.0) * unit * (high - low) / width)
    offset = int((low + high) / np.float32(2) * (np.float32(255) / width) * unit)
    zero = int(unit * np.float64(new_low * np.float32(255)) / width)
    moved = ((_held(x).astype(np.int64) * scale) >> 32) + (offset - zero + (1 << 15))
    return _records(np.clip(moved >> 16, first, last), dtype)


def _along(value: Any, rank: int, axis: int) -> Any:
    """A range, or one for each index of an axis, as it meets a tensor."""
    value = np.float32(value)
    return value if axis == -1 else value.reshape([-1 if i == axis else 1 for i in range(rank)])


def _check(mode: str, round_mode: str = _ROUNDINGS[0]) -> None:
    if mode not in _MODES:
        raise invalid(f"Mode string must be {', '.join(map(repr, _MODES))}, is '{mode}'")
    if round_mode not in _ROUNDINGS:
        raise invalid(
            f"Round mode string must be 'HALF_AWAY_FROM_ZERO' or 'HALF_TO_EVEN', is '{round_mode}'"
        )  # noqa: E501
    if round_mode == "HALF_TO_EVEN" and mode != "SCALED":
        raise invalid(
            f"Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode is '{mode}'."
        )


def _sides(first: int, last: int, low: Any, high: Any, narrow: bool) -> Any:
    """The floats of one step that either side of 0 asks for."""
    first += narrow
    below = low / np.float32(first) if first else np.float32(0)
    return np.maximum(below, high / np.float32(last))


# ---- floats to steps, and back -----------------------------------------------------------


def _some(dtype: DType, *values: int) -> Any:
    return _records(np.array(values), dtype)


def _one(value: float) -> Any:
    return np.float32(value)


@op(
    "QuantizeV2",
    "input: float32, min_range: float32, max_range: float32 -> " + _RANGED.format("T"),
    samples=[
        lambda rng: (rng.normal(size=4).astype("f"), _one(-1), _one(2), {"T": dtypes.quint8}),
        lambda rng: (
            rng.normal(size=4).astype("f"), _one(-1), _one(2), {"T": dtypes.qint8, "mode": "SCALED"}
        ),
    ],
    **_OPTIONS,
)  # fmt: skip
def quantize_op(
    xp: Any, x: Any, low: Any, high: Any, *, T: Any, mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO", narrow_range: bool = False, axis: int = -1,
    ensure_minimum_range: float = 0.01,
) -> Any:  # fmt: skip
    """Gives the steps nearest to floats, and the range that the steps span."""
    _check(mode, round_mode)
    first, last = _limits(T)
    least = np.maximum(np.float32(1), np.maximum(abs(low), abs(high)))
    if (high < low).any():
        raise invalid("max_range must be larger than min_range.")
    low = np.minimum(np.float32(0), low)
    high = np.maximum(np.maximum(high, low + least * np.float32(ensure_minimum_range)), 0)
    if mode == "SCALED":
        step = _sides(first, last, low, high, narrow_range)
        low, high = (first + narrow_range) * step, last * step
    small, large = (_along(v, np.ndim(x), axis) for v in (low, high))
    if mode == "MIN_FIRST":
        scale = np.float32(last - first) / (large - small)
        steps = _rounded(x * scale) - _rounded(small * scale) + np.float32(first)
        return _records(np.clip(steps, first, last), T), low, high
    inside = np.minimum(np.maximum(x, small), large)
    if mode == "SCALED":
        steps = _rounded(inside / _along(step, np.ndim(x), axis), round_mode)
    else:
        scale = (np.float64(last - first) / (large - small)).astype(np.float32)
        steps = (inside - small) * scale
        half = np.float32(last - first + 1) / 2
        steps = _rounded(steps - half) if first else np.trunc(steps + np.float32(0.5))
    return _records(np.clip(steps.astype(np.float64), first, last), T), low, high


@quantize_op.shape
def _quantize_shape(x: Any, low: Any, high: Any, *, axis: int = -1, **attrs: Any) -> list:
    one = TensorShape([]) if axis == -1 else x.shape[axis : axis + 1]
    return [x.shape, one, one]


@op(
    "Dequantize",
    "input: T, min_range: float32, max_range: float32 -> output: dtype",
    T=dtypes.QUANTIZED,
    samples=[lambda rng: (_some(dtypes.qint8, -128, 5, 127), _one(-1), _one(2), {})],
    **_OPTIONS,
)
def dequantize_op(
    xp: Any, x: Any, low: Any, high: Any, *, mode: str = "MIN_COMBINED", narrow_range: bool = False,
    axis: int = -1, dtype: DType = dtypes.float32,
) -> Any:  # fmt: skip
    """Gives the floats that steps stand for."""
    _check(mode)
    first, last = _limits(x.dtype)
    numbers = _held(x).astype(np.float32)
    low, high = (_along(v, np.ndim(x), axis) for v in (low, high))
    if mode == "SCALED":
        return (numbers * _sides(first, last, low, high, narrow_range)).astype(dtype.numpy_dtype)
    step = (high - low) / (np.float32(last) - np.float32(first))
    if mode == "MIN_FIRST":
        low = np.where(low == high, low, _rounded(low / step) * step)
        return ((numbers - np.float32(first)) * step + low).astype(dtype.numpy_dtype)
    half = np.float32((last - first + 1) / 2 if first else 0)
    return ((numbers + half) * step + low).astype(dtype.numpy_dtype)


dequantize_op.shape(unchanged_shape)


class QuantizeV2(NamedTuple):
    """What `quantize` gives: the steps, and the floats that the first and the last stand for."""

    output: Tensor
    output_min: Tensor
    output_max: Tensor


def quantize(
    input: Any, min_range: Any, max_range: Any, T: Any, mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO", name: str | None = None, narrow_range: bool = False,
    axis: int | None = None, ensure_minimum_range: float = 0.01,
) -> QuantizeV2:  # fmt: skip
    """Gives the steps of a quantized type nearest to floats.

    Args:
      input: a float32 tensor.
      min_range, max_range: scalars, the floats that the first and the last step stand for; with
        `axis`, one for each of its indices. The range grows to hold 0, and to be no point.
      T: `tf.quint8`, `tf.qint8`, `tf.quint16`, `tf.qint16` or `tf.qint32`.
      mode: "MIN_COMBINED", "MIN_FIRST" or "SCALED"; see the head of this file.
      round_mode: "HALF_AWAY_FROM_ZERO" or, for "SCALED", "HALF_TO_EVEN".
      name: the name.
      narrow_range: for "SCALED", whether the lowest step stays free, so that both sides are alike.
      axis: of the channels, each of which has a range of its own.
      ensure_minimum_range: how wide the range is at least, as a share of its larger end.
    Example:
      >>> sess.run(tf.quantize([0.0, 1.0, 2.0], 0.0, 2.0, tf.quint8).output)
      array([  0, 128, 255], dtype=uint8)
    """
    made = quantize_op(
        cast(convert_to_tensor(input), dtypes.float32), min_range, max_range, name=name,
        T=dtypes.as_dtype(T), mode=mode, round_mode=round_mode, narrow_range=narrow_range,
        axis=-1 if axis is None else axis, ensure_minimum_range=ensure_minimum_range,
    )  # fmt: skip
    return QuantizeV2(*made)


def quantize_v2(
    input: Any, min_range: Any, max_range: Any, T: Any, mode: str = "MIN_COMBINED",
    name: str | None = None, round_mode: str = "HALF_AWAY_FROM_ZERO", narrow_range: bool = False,
    axis: int | None = None, ensure_minimum_range: float = 0.01,
) -> QuantizeV2:  # fmt: skip
    """As `quantize`, with its arguments in the older order."""
    return quantize(
        input, min_range, max_range, T, mode, round_mode, name, narrow_range, axis,
        ensure_minimum_range,
    )  # fmt: skip


def dequantize(
    input: Any, min_range: Any, max_range: Any, mode: str = "MIN_COMBINED",
    name: str | None = None, axis: int | None = None, narrow_range: bool = False,
    dtype: Any = dtypes.float32,
) -> Tensor:  # fmt: skip
    """Gives the floats that steps stand for; the arguments are those of `quantize`.

    Example:
      >>> made = tf.quantize([0.0, 1.0, 2.0], 0.0, 2.0, tf.quint8)
      >>> sess.run(tf.dequantize(*made)).round(2)
      array([0., 1., 2.], dtype=float32)
    """
    return dequantize_op(
        input, min_range, max_range, mode=mode, narrow_range=narrow_range,
        axis=-1 if axis is None else axis, dtype=dtypes.as_dtype(dtype), name=name,
    )  # fmt: skip


# ---- ranges ------------------------------------------------------------------------------


def _actual_range(x: Any, low: Any, high: Any) -> tuple[Any, Any]:
    numbers = _held(x)
    ends = _float_of(np.array([numbers.min(), numbers.max()]), x.dtype, low, high)
    return np.float32(min(0.0, ends[0])), np.float32(ends[1])


def _ranged_shape(x: Any, *rest: Any, **attrs: Any) -> list:
    return [x.shape, TensorShape([]), TensorShape([])]


_RANGE_IN = "input: Tinput, input_min: float32, input_max: float32"
_SHRINKS: dict[str, Any] = {"Tinput": dtypes.QUANTIZED, **_OPTIONS}
_TO_QUINT8 = {"out_type": dtypes.quint8}


@op(
    "QuantizeDownAndShrinkRange",
    f"{_RANGE_IN} -> {_RANGED.format('out_type')}",
    samples=[lambda rng: (_some(dtypes.qint32, -9, 2**20), _one(-5), _one(5), _TO_QUINT8)],
    **_SHRINKS,
)
def shrink_op(xp: Any, x: Any, low: Any, high: Any, *, out_type: DType) -> Any:
    """Gives steps of fewer bits, over the range that the numbers do fill."""
    new = _actual_range(x, low, high)
    return _requantized(x, low, high, *new, out_type), *new


shrink_op.shape(_ranged_shape)


@op(
    "RequantizationRange",
    f"{_RANGE_IN} -> output_min: float32, output_max: float32",
    samples=[lambda rng: (_some(dtypes.qint32, -9, 2**20), _one(-5), _one(5), {})],
    **_SHRINKS,
)
def requantization_range_op(xp: Any, x: Any, low: Any, high: Any) -> Any:
    """Gives the range that the numbers do fill."""
    return _actual_range(x, low, high)


requantization_range_op.shape(lambda x, low, high: [TensorShape([])] * 2)


@op(
    "Requantize",
    f"{_RANGE_IN}, requested_output_min: float32, requested_output_max: float32 -> "
    + _RANGED.format("out_type"),
    samples=[
        lambda rng: (
            _some(dtypes.qint32, -9, 2**20), _one(-5), _one(5), _one(-1), _one(1), _TO_QUINT8
        )
    ],
    **_SHRINKS,
)  # fmt: skip
def requantize_op(
    xp: Any, x: Any, low: Any, high: Any, new_low: Any, new_high: Any, *, out_type: DType
) -> Any:
    """Gives the same floats as steps of another type and range."""
    if new_low > 0:
        raise invalid(f"requested_output_min must be <= 0, but got {new_low:g}")
    if new_high < new_low:
        raise invalid(
            "requested_output_max must be >= requested_output_min, but got "
            f"{new_high:g} and {new_low:g}"
        )
    return _requantized(x, low, high, new_low, new_high, out_type), new_low, new_high


requantize_op.shape(_ranged_shape)


@op(
    "QuantizedConcat",
    "concat_dim: int32, values: N*T, input_mins: N*float32, input_maxes: N*float32 -> "
    + _RANGED.format("T"),
    T=dtypes.QUANTIZED,
    host=("concat_dim",),
    samples=[
        lambda rng: (
            np.int32(0), [_some(dtypes.quint8, 1, 200), _some(dtypes.quint8, 7)],
            [_one(0), _one(-1)], [_one(1), _one(2)], {},
        )
    ],
    **_OPTIONS,
)  # fmt: skip
def quantized_concat_op(xp: Any, axis: Any, values: Any, lows: Any, highs: Any) -> Any:
    """Puts steps of several ranges together, over one range that holds them all."""
    dtype = dtypes.as_dtype(values[0].dtype)
    low, high = np.float32(min(0.0, *lows)), np.float32(max(highs))
    if _limits(dtype)[0]:
        high = np.float32(max(abs(low), abs(high)))
        low = -high
    first, last = _limits(dtype)
    parts = [
        _held(x)
        if (own_low, own_high) == (low, high)
        else np.clip(
            _steps_of(_float_of(_held(x), dtype, own_low, own_high), dtype, low, high), first, last
        )
        for x, own_low, own_high in zip(values, lows, highs, strict=True)
    ]
    return _records(np.concatenate(parts, int(axis)), dtype), low, high


@quantized_concat_op.shape
def _quantized_concat_shape(axis: Any, values: Sequence, lows: Any, highs: Any) -> list:
    known = axis.value is not None and all(v.shape.ndims is not None for v in values)
    if not known:
        return [None, TensorShape([]), TensorShape([])]
    place = int(axis.value) % values[0].shape.ndims
    sizes = [v.shape.as_list()[place] for v in values]
    shape = values[0].shape.as_list()
    shape[place] = None if None in sizes else sum(sizes)
    return [TensorShape(shape), TensorShape([]), TensorShape([])]


def quantized_concat(
    concat_dim: Any, values: Sequence, input_mins: Any, input_maxes: Any, name: str | None = None
) -> Any:
    """Puts quantized tensors of several ranges together along an axis.

    Args:
      concat_dim: the axis.
      values: the tensors.
      input_mins, input_maxes: scalars, the range of each.
      name: the name.
    Returns: the tensor, and the range of its steps.
    """
    return quantized_concat_op(concat_dim, values, input_mins, input_maxes, name=name)


# ---- arithmetic --------------------------------------------------------------------------


def _without_zero(x: Any, low: Any, high: Any) -> Any:
    """Steps counted from that of 0, as int32."""
    zero = np.int32(_steps_of(np.float64(0), x.dtype, low, high))
    return _held(x).astype(np.int32) - zero


def _product(numbers: Any, types: Sequence[Any], ranges: Sequence[Any], out: DType) -> Any:
    """Products of steps as steps of 32 bits, with their range."""
    unit = np.float32(1)
    for dtype, (low, high) in zip(types, ranges, strict=True):
        first, last = _limits(dtype)
        unit = unit * ((np.float32(high) - np.float32(low)) / np.float32(last - first))
    first, last = _limits(out)
    return _records(numbers, out), unit * np.float32(first), unit * np.float32(last)


def _ranges(one: str, other: str) -> str:
    return ", ".join(f"{end}_{x}: float32" for x in (one, other) for end in ("min", "max"))


@op(
    "QuantizedMatMul",
    f"a: T1, b: T2, {_ranges('a', 'b')} -> "
    "out: Toutput, min_out: float32, max_out: float32",
    T1=dtypes.QUANTIZED,
    T2=dtypes.QUANTIZED,
    samples=[
        lambda rng: (
            _some(dtypes.quint8, 1, 2, 3, 200).reshape(2, 2),
            _some(dtypes.quint8, 9, 8).reshape(2, 1),
            _one(-1), _one(2), _one(0), _one(1), {},
        )
    ],
    **_OPTIONS,
)  # fmt: skip
def quantized_matmul_op(
    xp: Any, a: Any, b: Any, low_a: Any, high_a: Any, low_b: Any, high_b: Any, *,
    Toutput: DType = dtypes.qint32, transpose_a: bool = False, transpose_b: bool = False,
    Tactivation: Any = dtypes.quint8,
) -> Any:  # fmt: skip
    """Multiplies matrices of steps; the steps of the product have 32 bits."""
    factors = _without_zero(a, low_a, high_a), _without_zero(b, low_b, high_b)
    found = matmul_op.kernel(xp, *factors, transpose_a=transpose_a, transpose_b=transpose_b)
    ranges = ((low_a, high_a), (low_b, high_b))
    return _product(found, (a.dtype, b.dtype), ranges, Toutput)


@quantized_matmul_op.shape
def _quantized_matmul_shape(a: Any, b: Any, *rest: Any, **attrs: Any) -> list:
    turned = {k: attrs.get(k, False) for k in ("transpose_a", "transpose_b")}
    shape = matmul_op.shape_function(a, b, **turned)  # type: ignore[misc]
    return [shape, TensorShape([]), TensorShape([])]


@op(
    "QuantizedConv2D",
    f"input: Tinput, filter: Tfilter, {_ranges('input', 'filter')} -> "
    "output: out_type, min_output: float32, max_output: float32",
    Tinput=dtypes.QUANTIZED,
    Tfilter=dtypes.QUANTIZED,
    samples=[
        lambda rng: (
            _some(dtypes.quint8, *range(9)).reshape(1, 3, 3, 1),
            _some(dtypes.quint8, 9, 8, 7, 6).reshape(2, 2, 1, 1),
            _one(-1), _one(2), _one(0), _one(1), {"strides": [1, 1, 1, 1], "padding": "SAME"},
        )
    ],
    **_OPTIONS,
)  # fmt: skip
def quantized_conv2d_op(
    xp: Any, x: Any, w: Any, low_x: Any, high_x: Any, low_w: Any, high_w: Any, *,
    strides: Any, padding: str, out_type: DType = dtypes.qint32, dilations: Any = (1, 1, 1, 1),
) -> Any:  # fmt: skip
    """Slides a filter of steps over images of steps; the steps of the result have 32 bits."""
    factors = _without_zero(x, low_x, high_x), _without_zero(w, low_w, high_w)
    check_inputs(*factors, "NHWC")
    found = slide(xp, convolve, *factors, _conv_attrs(strides, padding, dilations))
    ranges = ((low_x, high_x), (low_w, high_w))
    return _product(found, (x.dtype, w.dtype), ranges, out_type)


def _conv_attrs(strides: Any, padding: str, dilations: Any) -> dict[str, Any]:
    return {
        "strides": list(strides), "padding": padding, "dilations": list(dilations),
        "explicit_paddings": [], "data_format": "NHWC",
    }  # fmt: skip


@quantized_conv2d_op.shape
def _quantized_conv2d_shape(x: Any, w: Any, *rest: Any, **attrs: Any) -> list:
    from_attrs = _conv_attrs(attrs["strides"], attrs["padding"], attrs.get("dilations", [1] * 4))
    return [conv2d_op.shape_function(x, w, **from_attrs), TensorShape([]), TensorShape([])]


def _reach(headroom: int, *ends: Any) -> Any:
    """The upper end of a sum's range: far beyond that of its parts, and as far as the lower."""
    return np.max([[-low, high] for low, high in zip(ends[::2], ends[1::2])]) * np.float32(headroom)


@op(
    "QuantizedBiasAdd",
    f"input: T1, bias: T2, {_ranges('input', 'bias')} -> "
    "output: out_type, min_out: float32, max_out: float32",
    T1=dtypes.QUANTIZED,
    T2=dtypes.QUANTIZED,
    samples=[
        lambda rng: (
            _some(dtypes.quint8, 1, 2, 3, 200).reshape(2, 2), _some(dtypes.quint8, 9, 8),
            _one(-1), _one(2), _one(0), _one(1), {"out_type": dtypes.qint32},
        )
    ],
    **_OPTIONS,
)  # fmt: skip
def quantized_bias_add_op(
    xp: Any, x: Any, bias: Any, low_x: Any, high_x: Any, low_b: Any, high_b: Any, *, out_type: DType
) -> Any:
    """Adds a vector of steps along the last axis; the range of the sum is far wider."""
    first, last = _limits(out_type)
    top = _reach(1 << 17, low_x, high_x, low_b, high_b)
    scale = np.float32((last - first) / np.float64(top + top))
    below = _rounded(-top * scale) - np.float32(first)
    total = _steps_of(np.float64(0), out_type, -top, top)
    for steps, low, high in ((x, low_x, high_x), (bias, low_b, high_b)):
        floats = dequantize_op.kernel(xp, steps, low, high, mode="MIN_FIRST")
        total = total + (_rounded(floats * scale) - below).astype(np.float64)
    return _records(np.clip(total, first, last), out_type), -top, top


quantized_bias_add_op.shape(_ranged_shape)


def _of_two(op_type: str) -> Any:
    """Declares an op on two tensors of steps that broadcast; those of the result have 32 bits."""
    return op(
        op_type,
        f"x: T1, y: T2, {_ranges('x', 'y')} -> z: Toutput, min_z: float32, max_z: float32",
        T1=dtypes.QUANTIZED,
        T2=dtypes.QUANTIZED,
        samples=[
            lambda rng: (
                _some(dtypes.quint8, 1, 2, 3, 200).reshape(2, 2), _some(dtypes.quint8, 9, 8),
                _one(-1), _one(2), _one(0), _one(1), {},
            )
        ],
        **_OPTIONS,
    )  # fmt: skip


@_of_two("QuantizedAdd")
def quantized_add_op(
    xp: Any, x: Any, y: Any, low_x: Any, high_x: Any, low_y: Any, high_y: Any, *,
    Toutput: DType = dtypes.qint32,
) -> Any:  # fmt: skip
    """Adds steps, elementwise."""
    first, last = _limits(Toutput)
    top, total = _reach(1 << 14, low_x, high_x, low_y, high_y), np.float64(0)
    for steps, low, high in ((x, low_x, high_x), (y, low_y, high_y)):
        floats = _float_of(np.array([0, 1]), steps.dtype, low, high).astype(np.float32)
        zero, one = _steps_of(floats.astype(np.float64), Toutput, -top, top)
        total = total + zero + _held(steps).astype(np.float64) * (one - zero)
    return _records(np.clip(total, first, last), Toutput), -top, top


@_of_two("QuantizedMul")
def quantized_mul_op(
    xp: Any, x: Any, y: Any, low_x: Any, high_x: Any, low_y: Any, high_y: Any, *,
    Toutput: DType = dtypes.qint32,
) -> Any:  # fmt: skip
    """Multiplies steps, elementwise."""
    product = _without_zero(x, low_x, high_x) * _without_zero(y, low_y, high_y)
    return _product(product, (x.dtype, y.dtype), ((low_x, high_x), (low_y, high_y)), Toutput)


@quantized_add_op.shape
@quantized_mul_op.shape
def _quantized_pair_shape(x: Any, y: Any, *rest: Any, **attrs: Any) -> list:
    return [broadcast_shapes(x.shape, y.shape), TensorShape([]), TensorShape([])]


def _cut(x: Any, low: Any, high: Any, bounds: Sequence[Any], out_type: DType) -> Any:
    """Steps between those of one float or two."""
    first, last = _limits(x.dtype)
    ends = [np.clip(_steps_of(np.float64(b), x.dtype, low, high), first, last) for b in bounds]
    return _records(np.clip(_held(x), ends[0], (*ends, last)[1]), out_type), low, high


_BOUNDED = (
    "min_features: float32, max_features: float32 -> "
    "activations: out_type, min_activations: float32, max_activations: float32"
)


def _relu(op_type: str, top: float | None) -> Any:
    """Declares an op that cuts steps off below 0, and above `top`."""

    def kernel(xp: Any, x: Any, low: Any, high: Any, *, out_type: DType = dtypes.quint8) -> Any:
        return _cut(x, low, high, [0.0] if top is None else [0.0, top], out_type)

    declare = op(
        op_type,
        f"features: Tinput, {_BOUNDED}",
        doc="Cuts steps off below that of 0" + (f", and above that of {top:g}." if top else "."),
        samples=[lambda rng: (_some(dtypes.quint8, 1, 99, 255), _one(-1), _one(9), {})],
        **_SHRINKS,
    )
    made = declare(kernel)
    made.shape(_ranged_shape)
    return made


quantized_relu_op = _relu("QuantizedRelu", None)
quantized_relu6_op = _relu("QuantizedRelu6", 6.0)


@op(
    "QuantizedReluX",
    f"features: Tinput, max_value: float32, {_BOUNDED}",
    samples=[lambda rng: (_some(dtypes.quint8, 1, 99, 255), _one(3), _one(-1), _one(9), {})],
    **_SHRINKS,
)
def quantized_relu_x_op(
    xp: Any, x: Any, top: Any, low: Any, high: Any, *, out_type: DType = dtypes.quint8
) -> Any:
    """Cuts steps off below that of 0, and above that of `max_value`."""
    return _cut(x, low, high, [0.0, top], out_type)


quantized_relu_x_op.shape(_ranged_shape)


def _pool(op_type: str, pool: Any, what: str) -> Any:
    """Declares an op that pools steps; their range stays."""

    def kernel(
        xp: Any, x: Any, low: Any, high: Any, *, ksize: tuple, strides: tuple, padding: str
    ) -> Any:
        attrs = {"ksize": ksize, "strides": strides, "padding": padding}
        pooled = pool(np, _held(x), places_of(x.shape, attrs))
        return _records(pooled, dtypes.as_dtype(x.dtype)), low, high

    declare = op(
        op_type,
        "input: T, min_input: float32, max_input: float32 -> "
        "output: T, min_output: float32, max_output: float32",
        doc=f"Takes the {what} step of each window of images.",
        T=dtypes.QUANTIZED,
        samples=[
            lambda rng: (
                _some(dtypes.quint8, *range(12)).reshape(1, 3, 4, 1), _one(-1), _one(9),
                {"ksize": (1, 2, 2, 1), "strides": (1, 1, 2, 1), "padding": "SAME"},
            )
        ],
        **_OPTIONS,
    )  # fmt: skip
    made = declare(kernel)
    made.shape(lambda x, *rest, **attrs: [pool_shape(x, **attrs), *[TensorShape([])] * 2])
    return made


def _mean(xp: Any, x: Any, places: Any) -> Any:
    sums = mean_pool(xp, x.astype(np.float64), places)
    return np.trunc(np.round(sums, 9))  # what lies between two steps goes towards 0


quantized_max_pool_op = _pool("QuantizedMaxPool", max_pool, "largest")
quantized_avg_pool_op = _pool("QuantizedAvgPool", _mean, "mean")


# ---- public functions --------------------------------------------------------------------


def quantized_relu_x(
    features: Any, max_value: Any, min_features: Any, max_features: Any,
    out_type: Any = dtypes.quint8, name: str | None = None,
) -> Any:  # fmt: skip
    """Cuts steps off below that of 0, and above that of `max_value`.

    Args:
      features: a quantized tensor.
      max_value: a scalar float.
      min_features, max_features: scalars, the range of the steps.
      out_type: the type of the result.
      name: the name.
    Returns: the tensor, and the range of its steps.
    """
    bounds = max_value, min_features, max_features
    made = quantized_relu_x_op(features, *bounds, out_type=dtypes.as_dtype(out_type), name=name)
    return quantized_relu_x_op.named(made)


def quantized_max_pool(
    input: Any, min_input: Any, max_input: Any, ksize: Any, strides: Any, padding: str,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Takes the largest step of each window.

    Args:
      input: [batch, height, width, channels], quantized.
      min_input, max_input: scalars, the range of the steps.
      ksize, strides: four numbers, of the windows and from one to the next.
      padding: "SAME" or "VALID".
      name: the name.
    Returns: the tensor, and the range of its steps.
    """
    attrs = {"ksize": tuple(ksize), "strides": tuple(strides), "padding": padding}
    made = quantized_max_pool_op(input, min_input, max_input, name=name, **attrs)
    return quantized_max_pool_op.named(made)


def quantized_avg_pool(
    input: Any, min_input: Any, max_input: Any, ksize: Any, strides: Any, padding: str,
    name: str | None = None,
) -> Any:  # fmt: skip
    """As `quantized_max_pool`, with the mean of each window."""
    attrs = {"ksize": tuple(ksize), "strides": tuple(strides), "padding": padding}
    made = quantized_avg_pool_op(input, min_input, max_input, name=name, **attrs)
    return quantized_avg_pool_op.named(made)


def quantized_conv2d(
    input: Any, filter: Any, min_input: Any, max_input: Any, min_filter: Any, max_filter: Any,
    strides: Any, padding: str, out_type: Any = dtypes.qint32, dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:  # fmt: skip
    """Slides a filter over images, both of steps.

    Args:
      input: [batch, height, width, channels], quantized.
      filter: [height, width, channels, features], quantized.
      min_input, max_input, min_filter, max_filter: scalars, the ranges of the steps.
      strides, dilations: four numbers.
      padding: "SAME" or "VALID".
      out_type: the type of the result.
      name: the name.
    Returns: the tensor, and the range of its steps.
    """
    made = quantized_conv2d_op(
        input, filter, min_input, max_input, min_filter, max_filter, strides=strides,
        padding=padding, out_type=dtypes.as_dtype(out_type), dilations=dilations, name=name,
    )  # fmt: skip
    return quantized_conv2d_op.named(made)
