"""`tf.contrib.nccl`: sums over devices, as programs with a tower a GPU call them.

NVIDIA's library does this in a ring; here the device of the first tensor adds, and the result goes
to each device. `tf.distribute` has rings.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from minitf.core.graph.stacks import device
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.math import add, maximum, minimum, multiply


def _on_all(
    tensors: Sequence[Tensor], together: Callable[[Tensor, Tensor], Tensor]
) -> list[Tensor]:
    with device(tensors[0].device):
        found = functools.reduce(together, tensors)
    made = []
    for each in tensors:
        with device(each.device):
            made.append(identity(found))
    return made


def all_sum(tensors: Sequence[Tensor]) -> list[Tensor]:
    """The sum, on each tensor's device."""
    return _on_all(tensors, add)


def all_prod(tensors: Sequence[Tensor]) -> list[Tensor]:
    """The product, on each tensor's device."""
    return _on_all(tensors, multiply)


def all_min(tensors: Sequence[Tensor]) -> list[Tensor]:
    """The least numbers, on each tensor's device."""
    return _on_all(tensors, minimum)


def all_max(tensors: Sequence[Tensor]) -> list[Tensor]:
    """The largest numbers, on each tensor's device."""
    return _on_all(tensors, maximum)


def reduce_sum(tensors: Sequence[Tensor]) -> Tensor:
    """The sum, on the device of the scope."""
    return functools.reduce(add, tensors)


def broadcast(tensor: Tensor) -> Tensor:
    """The tensor, for whichever device asks."""
    return identity(tensor)
