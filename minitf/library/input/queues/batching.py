"""Pipelines of queues: producers of file names and slices, and `tf.train.batch` and its kin.

    string_input_producer(["a.csv", "b.csv"])  ──▶ queue of names ──▶ a reader

    one example's tensors ──(n threads: enqueue)──▶ queue ──dequeue_many──▶ a batch

Each call adds a queue and a queue runner; `tf.train.start_queue_runners` starts the threads.
Producers are filled epoch by epoch, each shuffled anew. `limit_epochs` counts the epochs in a local
variable, so `tf.local_variables_initializer()` must have run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.composites import SparseTensor
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph import Operation, Tensor
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.stacks import GraphKeys, name_scope
from minitf.core.ops.array import identity, size
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import range as range_of
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater
from minitf.core.ops.math import maximum, multiply, subtract
from minitf.core.ops.random import random_shuffle
from minitf.core.variables.variables import Variable
from minitf.library.checks.logging_ops import Assert
from minitf.library.input.data.structure import pack_rows, pack_sparse, unpack_sparse
from minitf.library.input.queues.queues import (
    FIFOQueue,
    PaddingFIFOQueue,
    QueueBase,
    RandomShuffleQueue,
)
from minitf.library.input.queues.runner import QueueRunner, add_queue_runner
from minitf.library.input.whole_files import matching_files
from minitf.library.summary.summary import scalar

_EMPTY = "string_input_producer requires a non-null input tensor"

# ---- producers ---------------------------------------------------------------------------


def watch_filling(name: str, full: Tensor, scale: float) -> None:
    """Adds a summary that tells how full a queue is, from 0 to 1."""
    scalar(name, multiply(cast(full, dtypes.float32), scale, name="mul"))


def limit_epochs(tensor: Any, num_epochs: int | None = None, name: str | None = None) -> Tensor:
    """`tensor`, which can be computed `num_epochs` times; any number of times when that is None.

    Raises:
      ValueError: when `num_epochs` is not positive.
      OutOfRangeError: when it is computed once more.
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    with name_scope(name, "limit_epochs", [tensor]) as scope:
        epochs = Variable(
            convert_to_tensor(0, dtype=dtypes.int64, name="Const"),
            name="epochs",
            trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )
        with stacks.control_dependencies([epochs.count_up_to(num_epochs)]):
            return identity(tensor, name=scope)


def input_producer(
    input_tensor: Any,
    element_shape: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    summary_name: str | None = None,
    name: str | None = None,
    cancel_op: Operation | None = None,
) -> QueueBase:
    """A queue that is filled with the rows of a tensor, epoch by epoch.

    Args:
      input_tensor: [rows, ...] what to fill it with.
      element_shape: the shape of a row, when the tensor does not tell it.
      num_epochs: how often; for ever when None.
      shuffle: whether each epoch has an order of its own.
      seed: of the order.
      capacity: of the queue.
      shared_name: of the queue.
      summary_name: of a summary of how full the queue is.
      name: the name scope, and the queue's name.
      cancel_op: of the queue runner.
    Raises:
      ValueError: when the shape of a row is not known.
    """
    with name_scope(name, "input_producer", [input_tensor]):
        input_tensor = convert_to_tensor(input_tensor, name="input_tensor")
        row_shape = input_tensor.shape[1:].merge_with(element_shape)
        if not row_shape.is_fully_defined():
            raise ValueError(
                "Either `input_tensor` must have a fully defined shape or `element_shape` must be "
                "specified"
            )
        if shuffle:
            input_tensor = random_shuffle(input_tensor, seed=seed)
        input_tensor = limit_epochs(input_tensor, num_epochs)
        queue = FIFOQueue(
            capacity,
            [input_tensor.dtype.base_dtype],
            [row_shape],
            shared_name=shared_name,
            name=name,  # type: ignore[arg-type]
        )
        enqueue = queue.enqueue_many([input_tensor])
        add_queue_runner(QueueRunner(queue, [enqueue], cancel_op=cancel_op))
        if summary_name is not None:
            watch_filling(summary_name, queue.size(), 1.0 / capacity)
        return queue


def string_input_producer(
    string_tensor: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
    cancel_op: Operation | None = None,
) -> QueueBase:
    """A queue of strings, mostly of file names for a reader; see `input_producer`.

    Args:
      string_tensor: [n] the strings.
    Raises:
      ValueError: when it is an empty list. An empty tensor fails when the queue is filled.
    Example:
      >>> files = tf.train.string_input_producer(["a.csv", "b.csv"], num_epochs=2)
      >>> key, line = tf.TextLineReader().read(files)
    """
    if not isinstance(string_tensor, (Tensor, Variable)) and not len(string_tensor):
        raise ValueError(_EMPTY)
    with name_scope(name, "input_producer", [string_tensor]) as scope:
        strings = convert_to_tensor(string_tensor, dtype=dtypes.string)
        with stacks.control_dependencies([Assert(greater(size(strings), 0), [_EMPTY])]):
            strings = identity(strings)
        full = f"fraction_of_{capacity}_full"
        return input_producer(
            strings, [], num_epochs, shuffle, seed, capacity, shared_name, full, scope, cancel_op
        )


