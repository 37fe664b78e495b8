"""Tests of Keras that run once for each way it works."""

import unittest

import numpy as np
import pytest

import minitf as tf
from minitf.compat.testing import keras_parameterized, keras_testing

pytest.importorskip("absl.testing", reason="absl-py is not installed")


def run(body: dict) -> list[str]:
    """Runs the tests of a class; the names of those that did not pass."""
    made = keras_parameterized.run_all_keras_modes(
        type("Made", (keras_parameterized.TestCase,), body)
    )
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(made)
    result = unittest.TestResult()
    suite.run(result)
    assert result.testsRun
    return [test._testMethodName for test, _ in result.failures + result.errors]


def test_a_test_runs_each_way():
    seen = []

    def test_mode(self):
        seen.append((tf.executing_eagerly(), keras_testing.should_run_eagerly()))

    assert run({"test_mode": test_mode}) == []
    assert sorted(seen) == [(False, False), (True, False), (True, True)]
    with pytest.raises(ValueError, match="outside of its scope"):
        keras_testing.should_run_eagerly()


def test_models_of_every_type():
    seen = []

    def test_model(self):
        model = keras_testing.get_small_mlp(3, 4, input_dim=2)
        model.compile("sgd", "mse", run_eagerly=keras_testing.should_run_eagerly())
        model.train_on_batch(np.ones([2, 2]), np.ones([2, 4]))
        seen.append(type(model).__name__)

    assert run({"test_model": keras_parameterized.run_with_all_model_types(test_model)}) == []
    assert sorted(seen) == ["Model"] * 3 + ["Sequential"] * 3 + ["SmallSubclassMLP"] * 3


class Wrong(tf.keras.layers.Layer):
    def call(self, inputs):
        return inputs[:, :1]

    def compute_output_shape(self, input_shape):
        return input_shape


def test_layers_keep_what_they_tell():
    with tf.Graph().as_default(), tf.Session():
        output = keras_testing.layer_test(
            tf.keras.layers.RepeatVector, kwargs={"n": 2}, input_data=np.array([[1.0]], np.float32)
        )
        np.testing.assert_array_equal(output, [[[1.0], [1.0]]])
        keras_testing.layer_test(tf.keras.layers.Dropout, {"rate": 0.5}, input_shape=(3, 2))
        with pytest.raises(AssertionError, match=r"found output shape \(3, 1\), not \(3, 2\)"):
            keras_testing.layer_test(Wrong, input_shape=(3, 2))
