"""Queues: where one step leaves elements, and another takes them.

    q = tf.FIFOQueue(10, tf.float32, shapes=[[]])
    thread A:  while True: sess.run(q.enqueue(read_number()))
    thread B:  while True: sess.run(train)                # train reads q.dequeue_many(32)

An element is a tuple of tensors. The queue itself lives with its device, as a variable does (see
`queue_states`); the graph holds a handle to it.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import constant_value, convert_to_tensor
from minitf.core.graph.graph import Operation, Tensor
from minitf.core.graph.op_def import OpDef
from minitf.core.graph.shapes import Dimension, TensorShape, as_shape, unknown_shape
from minitf.core.graph.stacks import name_scope
from minitf.core.ops.random import get_seed
from minitf.library.input.queues.kernels import (
    close_op,
    dequeue_many_op,
    dequeue_op,
    dequeue_up_to_op,
    enqueue_many_op,
    enqueue_op,
    fifo_queue_op,
    is_closed_op,
    padding_fifo_queue_op,
    random_shuffle_queue_op,
    size_op,
)

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
        self._dtypes = list(dtypes)
        self._shapes = list(shapes) or [unknown_shape() for _ in self._dtypes]
        self._names = names
        self._queue_ref = queue_ref
        self._name = queue_ref.op.name.split("/")[-1]

    @property
    def queue_ref(self) -> Tensor:
        """The handle."""
        return self._queue_ref

    @property
    def name(self) -> str:
        """The name of the queue's operation."""
        return self._queue_ref.op.name

    @property
    def dtypes(self) -> list[dtypes.DType]:
        """The dtypes of an element's components."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shapes of an element's components."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """The names of an element's components."""
        return self._names

    def _components(self, values: Any) -> list[Tensor]:
        """The values of an element or a batch as tensors, in the order of the components."""
        if isinstance(values, dict):
            if not self._names:
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(self._names, key=str) != sorted(values, key=str):
                raise ValueError(
                    "Keys in dictionary to enqueue do not match names of Queue.  Dictionary: "
                    f"{sorted(values)},Queue: {sorted(self._names)}"
                )
            values = [values[name] for name in self._names]
        else:
            if self._names:
                raise ValueError("You must enqueue a dictionary in a Queue with names")
            if not isinstance(values, (list, tuple)):
                values = [values]
        return [
            convert_to_tensor(value, dtype=dtype, name=f"component_{i}")
            for i, (value, dtype) in enumerate(zip(values, self._dtypes))
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
            for tensor, shape in zip(components, self._shapes):
                tensor.shape.assert_is_compatible_with(shape)
            return enqueue_op(self._queue_ref, components, name=scope)

    def enqueue_many(self, vals: Any, name: str | None = None) -> Operation:
        """An operation that adds one element for each row of the tensors.

        Args:
          vals: as of `enqueue`, with one more axis in front.
          name: the name.
        """
        with name_scope(name, f"{self._name}_EnqueueMany", _values(vals)) as scope:
            components = self._components(vals)
            rows = components[0].shape.with_rank_at_least(1)[0]
            for tensor, shape in zip(components, self._shapes):
                rows = rows.merge_with(tensor.shape.with_rank_at_least(1)[0])
                tensor.shape[1:].assert_is_compatible_with(shape)
            return enqueue_many_op(self._queue_ref, components, name=scope)

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
        return take(self._queue_ref, *number, component_types=tuple(self._dtypes), name=name)

    def _result(self, tensors: list[Tensor], rows: TensorShape = TensorShape(())) -> Any:  # noqa: B008
        for tensor, shape in zip(tensors, self._shapes):
            if shape.ndims is not None:
                tensor.set_shape(rows.concatenate(shape))
        if self._names:
            return dict(zip(self._names, tensors))
        return tensors if len(tensors) > 1 else tensors[0]

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """An operation after which nothing can be added; what is in the queue can be taken.

        Args:
          cancel_pending_enqueues: end steps that wait for room, instead of waiting for them.
          name: the name.
        """
        return close_op(
            self._queue_ref,
            cancel_pending_enqueues=cancel_pending_enqueues,
            name=name or f"{self._name}_Close",
        )

    def is_closed(self, name: str | None = None) -> Tensor:
        """A bool tensor: whether the queue is closed."""
        return is_closed_op(self._queue_ref, name=name or f"{self._name}_Is_Closed")

    def size(self, name: str | None = None) -> Tensor:
        """An int32 tensor: how many elements the queue holds."""
        return size_op(self._queue_ref, name=name or f"{self._name}_Size")


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
