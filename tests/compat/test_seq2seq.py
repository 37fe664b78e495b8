"""Sequences to sequences: losses by hand, shared and separate variables, attention that learns."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import minitf as tf

legacy = tf.contrib.legacy_seq2seq
seq2seq = tf.contrib.seq2seq
LENGTH, SYMBOLS, BATCH = 4, 7, 16


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as fresh:
        tf.set_random_seed(1)
        yield fresh


def _cross_entropy(logits: np.ndarray, targets: np.ndarray) -> np.ndarray:
    chosen = np.take_along_axis(logits, targets[..., None], -1)[..., 0]
    return np.log(np.exp(logits).sum(-1)) - chosen


# ---- losses -------------------------------------------------------------------------------------


# ---- models -------------------------------------------------------------------------------------


def _placeholders(count: int) -> list[Any]:
    return [tf.placeholder(tf.int32, [None]) for _ in range(count)]


def _batch(rng: np.random.RandomState, *lists: list) -> dict:
    """Sequences; the last word before each of the answer; the answer: the other way round."""
    x = rng.randint(1, SYMBOLS, size=(LENGTH, BATCH))
    before = np.concatenate([np.zeros((1, BATCH), int), x[:0:-1]])
    return {
        t: v
        for tensors, values in zip(lists, (x, before, x[::-1]))
        for t, v in zip(tensors, values)
    }


@pytest.mark.slow
@pytest.mark.parametrize("model", ["embedding_rnn_seq2seq", "embedding_attention_seq2seq"])
def test_a_model_learns_to_turn_sequences_round(model: str) -> None:
    inputs, before, answers = (_placeholders(LENGTH) for _ in range(3))
    feed_previous = tf.placeholder(tf.bool, [])
    cell = tf.contrib.rnn.GRUCell(32)
    outputs, _ = getattr(legacy, model)(
        inputs, before, cell, SYMBOLS, SYMBOLS, 16, feed_previous=feed_previous
    )
    weights = [tf.ones_like(each, dtype=tf.float32) for each in answers]
    loss = legacy.sequence_loss(outputs, answers, weights)
    train = tf.train.AdamOptimizer(0.02).minimize(loss)
    names = [v.op.name.removeprefix(model) for v in tf.trainable_variables()]
    assert sum(name.endswith("gru_cell/gates/kernel") for name in names) == 2  # each has its own
    rng = np.random.RandomState(0)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(300):
            sess.run(train, {**_batch(rng, inputs, before, answers), feed_previous: False})
        feed = {**_batch(rng, inputs, before, answers), feed_previous: True}
        said = np.argmax(sess.run(outputs, feed), axis=-1)
        assert np.mean(said == [feed[t] for t in answers]) > 0.8


# ---- attention ----------------------------------------------------------------------------------


def test_additive_attention_by_hand() -> None:
    rng = np.random.RandomState(0)
    memory = rng.normal(size=(2, 3, 4)).astype(np.float32)
    query = rng.normal(size=(2, 4)).astype(np.float32)
    mechanism = seq2seq.BahdanauAttention(4, tf.constant(memory), memory_sequence_length=[3, 2])
    alignments, _ = mechanism(tf.constant(query), None)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        found = sess.run(alignments)
        values = {v.op.name: sess.run(v) for v in tf.trainable_variables()}
    kernels = {name.split("/")[-2]: v for name, v in values.items() if name.endswith("kernel")}
    [v] = [v for name, v in values.items() if name.endswith("attention_v")]
    memory[1, 2] = 0
    mixed = np.tanh(memory @ kernels["memory_layer"] + (query @ kernels["query_layer"])[:, None])
    scores = mixed @ v
    scores[1, 2] = -np.inf
    wanted = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


@pytest.mark.parametrize("scale", [False, True])
def test_multiplicative_attention_in_a_cell(scale: bool) -> None:
    rng = np.random.RandomState(0)
    memory = rng.normal(size=(2, 3, 5)).astype(np.float32)
    mechanism = seq2seq.LuongAttention(6, tf.constant(memory), scale=scale)
    cell = seq2seq.AttentionWrapper(tf.contrib.rnn.GRUCell(6), mechanism)
    state = cell.zero_state(2, tf.float32)
    output, following = cell(tf.ones([2, 3]), state)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        context, after = sess.run([output, following])
        keys, h = sess.run([mechanism.keys, following.cell_state])
    scores = np.einsum("bd,bld->bl", h, keys)
    wanted = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    np.testing.assert_allclose(after.alignments, wanted, rtol=1e-4)
    np.testing.assert_allclose(context, np.einsum("bl,bld->bd", wanted, memory), rtol=1e-4)
    assert after.time == 1
    assert cell.output_size == 5
    with pytest.raises(TypeError, match="AttentionWrapperState"):
        cell(tf.ones([2, 3]), tf.zeros([2, 6]))


def test_a_mechanism_of_ones_own_scores_as_it_likes() -> None:
    class Peaked(seq2seq.BahdanauAttention):
        def __call__(self, query: tf.Tensor, state: tf.Tensor) -> tuple:
            alignments = self._probability_fn(tf.reduce_sum(self._keys, 2), state)
            return alignments, alignments + state

    with tf.Graph().as_default(), tf.Session() as sess:
        mechanism = Peaked(3, tf.ones([2, 4, 5]), memory_sequence_length=[1, 2])
        assert mechanism._values is mechanism.values and mechanism._keys is mechanism.keys
        assert mechanism._alignments_size == 4 and mechanism._batch_size == 2
        cell = seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(4), mechanism)
        _, state = cell(tf.ones([2, 3]), cell.zero_state(2, tf.float32))
        sess.run(tf.global_variables_initializer())
        expected = [[1, 0, 0, 0], [0.5, 0.5, 0, 0]]
        np.testing.assert_allclose(sess.run(state.alignments), expected)


def test_the_size_and_the_history_of_attention() -> None:
    mechanism = seq2seq.LuongAttention(4, tf.ones([2, 3, 4]))
    cell = seq2seq.AttentionWrapper(
        tf.nn.rnn_cell.GRUCell(4), mechanism, attention_layer_size=5, alignment_history=True
    )
    assert cell.output_size == 5 and cell.state_size.attention == 5
    state = cell.zero_state(2, tf.float32)
    for _ in range(2):
        output, state = cell(tf.ones([2, 3]), state)
    history = state.alignment_history.stack()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert [each.shape for each in sess.run([output, history])] == [(2, 5), (2, 2, 3)]
    with pytest.raises(TypeError, match="must be an AttentionMechanism, saw type: list"):
        seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(4), [mechanism])


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
