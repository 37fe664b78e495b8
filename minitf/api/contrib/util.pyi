"""The names of `tf.contrib.util`."""

from minitf.compat.tensor_util import create_example as create_example
from minitf.compat.tensor_util import make_ndarray as make_ndarray
from minitf.compat.tensor_util import make_tensor_proto as make_tensor_proto
from minitf.compat.tensor_util import ops_used_by_graph_def as ops_used_by_graph_def
from minitf.core.graph.convert import constant_value as constant_value
