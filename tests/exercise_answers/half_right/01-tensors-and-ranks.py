"""Answers to sheet 1 that are right in part; the points of each stand beside its name."""

import minitf as tf


# %% centre-answer: 1
def standardize(x):
    """Divides by 0 where there is no spread."""
    mean = tf.reduce_mean(x, axis=0)
    return (x - mean) / tf.sqrt(tf.reduce_mean(tf.square(x - mean), axis=0))


# %% pairs-answer: 2
def squared_distances(u, k):
    """By a tensor of rank 3."""
    return tf.reduce_sum(tf.square(u[:, tf.newaxis] - k), axis=2)


# %% vote-answer: 1
def vote(distances, known_labels):
    """Asks the nearest alone."""
    return tf.gather(known_labels, tf.argmin(distances, axis=1))


# %% tiles-answer: 0
def sheet(images, rows, columns):
    """Of the right size, without the transpose."""
    return tf.reshape(images, [rows * 8, columns * 8])
