"""`TensorSpec` and its kin: what is known of a value before it is there.

    spec = tf.SparseTensorSpec([None, 5], tf.float32)
    spec._to_components(sparse)  ──>  [indices, values, dense_shape]  ──>  spec._from_components

A `TensorSpec` describes an argument of a function; the others what consists of several tensors.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.composites import IndexedSlices, SparseTensor, SparseTensorValue
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.shapes import TensorShape, as_shape, broadcast_static_shape
from minitf.core.graph.tensor import Tensor
from minitf.library.graph_tools.tensor_array import TensorArray
from minitf.library.sparse.ragged import RaggedTensor, RaggedTensorValue


class TypeSpec:
    """Base of the specs: compares and merges what `_serialize` gives."""

    def _serialize(self) -> tuple:
        raise NotImplementedError(f"{type(self).__name__}._serialize")

    @property
    def value_type(self) -> type:
        """The class of the values that it describes."""
        raise NotImplementedError(f"{type(self).__name__}.value_type")

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a value, or what another spec describes, may stand here."""
        other = spec_or_value
        if not isinstance(other, TypeSpec):
            other = type_spec_from_value(other)
        return type(other) is type(self) and all(
            one.is_compatible_with(two) if isinstance(one, TensorShape) else one == two
            for one, two in zip(self._serialize(), other._serialize(), strict=True)
        )

    def most_specific_compatible_type(self, other: TypeSpec) -> TypeSpec:
        """The narrowest spec that describes what either describes.

        Raises:
          ValueError: when there is none.
        """
        same = type(other) is type(self)
        pairs = list(zip(self._serialize(), other._serialize(), strict=True)) if same else []
        if not same or any(not isinstance(a, TensorShape) and a != b for a, b in pairs):
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return type(self)(*(_common(a, b) for a, b in pairs))

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
        self._shape, self._dtype, self._name = as_shape(shape), dtypes.as_dtype(dtype), name

    @classmethod
    def from_spec(cls, spec: TensorSpec, name: str | None = None) -> TensorSpec:
        """A copy of `spec`, perhaps under another name."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """Describes a tensor that is there."""
        own = getattr(getattr(tensor, "op", None), "name", None) if name is None else name
        return cls(tensor.shape, tensor.dtype, own)

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape."""
        return self._shape

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the elements."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name, or None."""
        return self._name

    def _serialize(self) -> tuple:
        return self._shape, self._dtype, self._name

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a tensor, or what another spec describes, may stand here."""
        dtype, shape = dtypes.as_dtype(spec_or_value.dtype), spec_or_value.shape
        return self._dtype.is_compatible_with(dtype.base_dtype) and self._shape.is_compatible_with(
            shape
        )

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"


class BoundedTensorSpec(TensorSpec):
    """Describes a tensor whose elements lie between bounds, which they may reach.

    Args:
      shape: what is known of the shape; None: nothing.
      dtype: the type of the elements.
      minimum, maximum: numbers or arrays that can be broadcast to the shape.
      name: a name for it, or None.
    Raises:
      ValueError: when a bound is None or does not fit the shape.
    """

    def __init__(
        self, shape: Any, dtype: Any, minimum: Any, maximum: Any, name: str | None = None
    ) -> None:
        super().__init__(shape, dtype, name)
        self.minimum = self._bound("minimum", minimum)
        self.maximum = self._bound("maximum", maximum)

    def _bound(self, what: str, value: Any) -> np.ndarray:
        if value is None:
            raise ValueError(f"`{what}` can not be None.")
        try:
            broadcast_static_shape(TensorShape(np.shape(value)), self.shape)
        except ValueError as error:
            raise ValueError(
                f"`{what}` {value} is not compatible with shape {self.shape}."
            ) from error
        bound = np.array(value, self.dtype.as_numpy_dtype)
        bound.setflags(write=False)
        return bound

    @classmethod
    def from_spec(cls, spec: TensorSpec, name: str | None = None) -> BoundedTensorSpec:
        """A copy of `spec`; one without bounds gets those of its dtype."""
        low = getattr(spec, "minimum", spec.dtype.min)
        high = getattr(spec, "maximum", spec.dtype.max)
        return cls(spec.shape, spec.dtype, low, high, name or spec.name)

    def _serialize(self) -> tuple:
        return self._shape, self._dtype, self.minimum, self.maximum, self._name

    def __repr__(self) -> str:
        bounds = f"minimum={self.minimum!r}, maximum={self.maximum!r}"
        return f"Bounded{super().__repr__()[:-1]}, {bounds})"


def _common(one: Any, two: Any) -> Any:
    """What two parts have in common: all of it, but for shapes the sizes that are the same."""
    if not isinstance(one, TensorShape):
        return one
    if one.ndims is None or one.ndims != two.ndims:
        return TensorShape(None)
    pairs = zip(one.as_list(), two.as_list(), strict=True)
    return TensorShape([a if a == b else None for a, b in pairs])


class SparseTensorSpec(TypeSpec):
    """Describes a `SparseTensor`.

    Args:
      shape: what is known of the dense shape.
      dtype: the type of the values.
    """

    value_type = SparseTensor

    def __init__(self, shape: Any = None, dtype: Any = dtypes.float32) -> None:
        self._shape, self._dtype = as_shape(shape), dtypes.as_dtype(dtype)

    shape = property(lambda self: self._shape, doc="What is known of the dense shape.")
    dtype = property(lambda self: self._dtype, doc="The type of the values.")

    def _serialize(self) -> tuple:
        return self._shape, self._dtype

    @property
    def _component_specs(self) -> list[TensorSpec]:
        rank = self._shape.ndims
        return [
            TensorSpec([None, rank], dtypes.int64),
            TensorSpec([None], self._dtype),
            TensorSpec([rank], dtypes.int64),
        ]

    def _to_components(self, value: Any) -> list[Any]:
        if isinstance(value, SparseTensorValue):
            value = SparseTensor.from_value(value)
        return [value.indices, value.values, value.dense_shape]

    def _from_components(self, tensor_list: Any) -> Any:
        if all(not isinstance(each, Tensor) for each in tensor_list):
            return SparseTensorValue(*tensor_list)
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
        self._shape, self.dtype = as_shape(shape), dtypes.as_dtype(dtype)
        self.row_splits_dtype = dtypes.as_dtype(row_splits_dtype)
        rank = self._shape.ndims
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        if rank is not None and ragged_rank >= rank:
            raise ValueError("ragged_rank must be less than rank.")
        self.ragged_rank = ragged_rank

    shape = property(lambda self: self._shape, doc="What is known of the shape.")

    @property
    def stacked_rank(self) -> int:
        """The ragged rank of several such values, one after the other."""
        return self.ragged_rank + 1

    def _serialize(self) -> tuple:
        return self._shape, self.dtype, self.ragged_rank, self.row_splits_dtype

    @property
    def _component_specs(self) -> list[TensorSpec]:
        inner = self._shape[self.ragged_rank + 1 :] if self._shape.ndims is not None else None
        flat = None if inner is None else TensorShape([None]).concatenate(inner)
        splits = [TensorSpec([None], self.row_splits_dtype)] * self.ragged_rank
        return [TensorSpec(flat, self.dtype), *splits]

    def _to_components(self, value: Any) -> list[Any]:
        return [value.flat_values, *value.nested_row_splits]

    def _from_components(self, tensor_list: Any) -> Any:
        flat, *splits = tensor_list
        ragged = RaggedTensor if isinstance(flat, Tensor) else RaggedTensorValue
        return reduce(ragged, reversed(splits), flat)


class IndexedSlicesSpec(TypeSpec):
    """Describes an `IndexedSlices`.

    Args:
      shape: what is known of the shape of the whole.
      dtype: the type of the rows.
      indices_dtype: the type of the indices.
      dense_shape_dtype: the type of the shape, None when there is none.
      indices_shape: [n], what is known of the number of rows.
    """

    value_type = IndexedSlices

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        indices_dtype: Any = dtypes.int64,
        dense_shape_dtype: Any = None,
        indices_shape: Any = None,
    ) -> None:
        self._shape, self._values_dtype = as_shape(shape), dtypes.as_dtype(dtype)
        self._indices_dtype = dtypes.as_dtype(indices_dtype)
        given = dense_shape_dtype
        self._dense_shape_dtype = None if given is None else dtypes.as_dtype(given)
        self._indices_shape = as_shape(indices_shape).with_rank(1)

    def _serialize(self) -> tuple:
        kinds = (self._values_dtype, self._indices_dtype, self._dense_shape_dtype)
        return self._shape, *kinds, self._indices_shape

    @property
    def _component_specs(self) -> tuple[TensorSpec, ...]:
        rows = self._indices_shape.concatenate(self._shape[1:])
        specs = [
            TensorSpec(rows, self._values_dtype),
            TensorSpec(self._indices_shape, self._indices_dtype),
        ]
        if self._dense_shape_dtype is not None:
            specs.append(TensorSpec([self._shape.ndims], self._dense_shape_dtype))
        return tuple(specs)

    def _to_components(self, value: Any) -> tuple:
        if value.dense_shape is None:
            return value.values, value.indices
        return value.values, value.indices, value.dense_shape

    def _from_components(self, tensor_list: Any) -> IndexedSlices:
        return IndexedSlices(*tensor_list)


class TensorArraySpec(TypeSpec):
    """Describes a `TensorArray`.

    Args:
      element_shape: what is known of the shape of each element.
      dtype: the type of the elements.
      dynamic_size: whether a write beyond the end makes it longer.
      infer_shape: whether all elements must have one static shape.
    """

    value_type = TensorArray
    _component_specs = (TensorSpec([], dtypes.variant),)

    def __init__(
        self,
        element_shape: Any = None,
        dtype: Any = dtypes.float32,
        dynamic_size: bool = False,
        infer_shape: bool = True,
    ) -> None:
        self._element_shape, self.dtype = as_shape(element_shape), dtypes.as_dtype(dtype)
        self._dynamic_size, self._infer_shape = dynamic_size, infer_shape

    @classmethod
    def from_value(cls, value: TensorArray) -> TensorArraySpec:
        """Describes a `TensorArray` that is there."""
        return cls(value.element_shape, value.dtype, value.dynamic_size, value._infer_shape)

    @property
    def shape(self) -> TensorShape:
        """What `output_shapes` shows: the two settings as sizes in front of the elements' shape."""
        settings = TensorShape([int(self._dynamic_size), int(self._infer_shape)])
        return settings.concatenate(self._element_shape)

    def _serialize(self) -> tuple:
        return self._element_shape, self.dtype, self._dynamic_size, self._infer_shape

    def _to_components(self, value: TensorArray) -> list[Tensor]:
        return [value.flow]

    def _from_components(self, tensor_list: Any) -> TensorArray:
        return TensorArray(
            self.dtype,
            flow=tensor_list[0],
            dynamic_size=self._dynamic_size,
            infer_shape=self._infer_shape,
            element_shape=self._element_shape,
        )


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
    if isinstance(value, TensorArray):
        return TensorArraySpec.from_value(value)
    if isinstance(value, IndexedSlices):
        shape = None if value.dense_shape is None else value.dense_shape.dtype
        return IndexedSlicesSpec(
            value.shape, value.dtype, value.indices.dtype, shape, value.indices.shape
        )
    if isinstance(value, Tensor) or hasattr(value, "_as_tensor"):
        return TensorSpec(value.shape, value.dtype)
    try:
        tensor = convert_to_tensor(value)
    except (TypeError, ValueError):
        tensor = None
    if isinstance(tensor, Tensor) and value is not None:
        return TensorSpec(tensor.shape, tensor.dtype)
    raise TypeError(f"Could not build a TypeSpec for {value} of unsupported type {type(value)}.")
