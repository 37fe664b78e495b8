"""An LSTM that reads images of 28 x 28 row by row, batches of 64."""

import os
import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

rng = np.random.default_rng(0)
centres = rng.random((10, 28, 28), np.float32)
classes = rng.integers(0, 10, 2000)
images = centres[classes] + rng.normal(0.0, 0.2, (2000, 28, 28)).astype(np.float32)

x = tf.placeholder(tf.float32, [None, 28, 28])
labels = tf.placeholder(tf.int64, [None])
cell = tf.nn.rnn_cell.LSTMCell(64)
outputs, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
logits = tf.layers.dense(outputs[:, -1], 10)
loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
train = tf.train.AdamOptimizer(0.005).minimize(loss)
accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), labels), tf.float32))
saver = tf.train.Saver()

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(200):
        chosen = rng.integers(0, len(images), 64)
        sess.run(train, {x: images[chosen], labels: classes[chosen]})
    right = sess.run(accuracy, {x: images[:500], labels: classes[:500]})
    saver.save(sess, os.path.join(sys.argv[1], "lstm"), global_step=200)
    print("accuracy", right)
assert right > 0.8
