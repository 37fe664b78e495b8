"""Which value of a variable is read beside an update in the same step: what TensorFlow gives."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minitf as tf


def after(update: Any, make: Callable[[], Any]) -> Any:
    with tf.control_dependencies([update]):
        return make()


def what_comes_after_an_update() -> tuple[Any, Any]:
    v = tf.Variable([1.0, 2.0])
    update = tf.scatter_update(v, [0], [9.0])
    return after(update, lambda: [v + 0.0, tf.identity(v), tf.gather(v, [0]), v[0] * 2.0]), [
        np.float32([9.0, 2.0]),
        np.float32([9.0, 2.0]),
        np.float32([9.0]),
        18.0,
    ]


def the_new_value_computed_from_the_old() -> tuple[Any, Any]:
    v = tf.Variable(2.0)
    return after(tf.assign(v, v * 3.0), lambda: [tf.identity(v), v + 1.0]), [6.0, 7.0]


def one_update_after_the_other() -> tuple[Any, Any]:
    v = tf.Variable(1.0)
    before = v + 0.0
    first = after(before, lambda: tf.assign_add(v, 1.0))
    second = after(first, lambda: tf.assign_add(v, v))
    return after(second, lambda: [v * 1.0, v - before, before]), [4.0, 3.0, 1.0]


def a_moving_average_behind_an_optimizer() -> tuple[Any, Any]:
    v = tf.Variable(2.0)
    train = tf.train.GradientDescentOptimizer(0.01).minimize(tf.square(v * 3.0 - 1.0))
    average = tf.train.ExponentialMovingAverage(0.5)
    apply = after(train, lambda: average.apply([v]))
    return after(apply, lambda: [average.average(v) * 1.0, v * 1.0]), [1.85, 1.7]


def a_shared_read_passed_on() -> tuple[Any, Any]:
    v = tf.Variable(1.0)
    passed_on = tf.identity(v)
    update = after(passed_on, lambda: tf.assign_add(v, 1.0))
    return after(update, lambda: [v - passed_on, passed_on * 1.0]), [0.0, 2.0]


def a_read_of_a_resource_is_kept() -> tuple[Any, Any]:
    v = tf.Variable(1.0, use_resource=True)
    kept = v.read_value()
    update = after(kept, lambda: tf.assign_add(v, 1.0))
    return after(update, lambda: [v - kept, kept * 1.0]), [1.0, 1.0]


def a_branch_that_updates() -> tuple[Any, Any]:
    v = tf.Variable(3.0)
    go = tf.placeholder_with_default(True, ())
    changed = tf.cond(
        go,
        lambda: after(tf.assign(v, v * 7.0), lambda: tf.identity(v)),
        lambda: v + 0.0,
    )
    return [changed, after(changed, lambda: v * 2.0)], [21.0, 42.0]


def a_branch_behind_an_update() -> tuple[Any, Any]:
    v = tf.Variable(1.0)
    go = tf.placeholder_with_default(True, ())
    update = tf.assign(v, v * 7.0)
    return after(update, lambda: tf.cond(go, lambda: v * 1.0, lambda: v * 2.0)), 7.0


def a_loop_that_updates() -> tuple[Any, Any]:
    v = tf.Variable(1.0)

    def body(i: Any, total: Any) -> Any:
        return after(tf.assign_add(v, 1.0), lambda: (i + 1, total + v * 1.0))

    return tf.while_loop(lambda i, total: i < 3, body, [0, 0.0]), [3, 9.0]


def a_loop_that_ends_by_what_it_updates() -> tuple[Any, Any]:
    v = tf.Variable(1.0)

    def body(i: Any) -> Any:
        return after(tf.assign_add(v, v), lambda: i + 1)

    turns = tf.while_loop(lambda i: v < 20.0, body, [0], parallel_iterations=1)
    return [turns, after(turns, lambda: v * 1.0)], [5, 32.0]


def a_branch_in_a_loop_updates() -> tuple[Any, Any]:
    v = tf.Variable(1.0)

    def body(i: Any, last: Any) -> Any:
        update = tf.cond(v < 3.0, lambda: tf.assign_add(v, 1.0) + 0.0, lambda: v * 10.0)
        return after(update, lambda: (i + 1, v * 1.0))

    return tf.while_loop(lambda i, last: i < 4, body, [0, 0.0]), [4, 3.0]


PROGRAMS = (
    what_comes_after_an_update,
    the_new_value_computed_from_the_old,
    one_update_after_the_other,
    a_moving_average_behind_an_optimizer,
    a_shared_read_passed_on,
    a_read_of_a_resource_is_kept,
    a_branch_that_updates,
    a_branch_behind_an_update,
    a_loop_that_updates,
    a_loop_that_ends_by_what_it_updates,
    a_branch_in_a_loop_updates,
)


@pytest.mark.parametrize("opt_level", [0, tf.OptimizerOptions.L0])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_reads(program: Any, opt_level: int) -> None:
    fetches, wanted = program()
    options = tf.OptimizerOptions(opt_level=opt_level)
    config = tf.ConfigProto(graph_options=tf.GraphOptions(optimizer_options=options))
    with tf.Session(config=config) as sess:
        initializer = tf.global_variables_initializer()
        for _ in range(2):
            sess.run(initializer)
            found = sess.run(fetches)
            for one, other in zip(tf.nest.flatten(found), tf.nest.flatten(wanted), strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-6)


def test_who_waits_for_no_update_reads_the_old_value() -> None:
    v = tf.Variable(1.0)
    update = tf.assign(v, v + 1.0)
    product = v * 10.0
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run([product, update.op])[0] == 10.0
        assert sess.run(product) == 20.0


def test_a_fetched_read_is_what_the_step_leaves() -> None:
    v, kept = tf.Variable([1.0]), tf.Variable([1.0], use_resource=True)
    passed_on = tf.identity(v)
    update = after(passed_on, lambda: tf.assign(v, v * 2.0 + passed_on))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run([v.value(), passed_on, v, update.op])[:3] == [3.0, 3.0, 3.0]
        assert sess.run([kept, tf.assign_add(kept, [1.0]).op])[0] == 1.0
        assert sess.run(kept) == 2.0


def test_a_value_cached_beside_the_variable_is_no_copy() -> None:
    v = tf.get_variable("v", initializer=1.0, caching_device="/cpu:0")
    later = after(tf.assign_add(v, 1.0), lambda: v * 1.0)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(later) == 2.0


def test_a_cached_value_is_a_copy() -> None:
    config = tf.ConfigProto(device_count={"CPU": 2})
    with tf.device("/cpu:0"):
        v = tf.get_variable("v", initializer=1.0, caching_device="/cpu:1")
    later = after(tf.assign_add(v, 1.0), lambda: v * 1.0)
    with tf.Session(config=config) as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(later) == 1.0
