"""`replica_device_setter`: which task each operation goes to."""

import pytest

import minitf as tf
from minitf.core.train.device_setter import (
    GreedyLoadBalancingStrategy,
    byte_size_load_fn,
    replica_device_setter,
)

CLUSTER = {"ps": ["ps0:2222", "ps1:2222"], "worker": ["w0:2222", "w1:2222", "w2:2222"]}


def test_a_device_asked_for_stays_when_devices_are_not_merged() -> None:
    with tf.device(replica_device_setter(ps_tasks=1, merge_devices=False)), tf.device("/cpu:0"):
        assert tf.Variable(1.0).device == "/device:CPU:0"


def test_slots_stay_beside_their_variable() -> None:
    with tf.device(replica_device_setter(cluster=CLUSTER)):
        v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable([2.0, 1.0], name="w")
        optimizer = tf.train.AdamOptimizer()
        optimizer.minimize(tf.reduce_sum(v * w))
    assert [optimizer.get_slot(x, "m").device for x in (v, w)] == [
        "/job:ps/task:0", "/job:ps/task:1",
    ]  # fmt: skip
    powers = [x for x in tf.global_variables() if "beta" in x.name]
    assert [x.device for x in powers] == ["/job:ps/task:0", "/job:ps/task:0"]
    update = tf.get_default_graph().get_operation_by_name("Adam/update_w/ApplyAdam")
    assert update.device == "/job:ps/task:1"


def test_greedy_by_bytes() -> None:
    strategy = GreedyLoadBalancingStrategy(2, byte_size_load_fn)
    with tf.device(replica_device_setter(cluster=CLUSTER, ps_strategy=strategy)):
        large = tf.Variable(tf.zeros([100]))
        small = [tf.Variable(tf.zeros([10])) for _ in range(3)]
        double = tf.Variable(tf.zeros([50], tf.float64))
        after = tf.Variable(tf.zeros([10]))
    assert large.device == "/job:ps/task:0"
    assert {v.device for v in (*small, double)} == {"/job:ps/task:1"}
    assert after.device == "/job:ps/task:0"


def test_errors() -> None:
    with pytest.raises(TypeError, match="^ps_strategy must be callable$"):
        replica_device_setter(ps_tasks=1, ps_strategy=3)
    with pytest.raises(TypeError, match="^`cluster` must be a dictionary mapping one or more job"):
        replica_device_setter(cluster=3)
