"""Queues: where one step leaves elements, and another takes them.

    q = tf.FIFOQueue(10, tf.float32, shapes=[[]])
    thread A:  while True: sess.run(q.enqueue(read_number()))
    thread B:  while True: sess.run(train)                # train reads q.dequeue_many(32)

An element is a tuple of tensors. The queue itself lives with its device, as a variable does (see
states.py); the graph holds a handle to it.
"""

from __future__ import annotations

import hashlib
from functools import partial
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import constant_value, convert_to_tensor
from minitf.core.graph.graph import Operation, Tensor
from minitf.core.graph.op_def import OpDef, op, scalar_shape
from minitf.core.graph.shapes import Dimension, TensorShape, as_shape, unknown_shape
from minitf.core.graph.stacks import name_scope
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.random import get_seed
from minitf.library.input.queues.states import (
    FIFOState,
    PaddingFIFOState,
    QueueState,
    RandomShuffleState,
)

# ---- the sample --------------------------------------------------------------------------


def _program(make: OpDef, given: list[int]) -> list:
    """Three numbers go in and come out in their order; then the queue is closed."""
    queue = make(component_types=(dtypes.int64,), shapes=(TensorShape(()),), capacity=5)
    out = {"component_types": (dtypes.int64,)}
    return [
        (enqueue_many_op(queue, [np.array(given[:2])]), None),
        (enqueue_op(queue, [np.int64(given[2])]), None),
        (size_op(queue), np.int32(3)),
        (dequeue_op(queue, **out), [np.int64(given[0])]),
        (dequeue_many_op(queue, 1, **out), [np.array(given[1:2])]),
        (is_closed_op(queue), np.bool_(False)),
        (close_op(queue), None),
        (is_closed_op(queue), np.bool_(True)),
        (dequeue_up_to_op(queue, 5, **out), [np.array(given[2:])]),
    ]


_queue_op = partial(
    op, differentiable=False, program=lambda folder: _program(fifo_queue_op, [3, 1, 2])
)

# ---- the queues --------------------------------------------------------------------------


def _declare_queue(state: type[QueueState], order: list[int], **options: Any) -> OpDef:
    """The operation that makes one kind of queue.

    Args:
      state: the queue.
      order: in which the sample's numbers come out.
      options: the attributes that this kind has alone, with their defaults.
    """

    def kernel(
        ctx: Any,
        *,
        component_types: Any,
        shapes: Any = (),
        capacity: int = -1,
        container: str = "",
        shared_name: str = "",
        **own: Any,
    ) -> QueueState:
        told = state.options_of(capacity, **own)
        described = (tuple(component_types), tuple(shapes), capacity)
        found = ctx.shared("queue", lambda name: state(name, *described, **told))
        found.check_same(state.type_name, *described, told)
        return found

    kernel.__doc__ = f"Gives the handle of a queue. {(state.__doc__ or '').splitlines()[0]}"
    declare = _queue_op(
        f"{state.type_name}V2",
        "-> handle: resource",
        program=lambda folder: _program(op_def, order),
        attrs=options,
    )
    op_def: OpDef = declare(kernel)
    op_def.shape(scalar_shape)
    return op_def


fifo_queue_op = _declare_queue(FIFOState, [3, 1, 2])
padding_fifo_queue_op = _declare_queue(PaddingFIFOState, [3, 1, 2])
random_shuffle_queue_op = _declare_queue(
    RandomShuffleState, [7, 7, 7], min_after_dequeue=0, seed=0, seed2=0
)

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


# ---- the public classes ------------------------------------------------------------------


def _as_type_list(types: Any) -> list[dtypes.DType]:
    if not isinstance(types, (list, tuple)):
        types = [types]
    return [dtypes.as_dtype(t).base_dtype for t in types]


