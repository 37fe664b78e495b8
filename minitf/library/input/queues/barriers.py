"""Barriers: where the components of one element, each made elsewhere, meet under a key.

    insert_many(0, keys, images) ─┐   incomplete: {key: its components so far}
                                  ├─▶    the last one has come: ready, by age ──▶ take_many
    insert_many(1, keys, labels) ─┘

The age of an element is that of its first component.
"""

from __future__ import annotations

import threading
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.convert import constant_value
from minitf.core.graph.graph import Operation, Tensor
from minitf.core.graph.op_def import op, scalar_shape
from minitf.core.graph.shapes import TensorShape, brackets, unknown_shape
from minitf.core.ops.elementwise import invalid
from minitf.library.input.queues.queues import _as_shape_list, _as_type_list
from minitf.library.input.queues.states import PriorityState, same_components

OLDEST = -(2**63)  # the age of the first element


class BarrierState:
    """A barrier on a device.

    Args:
      name: how messages call it.
      component_types: the dtypes of an element's components.
      shapes: their shapes.
    """

    def __init__(self, name: str, component_types: Any, shapes: Any) -> None:
        self.name = name
        head = (TensorShape(()), TensorShape(()))  # age and key
        self._ready = PriorityState(
            name, (dtypes.int64, dtypes.string, *component_types), (*head, *shapes), -1
        )
        self._incomplete: dict[bytes, list[Any]] = {}  # age, key, component or None, ...
        self._age = OLDEST
        self._closed = self._cancelled = False
        self._lock = threading.Lock()

    def insert(self, component: int, keys: np.ndarray, values: np.ndarray) -> None:
        """Adds one component of some elements."""
        types = self._ready.component_types[2:]
        if component >= len(types):
            raise invalid(
                f"The component ID is out of range {component} > num_components (= {len(types)})"
            )
        if keys.size and not values.size:
            raise invalid(
                f"Tensors with no elements are not supported {self.name}: received shape "
                f"{brackets(TensorShape(values.shape))}"
            )
        values = np.array(values)  # the step's buffers are its own
        with self._lock:
            gone = self._cancelled or (keys.size and not self._incomplete)
            if self._closed and gone:
                raise errors.CancelledError.of(
                    f"Barrier {self.name} is closed.  Pending enqueues cancelled: "
                    f"{self._cancelled:d}.  Number of new insertions: {keys.size}.  Number of "
                    f"incomplete keys: {len(self._incomplete)}."
                )
            complete, age = [], self._age
            try:
                for i, key in enumerate(keys.tolist()):
                    element = self._incomplete.get(key) or self._new(key, age, i, len(types))
                    if element[2 + component] is not None:
                        raise invalid(
                            f"Key {key.decode(errors='replace')} already has a value for component "
                            f"{component} in barrier {self.name}"
                        )
                    element[2 + component] = values[i]
                    if all(each is not None for each in element):
                        whole = self._incomplete.pop(key)
                        self._ready.checked(whole)
                        complete.append(whole)
            finally:
                if complete:
                    self._ready.enqueue([*zip(*complete, strict=True)])
                if self._closed and not self._incomplete:
                    self._ready.close(cancel_pending_enqueues=True)

    def _new(self, key: bytes, age: int, place: int, components: int) -> list[Any]:
        """A place for a key that is new."""
        if self._closed:
            raise errors.CancelledError.of(
                f"Barrier {self.name} is closed, but attempted to insert a brand new key: "
                f"{key.decode(errors='replace')}.  Pending enqueues cancelled: "
                f"{self._cancelled:d}.  Insertion index: {place}.  Number of incomplete keys: "
                f"{len(self._incomplete)}."
            )
        self._age = age + 1
        return self._incomplete.setdefault(key, [np.int64(age), key, *[None] * components])

    def take(self, number: int, small: bool, step: Any) -> list[Any]:
        """Waits for so many complete elements, and gives them as a batch, the oldest first."""
        with self._lock:
            if self._closed:
                available = self._ready.count()
                if small:
                    number = min(number, available)
                else:
                    available += len(self._incomplete)
                if available < max(number, 1):
                    raise errors.OutOfRangeError.of(
                        f"Barrier '{self.name}' is closed and has insufficient elements "
                        f"(requested {number}, total size {available})"
                    )
        none = [()] * len(self._ready.shapes)
        return self._ready.batch(self._ready.dequeue(number, step, small) if number else none)

    def close(self, cancel: bool) -> None:
        """Lets no new keys in, and with `cancel` no components of the old ones either."""
        with self._lock:
            if self._closed and (self._cancelled or not cancel):
                raise errors.CancelledError.of(f"Barrier '{self.name}' is already closed.")
            self._closed, self._cancelled = True, cancel
            if cancel:
                self._incomplete.clear()
            if not self._incomplete:
                self._ready.close(cancel_pending_enqueues=True)

    def sizes(self) -> tuple[int, int]:
        """How many elements are ready, and how many are not."""
        with self._lock:
            return self._ready.count(), len(self._incomplete)

    def check_same(self, component_types: Any, shapes: Any) -> None:
        """Checks that another node that shares this barrier describes it alike."""
        ready = self._ready
        own = (ready.component_types[2:], ready.shapes[2:])
        same_components(f"barrier '{self.name}'", *own, component_types, shapes)


