"""Devices: where kernels run, each with an array module, a memory and a name.

    CpuDevice      NumPy
    GpuDevice      CuPy on a real GPU, where minitf/fast/cuda offers it (`offer`)
    SimulatedGpu   NumPy, for machines without a GPU: a memory and an executor thread of its own,
                   and a description that says "simulated"
    others         offered by other files in the same way; CONTRIBUTING.md shows one

A value moves between devices only through a Send/Recv pair, which copies, counts and times it.
"""

from __future__ import annotations

import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any, final

import numpy as np

from minitf.core.kernels.host import on_host, to_host
from minitf.core.runtime.session.config import ConfigProto

_simulated_gpus = 0
#: What is called before the devices of a session or task are made.
before_devices: list[Callable[[], Any]] = []


@dataclass
class TransferStats:
    """The tensors that a device received: their number, bytes, and the seconds of copying."""

    count: int = 0
    bytes: int = 0
    seconds: float = 0.0


class Device(ABC):
    """One device of a task.

    Args:
      name: the full name, '/job:localhost/replica:0/task:0/device:CPU:0'.
      ordinal: which of the machine's devices of this type it is.
    """

    device_type = ""
    simulated = False

    def __init__(self, name: str, ordinal: int = 0) -> None:
        self.name = name
        self.ordinal = ordinal
        self.received = TransferStats()
        self._lock = threading.Lock()

    @property
    @abstractmethod
    def xp(self) -> Any:
        """The array module its kernels compute with."""

    @property
    @abstractmethod
    def description(self) -> str:
        """A description of the device for users."""

    @abstractmethod
    def put(self, value: Any) -> Any:
        """Returns a copy of `value` (of any device) in this device's memory."""

    def current(self) -> AbstractContextManager:
        """A context in which this thread's kernels run here, in this device's own stream."""
        return nullcontext()

    def receive(self, value: Any) -> Any:
        """`put`, counted and timed: the arrival of a tensor from another device."""
        start = time.perf_counter()
        copied = self.put(value)
        self._count(value, time.perf_counter() - start)
        return copied

    def adopt(self, value: Any) -> Any:
        """Takes over a tensor that came from another process in a buffer nobody else holds."""
        self._count(value, 0.0)
        return value

    def hold(self, value: Any) -> Any:
        """Returns `value` in memory that this device's kernels can use, copied only if need be."""
        return on_host(value)

    def _count(self, value: Any, seconds: float) -> None:
        with self._lock:
            self.received.count += 1
            self.received.bytes += getattr(value, "nbytes", 0)
            self.received.seconds += seconds

    def __repr__(self) -> str:
        return f"<Device {self.name!r}: {self.description}>"


class NumpyDevice(Device):
    """A device whose arrays are NumPy's: the processor, or one that is simulated on it."""

    @property
    def xp(self) -> Any:
        """NumPy."""
        return np

    def put(self, value: Any) -> Any:
        """A copy of `value` in this device's memory."""
        return to_host(value)


@final
class CpuDevice(NumpyDevice):
    """The processor, through NumPy. There may be several: virtual CPUs that share the memory."""

    device_type = "CPU"

    @property
    def description(self) -> str:
        return "CPU (NumPy)"


@final
class SimulatedGpu(NumpyDevice):
    """A GPU that is not there: NumPy in a memory space of its own. Arrivals are always copied."""

    device_type = "GPU"
    simulated = True

    @property
    def description(self) -> str:
        return "simulated GPU (NumPy on the CPU; no card)"


@dataclass
class Choices:
    """The settings of `tf.config` for all sessions that are made later.

    Args:
      cpus: how many logical CPUs a session has when its `device_count` does not say.
      gpus: the physical GPU behind each logical one; None for all, each once.
    """

    cpus: int = 1
    gpus: list[int] | None = None


choices = Choices()


_offers: list[tuple[type[Device], Callable[[], int]]] = []


