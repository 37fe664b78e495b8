"""Local response normalization: each channel is divided by the strength of its neighbours.

    y = x / n ** beta,    n[i] = bias + alpha * (sum of x[j] ** 2 for |j - i| <= depth_radius)

The sum over neighbours is a product with a band of ones, so BLAS does it, and its gradient is
another product with the same band.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.likes import TensorLike
from minitf.core.graph.op_def import call, op
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_shaping import expand_dims, reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.elementwise import invalid, normal_sample
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import pow, square
from minitf.library.nets.layouts import same_attrs

_FLOATS = (dtypes.float16, dtypes.float32, dtypes.float64)
_SMALL = {"depth_radius": 1, "bias": 2.0, "alpha": 0.5, "beta": 0.75}


def _neighbours(xp: Any, x: Any, depth_radius: int) -> Any:
    """The sum over the neighbours of each channel."""
    places = np.arange(x.shape[-1])
    band = (abs(places[:, None] - places) <= depth_radius).astype(x.dtype)
    return xp.matmul(x.reshape(-1, x.shape[-1]), xp.asarray(band)).reshape(x.shape)


@dataclass(frozen=True)
class _Response:
    """The attributes of both ops; see the formula above."""

    depth_radius: int = 5
    bias: float = 1.0
    alpha: float = 1.0
    beta: float = 0.5


@op(
    "LRN",
    "input: T -> output: T",
    batch="fold",
    attrs=_Response,
    T=_FLOATS,
    samples=[normal_sample((1, 2, 2, 4), **_SMALL), normal_sample((2, 1, 1, 3))],
)
def lrn_op(xp: Any, x: Any, *, depth_radius: int, bias: float, alpha: float, beta: float) -> Any:
    """Divides each channel by the strength of its neighbours."""
    if x.ndim != 4:
        raise invalid("in must be 4-dimensional")
    return x * (_neighbours(xp, x * x, depth_radius) * alpha + bias) ** -beta


lrn_op.shape(lambda x, **attrs: x.shape.with_rank(4))


@lrn_op.gradient
def _lrn_grad(op: Any, dy: Tensor) -> list:
    return [lrn_grad_op(dy, op.inputs[0], op.outputs[0], **same_attrs(lrn_op, op))]


@op(
    "LRNGrad",
    "input_grads: T, input_image: T, output_image: T -> output: T",
    attrs=_Response,
    T=_FLOATS,
    samples=[normal_sample(*[(1, 2, 2, 4)] * 3, **_SMALL), normal_sample(*[(2, 1, 1, 3)] * 3)],
)
def lrn_grad_op(
    xp: Any, dy: Any, x: Any, y: Any, *, depth_radius: int, bias: float, alpha: float, beta: float
) -> Any:
    """Gives the gradient of LRN by its input."""
    strength = _neighbours(xp, x * x, depth_radius) * alpha + bias
    through = _neighbours(xp, dy * y / strength, depth_radius)
    return dy * strength**-beta - x * through * (2 * alpha * beta)


lrn_grad_op.shape(lambda dy, x, y, **attrs: x.shape.merge_with(dy.shape))


@lrn_grad_op.gradient
def _lrn_grad_grad(op: Any, g: Tensor) -> list:
    """With n the strength and N the sum over neighbours, the op is dy / n**b - 2ab x N(dy y / n).

    N is symmetric: what comes back through it is N of what came.
    """
    dy, x, y = op.inputs
    radius, bias, alpha, beta = same_attrs(lrn_op, op).values()
    channels = shape_of(x)[-1]
    places = call("Range", np.int32(0), channels, np.int32(1))
    band = cast(abs(expand_dims(places, 0) - expand_dims(places, 1)) <= radius, x.dtype)

    def around(z: Tensor) -> Tensor:
        return reshape(matmul(reshape(z, [-1, channels]), band), shape_of(x))

    strength = around(square(x)) * alpha + bias
    power, ratio = pow(strength, -beta), y / strength
    back = around(g * x) * (2 * alpha * beta)
    by_strength = back * dy * ratio / strength - beta * g * dy * power / strength
    by_x = 2 * alpha * x * around(by_strength) - 2 * alpha * beta * g * around(dy * ratio)
    return [g * power - back * ratio, by_x, -back * dy / strength]


def local_response_normalization(
    input: TensorLike,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    name: str | None = None,
) -> Tensor:
    """Each channel of images, divided by the strength of its neighbours (Krizhevsky 2012).

    Args:
      input: [batch, height, width, channels] float.
      depth_radius: how many channels on each side are neighbours.
      bias: keeps the divisor from zero.
      alpha: the weight of the squares.
      beta: the exponent of the divisor.
      name: the name.
    """
    attrs = _Response(depth_radius, bias, alpha, beta)
    return lrn_op(input, name=name, **vars(attrs))


lrn = local_response_normalization
