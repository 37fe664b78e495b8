"""`tf.contrib.seq2seq`: attention for recurrent networks, and the loss of sequences.

memory [batch, length, size]     what the encoder said
AttentionWrapper(cell, mechanism)
    cell_inputs  = input | attention of the step before
    cell_output  = cell(cell_inputs)
    alignments   = mechanism(cell_output)            [batch, length], sums to 1
    context      = sum of the memory, weighted so
    attention    = attention_layer(cell_output | context), or the context itself
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from minitf.framework import dtypes, nest
from minitf.framework.convert import convert_to_tensor
from minitf.framework.stacks import name_scope
from minitf.framework.tensor import Tensor
from minitf.layers.core import Dense
from minitf.layers.rnn_cell import RNNCell
from minitf.ops.array import shape
from minitf.ops.array_filling import ones_like, zeros
from minitf.ops.array_joining import concat
from minitf.ops.array_shaping import expand_dims, reshape, squeeze, tile
from minitf.ops.array_slicing import sequence_mask
from minitf.ops.cast import cast
from minitf.ops.comparisons import where
from minitf.ops.linalg import matmul
from minitf.ops.math import rsqrt, square, tanh
from minitf.ops.nn_activations import softmax
from minitf.ops.nn_losses import sparse_softmax_cross_entropy_with_logits
from minitf.ops.reductions import reduce_sum
from minitf.variables.initializers import constant_initializer
from minitf.variables.variable_scope import get_variable, variable_scope

_TINY = 1e-12


class AttentionMechanism:
    """What a mechanism is: it scores a query against a memory.

    Args:
      memory: [batch, length, size], or a nest of such.
      query_layer: makes a query fit, or None.
      memory_layer: makes keys of the memory, or None.
      memory_sequence_length: [batch]: how much of each memory counts.
      probability_fn: from scores to alignments.
      score_mask_value: the score of what does not count.
    """

    def __init__(
        self,
        memory: Tensor,
        query_layer: Any,
        memory_layer: Any,
        memory_sequence_length: Any,
        probability_fn: Callable[[Tensor], Tensor],
        score_mask_value: float | None,
    ) -> None:
        memory = convert_to_tensor(memory, name="memory")
        self._lengths = memory_sequence_length
        self.dtype = memory.dtype.base_dtype
        if memory_sequence_length is not None:
            counts = sequence_mask(
                memory_sequence_length, maxlen=shape(memory)[1], dtype=self.dtype
            )
            memory = memory * expand_dims(counts, 2)
        self.values = memory
        self.memory_layer, self.query_layer = memory_layer, query_layer
        self.keys = memory_layer(memory) if memory_layer else memory
        self.batch_size = self.keys.shape[0].value or shape(self.keys)[0]
        self.alignments_size = self.keys.shape[1].value or shape(self.keys)[1]
        self.state_size = self.alignments_size
        self._probability_fn = probability_fn
        self._mask_value = -np.inf if score_mask_value is None else score_mask_value

    def score(self, query: Tensor) -> Tensor:
        """Scores [batch, length] of a query [batch, size]."""
        raise NotImplementedError

    def __call__(self, query: Tensor, state: Any) -> tuple[Tensor, Any]:
        """Alignments [batch, length] of a query, and the mechanism's next state."""
        with variable_scope(None, self._scope_name, [query]):
            score = self.score(query)
        if self._lengths is not None:
            counts = sequence_mask(self._lengths, maxlen=shape(score)[1])
            score = where(counts, score, self._mask_value * ones_like(score))
        alignments = self._probability_fn(score)
        return alignments, alignments

    _scope_name = "attention"

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Tensor:
        """The alignments before the first step: zeros."""
        return zeros([batch_size, self.alignments_size], dtype=dtype)

    initial_state = initial_alignments


class BahdanauAttention(AttentionMechanism):
    """Additive attention: `score = v . tanh(query_layer(query) + memory_layer(memory))`.

    Args:
      num_units: the size in which query and memory are compared.
      memory, memory_sequence_length, probability_fn, score_mask_value: those of the base.
      normalize: scale `v` to a learned length, and add a bias.
      dtype: of the layers.
      name: of the scopes.
    """

    _scope_name = "bahdanau_attention"

    def __init__(
        self,
        num_units: int,
        memory: Tensor,
        memory_sequence_length: Any = None,
        normalize: bool = False,
        probability_fn: Callable[[Tensor], Tensor] | None = None,
        score_mask_value: float | None = None,
        dtype: Any = None,
        name: str = "BahdanauAttention",
    ) -> None:
        dtype = dtypes.as_dtype(dtype or dtypes.float32)
        super().__init__(
            memory,
            Dense(num_units, name="query_layer", use_bias=False, dtype=dtype),
            Dense(num_units, name="memory_layer", use_bias=False, dtype=dtype),
            memory_sequence_length,
            probability_fn or softmax,
            score_mask_value,
        )
        self._num_units, self._normalize, self._name = num_units, normalize, name

    def score(self, query: Tensor) -> Tensor:
        """The additive score."""
        query = expand_dims(self.query_layer(query), 1)
        v: Any = get_variable("attention_v", [self._num_units], dtype=query.dtype)
        if not self._normalize:
            return reduce_sum(v * tanh(self.keys + query), [2])
        g = get_variable(
            "attention_g",
            dtype=query.dtype,
            shape=[],
            initializer=constant_initializer(1 / np.sqrt(self._num_units)),
        )
        b = get_variable(
            "attention_b",
            [self._num_units],
            dtype=query.dtype,
            initializer=constant_initializer(0.0),
        )
        unit = g * v * rsqrt(reduce_sum(square(v)))
        return reduce_sum(unit * tanh(self.keys + query + b), [2])


