"""Layers that keep one number of each window: the largest, or the mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_shaping import expand_dims, squeeze
from minitf.library.keras.backend.windows import normalize_tuple, output_length
from minitf.library.layers.sliding import Sliding
from minitf.library.layers.utils import functional
from minitf.library.nets.pooling import avg_pool, avg_pool3d, max_pool, max_pool3d


class Pooling(Sliding):
    """What the pooling layers have in common.

    Args:
      pool_size: the size of the window, a number or one for each axis.
      strides: from one window to the next, likewise; None: the size of the window.
      padding: "valid" or "same".
      data_format: "channels_last" or "channels_first".
      name: see `Layer`.
    """

    function: ClassVar[Callable[..., Tensor]]

    def __init__(
        self,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        strides = pool_size if strides is None else strides
        super().__init__(strides, padding, data_format, name=name, **kwargs)
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
    """The largest of each window of images [batch, height, width, channels]; see `Pooling`."""

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


max_pooling1d = functional(MaxPooling1D, "max_pooling1d", "The largest of each window.")
max_pooling2d = functional(MaxPooling2D, "max_pooling2d", "The largest of each window.")
max_pooling3d = functional(MaxPooling3D, "max_pooling3d", "The largest of each window.")
average_pooling1d = functional(AveragePooling1D, "average_pooling1d", "The mean of each window.")
average_pooling2d = functional(AveragePooling2D, "average_pooling2d", "The mean of each window.")
average_pooling3d = functional(AveragePooling3D, "average_pooling3d", "The mean of each window.")
