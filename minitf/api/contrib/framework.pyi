"""The names of `tf.contrib.framework`."""

from minitf.api.contrib import framework_nest as nest
from minitf.compat.contrib.arg_scope import add_arg_scope as add_arg_scope
from minitf.compat.contrib.arg_scope import arg_scope as arg_scope
from minitf.compat.contrib.arg_scope import arg_scope_func_key as arg_scope_func_key
from minitf.compat.contrib.arg_scope import current_arg_scope as current_arg_scope
from minitf.compat.contrib.arg_scope import has_arg_scope as has_arg_scope
from minitf.compat.contrib.variables import assign_from_checkpoint_fn as assign_from_checkpoint_fn
from minitf.compat.contrib.variables import get_model_variables as get_model_variables
from minitf.compat.contrib.variables import get_variables as get_variables
from minitf.compat.contrib.variables import get_variables_to_restore as get_variables_to_restore
from minitf.compat.tensor_util import is_tensor as is_tensor
from minitf.core.gradients.cond import case as smart_case
from minitf.core.gradients.cond import smart_cond as smart_cond
from minitf.core.gradients.cond import smart_constant_value as smart_constant_value
from minitf.core.graph.composites import convert_to_tensor_or_sparse_tensor as convert_to_tensor_or_sparse_tensor
from minitf.core.ops.array_shaping import broadcast_to as broadcast_to
from minitf.core.variables.initializers import zeros_initializer as zero_initializer
from minitf.library.checks.assertions import assert_same_float_dtype as assert_same_float_dtype
from minitf.library.eager.script_ops import py_func as py_func
from minitf.library.eager.type_specs import BoundedTensorSpec as BoundedTensorSpec
from minitf.library.eager.type_specs import TensorSpec as TensorSpec
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

__all__ = [
    "BoundedTensorSpec", "TensorSpec", "add_arg_scope", "arg_scope", "arg_scope_func_key",
    "argsort", "assert_global_step", "assert_or_get_global_step", "assert_same_float_dtype",
    "assign_from_checkpoint_fn", "broadcast_to", "convert_to_tensor_or_sparse_tensor",
    "create_global_step", "current_arg_scope", "get_global_step", "get_model_variables",
    "get_or_create_global_step", "get_variables", "get_variables_to_restore", "has_arg_scope",
    "init_from_checkpoint", "is_tensor", "list_variables", "load_checkpoint", "load_variable",
    "nest", "py_func", "remove_squeezable_dimensions", "smart_case", "smart_cond",
    "smart_constant_value", "sort", "zero_initializer"
]
