"""`tensorflow.python.client.device_lib`: the devices of this process, as programs list them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minitf.core.runtime.run.devices import make_devices


@dataclass(frozen=True)
class DeviceAttributes:
    """One device."""

    name: str
    device_type: str
    memory_limit: int
    incarnation: int
    physical_device_desc: str

    def __str__(self) -> str:
        lines = [f'name: "{self.name}"', f'device_type: "{self.device_type}"']
        lines += [f"memory_limit: {self.memory_limit}", "locality {\n}"]
        lines.append(f"incarnation: {self.incarnation}")
        if self.physical_device_desc:
            lines.append(f'physical_device_desc: "{self.physical_device_desc}"')
        return "\n".join(lines) + "\n"

    __repr__ = __str__


def list_local_devices(session_config: Any = None) -> list[DeviceAttributes]:
    """The devices that a session of this configuration would have.

    Args:
      session_config: a `ConfigProto`.
    """
    return [
        DeviceAttributes(
            name=device.name[device.name.index("/device:") :],
            device_type=device.device_type,
            memory_limit=0 if device.simulated else 268435456,
            incarnation=number + 1,
            physical_device_desc=device.description if device.device_type == "GPU" else "",
        )
        for number, device in enumerate(make_devices(session_config))
    ]
