"""Recurrent nets beyond what TensorFlow is asked about: own cells, dropout, loops by hand."""

import numpy as np
import pytest
from minitf.contrib import rnn as contrib_rnn

import minitf as tf
from tests.graphs import run

cells = tf.nn.rnn_cell


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def test_variables_got_in_call_belong_to_the_cell() -> None:
    class Mine(cells.RNNCell):
        state_size = output_size = 3

        def call(self, inputs, state):
            return (tf.matmul(inputs, tf.get_variable("w", [2, 3])) + state,) * 2

    cell = Mine()
    tf.nn.dynamic_rnn(cell, tf.zeros([1, 4, 2]), dtype=tf.float32)
    assert [v.name for v in cell.trainable_variables] == ["rnn/mine/w:0"]


def test_a_cell_that_never_called_its_base() -> None:
    class Plain(tf.nn.rnn_cell.RNNCell):
        def __init__(self, units):
            self._units = units

        state_size = output_size = property(lambda self: self._units)

        def __call__(self, inputs, state, scope=None):
            with tf.variable_scope(scope or type(self).__name__):
                w = tf.get_variable("w", [inputs.shape[-1], self._units])
                state = tf.tanh(tf.matmul(inputs, w) + state)
            return state, state

    stacked = tf.nn.rnn_cell.MultiRNNCell([Plain(3), Plain(4)])
    dropping = tf.nn.rnn_cell.DropoutWrapper(Plain(2), output_keep_prob=1.0)
    outputs, (_, last) = tf.nn.dynamic_rnn(stacked, tf.ones([2, 5, 3]), dtype=tf.float32)
    tf.nn.static_rnn(dropping, [tf.ones([2, 3])] * 2, dtype=tf.float32, scope="static")
    assert [v.name for v in tf.global_variables()] == [
        "rnn/multi_rnn_cell/cell_0/Plain/w:0",
        "rnn/multi_rnn_cell/cell_1/Plain/w:0",
        "static/Plain/w:0",
    ]
    assert dropping.losses == dropping.variables == []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        every, final = sess.run([outputs, last])
        np.testing.assert_array_equal(every[:, -1], final)


def test_dropout_differs_from_step_to_step() -> None:
    x = tf.ones([1, 50, 8])

    class Echo(cells.RNNCell):
        state_size = output_size = 8

        def call(self, inputs, state):
            return inputs, state

    cell = cells.DropoutWrapper(Echo(), output_keep_prob=0.5, seed=3)
    changing = run(tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)[0])
    assert set(np.unique(changing)) == {0.0, 2.0}
    assert 0.3 < (changing > 0).mean() < 0.7
    assert (changing[0] != changing[0, 0]).any()


@pytest.mark.parametrize("lengths", [[5], [2, 3, 9, 1]])
def test_lengths_must_fit_the_batch(lengths) -> None:
    x = tf.placeholder(tf.float32, [None, 4, 2])
    given = tf.placeholder(tf.int32, [None])
    outputs, _ = tf.nn.dynamic_rnn(cells.GRUCell(3), x, sequence_length=given, dtype=tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected shape for Tensor"):
        run(outputs, {x: np.zeros((3, 4, 2)), given: lengths})


def test_what_is_no_cell_is_refused() -> None:
    with pytest.raises(TypeError, match="is not an RNNCell"):
        tf.nn.dynamic_rnn(object(), tf.zeros([1, 2, 3]), dtype=tf.float32)
    with pytest.raises(ValueError, match="must be accessible via shape inference"):
        tf.nn.dynamic_rnn(
            cells.GRUCell(2), tf.placeholder(tf.float32, [1, 2, None]), dtype=tf.float32
        )


def test_layer_norm_cell_by_hand() -> None:
    data = np.random.default_rng(1).normal(size=(2, 4)).astype(np.float32)
    cell = contrib_rnn.LayerNormBasicLSTMCell(3, norm_gain=0.7, norm_shift=0.1)
    output, state = cell(data, cell.zero_state(2, tf.float32))
    kernel, got, c = run([cell.weights[0], output, state.c])

    def norm(x):
        spread = np.sqrt(x.var(1, keepdims=True) + 1e-12)
        return 0.7 * (x - x.mean(1, keepdims=True)) / spread + 0.1

    i, j, f, o = map(norm, np.split(data @ kernel[:4], 4, axis=1))
    wanted = norm(sigmoid(i) * np.tanh(j))
    np.testing.assert_allclose(c, wanted, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(got, np.tanh(wanted) * sigmoid(o), rtol=1e-4, atol=1e-5)
    assert [v.op.name.split("/", 1)[1] for v in cell.weights[:3]] == [
        "kernel",
        "input/gamma",
        "input/beta",
    ]


def test_layer_norm_cell_drops_only_what_is_new() -> None:
    cell = contrib_rnn.LayerNormBasicLSTMCell(50, layer_norm=False, dropout_keep_prob=0.5)
    state = cells.LSTMStateTuple(tf.zeros([1, 50]), tf.zeros([1, 50]))
    _, new = cell(tf.ones([1, 8]), state)
    dropped = (run(new.c) == 0).sum()
    assert 5 < dropped < 45


def test_a_state_may_hold_tensor_arrays() -> None:
    """The alignments of an `AttentionWrapper` come out of the loop."""
    memory = tf.ones([2, 4, 3])
    attention = tf.contrib.seq2seq.BahdanauAttention(5, memory)
    cell = tf.contrib.seq2seq.AttentionWrapper(
        cells.GRUCell(6), attention, attention_layer_size=7, alignment_history=True
    )
    outputs, state = tf.nn.dynamic_rnn(cell, tf.ones([2, 8, 1]), dtype=tf.float32)
    values, alignments = run([outputs, state.alignment_history.stack()])
    assert values.shape == (2, 8, 7)
    np.testing.assert_allclose(alignments, np.full((8, 2, 4), 0.25), rtol=1e-6)
