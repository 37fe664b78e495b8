"""Activations and initializers that a program names by a text, as `activation="relu"`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.core.graph.tensor import Tensor
from minitf.core.ops import activations
from minitf.core.ops.math import exp, sigmoid, tanh
from minitf.core.variables.initializers import (
    Initializer,
    glorot_normal_initializer,
    glorot_uniform_initializer,
    ones_initializer,
    random_normal_initializer,
    random_uniform_initializer,
    truncated_normal_initializer,
    variance_scaling_initializer,
    zeros_initializer,
)
from minitf.library.variables.orthogonal import orthogonal_initializer


def _linear(x: Tensor) -> Tensor:
    return x


ACTIVATIONS: dict[str, Callable[..., Tensor]] = {
    **activations.NAMED,
    "exponential": exp,
    "linear": _linear,
    "sigmoid": sigmoid,
    "tanh": tanh,
}

INITIALIZERS: dict[str, Callable[[], Initializer]] = {
    "glorot_normal": glorot_normal_initializer,
    "glorot_uniform": glorot_uniform_initializer,
    "he_normal": lambda: variance_scaling_initializer(2.0),
    "he_uniform": lambda: variance_scaling_initializer(2.0, distribution="uniform"),
    "lecun_normal": lambda: variance_scaling_initializer(1.0),
    "lecun_uniform": lambda: variance_scaling_initializer(1.0, distribution="uniform"),
    "normal": lambda: random_normal_initializer(stddev=0.05),
    "ones": ones_initializer,
    "orthogonal": orthogonal_initializer,
    "random_normal": lambda: random_normal_initializer(stddev=0.05),
    "random_uniform": lambda: random_uniform_initializer(-0.05, 0.05),
    "truncated_normal": lambda: truncated_normal_initializer(stddev=0.05),
    "uniform": lambda: random_uniform_initializer(-0.05, 0.05),
    "zeros": zeros_initializer,
}


def _named(kind: str, table: dict[str, Any], name: str) -> Any:
    if name not in table:
        raise ValueError(f"Unknown {kind}: {name}")
    return table[name]


def activation(given: Any) -> Callable[[Tensor], Tensor] | None:
    """The function that a name stands for; anything else is returned as it is.

    Raises:
      ValueError: when there is none of that name.
    """
    return _named("activation function", ACTIVATIONS, given) if isinstance(given, str) else given


def initializer(given: Any) -> Any:
    """The initializer that a name stands for; anything else is returned as it is.

    Raises:
      ValueError: when there is none of that name.
    """
    return _named("initializer", INITIALIZERS, given)() if isinstance(given, str) else given