def range_input_producer(
    limit: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> QueueBase:
    """A queue of the integers from 0 to `limit - 1`; see `input_producer`."""
    with name_scope(name, "input_producer", [limit]) as scope:
        full, numbers = f"fraction_of_{capacity}_full", range_of(limit)
        return input_producer(
            numbers, [], num_epochs, shuffle, seed, capacity, shared_name, full, scope
        )


def slice_input_producer(
    tensor_list: Sequence[Any],
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """One slice of each tensor, all at the same place, another one at each step.

    Args:
      tensor_list: tensors with the same number of rows.
      num_epochs, shuffle, seed, capacity, shared_name, name: as of `input_producer`.
    Returns: a list of tensors with one axis less.
    Raises:
      ValueError: when there is no tensor.
      OutOfRangeError: when it runs after the last epoch.
    """
    if not tensor_list:
        raise ValueError("Expected at least one tensor in slice_input_producer().")
    with name_scope(name, "input_producer", tensor_list):
        tensors = [convert_to_tensor(t) for t in tensor_list]
        for tensor in tensors[1:]:
            tensors[0].shape[:1].assert_is_compatible_with(tensor.shape[:1])
        rows = shape_of(tensors[0])[0]
        index = range_input_producer(
            rows, num_epochs, shuffle, seed, capacity, shared_name
        ).dequeue()
        return [gather(tensor, index) for tensor in tensors]


def match_filenames_once(pattern: Any, name: str | None = None) -> Variable:
    """A local variable that holds the names of the files that match when it is initialized.

    Args:
      pattern: a pattern, or a vector of them.
      name: the name.
    """
    with name_scope(name, "matching_filenames", [pattern]) as scope:
        return Variable(
            matching_files(pattern),
            trainable=False,
            name=scope,
            validate_shape=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )


# ---- batches -----------------------------------------------------------------------------

Tensors = Any  # a list of tensors, or a dict of them


def _as_list(tensors: Tensors) -> list[Any]:
    """One example's tensors in one order, some of which may be sparse.

    Raises:
      ValueError: when there is none.
    """
    ordered = [tensors[name] for name in sorted(tensors)] if isinstance(tensors, dict) else tensors
    made = [t if isinstance(t, SparseTensor) else convert_to_tensor(t) for t in ordered]
    if not made:
        raise ValueError("Expected at least one tensor in batch().")
    return made


def _element_shapes(tensors: list[Tensor], shapes: Any, enqueue_many: bool) -> list[TensorShape]:
    """The shape of each component of an element."""
    if shapes is not None:
        return [as_shape(shape) for shape in shapes]
    for tensor in tensors:
        if tensor.shape.ndims is None:
            raise ValueError(f"Cannot infer Tensor's rank: {tensor}")
    return [t.shape[1:] if enqueue_many else t.shape for t in tensors]


def _unpacked(dequeued: Tensor, given: Any, many: bool) -> Any:
    """A batch, sparse where the tensors of which it is made were."""
    if not isinstance(given, SparseTensor):
        return dequeued
    sizes = given.shape[1:] if many else given.shape
    rows = dequeued.shape[:1]
    return unpack_sparse(dequeued, given.dtype, rows.concatenate([None] * (sizes.ndims or 0)))


def _gather(
    default_name: str,
    tensors: Tensors,
    make: Callable[[list, list], QueueBase],
    watch: Callable[[QueueBase], None],
    batch_size: Any,
    num_threads: int,
    enqueue_many: bool,
    shapes: Any,
    smaller: bool,
    name: str | None,
) -> Any:
    """Batches of the examples that threads put into a queue.

    Args:
      make: makes the queue, from the types and the shapes of a component.
      watch: adds the summary of how full it is.
      smaller: whether the last batch may be smaller.
    """
    values = list(tensors.values() if isinstance(tensors, dict) else tensors)
    with name_scope(name, default_name, values) as scope:
        given = _as_list(tensors)
        pack = pack_rows if enqueue_many else pack_sparse
        flat = [pack(t) if isinstance(t, SparseTensor) else t for t in given]
        shapes = _element_shapes(flat, shapes, enqueue_many)
        queue = make([t.dtype.base_dtype for t in flat], shapes)
        enqueue = queue.enqueue_many(flat) if enqueue_many else queue.enqueue(flat)
        add_queue_runner(QueueRunner(queue, [enqueue] * num_threads))
        watch(queue)
        dequeued = (queue.dequeue_up_to if smaller else queue.dequeue_many)(batch_size, name=scope)
        parts = dequeued if isinstance(dequeued, list) else [dequeued]
        found = [_unpacked(*each, enqueue_many) for each in zip(parts, given)]
        if isinstance(tensors, dict):
            return dict(zip(sorted(tensors), found))
        return found if len(found) > 1 else found[0]


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

    def make(types: list, shapes: list) -> QueueBase:
        kind = PaddingFIFOQueue if dynamic_pad else FIFOQueue
        return kind(capacity, types, shapes, shared_name=shared_name)

    def watch(queue: QueueBase) -> None:
        watch_filling(f"fraction_of_{capacity}_full", queue.size(), 1.0 / capacity)

    rest = (num_threads, enqueue_many, shapes, allow_smaller_final_batch, name)
    return _gather("batch", tensors, make, watch, batch_size, *rest)


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
    room = capacity - min_after_dequeue
    if room <= 0:
        raise ValueError(
            f"capacity {capacity} must be bigger than min_after_dequeue {min_after_dequeue}."
        )

    def make(types: list, shapes: list) -> QueueBase:
        order = {"seed": seed, "shared_name": shared_name}
        return RandomShuffleQueue(capacity, min_after_dequeue, types, shapes, **order)

    def watch(queue: QueueBase) -> None:
        over = maximum(0, subtract(queue.size(), min_after_dequeue))
        watch_filling(f"fraction_over_{min_after_dequeue}_of_{room}_full", over, 1.0 / room)

    rest = (num_threads, enqueue_many, shapes, allow_smaller_final_batch, name)
    return _gather("shuffle_batch", tensors, make, watch, batch_size, *rest)
