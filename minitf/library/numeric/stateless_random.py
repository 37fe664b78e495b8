"""Random numbers that depend on nothing but their seed.

A stateless operation draws the same numbers in every run for the same seed, which is an input: a
program that counts its seeds up can be repeated from anywhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.dtypes import DType
from minitf.core.graph.op_def import OpDef, op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.kernels.philox import Philox
from minitf.core.ops.cast import cast
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.math import add, multiply, subtract
from minitf.core.ops.random import shape_tensor, sizes_of

#: the types of which all numbers may be drawn
FULL = (dtypes.int32, dtypes.uint32, dtypes.int64, dtypes.uint64)
_SIZES, _SEED = np.array([2, 3], np.int32), np.array([3, 4])  # of the samples


def _sequence(seed: Any) -> Philox:
    if np.shape(seed) != (2,):
        raise invalid(f"seed must have shape [2], not {list(np.shape(seed))}")
    return Philox.stateless(*map(int, seed))


def _as(xp: Any, values: Any, dtype: Any) -> Any:
    return xp.asarray(values).astype(dtype.as_numpy_dtype)[()]


def _stateless_shape(shape: Any, seed: Any, *rest: Any, **attrs: Any) -> TensorShape:
    [count] = seed.shape.with_rank(1)
    if count.value not in (None, 2):
        raise ValueError(f"Dimension must be 2 but is {count}")
    return shape.partial_shape


def _declare(op_type: str, method: str, doc: str, default: DType = dtypes.float32) -> OpDef:
    """Declares an op that draws numbers of a shape by a method of `Philox`."""

    def kernel(xp: Any, shape: Any, seed: Any, *, dtype: Any = default) -> Any:
        draw = getattr(_sequence(seed), method)
        return _as(xp, draw(sizes_of(shape), dtype.as_numpy_dtype), dtype)

    kernel.__doc__ = doc
    wide = dtypes.int64 if default.is_integer else dtypes.float64
    declared: OpDef = op(
        op_type,
        "shape: T, seed: Tseed -> output: dtype",
        host=("shape", "seed"),
        T=dtypes.INDICES,
        Tseed=dtypes.INDICES,
        differentiable=False,
        samples=[lambda rng: (_SIZES, _SEED, {"dtype": wide})],
    )(kernel)
    declared.shape(_stateless_shape)
    return declared


stateless_uniform_op = _declare(
    "StatelessRandomUniform",
    "uniform",
    "Draws evenly from [0, 1); the same numbers for the same seed.",
)
stateless_normal_op = _declare(
    "StatelessRandomNormal",
    "normal",
    "Draws from the standard normal distribution; the same numbers for the same seed.",
)
stateless_truncated_normal_op = _declare(
    "StatelessTruncatedNormal",
    "truncated_normal",
    "As StatelessRandomNormal, drawn again where the number is beyond 2.",
)

stateless_uniform_full_int_op = _declare(
    "StatelessRandomUniformFullInt",
    "whole",
    "Draws from all integers of a type; the same numbers for the same seed.",
    dtypes.uint64,
)


@op(
    "StatelessRandomUniformInt",
    "shape: T, seed: Tseed, minval: dtype, maxval: dtype -> output: dtype",
    host=("shape", "seed", "minval", "maxval"),
    T=dtypes.INDICES,
    Tseed=dtypes.INDICES,
    differentiable=False,
    samples=[lambda rng: (_SIZES, _SEED, np.int32(-2), np.int32(5), {"dtype": dtypes.int32})],
)
def stateless_uniform_int_op(
    xp: Any, shape: Any, seed: Any, minval: Any, maxval: Any, *, dtype: Any = dtypes.int32
) -> Any:
    """Draws integers evenly from [minval, maxval); the same numbers for the same seed."""
    kind = dtype.as_numpy_dtype
    drawn = _sequence(seed).integers(int(minval), int(maxval), sizes_of(shape), kind)
    return _as(xp, drawn, dtype)


stateless_uniform_int_op.shape(_stateless_shape)


@op(
    "StatelessMultinomial",
    "logits: T, num_samples: int32, seed: Tseed -> output: output_dtype",
    host=("num_samples", "seed"),
    T=dtypes.FLOATS,
    Tseed=dtypes.INDICES,
    differentiable=False,
    samples=[lambda rng: (rng.normal(size=(2, 3)), np.int32(4), _SEED, {})],
)
def stateless_multinomial_op(
    xp: Any, logits: Any, num_samples: Any, seed: Any, *, output_dtype: Any = dtypes.int64
) -> Any:
    """Draws classes from unnormalized log-probabilities; the same for the same seed."""
    points = xp.asarray(_sequence(seed).points(logits.shape[0], int(num_samples)))[..., None]
    wide = logits.astype(np.float64)
    heights = np.cumsum(np.exp(wide - wide.max(axis=1, keepdims=True)), axis=1)
    found = (points * heights[:, None, -1:] >= heights[:, None, :]).sum(axis=-1)
    return _as(xp, np.minimum(found, logits.shape[1] - 1), output_dtype)


@stateless_multinomial_op.shape
def _stateless_multinomial_shape(
    logits: Any, num_samples: Any, seed: Any, *, output_dtype: Any
) -> Any:
    count = None if num_samples.value is None else int(num_samples.value)
    return logits.shape.with_rank(2)[:1].concatenate([count])


def stateless_random_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Numbers drawn evenly from [minval, maxval), the same in every run.

    Args:
      shape: the shape of the result.
      seed: [2] integers.
      minval: the lower end; may be drawn.
      maxval: the upper end; 1 for floats. With both None integers are drawn from all of the type.
      dtype: a float type, int32 or int64; uint32 and uint64 without ends.
      name: the name.
    Raises:
      ValueError: for another dtype, or an integer one with one of the ends.
    """
    kind = dtypes.as_dtype(dtype)
    whole = kind.is_integer and minval is None and maxval is None
    if kind not in (*dtypes.FLOATS, *(FULL if whole else dtypes.INDICES)):
        raise ValueError(f"Invalid dtype {kind!r}")
    if kind.is_integer and not whole and (minval is None or maxval is None):
        raise ValueError(
            f"For integer `dtype` argument {kind!r}, argument `minval` and `maxval` must be both "
            f"None or not None. Got `minval`={minval} and `maxval`={maxval}."
        )
    if whole:
        with name_scope(name, "stateless_random_uniform", [shape, seed]) as scope:
            return stateless_uniform_full_int_op(shape_tensor(shape), seed, dtype=kind, name=scope)
    maxval = 1 if maxval is None else maxval
    with name_scope(name, "stateless_random_uniform", [shape, seed, minval, maxval]) as scope:
        sizes = shape_tensor(shape)
        low = convert_to_tensor(minval, kind, name="min")
        high = convert_to_tensor(maxval, kind, name="max")
        if kind.is_integer:
            return stateless_uniform_int_op(sizes, seed, low, high, dtype=kind, name=scope)
        drawn = stateless_uniform_op(sizes, seed, dtype=kind)
        return add(multiply(drawn, subtract(high, low)), low, name=scope)


