"""Sequences to sequences over lists of time steps: `tf.contrib.legacy_seq2seq`.

    encoder inputs ──> static_rnn ──> state ──> decoder: the cell over decoder inputs ──> outputs
                          └──────── outputs ──> attention, where the decoder looks at them

A decoder's `loop_function` makes the next input of the output before, when a trained net is to
speak on its own. Sutskever et al. (2014); with attention Vinyals et al. (2014), after Bahdanau et
al. (2014).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.gradients.cond import cond
from minitf.core.graph import dtypes, nest
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import zeros
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.math import add_n, tanh
from minitf.core.ops.reductions import argmax, reduce_sum
from minitf.core.variables.variable_scope import get_variable, get_variable_scope, variable_scope
from minitf.library.layers.rnn.loops import size_of, static_rnn
from minitf.library.layers.rnn.wrappers import EmbeddingWrapper, OutputProjectionWrapper, linear
from minitf.library.nets.activations import softmax
from minitf.library.nets.basics import xw_plus_b
from minitf.library.nets.convolution import conv2d
from minitf.library.nets.cross_entropy import sparse_softmax_cross_entropy_with_logits
from minitf.library.nets.embeddings import embedding_lookup

LoopFunction = Callable[[Tensor, int], Tensor]


def _fresh(cell: Any) -> Any:
    """A copy of a cell as it was before it had variables, which cannot be copied.

    A decoder uses the cell itself; the encoder of the next bucket still needs a new one.
    """
    before = vars(cell).get("_before_variables")
    if before is None:
        before = vars(cell)["_before_variables"] = copy.deepcopy(cell)
    return copy.deepcopy(before)


def _argmax_and_embed(
    embedding: Any, output_projection: Any, feed_previous: bool
) -> LoopFunction | None:
    """A loop function: the vector of the symbol that the output before gives most weight.

    Without `feed_previous` there is none.
    """

    def loop_function(previous: Tensor, _: int) -> Tensor:
        if output_projection is not None:
            previous = xw_plus_b(previous, output_projection[0], output_projection[1])
        return embedding_lookup(embedding, argmax(previous, 1))

    return loop_function if feed_previous else None


def _given(given: Tensor, outputs: list[Tensor], loop_function: LoopFunction | None) -> Tensor:
    """The input of a step: what is given, or what the loop function makes of the output before."""
    if loop_function is None or not outputs:
        return given
    with variable_scope("loop_function", reuse=True):
        return loop_function(outputs[-1], len(outputs))


def rnn_decoder(
    decoder_inputs: Sequence[Tensor],
    initial_state: Any,
    cell: Any,
    loop_function: LoopFunction | None = None,
    scope: Any = None,
) -> tuple[list[Tensor], Any]:
    """Runs a cell over decoder inputs.

    Args:
      decoder_inputs: a list of [batch, input_size].
      initial_state: the state before the first step, as the encoder left it.
      cell: an `RNNCell`.
      loop_function: from the output before and the number of the step to the input; the inputs
        after the first are not used then.
      scope: a variable scope; "rnn_decoder" by default.
    Returns: the list of outputs, and the final state.
    """
    with variable_scope(scope or "rnn_decoder"):
        state, outputs = initial_state, list[Tensor]()
        for each in decoder_inputs:
            given = _given(each, outputs, loop_function)
            if outputs:
                get_variable_scope().reuse_variables()
            output, state = cell(given, state)
            outputs.append(output)
    return outputs, state


def _decoded_either_way(
    feed_previous: Any, decode: Callable[[bool], tuple[list[Tensor], Any]]
) -> tuple[list[Tensor], Any]:
    """Decodes as `feed_previous` says, a bool or a Boolean tensor."""
    if isinstance(feed_previous, bool):
        return decode(feed_previous)
    structure: list[Any] = []

    def branch(feed: bool) -> list[Any]:
        with variable_scope(get_variable_scope(), reuse=None if feed else True):
            outputs, state = decode(feed)
        structure[:] = [len(outputs), state]
        return [*outputs, *nest.flatten(state)]

    flat = cond(feed_previous, lambda: branch(True), lambda: branch(False))
    count, state = structure
    return flat[:count], nest.pack_sequence_as(state, flat[count:])


def _embedded(
    decoder_inputs: Sequence[Tensor],
    num_symbols: int,
    embedding_size: int,
    output_projection: Any,
    feed_previous: bool,
) -> tuple[list[Tensor], LoopFunction | None]:
    """The vectors of symbols, a list of [batch, embedding_size], and the loop function."""
    embedding = get_variable("embedding", [num_symbols, embedding_size])
    vectors = [embedding_lookup(embedding, each) for each in decoder_inputs]
    return vectors, _argmax_and_embed(embedding, output_projection, feed_previous)


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
    """Symbols to symbols: an encoder and a decoder with a table of vectors each.

    Args:
      encoder_inputs, decoder_inputs: lists of [batch] integers.
      cell: an `RNNCell`.
      num_encoder_symbols, num_decoder_symbols: how many symbols there are.
      embedding_size: the size of the vector of a symbol.
      output_projection: a pair of weights and biases that make weights of symbols of an output;
        without it the outputs are projected to the weights of the symbols.
      feed_previous: a bool or a Boolean tensor: whether the likeliest symbol of each output is the
        next input.
      dtype: of the state.
      scope: a variable scope; "embedding_rnn_seq2seq" by default.
    """
    with variable_scope(scope or "embedding_rnn_seq2seq"):
        encoder = EmbeddingWrapper(_fresh(cell), num_encoder_symbols, embedding_size)
        _, state = static_rnn(encoder, encoder_inputs, dtype=dtype or dtypes.float32)
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)

        def decode(feed: bool) -> tuple[list[Tensor], Any]:
            with variable_scope("embedding_rnn_decoder"):
                embedded, loop_function = _embedded(
                    decoder_inputs, num_decoder_symbols, embedding_size, output_projection, feed
                )
                return rnn_decoder(embedded, state, cell, loop_function)

        return _decoded_either_way(feed_previous, decode)


# ---- with attention ----------------------------------------------------------------------


def _attention_decoder(
    decoder_inputs: Sequence[Tensor],
    initial_state: Any,
    attention_states: Tensor,
    cell: Any,
    output_size: int,
    loop_function: LoopFunction | None,
) -> tuple[list[Tensor], Any]:
    """As `rnn_decoder`; at each step the decoder looks at the states of the encoder.

    Args:
      decoder_inputs, initial_state, cell, loop_function: see `rnn_decoder`.
      attention_states: [batch, length, size], what to look at.
      output_size: of the outputs.
    """
    with variable_scope("attention_decoder") as opened:
        dtype = opened.dtype
        batch_size = shape_of(decoder_inputs[0])[0]
        length = size_of([attention_states], 1)
        size = attention_states.shape[2].value
        hidden = reshape(attention_states, [-1, length, 1, size])
        kernel = get_variable("AttnW_0", [1, 1, size, size], dtype=dtype)
        features = conv2d(hidden, kernel, [1, 1, 1, 1], "SAME")
        weights = get_variable("AttnV_0", [size], dtype=dtype)

        def attention(state: Any) -> Tensor:
            query = concat(nest.flatten(state), 1) if nest.is_nested(state) else state
            with variable_scope("Attention_0"):
                asked = reshape(linear(query, size), [-1, 1, 1, size])
                score = reduce_sum(weights * tanh(features + asked), [2, 3])
                portions = reshape(softmax(score), [-1, length, 1, 1])
                return reshape(reduce_sum(portions * hidden, [1, 2]), [-1, size])

        state, outputs = initial_state, list[Tensor]()
        seen = zeros([batch_size, size], dtype=dtype)
        seen.set_shape([None, size])
        for index, given in enumerate(decoder_inputs):
            if index > 0:
                get_variable_scope().reuse_variables()
            given = _given(given, outputs, loop_function)
            merged = linear([given, seen], given.shape[1].value)
            output, state = cell(merged, state)
            seen = attention(state)
            with variable_scope("AttnOutputProjection"):
                output = linear([output, seen], output_size)
            outputs.append(output)
    return outputs, state


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
) -> tuple[list[Tensor], Any]:
    """As `embedding_rnn_seq2seq`, with a decoder that looks at the encoder's outputs.

    Args:
      num_heads: how many places the decoder looks at in one step; only 1.
      others: those of `embedding_rnn_seq2seq`.
    Raises:
      ValueError: for more heads.
    """
    if num_heads != 1:
        raise ValueError(f"minitf looks at one place in a step, not at {num_heads}.")
    with variable_scope(scope or "embedding_attention_seq2seq", dtype=dtype) as opened:
        encoder = EmbeddingWrapper(_fresh(cell), num_encoder_symbols, embedding_size)
        encoded, state = static_rnn(encoder, encoder_inputs, dtype=opened.dtype)
        tops = [reshape(each, [-1, 1, cell.output_size]) for each in encoded]
        output_size = cell.output_size
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)
            output_size = num_decoder_symbols

        def decode(feed: bool) -> tuple[list[Tensor], Any]:
            with variable_scope("embedding_attention_decoder"):
                embedded, loop_function = _embedded(
                    decoder_inputs, num_decoder_symbols, embedding_size, output_projection, feed
                )
                return _attention_decoder(
                    embedded, state, concat(tops, 1), cell, output_size, loop_function
                )

        return _decoded_either_way(feed_previous, decode)


# ---- losses ------------------------------------------------------------------------------


def sequence_loss_by_example(
    logits: Sequence[Tensor],
    targets: Sequence[Tensor],
    weights: Sequence[Tensor],
    softmax_loss_function: Callable[..., Tensor] | None = None,
    name: str | None = None,
) -> Tensor:
    """The weighted mean of the cross entropy of each sequence of a batch.

    Args:
      logits: a list of [batch, symbols], one for each step.
      targets: a list of [batch] integers.
      weights: a list of [batch] floats.
      softmax_loss_function: from `labels` and `logits` to the loss, in place of the usual.
      name: a name.
    Returns: [batch] floats.
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
                flat = reshape(target, [-1])
                loss = sparse_softmax_cross_entropy_with_logits(labels=flat, logits=logit)
            else:
                loss = softmax_loss_function(labels=target, logits=logit)
            losses.append(loss * weight)
        return add_n(losses) / (add_n(list(weights)) + 1e-12)


