"""The names of `tf.distribute.experimental`."""

from minitf.library.distribute.mirrored import OneDeviceStrategy as OneDeviceStrategy
