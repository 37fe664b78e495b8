"""Skip-grams with noise-contrastive estimation: 5,000 words of 128 numbers, batches of 128."""

import os
import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

WORDS = 5000
rng = np.random.default_rng(0)
text = np.minimum(rng.zipf(1.3, 50_000), WORDS) - 1
centre = np.repeat(text[1:-1], 2)
context = np.stack([text[:-2], text[2:]], 1).reshape(-1, 1)

words = tf.placeholder(tf.int32, [128])
labels = tf.placeholder(tf.int32, [128, 1])
embeddings = tf.Variable(tf.random_uniform([WORDS, 128], -1.0, 1.0))
weights = tf.Variable(tf.truncated_normal([WORDS, 128], stddev=128**-0.5))
biases = tf.Variable(tf.zeros([WORDS]))
embedded = tf.nn.embedding_lookup(embeddings, words)
losses = tf.nn.nce_loss(weights, biases, labels, embedded, num_sampled=64, num_classes=WORDS)
loss = tf.reduce_mean(losses)
train = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
normalized = tf.nn.l2_normalize(embeddings, 1)
similar = tf.matmul(tf.nn.embedding_lookup(normalized, tf.range(16)), normalized, transpose_b=True)
saver = tf.train.Saver()

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    first, last = [], []
    for step in range(200):
        part = slice(128 * step, 128 * (step + 1))
        _, value = sess.run([train, loss], {words: centre[part], labels: context[part]})
        (first if step < 20 else last).append(value)
    nearest = np.argsort(-sess.run(similar), 1)[:, 1:9]
    saver.save(sess, os.path.join(sys.argv[1], "words"), global_step=200)
    print("loss", np.mean(last[-20:]), "nearest", nearest[0])
assert np.mean(last[-20:]) < np.mean(first)
