"""Where the windows of convolutions and pooling lie along an axis.

n = 5, window 3, stride 2, SAME:      . x x x x x .       margins (1, 1)
                                      [0   ] [1 ]         o = 3 outputs
                                               [2    ]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from minitf.core.ops.elementwise import invalid

_INT32 = (1 << 31) - 1


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

    @property
    def holds(self) -> bool:
        """Whether as many windows lie within the input and its margins as there is room for."""
        size, window, stride, dilation, before, after, outputs = self
        if min(size, before, after) < 0 or min(window, stride, dilation) < 1 or max(self) > _INT32:
            return False
        last = self.padded - (window - 1) * dilation - 1  # where a window can begin
        return outputs == max(0, last // stride + 1)


def placed(axes: Sequence[Axis | None], sizes: Sequence[int]) -> bool:
    """Whether windows lie so on an array of these sizes; where an axis is None there are none."""
    return len(axes) == len(sizes) and all(
        axis is None or (axis.size == size and axis.holds)
        for axis, size in zip(axes, sizes, strict=True)
    )


def outputs_of(axes: Sequence[Axis | None], sizes: Sequence[int]) -> tuple[int, ...]:
    """The sizes of what windows make of an array: one number for each of them."""
    return tuple(n if a is None else a.outputs for a, n in zip(axes, sizes, strict=True))


def axis_of(
    size: int, window: int, stride: int, dilation: int, padding: str, pads: Sequence[int] = (0, 0)
) -> Axis:
    """Places windows along one axis.

    Args:
      padding: SAME, VALID or EXPLICIT.
      pads: the margins, when they are explicit.
    Raises:
      InvalidArgumentError: "Computed output size would be negative: -2 ...".
    """
    for number in (window, stride, dilation, *pads):
        if number > _INT32:
            raise invalid(f"A window, its steps or its margins are out of range: {number}")
    reach = (window - 1) * dilation + 1
    before, after = pads if padding == "EXPLICIT" else (0, 0)
    if padding == "SAME":
        outputs = -(-size // stride)
        margin = max((outputs - 1) * stride + reach - size, 0)
        before, after = margin // 2, margin - margin // 2
    else:
        padded = size + before + after
        outputs = int((padded - reach + stride) / stride)  # as C divides
        if padded < reach and (size or reach > 1):  # no images at all are not too small
            raise invalid(
                f"Computed output size would be negative: {outputs} [input_size: {size}, "
                f"effective_filter_size: {reach}, stride: {stride}]"
            )
    return Axis(size, window, stride, dilation, before, after, outputs)


def known_outputs(
    size: int, window: int, stride: int, dilation: int, padding: str, pads: Sequence[int] = (0, 0)
) -> int:
    """How many windows there are along an axis, when the graph is built; arguments of `axis_of`.

    Raises:
      ValueError: "Negative dimension size caused by subtracting 5 from 3", "Stride must be > 0...".
    """
    if stride < 1:
        raise ValueError(f"Stride must be > 0, but got {stride}")
    if dilation < 1:
        raise ValueError(f"Dilation rate must be >= 1, but got {dilation}")
    reach, padded = (window - 1) * dilation + 1, size + (sum(pads) if padding == "EXPLICIT" else 0)
    if padding != "SAME" and padded < reach and (size or reach > 1):  # no images are not too small
        raise ValueError(f"Negative dimension size caused by subtracting {reach} from {padded}")
    return axis_of(size, window, stride, dilation, padding, pads).outputs
