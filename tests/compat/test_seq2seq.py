"""Decoders, attention and losses of sequences, against NumPy and by what they learn."""

from typing import Any

import numpy as np
import pytest

import minitf as tf
from tests.graphs import run

legacy_seq2seq, seq2seq = tf.contrib.legacy_seq2seq, tf.contrib.seq2seq
LENGTH, SYMBOLS, BATCH = 4, 7, 16

cells = tf.nn.rnn_cell


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as fresh:
        tf.set_random_seed(1)
        yield fresh


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
@pytest.mark.parametrize(
    "model",
    [pytest.param("embedding_rnn_seq2seq", marks=pytest.mark.long), "embedding_attention_seq2seq"],
)
def test_a_model_learns_to_turn_sequences_round(model: str) -> None:
    inputs, before, answers = (_placeholders(LENGTH) for _ in range(3))
    feed_previous = tf.placeholder(tf.bool, [])
    cell = tf.contrib.rnn.GRUCell(32)
    outputs, _ = getattr(legacy_seq2seq, model)(
        inputs, before, cell, SYMBOLS, SYMBOLS, 16, feed_previous=feed_previous
    )
    weights = [tf.ones_like(each, dtype=tf.float32) for each in answers]
    loss = legacy_seq2seq.sequence_loss(outputs, answers, weights)
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
    begun = state.clone(cell_state=tf.ones([2, 6]))
    assert begun.alignments is state.alignments and begun.cell_state is not state.cell_state
    with pytest.raises(ValueError, match="structure"):
        state.clone(cell_state=(tf.ones([2, 6]), tf.ones([2, 6])))


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
