"""Gradients that a program brings along: `tf.custom_gradient` and `tf.RegisterGradient`.

    @tf.custom_gradient                      forward:   args --> f --> results --> IdentityN --> out
    def f(x):                                                                         |
        y = ...                              backward:  dargs <-- grad <--------------+-- dout
        def grad(dy): return dy * ...
        return y, grad

In a graph the results pass an `IdentityN` whose gradient is the function's own; its further inputs
are the arguments, to which that gradient flows. Executed eagerly, what the function does is hidden
from the tapes, which get one operation with that gradient instead.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.gradients.gradients import register_gradient
from minitf.core.gradients.tape import GradientTape
from minitf.core.graph import nest, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import op, unchanged_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array_filling import zeros_like
from minitf.library.eager import context as eager
from minitf.library.eager.tensor import CustomOp, EagerOperation, EagerTensor

_numbers = itertools.count()


def custom_gradient(f: Callable) -> Callable:
    """Decorates a function that returns its result and the function for its gradient.

    Args:
      f: from tensors to `(result, grad)`. `grad` gets one gradient for each tensor of the result
        and returns one for each argument; when `f` reads trainable variables, it takes the keyword
        `variables` too, and returns `(gradients of the arguments, gradients of the variables)`.
    Returns: a function from the arguments to the result.
    Raises:
      TypeError: when `f` reads variables and `grad` does not take `variables`.
    Example:
      >>> @tf.custom_gradient
      ... def clipped(x):
      ...     return tf.identity(x), lambda dy: tf.clip_by_norm(dy, 1.0)
    """

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        flat = [convert_to_tensor(a) for a in nest.flatten(list(args))]
        given = nest.pack_sequence_as(list(args), flat)
        with eager.no_tapes(), GradientTape() as tape:
            result, grad = f(*given, **kwargs)
        read = [v for v in tape.watched_variables() if not any(v is a for a in args)]
        for tape in stacks.tapes.items:
            for variable in read:
                tape.variable_accessed(variable)
        references = [v._as_ref_tensor() for v in read]
        outputs = [convert_to_tensor(r) for r in nest.flatten(result)]
        call = functools.partial(_run_gradient, grad, outputs, read)
        if stacks.executing_eagerly():
            finals = _eager(call, [*flat, *references], outputs)
        else:
            finals = _in_graph(call, [*flat, *references], outputs)
        return nest.pack_sequence_as(result, finals)

    return decorated


def _run_gradient(grad: Callable, outputs: list[Tensor], variables: list, *dys: Any) -> list[Any]:
    """The gradients of the arguments and the variables."""
    full = [zeros_like(y) if dy is None else dy for y, dy in zip(outputs, dys, strict=True)]
    if not variables:
        found = grad(*full)
        return nest.flatten(found) if isinstance(found, (list, tuple)) else [found]
    try:
        of_args, of_variables = grad(*full, variables=variables)
    except TypeError as error:
        if "variables" not in str(error):
            raise
        raise TypeError(
            "If using @custom_gradient with a function that uses variables, then grad_fn must "
            "accept a 'variables' keyword argument."
        ) from None
    if len(of_variables) != len(variables):
        raise ValueError("Must return gradient for each variable from @custom_gradient grad_fn.")
    first = list(of_args) if isinstance(of_args, (list, tuple)) else [of_args]
    return [*first, *of_variables]


def _eager(call: Callable, inputs: list[Tensor], outputs: list[Tensor]) -> list[Tensor]:
    finals: list[Any] = [
        EagerTensor(t._value, t._device) for t in outputs if isinstance(t, EagerTensor)
    ]
    kind = CustomOp("IdentityN", lambda op, *dys: call(*dys))
    eager.record(EagerOperation(kind, {}, tuple(inputs), finals))
    return finals


def _in_graph(call: Callable, inputs: list[Tensor], outputs: list[Tensor]) -> list[Tensor]:
    count = len(outputs)
    name = f"CustomGradient-{next(_numbers)}"
    # A reference would be read on its way through, so its gradient goes round.
    values = [identity(t) if t.dtype._is_ref_dtype else t for t in inputs]

    def gradient(op: Any, *dys: Any) -> list[Any]:
        return [None] * count + call(*dys[:count])

    register_gradient(name, gradient)
    with stacks.get_default_graph().gradient_override_map({"IdentityN": name}):
        finals = identity_n_op([*outputs, *values])
    return finals[:count]


# ---- a function in, a function out: the gradients of `tf.contrib.eager` ------------------------


def implicit_value_and_gradients(f: Callable) -> Callable:
    """A function that returns `f(...)` and `[(gradient, variable), ...]` of what `f` reads.

    Raises:
      ValueError: when `f` reads no trainable variable, or returns None.
    Example:
      >>> tf.enable_eager_execution()
      >>> W, optimizer = tf.Variable(1.0), tf.train.GradientDescentOptimizer(0.1)
      >>> loss_of = tf.contrib.eager.implicit_value_and_gradients(lambda x: tf.square(W * x))
      >>> loss, grads_and_vars = loss_of(3.0)
      >>> optimizer.apply_gradients(grads_and_vars)
    """

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> tuple[Any, list[tuple[Any, Any]]]:
        with GradientTape() as tape:
            result = f(*args, **kwargs)
        if result is None:
            raise ValueError(
                "Cannot differentiate a function that returns None; did you forget to return a "
                f"value from {f.__name__}?"
            )
        variables = list(tape.watched_variables())
        if not variables:
            raise ValueError(
                "No trainable variables were accessed while the function was being computed."
            )
        return result, list(zip(tape.gradient(result, variables), variables, strict=True))

    return decorated


def implicit_gradients(f: Callable) -> Callable:
    """A function that returns `[(gradient, variable), ...]` of the variables that `f` reads.

    See `implicit_value_and_gradients`.
    """
    both = implicit_value_and_gradients(f)
    return functools.wraps(both)(lambda *args, **kwargs: both(*args, **kwargs)[1])


# ---- IdentityN, PreventGradient ----------------------------------------------------------


@op(
    "IdentityN",
    "input: N*? -> output: N*?",
    alias=True,
    samples=[
        lambda rng: ([rng.normal(size=(2,)), rng.normal(size=(3,))], {}),
        lambda rng: ([rng.normal(size=(2,)), np.array([1, 2])], {}),
    ],
)
def identity_n_op(xp: Any, input: Any) -> Any:
    """Gives each tensor of the list unchanged, all of them once all are there."""
    return list(input)


@identity_n_op.shape
def _identity_n_shape(input: Any) -> Any:
    return [i.shape for i in input]


@identity_n_op.gradient
def _identity_n_grad(op: Any, *dy: Tensor) -> list:
    return list(dy)


@op(
    "PreventGradient",
    "input: T -> output: T",
    batch="each",
    forwards=True,
    alias=True,
    expr="{0}",
    samples=[lambda rng: (rng.integers(9, size=(2, 3)), {"message": "a table of integers"})],
)
def prevent_gradient_op(xp: Any, input: Any, *, message: Any = "") -> Any:
    """Gives `input` unchanged; who asks for a gradient through it is told why there is none."""
    return input


prevent_gradient_op.shape(unchanged_shape)


@prevent_gradient_op.gradient
def _prevent_gradient_grad(op: Any, doutput: Any) -> Any:
    message = str(op.attrs["message"]).encode()
    raise LookupError(f"Gradient explicitly disabled. Reason: {message!r}")
