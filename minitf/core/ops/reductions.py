"""Reductions over axes, the positions of extremes, and running sums.

`axis` is an attribute, so that the static shape of every result is known; None stands for all axes.
In TensorFlow it is a constant. Its name is reserved here, so that later operations have
TensorFlow's names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import OpDef, call, op
from minitf.core.graph.shapes import TensorShape, normalize_axes, unknown_shape
from minitf.core.graph.stacks import get_default_graph, name_scope
from minitf.core.graph.tensor import DTypeLike, Tensor, TensorLike
from minitf.core.kernels.dense import reduced
from minitf.core.kernels.host import on_cpu
from minitf.core.ops import run_time_axes
from minitf.core.ops.array import one_of, shape, static_int, static_ints
from minitf.core.ops.array_filling import ones_like
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal
from minitf.core.ops.elementwise import broadcast_like, invalid, named, sample, shown
from minitf.core.ops.math import multiply, realdiv

Axes = tuple[int, ...] | None

# ---- the family --------------------------------------------------------------------------------


def _reduced_shape(input: Any, *, axis: Axes, keep_dims: bool) -> TensorShape:
    rank = input.shape.ndims
    if rank is None:
        return TensorShape(()) if axis is None and not keep_dims else unknown_shape()
    axes = set(normalize_axes(axis, rank))
    sizes = input.shape.as_list()
    if keep_dims:
        return TensorShape([1 if i in axes else n for i, n in enumerate(sizes)])
    return TensorShape([n for i, n in enumerate(sizes) if i not in axes])


def _real_samples() -> list:
    return [
        sample((2, 3)),
        sample((2, 3), axis=(1,)),
        sample((2, 3), axis=(-2,), keep_dims=True),
        sample((2, 3, 2), axis=(2, 0)),
        sample((2, 3), axis=(), keep_dims=False),
        sample((), keep_dims=True),
    ]


def _bool_samples() -> list:
    return [
        lambda rng: (rng.random((2, 3)) < 0.5, {}),
        lambda rng: (rng.random((2, 3)) < 0.5, {"axis": (1,)}),
        lambda rng: (rng.random((2, 3)) < 0.5, {"axis": (0,), "keep_dims": True}),
    ]


def _reduction(
    op_type: str,
    kernel: Callable,
    gradient: Callable | None = None,
    types: tuple[dtypes.DType, ...] | None = dtypes.NUMBERS,
) -> OpDef:
    """Declares one reduction; `types` None stands for Booleans."""
    kind = "bool" if types is None else "T"
    op_def: OpDef = op(
        op_type,
        f"input: {kind} -> output: {kind}",
        batch="axis",
        differentiable=gradient is not None,
        samples=_bool_samples() if types is None else _real_samples(),
        **({} if types is None else {"T": types}),
    )(kernel)
    op_def.shape(_reduced_shape)
    if gradient is not None:
        op_def.gradient(gradient)
    return op_def


def _spread(op: Any, dy: Tensor, mean: bool = False) -> Tensor:
    """`dy`, in the shape of the reduction's result, spread over the shape of its input."""
    attrs = {"axis": op.attrs["axis"], "keep_dims": op.attrs["keep_dims"]}
    return broadcast_like(dy, op.inputs[0], mean=mean, **attrs)


# ---- Sum, Mean ---------------------------------------------------------------------------------


def _sum(xp: Any, x: Any, *, axis: Axes = None, keep_dims: bool = False) -> Any:
    """Sums over axes."""
    return reduced(xp, "sum", x, axis, keep_dims)


def _mean(xp: Any, x: Any, *, axis: Axes = None, keep_dims: bool = False) -> Any:
    """Averages over axes; the average of integers is cut to an integer."""
    total = reduced(xp, "sum", x, axis, keep_dims)
    count = x.size // max(total.size, 1)
    if x.dtype.kind not in "iu":
        return total / count if count else total * xp.nan
    whole = total // max(count, 1)
    return whole + ((whole < 0) & (whole * count != total)).astype(x.dtype)


