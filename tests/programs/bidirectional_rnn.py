"""Handwritten digits, read from both ends by two LSTMs."""

from __future__ import print_function

import tensorflow as tf
from tensorflow.contrib import rnn
from tensorflow.examples.tutorials.mnist import input_data

mnist = input_data.read_data_sets("MNIST_data/", one_hot=True)

batch_size = 64
timesteps = 28
num_hidden = 32

X = tf.placeholder("float", [None, timesteps, 28])
Y = tf.placeholder("float", [None, 10])
weights = tf.Variable(tf.random_normal([2 * num_hidden, 10], stddev=0.3))
biases = tf.Variable(tf.random_normal([10]))


def BiRNN(x, weights, biases):
    x = tf.unstack(x, timesteps, 1)
    lstm_fw_cell = rnn.BasicLSTMCell(num_hidden, forget_bias=1.0)
    lstm_bw_cell = rnn.BasicLSTMCell(num_hidden, forget_bias=1.0)
    outputs, _, _ = rnn.static_bidirectional_rnn(lstm_fw_cell, lstm_bw_cell, x, dtype=tf.float32)
    return tf.matmul(outputs[timesteps // 2], weights) + biases


logits = BiRNN(X, weights, biases)
loss_op = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(logits=logits, labels=Y))
train_op = tf.train.AdamOptimizer(learning_rate=0.01).minimize(loss_op)
correct_pred = tf.equal(tf.argmax(logits, 1), tf.argmax(Y, 1))
accuracy = tf.reduce_mean(tf.cast(correct_pred, tf.float32))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(1, 101):
        batch_x, batch_y = mnist.train.next_batch(batch_size)
        batch_x = batch_x.reshape((batch_size, timesteps, 28))
        _, loss = sess.run([train_op, loss_op], feed_dict={X: batch_x, Y: batch_y})
        if step % 25 == 0:
            print("Step %d, Minibatch Loss= %.4f" % (step, loss))
    test_data = mnist.test.images[:256].reshape((-1, timesteps, 28))
    test_label = mnist.test.labels[:256]
    print("Testing Accuracy:", sess.run(accuracy, feed_dict={X: test_data, Y: test_label}))
