"""Eager execution: what runs at once, in which mode, and what it remembers."""

import threading
from collections.abc import Iterator

import numpy as np
import pytest

import minitf as tf
from minitf.core.graph import stacks
from minitf.library.eager import context as eager
from minitf.library.eager import kernels as runtime_eager
from minitf.library.eager.context import eager_mode
from minitf.library.eager.tensor import EagerTensor


@pytest.fixture(autouse=True)
def eagerly() -> Iterator[None]:
    with eager_mode():
        yield


@pytest.fixture
def fresh_process() -> Iterator[None]:
    """As at the start of a program: nothing is current."""
    before, items = stacks.set_global_default(None), stacks.graphs.items
    stacks.graphs.items = []
    yield
    stacks.graphs.items = items
    stacks.set_global_default(before)


def test_the_mode_is_of_the_block_and_of_the_thread() -> None:
    assert tf.executing_eagerly()
    with tf.Graph().as_default():
        assert not tf.executing_eagerly()
        with tf.init_scope():
            assert not tf.executing_eagerly()  # a graph that is no function's stays
        with eager_mode():
            assert tf.executing_eagerly()
    seen: list[bool] = []
    thread = threading.Thread(target=lambda: seen.append(tf.executing_eagerly()))
    thread.start()
    thread.join()
    assert seen == [False]


def test_no_tape_sees_what_is_made_outside() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        with tf.init_scope():
            z = y * x
        total = y + z
    assert float(tape.gradient(total, x)) == 4.0


def test_enabled_for_the_process(fresh_process: None) -> None:
    tf.enable_eager_execution()
    tf.enable_eager_execution()
    seen: list[float] = []
    thread = threading.Thread(target=lambda: seen.append((tf.constant(1.0) + 1).numpy()))
    thread.start()
    thread.join()
    assert seen == [2.0] and tf.executing_eagerly()
    tf.reset_default_graph()
    assert tf.executing_eagerly()
    with pytest.raises(RuntimeError, match="The Session graph is empty"):
        tf.Session().run(tf.constant(1.0))
    tf.disable_eager_execution()
    assert not tf.executing_eagerly()
    graph = tf.get_default_graph()
    tf.disable_eager_execution()
    assert tf.get_default_graph() is graph


def test_must_come_first(fresh_process: None) -> None:
    tf.constant(1.0)
    with pytest.raises(ValueError, match="must be called at program startup"):
        tf.enable_eager_execution()
    assert not tf.executing_eagerly()
    with pytest.raises(ValueError, match="device_policy must be one of"):
        tf.enable_eager_execution(device_policy="any")


def test_values_are_not_shared_with_the_program() -> None:
    source = np.array([1.0, 2.0])
    x = tf.constant(source)
    source[0] = 7.0
    copy = x.numpy()
    copy[1] = 7.0
    np.testing.assert_array_equal(x, [1.0, 2.0])
    v = tf.Variable(x)
    before = v.read_value()
    v.assign_add([1.0, 1.0])
    np.testing.assert_array_equal(before, [1.0, 2.0])
    np.testing.assert_array_equal(x, [1.0, 2.0])


def test_a_tensor_of_a_graph_has_no_value() -> None:
    with tf.Graph().as_default():
        symbolic = tf.constant(1.0)
        with pytest.raises(RuntimeError, match="Attempting to capture an EagerTensor"):
            with eager_mode():
                value = tf.constant(2.0)
            symbolic + value
    with pytest.raises(TypeError, match="out of scope"):
        symbolic + 1.0


def test_random_numbers_begin_again_with_the_seed() -> None:
    def draw() -> list[float]:
        return [float(tf.random_uniform([])) for _ in range(2)] + [
            float(tf.random_normal([], seed=3)) for _ in range(2)
        ]

    tf.set_random_seed(5)
    first = draw()
    tf.set_random_seed(5)
    assert draw() == first
    assert len(set(first)) == 4
    tf.set_random_seed(None)


def test_devices() -> None:
    x = tf.constant([1.0, 2.0])
    assert x.cpu() is x
    with pytest.raises(RuntimeError, match="GPU:0 unknown device"):
        x.gpu()
    with tf.device("/cpu:0"):
        assert (x + x).device.endswith("CPU:0")
    with pytest.raises(tf.errors.InvalidArgumentError, match="device specification"):
        with tf.device("/device:GPU:7"):
            x + x


def test_a_simulated_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINITF_SIMULATED_GPUS", "1")
    runtime_eager._devices.cache_clear()
    try:
        x = tf.constant([1.0, 2.0])
        y = x.gpu()
        assert y.device.endswith("GPU:0") and (y + x).device.endswith("GPU:0")
        assert (y + x).cpu().device == x.device
        double = tf.function(lambda a: a * 2.0)
        assert double(y).device.endswith("GPU:0") and double(x).device.endswith("CPU:0")
        with tf.device("/gpu:0"):
            assert double(x).device.endswith("GPU:0")
            v = tf.Variable([1.0, 2.0])
        assert v.device.endswith("GPU:0") and (v + 1.0).device.endswith("GPU:0")
        with tf.device("/cpu:0"):
            assert (v + y).device.endswith("CPU:0")
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = x.gpu() * 3.0
        np.testing.assert_array_equal(tape.gradient(z, x), [3.0, 3.0])
    finally:
        runtime_eager._devices.cache_clear()


def test_scopes_name_variables_only() -> None:
    with tf.name_scope("a"), tf.name_scope("a"):
        assert tf.Variable(1.0, name="v").name == "a/a/v:0"
        x = tf.constant(1.0)
    with tf.control_dependencies([x]), tf.colocate_with(x):
        assert tf.group(x) is None and tf.no_op() is None
        assert tf.tuple([x])[0] is x


def test_variables_live_as_long_as_they_are_needed() -> None:
    assert tf.get_variable("w", [2]) is not tf.get_variable("w", [2])
    assert tf.global_variables() == []


def test_operations_of_many_kinds() -> None:
    assert tf.Print(tf.constant(1.0), [], summarize=1).numpy() == 1.0
    np.testing.assert_array_equal(tf.boolean_mask([1, 2, 3], [True, False, True]), [1, 3])
    parts = tf.split(tf.range(4), 2)
    assert all(isinstance(p, EagerTensor) for p in parts)
    with pytest.raises(tf.errors.InvalidArgumentError, match="assertion failed"):
        tf.Assert(tf.constant(1) > 2, [tf.constant(1)])
    assert tf.strings.format("{}", tf.constant([1, 2])).numpy() == b"[1 2]"


def test_kernels_are_kept_for_equal_attributes() -> None:
    x = tf.constant([[1.0, 2.0]])
    tf.reduce_sum(x, axis=1)
    before = len(eager._kernels)
    assert tf.reduce_sum(x, axis=1).numpy() == [3.0]
    assert len(eager._kernels) == before
    assert tf.reduce_sum(x, axis=0).numpy().tolist() == [1.0, 2.0]
