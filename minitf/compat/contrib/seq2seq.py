"""Decoders as loops of the graph: `tf.contrib.seq2seq`.

    helper ──> inputs ──> decoder.step: the cell ──> outputs ──> helper.sample, next inputs ─┐
                  ^──────────────────────────────────────────────────────────────────────────┘
    dynamic_decode runs the steps until every sequence has ended

A `Helper` says what the next input is: the next of a given sequence while training, what was said
last when the net speaks on its own. Attention is in attention.py.
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from minitf.core.gradients.cond import cond
from minitf.core.gradients.while_loop import while_loop
from minitf.core.graph import dtypes, nest, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import fill, zeros, zeros_like
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import expand_dims, reshape, tile
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, logical_and, logical_not, logical_or, where
from minitf.core.ops.losses import sparse_softmax_cross_entropy_with_logits
from minitf.core.ops.math import div_no_nan
from minitf.core.ops.reductions import argmax, count_nonzero, reduce_all, reduce_sum
from minitf.core.variables.variable_scope import variable_scope
from minitf.library.graph_tools.tensor_array import TensorArray
from minitf.library.layers.rnn.loops import size_of, transpose_batch_time
from minitf.library.layers.rnn.wrappers import assert_like_rnncell
from minitf.library.nets.embeddings import embedding_lookup

# ---- loss --------------------------------------------------------------------------------


def sequence_loss(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    sum_over_timesteps: bool = False,
    sum_over_batch: bool = False,
    softmax_loss_function: Callable[..., Tensor] | None = None,
    name: str | None = None,
) -> Tensor:
    """The weighted cross entropy of a batch of sequences.

    Args:
      logits: [batch, time, symbols] floats.
      targets: [batch, time] integers.
      weights: [batch, time] floats; zero for what is no part of a sequence.
      average_across_timesteps, average_across_batch: whether to divide by the sums of the weights
        along an axis.
      sum_over_timesteps, sum_over_batch: whether to sum along an axis, and to divide by the number
        of weights that are not zero.
      softmax_loss_function: from `labels` and `logits` to the loss, in place of the usual.
      name: a name.
    Returns: a scalar; [batch] or [time] when one of the axes is kept, [batch, time] for both.
    Raises:
      ValueError: when a rank is wrong, or an axis is to be both averaged and summed.
    """
    logits, targets, weights = (convert_to_tensor(each) for each in (logits, targets, weights))
    for what, tensor, rank, form in (
        ("Logits", logits, 3, "[batch_size x sequence_length x logits]"),
        ("Targets", targets, 2, "[batch_size x sequence_length]"),
        ("Weights", weights, 2, "[batch_size x sequence_length]"),
    ):
        if tensor.shape.ndims not in (None, rank):
            raise ValueError(f"{what} must be a {form} tensor")
    for average, total, axis in (
        (average_across_timesteps, sum_over_timesteps, "timesteps"),
        (average_across_batch, sum_over_batch, "batch"),
    ):
        if average and total:
            raise ValueError(
                f"average_across_{axis} and sum_over_{axis} cannot be set to True at same time."
            )
    if average_across_batch and sum_over_timesteps or average_across_timesteps and sum_over_batch:
        raise ValueError("average and sum cannot be mixed over the two axes.")
    with stacks.name_scope(name, "sequence_loss", [logits, targets, weights]):
        symbols = shape_of(logits)[2]
        flat_logits = reshape(logits, [-1, symbols])
        flat_targets = reshape(targets, [-1])
        if softmax_loss_function is None:
            loss = sparse_softmax_cross_entropy_with_logits(labels=flat_targets, logits=flat_logits)
        else:
            loss = softmax_loss_function(labels=flat_targets, logits=flat_logits)
        loss = loss * reshape(weights, [-1])
        if average_across_timesteps and average_across_batch:
            return div_no_nan(reduce_sum(loss), reduce_sum(weights))
        if sum_over_timesteps and sum_over_batch:
            return div_no_nan(reduce_sum(loss), cast(count_nonzero(weights), loss.dtype))
        loss = reshape(loss, shape_of(logits)[0:2])
        for along, average, total in (
            (1, average_across_timesteps, sum_over_timesteps),
            (0, average_across_batch, sum_over_batch),
        ):
            if average:
                count = reduce_sum(weights, axis=[along])
                loss = div_no_nan(reduce_sum(loss, axis=[along]), count)
            elif total:
                count = cast(count_nonzero(weights, axis=along), loss.dtype)
                loss = div_no_nan(reduce_sum(loss, axis=[along]), count)
        return loss


# ---- helpers -----------------------------------------------------------------------------


class Helper(ABC):
    """Says what a decoder's next inputs are, and when a sequence ends."""

    sample_ids_shape = TensorShape([])
    sample_ids_dtype = dtypes.int32

    @property
    @abstractmethod
    def batch_size(self) -> Any:
        """How many sequences there are."""

    @abstractmethod
    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """Which sequences have ended before the first step, and the first inputs."""

    @abstractmethod
    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """What is said: [batch] symbols, from the outputs of a step."""

    @abstractmethod
    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """Which sequences have ended, the next inputs, and the next state."""


