"""The names of `tf.version`."""

from minitf.library.platform.version import COMPILER_VERSION as COMPILER_VERSION
from minitf.library.platform.version import GIT_VERSION as GIT_VERSION
from minitf.library.platform.version import GRAPH_DEF_VERSION as GRAPH_DEF_VERSION
from minitf.library.platform.version import GRAPH_DEF_VERSION_MIN_CONSUMER as GRAPH_DEF_VERSION_MIN_CONSUMER
from minitf.library.platform.version import GRAPH_DEF_VERSION_MIN_PRODUCER as GRAPH_DEF_VERSION_MIN_PRODUCER
from minitf.library.platform.version import VERSION as VERSION
