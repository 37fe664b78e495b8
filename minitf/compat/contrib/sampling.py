"""Examples in buckets and samples: the queues of `tf.contrib.training`.

bucket, bucket_by_sequence_length      batches of examples that are alike
rejection_sample, stratified_sample    batches in which each class has its share
resample_at_rate, weighted_resample    rows of a batch, some several times and some not at all
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minitf.core.gradients.cond import cond, smart_cond
from minitf.core.graph import dtypes, errors, stacks
from minitf.core.graph.convert import constant, constant_value, convert_to_tensor
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity, stop_gradient
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import one_hot, zeros_like
from minitf.core.ops.array_filling import range as number_range
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_shaping import expand_dims, squeeze
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import (
    equal,
    greater_equal,
    less_equal,
    logical_and,
    logical_or,
    not_equal,
    where,
)
from minitf.core.ops.control import group, no_op
from minitf.core.ops.logging_ops import Assert
from minitf.core.ops.math import is_nan
from minitf.core.ops.random import random_uniform
from minitf.core.ops.reductions import reduce_all, reduce_max, reduce_mean, reduce_sum
from minitf.core.variables.variable_scope import get_local_variable, variable_scope
from minitf.core.variables.variables import Variable
from minitf.library.input.queues import batching
from minitf.library.input.queues.queues import FIFOQueue, PaddingFIFOQueue
from minitf.library.input.queues.runner import QueueRunner, add_queue_runner
from minitf.library.numeric.random_distributions import random_poisson
from minitf.library.numeric.rearranging import repeat
from minitf.library.optimizers.moving_averages import assign_moving_average
from minitf.library.summary import summary

# ---- buckets -------------------------------------------------------------------------------------


def bucket(
    tensors: Any, which_bucket: Any, batch_size: Any, num_buckets: int, num_threads: int = 1,
    capacity: int = 32, bucket_capacities: Sequence[int] | None = None, shapes: Any = None,
    dynamic_pad: bool = False, allow_smaller_final_batch: bool = False, keep_input: Any = True,
    shared_name: str | None = None, name: str | None = None,
) -> tuple[Tensor, Any]:  # fmt: skip
    """Batches of examples of one bucket: a queue for each, and one for their batches.

    Args:
      tensors: an example: a list or a dict of tensors.
      which_bucket: its bucket, an integer scalar.
      batch_size: how many examples a batch has, or a list with a number for each bucket.
      num_buckets: how many buckets.
      bucket_capacities: how many examples each holds; `capacity` by default.
      num_threads, capacity, shapes, dynamic_pad, allow_smaller_final_batch, keep_input,
      shared_name, name: see `tf.train.maybe_batch`.
    Returns: the bucket, and the batch in the structure of `tensors`.
    Raises:
      ValueError: when lists have another length than `num_buckets`.
    """
    several = isinstance(batch_size, (list, tuple))
    sizes = list(batch_size) if several else [batch_size] * num_buckets
    if len(sizes) != num_buckets:
        raise ValueError("If batch_size is a list it must have num_buckets elements")
    capacities = bucket_capacities or [capacity] * num_buckets
    if len(capacities) != num_buckets:
        raise ValueError(
            f"The list bucket_capacities ({capacities}) must have exactly num_buckets "
            f"({num_buckets}) elements."
        )
    [given] = batching.flat_lists([tensors])
    with stacks.name_scope(name, "bucket", given):
        [flat] = batching.packed([given], False)
        types = [each.dtype.base_dtype for each in flat]
        inner = batching.element_shapes([flat], shapes, False)
        place = convert_to_tensor(which_bucket, dtypes.int32)
        kind = PaddingFIFOQueue if dynamic_pad else FIFOQueue

        def shared(number: int) -> str | None:
            return None if shared_name is None else f"{shared_name}_{number}"

        buckets = [
            kind(room, types, inner, shared_name=shared(n), name=f"bucket_queue_{n}")
            for n, room in enumerate(capacities)
        ]
        varies = several or allow_smaller_final_batch
        rows = None if varies else constant_value(convert_to_tensor(batch_size))
        whole = [TensorShape([rows]).concatenate(shape) for shape in inner]
        top = PaddingFIFOQueue(
            capacity, [dtypes.int32, *types], [[], *whole], shared_name=shared_name,
            name="top_queue",
        )  # fmt: skip

        def enqueue() -> Any:
            return group(
                *(
                    cond(equal(place, n), partial(_entered, queue, flat), no_op)
                    for n, queue in enumerate(buckets)
                ),
                name="group_enqueues",
            )

        def batch_of(n: int, queue: Any) -> Any:
            take = queue.dequeue_up_to if allow_smaller_final_batch else queue.dequeue_many
            taken = take(sizes[n], name=f"read_bucket_{n}")
            parts = taken if isinstance(taken, list) else [taken]
            return top.enqueue([constant(n), *parts], name=f"enqueue_from_bucket_{n}")

        ends = (errors.OutOfRangeError, errors.CancelledError)
        add_queue_runner(
            QueueRunner(
                buckets[0], [batch_of(n, queue) for n, queue in enumerate(buckets)],
                close_op=top.close(), cancel_op=top.close(cancel_pending_enqueues=True),
                queue_closed_exception_types=ends,
            )
        )  # fmt: skip
        entered = smart_cond(keep_input, enqueue, no_op)
        add_queue_runner(
            QueueRunner(
                top, [entered] * num_threads, close_op=group(*(q.close() for q in buckets)),
                cancel_op=group(*(q.close(cancel_pending_enqueues=True) for q in buckets)),
                queue_closed_exception_types=ends,
            )
        )  # fmt: skip
        filled = cast(top.size(), dtypes.float32)
        summary.scalar(f"bucket/{top.name}/fraction_of_{capacity}_full", filled * (1.0 / capacity))
        number, *parts = top.dequeue(name="dequeue_top")
        batch = [batching.unpacked(*each, False) for each in zip(parts, given, strict=True)]
        return number, batching.in_structure(tensors, batch)


def _entered(queue: Any, example: list) -> Any:
    return group(queue.enqueue(example))


def bucket_by_sequence_length(
    input_length: Any, tensors: Any, batch_size: Any, bucket_boundaries: Sequence[int],
    num_threads: int = 1, capacity: int = 32, bucket_capacities: Sequence[int] | None = None,
    shapes: Any = None, dynamic_pad: bool = False, allow_smaller_final_batch: bool = False,
    keep_input: Any = True, shared_name: str | None = None, name: str | None = None,
) -> tuple[Tensor, Any]:  # fmt: skip
    """Batches of sequences of about one length.

    Args:
      input_length: the length of the example, an integer scalar.
      bucket_boundaries: growing lengths; a sequence as long as one is in the next bucket.

    The other arguments are those of `bucket`.
    Returns: the lengths, and the batch in the structure of `tensors`.
    """
    if not isinstance(bucket_boundaries, (list, tuple)):
        raise TypeError(
            f"bucket_boundaries must be a list or tuple, but received: {bucket_boundaries}"
        )
    if not bucket_boundaries:
        raise ValueError("bucket_boundaries must not be empty")
    for before, after in zip(bucket_boundaries, bucket_boundaries[1:]):
        if not isinstance(before, int) or not isinstance(after, int):
            raise TypeError(f"bucket boundaries must be integers, but saw: {before} and {after}")
        if before >= after:
            raise ValueError(
                "Buckets must contain sequential increasing lengths, but saw: "
                f"{before} before {after}"
            )
    [flat] = batching.flat_lists([tensors])
    with stacks.name_scope(name, "bucket_by_sequence_length", [input_length, *flat]):
        length = convert_to_tensor(input_length, dtypes.int32)
        limits = constant(np.array(bucket_boundaries, np.int32))
        place = reduce_sum(cast(greater_equal(length, limits), dtypes.int32))
        _, batch = bucket(
            [length, *flat], place, batch_size, len(bucket_boundaries) + 1, num_threads, capacity,
            bucket_capacities, None if shapes is None else [[], *shapes], dynamic_pad,
            allow_smaller_final_batch, keep_input, shared_name,
        )  # fmt: skip
        return batch[0], batching.in_structure(tensors, batch[1:])


# ---- classes -------------------------------------------------------------------------------------


def rejection_sample(
    tensors: Sequence[Any], accept_prob_fn: Callable[[list], Any], batch_size: Any,
    queue_threads: int = 1, enqueue_many: bool = False, prebatch_capacity: int = 16,
    prebatch_threads: int = 1, runtime_checks: bool = False, name: str | None = None,
) -> list[Tensor]:  # fmt: skip
    """Batches of examples, each of which is kept with a probability of its own.

    Args:
      tensors: an example, or a batch of them with `enqueue_many`.
      accept_prob_fn: from the tensors of an example to its probability.
      batch_size: how many examples a batch has.
      queue_threads, prebatch_capacity, prebatch_threads: of the queues.
      runtime_checks: whether a probability outside 0 to 1 is an error.
      name: of the variable scope.
    """
    with variable_scope(name, "rejection_sample", list(tensors)):
        given = [convert_to_tensor(each) for each in tensors]
        if enqueue_many:
            given = _one_by_one(given, prebatch_threads, prebatch_capacity)
        chance = accept_prob_fn(given)
        if runtime_checks:
            inside = logical_and(less_equal(0.0, chance), less_equal(chance, 1.0))
            with stacks.control_dependencies([Assert(inside, [chance])]):
                chance = identity(chance, name="prob_with_checks")
        keep = random_uniform([]) < chance
        batch = batching.maybe_batch(given, keep, batch_size, num_threads=queue_threads)
        return [batch] if isinstance(batch, Tensor) else batch


def _one_by_one(tensors: list, threads: int, capacity: int) -> list[Tensor]:
    """The examples of batches, one after the other."""
    rows = batching.batch(tensors, 1, threads, capacity, enqueue_many=True)
    return [squeeze(row, [0]) for row in (rows if isinstance(rows, list) else [rows])]


def stratified_sample(
    tensors: Sequence[Any], labels: Any, target_probs: Any, batch_size: Any,
    init_probs: Any = None, enqueue_many: bool = False, queue_capacity: int = 16,
    threads_per_queue: int = 1, name: str | None = None,
) -> tuple[Any, Tensor]:  # fmt: skip
    """Batches in which each class has its share; too frequent ones are left out by chance.

    Args:
      tensors, labels: an example and its class, or batches of them with `enqueue_many`.
      target_probs: the share that each class shall have.
      batch_size: how many examples a batch has.
      init_probs: the share that each class has; estimated as they come by default.
      queue_capacity, threads_per_queue: of the queues.
      name: of the scope.
    Returns: the list of batches, and the labels.
    """
    given = [convert_to_tensor(each) for each in tensors]
    with stacks.name_scope(name, "stratified_sample", [*given, labels]):
        labels = convert_to_tensor(labels)
        wanted = convert_to_tensor(target_probs, dtypes.float32)
        if not enqueue_many:
            given, labels = [expand_dims(each, 0) for each in given], expand_dims(labels, 0)
        classes = wanted.shape.num_elements()
        had = _shares(labels, classes) if init_probs is None else init_probs
        had = convert_to_tensor(had, dtypes.float32)
        if had.shape.num_elements() != classes:
            raise ValueError("Probability parameters must have the same length.")
        checks = [
            Assert(logical_and(reduce_all(each >= 0), abs(reduce_sum(each) - 1.0) < 1e-5), [each])
            for each in (had, wanted)
        ]
        possible = reduce_all(logical_or(not_equal(had, 0), equal(wanted, 0)))
        words = "All classes with zero initial probability must also have zero target probability: "
        with stacks.control_dependencies([*checks, Assert(possible, [words, had, wanted])]):
            ratio = wanted / had
        ratio = where(is_nan(ratio), zeros_like(ratio), ratio)
        chances = ratio / reduce_max(ratio)
        *values, label = _one_by_one([*given, labels], threads_per_queue, queue_capacity)
        keep = random_uniform([]) < gather(chances, label)
        batch = batching.maybe_batch([*values, label], keep, batch_size, threads_per_queue)
        return batch[:-1], batch[-1]


def _shares(labels: Tensor, classes: Any) -> Tensor:
    """How often each class has come so far, as a part; each begins at 10."""
    counts = Variable([10] * classes, trainable=False, name="class_count", dtype=dtypes.int64)
    seen = counts.assign_add(reduce_sum(one_hot(labels, classes, dtype=dtypes.int64), 0)) + 0
    return cast(seen / reduce_sum(seen), dtypes.float32)


# ---- rows ----------------------------------------------------------------------------------------


def resample_at_rate(
    inputs: Sequence[Any], rates: Any, scope: str | None = None, seed: int | None = None,
    back_prop: bool = False,
) -> list[Tensor]:  # fmt: skip
    """Rows of batches, each as often as a Poisson distribution of its rate says.

    Args:
      inputs: tensors whose first axis is the batch.
      rates: [batch], how often each row comes on average.
      scope: of the operations.
      seed: makes it repeatable.
      back_prop: whether gradients flow through the choice.
    """
    with stacks.name_scope(scope, "resample_at_rate", [*inputs, rates]):
        rates = convert_to_tensor(rates)
        counts = cast(random_poisson(rates, [], rates.dtype, seed=seed), dtypes.int32)
        chosen = repeat(number_range(shape_of(counts)[0]), counts)
        if not back_prop:
            chosen = stop_gradient(chosen)
        return [gather(each, chosen) for each in inputs]


def weighted_resample(
    inputs: Sequence[Any], weights: Any, overall_rate: Any, scope: str | None = None,
    mean_decay: float = 0.999, seed: int | None = None,
) -> tuple[list[Tensor], Tensor]:  # fmt: skip
    """Rows of batches, each in proportion to its weight over a running mean of weights.

    Returns: the chosen rows, and the rates of them.
    """
    with stacks.name_scope(scope, "weighted_resample", list(inputs)):
        weights = convert_to_tensor(weights)
        with variable_scope(scope, "estimate_mean", list(inputs)):
            mean = get_local_variable("estimated_mean", initializer=cast(0, weights.dtype))
            mean = assign_moving_average(mean, reduce_mean(weights), mean_decay)
        rates = weights * overall_rate / mean
        chosen = resample_at_rate([rates, *inputs], rates, seed=seed)
        return chosen[1:], chosen[0]