sum_op = _reduction("Sum", _sum, lambda op, dy: [_spread(op, dy)])


@sum_op.bind
def _bind_sum(xp: Any, attrs: dict[str, Any], shapes: Any) -> Callable[[Any], Any]:
    """A kernel with the axes bound, which saves half the time of small sums."""
    axis, keep_dims = attrs["axis"], attrs["keep_dims"]
    return lambda x: reduced(xp, "sum", x, axis, keep_dims)


mean_op = _reduction("Mean", _mean, lambda op, dy: [_spread(op, dy, mean=True)])

# ---- Max, Min ----------------------------------------------------------------------------------


def _extreme(kind: str, doc: str) -> Callable[..., Any]:
    def kernel(xp: Any, x: Any, *, axis: Axes = None, keep_dims: bool = False) -> Any:
        if x.size:
            return reduced(xp, kind, x, axis, keep_dims)
        none = {"max": -np.inf, "min": np.inf}[kind]
        if x.dtype.kind != "f":
            none = getattr(np.iinfo(x.dtype), {"max": "min", "min": "max"}[kind])
        return x.sum(axis=axis, dtype=x.dtype, keepdims=keep_dims) + x.dtype.type(none)

    kernel.__doc__ = doc
    return kernel


def _extreme_grad(op: Any, dy: Tensor) -> list:
    """Divides the gradient equally among the elements that equal the extreme."""
    x, axis = op.inputs[0], op.attrs["axis"]
    chosen = cast(equal(_spread(op, op.outputs[0]), x), dy.dtype)
    count = sum_op(chosen, axis=axis, keep_dims=op.attrs["keep_dims"])
    return [multiply(chosen, _spread(op, realdiv(dy, count)))]


_max = _extreme("max", "Takes the largest element over axes; the lowest number of none.")
_min = _extreme("min", "Takes the smallest element over axes; the highest number of none.")
max_op = _reduction("Max", _max, _extreme_grad, dtypes.REALS)
min_op = _reduction("Min", _min, _extreme_grad, dtypes.REALS)

# ---- Prod --------------------------------------------------------------------------------------


def _prod(xp: Any, x: Any, *, axis: Axes = None, keep_dims: bool = False) -> Any:
    """Multiplies over axes."""
    return x.prod(axis=axis, dtype=x.dtype, keepdims=keep_dims)


def _product_of_others(x: Tensor, axes: tuple[int, ...]) -> Tensor:
    """The product of all other elements over `axes`, for each element; zeros are allowed."""
    if not axes:
        return ones_like(x)
    axis = axes[-1]
    before = cumprod_op(x, axis=axis, exclusive=True)
    after = cumprod_op(x, axis=axis, exclusive=True, reverse=True)
    own = multiply(before, after)
    if len(axes) == 1:
        return own
    return multiply(own, _product_of_others(prod_op(x, axis=(axis,), keep_dims=True), axes[:-1]))


def _prod_grad(op: Any, dy: Tensor) -> list:
    x = op.inputs[0]
    axes = op.attrs["axis"]
    if x.shape.ndims is not None:
        axes = normalize_axes(axes, x.shape.ndims)
    if axes is None:
        others = reshape(_product_of_others(reshape(x, [-1]), (0,)), shape(x))
    else:
        others = _product_of_others(x, axes)
    return [multiply(_spread(op, dy), others)]


prod_op = _reduction("Prod", _prod, _prod_grad)

# ---- All, Any ----------------------------------------------------------------------------------


def _all(xp: Any, x: Any, *, axis: Axes = None, keep_dims: bool = False) -> Any:
    """Tells whether all elements over axes are true."""
    return x.all(axis=axis, keepdims=keep_dims)


