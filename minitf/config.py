"""The namespace `tf.config`: names only."""

from minitf.runtime import physical_devices as experimental
from minitf.runtime.physical_devices import (
    LogicalDevice,
    PhysicalDevice,
    get_visible_devices,
    list_logical_devices,
    list_physical_devices,
    set_visible_devices,
)
from minitf.runtime.physical_devices import VirtualDeviceConfiguration as LogicalDeviceConfiguration
from minitf.runtime.physical_devices import (
    get_virtual_device_configuration as get_logical_device_configuration,
)
from minitf.runtime.physical_devices import (
    set_virtual_device_configuration as set_logical_device_configuration,
)
from minitf.transforms.function import run_functions_eagerly
from minitf.transforms.function import run_functions_eagerly as experimental_run_functions_eagerly

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))
