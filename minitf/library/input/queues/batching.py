"""`tf.train.batch` and its kin: threads gather single examples into batches, through a queue.

    one example's tensors ──(n threads: enqueue)──▶ queue ──dequeue_many──▶ a batch

Each call adds a queue and a queue runner; `tf.train.start_queue_runners` starts the threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.graph.convert import constant_value, convert_to_tensor
from minitf.core.graph.graph import Operation, Tensor
from minitf.core.graph.shapes import TensorShape, as_shape, unknown_shape
from minitf.core.graph.stacks import name_scope
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import fill
from minitf.core.ops.array_shaping import expand_dims
from minitf.core.ops.array_slicing import boolean_mask
from minitf.core.ops.math import maximum, subtract
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


def _flat_lists(tensors_list: Sequence[Tensors]) -> list[list[Tensor]]:
    """Each entry's tensors in one order.

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
    made = [[convert_to_tensor(t) for t in entry] for entry in lists]
    if not made[0]:
        raise ValueError("Expected at least one tensor in batch().")
    types = [t.dtype.base_dtype for t in made[0]]
    for entry in made[1:]:
        other = [t.dtype.base_dtype for t in entry]
        if other != types:
            raise TypeError(f"Expected types to be consistent: {types} vs. {other}.")
    return made


def _element_shapes(lists: list[list[Tensor]], shapes: Any, enqueue_many: bool) -> list:
    """The shape of each component of an element, as far as all entries agree."""
    if shapes is not None:
        return [as_shape(shape) for shape in shapes]
    result = []
    for column in zip(*lists):
        for tensor in column:
            if tensor.shape.ndims is None:
                raise ValueError(f"Cannot infer Tensor's rank: {tensor}")
        own = [t.shape[1:] if enqueue_many else t.shape for t in column]
        result.append(_common_shape(own))
    return result


def _common_shape(shapes: list[TensorShape]) -> TensorShape:
    if any(shape.ndims != shapes[0].ndims for shape in shapes):
        return unknown_shape()
    sizes = zip(*(shape.as_list() for shape in shapes))
    return TensorShape([each[0] if len(set(each)) == 1 else None for each in sizes])


def _like(original: Tensors, dequeued: Any) -> Any:
    """What was dequeued, in the structure of what the caller gave."""
    flat = dequeued if isinstance(dequeued, list) else [dequeued]
    if isinstance(original, dict):
        return dict(zip(sorted(original), flat))
    return dequeued


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


def _gather_batches(
    tensors_list: Sequence[Tensors],
    keep_input: Any,
    batch_size: Any,
    repeats: int,
    make_queue: Callable[[list, list], QueueBase],
    watch: Callable[[QueueBase], None],
    enqueue_many: bool,
    shapes: Any,
    smaller: bool,
    name: str | None,
    default_name: str,
) -> Any:
    """What all the public functions do.

    Args:
      repeats: how many threads run the enqueue operation of each entry.
      make_queue: from dtypes and shapes.
      watch: adds a summary of the queue.
      smaller: whether the last batch may be smaller.
    """
    values = [
        t for entry in tensors_list for t in (entry.values() if isinstance(entry, dict) else entry)
    ]
    with name_scope(name, default_name, values) as scope:
        lists = _flat_lists(tensors_list)
        keep = _keep_tensor(keep_input, enqueue_many)
        element_shapes = _element_shapes(lists, shapes, enqueue_many)
        queue = make_queue([t.dtype.base_dtype for t in lists[0]], element_shapes)
        ops = [_enqueue(queue, tensors, keep, enqueue_many) for tensors in lists]
        add_queue_runner(QueueRunner(queue, ops * repeats))
        watch(queue)
        take = queue.dequeue_up_to if smaller else queue.dequeue_many
        return _like(tensors_list[0], take(batch_size, name=scope))


def _plain_queue(
    capacity: int, dynamic_pad: bool, shared_name: str | None
) -> tuple[Callable[[list, list], QueueBase], Callable[[QueueBase], None]]:
    def make(types: list, shapes: list) -> QueueBase:
        kind = PaddingFIFOQueue if dynamic_pad else FIFOQueue
        return kind(capacity, types, shapes, shared_name=shared_name)

    def watch(queue: QueueBase) -> None:
        watch_filling(f"fraction_of_{capacity}_full", queue.size(), 1.0 / capacity)

    return make, watch


def _shuffling_queue(
    capacity: int, minimum: int, seed: int | None, shared_name: str | None
) -> tuple[Callable[[list, list], QueueBase], Callable[[QueueBase], None]]:
    if capacity <= minimum:
        raise ValueError(f"capacity {capacity} must be bigger than min_after_dequeue {minimum}.")

    def make(types: list, shapes: list) -> QueueBase:
        return RandomShuffleQueue(
            capacity, minimum, types, shapes, seed=seed, shared_name=shared_name
        )

    def watch(queue: QueueBase) -> None:
        room = capacity - minimum
        over = maximum(0, subtract(queue.size(), minimum))
        watch_filling(f"fraction_over_{minimum}_of_{room}_full", over, 1.0 / room)

    return make, watch


# ---- the public functions ----------------------------------------------------------------


def maybe_batch(
    tensors: Tensors,
    keep_input: Any,
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
    """`batch` of those examples for which `keep_input` is true.

    Args:
      keep_input: a bool tensor; with `enqueue_many` also a vector, one entry a row.
    """
    return _gather_batches(
        [tensors],
        keep_input,
        batch_size,
        num_threads,
        *_plain_queue(capacity, dynamic_pad, shared_name),
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        name,
        "batch",
    )


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
      tensors: a list or dict of tensors: one example.
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
    return maybe_batch(
        tensors,
        True,
        batch_size,
        num_threads,
        capacity,
        enqueue_many,
        shapes,
        dynamic_pad,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def maybe_batch_join(
    tensors_list: Sequence[Tensors],
    keep_input: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`batch_join` of those examples for which `keep_input` is true."""
    return _gather_batches(
        tensors_list,
        keep_input,
        batch_size,
        1,
        *_plain_queue(capacity, dynamic_pad, shared_name),
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        name,
        "batch_join",
    )


def batch_join(
    tensors_list: Sequence[Tensors],
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`batch` with several sources: one thread computes each entry of `tensors_list`."""
    return maybe_batch_join(
        tensors_list,
        True,
        batch_size,
        capacity,
        enqueue_many,
        shapes,
        dynamic_pad,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def maybe_shuffle_batch(
    tensors: Tensors,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`shuffle_batch` of those examples for which `keep_input` is true."""
    return _gather_batches(
        [tensors],
        keep_input,
        batch_size,
        num_threads,
        *_shuffling_queue(capacity, min_after_dequeue, seed, shared_name),
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        name,
        "shuffle_batch",
    )


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
    return maybe_shuffle_batch(
        tensors,
        batch_size,
        capacity,
        min_after_dequeue,
        True,
        num_threads,
        seed,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def maybe_shuffle_batch_join(
    tensors_list: Sequence[Tensors],
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`shuffle_batch_join` of those examples for which `keep_input` is true."""
    return _gather_batches(
        tensors_list,
        keep_input,
        batch_size,
        1,
        *_shuffling_queue(capacity, min_after_dequeue, seed, shared_name),
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        name,
        "shuffle_batch_join",
    )


def shuffle_batch_join(
    tensors_list: Sequence[Tensors],
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`shuffle_batch` with several sources: one thread computes each entry of `tensors_list`."""
    return maybe_shuffle_batch_join(
        tensors_list,
        batch_size,
        capacity,
        min_after_dequeue,
        True,
        seed,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
    )
