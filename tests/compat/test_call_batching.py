"""`tf.contrib.batching`: calls of several threads are computed together."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minitf as tf
from tests.graphs import sess as sess

batching = tf.contrib.batching


def _together(*calls: Callable[[], Any]) -> list[Any]:
    """What calls in threads of their own give."""
    found: list[Any] = [None] * len(calls)

    def run(i: int) -> None:
        try:
            found[i] = calls[i]()
        except tf.errors.OpError as error:
            found[i] = error

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(calls))]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    return found


def _call(sess: tf.Session, fetches: Any, given: tf.Tensor, value: Any) -> Callable[[], Any]:
    return lambda: sess.run(fetches, {given: value})


def test_rows_are_joined_in_one_call(sess: tf.Session) -> None:
    """A full batch does not wait: the hour is never over."""
    given = tf.placeholder(tf.int32, [None])
    made = batching.batch([given, given * 10], 1, 3, 3600 * 10**6, 0)
    found = _together(_call(sess, made, given, [1, 2]), _call(sess, made, given, [5]))
    leader, other = sorted(found, key=lambda each: -len(each.batch_index))
    assert sorted(leader.batched_tensors[0].tolist()) == [1, 2, 5]
    np.testing.assert_array_equal(leader.batched_tensors[1], leader.batched_tensors[0] * 10)
    assert [each.shape for each in other.batched_tensors] == [(0,), (0,)]
    assert other.batch_index.shape == (0, 3)
    rows = {int(each): (start, end) for each, start, end in leader.batch_index}
    assert set(rows) == {int(each.id) for each in found}
    for call, mine in zip(found, ([1, 2], [5]), strict=True):
        start, end = rows[int(call.id)]
        assert leader.batched_tensors[0][start:end].tolist() == mine


@pytest.mark.parametrize("decorator", [batching.batch_function, batching.batch_function_v1])
def test_a_function_runs_once_for_all(sess: tf.Session, decorator: Any) -> None:
    sizes: list[int] = []

    def seen(x: np.ndarray) -> np.ndarray:
        sizes.append(len(x))
        return x

    captured = tf.placeholder_with_default(2, [])

    @decorator(1, 6, 3600 * 10**6)
    def computation(a: Any, b: Any) -> list[Any]:
        a = tf.reshape(tf.py_func(seen, [a], tf.int32), [-1, 2])
        return [tf.reduce_sum(a, 1) + b, a * captured]

    given = tf.placeholder(tf.int32, [None, 2])
    sums, doubled = computation(given, given[:, 0])
    assert [sums.shape.as_list(), doubled.shape.as_list()] == [[None], [None, 2]]
    values = [[[1, 2]], [[3, 4], [5, 6]], [[7, 8], [9, 10], [11, 12]]]
    found = _together(*(_call(sess, [sums, doubled], given, each) for each in values))
    for (total, twice), each in zip(found, values, strict=True):
        each = np.array(each)
        np.testing.assert_array_equal(total, each.sum(1) + each[:, 0])
        np.testing.assert_array_equal(twice, each * 2)
    if decorator is batching.batch_function:
        assert sizes == [6]  # who does not lead does not compute
    else:
        assert sorted(sizes) == [0, 0, 6]


def test_a_call_alone_does_not_wait_for_ever(sess: tf.Session) -> None:
    """After the time is over it is computed, with rows repeated up to an allowed number."""
    given = tf.placeholder(tf.int32, [None])
    made = batching.batch([given], 1, 10, 1000, 0, allowed_batch_sizes=[4, 10])
    rows = batching.unbatch(made.batched_tensors[0] + 1, made.batch_index, made.id, 10**6)
    joined, found = sess.run([made.batched_tensors[0], rows], {given: [7, 8]})
    assert joined.tolist() == [7, 8, 7, 7]
    assert found.tolist() == [8, 9]
    large = sess.run(rows, {given: range(10)})
    assert large.tolist() == list(range(1, 11))


def test_what_does_not_fit_begins_the_next_batch(sess: tf.Session) -> None:
    given = tf.placeholder(tf.int32, [None])
    made = batching.batch([given], 1, 4, 200_000, 0)
    values = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    found = _together(*(_call(sess, made, given, each) for each in values))
    assert [len(each.batch_index) for each in found] == [1, 1, 1]
    assert [each.batched_tensors[0].tolist() for each in found] == values


def test_what_goes_wrong(sess: tf.Session) -> None:
    one, two = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.int32, [None])
    made = batching.batch([one, two], 1, 2, 0, 0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have equal 0th-dimension size"):
        sess.run(made, {one: [1], two: [1, 2]})
    with pytest.raises(tf.errors.InvalidArgumentError, match="larger than maximum batch size 2"):
        sess.run(made, {one: [1, 2, 3], two: [1, 2, 3]})
    with pytest.raises(ValueError, match="must equal max_batch_size"):
        batching.batch([one], 1, 4, 0, 0, allowed_batch_sizes=[2, 3])
    with pytest.raises(ValueError, match="monotonically increasing"):
        batching.batch([one], 1, 4, 0, 0, allowed_batch_sizes=[4, 2, 4])
    with pytest.raises(ValueError, match="supposed to be Tensors; found 3"):
        batching.batch_function(1, 2, 0)(lambda x: x)(3)
    # Rows of a call that nobody computes do not come.
    index = tf.zeros([0, 3], tf.int64)
    waits = batching.unbatch(tf.zeros([0]), index, tf.constant(-1, tf.int64), 1000)
    with pytest.raises(tf.errors.DeadlineExceededError, match="did not arrive within timeout"):
        sess.run(waits)