def _any(xp: Any, x: Any, *, axis: Axes = None, keep_dims: bool = False) -> Any:
    """Tells whether any element over axes is true."""
    return x.any(axis=axis, keepdims=keep_dims)


all_op = _reduction("All", _all, types=None)
any_op = _reduction("Any", _any, types=None)

# ---- the public functions ----------------------------------------------------------------------


def reduction_axes(x: Any, axis: Any) -> Axes:
    """The attribute `axis`, counted from the front if the rank is known.

    Reserves the name of TensorFlow's constant when `axis` is None.
    """
    rank = x.shape.ndims if isinstance(x, Tensor) else None
    if axis is None:
        for name in ("Rank", "range") if rank is None else ("Const",):
            get_default_graph().unique_name(name)
        return None
    rows = axis if isinstance(axis, (list, tuple, np.ndarray)) else ()
    if any(isinstance(row, (list, tuple, np.ndarray)) for row in rows):
        raise ValueError(f"Shape must be at most rank 1 but is rank {np.ndim(axis)}")
    axes = static_ints(axis, "axis")
    counted = axes if rank is None else tuple(a % rank if -rank <= a < rank else a for a in axes)
    for i, a in enumerate(counted):
        if a in counted[:i]:
            raise ValueError(f"Invalid reduction arguments: Axes contains duplicate dimension: {a}")
    return counted


def _public(op_def: OpDef, function_name: str, sentence: str) -> Callable[..., Tensor]:
    def function(
        input_tensor: TensorLike,
        axis: Any = None,
        keepdims: bool | None = None,
        name: str | None = None,
        reduction_indices: Any = None,
        keep_dims: bool | None = None,
    ) -> Tensor:
        axis = one_of("axis", axis, "reduction_indices", reduction_indices)
        keepdims = one_of("keepdims", keepdims, "keep_dims", keep_dims)
        if run_time_axes.varies(axis):
            keep = bool(keepdims)
            return run_time_axes.reduced(op_def.type, input_tensor, axis, keep, name)
        axes = reduction_axes(input_tensor, axis)
        return op_def(input_tensor, axis=axes, keep_dims=bool(keepdims), name=name)

    doc = f"""{sentence}

    Args:
      input_tensor: the tensor to reduce.
      axis: an axis, or several, counted from the end when negative; all of them when None.
      keepdims: whether the reduced axes stay, with size 1.
      name: the operation's name.
      reduction_indices: the old spelling of `axis`.
      keep_dims: the old spelling of `keepdims`.
    Raises:
      ValueError: when an axis does not exist, or both spellings are given.
    """
    return named(function, function_name, doc)


reduce_sum = _public(sum_op, "reduce_sum", "Sums over axes.")
reduce_mean = _public(mean_op, "reduce_mean", "Averages over axes.")
reduce_prod = _public(prod_op, "reduce_prod", "Multiplies over axes.")
reduce_max = _public(max_op, "reduce_max", "Takes the largest element over axes.")
reduce_min = _public(min_op, "reduce_min", "Takes the smallest element over axes.")
reduce_all = _public(all_op, "reduce_all", "Tells whether all elements over axes are true.")
reduce_any = _public(any_op, "reduce_any", "Tells whether any element over axes is true.")


# ---- ArgMax, ArgMin ----------------------------------------------------------------------------


def _position_shape(input: Any, *, dimension: int, output_type: Any) -> TensorShape:
    rank = input.shape.ndims
    if rank is None:
        return unknown_shape()
    if rank == 0:
        return input.shape
    if not -rank <= dimension < rank:
        raise ValueError(
            f"Dimension ({dimension}) must be in the range [-{rank}, {rank}), where {rank} is the "
            "number of dimensions in the input."
        )
    sizes = input.shape.as_list()
    del sizes[dimension]
    return TensorShape(sizes)


