"""`tf.contrib.batching`: calls that come at the same time, computed as one.

    session.run, thread 1: [1, n] ─┐
    session.run, thread 2: [2, n] ─┼─ batch ──> [4, n] ──> the function ──> [4, m] ─ unbatch ─> each
    session.run, thread 3: [1, n] ─┘   of the first one, who waits for others         its own rows

A model that serves many small requests so computes a few large products. The first call of a batch
leads it: it waits until the batch is full or the time is over, and then computes for all; the
others get no rows, and at `unbatch` wait for theirs. Waiting happens in operations of Python.
"""

from __future__ import annotations

import functools
import itertools
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minitf.core.gradients.cond import cond
from minitf.core.graph import dtypes, errors, nest
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import zeros
from minitf.core.ops.comparisons import greater
from minitf.library.eager.script_ops import py_func

_PATIENCE = 600 * 10**6  # microseconds that calls wait for the one that computes


class BatchOutput(NamedTuple):
    """What `batch` gives: the rows of all calls, whose they are, and the number of this call."""

    batched_tensors: list[Tensor]
    batch_index: Tensor
    id: Tensor


class _Batch:
    """Calls that came in time: for each its number and its arrays."""

    def __init__(self, until: float) -> None:
        self.calls: list[tuple[int, Sequence[np.ndarray]]] = []
        self.size, self.until, self.closed = 0, until, False


class _Batcher:
    """Gathers calls from threads.

    Args:
      most: how many rows a batch has at most.
      seconds: how long the first call waits for others.
      allowed: which numbers of rows there may be; rows are repeated up to the next of them.
    """

    _numbers = itertools.count(1)

    def __init__(self, most: int, seconds: float, allowed: Sequence[int]) -> None:
        self._most, self._seconds, self._allowed = most, seconds, list(allowed)
        self._open: _Batch | None = None
        self._changed = threading.Condition()

    def __call__(self, *arrays: Any) -> list[Any]:
        """The arrays of a batch, and whose rows they are, for the call that leads; else no rows."""
        arrays = tuple(np.asarray(each) for each in arrays)
        if not all(each.ndim for each in arrays):
            raise errors.InvalidArgumentError(
                None, None, "Batching input tensors must have at least one dimension"
            )
        sizes = {each.shape[0] for each in arrays}
        if len(sizes) != 1:
            raise errors.InvalidArgumentError(
                None, None, "Batching input tensors supplied in a given op invocation must have "
                "equal 0th-dimension size",
            )  # fmt: skip
        (size,) = sizes
        if size > self._most:
            raise errors.InvalidArgumentError(
                None, None, f"Task size {size} is larger than maximum batch size {self._most}"
            )
        number = next(self._numbers)
        with self._changed:
            batch = self._open
            leads = batch is None or batch.closed or batch.size + size > self._most
            if batch is None or leads:
                if batch is not None:  # its leader need not wait for what does not fit
                    batch.closed = True
                batch = self._open = _Batch(time.monotonic() + self._seconds)
            batch.calls.append((number, arrays))
            batch.size += size
            batch.closed = batch.closed or batch.size == self._most
            self._changed.notify_all()
            while leads and not batch.closed:
                left = batch.until - time.monotonic()
                batch.closed = left <= 0
                if left > 0:
                    self._changed.wait(left)
        if leads:
            return [*self._joined(batch), self._index(batch), np.int64(number)]
        none = np.zeros([0, 3], np.int64)
        return [*(each[:0] for each in arrays), none, np.int64(number)]

    def _joined(self, batch: _Batch) -> list[np.ndarray]:
        whole = [np.concatenate(parts) for parts in zip(*(a for _, a in batch.calls), strict=True)]
        size = next((n for n in self._allowed if n >= batch.size), batch.size)
        more = size - batch.size
        return [np.concatenate([each, np.repeat(each[:1], more, 0)]) for each in whole]

    def _index(self, batch: _Batch) -> np.ndarray:
        """[calls, 3]: the number of a call, its first row, and the row after its last."""
        counts = [arrays[0].shape[0] for _, arrays in batch.calls]
        ends = np.cumsum(counts)
        numbers = [number for number, _ in batch.calls]
        return np.stack([numbers, ends - counts, ends], 1).astype(np.int64)


