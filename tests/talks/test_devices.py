"""Device placement: the code on the slides, on simulated GPUs where there are no real ones.

From "Distributed TensorFlow and cloud" (G. Ivashkevych) and "GPU & distributed computing with
Tensorflow" (D. Parks).
"""

# The slides' code keeps the form it has on the slides.
# fmt: off
# ruff: noqa: E702, E741, UP031

from collections.abc import Iterator

import numpy as np
import pytest

import minitf as tf

LOCAL = "/job:localhost/replica:0/task:0/device"


@pytest.fixture(autouse=True)
def two_gpus() -> Iterator[None]:
    tf.simulate_gpus(2)
    yield
    tf.simulate_gpus(0)


def _devices_of_nodes(metadata: tf.RunMetadata) -> dict[str, str]:
    return {
        node.node_name: device.device
        for device in metadata.step_stats.dev_stats
        for node in device.node_stats
    }


def test_task_parallel_over_two_gpus_and_the_cpu(capfd: pytest.CaptureFixture[str]) -> None:
    rng = np.random.RandomState(0)
    a_val, b_val, c_val, d_val = (rng.randn(3, 3).astype(np.float32) for _ in range(4))

    with tf.device("/gpu:0"):
        a = tf.placeholder(tf.float32)
        b = tf.placeholder(tf.float32)
        ab = tf.matmul(a, b)

    with tf.device("/gpu:1"):
        c = tf.placeholder(tf.float32)
        d = tf.placeholder(tf.float32)
        cd = tf.matmul(c, d)

    with tf.device("/cpu:0"):
        res = ab + cd

    sess = tf.Session(config=tf.ConfigProto(log_device_placement=True))
    result = sess.run(res, feed_dict={a: a_val, b: b_val, c: c_val, d: d_val})

    np.testing.assert_allclose(result, a_val @ b_val + c_val @ d_val, rtol=1e-5)
    assert [t.device for t in (ab, cd, res)] == ["/device:GPU:0", "/device:GPU:1", "/device:CPU:0"]
    log = capfd.readouterr().err
    # Matrices of unknown rank may be batches of matrices.
    assert f"MatMul: (BatchMatMulV2): {LOCAL}:GPU:0" in log
    assert f"MatMul_1: (BatchMatMulV2): {LOCAL}:GPU:1" in log
    assert f"add: (AddV2): {LOCAL}:CPU:0" in log


def test_the_run_tells_which_device_did_what() -> None:
    x = tf.placeholder(tf.float32, [1, 1])
    with tf.device("/gpu:0"):
        ab = tf.matmul(x, [[2.0]])
    with tf.device("/gpu:1"):
        cd = tf.matmul(x, [[4.0]])
    with tf.device("/cpu:0"):
        res = ab + cd
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    with tf.Session() as sess:
        assert sess.run(res, {x: [[3.0]]}, options, metadata).tolist() == [[18.0]]
    where = _devices_of_nodes(metadata)
    assert where["MatMul"] == f"{LOCAL}:GPU:0"
    assert where["MatMul_1"] == f"{LOCAL}:GPU:1"
    assert where["add"] == f"{LOCAL}:CPU:0"


def test_simulated_gpus_are_called_simulated() -> None:
    with tf.Session() as sess:
        gpus = [d for d in sess.list_devices() if d.device_type == "GPU"]
    assert [d.name for d in gpus] == [f"{LOCAL}:GPU:0", f"{LOCAL}:GPU:1"]


def test_a_gpu_that_does_not_exist() -> None:
    with tf.device("/gpu:7"):
        a = tf.constant([1.0]) * 2.0
    with (
        tf.Session() as sess,
        pytest.raises(
            tf.errors.InvalidArgumentError, match="Cannot assign a device for operation "
        ),
    ):
        sess.run(a)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        assert sess.run(a) == [2.0]


def test_variables_on_the_cpu_and_the_model_on_the_gpu() -> None:
    """One server, several devices: TensorFlow handles the transfer between devices."""
    data = np.ones([4, 3], np.float32)

    with tf.device('/cpu:0'):
        W = tf.Variable(tf.ones([3, 2]))
        b = tf.Variable([0.5, -0.5])

    with tf.device('/gpu:0'):
        input = tf.placeholder(tf.float32, [None, 3])
        output = tf.matmul(input, W) + b
        loss = tf.reduce_mean(tf.square(output))

    train_op = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        before = sess.run(loss, {input: data})
        for _ in range(20):
            sess.run(train_op, {input: data})
        assert before == pytest.approx((3.5**2 + 2.5**2) / 2)
        assert sess.run(loss, {input: data}) < 0.1 * before
    assert W.device == "/device:CPU:0"
    assert output.device == "/device:GPU:0"


def test_data_parallel_towers_average_their_gradients() -> None:
    """Replicas of the model, each with its own batch; the CPU averages and updates."""
    rng = np.random.RandomState(1)
    X = rng.randn(8, 3).astype(np.float32)
    Y = (X @ [[1.0], [-2.0], [0.5]]).astype(np.float32)

    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [None, 1])
    with tf.device("/cpu:0"):
        W = tf.get_variable("W", [3, 1], initializer=tf.zeros_initializer())
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    tower_grads = []
    xs, ys = tf.split(x, 2), tf.split(y, 2)
    for i in range(2):
        with tf.device("/gpu:%d" % i):
            loss = tf.reduce_mean(tf.square(tf.matmul(xs[i], W) - ys[i]))
            tower_grads.append(optimizer.compute_gradients(loss)[0][0])
    with tf.device("/cpu:0"):
        grad = tf.add_n(tower_grads) / 2.0
        step = optimizer.apply_gradients([(grad, W)])
    whole = optimizer.compute_gradients(tf.reduce_mean(tf.square(tf.matmul(x, W) - y)))[0][0]

    assert [g.device for g in tower_grads] == ["/device:GPU:0", "/device:GPU:1"]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        np.testing.assert_allclose(*sess.run([grad, whole], {x: X, y: Y}), rtol=1e-5)
        for _ in range(100):
            sess.run(step, {x: X, y: Y})
        np.testing.assert_allclose(sess.run(W), [[1.0], [-2.0], [0.5]], atol=0.05)


def test_in_graph_replication_on_one_server() -> None:
    """The slide's loop over workers, here over the two GPUs of one server."""
    num_workers = 2
    data = np.arange(12, dtype=np.float32).reshape(4, 3)

    with tf.device('/cpu:0'):
        W = tf.Variable(tf.ones([3, 2]))
        b = tf.Variable([1.0, 2.0])

    input = tf.placeholder(tf.float32, [4, 3])
    inputs = tf.split(0, num_workers, input)
    outputs = []

    for i in range(num_workers):
        with tf.device('/gpu:%d' % i):
            outputs.append(tf.matmul(inputs[i], W) + b)
    loss = tf.reduce_sum(tf.concat(outputs, 0))

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(loss, {input: data}) == 2 * data.sum() + 4 * 3.0
