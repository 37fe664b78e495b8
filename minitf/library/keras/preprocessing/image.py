"""Images as files and arrays, and endless batches of them, changed at random while a model trains.

generator = ImageDataGenerator(rotation_range=20, horizontal_flip=True, rescale=1 / 255)
model.fit_generator(generator.flow_from_directory("images"), steps_per_epoch=100)

an image ──get_random_transform──> numbers ──apply_transform──> an image ──standardize──> numbers

Pillow reads and writes files. Numbers are drawn with NumPy's global generator, as in Keras.
"""

from __future__ import annotations

import io
import os
import threading
import warnings
from abc import abstractmethod
from collections.abc import Callable
from collections.abc import Iterator as Walk
from typing import Any

import numpy as np

from minitf.library.formats.file_io import regular
from minitf.library.keras.backend.config import floatx, image_data_format
from minitf.library.keras.feeding import Sequence

_MODES = {"grayscale": ("L", "I;16", "I"), "rgba": ("RGBA",), "rgb": ("RGB",)}
_CHANNELS = {"rgba": 4, "rgb": 3, "grayscale": 1}
_ENDINGS = ("png", "jpg", "jpeg", "bmp", "ppm", "tif", "tiff")
_SUBSETS = ("training", "validation")

# ---- files and arrays ----------------------------------------------------------------------------


def _pillow(what: str) -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise ImportError(
            f"Could not import PIL.Image. The use of `{what}` requires PIL: "
            "pip install 'minitf[image]'"
        ) from None
    return Image


def _checked_format(data_format: str | None) -> str:
    data_format = data_format or image_data_format()
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Invalid data_format: {data_format}")
    return data_format


def img_to_array(img: Any, data_format: str | None = None, dtype: Any = None) -> np.ndarray:
    """Makes an array of a picture of Pillow's.

    Args:
      img: the picture.
      data_format: "channels_last", or "channels_first".
      dtype: of the result; Keras's own when None.
    Returns: [height, width, channels], or [channels, height, width].
    Raises:
      ValueError: when it is no picture.
    """
    first = _checked_format(data_format) == "channels_first"
    x = np.asarray(img, dtype=dtype or floatx())
    if x.ndim not in (2, 3):
        raise ValueError(f"Unsupported image shape: {x.shape}")
    x = x[..., None] if x.ndim == 2 else x
    return x.transpose(2, 0, 1) if first else x


def load_img(
    path: Any,
    color_mode: str = "rgb",
    target_size: Any = None,
) -> Any:
    """Reads the file of a picture, as one of Pillow's.

    Args:
      path: the file, or its content as a `BytesIO`.
      color_mode: "rgb", "rgba" or "grayscale".
      target_size: (height, width) to change it to; its own when None.
    Raises:
      ImportError: when Pillow is not installed.
      ValueError: when there is no such mode.
    """
    image_module = _pillow("load_img")
    if color_mode not in _MODES:
        raise ValueError('color_mode must be "grayscale", "rgb", or "rgba"')
    if not isinstance(path, io.BytesIO):
        with open(os.fspath(path), "rb", opener=regular) as file:
            path = io.BytesIO(file.read())
    picture = image_module.open(path)
    if picture.mode not in _MODES[color_mode]:
        picture = picture.convert(_MODES[color_mode][0])
    if target_size is None or picture.size == (target_size[1], target_size[0]):
        return picture
    size = (target_size[1], target_size[0])
    return picture.resize(size, image_module.Resampling.NEAREST)


# ---- batches -------------------------------------------------------------------------------------


