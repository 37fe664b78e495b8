"""Answers to sheet 4 that are right in part; the points of each stand beside its name."""

import minitf as tf


# %% shape-answer: 1
def out_size(size, filter_size, step, padding):
    """Counts the places where the filter fits, for SAME too."""
    return (size - filter_size) // step + 1


# %% blur-answer: 1
def blur(images):
    """Leaves the border black."""
    weights = tf.fill([3, 3, 1, 1], 1.0 / 9.0)
    inside = tf.nn.conv2d(images[..., tf.newaxis], weights, [1, 1, 1, 1], "VALID")[..., 0]
    return tf.pad(inside, [[0, 0], [1, 1], [1, 1]])


# %% pool-answer: 1
def mean_pool(images):
    """Right for images of 8 by 8."""
    return tf.reduce_mean(tf.reshape(images, [-1, 4, 2, 4, 2]), axis=[2, 4])


# %% small-answer: 2
def network(images):
    """Full layers, which are lost when a picture is shifted."""
    net = tf.layers.dense(tf.layers.flatten(images), 18, activation=tf.nn.relu)
    return tf.layers.dense(net, 10)
