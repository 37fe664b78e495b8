"""Small functions of `tensorflow.python.framework.ops` and its neighbours.

Programs seldom call them; TensorFlow's own libraries and tests do. Each is written with what the
face offers, so nothing below this floor knows of them.
"""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Callable, Sequence
from typing import Any

from minitf.compat.internals.decorators import make_decorator
from minitf.core.graph import errors, stacks
from minitf.core.graph.composites import PlacedValues
from minitf.core.graph.convert import constant_value
from minitf.core.graph.device_spec import DeviceSpec, canonical_name
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.graph_def import NodeDef
from minitf.core.graph.indexed_slices import convert_to_tensor_or_indexed_slices
from minitf.core.graph.sparse_tensor import (
    SparseTensor,
    SparseTensorValue,
    convert_to_tensor_or_sparse_tensor,
)
from minitf.core.graph.tensor import Tensor
from minitf.core.variables.variable_scope import variable_scope
from minitf.library.saving.meta_graph import export_meta_graph
from minitf.library.saving.meta_messages import MetaGraphDef

_numbers = itertools.count(1)


def check_valid(spec: str) -> None:
    """Raises ValueError when a text is no device name, as `DeviceSpec.from_string` does."""
    DeviceSpec.from_string(spec)


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


def TF_TryEvaluateConstant_wrapper(graph: Any, output: Any) -> Any:
    """The value of a tensor that depends on constants alone, or None."""
    return constant_value(output)


def _is_namedtuple(value: Any, strict: bool = False) -> bool:
    """Whether a value is a named tuple; strictly: of no subclass."""
    named = isinstance(value, tuple) and hasattr(value, "_fields")
    return named and not (strict and type(value).__base__ is not tuple)


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


#: What TensorFlow's own code asks of what it is given: is it a tensor, or made of some?
_TensorLike = (Tensor, PlacedValues)


def create_meta_graph_def(*args: Any, **kwargs: Any) -> MetaGraphDef:
    """A graph with its collections as data; the arguments are those of `export_meta_graph`."""
    return export_meta_graph(None, *args, **kwargs)


def is_dense_tensor_like(value: Any) -> bool:
    """Whether a value is a tensor or stands for one, as a variable does."""
    return isinstance(value, (Tensor, *_tensor_like)) or hasattr(value, "_as_tensor")


_tensor_like: list[type] = []


def register_dense_tensor_like_type(tensor_type: type) -> None:
    """Has the instances of a class stand for tensors: it says their name and type.

    Raises:
      TypeError: when the class has no such properties.
    """
    for name in ("name", "dtype"):
        if not isinstance(getattr(tensor_type, name, None), property):
            raise TypeError(f"Type {tensor_type.__name__} does not define a `{name}` property")
    _tensor_like.append(tensor_type)


def node_of(op_type: str, name: str, device: Any = None, attrs: Any = None) -> NodeDef:
    """A node as data, of a type and a name.

    Args:
      op_type: the type.
      name: the name.
      device: the device's name or spec, or None.
      attrs: the attributes by name.
    """
    return NodeDef(name=name, op=op_type, device=canonical_name(device), attrs=dict(attrs or {}))


class OpStats:
    """What one operation costs; see `RegisterStatistics`.

    Args:
      statistic_type: of what, as "flops".
      value: how much, or None.
    """

    def __init__(self, statistic_type: str, value: Any = None) -> None:
        self.statistic_type, self.value = statistic_type, value

    def __iadd__(self, other: OpStats) -> OpStats:
        if other.statistic_type != self.statistic_type:
            raise ValueError(
                f"Can't add an OpStat of type {self.statistic_type} to one of "
                f"{other.statistic_type}."
            )
        if other.value is not None:
            self.value = other.value + (self.value or 0)
        return self

    def __add__(self, other: OpStats) -> OpStats:
        total = OpStats(self.statistic_type, self.value)
        total += other
        return total


_statistics: dict[tuple[str, str], Callable] = {}


def RegisterStatistics(op_type: str, statistic_type: str) -> Callable:
    """Decorates a function of a graph and a node that gives `OpStats`."""

    def decorate(function: Callable) -> Callable:
        if "," in op_type:
            raise TypeError("op_type must not contain a comma.")
        if _statistics.setdefault((op_type, statistic_type), function) is not function:
            raise KeyError(f"Registering two statistic with name '{op_type},{statistic_type}'!")
        return function

    return decorate


def get_stats_for_node_def(graph: Any, node: Any, statistic_type: str) -> OpStats:
    """What a node costs, by the function registered for its type; a value of None without one."""
    function = _statistics.get((node.op, statistic_type))
    return OpStats(statistic_type) if function is None else function(graph, node)


def has_default_graph() -> bool:
    """Whether somebody made a graph the default one."""
    return bool(stacks.graphs.items)


def _make_specific_exception(node_def: Any, op: Any, message: str, error_code: int) -> Exception:
    """The exception of a code: `UnknownError` with the code for one that has no class."""
    try:
        return errors.exception_type_from_error_code(error_code)(node_def, op, message)
    except KeyError:
        return errors.UnknownError(node_def, op, message, error_code)


def for_all_test_methods(decorator: Callable, *args: Any, **kwargs: Any) -> Callable[[type], type]:
    """Decorates a class so that `decorator` decorates each of its tests."""
    return lambda cls: decorate_tests(cls, decorator(*args, **kwargs))


def decorate_tests(cls: type, decorate: Callable) -> type:
    """Puts `decorate(method)` in the place of each test of a class, unless its name opts out."""
    for name, method in list(vars(cls).items()):
        own = name == "test_session" or name.startswith(("testSkipEager", "test_skip_eager"))
        if callable(method) and name.startswith("test") and not own:
            setattr(cls, name, decorate(method))
    return cls


def contextmanager(function: Callable) -> Callable:
    """`contextlib.contextmanager`, of which TensorFlow has its own."""
    return make_decorator(function, contextlib.contextmanager(function), "contextmanager")


def _pure_variable_scope(
    name_or_scope: Any, reuse: Any = None, *, old_name_scope: Any = None, **settings: Any
) -> variable_scope:
    """`variable_scope` that opens no name scope, as libraries of modules enter it."""
    return variable_scope(name_or_scope, reuse=reuse, auxiliary_name_scope=False, **settings)
