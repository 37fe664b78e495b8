"""The data sets of `tf.keras.datasets`: arrays of NumPy, fetched once into `~/.keras/datasets`.

    (x_train, y_train), (x_test, y_test) = tf.keras.datasets.mnist.load_data()

The orders are those of Keras: NumPy's old generator with a fixed seed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.library.datasets.files import IDX, Store, read_idx, read_npz, read_pickle

Pair = tuple[np.ndarray, np.ndarray]
_CACHE = Store()


# ---- images -------------------------------------------------------------------------------------


def load_mnist(path: str = "mnist.npz", *, store: Store = _CACHE) -> tuple[Pair, Pair]:
    """MNIST: handwritten digits.

    Args:
      path: the name of the file in the cache, or a whole path.
      store: the folder of the files; Keras's cache.
    Returns: for training and for the test: images [n, 28, 28] of 0..255 and labels [n] of 0..9,
      uint8; 60,000 and 10,000 of them.
    Raises:
      DownloadError: when the file is not there and cannot be fetched.
    """
    arrays = read_npz(store.get("mnist.npz", path))
    return (arrays["x_train"], arrays["y_train"]), (arrays["x_test"], arrays["y_test"])


def load_fashion_mnist(*, store: Store = _CACHE) -> tuple[Pair, Pair]:
    """Fashion-MNIST: articles of clothing; in the form of MNIST.

    Args:
      store: the folder of the files; Keras's cache.
    Returns: as of `load_mnist`.
    Raises:
      DownloadError: when a file is not there and cannot be fetched.
    """
    arrays = []
    for name in IDX:
        with open(store.get(name, f"fashion-mnist/{name}"), "rb") as file:
            arrays.append(read_idx(file, "image" if "images" in name else "label"))
    return (arrays[0], arrays[1]), (arrays[2], arrays[3])


def load_cifar10(*, store: Store = _CACHE) -> tuple[Pair, Pair]:
    """CIFAR-10: small photographs of ten kinds of things.

    Args:
      store: the folder of the files; Keras's cache.
    Returns: for training and for the test: images [n, 32, 32, 3] of 0..255 and labels [n, 1] of
      0..9, uint8; 50,000 and 10,000 of them.
    Raises:
      DownloadError: when the files are not there and cannot be fetched.
    """
    folder = store.get("cifar-10-python.tar.gz", "cifar-10-batches-py", untar=True)
    batches = [_cifar(folder, f"data_batch_{number}", "labels") for number in range(1, 6)]
    images, labels = (np.concatenate(parts) for parts in zip(*batches))
    return (images, labels), _cifar(folder, "test_batch", "labels")


def _cifar(folder: str, name: str, labels: str) -> Pair:
    """One of CIFAR's files: a row of 3 x 32 x 32 bytes an image."""
    found = read_pickle(os.path.join(folder, name))
    images = found[b"data"].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
    return images, np.array(found[labels.encode()], np.uint8)[:, None]


# ---- numbers ------------------------------------------------------------------------------------


def load_boston_housing(
    path: str = "boston_housing.npz",
    test_split: float = 0.2,
    seed: int = 113,
    *,
    store: Store = _CACHE,
) -> tuple[Pair, Pair]:
    """Boston housing: what homes cost in the suburbs of Boston in the 1970s.

    One of its columns, "B", takes for granted that the origin of the people around moves prices; it
    is a set to discuss, rather than to learn from.

    Args:
      path: the name of the file in the cache, or a whole path.
      test_split: how much of it is kept for the test, of 1.
      seed: for the order.
      store: the folder of the files; Keras's cache.
    Returns: for training and for the test: features [n, 13] and prices [n] in 1,000 dollars.
    Raises:
      DownloadError: when the file is not there and cannot be fetched.
    """
    assert 0 <= test_split < 1
    arrays = read_npz(store.get("boston_housing.npz", path))
    order = _order(len(arrays["x"]), np.random.RandomState(seed))  # noqa: NPY002
    features, prices = arrays["x"][order], arrays["y"][order]
    cut = int(len(features) * (1 - test_split))
    return (features[:cut], prices[:cut]), (features[cut:], prices[cut:])


