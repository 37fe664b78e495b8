"""`tf.estimator.inputs`: input functions of arrays and data frames; what any of them returns.

arrays ─> a thread takes the next rows ─> queue (shuffles, when asked) ─> batches
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors, logging, nest, stacks
from minitf.core.graph.stacks import GraphKeys, name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import placeholder
from minitf.core.ops.cast import cast
from minitf.core.ops.math import maximum
from minitf.library.input.data.dataset import Dataset, make_initializable_iterator
from minitf.library.input.queues.queues import FIFOQueue, QueueBase, RandomShuffleQueue
from minitf.library.input.queues.runner import QueueRunner, add_queue_runner
from minitf.library.sessions.basic_hooks import SessionRunHook
from minitf.library.summary import summary

_SHUFFLE = (
    "shuffle must be provided and explicitly set as boolean (it is recommended to set it as True "
    "for training); got {}"
)
_LABEL = object()  # the key of labels that have no name


def numpy_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
) -> Callable[[], Any]:
    """Returns an input function of NumPy arrays.

    Args:
      x: an array, or a dict of them, with one row an example.
      y: the labels, an array or a dict of them; None to predict.
      batch_size: how many examples a batch has.
      num_epochs: how often all examples come; for ever when None.
      shuffle: whether to shuffle; must be given.
      queue_capacity: how many examples wait at most; the more, the better shuffled.
      num_threads: how many threads fill the queue.
    Raises:
      ValueError: when `shuffle` is not given; later, when lengths differ or a dict is empty.
      TypeError: later, when `x` is something else.
    Example:
      >>> input_fn = tf.estimator.inputs.numpy_input_fn(
      ...     {"x": np.arange(4.0)}, np.arange(4), batch_size=2, shuffle=False)
      >>> features, labels = input_fn()
      >>> features["x"].shape
      TensorShape([Dimension(None)])
    """
    if not isinstance(shuffle, bool):
        raise ValueError(_SHUFFLE.format(shuffle))

    def input_fn() -> Any:
        features = _as_dict(x)
        labels = _labels(y, features)
        columns = {**features, **labels}
        if len({len(column) for column in columns.values()}) != 1:
            raise ValueError(
                "Length of tensors in x and y is mismatched. All elements in x and y must have the "
                f"same length.\nShapes in x: { {k: v.shape for k, v in features.items()} }\n"
                f"Shapes in y: {_shapes(y)}\n"
            )
        least = queue_capacity // 4
        batch = _batch(columns, batch_size, num_epochs, queue_capacity, least, shuffle, num_threads)
        given = {key: batch[key] for key in features}
        taken = given if isinstance(x, dict) else next(iter(given.values()))
        if y is None:
            return taken
        return taken, {key: batch[key] for key in labels} if isinstance(y, dict) else batch[_LABEL]

    return input_fn


def _as_dict(x: Any) -> dict[Any, np.ndarray]:
    if isinstance(x, dict):
        if not x:
            raise ValueError("x cannot be an empty dict")
        return dict(sorted(x.items()))
    if not isinstance(x, np.ndarray):
        raise TypeError(f"x must be a dict or array; got {type(x).__name__}")
    if x.size == 0:
        raise ValueError("x cannot be an empty array")
    return {"__direct_np_input__": x}


def _labels(y: Any, features: Mapping[Any, Any]) -> dict[Any, Any]:
    if not isinstance(y, dict):
        return {} if y is None else {_LABEL: y}
    if not y:
        raise ValueError("y cannot be empty dict, use None instead.")
    if both := set(features) & set(y):
        raise ValueError(f"{len(both)} duplicate keys are found in both x and y: {both}")
    return dict(sorted(y.items()))


def _shapes(y: Any) -> Any:
    if isinstance(y, dict):
        return {k: v.shape for k, v in y.items()}
    return None if y is None else np.shape(y)


def pandas_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int | None = 1000,
    num_threads: int = 1,
    target_column: str = "target",
) -> Callable[[], Any]:
    """Returns an input function of a pandas `DataFrame`.

    Args:
      x: the frame; each column is a feature.
      y: the labels, a `Series` or a frame of the same index; None to predict.
      batch_size, num_epochs, shuffle, num_threads: as of `numpy_input_fn`.
      queue_capacity: how many examples wait at most; None takes the size of the frame.
      target_column: the name of the labels while they wait.
    Raises:
      ValueError: when `shuffle` is not given, the index of `y` is another, or a name is taken.
      TypeError: when `target_column` is no string.
    """
    if not isinstance(shuffle, bool):
        raise ValueError(_SHUFFLE.format(shuffle))
    if not isinstance(target_column, str):
        raise TypeError("target_column must be a string type")
    labels: dict[Any, Any] = {}
    if y is not None:
        if target_column in x:
            raise ValueError(
                f"Cannot use name {target_column} for target column: DataFrame already has a "
                f"column with that name: {x.columns}"
            )
        if not np.array_equal(x.index, y.index):
            raise ValueError(
                f"Index for x and y are mismatched.\nIndex for x: {x.index}\n"
                f"Index for y: {y.index}\n"
            )
        several = hasattr(y, "columns")
        labels = {name: y[name] for name in y} if several else {target_column: y}
    inner = {name: f"{name}_{uuid.uuid4()}" if name in x else name for name in labels}
    columns = {name: x[name].to_numpy() for name in x}
    columns |= {inner[name]: column.to_numpy() for name, column in labels.items()}
    capacity = queue_capacity or len(x) * (4 if shuffle else 1)

    def input_fn() -> Any:
        least = max(capacity // 4, 1)
        batch = _batch(columns, batch_size, num_epochs, capacity, least, shuffle, num_threads)
        targets = {name: batch.pop(key) for name, key in inner.items()}
        if y is None:
            return batch
        return batch, targets if hasattr(y, "columns") else targets[target_column]

    return input_fn


# ---- the queue ---------------------------------------------------------------------------


class _FeedingQueueRunner(QueueRunner):
    """Fills a queue with what functions give: one function, and one thread, an operation."""

    def __init__(self, queue: QueueBase, feeds: Sequence[tuple[Any, Any, Iterator]]) -> None:
        ends = (errors.OutOfRangeError, errors.CancelledError)
        super().__init__(queue, [op for op, *_ in feeds], queue_closed_exception_types=ends)
        self._feeds = {op: (fed, rows) for op, fed, rows in feeds}

    def _enqueuer(self, sess: Any, enqueue_op: Any) -> Callable[[], Any]:
        fed, rows = self._feeds[enqueue_op]
        enqueue = sess.make_callable(enqueue_op, feed_list=fed)

        def feed() -> None:
            values = next(rows, None)
            if values is None:
                raise errors.OutOfRangeError(None, None, "All epochs were emitted.")
            enqueue(*values)

        return feed


def _batch(
    columns: Mapping[Any, np.ndarray],
    batch_size: int,
    num_epochs: int | None,
    capacity: int,
    min_after_dequeue: int,
    shuffle: bool,
    num_threads: int,
) -> dict[Any, Tensor]:
    """The next rows of arrays by their keys, from a queue that threads fill.

    The last batch may be a smaller one. A row waits with its number, which is left out.
    """
    arrays = [np.asarray(column) for column in columns.values()]
    types = [dtypes.int64, *(dtypes.as_dtype(array.dtype) for array in arrays)]
    shapes = [(), *(array.shape[1:] for array in arrays)]
    if num_threads > 1:
        logging.warning(
            "Each of %d threads reads all examples, num_epochs times. To read each example once an "
            "epoch, use one thread.",
            num_threads,
        )
    with name_scope("enqueue_input"):
        queue: QueueBase
        if shuffle:
            queue = RandomShuffleQueue(capacity, min_after_dequeue, types, shapes)
        else:
            min_after_dequeue = 0
            queue = FIFOQueue(capacity, types, shapes)
        feeds = []
        for _ in range(num_threads):
            fed = [placeholder(dtype) for dtype in types]
            rows = _rows(arrays, batch_size, num_epochs, shuffle)
            feeds.append((queue.enqueue_many(fed), fed, rows))
        add_queue_runner(_FeedingQueueRunner(queue, feeds))
        room = capacity - min_after_dequeue
        full = cast(maximum(0, queue.size() - min_after_dequeue), dtypes.float32) * (1.0 / room)
        name = f"queue/{queue.name}fraction_over_{min_after_dequeue}_of_{room}_full"
        summary.scalar(name, full)
    take = queue.dequeue_many if num_epochs is None else queue.dequeue_up_to
    return dict(zip(columns, list(take(batch_size))[1:], strict=True))


def _rows(
    arrays: Sequence[np.ndarray], count: int, num_epochs: int | None, random_start: bool
) -> Iterator[list[np.ndarray]]:
    """The next `count` rows again and again, with their numbers; the last time maybe fewer."""
    length = len(arrays[0])
    at = start = random.randrange(length) if random_start else 0
    end = None if num_epochs is None else start + num_epochs * length
    while end is None or at < end:
        stop = at + count if end is None else min(at + count, end)
        numbers = np.arange(at, stop) % length
        yield [numbers, *(array[numbers] for array in arrays)]
        at = stop


# ---- what input functions return ---------------------------------------------------------


class InitializerHook(SessionRunHook):
    """Starts a dataset's iterator, also in a session that was made anew."""

    def __init__(self, initializer: Any) -> None:
        self._initializer = initializer

    def after_create_session(self, session: Any, coord: Any) -> None:
        session.run(self._initializer)


def parse_input_fn_result(result: Any) -> tuple[Any, Any, list[SessionRunHook]]:
    """Returns (features, labels, hooks) from what an input_fn returned.

    Raises:
      ValueError: when it is a list of another length than 2.
    """
    hooks: list[SessionRunHook] = []
    if isinstance(result, Dataset):
        iterator = make_initializable_iterator(result)
        hooks.append(InitializerHook(iterator.initializer))
        result = iterator.get_next()
    return (*parts_of_element(result), hooks)


def parts_of_element(result: Any) -> tuple[Any, Any]:
    """Features and labels, None where there are none.

    Raises:
      ValueError: when it is a list of another length than 2.
    """
    if not isinstance(result, (list, tuple)):
        return result, None
    if len(result) != 2:
        raise ValueError("input_fn should return (features, labels) as a len 2 tuple.")
    return result[0], result[1]


def comes_to_an_end(features: Any) -> bool:
    """Whether the features come from a source that may end."""
    tensors = [each for each in nest.flatten(features) if isinstance(each, Tensor)]
    from_dataset = any(t.op.type == "IteratorGetNext" for t in tensors)
    return from_dataset or bool(stacks.get_collection(GraphKeys.QUEUE_RUNNERS))
