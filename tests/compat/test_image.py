"""`tf.contrib.image`."""

import numpy as np
import pytest

import minitf as tf

image = tf.contrib.image
PICTURE = np.arange(12, dtype=np.float32).reshape(3, 4)
QUARTER = np.pi / 2


def _value(make: object) -> np.ndarray:
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(make())


def test_turning_by_quarters() -> None:
    square = np.arange(9, dtype=np.float32).reshape(3, 3)
    for times in range(4):
        got = _value(lambda times=times: image.rotate(square, times * QUARTER))
        np.testing.assert_array_equal(got, np.rot90(square, times))
    both = np.stack([square, square + 10])[..., None].astype(np.int32)
    got = _value(lambda: image.rotate(both, [0.0, 2 * QUARTER]))
    np.testing.assert_array_equal(got[1, ..., 0], both[1, ::-1, ::-1, 0])


def test_moving() -> None:
    got = _value(lambda: image.translate(PICTURE, [1.0, -1.0]))
    np.testing.assert_array_equal(got[:2, 1:], PICTURE[1:, :3])
    assert not got[2].any() and not got[:, 0].any()


def test_half_pixels_and_gradients() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.constant(PICTURE)
        moved = image.translate(x, [0.5, 0.0], "BILINEAR")
        got, slope = sess.run([moved, tf.gradients(moved, x)[0]])
    np.testing.assert_allclose(got[:, 1:], (PICTURE[:, 1:] + PICTURE[:, :-1]) / 2)
    np.testing.assert_allclose(got[:, 0], PICTURE[:, 0] / 2)
    np.testing.assert_allclose(slope[:, :3], 1.0)


def test_another_size_and_projections() -> None:
    larger = _value(
        lambda: image.transform(PICTURE, [0.5, 0, 0, 0, 0.5, 0, 0, 0], "BILINEAR", (6, 8))
    )
    assert larger.shape == (6, 8)
    np.testing.assert_allclose(larger[::2, ::2], PICTURE)
    skewed = _value(lambda: image.transform(PICTURE, [1.0, 0, 0, 0, 1, 0, 1, 0]))
    np.testing.assert_array_equal(
        skewed[:, :2], PICTURE[[[0, 0], [1, 0], [2, 1]], [[0, 0], [0, 0], [0, 0]]]
    )
    with pytest.raises(ValueError, match="interpolation must be"):
        image.transform(PICTURE, [0.0] * 8, "CUBIC")


def test_several_transforms_as_one() -> None:
    shift, double = [1.0, 0, 3, 0, 1, 2, 0, 0], [[2.0, 0, 0, 0, 2, 0, 0, 0]]
    got = _value(lambda: image.compose_transforms(shift, double))
    np.testing.assert_array_equal(got, [[2, 0, 3, 0, 2, 2, 0, 0]])
    matrices, back = image.flat_transforms_to_matrices, image.matrices_to_flat_transforms
    np.testing.assert_array_equal(_value(lambda: back(2 * matrices(double))), double)
    with pytest.raises(ValueError, match="Transforms should be 1D or 2D"):
        image.flat_transforms_to_matrices([[[1.0]]])
