"""The names of `tf.contrib.util`."""

from minitf.compat.tensor_util import make_ndarray as make_ndarray
from minitf.compat.tensor_util import make_tensor_proto as make_tensor_proto
from minitf.core.graph.convert import constant_value as constant_value
