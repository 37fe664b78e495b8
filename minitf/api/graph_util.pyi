"""The names of `tf.graph_util`."""

from minitf.core.graph.importer import import_graph_def as import_graph_def
from minitf.library.graph_tools.graph_util import convert_variables_to_constants as convert_variables_to_constants
from minitf.library.graph_tools.graph_util import extract_sub_graph as extract_sub_graph
from minitf.library.graph_tools.graph_util import must_run_on_cpu as must_run_on_cpu
from minitf.library.graph_tools.graph_util import remove_training_nodes as remove_training_nodes
from minitf.library.graph_tools.graph_util import tensor_shape_from_node_def_name as tensor_shape_from_node_def_name
