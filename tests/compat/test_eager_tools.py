"""Tests that run in both modes, and what `tf.contrib.eager` tells of the process."""

import unittest
from pathlib import Path

import pytest

import minitf as tf
from minitf.library.eager import context

tfe = tf.contrib.eager


def run(case: type) -> list[str]:
    """The failures of the tests of a class, as text."""
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    return [text for _, text in (*result.failures, *result.errors)]


def test_each_test_runs_in_both_modes() -> None:
    modes = []

    @tfe.run_all_tests_in_graph_and_eager_modes
    class Modes(tf.test.TestCase):
        def test_sum(self) -> None:
            modes.append(tf.executing_eagerly())
            self.assertAllEqual(self.evaluate(tf.constant([1, 2]) + 1), [2, 3])

    assert run(Modes) == []
    assert modes == [False, True]


def test_a_failure_in_one_mode_is_a_failure() -> None:
    class Fails(tf.test.TestCase):
        @tfe.run_test_in_graph_and_eager_modes
        def test_graph_only(self) -> None:
            self.assertFalse(tf.executing_eagerly())

    assert len(run(Fails)) == 1


def test_devices_and_modes() -> None:
    assert tfe.list_devices()[0].endswith("CPU:0") and tfe.num_gpus() == 0
    assert tfe.in_graph_mode() and not tfe.in_eager_mode()


def test_variables_are_saved_by_their_names(tmp_path: Path) -> None:
    prefix = str(tmp_path / "model")
    with pytest.raises(RuntimeError, match="can only be used when eager execution is enabled"):
        tfe.Saver([])
    with context.eager_mode():
        optimizer = tf.train.AdamOptimizer(0.1)
        variables = [tfe.Variable([1.0, 2.0], name="v"), tfe.Variable(3.0, name="w")]
        grads = tfe.implicit_gradients(lambda: tf.reduce_sum(variables[0]) * variables[1])()
        optimizer.apply_gradients(grads)
        assert len(tfe.get_optimizer_variables(optimizer)) == len(optimizer.variables()) >= 4
        saver = tfe.Saver(variables)
        assert saver.save(prefix) == prefix
        path = saver.save(prefix, global_step=tfe.Variable(7))
        assert path == tf.train.latest_checkpoint(str(tmp_path)) == f"{prefix}-7"
        assert tf.train.list_variables(path) == [("v", [2]), ("w", [])]
        saved = [variable.numpy() for variable in variables]
        for variable in variables:
            variable.assign_add(tf.ones_like(variable))
        saver.restore(path)
        for variable, value in zip(variables, saved):
            assert (variable.numpy() == value).all()

        with tfe.restore_variables_on_create(path):
            assert tfe.Variable(0.0, name="w").numpy() == saved[1]
            with pytest.raises(tf.errors.NotFoundError, match="x not found in checkpoint"):
                tfe.Variable(0.0, name="x")
        with tfe.restore_variables_on_create(path, lambda name: name[-1]):
            assert (tf.get_variable("a/v", [2]).numpy() == saved[0]).all()
        with tfe.restore_variables_on_create(None):
            assert tfe.Variable(5.0, name="w").numpy() == 5
        with pytest.raises(ValueError, match="map_func must be callable"):
            with tfe.restore_variables_on_create(path, "v"):
                pass
    with pytest.raises(ValueError, match="can only be used with eager execution"):
        with tfe.restore_variables_on_create(path):
            pass


@pytest.fixture
def callbacks():
    with context.eager_mode():
        yield
    tfe.clear_execution_callbacks()


def test_a_sequence_of_layers_and_functions(callbacks) -> None:
    dense, drop = tf.layers.Dense(2, use_bias=False), tf.layers.Dropout(0.5)
    network = tfe.Sequential([dense, tf.nn.relu])
    network.add(drop)
    x = tf.ones([4, 3])
    wanted = tf.nn.relu(dense(x)).numpy()
    assert (network(x).numpy() == wanted).all()
    dropped = network(x, training=True).numpy()
    assert ((dropped == 0) | (dropped == 2 * wanted)).all()
    assert [v.name for v in network.trainable_variables] == [v.name for v in dense.variables]
    with pytest.raises(TypeError, match="takes only tf.layers.Layer objects or callables; not '3'"):
        network.add(3)
