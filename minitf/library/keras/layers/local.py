"""Layers like convolutions whose every place has weights of its own."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from minitf.core.graph.shapes import as_shape
from minitf.core.graph.tensor import Tensor
from minitf.library.keras.backend.networks import bias_add, local_conv
from minitf.library.keras.backend.windows import normalize_tuple, output_length
from minitf.library.keras.engine.input_spec import InputSpec
from minitf.library.keras.layers.sliding import Sliding


class _LocallyConnected(Sliding):
    """What the locally connected layers have in common.

    Args:
      filters: how many features each place gets.
      kernel_size, strides: the window and its steps, a number or one for each axis.
      padding: "valid".
      data_format: "channels_last" or "channels_first".
      implementation: accepted; there is one arithmetic, with the kernel of the first.

    The other arguments are those of `Conv2D`.
    """

    rank: ClassVar[int]

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = 1, padding: str = "valid",
        data_format: str | None = None, activation: Any = None, use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None, bias_regularizer: Any = None,
        activity_regularizer: Any = None, kernel_constraint: Any = None,
        bias_constraint: Any = None, implementation: int = 1, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(strides, padding, data_format, **kwargs)
        kept = {k: v for k, v in locals().items() if k not in ("strides", "padding", "data_format")}
        self._keep(kept)
        self.kernel_size = normalize_tuple(kernel_size, self.rank, "kernel_size")
        if self.padding != "valid":
            raise ValueError(
                f'Invalid border mode for {type(self).__name__} (only "valid" is supported if '
                f"implementation is 1): {padding}"
            )

    def build(self, input_shape: Any) -> None:
        """Makes `kernel` [places, window * channels, filters] and `bias` [*space, filters]."""
        sizes = as_shape(input_shape).as_list()
        channels = sizes[1] if self._channels_first else sizes[-1]
        space = sizes[2:] if self._channels_first else sizes[1:-1]
        if None in space or channels is None:
            raise ValueError(
                f"The spatial dimensions of the inputs to  a {type(self).__name__} layer should be "
                f"fully-defined, but layer received an inputs shape of {input_shape}"
            )
        self._places = self._space_after(space)
        window = math.prod(self.kernel_size) * channels
        self.kernel = self._add_own("kernel", [math.prod(self._places), window, self.filters])
        self.bias = None
        if self.use_bias:
            self.bias = self._add_own("bias", [*self._places, self.filters])
        axis = 1 if self._channels_first else -1
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={axis: channels})
        self.built = True

    def _space_after(self, space: list[Any]) -> list[Any]:
        parts = zip(space, self.kernel_size, self.strides, strict=True)
        return [output_length(n, window, self.padding, stride) for n, window, stride in parts]

    def call(self, inputs: Tensor) -> Tensor:
        """Adds the operations."""
        outputs = local_conv(
            inputs, self.kernel, self.kernel_size, self.strides, self._places, self.data_format
        )
        if self.bias is not None:
            outputs = bias_add(outputs, self.bias, self.data_format)
        return self.activation(outputs)


class LocallyConnected1D(_LocallyConnected):
    """Filters along sequences, others at each place."""

    rank = 1


class LocallyConnected2D(_LocallyConnected):
    """Filters over images, others at each place."""

    rank = 2
