"""The names of `tf.tpu.experimental`."""

from minitf.library.distribute.tpu_system import TPUSystemMetadata as TPUSystemMetadata
from minitf.library.distribute.tpu_system import initialize_tpu_system as initialize_tpu_system
from minitf.library.distribute.tpu_system import shutdown_tpu_system as shutdown_tpu_system
from minitf.library.distribute.tpu_topology import DeviceAssignment as DeviceAssignment
from minitf.library.distribute.tpu_topology import DeviceOrderMode as DeviceOrderMode
from minitf.library.distribute.tpu_topology import Topology as Topology
