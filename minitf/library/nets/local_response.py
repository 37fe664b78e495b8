"""Local response normalization: each channel is divided by the strength of its neighbours.

    y = x / n ** beta,    n[i] = bias + alpha * (sum of x[j] ** 2 for |j - i| <= depth_radius)

The sum over neighbours is a product with a band of ones, so BLAS does it, and its gradient is
another product with the same band.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import op
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.elementwise import check_rank, normal_sample
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import multiply, pow, square
from minitf.library.numeric.diagonals import matrix_band_part

_FLOATS = (dtypes.float16, dtypes.float32, dtypes.float64)
_SMALL = {"depth_radius": 1, "bias": 2.0, "alpha": 0.5, "beta": 0.75}


def _neighbours(xp: Any, x: Any, depth_radius: int) -> Any:
    """The sum over the neighbours of each channel."""
    places = np.arange(x.shape[-1])
    band = (abs(places[:, None] - places) <= depth_radius).astype(x.dtype)
    return xp.matmul(x.reshape(-1, x.shape[-1]), xp.asarray(band)).reshape(x.shape)


@op(
    "LRN",
    "input: T -> output: T",
    T=_FLOATS,
    samples=[normal_sample((1, 2, 2, 4), **_SMALL), normal_sample((2, 1, 1, 3))],
)
def lrn_op(
    xp: Any,
    input: Any,  # noqa: A002
    *,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
) -> Any:
    """Divides each channel by the strength of its neighbours."""
    check_rank(input, 4, "in")
    strength = _neighbours(xp, input * input, depth_radius) * alpha + bias
    return input * strength**-beta


@lrn_op.shape
def _lrn_shape(x: Any, **attrs: Any) -> Any:
    return x.shape.with_rank(4)


@lrn_op.gradient
def _lrn_grad(op: Any, dy: Tensor) -> list:
    return [lrn_grad_op(dy, op.inputs[0], op.outputs[0], **_attrs_of(op))]


def _attrs_of(op: Any) -> dict[str, Any]:
    return {name: op.get_attr(name) for name in lrn_op.attr_names}


@op(
    "LRNGrad",
    "input_grads: T, input_image: T, output_image: T -> output: T",
    T=_FLOATS,
    no_samples="its third input depends on the second; the gradients of LRN test it",
)
def lrn_grad_op(
    xp: Any,
    input_grads: Any,
    input_image: Any,
    output_image: Any,
    *,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
) -> Any:
    """Gives the gradient of LRN by its input."""
    strength = _neighbours(xp, input_image * input_image, depth_radius) * alpha + bias
    through = _neighbours(xp, input_grads * output_image / strength, depth_radius)
    return input_grads * strength**-beta - input_image * through * (2 * alpha * beta)


@lrn_grad_op.shape
def _lrn_grad_shape(dy: Any, x: Any, y: Any, **attrs: Any) -> Any:
    return x.shape.merge_with(dy.shape)


@lrn_grad_op.gradient
def _lrn_grad_grad(op: Any, g: Tensor) -> list:
    """The matrix of the gradient is symmetric, so `g` goes back through it as `dy` went."""
    dy, x, y = op.inputs
    attrs = _attrs_of(op)
    radius, bias, alpha, beta = (attrs[a] for a in ("depth_radius", "bias", "alpha", "beta"))
    channels = shape_of(x)[-1]
    band = matrix_band_part(ones([channels, channels], x.dtype), radius, radius)

    def around(z: Tensor) -> Tensor:
        return reshape(matmul(reshape(z, [-1, channels]), band), shape_of(x))

    strength = around(square(x)) * alpha + bias
    power = pow(strength, -beta - 1.0)
    spread, product = around(g * x), multiply(g, dy)
    by_strength = -beta * product * power
    by_strength += 2 * alpha * beta * (beta + 1) * spread * dy * x * power / strength
    by_x = g * around(dy * x * power) + spread * dy * power
    dx = 2 * alpha * (x * around(by_strength) - beta * by_x)
    return [lrn_grad_op(g, x, y, **attrs), dx, None]


def local_response_normalization(
    input: Any,  # noqa: A002
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
    attrs = {"depth_radius": depth_radius, "bias": bias, "alpha": alpha, "beta": beta}
    return lrn_op(input, name=name, **attrs)


lrn = local_response_normalization
