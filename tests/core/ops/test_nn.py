"""Operations of networks beyond the registry's promises: unknown shapes, layouts, types, errors."""

from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.library.nets import conv_ops as conv_kernels
from minitf.library.nets.windows import axis_of
from tests.graphs import run


def test_an_empty_batch_has_no_loss() -> None:
    logits = tf.placeholder(tf.float32, [None, 3])
    labels = tf.placeholder(tf.int32, [None])
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    empty = {logits: np.zeros((0, 3)), labels: np.zeros(0, np.int32)}
    assert run(loss, empty).shape == (0,)


def batch() -> np.ndarray:
    return np.random.default_rng(0).normal(2.0, 3.0, size=(4, 3, 5, 2))


def test_layouts_agree() -> None:
    x, scale, offset = batch(), np.array([2.0, -1.0]), np.array([0.5, 3.0])
    for training in (True, False):
        moments = ([1.0, 2.0], [3.0, 4.0])
        given = [np.array(m) for m in moments] if not training else [None, None]
        last = tf.nn.fused_batch_norm(x, scale, offset, *given, is_training=training)[0]
        turned = tf.constant(x.transpose(0, 3, 1, 2))
        first = tf.nn.fused_batch_norm(
            turned, scale, offset, *given, data_format="NCHW", is_training=training
        )[0]
        np.testing.assert_allclose(run(first).transpose(0, 2, 3, 1), run(last), atol=1e-12)


def test_half_precision_images_with_single_precision_statistics() -> None:
    x = tf.cast(tf.constant(batch()), tf.float16)
    y, mean, _ = tf.nn.fused_batch_norm(x, tf.ones([2]), tf.zeros([2]))
    assert (y.dtype, mean.dtype) == (tf.float16, tf.float32)
    np.testing.assert_allclose(run(y).astype(float).mean(axis=(0, 1, 2)), 0, atol=1e-2)


def test_empty_batch() -> None:
    assert run(tf.nn.max_pool(tf.zeros([0, 4, 4, 1]), 2, 2, "SAME")).shape == (0, 2, 2, 1)


def test_windows_do_not_reach_over_the_batch() -> None:
    x = np.zeros((2, 4, 4, 1), np.float32)
    for pool in (tf.nn.max_pool, tf.nn.avg_pool):
        with pytest.raises(tf.errors.UnimplementedError, match="not yet supported on the batch"):
            run(pool(x, [2, 2, 2, 1], [1, 1, 1, 1], "SAME"))


