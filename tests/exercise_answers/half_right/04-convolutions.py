"""Answers to sheet 4 that are right in part; the points of each stand beside its name."""

import minitf as tf


# %% shape-answer: 1
def out_size(size, filter_size, step, padding):
    """Counts the places where the filter fits, for SAME too."""
    return (size - filter_size) // step + 1


# %% blur-answer: 1
def blur(pictures):
    """Leaves the border black."""
    weights = tf.fill([3, 3, 1, 1], 1.0 / 9.0)
    inside = tf.nn.conv2d(pictures[..., tf.newaxis], weights, [1, 1, 1, 1], "VALID")[..., 0]
    return tf.pad(inside, [[0, 0], [1, 1], [1, 1]])


# %% small-answer: 2
def network(images):
    """Full layers, which are lost when a picture is moved."""
    net = tf.layers.dense(tf.layers.flatten(images), 18, activation=tf.nn.relu)
    return tf.layers.dense(net, 10)


# %% cell-answer: 2
def last_state(x, Wg, Ug, Wc, Uc):
    """The right state, through which no gradient flows."""

    def step(h, now):
        h = tf.stop_gradient(h)
        gate = tf.sigmoid(tf.matmul(now, Wg) + tf.matmul(h, Ug))
        return gate * h + (1 - gate) * tf.tanh(tf.matmul(now, Wc) + tf.matmul(h, Uc))

    first = tf.zeros(tf.stack([tf.shape(x)[0], tf.shape(Ug)[0]]))
    return tf.foldl(step, tf.transpose(x, [1, 0, 2]), initializer=first)
