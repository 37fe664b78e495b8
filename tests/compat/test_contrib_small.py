"""Namespaces of `tf.contrib` that hold one thing: equations, sparse probabilities, summaries."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf

contrib = tf.contrib


def _turn(y: Any, t: Any) -> Any:
    return tf.stack([y[1], -y[0]])


def test_equations_of_motion() -> None:
    times, start = np.linspace(0.0, 6.0, 7), tf.constant([0.0, 1.0], tf.float64)
    states, info = contrib.integrate.odeint(_turn, start, times, full_output=True)
    fixed = contrib.integrate.odeint_fixed(_turn, start, times, dt=np.full(6, 0.05))
    with tf.Session() as sess:
        exact, evaluations, even = sess.run([states, info["num_func_evals"], fixed])
    np.testing.assert_allclose(exact[:, 0], np.sin(times), atol=1e-5)
    np.testing.assert_allclose(even[:, 0], np.sin(times), atol=1e-5)
    assert evaluations % 6 == 1
    with pytest.raises(ValueError, match="invalid method"):
        contrib.integrate.odeint(_turn, start, times, method="euler")


def test_probabilities_of_which_many_are_zero() -> None:
    logits = tf.constant([[0.5, 0.3, -1.0], [3.0, 0.0, 0.0]])
    p = contrib.sparsemax.sparsemax(logits)
    labels = tf.constant([[1.0, 0, 0], [1.0, 0, 0]])
    loss = contrib.sparsemax.sparsemax_loss(logits, p, labels)
    with tf.Session() as sess:
        found, value, slope = sess.run([p, loss, tf.gradients(loss, logits)[0]])
    np.testing.assert_allclose(found, [[0.6, 0.4, 0], [1, 0, 0]], atol=1e-6)
    np.testing.assert_allclose(value, [0.16, 0], atol=1e-6)
    assert slope.shape == (2, 3)


def test_between_pixels() -> None:
    image = np.arange(16, dtype="f").reshape(1, 4, 4, 1)
    places = np.array([[[1.5, 2.0], [0, -0.5], [3.5, 3.0], [9, 9]]], "f")
    with tf.Session() as sess:
        found = sess.run(contrib.resampler.resampler(image, places))
        assert found.ravel().tolist() == [9.5, 0, 7.5, 0]
        x = sess.run(contrib.nn.alpha_dropout(tf.random_normal([100000]), 0.8))
        assert abs(x.mean()) < 0.02
        assert abs(x.std() - 1) < 0.02
        assert sess.run(contrib.memory_stats.MaxBytesInUse()) > 1e6


def test_more_sequences_of_2016() -> None:
    legacy, cell = contrib.legacy_seq2seq, tf.nn.rnn_cell.GRUCell
    words = [tf.constant([1, 2])] * 3
    tied, _ = legacy.embedding_tied_rnn_seq2seq(
        words, words, cell(4), 5, 3, feed_previous=tf.constant(True)
    )
    many, _ = legacy.one2many_rnn_seq2seq(
        words, {"a": words, "b": words[:2]}, cell(4), {"a": cell(4), "b": cell(4)}, 5,
        {"a": 5, "b": 6}, 3,
    )  # fmt: skip
    assert tied[0].shape.as_list() == [2, 5]
    assert [len(many["a"]), len(many["b"])] == [3, 2]
    assert many["b"][0].shape.as_list() == [2, 6]
    names = [v.op.name for v in tf.global_variables()]
    assert "one2many_rnn_seq2seq/one2many_decoder_b/embedding_rnn_decoder/embedding" in names


def test_summaries_write_themselves(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    record = contrib.summary
    writer = record.create_file_writer(str(tmp_path))
    step = tf.train.get_or_create_global_step()
    with writer.as_default(), record.record_summaries_every_n_global_steps(2):
        record.scalar("loss", 2.0 * tf.cast(step, tf.float32))
        record.histogram("many", tf.ones([4]))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            record.initialize(graph=tf.get_default_graph())
            for _ in range(3):
                sess.run(record.all_summary_ops())
                sess.run(step.assign_add(1))
            sess.run(writer.close())
    [file] = tmp_path.iterdir()
    events = list(tf.train.summary_iterator(str(file)))
    found = [(e.step, v.tag, v.simple_value) for e in events for v in e.summary.value]
    assert sorted(found) == [(0, "loss", 0), (0, "many", 0), (2, "loss", 4), (2, "many", 0)]
    assert any(e.graph_def for e in events)


def test_bytes_reach_python_whole() -> None:
    with tf.Session() as sess:
        back = tf.py_func(lambda text: text, [tf.constant(b"ab\0")], tf.string)
        assert sess.run(back) == b"ab\0"


def test_averages_follow_the_step_that_they_wait_for() -> None:
    weight = tf.Variable(1.0)
    step = tf.train.GradientDescentOptimizer(0.5).minimize(2 * weight)
    average = tf.train.ExponentialMovingAverage(0.5)
    with tf.control_dependencies([step]):
        follow = average.apply([weight])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(follow)
        assert sess.run([weight, average.average(weight)]) == [0.0, 0.5]


def test_datasets_and_tables_of_2017() -> None:
    data, lookup = contrib.data, contrib.lookup
    numbers = tf.data.Dataset.range(7)

    def values(dataset: tf.data.Dataset) -> list:
        following = dataset.make_one_shot_iterator().get_next()
        found = []
        with tf.Session() as sess:
            try:
                while True:
                    found.append(sess.run(following).tolist())
            except tf.errors.OutOfRangeError:
                return found

    whole = numbers.apply(data.batch_and_drop_remainder(3))
    assert whole.output_shapes.as_list() == [3]
    assert values(whole) == [[0, 1, 2], [3, 4, 5]]
    sliding = numbers.apply(data.sliding_window_batch(3, window_shift=2))
    assert values(sliding) == [[0, 1, 2], [2, 3, 4], [4, 5, 6]]
    rows = numbers.map(lambda x: tf.fill([x], x))
    padded = rows.apply(data.padded_batch_and_drop_remainder(3, [None]))
    assert values(padded)[0] == [[0, 0], [1, 0], [2, 2]]
    free = numbers.map(lambda x: tf.placeholder_with_default(x, None))
    assert free.apply(data.assert_element_shape([])).output_shapes.as_list() == []
    table = lookup.index_table_from_tensor(mapping=tf.constant(["a", "b"]), num_oov_buckets=1)
    words = lookup.index_to_string_table_from_tensor(mapping=["a", "b"], default_value="?")
    with tf.Session() as sess:
        sess.run(tf.tables_initializer())
        assert sess.run(table.lookup(tf.constant(["b", "q"]))).tolist() == [1, 2]
        places = tf.constant([0, 5], tf.int64)
        assert sess.run(words.lookup(places)).tolist() == [b"a", b"?"]


@pytest.mark.parametrize("interpolation", ["lower", "higher", "midpoint", "linear", None])
@pytest.mark.parametrize("axis", [None, 1, [0, -1]])
def test_percentiles_are_those_of_numpy(interpolation: str | None, axis: Any) -> None:
    x = np.random.default_rng(0).normal(size=(3, 4, 6))
    over = tuple(axis) if isinstance(axis, list) else axis
    for q in (0, 30.0, 62, 100):
        y = contrib.distributions.percentile(x, q, axis, interpolation, keep_dims=True)
        wanted = np.percentile(
            x, q, over, method=interpolation or "nearest", keepdims=True
        )  # fmt: skip
        with tf.Session() as sess:
            np.testing.assert_allclose(sess.run(y), wanted, rtol=1e-12)
    with pytest.raises(ValueError, match="must be in"):
        contrib.distributions.percentile(x, 5, interpolation="far")
