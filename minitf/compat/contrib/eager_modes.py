"""Small functions of `tf.contrib.eager`: devices, modes, and tests that run in both modes."""

from __future__ import annotations

from minitf.core.runtime.run.devices import make_devices


def list_devices() -> list[str]:
    """The full names of the devices of this process."""
    return [device.name for device in make_devices()]
