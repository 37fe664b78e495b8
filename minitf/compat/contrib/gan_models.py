"""The tuples of `tf.contrib.gan`: what a pair of networks is made of, and what comes of it."""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple


class GANModel(NamedTuple):
    """A generator and a discriminator, with what they got and made."""

    generator_inputs: Any
    generated_data: Any
    generator_variables: Any
    generator_scope: Any
    generator_fn: Any
    real_data: Any
    discriminator_real_outputs: Any
    discriminator_gen_outputs: Any
    discriminator_variables: Any
    discriminator_scope: Any
    discriminator_fn: Any


_FIELDS: Any = GANModel._fields
_NOISE = ("structured_generator_inputs", "predicted_distributions", "discriminator_and_aux_fn")
_CLASSES = ("one_hot_labels", "discriminator_real_classification_logits",
            "discriminator_gen_classification_logits")  # fmt: skip


_Info: Any = namedtuple("_Info", [*_FIELDS, *_NOISE])  # type: ignore[misc]
_Classes: Any = namedtuple("_Classes", [*_FIELDS, *_CLASSES])  # type: ignore[misc]


class InfoGANModel(_Info):
    """A pair whose discriminator guesses a part of the noise (Chen et al., 2016)."""

    __slots__ = ()


class ACGANModel(_Classes):
    """A pair whose discriminator names the class, too (Odena et al., 2016)."""

    __slots__ = ()


class CycleGANModel(NamedTuple):
    """Two pairs, there and back, with what came back (Zhu et al., 2017)."""

    model_x2y: Any
    model_y2x: Any
    reconstructed_x: Any
    reconstructed_y: Any


class GANLoss(NamedTuple):
    """The losses of both networks, scalars."""

    generator_loss: Any
    discriminator_loss: Any


class CycleGANLoss(NamedTuple):
    """The losses of both pairs."""

    loss_x2y: Any
    loss_y2x: Any


class GANTrainOps(NamedTuple):
    """What trains each network, and what counts the steps."""

    generator_train_op: Any
    discriminator_train_op: Any
    global_step_inc_op: Any


class GANTrainSteps(NamedTuple):
    """How often each network trains in a step."""

    generator_train_steps: int
    discriminator_train_steps: int
