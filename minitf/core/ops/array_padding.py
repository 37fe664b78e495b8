"""Tensors with a margin: pad with zeros, with a value, or with their own mirror image."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant
from minitf.core.graph.op_def import call, op
from minitf.core.graph.shapes import TensorShape, unknown_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape
from minitf.core.ops.batching import again, only_first
from minitf.core.ops.elementwise import invalid, shown

# ---- Pad ---------------------------------------------------------------------------------


def _pad_shape(input: Any, paddings: Any, *rest: Any, **attrs: Any) -> Any:
    if paddings.shape.ndims not in (None, 2):
        raise ValueError(f"Shape must be rank 2 but is rank {paddings.shape.ndims}")
    rank, pair = paddings.shape.as_list() if paddings.shape.ndims == 2 else (None, None)
    if pair not in (None, 2):
        raise ValueError(f"Dimension must be 2 but is {pair}")
    if rank is not None and input.shape.ndims not in (None, rank):
        raise ValueError(f"Shape must be rank {rank} but is rank {input.shape.ndims}")
    known = paddings.value
    if known is not None and known.size and known.min() < 0:
        raise ValueError("Paddings must be non-negative")
    rows = paddings.partial_rows if known is None else known.tolist()
    if rows is None or input.shape.ndims is None:
        return unknown_shape(input.shape.ndims if rank is None else rank)
    pairs = zip(input.shape.as_list(), rows, strict=True)
    return TensorShape([None if None in (n, *pad) else n + sum(pad) for n, pad in pairs])


def _padded(xp: Any, x: Any, paddings: Any, value: Any) -> Any:
    pads = paddings.tolist()
    if len(pads) != x.ndim:
        raise invalid(
            "The first dimension of paddings must be the rank of inputs"
            f"{shown(paddings)} {shown(x)}"
        )
    for before, after in pads:
        if before < 0 or after < 0:
            raise invalid(f"Paddings must be non-negative: {before} {after}")
    inside = tuple(slice(before, before + n) for (before, _), n in zip(pads, x.shape, strict=True))
    y = xp.full([n + sum(pad) for pad, n in zip(pads, x.shape, strict=True)], value, x.dtype)
    y[inside] = x
    return y


def _pad_samples(*rest: Any) -> list:
    pads = np.array([[1, 0], [0, 2]], np.int32)
    return [lambda rng: (rng.normal(size=(2, 3)), pads, *rest, {})]


@op(
    "Pad",
    "input: T, paddings: Tpaddings -> output: T",
    host=("paddings",),
    Tpaddings=dtypes.INDICES,
    samples=_pad_samples(),
)
def pad_op(xp: Any, input: Any, paddings: Any) -> Any:
    """Puts zeros before and after `input` in each dimension."""
    return _padded(xp, input, paddings, b"" if input.dtype == object else 0)


pad_op.shape(_pad_shape)


@op(
    "PadV2",
    "input: T, paddings: Tpaddings, constant_values: T -> output: T",
    host=("paddings",),
    Tpaddings=dtypes.INDICES,
    samples=_pad_samples(1.5),
)
def pad_v2_op(xp: Any, input: Any, paddings: Any, constant_values: Any) -> Any:
    """Puts the value `constant_values` before and after `input` in each dimension."""
    return _padded(xp, input, paddings, constant_values)


pad_v2_op.shape(_pad_shape)


def _pad_grad(op: Any, dy: Tensor) -> list:
    x, paddings = op.inputs[:2]
    before = call(
        "StridedSlice",
        paddings,
        [0, 0],
        [0, 1],
        [1, 1],
        begin_mask=1,
        end_mask=1,
        shrink_axis_mask=2,
    )
    dx = call("Slice", dy, before, shape(x, out_type=paddings.dtype.base_dtype))
    if len(op.inputs) == 2:
        return [dx, None]
    return [dx, None, call("Sum", dy, axis=None) - call("Sum", dx, axis=None)]


pad_op.gradient(_pad_grad)
pad_v2_op.gradient(_pad_grad)


def _pad_batch(op: Any, inputs: list, stacked: list) -> Any:
    if not only_first(stacked):
        return None
    x, paddings, *value = inputs
    none = constant([[0, 0]], paddings.dtype.base_dtype)
    return again(op, [x, call("ConcatV2", [none, paddings], axis=0), *value])


pad_op.batch(_pad_batch)
pad_v2_op.batch(_pad_batch)


@op(
    "MirrorPad",
    "input: T, paddings: Tpaddings -> output: T",
    host=("paddings",),
    Tpaddings=dtypes.INDICES,
    samples=[
        lambda rng: (rng.normal(size=(3, 4)), np.array([[1, 2], [0, 3]], np.int32), {}),
        lambda rng: (rng.normal(size=(3,)), np.array([[3, 1]], np.int32), {"mode": "SYMMETRIC"}),
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


mirror_pad_op.shape(_pad_shape)


@mirror_pad_op.gradient
def _mirror_pad_grad(op: Any, dy: Tensor) -> list:
    return [mirror_pad_grad_op(dy, op.inputs[1], mode=op.attrs["mode"]), None]


@op(
    "MirrorPadGrad",
    "input: T, paddings: Tpaddings -> output: T",
    host=("paddings",),
    Tpaddings=dtypes.INDICES,
    samples=[
        lambda rng: (rng.normal(size=(6, 7)), np.array([[1, 2], [0, 3]], np.int32), {}),
        lambda rng: (rng.normal(size=(7,)), np.array([[3, 1]], np.int32), {"mode": "SYMMETRIC"}),
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
