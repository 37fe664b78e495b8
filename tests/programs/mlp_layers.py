"""Handwritten digits by a network of `tf.layers`, with a loss of `tf.losses`."""

from __future__ import print_function

import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

mnist = input_data.read_data_sets("MNIST_data/", one_hot=False)
tf.set_random_seed(1)

images = tf.placeholder(tf.float32, [None, 784], name="images")
labels = tf.placeholder(tf.int64, [None], name="labels")

with tf.variable_scope("net"):
    layer = tf.layers.dense(images, 64, activation=tf.nn.relu, name="fc1")
    layer = tf.layers.dense(layer, 64, activation=tf.nn.relu, name="fc2")
    logits = tf.layers.dense(layer, 10, name="out")

loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
global_step = tf.train.get_or_create_global_step()
train_op = tf.train.AdamOptimizer(0.003).minimize(loss, global_step=global_step)
accuracy, update_accuracy = tf.metrics.accuracy(labels, tf.argmax(logits, 1))

with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    for step in range(400):
        x, y = mnist.train.next_batch(50)
        _, value = sess.run([train_op, loss], feed_dict={images: x, labels: y})
        if (step + 1) % 100 == 0:
            print("step", sess.run(global_step), "loss", value)
    for _ in range(10):
        x, y = mnist.test.next_batch(100)
        sess.run(update_accuracy, feed_dict={images: x, labels: y})
    print([v.name for v in tf.trainable_variables()])
    print("Accuracy:", sess.run(accuracy))