# ---- the operations ----------------------------------------------------------------------


def _program(folder: str) -> list:
    """Two elements come in two parts; the older leaves first."""
    barrier = barrier_op(
        component_types=(dtypes.int32, dtypes.int32), shapes=(TensorShape(()),) * 2
    )
    taken = [np.array([OLDEST, OLDEST + 1]), np.array([b"a", b"b"], object), [1, 2], [3, 4]]
    return [
        (barrier_insert_many_op(barrier, ["a"], np.array([1], np.int32), component_index=0), None),
        (barrier_insert_many_op(barrier, ["b"], np.array([2], np.int32), component_index=0), None),
        (barrier_incomplete_size_op(barrier), np.int32(2)),
        (barrier_insert_many_op(barrier, ["b", "a"], np.int32([4, 3]), component_index=1), None),
        (barrier_ready_size_op(barrier), np.int32(2)),
        (
            barrier_take_many_op(barrier, 2, component_types=(dtypes.int32, dtypes.int32)),
            [*taken[:2], *np.int32(taken[2:])],
        ),
        (barrier_close_op(barrier), None),
    ]


_barrier_op = partial(op, differentiable=False, program=_program)


@_barrier_op("Barrier", "-> handle: resource")
def barrier_op(
    ctx: Any, *, component_types: Any, shapes: Any = (), capacity: int = -1, container: str = "",
    shared_name: str = "",
) -> BarrierState:  # fmt: skip
    """Gives the handle of a barrier."""
    given = shapes or [unknown_shape()] * len(component_types)
    shapes = tuple(shape if shape.is_fully_defined() else TensorShape(()) for shape in given)
    found = ctx.shared("barrier", lambda name: BarrierState(name, component_types, shapes))
    found.check_same(component_types, shapes)
    return found


barrier_op.shape(scalar_shape)


@_barrier_op("BarrierInsertMany", "handle: resource, keys: string, values: T ->", host=("keys",))
def barrier_insert_many_op(
    ctx: Any, handle: Any, keys: Any, values: Any, *, component_index: int
) -> None:
    """Adds one component of some elements."""
    handle.insert(component_index, keys, values)


@barrier_insert_many_op.shape
def _insert_shape(handle: Any, keys: Any, values: Any, *, component_index: int) -> Any:
    rows = keys.shape.with_rank(1)[0]
    rows.merge_with(values.shape.with_rank_at_least(1)[0])
    return []


@_barrier_op(
    "BarrierTakeMany",
    "handle: resource, num_elements: int32 -> "
    "indices: int64, keys: string, values: N*component_types",
)
def barrier_take_many_op(
    ctx: Any, handle: Any, num_elements: Any, *, component_types: Any,
    allow_small_batch: bool = False, wait_for_incomplete: bool = False, timeout_ms: int = -1,
    step: Any = None,
) -> Any:  # fmt: skip
    """Takes complete elements, waiting for them."""
    return handle.take(int(num_elements), allow_small_batch, step)


barrier_take_many_op.shape(
    lambda handle, number, **attrs: [unknown_shape()] * (2 + len(attrs["component_types"]))
)


@_barrier_op("BarrierClose", "handle: resource ->")
def barrier_close_op(ctx: Any, handle: Any, *, cancel_pending_enqueues: bool = False) -> None:
    """Lets no new keys in."""
    handle.close(cancel_pending_enqueues)


@_barrier_op("BarrierReadySize", "handle: resource -> size: int32")
def barrier_ready_size_op(ctx: Any, handle: Any) -> Any:
    """Counts the complete elements."""
    return np.int32(handle.sizes()[0])


@_barrier_op("BarrierIncompleteSize", "handle: resource -> size: int32")
def barrier_incomplete_size_op(ctx: Any, handle: Any) -> Any:
    """Counts the elements that miss a component."""
    return np.int32(handle.sizes()[1])


for _each in (barrier_ready_size_op, barrier_incomplete_size_op):
    _each.shape(scalar_shape)


