"""Stacks that a step fills and empties: `StackV2` and its kin, as old loops keep values.

handle = stack_v2(-1, tf.float32)      a new stack in each step
stack_push_v2(handle, x)               gives x on
stack_pop_v2(handle, tf.float32)       what was pushed last; control inputs say the order
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import op, scalar_shape
from minitf.core.graph.shapes import unknown_shape
from minitf.core.graph.stacks import control_dependencies
from minitf.core.ops.elementwise import invalid


class _Stack:
    """What is pushed; `room` is how much may be, negative for any number."""

    __slots__ = ("name", "room", "values")

    def __init__(self, name: str, room: int) -> None:
        self.name, self.room = name, room
        self.values: list[Any] | None = []

    def open(self) -> list[Any]:
        if self.values is None:
            raise invalid(f"Stack[{self.name}] has already been closed.")
        return self.values


def _program(folder: str) -> list:
    stack = stack_op(-1, elem_type=dtypes.float32)
    first = push_op(stack, np.float32(2))
    with control_dependencies([first]):
        second = push_op(stack, np.float32(3))
    with control_dependencies([second]):
        popped = pop_op(stack, elem_type=dtypes.float32)
    with control_dependencies([popped]):
        closed = close_op(stack)
    return [(popped, np.float32(3)), (closed, None)]


_KIND: dict[str, Any] = {"differentiable": False, "host_only": True, "program": _program}


@op("StackV2", "max_size: int32 -> handle: resource", **_KIND)
def stack_op(ctx: Any, max_size: Any, *, elem_type: Any, stack_name: str = "") -> Any:
    """A new stack."""
    return _Stack(stack_name or ctx.node_name, int(max_size))


@op("StackPushV2", "handle: resource, elem: T -> output: T", alias=True, **_KIND)
def push_op(ctx: Any, handle: Any, elem: Any, *, swap_memory: bool = False) -> Any:
    """Pushes a tensor, and gives it on."""
    values = handle.open()
    if 0 <= handle.room <= len(values):
        raise invalid(f"Stack[{handle.name}] overflowed its max_size ({handle.room})")
    values.append(elem.copy() if isinstance(elem, np.ndarray) else elem)
    return elem


@op("StackPopV2", "handle: resource -> elem: elem_type", alias=True, **_KIND)
def pop_op(ctx: Any, handle: Any, *, elem_type: Any) -> Any:
    """Takes what was pushed last."""
    values = handle.open()
    if not values:
        raise invalid(f"Stack[{handle.name}] is empty when calling Pop().")
    return values.pop()


@op("StackCloseV2", "handle: resource ->", **_KIND)
def close_op(ctx: Any, handle: Any) -> None:
    """Forgets everything; nothing is pushed any more."""
    handle.values = None


stack_op.shape(scalar_shape)
push_op.shape(lambda handle, elem, **attrs: elem.shape)
pop_op.shape(lambda handle, **attrs: unknown_shape())
