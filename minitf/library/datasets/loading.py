"""Ready data sets, as TensorFlow Datasets has them: from a name to a `tf.data.Dataset`.

    train, info = tf.datasets.load(
        "mnist", split="train[:80%]", as_supervised=True, with_info=True, batch_size=32
    )

    download_and_prepare    files in a folder, once
    as_dataset              arrays in memory -> slices -> batches

The examples of each split are put into one fixed random order when they are read, so that the first
ten per cent of the irises are of all three kinds.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from minitf.core.graph import errors
from minitf.core.graph.stacks import executing_eagerly
from minitf.core.runtime.session.session import Session
from minitf.library.datasets.catalog import ENTRIES, Arrays, Entry
from minitf.library.datasets.files import Store
from minitf.library.datasets.info import DatasetInfo, SplitDict, SplitInfo, slices_of
from minitf.library.input.data import structure
from minitf.library.input.data.dataset import Dataset
from minitf.library.input.data.whole_datasets import get_single_element


class DatasetBuilder:
    """A data set: what is known of it, and its examples once they are there.

    Args:
      entry: which one.
      data_dir: the folder of its files; None for Keras's, `~/.keras/datasets`.

    Attributes:
      info: what is known of it.
    """

    def __init__(self, entry: Entry, data_dir: str | None = None) -> None:
        self._entry, self._data_dir = entry, data_dir
        self._arrays: Arrays = {}
        splits = SplitDict({name: SplitInfo(name, n) for name, n in entry.examples.items()})
        self.info = DatasetInfo(
            name=entry.name,
            description=entry.description,
            features=entry.features(),
            supervised_keys=entry.supervised,
            splits=splits,
            homepage=entry.homepage,
            citation=entry.citation,
            data_dir=data_dir or "~/.keras/datasets",
        )

    def download_and_prepare(
        self, *, download_dir: str | None = None, download_config: Any = None
    ) -> None:
        """Fetches the files, unless they are there, and reads them.

        Args:
          download_dir: the folder for the files, where it is not `data_dir`.
          download_config: is not needed.
        Raises:
          DownloadError: when they cannot be had.
        """
        self._read(Store(download_dir or self._data_dir))

    def _read(self, store: Store) -> None:
        if self._arrays:
            return
        for split, columns in self._entry.read(store).items():
            order = np.random.default_rng(0).permutation(len(next(iter(columns.values()))))
            self._arrays[split] = {name: column[order] for name, column in columns.items()}
            self.info.splits[split] = SplitInfo(split, len(order))

    def as_dataset(
        self,
        split: Any = None,
        *,
        batch_size: int | None = None,
        shuffle_files: bool = False,
        decoders: Any = None,
        read_config: Any = None,
        as_supervised: bool = False,
    ) -> Any:
        """The examples as a `tf.data.Dataset` of dictionaries, or of pairs.

        Args:
          split: which examples; see `load`.
          batch_size: examples an element; None for one without a batch, -1 for all as tensors.
          shuffle_files: another order at each walk.
          decoders, read_config: are not needed.
          as_supervised: pairs of what is given and what is to be found.
        Returns: a dataset, or as many as `split` asks for, nested as it is.
        Raises:
          FileNotFoundError: when the files are not there yet.
          ValueError: for a split that there is not.
        """
        self._read(Store(self._data_dir, download=False))

        def make(one: Any) -> Any:
            return self._dataset(one, batch_size, shuffle_files, as_supervised)

        if split is None:
            split = {name: name for name in self._arrays}
        if isinstance(split, Mapping):
            return {key: make(one) for key, one in split.items()}
        if isinstance(split, list | tuple):
            return type(split)(make(one) for one in split)
        return make(split)

    def _dataset(
        self, split: Any, batch_size: int | None, shuffle: bool, as_supervised: bool
    ) -> Any:
        """The dataset of one expression."""
        sizes = {name: each.num_examples for name, each in self.info.splits.items()}
        slices = slices_of(split, sizes)
        parts = [
            Dataset.from_tensor_slices(
                {
                    name: column[each.start : each.stop]
                    for name, column in self._arrays[each.split].items()
                }
            )
            for each in slices
        ]
        dataset = parts[0]
        for part in parts[1:]:
            dataset = dataset.concatenate(part)
        count = sum(each.stop - each.start for each in slices)
        if shuffle:
            dataset = dataset.shuffle(max(count, 1))
        if as_supervised:
            given, wanted = self.info.supervised_keys
            dataset = dataset.map(lambda example: (example[given], example[wanted]))
        if batch_size is None:
            return dataset
        if batch_size == -1:
            return get_single_element(dataset.batch(max(count, 1)))
        return dataset.batch(batch_size)


class DatasetNotFoundError(ValueError):
    """There is no data set of this name."""


def list_builders() -> list[str]:
    """The names of the data sets that can be loaded, in order.

    Example:
      >>> "mnist" in tf.datasets.list_builders()
      True
    """
    return sorted(ENTRIES)


def builder(name: str, *, data_dir: str | None = None, **builder_kwargs: Any) -> DatasetBuilder:
    """Finds a data set.

    Args:
      name: one of `list_builders()`; a version after it, "mnist:3.*.*", is not looked at.
      data_dir: the folder of its files; None for Keras's, `~/.keras/datasets`.
      **builder_kwargs: are not needed.
    Raises:
      DatasetNotFoundError: when there is none of this name.
      ImportError: when it comes with a package that is not installed.
    """
    entry = ENTRIES.get(name.partition(":")[0])
    if entry is None:
        near = difflib.get_close_matches(name, ENTRIES, n=1)
        hint = f"Did you mean: {near[0]}? " if near else ""
        raise DatasetNotFoundError(
            f"Dataset {name} not found. {hint}Available datasets: {', '.join(list_builders())}."
        )
    return DatasetBuilder(entry, data_dir)


def load(
    name: str,
    *,
    split: Any = None,
    data_dir: str | None = None,
    batch_size: int | None = None,
    shuffle_files: bool = False,
    download: bool = True,
    as_supervised: bool = False,
    decoders: Any = None,
    read_config: Any = None,
    with_info: bool = False,
    builder_kwargs: Mapping[str, Any] | None = None,
    download_and_prepare_kwargs: Mapping[str, Any] | None = None,
    as_dataset_kwargs: Mapping[str, Any] | None = None,
    try_gcs: bool = False,
) -> Any:
    """Loads a data set, and fetches it the first time.

    Args:
      name: one of `list_builders()`.
      split: "train", "train[:80%]", "train[10:20]", "train+test", or a list, tuple or
        dictionary of such; None for a dictionary of all.
      data_dir: the folder of the files; None for Keras's, `~/.keras/datasets`.
      batch_size: examples an element; None for one without a batch, -1 for all of them as tensors.
      shuffle_files: another order at each walk.
      download: whether files that are not there may be fetched.
      as_supervised: pairs (what is given, what is to be found) in place of dictionaries.
      decoders, read_config, try_gcs: are not needed.
      with_info: return a pair, with the `DatasetInfo`.
      builder_kwargs, download_and_prepare_kwargs, as_dataset_kwargs: passed on.
    Returns: a `tf.data.Dataset`, or as many as `split` asks for; with the info if asked for.
    Raises:
      DatasetNotFoundError: when there is none of this name.
      ValueError: for a split that there is not.
      DownloadError: when the files cannot be fetched; the message says where to put them by hand.
    Example:
      >>> flowers = tf.datasets.load("iris", split="train[:10%]", batch_size=5)
      >>> [batch["features"].shape for batch in tf.datasets.as_numpy(flowers)]
      [(5, 4), (5, 4), (5, 4)]
    """
    found = builder(name, data_dir=data_dir, **(builder_kwargs or {}))
    if download:
        found.download_and_prepare(**(download_and_prepare_kwargs or {}))
    result = found.as_dataset(
        split,
        batch_size=batch_size,
        shuffle_files=shuffle_files,
        as_supervised=as_supervised,
        **(as_dataset_kwargs or {}),
    )
    return (result, found.info) if with_info else result


class _Walk:
    """The elements of a dataset as arrays, as often as wanted."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset

    def __iter__(self) -> Iterator[Any]:
        if executing_eagerly():
            for element in self._dataset:
                yield structure.map_nest(lambda leaf: leaf.numpy(), element)
            return
        element = self._dataset.make_one_shot_iterator().get_next()
        with Session() as session:
            while True:
                try:
                    yield session.run(element)
                except errors.OutOfRangeError:
                    return


def as_numpy(dataset: Any) -> Any:
    """Turns datasets and tensors into arrays.

    Args:
      dataset: a dataset, a tensor, or a nest of them.
    Returns: for a dataset what can be walked over, for a tensor its value, nested as they were.
    Example:
      >>> next(iter(tf.datasets.as_numpy(tf.data.Dataset.range(5))))
      0
    """

    def one(leaf: Any) -> Any:
        if isinstance(leaf, Dataset):
            return _Walk(leaf)
        if executing_eagerly():
            return leaf.numpy()
        with Session() as session:
            return session.run(leaf)

    return structure.map_nest(one, dataset)
