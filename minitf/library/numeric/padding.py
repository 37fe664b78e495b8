"""Tensors with a margin: of zeros, of a value, or of their own mirror image."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape, unknown_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_slicing import pad_op, pad_shape, pad_v2_op
from minitf.core.ops.elementwise import invalid, sample

# ---- MirrorPad ---------------------------------------------------------------------------


@op(
    "MirrorPad",
    "input: T, paddings: Tpaddings -> output: T",
    host=("paddings",),
    Tpaddings=dtypes.INDICES,
    samples=[
        sample((3, 4), np.array([[1, 2], [0, 3]], np.int32)),
        sample((3,), np.array([[3, 1]], np.int32), mode="SYMMETRIC"),
    ],
)
def mirror_pad_op(xp: Any, input: Any, paddings: Any, *, mode: str = "REFLECT") -> Any:
    """Continues `input` by its mirror image; SYMMETRIC repeats the edge, REFLECT does not."""
    for size, (before, after) in zip(input.shape, paddings.tolist()):
        if max(before, after) > size - (mode == "REFLECT"):
            limit, how = ("less", "not less") if mode == "REFLECT" else ("no greater", "greater")
            raise invalid(
                f"paddings must be {limit} than the dimension size: {before}, {after} {how} "
                f"than {size}"
            )
    return xp.pad(input, paddings.tolist(), mode=mode.lower())


mirror_pad_op.shape(pad_shape)


@mirror_pad_op.gradient
def _mirror_pad_grad(op: Any, dy: Tensor) -> list:
    return [mirror_pad_grad_op(dy, op.inputs[1], mode=op.attrs["mode"]), None]


@op(
    "MirrorPadGrad",
    "input: T, paddings: Tpaddings -> output: T",
    host=("paddings",),
    Tpaddings=dtypes.INDICES,
    samples=[
        sample((6, 7), np.array([[1, 2], [0, 3]], np.int32)),
        sample((7,), np.array([[3, 1]], np.int32), mode="SYMMETRIC"),
    ],
)
def mirror_pad_grad_op(xp: Any, input: Any, paddings: Any, *, mode: str = "REFLECT") -> Any:
    """Adds each mirrored element of `input` to the element it is the image of."""
    for axis, pads in enumerate(paddings.tolist()):
        source = xp.moveaxis(input, axis, 0)
        n = source.shape[0] - sum(pads)
        folded = xp.zeros((n, *source.shape[1:]), input.dtype)
        xp.add.at(folded, xp.pad(xp.arange(n), pads, mode=mode.lower()), source)
        input = xp.moveaxis(folded, 0, axis)
    return input


@mirror_pad_grad_op.shape
def _mirror_pad_grad_shape(input: Any, paddings: Any, *, mode: str) -> Any:
    known = paddings.value
    if known is None or input.shape.ndims is None:
        return unknown_shape(input.shape.ndims)
    pairs = zip(input.shape.as_list(), known.tolist(), strict=True)
    return TensorShape([None if n is None else n - sum(pad) for n, pad in pairs])


@mirror_pad_grad_op.gradient
def _mirror_pad_grad_grad(op: Any, dy: Tensor) -> list:
    return [mirror_pad_op(dy, op.inputs[1], mode=op.attrs["mode"]), None]


def pad(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    name: str | None = None,
    constant_values: Any = 0,
) -> Tensor:
    """`tensor` with `paddings[i, 0]` elements before and `paddings[i, 1]` after it in dimension i.

    Args:
      tensor: any tensor, of rank n.
      paddings: [n, 2] int32 or int64.
      mode: CONSTANT, REFLECT or SYMMETRIC; in capital or small letters.
      name: the name.
      constant_values: what to pad with in the mode CONSTANT.
    Raises:
      ValueError: for another mode.
    """
    kind = mode.upper()
    if kind == "CONSTANT":
        if not isinstance(constant_values, Tensor) and constant_values == 0:
            return pad_op(tensor, paddings, name=name)
        return pad_v2_op(tensor, paddings, constant_values, name=name)
    if kind in ("REFLECT", "SYMMETRIC"):
        return mirror_pad_op(tensor, paddings, mode=kind, name=name)
    raise ValueError(f"Unknown padding mode: {mode}")
