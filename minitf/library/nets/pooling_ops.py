"""Pooling: the largest or the mean element of each window, and the gradients as operations.

                 gradient                 its gradient
    MaxPool      MaxPoolGrad              MaxPoolGradGrad      (picks where the maxima were)
    AvgPool      AvgPoolGrad              AvgPool

The functions of `tf.nn` that choose among them by rank stand at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.op_def import OpDef, op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.elementwise import invalid, normal_sample
from minitf.library.nets.kernels.pooling import (
    counts,
    max_pool_gather,
    max_pool_scatter,
    sum_pool,
    sum_pool_scatter,
)
from minitf.library.nets.kernels.pooling import max_pool as max_of_windows
from minitf.library.nets.kernels.windows import Axis, axis_of
from minitf.library.nets.layouts import margins


def _places(
    sizes: Sequence[int], ksize: Any, strides: Any, padding: str, explicit_paddings: Any = ()
) -> list[Axis]:
    """Places the windows along every dimension of the input."""
    if len(sizes) == 4 and (ksize[0] != 1 or strides[0] != 1):
        raise errors.UnimplementedError(
            None, None, "Pooling is not yet supported on the batch dimension."
        )
    if len(sizes) != len(ksize):
        raise invalid(f"tensor_in must be {len(ksize)}-dimensional")
    pads = margins(explicit_paddings or [0] * 2 * len(sizes))
    return [
        axis_of(int(n), int(k), int(s), 1, padding, p)
        for n, k, s, p in zip(sizes, ksize, strides, pads, strict=True)
    ]


def _pool_shape(x: Any, **attrs: Any) -> TensorShape:
    rank = len(attrs["ksize"])
    sizes = x.shape.with_rank(rank)
    if sizes.ndims is None:
        return TensorShape([None] * rank)
    pads = margins(attrs.get("explicit_paddings") or [0] * 2 * rank)
    rows = zip(sizes.as_list(), attrs["ksize"], attrs["strides"], pads, strict=True)
    return TensorShape(
        [
            None if n is None else axis_of(n, k, s, 1, attrs["padding"], p).outputs
            for n, k, s, p in rows
        ]
    )


_SAME = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 2, 1], "padding": "SAME"}
_VALID = {"ksize": [1, 2, 3, 1], "strides": [1, 2, 1, 1], "padding": "VALID"}
_FIRST = {
    "ksize": [1, 1, 2, 2],
    "strides": [1, 1, 2, 2],
    "padding": "SAME",
    "data_format": "NCHW",
}
_DEPTH = {"ksize": [1, 1, 1, 2], "strides": [1, 1, 1, 2], "padding": "VALID"}
_VOLUME = {"ksize": [1, 2, 2, 1, 1], "strides": [1, 1, 2, 1, 1], "padding": "SAME"}


# ---- MaxPool -----------------------------------------------------------------------------


class _MaxFamily(NamedTuple):
    """Maxima, their gradient, and the gradient of that."""

    forward: OpDef
    scatter: OpDef
    gather: OpDef


@op(
    "MaxPool",
    "input: T -> output: T",
    T=dtypes.REALS,
    samples=[
        normal_sample((1, 3, 4, 2), **_SAME),
        normal_sample((1, 4, 3, 1), **_VALID),
        normal_sample((1, 2, 3, 4), **_FIRST),
        normal_sample((1, 1, 2, 4), **_DEPTH),
        normal_sample(
            (1, 3, 3, 1),
            ksize=[1, 2, 2, 1],
            strides=[1, 2, 2, 1],
            padding="EXPLICIT",
            explicit_paddings=[0, 0, 1, 0, 0, 1, 0, 0],
        ),
    ],
)
def max_pool_op(
    xp: Any,
    input: Any,  # noqa: A002
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
) -> Any:
    """Takes the largest element of each window of images."""
    axes = _places(input.shape, ksize, strides, padding, explicit_paddings)
    return max_of_windows(xp, input, axes)


@op(
    "MaxPoolGrad",
    "orig_input: T, orig_output: T, grad: T -> output: T",
    T=dtypes.REALS,
    samples=[lambda rng: _with_output(rng, (1, 3, 4, 2), (1, 3, 2, 2), _SAME)],
)
def max_pool_grad_op(
    xp: Any,
    orig_input: Any,
    orig_output: Any,
    grad: Any,
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
) -> Any:
    """Brings the gradient of each window to its first maximum."""
    axes = _places(orig_input.shape, ksize, strides, padding, explicit_paddings)
    return max_pool_scatter(xp, orig_input, grad, axes)


@op(
    "MaxPoolGradGrad",
    "orig_input: T, orig_output: T, grad: T -> output: T",
    T=dtypes.REALS,
    samples=[lambda rng: _with_output(rng, (1, 3, 4, 2), (1, 3, 4, 2), _SAME)],
)
def max_pool_grad_grad_op(
    xp: Any,
    orig_input: Any,
    orig_output: Any,
    grad: Any,
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
) -> Any:
    """Takes from `grad` where the first maximum of each window of `orig_input` is."""
    axes = _places(orig_input.shape, ksize, strides, padding, explicit_paddings)
    return max_pool_gather(xp, orig_input, grad, axes)


def _with_output(rng: np.random.Generator, sizes: tuple, grads: tuple, attrs: dict) -> tuple:
    x = rng.normal(size=sizes)
    return x, max_of_windows(np, x, _places(sizes, **attrs)), rng.normal(size=grads), attrs


@op(
    "MaxPool3D",
    "input: T -> output: T",
    T=dtypes.FLOATS,
    samples=[normal_sample((1, 3, 3, 2, 2), **_VOLUME)],
)
def max_pool3d_op(
    xp: Any,
    input: Any,  # noqa: A002
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
) -> Any:
    """Takes the largest element of each window of volumes."""
    return max_of_windows(xp, input, _places(input.shape, ksize, strides, padding))


@op(
    "MaxPool3DGrad",
    "orig_input: T, orig_output: T, grad: T -> output: T",
    T=dtypes.FLOATS,
    samples=[lambda rng: _with_output(rng, (1, 3, 3, 2, 2), (1, 3, 2, 2, 2), _VOLUME)],
)
def max_pool3d_grad_op(
    xp: Any,
    orig_input: Any,
    orig_output: Any,
    grad: Any,
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
) -> Any:
    """Brings the gradient of each window of a volume to its first maximum."""
    axes = _places(orig_input.shape, ksize, strides, padding)
    return max_pool_scatter(xp, orig_input, grad, axes)


@op(
    "MaxPool3DGradGrad",
    "orig_input: T, orig_output: T, grad: T -> output: T",
    T=dtypes.FLOATS,
    samples=[lambda rng: _with_output(rng, (1, 3, 3, 2, 2), (1, 3, 3, 2, 2), _VOLUME)],
)
def max_pool3d_grad_grad_op(
    xp: Any,
    orig_input: Any,
    orig_output: Any,
    grad: Any,
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
) -> Any:
    """Takes from `grad` where the first maximum of each window of a volume is."""
    axes = _places(orig_input.shape, ksize, strides, padding)
    return max_pool_gather(xp, orig_input, grad, axes)


def _wire_max(family: _MaxFamily) -> None:
    """Declares the shapes and the gradients of a family of maxima."""
    forward, scatter, picking = family

    def attrs_of(operation: Any) -> dict[str, Any]:
        return {name: operation.get_attr(name) for name in forward.attr_names}

    @forward.gradient
    def forward_grad(operation: Any, dy: Tensor) -> list:
        x, y = operation.inputs[0], operation.outputs[0]
        return [scatter(x, y, dy, **attrs_of(operation))]

    @scatter.gradient
    def scatter_grad(operation: Any, dy: Tensor) -> list:
        x, y, _ = operation.inputs
        return [zeros_like(x), zeros_like(y), picking(x, y, dy, **attrs_of(operation))]

    @picking.gradient
    def picking_grad(operation: Any, dy: Tensor) -> list:
        x, y, _ = operation.inputs
        return [zeros_like(x), zeros_like(y), scatter(x, y, dy, **attrs_of(operation))]

    forward.shape(_pool_shape)
    scatter.shape(lambda x, y, dy, **attrs: x.shape.with_rank(len(attrs["ksize"])))
    picking.shape(
        lambda x, y, dy, **attrs: y.shape.with_rank(len(attrs["ksize"])).merge_with(
            _pool_shape(x, **attrs)
        )
    )


_wire_max(_MaxFamily(max_pool_op, max_pool_grad_op, max_pool_grad_grad_op))
_wire_max(_MaxFamily(max_pool3d_op, max_pool3d_grad_op, max_pool3d_grad_grad_op))


# ---- AvgPool -----------------------------------------------------------------------------


def _mean(xp: Any, x: Any, axes: list[Axis]) -> Any:
    precise = x.astype(np.float32) if x.dtype == np.float16 else x
    return (sum_pool(xp, precise, axes) / counts(xp, axes, precise.dtype)).astype(
        x.dtype, copy=False
    )


def _mean_grad(xp: Any, sizes: Any, dy: Any, axes: list[Axis]) -> Any:
    return sum_pool_scatter(xp, dy / counts(xp, axes, dy.dtype), axes)


@op(
    "AvgPool",
    "value: T -> output: T",
    T=dtypes.FLOATS,
    samples=[
        normal_sample((1, 3, 4, 2), **_SAME),
        normal_sample((1, 4, 3, 1), **_VALID),
        normal_sample((1, 2, 3, 4), **_FIRST),
    ],
)
def avg_pool_op(
    xp: Any, value: Any, *, ksize: Any, strides: Any, padding: str, data_format: str = "NHWC"
) -> Any:
    """Takes the mean of each window of images; margins do not count."""
    return _mean(xp, value, _places(value.shape, ksize, strides, padding))


@op(
    "AvgPoolGrad",
    "orig_input_shape: int32, grad: T -> output: T",
    host=("orig_input_shape",),
    T=dtypes.FLOATS,
    samples=[
        lambda rng: (np.array([1, 3, 4, 2], np.int32), rng.normal(size=(1, 3, 2, 2)), _SAME),
        lambda rng: (np.array([1, 4, 3, 1], np.int32), rng.normal(size=(1, 2, 1, 1)), _VALID),
    ],
)
def avg_pool_grad_op(
    xp: Any,
    orig_input_shape: Any,
    grad: Any,
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
) -> Any:
    """Shares the gradient of each window among its elements."""
    sizes = orig_input_shape.tolist()
    return _mean_grad(xp, sizes, grad, _places(sizes, ksize, strides, padding))


@op(
    "AvgPool3D",
    "input: T -> output: T",
    T=dtypes.FLOATS,
    samples=[normal_sample((1, 3, 3, 2, 2), **_VOLUME)],
)
def avg_pool3d_op(
    xp: Any,
    input: Any,  # noqa: A002
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
) -> Any:
    """Takes the mean of each window of volumes; margins do not count."""
    return _mean(xp, input, _places(input.shape, ksize, strides, padding))


@op(
    "AvgPool3DGrad",
    "orig_input_shape: int32, grad: T -> output: T",
    host=("orig_input_shape",),
    T=dtypes.FLOATS,
    samples=[
        lambda rng: (np.array([1, 3, 3, 2, 2], np.int32), rng.normal(size=(1, 3, 2, 2, 2)), _VOLUME)
    ],
)
def avg_pool3d_grad_op(
    xp: Any,
    orig_input_shape: Any,
    grad: Any,
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
) -> Any:
    """Shares the gradient of each window of a volume among its elements."""
    sizes = orig_input_shape.tolist()
    return _mean_grad(xp, sizes, grad, _places(sizes, ksize, strides, padding))


def _wire_mean(forward: OpDef, spread: OpDef) -> None:
    """Declares the shapes and the gradients of a pair of means."""

    def attrs_of(operation: Any) -> dict[str, Any]:
        return {name: operation.get_attr(name) for name in forward.attr_names}

    @forward.gradient
    def forward_grad(operation: Any, dy: Tensor) -> list:
        return [spread(shape_of(operation.inputs[0]), dy, **attrs_of(operation))]

    @spread.gradient
    def spread_grad(operation: Any, dy: Tensor) -> list:
        return [None, forward(dy, **attrs_of(operation))]

    forward.shape(_pool_shape)
    spread.shape(lambda sizes, dy, **attrs: sizes.partial_shape)


_wire_mean(avg_pool_op, avg_pool_grad_op)
_wire_mean(avg_pool3d_op, avg_pool3d_grad_op)


# ---- MaxPoolWithArgmax -------------------------------------------------------------------


@op(
    "MaxPoolWithArgmax",
    "input: T -> output: T, argmax: Targmax",
    T=dtypes.REALS,
    samples=[
        normal_sample((2, 3, 4, 2), **_SAME),
        normal_sample((2, 4, 3, 1), **_VALID, include_batch_in_index=True, Targmax=dtypes.int32),
    ],
)
def max_pool_with_argmax_op(
    xp: Any,
    input: Any,  # noqa: A002
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    Targmax: Any = dtypes.int64,  # noqa: N803
    include_batch_in_index: bool = False,
) -> tuple:
    """Takes the largest element of each window, and its place in the flattened image."""
    axes = _places(input.shape, ksize, strides, padding)
    y = max_of_windows(xp, input, axes)
    places = xp.arange(input.size, dtype=Targmax.as_numpy_dtype).reshape(input.shape)
    if not include_batch_in_index:
        places %= max(1, input.size // max(1, input.shape[0]))
    return y, max_pool_gather(xp, input, places, axes)


@max_pool_with_argmax_op.shape
def _max_pool_with_argmax_shape(x: Any, **attrs: Any) -> list:
    return [_pool_shape(x, **attrs)] * 2


@max_pool_with_argmax_op.gradient
def _max_pool_with_argmax_grad(op: Any, dy: Tensor, dargmax: Any) -> list:
    attrs = {name: op.get_attr(name) for name in ("ksize", "strides", "padding")}
    return [max_pool_grad_op(op.inputs[0], op.outputs[0], dy, **attrs)]
