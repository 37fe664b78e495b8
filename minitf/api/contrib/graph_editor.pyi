"""The names of `tf.contrib.graph_editor`."""

from minitf.compat.contrib.graph_editor import ControlOutputs as ControlOutputs
from minitf.compat.contrib.graph_editor import SubGraphView as SubGraphView
from minitf.compat.contrib.graph_editor import check_cios as check_cios
from minitf.compat.contrib.graph_editor import compute_boundary_ts as compute_boundary_ts
from minitf.compat.contrib.graph_editor import filter_ops as filter_ops
from minitf.compat.contrib.graph_editor import filter_ops_from_regex as filter_ops_from_regex
from minitf.compat.contrib.graph_editor import filter_ts as filter_ts
from minitf.compat.contrib.graph_editor import filter_ts_from_regex as filter_ts_from_regex
from minitf.compat.contrib.graph_editor import get_backward_walk_ops as get_backward_walk_ops
from minitf.compat.contrib.graph_editor import get_consuming_ops as get_consuming_ops
from minitf.compat.contrib.graph_editor import get_forward_walk_ops as get_forward_walk_ops
from minitf.compat.contrib.graph_editor import get_generating_ops as get_generating_ops
from minitf.compat.contrib.graph_editor import get_name_scope_ops as get_name_scope_ops
from minitf.compat.contrib.graph_editor import get_tensors as get_tensors
from minitf.compat.contrib.graph_editor import get_walks_intersection_ops as get_walks_intersection_ops
from minitf.compat.contrib.graph_editor import get_walks_union_ops as get_walks_union_ops
from minitf.compat.contrib.graph_editor import make_list_of_op as make_list_of_op
from minitf.compat.contrib.graph_editor import make_list_of_t as make_list_of_t
from minitf.compat.contrib.graph_editor import make_view as make_view
from minitf.compat.contrib.graph_editor import make_view_from_scope as make_view_from_scope
from minitf.compat.contrib.graph_editor import select_ops as select_ops
from minitf.compat.contrib.graph_editor import select_ts as select_ts
from minitf.compat.contrib.graph_editor import make_view as sgv
from minitf.compat.contrib.graph_editor import make_view_from_scope as sgv_scope
from minitf.compat.contrib.graph_surgery import Transformer as Transformer
from minitf.compat.contrib.graph_surgery import TransformerInfo as TransformerInfo
from minitf.compat.contrib.graph_surgery import add_control_inputs as add_control_inputs
from minitf.compat.contrib.graph_surgery import assign_renamed_collections_handler as assign_renamed_collections_handler
from minitf.compat.contrib.graph_surgery import bypass as bypass
from minitf.compat.contrib.graph_surgery import connect as connect
from minitf.compat.contrib.graph_surgery import copy as copy
from minitf.compat.contrib.graph_surgery import copy_op_handler as copy_op_handler
from minitf.compat.contrib.graph_surgery import copy_with_input_replacements as copy_with_input_replacements
from minitf.compat.contrib.graph_surgery import detach as detach
from minitf.compat.contrib.graph_surgery import detach_control_inputs as detach_control_inputs
from minitf.compat.contrib.graph_surgery import detach_control_outputs as detach_control_outputs
from minitf.compat.contrib.graph_surgery import detach_inputs as detach_inputs
from minitf.compat.contrib.graph_surgery import detach_outputs as detach_outputs
from minitf.compat.contrib.graph_surgery import graph_replace as graph_replace
from minitf.compat.contrib.graph_surgery import keep_t_if_possible_handler as keep_t_if_possible_handler
from minitf.compat.contrib.graph_surgery import make_placeholder_from_dtype_and_shape as make_placeholder_from_dtype_and_shape
from minitf.compat.contrib.graph_surgery import make_placeholder_from_tensor as make_placeholder_from_tensor
from minitf.compat.contrib.graph_surgery import make_placeholder_from_dtype_and_shape as ph
from minitf.compat.contrib.graph_surgery import placeholder_name as placeholder_name
from minitf.compat.contrib.graph_surgery import remove_control_inputs as remove_control_inputs
from minitf.compat.contrib.graph_surgery import replace_t_with_placeholder_handler as replace_t_with_placeholder_handler
from minitf.compat.contrib.graph_surgery import reroute_inputs as reroute_inputs
from minitf.compat.contrib.graph_surgery import reroute_ios as reroute_ios
from minitf.compat.contrib.graph_surgery import reroute_outputs as reroute_outputs
from minitf.compat.contrib.graph_surgery import reroute_ts as reroute_ts
from minitf.compat.contrib.graph_surgery import swap_inputs as swap_inputs
from minitf.compat.contrib.graph_surgery import swap_ios as swap_ios
from minitf.compat.contrib.graph_surgery import swap_outputs as swap_outputs
from minitf.compat.contrib.graph_surgery import swap_ts as swap_ts
from minitf.compat.contrib.graph_surgery import transform_op_if_inside_handler as transform_op_if_inside_handler

__all__ = [
    "ControlOutputs", "SubGraphView", "Transformer", "TransformerInfo", "add_control_inputs",
    "assign_renamed_collections_handler", "bypass", "check_cios", "compute_boundary_ts",
    "connect", "copy", "copy_op_handler", "copy_with_input_replacements", "detach",
    "detach_control_inputs", "detach_control_outputs", "detach_inputs", "detach_outputs",
    "filter_ops", "filter_ops_from_regex", "filter_ts", "filter_ts_from_regex",
    "get_backward_walk_ops", "get_consuming_ops", "get_forward_walk_ops", "get_generating_ops",
    "get_name_scope_ops", "get_tensors", "get_walks_intersection_ops", "get_walks_union_ops",
    "graph_replace", "keep_t_if_possible_handler", "make_list_of_op", "make_list_of_t",
    "make_placeholder_from_dtype_and_shape", "make_placeholder_from_tensor", "make_view",
    "make_view_from_scope", "ph", "placeholder_name", "remove_control_inputs",
    "replace_t_with_placeholder_handler", "reroute_inputs", "reroute_ios", "reroute_outputs",
    "reroute_ts", "select_ops", "select_ts", "sgv", "sgv_scope", "swap_inputs", "swap_ios",
    "swap_outputs", "swap_ts", "transform_op_if_inside_handler"
]
