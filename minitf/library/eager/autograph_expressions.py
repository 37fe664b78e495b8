"""What expressions of Python become when they depend on tensors: the rest of AutoGraph's operators.

a and b    and_(lambda: a, lambda: b)     cond(a, b, a): `b` is computed only when it matters
len(t)     builtin(len, (t,), None)       the size of its first axis
"""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from typing import Any

from minitf.core.gradients.cond import cond as cond_op
from minitf.core.graph import dtypes, stacks
from minitf.core.graph.composites import is_composite
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.ops import math as math_ops
from minitf.core.ops.array import shape
from minitf.core.ops.array_filling import range as range_op
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, logical_and, logical_not, logical_or, not_equal
from minitf.core.ops.reductions import reduce_all, reduce_any
from minitf.library.checks.logging_ops import Assert
from minitf.library.eager.autograph_operators import is_symbolic
from minitf.library.graph_tools.tensor_array import size_op
from minitf.library.text.printing import print_v2
from minitf.library.text.strings import string_to_number

# ---- logic -------------------------------------------------------------------------------


def if_exp(
    cond: Any, if_true: Callable[[], Any], if_false: Callable[[], Any], expr_repr: str
) -> Any:
    """`if_true() if cond else if_false()`."""
    if is_symbolic(cond):
        return cond_op(convert_to_tensor(cond), if_true, if_false)
    return if_true() if cond else if_false()


def and_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a and b`."""
    first = a()
    if is_symbolic(first):
        return cond_op(convert_to_tensor(first), b, lambda: first)
    return first and b()


def or_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a or b`."""
    first = a()
    if is_symbolic(first):
        return cond_op(convert_to_tensor(first), lambda: first, b)
    return first or b()


def not_(a: Any) -> Any:
    """`not a`."""
    return logical_not(a) if is_symbolic(a) else not a


def eq(a: Any, b: Any) -> Any:
    """`a == b`."""
    return equal(a, b) if _compares(a, b) else a == b


def not_eq(a: Any, b: Any) -> Any:
    """`a != b`."""
    return not_equal(a, b) if _compares(a, b) else a != b


def _compares(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return False
    return is_symbolic(a) or is_symbolic(b)


def assert_stmt(expression1: Any, expression2: Callable[[], Any]) -> None:
    """`assert expression1, expression2()`."""
    if is_symbolic(expression1):
        message = expression2()
        Assert(expression1, [message] if not isinstance(message, (list, tuple)) else message)
    else:
        assert expression1, expression2()


# ---- built-in functions ------------------------------------------------------------------


def _print(*args: Any, **kwargs: Any) -> Any:
    known = {k: v for k, v in kwargs.items() if k in ("sep", "end")}
    return print_v2(*args, output_stream=kwargs.get("file", "stdout"), **known)


def _range(start: Any, limit: Any = None, *step: Any) -> Any:
    """As Python's: no numbers, and no error, where the limit is passed from the start."""
    if limit is None:
        start, limit = 0, start
    return range_op(start, limit if step else math_ops.maximum(start, limit), *step)


def _number(dtype: str) -> Callable[[Any], Any]:
    def convert(x: Any, base: int = 10) -> Any:
        if base != 10:
            raise NotImplementedError(f"base {base} not supported for int")
        return string_to_number(x, dtype) if x.dtype == dtypes.string else cast(x, dtype)

    return convert


def _len(value: Any) -> Any:
    if is_composite(value):  # a ragged tensor, a TensorArray
        return value.nrows("int32") if hasattr(value, "nrows") else value.size()
    if value.dtype == dtypes.variant:
        return size_op(value)
    if value.shape.ndims == 0:
        raise ValueError("len requires a non-zero rank, got 0")
    known = value.shape.as_list()[0] if value.shape.ndims else None
    return shape(value)[0] if known is None else known


def _fold(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def folded(*args: Any) -> Any:
        return functools.reduce(function, args[0] if len(args) == 1 else args)

    return folded


_BUILTINS: dict[Any, Callable[..., Any]] = {
    builtins.range: _range,
    builtins.print: _print,
    builtins.len: _len,
    builtins.abs: math_ops.abs,
    builtins.int: _number("int32"),
    builtins.float: _number("float32"),
    builtins.min: _fold(math_ops.minimum),
    builtins.max: _fold(math_ops.maximum),
    builtins.any: reduce_any,
    builtins.all: reduce_all,
}


#: Of data sets, whose elements come when the step runs.
_OF_DATASETS: dict[Any, Callable[..., Any]] = {
    builtins.enumerate: lambda data, start=0: data.enumerate(start),
    builtins.zip: lambda *data: data[0].zip(data),
    builtins.map: lambda f, *data: data[0].zip(data).map(f),
    builtins.filter: lambda f, data: data.filter(f),
    builtins.abs: lambda data: data.map(math_ops.abs),
    builtins.any: lambda data: data.reduce(False, logical_or),
    builtins.all: lambda data: data.reduce(True, logical_and),
}


def builtin(function: Any, args: tuple, kwargs: dict | None) -> Any:
    """Calls a built-in function; on tensors and data sets of a graph, what it would be there."""
    own = None
    if stacks.executing_eagerly():
        pass
    elif any(hasattr(a, "_variant_tensor") for a in args):
        own = _OF_DATASETS.get(function)
    elif any(is_symbolic(a) or is_composite(a) for a in args):
        own = _BUILTINS.get(function)
    return (own or function)(*args, **(kwargs or {}))
