"""More random tensors: gamma, Poisson, crops, and numbers that depend on nothing but their seed.

A stateless operation draws the same numbers in every run for the same seed, which is an input: a
program that counts its seeds up can be repeated from anywhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.array_slicing import slice as slice_of
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater_equal
from minitf.core.ops.control import with_dependencies
from minitf.core.ops.elementwise import invalid
from minitf.core.ops.logging_ops import Assert
from minitf.core.ops.math import add, divide, floormod, maximum, multiply, subtract
from minitf.core.ops.random import random_uniform, seed_attrs, shape_tensor, sizes_of, stream_of
from minitf.core.ops.reductions import reduce_all

_RANDOM = "its values are random; tests/core/ops/test_random_more.py looks at their distribution"

# ---- gamma, Poisson ----------------------------------------------------------------------


def _with_parameters(shape: Any, parameters: Any, **attrs: Any) -> TensorShape:
    return shape.partial_shape.concatenate(parameters.shape)


@op(
    "RandomGamma",
    "shape: S, alpha: T -> output: T",
    host=("shape",),
    host_only=True,
    S=dtypes.INDICES,
    T=dtypes.FLOATS,
    differentiable=False,
    no_samples=_RANDOM,
)
def random_gamma_op(ctx: Any, shape: Any, alpha: Any, *, seed: int = 0, seed2: int = 0) -> Any:
    """Draws from gamma distributions of scale 1, `shape` numbers for each `alpha`."""
    stream = stream_of(ctx, seed, seed2)
    sizes = (*sizes_of(shape), *np.shape(alpha))
    with stream.lock:
        drawn = stream.generator.standard_gamma(alpha, sizes)
    return np.asarray(drawn).astype(alpha.dtype)[()]


random_gamma_op.shape(_with_parameters)


def random_gamma(
    shape: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers from gamma distributions.

    Args:
      shape: how many to draw for each pair of parameters.
      alpha: the shape parameter of the distribution.
      beta: the inverse scale; 1 by default.
      dtype: a float type.
      seed: makes the sequence repeatable.
      name: the name.
    Returns: a tensor of shape `shape + (alpha + beta).shape`.
    """
    with name_scope(name, "random_gamma", [shape, alpha, beta]):
        kind = dtypes.as_dtype(dtype)
        a = convert_to_tensor(alpha, kind, name="alpha")
        b = convert_to_tensor(1 if beta is None else beta, kind, name="beta")
        both = add(a, zeros_like(b))
        drawn = random_gamma_op(shape_tensor(shape), both, **seed_attrs(seed))
        smallest = float(np.finfo(kind.as_numpy_dtype).tiny)
        return maximum(convert_to_tensor(smallest, kind), divide(drawn, b))


@op(
    "RandomPoissonV2",
    "shape: S, rate: R -> output: dtype",
    host=("shape",),
    host_only=True,
    S=dtypes.INDICES,
    R=dtypes.REALS,
    differentiable=False,
    no_samples=_RANDOM,
)
def random_poisson_op(
    ctx: Any, shape: Any, rate: Any, *, dtype: Any = dtypes.int64, seed: int = 0, seed2: int = 0
) -> Any:
    """Draws from Poisson distributions, `shape` numbers for each rate."""
    stream = stream_of(ctx, seed, seed2)
    sizes = (*sizes_of(shape), *np.shape(rate))
    with stream.lock:
        drawn = stream.generator.poisson(rate, sizes)
    return np.asarray(drawn).astype(dtype.as_numpy_dtype)[()]


random_poisson_op.shape(_with_parameters)


