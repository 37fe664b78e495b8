"""A convolutional network trained on two GPUs: each takes half of the batch, gradients are averaged."""

from __future__ import division, print_function

import numpy as np
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

mnist = input_data.read_data_sets("MNIST_data/", one_hot=True)

num_gpus = 2
batch_size = 64  # for each GPU
PS_OPS = ["Variable", "VariableV2", "AutoReloadVariable", "VarHandleOp"]


def conv_net(x, n_classes, reuse):
    with tf.variable_scope("ConvNet", reuse=reuse):
        x = tf.reshape(x, shape=[-1, 28, 28, 1])
        x = tf.layers.conv2d(x, 8, 5, activation=tf.nn.relu)
        x = tf.layers.max_pooling2d(x, 2, 2)
        x = tf.layers.conv2d(x, 16, 3, activation=tf.nn.relu)
        x = tf.layers.max_pooling2d(x, 2, 2)
        x = tf.contrib.layers.flatten(x)
        x = tf.layers.dense(x, 64, activation=tf.nn.relu)
        return tf.layers.dense(x, n_classes)


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = [tf.expand_dims(g, 0) for g, _ in grad_and_vars]
        grad = tf.reduce_mean(tf.concat(grads, 0), 0)
        average_grads.append((grad, grad_and_vars[0][1]))
    return average_grads


def assign_to_device(device, ps_device="/cpu:0"):
    def _assign(op):
        node_def = op if isinstance(op, tf.NodeDef) else op.node_def
        return "/" + ps_device if node_def.op in PS_OPS else device

    return _assign


with tf.device("/cpu:0"):
    tower_grads = []
    reuse_vars = False
    X = tf.placeholder(tf.float32, [None, 784])
    Y = tf.placeholder(tf.float32, [None, 10])
    optimizer = tf.train.AdamOptimizer(0.003)
    for i in range(num_gpus):
        with tf.device(assign_to_device("/gpu:{}".format(i), ps_device="cpu:0")):
            _x = X[i * batch_size : (i + 1) * batch_size]
            _y = Y[i * batch_size : (i + 1) * batch_size]
            logits = conv_net(_x, 10, reuse=reuse_vars)
            loss_op = tf.reduce_mean(
                tf.nn.softmax_cross_entropy_with_logits(logits=logits, labels=_y)
            )
            if i == 0:
                correct_pred = tf.equal(tf.argmax(logits, 1), tf.argmax(_y, 1))
                accuracy = tf.reduce_mean(tf.cast(correct_pred, tf.float32))
            reuse_vars = True
            tower_grads.append(optimizer.compute_gradients(loss_op))
    train_op = optimizer.apply_gradients(average_gradients(tower_grads))

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        devices = [d.name for d in sess.list_devices()]
        print("Devices:", devices)
        for step in range(1, 61):
            batch_x, batch_y = mnist.train.next_batch(batch_size * num_gpus)
            _, loss = sess.run([train_op, loss_op], feed_dict={X: batch_x, Y: batch_y})
            if step % 20 == 0:
                print("Step %d: Minibatch Loss= %.4f" % (step, loss))
        right = [
            sess.run(
                accuracy,
                feed_dict={
                    X: mnist.test.images[i : i + batch_size],
                    Y: mnist.test.labels[i : i + batch_size],
                },
            )
            for i in range(0, 512, batch_size)
        ]
        print("Testing Accuracy:", np.mean(right))
