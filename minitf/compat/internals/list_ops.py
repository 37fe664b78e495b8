"""`tensorflow.python.ops.list_ops`: lists of tensors as values, made of the same operations as a
`TensorArray`. A list knows neither type nor shape of its elements; who reads it tells them.
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops import lists
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import range as range_of


def empty_tensor_list(
    element_shape: Any, element_dtype: Any, max_num_elements: Any = None, name: str | None = None
) -> Tensor:
    """A list of no elements."""
    return tensor_list_reserve(element_shape, 0, element_dtype, name)


def tensor_list_reserve(
    element_shape: Any, num_elements: Any, element_dtype: Any, name: str | None = None
) -> Tensor:
    """A list of places in which nothing is written."""
    dtype = dtypes.as_dtype(element_dtype)
    return lists.tensor_array_op(num_elements, dtype=dtype, dynamic_size=True, name=name)


def tensor_list_from_tensor(tensor: Any, element_shape: Any, name: str | None = None) -> Tensor:
    """The list of a tensor's rows."""
    rows = convert_to_tensor(tensor)
    count = shape_of(rows)[0]
    empty = tensor_list_reserve(element_shape, count, rows.dtype.base_dtype)
    return lists.scatter_op(empty, range_of(0, count), rows, name=name)


def tensor_list_length(input_handle: Any, name: str | None = None) -> Tensor:
    """How many elements a list has."""
    return lists.size_op(input_handle, name=name)


def tensor_list_get_item(
    input_handle: Any, index: Any, element_dtype: Any, element_shape: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """One element; zeros where nothing is written."""
    kind = {"dtype": dtypes.as_dtype(element_dtype), "element_shape": element_shape}
    return lists.read_op(input_handle, index, like_others=True, name=name, **kind)


def tensor_list_set_item(
    input_handle: Any, index: Any, item: Any, resize_if_index_out_of_bounds: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The list with another element at a place; one beyond the end makes it longer."""
    return lists.write_op(input_handle, index, item, again=True, name=name)


def tensor_list_push_back(input_handle: Any, tensor: Any, name: str | None = None) -> Tensor:
    """The list with one more element."""
    return lists.write_op(input_handle, lists.size_op(input_handle), tensor, name=name)


def tensor_list_pop_back(
    input_handle: Any, element_dtype: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The list without its last element, and this."""
    last = lists.size_op(input_handle) - 1
    element = tensor_list_get_item(input_handle, last, element_dtype)
    return lists.resize_op(input_handle, last, name=name), element


def tensor_list_gather(
    input_handle: Any, indices: Any, element_dtype: Any, element_shape: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Some elements along a new first axis."""
    kind = {"dtype": dtypes.as_dtype(element_dtype), "element_shape": element_shape}
    return lists.gather_op(input_handle, indices, like_others=True, name=name, **kind)


def tensor_list_stack(
    input_handle: Any, element_dtype: Any, num_elements: int = -1, element_shape: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """All elements along a new first axis."""
    count = lists.size_op(input_handle) if num_elements < 0 else num_elements
    places = range_of(0, count)
    return tensor_list_gather(input_handle, places, element_dtype, element_shape, name)


def tensor_list_resize(input_handle: Any, size: Any, name: str | None = None) -> Tensor:
    """The list with places added at its end, or taken away."""
    return lists.resize_op(input_handle, size, name=name)
