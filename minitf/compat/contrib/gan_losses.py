"""`tf.contrib.gan.losses`: what a generator and a discriminator minimize.

    D(x), D(G(z))  ──>  wasserstein, minimax, modified, least_squares  ──> a loss of each

`tf.contrib.gan.losses.wargs` has them as functions of tensors, as they are defined here;
`tf.contrib.gan.losses` has each as a function of a `GANModel`, whose fields give the arguments
of their names. All but the penalties are weighed and reduced as those of `tf.losses`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from minitf.compat.contrib.gan_models import CycleGANModel, GANLoss, GANModel
from minitf.core.gradients.cond import smart_constant_value
from minitf.core.gradients.gradients import gradients
from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array import stop_gradient
from minitf.core.ops.array_filling import ones_like, zeros_like
from minitf.core.ops.cast import cast
from minitf.core.ops.math import abs as absolute
from minitf.core.ops.math import maximum, sqrt, square, squared_difference
from minitf.core.ops.random import random_uniform
from minitf.core.ops.reductions import reduce_max, reduce_mean, reduce_sum
from minitf.core.variables.initialization import trainable_variables
from minitf.core.variables.variable_scope import AUTO_REUSE, variable_scope
from minitf.library.losses.losses import (
    Reduction,
    absolute_difference,
    compute_weighted_loss,
    sigmoid_cross_entropy,
    softmax_cross_entropy,
)
from minitf.library.losses.util import add_loss
from minitf.library.numeric.clip import global_norm
from minitf.library.summary import summary

_MEAN = Reduction.SUM_BY_NONZERO_WEIGHTS


def _report(wanted: bool, **losses: Any) -> None:
    """Adds a summary of each loss under its name."""
    for tag, loss in losses.items() if wanted else ():
        summary.scalar(tag, loss)


def _pair(real: Any, generated: Any) -> tuple[Tensor, Tensor]:
    """Both outputs of a discriminator in float32; their shapes have to fit."""
    real, generated = cast(real, dtypes.float32), cast(generated, dtypes.float32)
    real.shape.assert_is_compatible_with(generated.shape)
    return real, generated


# ---- losses of outputs: Arjovsky et al. (2017), Goodfellow et al. (2014), Mao et al. (2016) ----


def wasserstein_generator_loss(
    discriminator_gen_outputs: Any, weights: Any = 1.0, scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES, reduction: str = _MEAN,
    add_summaries: bool = False,
) -> Tensor:  # fmt: skip
    """-D(G(z)).

    Args:
      discriminator_gen_outputs: of generated data, any numbers.
      weights: a scalar, or of the rank of the outputs.
      scope: the name of the scope.
      loss_collection: where to list the loss; None for nowhere.
      reduction: one of `tf.losses.Reduction`.
      add_summaries: whether to add a summary of the loss.
    """
    values = (discriminator_gen_outputs, weights)
    with name_scope(scope, "generator_wasserstein_loss", values) as scope:
        outputs = cast(discriminator_gen_outputs, dtypes.float32)
        loss = compute_weighted_loss(-outputs, weights, scope, loss_collection, reduction)
        _report(add_summaries, generator_wass_loss=loss)
    return loss


def wasserstein_discriminator_loss(
    discriminator_real_outputs: Any, discriminator_gen_outputs: Any, real_weights: Any = 1.0,
    generated_weights: Any = 1.0, scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES, reduction: str = _MEAN,
    add_summaries: bool = False,
) -> Tensor:  # fmt: skip
    """D(G(z)) - D(x); see `wasserstein_generator_loss`."""
    values = (discriminator_real_outputs, discriminator_gen_outputs)
    with name_scope(scope, "discriminator_wasserstein_loss", values) as scope:
        real, generated = _pair(*values)
        fake = compute_weighted_loss(generated, generated_weights, scope, None, reduction)
        true = compute_weighted_loss(real, real_weights, scope, None, reduction)
        loss = fake - true
        add_loss(loss, loss_collection)
        _report(add_summaries, discriminator_gen_wass_loss=fake,
                discriminator_real_wass_loss=true, discriminator_wass_loss=loss)  # fmt: skip
    return loss


def minimax_discriminator_loss(
    discriminator_real_outputs: Any, discriminator_gen_outputs: Any, label_smoothing: float = 0.25,
    real_weights: Any = 1.0, generated_weights: Any = 1.0, scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES, reduction: str = _MEAN,
    add_summaries: bool = False,
) -> Tensor:  # fmt: skip
    """-log(sigmoid(D(x))) - log(1 - sigmoid(D(G(z)))).

    Args:
      label_smoothing: how much to pull the labels of real data towards 1/2.

    The other arguments are those of `wasserstein_discriminator_loss`.
    """
    real, generated = discriminator_real_outputs, discriminator_gen_outputs
    with name_scope(scope, "discriminator_minimax_loss", (real, generated)) as scope:
        true = sigmoid_cross_entropy(
            ones_like(real), real, real_weights, label_smoothing, scope, None, reduction
        )
        fake = sigmoid_cross_entropy(
            zeros_like(generated), generated, generated_weights, 0, scope, None, reduction
        )
        loss = true + fake
        add_loss(loss, loss_collection)
        _report(add_summaries, discriminator_gen_minimax_loss=fake,
                discriminator_real_minimax_loss=true, discriminator_minimax_loss=loss)  # fmt: skip
    return loss


def minimax_generator_loss(
    discriminator_gen_outputs: Any, label_smoothing: float = 0.0, weights: Any = 1.0,
    scope: str | None = None, loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN, add_summaries: bool = False,
) -> Tensor:  # fmt: skip
    """What the discriminator loses, with the other sign: the game as it was first written."""
    with name_scope(scope, "generator_minimax_loss") as scope:
        loss = -minimax_discriminator_loss(
            ones_like(discriminator_gen_outputs), discriminator_gen_outputs, label_smoothing,
            weights, weights, scope, loss_collection, reduction,
        )  # fmt: skip
    _report(add_summaries, generator_minimax_loss=loss)
    return loss


def modified_discriminator_loss(
    discriminator_real_outputs: Any, discriminator_gen_outputs: Any, label_smoothing: float = 0.25,
    real_weights: Any = 1.0, generated_weights: Any = 1.0, scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES, reduction: str = _MEAN,
    add_summaries: bool = False,
) -> Tensor:  # fmt: skip
    """As `minimax_discriminator_loss`."""
    return minimax_discriminator_loss(
        discriminator_real_outputs, discriminator_gen_outputs, label_smoothing, real_weights,
        generated_weights, scope or "discriminator_modified_loss", loss_collection, reduction,
        add_summaries,
    )  # fmt: skip


def modified_generator_loss(
    discriminator_gen_outputs: Any, label_smoothing: float = 0.0, weights: Any = 1.0,
    scope: str | None = None, loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN, add_summaries: bool = False,
) -> Tensor:  # fmt: skip
    """-log(sigmoid(D(G(z)))), whose gradient does not vanish where the generator is bad."""
    outputs = discriminator_gen_outputs
    with name_scope(scope, "generator_modified_loss", [outputs]) as scope:
        loss = sigmoid_cross_entropy(
            ones_like(outputs), outputs, weights, label_smoothing, scope, loss_collection, reduction
        )
        _report(add_summaries, generator_modified_loss=loss)
    return loss


def least_squares_generator_loss(
    discriminator_gen_outputs: Any, real_label: float = 1, weights: Any = 1.0,
    scope: str | None = None, loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN, add_summaries: bool = False,
) -> Tensor:  # fmt: skip
    """1/2 (D(G(z)) - real_label)^2; see `wasserstein_generator_loss`."""
    outputs = discriminator_gen_outputs
    with name_scope(scope, "lsq_generator_loss", (outputs, real_label)) as scope:
        losses = squared_difference(cast(outputs, dtypes.float32), real_label) / 2.0
        loss = compute_weighted_loss(losses, weights, scope, loss_collection, reduction)
    _report(add_summaries, generator_lsq_loss=loss)
    return loss


def least_squares_discriminator_loss(
    discriminator_real_outputs: Any, discriminator_gen_outputs: Any, real_label: float = 1,
    fake_label: float = 0, real_weights: Any = 1.0, generated_weights: Any = 1.0,
    scope: str | None = None, loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN, add_summaries: bool = False,
) -> Tensor:  # fmt: skip
    """1/2 (D(x) - real_label)^2 + 1/2 (D(G(z)) - fake_label)^2."""
    values = (discriminator_real_outputs, discriminator_gen_outputs)
    with name_scope(scope, "lsq_discriminator_loss", values) as scope:
        real, generated = _pair(*values)
        true, fake = (
            compute_weighted_loss(
                squared_difference(outputs, label) / 2.0, weights, scope, None, reduction
            )
            for outputs, label, weights in (
                (real, real_label, real_weights),
                (generated, fake_label, generated_weights),
            )
        )
        loss = true + fake
        add_loss(loss, loss_collection)
    _report(add_summaries, discriminator_gen_lsq_loss=fake, discriminator_real_lsq_loss=true,
            discriminator_lsq_loss=loss)  # fmt: skip
    return loss


# ---- losses of more than outputs -----------------------------------------------------------


def acgan_discriminator_loss(
    discriminator_real_classification_logits: Any, discriminator_gen_classification_logits: Any,
    one_hot_labels: Any, label_smoothing: float = 0.0, real_weights: Any = 1.0,
    generated_weights: Any = 1.0, scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES, reduction: str = _MEAN,
    add_summaries: bool = False,
) -> Tensor:  # fmt: skip
    """The cross entropy of classes, of real and of generated data.

    Args:
      discriminator_real_classification_logits: [batch, classes] for real data; those for
        generated data follow.
      one_hot_labels: [batch, classes].
      label_smoothing: how much to pull the labels of real data towards 1 / classes.
    """
    real, fake = discriminator_real_classification_logits, discriminator_gen_classification_logits
    with name_scope(scope, "acgan_discriminator_loss", (real, fake, one_hot_labels)) as scope:
        of_fake = softmax_cross_entropy(
            one_hot_labels, fake, generated_weights, 0, scope, None, reduction
        )
        of_real = softmax_cross_entropy(
            one_hot_labels, real, real_weights, label_smoothing, scope, None, reduction
        )
        loss = of_fake + of_real
        add_loss(loss, loss_collection)
        _report(add_summaries, discriminator_gen_ac_loss=of_fake,
                discriminator_real_ac_loss=of_real, discriminator_ac_loss=loss)  # fmt: skip
    return loss


def acgan_generator_loss(
    discriminator_gen_classification_logits: Any, one_hot_labels: Any, weights: Any = 1.0,
    scope: str | None = None, loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN, add_summaries: bool = False,
) -> Tensor:  # fmt: skip
    """The cross entropy of the classes that generated data should have had."""
    logits = discriminator_gen_classification_logits
    with name_scope(scope, "acgan_generator_loss", (logits, one_hot_labels)) as scope:
        loss = softmax_cross_entropy(
            one_hot_labels, logits, weights, 0, scope, loss_collection, reduction
        )
        _report(add_summaries, generator_ac_loss=loss)
    return loss


def wasserstein_gradient_penalty(
    real_data: Any, generated_data: Any, generator_inputs: Any, discriminator_fn: Callable,
    discriminator_scope: Any, epsilon: float = 1e-10, target: Any = 1.0, one_sided: bool = False,
    weights: Any = 1.0, scope: str | None = None, loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN, add_summaries: bool = False,
) -> Tensor:  # fmt: skip
    """How far the discriminator's slope is from `target`, between real and generated data.

    (|dD/dx| / target - 1)^2 at points drawn on the lines between pairs (Gulrajani et al., 2017).

    Args:
      real_data, generated_data: [batch, ...], of one shape and a known rank.
      generator_inputs: what the discriminator may be told of the generator's inputs.
      discriminator_fn: from data and these inputs to outputs.
      discriminator_scope: where its variables are.
      epsilon: what is added to the squared slope, since a root of 0 has no gradient.
      one_sided: whether only slopes above `target` count.
    """
    with name_scope(scope, "wasserstein_gradient_penalty", (real_data, generated_data)) as scope:
        real_data, generated_data = convert_to_tensor(real_data), convert_to_tensor(generated_data)
        for name, data in (("real_data", real_data), ("generated_data", generated_data)):
            if data.shape.ndims is None:
                raise ValueError(f"`{name}` can't have unknown rank.")
        apart = generated_data - real_data
        batch = apart.shape.as_list()[0]
        size = shape_of(apart)[0] if batch is None else batch
        between = random_uniform([size] + [1] * (len(apart.shape) - 1))
        points = real_data + between * apart
        with (
            name_scope(None),  # update ops belong to the discriminator's scope
            variable_scope(discriminator_scope, "gpenalty_dscope", reuse=AUTO_REUSE),
        ):
            outputs = discriminator_fn(points, generator_inputs)
        if isinstance(outputs, tuple):
            outputs = outputs[0]  # beside the logits of classes
        slope: Any = gradients(outputs, points)[0]
        squares = reduce_sum(square(slope), axis=list(range(1, len(slope.shape))))
        excess = sqrt(squares + epsilon) / target - 1.0
        if one_sided:
            excess = maximum(0.0, excess)
        penalty = compute_weighted_loss(square(excess), weights, scope, loss_collection, reduction)
        _report(add_summaries, gradient_penalty_loss=penalty)
    return penalty


def mutual_information_penalty(
    structured_generator_inputs: Sequence[Any], predicted_distributions: Sequence[Any],
    weights: Any = 1.0, scope: str | None = None, loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _MEAN, add_summaries: bool = False,
) -> Tensor:  # fmt: skip
    """How unlikely the discriminator holds the structured noise: -log p(noise).

    Args:
      structured_generator_inputs: tensors.
      predicted_distributions: of each a distribution.
    Raises:
      ValueError: when there are not as many of both, or one has no `log_prob`.
    """
    noises, guesses = structured_generator_inputs, predicted_distributions
    if not isinstance(guesses, list | tuple):
        raise ValueError(
            f"`distributions` must be a list or tuple. Instead, found {type(guesses)}."
        )
    for each in guesses:
        if not callable(getattr(each, "log_prob", None)):
            raise ValueError(
                f"`distributions` must be a list of `Distributions`. Instead, found {type(each)}."
            )
    if len(noises) != len(guesses):
        raise ValueError(
            f"`structured_generator_inputs` length {len(noises)} must be the same as "
            f"`predicted_distributions` length {len(guesses)}."
        )
    with name_scope(scope, "mutual_information_loss") as scope:
        logs = [reduce_mean(each.log_prob(x)) for each, x in zip(guesses, noises, strict=True)]
        loss = -compute_weighted_loss(logs, weights, scope, loss_collection, reduction)
        _report(add_summaries, mutual_information_penalty=loss)
    return loss


def _steepness(loss: Tensor, variables: Sequence[Any]) -> Any:
    """The length of the gradient; divided by its largest part first, lest squares overflow."""
    slopes = [each for each in gradients(loss, variables) if each is not None]
    if not slopes:
        return 0.0
    largest = reduce_max([reduce_max(absolute(each)) for each in slopes])
    return largest * global_norm([each / largest for each in slopes])


def combine_adversarial_loss(
    main_loss: Tensor, adversarial_loss: Tensor, weight_factor: Any = None,
    gradient_ratio: Any = None, gradient_ratio_epsilon: float = 1e-6, variables: Any = None,
    scalar_summaries: bool = True, gradient_summaries: bool = True, scope: str | None = None,
) -> Tensor:  # fmt: skip
    """The sum of a loss and a weighed adversarial one.

    Args:
      main_loss, adversarial_loss: scalars.
      weight_factor: the weight; or
      gradient_ratio: how much longer the main loss's gradient shall be than that of the other.
      gradient_ratio_epsilon: what is added below that fraction.
      variables: by which gradients are taken; by default all that are trained.
    Raises:
      ValueError: when not just one of `weight_factor` and `gradient_ratio` is given.
    """
    for each in (main_loss, adversarial_loss):
        each.shape.assert_is_compatible_with([])
    if (weight_factor is None) == (gradient_ratio is None):
        how = "be `None.`" if weight_factor is None else "be specified."
        raise ValueError(f"`weight_factor` and `gradient_ratio` cannot both {how}")
    if variables is None:
        variables = trainable_variables()
    with name_scope(scope, "adversarial_loss", [main_loss, adversarial_loss]):
        _report(scalar_summaries, main_loss=main_loss, adversarial_loss=adversarial_loss)
        if gradient_summaries or gradient_ratio is not None:
            main = _steepness(main_loss, variables)
            other = _steepness(adversarial_loss, variables)
            _report(gradient_summaries, main_loss_gradients=main, adversarial_loss_gradients=other)
        given = weight_factor if gradient_ratio is None else gradient_ratio
        if smart_constant_value(convert_to_tensor(given)) == 0:
            return main_loss
        if gradient_ratio is not None:
            weight_factor = main / (other + gradient_ratio_epsilon) / gradient_ratio
            summary.scalar("adversarial_coefficient", weight_factor)
        return main_loss + stop_gradient(weight_factor) * adversarial_loss


def cycle_consistency_loss(
    data_x: Any, reconstructed_data_x: Any, data_y: Any, reconstructed_data_y: Any,
    scope: str | None = None, add_summaries: bool = False,
) -> Tensor:  # fmt: skip
    """How far data are from what came back of them: the mean of |x - G(F(x))| and |y - F(G(y))|."""
    values = [data_x, reconstructed_data_x, data_y, reconstructed_data_y]
    with name_scope(scope, "cycle_consistency_loss", values):
        of_x = absolute_difference(data_x, reconstructed_data_x)
        of_y = absolute_difference(data_y, reconstructed_data_y)
        loss = (of_x + of_y) / 2.0
        _report(add_summaries, cycle_consistency_loss_x2x=of_x, cycle_consistency_loss_y2y=of_y,
                cycle_consistency_loss=loss)  # fmt: skip
    return loss


# ---- the same of a model -------------------------------------------------------------------


def _of_model(loss_fn: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The loss as a function of a model, which gives each argument that has a field's name."""
    needed = inspect.signature(loss_fn).parameters

    @functools.wraps(loss_fn)
    def of_model(gan_model: GANModel, **kwargs: Any) -> Tensor:
        fields = gan_model._asdict()
        twice = set(fields) & set(kwargs)
        if twice:
            raise ValueError(
                "The following args are present in both the tuple and keyword args for "
                f"{loss_fn.__name__}: {twice}"
            )
        given = {name: value for name, value in fields.items() if name in needed} | kwargs
        for name, parameter in needed.items():
            if name not in given and parameter.default is parameter.empty:
                raise ValueError(f"`{name}` must be supplied to {loss_fn.__name__} loss function.")
        return loss_fn(**given)

    return of_model