class _KnownHelper(Helper):
    """A helper that knows its batch and says the likeliest symbols."""

    _batch_size: Any

    @property
    def batch_size(self) -> Any:
        """How many sequences there are."""
        return self._batch_size

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """The likeliest symbols."""
        return argmax(outputs, axis=-1, output_type=dtypes.int32)


class TrainingHelper(_KnownHelper):
    """Reads the inputs of given sequences.

    Args:
      inputs: [batch, time, ...], or a structure of such tensors.
      sequence_length: [batch] integers.
      time_major: whether the inputs are [time, batch, ...].
      name: a name.
    """

    def __init__(
        self, inputs: Any, sequence_length: Any, time_major: bool = False, name: str | None = None
    ) -> None:
        with stacks.name_scope(name, "TrainingHelper", [sequence_length]):
            inputs = nest.map_structure(convert_to_tensor, inputs)
            self._inputs = inputs
            rows = inputs if time_major else nest.map_structure(transpose_batch_time, inputs)
            self._arrays = nest.map_structure(as_array, rows)
            self._lengths = convert_to_tensor(sequence_length, name="sequence_length")
            if self._lengths.shape.ndims != 1:
                raise ValueError(
                    "Expected sequence_length to be a vector, but received shape: "
                    f"{self._lengths.shape}"
                )
            self._zeros = nest.map_structure(lambda t: zeros_like(t[0, :]), rows)
            self._batch_size = size_of([self._lengths], 0)

    @property
    def inputs(self) -> Any:
        """The sequences."""
        return self._inputs

    @property
    def sequence_length(self) -> Tensor:
        """Their lengths."""
        return self._lengths

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """The first inputs; sequences of length 0 have ended."""
        finished = equal(0, self._lengths)
        return finished, self._at(0, reduce_all(finished))

    def _at(self, time: Any, all_finished: Tensor) -> Any:
        return cond(
            all_finished,
            lambda: self._zeros,
            lambda: nest.map_structure(lambda array: array.read(time), self._arrays),
            strict=True,
        )

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """The next inputs of the sequences."""
        finished = time + 1 >= self._lengths
        return finished, self._at(time + 1, reduce_all(finished)), state


def as_array(rows: Tensor) -> TensorArray:
    """A `TensorArray` of what is along the first axis."""
    kind, rest = rows.dtype.base_dtype, rows.shape[1:]
    return TensorArray(kind, size=shape_of(rows)[0], element_shape=rest).unstack(rows)


class GreedyEmbeddingHelper(_KnownHelper):
    """Gives the likeliest symbol of each step as the next input.

    Args:
      embedding: a table of vectors, or a function from symbols to vectors.
      start_tokens: [batch] int32, the first symbols.
      end_token: the symbol at which a sequence ends.
    """

    def __init__(self, embedding: Any, start_tokens: Any, end_token: Any) -> None:
        self._lookup = (
            embedding if callable(embedding) else lambda ids: embedding_lookup(embedding, ids)
        )
        self._start_tokens = convert_to_tensor(start_tokens, dtypes.int32, "start_tokens")
        self._end_token = convert_to_tensor(end_token, dtypes.int32, "end_token")
        if self._start_tokens.shape.ndims != 1:
            raise ValueError("start_tokens must be a vector")
        if self._end_token.shape.ndims != 0:
            raise ValueError("end_token must be a scalar")
        self._batch_size = size_of([self._start_tokens], 0)

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """The vectors of the first symbols."""
        return fill([self._batch_size], False), self._lookup(self._start_tokens)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """The vectors of the symbols that were said."""
        finished = equal(sample_ids, self._end_token)
        return finished, self._lookup(sample_ids), state


