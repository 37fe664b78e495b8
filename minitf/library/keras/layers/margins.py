"""Layers that cut margins off, add them, or repeat what is there: along one, two or three axes."""

from __future__ import annotations

from typing import Any, ClassVar

from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.tensor import Tensor
from minitf.library.keras.backend.config import normalize_data_format, normalize_tuple
from minitf.library.keras.backend.functions import (
    repeat_elements,
    resize_images,
    resize_volumes,
    spatial_padding,
)
from minitf.library.keras.engine.calls import InputSpec
from minitf.library.keras.layers.configured import Configured


class _Spatial(Configured):
    """A layer that changes the sizes of axes of space.

    Args:
      data_format: "channels_last" or "channels_first".
      kwargs: see `Layer`.
    """

    rank: ClassVar[int]

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = normalize_data_format(data_format)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    @property
    def _first(self) -> int:
        """The first axis of space."""
        return 2 if self.data_format == "channels_first" else 1

    def _after(self, axis: int, size: int) -> int:
        """How long an axis of space becomes that is `size` long."""
        raise NotImplementedError

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The sizes after the change."""
        sizes = as_shape(input_shape).as_list()
        for axis in range(self.rank):
            size = sizes[self._first + axis]
            sizes[self._first + axis] = None if size is None else self._after(axis, size)
        return TensorShape(sizes)

    def _margins(self, given: Any, name: str) -> tuple[tuple[int, int], ...]:
        """(before, after) for each axis, from one number, one for each axis, or such pairs."""
        if isinstance(given, int):
            return ((given, given),) * self.rank
        if self.rank == 1:
            return (normalize_tuple(given, 2, name),)  # type: ignore[return-value]
        if len(given) != self.rank:
            raise ValueError(f"`{name}` should have {self.rank} elements. Found: {given}")
        return tuple(normalize_tuple(each, 2, f"entry of {name}") for each in given)  # type: ignore[misc]


# ---- margins of zeros ------------------------------------------------------------------------


class _ZeroPadding(_Spatial):
    """Adds a margin of zeros.

    Args:
      padding: a number, one for each axis, or (before, after) for each axis.
      data_format: "channels_last" or "channels_first".
      kwargs: see `Layer`.
    """

    def __init__(self, padding: Any = 1, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        self._pairs = self._margins(padding, "padding")
        self.padding: Any = self._pairs

    def _after(self, axis: int, size: int) -> int:
        return size + sum(self._pairs[axis])

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        return spatial_padding(inputs, self._pairs, self.data_format)


class ZeroPadding1D(_ZeroPadding):
    """Zeros before and after sequences [batch, time, features].

    Args:
      padding: a number, or (before, after).
      kwargs: see `Layer`.
    """

    rank = 1

    def __init__(self, padding: Any = 1, **kwargs: Any) -> None:
        super().__init__(padding, "channels_last", **kwargs)
        self.padding = self._pairs[0]


class ZeroPadding2D(_ZeroPadding):
    """A margin of zeros around images."""

    rank = 2


class ZeroPadding3D(_ZeroPadding):
    """A margin of zeros around volumes."""

    rank = 3


# ---- cutting off -----------------------------------------------------------------------------


class _Cropping(_Spatial):
    """Cuts a margin off.

    Args:
      cropping: a number, one for each axis, or (before, after) for each axis.
      data_format: "channels_last" or "channels_first".
      kwargs: see `Layer`.
    """

    def __init__(self, cropping: Any, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        self._pairs = self._margins(cropping, "cropping")
        self.cropping: Any = self._pairs

    def _after(self, axis: int, size: int) -> int:
        return size - sum(self._pairs[axis])

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        kept = [slice(before, -after if after else None) for before, after in self._pairs]
        return inputs[(*[slice(None)] * self._first, *kept)]


class Cropping1D(_Cropping):
    """Cuts steps off sequences [batch, time, features].

    Args:
      cropping: a number, or (before, after).
      kwargs: see `Layer`.
    """

    rank = 1

    def __init__(self, cropping: Any = (1, 1), **kwargs: Any) -> None:
        super().__init__(cropping, "channels_last", **kwargs)
        self.cropping = self._pairs[0]


class Cropping2D(_Cropping):
    """Cuts a margin off images."""

    rank = 2

    def __init__(
        self, cropping: Any = ((0, 0), (0, 0)), data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(cropping, data_format, **kwargs)


class Cropping3D(_Cropping):
    """Cuts a margin off volumes."""

    rank = 3

    def __init__(
        self,
        cropping: Any = ((1, 1), (1, 1), (1, 1)),
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(cropping, data_format, **kwargs)


# ---- repeating -------------------------------------------------------------------------------


class _UpSampling(_Spatial):
    """Repeats what is there.

    Args:
      size: how often, a number or one for each axis.
      data_format: "channels_last" or "channels_first".
      kwargs: see `Layer`.
    """

    def __init__(self, size: Any = 2, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        self._times = normalize_tuple(size, self.rank, "size")
        self.size: Any = self._times

    def _after(self, axis: int, size: int) -> int:
        return size * self._times[axis]


class UpSampling1D(_UpSampling):
    """Each step of sequences [batch, time, features] `size` times.

    Args:
      size: how often.
      kwargs: see `Layer`.
    """

    rank = 1

    def __init__(self, size: int = 2, **kwargs: Any) -> None:
        super().__init__(size, "channels_last", **kwargs)
        self.size = int(size)

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        return repeat_elements(inputs, self.size, axis=1)


class UpSampling2D(_UpSampling):
    """Makes images larger by whole factors.

    Args:
      size: the factors.
      data_format: "channels_last" or "channels_first".
      interpolation: "nearest" or "bilinear".
      kwargs: see `Layer`.
    """

    rank = 2

    def __init__(
        self,
        size: Any = (2, 2),
        data_format: str | None = None,
        interpolation: str = "nearest",
        **kwargs: Any,
    ) -> None:
        super().__init__(size, data_format, **kwargs)
        if interpolation not in ("nearest", "bilinear"):
            raise ValueError(
                '`interpolation` argument should be one of `"nearest"` or `"bilinear"`.'
            )
        self.interpolation = interpolation

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        height, width = self._times
        return resize_images(inputs, height, width, self.data_format, self.interpolation)


class UpSampling3D(_UpSampling):
    """Makes volumes larger by whole factors."""

    rank = 3

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        depth, height, width = self._times
        return resize_volumes(inputs, depth, height, width, self.data_format)
