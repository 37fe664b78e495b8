"""The names of `tf`."""

from minitf import compat as compat
from minitf.api import autograph as autograph
from minitf.api import cluster as cluster
from minitf.api import config as config
from minitf.api import contrib as contrib
from minitf.api import data as data
from minitf.api import datasets as datasets
from minitf.api import debugging as debugging
from minitf.api import distribute as distribute
from minitf.api import distributions as distributions
from minitf.api import dtypes as dtypes
from minitf.api import estimator as estimator
from minitf.api import examples as examples
from minitf.api import feature_column as feature_column
from minitf.api import gfile as gfile
from minitf.api import graph_util as graph_util
from minitf.api import image as image
from minitf.api import initializers as initializers
from minitf.api import io as io
from minitf.api import keras as keras
from minitf.api import layers as layers
from minitf.api import linalg as linalg
from minitf.api import lookup as lookup
from minitf.api import losses as losses
from minitf.api import math as math
from minitf.api import metrics as metrics
from minitf.api import nest as nest
from minitf.api import nn as nn
from minitf.api import passes as passes
from minitf.api import python_io as python_io
from minitf.api import queue as queue
from minitf.api import ragged as ragged
from minitf.api import random as random
from minitf.api import saved_model as saved_model
from minitf.api import signal as signal
from minitf.api import sparse as sparse
from minitf.api import spectral as spectral
from minitf.api import strings as strings
from minitf.api import summary as summary
from minitf.api import test as test
from minitf.api import tpu as tpu
from minitf.api import train as train
from minitf.api import version as version
from minitf.compat import dimension_value as dimension_value
from minitf.compat.behavior import control_flow_v2_enabled as control_flow_v2_enabled
from minitf.compat.behavior import disable_control_flow_v2 as disable_control_flow_v2
from minitf.compat.behavior import disable_resource_variables as disable_resource_variables
from minitf.compat.behavior import disable_tensor_equality as disable_tensor_equality
from minitf.compat.behavior import disable_v2_behavior as disable_v2_behavior
from minitf.compat.behavior import disable_v2_tensorshape as disable_v2_tensorshape
from minitf.compat.behavior import enable_control_flow_v2 as enable_control_flow_v2
from minitf.compat.behavior import enable_resource_variables as enable_resource_variables
from minitf.compat.behavior import enable_tensor_equality as enable_tensor_equality
from minitf.compat.behavior import enable_v2_behavior as enable_v2_behavior
from minitf.compat.behavior import enable_v2_tensorshape as enable_v2_tensorshape
from minitf.compat.behavior import resource_variables_enabled as resource_variables_enabled
from minitf.compat.tensor_util import is_tensor as is_tensor
from minitf.compat.tensor_util import make_ndarray as make_ndarray
from minitf.compat.tensor_util import make_tensor_proto as make_tensor_proto
from minitf.compat.tensorflow.alias import load_ipython_extension as load_ipython_extension
from minitf.compat.tensorflow.alias import unload_ipython_extension as unload_ipython_extension
from minitf.core.cluster.cluster_spec import ClusterSpec as ClusterSpec
from minitf.core.cluster.cluster_spec import ServerDef as ServerDef
from minitf.core.gradients.cond import cond as cond
from minitf.core.gradients.gradients import AggregationMethod as AggregationMethod
from minitf.core.gradients.gradients import RegisterGradient as RegisterGradient
from minitf.core.gradients.gradients import UnconnectedGradients as UnconnectedGradients
from minitf.core.gradients.gradients import gradients as gradients
from minitf.core.gradients.tape import GradientTape as GradientTape
from minitf.core.gradients.while_loop import while_loop as while_loop
from minitf.core.graph import errors as errors
from minitf.core.graph import logging as logging
from minitf.core.graph.composites import IndexedSlices as IndexedSlices
from minitf.core.graph.composites import IndexedSlicesValue as IndexedSlicesValue
from minitf.core.graph.composites import SparseTensor as SparseTensor
from minitf.core.graph.composites import SparseTensorValue as SparseTensorValue
from minitf.core.graph.composites import convert_to_tensor_or_sparse_tensor as convert_to_tensor_or_sparse_tensor
from minitf.core.graph.convert import constant as constant
from minitf.core.graph.convert import convert_to_tensor as convert_to_tensor
from minitf.core.graph.device_spec import DeviceSpec as DeviceSpec
from minitf.core.graph.dtypes import DType as DType
from minitf.core.graph.dtypes import as_dtype as as_dtype
from minitf.core.graph.dtypes import bfloat16 as bfloat16
from minitf.core.graph.dtypes import bool as bool
from minitf.core.graph.dtypes import complex128 as complex128
from minitf.core.graph.dtypes import complex64 as complex64
from minitf.core.graph.dtypes import double as double
from minitf.core.graph.dtypes import float16 as float16
from minitf.core.graph.dtypes import float32 as float32
from minitf.core.graph.dtypes import float64 as float64
from minitf.core.graph.dtypes import half as half
from minitf.core.graph.dtypes import int16 as int16
from minitf.core.graph.dtypes import int32 as int32
from minitf.core.graph.dtypes import int64 as int64
from minitf.core.graph.dtypes import int8 as int8
from minitf.core.graph.dtypes import qint16 as qint16
from minitf.core.graph.dtypes import qint32 as qint32
from minitf.core.graph.dtypes import qint8 as qint8
from minitf.core.graph.dtypes import quint16 as quint16
from minitf.core.graph.dtypes import quint8 as quint8
from minitf.core.graph.dtypes import resource as resource
from minitf.core.graph.dtypes import string as string
from minitf.core.graph.dtypes import uint16 as uint16
from minitf.core.graph.dtypes import uint32 as uint32
from minitf.core.graph.dtypes import uint64 as uint64
from minitf.core.graph.dtypes import uint8 as uint8
from minitf.core.graph.dtypes import variant as variant
from minitf.core.graph.errors import OpError as OpError
from minitf.core.graph.graph import Graph as Graph
from minitf.core.graph.graph_def import NodeDef as NodeDef
from minitf.core.graph.importer import import_graph_def as import_graph_def
from minitf.core.graph.logging import get_logger as get_logger
from minitf.core.graph.shapes import Dimension as Dimension
from minitf.core.graph.shapes import TensorShape as TensorShape
from minitf.core.graph.shapes import broadcast_static_shape as broadcast_static_shape
from minitf.core.graph.stacks import GraphKeys as GraphKeys
from minitf.core.graph.stacks import add_to_collection as add_to_collection
from minitf.core.graph.stacks import add_to_collections as add_to_collections
from minitf.core.graph.stacks import colocate_with as colocate_with
from minitf.core.graph.stacks import container as container
from minitf.core.graph.stacks import control_dependencies as control_dependencies
from minitf.core.graph.stacks import device as device
from minitf.core.graph.stacks import executing_eagerly as executing_eagerly
from minitf.core.graph.stacks import get_collection as get_collection
from minitf.core.graph.stacks import get_collection_ref as get_collection_ref
from minitf.core.graph.stacks import get_default_graph as get_default_graph
from minitf.core.graph.stacks import get_default_session as get_default_session
from minitf.core.graph.stacks import init_scope as init_scope
from minitf.core.graph.stacks import name_scope as name_scope
from minitf.core.graph.stacks import reset_default_graph as reset_default_graph
from minitf.core.graph.tensor import Operation as Operation
from minitf.core.graph.tensor import Tensor as Tensor
from minitf.core.ops.array import identity as identity
from minitf.core.ops.array import placeholder as placeholder
from minitf.core.ops.array import placeholder_with_default as placeholder_with_default
from minitf.core.ops.array import rank as rank
from minitf.core.ops.array import shape as shape
from minitf.core.ops.array import shape_n as shape_n
from minitf.core.ops.array import size as size
from minitf.core.ops.array import stop_gradient as stop_gradient
from minitf.core.ops.array_filling import fill as fill
from minitf.core.ops.array_filling import ones as ones
from minitf.core.ops.array_filling import ones_like as ones_like
from minitf.core.ops.array_filling import range as range
from minitf.core.ops.array_filling import zeros as zeros
from minitf.core.ops.array_filling import zeros_like as zeros_like
from minitf.core.ops.array_gathering import gather as gather
from minitf.core.ops.array_gathering import unsorted_segment_sum as unsorted_segment_sum
from minitf.core.ops.array_joining import concat as concat
from minitf.core.ops.array_joining import stack as pack
from minitf.core.ops.array_joining import split as split
from minitf.core.ops.array_joining import stack as stack
from minitf.core.ops.array_joining import unstack as unpack
from minitf.core.ops.array_joining import unstack as unstack
from minitf.core.ops.array_shaping import broadcast_to as broadcast_to
from minitf.core.ops.array_shaping import expand_dims as expand_dims
from minitf.core.ops.array_shaping import reshape as reshape
from minitf.core.ops.array_shaping import reverse as reverse
from minitf.core.ops.array_shaping import reverse as reverse_v2
from minitf.core.ops.array_shaping import squeeze as squeeze
from minitf.core.ops.array_shaping import tile as tile
from minitf.core.ops.array_shaping import transpose as transpose
from minitf.core.ops.array_slicing import boolean_mask as boolean_mask
from minitf.core.ops.array_slicing import newaxis as newaxis
from minitf.core.ops.array_slicing import slice as slice
from minitf.core.ops.array_slicing import strided_slice as strided_slice
from minitf.core.ops.cast import cast as cast
from minitf.core.ops.cast import to_float as to_float
from minitf.core.ops.cast import to_int32 as to_int32
from minitf.core.ops.cast import to_int64 as to_int64
from minitf.core.ops.comparisons import equal as equal
from minitf.core.ops.comparisons import greater as greater
from minitf.core.ops.comparisons import greater_equal as greater_equal
from minitf.core.ops.comparisons import less as less
from minitf.core.ops.comparisons import less_equal as less_equal
from minitf.core.ops.comparisons import logical_and as logical_and
from minitf.core.ops.comparisons import logical_not as logical_not
from minitf.core.ops.comparisons import logical_or as logical_or
from minitf.core.ops.comparisons import logical_xor as logical_xor
from minitf.core.ops.comparisons import not_equal as not_equal
from minitf.core.ops.comparisons import where as where
from minitf.core.ops.comparisons import where_v2 as where_v2
from minitf.core.ops.control import group as group
from minitf.core.ops.control import no_op as no_op
from minitf.core.ops.control import tuple as tuple
from minitf.core.ops.linalg import matmul as matmul
from minitf.core.ops.math import abs as abs
from minitf.core.ops.math import add as add
from minitf.core.ops.math import add_n as add_n
from minitf.core.ops.math import ceil as ceil
from minitf.core.ops.math import conj as conj
from minitf.core.ops.math import cos as cos
from minitf.core.ops.math import div as div
from minitf.core.ops.math import div_no_nan as div_no_nan
from minitf.core.ops.math import divide as divide
from minitf.core.ops.math import exp as exp
from minitf.core.ops.math import floor as floor
from minitf.core.ops.math import floor_div as floor_div
from minitf.core.ops.math import floordiv as floordiv
from minitf.core.ops.math import floormod as floormod
from minitf.core.ops.math import log as log
from minitf.core.ops.math import maximum as maximum
from minitf.core.ops.math import minimum as minimum
from minitf.core.ops.math import mod as mod
from minitf.core.ops.math import multiply as mul
from minitf.core.ops.math import multiply as multiply
from minitf.core.ops.math import negative as neg
from minitf.core.ops.math import negative as negative
from minitf.core.ops.math import pow as pow
from minitf.core.ops.math import realdiv as realdiv
from minitf.core.ops.math import reciprocal as reciprocal
from minitf.core.ops.math import round as round
from minitf.core.ops.math import rsqrt as rsqrt
from minitf.core.ops.math import sigmoid as sigmoid
from minitf.core.ops.math import sign as sign
from minitf.core.ops.math import sin as sin
from minitf.core.ops.math import sqrt as sqrt
from minitf.core.ops.math import square as square
from minitf.core.ops.math import subtract as sub
from minitf.core.ops.math import subtract as subtract
from minitf.core.ops.math import tanh as tanh
from minitf.core.ops.math import truediv as truediv
from minitf.core.ops.random import get_seed as get_seed
from minitf.core.ops.random import random_normal as random_normal
from minitf.core.ops.random import random_shuffle as random_shuffle
from minitf.core.ops.random import random_uniform as random_uniform
from minitf.core.ops.random import set_random_seed as set_random_seed
from minitf.core.ops.random import truncated_normal as truncated_normal
from minitf.core.ops.reductions import arg_max as arg_max
from minitf.core.ops.reductions import arg_min as arg_min
from minitf.core.ops.reductions import argmax as argmax
from minitf.core.ops.reductions import argmin as argmin
from minitf.core.ops.reductions import cumprod as cumprod
from minitf.core.ops.reductions import cumsum as cumsum
from minitf.core.ops.reductions import reduce_all as reduce_all
from minitf.core.ops.reductions import reduce_any as reduce_any
from minitf.core.ops.reductions import reduce_max as reduce_max
from minitf.core.ops.reductions import reduce_mean as reduce_mean
from minitf.core.ops.reductions import reduce_min as reduce_min
from minitf.core.ops.reductions import reduce_prod as reduce_prod
from minitf.core.ops.reductions import reduce_sum as reduce_sum
from minitf.core.ops.state import assign as assign
from minitf.core.ops.state import assign_add as assign_add
from minitf.core.ops.state import assign_sub as assign_sub
from minitf.core.ops.state import count_up_to as count_up_to
from minitf.core.ops.state import scatter_add as scatter_add
from minitf.core.ops.state import scatter_div as scatter_div
from minitf.core.ops.state import scatter_max as scatter_max
from minitf.core.ops.state import scatter_min as scatter_min
from minitf.core.ops.state import scatter_mul as scatter_mul
from minitf.core.ops.state import scatter_sub as scatter_sub
from minitf.core.ops.state import scatter_update as scatter_update
from minitf.core.runtime.run.devices import simulate_gpus as simulate_gpus
from minitf.core.runtime.session.config import ClusterDef as ClusterDef
from minitf.core.runtime.session.config import ConfigProto as ConfigProto
from minitf.core.runtime.session.config import GPUOptions as GPUOptions
from minitf.core.runtime.session.config import GraphOptions as GraphOptions
from minitf.core.runtime.session.config import JobDef as JobDef
from minitf.core.runtime.session.config import OptimizerOptions as OptimizerOptions
from minitf.core.runtime.session.config import RunMetadata as RunMetadata
from minitf.core.runtime.session.config import RunOptions as RunOptions
from minitf.core.runtime.session.session import InteractiveSession as InteractiveSession
from minitf.core.runtime.session.session import Session as Session
from minitf.core.variables.initialization import global_variables as all_variables
from minitf.core.variables.initialization import global_variables as global_variables
from minitf.core.variables.initialization import global_variables_initializer as global_variables_initializer
from minitf.core.variables.initialization import global_variables_initializer as initialize_all_variables
from minitf.core.variables.initialization import variables_initializer as initialize_variables
from minitf.core.variables.initialization import is_variable_initialized as is_variable_initialized
from minitf.core.variables.initialization import local_variables as local_variables
from minitf.core.variables.initialization import local_variables_initializer as local_variables_initializer
from minitf.core.variables.initialization import model_variables as model_variables
from minitf.core.variables.initialization import moving_average_variables as moving_average_variables
from minitf.core.variables.initialization import report_uninitialized_variables as report_uninitialized_variables
from minitf.core.variables.initialization import tables_initializer as tables_initializer
from minitf.core.variables.initialization import trainable_variables as trainable_variables
from minitf.core.variables.initialization import variables_initializer as variables_initializer
from minitf.core.variables.initializers import constant_initializer as constant_initializer
from minitf.core.variables.initializers import glorot_normal_initializer as glorot_normal_initializer
from minitf.core.variables.initializers import glorot_uniform_initializer as glorot_uniform_initializer
from minitf.core.variables.initializers import ones_initializer as ones_initializer
from minitf.core.variables.initializers import random_normal_initializer as random_normal_initializer
from minitf.core.variables.initializers import random_uniform_initializer as random_uniform_initializer
from minitf.core.variables.initializers import truncated_normal_initializer as truncated_normal_initializer
from minitf.core.variables.initializers import variance_scaling_initializer as variance_scaling_initializer
from minitf.core.variables.initializers import zeros_initializer as zeros_initializer
from minitf.core.variables.variable_def import VariableAggregation as VariableAggregation
from minitf.core.variables.variable_def import VariableSynchronization as VariableSynchronization
from minitf.core.variables.variable_scope import AUTO_REUSE as AUTO_REUSE
from minitf.core.variables.variable_scope import VariableScope as VariableScope
from minitf.core.variables.variable_scope import get_variable as get_variable
from minitf.core.variables.variable_scope import get_variable_scope as get_variable_scope
from minitf.core.variables.variable_scope import variable_scope as variable_scope
from minitf.core.variables.variables import Variable as Variable
from minitf.core.variables.variables import variable_creator_scope as variable_creator_scope
from minitf.library.checks.assertions import add_check_numerics_ops as add_check_numerics_ops
from minitf.library.checks.assertions import assert_equal as assert_equal
from minitf.library.checks.assertions import assert_greater as assert_greater
from minitf.library.checks.assertions import assert_greater_equal as assert_greater_equal
from minitf.library.checks.assertions import assert_less as assert_less
from minitf.library.checks.assertions import assert_less_equal as assert_less_equal
from minitf.library.checks.assertions import assert_non_negative as assert_non_negative
from minitf.library.checks.assertions import assert_positive as assert_positive
from minitf.library.checks.assertions import assert_rank as assert_rank
from minitf.library.checks.assertions import assert_rank_at_least as assert_rank_at_least
from minitf.library.checks.assertions import assert_same_float_dtype as assert_same_float_dtype
from minitf.library.checks.assertions import assert_type as assert_type
from minitf.library.checks.assertions import check_numerics as check_numerics
from minitf.library.checks.assertions import verify_tensor_all_finite as verify_tensor_all_finite
from minitf.library.checks.logging_ops import Assert as Assert
from minitf.library.checks.logging_ops import Print as Print
from minitf.library.distribute.tpu import simulate_tpus as simulate_tpus
from minitf.library.eager.context import disable_eager_execution as disable_eager_execution
from minitf.library.eager.context import enable_eager_execution as enable_eager_execution
from minitf.library.eager.custom_gradient import custom_gradient as custom_gradient
from minitf.library.eager.function import function as function
from minitf.library.eager.script_ops import numpy_function as numpy_function
from minitf.library.eager.script_ops import py_func as py_func
from minitf.library.eager.script_ops import py_function as py_function
from minitf.library.eager.type_specs import SparseTensorSpec as SparseTensorSpec
from minitf.library.eager.type_specs import TensorSpec as TensorSpec
from minitf.library.eager.type_specs import TypeSpec as TypeSpec
from minitf.library.eager.type_specs import type_spec_from_value as type_spec_from_value
from minitf.library.formats.summary_protos import AttrValue as AttrValue
from minitf.library.formats.summary_protos import Event as Event
from minitf.library.formats.summary_protos import HistogramProto as HistogramProto
from minitf.library.formats.summary_protos import SessionLog as SessionLog
from minitf.library.formats.summary_protos import Summary as Summary
from minitf.library.formats.summary_protos import SummaryMetadata as SummaryMetadata
from minitf.library.graph_tools.branches import case as case
from minitf.library.graph_tools.functional import foldl as foldl
from minitf.library.graph_tools.functional import foldr as foldr
from minitf.library.graph_tools.functional import map_fn as map_fn
from minitf.library.graph_tools.functional import scan as scan
from minitf.library.graph_tools.tensor_array import TensorArray as TensorArray
from minitf.library.images.image_geometry import extract_image_patches as extract_image_patches
from minitf.library.input.partitioning import dynamic_partition as dynamic_partition
from minitf.library.input.partitioning import dynamic_stitch as dynamic_stitch
from minitf.library.input.queues.accumulators import ConditionalAccumulator as ConditionalAccumulator
from minitf.library.input.queues.accumulators import SparseConditionalAccumulator as SparseConditionalAccumulator
from minitf.library.input.queues.queues import FIFOQueue as FIFOQueue
from minitf.library.input.queues.queues import PaddingFIFOQueue as PaddingFIFOQueue
from minitf.library.input.queues.queues import QueueBase as QueueBase
from minitf.library.input.queues.queues import RandomShuffleQueue as RandomShuffleQueue
from minitf.library.input.queues.readers import FixedLengthRecordReader as FixedLengthRecordReader
from minitf.library.input.queues.readers import ReaderBase as ReaderBase
from minitf.library.input.queues.readers import TFRecordReader as TFRecordReader
from minitf.library.input.queues.readers import TextLineReader as TextLineReader
from minitf.library.input.queues.readers import WholeFileReader as WholeFileReader
from minitf.library.input.whole_files import matching_files as matching_files
from minitf.library.input.whole_files import read_file as read_file
from minitf.library.input.whole_files import write_file as write_file
from minitf.library.nets.activations import log_sigmoid as log_sigmoid
from minitf.library.numeric.broadcasting import broadcast_dynamic_shape as broadcast_dynamic_shape
from minitf.library.numeric.clip import clip_by_global_norm as clip_by_global_norm
from minitf.library.numeric.clip import clip_by_norm as clip_by_norm
from minitf.library.numeric.clip import clip_by_value as clip_by_value
from minitf.library.numeric.clip import global_norm as global_norm
from minitf.library.numeric.clip import saturate_cast as saturate_cast
from minitf.library.numeric.complex_numbers import complex as complex
from minitf.library.numeric.complex_numbers import imag as imag
from minitf.library.numeric.complex_numbers import real as real
from minitf.library.numeric.confusion_matrix import confusion_matrix as confusion_matrix
from minitf.library.numeric.coordinates import gather_nd as gather_nd
from minitf.library.numeric.coordinates import scatter_nd as scatter_nd
from minitf.library.numeric.coordinates import tensor_scatter_update as tensor_scatter_nd_update
from minitf.library.numeric.coordinates import tensor_scatter_update as tensor_scatter_update
from minitf.library.numeric.decompositions import cholesky as cholesky
from minitf.library.numeric.decompositions import matrix_determinant as matrix_determinant
from minitf.library.numeric.decompositions import matrix_inverse as matrix_inverse
from minitf.library.numeric.decompositions import matrix_solve as matrix_solve
from minitf.library.numeric.decompositions import matrix_triangular_solve as matrix_triangular_solve
from minitf.library.numeric.decompositions import qr as qr
from minitf.library.numeric.decompositions import self_adjoint_eig as self_adjoint_eig
from minitf.library.numeric.decompositions import self_adjoint_eigvals as self_adjoint_eigvals
from minitf.library.numeric.decompositions import svd as svd
from minitf.library.numeric.diagonals import diag as diag
from minitf.library.numeric.diagonals import diag_part as diag_part
from minitf.library.numeric.diagonals import eye as eye
from minitf.library.numeric.diagonals import matrix_band_part as matrix_band_part
from minitf.library.numeric.diagonals import matrix_diag as matrix_diag
from minitf.library.numeric.diagonals import matrix_diag_part as matrix_diag_part
from minitf.library.numeric.diagonals import matrix_set_diag as matrix_set_diag
from minitf.library.numeric.diagonals import trace as trace
from minitf.library.numeric.einsum import einsum as einsum
from minitf.library.numeric.elementwise import acos as acos
from minitf.library.numeric.elementwise import acosh as acosh
from minitf.library.numeric.elementwise import asin as asin
from minitf.library.numeric.elementwise import asinh as asinh
from minitf.library.numeric.elementwise import atan as atan
from minitf.library.numeric.elementwise import atan2 as atan2
from minitf.library.numeric.elementwise import atanh as atanh
from minitf.library.numeric.elementwise import cosh as cosh
from minitf.library.numeric.elementwise import expm1 as expm1
from minitf.library.numeric.elementwise import is_finite as is_finite
from minitf.library.numeric.elementwise import is_inf as is_inf
from minitf.library.numeric.elementwise import is_nan as is_nan
from minitf.library.numeric.elementwise import log1p as log1p
from minitf.library.numeric.elementwise import rint as rint
from minitf.library.numeric.elementwise import scalar_mul as scalar_mul
from minitf.library.numeric.elementwise import sinh as sinh
from minitf.library.numeric.elementwise import squared_difference as squared_difference
from minitf.library.numeric.elementwise import tan as tan
from minitf.library.numeric.elementwise import truncatediv as truncatediv
from minitf.library.numeric.elementwise import truncatemod as truncatemod
from minitf.library.numeric.error_function import erf as erf
from minitf.library.numeric.error_function import erfc as erfc
from minitf.library.numeric.filling import linspace as linspace
from minitf.library.numeric.filling import one_hot as one_hot
from minitf.library.numeric.filling import sequence_mask as sequence_mask
from minitf.library.numeric.fourier import fft as fft
from minitf.library.numeric.fourier import fft2d as fft2d
from minitf.library.numeric.fourier import ifft as ifft
from minitf.library.numeric.fourier import ifft2d as ifft2d
from minitf.library.numeric.padding import pad as pad
from minitf.library.numeric.products import cross as cross
from minitf.library.numeric.products import matrix_transpose as matrix_transpose
from minitf.library.numeric.products import norm as norm
from minitf.library.numeric.products import tensordot as tensordot
from minitf.library.numeric.random_distributions import multinomial as multinomial
from minitf.library.numeric.random_distributions import random_crop as random_crop
from minitf.library.numeric.rearranging import repeat as repeat
from minitf.library.numeric.rearranging import reverse_sequence as reverse_sequence
from minitf.library.numeric.rearranging import roll as roll
from minitf.library.numeric.segments import segment_sum as segment_sum
from minitf.library.numeric.segments import sparse_segment_mean as sparse_segment_mean
from minitf.library.numeric.segments import sparse_segment_sqrt_n as sparse_segment_sqrt_n
from minitf.library.numeric.segments import sparse_segment_sum as sparse_segment_sum
from minitf.library.numeric.sorting import argsort as argsort
from minitf.library.numeric.sorting import setdiff1d as setdiff1d
from minitf.library.numeric.sorting import sort as sort
from minitf.library.numeric.sorting import unique as unique
from minitf.library.numeric.statistics import reduce_logsumexp as reduce_logsumexp
from minitf.library.parsing.examples import FixedLenFeature as FixedLenFeature
from minitf.library.parsing.examples import FixedLenSequenceFeature as FixedLenSequenceFeature
from minitf.library.parsing.examples import VarLenFeature as VarLenFeature
from minitf.library.parsing.examples import parse_example as parse_example
from minitf.library.parsing.examples import parse_single_example as parse_single_example
from minitf.library.parsing.parsing import decode_csv as decode_csv
from minitf.library.parsing.parsing import decode_raw as decode_raw
from minitf.library.parsing.parsing import parse_tensor as parse_tensor
from minitf.library.parsing.parsing import serialize_tensor as serialize_tensor
from minitf.library.platform import app as app
from minitf.library.platform import flags as flags
from minitf.library.platform.version import GIT_VERSION as GIT_VERSION
from minitf.library.platform.version import VERSION as VERSION
from minitf.library.saving.meta_graph import MetaGraphDef as MetaGraphDef
from minitf.library.saving.meta_graph import TensorInfo as TensorInfo
from minitf.library.saving.tensorflow_graph import GraphDef as GraphDef
from minitf.library.sparse.ragged import RaggedTensor as RaggedTensor
from minitf.library.sparse.sparse import edit_distance as edit_distance
from minitf.library.sparse.sparse import sparse_placeholder as sparse_placeholder
from minitf.library.sparse.sparse import sparse_tensor_to_dense as sparse_tensor_to_dense
from minitf.library.sparse.sparse import sparse_to_dense as sparse_to_dense
from minitf.library.sparse.sparse import sparse_to_indicator as sparse_to_indicator
from minitf.library.sparse.sparse_shaping import sparse_concat as sparse_concat
from minitf.library.sparse.sparse_shaping import sparse_fill_empty_rows as sparse_fill_empty_rows
from minitf.library.sparse.sparse_shaping import sparse_merge as sparse_merge
from minitf.library.sparse.sparse_shaping import sparse_reshape as sparse_reshape
from minitf.library.sparse.sparse_shaping import sparse_retain as sparse_retain
from minitf.library.sparse.sparse_shaping import sparse_slice as sparse_slice
from minitf.library.text.encodings import encode_base64 as encode_base64
from minitf.library.text.hashes import string_to_hash_bucket_fast as string_to_hash_bucket_fast
from minitf.library.text.printing import print_v2 as print
from minitf.library.text.strings import as_string as as_string
from minitf.library.text.strings import reduce_join as reduce_join
from minitf.library.text.strings import string_join as string_join
from minitf.library.text.strings import string_split as string_split
from minitf.library.text.strings import string_strip as string_strip
from minitf.library.text.strings import string_to_number as string_to_number
from minitf.library.text.strings import substr as substr
from minitf.library.variables.orthogonal import orthogonal_initializer as orthogonal_initializer
from minitf.library.variables.partitioners import fixed_size_partitioner as fixed_size_partitioner
from minitf.library.variables.partitioners import min_max_variable_partitioner as min_max_variable_partitioner

