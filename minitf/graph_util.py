"""The names of `tf.graph_util`: cutting serialized graphs to size."""

from minitf.transforms.graph_util import (
    convert_variables_to_constants,
    extract_sub_graph,
    must_run_on_cpu,
    remove_training_nodes,
    tensor_shape_from_node_def_name,
)
