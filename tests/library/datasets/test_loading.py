"""Data sets by name: splits, batches, what is known of them."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode
from tests.library.datasets.published import published

tfds = tf.datasets


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    with published(tmp_path, monkeypatch) as found:
        yield found


def test_every_data_set_is_as_its_features_say(asked: list[str], tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    for name in tfds.list_builders():
        builder = tfds.builder(name, data_dir=str(tmp_path / "own"))
        assert sum(split.num_examples for split in builder.info.splits.values()) > 100
        builder.download_and_prepare()
        info = builder.info
        assert info.description and info.homepage and info.citation
        for split, dataset in builder.as_dataset().items():
            elements = list(tfds.as_numpy(dataset))
            assert len(elements) == info.splits[split].num_examples, name
            for key, feature in info.features.items():
                found = np.asarray(elements[0][key])
                shape = [n for n, own in zip(found.shape, feature.shape) if own is not None]
                assert shape == [n for n in feature.shape if n is not None], (name, key)
                assert feature.dtype == dataset.output_types[key]
        assert set(info.supervised_keys) <= set(info.features)
    assert not (tmp_path / "home/.keras").exists()


def test_what_is_wrong_in_a_split(asked: list[str]) -> None:
    for expression, message in (
        ("valid", r"Unknown split 'valid'. Should be one of \['test', 'train'\]"),
        ("train[:9]", r"Requested slice \[:9\] incompatible with 5 examples"),
        ("train[:120%]", "Percent slice boundaries"),
        ("train[a:]", "Unrecognized split: 'train"),
    ):
        with pytest.raises(ValueError, match=message):
            tfds.load("mnist", split=expression)
    with pytest.raises(tfds.DatasetNotFoundError, match="Did you mean: mnist"):
        tfds.load("mnits")
    with pytest.raises(FileNotFoundError, match="mnist.npz is not in .*download=False"):
        tfds.load("mnist", download=False, data_dir="/nowhere")


def test_batches_pairs_and_whole_sets(asked: list[str]) -> None:
    dataset, info = tfds.load(
        "mnist", split="train", batch_size=2, as_supervised=True, with_info=True
    )
    shapes = [(image.shape, label.shape) for image, label in tfds.as_numpy(dataset)]
    assert shapes == [((2, 28, 28, 1), (2,)), ((2, 28, 28, 1), (2,)), ((1, 28, 28, 1), (1,))]
    assert info.features["label"].num_classes == 10
    with eager_mode():
        whole = tfds.load("mnist", split="test", batch_size=-1)
        assert whole["image"].shape == (2, 28, 28, 1)
        numbers = tfds.as_numpy(whole)
        assert isinstance(numbers["label"], np.ndarray)
        assert [int(one["label"]) for one in tfds.load("mnist", split="test")] == list(
            numbers["label"]
        )


def test_the_page_of_a_data_set(asked: list[str]) -> None:
    info = tfds.builder("fashion_mnist").info
    assert info.splits["train"].num_examples == 60_000
    assert info.splits["train[:10%]+test"].num_examples == 16_000
    assert info.features["label"].int2str(9) == "Ankle boot"
    assert info.features["label"].str2int("Bag") == 8
    page = str(info)
    for line in (
        "tfds.core.DatasetInfo(",
        "    full_name='fashion_mnist/1.0.0',",
        "        'image': Image(shape=(28, 28, 1), dtype=uint8),",
        "        'label': ClassLabel(shape=(), dtype=int64, num_classes=10),",
        "        'train': <SplitInfo num_examples=60000, num_shards=1>,",
    ):
        assert line in page.splitlines()
    with pytest.raises(ValueError, match="Invalid string class label Hat"):
        info.features["label"].str2int("Hat")


def test_without_scikit_learn_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sklearn", None)
    with pytest.raises(ImportError, match="iris comes with scikit-learn, which is not installed"):
        tfds.load("iris")