def offer(kind: type[Device], count: Callable[[], int]) -> None:
    """Offers devices of a class to sessions: GPUs, or devices of another `device_type`.

    Args:
      kind: the class; its arguments are the full name and `ordinal`, the device's index.
      count: returns how many there are now.
    """
    _offers.append((kind, count))


def _offered(device_type: str) -> list[Callable[[str], Device]]:
    """Returns, for each offered device of a type, a function from its full name to the device."""
    return [
        partial(kind, ordinal=i)
        for kind, count in _offers
        if kind.device_type == device_type
        for i in range(count())
    ]


def _chosen(count: int) -> list[int]:
    """Returns the physical GPU behind each logical one, out of `count`."""
    return [i for i in (range(count) if choices.gpus is None else choices.gpus) if i < count]


def other_types() -> dict[str, int]:
    """Returns the number of devices of each type except CPUs and GPUs, sorted."""
    kinds = sorted({each.device_type for each, _ in _offers} - {"GPU"})
    return {kind: len(_offered(kind)) for kind in kinds}


def count_gpus() -> int:
    """Returns the number of physical GPUs: real ones, or simulated ones if there are none."""
    return len(_offered("GPU")) or _simulated_count()


def simulate_gpus(count: int) -> None:
    """Gives every session made from now on `count` simulated GPUs, where there is no real one.

    The environment variable MINITF_SIMULATED_GPUS does the same without touching the program.

    Raises:
      ValueError: when `count` is negative.
    """
    global _simulated_gpus
    if count < 0:
        raise ValueError(f"The number of simulated GPUs must be >= 0, got {count}.")
    _simulated_gpus = count


def _visible(count: int) -> int:
    """Returns how many simulated GPUs CUDA_VISIBLE_DEVICES leaves visible."""
    listed = os.environ.get("CUDA_VISIBLE_DEVICES")
    if listed is None:
        return count
    chosen = [part.strip() for part in listed.split(",") if part.strip()]
    visible = 0
    for part in chosen:  # as CUDA does, the list ends at the first index that does not exist
        if not part.isdigit() or int(part) >= count:
            break
        visible += 1
    return visible


def _simulated_count() -> int:
    text = os.environ.get("MINITF_SIMULATED_GPUS", "")
    if not text:
        return _visible(_simulated_gpus)
    if not text.isdigit():
        raise ValueError(f"MINITF_SIMULATED_GPUS must be a number of GPUs, got {text!r}.")
    return _visible(max(int(text), _simulated_gpus))


def make_devices(
    config: ConfigProto | None = None, job: str = "localhost", task: int = 0
) -> list[Device]:
    """Returns the devices of one task: its CPUs first, then its GPUs, then those of other types.

    Args:
      config: `device_count` says how many CPUs (1) and at most how many others (all there are).
      job, task: the task they belong to.
    """
    for prepare in before_devices:
        prepare()
    config = config or ConfigProto()
    prefix = f"/job:{job}/replica:0/task:{task}/device"
    cpus = config.device_count.get("CPU", choices.cpus)
    devices: list[Device] = [CpuDevice(f"{prefix}:CPU:{i}") for i in range(max(cpus, 1))]
    limit = config.device_count.get("GPU")
    real = _offered("GPU") if limit != 0 else []
    if real:
        ordinals = _chosen(len(real))
        if config.gpu_options.visible_device_list:
            ordinals = [int(i) for i in config.gpu_options.visible_device_list.split(",")]
        devices += [real[o](f"{prefix}:GPU:{i}") for i, o in enumerate(ordinals[:limit])]
    else:
        names = [f"{prefix}:GPU:{i}" for i, _ in enumerate(_chosen(_simulated_count()))]
        devices += [SimulatedGpu(name) for name in names[:limit]]
    for kind in other_types():
        made = _offered(kind)[: config.device_count.get(kind)]
        devices += [make(f"{prefix}:{kind}:{i}") for i, make in enumerate(made)]
    return devices
