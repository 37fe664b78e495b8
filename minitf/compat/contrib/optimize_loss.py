"""`tf.contrib.layers.optimize_loss`: a training step, with what one mostly wants around it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.composites import IndexedSlices
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.cast import cast
from minitf.core.ops.random import truncated_normal
from minitf.core.train.optimizer import Optimizer
from minitf.core.train.optimizers import AdamOptimizer, GradientDescentOptimizer, MomentumOptimizer
from minitf.core.variables.initialization import trainable_variables
from minitf.core.variables.initializers import constant_initializer
from minitf.core.variables.variable_scope import get_variable, variable_scope
from minitf.library.numeric.clip import clip_by_global_norm, global_norm
from minitf.library.optimizers.adagrad import AdagradOptimizer
from minitf.library.optimizers.ftrl import FtrlOptimizer
from minitf.library.optimizers.rmsprop import RMSPropOptimizer
from minitf.library.sessions.training_util import assert_global_step, get_global_step
from minitf.library.summary import summary

OPTIMIZER_CLS_NAMES: dict[str, Callable[..., Optimizer]] = {
    "Adagrad": AdagradOptimizer,
    "Adam": AdamOptimizer,
    "Ftrl": FtrlOptimizer,
    "Momentum": lambda learning_rate: MomentumOptimizer(learning_rate, momentum=0.9),
    "RMSProp": RMSPropOptimizer,
    "SGD": GradientDescentOptimizer,
}
OPTIMIZER_SUMMARIES = [
    "learning_rate",
    "loss",
    "gradients",
    "gradient_norm",
    "global_gradient_norm",
]

Pairs = list[tuple[Any, Any]]


def optimize_loss(
    loss: Any,
    global_step: Any,
    learning_rate: Any,
    optimizer: Any,
    gradient_noise_scale: float | None = None,
    gradient_multipliers: dict[Any, Any] | None = None,
    clip_gradients: Any = None,
    learning_rate_decay_fn: Callable | None = None,
    update_ops: Any = None,
    variables: Sequence[Any] | None = None,
    name: str | None = None,
    summaries: Sequence[str] | None = None,
    colocate_gradients_with_ops: bool = False,
    increment_global_step: bool = True,
) -> Tensor:
    """Adds a training step.

    Args:
      loss: a scalar.
      global_step: the counter of steps; None takes the graph's.
      learning_rate: a float or a scalar tensor; None when the optimizer knows it.
      optimizer: a name ("Adagrad", "Adam", "Ftrl", "Momentum", "RMSProp", "SGD"), a class, an
        `Optimizer`, or a function from the learning rate to one.
      gradient_noise_scale: adds noise of this size to the gradients.
      gradient_multipliers: from a variable, or its name, to a factor of its gradient.
      clip_gradients: the largest norm that all gradients together may have; or a function from
        (gradient, variable) pairs to such pairs.
      learning_rate_decay_fn: from the learning rate and the global step to the learning rate.
      update_ops: what runs before the loss; by default what is in `GraphKeys.UPDATE_OPS`.
      variables: what to train; by default all trainable variables.
      name: the name of the scope.
      summaries: which of `OPTIMIZER_SUMMARIES` to make.
      colocate_gradients_with_ops: see `Optimizer.compute_gradients`.
      increment_global_step: whether the step counts.

    Returns: the loss; evaluating it trains.
    Raises:
      ValueError: when an argument does not fit.
    Example:
      >>> loss, step = tf.square(tf.Variable(1.0)), tf.train.create_global_step()
      >>> train = tf.contrib.layers.optimize_loss(loss, step, learning_rate=0.1, optimizer="SGD")
    """
    loss = convert_to_tensor(loss)
    loss.shape.assert_has_rank(0)
    if global_step is None:
        global_step = get_global_step()
    else:
        assert_global_step(global_step)
    if summaries is None:
        summaries = ["loss", "learning_rate", "global_gradient_norm"]
    names = ", ".join(OPTIMIZER_SUMMARIES)
    for each in summaries:
        if each not in OPTIMIZER_SUMMARIES:
            raise ValueError(f"Summaries should be one of [{names}], you provided {each}.")
    with variable_scope(name, "OptimizeLoss", [loss, global_step]):
        if update_ops is None:
            update_ops = stacks.get_collection(GraphKeys.UPDATE_OPS)
        if update_ops:
            with stacks.control_dependencies(list(update_ops)):
                loss = identity(loss)
        rate = _learning_rate(learning_rate)
        if rate is not None and learning_rate_decay_fn is not None:
            if global_step is None:
                raise ValueError("global_step is required for learning_rate_decay_fn.")
            rate = learning_rate_decay_fn(rate, global_step)
        if rate is not None and "learning_rate" in summaries:
            summary.scalar("learning_rate", rate)
        chosen = _optimizer(optimizer, rate)
        pairs = chosen.compute_gradients(
            loss,
            variables or trainable_variables(),
            colocate_gradients_with_ops=colocate_gradients_with_ops,
        )
        if gradient_noise_scale is not None:
            pairs = [(_noisy(g, gradient_noise_scale), v) for g, v in pairs]
        if gradient_multipliers is not None:
            pairs = _multiplied(pairs, gradient_multipliers)
        if "global_gradient_norm" in summaries:
            summary.scalar("global_norm/gradient_norm", global_norm([g for g, _ in pairs]))
        if callable(clip_gradients):
            pairs = clip_gradients(pairs)
        elif clip_gradients is not None:
            clipped, _ = clip_by_global_norm([g for g, _ in pairs], float(clip_gradients))
            pairs = list(zip(clipped, [v for _, v in pairs], strict=True))
        _summarize(pairs, loss, summaries)
        if clip_gradients is not None and "global_gradient_norm" in summaries:
            norm = global_norm([g for g, _ in pairs])
            summary.scalar("global_norm/clipped_gradient_norm", norm)
        counted = global_step if increment_global_step else None
        train = chosen.apply_gradients(pairs, global_step=counted, name="train")
        with stacks.control_dependencies([train]):
            return identity(loss)


def _learning_rate(learning_rate: Any) -> Any:
    if isinstance(learning_rate, float):
        if learning_rate < 0.0:
            raise ValueError(f"Invalid learning_rate {learning_rate}.")
        start = constant_initializer(learning_rate)
        return get_variable("learning_rate", [], trainable=False, initializer=start)
    is_scalar = isinstance(learning_rate, Tensor) and not learning_rate.shape.ndims
    if learning_rate is None or is_scalar:
        return learning_rate
    raise ValueError(
        f"Learning rate should be 0d Tensor or float. Got {learning_rate} of type "
        f"{type(learning_rate)}"
    )


def _optimizer(optimizer: Any, rate: Any) -> Optimizer:
    if isinstance(optimizer, str):
        if rate is None:
            raise ValueError(
                "Learning rate is None, but should be specified if using string for optimizer "
                f"({optimizer})."
            )
        if optimizer not in OPTIMIZER_CLS_NAMES:
            names = ", ".join(OPTIMIZER_CLS_NAMES)
            raise ValueError(
                f"Optimizer name should be one of [{names}], you provided {optimizer}."
            )
        return OPTIMIZER_CLS_NAMES[optimizer](learning_rate=rate)
    if isinstance(optimizer, Optimizer):
        return optimizer
    if callable(optimizer):
        made = optimizer(rate) if rate is not None else optimizer()
        if isinstance(made, Optimizer):
            return made
    raise ValueError(
        "Unrecognized optimizer: should be string, subclass of Optimizer, instance of subclass of "
        f"Optimizer or function with one argument. Got {optimizer}."
    )


def on_values(gradient: Any, change: Callable[[Any], Any]) -> Any:
    """A gradient with its numbers changed; of a sparse one those that are there."""
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(change(gradient.values), gradient.indices, gradient.dense_shape)
    return None if gradient is None else change(gradient)


def _noisy(gradient: Any, scale: float) -> Any:
    return on_values(gradient, lambda values: values + truncated_normal(shape_of(values)) * scale)


def _times(factor: Any, values: Any) -> Any:
    return values * cast(factor, values.dtype)


def _multiplied(pairs: Pairs, factors: dict[Any, Any]) -> Pairs:
    result = []
    for gradient, variable in pairs:
        factor = factors.get(variable, factors.get(variable.name))
        if factor is not None:
            gradient = on_values(gradient, functools.partial(_times, factor))
        result.append((gradient, variable))
    return result


def _summarize(pairs: Pairs, loss: Tensor, summaries: Sequence[str]) -> None:
    if "loss" in summaries:
        summary.scalar("loss", loss)
    for gradient, variable in pairs:
        if gradient is None:
            continue
        values = gradient.values if isinstance(gradient, IndexedSlices) else gradient
        name = variable.name.replace(":", "_")
        if "gradients" in summaries:
            summary.histogram(f"gradients/{name}", values)
        if "gradient_norm" in summaries:
            summary.scalar(f"gradient_norm/{name}", global_norm([values]))
