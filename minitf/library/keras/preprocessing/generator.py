"""Images changed at random while a model trains: `ImageDataGenerator`.

generator = ImageDataGenerator(rotation_range=20, horizontal_flip=True, rescale=1 / 255)
model.fit_generator(generator.flow_from_directory("images"), steps_per_epoch=100)

an image ──get_random_transform──> numbers ──apply_transform──> an image ──standardize──> numbers
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.library.keras.backend.config import floatx
from minitf.library.keras.preprocessing.images import apply_brightness_shift, checked_format
from minitf.library.keras.preprocessing.iterators import (
    DirectoryIterator,
    NumpyArrayIterator,
    warn_of_channels,
)
from minitf.library.keras.preprocessing.transforms import (
    apply_affine_transform,
    apply_channel_shift,
    flip_axis,
)

_SMALL = 1e-6


class ImageDataGenerator:
    """Makes endless batches of images that are changed at random.

    Args:
      featurewise_center, featurewise_std_normalization: so that all images together have a mean of
        0 and a deviation of 1 in each channel; `fit` finds them.
      samplewise_center, samplewise_std_normalization: the same for each image.
      zca_whitening: pixels made independent of each other; `fit` finds how.
      zca_epsilon: keeps it from dividing by 0.
      rotation_range: turned by up to so many degrees.
      width_shift_range, height_shift_range: moved by up to this part (below 1), by up to so many
        pixels, or by one of a list.
      brightness_range: a pair of factors.
      shear_range: sheared by up to so many degrees.
      zoom_range: a pair of factors, or r for 1 - r to 1 + r.
      channel_shift_range: brightened by a number up to this.
      fill_mode, cval: what lies outside of the image: "nearest", "constant", "reflect" or "wrap".
      horizontal_flip, vertical_flip: mirrored, or not.
      rescale: a factor for all values, last.
      preprocessing_function: is called with each image, before that.
      data_format: "channels_last", or "channels_first".
      validation_split: which part is kept for `subset="validation"`.
      interpolation_order: of what lies between pixels; see `apply_affine_transform`.
      dtype: of the images.
    Raises:
      ValueError: when a range is none.
    """

    def __init__(
        self,
        featurewise_center: bool = False,
        samplewise_center: bool = False,
        featurewise_std_normalization: bool = False,
        samplewise_std_normalization: bool = False,
        zca_whitening: bool = False,
        zca_epsilon: float = 1e-6,
        rotation_range: float = 0,
        width_shift_range: Any = 0.0,
        height_shift_range: Any = 0.0,
        brightness_range: Any = None,
        shear_range: float = 0.0,
        zoom_range: Any = 0.0,
        channel_shift_range: float = 0.0,
        fill_mode: str = "nearest",
        cval: float = 0.0,
        horizontal_flip: bool = False,
        vertical_flip: bool = False,
        rescale: float | None = None,
        preprocessing_function: Any = None,
        data_format: str | None = None,
        validation_split: float = 0.0,
        interpolation_order: int = 1,
        dtype: Any = None,
    ) -> None:
        self.zca_whitening, self.zca_epsilon = zca_whitening, zca_epsilon
        self.rotation_range, self.shear_range = rotation_range, shear_range
        self.width_shift_range, self.height_shift_range = width_shift_range, height_shift_range
        self.channel_shift_range = channel_shift_range
        self.fill_mode, self.cval = fill_mode, cval
        self.horizontal_flip, self.vertical_flip = horizontal_flip, vertical_flip
        self.rescale, self.preprocessing_function = rescale, preprocessing_function
        self.interpolation_order, self.dtype = interpolation_order, dtype or floatx()
        self.data_format = checked_format(data_format)
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
        self.zoom_range = _pair("zoom_range", zoom_range)
        self.brightness_range = brightness_range and _pair("brightness_range", brightness_range)
        by_feature = {
            "zca_whitening": zca_whitening,
            "featurewise_std_normalization": featurewise_std_normalization,
        }
        by_sample = {"samplewise_std_normalization": samplewise_std_normalization}
        self.featurewise_center = _implied(featurewise_center, "featurewise_center", by_feature)
        self.samplewise_center = _implied(samplewise_center, "samplewise_center", by_sample)
        self.samplewise_std_normalization = samplewise_std_normalization
        self.featurewise_std_normalization = featurewise_std_normalization and not zca_whitening
        self.mean: Any = None
        self.std: Any = None
        self.zca_whitening_matrix: Any = None

    def flow(
        self,
        x: Any,
        y: Any = None,
        batch_size: int = 32,
        shuffle: bool = True,
        sample_weight: Any = None,
        seed: int | None = None,
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
        ignore_class_split: bool = False,
    ) -> NumpyArrayIterator:
        """Batches of the images in an array.

        Args:
          x: [n, height, width, channels]; or a pair of that and other arrays.
          y: [n, ...] labels.
          batch_size: images a batch.
          shuffle: another order each round.
          sample_weight: [n] weights.
          seed: for the order and the changes.
          save_to_dir: a folder where the images are written to, to look at.
          save_prefix, save_format: of these files.
          subset: "training" or "validation", by `validation_split`.
          ignore_class_split: take a subset that lacks classes.
        Returns: an endless iterator of batches: x, (x, y) or (x, y, weights).
        Raises:
          ValueError: when the arrays differ in length.
        """
        return NumpyArrayIterator(
            x,
            y,
            self,
            batch_size,
            shuffle,
            sample_weight,
            seed,
            self.data_format,
            save_to_dir,
            save_prefix,
            save_format,
            subset,
            self.dtype,
            ignore_class_split,
        )

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
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        follow_links: bool = False,
        subset: str | None = None,
        interpolation: str = "nearest",
        keep_aspect_ratio: bool = False,
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
          save_to_dir, save_prefix, save_format: see `flow`.
          follow_links: look into folders that are links.
          subset: "training" or "validation", by `validation_split`.
          interpolation, keep_aspect_ratio: see `load_img`.
        Returns: an endless iterator of batches; it has `class_indices`, `samples`, `filenames`.
        """
        return DirectoryIterator(
            directory,
            self,
            target_size,
            color_mode,
            classes,
            class_mode,
            batch_size,
            shuffle,
            seed,
            self.data_format,
            save_to_dir,
            save_prefix,
            save_format,
            follow_links,
            subset,
            interpolation,
            self.dtype,
            keep_aspect_ratio,
        )

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
        if self.samplewise_center:
            x -= np.mean(x, keepdims=True)
        if self.samplewise_std_normalization:
            x /= np.std(x, keepdims=True) + _SMALL
        if self.featurewise_center and self._fitted("featurewise_center", self.mean):
            x -= self.mean
        if self.featurewise_std_normalization:
            if self._fitted("featurewise_std_normalization", self.std):
                x /= self.std + _SMALL
        if self.zca_whitening and self._fitted("zca_whitening", self.zca_whitening_matrix):
            flat = x.reshape(-1, np.prod(x.shape[-3:]))
            x = (flat @ self.zca_whitening_matrix).reshape(x.shape)
        return x

    def _fitted(self, name: str, found: Any) -> bool:
        """Whether `fit` has found what a setting needs; warns when it has not."""
        if found is None:
            warnings.warn(
                f"This ImageDataGenerator specifies `{name}`, but it hasn't been fit on any "
                "training data. Fit it first by calling `.fit(numpy_data)`.",
                stacklevel=3,
            )
        return found is not None

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
            "channel_shift_intensity": _within(self.channel_shift_range) or None,
            "brightness": self.brightness_range and np.random.uniform(*self.brightness_range),  # noqa: NPY002
        }

    def apply_transform(self, x: Any, transform_parameters: dict[str, Any]) -> Any:
        """Changes one image.

        Args:
          x: the image.
          transform_parameters: by name "theta", "tx", "ty", "shear", "zx", "zy", "flip_horizontal",
            "flip_vertical", "channel_shift_intensity" and "brightness"; any may be absent.
        """
        rows, columns, channels = (a - 1 for a in (self.row_axis, self.col_axis, self.channel_axis))
        get: Callable[..., Any] = transform_parameters.get
        x = apply_affine_transform(
            x,
            get("theta", 0),
            get("tx", 0),
            get("ty", 0),
            get("shear", 0),
            get("zx", 1),
            get("zy", 1),
            rows,
            columns,
            channels,
            self.fill_mode,
            self.cval,
            self.interpolation_order,
        )
        if get("channel_shift_intensity") is not None:
            x = apply_channel_shift(x, get("channel_shift_intensity"), channels)
        if get("flip_horizontal", False):
            x = flip_axis(x, columns)
        if get("flip_vertical", False):
            x = flip_axis(x, rows)
        if get("brightness") is not None:
            x = apply_brightness_shift(x, get("brightness"), False)
        return x

    def random_transform(self, x: Any, seed: int | None = None) -> Any:
        """Changes one image at random.

        Args:
          x: the image.
          seed: for NumPy's global generator.
        """
        return self.apply_transform(x, self.get_random_transform(x.shape, seed))

    def fit(self, x: Any, augment: bool = False, rounds: int = 1, seed: int | None = None) -> None:
        """Finds the mean, the deviation and the whitening of images, where they are wanted.

        Args:
          x: [n, height, width, channels].
          augment: of images changed at random.
          rounds: how many of each.
          seed: for the changes.
        Raises:
          ValueError: when x has another rank.
        """
        x = np.array(x, dtype=self.dtype)
        if x.ndim != 4:
            raise ValueError(
                f"Input to `.fit()` should have rank 4. Got array with shape: {x.shape}"
            )
        warn_of_channels(x, self.data_format)
        if seed is not None:
            np.random.seed(seed)  # noqa: NPY002
        if self.rescale:
            x *= self.rescale
        if augment:
            x = np.array([self.random_transform(image) for _ in range(rounds) for image in x])
        pixels = (0, self.row_axis, self.col_axis)
        if self.featurewise_center:
            self.mean = np.mean(x, axis=pixels, keepdims=True)[0]
            x -= self.mean
        if self.featurewise_std_normalization:
            self.std = np.std(x, axis=pixels, keepdims=True)[0]
            x /= self.std + _SMALL
        if self.zca_whitening:
            u, s, _ = np.linalg.svd(x.reshape(len(x), -1).T, full_matrices=False)
            self.zca_whitening_matrix = (u * (np.sqrt(len(x)) / (s + self.zca_epsilon))) @ u.T