def _scaled(op_def: Any, scope_name: str, arguments: tuple, name: str | None) -> Tensor:
    shape, seed, mean, stddev, dtype = arguments
    kind = dtypes.as_dtype(dtype)
    with name_scope(name, scope_name, [shape, seed, mean, stddev]) as scope:
        drawn = op_def(shape_tensor(shape), seed, dtype=kind)
        center = convert_to_tensor(mean, kind, name="mean")
        spread = convert_to_tensor(stddev, kind, name="stddev")
        return add(multiply(drawn, spread), center, name=scope)


def stateless_random_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Numbers from a normal distribution, the same in every run; `seed` is two integers."""
    arguments = (shape, seed, mean, stddev, dtype)
    return _scaled(stateless_normal_op, "stateless_random_normal", arguments, name)


def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """As `stateless_random_normal`, no more than two standard deviations from the mean."""
    arguments = (shape, seed, mean, stddev, dtype)
    return _scaled(stateless_truncated_normal_op, "stateless_truncated_normal", arguments, name)


def stateless_multinomial(
    logits: Any, num_samples: Any, seed: Any, output_dtype: Any = dtypes.int64,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Classes drawn from unnormalized log-probabilities [batch, classes], the same in every run."""
    with name_scope(name, "stateless_multinomial", [logits, seed]):
        kind = dtypes.as_dtype(output_dtype)
        return stateless_multinomial_op(
            convert_to_tensor(logits, name="logits"), num_samples, seed, output_dtype=kind
        )


def stateless_categorical(
    logits: Any, num_samples: Any, seed: Any, dtype: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """The later name of `stateless_multinomial`."""
    with name_scope(name, "stateless_categorical", [logits, seed]):
        return cast(stateless_multinomial(logits, num_samples, seed), dtype)