# ---- the public class --------------------------------------------------------------------


class BarrierTakeMany(NamedTuple):
    """What `Barrier.take_many` gives."""

    indices: Tensor
    keys: Tensor
    values: list[Tensor]


class Barrier:
    """A map from keys to tuples of tensors, of which complete ones are taken, the oldest first.

    Args:
      types: a dtype or a tuple of dtypes, of an element's components.
      shapes: a shape for each component; scalars by default.
      shared_name: the name under which several sessions share it.
      name: the name.
    Raises:
      ValueError: when a shape has no elements.
    Example:
      >>> b = tf.contrib.staging.Barrier((tf.float32, tf.int32), shapes=((), ()))
      >>> sess.run(b.insert_many(0, ["k1", "k2"], [0.5, 1.5]))
      >>> sess.run(b.insert_many(1, ["k2"], [7]))
      >>> sess.run(b.take_many(1).values)
      [array([1.5], dtype=float32), array([7], dtype=int32)]
    """

    def __init__(
        self, types: Any, shapes: Any = None, shared_name: str | None = None, name: str = "barrier"
    ) -> None:
        self._types = _as_type_list(types)
        self._shapes = _as_shape_list(shapes, self._types) or [unknown_shape() for _ in self._types]
        for i, shape in enumerate(self._shapes):
            if shape.num_elements() == 0:
                raise ValueError(
                    f"Empty tensors are not supported, but received shape '{shape}' at index {i}"
                )
        self._barrier_ref = barrier_op(
            component_types=tuple(self._types),
            shapes=tuple(self._shapes),
            shared_name=shared_name or "",
            name=name,
        )
        self._name = self._barrier_ref.op.name.split("/")[-1]

    @property
    def barrier_ref(self) -> Tensor:
        """The handle."""
        return self._barrier_ref

    @property
    def name(self) -> str:
        """The name of the barrier's operation."""
        return self._barrier_ref.op.name

    def insert_many(
        self, component_index: int, keys: Any, values: Any, name: str | None = None
    ) -> Operation:
        """An operation that adds one component of several elements.

        Args:
          component_index: which component.
          keys: [n], the keys of the elements.
          values: [n, ...], the components.
          name: the name.
        Raises (when it runs):
          InvalidArgumentError: when an element has this component already.
          CancelledError: when the barrier is closed and a key is new.
        """
        name = name or f"{self._name}_BarrierInsertMany"
        ref = self._barrier_ref
        return barrier_insert_many_op(ref, keys, values, component_index=component_index, name=name)

    def take_many(
        self,
        num_elements: Any,
        allow_small_batch: bool = False,
        timeout: int | None = None,
        name: str | None = None,
    ) -> BarrierTakeMany:
        """Complete elements as a batch, for which the step waits.

        Args:
          num_elements: how many.
          allow_small_batch: whether fewer will do once the barrier is closed.
          timeout: not supported, as in TensorFlow.
          name: the name.
        Returns: indices [n], the numbers of the insertions that brought their first components,
          from -2**63 on; keys [n]; and a list of the components, each [n, ...].
        Raises (when it runs):
          OutOfRangeError: when the barrier is closed and does not hold that many.
        """
        indices, keys, *values = barrier_take_many_op(
            self._barrier_ref,
            num_elements,
            component_types=tuple(self._types),
            allow_small_batch=allow_small_batch,
            timeout_ms=-1 if timeout is None else timeout,
            name=name or f"{self._name}_BarrierTakeMany",
        )
        known = None if allow_small_batch else constant_value(indices.op.inputs[1])
        rows = TensorShape([None if known is None else int(known)])
        for tensor, shape in zip([indices, keys, *values], [TensorShape(())] * 2 + self._shapes):
            tensor.set_shape(rows.concatenate(shape))
        return BarrierTakeMany(indices, keys, values)

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """An operation after which no new keys come in; what is there can be completed and taken.

        Args:
          cancel_pending_enqueues: drop the incomplete elements instead.
          name: the name.
        """
        return barrier_close_op(
            self._barrier_ref,
            cancel_pending_enqueues=cancel_pending_enqueues,
            name=name or f"{self._name}_BarrierClose",
        )

    def ready_size(self, name: str | None = None) -> Tensor:
        """An int32 tensor: how many elements are complete."""
        name = name or f"{self._name}_BarrierReadySize"
        return barrier_ready_size_op(self._barrier_ref, name=name)

    def incomplete_size(self, name: str | None = None) -> Tensor:
        """An int32 tensor: how many elements miss a component."""
        name = name or f"{self._name}_BarrierIncompleteSize"
        return barrier_incomplete_size_op(self._barrier_ref, name=name)
