"""The namespace `tf.random`: names only."""

from minitf.ops.random import categorical, multinomial, truncated_normal
from minitf.ops.random import random_normal as normal
from minitf.ops.random import random_shuffle as shuffle
from minitf.ops.random import random_uniform as uniform
from minitf.ops.random import set_random_seed as set_seed

set_random_seed = set_seed

__all__ = [
    "categorical",
    "multinomial",
    "normal",
    "set_random_seed",
    "set_seed",
    "shuffle",
    "truncated_normal",
    "uniform",
]
