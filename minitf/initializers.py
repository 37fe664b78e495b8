"""The namespace `tf.initializers`: names only."""

from minitf.variables.initialization import global_variables_initializer as global_variables
from minitf.variables.initialization import local_variables_initializer as local_variables
from minitf.variables.initialization import variables_initializer as variables
from minitf.variables.initializers import (
    Constant,
    GlorotNormal,
    GlorotUniform,
    Identity,
    Initializer,
    Ones,
    Orthogonal,
    RandomNormal,
    RandomUniform,
    TruncatedNormal,
    UniformUnitScaling,
    VarianceScaling,
    Zeros,
    he_normal,
    he_uniform,
    lecun_normal,
    lecun_uniform,
)

constant = Constant
glorot_normal = GlorotNormal
glorot_uniform = GlorotUniform
identity = Identity
ones = Ones
orthogonal = Orthogonal
random_normal = RandomNormal
random_uniform = RandomUniform
truncated_normal = TruncatedNormal
uniform_unit_scaling = UniformUnitScaling
variance_scaling = VarianceScaling
zeros = Zeros

__all__ = [
    "Initializer",
    "constant",
    "global_variables",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "identity",
    "lecun_normal",
    "lecun_uniform",
    "local_variables",
    "ones",
    "orthogonal",
    "random_normal",
    "random_uniform",
    "truncated_normal",
    "uniform_unit_scaling",
    "variables",
    "variance_scaling",
    "zeros",
]
