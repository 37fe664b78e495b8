"""The operations of queues: making, filling, emptying, closing. `queues` has the classes for them.

A handle is the `QueueState` itself, which the device's resources keep from step to step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape, unknown_shape
from minitf.library.input.queues.states import (
    FIFOState,
    PaddingFIFOState,
    PriorityState,
    QueueState,
    RandomShuffleState,
)

_NEEDS_QUEUE = (
    "it acts on a queue, which a sample cannot hold; tests/core/ops/test_queues.py uses it"
)

# ---- the queues --------------------------------------------------------------------------


def _queue(
    ctx: Any,
    make: Callable[..., QueueState],
    types: Sequence[dtypes.DType],
    shapes: Sequence[TensorShape],
    capacity: int,
    **options: Any,
) -> QueueState:
    """The queue that a node names, made when it is new."""
    types, shapes = tuple(types), tuple(shapes)
    found = ctx.shared("queue", lambda name: make(name, types, shapes, capacity, **options))
    found.check_same(make.type_name, types, shapes, capacity)
    return found


@op("FIFOQueueV2", "-> handle: resource", differentiable=False, no_samples=_NEEDS_QUEUE)
def fifo_queue_op(
    ctx: Any,
    *,
    component_types: Any,
    shapes: Any = (),
    capacity: int = -1,
    container: str = "",
    shared_name: str = "",
) -> QueueState:
    """Gives the handle of a queue that is first in, first out."""
    return _queue(ctx, FIFOState, component_types, shapes, capacity)


@op("PaddingFIFOQueueV2", "-> handle: resource", differentiable=False, no_samples=_NEEDS_QUEUE)
def padding_fifo_queue_op(
    ctx: Any,
    *,
    component_types: Any,
    shapes: Any = (),
    capacity: int = -1,
    container: str = "",
    shared_name: str = "",
) -> QueueState:
    """Gives the handle of a queue whose batches are filled up to one shape."""
    return _queue(ctx, PaddingFIFOState, component_types, shapes, capacity)


@op("RandomShuffleQueueV2", "-> handle: resource", differentiable=False, no_samples=_NEEDS_QUEUE)
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
        text = f"min_after_dequeue {min_after_dequeue} must be >= 0"
        raise errors.InvalidArgumentError(None, None, text)
    if 0 <= capacity <= min_after_dequeue:
        text = f"min_after_dequeue {min_after_dequeue} must be < capacity {capacity}"
        raise errors.InvalidArgumentError(None, None, text)
    draw = np.random.default_rng([seed, seed2] if seed or seed2 else None).integers
    return _queue(
        ctx,
        RandomShuffleState,
        component_types,
        shapes,
        capacity,
        min_after_dequeue=min_after_dequeue,
        generator=draw,
    )


@op("PriorityQueueV2", "-> handle: resource", differentiable=False, no_samples=_NEEDS_QUEUE)
def priority_queue_op(
    ctx: Any,
    *,
    component_types: Any,
    shapes: Any = (),
    capacity: int = -1,
    container: str = "",
    shared_name: str = "",
) -> QueueState:
    """Gives the handle of a queue that gives out the element of the smallest priority."""
    types = (dtypes.int64, *component_types)
    return _queue(ctx, PriorityState, types, (TensorShape(()), *shapes), capacity)


for _op_def in (fifo_queue_op, padding_fifo_queue_op, random_shuffle_queue_op, priority_queue_op):
    _op_def.shape(lambda **attrs: TensorShape(()))

# ---- enqueue, dequeue --------------------------------------------------------------------


@op(
    "QueueEnqueueV2",
    "handle: resource, components: N*? ->",
    differentiable=False,
    no_samples=_NEEDS_QUEUE,
)
def enqueue_op(
    ctx: Any, handle: Any, components: Any, *, timeout_ms: int = -1, step: Any = None
) -> None:
    """Adds one element, waiting for room."""
    handle.enqueue([handle.checked(tuple(components))], step)


@op(
    "QueueEnqueueManyV2",
    "handle: resource, components: N*? ->",
    differentiable=False,
    no_samples=_NEEDS_QUEUE,
)
def enqueue_many_op(
    ctx: Any, handle: Any, components: Any, *, timeout_ms: int = -1, step: Any = None
) -> None:
    """Adds one element for each row of the components, waiting for room for each."""
    handle.enqueue(handle.checked_rows(components), step)


@op(
    "QueueDequeueV2",
    "handle: resource -> components: N*component_types",
    differentiable=False,
    no_samples=_NEEDS_QUEUE,
)
def dequeue_op(
    ctx: Any, handle: Any, *, component_types: Any, timeout_ms: int = -1, step: Any = None
) -> Any:
    """Takes one element, waiting for it."""
    return handle.dequeue(1, step)[0]


@op(
    "QueueDequeueManyV2",
    "handle: resource, n: int32 -> components: N*component_types",
    differentiable=False,
    no_samples=_NEEDS_QUEUE,
)
def dequeue_many_op(
    ctx: Any, handle: Any, n: Any, *, component_types: Any, timeout_ms: int = -1, step: Any = None
) -> Any:
    """Takes `n` elements as one batch, waiting for all of them."""
    return _dequeue_batch(handle, int(n), step, "DequeueManyOp")


@op(
    "QueueDequeueUpToV2",
    "handle: resource, n: int32 -> components: N*component_types",
    differentiable=False,
    no_samples=_NEEDS_QUEUE,
)
def dequeue_up_to_op(
    ctx: Any, handle: Any, n: Any, *, component_types: Any, timeout_ms: int = -1, step: Any = None
) -> Any:
    """Takes `n` elements as one batch, or fewer when the queue is closed."""
    return _dequeue_batch(handle, int(n), step, "DequeueUpToOp", up_to=True)


def _dequeue_batch(queue: QueueState, n: int, step: Any, kind: str, up_to: bool = False) -> Any:
    if n < 0:
        raise errors.InvalidArgumentError(None, None, f"{kind} requested {n} < 0 elements")
    if not queue.shapes:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"{queue.type_name}'s DequeueMany and DequeueUpTo require the components to have "
            "specified shapes.",
        )
    return queue.batch(queue.dequeue(n, step, up_to) if n else [])


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


@op("QueueSizeV2", "handle: resource -> size: int32", differentiable=False, no_samples=_NEEDS_QUEUE)
def size_op(ctx: Any, handle: Any) -> Any:
    """Counts the elements."""
    return np.int32(handle.count())


@op(
    "QueueIsClosedV2",
    "handle: resource -> is_closed: bool",
    differentiable=False,
    no_samples=_NEEDS_QUEUE,
)
def is_closed_op(ctx: Any, handle: Any) -> Any:
    """Tells whether the queue takes no more elements."""
    return np.bool_(handle.closed)


@size_op.shape
@is_closed_op.shape
def _scalar_shape(handle: Any) -> Any:
    return TensorShape(())


@op("QueueCloseV2", "handle: resource ->", differentiable=False, no_samples=_NEEDS_QUEUE)
def close_op(
    ctx: Any, handle: Any, *, cancel_pending_enqueues: bool = False, step: Any = None
) -> None:
    """Lets no more elements in."""
    handle.close(cancel_pending_enqueues, step)
