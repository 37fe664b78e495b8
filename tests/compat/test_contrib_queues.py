"""Buckets and samples of `tf.contrib.training`, input functions of `tf.contrib.learn`."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import minitf as tf

training = tf.contrib.training


def _read(build: Callable[[], Any], times: int) -> list:
    results = []
    with tf.Graph().as_default(), tf.Session() as sess:
        made = build()
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coordinator)
        try:
            for _ in range(times):
                results.append(sess.run(made))
        except tf.errors.OutOfRangeError:
            pass
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=5, ignore_live_threads=True)
    return results


def test_sequences_of_a_bucket_are_of_about_one_length() -> None:
    def build() -> Any:
        number = tf.train.range_input_producer(12, shuffle=False, num_epochs=1).dequeue()
        length = number % 6 + 1
        return training.bucket_by_sequence_length(
            length, {"x": tf.range(length)}, 2, [3, 5], dynamic_pad=True,
            allow_smaller_final_batch=True,
        )  # fmt: skip

    batches = _read(build, 10)
    assert sorted(lengths.tolist() for lengths, _ in batches) == sorted(
        [[1, 2], [3, 4], [5, 6]] * 2
    )
    padded = next(x["x"] for lengths, x in batches if lengths.tolist() == [3, 4])
    assert padded.tolist() == [[0, 1, 2, 0], [0, 1, 2, 3]]


def test_classes_come_in_their_shares() -> None:
    def build() -> Any:
        label = tf.train.range_input_producer(2, shuffle=False).dequeue()
        return training.stratified_sample(
            [label * 10], label, [0.2, 0.8], 50, init_probs=[0.5, 0.5]
        )

    [([values], labels), *_] = batches = _read(build, 10)
    assert values.tolist() == (labels * 10).tolist()
    assert 0.7 < np.mean([labels for _, labels in batches]) < 0.9


def test_rejected_and_repeated() -> None:
    def build() -> Any:
        label = tf.train.range_input_producer(2, shuffle=False).dequeue()
        return training.rejection_sample([label], lambda x: tf.cast(x[0], tf.float32), 8)

    assert _read(build, 2)[0][0].tolist() == [1] * 8
    rows, rates = _read(
        lambda: training.weighted_resample([tf.range(1000.0)], tf.ones([1000]), 0.5), 1
    )[0]
    assert 400 < len(rows[0]) < 600
    np.testing.assert_allclose(rates, np.full(len(rates), 0.5), rtol=1e-4)


# ---- generators --------------------------------------------------------------------------

generator_input_fn = tf.contrib.learn.io.generator_input_fn


def _examples() -> Iterator[dict[str, Any]]:
    for i in range(3):
        yield {"b": np.float32(i / 2), "a": np.arange(i, i + 2), "y": np.array([i])}


def test_examples_of_a_generator() -> None:
    batches = _read(generator_input_fn(_examples, "y", 2, shuffle=False), 9)
    # A thread takes 2 values, which is one example of 3; it knows of the end by the next beginning.
    assert [features["b"].tolist() for features, _ in batches] == [[0, 0.5], [1, 0]]
    assert [labels.tolist() for _, labels in batches] == [[[0], [1]], [[2], [0]]]
    assert batches[1][0]["a"].tolist() == [[2, 3], [0, 1]] and set(batches[0][0]) == {"a", "b"}
    several = _read(generator_input_fn(_examples, ["y", "b"], 3, None, queue_capacity=8), 5)
    assert len(several) == 5  # for ever, and shuffled
    for features, labels in several:
        assert set(features) == {"a"} and set(labels) == {"y", "b"}
        assert (features["a"][:, 0] == labels["y"][:, 0]).all()
        assert (labels["b"] == labels["y"][:, 0] / 2).all()
    alone = _read(generator_input_fn(lambda: ({"x": np.array(i)} for i in range(5)), None, 3), 9)
    assert sum(len(each["x"]) for each in alone) >= 5
    assert set(np.concatenate([each["x"] for each in alone])) == set(range(5))


def test_examples_of_several_lengths_are_filled_up() -> None:
    def growing() -> Iterator[dict[str, Any]]:
        for i in range(4):
            yield {"x": np.full([2, i + 1], i), "y": np.array(i)}

    batches = _read(generator_input_fn(growing, "y", 4, shuffle=False, pad_value=-1), 1)
    first, labels = batches[0][0]["x"], batches[0][1]
    assert labels.tolist() == [0, 1, 2, 3]
    # Two examples come together, filled up with the value; the queue fills them up with zeros.
    assert first[:, 0].tolist() == [[0, -1, 0, 0], [1, 1, 0, 0], [2, 2, 2, -1], [3, 3, 3, 3]]
    with pytest.raises(NotImplementedError, match="padding and shuffling"):
        generator_input_fn(growing, pad_value=0)()


def test_generators_that_are_none() -> None:
    def of_lists() -> Iterator[list]:
        yield [1]

    def changing() -> Iterator[dict[str, Any]]:
        yield {"x": np.array(1)}
        yield {"z": np.array(1)}

    for x, message in (
        (3, "x must be generator function; got int"),
        (lambda: [3], r"x\(\) must be generator; got list"),
        (of_lists, r"x\(\) must yield dict; got list"),
    ):
        with pytest.raises(TypeError, match=message):
            generator_input_fn(x)
    for key in (5, ["y", 5]):
        with pytest.raises(TypeError, match="target_key must be str or Container of str; got int"):
            generator_input_fn(_examples, key)
    with pytest.raises(KeyError, match=r"Expected \['a', 'b', 'y'\] keys; got z"):
        generator_input_fn(_examples, "z")
    with pytest.raises(KeyError, match="key mismatch between dicts emitted by GenFun"):
        _read(generator_input_fn(changing, batch_size=2), 1)
