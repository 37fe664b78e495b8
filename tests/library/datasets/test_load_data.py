"""`tf.keras.datasets`: what each `load_data` gives, from files that a server on loopback has."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import minitf as tf
from minitf.library.datasets import files
from minitf.library.datasets.download import DownloadError
from tests.library.datasets.published import published


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    with published(tmp_path, monkeypatch) as found:
        yield found


def test_mnist_is_fetched_once(asked: list[str], tmp_path: Path) -> None:
    (x, y), (x_test, y_test) = tf.keras.datasets.mnist.load_data()
    assert (x.shape, x.dtype, y.tolist()) == ((5, 28, 28), np.uint8, [0, 1, 2, 3, 4])
    assert (x_test.shape, y_test.tolist(), x_test[1, 3, 3]) == ((2, 28, 28), [0, 1], 1)
    assert [path.name for path in (tmp_path / "home/.keras/datasets").iterdir()] == ["mnist.npz"]
    tf.keras.datasets.mnist.load_data()
    assert len(asked) == 1


def test_a_whole_path_is_kept_there(asked: list[str], tmp_path: Path) -> None:
    tf.keras.datasets.mnist.load_data(path=str(tmp_path / "mine/mnist.npz"))
    assert (tmp_path / "mine/mnist.npz").exists()


def test_fashion_mnist(asked: list[str]) -> None:
    (x, y), (x_test, y_test) = tf.keras.datasets.fashion_mnist.load_data()
    assert (x.shape, y.tolist(), x[3, 0, 0]) == ((4, 28, 28), [0, 1, 2, 3], 3)
    assert (x_test.shape, y_test.dtype) == ((2, 28, 28), np.uint8)


def test_cifar(asked: list[str]) -> None:
    (x, y), (x_test, y_test) = tf.keras.datasets.cifar10.load_data()
    assert (x.shape, x.dtype, y.shape, y.dtype) == ((15, 32, 32, 3), np.uint8, (15, 1), np.uint8)
    assert (x_test.shape, y_test.tolist(), x_test[2, 5, 5, 1]) == (
        (3, 32, 32, 3),
        [[0], [1], [2]],
        2,
    )


def test_boston_housing(asked: list[str]) -> None:
    (x, y), (x_test, y_test) = tf.keras.datasets.boston_housing.load_data(test_split=0.4)
    assert (x.shape, x_test.shape) == ((3, 13), (2, 13))
    np.testing.assert_array_equal(x[:, 0], y * 13)
    assert sorted([*y, *y_test]) == [0, 1, 2, 3, 4]


def test_imdb(asked: list[str]) -> None:
    (x, y), (x_test, y_test) = tf.keras.datasets.imdb.load_data()
    assert (x.dtype, x.shape, y.tolist()) == (object, (4,), [1, 0, 0, 1])
    # All but the most frequent number that is in the texts: num_words is it, and it is left out.
    assert x.tolist() == [[1, 4, 4, 10, 5], [1, 8], [1, 6, 4], [1, 5, 2, 7]]
    assert len(x_test) == len(y_test) == 3
    (x, _), _ = tf.keras.datasets.imdb.load_data(num_words=8, skip_top=5)
    assert x.tolist() == [[2, 2, 2, 2, 5], [2, 2], [2, 6, 2], [2, 5, 2, 7]]
    (x, _), _ = tf.keras.datasets.imdb.load_data(num_words=8, start_char=None, oov_char=None)
    assert x.tolist() == [[4, 4, 5], [], [6, 4], [5, 7]]
    with pytest.raises(ValueError, match="shorter than maxlen=2, no sequence was kept"):
        tf.keras.datasets.imdb.load_data(maxlen=2)
    with pytest.raises(TypeError, match="Unrecognized keyword arguments"):
        tf.keras.datasets.imdb.load_data(words=3)
    assert tf.keras.datasets.imdb.get_word_index() == {"the": 1, "of": 2}


def test_without_a_network_the_message_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setitem(files.FILES, "mnist.npz", ((tmp_path / "none").as_uri(), "0" * 64))
    with pytest.raises(
        DownloadError, match=r"elsewhere and put it at .*\.keras/datasets/mnist.npz"
    ):
        tf.keras.datasets.mnist.load_data()
