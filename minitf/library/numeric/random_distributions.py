"""Random tensors beyond the core's: gamma, Poisson, crops at random places.

Each node draws from a stream of its own, as in `minitf/core/ops/random.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.likes import TensorLike
from minitf.core.graph.op_def import OpDef, op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.kernels.philox import Philox
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.array_slicing import slice as slice_of
from minitf.core.ops.comparisons import greater_equal
from minitf.core.ops.control import with_dependencies
from minitf.core.ops.logging_ops import Assert
from minitf.core.ops.math import add, divide, floormod, maximum, subtract
from minitf.core.ops.random import random_uniform, seed_attrs, shape_tensor, sizes_of, stream_of
from minitf.core.ops.reductions import reduce_all
from minitf.library.numeric.rejection import gamma, poisson


def _program(folder: str) -> list:
    """What is sure of the numbers: their signs, and that nothing comes at a rate of zero."""
    gamma = random_gamma_op([3, 2], np.array([0.5, 2.0]))
    return [
        (reduce_all(greater_equal(gamma, 0.0)), np.bool_(True)),
        (random_poisson_op([2], np.zeros(3), dtype=dtypes.int32), np.zeros((2, 3), np.int32)),
    ]


def _draws(op_type: str, signature: str, **types: Any) -> Callable[[Callable], OpDef]:
    """Declares an op that draws numbers of a shape for each of its parameters."""
    fixed: dict[str, Any] = {
        "host": ("shape",),
        "host_only": True,
        "differentiable": False,
        "program": _program,
    }
    return op(op_type, signature, S=dtypes.INDICES, **fixed, **types)


def _drawn(
    ctx: Any, draw: Callable[..., Any], quick: str, shape: Any, parameters: Any, dtype: Any,
    *seeds: int,
) -> Any:  # fmt: skip
    """`shape` numbers for each parameter: TensorFlow's where there are seeds.

    Args:
      draw: of `rejection.py`, for operations with seeds.
      quick: a method of NumPy's generator, for others.
    """
    stream = stream_of(ctx, *seeds)
    sizes = (*sizes_of(shape), *np.shape(parameters))
    with stream.lock:
        if isinstance(stream.draws, Philox):
            samples = math.prod(sizes_of(shape))
            numbers = draw(stream.draws, samples, np.ravel(parameters).astype(float)).reshape(sizes)
        else:
            numbers = getattr(stream.generator, quick)(parameters, sizes)
    with np.errstate(invalid="ignore", over="ignore"):
        return np.asarray(numbers).astype(dtype)[()]


def _with_parameters(shape: Any, parameters: Any, **attrs: Any) -> TensorShape:
    return shape.partial_shape.concatenate(parameters.shape)


@_draws("RandomGamma", "shape: S, alpha: T -> output: T", T=dtypes.FLOATS)
def random_gamma_op(ctx: Any, shape: Any, alpha: Any, *, seed: int = 0, seed2: int = 0) -> Any:
    """Draws from gamma distributions of scale 1, `shape` numbers for each `alpha`."""
    return _drawn(ctx, gamma, "standard_gamma", shape, alpha, alpha.dtype, seed, seed2)


@_draws("RandomPoissonV2", "shape: S, rate: R -> output: dtype", R=dtypes.REALS)
def random_poisson_op(
    ctx: Any, shape: Any, rate: Any, *, dtype: Any = dtypes.int64, seed: int = 0, seed2: int = 0
) -> Any:
    """Draws from Poisson distributions, `shape` numbers for each rate."""
    return _drawn(ctx, poisson, "poisson", shape, rate, dtype.as_numpy_dtype, seed, seed2)


random_gamma_op.shape(_with_parameters)
random_poisson_op.shape(_with_parameters)


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
