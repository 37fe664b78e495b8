"""Answers to sheet 17 that are right in part; the points of each stand beside its name."""

import minitf as tf


# %% traces-answer: 1
def make_mean(traced):
    """Is traced anew for each length."""

    @tf.function
    def mean_of_squares(values):
        traced.append("once more")
        return tf.reduce_mean(tf.square(values))

    return mean_of_squares


# %% grads-answer: 2
def value_and_grad(function):
    """Makes a constant of the gradient, behind which no tape can look."""

    def both(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = function(x)
        return value, tf.constant(tape.gradient(value, x).numpy())

    return both


# %% translate-answer: 2
def logistic(xs, ys, steps):
    """Computes the gradients once, before the loop."""
    x, y = tf.constant(xs, tf.float32), tf.constant(ys, tf.float32)
    w, b = tf.Variable(0.0), tf.Variable(0.0)
    with tf.GradientTape() as tape:
        cost = tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=w * x + b)
        cost = tf.reduce_mean(cost)
    gradients = tape.gradient(cost, [w, b])
    for _ in range(steps):
        for variable, gradient in zip([w, b], gradients):
            variable.assign_sub(0.5 * gradient)
    return w.numpy(), b.numpy()