def _as_shape_list(shapes: Any, types: list, partial: bool = False) -> list[TensorShape]:
    """One shape for each dtype; nothing when none is given.

    Raises:
      ValueError: when the numbers differ.
    """
    if shapes is None:
        return []
    if isinstance(shapes, TensorShape):
        shapes = [shapes]
    if not isinstance(shapes, (list, tuple)):
        raise TypeError(
            f"shapes must be a TensorShape or a list or tuple of TensorShapes, got {shapes!r}"
        )
    if all(d is None or isinstance(d, (int, np.integer, Dimension)) for d in shapes):
        shapes = [shapes]  # of the one component
    shapes = [as_shape(shape) for shape in shapes]
    if not partial and any(not shape.is_fully_defined() for shape in shapes):
        raise ValueError(f"All shapes must be fully defined: {shapes}")
    if len(shapes) != len(types):
        raise ValueError(
            "Queue shapes must have the same length as dtypes, received len(shapes)="
            f"{len(shapes)}, len(dtypes)={len(types)}"
        )
    return shapes


def _as_name_list(names: Any, types: list) -> list[str] | None:
    if names is None:
        return None
    if not isinstance(names, (list, tuple)):
        names = [names]
    if len(names) != len(types):
        raise ValueError(
            "List of names must have the same length as the list of dtypes, received "
            f"len(names)={len(names)},len(dtypes)={len(types)}"
        )
    return list(names)


class QueueBase:
    """What all kinds of queues can do.

    Args:
      dtypes: the dtypes of an element's components.
      shapes: their shapes, or an empty list.
      names: their names, with which elements are dicts; or None.
      queue_ref: the handle.
    """

    def __init__(self, dtypes: Any, shapes: Any, names: Any, queue_ref: Tensor) -> None:
        self.dtypes = list(dtypes)
        self.shapes = list(shapes) or [unknown_shape() for _ in self.dtypes]
        self.names = names
        self.queue_ref = queue_ref
        self._name = queue_ref.op.name.split("/")[-1]

    @property
    def name(self) -> str:
        """The name of the queue's operation."""
        return self.queue_ref.op.name

    def _components(self, values: Any) -> list[Tensor]:
        """The values of an element or a batch as tensors, in the order of the components."""
        if isinstance(values, dict):
            if not self.names:
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(self.names, key=str) != sorted(values, key=str):
                raise ValueError(
                    "Keys in dictionary to enqueue do not match names of Queue.  Dictionary: "
                    f"{sorted(values)},Queue: {sorted(self.names)}"
                )
            values = [values[name] for name in self.names]
        else:
            if self.names:
                raise ValueError("You must enqueue a dictionary in a Queue with names")
            if not isinstance(values, (list, tuple)):
                values = [values]
        return [
            convert_to_tensor(value, dtype=dtype, name=f"component_{i}")
            for i, (value, dtype) in enumerate(zip(values, self.dtypes))
        ]

    def enqueue(self, vals: Any, name: str | None = None) -> Operation:
        """An operation that adds one element, waiting while the queue is full.

        Args:
          vals: a tensor, a list of them, or a dict for a queue with names.
          name: the name.
        Raises (when it runs):
          CancelledError: when the queue is closed.
        """
        with name_scope(name, f"{self._name}_enqueue", _values(vals)) as scope:
            components = self._components(vals)
            for tensor, shape in zip(components, self.shapes):
                tensor.shape.assert_is_compatible_with(shape)
            return enqueue_op(self.queue_ref, components, name=scope)

    def enqueue_many(self, vals: Any, name: str | None = None) -> Operation:
        """An operation that adds one element for each row of the tensors.

        Args:
          vals: as of `enqueue`, with one more axis in front.
          name: the name.
        """
        with name_scope(name, f"{self._name}_EnqueueMany", _values(vals)) as scope:
            components = self._components(vals)
            rows = components[0].shape.with_rank_at_least(1)[0]
            for tensor, shape in zip(components, self.shapes):
                rows = rows.merge_with(tensor.shape.with_rank_at_least(1)[0])
                tensor.shape[1:].assert_is_compatible_with(shape)
            return enqueue_many_op(self.queue_ref, components, name=scope)

    def dequeue(self, name: str | None = None) -> Any:
        """The components of the next element, for which the step waits.

        Returns: a tensor, a list of several, or a dict for a queue with names.
        Raises (when it runs):
          OutOfRangeError: when the queue is closed and empty.
        """
        return self._result(self._take(dequeue_op, name or f"{self._name}_Dequeue"))

    def dequeue_many(self, n: Any, name: str | None = None) -> Any:
        """`n` elements as one batch, for which the step waits; see `dequeue`."""
        made = self._take(dequeue_many_op, name or f"{self._name}_DequeueMany", n)
        known = constant_value(made[0].op.inputs[1])
        return self._result(made, TensorShape([None if known is None else int(known)]))

    def dequeue_up_to(self, n: Any, name: str | None = None) -> Any:
        """`n` elements as one batch, or fewer when the queue is closed; see `dequeue`."""
        made = self._take(dequeue_up_to_op, name or f"{self._name}_DequeueUpTo", n)
        return self._result(made, TensorShape([None]))

    def _take(self, take: OpDef, name: str, *number: Any) -> list[Tensor]:
        return take(self.queue_ref, *number, component_types=tuple(self.dtypes), name=name)

    def _result(self, tensors: list[Tensor], rows: TensorShape = TensorShape(())) -> Any:  # noqa: B008
        for tensor, shape in zip(tensors, self.shapes):
            if shape.ndims is not None:
                tensor.set_shape(rows.concatenate(shape))
        if self.names:
            return dict(zip(self.names, tensors))
        return tensors if len(tensors) > 1 else tensors[0]

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """An operation after which nothing can be added; what is in the queue can be taken.

        Args:
          cancel_pending_enqueues: end steps that wait for room, instead of waiting for them.
          name: the name.
        """
        return close_op(
            self.queue_ref,
            cancel_pending_enqueues=cancel_pending_enqueues,
            name=name or f"{self._name}_Close",
        )

    def is_closed(self, name: str | None = None) -> Tensor:
        """A bool tensor: whether the queue is closed."""
        return is_closed_op(self.queue_ref, name=name or f"{self._name}_Is_Closed")

    def size(self, name: str | None = None) -> Tensor:
        """An int32 tensor: how many elements the queue holds."""
        return size_op(self.queue_ref, name=name or f"{self._name}_Size")


