"""What a layer is: built once, owner of its variables, losses and updates."""

import pytest

import minitf as tf
from minitf.library.keras import activations
from minitf.library.keras.engine.base_layer import to_snake_case


class Scale(tf.layers.Layer):
    def build(self, input_shape):
        self.factor = self.add_variable("factor", [], initializer=tf.ones_initializer())
        super().build(input_shape)

    def call(self, inputs):
        return inputs * self.factor


def test_names_of_classes_become_names_of_layers():
    names = ["Dense", "MaxPooling2D", "Conv2DTranspose", "RNNCell", "_Mine"]
    snakes = ["dense", "max_pooling2d", "conv2d_transpose", "rnn_cell", "private__mine"]
    assert [to_snake_case(name) for name in names] == snakes


def test_layers_and_variables_in_attributes_belong_to_the_layer():
    class Both(tf.layers.Layer):
        def __init__(self):
            super().__init__()
            self.parts = [Scale(), {"deep": tf.layers.Dense(1)}]
            self.own = tf.Variable(1.0, name="own", trainable=False)

        def call(self, inputs):
            return self.parts[1]["deep"](self.parts[0](inputs)) + self.own

    layer = Both()
    layer(tf.ones([2, 3]))
    assert [v.name for v in layer.trainable_variables] == [
        "both/scale/factor:0",
        "both/dense/kernel:0",
        "both/dense/bias:0",
    ]
    assert layer.non_trainable_variables == [layer.own]
    layer.trainable = False
    assert layer.trainable_weights == [] and len(layer.weights) == 4


def test_a_layer_that_is_not_trainable_keeps_its_variables_from_optimizers():
    layer = tf.layers.Dense(3, trainable=False)
    layer(tf.ones([2, 4]))
    assert tf.trainable_variables() == [] and len(layer.non_trainable_weights) == 2


def test_updates_go_to_the_collection_once():
    class Counting(tf.layers.Layer):
        def build(self, shape):
            self.count = self.add_variable("count", [], initializer=tf.zeros_initializer())
            self.built = True

        def call(self, inputs):
            self.add_update(self.count.assign_add(1.0))
            return inputs

    layer = Counting()
    layer(tf.ones([2]))
    layer(tf.ones([2]))
    assert tf.get_collection(tf.GraphKeys.UPDATE_OPS) == layer.updates
    assert len(layer.updates) == 2


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (
            [3],
            r"Input 0 of layer dense_1 is incompatible with the layer: : expected min_ndim=2, "
            r"found ndim=1. Full shape received: \[3\]",
        ),
        ([2, None], "The last dimension of the inputs to `Dense` should be defined. Found `None`."),
    ],
)
def test_dense_says_what_is_wrong_with_its_input(shape, message):
    with pytest.raises(ValueError, match=message):
        tf.layers.dense(tf.placeholder(tf.float32, shape), 2)


def test_a_built_layer_refuses_other_sizes():
    layer = tf.layers.Dense(2)
    layer(tf.ones([1, 4]))
    with pytest.raises(ValueError, match="expected axis -1 of input shape to have value 4 but"):
        layer(tf.ones([1, 5]))


def test_dense_refuses_integers():
    with pytest.raises(TypeError, match="Unable to build `Dense` layer with non-floating point"):
        tf.layers.dense([[1, 2]] * tf.ones([1, 2], tf.int32), 2)


def test_unknown_arguments_are_refused():
    with pytest.raises(TypeError, match="size"):
        tf.layers.dense(tf.ones([1, 2]), 2, size=3)
    with pytest.raises(TypeError, match="missing a required argument: 'units'"):
        tf.layers.dense(tf.ones([1, 2]))


def test_names_stand_for_functions():
    y = tf.layers.dense(tf.ones([2, 50]), 400, "relu", kernel_initializer="he_normal")
    assert y.op.type == "Relu"
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        kernel = sess.run(tf.trainable_variables()[0])
    assert kernel.var() == pytest.approx(2 / 50, rel=0.1)
    with pytest.raises(ValueError, match="Unknown activation function:rely"):
        tf.layers.dense(tf.ones([2, 3]), 4, "rely")
    with pytest.raises(ValueError, match="Unknown initializer:two"):
        tf.layers.dense(tf.ones([2, 3]), 4, kernel_initializer="two")


def test_activations_have_the_names_of_their_functions() -> None:
    names = (
        "elu exponential hard_sigmoid linear relu relu6 selu sigmoid softmax softplus softsign "
        "swish tanh"
    )
    assert sorted(activations.TABLE) == names.split()
    assert activations.get("softsign") is tf.nn.softsign
    assert activations.get("tanh") is tf.tanh
