"""The switches between version 1 and version 2 of TensorFlow's behaviour.

Eager execution is the one that changes what a program means, and to a small part the kind of
variables and what `==` compares. Control flow is functional in either version here, so that switch
is only remembered.
"""

from __future__ import annotations

import sys
from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.process import PACKAGE
from minitf.core.graph.shapes import Dimension, TensorShape
from minitf.core.ops.comparisons import equal, not_equal
from minitf.core.variables.variables import Variable
from minitf.library.eager.context import disable_eager_execution, enable_eager_execution
from minitf.library.eager.tensor import EagerTensor

_switches = {"control_flow_v2": False, "resource_variables": False}
Variable.use_resource_defaults.append(lambda: _switches["resource_variables"])


def enable_v2_behavior() -> None:
    """Turns on what version 2 has: eager execution first of all."""
    enable_eager_execution()
    enable_tensor_equality()
    enable_v2_tensorshape()
    _switches.update(dict.fromkeys(_switches, True))


def disable_v2_behavior() -> None:
    """Turns back to version 1: operations are added to graphs. That is how minitf starts."""
    if stacks.executing_eagerly():
        disable_eager_execution()
    disable_tensor_equality()
    disable_v2_tensorshape()
    _switches.update(dict.fromkeys(_switches, False))


def enable_resource_variables() -> None:
    """Makes `tf.Variable` and `tf.get_variable` give variables that each use reads anew."""
    _switches["resource_variables"] = True


def disable_resource_variables() -> None:
    """Turns `enable_resource_variables` back."""
    _switches["resource_variables"] = False


def resource_variables_enabled() -> bool:
    """Whether `enable_resource_variables` was called last."""
    return _switches["resource_variables"]


def enable_control_flow_v2() -> None:
    """Builds control flow of functions, as minitf always does."""
    _switches["control_flow_v2"] = True


def disable_control_flow_v2() -> None:
    """Makes `control_flow_v2_enabled` False."""
    _switches["control_flow_v2"] = False


def control_flow_v2_enabled() -> bool:
    """Whether `enable_control_flow_v2` was called last."""
    return _switches["control_flow_v2"]


def _asked_by_program() -> bool:
    """Whether the caller's caller is outside of this package, whose files get a `Dimension`."""
    return not sys._getframe(2).f_code.co_filename.startswith(PACKAGE)


class _Plain(TensorShape):
    """How version 2 shows a shape."""

    def __iter__(self) -> Any:
        found = _AT_FIRST["__iter__"](self)
        return (d.value for d in found) if _asked_by_program() else found

    def __getitem__(self, key: Any) -> Any:
        found = _AT_FIRST["__getitem__"](self, key)
        plain = isinstance(found, Dimension) and _asked_by_program()
        return found.value if plain else found

    def __str__(self) -> str:
        return "<unknown>" if self._dims is None else str(self._dims)

    def __repr__(self) -> str:
        return f"TensorShape({None if self._dims is None else self.as_list()})"


_SHOWING = ("__iter__", "__getitem__", "__str__", "__repr__")
_AT_FIRST = {name: getattr(TensorShape, name) for name in _SHOWING}


def enable_v2_tensorshape() -> None:
    """Makes `shape[i]`, and going through a shape, give ints and None in place of `Dimension`.

    That holds for programs; `shape.dims` still has the dimensions.
    """
    for name in _SHOWING:
        setattr(TensorShape, name, getattr(_Plain, name))


def disable_v2_tensorshape() -> None:
    """Makes shapes give a `Dimension`, as they do at first."""
    for name, first in _AT_FIRST.items():
        setattr(TensorShape, name, first)


def _elements_equal(x: Any, y: Any) -> Any:
    return y is not None and (equal(x, y) if stacks.executing_eagerly() else x is y)


def _elements_differ(x: Any, y: Any) -> Any:
    return y is None or (not_equal(x, y) if stacks.executing_eagerly() else x is not y)


def enable_tensor_equality() -> None:
    """Makes `==` and `!=` of tensors with values compare elements, as version 2 does.

    Those of graphs are still equal when they are the same object; in the body of a `tf.function`
    AutoGraph compares their elements. All hash as they did.
    """
    for kind in (EagerTensor, Variable):
        kind.__eq__, kind.__ne__ = _elements_equal, _elements_differ  # type: ignore[method-assign]


def disable_tensor_equality() -> None:
    """Makes tensors equal when they are the same object, as they are at first."""
    for kind in (EagerTensor, Variable):
        kind.__eq__, kind.__ne__ = object.__eq__, object.__ne__  # type: ignore[method-assign]
