"""Answers to sheet 2 that are right in part; the points of each stand beside its name."""

import minitf as tf


# %% build-answer: 1
def polynomial(x, coefficients):
    """By powers, in no scope."""
    return tf.add_n([float(c) * x ** float(n) for n, c in enumerate(coefficients)])


# %% needed-answer: 2
def needed(tensor, feeds):
    """Forgets the control inputs."""
    if tensor in feeds:
        return set()
    return {tensor.op.name}.union(*(needed(each, feeds) for each in tensor.op.inputs))


# %% counter-answer: 1
def account():
    """Lets the balance fall below 0."""
    balance = tf.Variable(0.0)
    amount = tf.placeholder(tf.float32, [])
    return balance, tf.assign_add(balance, amount), tf.assign_sub(balance, amount), amount


# %% share-answer: 0
def siamese(left, right):
    """Two layers, of which each has its own weights."""
    ends = []
    for inputs, name in ((left, "weights"), (right, "others")):
        with tf.variable_scope("twins"):
            ends.append(tf.matmul(inputs, tf.get_variable(name, [4, 2])))
    return tf.reduce_sum(tf.square(ends[0] - ends[1]), axis=1)
