"""`tf.contrib.legacy_seq2seq`: sequences to sequences, unrolled: lists of tensors, one a step.

    encoder_inputs --rnn--> state ------------------> rnn_decoder
                            |                          each step: input, or the last output
                            +-- outputs of all steps -> attention_decoder
                                                       each step looks at those that matter to it

Inputs of the embedding variants are int32 [batch]; the others take [batch, size].
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from minitf.framework import dtypes, nest
from minitf.framework.convert import convert_to_tensor
from minitf.framework.stacks import name_scope
from minitf.framework.tensor import Tensor
from minitf.layers.rnn import static_rnn
from minitf.layers.rnn_wrappers import EmbeddingWrapper, OutputProjectionWrapper, linear
from minitf.ops.array import shape, stop_gradient
from minitf.ops.array_filling import zeros
from minitf.ops.array_joining import concat, stack
from minitf.ops.array_shaping import reshape
from minitf.ops.cast import cast
from minitf.ops.conv_functions import conv2d
from minitf.ops.embeddings import embedding_lookup
from minitf.ops.math import add_n, tanh
from minitf.ops.nn import xw_plus_b
from minitf.ops.nn_activations import softmax
from minitf.ops.nn_losses import sparse_softmax_cross_entropy_with_logits
from minitf.ops.reductions import argmax, reduce_sum
from minitf.transforms.cond import cond
from minitf.variables.variable_scope import get_variable, get_variable_scope, variable_scope

Step = Callable[[Tensor, int], Tensor]
_TINY = 1e-12  # keeps the mean over no time steps finite


def _previous_symbol(embedding: Any, output_projection: Any, update_embedding: bool) -> Step:
    """The loop function that feeds the likeliest symbol of the step before."""

    def loop_function(prev: Tensor, _: int) -> Tensor:
        if output_projection is not None:
            prev = xw_plus_b(prev, output_projection[0], output_projection[1])
        found = embedding_lookup(embedding, argmax(prev, 1))
        return found if update_embedding else stop_gradient(found)

    return loop_function


def _fed(loop_function: Step | None, prev: Tensor | None, inp: Tensor, i: int) -> Tensor:
    """The input of a step: the given one, or what the loop function makes of the last output."""
    if loop_function is None or prev is None:
        return inp
    with variable_scope("loop_function", reuse=True):
        return loop_function(prev, i)


def rnn_decoder(
    decoder_inputs: Sequence[Tensor],
    initial_state: Any,
    cell: Any,
    loop_function: Step | None = None,
    scope: Any = None,
) -> tuple[list[Tensor], Any]:
    """Runs a cell over the decoder's inputs.

    Args:
      decoder_inputs: one [batch, input_size] for each step.
      initial_state: the state to start with.
      cell: an `RNNCell`.
      loop_function: `(last output, step) -> input`, in place of the inputs after the first.
      scope: of the variables; "rnn_decoder".
    Returns: the outputs, and the last state.
    """
    with variable_scope(scope or "rnn_decoder"):
        state, outputs, prev = initial_state, [], None
        for i, inp in enumerate(decoder_inputs):
            inp = _fed(loop_function, prev, inp, i)
            if i > 0:
                get_variable_scope().reuse_variables()
            output, state = cell(inp, state)
            outputs.append(output)
            if loop_function is not None:
                prev = output
    return outputs, state


def basic_rnn_seq2seq(
    encoder_inputs: Sequence[Tensor],
    decoder_inputs: Sequence[Tensor],
    cell: Any,
    dtype: Any = dtypes.float32,
    scope: Any = None,
) -> tuple[list[Tensor], Any]:
    """An encoder and a decoder of the same form, each with its own weights.

    Args:
      encoder_inputs, decoder_inputs: one [batch, input_size] for each step.
      cell: an `RNNCell`.
      dtype: of the encoder's first state.
      scope: of the variables; "basic_rnn_seq2seq".
    Returns: the decoder's outputs, and its last state.
    """
    with variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = static_rnn(copy.deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def tied_rnn_seq2seq(
    encoder_inputs: Sequence[Tensor],
    decoder_inputs: Sequence[Tensor],
    cell: Any,
    loop_function: Step | None = None,
    dtype: Any = dtypes.float32,
    scope: Any = None,
) -> tuple[list[Tensor], Any]:
    """As `basic_rnn_seq2seq`, with the same weights for both.

    Args:
      encoder_inputs, decoder_inputs, cell, dtype: those of `basic_rnn_seq2seq`.
      loop_function: that of `rnn_decoder`.
      scope: of the variables; "combined_tied_rnn_seq2seq".
    """
    with variable_scope(scope or "combined_tied_rnn_seq2seq"):
        scope = scope or "tied_rnn_seq2seq"
        _, state = static_rnn(cell, encoder_inputs, dtype=dtype, scope=scope)
        get_variable_scope().reuse_variables()
        return rnn_decoder(decoder_inputs, state, cell, loop_function, scope=scope)


def embedding_rnn_decoder(
    decoder_inputs: Sequence[Tensor],
    initial_state: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    output_projection: Any = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    scope: Any = None,
) -> tuple[list[Tensor], Any]:
    """A decoder of symbols.

    Args:
      decoder_inputs: one int32 [batch] for each step.
      initial_state, cell: those of `rnn_decoder`.
      num_symbols, embedding_size: how many symbols, and the length of the vector of each.
      output_projection: weights and biases that make symbols of an output.
      feed_previous: feed what the step before said instead of the inputs after the first.
      update_embedding_for_previous: whether vectors learn from what was fed so.
      scope: of the variables; "embedding_rnn_decoder".
    Returns: the outputs, and the last state.
    """
    with variable_scope(scope or "embedding_rnn_decoder"):
        embedding = get_variable("embedding", [num_symbols, embedding_size])
        loop_function = (
            _previous_symbol(embedding, output_projection, update_embedding_for_previous)
            if feed_previous
            else None
        )
        inputs = [embedding_lookup(embedding, i) for i in decoder_inputs]
        return rnn_decoder(inputs, initial_state, cell, loop_function)


def _either(feed_previous: Any, decode: Callable[[bool], tuple], state_like: Any) -> tuple:
    """Decodes in the way that `feed_previous` says; a tensor says it when the graph runs."""
    if isinstance(feed_previous, bool):
        return decode(feed_previous)

    def flat(feed: bool) -> Callable[[], list[Tensor]]:
        def branch() -> list[Tensor]:
            # The second branch shares the variables of the first.
            with variable_scope(get_variable_scope(), reuse=None if feed else True):
                outputs, state = decode(feed)
            counts.append(len(outputs))
            return [*outputs, *nest.flatten(state)]

        return branch

    counts: list[int] = []
    found = cond(feed_previous, flat(True), flat(False))
    count = counts[0]
    state = found[count]
    if nest.is_nested(state_like):
        state = nest.pack_sequence_as(state_like, found[count:])
    return found[:count], state


def embedding_rnn_seq2seq(
    encoder_inputs: Sequence[Tensor],
    decoder_inputs: Sequence[Tensor],
    cell: Any,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    output_projection: Any = None,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
) -> tuple[list[Tensor], Any]:
    """Symbols to symbols, by an encoder and a decoder with vectors for each symbol.

    Args:
      encoder_inputs, decoder_inputs: one int32 [batch] for each step.
      cell: an `RNNCell`.
      num_encoder_symbols, num_decoder_symbols, embedding_size: numbers of symbols; their vectors.
      output_projection: weights and biases that make symbols of an output; without, the cell does.
      feed_previous: a bool, or a bool tensor: feed what the step before said.
      dtype: of the encoder's first state.
      scope: of the variables; "embedding_rnn_seq2seq".
    Returns: the decoder's outputs, and its last state.
    """
    with variable_scope(scope or "embedding_rnn_seq2seq") as opened:
        if dtype is not None:
            opened.set_dtype(dtype)
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        _, state = static_rnn(encoder, encoder_inputs, dtype=dtype or dtypes.float32)
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)

        def decode(feed: bool) -> tuple:
            return embedding_rnn_decoder(
                decoder_inputs,
                state,
                cell,
                num_decoder_symbols,
                embedding_size,
                output_projection=output_projection,
                feed_previous=feed,
            )

        return _either(feed_previous, decode, state)


def attention_decoder(
    decoder_inputs: Sequence[Tensor],
    initial_state: Any,
    attention_states: Tensor,
    cell: Any,
    output_size: int | None = None,
    num_heads: int = 1,
    loop_function: Step | None = None,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> tuple[list[Tensor], Any]:
    """A decoder that looks at the encoder's outputs, at each step at those that matter.

        score_j   = v . tanh(W h_j + U state)        for each encoder output h_j
        attention = sum_j softmax(score)_j h_j

    Args:
      decoder_inputs: one [batch, input_size] for each step.
      initial_state, cell, loop_function: those of `rnn_decoder`.
      attention_states: the encoder's outputs, [batch, length, size].
      output_size: of the outputs; the cell's by default.
      num_heads: how many looks.
      dtype: of the first attention.
      scope: of the variables; "attention_decoder".
      initial_state_attention: look before the first step, instead of starting with zeros.
    Returns: the outputs, and the last state.
    Raises:
      ValueError: when there are no inputs or heads, or sizes are unknown.
    """
    if not decoder_inputs:
        raise ValueError("Must provide at least 1 input to attention decoder.")
    if num_heads < 1:
        raise ValueError("With less than 1 heads, use a non-attention decoder.")
    if attention_states.shape[2].value is None:
        raise ValueError(f"Shape[2] of attention_states must be known: {attention_states.shape}")
    output_size = output_size or cell.output_size
    with variable_scope(scope or "attention_decoder", dtype=dtype):
        dtype = dtypes.as_dtype(dtype or dtypes.float32)
        batch_size = shape(decoder_inputs[0])[0]
        length = attention_states.shape[1].value or shape(attention_states)[1]
        size = attention_states.shape[2].value
        hidden = reshape(attention_states, [-1, length, 1, size])
        features, scales = [], []
        for a in range(num_heads):
            kernel = get_variable(f"AttnW_{a}", [1, 1, size, size], dtype=dtype)
            features.append(conv2d(hidden, kernel, [1, 1, 1, 1], "SAME"))
            scales.append(get_variable(f"AttnV_{a}", [size], dtype=dtype))

        def attention(query: Any) -> list[Tensor]:
            found = []
            if nest.is_nested(query):
                query = concat(nest.flatten(query), 1)
            for a in range(num_heads):
                with variable_scope(f"Attention_{a}"):
                    y = reshape(linear(query, size, True), [-1, 1, 1, size])
                    score = reduce_sum(scales[a] * tanh(features[a] + y), [2, 3])
                    weight = reshape(softmax(score), [-1, length, 1, 1])
                    found.append(reshape(reduce_sum(weight * hidden, [1, 2]), [-1, size]))
            return found

        state, outputs, prev = initial_state, [], None
        attentions = [zeros(stack([batch_size, size]), dtype=dtype) for _ in range(num_heads)]
        for each in attentions:
            each.set_shape([None, size])
        if initial_state_attention:
            attentions = attention(initial_state)
        for i, inp in enumerate(decoder_inputs):
            if i > 0:
                get_variable_scope().reuse_variables()
            inp = _fed(loop_function, prev, inp, i)
            merged = linear([inp, *attentions], inp.shape[1].value, True)
            cell_output, state = cell(merged, state)
            reuse = True if i == 0 and initial_state_attention else None
            with variable_scope(get_variable_scope(), reuse=reuse):
                attentions = attention(state)
            with variable_scope("AttnOutputProjection"):
                output = linear([cell_output, *attentions], output_size, True)
            if loop_function is not None:
                prev = output
            outputs.append(output)
    return outputs, state


def embedding_attention_decoder(
    decoder_inputs: Sequence[Tensor],
    initial_state: Any,
    attention_states: Tensor,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_size: int | None = None,
    output_projection: Any = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> tuple[list[Tensor], Any]:
    """`attention_decoder` of symbols; the arguments are its and those of `embedding_rnn_decoder`.

    Args:
      decoder_inputs, initial_state, cell, num_symbols, embedding_size, output_projection,
      feed_previous, update_embedding_for_previous: those of `embedding_rnn_decoder`.
      attention_states, num_heads, output_size, dtype, initial_state_attention: those of
        `attention_decoder`.
      scope: of the variables; "embedding_attention_decoder".
    """
    with variable_scope(scope or "embedding_attention_decoder", dtype=dtype):
        embedding = get_variable("embedding", [num_symbols, embedding_size])
        loop_function = (
            _previous_symbol(embedding, output_projection, update_embedding_for_previous)
            if feed_previous
            else None
        )
        return attention_decoder(
            [embedding_lookup(embedding, i) for i in decoder_inputs],
            initial_state,
            attention_states,
            cell,
            output_size=output_size or cell.output_size,
            num_heads=num_heads,
            loop_function=loop_function,
            initial_state_attention=initial_state_attention,
        )


def embedding_attention_seq2seq(
    encoder_inputs: Sequence[Tensor],
    decoder_inputs: Sequence[Tensor],
    cell: Any,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_projection: Any = None,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> tuple[list[Tensor], Any]:
    """Symbols to symbols with attention; the arguments are those of `embedding_rnn_seq2seq`.

    Args:
      encoder_inputs, decoder_inputs, cell, num_encoder_symbols, num_decoder_symbols,
      embedding_size, output_projection, feed_previous, dtype: those of `embedding_rnn_seq2seq`.
      num_heads, initial_state_attention: those of `attention_decoder`.
      scope: of the variables; "embedding_attention_seq2seq".
    """
    with variable_scope(scope or "embedding_attention_seq2seq", dtype=dtype):
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        outputs, state = static_rnn(encoder, encoder_inputs, dtype=dtype or dtypes.float32)
        seen = concat([reshape(o, [-1, 1, cell.output_size]) for o in outputs], 1)
        output_size = None
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)
            output_size = num_decoder_symbols

        def decode(feed: bool) -> tuple:
            return embedding_attention_decoder(
                decoder_inputs,
                state,
                seen,
                cell,
                num_decoder_symbols,
                embedding_size,
                num_heads=num_heads,
                output_size=output_size,
                output_projection=output_projection,
                feed_previous=feed,
                initial_state_attention=initial_state_attention,
            )

        return _either(feed_previous, decode, state)


# ---- losses ------------------------------------------------------------------------------


def sequence_loss_by_example(
    logits: Sequence[Tensor],
    targets: Sequence[Tensor],
    weights: Sequence[Tensor],
    average_across_timesteps: bool = True,
    softmax_loss_function: Callable | None = None,
    name: str | None = None,
) -> Tensor:
    """The weighted cross entropy of each sequence, [batch].

    Args:
      logits: one [batch, symbols] for each step.
      targets: one int32 [batch] for each step.
      weights: one [batch] for each step.
      average_across_timesteps: divide by the sum of the weights.
      softmax_loss_function: `(labels, logits) -> [batch]`, for a sampled softmax.
      name: of the operations.
    Raises:
      ValueError: when the lists differ in length.
    """
    if len(targets) != len(logits) or len(weights) != len(logits):
        raise ValueError(
            "Lengths of logits, weights, and targets must be the same "
            f"{len(logits)}, {len(weights)}, {len(targets)}."
        )
    with name_scope(name, "sequence_loss_by_example", [*logits, *targets, *weights]):
        losses = []
        for logit, target, weight in zip(logits, targets, weights, strict=True):
            if softmax_loss_function is None:
                # A target may come as a column, [batch, 1].
                labels = reshape(convert_to_tensor(target), [-1])
                loss = sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logit)
            else:
                loss = softmax_loss_function(labels=target, logits=logit)
            losses.append(loss * weight)
        total = add_n(losses)
        return total / (add_n(weights) + _TINY) if average_across_timesteps else total


def sequence_loss(
    logits: Sequence[Tensor],
    targets: Sequence[Tensor],
    weights: Sequence[Tensor],
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    softmax_loss_function: Callable | None = None,
    name: str | None = None,
) -> Tensor:
    """The sum over the batch of `sequence_loss_by_example`, or its mean.

    Args:
      logits, targets, weights, average_across_timesteps, softmax_loss_function, name: those of
        `sequence_loss_by_example`.
      average_across_batch: divide by the number of sequences.
    """
    with name_scope(name, "sequence_loss", [*logits, *targets, *weights]):
        total = reduce_sum(
            sequence_loss_by_example(
                logits, targets, weights, average_across_timesteps, softmax_loss_function
            )
        )
        return total / cast(shape(targets[0])[0], total.dtype) if average_across_batch else total


def model_with_buckets(
    encoder_inputs: Sequence[Tensor],
    decoder_inputs: Sequence[Tensor],
    targets: Sequence[Tensor],
    weights: Sequence[Tensor],
    buckets: Sequence[tuple[int, int]],
    seq2seq: Callable,
    softmax_loss_function: Callable | None = None,
    per_example_loss: bool = False,
    name: str | None = None,
) -> tuple[list, list]:
    """One model, unrolled to several lengths that share their variables.

    Args:
      encoder_inputs, decoder_inputs, targets, weights: for the longest bucket.
      buckets: pairs of lengths, shortest first.
      seq2seq: `(encoder inputs, decoder inputs) -> outputs, state`.
      softmax_loss_function: that of `sequence_loss`.
      per_example_loss: losses [batch] instead of their mean.
      name: of the operations.
    Returns: outputs and loss of each bucket.
    Raises:
      ValueError: when a bucket is longer than the inputs.
    """
    for kind, given, wanted in (
        ("encoder_inputs", encoder_inputs, buckets[-1][0]),
        ("targets", targets, buckets[-1][1]),
        ("weights", weights, buckets[-1][1]),
    ):
        if len(given) < wanted:
            raise ValueError(
                f"Length of {kind} ({len(given)}) must be at least that of last bucket ({wanted})."
            )
    losses, outputs = [], []
    loss_of = sequence_loss_by_example if per_example_loss else sequence_loss
    with name_scope(name, "model_with_buckets"):
        for j, (before, after) in enumerate(buckets):
            with variable_scope(get_variable_scope(), reuse=True if j > 0 else None):
                found, _ = seq2seq(encoder_inputs[:before], decoder_inputs[:after])
                outputs.append(found)
                losses.append(
                    loss_of(
                        found,
                        targets[:after],
                        weights[:after],
                        softmax_loss_function=softmax_loss_function,
                    )
                )
    return outputs, losses
