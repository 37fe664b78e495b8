"""MNIST, as `tensorflow.examples.tutorials.mnist.input_data` has it.

    mnist = input_data.read_data_sets("/tmp/data/", one_hot=True)
    images, labels = mnist.train.next_batch(100)      # [100, 784] float32 of 0..1, [100, 10]

    four .gz files in train_dir?  -> they are read
    no, but a network             -> downloaded there, checked
    neither                       -> scikit-learn's digits stand in, and a line on stderr says so

Batches are drawn with NumPy's global generator, as TensorFlow's are; `tf.set_random_seed` and
`seed` set it.
"""

from __future__ import annotations

import os
import sys
from typing import Any, NamedTuple

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.ops.random import get_seed
from minitf.library.datasets.download import DownloadError, fetch
from minitf.library.datasets.files import IDX, read_idx
from minitf.library.formats.file_io import regular

TRAIN_IMAGES, TRAIN_LABELS, TEST_IMAGES, TEST_LABELS = IDX

_SHA256 = {
    TRAIN_IMAGES: "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
    TRAIN_LABELS: "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
    TEST_IMAGES: "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
    TEST_LABELS: "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
}

DEFAULT_SOURCE_URL = "https://storage.googleapis.com/cvdf-datasets/mnist/"
MIRRORS = (
    DEFAULT_SOURCE_URL,
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
    "http://yann.lecun.com/exdb/mnist/",
)


class DataSet:
    """Images with their labels, handed out in batches.

    Args:
      images: [n, rows, columns, 1] uint8.
      labels: [n], or [n, 10] when one-hot.
      fake_data: hand out batches of the same made-up image, for tests.
      one_hot: whether made-up labels are one-hot.
      dtype: float32 scales the pixels to 0..1, uint8 leaves them.
      reshape: whether an image becomes a row of pixels.
      seed: for the order of the images.

    Attributes:
      images, labels: both in their present order.
      num_examples: how many images there are.

    Raises:
      TypeError: when dtype is neither float32 nor uint8.
    """

    def __init__(
        self,
        images: Any,
        labels: Any,
        fake_data: bool = False,
        one_hot: bool = False,
        dtype: Any = dtypes.float32,
        reshape: bool = True,
        seed: int | None = None,
    ) -> None:
        seed_of_graph, seed_of_op = get_seed(seed)
        np.random.seed(seed_of_graph if seed is None else seed_of_op)  # noqa: NPY002
        dtype = dtypes.as_dtype(dtype).base_dtype
        if dtype not in (dtypes.uint8, dtypes.float32):
            raise TypeError(f"Invalid image dtype {dtype!r}, expected uint8 or float32")
        self.one_hot = one_hot
        self.num_examples = 10000
        if not fake_data:
            assert len(images) == len(labels), (
                f"images.shape: {images.shape} labels.shape: {labels.shape}"
            )
            self.num_examples = len(images)
            if reshape:
                assert images.shape[3] == 1
                images = images.reshape(len(images), images.shape[1] * images.shape[2])
            if dtype == dtypes.float32:
                images = np.multiply(images, np.float32(1 / 255), dtype=np.float32)
        self.images = images
        self.labels = labels
        self._epochs_completed = 0
        self._index_in_epoch = 0

    def next_batch(
        self, batch_size: int, fake_data: bool = False, shuffle: bool = True
    ) -> tuple[Any, Any]:
        """Returns the next images and labels; after the last one it goes on with the first.

        Args:
          batch_size: how many.
          fake_data: return made-up ones.
          shuffle: put all images into a new order at the start of each round.
        """
        if fake_data:
            label: Any = [1] + [0] * 9 if self.one_hot else 0
            return [[1] * 784 for _ in range(batch_size)], [label for _ in range(batch_size)]
        start = self._index_in_epoch
        if self._epochs_completed == 0 and start == 0 and shuffle:
            self._shuffle()
        if start + batch_size <= self.num_examples:
            self._index_in_epoch = end = start + batch_size
            return self.images[start:end], self.labels[start:end]
        self._epochs_completed += 1
        images, labels = self.images[start:], self.labels[start:]
        if shuffle:
            self._shuffle()
        self._index_in_epoch = end = batch_size - len(images)
        images = np.concatenate([images, self.images[:end]], axis=0)
        return images, np.concatenate([labels, self.labels[:end]], axis=0)

    def _shuffle(self) -> None:
        order = np.arange(self.num_examples)
        np.random.shuffle(order)  # noqa: NPY002  (so that seeded programs see the same batches)
        self.images, self.labels = self.images[order], self.labels[order]


