"""Examples in the docstrings of functions that are rows of tables: a call and its result.

`named` adds them.
"""

import inspect
import sys
from collections.abc import Callable
from typing import Any

EXAMPLES: dict[str, tuple[str, str]] = {
    "add": ("[1, 2], [10, 20]", "array([11, 22], dtype=int32)"),
    "subtract": ("[5, 7], 2", "array([3, 5], dtype=int32)"),
    "multiply": ("[1, 2, 3], 10", "array([10, 20, 30], dtype=int32)"),
    "pow": ("[2, 3], 2", "array([4, 9], dtype=int32)"),
    "maximum": ("[1, 5], [3, 2]", "array([3, 5], dtype=int32)"),
    "minimum": ("[1, 5], [3, 2]", "array([1, 2], dtype=int32)"),
    "floormod": ("[7, -7], 4", "array([3, 1], dtype=int32)"),
    "equal": ("[1, 2], [1, 3]", "array([ True, False])"),
    "not_equal": ("[1, 2], [1, 3]", "array([False, True])"),
    "less": ("[1, 2, 3], 2", "array([ True, False, False])"),
    "less_equal": ("[1, 2, 3], 2", "array([ True, True, False])"),
    "greater": ("[1, 2, 3], 2", "array([False, False, True])"),
    "greater_equal": ("[1, 2, 3], 2", "array([False, True, True])"),
    "logical_and": ("[True, True], [True, False]", "array([ True, False])"),
    "logical_or": ("[True, False], [False, False]", "array([ True, False])"),
    "logical_not": ("[True, False]", "array([False, True])"),
    "squared_difference": ("[1, 2], 4", "array([9, 4], dtype=int32)"),
    "square": ("[1, -2, 3]", "array([1, 4, 9], dtype=int32)"),
    "sqrt": ("[4.0, 9.0]", "array([2., 3.], dtype=float32)"),
    "rsqrt": ("[4.0, 16.0]", "array([0.5 , 0.25], dtype=float32)"),
    "exp": ("0.0", "1.0"),
    "log": ("1.0", "0.0"),
    "negative": ("[1, -2]", "array([-1, 2], dtype=int32)"),
    "sign": ("[-7, 0, 3]", "array([-1, 0, 1], dtype=int32)"),
    "sigmoid": ("[-100.0, 0.0, 100.0]", "array([0. , 0.5, 1. ], dtype=float32)"),
    "tanh": ("[0.0, 100.0]", "array([0., 1.], dtype=float32)"),
    "sin": ("0.0", "0.0"),
    "cos": ("0.0", "1.0"),
    "floor": ("[1.7, -1.2]", "array([ 1., -2.], dtype=float32)"),
    "ceil": ("[1.2, -1.7]", "array([ 2., -1.], dtype=float32)"),
    "reciprocal": ("[2.0, 4.0]", "array([0.5 , 0.25], dtype=float32)"),
    "is_nan": ('[1.0, float("nan")]', "array([False, True])"),
    "argmax": ("[[1., 3.], [5., 2.]], 1", "array([1, 0])"),
    "argmin": ("[[3, 1, 2], [4, 9, 0]], axis=1", "array([1, 2])"),
    "reduce_sum": ("[[1, 2], [3, 4]], axis=0", "array([4, 6], dtype=int32)"),
    "reduce_mean": ("[[1.0, 2.0], [3.0, 6.0]], axis=1", "array([1.5, 4.5], dtype=float32)"),
    "reduce_max": ("[[1, 2], [3, 4]], axis=1, keepdims=True", "array([[2], [4]], dtype=int32)"),
    "reduce_min": ("[[1, 2], [3, 4]]", "1"),
    "reduce_prod": ("[[1, 2], [3, 4]], axis=1", "array([ 2, 12], dtype=int32)"),
    "reduce_any": ("[[True, False], [False, False]], axis=1", "array([ True, False])"),
    "reduce_all": ("[[True, False], [True, True]], axis=1", "array([False, True])"),
}


def with_example(name: str, doc: str) -> str:
    """A docstring, with the example of the public function `name` if there is one."""
    if name not in EXAMPLES:
        return doc
    arguments, printed = EXAMPLES[name]
    return f"{doc.rstrip()}\nExample:\n  >>> sess.run(tf.{name}({arguments}))\n  {printed}\n"


def named(function: Callable[..., Any], name: str, doc: str | None) -> Callable[..., Any]:
    """Sets the name, the docstring and the module of a function of a family."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc and with_example(name, inspect.cleandoc(doc))
    function.__module__ = sys._getframe(2).f_globals["__name__"]  # where it has its name
    return function
