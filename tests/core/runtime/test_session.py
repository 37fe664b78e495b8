"""Sessions: fetch structures, feeds and their errors, state, threads, programs."""

import builtins
import contextvars
import threading
from typing import Any, NamedTuple

import numpy as np
import pytest

import minitf as tf


def test_a_fetched_array_is_the_callers_own() -> None:
    c, w = tf.constant([1.0, 2.0]), tf.Variable([1.0, 2.0])
    x = tf.placeholder(tf.float32, [2])
    fed = np.ones(2, np.float32)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for tensor in (c, w, w.value(), tf.reshape(c, [2, 1]), tf.identity(w)):
            value = sess.run(tensor)
            value[:] = 9
            assert not (sess.run(tensor) == 9).any()
        twice = sess.run([c + 1, tf.identity(c + 1)])
        twice[0][:] = 9
        assert not (twice[1] == 9).any()
        value = sess.run(x, {x: fed})
        value[:] = 9
        assert not (fed == 9).any()


def test_an_old_value_is_not_changed_by_a_later_update() -> None:
    w = tf.Variable(np.zeros(1000, np.float32), use_resource=True)
    before = w.read_value()
    with tf.control_dependencies([before]):
        update = tf.assign_add(w, tf.ones([1000]))
    with tf.control_dependencies([update]):
        both = before + w.read_value()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(sess.run(both), np.ones(1000))


def test_errors_name_the_node_and_the_users_line() -> None:
    x = tf.placeholder(tf.float32)
    y = tf.matmul(x, x, name="product")
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError) as caught:
        sess.run(y, {x: np.ones((2, 3))})
    assert caught.value.op is y.op
    assert "[[node product (defined at " in caught.value.message
    assert "test_session.py" in caught.value.message


def test_eight_threads_share_a_session() -> None:
    x = tf.placeholder(tf.float32, [None, 16])
    w = tf.constant(np.eye(16, dtype=np.float32) * 3)
    y = tf.reduce_sum(tf.nn.relu(tf.matmul(x, w) + 1.0) * 2.0, axis=1)
    counter = tf.Variable(0, dtype=tf.int64)
    count = tf.assign_add(counter, 1, use_locking=True)
    wrong: list = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())

        def work(seed: int) -> None:
            rng = np.random.default_rng(seed)
            for _ in range(200):
                value = rng.random((8, 16), dtype=np.float32)
                got, _ = sess.run([y, count], {x: value})
                if not np.allclose(got, ((value * 3 + 1) * 2).sum(axis=1), rtol=1e-5):
                    wrong.append(seed)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong
        assert sess.run(counter) == 1600


def test_explain_shows_the_program() -> None:
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    y = tf.nn.relu(x * 2.0 + 1.0, name="y")
    with tf.Session() as sess:
        text = sess.explain(y, [x])
    assert "def step(rendezvous, x):" in text
    assert "x * mul_y" in text
    assert "out=mul" in text  # the product's buffer takes the sum
    compile(text, "explained", "exec")


def test_a_trace_has_every_operation_and_becomes_a_timeline() -> None:
    from minitf.library.graph_tools.timeline import Timeline

    x = tf.placeholder(tf.float32, [2, 2])
    y = tf.matmul(x, x, name="product")
    feed = {x: np.ones((2, 2))}
    metadata = tf.RunMetadata()
    with tf.Session() as sess:
        sess.run(y, feed, tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), metadata)
    (device,) = metadata.step_stats.dev_stats
    assert device.device.endswith("device:CPU:0")
    assert "product" in [node.node_name for node in device.node_stats]
    assert all(node.all_end_rel_micros >= 1 for node in device.node_stats)
    assert '"product"' in Timeline(metadata.step_stats).generate_chrome_trace_format()


def test_a_nested_state_is_fed_with_one_key() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        c, h, x = (tf.placeholder(tf.float32, [2]) for _ in "chx")
        state = (tf.nn.rnn_cell.LSTMStateTuple(c, h),)
        total = c + 10 * h + 100 * x
        feeds = {state: (([1.0, 2.0], np.ones(2)),), x: [0.0, 1.0]}
        with pytest.raises(ValueError, match="Key had 2 elements, but value had 3"):
            sess.run(total, feeds)
        feeds[state] = sess.run(state, {c: [1.0, 2.0], h: [1.0, 1.0]})
        for _ in range(2):
            np.testing.assert_array_equal(sess.run(total, feeds), [11, 112])
        with pytest.raises(ValueError, match="is not unique"):
            sess.run(total, {**feeds, c: [0.0, 0.0]})


def test_namedtuples_of_equal_contents_keep_their_class() -> None:
    class Loss(NamedTuple):
        value: Any

    class Step(NamedTuple):
        value: Any

    class Pair(tuple):
        pass

    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.constant(2.0)
        for kind in (Loss(x), Step(x), Loss(x)):
            assert type(sess.run(kind)) is type(kind)
        assert type(sess.run(Pair([x]))) is Pair
        assert type(sess.run((x,))) is tuple


def test_in_a_notebook_a_step_sees_the_context_of_its_cell(monkeypatch):
    """ipykernel keeps the cell that an output belongs to in a context variable."""
    monkeypatch.setattr(builtins, "get_ipython", None, raising=False)
    cell = contextvars.ContextVar("cell")
    seen = []
    with tf.Graph().as_default(), tf.Session() as sess:
        look = tf.py_func(lambda: seen.append(cell.get()), [], [])
        for number in (1, 2):
            cell.set(number)
            sess.run(look)
    assert seen == [1, 2]
