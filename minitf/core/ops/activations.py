"""The nonlinear functions between layers, and the gradients of each as an operation of its own.

A gradient op takes what its forward op already has at hand (its result, where that is enough), so
that the training step keeps one array a layer. All write into an old buffer when the plan offers
one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import OpDef, op
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.kernels import softmax as softmax_kernels
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import transpose
from minitf.core.ops.comparisons import less, where
from minitf.core.ops.math import abs as absolute
from minitf.core.ops.math import exp, multiply, negative, sigmoid, sign, subtract
from minitf.core.ops.reductions import reduce_sum

_SCALE = 1.0507009873554804934193349852946
_SCALE_ALPHA = 1.7580993408473768599402175208123


def _away_from_zero(rng: np.random.Generator, shape: tuple) -> np.ndarray:
    """Numbers where no kink is near: numeric derivatives are wrong across one."""
    x = rng.uniform(0.2, 2.0, size=shape)
    return x * rng.choice([-1.0, 1.0], size=shape)


def _activation(
    op_type: str, types: tuple = dtypes.FLOATS, **options: Any
) -> Callable[[Callable], OpDef]:
    """Declares an elementwise op of one input called `features`."""

    def declare(kernel: Callable) -> OpDef:
        op_def = op(
            op_type,
            "features: T -> activations: T",
            T=types,
            elementwise=True,
            samples=[
                lambda rng: (_away_from_zero(rng, (2, 3)), {}),
                lambda rng: (_away_from_zero(rng, ()), {}),
            ],
            **options,
        )(kernel)
        op_def.shape(lambda features, **attrs: features.shape)
        return op_def

    return declare


def _activation_gradient(
    op_type: str,
    types: tuple = dtypes.FLOATS,
    samples: Callable = _away_from_zero,
    **options: Any,
) -> Callable[[Callable], OpDef]:
    """Declares the elementwise gradient op of an activation: `gradients` and what it depends on."""

    def declare(kernel: Callable) -> OpDef:
        op_def = op(
            op_type,
            "gradients: T, features: T -> backprops: T",
            T=types,
            elementwise=True,
            samples=[lambda rng: (rng.normal(size=(2, 3)), samples(rng, (2, 3)), {})],
            **options,
        )(kernel)
        op_def.shape(
            lambda gradients, features, **attrs: gradients.shape.merge_with(features.shape)
        )
        return op_def

    return declare


# ---- Relu --------------------------------------------------------------------------------


@_activation("Relu", dtypes.REALS, arithmetic="maximum({0}, 0)")
def relu_op(xp: Any, features: Any, *, out: Any = None) -> Any:
    """Gives max(x, 0)."""
    return xp.maximum(features, 0, out=out)


@relu_op.gradient
def _relu_grad(op: Any, dy: Tensor) -> list:
    return [relu_grad_op(dy, op.outputs[0])]


@_activation_gradient("ReluGrad", dtypes.REALS, arithmetic="{0} * ({1} > 0)")
def relu_grad_op(xp: Any, gradients: Any, features: Any, *, out: Any = None) -> Any:
    """Lets the gradient through where Relu's result (or argument) is positive."""
    return xp.multiply(gradients, features > 0, out=out)


@relu_grad_op.gradient
def _relu_grad_grad(op: Any, dy: Tensor) -> list:
    return [relu_grad_op(dy, op.inputs[1]), None]


def relu(features: Any, name: str | None = None) -> Tensor:
    """The rectified linear function, max(x, 0)."""
    return relu_op(features, name=name)


# ---- Relu6 -------------------------------------------------------------------------------


@_activation("Relu6", dtypes.REALS, arithmetic="minimum(maximum({0}, 0), 6)")
def relu6_op(xp: Any, features: Any, *, out: Any = None) -> Any:
    """Gives min(max(x, 0), 6)."""
    return xp.minimum(xp.maximum(features, 0, out=out), 6, out=out)


