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

import importlib
from typing import Any

from minitf import (
    autograph,
    bitwise,
    config,
    debugging,
    dtypes,
    gfile,
    graph_util,
    image,
    initializers,
    io,
    layers,
    linalg,
    lookup,
    losses,
    math,
    metrics,
    nest,
    nn,
    python_io,
    queue,
    random,
    resource_loader,
    saved_model,
    sets,
    signal,
    sparse,
    spectral,
    strings,
    summary,
    train,
    version,
)
from minitf.cluster.cluster_spec import ClusterDef, ClusterSpec, JobDef, ServerDef
from minitf.compat import dimension_at_index, dimension_value, raw_ops
from minitf.compat.alias import load_ipython_extension, unload_ipython_extension
from minitf.compat.behavior import (
    control_flow_v2_enabled,
    disable_control_flow_v2,
    disable_resource_variables,
    disable_v2_behavior,
    enable_control_flow_v2,
    enable_resource_variables,
    enable_v2_behavior,
    resource_variables_enabled,
)
from minitf.compat.tensor_util import is_tensor, make_ndarray, make_tensor_proto
from minitf.framework import errors
from minitf.framework import example_proto as _example_proto
from minitf.framework.convert import (
    constant,
    convert_to_tensor,
    register_tensor_conversion_function,
)
from minitf.framework.convert import constant_value as get_static_value
from minitf.framework.device_spec import DeviceSpec
from minitf.framework.dtypes import (
    DType,
    as_dtype,
    bool,  # noqa: A004
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    resource,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
)
from minitf.framework.eager import (
    disable_eager_execution,
    enable_eager_execution,
    executing_eagerly,
    init_scope,
)
from minitf.framework.errors import OpError
from minitf.framework.graph import Graph
from minitf.framework.graph_def import GraphDef, NodeDef, import_graph_def
from minitf.framework.graph_keys import GraphKeys
from minitf.framework.indexed_slices import IndexedSlices, IndexedSlicesValue
from minitf.framework.operation import Operation
from minitf.framework.shapes import Dimension, TensorShape, broadcast_static_shape
from minitf.framework.sparse_tensor import SparseTensor, SparseTensorValue
from minitf.framework.stacks import (
    add_to_collection,
    add_to_collections,
    colocate_with,
    control_dependencies,
    device,
    get_collection,
    get_collection_ref,
    get_default_graph,
    get_default_session,
    name_scope,
    op_scope,
    reset_default_graph,
)
from minitf.framework.tensor import Tensor
from minitf.framework.tensor_spec import TensorSpec
from minitf.ops import operators as _operators  # binds +, @, [] onto Tensor
from minitf.ops.accumulators import (
    ConditionalAccumulator,
    ConditionalAccumulatorBase,
    SparseConditionalAccumulator,
)
from minitf.ops.array import (
    identity,
    identity_n,
    placeholder,
    placeholder_with_default,
    rank,
    shape,
    shape_n,
    size,
    stop_gradient,
)
from minitf.ops.array_filling import (
    fill,
    lin_space,
    linspace,
    one_hot,
    ones,
    ones_like,
    range,  # noqa: A004
    zeros,
    zeros_like,
)
from minitf.ops.array_gathering import batch_gather, gather, gather_nd
from minitf.ops.array_joining import concat, split, stack, unstack
from minitf.ops.array_padding import pad
from minitf.ops.array_rearranging import (
    batch_to_space,
    batch_to_space_nd,
    bitcast,
    broadcast_dynamic_shape,
    depth_to_space,
    guarantee_const,
    meshgrid,
    parallel_stack,
    repeat,
    required_space_to_batch_paddings,
    roll,
    space_to_batch,
    space_to_batch_nd,
    space_to_depth,
    unravel_index,
)
from minitf.ops.array_shaping import (
    broadcast_to,
    expand_dims,
    invert_permutation,
    matrix_transpose,
    reshape,
    reverse,
    squeeze,
    tile,
    transpose,
)
from minitf.ops.array_slicing import (
    boolean_mask,
    newaxis,
    sequence_mask,
    slice,  # noqa: A004
    strided_slice,
)
from minitf.ops.cast import (
    cast,
    saturate_cast,
    to_complex64,
    to_complex128,
    to_double,
    to_float,
    to_int32,
    to_int64,
)
from minitf.ops.check_ops import (
    add_check_numerics_ops,
    assert_equal,
    assert_greater,
    assert_greater_equal,
    assert_integer,
    assert_less,
    assert_less_equal,
    assert_near,
    assert_negative,
    assert_non_negative,
    assert_non_positive,
    assert_none_equal,
    assert_positive,
    assert_proper_iterable,
    assert_rank,
    assert_rank_at_least,
    assert_rank_in,
    assert_same_float_dtype,
    assert_scalar,
    assert_type,
    check_numerics,
    ensure_shape,
    is_non_decreasing,
    is_numeric_tensor,
    is_strictly_increasing,
    verify_tensor_all_finite,
)
from minitf.ops.clip import (
    clip_by_average_norm,
    clip_by_global_norm,
    clip_by_norm,
    clip_by_value,
    global_norm,
)
from minitf.ops.comparisons import (
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    not_equal,
    where,
    where_v2,
)
from minitf.ops.complex import angle, complex, complex_abs, conj, imag, real  # noqa: A004
from minitf.ops.confusion_matrix import confusion_matrix
from minitf.ops.control import group, no_op, tuple  # noqa: A004
from minitf.ops.decompositions import (
    cholesky,
    cholesky_solve,
    matrix_determinant,
    matrix_inverse,
    matrix_solve,
    matrix_solve_ls,
    matrix_triangular_solve,
    qr,
    self_adjoint_eig,
    self_adjoint_eigvals,
)
from minitf.ops.diagonals import (
    diag,
    diag_part,
    eye,
    matrix_band_part,
    matrix_diag,
    matrix_diag_part,
    matrix_set_diag,
    trace,
)
from minitf.ops.einsum import einsum
from minitf.ops.example_parsing import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    SparseFeature,
    VarLenFeature,
    parse_example,
    parse_single_example,
    parse_single_sequence_example,
)
from minitf.ops.files import matching_files, read_file, write_file
from minitf.ops.fourier import fft, fft2d, fft3d, ifft, ifft2d, ifft3d
from minitf.ops.linalg import cross, matmul, norm, tensordot
from minitf.ops.logging_ops import Assert, Print
from minitf.ops.lookup import initialize_all_tables, tables_initializer
from minitf.ops.math import (
    abs,  # noqa: A004
    accumulate_n,
    acos,
    acosh,
    add,
    add_n,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    ceil,
    cos,
    cosh,
    div,
    div_no_nan,
    divide,
    exp,
    expm1,
    floor,
    floor_div,
    floordiv,
    floormod,
    is_finite,
    is_inf,
    is_nan,
    log,
    log1p,
    maximum,
    minimum,
    mod,
    multiply,
    negative,
    pow,  # noqa: A004
    realdiv,
    reciprocal,
    rint,
    round,  # noqa: A004
    rsqrt,
    scalar_mul,
    sigmoid,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    squared_difference,
    subtract,
    tan,
    tanh,
    truediv,
    truncatediv,
    truncatemod,
)
from minitf.ops.math_more import log_sigmoid
from minitf.ops.parsing import decode_csv, decode_raw, parse_tensor, serialize_tensor
from minitf.ops.partitioning import dynamic_partition, dynamic_stitch, parallel_dynamic_stitch
from minitf.ops.printing import print_v2 as print  # noqa: A004
from minitf.ops.queues import (
    FIFOQueue,
    PaddingFIFOQueue,
    PriorityQueue,
    QueueBase,
    RandomShuffleQueue,
)
from minitf.ops.random import (
    get_seed,
    multinomial,
    random_normal,
    random_shuffle,
    random_uniform,
    set_random_seed,
    truncated_normal,
)
from minitf.ops.image_geometry import extract_image_patches
from minitf.ops.random_more import random_crop, random_gamma, random_poisson
from minitf.ops.readers import (
    FixedLengthRecordReader,
    IdentityReader,
    ReaderBase,
    TextLineReader,
    TFRecordReader,
    WholeFileReader,
)
from minitf.ops.reductions import (
    arg_max,
    arg_min,
    argmax,
    argmin,
    count_nonzero,
    cumprod,
    cumsum,
    reduce_all,
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from minitf.ops.reverse_sequence import reverse_sequence
from minitf.ops.scatter import (
    scatter_add,
    scatter_div,
    scatter_max,
    scatter_min,
    scatter_mul,
    scatter_nd,
    scatter_nd_add,
    scatter_nd_sub,
    scatter_nd_update,
    scatter_sub,
    scatter_update,
    tensor_scatter_add,
    tensor_scatter_sub,
    tensor_scatter_update,
)
from minitf.ops.script_ops import numpy_function, py_func
from minitf.ops.segments import (
    segment_max,
    segment_mean,
    segment_min,
    segment_prod,
    segment_sum,
    sparse_segment_mean,
    sparse_segment_sqrt_n,
    sparse_segment_sum,
    unsorted_segment_max,
    unsorted_segment_mean,
    unsorted_segment_min,
    unsorted_segment_prod,
    unsorted_segment_sqrt_n,
    unsorted_segment_sum,
)
from minitf.ops.sets import edit_distance
from minitf.ops.sorting import argsort, searchsorted, sort
from minitf.ops.sparse import (
    sparse_placeholder,
    sparse_tensor_to_dense,
    sparse_to_dense,
    sparse_to_indicator,
)
from minitf.ops.sparse_math import (
    sparse_reduce_max,
    sparse_reduce_max_sparse,
    sparse_reduce_sum,
    sparse_reduce_sum_sparse,
    sparse_tensor_dense_matmul,
)
from minitf.ops.sparse_shaping import (
    sparse_add,
    sparse_concat,
    sparse_fill_empty_rows,
    sparse_mask,
    sparse_maximum,
    sparse_merge,
    sparse_minimum,
    sparse_reorder,
    sparse_reset_shape,
    sparse_reshape,
    sparse_retain,
    sparse_slice,
    sparse_softmax,
    sparse_split,
    sparse_transpose,
)
from minitf.ops.special import erf, erfc
from minitf.ops.special_gamma import (
    betainc,
    digamma,
    igamma,
    igammac,
    lbeta,
    lgamma,
    polygamma,
    zeta,
)
from minitf.ops.state import (
    assign,
    assign_add,
    assign_sub,
    count_up_to,
)
from minitf.ops.string_codes import decode_base64, encode_base64
from minitf.ops.string_hashes import (
    string_to_hash_bucket,
    string_to_hash_bucket_fast,
    string_to_hash_bucket_strong,
)
from minitf.ops.string_matching import regex_replace, string_split
from minitf.ops.strings import (
    as_string,
    reduce_join,
    string_join,
    string_strip,
    string_to_number,
    substr,
)
from minitf.ops.svd import svd
from minitf.ops.tensor_array import TensorArray
from minitf.ops.uniqueness import (
    bincount,
    histogram_fixed_width,
    histogram_fixed_width_bins,
    setdiff1d,
    unique,
    unique_with_counts,
)
from minitf.platform import app, flags, logging, sysconfig
from minitf.platform.logging import get_logger
from minitf.platform.version import (
    COMPILER_VERSION,
    GIT_VERSION,
    GRAPH_DEF_VERSION,
    GRAPH_DEF_VERSION_MIN_CONSUMER,
    GRAPH_DEF_VERSION_MIN_PRODUCER,
    VERSION,
)
from minitf.runtime import eager as _eager  # runs the kernels of eager execution
from minitf.runtime import endpoints as _endpoints
from minitf.runtime.backend import register_backend as _register_backend
from minitf.runtime.config import (
    ConfigProto,
    GPUOptions,
    GraphOptions,
    OptimizerOptions,
    RunMetadata,
    RunOptions,
)
from minitf.runtime.devices import simulate_gpus
from minitf.runtime.session import InteractiveSession, Session
from minitf.summary.event_file import summary_iterator as _summary_iterator
from minitf.train.meta_graph import MetaGraphDef
from minitf.transforms.cond import case, cond
from minitf.transforms.custom_gradient import custom_gradient, recompute_grad
from minitf.transforms.function import function
from minitf.transforms.functional import foldl, foldr, map_fn, scan
from minitf.transforms.gradients import (
    AggregationMethod,
    NoGradient,
    NotDifferentiable,
    RegisterGradient,
    UnconnectedGradients,
    gradients,
    hessians,
    no_gradient,
)
from minitf.transforms.py_function import py_function
from minitf.transforms.tape import GradientTape
from minitf.transforms.while_loop import while_loop
from minitf.variables import eager_variables as _eager_variables  # tf.Variable, eagerly
from minitf.variables.initialization import (
    all_variables,
    assert_variables_initialized,
    global_variables,
    global_variables_initializer,
    initialize_all_variables,
    initialize_local_variables,
    initialize_variables,
    is_variable_initialized,
    local_variables,
    local_variables_initializer,
    model_variables,
    moving_average_variables,
    report_uninitialized_variables,
    trainable_variables,
    variables_initializer,
)
from minitf.variables.initializers import (
    constant_initializer,
    glorot_normal_initializer,
    glorot_uniform_initializer,
    ones_initializer,
    orthogonal_initializer,
    random_normal_initializer,
    random_uniform_initializer,
    truncated_normal_initializer,
    uniform_unit_scaling_initializer,
    variance_scaling_initializer,
    zeros_initializer,
)
from minitf.variables.module import Module
from minitf.variables.template import make_template
from minitf.variables.variable_scope import (
    AUTO_REUSE,
    VariableScope,
    get_local_variable,
    get_variable,
    get_variable_scope,
    no_regularizer,
    variable_op_scope,
    variable_scope,
)
from minitf.variables.variables import Variable, VariableAggregation, VariableSynchronization

__version__ = "0.1.0"

# Namespaces that few programs ask for; they come when they are first named.
_late = frozenset(("contrib", "test"))

# TensorBoard's messages, which need its package.
_messages = frozenset(("Event", "HistogramProto", "SessionLog", "Summary", "SummaryMetadata"))


def __getattr__(name: str) -> Any:
    if name in _late:
        return importlib.import_module(f"minitf.{name}")
    if name in _messages:
        return getattr(summary, name)
    raise AttributeError(f"module 'minitf' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_late, *_messages})


# What lives on a higher floor than the namespace it belongs to.
train.ClusterDef = ClusterDef
train.ClusterSpec = ClusterSpec
train.JobDef = JobDef
train.ServerDef = ServerDef
train.SummaryWriter = summary.FileWriter
train.summary_io.set_writer_source(lambda folder: summary.FileWriterCache.get(folder))
train.SummaryWriterCache = summary.FileWriterCache
train.summary_iterator = _summary_iterator
train.from_above.update(
    {name: lambda name=name: getattr(_example_proto.load(), name) for name in _example_proto.NAMES}
)
train.from_above["Server"] = lambda: importlib.import_module("minitf.cluster.server").Server


def _cluster_backend(target: str, graph: Graph, config: ConfigProto) -> Any:
    """The cluster's backend; it imports Dask, so it comes when the first address is used."""
    return importlib.import_module("minitf.cluster.remote_session").RemoteBackend(
        target, graph, config
    )


for _scheme in ("grpc", "mtf", "mtfs"):
    _register_backend(_scheme, _cluster_backend)

__all__ = sorted(
    _name
    for _name in globals()
    if not _name.startswith("_") and _name not in ("Any", "annotations", "importlib")
)
