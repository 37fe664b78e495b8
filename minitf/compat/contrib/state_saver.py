"""Long sequences in pieces that train one after the other: truncated backpropagation through time.

    sequence "a" of 6 steps, num_unroll=2    00000_of_00003:a   00001_of_00003:a   00002_of_00003:a
                                                  └─ save_state ─▶  └─ save_state ─▶   └▶ STOP:a

A piece is an element of a barrier, under a key of its own. The first one is complete at once; each
other one waits for its state, which the step that trains the piece before it saves.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from minitf.core.graph import dtypes, errors
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.operation import Operation
from minitf.core.graph.sparse_tensor import SparseTensor
from minitf.core.graph.stacks import control_dependencies, name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity, size
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import fill
from minitf.core.ops.array_filling import range as range_of
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import reshape, tile
from minitf.core.ops.array_slicing import boolean_mask
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, logical_and, logical_not, not_equal
from minitf.core.ops.control import group, with_dependencies
from minitf.core.ops.logging_ops import Assert
from minitf.core.ops.math import maximum, minimum
from minitf.core.ops.random import random_uniform
from minitf.core.ops.reductions import reduce_all, reduce_max, reduce_sum
from minitf.library.input.data.sparse_strings import (
    deserialize_many_sparse,
    serialize_many_sparse,
    serialize_sparse,
)
from minitf.library.input.queues.barriers import Barrier
from minitf.library.input.queues.queues import FIFOQueue
from minitf.library.input.queues.runner import QueueRunner, add_queue_runner
from minitf.library.sparse.sparse_shaping import sparse_reshape
from minitf.library.summary.summary import scalar
from minitf.library.text.strings import as_string, string_join

_HEAD = ("length", "total_length", "next_key", "sequence", "sequence_count")
_HEAD_TYPES = (dtypes.int32, dtypes.int32, dtypes.string, dtypes.int32, dtypes.int32)


class NextQueuedSequenceBatch:
    """A batch of pieces, which `SequenceQueueingStateSaver.next_batch` makes.

    Its tensors: `key`, `next_key` and `insertion_index` [batch]; `sequence` and `sequence_count`,
    which piece it is and of how many; `length`, its steps without padding, and `total_length`,
    those of the whole; `batch_size`; and the dictionaries `sequences`, of [batch, num_unroll, ...],
    and `context`, of [batch, ...].
    """

    def __init__(self, state_saver: SequenceQueueingStateSaver) -> None:
        self._saver = saver = state_saver
        takes = saver.batch_size, saver._allow_small_batch
        found = saver.barrier.take_many(*takes, name="BarrierTakeMany")
        self.insertion_index, self.key, values = found
        self.length, self.total_length, self.next_key, self.sequence, self.sequence_count, *_ = (
            values
        )
        parts = dict(zip(saver._places, values))
        self.sequences, self.context, states = (
            {name: parts[kind, name] for name in saver._parts[kind]} for kind in saver._parts
        )
        self.batch_size = size(self.length)
        self._goes_on = self.sequence + 1 < self.sequence_count
        ended = reduce_sum(cast(logical_not(self._goes_on), dtypes.int32))
        with control_dependencies([saver._capacity_queue.dequeue_many(ended)]):
            self._states = {name: identity(state) for name, state in states.items()}

    def state(self, state_name: str) -> Tensor:
        """The state in which the pieces begin: [batch, ...]."""
        return self._states[state_name]

    def save_state(self, state_name: str, value: Any, name: str | None = None) -> Operation:
        """Hands the state in which these pieces end to those that follow them.

        Args:
          state_name: which one.
          value: [batch, ...].
          name: the scope of the operations.
        Raises:
          KeyError: when there is no such state.
        """
        if state_name not in self._states:
            raise KeyError(f"state was not declared: {state_name}")
        with name_scope(name, "InputQueueingStateSaver_SaveState", [value]):
            before = self._states[state_name]
            value = convert_to_tensor(value, name=f"convert_{state_name}")
            value.shape.assert_is_compatible_with(before.shape)
            words = [f"Shape of tensor {value.name} should be: ", shape_of(before)]
            alike = reduce_all(equal(shape_of(before), shape_of(value)))
            value = _checked(value, alike, [*words, ", shape received: ", shape_of(value)])
            place = self._saver._places.index(("state", state_name))
            keys, kept = (boolean_mask(each, self._goes_on) for each in (self.next_key, value))
            name = f"BarrierInsertState_{state_name}"
            return self._saver.barrier.insert_many(place, keys, kept, name=name)


class SequenceQueueingStateSaver:
    """Cuts sequences into pieces, and keeps a state from each piece to the next.

    Args:
      batch_size: how many pieces train at once; each is of another sequence.
      num_unroll: the steps of a piece.
      input_length: how many steps of the sequence are no padding.
      input_key: a text that no other sequence has at the same time.
      input_sequences: a dictionary of [steps, ...]; the steps are a multiple of `num_unroll`.
      input_context: a dictionary of tensors that all pieces see.
      initial_states: a dictionary of the states of the first piece.
      capacity: of how many sequences there may be pieces at once; None for any number.
      allow_small_batch: whether a batch may be smaller once the saver is closed.
      name: the scope of its operations.
    Raises:
      TypeError, ValueError: when there is no sequence or state, or a shape or a type is wrong.
    """

    def __init__(
        self, batch_size: Any, num_unroll: int, input_length: Any, input_key: Any,
        input_sequences: Mapping[str, Any], input_context: Mapping[str, Any],
        initial_states: Mapping[str, Any], capacity: int | None = None,
        allow_small_batch: bool = False, name: str | None = None,
    ) -> None:  # fmt: skip
        if capacity is not None and not isinstance(batch_size, Tensor) and capacity < batch_size:
            raise ValueError(f"capacity {capacity} needs to be >= batch_size {batch_size}")
        self._capacity_queue = FIFOQueue(-1 if capacity is None else capacity, dtypes.int32, [[]])
        self.batch_size, self.num_unroll = batch_size, num_unroll
        self._allow_small_batch = allow_small_batch
        with name_scope(name, "InputQueueingStateSaver") as scope:
            self.name = scope
            self._length = convert_to_tensor(input_length, name="length")
            self._key = convert_to_tensor(input_key, name="key")
            for t, kind in ((self._length, dtypes.int32), (self._key, dtypes.string)):
                t.shape.assert_is_compatible_with([])
                if t.dtype.base_dtype != kind:
                    what = "key" if t is self._key else "length"
                    raise TypeError(f"{what} dtype must be {kind.name}, but received: {t.dtype}")
            self._parts = {
                "sequence": _named("sequence", input_sequences, "sequences must be a dict", 1),
                "context": _named("context", input_context, "context must be a dict"),
                "state": _named("state", initial_states, "initial_states must be a dictionary"),
            }
            if not self._parts["sequence"]:
                raise ValueError("must have at least one sequence tensor")
            if not self._parts["state"]:
                raise ValueError("initial_states may not be empty: a piece waits for its state")
            pieces = {k: [num_unroll, *v.shape[1:]] for k, v in self._parts["sequence"].items()}
            found = [(kind, key, t) for kind in self._parts for key, t in self._parts[kind].items()]
            self._places: list[Any] = [*_HEAD, *((kind, key) for kind, key, _ in found)]
            shapes = [pieces[key] if kind == "sequence" else t.shape for kind, key, t in found]
            types = [*_HEAD_TYPES, *(t.dtype.base_dtype for _, _, t in found)]
            self.barrier = Barrier(types, [*[()] * len(_HEAD), *shapes])

    @cached_property
    def prefetch_op(self) -> Operation:
        """The operation that cuts one sequence; a `QueueRunner` runs it."""
        with name_scope(None), name_scope(self.name):
            return self._insert()

    @cached_property
    def next_batch(self) -> NextQueuedSequenceBatch:
        """The pieces that are next; the tensors of one step are those of one batch."""
        self.prefetch_op  # noqa: B018 - its nodes come first, as in TensorFlow
        with name_scope(None), name_scope(self.name):
            return NextQueuedSequenceBatch(self)

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """Lets no new sequences in; see `Barrier.close`."""
        with name_scope(name, "SQSSClose") as scope:
            pieces = self.barrier.close(cancel_pending_enqueues, "BarrierClose")
            room = self._capacity_queue.close(cancel_pending_enqueues, "FIFOClose")
            return group(pieces, room, name=scope)

    def _insert(self) -> Operation:
        unroll, length = self.num_unroll, self._length
        sequences = self._parts["sequence"]
        steps = shape_of(next(iter(sequences.values())))[0]
        for key, each in sequences.items():
            words = f"Dimension 0 of tensor labeled sorted_sequences_{key} should be: "
            own = shape_of(each)[0]
            steps = _checked(steps, equal(own, steps), [words, steps, ", shape received: ", own])
        steps = _multiple(steps, steps, unroll, "Tensor padded_length")
        words = "Input length should be <= than length from sequences:"
        length = _checked(length, length <= steps, [words, length, " vs. ", steps])
        count = steps // unroll
        sequence = range_of(count)
        numbers = [as_string(each, width=5, fill="0") for each in (sequence, count)]
        parts = [numbers[0], "_of_", numbers[1], ":", self._key]
        keys = string_join(parts, name="StringJoinCurrentKeys")
        stop = string_join(["STOP:", self._key], name="StringJoinStop")

        def repeated(value: Tensor) -> Tensor:
            return tile(value[None], [count, *[1] * (value.shape.ndims or 0)])

        values: dict[Any, Tensor] = {
            "sequence": sequence,
            "sequence_count": repeated(count),
            "next_key": concat([keys[1:], [stop]], 0),
            "length": minimum(unroll, maximum(0, length - unroll * sequence)),
            "total_length": repeated(length),
        }
        for key, each in sequences.items():
            shape = [count, unroll, *each.shape.as_list()[1:]]
            values["sequence", key] = reshape(each, shape, name=f"reshape_sequences_{key}")
        for key, each in self._parts["context"].items():
            values["context", key] = repeated(each)
        insert, place = self.barrier.insert_many, self._places.index
        inserts = [insert(place(what), keys, value) for what, value in values.items()]
        room = self._capacity_queue.enqueue((0,))
        with control_dependencies([inserts[0], room]):  # the pieces get their ages in order
            for key, state in self._parts["state"].items():
                name = f"BarrierInitialInsertState_{key}"
                inserts.append(insert(place(("state", key)), keys[:1], state[None], name=name))
        return group(room, *inserts, name="StateSaverPrefetchGroup")


def _named(kind: str, given: Any, refusal: str, unknown: int = 0) -> dict[str, Tensor]:
    """Tensors in the order of their names, of known shape but for the first `unknown` axes."""
    if not isinstance(given, Mapping):
        raise TypeError(refusal)
    made = {}
    for key in given:
        if not isinstance(key, str):
            raise TypeError(f"{kind} key must be string: {key}")
        if ":" in key:
            raise ValueError(f"{kind} key may not have a colon: '{key}'")
    for key in sorted(given):
        made[key] = tensor = convert_to_tensor(given[key], name=f"{kind}_{key}")
        if not tensor.shape[unknown:].is_fully_defined():
            first = "(ignoring first dimension)" if unknown else ""
            raise ValueError(f"Shape for {kind} {key} is not fully defined {first}: {tensor.shape}")
    return made


def _checked(value: Any, holds: Any, words: list[Any]) -> Any:
    return with_dependencies([Assert(holds, words)], value)


def _multiple(value: Any, length: Any, unroll: int, what: str) -> Any:
    words = [f"{what} should be a multiple of: {unroll}, but saw value: ", length]
    holds = logical_and(equal(length % unroll, 0), not_equal(length, 0))
    return _checked(value, holds, [*words, ". Consider setting pad=True."])


# ---- sequences as they come ----------------------------------------------------------------------


def batch_sequences_with_states(
    input_key: Any, input_sequences: Mapping[str, Any], input_context: Mapping[str, Any],
    input_length: Any, initial_states: Mapping[str, Any], num_unroll: int, batch_size: Any,
    num_threads: int = 3, capacity: int = 1000, allow_small_batch: bool = True, pad: bool = True,
    make_keys_unique: bool = False, make_keys_unique_seed: int | None = None,
    name: str | None = None,
) -> NextQueuedSequenceBatch:  # fmt: skip
    """Batches of pieces of sequences, which threads cut; each piece begins in a kept state.

    Args:
      input_key, input_length: see `SequenceQueueingStateSaver`; None for the length is that of the
        sequences.
      input_sequences, input_context, initial_states: see there; sequences and contexts may be
        sparse.
      num_unroll, batch_size: how many steps a piece has, and how many pieces a batch.
      num_threads: how many threads of a queue runner cut sequences.
      capacity, allow_small_batch: see there.
      pad: whether zeros, or empty texts, make the steps a multiple of `num_unroll`.
      make_keys_unique: whether each key gets a random number, drawn from `make_keys_unique_seed`.
      name: the scope of the operations.
    Example:
      >>> batch = tf.contrib.training.batch_sequences_with_states(
      ...     "a", {"x": tf.random_normal([5, 3])}, {}, None, {"h": tf.zeros([4])}, 2, 1)
      >>> batch.sequences["x"].shape.as_list()
      [None, 2, 3]
    """
    with name_scope(name, "batch_sequences_with_states"):
        sequences = {
            key: each if isinstance(each, SparseTensor) else convert_to_tensor(each)
            for key, each in sorted(input_sequences.items())
        }
        if pad:
            length, sequences = _padded(sequences, num_unroll)
            input_length = length if input_length is None else input_length
        packed = {key: _packed(each, serialize_many_sparse) for key, each in sequences.items()}
        context = {key: _packed(each, serialize_sparse) for key, each in input_context.items()}
        if make_keys_unique:
            seed = make_keys_unique_seed
            number = random_uniform((), 0, 100_000_000, dtypes.int32, seed=seed)
            input_key = string_join([input_key, as_string(number)])
        saver = SequenceQueueingStateSaver(
            batch_size, num_unroll, input_length, input_key, packed, context, initial_states,
            capacity, allow_small_batch,
        )  # fmt: skip
        ready = cast(saver.barrier.ready_size(), dtypes.float32)
        scalar(f"queue/{saver.barrier.name}/ready_segment_batches_", ready)
        ends = (errors.OutOfRangeError, errors.CancelledError)
        threads = [saver.prefetch_op] * num_threads
        add_queue_runner(QueueRunner(saver, threads, queue_closed_exception_types=ends))
        batch = saver.next_batch
        for key, each in sequences.items():
            if isinstance(each, SparseTensor):
                rows = deserialize_many_sparse(reshape(batch.sequences[key], [-1, 3]), each.dtype)
                sizes = concat([[-1, num_unroll], rows.dense_shape[1:]], 0)
                batch.sequences[key] = sparse_reshape(rows, sizes)
        for key, each in input_context.items():
            if isinstance(each, SparseTensor):
                batch.context[key] = deserialize_many_sparse(batch.context[key], each.dtype)
        return batch


def _packed(value: Any, pack: Any) -> Any:
    return pack(value) if isinstance(value, SparseTensor) else value


def _padded(sequences: dict[str, Any], unroll: int) -> tuple[Any, dict[str, Any]]:
    """How many steps there are, and the sequences with so many that `unroll` divides them."""
    dense = [shape_of(each)[0] for each in sequences.values() if isinstance(each, Tensor)]
    if dense:
        alike = reduce_all(equal(dense, dense[0]))
        words = "All sequence lengths must match, but received lengths: "
        length = _checked(dense[0], alike, [words, dense])
    else:
        rows = [cast(each.dense_shape[0], dtypes.int32) for each in sequences.values()]
        length = reduce_max(rows) if rows else 0
    steps = length + (-length) % unroll
    made: dict[str, Any] = {}
    for key, each in sequences.items():
        if isinstance(each, SparseTensor):
            whole = concat([[cast(steps, dtypes.int64)], each.dense_shape[1:]], 0)
            made[key] = SparseTensor(each.indices, each.values, whole)
        else:
            rest = concat([[steps - shape_of(each)[0]], shape_of(each)[1:]], 0)
            empty = constant("" if each.dtype == dtypes.string else 0, each.dtype)
            made[key] = concat([each, fill(rest, empty)], 0)
    return length, made
