"""The operations of queues: making, filling, emptying, closing. `queues` has the classes for them.

A handle is the `QueueState` itself, which the device's resources keep from step to step.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import OpDef, op, scalar_shape
from minitf.core.graph.shapes import TensorShape, unknown_shape
from minitf.core.ops.elementwise import invalid
from minitf.library.input.queues.states import (
    FIFOState,
    PaddingFIFOState,
    QueueState,
    RandomShuffleState,
)

# ---- the sample --------------------------------------------------------------------------


def _program(make: OpDef, given: list[int], order: list[int]) -> list:
    """Three numbers go in and come out in `order`; then the queue is closed."""
    queue = make(component_types=(dtypes.int64,), shapes=(TensorShape(()),), capacity=5)
    out = {"component_types": (dtypes.int64,)}
    return [
        (enqueue_many_op(queue, [np.array(given[:2])]), None),
        (enqueue_op(queue, [np.int64(given[2])]), None),
        (size_op(queue), np.int32(3)),
        (dequeue_op(queue, **out), [np.int64(order[0])]),
        (dequeue_many_op(queue, 1, **out), [np.array(order[1:2])]),
        (is_closed_op(queue), np.bool_(False)),
        (close_op(queue), None),
        (is_closed_op(queue), np.bool_(True)),
        (dequeue_up_to_op(queue, 5, **out), [np.array(order[2:])]),
    ]


_queue_op = partial(
    op, differentiable=False, program=lambda folder: _program(fifo_queue_op, [3, 1, 2], [3, 1, 2])
)

# ---- the queues --------------------------------------------------------------------------


def _make(
    ctx: Any, state: type[QueueState], types: Any, shapes: Any, capacity: int, **options: Any
) -> QueueState:
    """The queue that a node names, made when it is new."""
    types, shapes = tuple(types), tuple(shapes)
    found = ctx.shared("queue", lambda name: state(name, types, shapes, capacity, **options))
    found.check_same(state.type_name, types, shapes, capacity, options)
    return found


def _declare_queue(state: type[QueueState]) -> OpDef:
    """The operation that makes one kind of queue."""

    def kernel(
        ctx: Any,
        *,
        component_types: Any,
        shapes: Any = (),
        capacity: int = -1,
        container: str = "",
        shared_name: str = "",
    ) -> QueueState:
        return _make(ctx, state, component_types, shapes, capacity)

    kernel.__doc__ = f"Gives the handle of a queue. {state.__doc__}"
    declare = _queue_op(
        f"{state.type_name}V2",
        "-> handle: resource",
        program=lambda folder: _program(op_def, [3, 1, 2], [3, 1, 2]),
    )
    op_def: OpDef = declare(kernel)
    op_def.shape(scalar_shape)
    return op_def


fifo_queue_op = _declare_queue(FIFOState)
padding_fifo_queue_op = _declare_queue(PaddingFIFOState)


@_queue_op(
    "RandomShuffleQueueV2",
    "-> handle: resource",
    program=lambda folder: _program(random_shuffle_queue_op, [7, 7, 7], [7, 7, 7]),
)
def random_shuffle_queue_op(
    ctx: Any,
    *,
    component_types: Any,
    shapes: Any = (),
    capacity: int = -1,
    min_after_dequeue: int = 0,
    seed: int = 0,
    seed2: int = 0,
    container: str = "",
    shared_name: str = "",
) -> QueueState:
    """Gives the handle of a queue that gives out in random order."""
    if min_after_dequeue < 0:
        raise invalid(f"min_after_dequeue {min_after_dequeue} must be >= 0")
    if 0 <= capacity <= min_after_dequeue:
        raise invalid(f"min_after_dequeue {min_after_dequeue} must be < capacity {capacity}")
    order = {"min_after_dequeue": min_after_dequeue, "seeds": (seed, seed2)}
    return _make(ctx, RandomShuffleState, component_types, shapes, capacity, **order)


random_shuffle_queue_op.shape(scalar_shape)

# ---- enqueue, dequeue --------------------------------------------------------------------


@_queue_op("QueueEnqueueV2", "handle: resource, components: N*? ->")
def enqueue_op(
    ctx: Any, handle: Any, components: Any, *, timeout_ms: int = -1, step: Any = None
) -> None:
    """Adds one element, waiting for room."""
    handle.enqueue(handle.checked(components), step)


@_queue_op("QueueEnqueueManyV2", "handle: resource, components: N*? ->")
def enqueue_many_op(
    ctx: Any, handle: Any, components: Any, *, timeout_ms: int = -1, step: Any = None
) -> None:
    """Adds one element for each row of the components, waiting for room for each."""
    handle.enqueue(handle.checked_rows(components), step)


@_queue_op("QueueDequeueV2", "handle: resource -> components: N*component_types")
def dequeue_op(
    ctx: Any, handle: Any, *, component_types: Any, timeout_ms: int = -1, step: Any = None
) -> Any:
    """Takes one element, waiting for it."""
    return [column[0] for column in handle.dequeue(1, step)]


@_queue_op("QueueDequeueManyV2", "handle: resource, n: int32 -> components: N*component_types")
def dequeue_many_op(
    ctx: Any, handle: Any, n: Any, *, component_types: Any, timeout_ms: int = -1, step: Any = None
) -> Any:
    """Takes `n` elements as one batch, waiting for all of them."""
    return _dequeue_batch(handle, int(n), step, "DequeueManyOp")


@_queue_op("QueueDequeueUpToV2", "handle: resource, n: int32 -> components: N*component_types")
def dequeue_up_to_op(
    ctx: Any, handle: Any, n: Any, *, component_types: Any, timeout_ms: int = -1, step: Any = None
) -> Any:
    """Takes `n` elements as one batch, or fewer when the queue is closed."""
    return _dequeue_batch(handle, int(n), step, "DequeueUpToOp", up_to=True)


def _dequeue_batch(queue: QueueState, n: int, step: Any, kind: str, up_to: bool = False) -> Any:
    if n < 0:
        raise invalid(f"{kind} requested {n} < 0 elements")
    if not queue.shapes:
        raise invalid(
            f"{queue.type_name}'s DequeueMany and DequeueUpTo require the components to have "
            "specified shapes."
        )
    return queue.batch(queue.dequeue(n, step, up_to) if n else [()] * len(queue.shapes))


@dequeue_many_op.shape
@dequeue_up_to_op.shape
def _batch_shape(handle: Any, n: Any, *, component_types: Any, timeout_ms: int) -> Any:
    if n.value is not None and n.value < 0:
        raise ValueError(f"Input 'n' must be >= 0, but is {int(n.value)}")
    return [unknown_shape()] * len(component_types)


@dequeue_op.shape
def _element_shape(handle: Any, *, component_types: Any, timeout_ms: int) -> Any:
    return [unknown_shape()] * len(component_types)


# ---- size, close -------------------------------------------------------------------------


@_queue_op("QueueSizeV2", "handle: resource -> size: int32")
def size_op(ctx: Any, handle: Any) -> Any:
    """Counts the elements."""
    return np.int32(handle.count())


@_queue_op("QueueIsClosedV2", "handle: resource -> is_closed: bool")
def is_closed_op(ctx: Any, handle: Any) -> Any:
    """Tells whether the queue takes no more elements."""
    return np.bool_(handle.closed)


for _each in (size_op, is_closed_op):
    _each.shape(scalar_shape)


@_queue_op("QueueCloseV2", "handle: resource ->")
def close_op(
    ctx: Any, handle: Any, *, cancel_pending_enqueues: bool = False, step: Any = None
) -> None:
    """Lets no more elements in."""
    handle.close(cancel_pending_enqueues, step)
