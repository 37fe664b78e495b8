"""The names of `tf.config`."""

from minitf.api import config_experimental as experimental
from minitf.library.eager.function import functions_run_eagerly as functions_run_eagerly
from minitf.library.graph_tools.physical_devices import LogicalDevice as LogicalDevice
from minitf.library.graph_tools.physical_devices import VirtualDeviceConfiguration as LogicalDeviceConfiguration
from minitf.library.graph_tools.physical_devices import PhysicalDevice as PhysicalDevice
from minitf.library.graph_tools.physical_devices import get_virtual_device_configuration as get_logical_device_configuration
from minitf.library.graph_tools.physical_devices import get_visible_devices as get_visible_devices
from minitf.library.graph_tools.physical_devices import list_logical_devices as list_logical_devices
from minitf.library.graph_tools.physical_devices import list_physical_devices as list_physical_devices
from minitf.library.graph_tools.physical_devices import set_virtual_device_configuration as set_logical_device_configuration
from minitf.library.graph_tools.physical_devices import set_visible_devices as set_visible_devices

__all__ = [
    "LogicalDevice", "LogicalDeviceConfiguration", "PhysicalDevice", "experimental",
    "functions_run_eagerly", "get_logical_device_configuration", "get_visible_devices",
    "list_logical_devices", "list_physical_devices", "set_logical_device_configuration",
    "set_visible_devices"
]
