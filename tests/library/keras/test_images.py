"""Images: files and arrays, what changes them, and endless batches of them."""

import sys

import numpy as np
import pytest

import minitf as tf

image = tf.keras.preprocessing.image


def test_a_quarter_turn_and_a_shift() -> None:
    pytest.importorskip("scipy.ndimage", reason="SciPy is not installed")
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
    with pytest.raises(ValueError, match="should have the same length"):
        generator.flow(x, np.arange(4))
    with pytest.raises(ValueError, match="rank 4"):
        generator.flow(x[0])


def test_a_seed_gives_the_same_batches() -> None:
    pytest.importorskip("scipy.ndimage", reason="SciPy is not installed")
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
