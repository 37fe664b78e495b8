"""`tensorflow.python.ops.list_ops`: lists of tensors as values, made of the same operations as a
`TensorArray`. What is known of a list's elements while the graph is built goes beside its tensor.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.dtypes import DType
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.stacks import control_dependencies
from minitf.core.graph.tensor import Tensor
from minitf.core.ops import lists
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import range as range_of
from minitf.core.ops.array_joining import concat
from minitf.core.ops.cast import cast
from minitf.core.ops.math import maximum
from minitf.core.ops.reductions import reduce_max
from minitf.library.checks.assertions import assert_less


class _Elements(NamedTuple):
    dtype: DType | None = None
    shape: TensorShape = TensorShape(None)
    most: Any = None  # how many there may be


_known: WeakKeyDictionary[Tensor, _Elements] = WeakKeyDictionary()


def _knows(made: Tensor, elements: _Elements) -> Tensor:
    _known[made] = elements
    return made


def _elements(handle: Tensor) -> _Elements:
    return _known.get(handle, _Elements())


def _taken(item: Any, into: Tensor, rows: int = 0) -> Tensor:
    """What is put into a list, or rows of it.

    Raises:
      ValueError: when type or shape are not those of the elements.
    """
    elements = _elements(into)
    value = convert_to_tensor(item, preferred_dtype=elements.dtype)
    if elements.dtype not in (None, value.dtype.base_dtype):
        raise ValueError(
            f"Trying to push to list with wrong element dtype. List has type {elements.dtype} but "
            f"trying to push element with type {value.dtype.base_dtype}"
        )
    if value.shape.ndims is not None:
        elements.shape.assert_is_compatible_with(value.shape[rows:])
    return value


def _kind(handle: Tensor, element_dtype: Any, element_shape: Any) -> dict[str, Any]:
    """What an operation that reads elements is told."""
    elements, dtype = _elements(handle), dtypes.as_dtype(element_dtype)
    if elements.dtype not in (None, dtype):
        raise ValueError(
            f"Expected list with element dtype {dtype} but got list with element dtype "
            f"{elements.dtype}"
        )
    shape = elements.shape.merge_with(as_shape(element_shape))
    return {"dtype": dtype, "element_shape": shape, "like_others": True}


def empty_tensor_list(
    element_shape: Any, element_dtype: Any, max_num_elements: Any = None, name: str | None = None
) -> Tensor:
    """A list of no elements."""
    made = tensor_list_reserve(element_shape, 0, element_dtype, name)
    most = None if max_num_elements in (None, -1) else max_num_elements
    return _knows(made, _elements(made)._replace(most=most))


def tensor_list_reserve(
    element_shape: Any, num_elements: Any, element_dtype: Any, name: str | None = None
) -> Tensor:
    """A list of places in which nothing is written."""
    dtype = dtypes.as_dtype(element_dtype)
    shape = None if element_shape is None or isinstance(element_shape, Tensor) else element_shape
    made = lists.tensor_array_op(num_elements, dtype=dtype, name=name)
    return _knows(made, _Elements(dtype, as_shape(None if shape == -1 else shape)))


def tensor_list_from_tensor(tensor: Any, element_shape: Any, name: str | None = None) -> Tensor:
    """The list of a tensor's rows."""
    rows = convert_to_tensor(tensor)
    return tensor_list_scatter(rows, range_of(0, shape_of(rows)[0]), element_shape, name=name)


