"""The names of `tf.graph_util`: cutting serialized graphs to size."""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.framework.importer: import_graph_def
minitf.transforms.graph_util: convert_variables_to_constants extract_sub_graph must_run_on_cpu
    remove_training_nodes tensor_shape_from_node_def_name
""",
)
