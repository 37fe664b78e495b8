"""A CUDA GPU as a device of a session."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, final

import numpy as np

from minitf.core.runtime.run.devices import Device, offer
from minitf.fast.cuda import gpu


@final
class GpuDevice(Device):
    """A CUDA card, through CuPy; `ordinal` is which of the visible cards."""

    device_type = "GPU"

    @property
    def xp(self) -> Any:
        return gpu.arrays()

    @property
    def description(self) -> str:
        return gpu.describe(self.ordinal)

    def put(self, value: Any) -> Any:
        return gpu.to_card(value, self.ordinal)

    def current(self) -> AbstractContextManager:
        return gpu.on(self.ordinal)

    def adopt(self, value: Any) -> Any:
        return self.receive(value)

    def hold(self, value: Any) -> Any:
        return gpu.on_card(value) if isinstance(value, np.ndarray | np.generic) else value


offer(GpuDevice, gpu.count)