class LuongAttention(AttentionMechanism):
    """Multiplicative attention: `score = query . memory_layer(memory)`.

    Args:
      num_units: the size of queries.
      memory, memory_sequence_length, probability_fn, score_mask_value: those of the base.
      scale: multiply the score by a learned number.
      dtype: of the layer.
      name: of the scopes.
    """

    _scope_name = "luong_attention"

    def __init__(
        self,
        num_units: int,
        memory: Tensor,
        memory_sequence_length: Any = None,
        scale: bool = False,
        probability_fn: Callable[[Tensor], Tensor] | None = None,
        score_mask_value: float | None = None,
        dtype: Any = None,
        name: str = "LuongAttention",
    ) -> None:
        dtype = dtypes.as_dtype(dtype or dtypes.float32)
        super().__init__(
            memory,
            None,
            Dense(num_units, name="memory_layer", use_bias=False, dtype=dtype),
            memory_sequence_length,
            probability_fn or softmax,
            score_mask_value,
        )
        self._num_units, self._scale, self._name = num_units, scale, name

    def score(self, query: Tensor) -> Tensor:
        """The multiplicative score.

        Raises:
          ValueError: when the sizes of query and keys differ.
        """
        if query.shape[-1].value != self._num_units:
            raise ValueError(
                "Incompatible or unknown inner dimensions between query and keys.  "
                f"Query (%s) has units: {query.shape[-1]}.  Keys have units: {self._num_units}."
            )
        score = squeeze(matmul(expand_dims(query, 1), self.keys, transpose_b=True), [1])
        if self._scale:
            one = constant_initializer(1.0)
            score = score * get_variable(
                "attention_g", dtype=query.dtype, shape=[], initializer=one
            )
        return score


class AttentionWrapperState(NamedTuple):
    """The state of an `AttentionWrapper`."""

    cell_state: Any
    attention: Any
    time: Any
    alignments: Any
    alignment_history: Any
    attention_state: Any

    def clone(self, **kwargs: Any) -> AttentionWrapperState:
        """The state with some parts replaced; `cell_state`, as from an encoder, before all."""
        return self._replace(**kwargs)


class AttentionWrapper(RNNCell):
    """A cell that looks at a memory at each step.

    Args:
      cell: the cell.
      attention_mechanism: one mechanism.
      attention_layer_size: the size of a layer over output and context; None uses the context.
      alignment_history: not kept; must be False.
      cell_input_fn: `(input, attention) -> input of the cell`; side by side by default.
      output_attention: whether the attention is the output, instead of the cell's.
      initial_cell_state: the cell's first state, in place of zeros.
      name: of the scope.
      attention_layer: a layer, in place of attention_layer_size.
    """

    def __init__(
        self,
        cell: Any,
        attention_mechanism: AttentionMechanism,
        attention_layer_size: int | None = None,
        alignment_history: bool = False,
        cell_input_fn: Callable | None = None,
        output_attention: bool = True,
        initial_cell_state: Any = None,
        name: str | None = None,
        attention_layer: Any = None,
    ) -> None:
        super().__init__(name=name)
        if alignment_history:
            raise NotImplementedError("minitf's AttentionWrapper keeps no alignment_history.")
        if attention_layer_size is not None and attention_layer is not None:
            raise ValueError("Only one of attention_layer_size and attention_layer should be set")
        self._cell, self._mechanism = cell, attention_mechanism
        self._layer = attention_layer
        if attention_layer_size is not None:
            self._layer = Dense(attention_layer_size, name="attention_layer", use_bias=False)
        size = attention_mechanism.values.shape[-1].value
        self._attention_size = (
            attention_layer_size
            if attention_layer_size is not None
            else getattr(attention_layer, "units", size)
        )
        self._cell_input_fn = cell_input_fn or (lambda x, attention: concat([x, attention], -1))
        self._output_attention = output_attention
        self._initial_cell_state = initial_cell_state

    @property
    def output_size(self) -> Any:
        """The size of the output."""
        return self._attention_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self) -> Any:
        """The sizes of the state's parts."""
        return AttentionWrapperState(
            cell_state=self._cell.state_size,
            time=(),
            attention=self._attention_size,
            alignments=self._mechanism.alignments_size,
            attention_state=self._mechanism.state_size,
            alignment_history=(),
        )

    def zero_state(self, batch_size: Any, dtype: Any) -> AttentionWrapperState:
        """The state before the first step."""
        with name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            cell_state = self._initial_cell_state
            if cell_state is None:
                cell_state = self._cell.zero_state(batch_size, dtype)
            return AttentionWrapperState(
                cell_state=cell_state,
                time=zeros([], dtype=dtypes.int32),
                attention=zeros([batch_size, self._attention_size], dtype=dtype),
                alignments=self._mechanism.initial_alignments(batch_size, dtype),
                attention_state=self._mechanism.initial_state(batch_size, dtype),
                alignment_history=(),
            )

    def call(self, inputs: Any, state: AttentionWrapperState) -> tuple[Any, Any]:
        """One step; see the module.

        Raises:
          TypeError: when the state is none of this cell's.
        """
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(
                "Expected state to be instance of AttentionWrapperState. "
                f"Received type {type(state)} instead."
            )
        output, cell_state = self._cell(
            self._cell_input_fn(inputs, state.attention), state.cell_state
        )
        alignments, attention_state = self._mechanism(output, state.attention_state)
        context = squeeze(matmul(expand_dims(alignments, 1), self._mechanism.values), [1])
        attention = context if self._layer is None else self._layer(concat([output, context], 1))
        following = AttentionWrapperState(
            cell_state=cell_state,
            time=state.time + 1,
            attention=attention,
            alignments=alignments,
            attention_state=attention_state,
            alignment_history=(),
        )
        return (attention if self._output_attention else output), following


