"""What the modules below `tensorflow.python.data` offer beside the classes of datasets."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.shapes import TensorShape, as_shape, unknown_shape
from minitf.core.graph.sparse_tensor import SparseTensor
from minitf.core.graph.tensor import Tensor
from minitf.library.eager.type_specs import type_spec_from_value as _spec_of_tensor
from minitf.library.input.data import structure
from minitf.library.input.data.arguments import seeds_of as get_seed
from minitf.library.input.data.dataset import Dataset
from minitf.library.input.data.dataset import get_output_classes as get_legacy_output_classes
from minitf.library.input.data.dataset import get_output_shapes as get_legacy_output_shapes
from minitf.library.input.data.dataset import get_output_types as get_legacy_output_types
from minitf.library.input.data.experimental import get_structure
from minitf.library.input.data.iterators import Iterator
from minitf.library.input.data.structure import as_element as normalize_tensors
from minitf.library.input.data.structure import components_of, element_from
from minitf.library.input.data.structure import spec_from_legacy as convert_legacy_structure

__all__ = [
    "DatasetV1", "DatasetV1Adapter", "DatasetV2", "IteratorBase", "any_sparse", "are_compatible",
    "as_dense_shapes", "as_dense_types", "convert_legacy_structure", "from_tensor_list",
    "get_classes", "get_flat_tensor_shapes", "get_flat_tensor_types", "get_legacy_output_classes",
    "get_legacy_output_shapes", "get_legacy_output_types", "get_seed", "get_structure",
    "normalize_tensors", "optional_param_to_tensor", "partial_shape_to_tensor", "to_tensor_list",
    "type_spec_from_value",
]  # fmt: skip

DatasetV1 = DatasetV1Adapter = DatasetV2 = Dataset
IteratorBase = Iterator


# ---- tensorflow.python.data.util.structure ----------------------------------------------------


def type_spec_from_value(element: Any) -> Any:
    """The spec of an element: a nest of tuples and dicts of tensors."""
    leaves = structure.flatten(element)
    datasets = [hasattr(leaf, "_variant_tensor") for leaf in leaves]
    specs = [
        structure.spec_of(leaf) if dataset else _spec_of_tensor(leaf)
        for leaf, dataset in zip(leaves, datasets, strict=True)
    ]
    return structure.pack(element, specs)


def are_compatible(spec1: Any, spec2: Any) -> bool:
    """Whether elements of two specs nest alike, with types and shapes that fit."""
    try:
        fits = structure.map_nest(lambda one, two: one.is_compatible_with(two), spec1, spec2)
    except (TypeError, ValueError):
        return False
    return all(structure.flatten(fits))


def get_flat_tensor_types(element_spec: Any) -> list[dtypes.DType]:
    """The dtypes of what flows."""
    return list(structure.types_and_shapes(element_spec)["output_types"])


def get_flat_tensor_shapes(element_spec: Any) -> list[TensorShape]:
    """The shapes of what flows."""
    return list(structure.types_and_shapes(element_spec)["output_shapes"])


def to_tensor_list(element_spec: Any, element: Any) -> list[Tensor]:
    """An element as it flows.

    Raises:
      ValueError: when it is not as the spec says.
    """
    element = normalize_tensors(element)
    if not are_compatible(element_spec, type_spec_from_value(element)):
        raise ValueError(f"{element!r} is incompatible with the structure {element_spec!r}.")
    return components_of(element)


def from_tensor_list(element_spec: Any, tensor_list: list[Tensor]) -> Any:
    """The element that flowed as a list of tensors.

    Raises:
      ValueError: when there are too many or too few, or their types or shapes are others.
    """
    expected = list(
        zip(get_flat_tensor_types(element_spec), get_flat_tensor_shapes(element_spec), strict=True)
    )
    if len(expected) != len(tensor_list):
        raise ValueError(f"Expected {len(expected)} tensors but got {len(tensor_list)}.")
    for tensor, (dtype, shape) in zip(tensor_list, expected, strict=True):
        if tensor.dtype != dtype or not shape.is_compatible_with(tensor.shape):
            raise ValueError(f"Tensor {tensor!r} is incompatible with {dtype!r} and {shape}.")
    return element_from(element_spec, tensor_list)


from_compatible_tensor_list = element_from

# ---- tensorflow.python.data.util.sparse -------------------------------------------------------


def any_sparse(classes: Any) -> bool:
    """Whether a nest of classes has a sparse one."""
    return any(each is SparseTensor for each in structure.flatten(classes))


def get_classes(tensors: Any) -> Any:
    """The classes of a nest of tensors."""
    return structure.map_nest(
        lambda each: SparseTensor if isinstance(each, SparseTensor) else Tensor, tensors
    )


def as_dense_types(types: Any, classes: Any) -> Any:
    """The types, variants where a class is sparse."""
    kind = lambda dtype, each: dtypes.variant if each is SparseTensor else dtype  # noqa: E731
    return structure.map_nest(kind, types, classes)


def as_dense_shapes(shapes: Any, classes: Any) -> Any:
    """The shapes, unknown where a class is sparse."""
    kind = lambda shape, each: unknown_shape() if each is SparseTensor else shape  # noqa: E731
    leaves = zip(structure.flatten(classes), _shapes(classes, shapes), strict=True)
    return structure.pack(classes, [kind(shape, each) for each, shape in leaves])


def _shapes(like: Any, shapes: Any) -> list[Any]:
    found: list[Any] = []
    structure.map_up_to(like, found.append, shapes)
    return found


# ---- tensorflow.python.data.util.convert ------------------------------------------------------


def optional_param_to_tensor(
    argument_name: str,
    argument_value: Any,
    argument_default: Any = 0,
    argument_dtype: Any = dtypes.int64,
) -> Tensor:
    """An argument as a tensor; its default where it is None."""
    value = argument_default if argument_value is None else argument_value
    return convert_to_tensor(value, dtype=argument_dtype, name=argument_name)


def partial_shape_to_tensor(shape_like: Any) -> Tensor:
    """A shape as a vector, with -1 for what is unknown.

    Raises:
      ValueError: when it is a tensor, but no vector.
      TypeError: when it is a tensor of other numbers than int64.
    """
    try:
        sizes = as_shape(shape_like).as_list()
        whole = [-1 if size is None else size for size in sizes]
        return convert_to_tensor(np.array(whole, np.int64))
    except (TypeError, ValueError):
        tensor = convert_to_tensor(shape_like, preferred_dtype=dtypes.int64)
    if tensor.shape.ndims not in (None, 1):
        raise ValueError(
            f"The given shape {shape_like} must be a 1-D tensor of tf.int64 values, but the shape "
            f"was {tensor.shape}."
        )
    if tensor.dtype != dtypes.int64:
        raise TypeError(
            f"The given shape {shape_like} must be a 1-D tensor of tf.int64 values, but the "
            f"element type was {tensor.dtype.name}."
        )
    return tensor
