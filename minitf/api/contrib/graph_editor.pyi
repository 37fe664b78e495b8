"""The names of `tf.contrib.graph_editor`."""

from minitf.compat.contrib.graph_editor import SubGraphView as SubGraphView
from minitf.compat.contrib.graph_editor import TransformerInfo as TransformerInfo
from minitf.compat.contrib.graph_editor import add_control_inputs as add_control_inputs
from minitf.compat.contrib.graph_editor import copy as copy
from minitf.compat.contrib.graph_editor import copy_with_input_replacements as copy_with_input_replacements
from minitf.compat.contrib.graph_editor import filter_ops as filter_ops
from minitf.compat.contrib.graph_editor import filter_ops_from_regex as filter_ops_from_regex
from minitf.compat.contrib.graph_editor import filter_ts as filter_ts
from minitf.compat.contrib.graph_editor import filter_ts_from_regex as filter_ts_from_regex
from minitf.compat.contrib.graph_editor import get_backward_walk_ops as get_backward_walk_ops
from minitf.compat.contrib.graph_editor import get_consuming_ops as get_consuming_ops
from minitf.compat.contrib.graph_editor import get_forward_walk_ops as get_forward_walk_ops
from minitf.compat.contrib.graph_editor import get_generating_ops as get_generating_ops
from minitf.compat.contrib.graph_editor import get_tensors as get_tensors
from minitf.compat.contrib.graph_editor import get_walks_intersection_ops as get_walks_intersection_ops
from minitf.compat.contrib.graph_editor import graph_replace as graph_replace
from minitf.compat.contrib.graph_editor import make_list_of_op as make_list_of_op
from minitf.compat.contrib.graph_editor import make_list_of_t as make_list_of_t
from minitf.compat.contrib.graph_editor import sgv as make_view
from minitf.compat.contrib.graph_editor import reroute_ts as reroute_ts
from minitf.compat.contrib.graph_editor import select_ops as select_ops
from minitf.compat.contrib.graph_editor import select_ts as select_ts
from minitf.compat.contrib.graph_editor import sgv as sgv

__all__ = [
    "SubGraphView", "TransformerInfo", "add_control_inputs", "copy",
    "copy_with_input_replacements", "filter_ops", "filter_ops_from_regex", "filter_ts",
    "filter_ts_from_regex", "get_backward_walk_ops", "get_consuming_ops",
    "get_forward_walk_ops", "get_generating_ops", "get_tensors", "get_walks_intersection_ops",
    "graph_replace", "make_list_of_op", "make_list_of_t", "make_view", "reroute_ts",
    "select_ops", "select_ts", "sgv"
]