def _pair(name: str, value: Any) -> tuple[float, float]:
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise ValueError(
            f"`{name}` should be a float or a tuple or list of two floats. Received: {value}"
        )
    return value[0], value[1]


def _implied(wanted: bool, name: str, by: dict[str, bool]) -> bool:
    """Whether a setting holds: it is wanted, or another needs it, which a warning says."""
    for other, needs in by.items():
        if needs and not wanted:
            wanted = True
            warnings.warn(
                f"This ImageDataGenerator specifies `{other}`, which overrides setting of "
                f"`{name}`.",
                stacklevel=3,
            )
    return wanted


def _within(limit: float) -> float:
    return np.random.uniform(-limit, limit) if limit else 0  # noqa: NPY002


def _shift(limit: Any, size: int) -> float:
    """By how many pixels to move: up to a number or a part of the size, or one of a list."""
    if not np.any(limit):
        return 0
    if np.ndim(limit):
        pixels = np.random.choice(limit) * np.random.choice([-1, 1])  # noqa: NPY002
    elif isinstance(limit, int | np.integer):  # one of range(limit), as NumPy's choice takes it
        pixels = np.random.choice(limit) * np.random.choice([-1, 1])  # noqa: NPY002
    else:
        pixels = np.random.uniform(-limit, limit)  # noqa: NPY002
    return pixels * size if np.max(limit) < 1 else pixels


def _zoom(low: float, high: float) -> dict[str, float]:
    if low == high == 1:
        return {"zx": 1, "zy": 1}
    zx, zy = np.random.uniform(low, high, 2)  # noqa: NPY002
    return {"zx": zx, "zy": zy}
