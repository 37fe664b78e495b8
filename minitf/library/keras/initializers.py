"""Initializers as Keras names them: those of `tf.initializers`, with other defaults.

`glorot_uniform` and its kind are one arithmetic with those of `tf.get_variable`; only the defaults
of the three plain distributions differ.
"""

from __future__ import annotations

from dataclasses import dataclass

from minitf.core.variables import initializers as base
from minitf.core.variables.initializers import (
    Constant,
    GlorotNormal,
    GlorotUniform,
    Ones,
    VarianceScaling,
    Zeros,
    he_normal,
    he_uniform,
    lecun_normal,
    lecun_uniform,
)
from minitf.library.keras.objects import Family
from minitf.library.variables.orthogonal import Identity, Orthogonal


@dataclass(eq=False, repr=False)
class RandomNormal(base.RandomNormal):
    """As `tf.random_normal_initializer`, with a standard deviation of 0.05."""

    stddev: float = 0.05


@dataclass(eq=False, repr=False)
class TruncatedNormal(base.TruncatedNormal):
    """As `tf.truncated_normal_initializer`, with a standard deviation of 0.05."""

    stddev: float = 0.05


@dataclass(eq=False, repr=False)
class RandomUniform(base.RandomUniform):
    """As `tf.random_uniform_initializer`, from -0.05 to 0.05."""

    minval: float = -0.05
    maxval: float = 0.05


_TABLE = {
    **dict.fromkeys(("Zeros", "zeros", "zero"), Zeros),
    **dict.fromkeys(("Ones", "ones", "one"), Ones),
    **dict.fromkeys(("Constant", "constant"), Constant),
    **dict.fromkeys(("RandomNormal", "random_normal", "normal"), RandomNormal),
    **dict.fromkeys(("RandomUniform", "random_uniform", "uniform"), RandomUniform),
    **dict.fromkeys(("TruncatedNormal", "truncated_normal"), TruncatedNormal),
    **dict.fromkeys(("VarianceScaling", "variance_scaling"), VarianceScaling),
    **dict.fromkeys(("Orthogonal", "orthogonal"), Orthogonal),
    **dict.fromkeys(("Identity", "identity"), Identity),
    **dict.fromkeys(("GlorotNormal", "glorot_normal"), GlorotNormal),
    **dict.fromkeys(("GlorotUniform", "glorot_uniform"), GlorotUniform),
    **dict.fromkeys(("HeNormal", "he_normal"), he_normal),
    **dict.fromkeys(("HeUniform", "he_uniform"), he_uniform),
    **dict.fromkeys(("LecunNormal", "lecun_normal"), lecun_normal),
    **dict.fromkeys(("LecunUniform", "lecun_uniform"), lecun_uniform),
}
_MAKERS = [name for name, value in _TABLE.items() if not isinstance(value, type)]

_family = Family("initializer", _TABLE, makers=_MAKERS)
get, serialize, deserialize = _family.get, _family.serialize, _family.deserialize
