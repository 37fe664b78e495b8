"""The names of `tf.distribute.experimental`."""

from minitf.library.distribute.mirrored import OneDeviceStrategy as OneDeviceStrategy
from minitf.library.distribute.tpu_strategy import TPUStrategy as TPUStrategy
