"""Functions that run one at a time, however many steps there are."""

import threading

import numpy as np
import pytest

import minitf as tf


@pytest.mark.parametrize("resource", [False, True])
def test_no_step_comes_between_reading_and_writing(resource: bool) -> None:
    start = tf.zeros_initializer()
    v = tf.get_variable("v", [], initializer=start, use_resource=resource)
    section = tf.CriticalSection()
    one, two = (section.execute(lambda: v.assign(v.read_value() * 1 + 1)) for _ in range(2))
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert sorted(sess.run([one, two])) == [1.0, 2.0]
        steps = [
            threading.Thread(target=lambda: [sess.run([one, two]) for _ in range(100)])
            for _ in range(4)
        ]
        for step in steps:
            step.start()
        for step in steps:
            step.join()
        assert sess.run(v) == 802


def test_a_lock_by_name_is_one_for_all_sessions_of_a_task() -> None:
    one = tf.CriticalSection(shared_name="lock").execute(lambda: tf.constant([1, 2]))
    assert one.op.attrs["shared_name"] == "lock" and one.shape == [2]
    np.testing.assert_array_equal(tf.Session().run(one), [1, 2])


def test_a_function_does_not_wait_for_itself() -> None:
    section = tf.CriticalSection()
    with pytest.raises(ValueError, match="in which we are already running"):
        section.execute(lambda: section.execute(lambda: tf.constant(1)))
    assert section.execute(lambda: tf.constant(1)).shape == []
