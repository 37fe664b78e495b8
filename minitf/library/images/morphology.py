"""Morphology of grey images: dilation and erosion, the convolutions of the largest and the least.

dilation:  y = max over the window of x + filter        erosion:  y = min of x - filter
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import one_of
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_padding import pad
from minitf.core.ops.array_shaping import reshape, reverse
from minitf.core.ops.math import negative
from minitf.core.ops.reductions import reduce_max
from minitf.library.images.image_geometry import extract_image_patches, sizes_of
from minitf.library.nets.kernels.windows import axis_of
from minitf.library.numeric.diagonals import same_size


def dilation2d(
    input: Any,
    filter: Any = None,
    strides: Sequence[int] | None = None,
    rates: Sequence[int] | None = None,
    padding: str | None = None,
    name: str | None = None,
    filters: Any = None,
    dilations: Sequence[int] | None = None,
) -> Tensor:
    """The largest sum of a pixel and the filter's element on it, in each window and channel.

    Args:
      input: [batch, height, width, channels] float, of known height and width for "SAME".
      filter: [height, width, channels]. Also `filters`.
      strides: [1, down, right, 1] from one window to the next.
      rates: [1, down, right, 1] from one element of a window to the next. Also `dilations`.
      padding: "SAME" or "VALID".
      name: the name of the scope.
    Raises:
      ValueError: when the channels differ.
    """
    structure = one_of("filters", filters, "filter", filter)
    steps = one_of("dilations", dilations, "rates", rates) or [1, 1, 1, 1]
    strides = strides or [1, 1, 1, 1]
    with name_scope(name, "Dilation2D", [input, structure]):
        x = convert_to_tensor(input, name="input")
        w = convert_to_tensor(structure, x.dtype.base_dtype, name="filter")
        high, wide, depth = w.shape.with_rank(3).as_list()
        if same_size(x.shape.with_rank(4).as_list()[3], depth) != depth:  # the filter's is unknown
            depth = x.shape[3].value
        if depth is None:
            depth = shape_of(x)[3]
        if padding == "SAME":
            sizes = x.shape.as_list()[1:3]
            axes = [
                axis_of(n, k, s, d, "SAME")
                for n, k, s, d in zip(sizes, (high, wide), strides[1:3], steps[1:3], strict=True)
            ]
            margins = [[0, 0], *([a.before, a.after] for a in axes), [0, 0]]
            x = pad(x, margins, constant_values=x.dtype.min)
        patches = extract_image_patches(x, [1, high, wide, 1], strides, steps, "VALID")
        batch, rows, columns, _ = sizes_of(patches)
        apart = reshape(patches, [batch, rows, columns, high * wide, depth])
        return reduce_max(apart + reshape(w, [high * wide, depth]), axis=3)


def erosion2d(
    value: Any,
    kernel: Any,
    strides: Sequence[int],
    rates: Sequence[int],
    padding: str,
    name: str | None = None,
) -> Tensor:
    """The least difference of a pixel and the kernel's element on it; the opposite of dilation.

    Args:
      value: [batch, height, width, channels] float.
      kernel: [height, width, channels].
      strides, rates, padding: as in `dilation2d`.
      name: the name of the scope.
    """
    with name_scope(name, "erosion2d", [value, kernel]):
        flipped = reverse(convert_to_tensor(kernel), [0, 1])
        return negative(dilation2d(negative(value), flipped, strides, rates, padding))
