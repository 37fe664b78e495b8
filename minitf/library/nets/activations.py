"""The nonlinear functions between layers, and the gradients of each as an operation of its own.

An elementwise one is a row: the formula of what it computes, and that of its gradient op, which
takes what the forward op already has at hand (its result, where that is enough), so that the
training step keeps one array a layer.

    Softsign       {0} / (abs({0}) + 1)                  y
    SoftsignGrad   {0} / square(abs({1}) + 1)            dy, x -> dx
    bend           the gradient of SoftsignGrad by x     ddx, dy, x -> dx
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import OpDef, op
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor, TensorLike
from minitf.core.kernels import dense
from minitf.core.ops.array import one_of
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import less, where
from minitf.core.ops.elementwise import invalid, row, sample
from minitf.core.ops.math import abs as absolute
from minitf.core.ops.math import exp, multiply, negative, sigmoid, sign, subtract
from minitf.core.ops.reductions import reduce_sum

#: The activations that layers take by their name, as `activation="relu"`.
NAMED: dict[str, Callable[..., Tensor]] = {}

_Function = TypeVar("_Function", bound=Callable[..., Tensor])


def by_name(function: _Function) -> _Function:
    """Lets layers take the decorated activation by its name, too."""
    NAMED[function.__name__] = function
    return function


_SCALE = 1.0507009873554804934193349852946
_SCALE_ALPHA = 1.7580993408473768599402175208123


def _away_from_zero(rng: np.random.Generator, shape: tuple) -> np.ndarray:
    """Numbers where no kink is near: numeric derivatives are wrong across one."""
    x = rng.uniform(0.2, 2.0, size=shape)
    return x * rng.choice([-1.0, 1.0], size=shape)


def _activation(
    op_type: str,
    formula: str,
    doc: str,
    slope: str,
    of: str = "features",
    bend: Callable[[Tensor, Tensor, Tensor], Tensor] | None = None,
    types: Sequence[dtypes.DType] = dtypes.FLOATS,
    attrs: dict[str, Any] | None = None,
) -> OpDef:
    """Declares an activation and its gradient op, by one row.

    Args:
      op_type: the type; that of the gradient op is "Relu" + "Grad".
      formula: of `{0}`, the features, and the attributes.
      doc: one sentence, what it computes.
      slope: the formula of the gradient op: `{0}` is the gradient that arrives, `{1}` are the
        features or the outputs of the activation.
      of: which of them the gradient op takes; with "outputs", a training step keeps one array less.
      bend: `(ddx, dy, x) -> dx`, the gradient of the gradient op by `{1}`; None where it is 0.
      types: the dtypes.
      attrs: the attributes, with their defaults.
    """

    def gradient(op: Any, dy: Tensor) -> list:
        source = op.outputs[0] if of == "outputs" else op.inputs[0]
        return [grad_op(dy, source, **{name: op.attrs[name] for name in attrs or ()})]

    def second_gradient(op: Any, ddx: Tensor) -> list:
        dy, x = op.inputs
        again = grad_op(ddx, x, **{name: op.attrs[name] for name in attrs or ()})
        return [again, bend(ddx, dy, x) if bend else zeros_like(x)]

    grad_op = row(
        f"{op_type}Grad",
        "gradients: T, features: T -> backprops: T",
        slope,
        f"Multiplies the gradient by the slope of {op_type}, which its {of} tell.",
        types,
        samples=[lambda rng: (rng.normal(size=(2, 3)), _away_from_zero(rng, (2, 3)), {})],
        shape=lambda dy, x, **attrs: dy.shape.merge_with(x.shape),
        gradient=second_gradient,
        attrs=attrs,
    )
    return row(
        op_type,
        "features: T -> activations: T",
        formula,
        doc,
        types,
        samples=[
            lambda rng: (_away_from_zero(rng, (2, 3)), {}),
            lambda rng: (_away_from_zero(rng, ()), {}),
        ],
        shape=lambda x, **attrs: x.shape,
        gradient=gradient,
        attrs=attrs,
    )


# ---- rectified -----------------------------------------------------------------------------------

_relu_op = _activation(
    "Relu",
    "xp.maximum({0}, 0, out=out)",
    "Gives max(x, 0).",
    slope="xp.multiply({0}, {1} > 0, out=out)",
    of="outputs",
    types=dtypes.REALS,
)


@by_name
def relu(features: TensorLike, name: str | None = None) -> Tensor:
    """The rectified linear function, max(x, 0).

    Args:
      features: a tensor of numbers.
      name: the operation's name.
    Example:
      >>> sess.run(tf.nn.relu([-1., 0., 2.]))
      array([0., 0., 2.], dtype=float32)
    """
    return _relu_op(features, name=name)


_relu6_op = _activation(
    "Relu6",
    "xp.minimum(xp.maximum({0}, 0, out=out), 6, out=out)",
    "Gives min(max(x, 0), 6).",
    slope="xp.multiply({0}, ({1} > 0) & ({1} < 6), out=out)",
    of="outputs",
    types=dtypes.REALS,
)


@by_name
def relu6(features: TensorLike, name: str | None = None) -> Tensor:
    """The rectified linear function with a ceiling, min(max(x, 0), 6)."""
    return _relu6_op(features, name=name)


_leaky_relu_op = _activation(
    "LeakyRelu",
    "xp.maximum({0}, 0) + xp.minimum({0}, 0) * {alpha}",
    "Gives x where it is positive, and alpha * x elsewhere.",
    slope="xp.where({1} > 0, {0}, {0} * {alpha})",
    attrs={"alpha": 0.2},
)


def leaky_relu(features: Any, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """x where it is positive, `alpha * x` elsewhere; of integers as float32."""
    tensor = convert_to_tensor(features, name="features")
    if tensor.dtype.is_integer:
        tensor = cast(tensor, dtypes.float32)
    return _leaky_relu_op(tensor, alpha=alpha, name=name)


# ---- exponential ---------------------------------------------------------------------------------


def _below_zero(ddx: Tensor, dy: Tensor, outputs: Tensor) -> Tensor:
    """The product of two gradients where the curve is bent, and is its own slope."""
    return where(less(outputs, 0.0), multiply(ddx, dy), zeros_like(outputs))


_elu_op = _activation(
    "Elu",
    "xp.where({0} > 0, {0}, xp.expm1(xp.minimum({0}, 0)))",
    "Gives x where it is positive, and exp(x) - 1 elsewhere.",
    slope="{0} * (xp.minimum({1}, 0) + 1)",
    of="outputs",
    bend=_below_zero,
)


@by_name
def elu(features: TensorLike, name: str | None = None) -> Tensor:
    """The exponential linear function: x where it is positive, exp(x) - 1 elsewhere.

    Args:
      features: a tensor of floats.
      name: the operation's name.
    Example:
      >>> sess.run(tf.nn.elu([-1., 0., 2.])).round(3)
      array([-0.632,  0.   ,  2.   ], dtype=float32)
    """
    return _elu_op(features, name=name)


_selu_op = _activation(
    "Selu",
    f"xp.where({{0}} > 0, {{0}} * {_SCALE}, xp.expm1(xp.minimum({{0}}, 0)) * {_SCALE_ALPHA})",
    "Gives scale * x where x is positive, and scale * alpha * (exp(x) - 1) elsewhere.",
    slope=f"xp.where({{1}} < 0, {{0}} * ({{1}} + {_SCALE_ALPHA}), {{0}} * {_SCALE})",
    of="outputs",
    bend=_below_zero,
)


@by_name
def selu(features: TensorLike, name: str | None = None) -> Tensor:
    """The scaled exponential linear function: keeps mean 0 and variance 1 (Klambauer 2017)."""
    return _selu_op(features, name=name)


# ---- smooth --------------------------------------------------------------------------------------

_softplus_op = _activation(
    "Softplus",
    "xp.maximum({0}, 0) + xp.log1p(xp.exp(-abs({0})))",
    "Gives log(1 + exp(x)), without overflow.",
    slope="{0} / (xp.exp(-{1}) + 1)",
    bend=lambda ddx, dy, x: ddx * dy / (exp(negative(x)) + 2.0 + exp(x)),
)


@by_name
def softplus(features: TensorLike, name: str | None = None) -> Tensor:
    """log(1 + exp(x)): a smooth form of relu.

    Args:
      features: a tensor of floats.
      name: the operation's name.
    Example:
      >>> sess.run(tf.nn.softplus([-10., 0., 10.])).round(3)
      array([ 0.   ,  0.693, 10.   ], dtype=float32)
    """
    return _softplus_op(features, name=name)


def _softsign_bend(ddx: Tensor, dy: Tensor, x: Tensor) -> Tensor:
    root = absolute(x) + 1.0
    return ddx * dy * sign(x) * -2.0 / (root * root * root)


_softsign_op = _activation(
    "Softsign",
    "{0} / (abs({0}) + 1)",
    "Gives x / (1 + |x|).",
    slope="{0} / xp.square(abs({1}) + 1)",
    bend=_softsign_bend,
)


@by_name
def softsign(features: TensorLike, name: str | None = None) -> Tensor:
    """x / (1 + |x|)."""
    return _softsign_op(features, name=name)


# ---- Softmax, LogSoftmax -----------------------------------------------------------------

_SOFTMAX_SAMPLES: list = [
    sample((4, 3)),
    sample((40, 3)),
    sample((5,)),
    sample((2, 3, 4)),
]
_SOFTMAX: dict = {"batch": "each", "T": dtypes.FLOATS, "samples": _SOFTMAX_SAMPLES}


def _softmax_shape(logits: Any) -> Any:
    return logits.shape.with_rank_at_least(1)


@op("Softmax", "logits: T -> softmax: T", **_SOFTMAX)
def softmax_op(xp: Any, logits: Any) -> Any:
    """Gives exp(logits) divided by its sum over the last axis."""
    return dense.softmax(xp, logits)


softmax_op.shape(_softmax_shape)


@softmax_op.gradient
def _softmax_grad(op: Any, dy: Tensor) -> list:
    y = op.outputs[0]
    total = reduce_sum(multiply(dy, y), -1, keepdims=True)
    return [multiply(subtract(dy, total), y)]


@op("LogSoftmax", "logits: T -> logsoftmax: T", **_SOFTMAX)
def log_softmax_op(xp: Any, logits: Any) -> Any:
    """Gives the logarithm of the softmax over the last axis, without overflow."""
    return dense.log_softmax(xp, logits)


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
        raise invalid(
            f"Dimension must be in the range [{-n}, {n}) where {n} is the number of dimensions in "
            "the input."
        )
    swapped = list(range(n))
    swapped[axis], swapped[-1] = swapped[-1], swapped[axis]
    return transpose(op_def(transpose(logits, swapped)), swapped, name=name or "transpose")


@by_name
def softmax(
    logits: TensorLike, axis: int | None = None, name: str | None = None, dim: int | None = None
) -> Tensor:
    """exp(logits) divided by its sum along `axis`: positive numbers that sum to 1.

    Args:
      logits: float, of rank 1 or more.
      axis: the last by default. `dim` is its old name.
      name: the name.
    Example:
      >>> sess.run(tf.nn.softmax([[3., 3.], [0., 1.]])).round(3)
      array([[0.5  , 0.5  ],
             [0.269, 0.731]], dtype=float32)
    """
    return _over_axis(softmax_op, logits, one_of("axis", axis, "dim", dim), name)


def log_softmax(
    logits: Any, axis: int | None = None, name: str | None = None, dim: int | None = None
) -> Tensor:
    """The logarithm of `softmax`, computed without overflow."""
    return _over_axis(log_softmax_op, logits, one_of("axis", axis, "dim", dim), name)


# ---- composed ----------------------------------------------------------------------------


def log_sigmoid(x: Any, name: str | None = None) -> Tensor:
    """log(1 / (1 + exp(-x))), elementwise, without overflow."""
    with name_scope(name, "LogSigmoid", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return negative(softplus(negative(x)), name=scope)


def crelu(features: Any, name: str | None = None, axis: int = -1) -> Tensor:
    """relu of x and of -x, side by side along `axis`."""
    with name_scope(name, "CRelu", [features]) as scope:
        x = convert_to_tensor(features, name="features")
        return relu(concat([x, negative(x)], axis, name=scope), name="Relu")


@by_name
def swish(features: Any) -> Tensor:
    """x * sigmoid(x)."""
    x = convert_to_tensor(features, name="features")
    return multiply(x, sigmoid(x))


def silu(features: Any, beta: Any = 1.0) -> Tensor:
    """x * sigmoid(beta * x): `swish`, by its later name.

    Args:
      features: float.
      beta: how sharp the bend is.
    """
    x = convert_to_tensor(features, name="features")
    return multiply(x, sigmoid(multiply(cast(beta, x.dtype.base_dtype), x)))
