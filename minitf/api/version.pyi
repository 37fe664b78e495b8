"""The names of `tf.version`."""

from minitf.library.platform.version import GIT_VERSION as GIT_VERSION
from minitf.library.platform.version import VERSION as VERSION