def tensor_list_scatter(
    tensor: Any, indices: Any, element_shape: Any = None, input_handle: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """A list, or a changed one, with the rows of a tensor at some places."""
    rows, places = convert_to_tensor(tensor), convert_to_tensor(indices)
    if input_handle is None:
        count = maximum(reduce_max(places) + 1, 0)
        input_handle = tensor_list_reserve(element_shape, count, rows.dtype.base_dtype)
    rows = _taken(rows, input_handle, 1)
    return _knows(lists.scatter_op(input_handle, places, rows, name=name), _elements(input_handle))


def tensor_list_length(input_handle: Any, name: str | None = None) -> Tensor:
    """How many elements a list has."""
    return lists.size_op(input_handle, name=name)


def tensor_list_element_shape(
    input_handle: Any, shape_type: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """What is known of the shape of the elements, -1 for what is not."""
    shape = _elements(input_handle).shape
    sizes = -1 if shape.ndims is None else [-1 if n is None else n for n in shape.as_list()]
    return constant(sizes, dtypes.as_dtype(shape_type), name=name or "TensorListElementShape")


def tensor_list_get_item(
    input_handle: Any, index: Any, element_dtype: Any, element_shape: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """One element; zeros where nothing is written."""
    kind = _kind(input_handle, element_dtype, element_shape)
    return lists.read_op(input_handle, index, name=name, **kind)


def tensor_list_set_item(
    input_handle: Any, index: Any, item: Any, resize_if_index_out_of_bounds: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The list with another element at a place."""
    item, whole = _taken(item, input_handle), input_handle
    if resize_if_index_out_of_bounds:
        whole = lists.resize_op(whole, maximum(lists.size_op(whole), index + 1))
    made = lists.write_op(whole, index, item, again=True, name=name)
    return _knows(made, _elements(input_handle))


def tensor_list_push_back(input_handle: Any, tensor: Any, name: str | None = None) -> Tensor:
    """The list with one more element."""
    elements, last = _elements(input_handle), lists.size_op(input_handle)
    room: AbstractContextManager = nullcontext()
    if elements.most is not None:
        text = "Tried to push item into a full list"
        room = control_dependencies([assert_less(last, elements.most, message=text)])
    with room:
        whole = lists.resize_op(input_handle, last + 1)
    made = lists.write_op(whole, last, _taken(tensor, input_handle), name=name)
    return _knows(made, elements)


def tensor_list_pop_back(
    input_handle: Any, element_dtype: Any, name: str | None = None, element_shape: Any = None
) -> tuple[Tensor, Tensor]:
    """The list without its last element, and this."""
    last = lists.size_op(input_handle) - 1
    element = tensor_list_get_item(input_handle, last, element_dtype, element_shape)
    rest = lists.resize_op(input_handle, last, name=name)
    return _knows(rest, _elements(input_handle)), element


def tensor_list_gather(
    input_handle: Any, indices: Any, element_dtype: Any, element_shape: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Some elements along a new first axis."""
    kind = _kind(input_handle, element_dtype, element_shape)
    return lists.gather_op(input_handle, indices, name=name, **kind)


def tensor_list_stack(
    input_handle: Any, element_dtype: Any, num_elements: int = -1, element_shape: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """All elements along a new first axis."""
    count = lists.size_op(input_handle) if num_elements < 0 else num_elements
    places = range_of(0, count)
    return tensor_list_gather(input_handle, places, element_dtype, element_shape, name)


def tensor_list_concat(
    input_handle: Any, element_dtype: Any, element_shape: Any = None, name: str | None = None
) -> Tensor:
    """All elements joined along their first axis."""
    kind = _kind(input_handle, element_dtype, element_shape)
    del kind["like_others"]
    return lists.concat_op(input_handle, name=name, **kind)[0]


def tensor_list_split(
    tensor: Any, element_shape: Any, lengths: Any, name: str | None = None
) -> Tensor:
    """The list of the pieces of a tensor, of these lengths."""
    value, sizes = convert_to_tensor(tensor), convert_to_tensor(lengths)
    new = tensor_list_reserve(element_shape, shape_of(sizes)[0], value.dtype.base_dtype)
    made = lists.split_op(new, value, cast(sizes, dtypes.int64), name=name)
    return _knows(made, _elements(new))


def tensor_list_concat_lists(
    input_a: Any, input_b: Any, element_dtype: Any, name: str | None = None
) -> Tensor:
    """The elements of two lists, one after the other."""
    rows = [tensor_list_stack(each, element_dtype) for each in (input_a, input_b)]
    return tensor_list_from_tensor(concat(rows, 0), _elements(input_a).shape, name)


def tensor_list_resize(input_handle: Any, size: Any, name: str | None = None) -> Tensor:
    """The list with places added at its end, or taken away."""
    return _knows(lists.resize_op(input_handle, size, name=name), _elements(input_handle))
