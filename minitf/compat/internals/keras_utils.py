"""What programs and tests import from below `tensorflow.python.keras.utils` to write layers."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from minitf.core.gradients.cond import smart_cond as smart_cond
from minitf.core.gradients.cond import smart_constant_value as constant_value
from minitf.core.graph import nest, stacks
from minitf.core.graph.sparse_tensor import SparseTensor
from minitf.core.graph.tensor import Tensor
from minitf.core.variables.variables import Variable
from minitf.library.keras.backend.windows import deconv_output_length as deconv_output_length
from minitf.library.keras.backend.windows import normalize_data_format as normalize_data_format
from minitf.library.keras.backend.windows import normalize_padding as normalize_padding
from minitf.library.keras.backend.windows import normalize_tuple as normalize_tuple
from minitf.library.keras.backend.windows import output_length as conv_output_length
from minitf.library.keras.engine.base_layer import convert_shapes as convert_shapes
from minitf.library.keras.engine.base_layer import to_snake_case as to_snake_case
from minitf.library.keras.engine.collected import following
from minitf.library.keras.engine.node import is_symbolic
from minitf.library.keras.engine.summary import count_params as count_params
from minitf.library.keras.engine.summary import print_summary as print_summary

__all__ = [
    "constant_value", "conv_input_length", "conv_output_length", "convert_shapes",
    "count_params", "deconv_output_length", "get_reachable_from_inputs",
    "global_batch_size_supported", "has_arg", "is_all_none", "is_symbolic_tensor",
    "is_tensor_or_tensor_list", "is_tpu_strategy", "make_batches",
    "normalize_data_format", "normalize_padding", "normalize_tuple", "object_list_uid",
    "print_summary", "register_symbolic_tensor_type", "shape_type_conversion", "slice_arrays",
    "smart_cond", "to_list", "to_snake_case", "unpack_singleton",
]  # fmt: skip


def global_batch_size_supported(distribution_strategy: Any) -> bool:
    """Whether `batch_size` is that of all replicas together."""
    return distribution_strategy.extended._global_batch_size


def is_tpu_strategy(strategy: Any) -> bool:
    """Whether a strategy is one of TPUs, by the name of its class."""
    return type(strategy).__name__.startswith("TPUStrategy")


def has_arg(fn: Callable, name: str, accept_all: bool = False) -> bool:
    """Whether a function takes an argument of this name.

    Args:
      fn: the function.
      name: of the argument.
      accept_all: whether `**kwargs` counts.
    """
    parameters = inspect.signature(fn).parameters.values()
    if accept_all and any(each.kind is each.VAR_KEYWORD for each in parameters):
        return True
    return any(each.name == name and each.kind is not each.VAR_KEYWORD for each in parameters)


_symbolic: list[type] = []


def register_symbolic_tensor_type(cls_type: type) -> None:
    """Lets objects of a class count as tensors of a graph, where one is being built."""
    _symbolic.append(cls_type)


def is_symbolic_tensor(tensor: Any) -> bool:
    """Whether an object is, or stands for, a tensor that has no value yet."""
    if isinstance(tensor, (Variable, *_symbolic)):
        return not stacks.executing_eagerly()
    return is_symbolic(tensor)


def get_reachable_from_inputs(inputs: Any, targets: Any = None) -> set[Any]:
    """The tensors that inputs are or lead to, and the operations on the way."""
    found = following(nest.flatten(inputs))
    return {*nest.flatten(inputs), *found, *(t for op in found for t in op.outputs)}


def to_list(x: Any) -> list:
    """A list of one, of what is no list."""
    return x if isinstance(x, list) else [x]


def unpack_singleton(x: Any) -> Any:
    """The item of a sequence of one; anything else as it is."""
    return x[0] if isinstance(x, (list, tuple)) and len(x) == 1 else x


def is_all_none(structure: Any) -> bool:
    """Whether a nest holds nothing but None."""
    return all(leaf is None for leaf in nest.flatten(structure))


def object_list_uid(object_list: Any) -> str:
    """The identities of objects, as one text."""
    return ", ".join(str(abs(id(each))) for each in nest.flatten(object_list))


def slice_arrays(arrays: Any, start: Any = None, stop: int | None = None) -> Any:
    """The rows from `start` to `stop`, or those that a list `start` names, of each array."""
    if arrays is None:
        return [None]
    rows = start if isinstance(start, Iterable) else slice(start, stop)
    rows = list(rows) if not isinstance(rows, slice) else rows
    if isinstance(arrays, list):
        return [None if each is None else each[rows] for each in arrays]
    return arrays[rows] if hasattr(arrays, "__getitem__") else [None]


def make_batches(size: int, batch_size: int) -> list[tuple[int, int]]:
    """Where batches of so many rows begin and end."""
    return [(i, min(size, i + batch_size)) for i in range(0, size, batch_size)]


def conv_input_length(
    output_length: int | None, filter_size: int, padding: str, stride: int
) -> int | None:
    """The length of which a convolution gives `output_length`; the reverse of its rule."""
    if output_length is None:
        return None
    pad = {"same": filter_size // 2, "valid": 0, "full": filter_size - 1}[padding]
    return (output_length - 1) * stride - 2 * pad + filter_size


def is_tensor_or_tensor_list(v: Any) -> bool:
    """Whether a value is a tensor, or a list that begins with one."""
    items = nest.flatten(v)
    return bool(items) and isinstance(items[0], (Tensor, SparseTensor))


def shape_type_conversion(fn: Callable) -> Callable:
    """Decorates a method that takes and gives shapes as tuples: it may get `TensorShape`s."""

    @functools.wraps(fn)
    def wrapper(instance: Any, input_shape: Any) -> Any:
        given = None if input_shape is None else convert_shapes(input_shape)
        shape = fn(instance, given)
        return shape if shape is None else convert_shapes(shape, to_tuples=False)

    return wrapper
