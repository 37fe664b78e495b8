"""Device names such as `/job:ps/replica:0/task:1/device:GPU:0`, complete or partial.

>>> DeviceSpec.from_string("/job:ps/task:0/gpu:1").to_string()
'/job:ps/task:0/device:GPU:1'
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

#: What may stand alone in a name, as in '/gpu:1'.
_TYPES = ("CPU", "GPU", "TPU")


@dataclass(unsafe_hash=True)  # programs of TensorFlow 1 set parts of their own specs
class DeviceSpec:
    """A device name in parts; None leaves a part open.

    Args:
      job: the name of the job, as "ps".
      replica: always 0 or None in practice.
      task: the index of the task in its job.
      device_type: "CPU", "GPU", or that of other devices that are offered.
      device_index: which device of that type in the task.
    """

    job: str | None = None
    replica: int | None = None
    task: int | None = None
    device_type: str | None = None
    device_index: int | None = None

    def __post_init__(self) -> None:
        if self.device_type in ("cpu", "gpu"):  # other types are as they are written
            self.device_type = self.device_type.upper()

    @staticmethod
    def from_string(spec: str) -> DeviceSpec:
        """Parses a device name.

        Raises:
          ValueError: when it is not a device name.
        """
        parts: dict[str, Any] = {}
        for piece in spec.split("/"):
            if not piece:
                continue
            kind, *values = piece.split(":")
            if kind in ("job", "replica", "task") and len(values) == 1:
                parts[kind] = values[0] if kind == "job" else int(values[0])
                continue
            if kind == "device" and len(values) == 2:
                kind, values = values[0], values[1:]
            elif kind.upper() not in _TYPES or len(values) > 1:
                raise ValueError(
                    f"Unknown attribute '{kind}' is encountered while parsing the device spec: "
                    f"'{spec}'."
                )
            else:
                kind = kind.upper()
            if "device_type" in parts:
                raise ValueError(
                    f"Multiple device types are not allowed while parsing the device spec: {spec}."
                )
            parts["device_type"] = kind
            if values and values[0] != "*":
                parts["device_index"] = int(values[0])
        return DeviceSpec(**parts)

    def to_string(self) -> str:
        """The name of the parts that are set; '' if none is."""
        text = ""
        if self.job is not None:
            text += f"/job:{self.job}"
        if self.replica is not None:
            text += f"/replica:{self.replica}"
        if self.task is not None:
            text += f"/task:{self.task}"
        if self.device_type is not None:
            index = "*" if self.device_index is None else self.device_index
            text += f"/device:{self.device_type}:{index}"
        return text

    def make_merged_spec(self, inner: DeviceSpec) -> DeviceSpec:
        """Returns a copy with the parts that `inner` sets."""
        stated = {name: value for name, value in vars(inner).items() if value is not None}
        if "device_type" in stated and "device_index" not in stated:
            stated["device_index"] = None
        return replace(self, **stated)

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """Sets all parts from a device name and returns itself; see `from_string`."""
        vars(self).update(vars(DeviceSpec.from_string(spec)))
        return self

    def merge_from(self, dev: DeviceSpec) -> None:
        """Sets the parts that `dev` sets."""
        vars(self).update(vars(self.make_merged_spec(dev)))

    def replace(self, **parts: Any) -> DeviceSpec:
        """Returns a copy with other parts."""
        return replace(self, **parts)

    def is_compatible_with(self, full: DeviceSpec) -> bool:
        """Whether the device `full` has all parts that this spec sets."""
        return all(
            value is None or value == getattr(full, name) for name, value in vars(self).items()
        )

    def __str__(self) -> str:
        return self.to_string()


def task_name(job: str, index: int) -> str:
    """How tasks are named in device names, traffic and messages: '/job:ps/task:0'."""
    return f"/job:{job}/task:{index}"


def task_of(device: str) -> str:
    """The task that a full device name belongs to: '/job:ps/replica:0/task:0/device:CPU:0'."""
    return device.partition("/device:")[0].replace("/replica:0", "")


@functools.lru_cache(maxsize=8192)
def parsed(name: str) -> DeviceSpec:
    """Parses a device name, once; callers must not change the result."""
    return DeviceSpec.from_string(name)


@functools.lru_cache(maxsize=8192)
def cpu_of(device: str) -> str:
    """The first CPU of the task that a device belongs to."""
    return parsed(device).replace(device_type="CPU", device_index=0).to_string()


def canonical_name(device: Any) -> str:
    """The canonical form of a device name or spec; '' for None."""
    if device is None:
        return ""
    if isinstance(device, DeviceSpec):
        return device.to_string()
    return parsed(device).to_string()


def merge_device(spec: str | DeviceSpec) -> Callable[[Any], str]:
    """Returns a device function that fills in the parts which a node leaves open."""
    outer = spec if isinstance(spec, DeviceSpec) else parsed(spec or "")

    def merge(node: Any) -> str:
        return outer.make_merged_spec(parsed(node.device or "")).to_string()

    return merge
