"""Random tensors beyond the core's: drawn classes, and crops at random places.

Each node draws from a stream of its own, as in `minitf/core/ops/random.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import DTypeLike, Tensor, TensorLike
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_slicing import slice as slice_of
from minitf.core.ops.comparisons import greater_equal
from minitf.core.ops.control import with_dependencies
from minitf.core.ops.elementwise import invalid, shown
from minitf.core.ops.math import floormod, subtract
from minitf.core.ops.random import random_uniform, seed_attrs, stream_of
from minitf.core.ops.reductions import reduce_all
from minitf.library.checks.logging_ops import Assert


def random_crop(
    value: TensorLike, size: Any, seed: int | None = None, name: str | None = None
) -> Tensor:
    """A block of the given size from a random place of `value`.

    Args:
      value: any tensor.
      size: [rank] the size of the block.
      seed: makes the sequence repeatable.
      name: the name of the scope.
    Raises:
      InvalidArgumentError: when it runs and `value` is smaller.
    """
    with name_scope(name, "random_crop", [value, size]) as scope:
        value = convert_to_tensor(value, name="value")
        size = convert_to_tensor(size, dtypes.int32, name="size")
        whole = shape_of(value)
        said = ["Need value.shape >= size, got ", whole, size]
        fits = Assert(reduce_all(greater_equal(whole, size)), said, summarize=1000)
        whole = with_dependencies([fits], whole)
        limit = subtract(whole, size) + 1
        drawn = random_uniform(shape_of(whole), 0, dtypes.int32.max, dtypes.int32, seed)
        return slice_of(value, floormod(drawn, limit), size, name=scope)


@op(
    "Multinomial",
    "logits: T, num_samples: int32 -> output: output_dtype",
    host=("num_samples",),
    T=dtypes.FLOATS,
    differentiable=False,
    program=lambda folder: [
        (multinomial_op([[0.0, 99.0], [99.0, 0.0]], 2, seed=1, seed2=2), np.array([[1, 1], [0, 0]]))
    ],
)
def multinomial_op(
    ctx: Any,
    logits: Any,
    num_samples: Any,
    *,
    seed: int = 0,
    seed2: int = 0,
    output_dtype: Any = dtypes.int64,
) -> Any:
    """Draws classes: a row of `logits` holds the unnormalized log-probabilities of its classes."""
    if logits.ndim != 2:
        raise invalid(f"logits should be a matrix, got shape {shown(logits)}")
    xp, (rows, classes) = ctx.xp, logits.shape
    stream = stream_of(ctx, seed, seed2)
    with stream.lock:
        points = xp.asarray(stream.draws.points(rows, int(num_samples)))
    wide = logits.astype(np.float64)
    heights = xp.cumsum(xp.exp(wide - wide.max(axis=1, keepdims=True)), axis=1)
    heights /= heights[:, -1:]
    offsets = xp.arange(rows)[:, None]  # each row in its own unit interval: one search for all rows
    found = xp.searchsorted((heights + offsets).ravel(), (points + offsets).ravel(), side="right")
    found = found.reshape(points.shape) - offsets * classes
    return xp.minimum(found, classes - 1).astype(output_dtype.as_numpy_dtype)


@multinomial_op.shape
def _multinomial_shape(logits: Any, num_samples: Any, **attrs: Any) -> Any:
    rows = logits.shape.with_rank(2)[:1]
    num_samples.shape.assert_has_rank(0)
    count = None if num_samples.value is None else int(num_samples.value)
    if count is not None and count < 0:
        raise ValueError(
            f"Dimension size, given by scalar input 1, must be non-negative but is {count}"
        )
    return rows.concatenate([count])


def multinomial(
    logits: TensorLike,
    num_samples: Any,
    seed: int | None = None,
    name: str | None = None,
    output_dtype: DTypeLike = None,
) -> Tensor:
    """Classes drawn from unnormalized log-probabilities.

    Args:
      logits: [batch, classes] float.
      num_samples: how many to draw from each row.
      seed: makes the sequence repeatable.
      name: the name.
      output_dtype: int64 by default.
    Returns: [batch, num_samples] integers.
    Example:
      >>> sess.run(tf.multinomial([[0., -100.]], 4))
      array([[0, 0, 0, 0]])
    """
    with name_scope(name, "multinomial", [logits]):
        return _multinomial(logits, num_samples, output_dtype, seed)


def categorical(
    logits: TensorLike,
    num_samples: Any,
    dtype: DTypeLike = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """The later name of `multinomial`."""
    with name_scope(name, "categorical", [logits]):
        return _multinomial(logits, num_samples, dtype, seed)


def _multinomial(logits: Any, num_samples: Any, dtype: Any, seed: int | None) -> Tensor:
    kind = dtypes.int64 if dtype is None else dtypes.as_dtype(dtype)
    tensor = convert_to_tensor(logits, name="logits")
    return multinomial_op(tensor, num_samples, output_dtype=kind, **seed_attrs(seed))