def may_hold_nan(xp: Any, x: Any) -> bool:
    """Whether `x` may hold a NaN: by its sum of squares on the CPU, always True on a GPU.

    NumPy takes a NaN for the extreme, TensorFlow does not. Asking a GPU would mean to wait for it.
    """
    if not on_cpu(xp):
        return True
    flat = x.reshape(-1)
    squares = flat @ flat
    return bool(squares != squares)


def _position(op_type: str, method: str, doc: str) -> OpDef:
    def kernel(
        xp: Any, x: Any, *, dimension: int = 0, output_type: dtypes.DType = dtypes.int64
    ) -> Any:
        if not -x.ndim <= dimension < x.ndim:
            limits = f"[{-x.ndim}, {x.ndim})"
            raise invalid(f"Expected dimension in the range {limits}, but got {dimension}")
        if x.shape[dimension] == 0:
            raise invalid(f"Reduction axis {dimension} is empty in shape {shown(x)}")
        found = getattr(x, method)(axis=dimension)
        if x.dtype.kind == "f" and may_hold_nan(xp, x):
            found = getattr(xp.where(xp.isnan(x), last, x), method)(axis=dimension)
        return found if output_type is dtypes.int64 else found.astype(output_type.numpy_dtype)

    last = -np.inf if method == "argmax" else np.inf
    op_def: OpDef = op(
        op_type,
        "input: T -> output: output_type",
        batch="axis",
        doc=doc,
        T=dtypes.REALS,
        differentiable=False,
        samples=[
            sample((3,)),
            sample((2, 3), dimension=1),
            sample((2, 3), dimension=-2, output_type=dtypes.int32),
        ],
    )(kernel)
    op_def.shape(_position_shape)
    return op_def


arg_max_op = _position(
    "ArgMax", "argmax", "Finds the first position of the largest element on an axis; NaN is none."
)
arg_min_op = _position(
    "ArgMin", "argmin", "Finds the first position of the smallest element on an axis; NaN is none."
)


def _position_function(op_def: OpDef, function_name: str, sentence: str) -> Callable[..., Tensor]:
    def function(
        input: TensorLike,
        axis: Any = None,
        name: str | None = None,
        dimension: Any = None,
        output_type: DTypeLike = dtypes.int64,
    ) -> Tensor:
        axis = one_of("axis", axis, "dimension", dimension)
        output_type = dtypes.as_dtype(output_type or dtypes.int64)
        if run_time_axes.varies(axis):
            return run_time_axes.position(op_def.type, input, axis, output_type, name)
        axis = 0 if axis is None else static_int(axis, "axis")
        return op_def(input, dimension=axis, output_type=output_type, name=name)

    doc = f"""{sentence}

    Args:
      input: the tensor to look through.
      axis: the axis to look along; 0 when None.
      name: the operation's name.
      dimension: the old spelling of `axis`.
      output_type: int64 or int32.
    """
    return named(function, function_name, doc)


argmax = _position_function(
    arg_max_op, "argmax", "Finds the position of the largest element along an axis, the first one."
)
argmin = _position_function(
    arg_min_op, "argmin", "Finds the position of the smallest element along an axis, the first one."
)


