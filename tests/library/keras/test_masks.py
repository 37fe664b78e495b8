"""Masks and shapes of layers around layers."""

import numpy as np

import minitf as tf

layers = tf.keras.layers


def test_masks_of_single_steps():
    model = tf.keras.Sequential(
        [
            layers.TimeDistributed(layers.Masking(0.0), input_shape=(None, 2)),
            layers.TimeDistributed(layers.Dense(3)),
        ]
    )
    first = model.layers[0].compute_mask(model.input)
    second = model.layers[1].compute_mask(model.layers[1].input, first)
    value = np.array([[[1.0, 1.0], [0.0, 0.0]]])
    masks = tf.keras.backend.get_session().run([first, second], {model.input: value})
    assert [mask.tolist() for mask in masks] == [[[True, False]]] * 2


def test_recurrent_layers_are_built_for_plain_sizes():
    layer = layers.GRU(3, kernel_regularizer="l2", activity_regularizer="l2")
    layer.build((None, None, 2))
    assert len(layer.losses) == 1
    x = tf.keras.backend.variable(np.ones([1, 2, 2]))
    layer(x)
    assert len(layer.get_losses_for(x)) == 1


def test_lambdas_tell_their_shapes_in_graphs():
    layer = layers.Lambda(lambda pair: tf.matmul(pair[0], pair[1]))
    assert layer.compute_output_shape([(4, 3), (3, 5)]).as_list() == [4, 5]