def tile_batch(t: Any, multiplier: int, name: str | None = None) -> Any:
    """Each entry of a batch, as often as a beam is wide: `[a, b]` becomes `[a, a, b, b]`.

    Args:
      t: a tensor [batch, ...], or a nest of such.
      multiplier: how often.
      name: of the operations.
    """

    def repeat(x: Any) -> Tensor:
        x = convert_to_tensor(x)
        many = tile(expand_dims(x, 1), [1, multiplier] + [1] * (x.shape.ndims - 1))
        return reshape(many, concat([[-1], shape(x)[1:]], 0))

    with name_scope(name, "tile_batch"):
        return nest.map_structure(repeat, t)


def sequence_loss(
    logits: Tensor,
    targets: Tensor,
    weights: Tensor,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    sum_over_timesteps: bool = False,
    sum_over_batch: bool = False,
    softmax_loss_function: Callable | None = None,
    name: str | None = None,
) -> Tensor:
    """The weighted cross entropy of a batch of sequences.

    Args:
      logits: [batch, length, symbols].
      targets: [batch, length] of symbols.
      weights: [batch, length].
      average_across_timesteps, average_across_batch: which axes are averaged; both give a scalar.
      sum_over_timesteps, sum_over_batch: which are summed and divided by the number of weights.
      softmax_loss_function: `(labels, logits) -> losses`.
      name: of the operations.
    Raises:
      ValueError: when ranks do not fit, or an axis is both averaged and summed.
    """
    logits, targets = convert_to_tensor(logits), convert_to_tensor(targets)
    weights = convert_to_tensor(weights)
    for what, tensor, rank in (
        ("Logits must be a [batch_size x sequence_length x logits] tensor", logits, 3),
        ("Targets must be a [batch_size x sequence_length] tensor", targets, 2),
        ("Weights must be a [batch_size x sequence_length] tensor", weights, 2),
    ):
        if tensor.shape.ndims != rank:
            raise ValueError(what)
    if average_across_timesteps and sum_over_timesteps:
        raise ValueError(
            "average_across_timesteps and sum_over_timesteps cannot be set to True at same time."
        )
    if average_across_batch and sum_over_batch:
        raise ValueError(
            "average_across_batch and sum_over_batch cannot be set to True at same time."
        )
    with name_scope(name, "sequence_loss", [logits, targets, weights]):
        flat = reshape(logits, [-1, shape(logits)[2]])
        labels = reshape(targets, [-1])
        losses_of = softmax_loss_function or sparse_softmax_cross_entropy_with_logits
        losses = losses_of(labels=labels, logits=flat) * reshape(weights, [-1])
        if average_across_timesteps and average_across_batch:
            return reduce_sum(losses) / (reduce_sum(weights) + _TINY)
        if sum_over_timesteps and sum_over_batch:
            return reduce_sum(losses) / (_counted(weights, None) + _TINY)
        losses = reshape(losses, shape(logits)[:2])
        for axis, mean, total in (
            (1, average_across_timesteps, sum_over_timesteps),
            (0, average_across_batch, sum_over_batch),
        ):
            if mean:
                losses = reduce_sum(losses, [axis]) / (reduce_sum(weights, [axis]) + _TINY)
            elif total:
                losses = reduce_sum(losses, [axis]) / (_counted(weights, [axis]) + _TINY)
        return losses


def _counted(weights: Tensor, axis: Any) -> Tensor:
    """How many weights are not zero."""
    return reduce_sum(cast(cast(weights, dtypes.bool), weights.dtype), axis)
