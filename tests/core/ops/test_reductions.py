"""Reductions beyond the registry's promises: spellings of the axes, names, edges, ties."""

import math
from typing import Any

import numpy as np
import pytest

import minitf as tf

X = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def run(tensor: Any, feed: dict | None = None) -> Any:
    with tf.Session() as sess:
        return sess.run(tensor, feed)


def gradient_at(function: Any, point: Any) -> list:
    x = tf.constant(point, tf.float32)
    return run(tf.gradients(function(x), x)[0]).tolist()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, 21.0),
        ({"axis": 0}, [5, 7, 9]),
        ({"axis": -1}, [6, 15]),
        ({"axis": [0, 1]}, 21.0),
        ({"axis": (-1,)}, [6, 15]),
        ({"axis": np.array([0])}, [5, 7, 9]),
        ({"axis": []}, X),
        ({"axis": 1, "keepdims": True}, [[6], [15]]),
        ({"keepdims": True}, [[21]]),
        ({"reduction_indices": [1]}, [6, 15]),
        ({"axis": 1, "keep_dims": True}, [[6], [15]]),
    ],
)
def test_spellings_of_the_axes(arguments: dict, expected: Any) -> None:
    total = tf.reduce_sum(X, **arguments)
    value = run(total)
    assert np.asarray(value).tolist() == expected
    assert total.shape.as_list() == list(np.shape(value))


def test_axis_as_a_constant_tensor() -> None:
    assert run(tf.reduce_sum(X, tf.constant(1))).tolist() == [6.0, 15.0]
    axis = tf.placeholder(tf.int32, [])
    with pytest.raises(ValueError, match="`axis` must be known when the graph is built"):
        tf.reduce_sum(X, axis)


def test_both_spellings_at_once() -> None:
    with pytest.raises(ValueError, match="Cannot specify both 'reduction_indices' and 'axis'"):
        tf.reduce_sum(X, 1, reduction_indices=[1])
    with pytest.raises(ValueError, match="Cannot specify both 'keep_dims' and 'keepdims'"):
        tf.reduce_mean(X, 1, keepdims=True, keep_dims=True)
    with pytest.raises(ValueError, match="Cannot specify both 'dimension' and 'axis'"):
        tf.argmax(X, 1, dimension=1)


def test_axes_that_do_not_exist() -> None:
    x = tf.placeholder(tf.float32, [2, 3])
    with pytest.raises(ValueError, match=r"Invalid reduction dimension 2 for input with 2 dim"):
        tf.reduce_sum(x, 2)
    with pytest.raises(ValueError, match="Axes contains duplicate dimension: 0"):
        tf.reduce_sum(x, [0, -2])
    with pytest.raises(
        ValueError, match=r"Dimension \(2\) must be in the range \[-2, 2\), where 2"
    ):
        tf.argmax(x, 2)


def test_names_agree_with_those_of_tensorflow() -> None:
    """The constant that holds all axes is named in the scope of the reduction."""
    x = tf.placeholder(tf.float32, [2, 3])
    assert tf.reduce_sum(x).name == "Sum:0"
    assert tf.constant(1).name == "Const_1:0"
    tf.reduce_mean(x, 0)
    assert tf.constant(1).name == "Const_2:0"
    with tf.name_scope("loss"):
        assert tf.reduce_mean(x).name == "loss/Mean:0"
        assert tf.constant(1).name == "loss/Const_1:0"
    tf.reduce_max(tf.placeholder(tf.float32))
    assert tf.rank(x, name="Rank").name == "Rank_1:0"
    assert tf.range(3).name == "range_1:0"


def test_static_shapes() -> None:
    x = tf.placeholder(tf.float32, [None, 3])
    assert tf.reduce_sum(x).shape == ()
    assert tf.reduce_sum(x, 1).shape.as_list() == [None]
    assert tf.reduce_sum(x, 0, keepdims=True).shape.as_list() == [1, 3]
    unknown = tf.placeholder(tf.float32)
    assert tf.reduce_sum(unknown).shape == ()
    assert tf.reduce_sum(unknown, 0).shape.ndims is None
    assert tf.reduce_sum(unknown, keepdims=True).shape.ndims is None
    assert tf.argmax(x, 0).shape.as_list() == [3]
    assert tf.argmax(unknown, 0).shape.ndims is None


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (tf.reduce_sum, 0.0),
        (tf.reduce_prod, 1.0),
        (tf.reduce_max, -math.inf),
        (tf.reduce_min, math.inf),
    ],
)
def test_of_nothing(function: Any, expected: float) -> None:
    assert run(function(tf.zeros([0]))) == expected
    assert run(function(tf.zeros([0, 2]), 0)).tolist() == [expected] * 2


def test_mean_of_nothing_and_of_integers() -> None:
    assert math.isnan(run(tf.reduce_mean(tf.zeros([0]))))
    assert run(tf.reduce_mean(tf.constant([1, 2]))) == 1
    assert run(tf.reduce_mean(tf.constant([-1, -2]))) == -1
    assert run(tf.reduce_mean(tf.constant([[1, 2], [4, 5]]), 0)).dtype == np.int32


