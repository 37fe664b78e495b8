"""Endless batches of images, from an array, from a folder, or from a table of file names.

Iterator                      which images are in the next batch
  NumpyArrayIterator          they are rows of an array
  FileIterator                they are files
    DirectoryIterator         a folder for each class
    DataFrameIterator         named in a column of a table, classes in others
"""

from __future__ import annotations

import os
import threading
import warnings
from abc import abstractmethod
from collections.abc import Iterator as Walk
from typing import Any

import numpy as np

from minitf.library.keras.backend.config import floatx
from minitf.library.keras.preprocessing.images import (
    array_to_img,
    checked_format,
    img_to_array,
    load_img,
)
from minitf.library.keras.utils.feeding import Sequence

_CHANNELS = {"rgba": 4, "rgb": 3, "grayscale": 1}


class Iterator(Sequence):
    """Batches of images, by number or one after the other without end.

    Args:
      n: how many images there are.
      batch_size: how many a batch has.
      shuffle: another order each round.
      seed: for the order and the transformations.
    """

    save_to_dir: str | None = None
    save_prefix = ""
    save_format = "png"
    data_format = "channels_last"
    white_list_formats = ("png", "jpg", "jpeg", "bmp", "ppm", "tif", "tiff")

    def __init__(self, n: int, batch_size: int, shuffle: bool, seed: int | None) -> None:
        self.n, self.batch_size, self.shuffle, self.seed = n, batch_size, shuffle, seed
        self.batch_index = 0
        self.total_batches_seen = 0
        self.lock = threading.Lock()
        self.index_array: Any = None
        self.index_generator = self._flow_index()

    def _set_index_array(self) -> None:
        self.index_array = np.arange(self.n)
        if self.shuffle:
            self.index_array = np.random.permutation(self.n)  # noqa: NPY002

    def _seeded(self) -> None:
        if self.seed is not None:
            np.random.seed(self.seed + self.total_batches_seen)  # noqa: NPY002

    def __getitem__(self, idx: int) -> Any:
        if idx >= len(self):
            raise ValueError(
                f"Asked to retrieve element {idx}, but the Sequence has length {len(self)}"
            )
        self._seeded()
        self.total_batches_seen += 1
        if self.index_array is None:
            self._set_index_array()
        rows = self.index_array[self.batch_size * idx : self.batch_size * (idx + 1)]
        return self._get_batches_of_transformed_samples(rows)

    def __len__(self) -> int:
        return -(-self.n // self.batch_size)

    def on_epoch_end(self) -> None:
        """Draws the next order."""
        self._set_index_array()

    def reset(self) -> None:
        """Goes back to the first batch."""
        self.batch_index = 0

    def _flow_index(self) -> Walk[np.ndarray]:
        self.reset()
        while True:
            self._seeded()
            if self.batch_index == 0:
                self._set_index_array()
            start = self.batch_index * self.batch_size % self.n if self.n else 0
            self.batch_index = self.batch_index + 1 if self.n > start + self.batch_size else 0
            self.total_batches_seen += 1
            yield self.index_array[start : start + self.batch_size]

    def __iter__(self) -> Walk[Any]:
        return self

    def __next__(self) -> Any:
        return self.next()

    def next(self) -> Any:
        """The next batch."""
        with self.lock:
            rows = next(self.index_generator)
        return self._get_batches_of_transformed_samples(rows)

    @abstractmethod
    def _get_batches_of_transformed_samples(self, index_array: np.ndarray) -> Any:
        """The batch of these images."""

    def _save(self, batch: np.ndarray, index_array: np.ndarray) -> None:
        """Writes the images of a batch to files, where that is wanted."""
        for image, row in zip(batch if self.save_to_dir else (), index_array):
            mark = np.random.randint(10**7)  # noqa: NPY002
            name = f"{self.save_prefix}_{row}_{mark}.{self.save_format}"
            path = os.path.join(self.save_to_dir or "", name)
            array_to_img(image, self.data_format).save(path)


class NumpyArrayIterator(Iterator):
    """Batches of the images in an array; see `ImageDataGenerator.flow`."""

    def __init__(
        self,
        x: Any,
        y: Any,
        image_data_generator: Any,
        batch_size: int = 32,
        shuffle: bool = False,
        sample_weight: Any = None,
        seed: int | None = None,
        data_format: str | None = None,
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
        dtype: Any = None,
        ignore_class_split: bool = False,
    ) -> None:
        others: list[Any] = []
        if isinstance(x, tuple | list):
            x, more = x
            others = [np.asarray(each) for each in (more if isinstance(more, list) else [more])]
        columns = ("y", y), ("sample_weight", sample_weight), *(("x", each) for each in others)
        for name, column in columns:
            if column is not None and len(column) != len(x):
                raise ValueError(
                    f"`x` (images tensor) and `{name}` should have the same length. Found: "
                    f"x.shape = {np.shape(x)}, {name}.shape = {np.shape(column)}"
                )
        y, sample_weight = (None if c is None else np.asarray(c) for c in (y, sample_weight))
        if subset is not None:
            cut = int(len(x) * image_data_generator._validation_split)
            rows = _part(subset, cut)
            if y is not None and not ignore_class_split:
                if not np.array_equal(np.unique(y[:cut]), np.unique(y[cut:])):
                    raise ValueError(
                        "Training and validation subsets have different number of classes after "
                        "the split. If your numpy arrays are sorted by the label, you might want "
                        "to shuffle them."
                    )
            x, others = x[rows], [each[rows] for each in others]
            y, sample_weight = (None if c is None else c[rows] for c in (y, sample_weight))
        self.dtype = dtype or floatx()
        self.x, self.x_misc, self.y = np.asarray(x, dtype=self.dtype), others, y
        if self.x.ndim != 4:
            raise ValueError(
                "Input data in `NumpyArrayIterator` should have rank 4. You passed an array with "
                "shape",
                self.x.shape,
            )
        self.data_format = checked_format(data_format)
        warn_of_channels(self.x, self.data_format)
        self.sample_weight = sample_weight
        self.image_data_generator = image_data_generator
        self.save_to_dir, self.save_prefix = save_to_dir, save_prefix
        self.save_format = save_format
        super().__init__(len(self.x), batch_size, shuffle, seed)

    def _get_batches_of_transformed_samples(self, index_array: np.ndarray) -> Any:
        batch = np.zeros((len(index_array), *self.x.shape[1:]), self.dtype)
        for place, row in enumerate(index_array):
            batch[place] = self.image_data_generator._made(self.x[row].astype(self.dtype))
        self._save(batch, index_array)
        given = [batch, *(each[index_array] for each in self.x_misc)] if self.x_misc else batch
        if self.y is None:
            return given
        weights = () if self.sample_weight is None else (self.sample_weight[index_array],)
        return (given, self.y[index_array], *weights)


def warn_of_channels(x: np.ndarray, data_format: str) -> None:
    """Says so when an array of images is likely to have another layout."""
    axis = 3 if data_format == "channels_last" else 1
    if x.shape[axis] not in (1, 3, 4):
        warnings.warn(
            f'Expected input to be images following the data format convention "{data_format}" '
            f"(channels on axis {axis}), i.e. expected either 1, 3 or 4 channels on axis {axis}. "
            f"However, it was passed an array with shape {x.shape} ({x.shape[axis]} channels).",
            stacklevel=3,
        )


def _part(subset: str, cut: int) -> slice:
    """The rows of a subset: those for validation come first."""
    if subset not in ("training", "validation"):
        raise ValueError(f'Invalid subset name: {subset}; expected "training" or "validation".')
    return slice(cut) if subset == "validation" else slice(cut, None)


class FileIterator(Iterator):
    """Batches of images in files; who derives from it finds them, and their labels, in `_files`."""

    class_mode: str | None
    class_indices: dict[Any, int]
    labels: Any
    sample_weight: Any = None

    def __init__(
        self,
        image_data_generator: Any,
        target_size: Any,
        color_mode: str,
        batch_size: int,
        shuffle: bool,
        seed: int | None,
        data_format: str | None,
        save_to_dir: str | None,
        save_prefix: str,
        save_format: str,
        subset: str | None,
        interpolation: str,
        keep_aspect_ratio: bool,
        dtype: Any,
    ) -> None:
        if color_mode not in _CHANNELS:
            raise ValueError(
                "Invalid color mode:", color_mode, '; expected "rgb", "rgba", or "grayscale".'
            )
        self.image_data_generator, self.color_mode = image_data_generator, color_mode
        self.target_size = tuple(target_size)
        self.data_format = checked_format(data_format)
        channels = (_CHANNELS[color_mode],)
        last = self.data_format == "channels_last"
        self.image_shape = self.target_size + channels if last else channels + self.target_size
        self.interpolation, self.keep_aspect_ratio = interpolation, keep_aspect_ratio
        self.save_to_dir, self.save_prefix = save_to_dir, save_prefix
        self.save_format, self.subset = save_format, subset
        self.dtype = dtype or floatx()
        self.filepaths = self._files()
        self.samples = len(self.filepaths)
        super().__init__(self.samples, batch_size, shuffle, seed)

    @abstractmethod
    def _files(self) -> list[str]:
        """Finds the files and the labels."""

    def _of_subset(self, rows: list[Any]) -> list[Any]:
        """Those of some rows that are in the subset."""
        if self.subset is None:
            return rows
        part = self.image_data_generator._validation_split
        return rows[_part(self.subset, int(part * len(rows)))]

    def _get_batches_of_transformed_samples(self, index_array: np.ndarray) -> Any:
        batch = np.zeros((len(index_array), *self.image_shape), self.dtype)
        for place, row in enumerate(index_array):
            picture = load_img(
                self.filepaths[row],
                color_mode=self.color_mode,
                target_size=self.target_size,
                interpolation=self.interpolation,
                keep_aspect_ratio=self.keep_aspect_ratio,
            )
            image = img_to_array(picture, self.data_format, self.dtype)
            generator = self.image_data_generator
            batch[place] = generator._made(image) if generator else image
        self._save(batch, index_array)
        if self.class_mode is None:
            return batch
        weights = () if self.sample_weight is None else (self.sample_weight[index_array],)
        return (batch, self._labels_of(index_array, batch), *weights)

    def _labels_of(self, rows: np.ndarray, batch: np.ndarray) -> Any:
        if self.class_mode == "input":
            return batch.copy()
        if self.class_mode == "multi_output":
            return [column[rows] for column in self.labels]
        if self.class_mode == "raw":
            return self.labels[rows]
        if self.class_mode in ("binary", "sparse"):
            return np.array([self.labels[row] for row in rows], self.dtype)
        found = np.zeros((len(rows), len(self.class_indices)), self.dtype)
        for place, row in enumerate(rows):
            found[place, self.labels[row]] = 1.0
        return found


class DirectoryIterator(FileIterator):
    """Batches of the images in a folder of folders; see `flow_from_directory`."""

    allowed_class_modes = ("categorical", "binary", "sparse", "input", None)

    def __init__(
        self,
        directory: Any,
        image_data_generator: Any,
        target_size: Any = (256, 256),
        color_mode: str = "rgb",
        classes: Any = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        data_format: str | None = None,
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        follow_links: bool = False,
        subset: str | None = None,
        interpolation: str = "nearest",
        dtype: Any = None,
        keep_aspect_ratio: bool = False,
    ) -> None:
        if class_mode not in self.allowed_class_modes:
            raise ValueError(
                f"Invalid class_mode: {class_mode}; expected one of: {self.allowed_class_modes}"
            )
        self.directory, self.class_mode = os.fspath(directory), class_mode
        self._follow = follow_links
        names = classes or sorted(each.name for each in os.scandir(self.directory) if each.is_dir())
        self.num_classes = len(names)
        self.class_indices = {name: number for number, name in enumerate(names)}
        super().__init__(
            image_data_generator,
            target_size,
            color_mode,
            batch_size,
            shuffle,
            seed,
            data_format,
            save_to_dir,
            save_prefix,
            save_format,
            subset,
            interpolation,
            keep_aspect_ratio,
            dtype,
        )
        print(f"Found {self.samples} images belonging to {self.num_classes} classes.")

    def _files(self) -> list[str]:
        self.filenames: list[str] = []
        classes: list[int] = []
        for name, number in self.class_indices.items():
            found = self._of_subset(self._images_in(os.path.join(self.directory, name)))
            self.filenames += [os.path.relpath(path, self.directory) for path in found]
            classes += [number] * len(found)
        self.labels = self.classes = np.array(classes, "int32")
        return [os.path.join(self.directory, name) for name in self.filenames]

    def _images_in(self, folder: str) -> list[str]:
        walk = sorted(os.walk(folder, followlinks=self._follow), key=lambda each: each[0])
        return [
            os.path.join(root, name)
            for root, _, names in walk
            for name in sorted(names)
            if name.lower().endswith(self.white_list_formats)
        ]
