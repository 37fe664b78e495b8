"""Devices: simulated GPUs, placing, partitions, the rendezvous between them."""

import numpy as np
import pytest

import minitf as tf
from minitf.core.runtime.plan.placer import Placer
from minitf.core.runtime.plan.subgraph import prune
from minitf.core.runtime.run import devices


@pytest.fixture(autouse=True)
def two_gpus(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(devices, "_simulated_gpus", 2)
    with tf.Graph().as_default():
        yield


def test_simulated_gpus_say_so() -> None:
    tf.constant(1.0)
    with tf.Session() as sess:
        listed = sess.list_devices()
    assert [d.name.rpartition("device:")[2] for d in listed] == ["CPU:0", "GPU:0", "GPU:1"]
    assert all("simulated" in d.description for d in listed if d.device_type == "GPU")


@pytest.mark.parametrize(
    ("visible", "count"), [("0", 1), ("-1", 0), ("0,1", 2), ("", 0), ("1,7", 1)]
)
def test_cuda_visible_devices_hides_them(
    monkeypatch: pytest.MonkeyPatch, visible: str, count: int
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert sum(d.device_type == "GPU" for d in devices.make_devices()) == count


def test_device_count_limits_them() -> None:
    config = tf.ConfigProto(device_count={"CPU": 2, "GPU": 1})
    names = [d.name.rpartition("device:")[2] for d in devices.make_devices(config)]
    assert names == ["CPU:0", "CPU:1", "GPU:0"]


def test_a_graph_over_three_devices_runs_and_counts_its_transfers() -> None:
    with tf.device("/gpu:0"):
        a = tf.placeholder(tf.float32, [2, 2])
        left = tf.matmul(a, a)
    with tf.device("/gpu:1"):
        right = a * 2.0
    with tf.device("/cpu:0"):
        total = left + right
    value = np.arange(4, dtype=np.float32).reshape(2, 2)
    with tf.Session() as sess:
        np.testing.assert_allclose(sess.run(total, {a: value}), value @ value + value * 2)
        text = sess.explain(total, [a])
        received = [d.received for d in sess._backend.devices.values()]
    assert text.count("def step(") == 3
    assert [r.count for r in received] == [2, 1, 1]
    assert [r.bytes for r in received] == [32, 16, 16]


def test_a_tensor_crosses_once_however_many_read_it() -> None:
    with tf.device("/gpu:0"):
        x = tf.ones([4]) * 2.0
    with tf.device("/gpu:1"):
        y = (x + 1.0) * (x + 2.0) * x
    with tf.Session() as sess:
        sess.run(y)
        assert [d.received.count for d in sess._backend.devices.values()] == [0, 0, 1]


def test_devices_that_wait_for_each_other_in_turn_do_not_deadlock() -> None:
    x = tf.placeholder(tf.float32, [3])
    value = x
    for turn in range(10):
        with tf.device(f"/gpu:{turn % 2}"):
            value = value + 1.0
    with tf.Session() as sess:
        np.testing.assert_array_equal(sess.run(value, {x: np.zeros(3)}), np.full(3, 10.0))


def test_control_inputs_cross_devices() -> None:
    with tf.device("/cpu:0"):
        v = tf.Variable(1.0)
        update = v.assign(5.0)
    with tf.device("/gpu:1"), tf.control_dependencies([update]):
        done = tf.constant(1.0) * 1.0
    with tf.control_dependencies([done]), tf.device("/cpu:0"):
        after = v.read_value()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(after) == 5.0


def test_the_placement_log(capfd: pytest.CaptureFixture) -> None:
    with tf.device("/gpu:1"):
        a = tf.constant(2.0, name="a")
        b = tf.multiply(a, a, name="b")
    with tf.Session(config=tf.ConfigProto(log_device_placement=True)) as sess:
        sess.run(b)
    log = capfd.readouterr().err
    assert "Device mapping:" in log and "simulated" in log
    assert "b: (Mul): /job:localhost/replica:0/task:0/device:GPU:1" in log


def test_an_error_on_one_device_ends_the_step_on_all() -> None:
    x = tf.placeholder(tf.float32)
    with tf.device("/gpu:0"):
        bad = tf.matmul(x, x, name="bad")
    with tf.device("/gpu:1"):
        y = bad + 1.0
    with tf.Session() as sess:
        for _ in range(3):
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[\[node bad"):
                sess.run(y, {x: np.ones((2, 3))})
        assert sess.run(y, {x: np.ones((2, 2))}).shape == (2, 2)


def test_a_task_without_a_job_is_a_task_of_the_clients_own_job() -> None:
    with tf.device("/task:0"):
        y = tf.placeholder(tf.float32, [])
    names = [f"/job:worker/replica:0/task:{task}/device:CPU:0" for task in (1, 0)]
    nodes = prune([y], [], [])
    Placer(names).place(nodes)
    assert nodes[0].device == names[1]


def test_ops_without_a_kernel_for_cards_stay_on_the_host() -> None:
    with tf.device("/gpu:0"):
        values = tf.unique([3, 1, 3], name="found").y
    with pytest.raises(tf.errors.InvalidArgumentError, match="no supported kernel for GPU devices"):
        tf.Session().run(values)
    soft = tf.ConfigProto(allow_soft_placement=True)
    with tf.Session(config=soft) as sess:
        assert sess.run(values).tolist() == [3, 1]
        host, card = sess.explain(values).split("device:GPU:0\ndef")
        assert "op_Unique(" in host and "op_Unique(" not in card


def test_a_variable_is_read_where_it_is_after_what_the_reader_waits_for() -> None:
    with tf.device("/gpu:0"):
        v = tf.Variable([1.0, 2.0])
    with tf.device("/cpu:0"):
        before = v.read_value()
        with tf.control_dependencies([before]):
            update = tf.assign_add(v, [1.0, 1.0])
        with tf.control_dependencies([update.op]):
            fetches = [before * 1.0, v.read_value() * 1.0, v.read_value() * 2.0]
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert [t.tolist() for t in sess.run(fetches)] == [[1.0, 2.0], [2.0, 3.0], [4.0, 6.0]]
        # those that wait for the same share one message
        assert sess.explain(fetches).count("rendezvous.send(key_Variable_read_for") == 1
