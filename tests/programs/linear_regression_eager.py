"""Fits a line to points, without a graph."""

from __future__ import absolute_import, division, print_function

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
tfe = tf.contrib.eager

rng = np.random.RandomState(1)
train_x = rng.uniform(0.0, 4.0, size=30).astype(np.float32)
train_y = (1.5 * train_x - 2.0 + rng.normal(scale=0.1, size=30)).astype(np.float32)

W = tfe.Variable(rng.randn())
b = tfe.Variable(rng.randn())


def linear_regression(inputs):
    return inputs * W + b


def mean_square(model_fn, inputs, labels):
    return tf.reduce_sum(tf.pow(model_fn(inputs) - labels, 2)) / (2 * len(train_x))


optimizer = tf.train.GradientDescentOptimizer(learning_rate=0.1)
grad = tfe.implicit_gradients(mean_square)

print("Initial cost= {:.6f}".format(mean_square(linear_regression, train_x, train_y)))
for step in range(200):
    optimizer.apply_gradients(grad(linear_regression, train_x, train_y))
print(
    "Final cost= {:.6f} W= {:.4f} b= {:.4f}".format(
        mean_square(linear_regression, train_x, train_y), W.numpy(), b.numpy()
    )
)
