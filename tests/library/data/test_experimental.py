"""`tf.data.experimental`, where no other test is nearer."""

import minitf as tf


def test_dense_elements_become_one_sparse_batch() -> None:
    dataset = tf.data.Dataset.range(1, 4).map(lambda n: tf.fill([n], n))
    batched = dataset.apply(tf.data.experimental.dense_to_sparse_batch(3, [4]))
    batch = tf.data.make_one_shot_iterator(batched).get_next()
    with tf.Session() as sess:
        dense = sess.run(tf.sparse.to_dense(batch))
    assert dense.tolist() == [[1, 0, 0, 0], [2, 2, 0, 0], [3, 3, 3, 0]]


def test_random_numbers_repeat_with_their_seed() -> None:
    def drawn(seed: int) -> list[int]:
        dataset = tf.data.experimental.RandomDataset(seed=seed).take(5)
        number = tf.data.make_one_shot_iterator(dataset).get_next()
        with tf.Session() as sess:
            return [int(sess.run(number)) for _ in range(5)]

    assert drawn(3) == drawn(3)
    assert drawn(3) != drawn(4)
    assert len(set(drawn(3))) > 1