def sequence_loss(
    logits: Sequence[Tensor],
    targets: Sequence[Tensor],
    weights: Sequence[Tensor],
    softmax_loss_function: Callable[..., Tensor] | None = None,
    name: str | None = None,
) -> Tensor:
    """The weighted cross entropy of a batch of sequences; see `sequence_loss_by_example`."""
    with name_scope(name, "sequence_loss", [*logits, *targets, *weights]):
        losses = sequence_loss_by_example(
            logits, targets, weights, softmax_loss_function=softmax_loss_function
        )
        return reduce_sum(losses) / cast(shape_of(targets[0])[0], losses.dtype)


def model_with_buckets(
    encoder_inputs: Sequence[Tensor],
    decoder_inputs: Sequence[Tensor],
    targets: Sequence[Tensor],
    weights: Sequence[Tensor],
    buckets: Sequence[tuple[int, int]],
    seq2seq: Callable[[Any, Any], tuple[Any, Any]],
    softmax_loss_function: Callable[..., Tensor] | None = None,
    name: str | None = None,
) -> tuple[list, list]:
    """One model for each bucket of sequence lengths, all with the same variables.

    Args:
      encoder_inputs, decoder_inputs, targets, weights: lists of tensors, one for each step, as many
        as the largest bucket needs.
      buckets: pairs of lengths, of inputs and of outputs.
      seq2seq: from the inputs of both sides to the outputs and the state.
      softmax_loss_function: see `sequence_loss_by_example`.
      name: a name.
    Returns: the outputs and the losses, one item for each bucket.
    Raises:
      ValueError: when a list is shorter than the last bucket needs.
    """
    for what, given, needed in (
        ("encoder_inputs", encoder_inputs, buckets[-1][0]),
        ("targets", targets, buckets[-1][1]),
        ("weights", weights, buckets[-1][1]),
    ):
        if len(given) < needed:
            raise ValueError(
                f"Length of {what} ({len(given)}) must be at least that of last bucket ({needed})."
            )
    losses, outputs = [], []
    everything = [*encoder_inputs, *decoder_inputs, *targets, *weights]
    with name_scope(name, "model_with_buckets", everything):
        for index, (reads, writes) in enumerate(buckets):
            with variable_scope(get_variable_scope(), reuse=True if index > 0 else None):
                found, _ = seq2seq(encoder_inputs[:reads], decoder_inputs[:writes])
                outputs.append(found)
                ends = targets[:writes], weights[:writes], softmax_loss_function
                losses.append(sequence_loss(found, *ends))
    return outputs, losses