def test_integer_sums_wrap_and_keep_their_dtype() -> None:
    total = run(tf.reduce_sum(tf.constant([2147483647, 1])))
    assert (total, total.dtype) == (-2147483648, np.int32)
    assert run(tf.reduce_prod(tf.constant([200, 2], tf.uint8))) == 144


def test_booleans() -> None:
    x = tf.constant([[True, False], [True, True]])
    assert run(tf.reduce_all(x, 1)).tolist() == [False, True]
    assert run(tf.reduce_any(x)) is np.True_
    with pytest.raises(TypeError, match="Input 'input' of 'Any' Op has type float32 that does not"):
        tf.reduce_any(tf.constant([1.0]))


def test_ties_share_the_gradient() -> None:
    x = [[1.0, 3.0, 3.0], [2.0, 2.0, 1.0]]
    assert gradient_at(lambda x: tf.reduce_max(x, 1), x) == [[0, 0.5, 0.5], [0.5, 0.5, 0]]
    assert gradient_at(tf.reduce_min, x) == [[0.5, 0, 0], [0, 0, 0.5]]


def test_gradient_of_products_with_zeros() -> None:
    x = [[1.0, 3.0, 0.0], [2.0, 2.0, 1.0]]
    assert gradient_at(lambda x: tf.reduce_prod(x, 1), x) == [[0, 0, 3], [2, 2, 4]]
    assert gradient_at(tf.reduce_prod, x) == [[0, 0, 12], [0, 0, 0]]
    assert gradient_at(tf.reduce_prod, [[0.0, 2.0], [0.0, 3.0]]) == [[0, 0], [0, 0]]


def test_gradient_of_means_with_unknown_batch() -> None:
    x = tf.placeholder(tf.float32, [None, 2])
    mean = tf.reduce_mean(tf.square(x))
    assert run(tf.gradients(mean, x)[0], {x: [[1, 2], [3, 4]]}).tolist() == [[0.5, 1], [1.5, 2]]
    rows = tf.reduce_mean(x, 0)
    assert run(tf.gradients(rows, x)[0], {x: [[1, 2], [3, 4]]}).tolist() == [[0.5] * 2] * 2


def test_logsumexp() -> None:
    assert run(tf.reduce_logsumexp([0.0, 0.0, 0.0])) == pytest.approx(math.log(3))
    assert run(tf.reduce_logsumexp([1000.0, 1000.0])) == pytest.approx(1000 + math.log(2))
    assert run(tf.reduce_logsumexp([-math.inf, -math.inf])) == -math.inf
    rows = run(tf.reduce_logsumexp(X, 1, keepdims=True))
    np.testing.assert_allclose(rows, np.log(np.exp(X).sum(1, keepdims=True)), rtol=1e-6)
    share = gradient_at(lambda x: tf.reduce_logsumexp(x), [1000.0, 1000.0])
    assert share == pytest.approx([0.5, 0.5])


def test_counting() -> None:
    count = tf.count_nonzero([[0.0, 1.0], [2.0, 0.0]])
    assert (count.name, count.dtype) == ("count_nonzero/Sum:0", tf.int64)
    assert run(count) == 2
    assert run(tf.count_nonzero([0, 7], dtype=tf.int32)).dtype == np.int32
    assert run(tf.count_nonzero(["a", "", "b"])) == 2
    assert run(tf.count_nonzero(input=[[1, 0], [1, 1]], axis=1)).tolist() == [1, 2]


def test_variance() -> None:
    assert run(tf.math.reduce_variance(X)) == pytest.approx(np.var(X))
    assert run(tf.math.reduce_std(X, 0)).tolist() == pytest.approx([1.5] * 3)


def test_positions() -> None:
    x = [[1.0, 3.0, 3.0], [5.0, 2.0, 5.0]]
    assert run(tf.argmax(x, 1)).tolist() == [1, 0]
    assert run(tf.argmax(x)).tolist() == [1, 0, 1]
    assert run(tf.argmin(x, dimension=-1)).tolist() == [0, 1]
    assert run(tf.argmax(x, 1)).dtype == np.int64
    assert run(tf.argmax(x, 1, output_type=tf.int32)).dtype == np.int32
    assert run(tf.arg_max(x, 1)).tolist() == [1, 0]
    assert tf.argmax(x, 1, name="best").name == "best:0"


@pytest.mark.parametrize(
    ("arguments", "sums", "products"),
    [
        ({}, [1, 3, 6], [1, 2, 6]),
        ({"exclusive": True}, [0, 1, 3], [1, 1, 2]),
        ({"reverse": True}, [6, 5, 3], [6, 6, 3]),
        ({"exclusive": True, "reverse": True}, [5, 3, 0], [6, 3, 1]),
    ],
)
def test_running_sums_and_products(arguments: dict, sums: list, products: list) -> None:
    assert run(tf.cumsum([1, 2, 3], **arguments)).tolist() == sums
    assert run(tf.cumprod([1, 2, 3], **arguments)).tolist() == products
    columns = tf.transpose([[1, 2, 3], [1, 2, 3]])
    assert run(tf.cumsum(columns, 0, **arguments)).tolist() == [[s, s] for s in sums]
