"""`Session.watch`: one run, shown operation by operation."""

import numpy as np
import pytest

import minitf as tf


def watched(sess, fetches, feed_dict=None, run_metadata=None):
    seen = []
    result = sess.watch(fetches, seen.append, feed_dict, run_metadata)
    return result, seen


def test_shows_what_the_fetches_need_in_the_order_of_the_run():
    x = tf.placeholder(tf.float32, [2], name="x")
    y = tf.identity(tf.nn.relu(x * 2.0, name="relu"), name="y")
    tf.add(x, 1.0, name="unneeded")
    metadata = tf.RunMetadata()
    with tf.Session() as sess:
        result, seen = watched(sess, y, {x: [1.0, -1.0]}, metadata)
    np.testing.assert_array_equal(result, [2.0, 0.0])
    names = [op.name for op in seen]
    assert sorted(names) == ["mul", "mul/y", "relu", "x", "y"]
    assert names.index("x") < names.index("mul") < names.index("relu") < names.index("y")
    by_name = {op.name: op for op in seen}
    assert by_name["x"].fed and by_name["x"].op == "Placeholder" and not by_name["mul"].fed
    np.testing.assert_array_equal(by_name["relu"].tensors["relu:0"], [2.0, 0.0])
    assert {n.node_name for n in metadata.step_stats.dev_stats[0].node_stats} >= {"mul", "relu"}


def test_state_changes_once():
    counter = tf.Variable(0, name="counter")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        result, seen = watched(sess, tf.assign_add(counter, 1, name="count"))
        assert result == 1 and sess.run(counter) == 1
    assert {op.name: op.tensors for op in seen}["counter"] == {"counter:0": 0}
    assert seen[-1].tensors == {"count:0": 1}


def test_loops_show_every_turn_and_a_variable_without_a_value_none():
    loop = tf.while_loop(lambda i: i < 3, lambda i: i * 2, [tf.constant(1)], name="loop")
    v = tf.get_variable("v", [], initializer=tf.zeros_initializer())
    with tf.Session() as sess:
        _, seen = watched(sess, [loop, v.initializer])
    assert [op.tensors["loop/mul:0"] for op in seen if op.name == "loop/mul"] == [2, 4]
    assert {op.name: op.tensors for op in seen}["v"] == {"v:0": None}


def test_a_failed_run_shows_what_came_before():
    bad = tf.strings.to_number(tf.constant("no", name="word"))
    seen = []
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError):
        sess.watch(bad, seen.append)
    assert [op.name for op in seen] == ["word"]


def test_several_devices_show_one_after_the_other():
    with tf.device("/cpu:0"):
        a = tf.constant(1.0, name="a") + 1.0
    with tf.device("/cpu:1"):
        b = tf.multiply(a, 3.0, name="b")
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as sess:
        result, seen = watched(sess, b)
    assert result == 6.0
    assert {op.name: op.device[-5:] for op in seen} == {
        "a": "CPU:0", "add/y": "CPU:0", "add": "CPU:0", "b/y": "CPU:1", "b": "CPU:1"
    }  # fmt: skip


def test_a_session_of_a_cluster_says_why_not():
    server = tf.train.Server.create_local_server()
    x = tf.constant(1.0)
    with tf.Session(server.target) as sess:
        with pytest.raises(tf.errors.UnimplementedError, match="of this process"):
            sess.watch(x, print)
