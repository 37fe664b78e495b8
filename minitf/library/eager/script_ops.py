"""`tf.py_func`, `tf.py_function`, `tf.numpy_function`: a Python function as an operation.

The operation holds a token, and this process knows which function it stands for, as long as the
graph lives. So a graph that was written to a file, or sent to another task, cannot run it there.
Under eager execution there is no operation: the function is called.

The function of a `py_func` gets arrays. That of a `py_function` gets eager tensors, and a tape
records what it does: so gradients flow through it, as they do through any operation.
"""

from __future__ import annotations

import itertools
import traceback
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.gradients.tape import GradientTape
from minitf.core.graph import dtypes, errors, stacks
from minitf.core.graph.convert import as_array, convert_to_tensor
from minitf.core.graph.op_def import op
from minitf.core.kernels.host import on_host
from minitf.core.ops.array_filling import zeros_like
from minitf.library.eager import context as eager
from minitf.library.eager.tensor import EagerTensor

_functions: weakref.WeakValueDictionary[str, PyFunction] = weakref.WeakValueDictionary()
_numbers = itertools.count()

#: the codes of what a function may raise; anything else is unknown
_CODES = (
    (StopIteration, errors.OUT_OF_RANGE),
    (MemoryError, errors.RESOURCE_EXHAUSTED),
    (NotImplementedError, errors.UNIMPLEMENTED),
    ((TypeError, ValueError), errors.INVALID_ARGUMENT),
)


class PyFunction:
    """A function that a graph calls, and what its runs left for the gradient."""

    def __init__(self, call: Callable) -> None:
        self.call = call
        self.runs: list[Any] = []


def register_function(function: Callable) -> str:
    """Returns the token of a function, which the graphs being built keep."""
    return keep_function(function)[0]


def keep_function(function: Callable) -> tuple[str, PyFunction]:
    """As `register_function`, with what keeps it where no graph does."""
    token = f"pyfunc_{next(_numbers)}"
    kept = _functions[token] = PyFunction(function)
    graph: Any = stacks.get_default_graph()
    while graph is not None and not graph.runs_at_once:
        graph.kept.append(kept)
        graph = getattr(graph, "outer", None)
    return token, kept


def find_function(token: str) -> PyFunction:
    """The function of a token.

    Raises:
      InvalidArgumentError: when this process does not know it.
    """
    found = _functions.get(token)
    if found is None:
        raise errors.InvalidArgumentError(None, None, f"ValueError: callback {token} is not found")
    return found


def as_results(results: Any, types: Sequence[dtypes.DType], token: str) -> list[Any]:
    """What a function returned, as values of the declared types.

    Raises:
      InvalidArgumentError: when number or types differ.
    """
    if results is None and not types:
        return []
    listed = list(results) if isinstance(results, (list, tuple)) else [results]
    if len(listed) != len(types):
        text = f"{token} returns {len(listed)} values, but expects to see {len(types)} values."
        raise errors.InvalidArgumentError(None, None, text)
    return [_as_value(i, value, t, token) for i, (value, t) in enumerate(zip(listed, types))]


def _as_value(index: int, value: Any, dtype: dtypes.DType, token: str) -> Any:
    array = np.asarray(value)
    if not isinstance(value, (np.ndarray, np.generic)):
        try:
            array = as_array(value, dtype)  # Python's own numbers have no type yet
        except (TypeError, ValueError):
            pass
    elif array.dtype.kind in "USO":
        array = as_array(value.tolist() if value.size else value, dtypes.string)
    if array.dtype.kind == "V" and array.dtype not in dtypes.BY_NUMPY:
        raise errors.UnimplementedError(None, None, f"Unsupported numpy type {array.dtype.num}")
    if array.dtype.kind == "O" and any(not isinstance(x, (bytes, str)) for x in array.flat):
        kind = type(value if array.ndim == 0 else array.flat[0]).__name__
        raise errors.UnimplementedError(None, None, f"Unsupported object type {kind}")
    found = dtypes.as_dtype(array.dtype)
    if found != dtype:
        kinds = f"{dtypes.c_name(found)}, but expects {dtypes.c_name(dtype)}"
        text = f"{index}-th value returned by {token} is {kinds}"
        raise errors.InvalidArgumentError(None, None, text)
    return np.array(array) if array.ndim else array[()]


@op(
    "PyFunc",
    "input: N*? -> output: N*types",
    differentiable=False,
    host_only=True,
    reaches="python",
    no_samples="its function is the program's; tests/core/ops/test_script_ops.py runs it",
)
def py_func_op(ctx: Any, input: Any, *, token: str, types: Any) -> list[Any]:
    """Calls a Python function with arrays."""
    return _run(find_function(token).call, input, token, types)


def _run(function: Callable, values: Any, name: str, types: Any) -> list[Any]:
    return as_results(guarded(function, [_argument(v) for v in values]), types, name)


