"""The names of `tf.contrib.framework`."""

from minitf.api.contrib import framework_nest as nest
from minitf.compat.contrib.framework import add_arg_scope as add_arg_scope
from minitf.compat.contrib.framework import arg_scope as arg_scope
from minitf.compat.contrib.framework import arg_scope_func_key as arg_scope_func_key
from minitf.compat.contrib.framework import assign_from_checkpoint_fn as assign_from_checkpoint_fn
from minitf.compat.contrib.framework import current_arg_scope as current_arg_scope
from minitf.compat.contrib.framework import get_model_variables as get_model_variables
from minitf.compat.contrib.framework import get_variables as get_variables
from minitf.compat.contrib.framework import get_variables_to_restore as get_variables_to_restore
from minitf.compat.contrib.framework import has_arg_scope as has_arg_scope
from minitf.library.saving.checkpoint_utils import list_variables as list_variables
from minitf.library.saving.checkpoint_utils import load_checkpoint as load_checkpoint
from minitf.library.sessions.training_util import assert_global_step as assert_global_step
from minitf.library.sessions.training_util import create_global_step as create_global_step
from minitf.library.sessions.training_util import get_global_step as get_global_step
from minitf.library.sessions.training_util import get_or_create_global_step as get_or_create_global_step

__all__ = [
    "add_arg_scope", "arg_scope", "arg_scope_func_key", "assert_global_step",
    "assign_from_checkpoint_fn", "create_global_step", "current_arg_scope", "get_global_step",
    "get_model_variables", "get_or_create_global_step", "get_variables",
    "get_variables_to_restore", "has_arg_scope", "list_variables", "load_checkpoint", "nest"
]
