"""Names below `tensorflow.python` that the face does not offer: what TensorFlow's own code calls.

Every module of the alias below `tensorflow.python` looks here last; names only.
"""

from minitf.framework.names import late_names

__getattr__, __dir__, __all__ = late_names(
    globals(),
    """
minitf.compat.graph_tools: OpStats RegisterStatistics _NodeDef=node_of
    _get_graph_from_inputs assert_like_rnncell
    broadcast_shape get_stats_for_node_def has_default_graph convert_n_to_tensor_or_indexed_slices
    convert_n_to_tensor_or_sparse_tensor executing_eagerly_outside_functions for_all_test_methods
    get_all_collection_keys get_name_scope inside_function
    is_dense_tensor_like is_sparse name_scope_v1 name_scope_v2 prepend_name_scope
    raise_exception_on_not_ok_status strip_name_scope tensor_id uid _make_specific_exception
minitf.compat.session_wrappers: _CoordinatedSession=CoordinatedSession
    _RecoverableSession=RecoverableSession _WrappedSession=WrappedSession
minitf.compat.op_variants: assert_equal_v2 assert_greater_equal_v2 assert_greater_v2
    assert_less_equal_v2 assert_less_v2 assert_negative_v2 assert_non_negative_v2
    assert_non_positive_v2 assert_none_equal_v2 assert_positive_v2 assert_rank_at_least_v2
    assert_rank_v2 bucketize _bucketize=bucketize conv2d_v2 dropout_v2 nth_element reduce_join_v2
    reduced_shape sparse_mat_mul=sparse_matmul sparse_matmul
    sparse_softmax_cross_entropy_with_logits_v2 string_length_v2 substr_deprecated
minitf.framework.convert: constant_v1=constant internal_convert_to_tensor=convert_to_tensor
minitf.framework.func_graph: FuncGraph
minitf.framework.indexed_slices: convert_to_tensor_or_indexed_slices
    internal_convert_to_tensor_or_indexed_slices=convert_to_tensor_or_indexed_slices
minitf.framework.nest: is_sequence=is_nested
minitf.framework.shapes: TensorShapeV1=TensorShape TensorShapeV2=TensorShape
minitf.framework.stacks: device_v2=device
minitf.library.eager.type_specs: type_spec_from_value
minitf.layers.utils: conv_output_length=output_length
minitf.layers.rnn_cell: LayerRNNCell _zero_state_tensors=zero_state_tensors
minitf.ops.array: deep_copy=identity placeholder_v2=placeholder rank_internal=rank
    shape_internal=shape size_internal=size snapshot=identity
minitf.ops.array_filling: ones_like_v2=ones_like zeros_like_v2=zeros_like
minitf.ops.array_slicing: _SLICE_TYPE_ERROR=_INDEX_ERROR
minitf.ops.array_rearranging: broadcast_args=broadcast_dynamic_shape
minitf.ops.array_joining: pack=stack unpack=unstack
minitf.ops.confusion_matrix: remove_squeezable_dimensions
minitf.ops.linalg: batch_mat_mul=matmul batch_matmul=matmul mat_mul=matmul
minitf.ops.nn: bias_add_v1=bias_add
minitf.ops.parsing: decode_raw_v1=decode_raw
minitf.ops.pooling_functions: max_pool_with_argmax_v1=max_pool_with_argmax
minitf.ops.printing: string_format
minitf.ops.scatter: scatter_nd_non_aliasing_add=tensor_scatter_add
minitf.ops.strings: substr_v2=substr
minitf.ops.svd: matrix_exponential=expm
minitf.ops.uniqueness: listdiff=setdiff1d
minitf.runtime.session: BaseSession
minitf.ops.state: variable_op_v2=variable_v2 variable_op=variable_v2
minitf.train.checkpoint_state: update_checkpoint_state_internal=update_checkpoint_state
minitf.train.moving_averages: weighted_moving_average
minitf.train.session_layers: _HookedSession=Hooked
minitf.train.training_util: _increment_global_step=increment_global_step
    _get_or_create_global_step=get_or_create_global_step
minitf.library.eager.concrete_function: ConcreteFunction
minitf.transforms.cond: cond_v2=cond
minitf.library.eager.function: defun_with_attributes=defun
    functions_run_eagerly run_functions_eagerly
minitf.library.eager.py_function: eager_py_func=py_function
minitf.transforms.gradients: get_gradient_function=gradient_function
minitf.library.eager.tape_functions: implicit_grad=implicit_gradients
    implicit_val_and_grad=implicit_value_and_gradients
    val_and_grad_function=value_and_gradients_function
    val_and_gradients_function=value_and_gradients_function
minitf.variables.orthogonal: identity_initializer=Identity
minitf.variables.partitioned: PartitionedVariable
minitf.variables.template: Template
minitf.variables.variable_scope: _get_default_variable_store=_variable_store
minitf.variables.variable_store: EagerVariableStore VariableStore _VariableStore=VariableStore
minitf.variables.variables: RefVariable=Variable VariableAggregationV2=VariableAggregation
    VariableDef VariableV1=Variable variable=Variable
""",
)
