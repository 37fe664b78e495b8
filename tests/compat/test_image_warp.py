"""`tf.contrib.image`: flows, splines, colours, components and pairs."""

import importlib
import math
from collections import deque

import numpy as np
import pytest

import minitf as tf
from minitf.compat.tensorflow import alias

image = tf.contrib.image


def _run(make: object) -> object:
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(make())


def _bent(pixels: np.ndarray, flow: np.ndarray) -> np.ndarray:
    """The reference of `dense_image_warp`: pixel by pixel."""
    result = np.zeros_like(pixels)
    batch, height, width, _ = pixels.shape
    for n, row, column in np.ndindex(batch, height, width):
        y, x = np.array([row, column]) - flow[n, row, column]
        up, left = (int(np.clip(math.floor(v), 0, s - 2)) for v, s in ((y, height), (x, width)))
        down, right = np.clip(y - up, 0, 1), np.clip(x - left, 0, 1)
        window = pixels[n, up : up + 2, left : left + 2]
        weights = np.outer([1 - down, down], [1 - right, right])
        result[n, row, column] = np.einsum("ij,ijc->c", weights, window)
    return result


@pytest.mark.parametrize("kinds", [("f4", "f4"), ("f8", "f4"), ("f4", "f8")])
def test_dense_warp(kinds: tuple[str, str]) -> None:
    rng = np.random.default_rng(0)
    pixels = rng.normal(size=(2, 4, 5, 3)).astype(kinds[0])
    flow = (rng.normal(size=(2, 4, 5, 2)) * 3).astype(kinds[1])
    got = _run(lambda: image.dense_image_warp(tf.constant(pixels), tf.constant(flow)))
    assert got.dtype == pixels.dtype
    np.testing.assert_allclose(got, _bent(pixels, flow), rtol=1e-5, atol=1e-5)


def test_dense_warp_of_unknown_sizes_and_its_slopes() -> None:
    rng = np.random.default_rng(1)
    pixels, flow = rng.normal(size=(1, 3, 4, 2)), rng.uniform(0.1, 0.4, size=(1, 3, 4, 2))
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float64, [None, None, None, 2])
        y = tf.placeholder(tf.float64, [None, None, None, 2])
        loss = tf.reduce_sum(tf.square(image.dense_image_warp(x, y)))
        values = sess.run([loss, *tf.gradients(loss, [x, y])], {x: pixels, y: flow})
    np.testing.assert_allclose(values[0], np.square(_bent(pixels, flow)).sum())
    for number, slope in enumerate(values[1:]):
        for place in [(0, 0, 0, 0), (0, 1, 2, 1), (0, 2, 3, 0)]:
            ends = []
            for step in (1e-6, -1e-6):
                given = [pixels.copy(), flow.copy()]
                given[number][place] += step
                ends.append(np.square(_bent(*given)).sum())
            np.testing.assert_allclose(slope[place], (ends[0] - ends[1]) / 2e-6, atol=1e-5)


def test_values_between_grid_points() -> None:
    warp = importlib.import_module("minitf.compat.contrib.image_warp")
    grid = np.arange(9.0).reshape(1, 3, 3, 1)
    points = np.array([[[0.0, 0.0], [1.0, 0.0], [2.0, 0.5], [1.5, 1.5]]])
    for queries, way in ((points, "ij"), (points[..., ::-1].copy(), "xy")):
        got = _run(lambda q=queries, w=way: warp._interpolate_bilinear(grid, q, indexing=w))
        np.testing.assert_allclose(got[0, :, 0], [0, 3, 6.5, 6])
    with pytest.raises(ValueError, match="Indexing mode must be 'ij' or 'xy'"):
        warp._interpolate_bilinear(grid, points, indexing="yx")
    with pytest.raises(ValueError, match="Grid must be 4 dimensional. Received size"):
        warp._interpolate_bilinear(grid[0], points)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Grid width must be at least2"):
        _run(lambda: image.dense_image_warp(np.ones((1, 2, 1, 1)), np.ones((1, 2, 1, 2))))


