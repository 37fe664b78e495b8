"""One step in parts."""

import pytest

import minitf as tf


@pytest.fixture
def three():
    with tf.Graph().as_default():
        a, b, c = (tf.placeholder(tf.float32, [], name=name) for name in "abc")
        noise = tf.random_uniform([]) + a
        with tf.Session() as session:
            yield session, (a, b, c), noise, noise + b, (noise + b) * c


def test_what_was_computed_stays(three):
    session, (a, b, c), noise, total, product = three
    handle = session.partial_run_setup([noise, total, product], [a, b, c])
    first = session.partial_run(handle, noise, {a: 1.0})
    second = session.partial_run(handle, [total], {b: 10.0})[0]
    assert second == pytest.approx(first + 10.0)
    assert session.partial_run(handle, product, {c: 2.0}) == pytest.approx(2.0 * second)


def test_parts_that_are_not_as_announced(three):
    session, (a, b, _), noise, total, product = three
    error = tf.errors.InvalidArgumentError
    handle = session.partial_run_setup([noise, total], [a])
    with pytest.raises(error, match=r"b:0 was not specified in partial_run_setup\.$"):
        session.partial_run(handle, noise, {b: 1.0})
    with pytest.raises(error, match=r"mul:0 was not specified in partial_run_setup\.$"):
        session.partial_run(handle, product)
    session.partial_run(handle, noise, {a: 1.0})
    with pytest.raises(error, match=r"a:0 has already been fed\.$"):
        session.partial_run(handle, total, {a: 1.0})
    with pytest.raises(error, match=r"has already been fetched\.$"):
        session.partial_run(handle, noise)
    with pytest.raises(error, match="You must feed a value for placeholder"):
        session.partial_run(handle, total)
    with pytest.raises(error, match="at least one target"):
        session.partial_run_setup([], [a])


def test_operations_and_parts_without_fetches():
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(0.0)
        by = tf.placeholder(tf.float32, [])
        change = tf.group(v.assign_add(by))
        session.run(v.initializer)
        handle = session.partial_run_setup([change], [by])
        assert session.partial_run(handle, [], {by: 2.0}) == []
        assert session.partial_run(handle, change) is None
        assert session.run(v) == 2.0


def test_a_later_part_reads_what_an_update_has_left() -> None:
    v = tf.Variable(1.0)
    a = tf.placeholder(tf.float32, [])
    b = tf.placeholder(tf.float32, [])
    with tf.control_dependencies([tf.assign_add(v, a)]):
        first = v * 10.0
    with tf.control_dependencies([first]):
        update = tf.assign_add(v, b)
    with tf.control_dependencies([update]):
        second = v * 10.0
    with tf.Session() as sess:
        sess.run(v.initializer)
        handle = sess.partial_run_setup([first, second], [a, b])
        assert sess.partial_run(handle, first, {a: 2.0}) == 30.0
        assert sess.partial_run(handle, second, {b: 3.0}) == 60.0
