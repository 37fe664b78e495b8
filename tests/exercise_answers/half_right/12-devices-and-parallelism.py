"""Answers to sheet 9 that are right in part; the points of each stand beside its name."""

import numpy as np

import minitf as tf


# %% steps-answer: 1
def steps(n, threads):
    """Has a thread for everything."""
    return 1 + int(np.ceil(np.log2(n)))


# %% deal-answer: 0
def dealer(gpus):
    """Counts on, and runs out of GPUs."""
    count = []

    def place(operation):
        if operation.type != "MatMul":
            return "/cpu:0"
        count.append(operation)
        return f"/gpu:{len(count) - 1 if len(count) < 3 else len(count) % 2}"

    return place


# %% towers-answer: 1
def mean_gradient(x, y, w, towers):
    """The right number, all on one device."""
    with tf.device("/gpu:0"):
        miss = tf.reduce_sum(x * w, axis=1) - y
        gradient = tf.gradients(tf.reduce_mean(tf.square(miss)), [w])[0]
    with tf.device("/cpu:0"):
        return tf.identity(gradient)


# %% travels-answer: 0
def travels(batch, widths, devices):
    """As if every layer were on another device."""
    return 4 * batch * sum(widths[:-1])
