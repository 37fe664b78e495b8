"""bfloat16 comes with an optional package; what is said without it."""

import sys

import numpy as np
import pytest

import minitf as tf
from minitf.core.graph.dtypes import bfloat16_type


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(ImportError, match=r"pip install 'minitf\[bfloat16\]'"):
        bfloat16_type()
    assert tf.bfloat16.is_floating and tf.as_dtype("bfloat16") is tf.bfloat16


def test_sums_are_rounded_once():
    pytest.importorskip("ml_dtypes")
    x = tf.fill([1000], tf.constant(1.0, tf.bfloat16))
    with tf.Session() as sess:
        total, mean = sess.run([tf.reduce_sum(x), tf.reduce_mean(x)])
    assert (float(total), float(mean)) == (1000.0, 1.0)  # adding ones to 256 gives 256
    assert np.asarray(total).dtype == tf.bfloat16.as_numpy_dtype


def test_a_type_without_arithmetic_in_numpy():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert tf.as_dtype(np.dtype(ml_dtypes.bfloat16)) is tf.bfloat16
    assert tf.constant(np.ones(2, ml_dtypes.bfloat16)).dtype == tf.bfloat16
