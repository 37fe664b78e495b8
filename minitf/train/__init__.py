"""Training: optimizers, the global step, and where variables go on a cluster.

Stands on variables, transforms and ops. It builds graphs; running them is the session's part. The
package is at the same time the namespace `tf.train`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.train.adagrad import AdagradOptimizer
from minitf.train.adam import AdamOptimizer
from minitf.train.device_setter import replica_device_setter
from minitf.train.gradient_descent import GradientDescentOptimizer
from minitf.train.momentum import MomentumOptimizer
from minitf.train.optimizer import Optimizer
from minitf.train.rmsprop import RMSPropOptimizer
from minitf.train.training_util import (
    assert_global_step,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
    global_step,
)

__all__ = [
    "AdagradOptimizer",
    "AdamOptimizer",
    "GradientDescentOptimizer",
    "MomentumOptimizer",
    "Optimizer",
    "RMSPropOptimizer",
    "assert_global_step",
    "create_global_step",
    "get_global_step",
    "get_or_create_global_step",
    "global_step",
    "replica_device_setter",
]

#: names of `tf.train` that live on a higher floor, with what fetches them when they are first asked
#: for (`Server` needs Dask, whose import takes longer than all of minitf's)
from_above: dict[str, Callable[[], Any]] = {}


def __getattr__(name: str) -> Any:
    if name in from_above:
        return from_above[name]()
    raise AttributeError(f"module 'minitf.train' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*__all__, *from_above])
