"""Decoders as loops of the graph: `tf.contrib.seq2seq`.

    helper ──> inputs ──> decoder.step: the cell ──> outputs ──> helper.sample, next inputs ─┐
                  ^──────────────────────────────────────────────────────────────────────────┘
    dynamic_decode runs the steps until every sequence has ended

A `Helper` says what the next input is: the next of a given sequence while training, what was said
last when the net speaks on its own. With attention, a decoder looks at a memory in each step:

    memory ──> memory_layer ──> keys                     score of each place, softmax: alignments
    cell output ──> query_layer ──> query ──> score ──>  context = sum of alignments * values
    AttentionWrapper(cell): the context goes into the cell's next input and into the output

Bahdanau et al. (2014): v * tanh(query + keys). Luong et al. (2015): query * keys.
"""

from __future__ import annotations

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
from minitf.core.ops.array_shaping import expand_dims, reshape, squeeze, tile
from minitf.core.ops.comparisons import equal, logical_and, logical_not, logical_or, where
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import div_no_nan, rsqrt, square, tanh
from minitf.core.ops.reductions import argmax, reduce_all, reduce_sum
from minitf.core.variables.initializers import Constant, Zeros
from minitf.core.variables.variable_scope import get_variable, variable_scope
from minitf.library.graph_tools.tensor_array import TensorArray
from minitf.library.keras.backend.recurrent import as_sizes
from minitf.library.layers.layers import Dense
from minitf.library.layers.rnn.cells import RNNCell
from minitf.library.layers.rnn.loops import size_of, transpose_batch_time
from minitf.library.layers.rnn.wrappers import assert_like_rnncell
from minitf.library.nets.activations import softmax
from minitf.library.nets.cross_entropy import sparse_softmax_cross_entropy_with_logits
from minitf.library.nets.embeddings import embedding_lookup
from minitf.library.numeric.filling import sequence_mask

# ---- loss --------------------------------------------------------------------------------


