"""A perceptron with one hidden layer for images of 28 x 28, batches of 128, with its accuracy."""

import os
import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

rng = np.random.default_rng(0)
centres = rng.random((10, 784), np.float32)
classes = rng.integers(0, 10, 5000)
images = centres[classes] + rng.normal(0.0, 0.5, (5000, 784)).astype(np.float32)

x = tf.placeholder(tf.float32, [None, 784])
labels = tf.placeholder(tf.int64, [None])
hidden = tf.layers.dense(x, 128, activation=tf.nn.relu)
logits = tf.layers.dense(hidden, 10)
loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
train = tf.train.AdamOptimizer(0.001).minimize(loss)
accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), labels), tf.float32))
saver = tf.train.Saver()

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(200):
        chosen = rng.integers(0, len(images), 128)
        sess.run(train, {x: images[chosen], labels: classes[chosen]})
    right = sess.run(accuracy, {x: images, labels: classes})
    saver.save(sess, os.path.join(sys.argv[1], "perceptron"), global_step=200)
    print("accuracy", right)
assert right > 0.9
