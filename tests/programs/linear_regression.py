"""Fits a line to points by gradient descent."""

from __future__ import print_function

import numpy
import tensorflow as tf

rng = numpy.random.RandomState(0)
train_x = rng.uniform(2.0, 10.0, size=20)
train_y = 0.25 * train_x + 0.8 + rng.normal(scale=0.05, size=20)
n_samples = train_x.shape[0]

X = tf.placeholder("float")
Y = tf.placeholder("float")
W = tf.Variable(rng.randn(), name="weight")
b = tf.Variable(rng.randn(), name="bias")

pred = tf.add(tf.multiply(X, W), b)
cost = tf.reduce_sum(tf.pow(pred - Y, 2)) / (2 * n_samples)
optimizer = tf.train.GradientDescentOptimizer(0.01).minimize(cost)
init = tf.global_variables_initializer()

with tf.Session() as sess:
    sess.run(init)
    for epoch in range(300):
        for x, y in zip(train_x, train_y):
            sess.run(optimizer, feed_dict={X: x, Y: y})
        if (epoch + 1) % 100 == 0:
            c = sess.run(cost, feed_dict={X: train_x, Y: train_y})
            print("Epoch: %04d cost=%.9f W=%s b=%s" % (epoch + 1, c, sess.run(W), sess.run(b)))
    final = sess.run(cost, feed_dict={X: train_x, Y: train_y})
    print("Training cost=%.6f W=%.4f b=%.4f" % (final, sess.run(W), sess.run(b)))