class Datasets(NamedTuple):
    """The three parts of a data set."""

    train: Any
    validation: Any
    test: Any


def read_data_sets(
    train_dir: str,
    fake_data: bool = False,
    one_hot: bool = False,
    dtype: Any = dtypes.float32,
    reshape: bool = True,
    validation_size: int = 5000,
    seed: int | None = None,
    source_url: str = DEFAULT_SOURCE_URL,
) -> Datasets:
    """Reads MNIST, or what stands in for it; see the module.

    Args:
      train_dir: the folder with the four files; they are downloaded there.
      fake_data: make up one image instead, for tests.
      one_hot: labels as rows of ten numbers instead of one.
      dtype: float32 scales the pixels to 0..1, uint8 leaves them at 0..255.
      reshape: an image as a row of 784 pixels instead of [28, 28, 1].
      validation_size: how many of the 60,000 train images are kept apart.
      seed: for the order of the batches.
      source_url: where the four files are; another than MNIST's own is taken unchecked.
    Returns: `Datasets(train, validation, test)` of `DataSet`.
    Raises:
      ValueError: when validation_size is out of range.
      DownloadError: when the files of another source_url cannot be had.
    """
    options: dict[str, Any] = {"dtype": dtype, "reshape": reshape, "seed": seed}
    if fake_data:
        parts = (DataSet([], [], fake_data=True, one_hot=one_hot, **options) for _ in range(3))
        return Datasets(*parts)
    train_images, train_labels, test_images, test_labels = _load(
        train_dir, source_url or DEFAULT_SOURCE_URL
    )
    if one_hot:
        train_labels = dense_to_one_hot(train_labels, 10)
        test_labels = dense_to_one_hot(test_labels, 10)
    if not 0 <= validation_size <= len(train_images):
        raise ValueError(
            f"Validation size should be between 0 and {len(train_images)}. "
            f"Received: {validation_size}."
        )
    cut = validation_size
    return Datasets(
        DataSet(train_images[cut:], train_labels[cut:], **options),
        DataSet(train_images[:cut], train_labels[:cut], **options),
        DataSet(test_images, test_labels, **options),
    )


def load_mnist(train_dir: str = "MNIST-data") -> Datasets:
    """Reads MNIST from a folder below the current one."""
    return read_data_sets(train_dir)


def _load(train_dir: str, source_url: str) -> tuple[np.ndarray, ...]:
    """The four arrays: images [n, 28, 28, 1] and labels [n] for training, then for the test."""
    own = source_url in MIRRORS
    try:
        paths = {}
        for name, sha256 in _SHA256.items():
            path = os.path.join(train_dir, name)
            addresses = [m + name for m in MIRRORS] if own else [source_url + name]
            there = os.path.exists(path)
            paths[name] = fetch(addresses, path, sha256 if own else "")
            if not there:
                print("Successfully downloaded", name, os.path.getsize(path), "bytes.")
    except DownloadError as error:
        if not own:
            raise
        return _stand_in(train_dir, error)
    arrays = []
    for name, extract in zip(_SHA256, [extract_images, extract_labels] * 2, strict=True):
        with open(paths[name], "rb", opener=regular) as file:
            arrays.append(extract(file))
    return tuple(arrays)