def sequence_loss(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
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
      softmax_loss_function: from `labels` and `logits` to the loss, in place of the usual.
      name: a name.
    Returns: a scalar; [batch] or [time] when one of the axes is kept, [batch, time] for both.
    Raises:
      ValueError: when a rank is wrong.
    """
    logits, targets, weights = (convert_to_tensor(each) for each in (logits, targets, weights))
    for what, tensor, rank, form in (
        ("Logits", logits, 3, "[batch_size x sequence_length x logits]"),
        ("Targets", targets, 2, "[batch_size x sequence_length]"),
        ("Weights", weights, 2, "[batch_size x sequence_length]"),
    ):
        if tensor.shape.ndims not in (None, rank):
            raise ValueError(f"{what} must be a {form} tensor")
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
        loss = reshape(loss, shape_of(logits)[0:2])
        for along, average in ((1, average_across_timesteps), (0, average_across_batch)):
            if average:
                count = reduce_sum(weights, axis=[along])
                loss = div_no_nan(reduce_sum(loss, axis=[along]), count)
        return loss


# ---- helpers -----------------------------------------------------------------------------


class Helper:
    """Says what a decoder's next inputs are, and when a sequence ends.

    Attributes:
      batch_size: how many sequences there are.
    """

    sample_ids_shape = TensorShape([])
    sample_ids_dtype = dtypes.int32
    batch_size: Any

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """What is said: the likeliest symbols [batch] of the outputs of a step."""
        return argmax(outputs, axis=-1, output_type=dtypes.int32)


class TrainingHelper(Helper):
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
            self.inputs = inputs
            rows = inputs if time_major else nest.map_structure(transpose_batch_time, inputs)
            self._arrays = nest.map_structure(as_array, rows)
            self.sequence_length = convert_to_tensor(sequence_length, name="sequence_length")
            if self.sequence_length.shape.ndims != 1:
                raise ValueError(
                    "Expected sequence_length to be a vector, but received shape: "
                    f"{self.sequence_length.shape}"
                )
            self._zeros = nest.map_structure(lambda t: zeros_like(t[0, :]), rows)
            self.batch_size = size_of([self.sequence_length], 0)

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """The first inputs; sequences of length 0 have ended."""
        finished = equal(0, self.sequence_length)
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
        finished = time + 1 >= self.sequence_length
        return finished, self._at(time + 1, reduce_all(finished)), state


def as_array(rows: Tensor) -> TensorArray:
    """A `TensorArray` of what is along the first axis."""
    kind, rest = rows.dtype.base_dtype, rows.shape[1:]
    return TensorArray(kind, size=shape_of(rows)[0], element_shape=rest).unstack(rows)


class GreedyEmbeddingHelper(Helper):
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
        self.batch_size = size_of([self._start_tokens], 0)

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """The vectors of the first symbols."""
        return fill([self.batch_size], False), self._lookup(self._start_tokens)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """The vectors of the symbols that were said."""
        finished = equal(sample_ids, self._end_token)
        return finished, self._lookup(sample_ids), state


# ---- decoders ----------------------------------------------------------------------------


class BasicDecoderOutput(NamedTuple):
    """What a step of a `BasicDecoder` gives: outputs, and the symbols said."""

    rnn_output: Any
    sample_id: Any


class BasicDecoder:
    """A cell, a helper, and a layer for the outputs.

    Args:
      cell: an `RNNCell`.
      helper: a `Helper`.
      initial_state: of the cell.
      output_layer: a layer that the outputs go through, as `tf.layers.Dense(symbols)`.
    """

    def __init__(
        self, cell: Any, helper: Any, initial_state: Any, output_layer: Any = None
    ) -> None:
        assert_like_rnncell("cell", cell)
        if not isinstance(helper, Helper):
            raise TypeError(f"helper must be a Helper, received: {type(helper)}")
        self._cell = cell
        self._helper: Any = helper
        self.batch_size = helper.batch_size
        self._initial_state = initial_state
        self._output_layer = output_layer

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
    decoder: BasicDecoder,
    output_time_major: bool = False,
    impute_finished: bool = False,
    maximum_iterations: Any = None,
    parallel_iterations: int = 32,
    swap_memory: bool = False,
    scope: Any = None,
) -> tuple[Any, Any, Tensor]:
    """Runs a decoder until every sequence has ended.

    Args:
      decoder: a `BasicDecoder`.
      output_time_major: whether the outputs are [time, batch, ...].
      impute_finished: whether sequences that have ended give zeros and keep their state.
      maximum_iterations: how many steps there are at most.
      parallel_iterations, swap_memory: accepted; steps run one after the other.
      scope: a variable scope; "decoder" by default.
    Returns: the outputs, the final state, and [batch] int32, the lengths of the sequences.
    Raises:
      TypeError: when `decoder` is none.
    """
    if not isinstance(decoder, BasicDecoder):
        raise TypeError(f"Expected decoder to be type Decoder, but saw: {type(decoder)}")
    with variable_scope(scope, "decoder"):
        finished, inputs, state = decoder.initialize()
        inputs, state = (nest.map_structure(_as_tensor, each) for each in (inputs, state))
        kinds, sizes = decoder.output_dtype, decoder.output_size
        zero_outputs = nest.map_structure(
            lambda size, kind: zeros([decoder.batch_size, *as_sizes(size).as_list()], kind),
            sizes,
            kinds,
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
            either = logical_or(ended, finished)
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
        if not output_time_major:
            outputs = nest.map_structure(transpose_batch_time, outputs)
    return outputs, final_state, lengths


def _as_tensor(value: Any) -> Any:
    return value if isinstance(value, TensorArray) else convert_to_tensor(value)


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


# ---- attention ---------------------------------------------------------------------------


def _masked(memory: Any, lengths: Any) -> Any:
    """The memory with zeros beyond the end of each sequence."""
    memory = nest.map_structure(convert_to_tensor, memory)
    if lengths is None:
        return memory

    def mask(tensor: Tensor) -> Tensor:
        inside = sequence_mask(lengths, maxlen=shape_of(tensor)[1], dtype=tensor.dtype.base_dtype)
        for _ in range((tensor.shape.ndims or 2) - 2):
            inside = expand_dims(inside, -1)
        return tensor * inside

    return nest.map_structure(mask, memory)


def _dense(units: int, name: str, dtype: Any) -> Dense:
    return Dense(units, name=name, use_bias=False, dtype=dtypes.float32 if dtype is None else dtype)


class AttentionMechanism:
    """What attention mechanisms have in common: keys, values and the softmax over places.

    Args:
      memory: [batch, time, size], what to look at.
      memory_sequence_length: [batch] integers, how many places of each count.
      query_layer, memory_layer: what queries and memory go through; None for nothing.
    """

    def __init__(
        self,
        memory: Any,
        memory_sequence_length: Any,
        query_layer: Any,
        memory_layer: Any,
        name: str,
    ) -> None:
        self.query_layer, self.memory_layer = query_layer, memory_layer
        with stacks.name_scope(name, "BaseAttentionMechanismInit", nest.flatten(memory)):
            given = memory_sequence_length
            self._lengths = None if given is None else convert_to_tensor(given)
            self._values = _masked(memory, self._lengths)
            self._keys = memory_layer(self._values) if memory_layer else self._values
            self._batch_size, self._alignments_size = (size_of([self._keys], i) for i in (0, 1))

    # Programs' own mechanisms read these under both names, and call `_probability_fn`.
    keys, values = property(lambda self: self._keys), property(lambda self: self._values)
    batch_size = property(lambda self: self._batch_size)
    alignments_size = state_size = property(lambda self: self._alignments_size)

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Tensor:
        """The alignments before the first step: zeros."""
        return zeros([batch_size, self.alignments_size], dtype=dtype)

    def initial_state(self, batch_size: Any, dtype: Any) -> Tensor:
        """The state before the first step: the initial alignments."""
        return self.initial_alignments(batch_size, dtype)

    def _score(self, query: Tensor) -> Tensor:
        raise NotImplementedError

    def _probability_fn(self, score: Tensor, state: Tensor) -> Tensor:
        if self._lengths is not None:
            inside = sequence_mask(self._lengths, maxlen=shape_of(score)[1])
            outside = fill(shape_of(score), convert_to_tensor(float("-inf"), score.dtype))
            score = where(inside, score, outside)
        return softmax(score)

    def __call__(self, query: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """The alignments [batch, time] for a query [batch, size], and the next state."""
        with variable_scope(None, self._scope, [query]):
            alignments = self._probability_fn(self._score(query), state)
        return alignments, alignments

    _scope = "attention"


class BahdanauAttention(AttentionMechanism):
    """Additive attention: the score is `v * tanh(query + keys)`.

    Args:
      num_units: the size in which queries and keys are compared.
      memory: [batch, time, size], what to look at.
      memory_sequence_length: [batch] integers, how many places of each count.
      normalize: whether v is normalized, with a bias (Salimans and Kingma, 2016).
      dtype: of the layers.
      name: a name.
    """

    _scope = "bahdanau_attention"

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        normalize: bool = False,
        dtype: Any = None,
        name: str = "BahdanauAttention",
    ) -> None:
        super().__init__(
            memory,
            memory_sequence_length,
            _dense(num_units, "query_layer", dtype),
            _dense(num_units, "memory_layer", dtype),
            name,
        )
        self._num_units = num_units
        self._normalize = normalize

    def _score(self, query: Tensor) -> Tensor:
        processed = expand_dims(self.query_layer(query), 1)
        kind = query.dtype.base_dtype
        v: Any = get_variable("attention_v", [self._num_units], dtype=kind)
        if not self._normalize:
            return reduce_sum(v * tanh(self.keys + processed), [2])
        scale = Constant((1.0 / self._num_units) ** 0.5)
        g: Any = get_variable("attention_g", shape=(), dtype=kind, initializer=scale)
        b = get_variable("attention_b", [self._num_units], dtype=kind, initializer=Zeros())
        normed = g * v * rsqrt(reduce_sum(square(v)))
        return reduce_sum(normed * tanh(self.keys + processed + b), [2])


class LuongAttention(AttentionMechanism):
    """Multiplicative attention: the score is the product of query and keys.

    Args:
      num_units: the size of the keys, and of the queries.
      memory: [batch, time, size], what to look at.
      memory_sequence_length: [batch] integers, how many places of each count.
      scale: whether the score is scaled by a variable.
      dtype: of the layer.
      name: a name.
    Raises:
      ValueError: in a call, when the query's size is not that of the keys.
    """

    _scope = "luong_attention"

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        scale: bool = False,
        dtype: Any = None,
        name: str = "LuongAttention",
    ) -> None:
        super().__init__(
            memory,
            memory_sequence_length,
            None,
            _dense(num_units, "memory_layer", dtype),
            name,
        )
        self._scale = scale

    def _score(self, query: Tensor) -> Tensor:
        depth, units = query.shape[-1].value, self.keys.shape[-1].value
        if depth != units:
            raise ValueError(
                "Incompatible or unknown inner dimensions between query and keys.  Query "
                f"({query}) has units: {depth}.  Keys ({self.keys}) have units: {units}.  Perhaps "
                "you need to set num_units to the keys' dimension?"
            )
        score = squeeze(matmul(expand_dims(query, 1), self.keys, transpose_b=True), [1])
        if self._scale:
            kind, one = query.dtype.base_dtype, Constant(1.0)
            score = score * get_variable("attention_g", dtype=kind, initializer=one, shape=())
        return score


class AttentionWrapperState(NamedTuple):
    """The state of an `AttentionWrapper`.

    Attributes:
      cell_state: of the cell inside.
      attention: what came of the last look, [batch, size].
      time: the number of the step.
      alignments: how much each place counted in the last look.
      alignment_history: a `TensorArray` of all alignments, or ().
      attention_state: of the mechanism.
    """

    cell_state: Any
    attention: Any
    time: Any
    alignments: Any
    alignment_history: Any
    attention_state: Any

    def clone(self, **kwargs: Any) -> AttentionWrapperState:
        """Returns a copy with other fields, as `zero_state(...).clone(cell_state=encoded)`.

        Raises:
          ValueError: when a field has another structure than before.
        """
        made = self._replace(**kwargs)
        nest.assert_same_structure(self, made)
        return made


class AttentionWrapper(RNNCell):
    """A cell that looks at a memory after each step.

    Args:
      cell: the cell inside; it takes the inputs and the last attention side by side.
      attention_mechanism: an `AttentionMechanism`.
      attention_layer_size: the size of a layer over output and context; by default the attention is
        the context itself.
      alignment_history: whether the state keeps the alignments of all steps.
      output_attention: whether the output is the attention, and not the cell's own.
      name: a name.
    Raises:
      TypeError: when the mechanism is something else.
    """

    def __init__(
        self,
        cell: Any,
        attention_mechanism: Any,
        attention_layer_size: int | None = None,
        alignment_history: bool = False,
        output_attention: bool = True,
        name: str | None = None,
    ) -> None:
        super().__init__(name=name)
        assert_like_rnncell("cell", cell)
        if not isinstance(attention_mechanism, AttentionMechanism):
            raise TypeError(
                "attention_mechanism must be an AttentionMechanism, saw type: "
                f"{type(attention_mechanism).__name__}"
            )
        self._attention_mechanism = attention_mechanism
        self._cell = cell
        self._alignment_history = alignment_history
        self._output_attention = output_attention
        size = attention_layer_size
        self._attention_layer: Any = None
        if size is not None:
            self._attention_layer = Dense(size, name="attention_layer", use_bias=False)
        depth = attention_mechanism.values.shape[-1].value
        self._attention_layer_size: Any = depth if size is None else size

    @property
    def output_size(self) -> Any:
        """The size of the attention, or of the cell's output."""
        return self._attention_layer_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self) -> AttentionWrapperState:
        """The sizes of the parts of the state."""
        mechanism = self._attention_mechanism
        return AttentionWrapperState(
            self._cell.state_size,
            self._attention_layer_size,
            (),
            mechanism.alignments_size,
            (),
            mechanism.state_size,
        )

    def zero_state(self, batch_size: Any, dtype: Any) -> AttentionWrapperState:
        """The state of zeros before the first step."""
        with stacks.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            mechanism = self._attention_mechanism
            alignments = mechanism.initial_alignments(batch_size, dtype)
            history: Any = ()
            if self._alignment_history:
                shape = alignments.shape
                history = TensorArray(dtype, size=0, dynamic_size=True, element_shape=shape)
            return AttentionWrapperState(
                self._cell.zero_state(batch_size, dtype),
                zeros([batch_size, self._attention_layer_size], dtype),
                zeros([], dtypes.int32),
                alignments,
                history,
                mechanism.initial_state(batch_size, dtype),
            )

    def call(self, inputs: Any, state: AttentionWrapperState) -> Any:
        """One step of the cell, and one look at the memory."""
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(
                "Expected state to be instance of AttentionWrapperState. "
                f"Received type {type(state)} instead."
            )
        output, cell_state = self._cell(concat([inputs, state.attention], -1), state.cell_state)
        mechanism = self._attention_mechanism
        alignments, after = mechanism(output, state.attention_state)
        attention = squeeze(matmul(expand_dims(alignments, 1), mechanism.values), [1])
        if self._attention_layer is not None:
            attention = self._attention_layer(concat([output, attention], 1))
        history = state.alignment_history
        if self._alignment_history:
            history = history.write(state.time, alignments)
        new_state = AttentionWrapperState(
            cell_state, attention, state.time + 1, alignments, history, after
        )
        return (attention if self._output_attention else output), new_state
