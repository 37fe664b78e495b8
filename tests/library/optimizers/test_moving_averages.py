"""Where moving averages are kept."""

import minitf as tf
from minitf.core.ops.state import variable_op


def test_averages_of_what_is_stored_stay_beside_it() -> None:
    with tf.device("/job:one"):
        variable = tf.Variable(10.0)
    with tf.device("/job:two"):
        state = variable_op(shape=tf.TensorShape([1]), dtype=tf.float32)
    computed = variable + state
    average = tf.train.ExponentialMovingAverage(0.25)
    with tf.device("/job:three"):
        average.apply([variable, state, computed])
    devices = [average.average(v).device for v in (variable, state, computed)]
    assert devices == ["/job:one", "/job:two", "/job:three"]
