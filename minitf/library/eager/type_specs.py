"""`TensorSpec` and its kin: what is known of a value before it is there.

    spec = tf.SparseTensorSpec([None, 5], tf.float32)
    spec._to_components(sparse)  ──>  [indices, values, dense_shape]  ──>  spec._from_components

A `TensorSpec` describes an argument of a function; the others what consists of several tensors.
"""

from __future__ import annotations

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


def type_spec_from_value(value: Any) -> Any:
    """The spec of a value.

    Raises:
      TypeError: when there is no spec for such a value.
    """
    if isinstance(value, SparseTensorValue):
        return SparseTensorSpec(list(value.dense_shape), dtypes.as_dtype(value.values.dtype))
    if isinstance(value, SparseTensor):
        return SparseTensorSpec(value.shape, value.dtype)
    if hasattr(value, "_as_tensor") and not isinstance(value, RaggedTensor):
        return TensorSpec(value.shape, value.dtype)
    try:
        tensor = convert_to_tensor(value)
    except (TypeError, ValueError):
        tensor = None
    if isinstance(tensor, Tensor) and value is not None:
        return TensorSpec(tensor.shape, tensor.dtype)
    raise TypeError(f"Could not build a TypeSpec for {value} of unsupported type {type(value)}.")
