"""Where the windows of convolutions and pooling lie: sizes, margins and layouts.

    n = 5, window 3, stride 2, SAME:      . x x x x x .       margins (1, 1)
                                          [0   ] [1 ]         o = 3 outputs
                                                   [2    ]

Kernels work with the channels last; a tensor of the layout NC... is looked at through a transposed
view, so that nothing else has to know of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from minitf.framework.shapes import TensorShape, unknown_shape


class Axis(NamedTuple):
    """How windows lie along one axis.

    Attributes:
      size: elements of the input.
      window: elements of a window.
      stride: elements from one window to the next.
      dilation: elements from one element of a window to the next.
      before, after: the margins, which count as zeros or as nothing.
      outputs: the number of windows.
    """

    size: int
    window: int
    stride: int
    dilation: int
    before: int
    after: int
    outputs: int

    @property
    def padded(self) -> int:
        """Elements with the margins."""
        return self.size + self.before + self.after


def axis_of(
    size: int, window: int, stride: int, dilation: int, padding: str, pads: Sequence[int] = (0, 0)
) -> Axis:
    """Places windows along one axis.

    Args:
      padding: SAME, VALID or EXPLICIT.
      pads: the margins, when they are explicit.
    Raises:
      ValueError: "Negative dimension size caused by subtracting 5 from 3".
    """
    reach = (window - 1) * dilation + 1
    before, after = pads if padding == "EXPLICIT" else (0, 0)
    if padding == "SAME":
        outputs = -(-size // stride)
        margin = max((outputs - 1) * stride + reach - size, 0)
        before, after = margin // 2, margin - margin // 2
    else:
        padded = size + before + after
        if padded < reach:
            raise ValueError(f"Negative dimension size caused by subtracting {reach} from {padded}")
        outputs = (padded - reach) // stride + 1
    return Axis(size, window, stride, dilation, before, after, outputs)


def is_channels_first(data_format: str) -> bool:
    """Whether the layout is NCHW or one of its kin."""
    return data_format.startswith("NC") and len(data_format) > 2


def channels_last(x: Any, data_format: str) -> Any:
    """A view of `x` with the channels last."""
    return _moved(x, data_format, 1, -1)


def as_given(x: Any, data_format: str) -> Any:
    """What `channels_last` changed, back in the layout asked for, in order in memory."""
    if not is_channels_first(data_format):
        return x
    moved = _moved(x, data_format, -1, 1)
    return moved.copy() if moved.base is not None else moved


def _moved(x: Any, data_format: str, source: int, target: int) -> Any:
    if not is_channels_first(data_format):
        return x
    order = [i for i in range(x.ndim) if i != source % x.ndim]
    order.insert(target % x.ndim, source % x.ndim)
    return x.transpose(order)


def spatial(values: Sequence[Any], data_format: str) -> list[Any]:
    """The entries of a list over all dimensions that speak of space."""
    return list(values[2:] if is_channels_first(data_format) else values[1:-1])


def margins(explicit_paddings: Sequence[int]) -> list[tuple[int, int]]:
    """The attribute `explicit_paddings`, a flat list, as pairs; one for each dimension."""
    flat = list(explicit_paddings)
    return list(zip(flat[::2], flat[1::2], strict=True))


def explicit(padding: Any, data_format: str = "NHWC", rank: int = 4) -> tuple[str, list[int]]:
    """The argument `padding` as the attributes `padding` and `explicit_paddings`.

    Args:
      padding: "SAME" or "VALID", or a pair of margins for each dimension.
    Raises:
      ValueError: when the batch or the channels would get a margin.
    """
    if isinstance(padding, str):
        return padding.upper(), []
    pairs = [[int(p) for p in pair] for pair in padding]
    if len(pairs) != rank or any(len(pair) != 2 for pair in pairs):
        raise ValueError(
            f"Each element of `padding` must be a list of size 2, and there must be {rank} of them "
            f"for the {rank} dimensions of the input, got {padding!r}."
        )
    outside = (0, 1) if is_channels_first(data_format) else (0, rank - 1)
    if any(pairs[place] != [0, 0] for place in outside):
        raise ValueError(
            "Nonzero explicit padding in the batch or depth dimensions is not supported, got "
            f"{padding!r}."
        )
    return "EXPLICIT", [p for pair in pairs for p in pair]


def output_sizes(
    sizes: Sequence[int | None],
    windows: Sequence[int | None],
    strides: Sequence[int],
    dilations: Sequence[int],
    padding: str,
    pads: Sequence[Sequence[int]] = (),
) -> list[int | None]:
    """For a shape function: the number of windows along each axis, as far as it is known."""
    pads = pads or [(0, 0)] * len(sizes)
    return [
        None
        if n is None or (k is None and padding != "SAME")
        else axis_of(n, 1 if k is None else k, s, d, padding, p).outputs
        for n, k, s, d, p in zip(sizes, windows, strides, dilations, pads, strict=True)
    ]


def arranged(
    batch: int | None, sizes: Sequence[int | None], channels: int | None, data_format: str
) -> TensorShape:
    """A shape in the layout of `data_format`."""
    if is_channels_first(data_format):
        return TensorShape([batch, channels, *sizes])
    return TensorShape([batch, *sizes, channels])


def taken_apart(shape: TensorShape, rank: int, data_format: str) -> tuple[Any, list, Any]:
    """Batch, sizes in space and channels of an input of `rank` dimensions."""
    sizes = shape.with_rank(rank)
    known = (unknown_shape(rank) if sizes.ndims is None else sizes).as_list()
    channels = known[1] if is_channels_first(data_format) else known[-1]
    return known[0], spatial(known, data_format), channels
