"""What convolutional layers of libraries are built on, below `tensorflow.python`.

nn_ops.Convolution(shapes, padding, ...)    --made once, as the layer is built-->    (x, w) -> y
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.library.keras.backend.windows import op_format
from minitf.library.nets.convolution import convolution


def convert_data_format(data_format: str, ndim: int) -> str:
    """A layer's layout as operations name it: "channels_last" of rank 4 is "NHWC".

    Args:
      data_format: "channels_last" or "channels_first".
      ndim: the rank of the layer's input.
    Raises:
      ValueError: for another layout, or a rank that no convolution has.
    """
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError(
            f"Invalid data_format: {data_format}. "
            'We only support "channels_first" or "channels_last"'
        )
    if ndim not in (3, 4, 5):
        raise ValueError(f"Input rank: {ndim} not supported. We only support input rank 3, 4 or 5.")
    return op_format(data_format, ndim)


class Convolution:
    """`tf.nn.convolution` with its settings, and shapes that are looked at when it is made.

    Args:
      input_shape: of the inputs.
      filter_shape: of the filters.
      padding, strides, dilation_rate, name, data_format: those of `tf.nn.convolution`.
      num_spatial_dims: how many axes of space there are, where neither shape says it.
    Raises:
      ValueError: when the channels of both do not agree.
    """

    def __init__(
        self, input_shape: Any, filter_shape: Any, padding: Any,
        strides: Sequence[int] | None = None, dilation_rate: Sequence[int] | None = None,
        name: str | None = None, data_format: str | None = None,
        num_spatial_dims: int | None = None,
    ) -> None:  # fmt: skip
        given, window = TensorShape(input_shape), TensorShape(filter_shape)
        rank = window.ndims or given.ndims or (num_spatial_dims and num_spatial_dims + 2)
        if rank is None:
            raise ValueError("rank of input must be known")
        given, window = given.with_rank(rank), window.with_rank(rank)
        first = data_format is not None and data_format.startswith("NC")
        channels, taken = given.as_list()[1 if first else -1], window.as_list()[-2]
        if channels and taken and channels % taken:
            raise ValueError(
                "The number of input channels is not divisible by the corresponding number of "
                f"output filters. Received: input.shape={given} with {channels} channels and "
                f"filters.shape={window} with {taken} output filters."
            )
        self.input_shape, self.filter_shape = given, window
        self.padding, self.strides, self.dilation_rate = padding, strides, dilation_rate
        self.name, self.data_format = name, data_format

    def __call__(self, inp: Any, filter: Any) -> Tensor:
        """The convolution of `inp` with `filter`."""
        return convolution(
            inp, filter, self.padding, self.strides, self.dilation_rate, self.name, self.data_format
        )
