"""Digits told apart by a network of the first days of eager execution."""

from __future__ import print_function

import tensorflow as tf
import tensorflow.contrib.eager as tfe
from tensorflow.examples.tutorials.mnist import input_data

tf.enable_eager_execution()
mnist = input_data.read_data_sets("MNIST_data/", one_hot=False)


class Digits(tfe.Network):
    def __init__(self):
        super(Digits, self).__init__()
        self.hidden = self.track_layer(tf.layers.Dense(64, activation=tf.nn.relu))
        self.scores = self.track_layer(tf.layers.Dense(10))

    def call(self, x):
        return self.scores(self.hidden(x))


def loss(network, x, y):
    return tf.losses.sparse_softmax_cross_entropy(y, network(x))


digits = Digits()
gradient = tfe.implicit_gradients(loss)
optimizer = tf.train.AdamOptimizer(0.01)
rows = tf.data.Dataset.from_tensor_slices((mnist.train.images, mnist.train.labels))
batches = tfe.Iterator(rows.shuffle(1000).repeat().batch(64))
for step in range(200):
    x, y = batches.next()
    optimizer.apply_gradients(gradient(digits, x, tf.cast(y, tf.int64)))

correct = tfe.metrics.Accuracy()
correct(tf.argmax(digits(mnist.test.images), 1), tf.cast(mnist.test.labels, tf.int64))
print("variables:", len(digits.variables))
print("Accuracy:", correct.result().numpy())
