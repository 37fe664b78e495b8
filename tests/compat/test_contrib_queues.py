"""Buckets and samples of `tf.contrib.training`, input functions of `tf.contrib.learn`."""

from collections.abc import Callable
from typing import Any

import numpy as np

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
