"""How the elements of a dataset nest, and what is known of their components.

    element             (image, {"label": y, "id": i})      tuples, named tuples and dicts nest
    its spec            (TensorSpec, {"label": TensorSpec, "id": TensorSpec})
    what flows          image, i, y                         flat, by the sorted keys of dicts

A list is no structure: it becomes a tensor. A `SparseTensor` flows as one component, a vector of
three variants (see sparse.py), a dataset inside a dataset as its source, a
`TensorArray` as its list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from minitf.core.graph import dtypes, nest
from minitf.core.graph.composites import SparseTensor, SparseTensorValue
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.shapes import Dimension, TensorShape, as_shape, unknown_shape
from minitf.core.graph.tensor import Tensor
from minitf.library.eager.type_specs import (
    SparseTensorSpec,
    TensorArraySpec,
    TensorSpec,
    TypeSpec,
)
from minitf.library.graph_tools.tensor_array import TensorArray
from minitf.library.input.data.sparse import pack_sparse, unpack_sparse

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
    """Describes a dataset that is a component of an element, as `window` gives them.

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
    if isinstance(value, TensorArray):
        return TensorArraySpec.from_value(value)
    if hasattr(value, "_variant_tensor"):
        return value._type_spec
    return TensorSpec(value.shape, value.dtype.base_dtype)


def as_element(value: Any) -> Any:
    """A nest whose leaves are tensors, sparse ones, datasets and `TensorArray`s.

    Raises:
      TypeError, ValueError: when a leaf cannot become a tensor.
    """
    return pack(value, [_as_leaf(leaf, i) for i, leaf in enumerate(flatten(value))])


def _as_leaf(leaf: Any, index: int) -> Any:
    if isinstance(leaf, SparseTensorValue):
        return SparseTensor.from_value(leaf)
    if isinstance(leaf, SparseTensor | TensorArray) or hasattr(leaf, "_variant_tensor"):
        return leaf
    return convert_to_tensor(leaf, name=f"component_{index}")


def component_of(leaf: Any) -> Tensor:
    """A leaf of an element as it flows: one tensor."""
    if isinstance(leaf, SparseTensor):
        return pack_sparse(leaf)
    if isinstance(leaf, TensorArray):
        return leaf.flow
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
        elif isinstance(each, TensorArraySpec):
            leaves.append(each._from_components([tensor]))
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
    if isinstance(spec, TensorArraySpec):
        return dtypes.variant, TensorShape(())
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
        if kind is TensorArray:  # see `TensorArraySpec.shape`
            return TensorArraySpec(shape[2:], dtype, bool(shape[0]), bool(shape[1]))
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
    """The spec of a leaf with another shape.

    Raises:
      TypeError: of a `TensorArray`, which has neither rows nor batches.
    """
    if isinstance(spec, TensorArraySpec):
        raise TypeError(f"A TensorArray cannot be batched or cut into rows: {spec}.")
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

    def common(a: Any, b: Any) -> Any:
        if isinstance(a, TensorArraySpec):
            return a.most_specific_compatible_type(b)
        return with_shape(a, lambda shape: shape.most_specific_compatible_shape(b.shape))

    return map_nest(common, one, other)
