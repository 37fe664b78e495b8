"""Layers whose constructor's arguments are their attributes, and their configuration.

    class Dense(Configured):
        def __init__(self, units, activation=None, kernel_initializer="glorot_uniform", **kwargs):
            super().__init__(**kwargs)
            self._keep(locals())     # self.units, self.activation = the function ...

    Dense(3, "relu").get_config()    # {"units": 3, "activation": "relu", ...}

What an argument is its name says: a `kernel_initializer` is found by its name, and serialized.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from minitf.library.keras import activations, constraints, initializers, regularizers
from minitf.library.keras.engine.base_layer import Layer

_LIBRARY = __name__.partition(".")[0] + "."
_FAMILIES: dict[str, Any] = {
    "activation": activations,
    "initializer": initializers,
    "regularizer": regularizers,
    "constraint": constraints,
}
#: what a constructor's `locals()` hold that is the base's
_NOT_KEPT = ("self", "kwargs", "__class__", "trainable", "name")


def _family(argument: str) -> Any:
    """The module that knows what an argument of this name stands for, or None."""
    return _FAMILIES.get(argument.rpartition("_")[2])


class Configured(Layer):
    """A layer that keeps its arguments, and tells them in its configuration."""

    #: arguments that no configuration tells
    _untold: ClassVar[tuple[str, ...]] = ("trainable", "name")

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def _keep(self, arguments: Mapping[str, Any]) -> None:
        """Makes attributes of the arguments of a constructor, which `locals()` are."""
        for name, value in arguments.items():
            if name not in _NOT_KEPT:
                family = _family(name)
                setattr(self, name, family.get(value) if family else value)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments; those of the nearest class of the library."""
        own: Any = next(c for c in type(self).__mro__ if c.__module__.startswith(_LIBRARY))
        config = super().get_config()
        for name, parameter in inspect.signature(own.__init__).parameters.items():
            if (
                name not in ("self", *self._untold)
                and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
            ):
                value, family = getattr(self, name), _family(name)
                number = value.item() if isinstance(value, np.ndarray) else value
                config[name] = family.serialize(value) if family else number
        return config


class Masked(Configured):
    """A layer whose outputs keep the masks of its inputs."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