def random_poisson(
    lam: Any,
    shape: Any,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers from Poisson distributions.

    Args:
      lam: the rates.
      shape: how many to draw for each rate.
      dtype: the type of the result.
      seed: makes the sequence repeatable.
      name: the name.
    Returns: a tensor of shape `shape + lam.shape`.
    """
    with name_scope(name, "random_poisson", [lam, shape]):
        rate = convert_to_tensor(lam, name="lam")
        return random_poisson_op(
            shape_tensor(shape), rate, dtype=dtypes.as_dtype(dtype), **seed_attrs(seed)
        )


def random_crop(value: Any, size: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """A block of the given size from a random place of `value`.

    Args:
      value: any tensor.
      size: [rank] the size of the block.
      seed: makes the sequence repeatable.
      name: the name of the scope.
    Raises:
      InvalidArgumentError: when it runs and `value` is smaller.
    """
    with name_scope(name, "random_crop", [value, size]):
        value = convert_to_tensor(value, name="value")
        size = convert_to_tensor(size, dtypes.int32, name="size")
        whole = shape_of(value)
        fits = Assert(
            reduce_all(greater_equal(whole, size)),
            ["Need value.shape >= size, got ", whole, size],
            summarize=1000,
        )
        whole = with_dependencies([fits], whole)
        limit = subtract(whole, size) + 1
        drawn = random_uniform(
            shape_of(whole), dtype=dtypes.int32, maxval=dtypes.int32.max, seed=seed
        )
        return slice_of(value, floormod(drawn, limit), size)


# ---- by the seed alone -------------------------------------------------------------------


def _generator(seed: Any) -> np.random.Generator:
    if np.shape(seed) != (2,):
        raise invalid(f"seed must have shape [2], not {list(np.shape(seed))}")
    words = [int(s) & 0xFFFFFFFFFFFFFFFF for s in seed]
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(words)))


def _stateless_shape(shape: Any, seed: Any, *rest: Any, **attrs: Any) -> TensorShape:
    seed.shape.assert_is_compatible_with([2])
    return shape.partial_shape


def _drawn(xp: Any, values: Any, dtype: Any) -> Any:
    return xp.asarray(values).astype(dtype.as_numpy_dtype)[()]


def _stateless_samples() -> list:
    seed, sizes = np.array([3, 4]), np.array([2, 3], np.int32)
    return [lambda rng: (sizes, seed, {"dtype": dtypes.float64})]


@op(
    "StatelessRandomUniform",
    "shape: T, seed: Tseed -> output: dtype",
    host=("shape", "seed"),
    T=dtypes.INDICES,
    Tseed=dtypes.INDICES,
    differentiable=False,
    samples=_stateless_samples(),
)
def stateless_uniform_op(xp: Any, shape: Any, seed: Any, *, dtype: Any = dtypes.float32) -> Any:
    """Draws evenly from [0, 1); the same numbers for the same seed."""
    kind = np.float64 if dtype == dtypes.float64 else np.float32
    return _drawn(xp, _generator(seed).random(sizes_of(shape), kind), dtype)


@op(
    "StatelessRandomNormal",
    "shape: T, seed: Tseed -> output: dtype",
    host=("shape", "seed"),
    T=dtypes.INDICES,
    Tseed=dtypes.INDICES,
    differentiable=False,
    samples=_stateless_samples(),
)
def stateless_normal_op(xp: Any, shape: Any, seed: Any, *, dtype: Any = dtypes.float32) -> Any:
    """Draws from the standard normal distribution; the same numbers for the same seed."""
    return _drawn(xp, _generator(seed).standard_normal(sizes_of(shape)), dtype)


@op(
    "StatelessTruncatedNormal",
    "shape: T, seed: Tseed -> output: dtype",
    host=("shape", "seed"),
    T=dtypes.INDICES,
    Tseed=dtypes.INDICES,
    differentiable=False,
    samples=_stateless_samples(),
)
def stateless_truncated_normal_op(
    xp: Any, shape: Any, seed: Any, *, dtype: Any = dtypes.float32
) -> Any:
    """As StatelessRandomNormal, drawn again where the number is beyond 2."""
    generator = _generator(seed)
    values = generator.standard_normal(sizes_of(shape))
    outside = np.abs(values) > 2
    while np.any(outside):
        again = generator.standard_normal(int(np.sum(outside)))
        values = np.asarray(values)
        values[outside] = again
        outside = np.abs(values) > 2
    return _drawn(xp, values, dtype)


@op(
    "StatelessRandomUniformInt",
    "shape: T, seed: Tseed, minval: dtype, maxval: dtype -> output: dtype",
    host=("shape", "seed", "minval", "maxval"),
    T=dtypes.INDICES,
    Tseed=dtypes.INDICES,
    differentiable=False,
    samples=[
        lambda rng: (
            np.array([4], np.int32), np.array([3, 4]), np.int32(-2), np.int32(5),
            {"dtype": dtypes.int32},
        )
    ],
)  # fmt: skip
def stateless_uniform_int_op(
    xp: Any, shape: Any, seed: Any, minval: Any, maxval: Any, *, dtype: Any = dtypes.int32
) -> Any:
    """Draws integers evenly from [minval, maxval); the same numbers for the same seed."""
    drawn = _generator(seed).integers(int(minval), int(maxval), sizes_of(shape))
    return _drawn(xp, drawn, dtype)


@op(
    "StatelessMultinomial",
    "logits: T, num_samples: int32, seed: Tseed -> output: output_dtype",
    host=("num_samples", "seed"),
    T=dtypes.FLOATS,
    Tseed=dtypes.INDICES,
    differentiable=False,
    samples=[lambda rng: (rng.normal(size=(2, 3)), np.int32(4), np.array([3, 4]), {})],
)
def stateless_multinomial_op(
    xp: Any, logits: Any, num_samples: Any, seed: Any, *, output_dtype: Any = dtypes.int64
) -> Any:
    """Draws classes from unnormalized log-probabilities; the same for the same seed."""
    points = xp.asarray(_generator(seed).random((logits.shape[0], int(num_samples), 1)))
    wide = logits.astype(np.float64)
    heights = np.cumsum(np.exp(wide - wide.max(axis=1, keepdims=True)), axis=1)
    found = (points * heights[:, None, -1:] >= heights[:, None, :]).sum(axis=-1)
    return _drawn(xp, np.minimum(found, logits.shape[1] - 1), output_dtype)


@stateless_multinomial_op.shape
def _stateless_multinomial_shape(
    logits: Any, num_samples: Any, seed: Any, *, output_dtype: Any
) -> Any:
    count = None if num_samples.value is None else int(num_samples.value)
    return logits.shape.with_rank(2)[:1].concatenate([count])


for _op in (
    stateless_uniform_op,
    stateless_normal_op,
    stateless_truncated_normal_op,
    stateless_uniform_int_op,
):
    _op.shape(_stateless_shape)


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
      maxval: the upper end; 1 for floats, and without a default for integers.
      dtype: a float type, int32 or int64.
      name: the name.
    Raises:
      ValueError: for another dtype, or an integer one without `maxval`.
    """
    kind = dtypes.as_dtype(dtype)
    if kind not in (*dtypes.FLOATS, *dtypes.INDICES):
        raise ValueError(f"Invalid dtype {kind!r}")
    if maxval is None:
        if kind.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {kind!r}")
        maxval = 1
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