def _stand_in(train_dir: str, why: DownloadError) -> tuple[np.ndarray, ...]:
    """The digits of scikit-learn, announced as what they are."""
    try:
        train, train_labels, test, test_labels = digits_like_mnist()
    except ImportError:
        raise DownloadError(
            f"MNIST is not in {train_dir!r} and cannot be downloaded ({why}); with scikit-learn "
            "installed (pip install scikit-learn) its digits would stand in."
        ) from None
    print(
        f"minitf: this is NOT MNIST. Its files are not in {train_dir!r} and cannot be downloaded. "
        "scikit-learn's 1,797 handwritten digits (8x8 pixels) stand in, enlarged to 28x28 and "
        "repeated with small shifts; accuracies will differ from MNIST's.",
        file=sys.stderr,
        flush=True,
    )
    return train[..., None], train_labels, test[..., None], test_labels


_ORIGINALS = (237, 1437, 1797)  # where the parts end among the originals
_IMAGES = (5_000, 55_000, 10_000)
_SHIFT = 1


def digits_like_mnist() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Scikit-learn's handwritten digits in the form of MNIST; the same at each call.

    The 1,797 digits of 8x8 pixels (UCI, 43 writers) come with scikit-learn. They are enlarged to
    20x20, set into 28x28 as MNIST's are, and repeated with small shifts until there are as many as
    in MNIST. The originals are divided first, so that no written digit is in two of the parts:

        originals   1,200 | 237 | 360
                      |      |     |
        images     55,000 | 5,000 | 10,000      train | validation | test

    Returns: train images [60000, 28, 28] and labels [60000], test images [10000, 28, 28] and labels
      [10000], all uint8. The first 5,000 of the train images are the validation part.
    Raises:
      ImportError: when scikit-learn is not installed.
    """
    from sklearn.datasets import load_digits

    digits = load_digits()
    small = _enlarge(digits.images)
    rng = np.random.default_rng(0)
    parts, start = [], 0
    for end, count in zip(_ORIGINALS, _IMAGES, strict=True):
        chosen = start + rng.permutation(np.arange(count) % (end - start))
        parts.append((_set_into_28(small[chosen], rng), digits.target[chosen].astype(np.uint8)))
        start = end
    (held, held_labels), (train, train_labels), test = parts
    return np.concatenate([held, train]), np.concatenate([held_labels, train_labels]), *test


def _enlarge(images: np.ndarray) -> np.ndarray:
    """8x8 pixels of 0..16 -> 20x20 pixels of 0..255, linear between the pixels."""
    positions = np.clip((np.arange(20) + 0.5) * 8 / 20 - 0.5, 0, 7)
    weights = np.maximum(0, 1 - np.abs(positions[:, None] - np.arange(8)))
    large = weights @ images @ weights.T * (255 / 16)
    return np.clip(np.rint(large), 0, 255).astype(np.uint8)


def _set_into_28(images: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """20x20 pixels in the middle of 28x28, at most one pixel off."""
    framed = np.zeros((len(images), 28, 28), np.uint8)
    down, right = rng.integers(4 - _SHIFT, 4 + _SHIFT + 1, size=(2, len(images)))
    for y in np.unique(down):
        for x in np.unique(right):
            here = (down == y) & (right == x)
            framed[here, y : y + 20, x : x + 20] = images[here]
    return framed


def extract_images(f: Any) -> np.ndarray:
    """Reads the images of an opened .gz file of the IDX format as [n, rows, columns, 1] uint8.

    Raises:
      ValueError: when the file is no such one.
    """
    print("Extracting", f.name)
    return read_idx(f, "image")[..., None]


def extract_labels(f: Any, one_hot: bool = False, num_classes: int = 10) -> np.ndarray:
    """Reads the labels of an opened .gz file of the IDX format as [n] uint8, or one-hot.

    Raises:
      ValueError: when the file is no such one.
    """
    print("Extracting", f.name)
    labels = read_idx(f, "label")
    return dense_to_one_hot(labels, num_classes) if one_hot else labels


def dense_to_one_hot(labels_dense: np.ndarray, num_classes: int) -> np.ndarray:
    """Turns labels [n] into rows [n, num_classes] with a 1 at the label."""
    return np.eye(num_classes)[labels_dense]