def _values(vals: Any) -> list[Any]:
    return list(vals.values()) if isinstance(vals, dict) else [vals]


def _handle(
    make: OpDef, types: list, shapes: list, capacity: Any, shared_name: Any, name: str, **attrs: int
) -> Tensor:
    """Adds the operation that makes a queue."""
    return make(
        component_types=tuple(types),
        shapes=tuple(shapes),
        capacity=int(capacity),
        shared_name=shared_name or "",
        name=name,
        **attrs,
    )


class FIFOQueue(QueueBase):
    """A queue that gives elements out in the order they came in.

    Args:
      capacity: how many elements it holds.
      dtypes: a dtype, or a list of them, of the components.
      shapes: a list of full shapes; needed for `dequeue_many`.
      names: names of the components.
      shared_name: the name under which several sessions share it.
      name: the name.
    Example:
      >>> q = tf.FIFOQueue(3, tf.float32)
      >>> sess.run(q.enqueue_many([[1.0, 2.0]]))
      >>> sess.run(q.dequeue())
      1.0
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ) -> None:
        types = _as_type_list(dtypes)
        shapes, names = _as_shape_list(shapes, types), _as_name_list(names, types)
        with stacks.device("/device:CPU:*"):
            handle = _handle(fifo_queue_op, types, shapes, capacity, shared_name, name)
        super().__init__(types, shapes, names, handle)


class RandomShuffleQueue(QueueBase):
    """A queue that gives elements out in random order.

    Args:
      capacity: how many elements it holds.
      min_after_dequeue: how many must stay in it, for the order to be random enough.
      dtypes, shapes, names, shared_name, name: as of `FIFOQueue`.
      seed: of the order; see `tf.set_random_seed`.
    """

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ) -> None:
        types = _as_type_list(dtypes)
        shapes, names = _as_shape_list(shapes, types), _as_name_list(names, types)
        seeds = get_seed(seed)
        if seed is None and seeds[1] is not None and shared_name is not None:
            # The graph's seed and the name alone: nodes that share a queue describe it alike.
            digest = hashlib.md5(f"{seeds[0]}{shared_name}".encode(), usedforsecurity=False)
            seeds = seeds[0], int(digest.hexdigest()[:8], 16) & 0x7FFFFFFF
        order = {
            "min_after_dequeue": int(min_after_dequeue),
            "seed": seeds[0] or 0,
            "seed2": seeds[1] or 0,
        }
        handle = _handle(
            random_shuffle_queue_op, types, shapes, capacity, shared_name, name, **order
        )
        super().__init__(types, shapes, names, handle)


class PaddingFIFOQueue(QueueBase):
    """A `FIFOQueue` for elements of different sizes: a batch is filled up with zeros.

    Args:
      capacity: how many elements it holds.
      dtypes: of the components.
      shapes: of the components, with None where sizes differ; needed.
      names, shared_name, name: as of `FIFOQueue`.
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ) -> None:
        types = _as_type_list(dtypes)
        if shapes is None or isinstance(shapes, (list, tuple)) and any(s is None for s in shapes):
            raise ValueError("When providing partial shapes, a list of shapes must be provided.")
        names = _as_name_list(names, types)
        if isinstance(shapes, (list, tuple)) and len(shapes) != len(types):
            raise ValueError(
                "Shapes must be provided for all components, but received "
                f"{len(types)} dtypes and {len(shapes)} shapes."
            )
        shapes = _as_shape_list(shapes, types, partial=True)
        if any(shape.ndims is None for shape in shapes):
            raise ValueError(f"All shapes must have a defined rank: {shapes}")
        handle = _handle(padding_fifo_queue_op, types, shapes, capacity, shared_name, name)
        super().__init__(types, shapes, names, handle)


