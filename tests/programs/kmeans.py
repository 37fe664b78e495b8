"""Handwritten digits in clusters, each named after the most frequent digit in it."""

from __future__ import print_function

import numpy as np
import tensorflow as tf
from tensorflow.contrib.factorization import KMeans
from tensorflow.examples.tutorials.mnist import input_data

mnist = input_data.read_data_sets("MNIST_data/", one_hot=True)
full_data_x = mnist.train.images

k = 40
X = tf.placeholder(tf.float32, shape=[None, 784])
Y = tf.placeholder(tf.float32, shape=[None, 10])
kmeans = KMeans(inputs=X, num_clusters=k, distance_metric="cosine", use_mini_batch=True)
training_graph = kmeans.training_graph()
if len(training_graph) > 6:
    (all_scores, cluster_idx, scores, cluster_centers_initialized, _, init_op, train_op) = (
        training_graph
    )
else:
    (all_scores, cluster_idx, scores, cluster_centers_initialized, init_op, train_op) = (
        training_graph
    )
cluster_idx = cluster_idx[0]
avg_distance = tf.reduce_mean(scores)

sess = tf.Session()
sess.run(tf.global_variables_initializer(), feed_dict={X: full_data_x})
sess.run(init_op, feed_dict={X: full_data_x})
for i in range(1, 16):
    _, d, idx = sess.run([train_op, avg_distance, cluster_idx], feed_dict={X: full_data_x})
    if i % 5 == 0:
        print("Step %i, Avg Distance: %f" % (i, d))

counts = np.zeros(shape=(k, 10))
for i in range(len(idx)):
    counts[idx[i]] += mnist.train.labels[i]
labels_map = tf.convert_to_tensor([np.argmax(c) for c in counts])
cluster_label = tf.nn.embedding_lookup(labels_map, cluster_idx)
correct_prediction = tf.equal(cluster_label, tf.cast(tf.argmax(Y, 1), tf.int32))
accuracy_op = tf.reduce_mean(tf.cast(correct_prediction, tf.float32))
test_x, test_y = mnist.test.images, mnist.test.labels
print("Test Accuracy:", sess.run(accuracy_op, feed_dict={X: test_x, Y: test_y}))
