"""`tf.py_function`: a Python function that computes with tensors, as an operation of the graph.

The function runs under eager execution, and a tape records what it does: so gradients flow through
it, as they do through any operation. Where operations run at once anyway, it is just called.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.gradients.tape import GradientTape
from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import op
from minitf.core.ops.array_filling import zeros_like
from minitf.library.eager import context as eager
from minitf.library.eager import script_ops
from minitf.library.eager.tensor import EagerTensor

_MAX_TAPES = 64  # of one operation: steps that were not differentiated are forgotten


@op(
    "EagerPyFunc",
    "input: N*? -> output: N*types",
    reaches="python",
    no_samples="its function is the program's; tests/core/gradients/test_py_function.py runs it",
    host_only=True,
)
def eager_py_func_op(ctx: Any, input: Any, *, token: str, types: Any) -> list[Any]:
    """Calls a Python function with eager tensors."""
    function = script_ops.find_function(token)
    with eager.eager_mode(), eager.only_tape():
        inputs = [eager.wrap(value, _dtype_of(value)) for value in input]
        with GradientTape(persistent=True) as tape:
            tape.watch([t for t in inputs if t.dtype.is_floating or t.dtype.is_complex])
            outputs = _called(function.call, inputs, types, token)
        function.runs.append((tape, inputs, outputs))
        del function.runs[:-_MAX_TAPES]
        return script_ops.as_results([getattr(t, "_value", t) for t in outputs], types, token)


def _called(function: Callable, inputs: list, types: Any, name: str) -> list[Any]:
    """What the function gives for eager tensors, as eager tensors."""
    found = script_ops.guarded(function, inputs)
    listed = [] if found is None else found if isinstance(found, (list, tuple)) else [found]
    if len(listed) != len(types):
        script_ops.as_results(listed, types, name)  # it says what is wrong
    return [
        value if value is None else convert_to_tensor(value, dtype)
        for value, dtype in zip(listed, types, strict=True)
    ]


def _dtype_of(value: Any) -> dtypes.DType:
    return EagerTensor(value).dtype


@eager_py_func_op.shape
def _eager_py_func_shape(input: Any, *, token: str, types: Any) -> list:
    return [None] * len(types)


@eager_py_func_op.gradient
def _eager_py_func_grad(op: Any, *dys: Any) -> list[Any]:
    token = op.attrs["token"]
    smooth = [i for i, t in enumerate(op.inputs) if t.dtype.is_floating or t.dtype.is_complex]
    if not smooth:
        return [None] * len(op.inputs)
    given = [zeros_like(y) if dy is None else dy for y, dy in zip(op.outputs, dys, strict=True)]

    def backward(*values: Any) -> list[Any]:
        with eager.eager_mode(), eager.only_tape():
            tape, inputs, outputs = script_ops.find_function(token).runs.pop()
            weights = [convert_to_tensor(v) for v in values[: len(outputs)]]
            wanted = [inputs[i] for i in smooth]
            found = tape.gradient(outputs, wanted, weights, "zero")
            return [np.asarray(g) for g in found]

    types = [op.inputs[i].dtype.base_dtype for i in smooth]
    with stacks.control_dependencies(
        None if stacks.executing_eagerly() else [t.op for t in op.outputs]
    ):
        found = script_ops.py_func(backward, [*given, *op.outputs], types)
    results: list[Any] = [None] * len(op.inputs)
    for place, gradient in zip(smooth, found, strict=True):
        gradient.set_shape(op.inputs[place].shape)
        results[place] = gradient
    return results


def py_function(func: Callable, inp: Sequence[Any], Tout: Any, name: str | None = None) -> Any:
    """Calls `func` with eager tensors when the step runs.

    Args:
      func: gets tensors with values and returns tensors of the types `Tout`.
      inp: tensors.
      Tout: a dtype, or a list of them.
      name: the name.
    Returns: a tensor, or a list of them; the operation when `Tout` is empty.
    Raises:
      InvalidArgumentError: when it runs and returns another number of values.
    Example:
      >>> sess.run(tf.py_function(lambda x: x * x if x > 0 else -x, [tf.constant(3.0)], tf.float32))
      9.0
    """
    types = script_ops.types_of(Tout)
    if stacks.executing_eagerly():
        inputs = [convert_to_tensor(value) for value in inp]
        result = _called(func, inputs, types, getattr(func, "__name__", "py_function"))
    else:
        token = script_ops.register_function(func)
        result = eager_py_func_op(list(inp), token=token, types=types, name=name)
    return script_ops.in_form(result, Tout)
