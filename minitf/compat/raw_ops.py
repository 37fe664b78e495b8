"""`tf.raw_ops`: every operation as it is declared, without the comfort of the public functions.

tf.raw_ops.MatMul(a=x, b=y, transpose_a=True)          inputs and attributes by their names
gen_math_ops.mat_mul(x, y)                             the same in `tensorflow.python.ops.gen_*`
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from typing import Any

from minitf.core.graph import op_def as declarations
from minitf.core.graph.op_def import OpDef, call


@functools.cache
def _function(op_def: OpDef) -> Callable:
    """The function that adds an operation of a type."""
    names = [arg.name for arg in op_def.inputs]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind) for name in names]
    defaults = op_def.attr_defaults
    for name in sorted(op_def.attr_names, key=lambda name: name in defaults):
        default = defaults.get(name, inspect.Parameter.empty)
        parameters.append(inspect.Parameter(name, kind, default=default))
    parameters.append(inspect.Parameter("name", kind, default=None))

    def raw(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs).arguments
        made = call(op_def, *[bound.pop(name) for name in names], **bound)
        several = isinstance(made, list) and not any(arg.is_list for arg in op_def.outputs)
        return op_def.named(made) if several else made

    signature = inspect.Signature(parameters)
    raw.__name__ = raw.__qualname__ = op_def.type
    raw.__doc__ = op_def.__doc__
    raw.__signature__ = signature  # type: ignore[attr-defined]
    return raw


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<!^)(?=[A-Z][a-z])", "_", name).lower()


def __getattr__(name: str) -> Any:
    if not name.startswith("__"):
        name = name.removeprefix("_")  # as most were spelled until 1.8
        declarations.load_all_ops()
        for op_def in declarations.all_op_defs():
            if name in (op_def.type, _snake(op_def.type)) and all(a.name for a in op_def.inputs):
                return _function(op_def)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    declarations.load_all_ops()
    return [op_def.type for op_def in declarations.all_op_defs()]