class Iterator(Sequence):
    """Batches of images, by number or one after the other without end.

    Args:
      n: how many images there are.
      batch_size: how many a batch has.
      shuffle: another order each round.
      seed: for the order and the transformations.
    """

    image_data_generator: ImageDataGenerator
    sample_weight: Any = None

    def __init__(self, n: int, batch_size: int, shuffle: bool, seed: int | None) -> None:
        self.n, self.batch_size, self.shuffle, self.seed = n, batch_size, shuffle, seed
        self.batch_index = self.total_batches_seen = 0
        self.lock = threading.Lock()
        self.index_array: Any = None
        self.index_generator = self._flow_index()

    def on_epoch_end(self) -> None:
        """Draws the next order."""
        self.index_array = np.arange(self.n)
        if self.shuffle:
            self.index_array = np.random.permutation(self.n)  # noqa: NPY002

    def _seed(self) -> None:
        if self.seed is not None:
            np.random.seed(self.seed + self.total_batches_seen)  # noqa: NPY002

    def __getitem__(self, idx: int) -> Any:
        if idx >= len(self):
            raise ValueError(
                f"Asked to retrieve element {idx}, but the Sequence has length {len(self)}"
            )
        self._seed()
        self.total_batches_seen += 1
        if self.index_array is None:
            self.on_epoch_end()
        return self._batch(self.index_array[self.batch_size * idx : self.batch_size * (idx + 1)])

    def __len__(self) -> int:
        return -(-self.n // self.batch_size)

    def reset(self) -> None:
        """Goes back to the first batch."""
        self.batch_index = 0

    def _flow_index(self) -> Walk[np.ndarray]:
        while True:
            self._seed()
            if self.batch_index == 0:
                self.on_epoch_end()
            start = self.batch_index * self.batch_size
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
        return self._batch(rows)

    @abstractmethod
    def _image(self, row: int) -> np.ndarray:
        """One image, changed at random."""

    @abstractmethod
    def _labels(self, rows: np.ndarray, images: np.ndarray) -> Any:
        """The labels of a batch; None where there are none."""

    def _batch(self, rows: np.ndarray) -> Any:
        images = np.asarray([self._image(row) for row in rows], self.image_data_generator.dtype)
        labels = self._labels(rows, images)
        if labels is None:
            return images
        weights = () if self.sample_weight is None else (self.sample_weight[rows],)
        return (images, labels, *weights)


class NumpyArrayIterator(Iterator):
    """Batches of the images in an array; see `ImageDataGenerator.flow`."""

    def __init__(
        self,
        x: Any,
        y: Any,
        image_data_generator: ImageDataGenerator,
        batch_size: int,
        shuffle: bool,
        sample_weight: Any,
        seed: int | None,
        subset: str | None,
    ) -> None:
        for name, column in (("y", y), ("sample_weight", sample_weight)):
            if column is not None and len(column) != len(x):
                raise ValueError(
                    f"`x` (images tensor) and `{name}` should have the same length. Found: "
                    f"x.shape = {np.shape(x)}, {name}.shape = {np.shape(column)}"
                )
        columns: list[Any] = [None if c is None else np.asarray(c) for c in (x, y, sample_weight)]
        if subset is not None:
            rows = image_data_generator._part(subset, len(x))
            columns = [None if c is None else c[rows] for c in columns]
            if y is not None and not np.array_equal(np.unique(y), np.unique(columns[1])):
                raise ValueError(
                    "Training and validation subsets have different number of classes after "
                    "the split. If your numpy arrays are sorted by the label, you might want "
                    "to shuffle them."
                )
        self.x, self.y, self.sample_weight = columns
        self.x = np.asarray(self.x, dtype=image_data_generator.dtype)
        if self.x.ndim != 4:
            raise ValueError(
                "Input data in `NumpyArrayIterator` should have rank 4. You passed an array with "
                "shape",
                self.x.shape,
            )
        self.image_data_generator = image_data_generator
        axis = image_data_generator.channel_axis
        if self.x.shape[axis] not in (1, 3, 4):
            warnings.warn(
                "Expected input to be images following the data format convention "
                f'"{image_data_generator.data_format}" (channels on axis {axis}), i.e. expected '
                f"either 1, 3 or 4 channels on axis {axis}. However, it was passed an array with "
                f"shape {self.x.shape} ({self.x.shape[axis]} channels).",
                stacklevel=3,
            )
        super().__init__(len(self.x), batch_size, shuffle, seed)

    def _image(self, row: int) -> np.ndarray:
        return self.image_data_generator._made(self.x[row].copy())

    def _labels(self, rows: np.ndarray, images: np.ndarray) -> Any:
        return None if self.y is None else self.y[rows]


class DirectoryIterator(Iterator):
    """Batches of the images in a folder of folders; see `flow_from_directory`."""

    allowed_class_modes = ("categorical", "binary", "sparse", "input", None)

    def __init__(
        self,
        directory: Any,
        image_data_generator: ImageDataGenerator,
        target_size: Any,
        color_mode: str,
        classes: Any,
        class_mode: str | None,
        batch_size: int,
        shuffle: bool,
        seed: int | None,
        subset: str | None,
    ) -> None:
        if class_mode not in self.allowed_class_modes:
            raise ValueError(
                f"Invalid class_mode: {class_mode}; expected one of: {self.allowed_class_modes}"
            )
        if color_mode not in _CHANNELS:
            raise ValueError(
                "Invalid color mode:", color_mode, '; expected "rgb", "rgba", or "grayscale".'
            )
        self.image_data_generator, self.color_mode = image_data_generator, color_mode
        self.directory, self.class_mode = os.fspath(directory), class_mode
        self.target_size = tuple(target_size)
        names = classes or sorted(each.name for each in os.scandir(self.directory) if each.is_dir())
        self.num_classes = len(names)
        self.class_indices = {name: number for number, name in enumerate(names)}
        self.filenames: list[str] = []
        found: list[int] = []
        for name, number in self.class_indices.items():
            paths = _images_in(os.path.join(self.directory, name))
            if subset is not None:
                paths = paths[image_data_generator._part(subset, len(paths))]
            self.filenames += [os.path.relpath(path, self.directory) for path in paths]
            found += [number] * len(paths)
        self.labels = self.classes = np.array(found, "int32")
        self.filepaths = [os.path.join(self.directory, name) for name in self.filenames]
        self.samples = len(self.filepaths)
        super().__init__(self.samples, batch_size, shuffle, seed)
        print(f"Found {self.samples} images belonging to {self.num_classes} classes.")

    def _image(self, row: int) -> np.ndarray:
        path, size = self.filepaths[row], self.target_size
        picture = load_img(path, color_mode=self.color_mode, target_size=size)
        made = self.image_data_generator
        return made._made(img_to_array(picture, made.data_format, made.dtype))

    def _labels(self, rows: np.ndarray, images: np.ndarray) -> Any:
        if self.class_mode is None:
            return None
        if self.class_mode == "input":
            return images.copy()
        if self.class_mode in ("binary", "sparse"):
            return self.labels[rows].astype(self.image_data_generator.dtype)
        return np.eye(self.num_classes, dtype=self.image_data_generator.dtype)[self.labels[rows]]


def _images_in(folder: str) -> list[str]:
    walk = sorted(os.walk(folder), key=lambda each: each[0])
    return [
        os.path.join(root, name)
        for root, _, names in walk
        for name in sorted(names)
        if name.lower().endswith(_ENDINGS)
    ]


# ---- changes at random ---------------------------------------------------------------------------


class ImageDataGenerator:
    """Makes endless batches of images that are changed at random.

    Args:
      rotation_range: turned by up to so many degrees.
      width_shift_range, height_shift_range: moved by up to this part (below 1), by up to so many
        pixels, or by one of a list.
      shear_range: sheared by up to so many degrees.
      zoom_range: a pair of factors, or r for 1 - r to 1 + r.
      fill_mode, cval: what lies outside of the image: "nearest", "constant", "reflect" or "wrap".
      horizontal_flip, vertical_flip: mirrored, or not.
      rescale: a factor for all values, last.
      preprocessing_function: is called with each image, before that.
      data_format: "channels_last", or "channels_first".
      validation_split: which part is kept for `subset="validation"`.
      dtype: of the images.
    Raises:
      ValueError: when a range is none.
    """

    def __init__(
        self,
        rotation_range: float = 0,
        width_shift_range: Any = 0.0,
        height_shift_range: Any = 0.0,
        shear_range: float = 0.0,
        zoom_range: Any = 0.0,
        fill_mode: str = "nearest",
        cval: float = 0.0,
        horizontal_flip: bool = False,
        vertical_flip: bool = False,
        rescale: float | None = None,
        preprocessing_function: Any = None,
        data_format: str | None = None,
        validation_split: float = 0.0,
        dtype: Any = None,
    ) -> None:
        self.rotation_range, self.shear_range = rotation_range, shear_range
        self.width_shift_range, self.height_shift_range = width_shift_range, height_shift_range
        self.fill_mode, self.cval = fill_mode, cval
        self.horizontal_flip, self.vertical_flip = horizontal_flip, vertical_flip
        self.rescale, self.preprocessing_function = rescale, preprocessing_function
        self.dtype = dtype or floatx()
        self.data_format = _checked_format(data_format)
        last = self.data_format == "channels_last"
        self.row_axis, self.col_axis, self.channel_axis = (1, 2, 3) if last else (2, 3, 1)
        if validation_split and not 0 < validation_split < 1:
            raise ValueError(
                "`validation_split` must be strictly between 0 and 1.  Received: "
                f"{validation_split}"
            )
        self._validation_split = validation_split
        if isinstance(zoom_range, float | int):
            zoom_range = (1 - zoom_range, 1 + zoom_range)
        if len(zoom_range) != 2:
            raise ValueError(
                "`zoom_range` should be a float or a tuple or list of two floats. Received: "
                f"{zoom_range}"
            )
        self.zoom_range = tuple(zoom_range)

    def _part(self, subset: str, count: int) -> slice:
        """The rows of a subset: those for validation come first."""
        if subset not in _SUBSETS:
            raise ValueError(f'Invalid subset name: {subset}; expected "training" or "validation".')
        cut = int(count * self._validation_split)
        return slice(cut) if subset == "validation" else slice(cut, None)

    def flow(
        self,
        x: Any,
        y: Any = None,
        batch_size: int = 32,
        shuffle: bool = True,
        sample_weight: Any = None,
        seed: int | None = None,
        subset: str | None = None,
    ) -> NumpyArrayIterator:
        """Batches of the images in an array.

        Args:
          x: [n, height, width, channels].
          y: [n, ...] labels.
          batch_size: images a batch.
          shuffle: another order each round.
          sample_weight: [n] weights.
          seed: for the order and the changes.
          subset: "training" or "validation", by `validation_split`.
        Returns: an endless iterator of batches: x, (x, y) or (x, y, weights).
        Raises:
          ValueError: when the arrays differ in length.
        """
        order = (batch_size, shuffle, sample_weight, seed)
        return NumpyArrayIterator(x, y, self, *order, subset)

    def flow_from_directory(
        self,
        directory: Any,
        target_size: Any = (256, 256),
        color_mode: str = "rgb",
        classes: Any = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        subset: str | None = None,
    ) -> DirectoryIterator:
        """Batches of the images in a folder that has a folder for each class.

        Args:
          directory: the folder.
          target_size: (height, width) that images are changed to.
          color_mode: "rgb", "rgba" or "grayscale".
          classes: the names of the folders; all of them when None.
          class_mode: labels as "categorical" rows of ones, "binary" or "sparse" numbers, the
            "input" images themselves, or None.
          batch_size: images a batch.
          shuffle: another order each round; by their names otherwise.
          seed: for the order and the changes.
          subset: "training" or "validation", by `validation_split`.
        Returns: an endless iterator of batches; it has `class_indices`, `samples`, `filenames`.
        """
        which = (target_size, color_mode, classes, class_mode, batch_size, shuffle, seed)
        return DirectoryIterator(directory, self, *which, subset)

    def _made(self, image: np.ndarray) -> np.ndarray:
        """An image as it goes into a batch."""
        return self.standardize(self.random_transform(image))

    def standardize(self, x: Any) -> Any:
        """Brings the values of one image, or of a batch, to the wanted range; in place.

        Args:
          x: floats.
        """
        if self.preprocessing_function:
            x = self.preprocessing_function(x)
        if self.rescale:
            x *= self.rescale
        return x

    def get_random_transform(self, img_shape: Any, seed: int | None = None) -> dict[str, Any]:
        """Draws the numbers of one change.

        Args:
          img_shape: the shape of the image.
          seed: for NumPy's global generator.
        Returns: what `apply_transform` takes.
        """
        if seed is not None:
            np.random.seed(seed)  # noqa: NPY002
        return {
            "theta": _within(self.rotation_range),
            "tx": _shift(self.height_shift_range, img_shape[self.row_axis - 1]),
            "ty": _shift(self.width_shift_range, img_shape[self.col_axis - 1]),
            "shear": _within(self.shear_range),
            **_zoom(*self.zoom_range),
            "flip_horizontal": (np.random.random() < 0.5) * self.horizontal_flip,  # noqa: NPY002
            "flip_vertical": (np.random.random() < 0.5) * self.vertical_flip,  # noqa: NPY002
        }

    def apply_transform(self, x: Any, transform_parameters: dict[str, Any]) -> Any:
        """Changes one image.

        Args:
          x: the image.
          transform_parameters: by name "theta", "tx", "ty", "shear", "zx", "zy", "flip_horizontal"
            and "flip_vertical"; any may be absent.
        """
        rows, columns = self.row_axis - 1, self.col_axis - 1
        numbers = dict(transform_parameters)
        flips = [numbers.pop(f"flip_{way}", False) for way in ("horizontal", "vertical")]
        channels = np.moveaxis(x, self.channel_axis - 1, 0)
        moved = _affine(channels, self.fill_mode, self.cval, **numbers)
        x = x if moved is channels else np.moveaxis(moved, 0, self.channel_axis - 1)
        for axis, flipped in zip((columns, rows), flips):
            x = np.flip(x, axis) if flipped else x
        return x

    def random_transform(self, x: Any, seed: int | None = None) -> Any:
        """Changes one image at random.

        Args:
          x: the image.
          seed: for NumPy's global generator.
        """
        return self.apply_transform(x, self.get_random_transform(x.shape, seed))


def _within(limit: float) -> float:
    return np.random.uniform(-limit, limit) if limit else 0  # noqa: NPY002


def _shift(limit: Any, size: int) -> float:
    """By how many pixels to move: up to a number or a part of the size, or one of a list."""
    if not np.any(limit):
        return 0
    if np.ndim(limit) or isinstance(limit, int | np.integer):  # one of range(limit), as in Keras
        pixels = np.random.choice(limit) * np.random.choice([-1, 1])  # noqa: NPY002
    else:
        pixels = np.random.uniform(-limit, limit)  # noqa: NPY002
    return pixels * size if np.max(limit) < 1 else pixels


def _zoom(low: float, high: float) -> dict[str, float]:
    if low == high == 1:
        return {"zx": 1, "zy": 1}
    zx, zy = np.random.uniform(low, high, 2)  # noqa: NPY002
    return {"zx": zx, "zy": zy}


def _affine(
    channels: np.ndarray,
    fill_mode: str,
    cval: float,
    theta: float = 0,
    tx: float = 0,
    ty: float = 0,
    shear: float = 0,
    zx: float = 1,
    zy: float = 1,
) -> np.ndarray:
    """Turns, moves, shears and enlarges an image [channels, rows, columns] about its middle.

    pixel of the result ──matrix──> place in the image ──fill_mode──> inside it ──> neighbours

    Args:
      channels: the image.
      fill_mode, cval: see `ImageDataGenerator`.
      theta, shear: by which angles to turn and to shear it, in degrees.
      tx, ty: by how many rows and columns to move it.
      zx, zy: by how much to shrink rows and columns.
    """
    turn, lean = np.deg2rad(theta), np.deg2rad(shear)
    steps: Any = (
        (theta, [[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]]),
        (tx or ty, [[1, 0, tx], [0, 1, ty], [0, 0, 1]]),
        (shear, [[1, -np.sin(lean), 0], [0, np.cos(lean), 0], [0, 0, 1]]),
        (zx != 1 or zy != 1, [[zx, 0, 0], [0, zy, 0], [0, 0, 1]]),
    )
    if not any(wanted for wanted, _ in steps):
        return channels
    matrix = np.eye(3)
    for wanted, step in steps:
        matrix = matrix @ step if wanted else matrix
    middle = np.eye(3)
    middle[:2, 2] = channels.shape[1] / 2 - 0.5, channels.shape[2] / 2 - 0.5
    matrix = middle @ matrix @ np.linalg.inv(middle)
    return _between(channels, matrix[[1, 0, 2]][:, [1, 0, 2]], fill_mode, cval)  # as Keras has it


def _between(channels: np.ndarray, matrix: np.ndarray, fill_mode: str, cval: float) -> np.ndarray:
    """[channels, rows, columns] at the places that the matrix gives, between four pixels each."""
    shape = channels.shape[1:]
    grid = np.stack([*np.indices(shape), np.ones(shape)]).reshape(3, -1)
    found: Any = 0.0
    outside = np.zeros(grid.shape[1], bool)
    corners = []
    for place, size in zip((matrix @ grid)[:2], shape):
        place = _EDGES[fill_mode](place, size)
        if fill_mode == "constant":
            outside |= (place < 0) | (place > size - 1)
        low = np.floor(place)
        ends = [np.clip(low + step, 0, size - 1).astype(int) for step in (0, 1)]
        corners.append(((ends[0], 1 - (place - low)), (ends[1], place - low)))
    for row, of_row in corners[0]:
        for column, of_column in corners[1]:
            found = found + channels[:, row, column] * (of_row * of_column)
    return np.where(outside, cval, found).reshape(channels.shape).astype(channels.dtype)


def _reflected(place: np.ndarray, size: int) -> np.ndarray:
    """d c b a | a b c d | d c b a"""
    place = np.mod(place + 0.5, 2 * size)
    return np.minimum(place, 2 * size - place) - 0.5


def _wrapped(place: np.ndarray, size: int) -> np.ndarray:
    """The first and the last pixel are one."""
    period = max(size - 1, 1)
    return np.where((place < 0) | (place > size - 1), np.mod(place, period), place)


_EDGES: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {
    "nearest": lambda place, size: np.clip(place, 0, size - 1),
    "constant": lambda place, size: place,
    "reflect": _reflected,
    "wrap": _wrapped,
}
