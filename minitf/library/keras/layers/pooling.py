"""Layers that change the sizes of space: pooling, margins of zeros, repetition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_shaping import expand_dims, squeeze
from minitf.core.ops.cast import cast
from minitf.core.ops.reductions import reduce_max, reduce_mean, reduce_sum
from minitf.library.keras.backend.config import (
    normalize_data_format,
    normalize_tuple,
    output_length,
)
from minitf.library.keras.backend.functions import resize_images
from minitf.library.keras.engine.calls import InputSpec
from minitf.library.keras.layers.configured import Configured
from minitf.library.keras.layers.convolutional import Sliding
from minitf.library.nets.pooling import avg_pool, avg_pool3d, max_pool, max_pool3d
from minitf.library.numeric.padding import pad


class Pooling(Sliding):
    """What the pooling layers have in common.

    Args:
      pool_size: the size of the window, a number or one for each axis.
      strides: from one window to the next, likewise; None: the size of the window.
      padding: "valid" or "same".
      data_format: "channels_last" or "channels_first".
      kwargs: see `Layer`.
    """

    function: ClassVar[Callable[..., Tensor]]

    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        strides = pool_size if strides is None else strides
        super().__init__(strides, padding, data_format, **kwargs)
        self.pool_size = normalize_tuple(pool_size, self.rank, "pool_size")

    def call(self, inputs: Tensor) -> Tensor:
        return self._pooled(inputs, self.pool_size, self.strides)

    def _pooled(self, inputs: Tensor, window: tuple, strides: tuple) -> Tensor:
        sizes = self._in_layout(window), self._in_layout(strides)
        padding, layout = self.padding.upper(), self._op_format
        return type(self).function(inputs, *sizes, padding, data_format=layout)

    def _space_after(self, space: list[int | None]) -> list[int | None]:
        parts = zip(space, self.pool_size, self.strides, strict=True)
        return [output_length(n, window, self.padding, stride) for n, window, stride in parts]


class _Pooling1D(Pooling):
    """Pools sequences as images one column wide."""

    rank = 1

    def call(self, inputs: Tensor) -> Tensor:
        axis = 3 if self._channels_first else 2
        window, strides = (*self.pool_size, 1), (*self.strides, 1)
        return squeeze(self._pooled(expand_dims(inputs, axis), window, strides), axis)


class MaxPooling1D(_Pooling1D):
    """The largest of each window of sequences [batch, width, channels]; see `Pooling`."""

    function = max_pool


class AveragePooling1D(_Pooling1D):
    """The mean of each window of sequences [batch, width, channels]; see `Pooling`."""

    function = avg_pool


class MaxPooling2D(Pooling):
    """The largest of each window of images [batch, height, width, channels]; see `Pooling`.

    Args:
      pool_size: the height and width of the window, or one number for both.
      strides: its steps; the size of the window without them.
      padding: "valid" or "same".
      data_format: "channels_last" or "channels_first".
      **kwargs: those of `Layer`.
    Example:
      >>> tf.keras.layers.MaxPooling2D(2)(tf.zeros([8, 28, 28, 3])).shape.as_list()
      [8, 14, 14, 3]
    """

    rank = 2
    function = max_pool


class AveragePooling2D(Pooling):
    """The mean of each window of images [batch, height, width, channels]; see `Pooling`."""

    rank = 2
    function = avg_pool


class MaxPooling3D(Pooling):
    """The largest of each window of volumes [batch, depth, height, width, channels]."""

    rank = 3
    function = max_pool3d


class AveragePooling3D(Pooling):
    """The mean of each window of volumes [batch, depth, height, width, channels]."""

    rank = 3
    function = avg_pool3d


# ---- of all places ---------------------------------------------------------------------------


class _GlobalPooling(Configured):
    """One number for each channel, of all places.

    Args:
      data_format: "channels_last" or "channels_first".
      kwargs: see `Layer`.
    """

    rank: ClassVar[int]
    function: ClassVar[Callable[..., Tensor]]

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = normalize_data_format(data_format)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    @property
    def _space(self) -> list[int]:
        start = 2 if self.data_format == "channels_first" else 1
        return list(range(start, start + self.rank))

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """[batch, channels]."""
        sizes = as_shape(input_shape).as_list()
        return TensorShape([size for axis, size in enumerate(sizes) if axis not in self._space])

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        return type(self).function(inputs, self._space)


class GlobalMaxPooling1D(_GlobalPooling):
    """The largest number of each channel of sequences [batch, time, channels]."""

    rank = 1
    function = reduce_max


class GlobalMaxPooling2D(_GlobalPooling):
    """The largest number of each channel of images [batch, height, width, channels]."""

    rank = 2
    function = reduce_max


class GlobalMaxPooling3D(_GlobalPooling):
    """The largest number of each channel of volumes [batch, depth, height, width, channels]."""

    rank = 3
    function = reduce_max


class GlobalAveragePooling1D(_GlobalPooling):
    """The mean of each channel of sequences [batch, time, channels], of the steps that count."""

    rank = 1
    function = reduce_mean

    def __init__(self, data_format: str | None = "channels_last", **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        self.supports_masking = True

    def call(self, inputs: Tensor, mask: Any = None) -> Tensor:
        """Adds the operations; steps whose mask is False do not count."""
        if mask is None:
            return super().call(inputs)
        (axis,) = self._space
        counts = expand_dims(cast(mask, inputs.dtype), 3 - axis)
        return reduce_sum(inputs * counts, axis) / reduce_sum(counts, axis)

    def compute_mask(self, inputs: Any, mask: Any = None) -> None:
        """None: no steps are left."""


class GlobalAveragePooling2D(_GlobalPooling):
    """The mean of each channel of images [batch, height, width, channels].

    Args:
      data_format: "channels_last" or "channels_first".
      **kwargs: those of `Layer`.
    Example:
      >>> tf.keras.layers.GlobalAveragePooling2D()(tf.zeros([8, 7, 7, 64])).shape.as_list()
      [8, 64]
    """

    rank = 2
    function = reduce_mean


class GlobalAveragePooling3D(_GlobalPooling):
    """The mean of each channel of volumes [batch, depth, height, width, channels]."""

    rank = 3
    function = reduce_mean


# ---- margins and repetition ----------------------------------------------------------------------


class _Images(Configured):
    """A layer that changes the sizes of images [batch, height, width, channels].

    Args:
      data_format: "channels_last" or "channels_first".
      kwargs: see `Layer`.
    """

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = normalize_data_format(data_format)
        self.input_spec = InputSpec(ndim=4)

    def _after(self, axis: int, size: int) -> int:
        """How long an axis of space becomes that is `size` long."""
        raise NotImplementedError

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The sizes after the change."""
        sizes = as_shape(input_shape).as_list()
        first = 2 if self.data_format == "channels_first" else 1
        for axis in (0, 1):
            size = sizes[first + axis]
            sizes[first + axis] = None if size is None else self._after(axis, size)
        return TensorShape(sizes)


