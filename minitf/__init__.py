"""minitf: TensorFlow's graphs, sessions and clusters, small enough to read.

    import minitf as tf

    a = tf.constant(2.0)
    b = tf.placeholder(tf.float32)
    with tf.Session() as sess:
        print(sess.run(a * b, feed_dict={b: 21.0}))

The names, argument orders and defaults are those of TensorFlow 1.15. This file is the face: names
only. `docs/journey.md` follows one `sess.run` through the house behind it.
"""

from __future__ import annotations

import contextlib as _contextlib
import importlib
import pkgutil
from typing import Any

from minitf import ops as _ops
from minitf import transforms as _transforms
from minitf.framework import notebook as _notebook
from minitf.framework import op_def as _op_def
from minitf.framework.names import late_names as _late_names
from minitf.library import eager as _eager
from minitf.library.eager import variables as _eager_variables  # tf.Variable, eagerly
from minitf.ops import operators as _operators  # binds +, @, [] onto Tensor
from minitf.runtime import endpoints as _endpoints
from minitf.runtime.backend import register_backend as _register_backend

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = _late_names(
    globals(),
    """
minitf.cluster.cluster_spec: ClusterDef ClusterSpec JobDef ServerDef
minitf.compat: dimension_at_index dimension_value raw_ops
minitf.compat.alias: load_ipython_extension unload_ipython_extension
minitf.compat.behavior: control_flow_v2_enabled disable_control_flow_v2 disable_resource_variables
    disable_v2_behavior enable_control_flow_v2 enable_resource_variables enable_v2_behavior
    resource_variables_enabled
minitf.compat.tensor_util: is_tensor make_ndarray make_tensor_proto
minitf.framework: errors
minitf.framework.convert: constant convert_to_tensor get_static_value=constant_value
    register_tensor_conversion_function
minitf.framework.device_spec: DeviceSpec
minitf.framework.dtypes: DType as_dtype bool complex128 complex64 double float16 float32 float64
    half int16 int32 int64 int8 resource string uint16 uint32 uint64 uint8
minitf.library.eager.context: disable_eager_execution enable_eager_execution
minitf.framework.errors: OpError
minitf.framework.graph: Graph
minitf.framework.graph_def: GraphDef NodeDef
minitf.framework.graph_keys: GraphKeys
minitf.framework.importer: import_graph_def
minitf.framework.indexed_slices: IndexedSlices IndexedSlicesValue
    convert_to_tensor_or_indexed_slices
minitf.framework.operation: Operation
minitf.framework.shapes: Dimension TensorShape broadcast_static_shape
minitf.framework.sparse_tensor: SparseTensor SparseTensorValue
    convert_to_tensor_or_sparse_tensor
minitf.framework.stacks: add_to_collection add_to_collections colocate_with container
    control_dependencies
    device executing_eagerly get_collection get_collection_ref get_default_graph get_default_session
    init_scope name_scope op_scope reset_default_graph
minitf.framework.tensor: Tensor
minitf.library.eager.tensor_spec: TensorSpec
minitf.library.eager.type_specs: IndexedSlicesSpec SparseTensorSpec TypeSpec
minitf.ops.accumulators: ConditionalAccumulator ConditionalAccumulatorBase
    SparseConditionalAccumulator
minitf.ops.array: identity identity_n placeholder placeholder_with_default rank shape shape_n size
    stop_gradient
minitf.ops.array_filling: fill lin_space linspace one_hot ones ones_like range zeros zeros_like
minitf.ops.array_gathering: batch_gather gather gather_nd
minitf.ops.array_joining: concat pack=stack split stack unpack=unstack unstack
minitf.ops.array_padding: pad
minitf.ops.array_rearranging: batch_to_space batch_to_space_nd bitcast broadcast_dynamic_shape
    depth_to_space guarantee_const meshgrid parallel_stack repeat required_space_to_batch_paddings
    roll space_to_batch space_to_batch_nd space_to_depth unravel_index
minitf.ops.array_shaping: broadcast_to expand_dims invert_permutation matrix_transpose reshape
    reverse reverse_v2=reverse squeeze tile transpose
minitf.ops.array_slicing: boolean_mask newaxis sequence_mask slice strided_slice
minitf.ops.cast: cast saturate_cast to_complex128 to_complex64 to_double to_float to_int32
    to_int64
minitf.ops.check_ops: add_check_numerics_ops assert_equal assert_greater assert_greater_equal
    assert_integer assert_less assert_less_equal assert_near assert_negative assert_non_negative
    assert_non_positive assert_none_equal assert_positive assert_proper_iterable assert_rank
    assert_rank_at_least assert_rank_in assert_same_float_dtype assert_scalar assert_type
    check_numerics ensure_shape is_non_decreasing is_numeric_tensor is_strictly_increasing
    verify_tensor_all_finite
minitf.ops.clip: clip_by_average_norm clip_by_global_norm clip_by_norm clip_by_value global_norm
minitf.ops.comparisons: equal greater greater_equal less less_equal logical_and logical_not
    logical_or logical_xor not_equal where where_v2
minitf.ops.complex: angle complex complex_abs conj imag real
minitf.ops.confusion_matrix: confusion_matrix
minitf.ops.control: group no_op tuple
minitf.ops.decompositions: cholesky cholesky_solve matrix_determinant matrix_inverse matrix_solve
    matrix_solve_ls matrix_triangular_solve qr self_adjoint_eig self_adjoint_eigvals
minitf.ops.diagonals: diag diag_part eye matrix_band_part matrix_diag matrix_diag_part
    matrix_set_diag trace
minitf.ops.einsum: einsum
minitf.ops.example_parsing: FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature
    parse_example parse_single_example parse_single_sequence_example
minitf.ops.files: matching_files read_file write_file
minitf.ops.fourier: fft fft2d fft3d ifft ifft2d ifft3d
minitf.ops.image_geometry: extract_image_patches
minitf.ops.linalg: cross matmul norm tensordot
minitf.ops.logging_ops: Assert Print
minitf.ops.math: abs accumulate_n acos acosh add add_n asin asinh atan atan2 atanh ceil cos cosh
    div div_no_nan divide exp expm1 floor floor_div floordiv floormod is_finite is_inf is_nan log
    log1p maximum minimum mod mul=multiply multiply neg=negative negative pow realdiv reciprocal
    rint round rsqrt scalar_mul sigmoid sign sin sinh sqrt square squared_difference sub=subtract
    subtract tan tanh truediv truncatediv truncatemod
minitf.ops.math_more: log_sigmoid
minitf.ops.parsing: decode_csv decode_raw parse_tensor serialize_tensor
minitf.ops.partitioning: dynamic_partition dynamic_stitch parallel_dynamic_stitch
minitf.ops.printing: print=print_v2
minitf.ops.queues: FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue
minitf.ops.ragged: RaggedTensor
minitf.ops.random: get_seed multinomial random_normal random_shuffle random_uniform
    set_random_seed truncated_normal
minitf.ops.random_more: random_crop random_gamma random_poisson
minitf.ops.readers: FixedLengthRecordReader IdentityReader ReaderBase TFRecordReader
    TextLineReader WholeFileReader
minitf.ops.reductions: arg_max arg_min argmax argmin count_nonzero cumprod cumsum reduce_all
    reduce_any reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_sum
minitf.ops.reverse_sequence: reverse_sequence
minitf.ops.scatter: scatter_add scatter_div scatter_max scatter_min scatter_mul scatter_nd
    scatter_nd_add scatter_nd_sub scatter_nd_update scatter_sub scatter_update tensor_scatter_add
    tensor_scatter_nd_add=tensor_scatter_add tensor_scatter_nd_max=tensor_scatter_max
    tensor_scatter_nd_min=tensor_scatter_min tensor_scatter_nd_sub=tensor_scatter_sub
    tensor_scatter_nd_update=tensor_scatter_update tensor_scatter_sub tensor_scatter_update
minitf.ops.script_ops: numpy_function py_func
minitf.ops.segments: segment_max segment_mean segment_min segment_prod segment_sum
    sparse_segment_mean sparse_segment_sqrt_n sparse_segment_sum unsorted_segment_max
    unsorted_segment_mean unsorted_segment_min unsorted_segment_prod unsorted_segment_sqrt_n
    unsorted_segment_sum
minitf.ops.sets: edit_distance
minitf.ops.sorting: argsort searchsorted sort
minitf.ops.sparse: sparse_placeholder sparse_tensor_to_dense sparse_to_dense sparse_to_indicator
minitf.ops.sparse_math: sparse_reduce_max sparse_reduce_max_sparse sparse_reduce_sum
    sparse_reduce_sum_sparse sparse_tensor_dense_matmul
minitf.ops.sparse_shaping: sparse_add sparse_concat sparse_fill_empty_rows sparse_mask
    sparse_maximum sparse_merge sparse_minimum sparse_reorder sparse_reset_shape sparse_reshape
    sparse_retain sparse_slice sparse_softmax sparse_split sparse_transpose
minitf.ops.special: erf erfc
minitf.ops.special_gamma: betainc digamma igamma igammac lbeta lgamma polygamma zeta
minitf.ops.state: assign assign_add assign_sub count_up_to
minitf.ops.string_codes: decode_base64 encode_base64
minitf.ops.string_hashes: string_to_hash_bucket string_to_hash_bucket_fast
    string_to_hash_bucket_strong
minitf.ops.string_matching: regex_replace string_split
minitf.ops.strings: as_string reduce_join string_join string_strip string_to_number substr
minitf.ops.summary_protos: Event HistogramProto SessionLog Summary SummaryMetadata
minitf.ops.svd: svd
minitf.ops.tensor_array: TensorArray
minitf.ops.uniqueness: bincount histogram_fixed_width histogram_fixed_width_bins setdiff1d unique
    unique_with_counts
minitf.platform: app flags logging sysconfig
minitf.platform.logging: get_logger
minitf.platform.version: COMPILER_VERSION GIT_VERSION GRAPH_DEF_VERSION
    GRAPH_DEF_VERSION_MIN_CONSUMER GRAPH_DEF_VERSION_MIN_PRODUCER VERSION
minitf.runtime.config: ConfigProto GPUOptions GraphOptions OptimizerOptions RunMetadata RunOptions
minitf.runtime.devices: simulate_gpus
minitf.runtime.session: InteractiveSession Session
minitf.train.meta_graph: MetaGraphDef
minitf.transforms.cond: case cond switch_case
minitf.library.eager.custom_gradient: custom_gradient recompute_grad
minitf.library.eager.function: function
minitf.transforms.functional: foldl foldr map_fn scan
minitf.transforms.gradients: AggregationMethod NoGradient NotDifferentiable RegisterGradient
    UnconnectedGradients gradients no_gradient
minitf.transforms.hessians: hessians
minitf.library.eager.py_function: py_function
minitf.library.eager.tape: GradientTape
minitf.transforms.while_loop: while_loop
minitf.variables.creators: variable_creator_scope
minitf.variables.initialization: all_variables assert_variables_initialized global_variables
    global_variables_initializer initialize_all_variables initialize_local_variables
    initialize_variables is_variable_initialized local_variables local_variables_initializer
    model_variables moving_average_variables report_uninitialized_variables trainable_variables
    initialize_all_tables tables_initializer variables_initializer
minitf.variables.initializers: constant_initializer glorot_normal_initializer
    glorot_uniform_initializer ones_initializer random_normal_initializer
    random_uniform_initializer truncated_normal_initializer uniform_unit_scaling_initializer
    variance_scaling_initializer zeros_initializer
minitf.library.eager.module: Module
minitf.variables.orthogonal: orthogonal_initializer
minitf.variables.partitioners: create_partitioned_variables fixed_size_partitioner
    min_max_variable_partitioner variable_axis_size_partitioner
minitf.variables.template: make_template
minitf.variables.variable_def: VariableAggregation VariableSynchronization
minitf.variables.variable_scope: AUTO_REUSE VariableScope get_local_variable get_variable
    get_variable_scope no_regularizer variable_op_scope variable_scope
minitf.variables.variables: Variable
""",
    parts="""
autograph bitwise compat config contrib debugging dtypes examples gfile graph_util image
initializers io layers linalg lookup losses manip math metrics nest nn python_io queue ragged random
resource_loader saved_model sets signal sparse spectral strings summary test train version
""",
)


def _load_all_ops() -> None:
    """Imports every op there is: a graph that comes as data may name any of them."""
    for room in (_ops, _transforms, _eager):  # branches, loops and functions are ops, too
        for module in pkgutil.iter_modules(room.__path__):
            importlib.import_module(f"{room.__name__}.{module.name}")


def _cluster_backend(target: str, graph: Any, config: Any) -> Any:
    """The cluster's backend; it imports Dask, so it comes when the first address is used."""
    return importlib.import_module("minitf.cluster.remote_session").RemoteBackend(
        target, graph, config
    )


with _contextlib.suppress(ModuleNotFoundError):  # an installation may leave speed out
    import minitf.fast as _fast

# What stands on a higher floor than those who need it.
_op_def.add_source(_load_all_ops)
for _scheme in ("grpc", "mtf", "mtfs"):
    _register_backend(_scheme, _cluster_backend)
_notebook.install()
