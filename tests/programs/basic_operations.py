"""Constants, placeholders, and the product of two matrices."""

from __future__ import print_function

import tensorflow as tf

a = tf.constant(2)
b = tf.constant(3)
with tf.Session() as sess:
    print("constants: %i + %i = %i" % (sess.run(a), sess.run(b), sess.run(a + b)))
    print("constants: %i * %i = %i" % (sess.run(a), sess.run(b), sess.run(a * b)))

x = tf.placeholder(tf.int16)
y = tf.placeholder(tf.int16)
total = tf.add(x, y)
product = tf.multiply(x, y)
with tf.Session() as sess:
    print("placeholders: sum %i" % sess.run(total, feed_dict={x: 2, y: 3}))
    print("placeholders: product %i" % sess.run(product, feed_dict={x: 2, y: 3}))

row = tf.constant([[3.0, 3.0]])
column = tf.constant([[2.0], [2.0]])
with tf.Session() as sess:
    print("matrices:", sess.run(tf.matmul(row, column)))
