"""Slots: the variables that an optimizer keeps beside each variable it trains.

Adam's two moments of `W` are `W/Adam` and `W/Adam_1`: named after their variable, of its shape, not
trainable, and on its device, so that a parameter server holds a variable and all that belongs to
it. A tensor may have slots as well: the moving average of `y` is a slot of `y`.
"""

from __future__ import annotations

import contextlib
from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.graph import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import zeros
from minitf.core.variables.initializers import zeros_initializer
from minitf.core.variables.variable_def import SaveSliceInfo
from minitf.core.variables.variable_scope import get_variable, get_variable_scope, variable_scope
from minitf.core.variables.variables import Variable


def _slot_variable(
    primary: Any, name: str, initializer: Any, shape: Any, dtype: Any, validate_shape: bool
) -> Variable:
    of_variable = isinstance(primary, Variable)
    primary_name = primary._shared_name if of_variable else primary.op.name
    with (
        variable_scope(None, f"{primary_name}/{name}"),
        stacks.colocate_with(primary.op) if of_variable else contextlib.nullcontext(),
    ):
        scope = get_variable_scope()
        scope.set_partitioner(None)  # a variable in parts has its slots part by part
        # Nothing more to add to a scope that was made for this one variable.
        with stacks.name_scope(None):
            slot = get_variable(
                "",
                shape=shape,
                dtype=dtype,
                initializer=initializer,
                trainable=False,
                validate_shape=validate_shape,
                use_resource=primary.is_resource if of_variable else None,
            )
    part = primary._save_slice_info if of_variable else None
    if part is not None:  # a part of a variable has parts of slots
        # Inside a variable scope this cuts in the wrong place, as in TensorFlow: the checkpoints
        # of its premade estimators hold "dnn/logits/bias/t_0/Adagrad".
        own_name = slot.op.name[len(primary.op.name) + 1 :]
        slot._set_save_slice_info(
            SaveSliceInfo(
                f"{part.full_name}/{own_name}", part.full_shape, part.var_offset, part.var_shape
            )
        )
    return slot


def create_slot(primary: Any, value: Tensor, name: str) -> Variable:
    """Makes the slot `<primary>/<name>` that starts with `value`."""
    known = value.shape.is_fully_defined()
    return _slot_variable(primary, name, value, None, None, known)


def create_slot_with_initializer(
    primary: Any, initializer: Any, shape: Any, dtype: Any, name: str
) -> Variable:
    """Makes the slot `<primary>/<name>` of that shape and type."""
    return _slot_variable(primary, name, initializer, shape, dtype, shape.is_fully_defined())


def create_zeros_slot(primary: Any, name: str, dtype: Any = None) -> Variable:
    """Makes a slot of zeros, of the shape of `primary`."""
    dtype = primary.dtype.base_dtype if dtype is None else dtype
    if primary.shape.is_fully_defined():
        return create_slot_with_initializer(
            primary, zeros_initializer(), primary.shape, dtype, name
        )
    size = shape_of(primary.initialized_value() if isinstance(primary, Variable) else primary)
    return create_slot(primary, zeros(size, dtype=dtype), name)
