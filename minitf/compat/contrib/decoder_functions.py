"""Decoders of TensorFlow 1.0 and 1.1, as functions: `tf.contrib.seq2seq.dynamic_rnn_decoder`.

    decoder_fn(time, cell_state, cell_input, cell_output, context_state)
        -> (done, next cell_state, next input, what to give out, next context_state)

    dynamic_rnn_decoder: raw_rnn calls the cell and then decoder_fn, until all sequences are done

A decoder_fn of training lets the given inputs through; one of inference embeds the likeliest
symbol of the last step. With attention both put what was seen in the memory beside the input, and
give it out in place of the cell's output. `Helper` and `AttentionWrapper` took their place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.compat.contrib.seq2seq import as_array
from minitf.compat.slim.layers import linear
from minitf.core.gradients.cond import cond
from minitf.core.graph import dtypes, nest
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import softmax
from minitf.core.ops.array_filling import fill, zeros, zeros_like
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import expand_dims, reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, greater, logical_or
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import tanh
from minitf.core.ops.reductions import argmax, reduce_sum
from minitf.core.variables.variable_scope import get_variable, get_variable_scope, variable_scope
from minitf.library.layers.rnn.cells import LSTMStateTuple, RNNCell
from minitf.library.layers.rnn.loops import raw_rnn, size_of, transpose_batch_time

#: from the cell's output, None before the first step, to what is seen in the memory
_Look = Callable[[Any], Tensor]
DecoderFn = Callable[[Any, Any, Any, Any, Any], tuple[Any, Any, Any, Any, Any]]


def dynamic_rnn_decoder(
    cell: Any, decoder_fn: DecoderFn, inputs: Any = None, sequence_length: Any = None,
    parallel_iterations: int | None = None, swap_memory: bool = False, time_major: bool = False,
    scope: Any = None, name: str | None = None,
) -> tuple[Tensor, Any, Any]:  # fmt: skip
    """Runs a cell whose inputs and end a function decides.

    Args:
      cell: an `RNNCell`.
      decoder_fn: see the module; a `done` of None leaves the end to `sequence_length`.
      inputs: [batch, time, size] floats for training; None for a decoder that feeds itself.
      sequence_length: [batch] integers; by default all have the length of `inputs`.
      parallel_iterations, swap_memory: accepted; steps run one after the other.
      time_major: whether inputs and outputs are [time, batch, size].
      scope: a variable scope of the cell, or its name; "rnn" by default.
      name: a name.
    Returns: the outputs, [batch, time, ...], the final state, and the last context_state.
    Raises:
      ValueError: when the inputs have less than two axes.
    """
    with name_scope(name, "dynamic_rnn_decoder", [inputs, sequence_length]):
        if inputs is not None:
            inputs = convert_to_tensor(inputs)
            if inputs.shape.ndims is not None and inputs.shape.ndims < 2:
                raise ValueError("Inputs must have at least two dimensions")
            steps = inputs if time_major else transpose_batch_time(inputs)
            max_time, rows, nothing = size_of([steps], 0), as_array(steps), zeros_like(steps[0])
            if sequence_length is None:
                sequence_length = fill([size_of([steps], 1)], max_time)

        def next_row(time: Any, cell_state: Any) -> Any:
            if inputs is None:
                return None
            if cell_state is None:
                return rows.read(0)
            return cond(equal(time, max_time), lambda: nothing, lambda: rows.read(time))

        def loop_fn(time: Any, cell_output: Any, cell_state: Any, loop_state: Any) -> Any:
            kept = loop_state[1] if isinstance(loop_state, tuple) else None
            row = next_row(time, cell_state)
            done, state, row, emit, kept = decoder_fn(time, cell_state, row, cell_output, kept)
            if done is None:
                done = time >= sequence_length
            return done, row, state, emit, done if kept is None else (done, kept)

        _forget_variables(cell)
        rows_out, state, last = raw_rnn(cell, loop_fn, parallel_iterations, swap_memory, scope)
        outputs = rows_out.stack() if time_major else transpose_batch_time(rows_out.stack())
        return outputs, state, last[1] if isinstance(last, tuple) else None


def _forget_variables(cell: Any) -> None:
    """Lets a cell find its variables by the scope; up to TensorFlow 1.0 no cell kept them.

    So a decoder may have the cell of the encoder, for inputs of another size.
    """
    new = {"built": False, "_scope": None, "_cell_scope": None}
    for each in (cell, *getattr(cell, "submodules", ())):
        if isinstance(each, RNNCell):
            vars(each).update(new, _trainable_weights=[], _non_trainable_weights=[])


# ---- decoder functions -------------------------------------------------------------------


def simple_decoder_fn_train(encoder_state: Any, name: str | None = None) -> DecoderFn:
    """A decoder_fn that begins with the encoder's state and reads the given inputs.

    Args:
      encoder_state: what the cell begins with.
      name: a name.
    """
    return _train(encoder_state, None, name, "simple_decoder_fn_train")


def attention_decoder_fn_train(
    encoder_state: Any, attention_keys: Any, attention_values: Any, attention_score_fn: Any,
    attention_construct_fn: Any, name: str | None = None,
) -> DecoderFn:  # fmt: skip
    """As `simple_decoder_fn_train`, looking at a memory after each step.

    Args:
      encoder_state: what the cell begins with.
      attention_keys, attention_values, attention_score_fn, attention_construct_fn: those of
        `prepare_attention`.
      name: a name.
    """
    look = _looking(encoder_state, attention_keys, attention_values, attention_construct_fn)
    return _train(encoder_state, look, name, "attention_decoder_fn_train")


def simple_decoder_fn_inference(
    output_fn: Callable[[Tensor], Tensor] | None, encoder_state: Any, embeddings: Any,
    start_of_sequence_id: Any, end_of_sequence_id: Any, maximum_length: Any,
    num_decoder_symbols: Any, dtype: Any = dtypes.int32, name: str | None = None,
) -> DecoderFn:  # fmt: skip
    """A decoder_fn that embeds the likeliest symbol of each step as the next input.

    Args:
      output_fn: from the cell's output to logits, [batch, symbols]; by default the output itself.
      encoder_state: what the cell begins with.
      embeddings: [symbols, size], the vectors of the symbols.
      start_of_sequence_id, end_of_sequence_id: the symbols of beginning and end.
      maximum_length: all sequences are done once the time is greater.
      num_decoder_symbols: how many symbols there are.
      dtype: of the symbols.
      name: a name.
    """
    return _inference(
        output_fn, encoder_state, None, embeddings, start_of_sequence_id, end_of_sequence_id,
        maximum_length, num_decoder_symbols, dtype, name, "simple_decoder_fn_inference",
    )  # fmt: skip


def attention_decoder_fn_inference(
    output_fn: Callable[[Tensor], Tensor] | None, encoder_state: Any, attention_keys: Any,
    attention_values: Any, attention_score_fn: Any, attention_construct_fn: Any, embeddings: Any,
    start_of_sequence_id: Any, end_of_sequence_id: Any, maximum_length: Any,
    num_decoder_symbols: Any, dtype: Any = dtypes.int32, name: str | None = None,
) -> DecoderFn:  # fmt: skip
    """As `simple_decoder_fn_inference`, looking at a memory after each step.

    Args:
      attention_keys, attention_values, attention_score_fn, attention_construct_fn: those of
        `prepare_attention`.
      others: those of `simple_decoder_fn_inference`.
    """
    look = _looking(encoder_state, attention_keys, attention_values, attention_construct_fn)
    return _inference(
        output_fn, encoder_state, look, embeddings, start_of_sequence_id, end_of_sequence_id,
        maximum_length, num_decoder_symbols, dtype, name, "attention_decoder_fn_inference",
    )  # fmt: skip


def _train(encoder_state: Any, look: _Look | None, name: str | None, default: str) -> DecoderFn:
    def decoder_fn(
        time: Any, cell_state: Any, cell_input: Any, cell_output: Any, context_state: Any
    ) -> tuple[Any, Any, Any, Any, Any]:
        first = cell_state is None
        with name_scope(name, default, [cell_input, cell_output]):
            if look is not None:
                seen = look(None if first else cell_output)
                cell_input = concat([cell_input, seen], 1)
                cell_output = cell_output if first else seen
            state = encoder_state if first else cell_state
            return None, state, cell_input, cell_output, context_state

    return decoder_fn


def _inference(
    output_fn: Callable[[Tensor], Tensor] | None, encoder_state: Any, look: _Look | None,
    embeddings: Any, start: Any, end: Any, maximum_length: Any, symbols: Any, dtype: Any,
    name: str | None, default: str,
) -> DecoderFn:  # fmt: skip
    def decoder_fn(
        time: Any, cell_state: Any, cell_input: Any, cell_output: Any, context_state: Any
    ) -> tuple[Any, Any, Any, Any, Any]:
        if cell_input is not None:
            raise ValueError(f"Expected cell_input to be None, but saw: {cell_input}")
        with name_scope(name, default, [cell_output]):
            seen = None if look is None else look(cell_output)
            if cell_output is None:
                batch_size = size_of(nest.flatten(encoder_state), 0)
                ids = fill([batch_size], convert_to_tensor(start, dtype))
                done = fill([batch_size], False)
                state, output = encoder_state, zeros([symbols])
            else:
                output = cell_output if seen is None else seen
                output = output if output_fn is None else output_fn(output)
                ids = cast(argmax(output, 1), dtype)
                done, state = equal(ids, convert_to_tensor(end, dtype)), cell_state
            row = gather(embeddings, ids)
            row = row if seen is None else concat([row, seen], 1)
            late = greater(cast(time, dtype), convert_to_tensor(maximum_length, dtype))
            return logical_or(done, late), state, row, output, context_state

    return decoder_fn


# ---- attention ---------------------------------------------------------------------------


def prepare_attention(
    attention_states: Any, attention_option: str, num_units: int, reuse: bool = False
) -> tuple[Tensor, Any, Callable[..., Tensor], Callable[..., Tensor]]:
    """What the decoder functions with attention need of a memory.

    Args:
      attention_states: [batch, time, num_units], what to look at.
      attention_option: "bahdanau", additive, or "luong", a product.
      num_units: the size of the cell's output, of the keys, and of what is seen.
      reuse: whether the variables are there already.
    Returns: the keys, the values, a function of (query, keys, values) that gives what is seen, and
      one that joins this with the query in a linear layer.
    """
    with variable_scope("attention_keys", reuse=reuse) as scope:
        keys = linear(attention_states, num_units, biases_initializer=None, scope=scope)
    score_fn = _create_attention_score_fn("attention_score", num_units, attention_option, reuse)
    construct_fn = _create_attention_construct_fn("attention_construct", num_units, score_fn, reuse)
    return keys, attention_states, score_fn, construct_fn


# Programs that change the attention import the next three under their names of then.


def _init_attention(encoder_state: Any) -> Tensor:
    """What is seen before the first step: zeros, as many as the top layer gives out."""
    top = encoder_state[-1] if isinstance(encoder_state, tuple) else encoder_state
    return zeros_like(top.h if isinstance(top, LSTMStateTuple) else top)


def _create_attention_construct_fn(
    name: str, num_units: int, attention_score_fn: Callable[..., Tensor], reuse: bool | None
) -> Callable[..., Tensor]:
    with variable_scope(name, reuse=reuse) as scope:

        def construct_fn(query: Any, keys: Any, values: Any) -> Tensor:
            joined = concat([query, attention_score_fn(query, keys, values)], 1)
            # Programs prepare once and decode twice: scopes took reuse over from around them then.
            again = get_variable_scope().reuse or None
            return linear(joined, num_units, biases_initializer=None, reuse=again, scope=scope)

    return construct_fn


def _create_attention_score_fn(
    name: str, num_units: int, attention_option: str, reuse: bool | None,
    dtype: Any = dtypes.float32,
) -> Callable[..., Tensor]:  # fmt: skip
    if attention_option == "bahdanau":
        with variable_scope(name, reuse=reuse):
            query_w = get_variable("attnW", [num_units, num_units], dtype=dtype)
            score_v = get_variable("attnV", [num_units], dtype=dtype)

    def score_fn(query: Any, keys: Any, values: Any) -> Tensor:
        if attention_option == "bahdanau":
            query = reshape(matmul(query, query_w), [-1, 1, num_units])
            scores = reduce_sum(score_v * tanh(keys + query), [2])
        elif attention_option == "luong":
            scores = reduce_sum(keys * reshape(query, [-1, 1, num_units]), [2])
        else:
            raise ValueError(f"Unknown attention option {attention_option}!")
        seen = reduce_sum(expand_dims(softmax(scores), 2) * values, [1])
        seen.set_shape([None, num_units])
        return seen

    return score_fn


def _looking(encoder_state: Any, keys: Any, values: Any, construct_fn: Any) -> _Look:
    def look(cell_output: Any) -> Tensor:
        if cell_output is None:
            return _init_attention(encoder_state)
        return construct_fn(cell_output, keys, values)

    return look
