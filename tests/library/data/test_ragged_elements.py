"""Ragged tensors as elements of datasets."""

import minitf as tf


def test_batches_of_rows_of_other_lengths():
    rows = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1, 2, 3], [], [4]]))
    batch = rows.batch(2).make_one_shot_iterator().get_next()
    assert isinstance(batch, tf.RaggedTensor)
    with tf.Session() as sess:
        assert sess.run(batch).to_list() == [[1, 2, 3], []]
        assert sess.run(batch).to_list() == [[4]]


def test_a_ragged_tensor_as_one_element():
    whole = tf.ragged.constant([[[1], []], [[2, 3]]])
    element = tf.data.Dataset.from_tensors(whole).repeat(2).batch(2)
    batch = element.make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        assert sess.run(batch).to_list() == [[[[1], []], [[2, 3]]]] * 2
