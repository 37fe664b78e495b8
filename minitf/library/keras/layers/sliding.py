"""What convolutions and pooling layers share: windows that slide along one, two or three axes."""

from __future__ import annotations

from typing import Any, ClassVar

from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.library.keras.backend.config import (
    normalize_data_format,
    normalize_padding,
    normalize_tuple,
    op_format,
)
from minitf.library.keras.engine.calls import InputSpec
from minitf.library.keras.layers.configured import Configured


class Sliding(Configured):
    """A layer whose windows slide along `rank` axes.

    Args:
      strides: from one window to the next, a number or one for each axis.
      padding: "valid", "same" or "causal".
      data_format: "channels_last" or "channels_first".
      options: see `Layer`.
    """

    rank: ClassVar[int]
    filters: Any = None  # how many features each place gets; None: a number a channel

    def __init__(self, strides: Any, padding: str, data_format: str | None, **options: Any) -> None:
        super().__init__(**options)
        self.strides = normalize_tuple(strides, self.rank, "strides")
        self.padding = normalize_padding(padding)
        self.data_format = normalize_data_format(data_format)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    @property
    def _channels_first(self) -> bool:
        return self.data_format == "channels_first"

    @property
    def _op_format(self) -> str:
        """The layout as operations name it; that of images for sequences, which become images."""
        return op_format(self.data_format, max(self.rank + 2, 4))

    def _arranged(self, batch: Any, space: Any, channels: Any) -> list:
        """What is said of each dimension, in the order of the layout."""
        return [batch, channels, *space] if self._channels_first else [batch, *space, channels]

    def _in_layout(self, space: tuple[int, ...]) -> list[int]:
        """A number for each dimension, from one for each axis of space."""
        return self._arranged(1, space, 1)

    def _space_after(self, space: list[Any]) -> list[Any]:
        """How many windows there are along each axis of space."""
        raise NotImplementedError

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        sizes = as_shape(input_shape).as_list()
        space = sizes[2:] if self._channels_first else sizes[1:-1]
        channels = self.filters or sizes[1 if self._channels_first else -1]
        return TensorShape(self._arranged(sizes[0], self._space_after(space), channels))
