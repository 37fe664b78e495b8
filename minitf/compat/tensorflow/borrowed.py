"""Names that programs borrow from below `tensorflow.python` and the public API lacks.

    from tensorflow.python.client import device_lib      DEVICE_LIB.list_local_devices()
    from tensorflow.python.lib.io import file_io         FILE_IO.FileIO(name, "r")

A namespace here stands for one module of TensorFlow's tree; `tree.txt` says which.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple

from minitf.core.graph.stacks import GraphKeys, get_collection
from minitf.core.ops.control import group, no_op
from minitf.core.runtime.run.devices import make_devices
from minitf.library.formats import file_io
from minitf.library.saving.checkpoint_state import latest_checkpoint
from minitf.library.saving.checkpoint_utils import load_variable
from minitf.library.sessions.file_writer import EventFileWriter

# ---- devices ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class DeviceAttributes:
    """One device, as programs list it."""

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
    """The devices that a session of a `ConfigProto` would have."""
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


# ---- resources, checkpoints, events ----------------------------------------------------------


class _Resource(NamedTuple):
    """A resource with the operation that makes it, and the tensor that says whether it is made."""

    handle: Any
    create: Any
    is_initialized: Any


def shared_resources() -> list[_Resource]:
    """The resources that sessions share."""
    return get_collection(GraphKeys.RESOURCES)


def initialize_resources(resource_list: list[_Resource], name: str = "init") -> Any:
    """The operation that makes all of a list of resources."""
    if not resource_list:
        return no_op(name=name)
    return group(*[resource.create for resource in resource_list], name=name)


def load_global_step(checkpoint_dir: str) -> int:
    """The step of the newest checkpoint in a folder; 0 where there is none."""
    newest = latest_checkpoint(checkpoint_dir)
    return 0 if newest is None else int(load_variable(newest, GraphKeys.GLOBAL_STEP))


class EventsWriter(EventFileWriter):
    """Writes events to a file without a session, as loggers of reinforcement learning do.

    Args:
      file_prefix: the folder and the beginning of the file's name.
    """

    def __init__(self, file_prefix: Any) -> None:
        super().__init__(os.path.dirname(os.fsdecode(file_prefix)) or ".")

    WriteEvent, Flush, Close = (
        EventFileWriter.add_event,
        EventFileWriter.flush,
        EventFileWriter.close,
    )


DEVICE_LIB = SimpleNamespace(list_local_devices=list_local_devices)
ESTIMATOR = SimpleNamespace(_load_global_step_from_checkpoint_dir=load_global_step)
FILE_IO = SimpleNamespace(
    FileIO=file_io.GFile,
    copy=file_io.copy,
    create_dir=file_io.mkdir,
    delete_file=file_io.remove,
    delete_recursively=file_io.rmtree,
    file_exists=file_io.exists,
    get_matching_files=file_io.glob,
    is_directory=file_io.isdir,
    list_directory=file_io.listdir,
    recursive_create_dir=file_io.makedirs,
    rename=file_io.rename,
    stat=file_io.stat,
    walk=file_io.walk,
)
PYWRAP = SimpleNamespace(EventsWriter=EventsWriter)
RESOURCES = SimpleNamespace(
    initialize_resources=initialize_resources, shared_resources=shared_resources
)
