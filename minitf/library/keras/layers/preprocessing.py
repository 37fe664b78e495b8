"""Layers that make data fit for a network, as parts of the network itself.

    Rescaling       x * scale + offset            Resizing     images of another size
    Normalization   (x - mean) / deviation        CenterCrop   the middle of images

`Normalization.adapt(data)` finds mean and variance, before any training. They are layers of later
releases: there `tf.keras.layers.experimental.preprocessing`, then `tf.keras.layers`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors, stacks
from minitf.core.graph.convert import constant_value, convert_to_tensor
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_joining import stack
from minitf.core.ops.array_shaping import expand_dims, reshape, squeeze
from minitf.core.ops.array_slicing import slice as part
from minitf.core.ops.cast import cast
from minitf.core.ops.math import maximum, minimum, sqrt
from minitf.core.variables.variables import Variable
from minitf.library.images.image_resize import (
    resize_area,
    resize_bicubic,
    resize_bilinear,
    resize_nearest_neighbor,
)
from minitf.library.keras.backend import session as backend
from minitf.library.keras.backend.config import epsilon, floatx
from minitf.library.keras.layers.configured import Configured, SameShape

_RESIZERS = {
    "bilinear": resize_bilinear,
    "nearest": resize_nearest_neighbor,
    "bicubic": resize_bicubic,
    "area": resize_area,
}


def _as_floats(layer: Any, inputs: Any) -> Tensor:
    """The inputs in the type that a layer computes in, or that of `floatx()` for whole numbers."""
    own = layer._computes_in
    return cast(inputs, own if own is not None and own.is_floating else floatx())


class Rescaling(SameShape):
    """inputs * scale + offset: scale = 1 / 255 makes numbers from 0 to 1 of bytes.

    Args:
      scale, offset: numbers.
      kwargs: see `Layer`.
    """

    def __init__(self, scale: float, offset: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scale, self.offset = scale, offset

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        x = _as_floats(self, inputs)
        return x * cast(self.scale, x.dtype) + cast(self.offset, x.dtype)


# ---- images --------------------------------------------------------------------------------------


def _resized(images: Tensor, height: int, width: int, method: str) -> Tensor:
    """Images of another size, a batch or one; float32, but by "nearest"."""
    one = images.shape.ndims == 3
    batch = expand_dims(images, 0) if one else images
    options: dict[str, Any] = {} if method == "area" else {"half_pixel_centers": True}
    found = _RESIZERS[method](batch, [height, width], **options)
    return squeeze(found, [0]) if one else found


def _middle(images: Tensor, height: Any, width: Any) -> Tensor:
    """The middle of images, of this height and width."""
    sizes, one = shape_of(images), images.shape.ndims == 3
    top, left = ((sizes[axis] - size) // 2 for axis, size in ((-3, height), (-2, width)))
    starts, lengths = [top, left, 0], [height, width, -1]
    first: list[Any] = [] if one else [0]
    return part(images, stack([*first, *starts]), stack([*([] if one else [-1]), *lengths]))


def _of_aspect(images: Tensor, height: int, width: int) -> Tensor:
    """The largest middle of images whose sides are in the proportion of height and width."""
    sizes = shape_of(images)
    high, wide = sizes[-3], sizes[-2]
    fit_high = cast(cast(wide * height, "float32") / width, "int32")
    fit_wide = cast(cast(high * width, "float32") / height, "int32")
    return _middle(images, minimum(high, fit_high), minimum(wide, fit_wide))


class _OfSize(Configured):
    """A layer whose outputs are images of one size."""

    height: int
    width: int

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """[..., height, width, channels]."""
        sizes = as_shape(input_shape).as_list()
        return TensorShape([*sizes[:-3], self.height, self.width, sizes[-1]])

    def _told(self, outputs: Tensor, inputs: Tensor) -> Tensor:
        outputs.set_shape(self.compute_output_shape(inputs.shape))
        return outputs


class Resizing(_OfSize):
    """Images [..., height, width, channels] of another size.

    Args:
      height, width: the size.
      interpolation: "bilinear", "nearest", "bicubic" or "area".
      crop_to_aspect_ratio: take the middle of the image, of the new proportions, not all of it.
      kwargs: see `Layer`.

    Raises:
      NotImplementedError: for another interpolation.
    """

    def __init__(
        self, height: int, width: int, interpolation: str = "bilinear",
        crop_to_aspect_ratio: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        if interpolation.lower() not in _RESIZERS:
            raise NotImplementedError(
                f"Value not recognized for `interpolation`: {interpolation}. Supported values are: "
                f"{sorted(_RESIZERS)}"
            )
        self._keep(locals())

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        x = _as_floats(self, inputs)
        kind = x.dtype.base_dtype
        if self.crop_to_aspect_ratio:
            x = _of_aspect(x, self.height, self.width)
        method = self.interpolation.lower()
        x = x if method == "nearest" else cast(x, dtypes.float32)
        return self._told(cast(_resized(x, self.height, self.width, method), kind), inputs)


class CenterCrop(_OfSize):
    """The middle of images [..., height, width, channels]; smaller ones are made larger first.

    Args:
      height, width: the size.
      kwargs: see `Layer`.

    Raises:
      ValueError: when the size of the images is not known before they come.
    """

    def __init__(self, height: int, width: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._keep(locals())

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        x = _as_floats(self, inputs)
        high, wide = x.shape.as_list()[-3:-1]
        if high is None or wide is None:
            raise ValueError(f"CenterCrop needs images of known size, but got shape {x.shape}.")
        if high >= self.height and wide >= self.width:
            return self._told(_middle(x, self.height, self.width), inputs)
        kind = x.dtype.base_dtype
        x = cast(_of_aspect(x, self.height, self.width), dtypes.float32)
        return self._told(cast(_resized(x, self.height, self.width, "bilinear"), kind), inputs)


# ---- numbers -------------------------------------------------------------------------------------


class Normalization(SameShape):
    """(inputs - mean) / sqrt(variance): features of mean 0 and variance 1.

    Args:
      axis: the axis of the features, or several; None: one mean of all numbers.
      mean, variance: numbers for each feature, where `adapt` is not to find them.
      invert: compute inputs * sqrt(variance) + mean instead.
      kwargs: see `Layer`.

    Raises:
      ValueError: when only one of mean and variance is given, or a variable for one.
    Example:
      >>> layer = tf.keras.layers.Normalization()
      >>> layer.adapt(np.array([[0.0, 7.0], [2.0, 9.0]]))
      >>> tf.keras.backend.get_session().run(layer(tf.constant([[0.0, 10.0]])))
      array([[-1.,  2.]], dtype=float32)
    """

    def __init__(
        self, axis: Any = -1, mean: Any = None, variance: Any = None, invert: bool = False,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        for name, value in (("mean", mean), ("variance", variance)):
            if isinstance(value, Variable):
                raise ValueError(
                    f"Normalization does not support passing a Variable for the `{name}` init arg."
                )
        if (mean is None) != (variance is None):
            raise ValueError(
                "When setting values directly, both `mean` and `variance` must be set. Got mean: "
                f"{mean} and variance: {variance}"
            )
        self.axis = () if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
        self.input_mean, self.input_variance, self.invert = mean, variance, invert

    def build(self, input_shape: Any) -> None:
        """Makes `mean`, `variance` and `count`, where they are to be found.

        Raises:
          ValueError: when an axis does not exist, or its size is not known.
        """
        sizes = as_shape(input_shape).as_list()
        rank = len(sizes)
        if any(not -rank <= axis < rank for axis in self.axis):
            raise ValueError(
                "All `axis` values must be in the range [-ndim, ndim). "
                f"Found ndim: `{rank}`, axis: {self.axis}"
            )
        kept = sorted(axis % rank for axis in self.axis)
        for axis in kept:
            if sizes[axis] is None:
                raise ValueError(
                    f"All `axis` values to be kept must have known shape. Got axis: {self.axis}, "
                    f"input shape: {sizes}, with unknown axis at index: {axis}"
                )
        self._others = tuple(axis for axis in range(rank) if axis not in kept)
        self._spread = [sizes[axis] if axis in kept else 1 for axis in range(rank)]
        shape = [sizes[axis] for axis in kept]
        if self.input_mean is None:
            own = self._computes_in
            kind = own if own is not None and own.is_floating else dtypes.as_dtype(floatx())
            options: dict[str, Any] = {"shape": shape, "dtype": kind, "trainable": False}
            self.adapt_mean = self.add_weight("mean", initializer="zeros", **options)
            self.adapt_variance = self.add_weight("variance", initializer="ones", **options)
            self.count = self.add_weight(
                "count", [], dtypes.int64, initializer="zeros", trainable=False
            )
        else:  # which are to fit the shape
            self._told_mean = np.broadcast_to(_plain(self.input_mean), shape)
            self._told_variance = np.broadcast_to(_plain(self.input_variance), shape)
        self.built = True

    @property
    def mean(self) -> Tensor:
        """The mean, in a shape that broadcasts to the inputs."""
        told = self._told_mean if self.input_mean is not None else self.adapt_mean
        return reshape(_as_floats(self, convert_to_tensor(told)), self._spread)

    @property
    def variance(self) -> Tensor:
        """The variance, in a shape that broadcasts to the inputs."""
        told = self._told_variance if self.input_mean is not None else self.adapt_variance
        return reshape(_as_floats(self, convert_to_tensor(told)), self._spread)

    def adapt(self, data: Any, batch_size: int | None = None, steps: int | None = None) -> None:
        """Finds mean and variance of data; what was found before is forgotten.

        Args:
          data: an array, or a `tf.data.Dataset` of batches without labels.
          batch_size: accepted; an array is taken as a whole.
          steps: how many batches are taken; all by default.

        Raises:
          ValueError: when mean and variance were given.
        """
        if self.input_mean is not None:
            raise ValueError(
                "Cannot `adapt` a Normalization layer that is initialized with static `mean` and "
                f"`variance`, you passed mean {self.input_mean} and variance "
                f"{self.input_variance}."
            )
        count, mean, squares = 0, 0.0, 0.0  # sums of squares from the mean, in doubles
        for number, batch in enumerate(_batches(data)):
            if number == steps:
                break
            if not self.built:
                self._build_for(TensorShape(batch.shape))
            new = np.asarray(batch, np.float64)
            more = new.size // max(1, int(np.prod([size or 1 for size in self._spread])))
            center = new.mean(self._others)
            off = new.var(self._others) * more
            squares = squares + off + (center - mean) ** 2 * (count * more / (count + more))
            mean = mean + (center - mean) * (more / (count + more))
            count += more
        if count:
            values = [mean, np.asarray(squares) / count, count]
            own = [self.adapt_mean, self.adapt_variance, self.count]
            backend.batch_set_value(list(zip(own, values, strict=True)))

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        x, mean = _as_floats(self, inputs), self.mean
        deviation = maximum(sqrt(self.variance), cast(epsilon(), mean.dtype))
        return mean + x * deviation if self.invert else (x - mean) / deviation

    def get_config(self) -> dict[str, Any]:
        """What makes such a layer; what `adapt` found is in the weights."""
        told = {"mean": self.input_mean, "variance": self.input_variance}
        lists = {k: None if v is None else _plain(v).tolist() for k, v in told.items()}
        return {**super(Configured, self).get_config(), "axis": self.axis, **lists,
                "invert": self.invert}  # fmt: skip


def _plain(value: Any) -> np.ndarray:
    """A number or a tensor of known value as an array."""
    known = constant_value(value) if isinstance(value, Tensor) else value
    return np.asarray(known)


def _batches(data: Any) -> Iterator[np.ndarray]:
    """An array, or the batches of a data set."""
    if isinstance(data, (np.ndarray, list, tuple, Tensor)):
        yield _plain(data)
    elif stacks.outermost().runs_at_once:
        for batch in data:
            yield batch.numpy()
    else:
        with backend.get_graph().as_default():
            following = data.make_one_shot_iterator().get_next()
        while True:
            try:
                batch = backend.get_session().run(following)
            except errors.OutOfRangeError:
                return
            yield batch