class StagingArea(QueueBase):
    """Holds the tensors of coming steps ready, in the order they came.

    A step that gets what the last step has put does not wait for its input.

    Args:
      dtypes: of a tuple's components.
      shapes: of the components.
      names: of the components, with which tuples are dicts.
      shared_name: the name under which operations of several graphs meet.
      capacity: how many tuples it holds; 0 for any number.
      memory_limit: accepted.
    Raises:
      ValueError: when there is not a shape or a name for each component.
    Example:
      >>> area = tf.contrib.staging.StagingArea([tf.float32])
      >>> sess.run(area.put([tf.constant(1.5)]))
      >>> sess.run(area.get())
      [1.5]
    """

    def __init__(
        self,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        capacity: int = 0,
        memory_limit: int = 0,
    ) -> None:
        if shared_name is not None and not isinstance(shared_name, str):
            raise ValueError(f"shared_name must be a string, got {shared_name}")
        types = _as_type_list(dtypes)
        shapes = _as_shape_list(shapes, types, partial=True)
        names, name = _as_name_list(names, types), shared_name or "StagingArea"
        handle = _handle(fifo_queue_op, types, [], capacity or -1, shared_name, name)
        super().__init__(types, shapes, names, handle)

    def put(self, values: Any, name: str | None = None) -> Operation:
        """An operation that puts one tuple, waiting for room: a tensor, a list or a dict."""
        if isinstance(values, (list, tuple)) and len(values) != len(self.dtypes):
            raise ValueError(f"Unexpected number of inputs {len(values)} vs {len(self.dtypes)}")
        return self.enqueue(values, name or f"{self._name}_put")

    def get(self, name: str | None = None) -> Any:
        """The oldest tuple, for which the step waits: a list, or a dict in an area with names."""
        found = self.dequeue(name or f"{self._name}_get")
        return [found] if isinstance(found, Tensor) else found
