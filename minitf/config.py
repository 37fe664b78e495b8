"""The namespace `tf.config`: names only."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.runtime: experimental=physical_devices
minitf.runtime.physical_devices: LogicalDevice
    LogicalDeviceConfiguration=VirtualDeviceConfiguration PhysicalDevice
    get_logical_device_configuration=get_virtual_device_configuration get_visible_devices
    list_logical_devices list_physical_devices
    set_logical_device_configuration=set_virtual_device_configuration set_visible_devices
minitf.library.eager.function: experimental_run_functions_eagerly=run_functions_eagerly
    functions_run_eagerly run_functions_eagerly
""",
)