@relu6_op.gradient
def _relu6_grad(op: Any, dy: Tensor) -> list:
    return [relu6_grad_op(dy, op.outputs[0])]


@_activation_gradient("Relu6Grad", dtypes.REALS, arithmetic="{0} * (({1} > 0) & ({1} < 6))")
def relu6_grad_op(xp: Any, gradients: Any, features: Any, *, out: Any = None) -> Any:
    """Lets the gradient through where Relu6's result lies between its ends."""
    return xp.multiply(gradients, (features > 0) & (features < 6), out=out)


@relu6_grad_op.gradient
def _relu6_grad_grad(op: Any, dy: Tensor) -> list:
    return [relu6_grad_op(dy, op.inputs[1]), None]


def relu6(features: Any, name: str | None = None) -> Tensor:
    """The rectified linear function with a ceiling, min(max(x, 0), 6)."""
    return relu6_op(features, name=name)


# ---- LeakyRelu ---------------------------------------------------------------------------


@_activation("LeakyRelu", arithmetic="where({0} > 0, {0}, {0} * {alpha})")
def leaky_relu_op(xp: Any, features: Any, *, alpha: float = 0.2) -> Any:
    """Gives x where it is positive, and alpha * x elsewhere."""
    scaled = features * alpha
    return xp.maximum(features, scaled) if alpha <= 1 else xp.minimum(features, scaled)


@leaky_relu_op.gradient
def _leaky_relu_grad(op: Any, dy: Tensor) -> list:
    return [leaky_relu_grad_op(dy, op.inputs[0], alpha=op.get_attr("alpha"))]


@_activation_gradient("LeakyReluGrad", arithmetic="where({1} > 0, {0}, {0} * {alpha})")
def leaky_relu_grad_op(xp: Any, gradients: Any, features: Any, *, alpha: float = 0.2) -> Any:
    """Scales the gradient by alpha where LeakyRelu's argument was not positive."""
    return xp.where(features > 0, gradients, gradients * alpha)[()]


@leaky_relu_grad_op.gradient
def _leaky_relu_grad_grad(op: Any, dy: Tensor) -> list:
    return [leaky_relu_grad_op(dy, op.inputs[1], alpha=op.get_attr("alpha")), None]


