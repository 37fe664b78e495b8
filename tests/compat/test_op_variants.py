"""Functions of `tensorflow.python.ops` that the public API lacks: values and errors."""

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.compat.tensorflow import alias


@pytest.fixture
def ops() -> Iterator[Any]:
    """Finds a module of `tensorflow.python.ops`."""
    alias.install()
    yield lambda name: importlib.import_module(f"tensorflow.python.ops.{name}")
    alias.uninstall()


def run(tensor: Any) -> Any:
    with tf.Session() as sess:
        return sess.run(tensor)


def test_buckets(ops: Any) -> None:
    bucketize = ops("gen_math_ops").bucketize
    assert run(bucketize([[-5, 0], [3, 12]], [0, 3, 8, 11])).tolist() == [[0, 1], [2, 4]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected sorted boundaries"):
        bucketize([1], [3, 2])


def test_arguments_of_version_2(ops: Any) -> None:
    nn_ops, strings = ops("nn_ops"), ops("string_ops")
    x = np.ones((1, 3, 3, 1), np.float32)
    assert run(nn_ops.dropout_v2(x, 0.0)).sum() == 9
    assert run(nn_ops.conv2d_v2(x, np.ones((2, 2, 1, 1), "f"), 1, "VALID")).sum() == 16
    assert run(strings.reduce_join_v2([["a", "b"]], 1, separator=",")).tolist() == [b"a,b"]
    assert run(strings.string_length_v2("é", "UTF8_CHAR")) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="told so"):
        ops("check_ops").assert_equal_v2(1, 2, "told so")


def test_orders_of_arguments_of_both_versions(ops: Any) -> None:
    array, nn = ops("array_ops"), ops("nn_ops")
    assert run(array.size_v2([1, 2], tf.int64)).dtype == np.int64
    assert run(array.gather_nd_v2([[1, 2], [3, 4]], [[1], [0]], 1)).tolist() == [2, 3]
    assert run(nn.convolution_v2(np.ones([1, 3, 1]), np.ones([2, 1, 1]))).shape == (1, 2, 1)
    assert run(ops("math_ops").reduce_sum_v1([1, 2])) == 3
    with pytest.raises(AttributeError, match="nothing_v2"):
        array.nothing_v2  # noqa: B018