# ---- texts --------------------------------------------------------------------------------------


def load_imdb(
    path: str = "imdb.npz",
    num_words: int | None = None,
    skip_top: int = 0,
    maxlen: int | None = None,
    seed: int = 113,
    start_char: int | None = 1,
    oov_char: int | None = 2,
    index_from: int = 3,
    *,
    store: Store = _CACHE,
    **kwargs: Any,
) -> tuple[Pair, Pair]:
    """Reviews of films, as lists of numbers of words, by how frequent they are; and how they judge.

    Args:
      path: the name of the file in the cache, or a whole path.
      num_words: numbers from here on become `oov_char`; None keeps all.
      skip_top: numbers below it become `oov_char`.
      maxlen: leave longer reviews out; None keeps all.
      seed: for the order.
      start_char: stands before each review; None for nothing.
      oov_char: stands for a word that is left out; None for nothing.
      index_from: is added to all numbers of words.
      store: the folder of the files; Keras's cache.
      **kwargs: `nb_words`, the old word for num_words.
    Returns: for training and for the test: reviews, [n] lists of numbers, and judgments [n], 1 for
      good; 25,000 of each.
    Raises:
      ValueError: when maxlen leaves no review.
      DownloadError: when the file is not there and cannot be fetched.
    """
    num_words = kwargs.pop("nb_words", num_words)
    if kwargs:
        raise TypeError(f"Unrecognized keyword arguments: {kwargs}.")
    arrays = read_npz(store.get("imdb.npz", path))
    rng = np.random.RandomState(seed)  # noqa: NPY002
    parts = []
    for part in ("train", "test"):
        texts, labels = arrays[f"x_{part}"], arrays[f"y_{part}"]
        order = _order(len(texts), rng)
        parts.append(_begun(texts[order], labels[order], start_char, index_from, maxlen))
        if maxlen and not parts[-1][0]:
            raise ValueError(
                f"After filtering for sequences shorter than maxlen={maxlen}, no sequence was "
                "kept. Increase maxlen."
            )
    (train, train_labels), (test, test_labels) = parts
    texts = _limited(train + test, num_words, skip_top, oov_char)
    cut = len(train)
    return (texts[:cut], np.asarray(train_labels)), (texts[cut:], np.asarray(test_labels))


def imdb_word_index(path: str = "imdb_word_index.json") -> dict[str, int]:
    """The words of the reviews by their number, without `index_from`.

    Args:
      path: the name of the file in the cache, or a whole path.
    """
    with open(_CACHE.get("imdb_word_index.json", path), encoding="utf-8") as file:
        return json.load(file)


def _order(count: int, rng: Any) -> np.ndarray:
    order = np.arange(count)
    rng.shuffle(order)
    return order


def _begun(
    texts: Any, labels: Any, start: int | None, index_from: int, maxlen: int | None
) -> tuple[list[list[int]], Any]:
    """The texts with their start and shifted numbers, without those that are too long."""
    begin = [] if start is None else [start]
    found = [begin + [word + index_from for word in text] for text in texts]
    if not maxlen:
        return found, labels
    kept = [place for place, text in enumerate(found) if len(text) < maxlen]
    return [found[place] for place in kept], [labels[place] for place in kept]


def _limited(
    texts: list[list[int]], num_words: int | None, skip_top: int, oov: int | None
) -> np.ndarray:
    """[n] lists in which words that are too rare or too frequent have been replaced."""
    end = num_words or max(max(text) for text in texts)
    kept = range(skip_top, end)
    limited: Sequence[list[int]]
    if oov is None:
        limited = [[word for word in text if word in kept] for text in texts]
    else:
        limited = [[word if word in kept else oov for word in text] for text in texts]
    result = np.empty(len(limited), object)
    for place, text in enumerate(limited):
        result[place] = text
    return result