def of_cycle(
    cyclegan_model: CycleGANModel, scope: str | None = None, add_summaries: bool = False
) -> Tensor:
    """`cycle_consistency_loss` of what both pairs got, and of what came back."""
    if not isinstance(cyclegan_model, CycleGANModel):
        raise ValueError(
            f"`cyclegan_model` must be a `CycleGANModel`. Instead, was {type(cyclegan_model)}."
        )
    there, back, x, y = cyclegan_model
    return cycle_consistency_loss(
        there.generator_inputs, x, back.generator_inputs, y, scope, add_summaries
    )


def of_combined(
    gan_loss: GANLoss, gan_model: GANModel, non_adversarial_loss: Tensor, weight_factor: Any = None,
    gradient_ratio: Any = None, gradient_ratio_epsilon: float = 1e-6,
    scalar_summaries: bool = True, gradient_summaries: bool = True,
) -> GANLoss:  # fmt: skip
    """The losses, with another one added to the generator's by `combine_adversarial_loss`."""
    loss = combine_adversarial_loss(
        non_adversarial_loss, gan_loss.generator_loss, weight_factor, gradient_ratio,
        gradient_ratio_epsilon, gan_model.generator_variables, scalar_summaries, gradient_summaries,
    )  # fmt: skip
    return gan_loss._replace(generator_loss=loss)


of_acgan_discriminator = _of_model(acgan_discriminator_loss)
of_acgan_generator = _of_model(acgan_generator_loss)
of_least_squares_discriminator = _of_model(least_squares_discriminator_loss)
of_least_squares_generator = _of_model(least_squares_generator_loss)
of_minimax_discriminator = _of_model(minimax_discriminator_loss)
of_minimax_generator = _of_model(minimax_generator_loss)
of_modified_discriminator = _of_model(modified_discriminator_loss)
of_modified_generator = _of_model(modified_generator_loss)
of_wasserstein_discriminator = _of_model(wasserstein_discriminator_loss)
of_wasserstein_generator = _of_model(wasserstein_generator_loss)
of_gradient_penalty = _of_model(wasserstein_gradient_penalty)
of_mutual_information = _of_model(mutual_information_penalty)
