"""`tensorflow.python.ops.functional_ops`: branches and loops whose parts are functions of tensors.

If(cond, inputs, then_branch, else_branch)   While(inputs, cond, body)   For(0, n, 1, inputs, body)

The parts are `Defun`s or Python functions; each is built where it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.gradients.cond import cond as cond_of
from minitf.core.gradients.while_loop import while_loop
from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import size
from minitf.core.ops.comparisons import logical_and, logical_or, not_equal


def _truth(value: Any) -> Tensor:
    """What counts as true: a number that is not 0, a text or an array that is not empty."""
    tensor = convert_to_tensor(value)
    if tensor.shape.ndims:
        return size(tensor) > 0
    if tensor.dtype.base_dtype == dtypes.bool:
        return tensor
    return not_equal(tensor, "" if tensor.dtype.base_dtype == dtypes.string else 0)


def _listed(result: Any) -> list:
    return list(result) if isinstance(result, (list, tuple)) else [result]


def If(
    cond: Any, inputs: Sequence[Any], then_branch: Callable, else_branch: Callable,
    name: str | None = None,
) -> list:  # fmt: skip
    """The results of `then_branch(*inputs)` where the condition is true, else of the other.

    Args:
      cond: a tensor; see `_truth`.
      inputs: the tensors that both functions take.
      then_branch, else_branch: functions whose results have the same types.
      name: the name of the scope.
    """
    return cond_of(
        _truth(cond),
        lambda: _listed(then_branch(*inputs)),
        lambda: _listed(else_branch(*inputs)),
        strict=True,
        name=name or "If",
    )


def While(
    input_: Sequence[Any], cond: Callable, body: Callable, name: str | None = None,
    hostmem: Any = None,
) -> list:  # fmt: skip
    """What `body` makes of tensors, again and again, while `cond` of them is true.

    Args:
      input_: the tensors at the start.
      cond: from the tensors to the condition; see `_truth`.
      body: from the tensors to those of the next turn.
      name: the name of the scope.
      hostmem: accepted; where a tensor lies is for devices to know.
    Raises:
      ValueError: when `cond` has another number of results than one.
    """

    def go_on(*state: Any) -> Tensor:
        found = _listed(cond(*state))
        if len(found) != 1:
            raise ValueError("The 'cond' function must have a single output.")
        return _truth(found[0])

    def turn(*state: Any) -> list:
        return _listed(body(*state))

    state = [convert_to_tensor(each) for each in input_]
    return list(while_loop(go_on, turn, state, name=name or "While", return_same_structure=True))


def For(
    start: Any, limit: Any, delta: Any, inputs: Sequence[Any], body: Callable,
    name: str | None = None, hostmem: Any = None, rewrite_with_while: Any = None,
) -> list:  # fmt: skip
    """What `body(i, *tensors)` makes of tensors, for i from `start` up or down to `limit`.

    Args:
      start, limit, delta: int32 scalars.
      inputs: the tensors at the start.
      body: from i and the tensors to those of the next turn.
      name: the name of the scope.
      hostmem, rewrite_with_while: accepted; the loop is a While in any case.
    """
    with stacks.name_scope(name, "For"):
        first, end, by = (convert_to_tensor(each, dtypes.int32) for each in (start, limit, delta))

        def go_on(i: Any, *state: Any) -> Tensor:
            return logical_or(logical_and(by > 0, i < end), logical_and(by < 0, i > end))

        def turn(i: Any, *state: Any) -> list:
            return [i + by, *_listed(body(i, *state))]

        return While([first, *inputs], go_on, turn)[1:]