# ---- decoders ----------------------------------------------------------------------------


class Decoder(ABC):
    """What `dynamic_decode` runs."""

    #: whether the decoder itself knows which of its sequences have ended
    tracks_own_finished = False

    @property
    @abstractmethod
    def batch_size(self) -> Any:
        """How many sequences there are."""

    @property
    @abstractmethod
    def output_size(self) -> Any:
        """The sizes of what a step gives."""

    @property
    @abstractmethod
    def output_dtype(self) -> Any:
        """The types of what a step gives."""

    @abstractmethod
    def initialize(self, name: str | None = None) -> tuple[Any, Any, Any]:
        """Which sequences have ended, the first inputs, and the first state."""

    @abstractmethod
    def step(
        self, time: Any, inputs: Any, state: Any, name: str | None = None
    ) -> tuple[Any, Any, Any, Any]:
        """Outputs, next state, next inputs, and which sequences have ended."""

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """What becomes of outputs and state after the last step."""
        return outputs, final_state


class BasicDecoderOutput(NamedTuple):
    """What a step of a `BasicDecoder` gives: outputs, and the symbols said."""

    rnn_output: Any
    sample_id: Any


class BasicDecoder(Decoder):
    """A cell, a helper, and a layer for the outputs.

    Args:
      cell: an `RNNCell`.
      helper: a `Helper`.
      initial_state: of the cell.
      output_layer: a layer that the outputs go through, as `tf.layers.Dense(symbols)`.
    """

    def __init__(
        self, cell: Any, helper: Helper, initial_state: Any, output_layer: Any = None
    ) -> None:
        assert_like_rnncell("cell", cell)
        if not isinstance(helper, Helper):
            raise TypeError(f"helper must be a Helper, received: {type(helper)}")
        self._cell = cell
        self._helper = helper
        self._initial_state = initial_state
        self._output_layer = output_layer

    @property
    def batch_size(self) -> Any:
        """How many sequences there are."""
        return self._helper.batch_size

    @property
    def output_size(self) -> BasicDecoderOutput:
        """The sizes of outputs and symbols."""
        size = self._cell.output_size
        if self._output_layer is not None:
            shape = TensorShape([None]).concatenate(as_shape([size]))
            size = self._output_layer.compute_output_shape(shape)[1:]
        return BasicDecoderOutput(size, self._helper.sample_ids_shape)

    @property
    def output_dtype(self) -> BasicDecoderOutput:
        """The types of outputs and symbols."""
        kind = nest.flatten(self._initial_state)[0].dtype
        return BasicDecoderOutput(kind, self._helper.sample_ids_dtype)

    def initialize(self, name: str | None = None) -> tuple[Any, Any, Any]:
        """As the helper begins, with the initial state."""
        return (*self._helper.initialize(), self._initial_state)

    def step(
        self, time: Any, inputs: Any, state: Any, name: str | None = None
    ) -> tuple[Any, Any, Any, Any]:
        """One step of the cell."""
        with stacks.name_scope(name, "BasicDecoderStep", [time]):
            output, state = self._cell(inputs, state)
            if self._output_layer is not None:
                output = self._output_layer(output)
            ids = self._helper.sample(time=time, outputs=output, state=state)
            finished, inputs, state = self._helper.next_inputs(
                time=time, outputs=output, state=state, sample_ids=ids
            )
        return BasicDecoderOutput(output, ids), state, inputs, finished


