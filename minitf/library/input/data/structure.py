"""How the elements of a dataset nest, and what is known of their components.

    element             (image, {"label": y, "id": i})      tuples, named tuples and dicts nest
    its spec            (TensorSpec, {"label": TensorSpec, "id": TensorSpec})
    what flows          image, i, y                         flat, by the sorted keys of dicts

A list is no structure: it becomes a tensor. A `SparseTensor` flows as one component, a vector of
three variants, and a dataset inside a dataset as its source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, nest
from minitf.core.graph.composites import SparseTensor, SparseTensorValue
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import Dimension, TensorShape, as_shape, unknown_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.elementwise import invalid
from minitf.library.eager.type_specs import (
    SparseTensorSpec,
    TensorSpec,
    TypeSpec,
)

# ---- nests, by the rules of tf.data ------------------------------------------------------


def is_nested(value: Any) -> bool:
    """Whether a value is a tuple or a dict."""
    return isinstance(value, (tuple, Mapping)) and not isinstance(value, SparseTensorValue)


def flatten(value: Any) -> list[Any]:
    """The leaves of a nest, in order."""
    if not is_nested(value):
        return [value]
    return [leaf for item in nest.children(value) for leaf in flatten(item)]


def pack(like: Any, leaves: list[Any]) -> Any:
    """The leaves in the structure of `like`."""
    return _pack(like, iter(leaves))


def _pack(like: Any, leaves: Iterator[Any]) -> Any:
    if not is_nested(like):
        return next(leaves)
    return nest.like(like, [_pack(item, leaves) for item in nest.children(like)])


def map_nest(function: Callable[..., Any], *nests: Any) -> Any:
    """Applies a function to the leaves that stand at the same place."""
    for other in nests[1:]:
        nest.assert_same_structure(nests[0], other)
    return pack(nests[0], [function(*each) for each in zip(*map(flatten, nests), strict=True)])


def map_up_to(shallow: Any, function: Callable[..., Any], *nests: Any) -> Any:
    """As `map_nest`, but what stands where `shallow` has a leaf is taken whole."""
    if not is_nested(shallow):
        return function(*nests)
    for other in nests:
        if not is_nested(other):
            raise TypeError(
                "If shallow structure is a sequence, input must also be a sequence. Input has "
                f"type: {type(other)!r}."
            )
        if len(other) != len(shallow):
            raise ValueError(
                "The two structures don't have the same sequence length. Input structure has "
                f"length {len(other)}, while shallow structure has length {len(shallow)}."
            )
    rows = zip(*map(nest.children, (shallow, *nests)), strict=True)
    return nest.like(shallow, [map_up_to(own, function, *rest) for own, *rest in rows])


# ---- specs -------------------------------------------------------------------------------


class DatasetSpec(TypeSpec):
    """Describes a dataset: the result of a function, or an argument of that of `group_by_window`.

    Args:
      element_spec: of its elements.
      dataset_shape: of the tensor that holds it: a scalar.
    """

    value_type: Any  # `Dataset`, which stands above it and says so

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self.element_spec = element_spec
        self.shape = as_shape(dataset_shape)

    def _serialize(self) -> tuple:
        return self.element_spec, self.shape


def spec_of(value: Any) -> Any:
    """The spec of one leaf of an element: a tensor, a sparse tensor, a dataset."""
    if isinstance(value, SparseTensor):
        return SparseTensorSpec(value.shape, value.dtype.base_dtype)
    if hasattr(value, "_variant_tensor"):
        return value._type_spec
    return TensorSpec(value.shape, value.dtype.base_dtype)


def as_element(value: Any) -> Any:
    """A nest whose leaves are tensors, sparse ones and datasets.

    Raises:
      TypeError, ValueError: when a leaf cannot become a tensor.
    """
    return pack(value, [_as_leaf(leaf, i) for i, leaf in enumerate(flatten(value))])


def _as_leaf(leaf: Any, index: int) -> Any:
    if isinstance(leaf, SparseTensorValue):
        return SparseTensor.from_value(leaf)
    if isinstance(leaf, SparseTensor) or hasattr(leaf, "_variant_tensor"):
        return leaf
    return convert_to_tensor(leaf, name=f"component_{index}")


def component_of(leaf: Any) -> Tensor:
    """A leaf of an element as it flows: one tensor."""
    if isinstance(leaf, SparseTensor):
        return pack_sparse(leaf)
    return getattr(leaf, "_variant_tensor", leaf)


def components_of(element: Any) -> list[Tensor]:
    """An element as it flows."""
    return [component_of(leaf) for leaf in flatten(element)]


def element_from(spec: Any, tensors: list[Tensor]) -> Any:
    """The element that flowed as `tensors`."""
    leaves = []
    for each, tensor in zip(flatten(spec), tensors, strict=True):
        if isinstance(each, SparseTensorSpec):
            leaves.append(unpack_sparse(tensor, each.dtype, each.shape))
        elif isinstance(each, DatasetSpec):
            leaves.append(each.value_type(tensor, each.element_spec))
        else:
            tensor.set_shape(each.shape)
            leaves.append(tensor)
    return pack(spec, leaves)


def types_and_shapes(spec: Any) -> dict[str, tuple]:
    """The attributes `output_types` and `output_shapes` of an operation with such elements."""
    flat = [_flows_as(each) for each in flatten(spec)]
    return {
        "output_types": tuple(dtype for dtype, _ in flat),
        "output_shapes": tuple(shape for _, shape in flat),
    }


def _flows_as(spec: Any) -> tuple[dtypes.DType, TensorShape]:
    if isinstance(spec, SparseTensorSpec):
        rank = spec.shape.ndims  # of batches of sparse tensors too
        return dtypes.variant, unknown_shape() if rank is None else TensorShape(None)
    if isinstance(spec, DatasetSpec):
        return dtypes.variant, spec.shape
    return spec.dtype, spec.shape


def legacy_types(spec: Any) -> Any:
    """What `output_types` shows."""
    return map_nest(
        lambda s: legacy_types(s.element_spec) if isinstance(s, DatasetSpec) else s.dtype, spec
    )


def legacy_shapes(spec: Any) -> Any:
    """What `output_shapes` shows."""
    return map_nest(
        lambda s: legacy_shapes(s.element_spec) if isinstance(s, DatasetSpec) else s.shape, spec
    )


def legacy_classes(spec: Any) -> Any:
    """What `output_classes` shows."""
    return map_nest(lambda s: s.value_type, spec)


def spec_from_legacy(types: Any, shapes: Any = None, classes: Any = None) -> Any:
    """The spec of elements told by types, shapes (None: unknown) and classes (None: tensors)."""
    types = map_nest(dtypes.as_dtype, types)
    if shapes is None:
        shapes = map_nest(lambda _: unknown_shape(), types)
    else:
        shapes = map_up_to(types, as_shape, shapes)
    if classes is None:
        classes = map_nest(lambda _: Tensor, types)

    def spec(dtype: Any, shape: Any, kind: Any) -> Any:
        return SparseTensorSpec(shape, dtype) if kind is SparseTensor else TensorSpec(shape, dtype)

    return map_nest(spec, types, shapes, classes)


class Elemental:
    """What has elements of one kind, a dataset or an iterator: it tells what is known of them."""

    _element_spec: Any

    @property
    def element_spec(self) -> Any:
        """What is known of the elements: a nest of `TensorSpec`s and the like."""
        return self._element_spec

    @property
    def output_types(self) -> Any:
        """The dtypes of the components, nested as the elements are."""
        return legacy_types(self._element_spec)

    @property
    def output_shapes(self) -> Any:
        """The shapes of the components, nested as the elements are."""
        return legacy_shapes(self._element_spec)

    @property
    def output_classes(self) -> Any:
        """The classes of the components, nested as the elements are."""
        return legacy_classes(self._element_spec)


# ---- shapes of specs ---------------------------------------------------------------------


def with_shape(spec: Any, change: Callable[[TensorShape], TensorShape]) -> Any:
    """The spec of a leaf with another shape."""
    if isinstance(spec, DatasetSpec):
        return type(spec)(spec.element_spec, change(spec.shape))
    return type(spec)(change(spec.shape), spec.dtype)


def batched(spec: Any, size: int | None) -> Any:
    """The spec of batches."""
    first = TensorShape([size])
    return map_nest(lambda leaf: with_shape(leaf, first.concatenate), spec)


def unbatched(spec: Any) -> Any:
    """The spec of the rows of elements."""
    return map_nest(lambda leaf: with_shape(leaf, lambda s: s if s.ndims is None else s[1:]), spec)


def common_rows(spec: Any) -> Dimension:
    """The number of rows of all components.

    Raises:
      ValueError: when one is a scalar, or they have unequal numbers of rows.
    """
    rows = Dimension(None)
    for leaf in flatten(spec):
        if leaf.shape.ndims == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        if leaf.shape.ndims is not None:
            rows = rows.merge_with(leaf.shape[0])
    return rows


def common_spec(one: Any, other: Any) -> Any:
    """The spec of elements that come from either of two datasets."""
    return map_nest(
        lambda a, b: with_shape(a, lambda s: s.most_specific_compatible_shape(b.shape)), one, other
    )


# ---- sparse tensors as components --------------------------------------------------------

_variant_op = partial(
    op,
    differentiable=False,
    host_only=True,
    no_samples="variants are no arrays; tests/conformance/cases/data.py runs it",
)

_PARTS = "sparse_indices: int64, sparse_values: T, sparse_shape: int64"


@_variant_op("SerializeSparse", f"{_PARTS} -> serialized_sparse: out_type")
def serialize_sparse_op(
    xp: Any,
    sparse_indices: Any,
    sparse_values: Any,
    sparse_shape: Any,
    *,
    out_type: Any = dtypes.variant,
) -> np.ndarray:
    """Puts the three parts of a sparse tensor into a vector of variants."""
    return _row(sparse_indices.copy(), sparse_values.copy(), np.array(sparse_shape))


def _row(indices: Any, values: Any, shape: Any) -> np.ndarray:
    row = np.empty(3, object)
    row[0], row[1], row[2] = indices, values, shape
    return row


@_variant_op("SerializeManySparse", f"{_PARTS} -> serialized_sparse: out_type")
def serialize_many_sparse_op(
    xp: Any,
    sparse_indices: Any,
    sparse_values: Any,
    sparse_shape: Any,
    *,
    out_type: Any = dtypes.variant,
) -> np.ndarray:
    """Puts each row of a sparse tensor into a vector of variants."""
    if len(sparse_shape) < 2:
        raise invalid("Rank of input SparseTensor should be > 1, but saw rank: 1")
    return _rows(sparse_indices, sparse_values, sparse_shape)


def _rows(indices: Any, values: Any, shape: Any) -> np.ndarray:
    rows = np.empty((int(shape[0]), 3), object)
    ends = np.searchsorted(indices[:, 0], np.arange(len(rows) + 1))
    for i, (start, end) in enumerate(zip(ends, ends[1:])):
        rows[i] = _row(indices[start:end, 1:].copy(), values[start:end], shape[1:].copy())
    return rows


serialize_sparse_op.shape(lambda *inputs, **attrs: TensorShape([3]))
serialize_many_sparse_op.shape(
    lambda indices, values, shape, **attrs: TensorShape(
        [None if shape.value is None else int(shape.value[0]), 3]
    )
)


@_variant_op(
    "DeserializeSparse",
    "serialized_sparse: Tserialized -> indices: int64, values: dtype, shape: int64",
    alias=True,
)
def deserialize_sparse_op(xp: Any, serialized_sparse: Any, *, dtype: Any) -> Any:
    """Takes the parts out again; of a batch, with the number in the batch as first index."""
    if serialized_sparse.ndim == 1:
        return tuple(serialized_sparse)
    places = serialized_sparse.shape[:-1]
    rows = serialized_sparse.reshape(-1, 3)
    sizes = [row[2] for row in rows]
    if any(len(size) != len(sizes[0]) for size in sizes):
        raise invalid("Inconsistent shape across SparseTensors: their ranks differ")
    indices = [
        np.concatenate([np.tile(np.array(place, np.int64), (len(row[0]), 1)), row[0]], axis=1)
        for place, row in zip(np.ndindex(*places), rows)
    ]
    dense = np.max(sizes, axis=0) if sizes else np.zeros(0, np.int64)
    if not len(rows):
        return np.empty((0, 2), np.int64), np.empty(0, dtype.numpy_dtype), np.array([0, 0])
    return (
        np.concatenate(indices),
        np.concatenate([row[1] for row in rows]),
        np.array([*places, *dense], np.int64),
    )


@deserialize_sparse_op.shape
def _deserialize_shape(serialized_sparse: Any, *, dtype: Any) -> list[Any]:
    return [unknown_shape(2), unknown_shape(1), unknown_shape(1)]


def rows_of(component: Any) -> Any:
    """A component as a sequence of its rows: a sparse tensor is a vector of three parts."""
    whole = isinstance(component, np.ndarray) and component.dtype == object
    if whole and component.shape == (3,) and isinstance(component[0], np.ndarray):
        return _rows(*component)
    return component


def pack_sparse(value: SparseTensor) -> Tensor:
    """A sparse tensor as one component."""
    parts = value.indices, value.values, value.dense_shape
    return serialize_sparse_op(*parts, out_type=dtypes.variant)


def pack_rows(value: SparseTensor) -> Tensor:
    """The rows of a sparse tensor as components, along a first axis."""
    parts = value.indices, value.values, value.dense_shape
    return serialize_many_sparse_op(*parts, out_type=dtypes.variant)


def unpack_sparse(component: Tensor, dtype: Any, shape: TensorShape) -> SparseTensor:
    """The sparse tensor, or batch of them, that a component holds."""
    indices, values, dense_shape = deserialize_sparse_op(component, dtype=dtype)
    rank = shape.ndims
    if rank is not None:
        indices.set_shape([None, rank])
        dense_shape.set_shape([rank])
    sparse = SparseTensor(indices, values, dense_shape)
    sparse._known_shape = shape
    return sparse
