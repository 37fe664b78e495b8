"""A small convolutional network with dropout for images of 28 x 28, batches of 64."""

import os
import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

rng = np.random.default_rng(0)
centres = rng.random((10, 28, 28, 1), np.float32)
classes = rng.integers(0, 10, 2000)
images = centres[classes] + rng.normal(0.0, 0.3, (2000, 28, 28, 1)).astype(np.float32)

x = tf.placeholder(tf.float32, [None, 28, 28, 1])
labels = tf.placeholder(tf.int64, [None])
training = tf.placeholder_with_default(False, [])
net = tf.layers.conv2d(x, 16, 5, padding="same", activation=tf.nn.relu)
net = tf.layers.max_pooling2d(net, 2, 2)
net = tf.layers.conv2d(net, 32, 5, padding="same", activation=tf.nn.relu)
net = tf.layers.max_pooling2d(net, 2, 2)
net = tf.layers.dense(tf.layers.flatten(net), 128, activation=tf.nn.relu)
net = tf.layers.dropout(net, 0.4, training=training)
logits = tf.layers.dense(net, 10)
loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
train = tf.train.AdamOptimizer(0.001).minimize(loss)
accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), labels), tf.float32))
saver = tf.train.Saver()

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(200):
        chosen = rng.integers(0, len(images), 64)
        sess.run(train, {x: images[chosen], labels: classes[chosen], training: True})
    right = sess.run(accuracy, {x: images[:500], labels: classes[:500]})
    saver.save(sess, os.path.join(sys.argv[1], "convolutions"), global_step=200)
    print("accuracy", right)
assert right > 0.9
