"""Decoders, attention and losses of sequences, against NumPy and by what they learn."""

import numpy as np
import pytest
from minitf.contrib import legacy_seq2seq, seq2seq

import minitf as tf

cells = tf.nn.rnn_cell


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as fresh:
        tf.set_random_seed(1)
        yield fresh


def run(fetches, feeds=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feeds)


def cross_entropy(logits, targets):
    shifted = np.exp(logits - logits.max(-1, keepdims=True))
    chances = shifted / shifted.sum(-1, keepdims=True)
    return -np.log(np.take_along_axis(chances, targets[..., None], -1)[..., 0])


RNG = np.random.default_rng(0)
LOGITS = RNG.normal(size=(3, 4, 5)).astype(np.float32)
TARGETS = RNG.integers(0, 5, (3, 4)).astype(np.int32)
WEIGHTS = np.array([[1, 1, 1, 1], [1, 1, 0, 0], [0.5, 1, 2, 0]], np.float32)
LOSSES = cross_entropy(LOGITS, TARGETS) * WEIGHTS


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({}, LOSSES.sum() / WEIGHTS.sum()),
        ({"average_across_batch": False}, LOSSES.sum(1) / WEIGHTS.sum(1)),
        ({"average_across_timesteps": False}, LOSSES.sum(0) / WEIGHTS.sum(0)),
        ({"average_across_timesteps": False, "average_across_batch": False}, LOSSES),
    ],
)
def test_sequence_loss(options, wanted) -> None:
    found = run(seq2seq.sequence_loss(LOGITS, TARGETS, WEIGHTS, **options))
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_sequence_loss_checks_ranks() -> None:
    with pytest.raises(ValueError, match="Logits must be"):
        seq2seq.sequence_loss(TARGETS, TARGETS, WEIGHTS)


def test_losses_over_lists() -> None:
    lists = [[each[:, t] for t in range(4)] for each in (LOGITS, TARGETS, WEIGHTS)]
    lists = [[tf.constant(v) for v in each] for each in lists]
    each, whole = run(
        [legacy_seq2seq.sequence_loss_by_example(*lists), legacy_seq2seq.sequence_loss(*lists)]
    )
    np.testing.assert_allclose(each, LOSSES.sum(1) / WEIGHTS.sum(1), rtol=1e-5)
    np.testing.assert_allclose(whole, each.mean(), rtol=1e-5)


def test_training_decoder_gives_what_dynamic_rnn_gives() -> None:
    x = tf.constant(RNG.normal(size=(3, 4, 2)).astype(np.float32))
    lengths = tf.constant([4, 2, 3])
    cell = cells.GRUCell(5)
    decoder = seq2seq.BasicDecoder(
        cell, seq2seq.TrainingHelper(x, lengths), cell.zero_state(3, tf.float32)
    )
    (outputs, ids), state, ends = seq2seq.dynamic_decode(decoder, impute_finished=True)
    again, last = tf.nn.dynamic_rnn(cell, x, lengths, dtype=tf.float32)
    values = run([outputs, again, state, last, ends, ids])
    np.testing.assert_allclose(values[0], values[1], rtol=1e-5)
    np.testing.assert_allclose(values[2], values[3], rtol=1e-5)
    np.testing.assert_array_equal(values[4], [4, 2, 3])
    assert values[5].shape == (3, 4)


def test_greedy_decoding_ends_at_the_end_token() -> None:
    class Counting(cells.RNNCell):
        """Says the number that follows the one that it was given."""

        state_size = output_size = 6

        def call(self, inputs, state):
            return tf.concat([inputs[:, -1:], inputs[:, :-1]], 1), state

    table = tf.constant(np.eye(6, dtype=np.float32))
    helper = seq2seq.GreedyEmbeddingHelper(table, start_tokens=[0, 3], end_token=5)
    cell = Counting()
    decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32))
    outputs, _, lengths = seq2seq.dynamic_decode(decoder, maximum_iterations=10)
    ids, ends = run([outputs.sample_id, lengths])
    assert ids[0].tolist() == [1, 2, 3, 4, 5]
    assert ids[1, :2].tolist() == [4, 5]
    assert ends.tolist() == [5, 2]
    short = seq2seq.dynamic_decode(decoder, maximum_iterations=2)[0].sample_id
    assert run(short).shape == (2, 2)


