"""The names of `tf.contrib.tpu`."""

from minitf.library.distribute.tpu_system import TPUClusterResolver as TPUClusterResolver
from minitf.library.distribute.tpu_topology import DeviceAssignment as DeviceAssignment
from minitf.library.distribute.tpu_topology import Topology as Topology
