"""What runs the kernels of eager execution: one process-wide set of devices and states."""

from __future__ import annotations

import functools
import itertools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import errors
from minitf.core.graph.device_spec import DeviceSpec, parsed
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.op_def import OpDef
from minitf.core.graph.shapes import unknown_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.kernels.float_mode import quietly
from minitf.core.kernels.host import on_host
from minitf.core.runtime.plan.plan import compile_function
from minitf.core.runtime.run.devices import Device, make_devices
from minitf.core.runtime.run.executor import describe
from minitf.core.runtime.run.rendezvous import Rendezvous
from minitf.core.runtime.run.resources import ResourceManager, bind_kernel

resources = ResourceManager()
_names = itertools.count()
_all_steps = Rendezvous()  # of what runs eagerly, as far as it meets other tasks
_all_steps.is_program = True


@functools.cache
def _devices() -> dict[str, Device]:
    return {device.name: device for device in make_devices()}


def find_device(asked: str) -> str:
    """The full name of the device that `asked`, a partial name, stands for.

    Raises:
      InvalidArgumentError: when there is none.
    """
    wanted = parsed(asked)
    wanted = wanted.replace(device_type=(wanted.device_type or "CPU").upper())
    found = _first(wanted)
    if found is None:  # it may be simulated since
        known = _devices()
        known.update({d.name: d for d in make_devices() if d.name not in known})
        found = _first(wanted)
    if found is not None:
        return found
    kinds = sorted({d.device_type for d in _devices().values()})
    raise errors.InvalidArgumentError.of(
        f"Could not satisfy device specification '{asked}'. All available devices "
        f"[{', '.join(_devices())}]. Supported device types [{', '.join(kinds)}]."
    )


def _first(wanted: DeviceSpec) -> str | None:
    """The first device that fits, by its name here or by that in its cluster."""
    for key, device in _devices().items():
        if any(wanted.is_compatible_with(parsed(name)) for name in (key, device.name)):
            return key
    return None


def name_of(device: str) -> str:
    """What the program sees as the name of a device here: that in its cluster, if it is in one."""
    return _devices()[device].name


def join_cluster(task: str, peers: Any) -> None:
    """Makes this program's devices those of a task; its collective operations meet other tasks'.

    Args:
      task: as '/job:worker/replica:0/task:1'.
      peers: of the task's server.
    """
    for key, device in _devices().items():
        device.name = f"{task}{key[key.index('/device:') :]}"
    _all_steps.peers = peers


def copy_to_device(value: Any, device: str) -> Any:
    """A copy of a value in the memory of the named device."""
    return _devices()[device].put(value)


def bind_eagerly(
    op_def: OpDef, attrs: dict[str, Any], device: str, rounds: Sequence[bool] = ()
) -> Callable:
    """The kernel of an operation that runs at once; it raises the errors of a step."""
    gives_handle = any(out.type == "resource" for out in op_def.outputs)
    kernel = bind_kernel(
        op_def,
        attrs,
        [unknown_shape()] * len(op_def.inputs),
        f"{op_def.type}/{next(_names)}",
        _devices()[device],
        # a queue that no name is shared for is gone with its handle
        ResourceManager() if gives_handle and not attrs.get("shared_name") else resources,
        last_reader=True,
        rounds=rounds,
    )

    if op_def.takes_step:
        kernel = functools.partial(kernel, step=_all_steps)
    if _devices()[device].xp is not np:
        kernel = _on_gpu(kernel, op_def, _devices()[device])
    looks_around = op_def.takes_context and not op_def.ref_inputs
    silent = np.errstate(all="ignore")(kernel) if looks_around else quietly(kernel)

    def run(*values: Any) -> Any:
        try:
            return silent(*values)
        except Exception as error:
            message, code = describe(error, op_def.type, device)
            raise errors.make_error(code, f"{message} [Op:{op_def.type}]") from None

    return run


def _on_gpu(kernel: Callable, op_def: OpDef, device: Device) -> Callable:
    """A kernel that finds its numbers on the host, and all else on the GPU."""
    host = op_def.host_inputs | set(op_def.ref_inputs)

    def place(value: Any, index: int) -> Any:
        if isinstance(value, list):
            return [place(each, index) for each in value]
        if index in host:
            return on_host(value)
        return device.hold(value)

    def run(*values: Any) -> Any:
        with device.current():
            return kernel(*(place(value, index) for index, value in enumerate(values)))

    return run


_graph_states: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def compile_graph(
    graph: FuncGraph, outputs: Sequence[Tensor], device: str
) -> Callable[[list], list]:
    """A graph as a function from the values of its inputs to those of some of its tensors."""
    states = _graph_states.setdefault(graph, ResourceManager())
    place = _devices()[device]
    run = compile_function(graph, place, states, outputs, False, _all_steps)

    def start(values: list) -> list:
        with place.current():
            return run(*values)

    return start


def forget_states() -> None:
    """Forgets the states of kernels, such as where a random sequence is."""
    for states in (resources, *_graph_states.values()):
        states.clear()
