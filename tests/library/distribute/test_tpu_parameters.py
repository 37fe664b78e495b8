"""Cores of TPUs: how many there are, and settings of the tables of embeddings on them."""

import minitf as tf
from minitf.library.distribute.tpu_strategy import get_tpu_context


def test_a_function_knows_how_many_cores_it_runs_on() -> None:
    seen = []

    def computation(x: tf.Tensor) -> tf.Tensor:
        seen.append(get_tpu_context().number_of_shards)
        return tf.contrib.tpu.cross_replica_sum(x) / float(seen[-1])

    (mean,) = tf.contrib.tpu.shard(computation, [tf.constant([1.0, 2.0, 6.0])], num_shards=3)
    assert seen == [3, 3, 3]
    assert get_tpu_context().number_of_shards is None
    with tf.Session() as sess:
        assert sess.run(mean).tolist() == [3.0] * 3
