"""`tf.train.batch` and its kin: threads gather single examples into batches, through a queue.

    one example's tensors ──(n threads: enqueue)──▶ queue ──dequeue_many──▶ a batch

Each call adds a queue and a queue runner; `tf.train.start_queue_runners` starts the threads.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from minitf.core.graph.composites import SparseTensor
from minitf.core.graph.convert import constant_value, convert_to_tensor
from minitf.core.graph.graph import Operation, Tensor
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.stacks import name_scope
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import fill
from minitf.core.ops.array_shaping import expand_dims
from minitf.core.ops.array_slicing import boolean_mask
from minitf.core.ops.math import maximum, subtract
from minitf.library.input.data.composites import pack_rows, pack_sparse, unpack_sparse
from minitf.library.input.queues.producers import watch_filling
from minitf.library.input.queues.queues import (
    FIFOQueue,
    PaddingFIFOQueue,
    QueueBase,
    RandomShuffleQueue,
)
from minitf.library.input.queues.runner import QueueRunner, add_queue_runner

Tensors = Any  # a list of tensors, or a dict of them

# ---- what goes in ------------------------------------------------------------------------


def flat_lists(tensors_list: Sequence[Tensors]) -> list[list[Any]]:
    """Each entry's tensors in one order, some of which may be sparse.

    Raises:
      ValueError: when there is none, or the entries hold different keys.
      TypeError: when their dtypes differ.
    """
    if not tensors_list:
        raise ValueError("Expected at least one set of tensors")
    first = tensors_list[0]
    if isinstance(first, dict):
        names = sorted(first)
        if any(sorted(entry) != names for entry in tensors_list[1:]):
            raise ValueError("All dictionaries must have the same keys")
        lists = [[entry[name] for name in names] for entry in tensors_list]
    else:
        lists = [list(entry) for entry in tensors_list]
    made = [
        [t if isinstance(t, SparseTensor) else convert_to_tensor(t) for t in entry]
        for entry in lists
    ]
    if not made[0]:
        raise ValueError("Expected at least one tensor in batch().")
    types = [t.dtype.base_dtype for t in made[0]]
    for entry in made[1:]:
        other = [t.dtype.base_dtype for t in entry]
        if other != types:
            names = [", ".join(dtype.name for dtype in each) for each in (types, other)]
            raise TypeError(f"Expected types to be consistent: {names[0]} vs. {names[1]}.")
    return made


def element_shapes(lists: list[list[Tensor]], shapes: Any, enqueue_many: bool) -> list:
    """The shape of each component of an element, as far as all entries agree."""
    if shapes is not None:
        return [as_shape(shape) for shape in shapes]
    result = []
    for column in zip(*lists):
        for tensor in column:
            if tensor.shape.ndims is None:
                raise ValueError(f"Cannot infer Tensor's rank: {tensor}")
        own = [t.shape[1:] if enqueue_many else t.shape for t in column]
        result.append(functools.reduce(TensorShape.most_specific_compatible_shape, own))
    return result


def packed(lists: list[list[Any]], many: bool) -> list[list[Tensor]]:
    """The tensors as a queue takes them: a sparse one as a vector of its three parts."""
    for column in zip(*lists):
        if len({isinstance(each, SparseTensor) for each in column}) > 1:
            raise TypeError(f"Expected all or none of these to be sparse tensors: {column}")
    pack = pack_rows if many else pack_sparse
    return [[pack(t) if isinstance(t, SparseTensor) else t for t in entry] for entry in lists]


def unpacked(dequeued: Tensor, entry: Any, many: bool) -> Any:
    """A batch, sparse where the tensors of which it is made were."""
    if not isinstance(entry, SparseTensor):
        return dequeued
    sizes = entry.shape[1:] if many else entry.shape
    rows = dequeued.shape[:1]
    return unpack_sparse(dequeued, entry.dtype, rows.concatenate([None] * (sizes.ndims or 0)))


def in_structure(original: Tensors, flat: list[Any]) -> Any:
    """What was dequeued, in the structure of what the caller gave."""
    if isinstance(original, dict):
        return dict(zip(sorted(original), flat))
    return flat if len(flat) > 1 else flat[0]


def _enqueue(queue: QueueBase, tensors: list[Tensor], keep: Tensor, many: bool) -> Operation:
    """The operation that adds one entry, or those of its rows that are to be kept."""
    known = constant_value(keep)
    if known is not None and known.all():
        return queue.enqueue_many(tensors) if many else queue.enqueue(tensors)
    if keep.shape.ndims == 1:
        kept = [boolean_mask(t, keep) for t in tensors]
    else:  # an entry is a batch of one row, or of none
        rows = tensors if many else [expand_dims(t, 0) for t in tensors]
        mask = fill(shape_of(rows[0])[:1], keep)
        mask.set_shape(rows[0].shape[:1])
        kept = [boolean_mask(t, mask) for t in rows]
    return queue.enqueue_many(kept)


def _keep_tensor(keep_input: Any, enqueue_many: bool) -> Tensor:
    keep = convert_to_tensor(keep_input)
    if keep.shape.ndims is None:
        raise ValueError("`keep_input` dimensions must be known at graph construction.")
    if not enqueue_many and keep.shape.ndims == 1:
        raise ValueError("`keep_input` cannot be a vector when `enqueue_many=False`.")
    if keep.shape.ndims > 1:
        raise ValueError("`keep_input` must be 0 or 1 dimensions.")
    return keep


@dataclass(frozen=True)
class _Options:
    """What all the public functions are called with; see `batch`."""

    batch_size: Any
    capacity: int
    enqueue_many: bool
    shapes: Any
    smaller: bool
    shared_name: str | None
    name: str | None

    def batches(
        self,
        default_name: str,
        tensors_list: Sequence[Tensors],
        keep: Any = True,
        num_threads: int = 1,
        dynamic_pad: bool = False,
    ) -> Any:
        """Batches in the order of the examples."""
        capacity = self.capacity

        def make(types: list, shapes: list) -> QueueBase:
            kind = PaddingFIFOQueue if dynamic_pad else FIFOQueue
            return kind(capacity, types, shapes, shared_name=self.shared_name)

        def watch(queue: QueueBase) -> None:
            watch_filling(f"fraction_of_{capacity}_full", queue.size(), 1.0 / capacity)

        return self._gather(default_name, tensors_list, keep, num_threads, make, watch)

    def shuffled(
        self,
        default_name: str,
        tensors_list: Sequence[Tensors],
        minimum: int,
        seed: int | None,
        keep: Any = True,
        num_threads: int = 1,
    ) -> Any:
        """Batches in random order, of a queue that holds more than `minimum`."""
        capacity, room = self.capacity, self.capacity - minimum
        if room <= 0:
            raise ValueError(
                f"capacity {capacity} must be bigger than min_after_dequeue {minimum}."
            )

        def make(types: list, shapes: list) -> QueueBase:
            return RandomShuffleQueue(
                capacity, minimum, types, shapes, seed=seed, shared_name=self.shared_name
            )

        def watch(queue: QueueBase) -> None:
            over = maximum(0, subtract(queue.size(), minimum))
            watch_filling(f"fraction_over_{minimum}_of_{room}_full", over, 1.0 / room)

        return self._gather(default_name, tensors_list, keep, num_threads, make, watch)

    def _gather(
        self,
        default_name: str,
        tensors_list: Sequence[Tensors],
        keep: Any,
        num_threads: int,
        make: Callable[[list, list], QueueBase],
        watch: Callable[[QueueBase], None],
    ) -> Any:
        entries = [e.values() if isinstance(e, dict) else e for e in tensors_list]
        with name_scope(self.name, default_name, [t for entry in entries for t in entry]) as scope:
            many = self.enqueue_many
            given = flat_lists(tensors_list)
            lists = packed(given, many)
            keep = _keep_tensor(keep, many)
            shapes = element_shapes(lists, self.shapes, many)
            queue = make([t.dtype.base_dtype for t in lists[0]], shapes)
            ops = [_enqueue(queue, tensors, keep, many) for tensors in lists]
            add_queue_runner(QueueRunner(queue, ops * num_threads))
            watch(queue)
            take = queue.dequeue_up_to if self.smaller else queue.dequeue_many
            dequeued = take(self.batch_size, name=scope)
            flat = dequeued if isinstance(dequeued, list) else [dequeued]
            return in_structure(
                tensors_list[0], [unpacked(*each, many) for each in zip(flat, given[0])]
            )


# ---- the public functions ----------------------------------------------------------------


def batch(
    tensors: Tensors,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of the examples that `tensors` give, one a step.

    Args:
      tensors: a list or dict of tensors, dense or sparse: one example.
      batch_size: how many examples.
      num_threads: how many threads compute `tensors`; with more than one the order may change.
      capacity: how many examples wait.
      enqueue_many: whether `tensors` hold several examples, one a row.
      shapes: of one example, when the tensors do not tell them.
      dynamic_pad: fill examples of different sizes up with zeros.
      allow_smaller_final_batch: whether the last batch may be smaller, or is left out.
      shared_name: of the queue.
      name: the name.
    Returns: tensors with one more axis in front, in the structure of `tensors`.
    Raises:
      ValueError: when a shape is not known.
      OutOfRangeError: when it runs after the end of the data.
    Example:
      >>> image, label = tf.random_normal([28, 28]), tf.random_uniform([], 0, 10, tf.int32)
      >>> images, labels = tf.train.batch([image, label], batch_size=32)
      >>> images.shape.as_list(), labels.shape.as_list()
      ([32, 28, 28], [32])
    """
    options = _Options(
        batch_size, capacity, enqueue_many, shapes, allow_smaller_final_batch, shared_name, name
    )
    return options.batches("batch", [tensors], True, num_threads, dynamic_pad)


def shuffle_batch(
    tensors: Tensors,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of examples in random order; see `batch`.

    Args:
      capacity: how many examples wait.
      min_after_dequeue: how many must wait for the order to be random enough.
      seed: of the order.
    """
    options = _Options(
        batch_size, capacity, enqueue_many, shapes, allow_smaller_final_batch, shared_name, name
    )
    return options.shuffled("shuffle_batch", [tensors], min_after_dequeue, seed, True, num_threads)
