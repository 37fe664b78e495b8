"""Handwritten digits by a convolutional network, written out."""

from __future__ import division, print_function

import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

mnist = input_data.read_data_sets("MNIST_data/", one_hot=True)

num_steps = 80
batch_size = 64
num_classes = 10
dropout = 0.75

X = tf.placeholder(tf.float32, [None, 784])
Y = tf.placeholder(tf.float32, [None, num_classes])
keep_prob = tf.placeholder(tf.float32)


def conv2d(x, W, b, strides=1):
    x = tf.nn.conv2d(x, W, strides=[1, strides, strides, 1], padding="SAME")
    return tf.nn.relu(tf.nn.bias_add(x, b))


def maxpool2d(x, k=2):
    return tf.nn.max_pool(x, ksize=[1, k, k, 1], strides=[1, k, k, 1], padding="SAME")


def conv_net(x, weights, biases, dropout):
    x = tf.reshape(x, shape=[-1, 28, 28, 1])
    conv1 = maxpool2d(conv2d(x, weights["wc1"], biases["bc1"]), k=2)
    conv2 = maxpool2d(conv2d(conv1, weights["wc2"], biases["bc2"]), k=2)
    fc1 = tf.reshape(conv2, [-1, weights["wd1"].get_shape().as_list()[0]])
    fc1 = tf.nn.relu(tf.add(tf.matmul(fc1, weights["wd1"]), biases["bd1"]))
    fc1 = tf.nn.dropout(fc1, dropout)
    return tf.add(tf.matmul(fc1, weights["out"]), biases["out"])


weights = {
    "wc1": tf.Variable(tf.random_normal([5, 5, 1, 8], stddev=0.1)),
    "wc2": tf.Variable(tf.random_normal([5, 5, 8, 16], stddev=0.1)),
    "wd1": tf.Variable(tf.random_normal([7 * 7 * 16, 64], stddev=0.1)),
    "out": tf.Variable(tf.random_normal([64, num_classes], stddev=0.1)),
}
biases = {
    "bc1": tf.Variable(tf.zeros([8])),
    "bc2": tf.Variable(tf.zeros([16])),
    "bd1": tf.Variable(tf.zeros([64])),
    "out": tf.Variable(tf.zeros([num_classes])),
}

logits = conv_net(X, weights, biases, keep_prob)
prediction = tf.nn.softmax(logits)
loss_op = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(logits=logits, labels=Y))
train_op = tf.train.AdamOptimizer(learning_rate=0.005).minimize(loss_op)
correct_pred = tf.equal(tf.argmax(prediction, 1), tf.argmax(Y, 1))
accuracy = tf.reduce_mean(tf.cast(correct_pred, tf.float32))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(1, num_steps + 1):
        batch_x, batch_y = mnist.train.next_batch(batch_size)
        sess.run(train_op, feed_dict={X: batch_x, Y: batch_y, keep_prob: dropout})
        if step % 20 == 0:
            loss, acc = sess.run([loss_op, accuracy], {X: batch_x, Y: batch_y, keep_prob: 1.0})
            print("Step %d, Minibatch Loss= %.4f, Training Accuracy= %.3f" % (step, loss, acc))
    feed = {X: mnist.test.images[:256], Y: mnist.test.labels[:256], keep_prob: 1.0}
    print("Testing Accuracy:", sess.run(accuracy, feed_dict=feed))
