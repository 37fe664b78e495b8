"""Images as files and arrays, and endless batches of them, changed at random while a model trains.

generator = ImageDataGenerator(rotation_range=20, horizontal_flip=True, rescale=1 / 255)
model.fit_generator(generator.flow_from_directory("images"), steps_per_epoch=100)

an image ──get_random_transform──> numbers ──apply_transform──> an image ──standardize──> numbers

Pillow reads files, and SciPy turns images. Numbers are drawn with NumPy's global generator, as in
Keras.
"""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Callable
from collections.abc import Iterator as Walk
from typing import Any

import numpy as np

from minitf.library.formats.file_io import regular
from minitf.library.keras.backend.session import floatx
from minitf.library.keras.preprocessing.sequences import Sequence

_MODES = {"grayscale": ("L", "I;16", "I"), "rgba": ("RGBA",), "rgb": ("RGB",)}
_ENDINGS = ("png", "jpg", "jpeg", "bmp", "ppm", "tif", "tiff")
_SUBSETS = ("training", "validation")
_CLASS_MODES = ("categorical", "binary", "sparse", "input", None)

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


def img_to_array(img: Any, dtype: Any = None) -> np.ndarray:
    """Makes an array of a picture of Pillow's.

    Args:
      img: the picture.
      dtype: of the result; Keras's own when None.
    Returns: [height, width, channels].
    Raises:
      ValueError: when it is no picture.
    """
    x = np.asarray(img, dtype=dtype or floatx())
    if x.ndim not in (2, 3):
        raise ValueError(f"Unsupported image shape: {x.shape}")
    return x[..., None] if x.ndim == 2 else x


