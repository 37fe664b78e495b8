"""Decoders of TensorFlow 1.0: against `dynamic_rnn`, against loops in NumPy, and as programs."""

from collections.abc import Iterator

import pytest

import minitf as tf


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as fresh:
        tf.set_random_seed(1)
        yield fresh


def test_one_cell_for_layers_of_two_sizes() -> None:
    """`[cell] * n` under attention, as of 1.0: each layer has variables of its own."""
    cell = tf.nn.rnn_cell.DropoutWrapper(
        tf.nn.rnn_cell.GRUCell(4), tf.placeholder_with_default(1.0, [])
    )
    layers = tf.nn.rnn_cell.MultiRNNCell([cell] * 3)
    layers(tf.ones([1, 7]), layers.zero_state(1, tf.float32))
    shapes = [v.shape[0].value for v in tf.trainable_variables() if "gates/kernel" in v.name]
    assert shapes == [11, 8, 8]
    layers = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(4)] * 3)
    with tf.variable_scope("same"):
        layers(tf.ones([1, 4]), layers.zero_state(1, tf.float32))
    assert len({id(each) for each in layers.cells}) == 1  # one size: shared, as in 1.15
