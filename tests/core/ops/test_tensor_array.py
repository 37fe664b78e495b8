"""Lists of tensors: what they promise as values, and `tf.TensorArray` at its edges."""

import numpy as np
import pytest

import minitf as tf
from minitf.core.ops.lists import ListValue
from tests.graphs import run


def test_an_old_list_is_what_it_was() -> None:
    empty = ListValue(3, {})
    one = empty.with_item(0, "a")
    two = one.with_item(1, "b")
    other = one.with_item(1, "c")
    assert two.items == {0: "a", 1: "b"}
    assert other.items == {0: "a", 1: "c"}
    assert one.items == {0: "a"}
    assert empty.items == {}


def test_a_long_chain_of_lists_is_no_recursion() -> None:
    first = ListValue(0, {}, grows=True)
    last = first
    for place in range(5000):
        last = last.with_item(place, place)
    assert last.size == 5000
    assert first.items == {}


def test_the_sum_of_lists_counts_what_is_missing_as_zero() -> None:
    total = ListValue(2, {0: 1.0}).added(ListValue(3, {0: 2.0, 2: 5.0}))
    assert total.items == {0: 3.0, 2: 5.0}
    assert total.size == 3


def test_each_write_gives_an_array_of_its_own() -> None:
    start = tf.TensorArray(tf.float32, 2).write(0, 1.0)
    one, other = start.write(1, 2.0), start.write(1, 3.0)
    values = run([one.stack(), other.stack()])
    np.testing.assert_array_equal(values, [[1, 2], [1, 3]])


def test_places_never_written_are_zero() -> None:
    array = tf.TensorArray(tf.float32, 3, element_shape=[2]).write(1, [1.0, 2.0])
    np.testing.assert_array_equal(run(array.stack()), [[0, 0], [1, 2], [0, 0]])
    np.testing.assert_array_equal(run(array.read(0)), [0, 0])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda a: a.write(0, 1.0).write(0, 2.0).stack(), "index 0 because it has already been"),
        (lambda a: a.write(7, 1.0).stack(), "write to index 7 but array is not resizeable"),
        (lambda a: a.read(7), "read from index 7 but array size is: 2"),
        (lambda a: a.unstack([1.0, 2.0, 3.0]).stack(), r"size of input \(2 vs. 3\)"),
        (lambda a: a.split([1.0, 2.0], [1, 2]).concat(), "sum of lengths"),
    ],
)
def test_refused_in_the_step(make, message) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        run(make(tf.TensorArray(tf.float32, 2, infer_shape=False)))


def test_shapes_are_learned_from_writes() -> None:
    array = tf.TensorArray(tf.float32, 3).write(0, tf.zeros([2, 4]))
    assert array.element_shape.as_list() == [2, 4]
    assert array.stack().shape.as_list() == [3, 2, 4]
    with pytest.raises(ValueError, match="Inconsistent shapes"):
        array.write(1, tf.zeros([2, 5]))
    with pytest.raises(ValueError, match="expected dtype"):
        array.write(1, tf.zeros([2, 4], tf.int32))


def test_second_derivative_through_every_way_in_and_out() -> None:
    x = tf.placeholder(tf.float64, [6])

    def pieces(v):
        array = tf.TensorArray(tf.float64, 3, infer_shape=False).split(v, [1, 2, 3])
        again = tf.TensorArray(tf.float64, 3).unstack(array.concat()[:3] * v[3:])
        scattered = tf.TensorArray(tf.float64, 3).scatter([2, 0, 1], again.stack() ** 2)
        return tf.reduce_sum(scattered.gather([0, 2]) * array.read(2)[:2])

    y = pieces(x)
    (first,) = tf.gradients(y, x)
    (second,) = tf.gradients(tf.reduce_sum(first * first), x)
    data = np.array([0.3, -1.2, 0.8, 1.1, 0.5, -0.7])
    with tf.Session() as session:
        value = lambda t, at: session.run(t, {x: at})  # noqa: E731
        for target, derivative in ((y, first), (tf.reduce_sum(first * first), second)):
            differences = [
                (value(target, data + 1e-6 * d) - value(target, data - 1e-6 * d)) / 2e-6
                for d in np.eye(6)
            ]
            np.testing.assert_allclose(value(derivative, data), differences, rtol=1e-5, atol=1e-6)


def test_two_sessions_at_once_do_not_share_lists() -> None:
    n = tf.placeholder(tf.int32, [])
    array = tf.TensorArray(tf.int32, 0, dynamic_size=True)
    loop = tf.while_loop(lambda i, _: i < n, lambda i, a: (i + 1, a.write(i, i)), [0, array])[1]
    stacked = loop.stack()
    with tf.Session() as session:
        for count in (3, 5, 2):
            np.testing.assert_array_equal(session.run(stacked, {n: count}), range(count))


def test_a_list_is_made_anew_in_each_run() -> None:
    x = tf.placeholder(tf.float32, [])
    stacked = tf.TensorArray(tf.float32, 1).write(0, x).stack()
    twin = tf.TensorArray(tf.float32, 1).write(0, x + 1).stack()
    with tf.Session() as session:
        text = session.explain([stacked, twin], [x]).program
        assert text.count("= op_TensorArrayV3") == 2
        assert session.run([stacked, twin], {x: 1.0}) == [[1.0], [2.0]]
        assert session.run([stacked, twin], {x: 3.0}) == [[3.0], [4.0]]