def dynamic_decode(
    decoder: Decoder,
    output_time_major: bool = False,
    impute_finished: bool = False,
    maximum_iterations: Any = None,
    parallel_iterations: int = 32,
    swap_memory: bool = False,
    scope: Any = None,
) -> tuple[Any, Any, Tensor]:
    """Runs a decoder until every sequence has ended.

    Args:
      decoder: a `Decoder`.
      output_time_major: whether the outputs are [time, batch, ...].
      impute_finished: whether sequences that have ended give zeros and keep their state.
      maximum_iterations: how many steps there are at most.
      parallel_iterations, swap_memory: accepted; steps run one after the other.
      scope: a variable scope; "decoder" by default.
    Returns: the outputs, the final state, and [batch] int32, the lengths of the sequences.
    Raises:
      TypeError: when `decoder` is none.
    """
    if not isinstance(decoder, Decoder):
        raise TypeError(f"Expected decoder to be type Decoder, but saw: {type(decoder)}")
    with variable_scope(scope, "decoder"):
        finished, inputs, state = decoder.initialize()
        inputs, state = (nest.map_structure(_as_tensor, each) for each in (inputs, state))
        kinds, sizes = decoder.output_dtype, decoder.output_size
        zero_outputs = nest.map_structure(
            lambda size, kind: zeros([decoder.batch_size, *_sizes(size)], kind), sizes, kinds
        )
        if maximum_iterations is not None:
            limit = convert_to_tensor(maximum_iterations, dtypes.int32, "maximum_iterations")
            finished = logical_or(finished, 0 >= limit)
        lengths = zeros_like(finished, dtype=dtypes.int32)

        def empty(kind: Any, zero: Tensor) -> TensorArray:
            return TensorArray(kind, size=0, dynamic_size=True, element_shape=zero.shape)

        arrays = nest.map_structure(empty, kinds, zero_outputs)

        def body(time: Any, arrays: Any, state: Any, inputs: Any, finished: Any, lengths: Any):
            outputs, next_state, next_inputs, ended = decoder.step(time, inputs, state)
            either = ended if decoder.tracks_own_finished else logical_or(ended, finished)
            if maximum_iterations is not None:
                either = logical_or(either, time + 1 >= limit)
            ends_now = logical_and(logical_not(finished), either)
            lengths = where(ends_now, fill(shape_of(lengths), time + 1), lengths)
            if impute_finished:
                stopped = partial(where, finished)
                outputs = nest.map_structure(stopped, zero_outputs, outputs)
                next_state = nest.map_structure(partial(_kept, finished), next_state, state)
            arrays = nest.map_structure(lambda array, out: array.write(time, out), arrays, outputs)
            return time + 1, arrays, next_state, next_inputs, either, lengths

        _, arrays, final_state, _, _, lengths = while_loop(
            lambda *values: logical_not(reduce_all(values[4])),
            body,
            (0, arrays, state, inputs, finished, lengths),
            parallel_iterations=parallel_iterations,
        )
        outputs = nest.map_structure(lambda array: array.stack(), arrays)
        with contextlib.suppress(NotImplementedError):
            outputs, final_state = decoder.finalize(outputs, final_state, lengths)
        if not output_time_major:
            outputs = nest.map_structure(transpose_batch_time, outputs)
    return outputs, final_state, lengths


def _as_tensor(value: Any) -> Any:
    return value if isinstance(value, TensorArray) else convert_to_tensor(value)


def _sizes(size: Any) -> list:
    return as_shape([size] if isinstance(size, int) else size).as_list()


def _kept(finished: Tensor, new: Any, old: Any) -> Any:
    """The new state where a sequence goes on, else the old one."""
    if isinstance(old, TensorArray) or old.shape.ndims == 0:
        return new
    new.set_shape(old.shape)
    return where(finished, old, new)


def tile_batch(t: Any, multiplier: int, name: str | None = None) -> Any:
    """Repeats each entry of a batch.

    Args:
      t: [batch, ...], or a structure of such tensors.
      multiplier: how many times.
      name: a name.
    Returns: [batch * multiplier, ...].
    """

    def repeat(tensor: Tensor) -> Tensor:
        sizes = shape_of(tensor)
        rank = tensor.shape.ndims or 1
        wide = tile(expand_dims(tensor, 1), [1, multiplier, *[1] * (rank - 1)])
        whole = reshape(wide, concat([[sizes[0] * multiplier], sizes[1:]], 0))
        known = tensor.shape[0].value
        rows = TensorShape([None if known is None else known * multiplier])
        whole.set_shape(rows.concatenate(tensor.shape[1:]))
        return whole

    with stacks.name_scope(name, "tile_batch", [*nest.flatten(t), multiplier]):
        return nest.map_structure(lambda each: repeat(convert_to_tensor(each)), t)
