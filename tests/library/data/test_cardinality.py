"""How many elements a dataset has."""

import numpy as np
import pytest

import minitf as tf

map_and_batch = tf.data.experimental.map_and_batch
Dataset = tf.data.Dataset


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: Dataset.range(2, 9, 3), 3),
        (lambda: Dataset.from_tensor_slices(np.zeros([7, 2])), 7),
        (lambda: Dataset.from_tensors(1), 1),
        (lambda: Dataset.range(10).batch(4), 3),
        (lambda: Dataset.range(10).batch(4, drop_remainder=True), 2),
        (lambda: Dataset.range(10).padded_batch(4, []), 3),
        (lambda: Dataset.range(10).shuffle(3).prefetch(1).cache(), 10),
        (lambda: Dataset.range(10).map(lambda x: x + 1), -2),  # as 1.15 says
        (lambda: Dataset.range(10).map(lambda x: x, num_parallel_calls=2), -2),
        (lambda: Dataset.range(10).apply(map_and_batch(lambda x: x, 4)), 3),
        (lambda: Dataset.range(10).with_options(tf.data.Options()), 10),
        (lambda: Dataset.range(10).take(3).repeat(4), 12),
        (lambda: Dataset.range(10).take(20), 10),
        (lambda: Dataset.range(10).skip(3).concatenate(Dataset.range(2)), 9),
        (lambda: Dataset.range(10).shard(3, 1), 3),
        (lambda: Dataset.zip((Dataset.range(3), Dataset.range(2).repeat())), 3),
        (lambda: Dataset.range(10).repeat().batch(3), -1),
        (lambda: Dataset.range(10).repeat().skip(3).shard(2, 0), -1),
        (lambda: Dataset.range(10).filter(lambda x: x > 2), -2),
        (lambda: Dataset.range(10).filter(lambda x: x > 2).batch(2), -2),
    ],
)
def test_cardinality(make, expected):
    with tf.Session() as sess:
        assert sess.run(tf.data.experimental.cardinality(make())) == expected
