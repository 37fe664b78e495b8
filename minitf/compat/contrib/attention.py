"""Attention: a decoder that looks at a memory in each step, as `tf.contrib.seq2seq` has it.

    memory ──> memory_layer ──> keys                     score of each place, softmax: alignments
    cell output ──> query_layer ──> query ──> score ──>  context = sum of alignments * values
    AttentionWrapper(cell): the context goes into the cell's next input and into the output

Bahdanau et al. (2014): v * tanh(query + keys). Luong et al. (2015): query * keys.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from minitf.core.graph import dtypes, nest, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import softmax
from minitf.core.ops.array import identity
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import fill, zeros
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import expand_dims, squeeze
from minitf.core.ops.array_slicing import sequence_mask
from minitf.core.ops.comparisons import where
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import rsqrt, square, tanh
from minitf.core.ops.reductions import reduce_sum
from minitf.core.variables.initializers import Constant, Zeros
from minitf.core.variables.variable_scope import get_variable, variable_scope
from minitf.library.checks.assertions import assert_equal
from minitf.library.graph_tools.tensor_array import TensorArray
from minitf.library.layers.layers import Dense
from minitf.library.layers.rnn.cells import RNNCell
from minitf.library.layers.rnn.loops import size_of
from minitf.library.layers.rnn.wrappers import assert_like_rnncell

#: What helps where a batch is another one than that of the memory.
_TILE = (
    "You may need to tile your {} via the tf.contrib.seq2seq.tile_batch function with argument "
    "multiple=beam_width."
)
_TILE_ENCODER = (
    "If so, make sure your encoder output has been tiled to beam_width via "
    "tf.contrib.seq2seq.tile_batch, and the batch_size= argument passed to zero_state is "
    "batch_size * beam_width."
)


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
      probability_fn: from scores to alignments; softmax by default.
      score_mask_value: the score of places beyond the end.
    """

    def __init__(
        self,
        memory: Any,
        memory_sequence_length: Any,
        query_layer: Any,
        memory_layer: Any,
        probability_fn: Callable[[Tensor], Tensor] | None,
        score_mask_value: float | None,
        name: str,
    ) -> None:
        self.query_layer, self.memory_layer = query_layer, memory_layer
        self._normalizer = probability_fn or softmax
        self._mask_value = float("-inf") if score_mask_value is None else score_mask_value
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
            outside = fill(shape_of(score), convert_to_tensor(self._mask_value, score.dtype))
            score = where(inside, score, outside)
        return self._normalizer(score)

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
      probability_fn: from scores to alignments; softmax by default.
      score_mask_value: the score of places beyond the end; minus infinity by default.
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
        probability_fn: Callable[[Tensor], Tensor] | None = None,
        score_mask_value: float | None = None,
        dtype: Any = None,
        name: str = "BahdanauAttention",
    ) -> None:
        super().__init__(
            memory,
            memory_sequence_length,
            _dense(num_units, "query_layer", dtype),
            _dense(num_units, "memory_layer", dtype),
            probability_fn,
            score_mask_value,
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
      probability_fn: from scores to alignments; softmax by default.
      score_mask_value: the score of places beyond the end; minus infinity by default.
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
        probability_fn: Callable[[Tensor], Tensor] | None = None,
        score_mask_value: float | None = None,
        dtype: Any = None,
        name: str = "LuongAttention",
    ) -> None:
        super().__init__(
            memory,
            memory_sequence_length,
            None,
            _dense(num_units, "memory_layer", dtype),
            probability_fn,
            score_mask_value,
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


def _compute_attention(
    attention_mechanism: Any, cell_output: Any, attention_state: Any, attention_layer: Any
) -> tuple[Any, Any, Any]:
    """The attention, the alignments and the next state of the mechanism."""
    alignments, after = attention_mechanism(cell_output, attention_state)
    context = squeeze(matmul(expand_dims(alignments, 1), attention_mechanism.values), [1])
    if attention_layer is not None:
        context = attention_layer(concat([cell_output, context], 1))
    return context, alignments, after


class AttentionWrapper(RNNCell):
    """A cell that looks at a memory after each step.

    Args:
      cell: the cell inside.
      attention_mechanism: an `AttentionMechanism`.
      attention_layer_size: the size of a layer over output and context; by default the attention is
        the context itself.
      alignment_history: whether the state keeps the alignments of all steps.
      cell_input_fn: from the inputs and the last attention to the cell's inputs; side by side by
        default.
      output_attention: whether the output is the attention, and not the cell's own.
      initial_cell_state: of the cell; `zero_state` begins with it.
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
        cell_input_fn: Callable[[Any, Any], Any] | None = None,
        output_attention: bool = True,
        initial_cell_state: Any = None,
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
        self._cell_input_fn = cell_input_fn or (lambda inputs, seen: concat([inputs, seen], -1))
        self._output_attention = output_attention
        self._initial_cell_state = initial_cell_state
        size = attention_layer_size
        self._attention_layer: Any = None
        if size is not None:
            self._attention_layer = Dense(size, name="attention_layer", use_bias=False)
        depth = attention_mechanism.values.shape[-1].value
        self._attention_layer_size: Any = depth if size is None else size
        if initial_cell_state is not None:
            size = size_of(nest.flatten(initial_cell_state)[-1:], 0)
            about = ("constructing", "initial_cell_state", _TILE.format("initial state"))
            self._initial_cell_state = self._of_one_batch(initial_cell_state, size, *about)

    def _of_one_batch(self, state: Any, size: Any, when: str, what: str, advice: str) -> Any:
        """A state, when its batch is that of the memories."""
        message = (
            f"When {when} AttentionWrapper {self.name}: Non-matching batch sizes between the "
            f"memory (encoder output) and {what}.  Are you using the BeamSearchDecoder?  {advice}"
        )
        check = assert_equal(size, self._attention_mechanism.batch_size, message=message)
        with stacks.control_dependencies([check]):
            return nest.map_structure(identity, state)

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
        """The state before the first step, of zeros but for `initial_cell_state`."""
        with stacks.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            cell_state = self._initial_cell_state
            if cell_state is None:
                cell_state = self._cell.zero_state(batch_size, dtype)
            about = ("calling zero_state of", "the requested batch size", _TILE_ENCODER)
            cell_state = self._of_one_batch(cell_state, batch_size, *about)
            mechanism = self._attention_mechanism
            alignments = mechanism.initial_alignments(batch_size, dtype)
            history: Any = ()
            if self._alignment_history:
                shape = alignments.shape
                history = TensorArray(dtype, size=0, dynamic_size=True, element_shape=shape)
            return AttentionWrapperState(
                cell_state,
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
        output, cell_state = self._cell(
            self._cell_input_fn(inputs, state.attention), state.cell_state
        )
        about = ("applying", "the query (decoder output)", _TILE.format("memory input"))
        output = self._of_one_batch(output, size_of([output], 0), *about)
        attention, alignments, after = _compute_attention(
            self._attention_mechanism, output, state.attention_state, self._attention_layer
        )
        history = state.alignment_history
        if self._alignment_history:
            history = history.write(state.time, alignments)
        new_state = AttentionWrapperState(
            cell_state, attention, state.time + 1, alignments, history, after
        )
        return (attention if self._output_attention else output), new_state
