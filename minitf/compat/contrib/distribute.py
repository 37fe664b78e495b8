"""`tf.contrib.distribute`: the strategies as they were first, told how many GPUs a worker has.

Their datasets have batches for one replica each; those of `tf.distribute` are global.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.library.distribute.cross_device_ops import (
    CrossDeviceOps,
    HierarchicalCopyAllReduce,
    NcclAllReduce,
)
from minitf.library.distribute.strategies import MirroredStrategy


def _gpus(count: int | None) -> list[str] | None:
    return [f"/device:GPU:{i}" for i in range(count)] if count else None


class ContribMirroredStrategy(MirroredStrategy):
    """`tf.distribute.MirroredStrategy` with the first arguments.

    Args:
      devices: their names; all GPUs by default.
      num_gpus: how many GPUs; an older name of `num_gpus_per_worker`.
      num_gpus_per_worker: how many GPUs, instead of their names.
      cross_device_ops: how gradients are added.
      auto_shard_dataset: accepted.

    Raises:
      ValueError: when the devices are given twice.
    """

    def __init__(
        self,
        devices: Sequence[str] | None = None,
        num_gpus: int | None = None,
        num_gpus_per_worker: int | None = None,
        cross_device_ops: CrossDeviceOps | None = None,
        auto_shard_dataset: bool = False,
    ) -> None:
        if num_gpus is not None and num_gpus_per_worker is not None:
            raise ValueError("You cannot set both `num_gpus` and `num_gpus_per_worker`.")
        count = num_gpus if num_gpus_per_worker is None else num_gpus_per_worker
        if devices is not None and count is not None:
            raise ValueError("Must only specify one of `devices` and `num_gpus`.")
        if count == 0:
            devices = ["/device:CPU:0"]
        super().__init__(devices or _gpus(count), cross_device_ops)
        self.extended._global_batch_size = False


def AllReduceCrossDeviceOps(  # noqa: N802
    all_reduce_alg: str = "nccl",
    num_packs: int = 1,
    agg_small_grads_max_bytes: int = 0,
    agg_small_grads_max_group: int = 10,
) -> Any:
    """`NcclAllReduce` or `HierarchicalCopyAllReduce`, by name; the rest is accepted."""
    tree = all_reduce_alg == "hierarchical_copy"
    return HierarchicalCopyAllReduce(num_packs) if tree else NcclAllReduce(num_packs)
