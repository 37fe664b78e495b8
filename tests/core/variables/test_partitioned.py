"""Variables in parts: where they lie, how they are found again, and what a checkpoint holds."""

import numpy as np
import pytest

import minitf as tf


def _in_two(**_):
    return [2, 1]


def test_parts_have_names_places_and_one_whole():
    with tf.variable_scope("m", partitioner=tf.fixed_size_partitioner(2)):
        w = tf.get_variable("w", [5, 4], initializer=tf.ones_initializer())
        scalar = tf.get_variable("s", [])
    assert [v.name for v in w] == ["m/w/part_0:0", "m/w/part_1:0"]
    assert [v._save_slice_info.spec for v in w] == ["5 4 0,3:0,4", "5 4 3,2:0,4"]
    assert (w.name, w.shape.as_list(), len(w)) == ("m/w", [5, 4], 2)
    assert isinstance(scalar, tf.Variable)
    assert len(tf.trainable_variables()) == 3
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(w.assign(np.arange(20.0).reshape(5, 4)))
        assert sess.run(tf.reduce_sum(w)) == 190.0
        rows = tf.nn.embedding_lookup(w, [4, 0], partition_strategy="div")
        np.testing.assert_array_equal(sess.run(rows), [[16, 17, 18, 19], [0, 1, 2, 3]])


def test_reuse_finds_the_same_parts_or_says_why_not():
    with tf.variable_scope("m", partitioner=_in_two):
        w = tf.get_variable("w", [4, 1])
        with pytest.raises(ValueError, match="with name m/w already exists"):
            tf.get_variable("w", [4, 1])
    with tf.variable_scope("m", reuse=True):
        assert tf.get_variable("w") is w
        with pytest.raises(ValueError, match=r"specified shape \(5, 1\) and found"):
            tf.get_variable("w", [5, 1])
    with tf.variable_scope("m", reuse=True, partitioner=lambda **_: [4, 1]):
        with pytest.raises(ValueError, match=r"specified partitions \[4, 1\] and found"):
            tf.get_variable("w", [4, 1])
        with pytest.raises(ValueError, match="PartitionedVariable m/new does not exist"):
            tf.get_variable("new", [4, 1])
    with pytest.raises(ValueError, match="No partitioner was provided"):
        tf.get_variable("m/w", [4, 1])


def test_a_checkpoint_holds_one_tensor_and_slots_are_cut_alike(tmp_path):
    with tf.variable_scope("m", partitioner=_in_two):
        w = tf.get_variable("w", [4, 2], initializer=tf.random_uniform_initializer())
    step = tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(tf.square(w)))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(step)
        path = tf.train.Saver().save(sess, str(tmp_path / "model"))
        kept = sess.run(w.as_tensor())
    assert tf.train.list_variables(path) == [("m/w", [4, 2]), ("m/w/Momentum", [4, 2])]
    np.testing.assert_array_equal(tf.train.load_variable(path, "m/w"), kept)
    with tf.Graph().as_default(), tf.Session() as sess:
        with tf.variable_scope("m", partitioner=lambda **_: [1, 2]):
            other = tf.get_variable("w", [4, 2])
        tf.train.Saver().restore(sess, path)
        np.testing.assert_array_equal(sess.run(other.as_tensor()), kept)


def test_the_graph_keeps_the_places():
    with tf.variable_scope("m", partitioner=_in_two):
        tf.get_variable("w", [4, 2])
    meta = tf.train.export_meta_graph()
    with tf.Graph().as_default():
        tf.train.import_meta_graph(meta, import_scope="again")
        info = tf.global_variables()[1]._save_slice_info
        assert (info.full_name, info.spec) == ("again/m/w", "4 2 2,2:0,2")