@pytest.mark.parametrize("kind", [seq2seq.BahdanauAttention, seq2seq.LuongAttention])
def test_attention_looks_at_what_is_inside_a_sequence(kind) -> None:
    memory = tf.constant(RNG.normal(size=(2, 5, 3)).astype(np.float32))
    mechanism = kind(4, memory, memory_sequence_length=[5, 2])
    cell = seq2seq.AttentionWrapper(
        cells.BasicLSTMCell(4), mechanism, attention_layer_size=6, alignment_history=True
    )
    x = tf.constant(RNG.normal(size=(2, 3, 2)).astype(np.float32))
    decoder = seq2seq.BasicDecoder(
        cell,
        seq2seq.TrainingHelper(x, [3, 3]),
        cell.zero_state(2, tf.float32),
        output_layer=tf.layers.Dense(7),
    )
    outputs, state, _ = seq2seq.dynamic_decode(decoder)
    history = state.alignment_history.stack()
    gradients = tf.gradients(tf.reduce_sum(outputs.rnn_output**2), tf.trainable_variables())
    assert all(g is not None for g in gradients)
    values, looked, slopes = run([outputs.rnn_output, history, gradients])
    assert values.shape == (2, 3, 7)
    np.testing.assert_allclose(looked.sum(-1), np.ones((3, 2)), rtol=1e-5)
    assert (looked[:, 1, 2:] == 0).all()
    assert all(np.abs(s).max() > 0 for s in slopes)
    names = {v.name for v in tf.trainable_variables()}
    assert "memory_layer/kernel:0" in names
    assert "decoder/attention_wrapper/attention_layer/kernel:0" in names


def test_tile_batch() -> None:
    tiled = seq2seq.tile_batch(tf.constant([[1, 2], [3, 4]]), 2)
    assert tiled.shape.as_list() == [4, 2]
    np.testing.assert_array_equal(run(tiled), [[1, 2], [1, 2], [3, 4], [3, 4]])


def symbols(count, size=4):
    return [tf.constant(RNG.integers(0, size, 3), tf.int32) for _ in range(count)]


@pytest.mark.parametrize("feed_previous", [False, True, "tensor"])
@pytest.mark.parametrize("attention", [False, True])
def test_symbols_to_symbols(attention, feed_previous) -> None:
    feed = tf.placeholder_with_default(True, []) if feed_previous == "tensor" else feed_previous
    make = (
        legacy_seq2seq.embedding_attention_seq2seq
        if attention
        else legacy_seq2seq.embedding_rnn_seq2seq
    )
    outputs, _ = make(symbols(4), symbols(3), cells.GRUCell(5), 4, 6, 7, feed_previous=feed)
    assert [o.shape.as_list()[1] for o in outputs] == [6, 6, 6]
    loss = tf.add_n([tf.reduce_sum(o * o) for o in outputs])
    gradients = tf.gradients(loss, tf.trainable_variables())
    assert all(g is not None for g in gradients)
    values = run([tf.convert_to_tensor(g) for g in gradients])
    assert all(np.isfinite(v).all() for v in values)


def test_buckets_share_their_variables() -> None:
    inputs, outputs = symbols(4), symbols(4)
    weights = [tf.ones([3])] * 4
    found, losses = legacy_seq2seq.model_with_buckets(
        inputs,
        outputs,
        outputs,
        weights,
        [(2, 2), (4, 4)],
        lambda x, y: legacy_seq2seq.embedding_rnn_seq2seq(x, y, cells.GRUCell(5), 4, 4, 3),
    )
    assert [len(each) for each in found] == [2, 4]
    assert len(tf.trainable_variables()) == 12
    assert np.isfinite(run(losses)).all()
    with pytest.raises(ValueError, match="must be at least that of last bucket"):
        legacy_seq2seq.model_with_buckets(inputs[:1], outputs, outputs, weights, [(2, 2)], None)