#: Of the tests of TensorFlow 1.15: a sum of cubes and sines at 10 points, asked at 4 others.
SPLINES = {
    (1, 0.0): [6.2647187603, -7.84362604077, -5.63690142322, 1.42928896387],
    (1, 0.01): [6.77688289946, -8.02163669853, -5.79491157027, 1.4063285693],
    (2, 0.0): [8.67110264937, -8.41281390883, -5.80190044693, 1.50155606059],
    (2, 0.01): [6.70797816797, -7.49709587663, -5.28965776238, 1.52284731741],
    (3, 0.0): [9.37691802935, -8.50390141515, -5.80786417426, 1.63467762122],
    (3, 0.01): [4.47106304758, -5.71266128361, -3.92529303296, 1.86755293857],
}


@pytest.mark.parametrize("order,weight", SPLINES)
def test_splines_are_tensorflows(order: int, weight: float) -> None:
    rng = np.random.RandomState(0)
    points, queries = rng.uniform(size=[1, 10, 1]), rng.uniform(size=[1, 4, 1])
    values = (points - 0.5) ** 3 - 0.25 * points + 10 * np.sin(points * 10)
    got = _run(lambda: image.interpolate_spline(points, values, queries, order, weight))
    np.testing.assert_allclose(got[0, :, 0], SPLINES[order, weight], rtol=1e-6)


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5, 6])
def test_a_spline_goes_through_its_points_and_has_slopes(order: int) -> None:
    rng = np.random.default_rng(2)
    points, values = rng.uniform(size=(2, 7, 2)), rng.normal(size=(2, 7, 3))
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float64, [None, None, 2])
        y = tf.placeholder(tf.float64, [None, None, 3])
        through = image.interpolate_spline(x, y, x, order)
        elsewhere = image.interpolate_spline(x, y, x[:, :3] + 0.01, order)
        slopes = tf.gradients(elsewhere, [x, y])
        got, *slopes = sess.run([through, *slopes], {x: points, y: values})
    np.testing.assert_allclose(got, values, rtol=1e-3, atol=1e-3)
    assert all(np.isfinite(each).all() and each.any() for each in slopes)
    with pytest.raises(ValueError, match=r"output values \(k\) must be statically-inferrable"):
        _run(lambda: image.interpolate_spline(points, tf.placeholder(tf.float64), points, 1))


def test_points_of_images_move() -> None:
    pixels = np.zeros((1, 9, 9, 1), np.float32)
    pixels[0, 3, 4] = 1.0
    source, goal = np.float32([[[3, 4], [6, 6]]]), np.float32([[[5, 4], [6, 6]]])
    for order in (1, 2, 3):
        bent, flow = _run(
            lambda n=order: image.sparse_image_warp(pixels, source, goal, n, num_boundary_points=2)
        )
        np.testing.assert_allclose(bent[0, 5, 4], 1.0, atol=1e-2)
        np.testing.assert_allclose(flow[0, 5, 4], [2, 0], atol=1e-2)
        for row, column in [(0, 0), (0, 4), (0, 8), (4, 0), (8, 8), (6, 6)]:
            np.testing.assert_allclose(flow[0, row, column], [0, 0], atol=1e-2)
    free = _run(lambda: image.sparse_image_warp(pixels, source, source + 1.0))[1]
    np.testing.assert_allclose(free[0, :1, :1], 1.0, atol=1e-3)


def test_colours_in_yiq() -> None:
    rng = np.random.default_rng(3)
    pixels = rng.uniform(size=(2, 4, 3))
    to_yiq = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.322], [0.211, -0.523, 0.312]])
    hue, saturation, value = 0.7, 1.5, 0.8
    u, w = saturation * np.cos(hue), saturation * np.sin(hue)
    turn = value * np.array([[1, 0, 0], [0, u, -w], [0, w, u]])
    wanted = pixels @ (np.linalg.inv(to_yiq) @ turn @ to_yiq).T
    got = _run(lambda: image.adjust_hsv_in_yiq(pixels, hue, saturation, value))
    assert got.dtype == np.float64
    np.testing.assert_allclose(got, wanted, atol=3e-3)
    whole = (pixels * 255).astype(np.uint8)
    dark = _run(lambda: image.adjust_hsv_in_yiq(whole, scale_value=0.5))
    assert dark.dtype == np.uint8
    np.testing.assert_allclose(dark, whole / 2, atol=1)
    with pytest.raises(ValueError, match="at least rank 3"):
        _run(lambda: image.adjust_hsv_in_yiq(pixels[0]))


