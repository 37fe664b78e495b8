"""Tensors that stay between runs, under handles."""

import gc

import numpy as np
import pytest

import minitf as tf
from tests.graphs import graph as graph
from tests.graphs import sess as sess


def test_a_handle_names_what_a_later_run_takes(sess: tf.Session) -> None:
    product = tf.constant(10) * tf.constant([5, 6])
    kept = sess.run(tf.get_session_handle(product))
    np.testing.assert_array_equal(kept.eval(), [50, 60])
    holder, taken = tf.get_session_tensor(kept.handle, tf.int32)
    assert sess.run(taken + 1, {holder: kept.handle}).tolist() == [51, 61]
    x = tf.placeholder(tf.int32)
    assert sess.run(x * 2, {x: kept}).tolist() == [100, 120]
    assert sess.run({"h": tf.get_session_handle(product), "p": product})["h"].eval()[1] == 60


def test_what_was_deleted_is_gone(sess: tf.Session) -> None:
    kept = sess.run(tf.get_session_handle(tf.constant(1.0)))
    holder, gone = tf.delete_session_tensor(kept.handle)
    sess.run(gone, {holder: kept.handle})
    again, taken = tf.get_session_tensor(kept.handle, tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not in the session store"):
        sess.run(taken, {again: kept.handle})
    with pytest.raises(TypeError, match="may have already been deleted"):
        kept.eval()


def test_a_value_lives_as_long_as_its_handle(sess: tf.Session) -> None:
    kept = sess.run(tf.get_session_handle(tf.constant(1.0)))
    name, (holder, taken) = kept.handle, tf.get_session_tensor(kept.handle, tf.float32)
    del kept
    gc.collect()
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not in the session store"):
        sess.run(taken, {holder: name})


def test_a_value_whose_raw_handle_is_known_stays_until_it_is_deleted(sess: tf.Session) -> None:
    name = sess.run(tf.get_session_handle(tf.constant(1.0))).get_raw_handle()
    gc.collect()
    holder, taken = tf.get_session_tensor(name, tf.float32)
    assert sess.run(taken, {holder: name}) == 1.0
    doomed, gone = tf.delete_session_tensor(name)
    sess.run(gone, {doomed: name})
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not in the session store"):
        sess.run(taken, {holder: name})


def test_a_variable_changes_and_what_was_kept_does_not(sess: tf.Session) -> None:
    v = tf.Variable([1.0, 2.0])
    sess.run(v.initializer)
    kept = sess.run(tf.get_session_handle(v.read_value()))
    sess.run(v.assign_add([1.0, 1.0]))
    assert kept.eval().tolist() == [1.0, 2.0]


def test_only_tensors_are_kept() -> None:
    with pytest.raises(TypeError, match="`data` must be of type Tensor"):
        tf.get_session_handle(3.0)