class ZeroPadding2D(_Images):
    """A margin of zeros around images.

    Args:
      padding: a number, one for each axis, or (before, after) for each axis.
      data_format: "channels_last" or "channels_first".
      kwargs: see `Layer`.
    """

    def __init__(self, padding: Any = 1, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        given = (padding, padding) if isinstance(padding, int) else padding
        if len(given) != 2:
            raise ValueError(f"`padding` should have 2 elements. Found: {padding}")
        self.padding = tuple(normalize_tuple(each, 2, "entry of padding") for each in given)

    def _after(self, axis: int, size: int) -> int:
        return size + sum(self.padding[axis])

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        first = self.data_format == "channels_first"
        none = [(0, 0)]
        margins = [*none, *none, *self.padding] if first else [*none, *self.padding, *none]
        return pad(inputs, [list(each) for each in margins])


class UpSampling2D(_Images):
    """Makes images larger by whole factors.

    Args:
      size: the factors.
      data_format: "channels_last" or "channels_first".
      interpolation: "nearest" or "bilinear".
      kwargs: see `Layer`.
    """

    def __init__(
        self,
        size: Any = (2, 2),
        data_format: str | None = None,
        interpolation: str = "nearest",
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format, **kwargs)
        self.size = normalize_tuple(size, 2, "size")
        if interpolation not in ("nearest", "bilinear"):
            raise ValueError(
                '`interpolation` argument should be one of `"nearest"` or `"bilinear"`.'
            )
        self.interpolation = interpolation

    def _after(self, axis: int, size: int) -> int:
        return size * self.size[axis]

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        height, width = self.size
        return resize_images(inputs, height, width, self.data_format, self.interpolation)
