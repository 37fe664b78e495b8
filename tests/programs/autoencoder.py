"""Squeezes digits through 32 numbers and back."""

from __future__ import absolute_import, division, print_function

import numpy as np
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

mnist = input_data.read_data_sets("MNIST_data/", one_hot=True)
tf.set_random_seed(2)

num_hidden_1, num_hidden_2, num_input = 128, 32, 784
X = tf.placeholder("float", [None, num_input])


def layer(x, inputs, outputs):
    weights = tf.Variable(tf.random_normal([inputs, outputs], stddev=0.1))
    return tf.nn.sigmoid(tf.add(tf.matmul(x, weights), tf.Variable(tf.zeros([outputs]))))


code = layer(layer(X, num_input, num_hidden_1), num_hidden_1, num_hidden_2)
y_pred = layer(layer(code, num_hidden_2, num_hidden_1), num_hidden_1, num_input)
loss = tf.reduce_mean(tf.pow(X - y_pred, 2))
optimizer = tf.train.RMSPropOptimizer(0.003).minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(1, 501):
        batch_x, _ = mnist.train.next_batch(100)
        _, l = sess.run([optimizer, loss], feed_dict={X: batch_x})
        if i % 100 == 0:
            print("Step %i: Minibatch Loss: %f" % (i, l))
    test = mnist.test.images[:200]
    mean = np.mean(np.square(test - test.mean(axis=0)))
    print("Test Loss: %f against %f" % (sess.run(loss, feed_dict={X: test}), mean))
