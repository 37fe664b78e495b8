"""Arithmetic with steps that the oracle has no kernel for."""

import numpy as np

import minitf as tf


def test_steps_are_cut_off_at_any_height() -> None:
    x = np.array([-1.0, 0.0, 2.0, 5.0, 9.0], np.float32)
    with tf.Graph().as_default(), tf.Session() as sess:
        steps = tf.quantize(x, -1.0, 9.0, tf.quint8)
        six = tf.raw_ops.QuantizedRelu6(
            features=steps.output, min_features=steps.output_min, max_features=steps.output_max
        )
        for top, like in ((6.0, six), (2.5, None)):
            made = tf.nn.quantized_relu_x(steps.output, top, steps.output_min, steps.output_max)
            assert made._fields == ("activations", "min_activations", "max_activations")
            floats = sess.run(tf.dequantize(*made))
            np.testing.assert_allclose(floats, np.clip(x, 0, top), atol=0.03)
            if like is not None:
                np.testing.assert_array_equal(floats, sess.run(tf.dequantize(*like)))


def test_means_of_steps_go_towards_zero() -> None:
    numbers = tf.bitcast(tf.constant([[[[3], [4]], [[0], [0]]]], tf.uint8), tf.quint8)
    with tf.Session() as sess:
        made = tf.nn.quantized_avg_pool(numbers, -1.0, 1.0, [1, 1, 2, 1], [1, 1, 2, 1], "VALID")
        means, *ends = sess.run([tf.bitcast(made.output, tf.uint8), *made[1:]])
    assert means.ravel().tolist() == [3, 0] and ends == [-1.0, 1.0]
