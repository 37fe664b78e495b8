"""What TensorFlow cannot be asked here: several devices under eager execution, rings and trees."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.library.distribute.cross_device_ops import all_reduce
from minitf.library.distribute.values import PerReplica
from minitf.library.eager import kernels
from minitf.library.eager.context import eager_mode
from minitf.library.graph_tools import physical_devices

X = np.random.RandomState(0).rand(22, 5).astype("f")
Y = np.random.RandomState(1).rand(22, 1).astype("f")
BATCH = 8
Make = Callable[[], Any]


@contextmanager
def logical_cpus(count: int) -> Iterator[None]:
    [cpu] = physical_devices.list_physical_devices("CPU")
    kinds = [physical_devices.VirtualDeviceConfiguration()] * count
    physical_devices.set_virtual_device_configuration(cpu, kinds)
    kernels._devices.cache_clear()  # eager execution has its devices from its first operation on
    try:
        yield
    finally:
        kinds = [physical_devices.VirtualDeviceConfiguration()]
        physical_devices.set_virtual_device_configuration(cpu, kinds)
        kernels._devices.cache_clear()


STRATEGIES = {
    "mirrored": lambda: tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"]),
    "three": lambda: tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1", "/cpu:2"]),
    "ring": lambda: tf.distribute.MirroredStrategy(
        ["/cpu:0", "/cpu:1", "/cpu:2"], tf.distribute.NcclAllReduce()
    ),
    "tree": lambda: tf.distribute.MirroredStrategy(
        ["/cpu:0", "/cpu:1", "/cpu:2"], cross_device_ops=tf.distribute.HierarchicalCopyAllReduce()
    ),
    "one": lambda: tf.distribute.OneDeviceStrategy("/cpu:0"),
    "central": lambda: tf.distribute.experimental.CentralStorageStrategy(["/cpu:0", "/cpu:1"]),
    "workers_alone": tf.distribute.experimental.MultiWorkerMirroredStrategy,
    "servers_alone": tf.distribute.experimental.ParameterServerStrategy,
}


def model(w: Any, b: Any, inputs: Any) -> Any:
    x, y = inputs
    return tf.reduce_sum((tf.matmul(tf.tanh(x), w) + b - y) ** 2) / BATCH


def alone(optimizer: Make, epochs: int) -> tuple[list, list]:
    """What one device computes, on the global batches."""
    with tf.Graph().as_default():
        w, b = tf.Variable(np.ones([5, 1], "f")), tf.Variable([0.5])
        x, y = tf.placeholder(tf.float32, [None, 5]), tf.placeholder(tf.float32, [None, 1])
        loss = model(w, b, (x, y))
        train = optimizer().minimize(loss)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            losses = []
            for start in [*range(0, 22, BATCH)] * epochs:
                feeds = {x: X[start : start + BATCH], y: Y[start : start + BATCH]}
                losses.append(sess.run([loss, train], feeds)[0])
            return losses, sess.run([w, b])


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("kind", ["eager", "function", "graph"])
def test_a_loop_trains_as_one_device_does(strategy: str, kind: str) -> None:
    def optimizer() -> Any:
        return tf.train.MomentumOptimizer(0.1, 0.9)

    expected, variables = alone(optimizer, 2)
    with logical_cpus(3):
        if kind == "graph":
            with tf.Graph().as_default():
                losses, found = in_graph(STRATEGIES[strategy](), optimizer)
        else:
            with eager_mode():
                losses, found = eagerly(STRATEGIES[strategy](), optimizer, kind == "function")
    np.testing.assert_allclose(losses, expected, rtol=1e-5)
    for copies, value in zip(found, variables, strict=True):
        for copy in copies:
            np.testing.assert_allclose(copy, value, rtol=1e-5)


def in_graph(s: Any, optimizer: Make) -> tuple[list, list]:
    with s.scope():
        w, b = tf.Variable(np.ones([5, 1], "f")), tf.Variable([0.5])
        data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(BATCH)
        iterator = s.make_dataset_iterator(data)

        def step(inputs: Any) -> Any:
            loss = model(w, b, inputs)
            with tf.control_dependencies([optimizer().minimize(loss)]):
                return tf.identity(loss)

        loss = s.reduce("SUM", s.experimental_run(step, iterator), axis=None)
    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(2):
            sess.run(iterator.initialize())
            losses += [sess.run(loss) for _ in range(3)]
        return losses, [sess.run(s.experimental_local_results(v)) for v in (w, b)]


def eagerly(s: Any, optimizer: Make, in_function: bool) -> tuple[list, list]:
    with s.scope():
        w, b = tf.Variable(np.ones([5, 1], "f")), tf.Variable([0.5])
        own = optimizer()
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(BATCH)
    data = s.experimental_distribute_dataset(data)

    def replica(inputs: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = model(w, b, inputs)
        own.apply_gradients(zip(tape.gradient(loss, [w, b]), [w, b], strict=True))
        return loss

    def step(inputs: Any) -> Any:
        return s.reduce("SUM", s.experimental_run_v2(replica, args=(inputs,)), axis=None)

    step = tf.function(step) if in_function else step
    losses = [float(step(inputs)) for _ in range(2) for inputs in data]
    return losses, [[c.numpy() for c in s.experimental_local_results(v)] for v in (w, b)]


def test_rings_and_trees_add_on_all_devices() -> None:
    values = [np.arange(7, dtype="f") * 10**i for i in range(5)]
    devices = [f"/cpu:{i}" for i in range(5)]
    for count in range(2, 6):
        for way in ("ring", "tree"):
            with tf.Graph().as_default():
                tensors = [tf.constant(v) for v in values[:count]]
                sums = all_reduce(tensors, devices[:count], way)
                config = tf.ConfigProto(device_count={"CPU": 5})
                with tf.Session(config=config) as sess:
                    for i, found in enumerate(sess.run(sums)):
                        np.testing.assert_allclose(found, sum(values[:count]))
                        assert sums[i].device == devices[i].replace("/cpu", "/device:CPU")


def test_simulated_gpus_are_taken_by_default() -> None:
    tf.simulate_gpus(2)
    try:
        s = tf.distribute.MirroredStrategy()
        assert [d[-5:] for d in s.extended.worker_devices] == ["GPU:0", "GPU:1"]
        with tf.Graph().as_default(), s.scope():
            v = tf.get_variable("v", [3], initializer=tf.ones_initializer())

            def step() -> Any:
                return tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(v * v))

            train = s.experimental_run_v2(step)
            names = [op.name for op in tf.get_default_graph().get_operations()]
            assert any("ring_all_reduce" in name for name in names)
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                sess.run(train)
                np.testing.assert_allclose(sess.run(v.values), -np.ones([2, 3]))
    finally:
        tf.simulate_gpus(0)


def test_outside_of_scopes_all_copies_are_written() -> None:
    with tf.Graph().as_default():
        s = STRATEGIES["mirrored"]()
        with s.scope():
            v = tf.get_variable("v", [], initializer=tf.zeros_initializer())
        changes = [v.assign(7.0), tf.assign_add(v, 1.0), tf.assign(v, 3.0), v.assign_sub(1.0)]
        with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as sess:
            sess.run(v.initializer)
            for change, value in zip(changes, (7.0, 8.0, 3.0, 2.0), strict=True):
                assert sess.run(change) == value
                assert sess.run(v.values) == (value, value)
            v.load(5.0, sess)
            assert sess.run(v.values) == (5.0, 5.0)


def test_the_last_batch_may_be_too_small_for_all() -> None:
    with eager_mode(), logical_cpus(3):
        s = STRATEGIES["three"]()
        data = s.experimental_distribute_dataset(tf.data.Dataset.range(7).batch(6))
        parts = [[p.numpy().tolist() for p in s.unwrap(x)] for x in data]
        assert parts == [[[0, 1], [2, 3], [4, 5]], [[6], [], []]]

        def own(context: Any) -> Any:
            return tf.data.Dataset.range(4).batch(1)

        data = s.experimental_distribute_datasets_from_function(own)
        parts = [[p.numpy().tolist() for p in s.unwrap(x)] for x in data]
        assert parts == [[[0], [1], [2]], [[3], [], []]]


def test_what_differs_is_a_leaf_for_sessions_and_functions() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        value = PerReplica([tf.constant(1.0), tf.constant(2.0)])
        assert sess.run({"a": value})["a"].values == (1.0, 2.0)
    with eager_mode():
        value = PerReplica([tf.constant(1.0), tf.constant(2.0)])
        double = tf.function(lambda v: PerReplica([x * 2.0 for x in v.values]))
        assert [float(v) for v in double(value).values] == [2.0, 4.0]


def test_a_function_inside_a_replica_cannot_be_where_replicas_meet() -> None:
    with eager_mode(), logical_cpus(2):
        s = STRATEGIES["mirrored"]()

        def outer() -> Any:
            @tf.function
            def inner() -> Any:
                return tf.distribute.get_replica_context().all_reduce("SUM", tf.constant(1.0))

            return inner()

        with pytest.raises(RuntimeError, match="`merge_call` called while defining a new graph"):
            s.experimental_run_v2(outer)
        two = tf.function(lambda: tf.constant(2.0))
        assert float(s.reduce("SUM", s.experimental_run_v2(two), None)) == 4.0


def test_checkpoints_of_objects_reach_all_copies(tmp_path: Any) -> None:
    with eager_mode(), logical_cpus(2):
        s = STRATEGIES["mirrored"]()
        with s.scope():
            v = tf.Variable([1.0, 2.0])
        checkpoint = tf.train.Checkpoint(v=v)
        path = checkpoint.save(str(tmp_path / "c"))
        v.assign([0.0, 0.0])
        checkpoint.restore(path)
        assert [c.numpy().tolist() for c in v.values] == [[1.0, 2.0], [1.0, 2.0]]


def test_an_error_in_one_replica_ends_the_others() -> None:
    def step() -> Any:
        context = tf.distribute.get_replica_context()
        if context._replica_id == 1:
            raise KeyError("here")
        return context.merge_call(lambda strategy: 1)

    with tf.Graph().as_default():
        s = STRATEGIES["mirrored"]()
        with pytest.raises(KeyError, match="here"):
            s.experimental_run_v2(step)
        assert s.experimental_run_v2(lambda: 3) == 3


def test_the_first_strategies_have_batches_for_each_replica() -> None:
    with eager_mode(), logical_cpus(2):
        s = tf.contrib.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
        data = s.experimental_distribute_dataset(tf.data.Dataset.range(8).batch(2))
        parts = [[p.numpy().tolist() for p in s.unwrap(x)] for x in data]
        assert parts == [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]
    with pytest.raises(ValueError, match="You cannot set both `num_gpus`"):
        tf.contrib.distribute.MirroredStrategy(num_gpus=1, num_gpus_per_worker=1)


def test_a_variable_from_outside_has_no_copies_to_train() -> None:
    with tf.Graph().as_default():
        v = tf.Variable(1.0, name="v")
        s = STRATEGIES["mirrored"]()

        def step() -> Any:
            return tf.train.GradientDescentOptimizer(0.1).minimize(v * v)

        with pytest.raises(ValueError, match="v:0 was made outside of the scope"):
            s.experimental_run_v2(step)


def test_a_scope_may_be_entered_again() -> None:
    strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    scope = strategy.scope()
    for _ in range(2):
        with scope as entered, scope:
            assert entered is tf.distribute.get_strategy() is strategy
        assert not tf.distribute.has_strategy()