def load_img(path: Any, color_mode: str = "rgb", target_size: Any = None) -> Any:
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
      batch: makes a batch of their numbers.
      batch_size: how many a batch has.
      shuffle: another order each round.
      seed: for the order and the transformations.
    """

    #: where the images come from folders: the classes, and the files with the numbers of theirs
    class_indices: dict[str, int]
    samples: int
    filenames: list[str]
    classes: np.ndarray

    def __init__(
        self,
        n: int,
        batch: Callable[[np.ndarray], Any],
        batch_size: int,
        shuffle: bool,
        seed: int | None,
    ) -> None:
        self.n, self._batch = n, batch
        self.batch_size, self.shuffle, self.seed = batch_size, shuffle, seed
        self.batch_index = self.total_batches_seen = 0
        self.lock = threading.Lock()
        self.index_array: Any = None

    def on_epoch_end(self) -> None:
        """Draws the next order."""
        self.index_array = np.arange(self.n)
        if self.shuffle:
            self.index_array = np.random.permutation(self.n)  # noqa: NPY002

    def _seed(self) -> None:
        if self.seed is not None:
            np.random.seed(self.seed + self.total_batches_seen)  # noqa: NPY002
        self.total_batches_seen += 1

    def _rows(self, number: int) -> np.ndarray:
        return self.index_array[self.batch_size * number : self.batch_size * (number + 1)]

    def __getitem__(self, idx: int) -> Any:
        if idx >= len(self):
            raise ValueError(
                f"Asked to retrieve element {idx}, but the Sequence has length {len(self)}"
            )
        self._seed()
        if self.index_array is None:
            self.on_epoch_end()
        return self._batch(self._rows(idx))

    def __len__(self) -> int:
        return -(-self.n // self.batch_size)

    def reset(self) -> None:
        """Goes back to the first batch."""
        self.batch_index = 0

    def __iter__(self) -> Walk[Any]:
        return self

    def __next__(self) -> Any:
        return self.next()

    def next(self) -> Any:
        """The next batch."""
        with self.lock:
            self._seed()
            if self.batch_index == 0:
                self.on_epoch_end()
            rows = self._rows(self.batch_index)
            self.batch_index = (self.batch_index + 1) % len(self)
        return self._batch(rows)


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
        validation_split: float = 0.0,
        dtype: Any = None,
    ) -> None:
        self.rotation_range, self.shear_range = rotation_range, shear_range
        self.width_shift_range, self.height_shift_range = width_shift_range, height_shift_range
        self.fill_mode, self.cval = fill_mode, cval
        self.horizontal_flip, self.vertical_flip = horizontal_flip, vertical_flip
        self.rescale, self.preprocessing_function = rescale, preprocessing_function
        self.dtype = dtype or floatx()
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

    def _part(self, subset: str | None, count: int) -> slice:
        """The rows of a subset: those for validation come first."""
        if subset is None:
            return slice(None)
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
        seed: int | None = None,
        subset: str | None = None,
    ) -> Iterator:
        """Batches of the images in an array.

        Args:
          x: [n, height, width, channels].
          y: [n, ...] labels.
          batch_size: images a batch.
          shuffle: another order each round.
          seed: for the order and the changes.
          subset: "training" or "validation", by `validation_split`.
        Returns: an endless iterator of batches: x or (x, y).
        Raises:
          ValueError: when the arrays differ in length.
        """
        if y is not None and len(y) != len(x):
            raise ValueError(
                "`x` (images tensor) and `y` should have the same length. Found: "
                f"x.shape = {np.shape(x)}, y.shape = {np.shape(y)}"
            )
        rows = self._part(subset, len(x))
        images = np.asarray(x, self.dtype)[rows]
        if images.ndim != 4:
            raise ValueError(
                "Input data in `NumpyArrayIterator` should have rank 4. You passed an array with "
                "shape",
                images.shape,
            )
        labels = None if y is None else np.asarray(y)[rows]

        def batch(numbers: np.ndarray) -> Any:
            made = np.asarray([self._made(images[n].copy()) for n in numbers], self.dtype)
            return made if labels is None else (made, labels[numbers])

        return Iterator(len(images), batch, batch_size, shuffle, seed)

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
    ) -> Iterator:
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
        if class_mode not in _CLASS_MODES:
            raise ValueError(f"Invalid class_mode: {class_mode}; expected one of: {_CLASS_MODES}")
        if color_mode not in _MODES:
            raise ValueError(
                "Invalid color mode:", color_mode, '; expected "rgb", "rgba", or "grayscale".'
            )
        folder = os.fspath(directory)
        names = classes or sorted(each.name for each in os.scandir(folder) if each.is_dir())
        paths: list[str] = []
        found: list[int] = []
        for number, name in enumerate(names):
            own = _images_in(os.path.join(folder, name))
            own = own[self._part(subset, len(own))]
            paths += own
            found += [number] * len(own)
        labels = np.array(found, "int32")

        def batch(numbers: np.ndarray) -> Any:
            size = tuple(target_size)
            pictures = [load_img(paths[n], color_mode, size) for n in numbers]
            arrays = [self._made(img_to_array(each, self.dtype)) for each in pictures]
            images = np.asarray(arrays, self.dtype)
            if class_mode == "categorical":
                return images, np.eye(len(names), dtype=self.dtype)[labels[numbers]]
            if class_mode == "input":
                return images, images.copy()
            return images if class_mode is None else (images, labels[numbers].astype(self.dtype))

        made = Iterator(len(paths), batch, batch_size, shuffle, seed)
        made.class_indices = {name: number for number, name in enumerate(names)}
        made.samples, made.classes = len(paths), labels
        made.filenames = [os.path.relpath(path, folder) for path in paths]
        print(f"Found {len(paths)} images belonging to {len(names)} classes.")
        return made

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
            "tx": _shift(self.height_shift_range, img_shape[0]),
            "ty": _shift(self.width_shift_range, img_shape[1]),
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
        numbers = dict(transform_parameters)
        flips = [numbers.pop(f"flip_{way}", False) for way in ("horizontal", "vertical")]
        x = _affine(x, self.fill_mode, self.cval, **numbers)
        for axis, flipped in zip((1, 0), flips):
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
    x: np.ndarray,
    fill_mode: str,
    cval: float,
    theta: float = 0,
    tx: float = 0,
    ty: float = 0,
    shear: float = 0,
    zx: float = 1,
    zy: float = 1,
) -> np.ndarray:
    """Turns, moves, shears and enlarges an image [rows, columns, channels] about its middle.

    Args:
      x: the image.
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
        return x
    matrix = np.eye(3)
    for wanted, step in steps:
        matrix = matrix @ step if wanted else matrix
    middle = np.eye(3)
    middle[:2, 2] = x.shape[0] / 2 - 0.5, x.shape[1] / 2 - 0.5
    matrix = (middle @ matrix @ np.linalg.inv(middle))[[1, 0, 2]][:, [1, 0, 2]]  # as Keras has it
    channels = [
        _ndimage().affine_transform(
            channel, matrix[:2, :2], matrix[:2, 2], order=1, mode=fill_mode, cval=cval
        )
        for channel in np.moveaxis(x, -1, 0)
    ]
    return np.stack(channels, -1)


def _ndimage() -> Any:
    try:
        from scipy import ndimage
    except ImportError:
        raise ImportError(
            "Image transformations require SciPy. Install SciPy: pip install 'minitf[image]'"
        ) from None
    return ndimage
