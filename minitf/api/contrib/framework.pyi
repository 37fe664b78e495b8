"""The names of `tf.contrib.framework`."""

from minitf.api.contrib import framework_nest as nest
from minitf.compat.contrib.arg_scope import add_arg_scope as add_arg_scope
from minitf.compat.contrib.arg_scope import arg_scope as arg_scope
from minitf.compat.contrib.arg_scope import arg_scope_func_key as arg_scope_func_key
from minitf.compat.contrib.arg_scope import arg_scoped_arguments as arg_scoped_arguments
from minitf.compat.contrib.arg_scope import current_arg_scope as current_arg_scope
from minitf.compat.contrib.arg_scope import has_arg_scope as has_arg_scope
from minitf.compat.contrib.framework_tools import assert_scalar_int as assert_scalar_int
from minitf.compat.contrib.framework_tools import fuse_op as fuse_op
from minitf.compat.contrib.framework_tools import get_graph_from_inputs as get_graph_from_inputs
from minitf.compat.contrib.framework_tools import get_placeholders as get_placeholders
from minitf.compat.contrib.framework_tools import reduce_sum_n as reduce_sum_n
from minitf.compat.contrib.framework_tools import with_same_shape as with_same_shape
from minitf.compat.contrib.framework_tools import with_shape as with_shape
from minitf.compat.contrib.remapped import load_and_remap_matrix_initializer as load_and_remap_matrix_initializer
from minitf.compat.contrib.remapped import load_embedding_initializer as load_embedding_initializer
from minitf.compat.contrib.remapped import load_linear_multiclass_bias_initializer as load_linear_multiclass_bias_initializer
from minitf.compat.contrib.remapped import load_variable_slot_initializer as load_variable_slot_initializer
from minitf.compat.contrib.variables import VariableDeviceChooser as VariableDeviceChooser
from minitf.compat.contrib.variables import add_model_variable as add_model_variable
from minitf.compat.contrib.variables import assign_from_checkpoint as assign_from_checkpoint
from minitf.compat.contrib.variables import assign_from_checkpoint_fn as assign_from_checkpoint_fn
from minitf.compat.contrib.variables import assign_from_values as assign_from_values
from minitf.compat.contrib.variables import assign_from_values_fn as assign_from_values_fn
from minitf.compat.contrib.variables import filter_variables as filter_variables
from minitf.compat.contrib.variables import get_local_variables as get_local_variables
from minitf.compat.contrib.variables import get_model_variables as get_model_variables
from minitf.compat.contrib.variables import get_trainable_variables as get_trainable_variables
from minitf.compat.contrib.variables import get_unique_variable as get_unique_variable
from minitf.compat.contrib.variables import get_variable_full_name as get_variable_full_name
from minitf.compat.contrib.variables import get_variables as get_variables
from minitf.compat.contrib.variables import get_variables_by_name as get_variables_by_name
from minitf.compat.contrib.variables import get_variables_by_suffix as get_variables_by_suffix
from minitf.compat.contrib.variables import get_variables_to_restore as get_variables_to_restore
from minitf.compat.contrib.variables import global_variable as global_variable
from minitf.compat.contrib.variables import local_variable as local_variable
from minitf.compat.contrib.variables import model_variable as model_variable
from minitf.compat.contrib.variables import variable as variable
from minitf.compat.internals.decorators import deprecated as deprecated
from minitf.compat.internals.decorators import deprecated_args as deprecated_arg_values
from minitf.compat.internals.decorators import deprecated_args as deprecated_args
from minitf.compat.internals.graph_tools import get_name_scope as get_name_scope
from minitf.compat.internals.graph_tools import prepend_name_scope as prepend_name_scope
from minitf.compat.internals.graph_tools import strip_name_scope as strip_name_scope
from minitf.compat.tensor_util import is_tensor as is_tensor
from minitf.core.gradients.cond import case as smart_case
from minitf.core.gradients.cond import smart_cond as smart_cond
from minitf.core.gradients.cond import smart_constant_value as smart_constant_value
from minitf.core.graph.sparse_tensor import convert_to_tensor_or_sparse_tensor as convert_to_tensor_or_sparse_tensor
from minitf.core.ops.array_shaping import broadcast_to as broadcast_to
from minitf.core.variables.initializers import zeros_initializer as zero_initializer
from minitf.library.checks.assertions import assert_same_float_dtype as assert_same_float_dtype
from minitf.library.checks.assertions import assert_scalar as assert_scalar
from minitf.library.checks.assertions import is_non_decreasing as is_non_decreasing
from minitf.library.checks.assertions import is_numeric_tensor as is_numeric_tensor
from minitf.library.checks.assertions import is_strictly_increasing as is_strictly_increasing
from minitf.library.eager.script_ops import py_func as py_func
from minitf.library.eager.type_specs import BoundedTensorSpec as BoundedTensorSpec
from minitf.library.eager.type_specs import TensorSpec as TensorSpec
from minitf.library.graph_tools.critical_section import CriticalSection as CriticalSection
from minitf.library.input.readers.record_input import RecordInput as RecordInput
from minitf.library.numeric.confusion_matrix import remove_squeezable_dimensions as remove_squeezable_dimensions
from minitf.library.numeric.sorting import argsort as argsort
from minitf.library.numeric.sorting import sort as sort
from minitf.library.saving.checkpoint_utils import init_from_checkpoint as init_from_checkpoint
from minitf.library.saving.checkpoint_utils import list_variables as list_variables
from minitf.library.saving.checkpoint_utils import load_checkpoint as load_checkpoint
from minitf.library.saving.checkpoint_utils import load_variable as load_variable
from minitf.library.sessions.training_util import assert_global_step as assert_global_step
from minitf.library.sessions.training_util import get_or_create_global_step as assert_or_get_global_step
from minitf.library.sessions.training_util import create_global_step as create_global_step
from minitf.library.sessions.training_util import get_global_step as get_global_step
from minitf.library.sessions.training_util import get_or_create_global_step as get_or_create_global_step
from minitf.library.variables.orthogonal import ConvolutionDeltaOrthogonal as convolutional_delta_orthogonal
from minitf.library.variables.orthogonal import ConvolutionOrthogonal1D as convolutional_orthogonal_1d
from minitf.library.variables.orthogonal import ConvolutionOrthogonal2D as convolutional_orthogonal_2d
from minitf.library.variables.orthogonal import ConvolutionOrthogonal3D as convolutional_orthogonal_3d

