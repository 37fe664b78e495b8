"""What makes a `tf.data.Dataset` of a data set.

    download_and_prepare    files in a folder, once
    as_dataset              arrays in memory -> slices -> batches

The examples of each split are put into one fixed random order when they are read, so that the first
ten per cent of the irises are of all three kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from minitf.core.graph.shapes import TensorShape
from minitf.library.datasets.files import Store
from minitf.library.datasets.info import DatasetInfo, FeaturesDict, SplitDict, SplitInfo
from minitf.library.datasets.splits import ReadInstruction
from minitf.library.input.data import structure
from minitf.library.input.data.dataset import Dataset
from minitf.library.input.data.whole_datasets import get_single_element

#: By split, by feature, an array with a row an example.
Arrays = dict[str, dict[str, np.ndarray]]


@dataclass(frozen=True)
class Entry:
    """A data set: what is known of it, and how its files are read.

    read: takes the folder of the files, and fetches what is not there.
    features: of an example; a function, since some are known by their package only.
    supervised: which feature is given, and which is to be found.
    examples: by split how many there are.
    """

    name: str
    read: Callable[[Store], Arrays]
    features: Callable[[], FeaturesDict]
    supervised: tuple[str, str]
    examples: Mapping[str, int]
    description: str
    homepage: str
    citation: str


class DatasetBuilder:
    """A data set: what is known of it, and its examples once they are there.

    Args:
      entry: which one.
      data_dir: the folder of its files; None for Keras's, `~/.keras/datasets`.
    """

    def __init__(self, entry: Entry, data_dir: str | None = None) -> None:
        self._entry, self._data_dir = entry, data_dir
        self._arrays: Arrays = {}
        splits = SplitDict({name: SplitInfo(name, n) for name, n in entry.examples.items()})
        self._info = DatasetInfo(
            name=entry.name,
            description=entry.description,
            features=entry.features(),
            supervised_keys=entry.supervised,
            splits=splits,
            homepage=entry.homepage,
            citation=entry.citation,
            data_dir=data_dir or "~/.keras/datasets",
        )

    @property
    def name(self) -> str:
        """The name of the data set."""
        return self._entry.name

    @property
    def data_dir(self) -> str:
        """The folder of its files."""
        return self._info.data_dir

    @property
    def info(self) -> DatasetInfo:
        """What is known of the data set."""
        return self._info

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
            self._info.splits[split] = SplitInfo(split, len(order))

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
        sizes = {name: each.num_examples for name, each in self._info.splits.items()}
        slices = ReadInstruction.from_spec(split).to_absolute(sizes)
        parts = [
            self._rows(
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
            given, wanted = self._info.supervised_keys
            dataset = dataset.map(lambda example: (example[given], example[wanted]))
        if batch_size is None:
            return dataset
        size = max(count, 1) if batch_size == -1 else batch_size
        shapes = dataset.output_shapes
        whole = all(TensorShape(shape).is_fully_defined() for shape in structure.flatten(shapes))
        dataset = dataset.batch(size) if whole else dataset.padded_batch(size, shapes)
        return get_single_element(dataset) if batch_size == -1 else dataset

    def _rows(self, columns: dict[str, np.ndarray]) -> Dataset:
        """A dataset of the rows of arrays; lists of unequal lengths come from a generator."""
        features = self._info.features
        lists = {name for name in columns if None in features[name].shape}
        if not lists:
            return Dataset.from_tensor_slices(columns)

        def rows() -> Iterator[dict[str, Any]]:
            for row in zip(*columns.values()):
                yield dict(zip(columns, row))

        types = {name: features[name].dtype for name in columns}
        return Dataset.from_generator(rows, types, {n: features[n].shape for n in columns})