def arg_max(
    input: Any, dimension: Any, output_type: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """The oldest spelling of `argmax`."""
    return argmax(input, dimension, name, output_type=output_type)


def arg_min(
    input: Any, dimension: Any, output_type: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """The oldest spelling of `argmin`."""
    return argmin(input, dimension, name, output_type=output_type)


# ---- Cumsum, Cumprod ---------------------------------------------------------------------------


def _running(op_type: str, method: str, start: int, doc: str) -> OpDef:
    def kernel(
        xp: Any, x: Any, *, axis: int = 0, exclusive: bool = False, reverse: bool = False
    ) -> Any:
        if not -np.ndim(x) <= axis < np.ndim(x):
            whole = f"[{-np.ndim(x)}, {np.ndim(x)})"
            told = axis + np.ndim(x) if axis < 0 else axis  # TensorFlow counts first, then looks
            raise invalid(f"ScanOp: Expected scan axis in the range {whole}, but got {told}")
        ahead = xp.flip(x, axis) if reverse else x
        result = getattr(ahead, method)(axis=axis, dtype=x.dtype)
        if exclusive:
            shifted = xp.full_like(result, start)
            into, out_of = [slice(None)] * x.ndim, [slice(None)] * x.ndim
            into[axis], out_of[axis] = slice(1, None), slice(None, -1)
            shifted[tuple(into)] = result[tuple(out_of)]
            result = shifted
        return xp.flip(result, axis) if reverse else result

    op_def: OpDef = op(
        op_type,
        "x: T -> out: T",
        batch="axis",
        doc=doc,
        T=dtypes.NUMBERS,
        samples=[
            lambda rng: (rng.uniform(0.4, 2.0, size=(3,)), {}),
            lambda rng: (rng.uniform(0.4, 2.0, size=(2, 3)), {"axis": 1, "exclusive": True}),
            lambda rng: (rng.uniform(0.4, 2.0, size=(2, 3)), {"axis": -2, "reverse": True}),
            lambda rng: (
                rng.uniform(0.4, 2.0, size=(2, 3)),
                {"axis": 1, "exclusive": True, "reverse": True},
            ),
        ],
    )(kernel)
    op_def.shape(_running_shape)
    return op_def


def _running_shape(x: Any, *, axis: int, exclusive: bool, reverse: bool) -> TensorShape:
    rank = x.shape.ndims
    if rank is not None and not -rank <= axis < rank:
        raise ValueError(
            f"Shape must be at least rank {axis + 1 if axis >= 0 else -axis} but is rank {rank}"
        )
    return x.shape


cumsum_op = _running("Cumsum", "cumsum", 0, "Sums the elements up to each one along an axis.")
cumprod_op = _running("Cumprod", "cumprod", 1, "Multiplies the elements up to each one on an axis.")


@cumsum_op.gradient
def _cumsum_grad(op: Any, dy: Tensor) -> list:
    axis, exclusive, reverse = (op.attrs[a] for a in ("axis", "exclusive", "reverse"))
    return [cumsum_op(dy, axis=axis, exclusive=exclusive, reverse=not reverse)]


@cumprod_op.gradient
def _cumprod_grad(op: Any, dy: Tensor) -> list:
    """Divides by `x`, and gives 0 where that is 0, as TensorFlow does."""
    axis, exclusive, reverse = (op.attrs[a] for a in ("axis", "exclusive", "reverse"))
    weighted = multiply(op.outputs[0], dy)
    back = cumsum_op(weighted, axis=axis, exclusive=exclusive, reverse=not reverse)
    return [call("DivNoNan", back, op.inputs[0])]


def cumsum(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Computes the running sum along an axis.

    Args:
      x: a numeric tensor.
      axis: the axis to run along.
      exclusive: whether each sum leaves out its own element.
      reverse: whether to run from the end.
      name: the operation's name.
    Example:
      >>> sess.run(tf.cumsum([1, 2, 3], exclusive=True))
      array([0, 1, 3], dtype=int32)
    """
    return _run_along(cumsum_op, x, axis, exclusive, reverse, name)


def cumprod(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Computes the running product along an axis; the arguments are those of `cumsum`."""
    return _run_along(cumprod_op, x, axis, exclusive, reverse, name)


def _run_along(
    op_def: OpDef, x: Any, axis: Any, exclusive: bool, reverse: bool, name: str | None
) -> Tensor:
    if run_time_axes.varies(axis):
        attrs = {"axis": -1, "exclusive": exclusive, "reverse": reverse}
        return run_time_axes.mapped(op_def.type, x, axis, name, **attrs)
    with name_scope(name, op_def.type) as scope:
        x = convert_to_tensor(x, name="x")
        along = static_int(axis, "axis")
        return op_def(x, axis=along, exclusive=exclusive, reverse=reverse, name=scope)
