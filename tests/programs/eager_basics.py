"""Operations that run at once, and NumPy arrays among them."""

from __future__ import absolute_import, division, print_function

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
tfe = tf.contrib.eager

a = tf.constant(2)
b = tf.constant(3)
print("a + b = %i" % (a + b))
print("a * b = %i" % (a * b))

m = tf.constant([[2.0, 1.0], [1.0, 0.0]], dtype=tf.float32)
n = np.array([[3.0, 0.0], [5.0, 1.0]], dtype=np.float32)
print("m + n = %s" % (m + n).numpy().tolist())
print("m x n = %s" % tf.matmul(m, n).numpy().tolist())
for i in range(m.shape[0]):
    for j in range(m.shape[1]):
        print("m[%i][%i] = %g" % (i, j, m[i][j]))

w = tfe.Variable(3.0)
with tf.GradientTape() as tape:
    y = w * w + 2.0 * w
print("dy/dw = %g" % tape.gradient(y, w).numpy())
