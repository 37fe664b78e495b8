"""What a layer of Keras is: names, variables, losses, arguments; those of its calls."""

import subprocess
import sys

import numpy as np
import pytest

import minitf as tf

L = tf.keras.layers


def test_values_of_variables_go_both_ways():
    layer = L.Dense(2, input_shape=(3,), weights=[np.ones([3, 2]), np.zeros(2)])
    layer(tf.ones([1, 3]))
    assert layer.get_weights()[0].tolist() == [[1.0, 1.0]] * 3
    count = len(tf.get_default_graph().get_operations())
    layer.set_weights([np.full([3, 2], 2.0), np.ones(2)])
    assert len(tf.get_default_graph().get_operations()) == count
    assert layer.get_weights()[1].tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match=r"shape \(3, 2\) not compatible with .* \(2, 3\)"):
        layer.set_weights([np.ones([2, 3]), np.ones(2)])


def test_a_layer_with_arguments_must_tell_its_config():
    class Scale(L.Layer):
        def __init__(self, factor, **kwargs):
            super().__init__(**kwargs)
            self.factor = factor

    with pytest.raises(NotImplementedError, match="must override `get_config`"):
        Scale(2.0).get_config()


def test_a_layer_may_ask_for_a_type_and_a_rank():
    class Clusters(L.Layer):
        def __init__(self):
            super().__init__(name="clusters")
            self.input_spec = L.InputSpec(dtype="float32", max_ndim=2)

    layer = Clusters()
    assert repr(layer.input_spec) == "InputSpec(dtype=float32, max_ndim=2)"
    layer(tf.ones([1, 3]))
    for wrong, message in (
        (tf.ones([1, 3], tf.float64), "expected dtype=float32, found dtype=<dtype: 'float64'>"),
        (tf.ones([1, 3, 2]), "expected max_ndim=2, found ndim=3"),
    ):
        with pytest.raises(ValueError, match=f"clusters is incompatible with the layer: {message}"):
            layer(wrong)


def test_an_if_on_a_tensor_in_call_becomes_a_branch():
    class Positive(L.Layer):
        def call(self, inputs):
            if tf.reduce_sum(inputs) > 0.0:
                inputs = inputs * 2.0
            return inputs

    x = tf.placeholder(tf.float32, [2])
    y = Positive()(x)
    with tf.Session() as sess:
        assert sess.run(y, {x: [1, 1]}).tolist() == [2, 2]
        assert sess.run(y, {x: [-1, -1]}).tolist() == [-1, -1]


def test_keras_initializes_only_what_has_no_value():
    layer = L.Dense(1, kernel_initializer="zeros")
    layer(tf.ones([1, 1]))
    with tf.Session() as sess:
        layer.kernel.load([[5.0]], sess)
        assert tf.keras.backend.get_session() is sess
        assert layer.get_weights()[0].tolist() == [[5.0]]


def test_a_layer_adds_a_metric_before_the_program_names_a_model() -> None:
    program = """
import minitf as tf
class Logged(tf.keras.layers.Layer):
    def call(self, x):
        self.add_metric(tf.reduce_mean(x), name="mean", aggregation="mean")
        return x
layer = Logged()
layer(tf.keras.Input([3]))
print(layer.metrics[0].name)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.stdout == "mean\n", run.stderr
