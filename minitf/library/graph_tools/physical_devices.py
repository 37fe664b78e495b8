"""`tf.config`: the devices of this machine, and which of them programs get.

    physical device         --set_visible_devices-->  the ones that are used
                            --set_virtual_device_configuration-->  one or several logical devices
    logical device /device:GPU:1  = what a session or eager execution places operations on

What is chosen here holds for the sessions that are made afterwards; eager execution has its devices
from its first operation on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from minitf.core.runtime.run import devices
from minitf.core.runtime.run.devices import choices, make_devices


class PhysicalDevice(NamedTuple):
    """A device of this machine."""

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device that operations are placed on."""

    name: str
    device_type: str


@dataclass(frozen=True)
class VirtualDeviceConfiguration:
    """One logical device of a physical one.

    Args:
      memory_limit: MB that it may hold; noted, since memory is taken as it is needed.
    """

    memory_limit: int | None = None
    experimental_priority: int | None = None


_hidden: set[PhysicalDevice] = set()
_split: dict[PhysicalDevice, list[VirtualDeviceConfiguration]] = {}


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of this machine; a simulated GPU counts.

    Args:
      device_type: "CPU", "GPU" or another that is offered; all by default.
    """
    counts = {"CPU": 1, "GPU": devices.count_gpus(), **devices.other_types()}
    return [
        PhysicalDevice(f"/physical_device:{kind}:{i}", kind)
        for kind, count in counts.items()
        for i in range(count)
        if device_type in (None, kind)
    ]


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices that a session made now would have.

    Args:
      device_type: "CPU" or "GPU"; all by default.
    """
    return [
        LogicalDevice(device.name[device.name.index("/device:") :], device.device_type)
        for device in make_devices()
        if device_type in (None, device.device_type)
    ]


def set_visible_devices(
    devices: PhysicalDevice | Iterable[PhysicalDevice], device_type: str | None = None
) -> None:
    """Uses these physical devices only.

    Args:
      devices: one or several; none hides all of the type.
      device_type: of which type only these; of every type by default.
    Raises:
      ValueError: when a device is not there or of another type.
    """
    wanted = {devices} if isinstance(devices, PhysicalDevice) else set(devices)
    known = list_physical_devices(device_type)
    for device in wanted:
        if device not in known:
            raise ValueError(f"Unrecognized device: {device!r}")
    _hidden.difference_update(known)
    _hidden.update(set(known) - wanted)
    _apply()


def set_virtual_device_configuration(
    device: PhysicalDevice, logical_devices: list[VirtualDeviceConfiguration]
) -> None:
    """Makes several logical devices of a physical one, to try programs for several.

    Args:
      device: the physical device.
      logical_devices: one item for each.
    Raises:
      ValueError: when the device is not there.
    """
    _check(device)
    _split[device] = list(logical_devices)
    _apply()


def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Accepts whether GPU memory grows with the need; with CuPy it always does."""
    _check(device)


def _check(device: PhysicalDevice) -> None:
    if device not in list_physical_devices():
        raise ValueError(f"Unrecognized device: {device!r}")


def _apply() -> None:
    """Turns what was chosen into what the runtime reads."""
    [cpu] = list_physical_devices("CPU")
    gpus = list_physical_devices("GPU")
    cpus = len(_split.get(cpu, [None]))
    chosen = [
        i for i, gpu in enumerate(gpus) if gpu not in _hidden for _ in _split.get(gpu, [None])
    ]
    everything = chosen == list(range(len(gpus)))
    choices.cpus, choices.gpus = cpus, None if everything else chosen
