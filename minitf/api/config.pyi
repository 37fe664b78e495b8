"""The names of `tf.config`."""

from minitf.api import config_experimental as experimental
from minitf.api import config_optimizer as optimizer
from minitf.api import config_threading as threading
from minitf.library.distribute.resolvers import connect_to_cluster as experimental_connect_to_cluster
from minitf.library.distribute.resolvers import connect_to_host as experimental_connect_to_host
from minitf.library.eager.function import run_functions_eagerly as experimental_run_functions_eagerly
from minitf.library.eager.function import functions_run_eagerly as functions_run_eagerly
from minitf.library.eager.function import run_functions_eagerly as run_functions_eagerly
from minitf.library.graph_tools.physical_devices import LogicalDevice as LogicalDevice
from minitf.library.graph_tools.physical_devices import VirtualDeviceConfiguration as LogicalDeviceConfiguration
from minitf.library.graph_tools.physical_devices import PhysicalDevice as PhysicalDevice
from minitf.library.graph_tools.physical_devices import get_virtual_device_configuration as get_logical_device_configuration
from minitf.library.graph_tools.physical_devices import get_visible_devices as get_visible_devices
from minitf.library.graph_tools.physical_devices import list_logical_devices as list_logical_devices
from minitf.library.graph_tools.physical_devices import list_physical_devices as list_physical_devices
from minitf.library.graph_tools.physical_devices import set_virtual_device_configuration as set_logical_device_configuration
from minitf.library.graph_tools.physical_devices import set_visible_devices as set_visible_devices
from minitf.library.platform.runtime_settings import get_soft_device_placement as get_soft_device_placement
from minitf.library.platform.runtime_settings import set_soft_device_placement as set_soft_device_placement

__all__ = [
    "LogicalDevice", "LogicalDeviceConfiguration", "PhysicalDevice", "experimental",
    "experimental_connect_to_cluster", "experimental_connect_to_host",
    "experimental_run_functions_eagerly", "functions_run_eagerly",
    "get_logical_device_configuration", "get_soft_device_placement", "get_visible_devices",
    "list_logical_devices", "list_physical_devices", "optimizer", "run_functions_eagerly",
    "set_logical_device_configuration", "set_soft_device_placement", "set_visible_devices",
    "threading"
]
