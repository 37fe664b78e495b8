"""Casts from one dtype to another."""

from __future__ import annotations

from typing import Any

from minitf.core.graph import dtypes, logging
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import op, unchanged_shape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import DTypeLike, Tensor, TensorLike
from minitf.core.ops.elementwise import sample
from minitf.core.ops.examples import named

_CASTABLE = (*dtypes.NUMBERS, dtypes.bool)


@op(
    "Cast",
    "x: SrcT -> y: DstT",
    batch="each",
    cannot_fail=True,
    SrcT=_CASTABLE,
    arithmetic="{0} * 1",  # of truth values
    samples=[
        sample((2, 3), DstT=dtypes.float64),
        sample((2, 3), DstT=dtypes.int32),
        sample((), DstT=dtypes.bool),
    ],
)
def cast_op(xp: Any, x: Any, *, DstT: dtypes.DType) -> Any:
    """Converts the elements to another dtype; floats to integers by cutting off the fraction."""
    if x.dtype.kind == "c" and not DstT.is_complex:
        x = x.real
    return x.astype(DstT.numpy_dtype)


cast_op.shape(unchanged_shape)


@cast_op.gradient
def _cast_grad(op: Any, dy: Tensor) -> list:
    continuous = (*dtypes.FLOATS, *dtypes.COMPLEX)
    source, result = op.inputs[0].dtype.base_dtype, dy.dtype.base_dtype
    return [cast(dy, source) if source in continuous and result in continuous else None]


def cast(x: TensorLike, dtype: DTypeLike, name: str | None = None) -> Any:
    """Converts a tensor to another dtype.

    Args:
      x: a numeric or Boolean tensor; or an `IndexedSlices`, `SparseTensor` or `RaggedTensor`.
      dtype: the dtype to convert to; a tensor that has it already is returned as it is.
      name: the operation's name.
    Raises:
      TypeError: when there is no such conversion.
    Example:
      >>> sess.run(tf.cast([1.8, -2.2], tf.int32))
      array([ 1, -2], dtype=int32)
    """
    base = dtypes.as_dtype(dtype).base_dtype
    if isinstance(x, Tensor) and x.dtype == base:
        return x
    with name_scope(name, "Cast") as scope:
        if hasattr(x, "with_flat_values"):  # a RaggedTensor
            return x.with_flat_values(cast(x.flat_values, base, scope))
        if hasattr(x, "values") and hasattr(x, "dense_shape"):
            return _with_values(x, cast(x.values, base, scope))
        x = convert_to_tensor(x, name="x")
        if x.dtype.is_complex and base.is_floating:
            logging.warning("Casting complex to real discards imaginary part.")
        return x if x.dtype.base_dtype == base else cast_op(x, DstT=base, name=scope)


def _with_values(x: Any, values: Tensor) -> Any:
    """A copy of an `IndexedSlices` or a `SparseTensor` with other values."""
    if hasattr(x, "eval"):  # a SparseTensor: (indices, values, dense_shape)
        return type(x)(x.indices, values, x.dense_shape)
    return type(x)(values, x.indices, x.dense_shape)


def _to(dtype: dtypes.DType, function: str, default_name: str) -> Any:
    def to(x: Any, name: str = default_name) -> Any:
        return cast(x, dtype, name=name)

    return named(to, function, f"Casts to {dtype.name}; `tf.cast` is the newer spelling.")


to_float = _to(dtypes.float32, "to_float", "ToFloat")
to_int32 = _to(dtypes.int32, "to_int32", "ToInt32")
to_int64 = _to(dtypes.int64, "to_int64", "ToInt64")