__all__ = [
    "AUTO_REUSE", "AggregationMethod", "Assert", "AttrValue", "ClusterDef", "ClusterSpec",
    "ConditionalAccumulator", "ConfigProto", "DType", "DeviceSpec", "Dimension", "Event",
    "FIFOQueue", "FixedLenFeature", "FixedLenSequenceFeature", "FixedLengthRecordReader",
    "GIT_VERSION", "GPUOptions", "GradientTape", "Graph", "GraphDef", "GraphKeys",
    "GraphOptions", "HistogramProto", "IndexedSlices", "IndexedSlicesValue",
    "InteractiveSession", "JobDef", "MetaGraphDef", "NodeDef", "OpError", "Operation",
    "OptimizerOptions", "PaddingFIFOQueue", "Print", "QueueBase", "RaggedTensor",
    "RandomShuffleQueue", "ReaderBase", "RegisterGradient", "RunMetadata", "RunOptions",
    "ServerDef", "Session", "SessionLog", "SparseConditionalAccumulator", "SparseTensor",
    "SparseTensorSpec", "SparseTensorValue", "Summary", "SummaryMetadata", "TFRecordReader",
    "Tensor", "TensorArray", "TensorInfo", "TensorShape", "TensorSpec", "TextLineReader",
    "TypeSpec", "UnconnectedGradients", "VERSION", "VarLenFeature", "Variable",
    "VariableAggregation", "VariableScope", "VariableSynchronization", "WholeFileReader", "abs",
    "acos", "acosh", "add", "add_check_numerics_ops", "add_n", "add_to_collection",
    "add_to_collections", "all_variables", "app", "arg_max", "arg_min", "argmax", "argmin",
    "argsort", "as_dtype", "as_string", "asin", "asinh", "assert_equal", "assert_greater",
    "assert_greater_equal", "assert_less", "assert_less_equal", "assert_non_negative",
    "assert_positive", "assert_rank", "assert_rank_at_least", "assert_same_float_dtype",
    "assert_type", "assign", "assign_add", "assign_sub", "atan", "atan2", "atanh", "autograph",
    "bfloat16", "bool", "boolean_mask", "broadcast_dynamic_shape", "broadcast_static_shape",
    "broadcast_to", "case", "cast", "ceil", "check_numerics", "cholesky", "clip_by_global_norm",
    "clip_by_norm", "clip_by_value", "cluster", "colocate_with", "compat", "complex",
    "complex128", "complex64", "concat", "cond", "config", "confusion_matrix", "conj",
    "constant", "constant_initializer", "container", "contrib", "control_dependencies",
    "control_flow_v2_enabled", "convert_to_tensor", "convert_to_tensor_or_sparse_tensor", "cos",
    "cosh", "count_up_to", "cross", "cumprod", "cumsum", "custom_gradient", "data", "datasets",
    "debugging", "decode_csv", "decode_raw", "device", "diag", "diag_part", "dimension_value",
    "disable_control_flow_v2", "disable_eager_execution", "disable_resource_variables",
    "disable_tensor_equality", "disable_v2_behavior", "disable_v2_tensorshape", "distribute",
    "distributions", "div", "div_no_nan", "divide", "double", "dtypes", "dynamic_partition",
    "dynamic_stitch", "edit_distance", "einsum", "enable_control_flow_v2",
    "enable_eager_execution", "enable_resource_variables", "enable_tensor_equality",
    "enable_v2_behavior", "enable_v2_tensorshape", "encode_base64", "equal", "erf", "erfc",
    "errors", "estimator", "examples", "executing_eagerly", "exp", "expand_dims", "expm1",
    "extract_image_patches", "eye", "feature_column", "fft", "fft2d", "fill",
    "fixed_size_partitioner", "flags", "float16", "float32", "float64", "floor", "floor_div",
    "floordiv", "floormod", "foldl", "foldr", "function", "gather", "gather_nd",
    "get_collection", "get_collection_ref", "get_default_graph", "get_default_session",
    "get_logger", "get_seed", "get_variable", "get_variable_scope", "gfile", "global_norm",
    "global_variables", "global_variables_initializer", "glorot_normal_initializer",
    "glorot_uniform_initializer", "gradients", "graph_util", "greater", "greater_equal",
    "group", "half", "identity", "ifft", "ifft2d", "imag", "image", "import_graph_def",
    "init_scope", "initialize_all_variables", "initialize_variables", "initializers", "int16",
    "int32", "int64", "int8", "io", "is_finite", "is_inf", "is_nan", "is_tensor",
    "is_variable_initialized", "keras", "layers", "less", "less_equal", "linalg", "linspace",
    "load_ipython_extension", "local_variables", "local_variables_initializer", "log", "log1p",
    "log_sigmoid", "logging", "logical_and", "logical_not", "logical_or", "logical_xor",
    "lookup", "losses", "make_ndarray", "make_tensor_proto", "map_fn", "matching_files", "math",
    "matmul", "matrix_band_part", "matrix_determinant", "matrix_diag", "matrix_diag_part",
    "matrix_inverse", "matrix_set_diag", "matrix_solve", "matrix_transpose",
    "matrix_triangular_solve", "maximum", "metrics", "min_max_variable_partitioner", "minimum",
    "mod", "model_variables", "moving_average_variables", "mul", "multinomial", "multiply",
    "name_scope", "neg", "negative", "nest", "newaxis", "nn", "no_op", "norm", "not_equal",
    "numpy_function", "one_hot", "ones", "ones_initializer", "ones_like",
    "orthogonal_initializer", "pack", "pad", "parse_example", "parse_single_example",
    "parse_tensor", "passes", "placeholder", "placeholder_with_default", "pow", "print",
    "py_func", "py_function", "python_io", "qint16", "qint32", "qint8", "qr", "queue",
    "quint16", "quint8", "ragged", "random", "random_crop", "random_normal",
    "random_normal_initializer", "random_shuffle", "random_uniform",
    "random_uniform_initializer", "range", "rank", "read_file", "real", "realdiv", "reciprocal",
    "reduce_all", "reduce_any", "reduce_join", "reduce_logsumexp", "reduce_max", "reduce_mean",
    "reduce_min", "reduce_prod", "reduce_sum", "repeat", "report_uninitialized_variables",
    "reset_default_graph", "reshape", "resource", "resource_variables_enabled", "reverse",
    "reverse_sequence", "reverse_v2", "rint", "roll", "round", "rsqrt", "saturate_cast",
    "saved_model", "scalar_mul", "scan", "scatter_add", "scatter_div", "scatter_max",
    "scatter_min", "scatter_mul", "scatter_nd", "scatter_sub", "scatter_update", "segment_sum",
    "self_adjoint_eig", "self_adjoint_eigvals", "sequence_mask", "serialize_tensor",
    "set_random_seed", "setdiff1d", "shape", "shape_n", "sigmoid", "sign", "signal",
    "simulate_gpus", "simulate_tpus", "sin", "sinh", "size", "slice", "sort", "sparse",
    "sparse_concat", "sparse_fill_empty_rows", "sparse_merge", "sparse_placeholder",
    "sparse_reshape", "sparse_retain", "sparse_segment_mean", "sparse_segment_sqrt_n",
    "sparse_segment_sum", "sparse_slice", "sparse_tensor_to_dense", "sparse_to_dense",
    "sparse_to_indicator", "spectral", "split", "sqrt", "square", "squared_difference",
    "squeeze", "stack", "stop_gradient", "strided_slice", "string", "string_join",
    "string_split", "string_strip", "string_to_hash_bucket_fast", "string_to_number", "strings",
    "sub", "substr", "subtract", "summary", "svd", "tables_initializer", "tan", "tanh",
    "tensor_scatter_nd_update", "tensor_scatter_update", "tensordot", "test", "tile",
    "to_float", "to_int32", "to_int64", "tpu", "trace", "train", "trainable_variables",
    "transpose", "truediv", "truncated_normal", "truncated_normal_initializer", "truncatediv",
    "truncatemod", "tuple", "type_spec_from_value", "uint16", "uint32", "uint64", "uint8",
    "unique", "unload_ipython_extension", "unpack", "unsorted_segment_sum", "unstack",
    "variable_creator_scope", "variable_scope", "variables_initializer",
    "variance_scaling_initializer", "variant", "verify_tensor_all_finite", "version", "where",
    "where_v2", "while_loop", "write_file", "zeros", "zeros_initializer", "zeros_like"
]
