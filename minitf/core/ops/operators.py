"""Binds Python's operators to tensors: `a + b` makes an `AddV2` node named "add".

The operator gives the name of the node. The other operand is converted to the tensor's dtype if it
fits: `x + 2` adds a float to floats. `==` and `!=` are not bound: they compare identity, so that
tensors can be keys of a feed_dict.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import executing_eagerly, name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops import array_slicing, comparisons, linalg, math


def _add(x: Tensor, y: Tensor, name: str) -> Tensor:
    return (math.add if x.dtype == dtypes.string else math.add_v2)(x, y, name=name)


#: the operator's name, which is the node's name as well, and the function behind it
_BINARY: dict[str, Callable[..., Any]] = {
    "add": _add,
    "sub": math.subtract,
    "mul": math.multiply,
    "div": math.div,
    "truediv": math.truediv,
    "floordiv": math.floordiv,
    "mod": math.floormod,
    "pow": math.pow,
    "matmul": linalg.matmul,
    "and": comparisons.logical_and,
    "or": comparisons.logical_or,
    "xor": comparisons.logical_xor,
}

#: operators whose nodes are named after the op
_OTHERS: dict[str, Callable[..., Any]] = {
    "__getitem__": array_slicing.getitem,
    "__neg__": math.negative,
    "__abs__": math.abs,
    "__invert__": comparisons.logical_not,
    "__lt__": comparisons.less,
    "__le__": comparisons.less_equal,
    "__gt__": comparisons.greater,
    "__ge__": comparisons.greater_equal,
}


def _bind(name: str, function: Callable[..., Any]) -> None:
    def forward(x: Tensor, y: Any) -> Any:
        if executing_eagerly():  # no scope is needed
            if not isinstance(y, Tensor):
                known = x.scalar_like(y)
                if known is None:
                    known = convert_to_tensor(y, preferred_dtype=x.dtype.base_dtype)
                y = known
            return function(x, y, name=name)
        with name_scope(None, name, [x, y]) as scope:
            if not isinstance(y, Tensor):
                try:
                    y = convert_to_tensor(y, name="y", preferred_dtype=x.dtype.base_dtype)
                except TypeError:
                    if hasattr(type(y), f"__r{name}__"):  # knows itself what to do with tensors
                        return NotImplemented
                    raise
            return function(x, y, name=scope)

    def reflected(y: Tensor, x: Any) -> Any:
        with name_scope(None, name, [x, y]) as scope:
            x = convert_to_tensor(x, dtype=y.dtype.base_dtype, name="x")
            return function(x, y, name=scope)

    forward.__doc__ = reflected.__doc__ = function.__doc__
    setattr(Tensor, f"__{name}__", forward)
    setattr(Tensor, f"__r{name}__", reflected)
    Tensor.OVERLOADABLE_OPERATORS |= {f"__{name}__", f"__r{name}__"}


def _bind_all() -> None:
    for name, function in _BINARY.items():
        _bind(name, function)
    for name, function in _OTHERS.items():
        setattr(Tensor, name, function)
    Tensor.OVERLOADABLE_OPERATORS |= _OTHERS.keys()


_bind_all()


def give_operators(kind: type) -> None:
    """Gives a class the operators of tensors: they compute with what an object converts to."""

    def forwarded(operator: str) -> Callable[..., Any]:
        def method(self: Any, *args: Any) -> Any:
            return getattr(Tensor, operator)(self._as_tensor(), *args)

        method.__name__ = operator
        method.__doc__ = "Computes as the operator of tensors does."
        return method

    for operator in Tensor.OVERLOADABLE_OPERATORS - {"__getitem__", "__eq__", "__ne__"}:
        setattr(kind, operator, forwarded(operator))
