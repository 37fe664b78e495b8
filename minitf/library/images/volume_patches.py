"""Blocks of volumes as long voxels: `tf.extract_volume_patches`.

Taking blocks is a convolution with filters that have a single one; so the gradient is that of
`conv3d` by its input.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import check_choice
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.elementwise import normal_sample
from minitf.library.nets.conv_ops import conv3d_backprop_input_op
from minitf.library.nets.kernels.conv import padded, windows
from minitf.library.nets.kernels.windows import axis_of
from minitf.library.nets.layouts import sizes_of
from minitf.library.numeric.diagonals import eye

_DENSE = {"ksizes": [1, 2, 2, 1, 1], "strides": [1, 1, 2, 1, 1], "padding": "SAME"}
_APART = {"ksizes": [1, 1, 2, 2, 1], "strides": [1, 1, 1, 2, 1], "padding": "VALID"}


def _outputs(size: int, window: int, stride: int, padding: str) -> int:
    """How many blocks lie along an axis; none when a block is larger by less than a step.

    Raises:
      ValueError: when there is no step, or a block is larger by more.
    """
    if stride < 1:
        raise ValueError(f"Stride must be > 0, but got {stride}")
    if padding == "SAME":
        return -(-size // stride)
    outputs = int((size - window + stride) / stride)  # as C divides
    if outputs < 0:
        raise ValueError(
            f"Computed output size would be negative: {outputs} [input_size: {size}, "
            f"effective_filter_size: {window}, stride: {stride}]"
        )
    return outputs


@op(
    "ExtractVolumePatches",
    "input: T -> patches: T",
    batch="fold",
    T=dtypes.REALS,
    samples=[normal_sample((1, 2, 3, 2, 2), **_DENSE), normal_sample((1, 2, 3, 4, 1), **_APART)],
)
def extract_volume_patches_op(
    xp: Any, input: Any, *, ksizes: Any, strides: Any, padding: str
) -> Any:
    """Takes the blocks of volumes apart: the voxels of each become one long voxel."""
    for name, given in (("ksizes", ksizes), ("strides", strides)):
        if given[0] != 1 or given[4] != 1:
            raise errors.UnimplementedError(None, None, f"Only support {name} across space.")
    batch, *sizes, channels = input.shape
    places = [(n, ksizes[i], strides[i]) for i, n in enumerate(sizes, start=1)]
    outputs = [_outputs(*place, padding) for place in places]
    whole = (batch, *outputs, ksizes[1] * ksizes[2] * ksizes[3] * channels)
    if 0 in outputs:  # the windows are too large
        return xp.zeros(whole, input.dtype)
    axes = [axis_of(*place, 1, padding) for place in places]
    return xp.ascontiguousarray(windows(xp, padded(xp, input, axes), axes)).reshape(whole)


@extract_volume_patches_op.shape
def _extract_volume_patches_shape(
    input: Any, *, ksizes: Any, strides: Any, padding: str
) -> TensorShape:
    batch, *space, channels = sizes_of(input.shape, 5)
    outputs = [
        None if n is None else _outputs(n, ksizes[i], strides[i], padding)
        for i, n in enumerate(space, start=1)
    ]
    depth = None if channels is None else channels * ksizes[1] * ksizes[2] * ksizes[3]
    return TensorShape([batch, *outputs, depth])


@extract_volume_patches_op.gradient
def _extract_volume_patches_grad(op: Any, dy: Tensor) -> list:
    volumes = op.inputs[0]
    window = [int(n) for n in op.attrs["ksizes"][1:4]]
    channels = volumes.shape.as_list()[4] if volumes.shape.ndims is not None else None
    sizes = shape_of(volumes)
    count = sizes[4] if channels is None else channels
    depth = count * int(np.prod(window))
    filters = reshape(eye(depth, dtype=volumes.dtype), [*window, count, depth])
    attrs = {"strides": op.attrs["strides"], "padding": op.attrs["padding"]}
    return [conv3d_backprop_input_op(cast(sizes, dtypes.int32), filters, dy, **attrs)]


def extract_volume_patches(
    input: Any,
    ksizes: Sequence[int],
    strides: Sequence[int],
    padding: str,
    name: str | None = None,
) -> Tensor:
    """Blocks of volumes as long voxels.

    Args:
      input: [batch, planes, rows, columns, channels].
      ksizes: [1, planes, rows, columns, 1] of a block.
      strides: [1, back, down, right, 1] from one block to the next.
      padding: "SAME" or "VALID".
      name: the name.
    Returns: [batch, blocks back, down, right, voxels of a block * channels].
    """
    check_choice("ExtractVolumePatches", "padding", padding, ("SAME", "VALID"))
    for what, given in (("ksizes", ksizes), ("strides", strides)):
        if len(given) < 5:
            raise ValueError(
                f"Attr '{what}' of 'ExtractVolumePatches' Op passed list of length {len(given)} "
                "less than minimum 5."
            )
    attrs = {"ksizes": list(ksizes), "strides": list(strides), "padding": padding}
    return extract_volume_patches_op(input, name=name, **attrs)
