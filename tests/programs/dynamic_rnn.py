"""Tells rising sequences from random ones; the sequences have different lengths."""

from __future__ import print_function

import random

import tensorflow as tf


class ToySequenceData(object):
    """Sequences of numbers: class 0 counts upwards, class 1 is random; filled up with zeros."""

    def __init__(self, n_samples=1000, max_seq_len=12, min_seq_len=3, max_value=100):
        self.data, self.labels, self.seqlen = [], [], []
        for _ in range(n_samples):
            length = random.randint(min_seq_len, max_seq_len)
            self.seqlen.append(length)
            if random.random() < 0.5:
                start = random.randint(0, max_value - length)
                s = [[i / max_value] for i in range(start, start + length)]
                self.labels.append([1.0, 0.0])
            else:
                s = [[random.randint(0, max_value) / max_value] for _ in range(length)]
                self.labels.append([0.0, 1.0])
            self.data.append(s + [[0.0]] * (max_seq_len - length))
        self.batch_id = 0

    def next(self, batch_size):
        if self.batch_id == len(self.data):
            self.batch_id = 0
        start = self.batch_id
        self.batch_id = end = min(start + batch_size, len(self.data))
        return self.data[start:end], self.labels[start:end], self.seqlen[start:end]


random.seed(5)
tf.set_random_seed(5)
seq_max_len, n_hidden, n_classes = 12, 24, 2
trainset = ToySequenceData(n_samples=1000, max_seq_len=seq_max_len)
testset = ToySequenceData(n_samples=300, max_seq_len=seq_max_len)

x = tf.placeholder("float", [None, seq_max_len, 1])
y = tf.placeholder("float", [None, n_classes])
seqlen = tf.placeholder(tf.int32, [None])
weights = tf.Variable(tf.random_normal([n_hidden, n_classes]))
biases = tf.Variable(tf.random_normal([n_classes]))

lstm_cell = tf.nn.rnn_cell.BasicLSTMCell(n_hidden)
outputs, states = tf.nn.dynamic_rnn(lstm_cell, x, dtype=tf.float32, sequence_length=seqlen)
# The last output that is no padding.
batch_size = tf.shape(outputs)[0]
index = tf.range(0, batch_size) * seq_max_len + (seqlen - 1)
last = tf.gather(tf.reshape(outputs, [-1, n_hidden]), index)
pred = tf.matmul(last, weights) + biases

cost = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(logits=pred, labels=y))
optimizer = tf.train.AdamOptimizer(0.02).minimize(cost)
accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(pred, 1), tf.argmax(y, 1)), tf.float32))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(1, 201):
        batch_x, batch_y, batch_seqlen = trainset.next(100)
        feed = {x: batch_x, y: batch_y, seqlen: batch_seqlen}
        sess.run(optimizer, feed_dict=feed)
        if step % 50 == 0:
            acc, loss = sess.run([accuracy, cost], feed_dict=feed)
            print("Step %d, Minibatch Loss= %.6f, Training Accuracy= %.5f" % (step, loss, acc))
    feed = {x: testset.data, y: testset.labels, seqlen: testset.seqlen}
    print("Testing Accuracy:", sess.run(accuracy, feed_dict=feed))
