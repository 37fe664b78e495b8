"""Weights and gradients as histograms and pictures for TensorBoard, and the timing of a step."""

from __future__ import print_function

import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

mnist = input_data.read_data_sets("MNIST_data/", one_hot=True)
logs_path = "./logs/"

x = tf.placeholder(tf.float32, [None, 784], name="InputData")
y = tf.placeholder(tf.float32, [None, 10], name="LabelData")


def layer(x, inputs, outputs, name, activation=None):
    with tf.name_scope(name):
        w = tf.Variable(tf.random_normal([inputs, outputs], stddev=0.1), name="W")
        b = tf.Variable(tf.zeros([outputs]), name="b")
        out = tf.add(tf.matmul(x, w), b)
        if activation is not None:
            out = activation(out)
            tf.summary.histogram("activations", out)
        return out


tf.summary.image("digits", tf.reshape(x, [-1, 28, 28, 1]), max_outputs=2)
hidden = layer(x, 784, 32, "layer_1", tf.nn.relu)
logits = layer(hidden, 32, 10, "layer_2")
with tf.name_scope("Loss"):
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(logits=logits, labels=y))
with tf.name_scope("SGD"):
    optimizer = tf.train.GradientDescentOptimizer(0.2)
    grads = tf.gradients(loss, tf.trainable_variables())
    grads = list(zip(grads, tf.trainable_variables()))
    apply_grads = optimizer.apply_gradients(grads_and_vars=grads)
with tf.name_scope("Accuracy"):
    acc = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), tf.argmax(y, 1)), tf.float32))

tf.summary.scalar("loss", loss)
for var in tf.trainable_variables():
    tf.summary.histogram(var.name.replace(":", "_"), var)
for grad, var in grads:
    tf.summary.histogram(var.name.replace(":", "_") + "/gradient", grad)
merged_summary_op = tf.summary.merge_all()

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    train_writer = tf.summary.FileWriter(logs_path + "train", sess.graph)
    for i in range(120):
        batch_xs, batch_ys = mnist.train.next_batch(100)
        feed = {x: batch_xs, y: batch_ys}
        if i % 50 == 49:
            run_options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
            run_metadata = tf.RunMetadata()
            _, summary = sess.run(
                [apply_grads, merged_summary_op],
                feed_dict=feed,
                options=run_options,
                run_metadata=run_metadata,
            )
            train_writer.add_run_metadata(run_metadata, "step%03d" % i)
        else:
            _, summary = sess.run([apply_grads, merged_summary_op], feed_dict=feed)
        train_writer.add_summary(summary, i)
    train_writer.close()
    print("Accuracy:", acc.eval({x: mnist.test.images, y: mnist.test.labels}))
