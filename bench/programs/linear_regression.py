"""A line through 100 points by gradient descent, one run a step."""

import os
import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

rng = np.random.default_rng(0)
xs = rng.uniform(-1.0, 1.0, 100).astype(np.float32)
ys = 3.0 * xs + 0.5 + rng.normal(0.0, 0.1, 100).astype(np.float32)

x = tf.placeholder(tf.float32, name="x")
y = tf.placeholder(tf.float32, name="y")
w = tf.Variable(0.0, name="weight")
b = tf.Variable(0.0, name="bias")
loss = tf.reduce_mean(tf.square(w * x + b - y))
train = tf.train.GradientDescentOptimizer(0.3).minimize(loss)
saver = tf.train.Saver()

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(200):
        _, value = sess.run([train, loss], {x: xs, y: ys})
    saver.save(sess, os.path.join(sys.argv[1], "line"))
    print("loss", value, "w", sess.run(w), "b", sess.run(b))
assert value < 0.02
