"""MNIST from files, batches as TensorFlow draws them, and the digits that stand in."""

import gzip
import hashlib
from pathlib import Path

import numpy as np
import pytest

import minitf as tf
from minitf.library.datasets import download, mnist


def _idx(path: Path, array: np.ndarray) -> None:
    magic = 2048 + array.ndim
    header = np.array([magic, *array.shape], ">u4").tobytes()
    path.write_bytes(gzip.compress(header + array.tobytes()))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The four files with 12 images for training and 3 for the test, each filled with its label."""
    for name, count in (("train", 12), ("t10k", 3)):
        labels = (np.arange(count) % 10).astype(np.uint8)
        images = np.broadcast_to(labels[:, None, None] * 20, (count, 28, 28))
        _idx(tmp_path / f"{name}-images-idx3-ubyte.gz", images)
        _idx(tmp_path / f"{name}-labels-idx1-ubyte.gz", labels)
    return tmp_path


def test_the_files_are_read(folder: Path, capsys: pytest.CaptureFixture) -> None:
    data = mnist.read_data_sets(str(folder), one_hot=True, validation_size=2)
    assert data._fields == ("train", "validation", "test")
    assert [part.num_examples for part in data] == [10, 2, 3]
    assert data.train.images.shape == (10, 784)
    assert data.train.images.dtype == np.float32
    np.testing.assert_allclose(data.test.images[:, 5], [0, 20 / 255, 40 / 255], rtol=1e-6)
    np.testing.assert_array_equal(data.validation.labels, np.eye(10)[:2])
    shown = capsys.readouterr()
    assert f"Extracting {folder}/{mnist.TRAIN_IMAGES}" in shown.out
    assert shown.err == ""


def test_pixels_and_labels_as_they_are(folder: Path) -> None:
    data = mnist.read_data_sets(str(folder), dtype=tf.uint8, reshape=False, validation_size=0)
    assert data.train.images.shape == (12, 28, 28, 1)
    assert data.train.images.dtype == np.uint8
    np.testing.assert_array_equal(data.test.labels, [0, 1, 2])


def test_without_shuffling_the_order_stays(folder: Path) -> None:
    train = mnist.read_data_sets(str(folder), validation_size=0).train
    batches = [train.next_batch(5, shuffle=False)[1].tolist() for _ in range(3)]
    assert batches == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [0, 1, 0, 1, 2]]


def test_a_seed_gives_the_same_batches(folder: Path) -> None:
    def labels(seed: int | None) -> list[int]:
        train = mnist.read_data_sets(str(folder), validation_size=0, seed=seed).train
        return [label for _ in range(3) for label in train.next_batch(4)[1]]

    assert labels(7) == labels(7) != labels(8)
    with tf.Graph().as_default():
        tf.set_random_seed(3)
        assert labels(None) == labels(None)


def test_fake_data() -> None:
    data = mnist.read_data_sets("nowhere", fake_data=True, one_hot=True)
    images, labels = data.train.next_batch(2, fake_data=True)
    assert (images[0], labels) == ([1] * 784, [[1] + [0] * 9] * 2)
    assert data.test.num_examples == 10000


def test_what_is_refused(folder: Path) -> None:
    with pytest.raises(ValueError, match="between 0 and 12. Received: 13."):
        mnist.read_data_sets(str(folder), validation_size=13)
    with pytest.raises(TypeError, match="expected uint8 or float32"):
        mnist.read_data_sets(str(folder), validation_size=0, dtype=tf.int32)
    (folder / mnist.TEST_LABELS).write_bytes((folder / mnist.TEST_IMAGES).read_bytes())
    with pytest.raises(ValueError, match="Invalid magic number 2051 in MNIST label file"):
        mnist.read_data_sets(str(folder), validation_size=0)


# ---- downloads ----------------------------------------------------------------------------------


def test_a_file_comes_from_the_first_mirror_that_has_it(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"data")
    target = tmp_path / "deep/folder/file"
    sha256 = hashlib.sha256(b"data").hexdigest()
    urls = [(tmp_path / "none").as_uri(), source.as_uri()]
    assert download.fetch(urls, str(target), sha256) == str(target)
    assert target.read_bytes() == b"data"
    source.unlink()
    assert download.fetch(urls, str(target)) == str(target)  # it is there, nothing is asked


def test_wrong_content_is_not_taken(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"data")
    target = tmp_path / "file"
    with pytest.raises(download.DownloadError, match="wrong content, SHA-256 3a6eb"):
        download.fetch([source.as_uri()], str(target), "0" * 64)
    assert [path.name for path in tmp_path.iterdir()] == ["source"]


def test_another_source_is_downloaded_or_refused(folder: Path, tmp_path_factory) -> None:
    target = tmp_path_factory.mktemp("target")
    data = mnist.read_data_sets(str(target), validation_size=0, source_url=folder.as_uri() + "/")
    assert data.train.num_examples == 12
    assert (target / mnist.TEST_LABELS).exists()
    with pytest.raises(download.DownloadError):
        mnist.read_data_sets(str(target / "new"), source_url=(folder / "none").as_uri() + "/")


# ---- the digits that stand in -------------------------------------------------------------------


def test_the_stand_in_is_announced(
    tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    monkeypatch.setattr(mnist, "MIRRORS", ((tmp_path / "none").as_uri() + "/",))
    data = mnist.read_data_sets(str(tmp_path), source_url=mnist.MIRRORS[0])
    assert [part.num_examples for part in data] == [55_000, 5_000, 10_000]
    assert "NOT MNIST" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_no_digit_is_in_two_parts() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    train, train_labels, test, test_labels = mnist.digits_like_mnist()
    assert (train.shape, test.shape) == ((60_000, 28, 28), (10_000, 28, 28))
    parts = [train[:5000], train[5000:], test]
    # The sum of the pixels does not change with a shift; equal sums mark copies of one original.
    sums = [
        {(int(i.sum()), int((i.astype(int) ** 2).sum())) for i in part[:5000]} for part in parts
    ]
    shared = [len(a & b) for a, b in ((sums[0], sums[1]), (sums[0], sums[2]), (sums[1], sums[2]))]
    assert max(shared) <= 2
    assert set(train_labels) == set(test_labels) == set(range(10))
    again = mnist.digits_like_mnist()
    np.testing.assert_array_equal(again[0], train)
