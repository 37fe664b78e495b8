"""Handwritten digits by a convolutional network of `tf.layers`, one network for two uses."""

from __future__ import division, print_function

import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

mnist = input_data.read_data_sets("MNIST_data/", one_hot=False)


def conv_net(x, n_classes, dropout, reuse, is_training):
    with tf.variable_scope("ConvNet", reuse=reuse):
        x = tf.reshape(x, shape=[-1, 28, 28, 1])
        conv1 = tf.layers.conv2d(x, 8, 5, activation=tf.nn.relu)
        conv1 = tf.layers.max_pooling2d(conv1, 2, 2)
        conv2 = tf.layers.conv2d(conv1, 16, 3, activation=tf.nn.relu)
        conv2 = tf.layers.max_pooling2d(conv2, 2, 2)
        fc1 = tf.layers.flatten(conv2)
        fc1 = tf.layers.dense(fc1, 64)
        fc1 = tf.layers.dropout(fc1, rate=dropout, training=is_training)
        out = tf.layers.dense(fc1, n_classes)
    return out


x = tf.placeholder(tf.float32, [None, 784])
y = tf.placeholder(tf.int64, [None])
logits_train = conv_net(x, 10, 0.25, reuse=False, is_training=True)
logits_test = conv_net(x, 10, 0.25, reuse=True, is_training=False)
loss_op = tf.reduce_mean(
    tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits_train, labels=tf.cast(y, tf.int32))
)
train_op = tf.train.AdamOptimizer(0.003).minimize(loss_op)
accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits_test, 1), y), tf.float32))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(1, 81):
        images, labels = mnist.train.next_batch(64)
        _, loss = sess.run([train_op, loss_op], feed_dict={x: images, y: labels})
        if step % 20 == 0:
            print("Step %d, Loss= %.4f" % (step, loss))
    feed = {x: mnist.test.images[:256], y: mnist.test.labels[:256]}
    print("Testing Accuracy:", sess.run(accuracy, feed_dict=feed))
