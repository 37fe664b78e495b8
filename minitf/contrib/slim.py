"""The namespace `tf.contrib.slim`: names only."""

from minitf.contrib import losses, metrics
from minitf.contrib.framework import (
    add_arg_scope,
    arg_scope,
    assign_from_checkpoint,
    assign_from_checkpoint_fn,
    assign_from_values,
    assign_from_values_fn,
    create_global_step,
    filter_variables,
    get_global_step,
    get_local_variables,
    get_model_variables,
    get_or_create_global_step,
    get_trainable_variables,
    get_unique_variable,
    get_variables,
    get_variables_by_name,
    get_variables_by_suffix,
    get_variables_to_restore,
    has_arg_scope,
    local_variable,
    model_variable,
    variable,
)
from minitf.contrib.layers import *  # noqa: F403

__all__ = sorted(_name for _name in globals() if not _name.startswith("_"))