def _argument(value: Any) -> Any:
    """What the function gets of a tensor: a copy, or a number or bytes of a scalar."""
    value = on_host(value)
    if isinstance(value, bytes):  # NumPy's own would lose zeros at the end
        return value
    array = np.array(value)
    return array if array.ndim else array[()]


def guarded(function: Callable, args: Sequence[Any]) -> Any:
    """Calls the program's function; what it raises becomes the error of a step."""
    try:
        return function(*args)
    except (errors.OpError, KeyboardInterrupt):
        raise
    except BaseException as error:  # SystemExit, too
        code = next((c for kind, c in _CODES if isinstance(error, kind)), errors.UNKNOWN)
        text = "".join(traceback.format_exception(error))
        raise errors.make_error(code, f"{type(error).__name__}: {error}\n{text}") from error


py_func_op.shape(lambda input, *, token, types: [None] * len(types))


def types_of(Tout: Any) -> tuple[dtypes.DType, ...]:
    """The types that a program asks for: one, or a list of them."""
    return tuple(dtypes.as_dtype(t) for t in (Tout if isinstance(Tout, (list, tuple)) else [Tout]))


def in_form(result: Any, Tout: Any) -> Any:
    """The results as the program asked for them: alone where `Tout` is one type."""
    return result if isinstance(Tout, (list, tuple)) else result[0]


def py_func(
    func: Callable, inp: Sequence[Any], Tout: Any, stateful: bool = True, name: str | None = None
) -> Any:
    """Calls `func` with the values of `inp` as arrays when the step runs.

    Args:
      func: gets arrays (NumPy scalars for rank 0) and returns arrays of the types `Tout`.
      inp: tensors.
      Tout: a dtype, or a list of them.
      stateful: accepted.
      name: the name.
    Returns: a tensor, or a list of them; the operation when `Tout` is empty.
    Raises:
      InvalidArgumentError: when it runs and returns other types or another number of values.
    Example:
      >>> x = tf.constant([1.0, 3.0, 2.0])
      >>> sess.run(tf.py_func(lambda a: np.sort(a)[::-1].copy(), [x], tf.float32))
      array([3., 2., 1.], dtype=float32)
    """
    types = types_of(Tout)
    if stacks.executing_eagerly():
        values = [eager.as_tensor(value).numpy() for value in inp]
        found = _run(func, values, getattr(func, "__name__", "py_func"), types)
        return in_form([eager.wrap(v, t) for v, t in zip(found, types, strict=True)], Tout)
    result = py_func_op(list(inp), token=register_function(func), types=types, name=name)
    return in_form(result, Tout) if types or stateful else []


def numpy_function(func: Callable, inp: Sequence[Any], Tout: Any, name: str | None = None) -> Any:
    """As `py_func`, under the name of version 2."""
    return py_func(func, inp, Tout, stateful=True, name=name)


# ---- functions of tensors ------------------------------------------------------------------

_MAX_TAPES = 64  # of one operation: steps that were not differentiated are forgotten


@op(
    "EagerPyFunc",
    "input: N*? -> output: N*types",
    reaches="python",
    no_samples="its function is the program's; tests/core/ops/test_script_ops.py runs it",
    host_only=True,
)
def eager_py_func_op(ctx: Any, input: Any, *, token: str, types: Any) -> list[Any]:
    """Calls a Python function with eager tensors."""
    function = find_function(token)
    with eager.eager_mode(), eager.only_tape():
        inputs = [eager.wrap(value, _dtype_of(value)) for value in input]
        with GradientTape(persistent=True) as tape:
            tape.watch([t for t in inputs if t.dtype.is_floating or t.dtype.is_complex])
            outputs = _called(function.call, inputs, types, token)
        function.runs.append((tape, inputs, outputs))
        del function.runs[:-_MAX_TAPES]
        return as_results([getattr(t, "_value", t) for t in outputs], types, token)


def _called(function: Callable, inputs: list, types: Any, name: str) -> list[Any]:
    """What the function gives for eager tensors, as eager tensors."""
    found = guarded(function, inputs)
    listed = [] if found is None else found if isinstance(found, (list, tuple)) else [found]
    if len(listed) != len(types):
        as_results(listed, types, name)  # it says what is wrong
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
            tape, inputs, outputs = find_function(token).runs.pop()
            weights = [convert_to_tensor(v) for v in values[: len(outputs)]]
            wanted = [inputs[i] for i in smooth]
            found = tape.gradient(outputs, wanted, weights, "zero")
            return [np.asarray(g) for g in found]

    types = [op.inputs[i].dtype.base_dtype for i in smooth]
    with stacks.control_dependencies(
        None if stacks.executing_eagerly() else [t.op for t in op.outputs]
    ):
        found = py_func(backward, [*given, *op.outputs], types)
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
    types = types_of(Tout)
    if stacks.executing_eagerly():
        inputs = [convert_to_tensor(value) for value in inp]
        result = _called(func, inputs, types, getattr(func, "__name__", "py_function"))
    else:
        token = register_function(func)
        result = eager_py_func_op(list(inp), token=token, types=types, name=name)
    return in_form(result, Tout)
