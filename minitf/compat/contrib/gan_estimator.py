"""`tf.contrib.gan.estimator`: a pair of networks as an estimator.

features ──generator──> generated       predict gives it
labels (real data) ──discriminator──>   train and evaluate compare
"""

from __future__ import annotations

import enum
import functools
import inspect
from collections.abc import Callable
from typing import Any

from minitf.compat.contrib import gan_eval
from minitf.compat.contrib.gan import (
    gan_model,
    gan_train_ops,
    get_sequential_train_hooks,
    tensors_of,
)
from minitf.compat.contrib.gan_models import GANLoss, GANModel
from minitf.compat.contrib.variables import get_trainable_variables
from minitf.core.graph.stacks import name_scope
from minitf.core.variables.variable_scope import variable_scope
from minitf.library.estimator.estimator import Estimator
from minitf.library.estimator.spec import EstimatorSpec, ModeKeys
from minitf.library.metrics.base import mean


class SummaryType(enum.IntEnum):
    """What a `GANEstimator` writes of its model."""

    NONE = 0
    VARIABLES = 1
    IMAGES = 2
    IMAGE_COMPARISON = 3


_SUMMARIES: dict[int, Callable[[Any], None]] = {
    SummaryType.NONE: lambda model: None,
    SummaryType.VARIABLES: gan_eval.add_gan_model_summaries,
    SummaryType.IMAGES: gan_eval.add_gan_model_image_summaries,
    SummaryType.IMAGE_COMPARISON: gan_eval.add_image_comparison_summaries,
}


class GANEstimator(Estimator):
    """Trains a generator and a discriminator; `predict` gives what the generator makes.

    Args:
      model_dir: where checkpoints and summaries go.
      generator_fn, discriminator_fn: as those of `tf.contrib.gan.gan_model`; one with an argument
        `mode` is told it.
      generator_loss_fn, discriminator_loss_fn: from a `GANModel` to a loss.
      generator_optimizer, discriminator_optimizer: optimizers, or functions that make them.
      get_hooks_fn: from `GANTrainOps` to hooks; by default `get_sequential_train_hooks()`.
      get_eval_metric_ops_fn: from a `GANModel` to metrics by name.
      add_summaries: a `SummaryType`, or a list of them.
      use_loss_summaries: whether losses are written; None for what they do by default.
      config, warm_start_from: those of `tf.estimator.Estimator`.
      is_chief: whether this worker is the chief.
    Raises:
      ValueError: when a loss cannot be called.
      TypeError: when `get_hooks_fn` cannot.
    """

    def __init__(
        self, model_dir: str | None = None, generator_fn: Any = None, discriminator_fn: Any = None,
        generator_loss_fn: Any = None, discriminator_loss_fn: Any = None,
        generator_optimizer: Any = None, discriminator_optimizer: Any = None,
        get_hooks_fn: Any = None, get_eval_metric_ops_fn: Any = None, add_summaries: Any = None,
        use_loss_summaries: bool | None = True, config: Any = None, warm_start_from: Any = None,
        is_chief: bool = True,
    ) -> None:  # fmt: skip
        losses = {"generator": generator_loss_fn, "discriminator": discriminator_loss_fn}
        for name, loss_fn in losses.items():
            if not callable(loss_fn):
                raise ValueError(f"{name}_loss_fn must be callable.")
        if use_loss_summaries not in (True, False, None):
            raise ValueError("use_loss_summaries must be True, False or None.")
        if get_hooks_fn is not None and not callable(get_hooks_fn):
            raise TypeError("get_hooks_fn must be callable.")
        summaries = {} if use_loss_summaries is None else {"add_summaries": use_loss_summaries}

        def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
            if mode == ModeKeys.PREDICT:
                if labels is not None:
                    raise ValueError(
                        f"`labels` must be `None` when mode is `predict`. Instead, found {labels}"
                    )
                made = _generated(features, _told(generator_fn, mode))
                return EstimatorSpec(mode, made.generated_data)
            networks = _told(generator_fn, mode), _told(discriminator_fn, mode)
            model = gan_model(*networks, labels, features, check_shapes=False)
            kinds = add_summaries if isinstance(add_summaries, list | tuple) else [add_summaries]
            with name_scope(None):
                for kind in kinds if add_summaries else ():
                    _SUMMARIES[kind](model)
            loss = GANLoss(*(loss_fn(model, **summaries) for loss_fn in losses.values()))
            total = loss.generator_loss + loss.discriminator_loss
            if mode == ModeKeys.EVAL:
                metrics = _metrics(model, loss, get_eval_metric_ops_fn)
                return EstimatorSpec(mode, model.generated_data, total, eval_metric_ops=metrics)
            optimizers = [
                each() if callable(each) else each
                for each in (generator_optimizer, discriminator_optimizer)
            ]
            generator, discriminator = optimizers
            train_ops = gan_train_ops(model, loss, generator, discriminator, is_chief=is_chief)
            hooks = (get_hooks_fn or get_sequential_train_hooks())(train_ops)
            step = train_ops.global_step_inc_op
            return EstimatorSpec(mode, loss=total, train_op=step, training_hooks=hooks)

        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


def _told(network: Callable, mode: str) -> Callable:
    """The network, told the mode where it asks."""
    asks = "mode" in inspect.signature(network).parameters
    return functools.partial(network, mode=mode) if asks else network


def _generated(features: Any, generator_fn: Callable) -> GANModel:
    """A model with nothing but the generator."""
    with variable_scope("Generator") as scope:
        inputs = tensors_of(features)
        data = generator_fn(inputs)
    variables = get_trainable_variables(scope)
    return GANModel(inputs, data, variables, scope, generator_fn, *[None] * 6)


def _metrics(model: GANModel, loss: GANLoss, more: Callable | None) -> dict[str, Any]:
    with name_scope(None, "metrics", list(loss)):
        metrics = {name: mean(value) for name, value in loss._asdict().items()}
        if more is not None:
            found = more(model)
            if not isinstance(found, dict):
                raise TypeError(f"get_eval_metric_ops_fn must return a dict, received: {found}")
            metrics.update(found)
    return metrics
