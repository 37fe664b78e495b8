"""The names of `tf.graph_util`."""

from minitf.core.graph.importer import import_graph_def as import_graph_def
from minitf.library.graph_tools.graph_util import convert_variables_to_constants as convert_variables_to_constants
from minitf.library.graph_tools.graph_util import extract_sub_graph as extract_sub_graph
