"""Handwritten digits by logistic regression, without a graph."""

from __future__ import absolute_import, division, print_function

import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

tf.enable_eager_execution()
tfe = tf.contrib.eager

mnist = input_data.read_data_sets("MNIST_data/", one_hot=False)

W = tfe.Variable(tf.zeros([784, 10]), name="weights")
b = tfe.Variable(tf.zeros([10]), name="bias")


def logistic_regression(inputs):
    return tf.matmul(inputs, W) + b


def loss_fn(inference_fn, inputs, labels):
    return tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(logits=inference_fn(inputs), labels=labels)
    )


def accuracy_fn(inference_fn, inputs, labels):
    correct = tf.equal(tf.argmax(tf.nn.softmax(inference_fn(inputs)), 1), labels)
    return tf.reduce_mean(tf.cast(correct, tf.float32))


optimizer = tf.train.GradientDescentOptimizer(learning_rate=0.1)
grad = tfe.implicit_gradients(loss_fn)

for step in range(300):
    images, labels = mnist.train.next_batch(64)
    labels = tf.cast(labels, dtype=tf.int64)
    optimizer.apply_gradients(grad(logistic_regression, images, labels))
    if (step + 1) % 100 == 0:
        print(
            "Step:",
            "%04d" % (step + 1),
            "loss=",
            float(loss_fn(logistic_regression, images, labels)),
        )

test_labels = mnist.test.labels.astype("int64")
print(
    "Testset Accuracy: {:.4f}".format(
        accuracy_fn(logistic_regression, mnist.test.images, test_labels)
    )
)