class _Unbatcher:
    """Gives each call its rows: who leads brings them, the others wait."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._rows: dict[int, np.ndarray] = {}
        self._came = threading.Condition()

    def __call__(self, whole: Any, index: np.ndarray, number: Any) -> np.ndarray:
        number = int(number)
        with self._came:
            for each, start, end in index:
                self._rows[int(each)] = np.array(whole[start:end])
            self._came.notify_all()
            if not self._came.wait_for(lambda: number in self._rows, self._seconds):
                raise errors.DeadlineExceededError(
                    None, None, "Batched data did not arrive within timeout window."
                )
            return self._rows.pop(number)


@functools.cache
def _shared(kind: type, name: str, *settings: Any) -> Any:
    """The one of this name, for all operations that say it."""
    return kind(*settings)


def batch(
    in_tensors: Sequence[Any], num_batch_threads: int, max_batch_size: int,
    batch_timeout_micros: int, grad_timeout_micros: int, max_enqueued_batches: int = 10,
    allowed_batch_sizes: Sequence[int] | None = None, container: str = "", shared_name: str = "",
    batching_queue: str = "", name: str | None = None,
) -> BatchOutput:  # fmt: skip
    """The rows of calls that come at the same time, joined in one of them.

    Args:
      in_tensors: with rows along the first axis, as many in each.
      max_batch_size: how many rows are joined at most.
      batch_timeout_micros: how long a call waits for others, in microseconds.
      allowed_batch_sizes: growing numbers up to `max_batch_size`: rows are repeated up to the next.
      shared_name, batching_queue: operations that share both gather their calls together.
      num_batch_threads, max_enqueued_batches, container, grad_timeout_micros: accepted: a batch is
        computed in the thread of its first call, at once, and has no gradient.
      name: the operation's name.
    Returns: a `BatchOutput`; its tensors have no rows in all calls but the first of a batch.
    Raises:
      ValueError: when allowed sizes do not grow, or end at another number.
    """
    tensors = [convert_to_tensor(each) for each in in_tensors]
    allowed = tuple(allowed_batch_sizes or ())
    if list(allowed) != sorted(set(allowed)):
        raise ValueError("allowed_batch_sizes entries must be monotonically increasing")
    if allowed and allowed[-1] != max_batch_size:
        raise ValueError("final entry in allowed_batch_sizes must equal max_batch_size")
    settings = max_batch_size, batch_timeout_micros / 1e6, allowed
    key = f"{shared_name}/{batching_queue}"
    batcher = _Batcher(*settings) if key == "/" else _shared(_Batcher, key, *settings)
    kinds = [*(each.dtype for each in tensors), dtypes.int64, dtypes.int64]
    *joined, index, number = py_func(batcher, tensors, kinds, name=name)
    for each, tensor in zip(joined, tensors, strict=True):
        each.set_shape([None, *tensor.shape[1:]] if tensor.shape.ndims else None)
    index.set_shape([None, 3])
    number.set_shape([])
    return BatchOutput(joined, index, number)


def unbatch(
    batched_tensor: Any, batch_index: Tensor, id: Tensor, timeout_micros: int,
    container: str = "", shared_name: str = "", name: str | None = None,
) -> Tensor:  # fmt: skip
    """The rows that belong to this call.

    Args:
      batched_tensor: what came of the rows that `batch` joined.
      batch_index, id: what it gave beside them.
      timeout_micros: how long to wait for the call that computes, in microseconds.
      container: accepted.
      shared_name: operations that share it bring rows to each other.
      name: the operation's name.
    Raises:
      DeadlineExceededError: when it runs, and no rows came in time.
    """
    tensor, seconds = convert_to_tensor(batched_tensor), timeout_micros / 1e6
    keeper = _shared(_Unbatcher, shared_name, seconds) if shared_name else _Unbatcher(seconds)
    rows = py_func(keeper, [tensor, batch_index, id], tensor.dtype, name=name)
    if tensor.shape.ndims:
        rows.set_shape([None, *tensor.shape[1:]])
    return rows


def _tensors(args: Sequence[Any]) -> None:
    for each in args:
        if not isinstance(each, Tensor):
            raise ValueError(
                "All arguments to functions decorated with `batch_function`  are supposed to be "
                f"Tensors; found {each!r}"
            )


def batch_function(
    num_batch_threads: int, max_batch_size: int, batch_timeout_micros: int,
    allowed_batch_sizes: Sequence[int] | None = None, max_enqueued_batches: int = 10,
) -> Callable[[Callable], Callable]:  # fmt: skip
    """A decorator of functions of tensors: calls that come at the same time run as one.

    Only the first call of a batch computes; the others wait, ten minutes at most.

    Args:
      num_batch_threads, max_enqueued_batches: accepted.
      max_batch_size, batch_timeout_micros, allowed_batch_sizes: see `batch`.
    Example:
      >>> @tf.contrib.batching.batch_function(1, 8, 1000)
      ... def double(x):
      ...     return x * 2
      >>> sess.run(double(tf.constant([1, 2]))).tolist()
      [2, 4]
    """

    settings = (num_batch_threads, max_batch_size, batch_timeout_micros, 0, max_enqueued_batches,
                allowed_batch_sizes)  # fmt: skip
    return functools.partial(_decorated, settings=settings, patience=_PATIENCE, once=True)


def batch_function_v1(
    num_batch_threads: int, max_batch_size: int, batch_timeout_micros: int,
    allowed_batch_sizes: Sequence[int] | None = None, grad_timeout_micros: int = 60 * 1000 * 1000,
    unbatch_timeout_micros: int = 60 * 1000 * 1000, max_enqueued_batches: int = 10,
) -> Callable[[Callable], Callable]:  # fmt: skip
    """As `batch_function`, but all calls compute: those that do not lead with no rows.

    Args:
      num_batch_threads, max_enqueued_batches, grad_timeout_micros: accepted.
      max_batch_size, batch_timeout_micros, allowed_batch_sizes: see `batch`.
      unbatch_timeout_micros: how long a call waits for its rows.
    """

    settings = (num_batch_threads, max_batch_size, batch_timeout_micros, 0, max_enqueued_batches,
                allowed_batch_sizes)  # fmt: skip
    return functools.partial(
        _decorated, settings=settings, patience=unbatch_timeout_micros, once=False
    )


def _decorated(fn: Callable, settings: tuple, patience: int, once: bool) -> Callable:
    @functools.wraps(fn)
    def decorated(*args: Any) -> Any:
        with name_scope("batch"):
            _tensors(args)
            joined, index, number = batch(args, *settings)
            form: Any = None
            inner: list[Tensor] = []

            def compute() -> list[Tensor]:
                nonlocal form
                form = fn(*joined)
                inner.extend(convert_to_tensor(each) for each in nest.flatten(form))
                return inner

            def nothing() -> list[Tensor]:
                return [zeros([0], each.dtype) for each in inner]

            if once:
                made = nest.flatten(cond(greater(shape_of(index)[0], 0), compute, nothing))
            else:
                made = compute()
            rows = [unbatch(each, index, number, patience) for each in made]
            for row, each in zip(rows, inner, strict=True):
                if each.shape.ndims:
                    row.set_shape([None, *each.shape[1:]])
            return nest.pack_sequence_as(form, rows)

    return decorated
