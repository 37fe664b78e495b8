"""The names of `tf.config`."""

from minitf.api import config_experimental as experimental
from minitf.library.graph_tools.physical_devices import PhysicalDevice as PhysicalDevice
from minitf.library.graph_tools.physical_devices import list_logical_devices as list_logical_devices
from minitf.library.graph_tools.physical_devices import list_physical_devices as list_physical_devices
from minitf.library.graph_tools.physical_devices import set_visible_devices as set_visible_devices

__all__ = [
    "PhysicalDevice", "experimental", "list_logical_devices", "list_physical_devices",
    "set_visible_devices"
]
