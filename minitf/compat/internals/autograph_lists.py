"""`tensorflow.python.autograph.operators.data_structures`: one word for three kinds of lists.

l = list_append(l, x)      a TensorArray, a list of tensors (`list_ops`), or a Python list
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from minitf.compat.internals import list_ops
from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.library.graph_tools.tensor_array import TensorArray


class ListPopOpts(NamedTuple):
    """What is known of the element that `list_pop` takes away."""

    element_dtype: Any
    element_shape: Any


class ListStackOpts(NamedTuple):
    """What is known of the elements that `list_stack` joins, and what joins other values."""

    element_dtype: Any
    original_call: Callable[[Any], Any] | None


def new_list(iterable: Iterable[Any] | None = None) -> Any:
    """A list of tensors when there is nothing to put in it yet, a Python list otherwise."""
    elements = list(iterable or ())
    return elements or tf_tensor_list_new(elements)


def _agreed(elements: Sequence[Tensor], dtype: Any, shape: Any) -> tuple[Any, Any]:
    """Type and shape of all elements, None where they differ or there are none."""
    kinds = {each.dtype.base_dtype for each in elements}
    shapes = {tuple(each.shape.as_list()) for each in elements if each.shape.ndims is not None}
    for word, given, found in ("dtype", dtype, kinds), ("shape", shape, shapes):
        if given is not None and len(found) == 1 and given not in found:
            raise ValueError(
                f"incompatible {word}; specified: {given}, inferred from {tuple(elements)}: "
                f"{next(iter(found))}"
            )
    return (
        dtype or (kinds.pop() if len(kinds) == 1 else None),
        shape if shape is not None else shapes.pop() if len(shapes) == 1 else None,
    )


def tf_tensor_list_new(
    elements: Any, element_dtype: Any = None, element_shape: Any = None
) -> Tensor:
    """The list of some tensors, or of the rows of one.

    Raises:
      ValueError: when type or shape are not as given.
    """
    if isinstance(elements, Tensor):
        if element_shape is not None:
            raise ValueError("element shape may not be specified when creating list from tensor")
        return list_ops.tensor_list_from_tensor(elements, elements.shape[1:])
    tensors = [convert_to_tensor(each) for each in elements]
    kind, shape = _agreed(tensors, element_dtype, element_shape)
    made = list_ops.empty_tensor_list(shape, kind or dtypes.variant)
    for each in tensors:
        made = list_ops.tensor_list_push_back(made, each)
    return made


def tf_tensor_array_new(
    elements: Any, element_dtype: Any = None, element_shape: Any = None
) -> TensorArray:
    """A `TensorArray` of some tensors.

    Raises:
      ValueError: when they have not one type and shape, or not those given.
    """
    tensors = [convert_to_tensor(each) for each in elements]
    kind, shape = _agreed(tensors, element_dtype, element_shape)
    if kind is None and not tensors:
        raise ValueError("dtype is required to create an empty TensorArray")
    for word, known in ("dtype", kind), ("shape", shape):
        if tensors and known is None:
            raise ValueError(
                f"TensorArray requires all elements to have the same {word}: {tuple(tensors)}"
            )
    made = TensorArray(kind, size=len(tensors), dynamic_size=True, element_shape=shape)
    for i, each in enumerate(tensors):
        made = made.write(i, each)
    return made


def list_append(list_: Any, x: Any) -> Any:
    """The list with one more element; a Python list itself is changed."""
    if isinstance(list_, TensorArray):
        return list_.write(list_.size(), x)
    if isinstance(list_, Tensor):
        return list_ops.tensor_list_push_back(_checked(list_), x)
    list_.append(x)
    return list_


def list_pop(list_: Any, i: int | None, opts: ListPopOpts) -> tuple[Any, Any]:
    """The list without one element, the last by default, and this.

    Raises:
      ValueError: of a `TensorArray`; and of a list of tensors without a type.
      NotImplementedError: when a list of tensors is to lose another than the last.
    """
    if isinstance(list_, TensorArray):
        raise ValueError("TensorArray does not support item removal")
    if not isinstance(list_, Tensor):
        return list_, list_.pop() if i is None else list_.pop(i)
    if i is not None:
        raise NotImplementedError("tensor lists only support removing from the end")
    kind = _known(opts.element_dtype, _checked(list_), "pop from")
    return list_ops.tensor_list_pop_back(list_, kind, element_shape=opts.element_shape)


def list_stack(list_: Any, opts: ListStackOpts) -> Any:
    """All elements along a new first axis; what is no list of tensors, as `original_call` does."""
    if isinstance(list_, TensorArray):
        return list_.stack()
    if isinstance(list_, Tensor):
        kind = _known(opts.element_dtype, list_, "stack")
        return list_ops.tensor_list_stack(list_, kind) if list_.dtype == dtypes.variant else list_
    assert opts.original_call is not None
    return opts.original_call(list_)


def _checked(list_: Tensor) -> Tensor:
    if list_.dtype != dtypes.variant:
        raise ValueError(
            f"tensor lists are expected to be Tensors with dtype=tf.variant, instead found {list_}"
        )
    return list_


def _known(dtype: Any, list_: Tensor, use: str) -> Any:
    if dtype is None:
        raise ValueError(
            f"cannot {use} a list without knowing its element type; use set_element_type to "
            "annotate it"
        )
    return dtype
