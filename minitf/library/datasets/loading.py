"""Ready data sets, as TensorFlow Datasets has them: from a name to a `tf.data.Dataset`.

    train, info = tf.datasets.load(
        "mnist", split="train[:80%]", as_supervised=True, with_info=True, batch_size=32
    )

They are fetched once, and kept in a folder.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from minitf.core.graph import errors
from minitf.core.graph.stacks import executing_eagerly
from minitf.core.runtime.session.session import Session
from minitf.library.datasets.builders import DatasetBuilder
from minitf.library.datasets.catalog import ENTRIES
from minitf.library.input.data import structure
from minitf.library.input.data.dataset import Dataset


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
      split: "train", "train[:80%]", "train[10:20]", "train+test", a `ReadInstruction`, or a list,
        tuple or dictionary of such; None for a dictionary of all.
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