def test_random_colours() -> None:
    pixels = np.random.default_rng(4).uniform(size=(2, 3, 3)).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as sess:
        same = image.random_hsv_in_yiq(pixels)
        darker = image.random_hsv_in_yiq(pixels, 0, 1, 1, 0.25, 0.75, seed=7)
        kept, one, other = sess.run(same), sess.run(darker), sess.run(darker)
    np.testing.assert_allclose(kept, pixels, atol=1e-3)
    ratios = one / pixels
    np.testing.assert_allclose(ratios, ratios.mean(), rtol=0.02)
    assert 0.25 <= ratios.mean() <= 0.75 and not np.allclose(one, other)
    for settings, text in [
        ({"max_delta_hue": -1}, "max_delta must be non-negative"),
        ({"lower_saturation": 2}, "lower_saturation must be < upper_saturation"),
        ({"lower_value": -1}, "lower_value must be non-negative"),
    ]:
        with pytest.raises(ValueError, match=text):
            image.random_hsv_in_yiq(pixels, **settings)


def _components(images: np.ndarray) -> np.ndarray:
    """The reference: fills one component after the other."""
    result, count = np.zeros(images.shape, np.int32), 0
    for start in np.ndindex(images.shape):
        if images[start] and not result[start]:
            count += 1
            result[start], waiting = count, deque([start])
            while waiting:
                n, y, x = waiting.popleft()
                for at in ((n, y - 1, x), (n, y + 1, x), (n, y, x - 1), (n, y, x + 1)):
                    inside = all(0 <= p < s for p, s in zip(at, images.shape, strict=True))
                    if inside and images[at] == images[start] and not result[at]:
                        result[at] = count
                        waiting.append(at)
    return result


@pytest.mark.parametrize("kinds", [2, 3])
def test_components(kinds: int) -> None:
    rng = np.random.default_rng(5)
    images = rng.integers(0, kinds, size=(3, 30, 40))
    got = _run(lambda: image.connected_components(images))
    assert got.dtype == np.int32
    np.testing.assert_array_equal(got, _components(images))
    flat = _run(lambda: image.connected_components(images[1].astype(bool)))
    np.testing.assert_array_equal(flat, _components(images[1:2] > 0)[0])


def test_components_of_all_and_of_none() -> None:
    snake = np.zeros((41, 41), bool)
    snake[::2] = True
    snake[1::4, -1] = snake[3::4, 0] = True
    assert _run(lambda: image.connected_components(snake)).max() == 1
    assert not _run(lambda: image.connected_components(np.zeros((2, 3, 4), bool))).any()
    words = _run(lambda: image.connected_components([["a", "a", ""], ["b", "a", "b"]]))
    np.testing.assert_array_equal(words, [[1, 1, 0], [2, 1, 3]])
    with pytest.raises(TypeError, match=r"rank 2 \(HW\) or 3 \(NHW\). Static shape is \(3,\)"):
        image.connected_components([True, False, True])


def test_pairs() -> None:
    table = np.float32([[0.5, 0.8, 0.1], [0.3, 0.2, 0.15]])
    rows, columns = _run(lambda: image.bipartite_match(table, -1))
    assert rows.tolist() == [2, 1] and columns.tolist() == [-1, 1, 0]
    rows, columns = _run(lambda: image.bipartite_match(table, -1, top_k=1))
    assert rows.tolist() == [2, -1] and columns.tolist() == [-1, -1, 0]
    rows, columns = _run(lambda: image.bipartite_match(table, [1.0]))
    assert rows.tolist() == [2, -1] and columns.tolist() == [-1, -1, 0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least 3 rows in distance_mat"):
        _run(lambda: image.bipartite_match(table, 3))


def test_modules_of_programs() -> None:
    alias.install()
    try:
        for name in (
            "dense_image_warp",
            "interpolate_spline",
            "sparse_image_warp",
            "single_image_random_dot_stereograms",
        ):
            module = importlib.import_module(f"tensorflow.contrib.image.python.ops.{name}")
            assert getattr(module, name) is getattr(image, name)
    finally:
        alias.uninstall()
