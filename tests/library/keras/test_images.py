"""Images: files and arrays, what changes them, and endless batches of them."""

import sys

import numpy as np
import pytest

import minitf as tf
from minitf.library.keras.preprocessing.image import _between

image = tf.keras.preprocessing.image


@pytest.mark.parametrize("mode", ["nearest", "constant", "reflect", "wrap"])
def test_between_pixels_it_is_as_in_scipy(mode: str) -> None:
    ndimage = pytest.importorskip("scipy.ndimage", reason="SciPy is not installed")
    rng = np.random.default_rng(0)
    for _ in range(30):
        x = rng.normal(size=(2, *rng.integers(2, 7, size=2))).astype(np.float32)
        matrix = np.eye(3)
        matrix[:2] += rng.normal(size=(2, 3)) * [0.7, 0.7, 4]
        wanted = [
            ndimage.affine_transform(
                channel, matrix[:2, :2], matrix[:2, 2], order=1, mode=mode, cval=0.5
            )
            for channel in x
        ]
        found = _between(x, matrix, mode, 0.5)
        np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_a_quarter_turn_and_a_shift() -> None:
    x = np.arange(9.0, dtype=np.float32).reshape(3, 3, 1)
    turned = image.ImageDataGenerator().apply_transform(x, {"theta": 90})
    np.testing.assert_allclose(turned[..., 0], np.rot90(x[..., 0]), atol=1e-5)
    generator = image.ImageDataGenerator(fill_mode="constant", cval=-1)
    moved = generator.apply_transform(x, {"tx": 1})
    np.testing.assert_array_equal(moved[..., 0], [[1, 2, -1], [4, 5, -1], [7, 8, -1]])
    assert generator.apply_transform(x, {}) is x


def test_without_pillow_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match="`load_img` requires PIL"):
        image.load_img("x.png")


def test_batches_of_an_array() -> None:
    x = np.arange(5.0).reshape(5, 1, 1, 1) * np.ones((5, 4, 4, 1))
    generator = image.ImageDataGenerator(rescale=0.5, horizontal_flip=True)
    batches = generator.flow(x, np.arange(5), batch_size=2, shuffle=False)
    assert len(batches) == 3
    for _ in range(2):  # without end
        seen = [next(batches) for _ in range(3)]
        assert [y.tolist() for _, y in seen] == [[0, 1], [2, 3], [4]]
        assert [found[0, 0, 0, 0] for found, _ in seen] == [0.0, 1.0, 2.0]
    assert next(generator.flow(x, batch_size=5)).shape == (5, 4, 4, 1)
    _, labels, weights = next(generator.flow(x, np.arange(5), sample_weight=np.ones(5)))
    assert (len(labels), weights.sum()) == (5, 5.0)
    with pytest.raises(ValueError, match="should have the same length"):
        generator.flow(x, np.arange(4))
    with pytest.raises(ValueError, match="rank 4"):
        generator.flow(x[0])


def test_a_seed_gives_the_same_batches() -> None:
    x = np.random.default_rng(0).random((6, 5, 5, 3))
    generator = image.ImageDataGenerator(rotation_range=40, zoom_range=0.2)
    first, again = (next(generator.flow(x, seed=3)) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, next(generator.flow(x, seed=4)))


def test_parts_of_an_array() -> None:
    x, y = np.zeros((10, 2, 2, 1)), np.arange(10) % 2
    generator = image.ImageDataGenerator(validation_split=0.3)
    assert generator.flow(x, y, subset="training").n == 7
    assert generator.flow(x, y, subset="validation").n == 3
    with pytest.raises(ValueError, match="different number of classes"):
        generator.flow(x, np.arange(10), subset="training")
