"""Handwritten digits told apart by a random forest."""

from __future__ import print_function

import os

import tensorflow as tf
from tensorflow.contrib.tensor_forest.python import tensor_forest
from tensorflow.examples.tutorials.mnist import input_data
from tensorflow.python.ops import resources

os.environ["CUDA_VISIBLE_DEVICES"] = ""
mnist = input_data.read_data_sets("MNIST_data/", one_hot=False)

num_steps, batch_size = 150, 256
X = tf.placeholder(tf.float32, shape=[None, 784])
Y = tf.placeholder(tf.int32, shape=[None])

hparams = tensor_forest.ForestHParams(
    num_classes=10, num_features=784, num_trees=10, max_nodes=1000
).fill()
forest_graph = tensor_forest.RandomForestGraphs(hparams)
train_op = forest_graph.training_graph(X, Y)
loss_op = forest_graph.training_loss(X, Y)

infer_op, _, _ = forest_graph.inference_graph(X)
correct_prediction = tf.equal(tf.argmax(infer_op, 1), tf.cast(Y, tf.int64))
accuracy_op = tf.reduce_mean(tf.cast(correct_prediction, tf.float32))

init_vars = tf.group(
    tf.global_variables_initializer(), resources.initialize_resources(resources.shared_resources())
)
sess = tf.Session()
sess.run(init_vars)
for i in range(1, num_steps + 1):
    batch_x, batch_y = mnist.train.next_batch(batch_size)
    _, loss = sess.run([train_op, loss_op], feed_dict={X: batch_x, Y: batch_y})
    if i % 50 == 0 or i == 1:
        acc = sess.run(accuracy_op, feed_dict={X: batch_x, Y: batch_y})
        print("Step %i, Loss: %f, Acc: %f" % (i, loss, acc))

test_x, test_y = mnist.test.images, mnist.test.labels
print("Test Accuracy:", sess.run(accuracy_op, feed_dict={X: test_x, Y: test_y}))
