"""What a layer of Keras is: names, variables, losses, arguments; those of its calls."""

import numpy as np
import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode

L = tf.keras.layers


class Block(L.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.parts = [L.Dense(3), {"last": L.Dense(1)}]

    def build(self, input_shape):
        self.shift = self.add_weight("shift", [3], initializer="ones", trainable=False)
        super().build(input_shape)

    def call(self, inputs, training=None):
        return self.parts[1]["last"](self.parts[0](inputs) + self.shift)


def test_names_begin_at_zero_and_lie_in_the_layers_scope():
    x = tf.placeholder(tf.float32, [None, 4])
    layer, second = L.Dense(2), L.Dense(2)
    assert (layer(x).name, layer(x).name) == ("dense/BiasAdd:0", "dense_1/BiasAdd:0")
    assert [v.name for v in layer.weights] == ["dense/kernel:0", "dense/bias:0"]
    assert second.name == "dense_1" and L.Dense(1, name="mine").name == "mine"
    assert tf.layers.Dense(2).name == "dense_3"  # both kinds count together


def test_layers_in_lists_and_dicts_belong_to_the_layer():
    layer = Block()
    layer(tf.ones([2, 4]))
    names = [v.name.removeprefix("block/") for v in layer.weights]
    assert names == ["dense/kernel:0", "dense/bias:0", "dense_1/kernel:0", "dense_1/bias:0",
                     "shift:0"]  # fmt: skip
    layer.trainable = False
    assert layer.trainable_weights == [] and not layer.parts[0].trainable
    assert len(layer.weights) == 5 and len(tf.trainable_variables()) == 4


def test_training_comes_from_the_layer_around():
    seen = []

    class Inner(L.Layer):
        def call(self, inputs, training=None):
            seen.append(training)
            return inputs

    class Outer(L.Layer):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def call(self, inputs, training=None):
            self.inner(inputs, training=False)
            return self.inner(inputs)

    layer, x = Outer(), tf.ones([1])
    layer(x)
    layer(x, training=True)
    tf.keras.backend.set_learning_phase(1)
    layer(x)
    assert seen == [False, None, False, True, False, 1]


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


def test_unknown_arguments_are_refused():
    with pytest.raises(TypeError, match="Keyword argument not understood"):
        L.Dense(2, unit=3)


def test_a_layer_with_arguments_must_tell_its_config():
    class Scale(L.Layer):
        def __init__(self, factor, **kwargs):
            super().__init__(**kwargs)
            self.factor = factor

    with pytest.raises(NotImplementedError, match="must override `get_config`"):
        Scale(2.0).get_config()
    config = Block(name="b").get_config()
    assert config == {"name": "b", "trainable": True, "dtype": None}
    assert Block.from_config(config).name == "b"


def test_losses_of_a_call_are_of_the_last_call_under_eager_execution():
    with eager_mode():
        layer = L.Dense(1, kernel_initializer="ones", activity_regularizer=tf.reduce_sum,
                        kernel_regularizer=tf.reduce_sum)  # fmt: skip
        for value in (1.0, 2.0):
            layer(tf.fill([1, 3], value))
            assert [loss.numpy() for loss in layer.losses] == [3.0 * value, 3.0]


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