# ---- convolutions --------------------------------------------------------------------------------


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize(("stride", "dilation"), [(1, 1), (2, 1), (3, 1), (1, 2)])
def test_channels_may_come_first(padding: str, channels: int, stride: int, dilation: int) -> None:
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(2, 7, 8, channels)), rng.normal(size=(3, 2, channels, 4))
    attrs = {"strides": stride, "padding": padding, "dilations": dilation}
    last = run(tf.nn.conv2d(x, w, **attrs))
    first = run(tf.nn.conv2d(x.transpose(0, 3, 1, 2), w, data_format="NCHW", **attrs))
    np.testing.assert_allclose(first, last.transpose(0, 3, 1, 2), atol=1e-12)


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("shape", [(6, 9, 9, 2), (3, 30, 5, 1)])
def test_blocks_change_nothing(stride: int, shape: tuple, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    x, w = rng.normal(size=shape), rng.normal(size=(3, 3, shape[-1], 2))
    axes = [axis_of(n, 3, stride, 1, "SAME") for n in shape[1:3]]
    dy = rng.normal(size=(shape[0], *(a.outputs for a in axes), 2))

    def results() -> list[np.ndarray]:
        return [
            conv_kernels.convolve(np, x, w, axes),
            conv_kernels.filter_gradient(np, x, dy, axes),
            conv_kernels.input_gradient(np, w, dy, axes),
        ]

    whole = results()
    for block in (1, 100, 1000):
        monkeypatch.setattr(conv_kernels, "_BLOCK", block)
        for value, expected in zip(results(), whole, strict=True):
            np.testing.assert_allclose(value, expected, atol=1e-12)


@pytest.mark.parametrize("pads", ["SAME", "VALID", (0, 3), (4, 1)])
@pytest.mark.parametrize(("stride", "dilation"), [(1, 1), (1, 2), (2, 1), (3, 1), (4, 1)])
def test_gather_and_scatter_give_one_gradient(stride: int, dilation: int, pads: Any) -> None:
    rng = np.random.default_rng(2)
    mode, pair = (pads, (0, 0)) if isinstance(pads, str) else ("EXPLICIT", pads)
    for size, window in ((9, 3), (8, 2), (5, 1)):
        axes = [axis_of(size, window, stride, dilation, mode, pair), axis_of(4, 2, 1, 1, "SAME")]
        w = rng.normal(size=(window, 2, 4, 5))
        dy = rng.normal(size=(2, *(a.outputs for a in axes), 5))
        scattered = conv_kernels._scattered(np, w, dy, axes)
        np.testing.assert_allclose(conv_kernels._gathered(np, w, dy, axes), scattered, atol=1e-12)


def test_half_precision_is_summed_in_single() -> None:
    x = tf.fill([1, 1, 4096, 1], np.float16(1))
    y = run(tf.nn.conv2d(x, tf.fill([1, 4096, 1, 1], np.float16(1)), 1, "VALID"))
    assert y.dtype == np.float16
    assert y.ravel().tolist() == [4096.0]


def test_sizes_that_do_not_fit_at_run_time() -> None:
    x, w = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    y = tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME")
    assert y.shape.as_list() == [None] * 4
    with tf.Session() as sess:
        assert sess.run(y, {x: np.ones((1, 2, 2, 1)), w: np.ones((1, 1, 1, 3))}).shape == (
            1,
            2,
            2,
            3,
        )
        with pytest.raises(tf.errors.InvalidArgumentError, match="input depth must be evenly"):
            sess.run(y, {x: np.ones((1, 2, 2, 2)), w: np.ones((1, 1, 3, 3))})
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be 4-dimensional"):
            sess.run(y, {x: np.ones((2, 2, 1)), w: np.ones((1, 1, 1, 1))})
        with pytest.raises(tf.errors.InvalidArgumentError, match="Computed output size would be"):
            sess.run(
                tf.nn.conv2d(x, w, 1, "VALID"), {x: np.ones((1, 2, 2, 1)), w: np.ones((3, 3, 1, 1))}
            )
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be 4-dimensional"):
            sess.run(tf.nn.max_pool(x, 2, 2, "SAME"), {x: np.ones((2, 2, 1))})
        with pytest.raises(tf.errors.InvalidArgumentError, match="as many biases"):
            sess.run(tf.nn.bias_add(x, w), {x: np.ones((2, 2, 1)), w: np.ones(3)})
    strided = tf.nn.conv2d(tf.ones([1, 2, 2, 1]), tf.ones([1, 1, 1, 1]), [2, 1, 1, 1], "SAME")
    with pytest.raises(tf.errors.UnimplementedError, match="strides in the batch and depth"):
        run(strided)


def test_margins_that_make_no_sense_are_refused() -> None:
    given = tf.ones([1, 4, 4, 3]), tf.ones([2, 2, 3, 1])
    with pytest.raises(ValueError, match="must be nonnegative"):
        tf.nn.conv2d(*given, 1, [[0, 0], [-1, 1], [1, 1], [0, 0]])
    with pytest.raises(ValueError, match="dilation_rate must be positive"):
        tf.nn.atrous_conv2d(*given, 0, "SAME")


def test_volumes_are_refused() -> None:
    with pytest.raises(ValueError, match="must be 1 or 2. Received: num_spatial_dims=3. minitf"):
        tf.nn.convolution(tf.zeros([1, 4, 4, 4, 1]), tf.zeros([2, 2, 2, 1, 1]), "SAME")
