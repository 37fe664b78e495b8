"""The gradient functions of operations, by the names that TensorFlow's modules give them.

from tensorflow.python.ops.nn_grad import _MaxPoolGrad     the gradient of the op MaxPool
"""

from collections.abc import Callable
from typing import Any

from minitf.core.graph.op_def import get_registered_ops


def __getattr__(name: str) -> Callable[..., Any]:
    op_def = get_registered_ops().get(name.removeprefix("_").removesuffix("Grad"))
    if not (name.startswith("_") and name.endswith("Grad")) or op_def is None:
        raise AttributeError(name)
    if op_def.gradient_function is None:
        raise AttributeError(f"{op_def.type} has no gradient")
    return op_def.gradient_function
