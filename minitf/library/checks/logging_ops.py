"""Operations that speak while a step runs: Print writes a line, Assert fails.

Both show the first few elements of their tensors, with as many brackets as the tensor has axes:

    [[1 2][3...]...]
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import errors
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph import Operation, Tensor
from minitf.core.graph.logging import log_stream
from minitf.core.graph.op_def import op, unchanged_shape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import TensorLike
from minitf.core.kernels.host import on_host


def element_text(value: Any) -> str:
    """One element: floats in as few digits as tell them from their neighbours."""
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if isinstance(value, np.floating):
        short, long = (15, 17) if value.dtype.itemsize == 8 else (6, 9)
        text = f"{value:.{short}g}"
        return text if type(value)(text) == value else f"{value:.{long}g}"
    return str(value)


def _dimension_text(array: np.ndarray, budget: list[int], outermost: bool) -> str:
    """One axis of an array; `budget` holds how many elements may still be shown."""
    if array.ndim == 1:
        shown = array[: budget[0]]
        budget[0] -= len(shown)
        cut = "..." if len(shown) < len(array) and not outermost else ""
        return " ".join(element_text(v) for v in shown) + cut
    parts = []
    for row in array:
        if budget[0] <= 0:
            break
        parts.append(f"[{_dimension_text(row, budget, outermost=False)}]")
    return "".join(parts)


def summarize_value(value: Any, limit: int) -> str:
    """The first `limit` elements of a tensor as text; all of them when it is negative."""
    array = np.asarray(value)
    limit = array.size if limit < 0 else limit
    if not array.ndim:
        return element_text(array[()])
    text = _dimension_text(array, [limit], outermost=True)
    return text + "..." if array.size > limit else text


# ---- Print -------------------------------------------------------------------------------


@op(
    "Print",
    "input: T, data: N*? -> output: T",
    alias=True,
    program=lambda folder: [(Print([1.0, 2.0], ["seen"]), np.array([1, 2], np.float32))],
)
def print_op(
    ctx: Any, input: Any, data: Any, *, message: str = "", first_n: int = -1, summarize: int = 3
) -> Any:
    """Gives `input` unchanged, and prints `data`."""
    if first_n >= 0 and next(ctx.state(lambda: itertools.count())) >= first_n:
        return input
    shown = "".join(f"[{summarize_value(on_host(d), summarize)}]" for d in data)
    print(message + shown, file=log_stream())
    return input


print_op.shape(unchanged_shape)


@print_op.gradient
def _print_grad(op: Any, dy: Tensor) -> list:
    return [dy] + [None] * (len(op.inputs) - 1)


def Print(
    input_: TensorLike,
    data: Sequence[Any],
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Tensor:
    """`input_` unchanged; when it is computed, `data` is printed to standard error.

    Args:
      input_: the tensor to pass through.
      data: tensors to print.
      message: what to print before them.
      first_n: how many times to print; always when None.
      summarize: how many elements of each tensor to show; 3 when None, all when negative.
      name: the name.
    """
    return print_op(
        input_,
        [convert_to_tensor(d) for d in data],
        message=message or "",
        first_n=-1 if first_n is None else first_n,
        summarize=3 if summarize is None else summarize,
        name=name,
    )


# ---- Assert ------------------------------------------------------------------------------


@op(
    "Assert",
    "condition: bool, data: N*? ->",
    stateful=True,
    program=lambda folder: [(Assert(True, ["never seen"]), None)],
)
def assert_op(xp: Any, condition: Any, data: Any, *, summarize: int = 3) -> None:
    """Fails unless `condition` is true."""
    if not condition:
        shown = " ".join(f"[{summarize_value(on_host(d), summarize)}]" for d in data)
        raise errors.InvalidArgumentError(None, None, f"assertion failed: {shown}")


def Assert(
    condition: Any, data: Sequence[Any], summarize: int | None = None, name: str | None = None
) -> Operation:
    """An operation that fails with `data` in its message unless `condition` is true.

    It runs only when something waits for it: put it into `tf.control_dependencies`.

    Raises:
      InvalidArgumentError: when it runs and the condition is false.
    Example:
      >>> x = tf.constant([1.0, 2.0])
      >>> with tf.control_dependencies([tf.Assert(tf.reduce_all(x > 0), [x])]):
      ...     y = tf.log(x)
    """
    with name_scope(name, "Assert", [condition, *data]):
        values = [convert_to_tensor(d) for d in data]
        checked = convert_to_tensor(condition, name="condition")
        return assert_op(checked, values, summarize=3 if summarize is None else summarize)
