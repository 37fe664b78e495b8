"""Moving averages with weights."""

import pytest

import minitf as tf
from minitf.library.optimizers.moving_averages import weighted_moving_average


def test_a_value_counts_with_its_weight():
    value, weight = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    average = weighted_moving_average(value, 0.5, weight)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(average, {value: 3.0, weight: 4.0}) == pytest.approx(3.0)
        again = session.run(average, {value: 11.0, weight: 22.0})
    assert again == pytest.approx((3.0 * 4.0 / 2 + 11.0 * 22.0) / (4.0 / 2 + 22.0))
