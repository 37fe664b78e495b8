"""`tf.contrib.gan`: two networks that train against each other (Goodfellow et al., 2014).

    noise ──generator_fn──> generated ─┐
                                       ├─discriminator_fn──> outputs ──> gan_loss ──> gan_train_ops
    data ──────────────────> real ─────┘                                                  │
                                    gan_train: G, D, G, D, ... <──────────────────────────┘

Each function takes the tuple of the one before it (`gan_models`), so that a program may change
what is inside by `_replace`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from minitf.compat.contrib import gan_losses as losses
from minitf.compat.contrib.gan_models import (
    ACGANModel,
    CycleGANLoss,
    CycleGANModel,
    GANLoss,
    GANModel,
    GANTrainOps,
    GANTrainSteps,
    InfoGANModel,
)
from minitf.compat.contrib.variables import get_trainable_variables
from minitf.compat.slim import learning
from minitf.core.graph import stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.variables.initializers import zeros_initializer
from minitf.core.variables.variable_scope import get_variable, variable_scope
from minitf.library.checks.assertions import assert_greater_equal
from minitf.library.distributions.base import Distribution
from minitf.library.losses.util import get_regularization_loss
from minitf.library.sessions.session_run_hook import SessionRunHook
from minitf.library.sessions.sync_replicas import SyncReplicasOptimizer
from minitf.library.sessions.training_util import get_or_create_global_step

# ---- models --------------------------------------------------------------------------------


def tensors_of(inputs: Any) -> Any:
    """A tensor, or a list or dictionary of tensors."""
    if isinstance(inputs, list | tuple):
        return [convert_to_tensor(each) for each in inputs]
    if isinstance(inputs, Mapping):
        return {key: convert_to_tensor(each) for key, each in inputs.items()}
    return convert_to_tensor(inputs)


def _two_networks(
    generator_fn: Callable, discriminator_fn: Callable, real_data: Any, inputs: Callable[[], Any],
    generator_scope: Any, discriminator_scope: Any, check_shapes: bool,
    checked: Callable[[Any], tuple],
) -> tuple[GANModel, tuple, tuple]:  # fmt: skip
    """Builds both; what the discriminator makes beside its outputs, of real and of generated data.

    Args:
      inputs: makes the generator's inputs, inside its scope.
      checked: from what the discriminator gives to a tuple that begins with the outputs.
    """
    with variable_scope(generator_scope) as generator:
        generator_inputs = inputs()
        generated = generator_fn(generator_inputs)
    with variable_scope(discriminator_scope) as discriminator:
        of_generated, *beside_generated = checked(discriminator_fn(generated, generator_inputs))
    with variable_scope(discriminator, reuse=True):
        real_data = convert_to_tensor(real_data)
        of_real, *beside_real = checked(discriminator_fn(real_data, generator_inputs))
    if check_shapes and not generated.shape.is_compatible_with(real_data.shape):
        raise ValueError(
            f"Generator output shape ({generated.shape}) must be the same shape as real data "
            f"({real_data.shape})."
        )
    model = GANModel(
        generator_inputs, generated, get_trainable_variables(generator), generator, generator_fn,
        real_data, of_real, of_generated, get_trainable_variables(discriminator), discriminator,
        discriminator_fn,
    )  # fmt: skip
    return model, tuple(beside_real), tuple(beside_generated)


def gan_model(
    generator_fn: Callable, discriminator_fn: Callable, real_data: Any, generator_inputs: Any,
    generator_scope: Any = "Generator", discriminator_scope: Any = "Discriminator",
    check_shapes: bool = True,
) -> GANModel:  # fmt: skip
    """Builds a generator, and a discriminator over generated and over real data.

    Args:
      generator_fn: from the inputs to data.
      discriminator_fn: from data and the generator's inputs to outputs, any numbers.
      real_data: [batch, ...].
      generator_inputs: noise; a tensor, or a list or dictionary of them.
      generator_scope, discriminator_scope: the names of the variables' scopes.
      check_shapes: whether both data must be of one shape.
    Raises:
      ValueError: when they are not.
    """
    made = _two_networks(
        generator_fn, discriminator_fn, real_data, lambda: tensors_of(generator_inputs),
        generator_scope, discriminator_scope, check_shapes, lambda outputs: (outputs,),
    )  # fmt: skip
    return made[0]


def infogan_model(
    generator_fn: Callable, discriminator_fn: Callable, real_data: Any,
    unstructured_generator_inputs: Any, structured_generator_inputs: Any,
    generator_scope: Any = "Generator", discriminator_scope: Any = "Discriminator",
) -> Any:  # fmt: skip
    """As `gan_model`, with a discriminator that guesses the structured part of the noise.

    Args:
      discriminator_fn: gives outputs, and of each structured input a distribution.
      unstructured_generator_inputs, structured_generator_inputs: lists of tensors.
    Raises:
      ValueError: when the distributions do not fit the structured inputs.
    """
    structured: Any = None

    def inputs() -> Any:
        nonlocal structured
        noise = tensors_of(unstructured_generator_inputs)
        structured = tensors_of(structured_generator_inputs)
        return noise + structured

    model, _, (guesses,) = _two_networks(
        generator_fn, discriminator_fn, real_data, inputs, generator_scope, discriminator_scope,
        True, lambda made: _with_distributions(made, structured),
    )  # fmt: skip
    first_alone = model._replace(discriminator_fn=lambda x, y: discriminator_fn(x, y)[0])
    return InfoGANModel._make((*first_alone, structured, guesses, discriminator_fn))


def _with_distributions(made: tuple, structured: list) -> tuple:
    guesses = made[1]
    if not isinstance(guesses, tuple | list):
        raise ValueError(
            f"`predicted_distributions` must be a list. Instead, found {type(guesses)}."
        )
    for each in guesses:
        if not isinstance(each, Distribution):
            raise ValueError(
                "Every element in `predicted_distributions` must be a `tf.Distribution`. "
                f"Instead, found {type(each)}."
            )
    if len(guesses) != len(structured):
        raise ValueError(
            f"Length of `predicted_distributions` {len(guesses)} must be the same as the length "
            f"of structured noise {len(structured)}."
        )
    return made


def acgan_model(
    generator_fn: Callable, discriminator_fn: Callable, real_data: Any, generator_inputs: Any,
    one_hot_labels: Any, generator_scope: Any = "Generator",
    discriminator_scope: Any = "Discriminator", check_shapes: bool = True,
) -> Any:  # fmt: skip
    """As `gan_model`, with a discriminator that gives outputs and logits of classes.

    Raises:
      TypeError: when the discriminator gives something else.
    """
    model, (of_real,), (of_generated,) = _two_networks(
        generator_fn, discriminator_fn, real_data, lambda: tensors_of(generator_inputs),
        generator_scope, discriminator_scope, check_shapes, _with_classes,
    )  # fmt: skip
    return ACGANModel._make((*model, one_hot_labels, of_real, of_generated))


def _with_classes(made: Any) -> tuple:
    try:
        outputs, logits = made
    except (TypeError, ValueError):
        raise TypeError(
            "A discriminator function for ACGAN must output a tuple consisting of "
            "(discrimination logits, classification logits)."
        ) from None
    return outputs, logits


def cyclegan_model(
    generator_fn: Callable, discriminator_fn: Callable, data_x: Any, data_y: Any,
    generator_scope: str = "Generator", discriminator_scope: str = "Discriminator",
    model_x2y_scope: str = "ModelX2Y", model_y2x_scope: str = "ModelY2X", check_shapes: bool = True,
) -> CycleGANModel:  # fmt: skip
    """Two pairs, from x to y and back, and what comes back after both."""
    shared = (generator_scope, discriminator_scope, check_shapes)
    with variable_scope(model_x2y_scope):
        there = gan_model(generator_fn, discriminator_fn, data_y, data_x, *shared)
    with variable_scope(model_y2x_scope):
        back = gan_model(generator_fn, discriminator_fn, data_x, data_y, *shared)
    with variable_scope(back.generator_scope, reuse=True):
        x = back.generator_fn(there.generated_data)
    with variable_scope(there.generator_scope, reuse=True):
        y = there.generator_fn(back.generated_data)
    return CycleGANModel(there, back, x, y)


# ---- losses --------------------------------------------------------------------------------


def _weight(weight: Any, name: str) -> Any:
    """A weight that is not below 0, or None where it counts for nothing."""
    if isinstance(weight, Tensor):
        weight.shape.assert_is_compatible_with([])
        with stacks.control_dependencies([assert_greater_equal(weight, 0.0)]):
            return identity(weight)
    if weight is not None and weight < 0:
        raise ValueError(f"`{name}` must be greater than 0. Instead, was {weight}")
    return weight or None


def _pooled(model: Any, tensor_pool_fn: Callable) -> Any:
    """The model with a discriminator over data from a pool in place of those just generated."""
    data, inputs = tensor_pool_fn((model.generated_data, model.generator_inputs))
    kinds: tuple = ((GANModel, ()), (ACGANModel, ("discriminator_gen_classification_logits",)),
                    (InfoGANModel, ("predicted_distributions",)))  # fmt: skip
    for kind, beside in kinds:
        if isinstance(model, kind):
            discriminator = getattr(model, "discriminator_and_aux_fn", model.discriminator_fn)
            with variable_scope(model.discriminator_scope, reuse=True):
                made = discriminator(data, inputs)
            values = made if beside else (made,)
            fields = ("discriminator_gen_outputs", *beside)
            return model._replace(**dict(zip(fields, values, strict=True)))
    raise ValueError(f"Tensor pool does not support `model`: {type(model)}.")


def gan_loss(
    model: Any, generator_loss_fn: Callable = losses.of_wasserstein_generator,
    discriminator_loss_fn: Callable = losses.of_wasserstein_discriminator,
    gradient_penalty_weight: Any = None, gradient_penalty_epsilon: float = 1e-10,
    gradient_penalty_target: Any = 1.0, gradient_penalty_one_sided: bool = False,
    mutual_information_penalty_weight: Any = None, aux_cond_generator_weight: Any = None,
    aux_cond_discriminator_weight: Any = None, tensor_pool_fn: Callable | None = None,
    add_summaries: bool = True,
) -> GANLoss:  # fmt: skip
    """The losses of both networks, with those of regularizers in their scopes.

    Args:
      model: of `gan_model`, or one of its kin.
      generator_loss_fn, discriminator_loss_fn: from a model (and `add_summaries=`) to a loss, as
        those of `tf.contrib.gan.losses`.
      gradient_penalty_weight: how much `wasserstein_gradient_penalty` counts, with its
        `epsilon`, `target` and `one_sided`.
      mutual_information_penalty_weight: of an `InfoGANModel`.
      aux_cond_generator_weight, aux_cond_discriminator_weight: of an `ACGANModel`.
      tensor_pool_fn: as `tf.contrib.gan.features.tensor_pool`: lets the discriminator train on
        older data.
      add_summaries: whether to add summaries of the losses.
    Raises:
      ValueError: when a weight is negative, or does not fit the model.
    """
    penalty = _weight(gradient_penalty_weight, "gradient_penalty_weight")
    information = _weight(mutual_information_penalty_weight, "infogan_weight")
    of_generator = _weight(aux_cond_generator_weight, "aux_cond_generator_weight")
    of_discriminator = _weight(aux_cond_discriminator_weight, "aux_cond_discriminator_weight")
    if information is not None and not isinstance(model, InfoGANModel):
        raise ValueError(
            "When `mutual_information_penalty_weight` is provided, `model` must be an "
            f"`InfoGANModel`. Instead, was {type(model)}."
        )
    classes = of_generator is not None or of_discriminator is not None
    if classes and not isinstance(model, ACGANModel):
        raise ValueError(
            "When `aux_cond_generator_weight` or `aux_cond_discriminator_weight` is provided, "
            f"`model` must be an `ACGANModel`. Instead, was {type(model)}."
        )
    seen = model if tensor_pool_fn is None else _pooled(model, tensor_pool_fn)
    generator = generator_loss_fn(model, add_summaries=add_summaries)
    discriminator = discriminator_loss_fn(seen, add_summaries=add_summaries)
    if penalty is not None:
        discriminator += penalty * losses.of_gradient_penalty(
            model, epsilon=gradient_penalty_epsilon, target=gradient_penalty_target,
            one_sided=gradient_penalty_one_sided, add_summaries=add_summaries,
        )  # fmt: skip
    if information is not None:
        shared = information * losses.of_mutual_information(model, add_summaries=add_summaries)
        generator, discriminator = generator + shared, discriminator + shared
    if of_generator is not None:
        generator += of_generator * losses.of_acgan_generator(model, add_summaries=add_summaries)
    if of_discriminator is not None:
        discriminator += of_discriminator * losses.of_acgan_discriminator(
            model, add_summaries=add_summaries
        )
    regular = [
        get_regularization_loss(scope.name) if scope else 0
        for scope in (model.generator_scope, model.discriminator_scope)
    ]
    return GANLoss(generator + regular[0], discriminator + regular[1])


def cyclegan_loss(
    model: CycleGANModel, generator_loss_fn: Callable = losses.of_least_squares_generator,
    discriminator_loss_fn: Callable = losses.of_least_squares_discriminator,
    cycle_consistency_loss_fn: Callable = losses.of_cycle,
    cycle_consistency_loss_weight: Any = 10.0, **kwargs: Any,
) -> CycleGANLoss:  # fmt: skip
    """`gan_loss` of both pairs, with the way there and back added to both generators.

    Args:
      cycle_consistency_loss_weight: how much that counts; more than 0.
      **kwargs: further arguments of `gan_loss`.
    """
    weight = _weight(cycle_consistency_loss_weight, "cycle_consistency_loss_weight")
    add_summaries = kwargs.get("add_summaries", True)
    cycle = cycle_consistency_loss_fn(model, add_summaries=add_summaries)
    of_pairs = []
    for name, pair in (("x2y", model.model_x2y), ("y2x", model.model_y2x)):
        with name_scope(f"cyclegan_loss_{name}"):
            loss = gan_loss(pair, generator_loss_fn, discriminator_loss_fn, **kwargs)
            of_pairs.append(loss._replace(generator_loss=loss.generator_loss + weight * cycle))
    return CycleGANLoss(*of_pairs)


# ---- training ------------------------------------------------------------------------------


def gan_train_ops(
    model: Any, loss: Any, generator_optimizer: Any, discriminator_optimizer: Any,
    check_for_unused_update_ops: bool = True, is_chief: bool = True, **kwargs: Any,
) -> Any:  # fmt: skip
    """What trains both networks; of a `CycleGANModel` the operations of both pairs.

    Args:
      model, loss: of `gan_model` and `gan_loss`, or their kin.
      generator_optimizer, discriminator_optimizer: of each network.
      check_for_unused_update_ops: whether updates outside of both scopes are an error.
      is_chief: whether this worker is the chief; only `SyncReplicasOptimizer` asks.
      **kwargs: of `tf.contrib.training.create_train_op`.
    Raises:
      ValueError: when there are updates that belong to neither network.
    """
    optimizers = {"generator": generator_optimizer, "discriminator": discriminator_optimizer}
    step = get_or_create_global_step()
    if isinstance(model, CycleGANModel):
        kwargs.setdefault("update_ops", stacks.get_collection(GraphKeys.UPDATE_OPS))
        pairs = ((model.model_x2y, loss.loss_x2y), (model.model_y2x, loss.loss_y2x))
        made = []
        for name, (pair, of_pair) in zip(("x2y", "y2x"), pairs, strict=True):
            with name_scope(f"cyclegan_{name}_train"):
                made.append(
                    gan_train_ops(
                        pair, of_pair, generator_optimizer, discriminator_optimizer, False, **kwargs
                    )
                )
        generators, discriminators = ([each[i] for each in made] for i in (0, 1))
        return GANTrainOps(generators, discriminators, made[0].global_step_inc_op)
    counted = step.assign_add(1)
    updates = kwargs.pop("update_ops", None)
    updates = stacks.get_collection(GraphKeys.UPDATE_OPS) if updates is None else list(updates)
    scopes = {name: getattr(model, f"{name}_scope").name for name in optimizers}
    parts = {
        name: [each for each in stacks.get_collection(GraphKeys.UPDATE_OPS, scope)
               if any(each is other for other in updates)]
        for name, scope in scopes.items()
    }  # fmt: skip
    known = [id(each) for part in parts.values() for each in part]
    unused = [each for each in updates if id(each) not in known]
    if check_for_unused_update_ops and unused:
        raise ValueError(f"There are unused update ops: {unused}")
    trained = []
    for name, optimizer in optimizers.items():
        own_step = None
        if isinstance(optimizer, SyncReplicasOptimizer):
            own_step = get_variable(
                f"dummy_global_step_{name}", [], step.dtype.base_dtype, zeros_initializer(),
                trainable=False, collections=[GraphKeys.GLOBAL_VARIABLES],
            )  # fmt: skip
            parts[name].append(own_step.assign(step))
        with name_scope(f"{name}_train"):
            trained.append(
                learning.create_training_op(
                    getattr(loss, f"{name}_loss"),
                    optimizer,
                    own_step,
                    parts[name],
                    getattr(model, f"{name}_variables"),
                    **kwargs,
                )  # fmt: skip
            )
    return GANTrainOps(trained[0], trained[1], counted)


class RunTrainOpsHook(SessionRunHook):
    """Trains so many times before each step.

    Args:
      train_ops: an operation, or several.
      train_steps: how many times.
    """

    def __init__(self, train_ops: Any, train_steps: int) -> None:
        self._train_ops = train_ops if isinstance(train_ops, list | tuple) else [train_ops]
        self._train_steps = train_steps

    def before_run(self, run_context: Any) -> None:
        """Trains."""
        for _ in range(self._train_steps):
            run_context.session.run(self._train_ops)


def get_sequential_train_hooks(
    train_steps: GANTrainSteps = GANTrainSteps(1, 1),  # noqa: B008
) -> Callable[[GANTrainOps], list]:
    """From `GANTrainOps` to hooks that train the generator, then the discriminator."""
    return lambda train_ops: [
        RunTrainOpsHook(train_ops.generator_train_op, train_steps.generator_train_steps),
        RunTrainOpsHook(train_ops.discriminator_train_op, train_steps.discriminator_train_steps),
    ]


def get_joint_train_hooks(
    train_steps: GANTrainSteps = GANTrainSteps(1, 1),  # noqa: B008
) -> Callable[[GANTrainOps], list]:
    """As `get_sequential_train_hooks`, both networks at once as often as both have steps left."""
    both = min(train_steps)

    def hooks(train_ops: GANTrainOps) -> list:
        generator, discriminator = train_ops[:2]
        return [
            RunTrainOpsHook([generator, discriminator], both),
            RunTrainOpsHook(generator, train_steps[0] - both),
            RunTrainOpsHook(discriminator, train_steps[1] - both),
        ]

    return hooks


def gan_train(
    train_ops: GANTrainOps, logdir: str | None,
    get_hooks_fn: Callable[[GANTrainOps], list] = get_sequential_train_hooks(),  # noqa: B008
    master: str = "", is_chief: bool = True, scaffold: Any = None, hooks: Any = None,
    chief_only_hooks: Any = None, save_checkpoint_secs: float | None = 600,
    save_summaries_steps: int | None = 100, config: Any = None,
) -> Any:  # fmt: skip
    """`tf.contrib.training.train` with the hooks that train both networks.

    Args:
      get_hooks_fn: from the operations to these hooks.

    The other arguments are those of `tf.contrib.training.train`.
    Returns: the last global step.
    """
    return learning.train_monitored(
        train_ops.global_step_inc_op, logdir, master, is_chief, scaffold,
        [*(hooks or ()), *get_hooks_fn(train_ops)], chief_only_hooks, save_checkpoint_secs,
        save_summaries_steps, config,
    )  # fmt: skip


def get_sequential_train_steps(
    train_steps: GANTrainSteps = GANTrainSteps(1, 1),  # noqa: B008
) -> Callable[..., tuple]:
    """A `train_step_fn` for `slim.learning.train`, whose `train_op` are `GANTrainOps`."""

    def train_step(sess: Any, train_ops: GANTrainOps, step: Any, train_step_kwargs: dict) -> tuple:
        inner = {key: each for key, each in train_step_kwargs.items() if key != "should_stop"}
        loss = 0.0
        for train_op, times in zip(train_ops[:2], train_steps, strict=True):
            for _ in range(times):
                loss += learning.train_step(sess, train_op, step, inner)[0]
        sess.run(train_ops.global_step_inc_op)
        asked = train_step_kwargs.get("should_stop")
        return loss, sess.run(asked) if asked is not None else False

    return train_step
