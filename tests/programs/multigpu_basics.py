"""Powers of two matrices, on one GPU and on two."""

from __future__ import print_function

import numpy as np
import tensorflow as tf

n = 6
A = np.random.RandomState(0).rand(40, 40).astype("float32")
B = np.random.RandomState(1).rand(40, 40).astype("float32")


def matpow(M, n):
    if n < 1:
        return M
    return tf.matmul(M, matpow(M, n - 1))


c1 = []
with tf.device("/gpu:0"):
    a = tf.placeholder(tf.float32, [40, 40])
    b = tf.placeholder(tf.float32, [40, 40])
    c1.append(matpow(a, n))
    c1.append(matpow(b, n))
with tf.device("/cpu:0"):
    total = tf.add_n(c1)
with tf.Session(config=tf.ConfigProto(log_device_placement=True)) as sess:
    single = sess.run(total, {a: A, b: B})

c2 = []
with tf.device("/gpu:0"):
    a = tf.placeholder(tf.float32, [40, 40])
    c2.append(matpow(a, n))
with tf.device("/gpu:1"):
    b = tf.placeholder(tf.float32, [40, 40])
    c2.append(matpow(b, n))
with tf.device("/cpu:0"):
    total = tf.add_n(c2)
with tf.Session(config=tf.ConfigProto(log_device_placement=True)) as sess:
    double = sess.run(total, {a: A, b: B})

print("Equal:", np.allclose(single, double))
