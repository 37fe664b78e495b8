"""`MirroredStrategy` and `OneDeviceStrategy`: the replicas of one program on one machine."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.graph import logging, stacks
from minitf.core.graph.device_spec import DeviceSpec
from minitf.library.distribute.cross_device_ops import (
    CrossDeviceOps,
    NcclAllReduce,
    ReductionToOneDevice,
    canonicalize,
)
from minitf.library.distribute.strategy import Strategy
from minitf.library.graph_tools.physical_devices import list_logical_devices


def all_devices() -> list[str]:
    """All GPUs of this machine, or its one processor."""
    gpus = [device.name for device in list_logical_devices("GPU")]
    return gpus or ["/device:CPU:0"]


class MirroredStrategy(Strategy):
    """One replica on each device, each with a copy of the variables, step by step together.

    Args:
      devices: their names; by default all GPUs, or the CPU.
      cross_device_ops: how gradients are added: `NcclAllReduce` by default on GPUs, else
        `ReductionToOneDevice`.
    Example:
      >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
      >>> strategy.num_replicas_in_sync
      2
    """

    def __init__(
        self, devices: Sequence[str] | None = None, cross_device_ops: CrossDeviceOps | None = None
    ) -> None:
        if isinstance(devices, str):
            devices = [devices]
        names = tuple(canonicalize(d) for d in (devices or all_devices()))
        if len(set(names)) != len(names):
            raise AssertionError(f"No duplicates allowed in `devices` argument: {names}")
        super().__init__(names, cross_device_ops or _fitting(names))
        logging.info("Using MirroredStrategy with devices %r", names)

    def update_config_proto(self, config_proto: Any) -> Any:
        """See `Strategy.update_config_proto`."""
        updated = copy.deepcopy(config_proto)
        updated.isolate_session_state = True
        return updated


def _fitting(devices: Sequence[str]) -> CrossDeviceOps:
    kinds = {DeviceSpec.from_string(device).device_type for device in devices}
    return NcclAllReduce() if kinds == {"GPU"} and len(devices) > 1 else ReductionToOneDevice()


class OneDeviceStrategy(Strategy):
    """Everything on one device: a program that is written for strategies, without their work.

    Args:
      device: its name.
    """

    def __init__(self, device: str) -> None:
        super().__init__([device])

    def _create_variable(self, next_creator: Callable, home: Any, **kwargs: Any) -> Any:
        with stacks.device(None), stacks.device(self._devices[0]):
            return next_creator(**kwargs)
