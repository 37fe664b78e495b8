"""Pooling before a bias and Relu, and in one with the convolution: the same numbers, less work."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minitf as tf

X = np.random.default_rng(0).normal(size=(5, 11, 12, 3)).astype(np.float32)
PLAIN = tf.ConfigProto(
    graph_options=tf.GraphOptions(
        optimizer_options=tf.OptimizerOptions(opt_level=tf.OptimizerOptions.L0)
    )
)


def network(
    x: Any,
    w: Any,
    b: Any,
    add: Callable = tf.nn.bias_add,
    pool: Any = (2, 2),
    padding: str = "SAME",
    relu: bool = True,
    strides: Any = None,
) -> Any:
    y = add(tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME"), b)
    y = tf.nn.relu(y) if relu else y
    return tf.nn.max_pool(y, [1, *pool, 1], [1, *(strides or pool), 1], padding)


def both_ways(build: Callable, wanted: str, absent: str = "", x: np.ndarray = X) -> None:
    """Asserts that a program has `wanted` in it, lacks `absent`, and computes what it did before.

    Args:
      build: makes fetches of a feed, a filter and a bias.
    """
    results = []
    for config in (PLAIN, None):
        with tf.Graph().as_default(), tf.Session(config=config) as sess:
            feed = tf.placeholder(tf.float32, [None, *x.shape[1:]], name="x")
            w = tf.placeholder(tf.float32, [3, 3, x.shape[-1], 4], name="w")
            b = tf.placeholder(tf.float32, [4], name="b")
            fetches = build(feed, w, b)
            program = sess.explain(fetches, [feed, w, b]).program
            values = [np.random.default_rng(1).normal(size=s) for s in ((3, 3, x.shape[-1], 4), 4)]
            results.append(sess.run(fetches, {feed: x, w: values[0], b: values[1]}))
    assert wanted in program
    assert not absent or absent not in program
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def training(with_input: bool = False, **options: Any) -> Callable:
    """Builds a network and its gradients."""

    def build(x: Any, w: Any, b: Any) -> list:
        y = network(x * 2.0 if with_input else x, w, b, **options)
        loss = tf.reduce_sum(y * tf.sin(y))
        return [y, *tf.gradients(loss, [w, b, *([x] if with_input else [])])]

    return build


@pytest.mark.parametrize("add", [tf.nn.bias_add, tf.add, lambda x, b: x + b])
@pytest.mark.parametrize("relu", [True, False])
@pytest.mark.parametrize("pool", [(2, 2), (3, 2), (1, 3)])
@pytest.mark.parametrize("padding", ["VALID", "SAME"])
def test_answers_and_training(add: Callable, relu: bool, pool: Any, padding: str) -> None:
    options = {"add": add, "relu": relu, "pool": pool, "padding": padding}
    whole = padding == "VALID" or (11 % pool[0] == 0 and 12 % pool[1] == 0)
    word, other = ("op_ConvMaxPool", "Conv2D(") if whole else ("= op_MaxPool(", "")
    both_ways(lambda x, w, b: [network(x, w, b, **options)], word, other)
    word = "op_ConvMaxPoolBackpropFilter" if whole else "= op_MaxPoolGrad("
    both_ways(training(**options), word, "BroadcastLike")
    word = "op_MaxUnpool" if whole else "= op_MaxPoolGrad("
    both_ways(training(with_input=True, **options), word)


def test_what_comes_after_works_on_fewer_numbers() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None, 8, 8, 4])
        y = tf.nn.max_pool(tf.nn.relu(tf.tanh(x) + [1.0, 2, 3, 4]), 2, 2, "SAME")
        lines = sess.explain(y, [x]).program.splitlines()
    assert not any("Relu float32[?,8,8,4]" in line for line in lines)


def test_values_that_others_read_stay() -> None:
    def build(x: Any, w: Any, b: Any) -> list:
        y = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, w, 1, "SAME"), b))
        return [tf.nn.max_pool(y, 2, 2, "VALID"), tf.reduce_sum(y)]

    both_ways(build, "op_Conv2D", "op_ConvMaxPool")

    def conv_read_twice(x: Any, w: Any, b: Any) -> list:
        y = tf.nn.conv2d(x, w, 1, "SAME")
        return [tf.nn.max_pool(tf.nn.relu(y + b), 2, 2, "VALID"), tf.reduce_sum(y)]

    both_ways(conv_read_twice, "op_Conv2D", "op_ConvMaxPool")


def test_a_bias_that_stretches_the_channels_stays_before() -> None:
    def build(x: Any, w: Any, b: Any) -> list:
        y = tf.nn.relu(tf.nn.conv2d(x, w[..., :1], 1, "SAME") + b)
        y = tf.nn.max_pool(y, 2, 2, "VALID")
        return [y, *tf.gradients(y * y, [w, b, x])]

    both_ways(build, "op_Conv2D", "op_ConvMaxPool")


def test_windows_that_overlap_are_pooled_alone() -> None:
    both_ways(training(pool=(3, 3), strides=(2, 2)), "op_MaxPoolGrad", "op_ConvMaxPool")


def test_margins_given_by_hand_stay_behind() -> None:
    def build(x: Any, w: Any, b: Any) -> list:
        y = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, w, 1, "SAME"), b))
        return [tf.nn.max_pool(y, 2, 2, [[0, 0], [2, 0], [2, 0], [0, 0]])]

    both_ways(build, "op_Conv2D", "op_ConvMaxPool")


def test_nan_arrives() -> None:
    x = X.copy()
    x[0, 3, 3, 0] = np.nan
    both_ways(lambda x, w, b: [network(x, w, b, padding="VALID")], "op_ConvMaxPool", x=x)


def test_second_derivatives_still_work() -> None:
    def build(x: Any, w: Any, b: Any) -> list:
        y = network(x, w, b, padding="VALID")
        (dw,) = tf.gradients(tf.reduce_sum(y * y), w)
        return tf.gradients(tf.reduce_sum(dw * dw), w)

    both_ways(build, "op_")


def test_a_batch_that_changes_its_size() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None, 6, 6, 1])
        w, b = tf.ones([3, 3, 1, 2]), tf.constant([-10.0, 1.0])
        y = network(x, w, b)
        for batch in (0, 1, 7):
            assert sess.run(y, {x: np.ones((batch, 6, 6, 1))}).shape == (batch, 3, 3, 2)
        assert sess.run(y, {x: np.ones((1, 6, 6, 1))})[0, 1, 1].tolist() == [0, 10]


def test_sizes_that_do_not_fit_at_run_time() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x, w = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        y = tf.nn.max_pool(tf.nn.conv2d(x, w, 1, "VALID"), 2, 2, "VALID")
        assert "op_ConvMaxPool" in sess.explain(y, [x, w]).program
        with pytest.raises(tf.errors.InvalidArgumentError, match="input depth must be evenly"):
            sess.run(y, {x: np.ones((1, 4, 4, 2)), w: np.ones((1, 1, 3, 3))})
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be 4-dimensional"):
            sess.run(y, {x: np.ones((4, 4, 2)), w: np.ones((1, 1, 2, 3))})
        with pytest.raises(tf.errors.InvalidArgumentError, match="Negative dimension size"):
            sess.run(y, {x: np.ones((1, 3, 4, 2)), w: np.ones((3, 1, 2, 3))})
        assert sess.run(y, {x: np.ones((1, 3, 4, 2)), w: np.ones((1, 1, 2, 3))}).shape == (
            1,
            1,
            2,
            3,
        )
