"""Layers that run at once."""

import subprocess
import sys

_PROGRAM = """
import minitf as tf
tf.enable_eager_execution()

total = lambda v: tf.reduce_sum(v)
ones = tf.ones_initializer()
layer = tf.layers.Dense(
    1, kernel_initializer=ones, kernel_regularizer=total, activity_regularizer=total
)
x = tf.ones([2, 3])
assert layer(x).numpy().tolist() == [[3.0], [3.0]]
assert [float(loss) for loss in layer.losses] == [3.0, 3.0]
layer.kernel.assign(layer.kernel * 2)
layer(x)
assert [float(loss) for loss in layer.losses] == [6.0, 6.0]   # as they are now, and no more of them

with tf.GradientTape() as tape:
    loss = tf.losses.mean_squared_error(tf.zeros([2, 1]), layer(x))
gradients = tape.gradient(loss, layer.variables)
tf.train.GradientDescentOptimizer(0.01).apply_gradients(zip(gradients, layer.variables))
assert float(tf.losses.mean_squared_error(tf.zeros([2, 1]), layer(x))) < float(loss)

norm = tf.layers.BatchNormalization(momentum=0.5)
norm(tf.constant([[2.0], [4.0]]), training=True)
assert norm.moving_mean.numpy().tolist() == [1.5]
for refused in (
    lambda: tf.metrics.mean([1.0]),
    lambda: tf.summary.merge_all(),
    lambda: tf.summary.FileWriter("x"),
):
    try:
        refused()
    except RuntimeError as error:
        assert "eager" in str(error)
    else:
        raise AssertionError("it should refuse")
"""


def test_layers_run_at_once():
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