__all__ = [
    "BoundedTensorSpec", "CriticalSection", "RecordInput", "TensorSpec",
    "VariableDeviceChooser", "add_arg_scope", "add_model_variable", "arg_scope",
    "arg_scope_func_key", "arg_scoped_arguments", "argsort", "assert_global_step",
    "assert_or_get_global_step", "assert_same_float_dtype", "assert_scalar",
    "assert_scalar_int", "assign_from_checkpoint", "assign_from_checkpoint_fn",
    "assign_from_values", "assign_from_values_fn", "broadcast_to",
    "convert_to_tensor_or_sparse_tensor", "convolutional_delta_orthogonal",
    "convolutional_orthogonal_1d", "convolutional_orthogonal_2d", "convolutional_orthogonal_3d",
    "create_global_step", "current_arg_scope", "deprecated", "deprecated_arg_values",
    "deprecated_args", "filter_variables", "fuse_op", "get_global_step",
    "get_graph_from_inputs", "get_local_variables", "get_model_variables", "get_name_scope",
    "get_or_create_global_step", "get_placeholders", "get_trainable_variables",
    "get_unique_variable", "get_variable_full_name", "get_variables", "get_variables_by_name",
    "get_variables_by_suffix", "get_variables_to_restore", "global_variable", "has_arg_scope",
    "init_from_checkpoint", "is_non_decreasing", "is_numeric_tensor", "is_strictly_increasing",
    "is_tensor", "list_variables", "load_and_remap_matrix_initializer", "load_checkpoint",
    "load_embedding_initializer", "load_linear_multiclass_bias_initializer", "load_variable",
    "load_variable_slot_initializer", "local_variable", "model_variable", "nest",
    "prepend_name_scope", "py_func", "reduce_sum_n", "remove_squeezable_dimensions",
    "smart_case", "smart_cond", "smart_constant_value", "sort", "strip_name_scope", "variable",
    "with_same_shape", "with_shape", "zero_initializer"
]
