"""`tf.contrib.eager.seterr` and callbacks: what sees each operation that runs at once.

tfe.seterr(inf_or_nan="raise")
tf.log(0.0)     # InfOrNanError: Output 1 of 1 of TFE operation Log (name: None) contains 1 inf(s)
"""

from __future__ import annotations

import contextlib
import enum
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import logging
from minitf.core.graph.stacks import executing_eagerly
from minitf.library.eager.tensor import callbacks


class ExecutionCallback(enum.Enum):
    """What a callback does about an infinity or a NaN."""

    IGNORE = "ignore"
    PRINT = "print"
    RAISE = "raise"
    WARN = "warn"


class InfOrNanError(Exception):
    """An operation gave infinities or NaNs.

    Args:
      op_type: its type.
      op_name: its name, or None.
      output_index: which of its outputs.
      num_outputs: how many it has.
      value: the output.
    """

    def __init__(
        self, op_type: str, op_name: str | None, output_index: int, num_outputs: int, value: Any
    ) -> None:
        self.op_type, self.op_name, self.value = op_type, op_name, value
        self.output_index, self.num_outputs = output_index, num_outputs
        counts = {"inf": np.isinf(value).sum(), "nan": np.isnan(value).sum()}
        told = " and ".join(f"{count} {kind}(s)" for kind, count in counts.items() if count)
        name = None if op_name is None else repr(op_name)
        super().__init__(
            f"Output {output_index + 1} of {num_outputs} of TFE operation {op_type} (name: {name}) "
            f"contains {told} out of a total of {np.size(value)} element(s). Tensor value: {value}"
        )


def inf_nan_callback(
    op_type: str, inputs: Sequence[Any], attrs: tuple, outputs: Sequence[Any], op_name: str | None,
    check_inf: bool = True, check_nan: bool = True, action: Any = ExecutionCallback.RAISE,
) -> None:  # fmt: skip
    """A callback that looks for infinities and NaNs.

    Args:
      op_type: see `add_execution_callback`, also for `inputs`, `attrs`, `outputs` and `op_name`.
      check_inf: whether infinities count.
      check_nan: whether NaNs count.
      action: an `ExecutionCallback`, or its value: "raise", "warn" or "print".
    Raises:
      InfOrNanError: when there are some, and the action is to raise it.
      ValueError: when the action is none of these.
    """
    action = ExecutionCallback(action)
    for index, output in enumerate(outputs):
        if not (output.dtype.is_floating or output.dtype.is_complex):
            continue
        value = output.numpy()
        if not (check_inf and np.isinf(value).any() or check_nan and np.isnan(value).any()):
            continue
        error = InfOrNanError(op_type, op_name, index, len(outputs), value)
        if action is ExecutionCallback.RAISE:
            raise error
        if action is ExecutionCallback.PRINT:
            print(f"Warning: {error}")
        elif action is ExecutionCallback.WARN:
            logging.warning(str(error))
        else:
            raise ValueError(
                f"Invalid action for inf_nan_callback: {action}. Valid actions are: "
                "{PRINT | WARN | RAISE}"
            )


inf_callback = functools.partial(inf_nan_callback, check_nan=False)
nan_callback = functools.partial(inf_nan_callback, check_inf=False)


def add_execution_callback(callback: Callable) -> None:
    """Has a function called after each operation, or `tf.function`, that runs at once.

    Args:
      callback: `f(op_type, inputs, attrs, outputs, op_name)`: lists of tensors, and names and
        values of attributes by turns; what it returns is dropped.
    """
    callbacks.append(callback)


def clear_execution_callbacks() -> None:
    """Forgets all callbacks."""
    callbacks.clear()


def _action_of(callback: Any) -> ExecutionCallback | None:
    """What a callback of `seterr` does; None for another one."""
    if callback is inf_nan_callback:
        return ExecutionCallback.RAISE
    if isinstance(callback, functools.partial) and callback.func is inf_nan_callback:
        return ExecutionCallback(callback.keywords.get("action", ExecutionCallback.RAISE))
    return None


def seterr(inf_or_nan: Any = None) -> dict[str, ExecutionCallback]:
    """Says what happens when an operation gives an infinity or a NaN.

    Args:
      inf_or_nan: an `ExecutionCallback`, or its value; None changes nothing.
    Returns: what happened before, as keywords for the next call.
    Raises:
      ValueError: when it is no `ExecutionCallback`.
    Example:
      >>> tf.contrib.eager.seterr(inf_or_nan="ignore")
      {'inf_or_nan': <ExecutionCallback.IGNORE: 'ignore'>}
    """
    before = [action for action in map(_action_of, callbacks) if action is not None]
    if inf_or_nan is not None:
        wanted = ExecutionCallback(inf_or_nan)
        callbacks[:] = [each for each in callbacks if _action_of(each) is None]
        if wanted is not ExecutionCallback.IGNORE:
            callbacks.append(functools.partial(inf_nan_callback, action=wanted))
    return {"inf_or_nan": before[-1] if before else ExecutionCallback.IGNORE}


@contextlib.contextmanager
def errstate(inf_or_nan: Any = None) -> Iterator[None]:
    """A block in which `seterr` holds; it has no effect while a graph is built."""
    if not executing_eagerly():
        yield
        return
    before = seterr(inf_or_nan=inf_or_nan)
    try:
        yield
    finally:
        seterr(**before)
