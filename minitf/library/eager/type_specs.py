"""`TensorSpec` and its kin: what is known of a value before it is there.

    spec = tf.SparseTensorSpec([None, 5], tf.float32)
    spec._to_components(sparse)  ──>  [indices, values, dense_shape]  ──>  spec._from_components

A `TensorSpec` describes an argument of a function; the others what consists of several tensors.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.composites import SparseTensor, SparseTensorValue
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.tensor import Tensor
from minitf.library.sparse.ragged import RaggedTensor


class TypeSpec:
    """Base of the specs: compares what `_serialize` gives."""

    value_type: type  # the class of the values that it describes

    def _serialize(self) -> tuple:
        raise NotImplementedError(f"{type(self).__name__}._serialize")

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a value, or what another spec describes, may stand here."""
        other = spec_or_value
        if not isinstance(other, TypeSpec):
            other = type_spec_from_value(other)
        return type(other) is type(self) and all(
            one.is_compatible_with(two) if isinstance(one, TensorShape) else one == two
            for one, two in zip(self._serialize(), other._serialize(), strict=True)
        )

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._serialize()!r}"

    def __reduce__(self) -> tuple:
        return type(self), self._serialize()


class TensorSpec(TypeSpec):
    """Describes a tensor.

    Args:
      shape: what is known of the shape; None: nothing.
      dtype: the type of the elements.
      name: a name for it, or None.

    Example:
      >>> tf.TensorSpec([None, 2], tf.float32)
      TensorSpec(shape=(?, 2), dtype=tf.float32, name=None)
    """

    value_type = Tensor

    def __init__(self, shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> None:
        self.shape, self.dtype, self.name = as_shape(shape), dtypes.as_dtype(dtype), name

    def _serialize(self) -> tuple:
        return self.shape, self.dtype, self.name

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a tensor, or what another spec describes, may stand here."""
        dtype, shape = dtypes.as_dtype(spec_or_value.dtype), spec_or_value.shape
        fits = self.dtype.is_compatible_with(dtype.base_dtype)
        return fits and self.shape.is_compatible_with(shape)

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r})"


class SparseTensorSpec(TypeSpec):
    """Describes a `SparseTensor`.

    Args:
      shape: what is known of the dense shape.
      dtype: the type of the values.
    """

    value_type = SparseTensor

    def __init__(self, shape: Any = None, dtype: Any = dtypes.float32) -> None:
        self.shape, self.dtype = as_shape(shape), dtypes.as_dtype(dtype)

    def _serialize(self) -> tuple:
        return self.shape, self.dtype

    @property
    def _component_specs(self) -> list[TensorSpec]:
        rank = self.shape.ndims
        return [
            TensorSpec([None, rank], dtypes.int64),
            TensorSpec([None], self.dtype),
            TensorSpec([rank], dtypes.int64),
        ]

    def _to_components(self, value: Any) -> list[Any]:
        if isinstance(value, SparseTensorValue):
            value = SparseTensor.from_value(value)
        return [value.indices, value.values, value.dense_shape]

    def _from_components(self, tensor_list: Any) -> Any:
        return SparseTensor(*tensor_list)


class RaggedTensorSpec(TypeSpec):
    """Describes a `RaggedTensor`.

    Args:
      shape: what is known of the shape; None for the ragged axes.
      dtype: the type of the elements.
      ragged_rank: how many axes are ragged; all but the first by default.
      row_splits_dtype: int64 or int32.
    """

    value_type = RaggedTensor

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        ragged_rank: int | None = None,
        row_splits_dtype: Any = dtypes.int64,
    ) -> None:
        self.shape, self.dtype = as_shape(shape), dtypes.as_dtype(dtype)
        self.row_splits_dtype = dtypes.as_dtype(row_splits_dtype)
        rank = self.shape.ndims
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        if rank is not None and ragged_rank >= rank:
            raise ValueError("ragged_rank must be less than rank.")
        self.ragged_rank = ragged_rank

    def _serialize(self) -> tuple:
        return self.shape, self.dtype, self.ragged_rank, self.row_splits_dtype

    @property
    def _component_specs(self) -> list[TensorSpec]:
        inner = self.shape[self.ragged_rank + 1 :] if self.shape.ndims is not None else None
        flat = None if inner is None else TensorShape([None]).concatenate(inner)
        splits = [TensorSpec([None], self.row_splits_dtype)] * self.ragged_rank
        return [TensorSpec(flat, self.dtype), *splits]

    def _to_components(self, value: Any) -> list[Any]:
        return [value.flat_values, *value.nested_row_splits]

    def _from_components(self, tensor_list: Any) -> Any:
        flat, *splits = tensor_list
        return reduce(RaggedTensor, reversed(splits), flat)


def type_spec_from_value(value: Any) -> Any:
    """The spec of a value.

    Raises:
      TypeError: when there is no spec for such a value.
    """
    if isinstance(value, SparseTensorValue):
        return SparseTensorSpec(list(value.dense_shape), dtypes.as_dtype(value.values.dtype))
    if isinstance(value, SparseTensor):
        return SparseTensorSpec(value.shape, value.dtype)
    if isinstance(value, RaggedTensor):
        splits = value.row_splits.dtype.base_dtype
        return RaggedTensorSpec(value.shape, value.dtype.base_dtype, value.ragged_rank, splits)
    if isinstance(value, Tensor) or hasattr(value, "_as_tensor"):
        return TensorSpec(value.shape, value.dtype)
    try:
        tensor = convert_to_tensor(value)
    except (TypeError, ValueError):
        tensor = None
    if isinstance(tensor, Tensor) and value is not None:
        return TensorSpec(tensor.shape, tensor.dtype)
    raise TypeError(f"Could not build a TypeSpec for {value} of unsupported type {type(value)}.")
