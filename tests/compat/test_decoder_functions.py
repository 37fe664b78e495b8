"""Decoders of TensorFlow 1.0: against `dynamic_rnn`, against loops in NumPy, and as programs."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import minitf as tf

seq2seq = tf.contrib.seq2seq
BATCH, TIME, SIZE, SYMBOLS = 3, 4, 5, 6


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as fresh:
        tf.set_random_seed(1)
        yield fresh


def _values(*fetches: Any) -> Any:
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(fetches)


def _random(*shape: int) -> np.ndarray:
    return np.random.RandomState(sum(shape)).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("time_major", [False, True])
@pytest.mark.parametrize("known", [False, True])
def test_simple_training_is_dynamic_rnn(time_major: bool, known: bool) -> None:
    x, lengths = (
        _random(TIME if time_major else BATCH, BATCH if time_major else TIME, SIZE),
        [2, 4, 1],
    )
    inputs = tf.constant(x) if known else tf.placeholder_with_default(x, [None, None, SIZE])
    begin = tf.nn.rnn_cell.LSTMStateTuple(tf.constant(_random(BATCH, 2)), tf.zeros([BATCH, 2]))
    cell = tf.nn.rnn_cell.BasicLSTMCell(2)
    outputs, state, context = seq2seq.dynamic_rnn_decoder(
        cell, seq2seq.simple_decoder_fn_train(begin), inputs, lengths, time_major=time_major
    )
    wanted = tf.nn.dynamic_rnn(cell, inputs, lengths, begin, time_major=time_major)
    found, expected = _values((outputs, state), wanted)
    assert context is None
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])
    assert [v.op.name for v in tf.global_variables()][::2] == ["rnn/basic_lstm_cell/kernel"]
    loss = tf.reduce_sum(outputs**2)
    np.testing.assert_array_equal(
        *_values(
            tf.gradients(loss, begin.c)[0], tf.gradients(tf.reduce_sum(wanted[0] ** 2), begin.c)[0]
        )
    )


def test_without_lengths_all_are_as_long_as_the_inputs() -> None:
    cell, begin = tf.nn.rnn_cell.GRUCell(2), tf.zeros([BATCH, 2])
    outputs, state, _ = seq2seq.dynamic_rnn_decoder(
        cell, seq2seq.simple_decoder_fn_train(begin), _random(BATCH, TIME, SIZE)
    )
    found, last = _values(outputs, state)
    assert found.shape == (BATCH, TIME, 2)
    np.testing.assert_array_equal(found[:, -1], last)
    with pytest.raises(ValueError, match="Inputs must have at least two dimensions"):
        seq2seq.dynamic_rnn_decoder(cell, seq2seq.simple_decoder_fn_train(begin), [1.0])


class _InNumPy:
    """The decoder by hand: a BasicRNNCell, perhaps attention, and logits."""

    def __init__(self, variables: dict[str, np.ndarray], memory: Any, option: str | None) -> None:
        self.v, self.memory, self.option = variables, memory, option

    def look(self, query: np.ndarray) -> np.ndarray:
        keys = self.memory @ self.v["attention_keys/weights"]
        if self.option == "luong":
            scores = (keys * query[:, None]).sum(-1)
        else:
            query_in = (query @ self.v["attention_score/attnW"])[:, None]
            scores = (np.tanh(keys + query_in) * self.v["attention_score/attnV"]).sum(-1)
        weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
        seen = (weights[..., None] * self.memory).sum(1)
        return np.concatenate([query, seen], 1) @ self.v["attention_construct/weights"]

    def step(self, row: np.ndarray, state: np.ndarray, seen: Any) -> tuple[np.ndarray, np.ndarray]:
        row = row if seen is None else np.concatenate([row, seen], 1)
        kernel, bias = (self.v[f"rnn/basic_rnn_cell/{name}"] for name in ("kernel", "bias"))
        state = np.tanh(np.concatenate([row, state], 1) @ kernel + bias)
        return state, state if seen is None else self.look(state)


@pytest.mark.parametrize("option, twice", [(None, 0), ("bahdanau", 1), ("luong", 0)])
def test_training_and_inference_by_hand(option: str | None, twice: int) -> None:
    memory, begin, x = _random(BATCH, 7, SIZE), _random(BATCH, SIZE), _random(BATCH, TIME, 2)
    table, head = _random(SYMBOLS, 2), _random(SIZE, SYMBOLS)
    lengths, end, most = [4, 2, 3], 2, 5
    cell = tf.nn.rnn_cell.BasicRNNCell(SIZE)

    def output_fn(output: Any) -> Any:
        return tf.matmul(output, head)

    symbols = (table, 1, end, most, SYMBOLS)
    if option is None:
        train = seq2seq.simple_decoder_fn_train(tf.constant(begin))
        speak = seq2seq.simple_decoder_fn_inference(output_fn, tf.constant(begin), *symbols)
    else:
        parts = seq2seq.prepare_attention(tf.constant(memory), option, SIZE)
        train = seq2seq.attention_decoder_fn_train(tf.constant(begin), *parts)
    trained, state, _ = seq2seq.dynamic_rnn_decoder(cell, train, x, lengths)
    with tf.variable_scope(tf.get_variable_scope(), reuse=True):
        if option is not None:
            if twice:
                parts = seq2seq.prepare_attention(tf.constant(memory), option, SIZE, reuse=True)
            speak = seq2seq.attention_decoder_fn_inference(
                output_fn, tf.constant(begin), *parts, *symbols
            )
        spoken, last, _ = seq2seq.dynamic_rnn_decoder(cell, speak)
    variables = {v.op.name: v for v in tf.global_variables()}
    values, trained, state, spoken, last = _values(variables, trained, state, spoken, last)
    names = {"rnn/basic_rnn_cell/kernel", "rnn/basic_rnn_cell/bias"}
    if option:
        names |= {"attention_keys/weights", "attention_construct/weights"}
    if option == "bahdanau":
        names |= {"attention_score/attnW", "attention_score/attnV"}
    assert set(variables) == names
    hand = _InNumPy(values, memory, option)

    nothing = None if option is None else np.zeros_like(begin)
    now, seen, kept = begin, nothing, begin
    for t in range(TIME):
        now, seen = hand.step(x[:, t], now, seen)
        open_ = (np.array(lengths) > t)[:, None]
        kept = np.where(open_, now, kept)
        np.testing.assert_allclose(trained[:, t], np.where(open_, seen, 0), rtol=1e-4, atol=1e-5)
        seen = nothing if option is None else seen
    np.testing.assert_allclose(state, kept, rtol=1e-4, atol=1e-5)

    now, seen, done = begin, nothing, np.zeros(BATCH, bool)
    said, t = np.full(BATCH, 1), 0
    while not done.all():
        now, output = hand.step(table[said], now, seen)
        seen = None if option is None else output
        logits = output @ head
        np.testing.assert_allclose(
            spoken[:, t], np.where(done[:, None], 0, logits), rtol=1e-4, atol=1e-5
        )
        said, t = logits.argmax(1), t + 1
        done = done | (said == end) | (t > most)
    assert spoken.shape == (BATCH, t, SYMBOLS)


def test_what_a_decoder_fn_keeps() -> None:
    """The context goes from step to step; the last is returned."""
    begin = tf.zeros([BATCH, SIZE])

    def decoder_fn(time: Any, state: Any, row: Any, output: Any, context: Any) -> Any:
        assert row is None
        if state is None:
            context = (tf.constant(0), tf.TensorArray(tf.int32, 0, dynamic_size=True))
            return tf.zeros([BATCH], tf.bool), begin, tf.ones([BATCH, 2]), None, context
        count, array = context
        context = (count + time, array.write(time - 1, time * 10))
        return tf.fill([BATCH], time >= 3), state, tf.ones([BATCH, 2]), output, context

    outputs, _, (count, array) = seq2seq.dynamic_rnn_decoder(
        tf.nn.rnn_cell.BasicRNNCell(SIZE), decoder_fn, scope="speaker"
    )
    found, count, kept = _values(outputs, count, array.stack())
    assert (found.shape, count, kept.tolist()) == ((BATCH, 3, SIZE), 6, [10, 20, 30])
    assert tf.global_variables()[0].name == "speaker/basic_rnn_cell/kernel:0"


def test_errors() -> None:
    begin = tf.zeros([BATCH, SIZE])
    parts = seq2seq.prepare_attention(tf.zeros([BATCH, 2, SIZE]), "other", SIZE)
    train = seq2seq.attention_decoder_fn_train(begin, *parts)
    with pytest.raises(ValueError, match="Unknown attention option other!"):
        seq2seq.dynamic_rnn_decoder(
            tf.nn.rnn_cell.BasicRNNCell(SIZE), train, tf.zeros([BATCH, 2, SIZE]), [1] * BATCH
        )
    speak = seq2seq.simple_decoder_fn_inference(None, begin, tf.zeros([4, 2]), 0, 1, 2, SIZE)
    with pytest.raises(ValueError, match="Expected cell_input to be None, but saw: 3"):
        speak(0, None, 3, None, None)


def test_one_cell_for_layers_of_two_sizes() -> None:
    """`[cell] * n` under attention, as of 1.0: each layer has variables of its own."""
    cell = tf.nn.rnn_cell.DropoutWrapper(
        tf.nn.rnn_cell.GRUCell(4), tf.placeholder_with_default(1.0, [])
    )
    layers = tf.nn.rnn_cell.MultiRNNCell([cell] * 3)
    layers(tf.ones([1, 7]), layers.zero_state(1, tf.float32))
    shapes = [v.shape[0].value for v in tf.trainable_variables() if "gates/kernel" in v.name]
    assert shapes == [11, 8, 8]
    layers = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(4)] * 3)
    with tf.variable_scope("same"):
        layers(tf.ones([1, 4]), layers.zero_state(1, tf.float32))
    assert len({id(each) for each in layers.cells}) == 1  # one size: shared, as in 1.15


def test_the_cell_of_the_encoder_has_other_variables_in_the_decoder() -> None:
    """With attention its inputs are larger; a second decoder finds the variables by the scope."""
    cell = tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(4), output_keep_prob=0.9)
    x = tf.constant(_random(BATCH, TIME, SIZE))
    with tf.variable_scope("encoder"):
        memory, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
    with tf.variable_scope("decoder") as scope:
        parts = seq2seq.prepare_attention(memory, "luong", 4)
        train = seq2seq.attention_decoder_fn_train(state, *parts)
        trained, _, _ = seq2seq.dynamic_rnn_decoder(cell, train, x)
        scope.reuse_variables()
        speak = seq2seq.attention_decoder_fn_inference(
            None, state, *parts, tf.zeros([4, SIZE]), 0, 1, 2, 4
        )
        spoken, _, _ = seq2seq.dynamic_rnn_decoder(cell, speak)
    shapes = {v.op.name: v.shape.as_list() for v in tf.trainable_variables()}
    assert shapes["encoder/rnn/gru_cell/gates/kernel"] == [SIZE + 4, 8]
    assert shapes["decoder/rnn/gru_cell/gates/kernel"] == [SIZE + 4 + 4, 8]
    assert len(shapes) == 4 + 4 + 2
    assert [each.shape[2] for each in _values(trained, spoken)] == [4, 4]