def leaky_relu(features: Any, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """x where it is positive, `alpha * x` elsewhere."""
    tensor = convert_to_tensor(features, name="features")
    return leaky_relu_op(tensor, alpha=alpha, name=name)


# ---- Elu, Selu ---------------------------------------------------------------------------


@_activation("Elu", arithmetic="where({0} > 0, {0}, expm1(minimum({0}, 0)))")
def elu_op(xp: Any, features: Any) -> Any:
    """Gives x where it is positive, and exp(x) - 1 elsewhere."""
    return xp.where(features > 0, features, xp.expm1(xp.minimum(features, 0)))[()]


@elu_op.gradient
def _elu_grad(op: Any, dy: Tensor) -> list:
    return [elu_grad_op(dy, op.outputs[0])]


@_activation_gradient("EluGrad", arithmetic="{0} * (minimum({1}, 0) + 1)")
def elu_grad_op(xp: Any, gradients: Any, outputs: Any) -> Any:
    """Scales the gradient by the slope of Elu, which its result tells: 1, or result + 1."""
    return gradients * (xp.minimum(outputs, 0) + 1)


@elu_grad_op.gradient
def _elu_grad_grad(op: Any, dy: Tensor) -> list:
    gradients, outputs = op.inputs
    bent = where(less(outputs, 0.0), multiply(dy, gradients), zeros_like(outputs))
    return [elu_grad_op(dy, outputs), bent]


def elu(features: Any, name: str | None = None) -> Tensor:
    """The exponential linear function: x where it is positive, exp(x) - 1 elsewhere."""
    return elu_op(features, name=name)


@_activation(
    "Selu",
    arithmetic=f"where({{0}} > 0, {{0}} * {_SCALE}, expm1(minimum({{0}}, 0)) * {_SCALE_ALPHA})",
)
def selu_op(xp: Any, features: Any) -> Any:
    """Gives scale * x where x is positive, and scale * alpha * (exp(x) - 1) elsewhere."""
    curve = xp.expm1(xp.minimum(features, 0)) * _SCALE_ALPHA
    return xp.where(features > 0, features * _SCALE, curve)[()]


@selu_op.gradient
def _selu_grad(op: Any, dy: Tensor) -> list:
    return [selu_grad_op(dy, op.outputs[0])]


@_activation_gradient(
    "SeluGrad", arithmetic=f"{{0}} * where({{1}} < 0, {{1}} + {_SCALE_ALPHA}, {_SCALE})"
)
def selu_grad_op(xp: Any, gradients: Any, outputs: Any) -> Any:
    """Scales the gradient by the slope of Selu, which its result tells."""
    return (
        gradients
        * xp.where(outputs < 0, outputs + _SCALE_ALPHA, _SCALE).astype(gradients.dtype, copy=False)[
            ()
        ]
    )


@selu_grad_op.gradient
def _selu_grad_grad(op: Any, dy: Tensor) -> list:
    gradients, outputs = op.inputs
    bent = where(less(outputs, 0.0), multiply(dy, gradients), zeros_like(outputs))
    return [selu_grad_op(dy, outputs), bent]


def selu(features: Any, name: str | None = None) -> Tensor:
    """The scaled exponential linear function: keeps mean 0 and variance 1 (Klambauer 2017)."""
    return selu_op(features, name=name)


# ---- Softplus, Softsign ------------------------------------------------------------------


@_activation("Softplus", arithmetic="softplus({0})")
def softplus_op(xp: Any, features: Any) -> Any:
    """Gives log(1 + exp(x)), without overflow."""
    return xp.maximum(features, 0) + xp.log1p(xp.exp(-abs(features)))


@softplus_op.gradient
def _softplus_grad(op: Any, dy: Tensor) -> list:
    return [softplus_grad_op(dy, op.inputs[0])]


@_activation_gradient("SoftplusGrad", arithmetic="{0} / (exp(-{1}) + 1)")
def softplus_grad_op(xp: Any, gradients: Any, features: Any) -> Any:
    """Scales the gradient by the slope of Softplus, 1 / (1 + exp(-x))."""
    return gradients / (xp.exp(-features) + 1)


@softplus_grad_op.gradient
def _softplus_grad_grad(op: Any, dy: Tensor) -> list:
    gradients, x = op.inputs
    return [softplus_grad_op(dy, x), dy * gradients / (exp(negative(x)) + 2.0 + exp(x))]


def softplus(features: Any, name: str | None = None) -> Tensor:
    """log(1 + exp(x)): a smooth form of relu."""
    return softplus_op(features, name=name)


@_activation("Softsign", arithmetic="{0} / (abs({0}) + 1)")
def softsign_op(xp: Any, features: Any) -> Any:
    """Gives x / (1 + |x|)."""
    return features / (abs(features) + 1)


@softsign_op.gradient
def _softsign_grad(op: Any, dy: Tensor) -> list:
    return [softsign_grad_op(dy, op.inputs[0])]


@_activation_gradient("SoftsignGrad", arithmetic="{0} / square(abs({1}) + 1)")
def softsign_grad_op(xp: Any, gradients: Any, features: Any) -> Any:
    """Scales the gradient by the slope of Softsign, 1 / (1 + |x|)**2."""
    root = abs(features) + 1
    return gradients / (root * root)


@softsign_grad_op.gradient
def _softsign_grad_grad(op: Any, dy: Tensor) -> list:
    gradients, x = op.inputs
    root = absolute(x) + 1.0
    return [softsign_grad_op(dy, x), dy * gradients * sign(x) * -2.0 / (root * root * root)]


def softsign(features: Any, name: str | None = None) -> Tensor:
    """x / (1 + |x|)."""
    return softsign_op(features, name=name)


# ---- Softmax, LogSoftmax -----------------------------------------------------------------

_SOFTMAX_SAMPLES: list = [
    lambda rng: (rng.normal(size=(4, 3)), {}),
    lambda rng: (rng.normal(size=(40, 3)), {}),
    lambda rng: (rng.normal(size=(5,)), {}),
    lambda rng: (rng.normal(size=(2, 3, 4)), {}),
]


def _softmax_shape(logits: Any) -> Any:
    return logits.shape.with_rank_at_least(1)


@op("Softmax", "logits: T -> softmax: T", T=dtypes.FLOATS, samples=_SOFTMAX_SAMPLES)
def softmax_op(xp: Any, logits: Any) -> Any:
    """Gives exp(logits) divided by its sum over the last axis."""
    return softmax_kernels.softmax(xp, logits)


softmax_op.shape(_softmax_shape)


@softmax_op.gradient
def _softmax_grad(op: Any, dy: Tensor) -> list:
    y = op.outputs[0]
    total = reduce_sum(multiply(dy, y), -1, keepdims=True)
    return [multiply(subtract(dy, total), y)]


@op("LogSoftmax", "logits: T -> logsoftmax: T", T=dtypes.FLOATS, samples=_SOFTMAX_SAMPLES)
def log_softmax_op(xp: Any, logits: Any) -> Any:
    """Gives the logarithm of the softmax over the last axis, without overflow."""
    return softmax_kernels.log_softmax(xp, logits)


log_softmax_op.shape(_softmax_shape)


@log_softmax_op.gradient
def _log_softmax_grad(op: Any, dy: Tensor) -> list:
    total = reduce_sum(dy, -1, keepdims=True)
    return [subtract(dy, multiply(total, exp(op.outputs[0])))]


def _over_axis(op_def: OpDef, logits: Any, axis: Any, name: str | None) -> Tensor:
    """Runs an op of the last axis over another one: that one is moved to the end and back."""
    axis = -1 if axis is None else int(axis)
    logits = convert_to_tensor(logits)
    n = logits.shape.ndims
    if axis == -1 or (n is not None and axis == n - 1):
        return op_def(logits, name=name)
    if n is None:
        raise ValueError(f"The rank of {logits!r} must be known to work along axis {axis}.")
    if not -n <= axis < n:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Dimension must be in the range [{-n}, {n}) where {n} is the number of dimensions in "
            "the input.",
        )
    swapped = list(range(n))
    swapped[axis], swapped[-1] = swapped[-1], swapped[axis]
    return transpose(op_def(transpose(logits, swapped)), swapped, name=name or "transpose")


def softmax(
    logits: Any, axis: int | None = None, name: str | None = None, dim: int | None = None
) -> Tensor:
    """exp(logits) divided by its sum along `axis`: positive numbers that sum to 1.

    Args:
      logits: float, of rank 1 or more.
      axis: the last by default. `dim` is its old name.
      name: the name.
    """
    return _over_axis(softmax_op, logits, axis if dim is None else dim, name)


def log_softmax(
    logits: Any, axis: int | None = None, name: str | None = None, dim: int | None = None
) -> Tensor:
    """The logarithm of `softmax`, computed without overflow."""
    return _over_axis(log_softmax_op, logits, axis if dim is None else dim, name)


# ---- composed ----------------------------------------------------------------------------


def crelu(features: Any, name: str | None = None, axis: int = -1) -> Tensor:
    """relu of x and of -x, side by side along `axis`."""
    with name_scope(name, "CRelu", [features]) as scope:
        x = convert_to_tensor(features, name="features")
        return relu(concat([x, negative(x)], axis, name=scope), name="Relu")


def swish(features: Any) -> Tensor:
    """x * sigmoid(x)."""
    x = convert_to_tensor(features, name="features")
    return multiply(x, sigmoid(x))
