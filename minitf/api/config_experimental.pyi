"""The names of `tf.config.experimental`."""

from minitf.library.graph_tools.physical_devices import PhysicalDevice as PhysicalDevice
from minitf.library.graph_tools.physical_devices import VirtualDeviceConfiguration as VirtualDeviceConfiguration
from minitf.library.graph_tools.physical_devices import list_logical_devices as list_logical_devices
from minitf.library.graph_tools.physical_devices import list_physical_devices as list_physical_devices
from minitf.library.graph_tools.physical_devices import set_memory_growth as set_memory_growth
from minitf.library.graph_tools.physical_devices import set_virtual_device_configuration as set_virtual_device_configuration
from minitf.library.graph_tools.physical_devices import set_visible_devices as set_visible_devices
