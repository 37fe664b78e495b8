"""The names of `tf.config`."""

from minitf.library.distribute.resolvers import connect_to_cluster as experimental_connect_to_cluster
from minitf.library.distribute.resolvers import connect_to_host as experimental_connect_to_host
from minitf.library.eager.function import run_functions_eagerly as experimental_run_functions_eagerly
from minitf.library.eager.function import functions_run_eagerly as functions_run_eagerly
from minitf.library.eager.function import run_functions_eagerly as run_functions_eagerly
from minitf.library.graph_tools import physical_devices as experimental
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
    "experimental_connect_to_cluster", "experimental_connect_to_host",
    "experimental_run_functions_eagerly", "functions_run_eagerly",
    "get_logical_device_configuration", "get_visible_devices", "list_logical_devices",
    "list_physical_devices", "run_functions_eagerly", "set_logical_device_configuration",
    "set_visible_devices"
]
