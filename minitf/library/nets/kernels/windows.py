"""Where the windows of convolutions and pooling lie along an axis.

n = 5, window 3, stride 2, SAME:      . x x x x x .       margins (1, 1)
                                      [0   ] [1 ]         o = 3 outputs
                                               [2    ]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


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
        if padded < reach and (size or reach > 1):  # no images at all are not too small
            raise ValueError(f"Negative dimension size caused by subtracting {reach} from {padded}")
        outputs = (padded - reach) // stride + 1
    return Axis(size, window, stride, dilation, before, after, outputs)
