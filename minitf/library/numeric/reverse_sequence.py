"""ReverseSequence: the beginning of each row in the other order, as a backward recurrent net reads.

[1 2 3 4]   lengths [3, 1]   [3 2 1 4]
[5 6 7 8]                    [5 6 7 8]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape, merged_dimensions
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.elementwise import invalid


@op(
    "ReverseSequence",
    "input: T, seq_lengths: Tlen -> output: T",
    Tlen=dtypes.INDICES,
    samples=[
        lambda rng: (
            rng.normal(size=(2, 4)),
            np.array([3, 1], np.int32),
            {"seq_dim": 1, "batch_dim": 0},
        ),
        lambda rng: (
            rng.normal(size=(3, 2, 2)),
            np.array([2, 3], np.int64),
            {"seq_dim": 0, "batch_dim": 1},
        ),
    ],
)
def reverse_sequence_op(
    xp: Any, input: Any, seq_lengths: Any, *, seq_dim: int, batch_dim: int = 0
) -> Any:
    """Reverses the first `seq_lengths[i]` elements along `seq_dim` of each batch entry i."""
    size, entries = input.shape[seq_dim], input.shape[batch_dim]
    if len(seq_lengths) != entries:
        raise invalid(
            f"Length of seq_lengths != input.dims({batch_dim}), ({len(seq_lengths)} vs. {entries})"
        )
    if len(seq_lengths) and int(seq_lengths.max()) > size:
        entry = int((seq_lengths > size).argmax())
        raise invalid(f"seq_lens({entry}) > input.dims({seq_dim})")
    places = xp.arange(size)[None, :]
    lengths = seq_lengths[:, None]
    sources = xp.where(places < lengths, lengths - 1 - places, places)  # [batch, time]
    rows = xp.moveaxis(input, (batch_dim, seq_dim), (0, 1))
    picked = rows[xp.arange(len(seq_lengths))[:, None], sources]
    return xp.ascontiguousarray(xp.moveaxis(picked, (0, 1), (batch_dim, seq_dim)))


@reverse_sequence_op.shape
def _reverse_sequence_shape(input: Any, seq_lengths: Any, *, seq_dim: int, batch_dim: int) -> Any:
    rank = input.shape.ndims
    for name, axis in (("seq_dim", seq_dim), ("batch_dim", batch_dim)):
        if rank is not None and axis >= rank:
            raise ValueError(f"{name} must be < input rank: {axis} vs. {rank}")
    entries = seq_lengths.shape.with_rank(1)
    if rank is None:
        return input.shape
    sizes = input.shape.as_list()
    [sizes[batch_dim]] = merged_dimensions(TensorShape([sizes[batch_dim]]), entries).as_list()
    return TensorShape(sizes)


@reverse_sequence_op.gradient
def _reverse_sequence_grad(op: Any, dy: Tensor) -> list:
    lengths = op.inputs[1]
    axes = {name: op.attrs[name] for name in ("seq_dim", "batch_dim")}
    return [reverse_sequence_op(dy, lengths, **axes), None]


def reverse_sequence(
    input: Any,
    seq_lengths: Any = None,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
    seq_dim: int | None = None,
    batch_dim: int | None = None,
) -> Tensor:
    """`input` with the beginning of each batch entry in the other order.

    Args:
      input: the tensor.
      seq_lengths: [batch] integers, how many elements to reverse in each entry.
      seq_axis: the axis along which to reverse.
      batch_axis: the axis of the entries; 0 by default.
      name: a name.
      seq_dim, batch_dim: the old names of the axes.
    Example:
      >>> sess.run(tf.reverse_sequence([[1, 2, 3]], [2], seq_axis=1))
      array([[2, 1, 3]], dtype=int32)
    """
    along = seq_axis if seq_axis is not None else seq_dim
    entries = batch_axis if batch_axis is not None else batch_dim
    return reverse_sequence_op(
        input, seq_lengths, seq_dim=along, batch_dim=entries or 0, name=name or "ReverseSequence"
    )
