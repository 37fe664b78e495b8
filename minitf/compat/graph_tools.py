"""Small functions of `tensorflow.python.framework.ops` and its neighbours.

Programs seldom call them; TensorFlow's own libraries and tests do. Each is written with what the
face offers, so nothing below this floor knows of them.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from minitf.framework import errors, stacks
from minitf.framework.func_graph import FuncGraph
from minitf.framework.indexed_slices import convert_to_tensor_or_indexed_slices
from minitf.framework.shapes import TensorShape, broadcast_shapes
from minitf.framework.sparse_tensor import (
    SparseTensor,
    SparseTensorValue,
    convert_to_tensor_or_sparse_tensor,
)
from minitf.framework.tensor import Tensor

_numbers = itertools.count(1)


def uid() -> int:
    """A number that no other call in this process gave."""
    return next(_numbers)


def tensor_id(tensor: Any) -> int:
    """A number that tells a tensor from all others that live."""
    return id(tensor)


def executing_eagerly_outside_functions() -> bool:
    """Whether operations run at once outside of every function that is being built."""
    return bool(stacks.outermost().runs_at_once)


def inside_function() -> bool:
    """Whether a function is being built."""
    return isinstance(stacks.get_default_graph(), FuncGraph)


def get_all_collection_keys() -> list:
    """The keys of all collections of the default graph."""
    return stacks.get_default_graph().get_all_collection_keys()


def get_name_scope() -> str:
    """The current name scope, without a slash at its end."""
    return stacks.get_default_graph().get_name_scope()


def name_scope_v1(name: Any, default_name: Any = None, values: Any = None) -> Any:
    """`tf.name_scope`."""
    return stacks.name_scope(name, default_name, values)


def name_scope_v2(name: Any) -> Any:
    """The name scope of version 2, which takes a name alone."""
    if not isinstance(name, str):
        raise ValueError("name for name_scope must be a string.")
    return stacks.name_scope(name)


def prepend_name_scope(name: str, import_scope: str | None) -> str:
    """Puts a scope before a name; "^" and "loc:@" stay in front."""
    if not import_scope:
        return name
    scope = import_scope.rstrip("/")
    return re.sub(r"^(\^|loc:@|)(.*)$", rf"\1{scope}/\2", name)


def strip_name_scope(name: str, export_scope: str | None) -> str:
    """Takes a scope from the front of a name; "^" and "loc:@" stay in front."""
    if not export_scope:
        return name
    scope = re.escape(export_scope.rstrip("/"))
    return re.sub(rf"^(\^|loc:@|){scope}/(.*)$", r"\1\2", name)


def convert_n_to_tensor_or_indexed_slices(
    values: Sequence[Any], dtype: Any = None, name: str | None = None
) -> list[Any]:
    """`convert_to_tensor_or_indexed_slices` of several; what is None stays None.

    Raises:
      TypeError: when `values` is no sequence.
    """
    return _each(convert_to_tensor_or_indexed_slices, values, dtype, name)


def convert_n_to_tensor_or_sparse_tensor(
    values: Sequence[Any], dtype: Any = None, name: str | None = None
) -> list[Any]:
    """`convert_to_tensor_or_sparse_tensor` of several."""
    return _each(convert_to_tensor_or_sparse_tensor, values, dtype, name)


def _each(convert: Callable, values: Any, dtype: Any, name: str | None) -> list[Any]:
    if not isinstance(values, Sequence):
        raise TypeError("values must be a sequence.")
    names = (name if name is None else f"{name}_{i}" for i in itertools.count())
    return [
        None if value is None else convert(value, dtype=dtype, name=each)
        for value, each in zip(values, names, strict=False)
    ]


def is_sparse(tensor: Any) -> bool:
    """Whether a value is sparse."""
    return isinstance(tensor, (SparseTensor, SparseTensorValue))


def is_dense_tensor_like(value: Any) -> bool:
    """Whether a value is a tensor or stands for one, as a variable does."""
    return isinstance(value, Tensor) or hasattr(value, "_as_tensor")


def broadcast_shape(shape_x: TensorShape, shape_y: TensorShape) -> TensorShape:
    """The shape of the sum of two tensors.

    Raises:
      ValueError: when they cannot be added.
    """
    return broadcast_shapes(shape_x, shape_y)


@contextlib.contextmanager
def raise_exception_on_not_ok_status() -> Iterator[None]:
    """A block for calls that return a status; here they raise on their own."""
    yield


def _make_specific_exception(node_def: Any, op: Any, message: str, error_code: int) -> Exception:
    """The exception of a code: `UnknownError` with the code for one that has no class."""
    try:
        return errors.exception_type_from_error_code(error_code)(node_def, op, message)
    except KeyError:
        return errors.UnknownError(node_def, op, message, error_code)


def for_all_test_methods(decorator: Callable, *args: Any, **kwargs: Any) -> Callable[[type], type]:
    """Decorates a class so that `decorator` decorates each of its tests."""

    def decorate(cls: type) -> type:
        for name, method in list(vars(cls).items()):
            if callable(method) and name.startswith("test") and name != "test_session":
                setattr(cls, name, decorator(*args, **kwargs)(method))
        return cls

    return decorate


def contextmanager(function: Callable) -> Callable:
    """`contextlib.contextmanager`, of which TensorFlow has its own."""
    return functools.wraps(function)(contextlib.contextmanager(function))
