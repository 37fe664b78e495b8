"""Word vectors by skip-grams and noise contrastive estimation, from a small made language."""

from __future__ import division, print_function

import collections

import numpy as np
import tensorflow as tf

# Sentences in which the words of a row can stand for each other.
rows = [
    ["cat", "dog", "horse", "mouse"],
    ["red", "green", "blue", "black"],
    ["eats", "sees", "likes", "finds"],
    ["bread", "cheese", "apples", "corn"],
]
rng = np.random.RandomState(3)
words = []
for _ in range(3000):
    animal, colour, verb, food = (row[rng.randint(4)] for row in rows)
    words += ["the", colour, animal, verb, "some", food, "."]

count = collections.Counter(words).most_common()
word2id = {word: i for i, (word, _) in enumerate(count)}
id2word = {i: word for word, i in word2id.items()}
data = [word2id[word] for word in words]
vocabulary_size = len(word2id)

batch_size = 128
embedding_size = 16
num_sampled = 6


def next_batch():
    centers = rng.randint(2, len(data) - 2, size=batch_size // 4)
    inputs = np.repeat([data[c] for c in centers], 4)
    labels = [[data[c + offset]] for c in centers for offset in (-2, -1, 1, 2)]
    return inputs, labels


X = tf.placeholder(tf.int32, shape=[None])
Y = tf.placeholder(tf.int32, shape=[None, 1])
with tf.device("/cpu:0"):
    embedding = tf.Variable(tf.random_normal([vocabulary_size, embedding_size]))
    X_embed = tf.nn.embedding_lookup(embedding, X)
    nce_weights = tf.Variable(tf.random_normal([vocabulary_size, embedding_size]))
    nce_biases = tf.Variable(tf.zeros([vocabulary_size]))

loss_op = tf.reduce_mean(
    tf.nn.nce_loss(
        weights=nce_weights,
        biases=nce_biases,
        labels=Y,
        inputs=X_embed,
        num_sampled=num_sampled,
        num_classes=vocabulary_size,
    )
)
train_op = tf.train.AdamOptimizer(0.02).minimize(loss_op)

X_embed_norm = X_embed / tf.sqrt(tf.reduce_sum(tf.square(X_embed)))
embedding_norm = embedding / tf.sqrt(tf.reduce_sum(tf.square(embedding), 1, keepdims=True))
cosine_sim_op = tf.matmul(X_embed_norm, embedding_norm, transpose_b=True)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    average_loss = 0
    for step in range(1, 1501):
        batch_x, batch_y = next_batch()
        _, loss = sess.run([train_op, loss_op], feed_dict={X: batch_x, Y: batch_y})
        average_loss += loss / 500
        if step % 500 == 0:
            print("Step %i, Average Loss= %.4f" % (step, average_loss))
            average_loss = 0
    right = 0
    sim = sess.run(cosine_sim_op, feed_dict={X: [word2id[w] for row in rows for w in row]})
    for i, word in enumerate(w for row in rows for w in row):
        nearest = [id2word[j] for j in (-sim[i]).argsort()[1:4]]
        print("%s nearest neighbors: %s" % (word, ", ".join(nearest)))
        right += sum(other in rows[i // 4] for other in nearest)
    print("Neighbors of the same kind: %.4f" % (right / 48))
