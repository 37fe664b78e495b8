"""`tensorflow.python.ops.resource_variable_ops`: resource variables by their handles.

A handle of minitf's is the reference to the value, so these are the changes of `tf.assign` and its
like; what they give back is the operation and not the value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.dtypes import as_dtype
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape
from minitf.core.ops.array_gathering import gather, gather_nd
from minitf.core.ops.scatter import (
    scatter_add,
    scatter_div,
    scatter_max,
    scatter_min,
    scatter_mul,
    scatter_nd_add,
    scatter_nd_sub,
    scatter_nd_update,
    scatter_sub,
    scatter_update,
)
from minitf.core.ops.state import (
    assign,
    assign_add,
    assign_sub,
    is_variable_initialized,
    read_variable,
    variable_v2,
)
from minitf.core.variables.creators import CreatedByScopes
from minitf.core.variables.variables import Variable
from minitf.library.variables.resource_variable import ResourceVariable, is_resource_variable

BaseResourceVariable = ResourceVariable


class _OfReferences(CreatedByScopes):
    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, Variable) and not isinstance(value, ResourceVariable)


class RefVariable(Variable, metaclass=_OfReferences):
    """A variable that shares one read; what `tf.Variable` makes counts as one."""


def var_handle_op(
    dtype: Any, shape: Any, container: str = "", shared_name: str = "", name: str | None = None
) -> Tensor:
    """The handle of a variable that has no value yet."""
    return variable_v2(shape, as_dtype(dtype), name or "VarHandleOp", container, shared_name)


def read_variable_op(resource: Any, dtype: Any, name: str | None = None) -> Tensor:
    """The value that a variable has when this runs."""
    return read_variable(resource, name=name or "ReadVariableOp")


def _operation(change: Callable, **settings: Any) -> Callable:
    def changed(resource: Any, *args: Any, name: str | None = None, **more: Any) -> Any:
        value = change(resource, *args, name=name, **settings, **more)
        return getattr(value, "op", None) if value.graph is not None else None

    changed.__doc__ = change.__doc__
    return changed


def assign_variable_op(resource: Any, value: Any, name: str | None = None) -> Any:
    """Gives a variable a value of any shape that its own allows."""
    value = convert_to_tensor(value, resource.dtype.base_dtype)
    resource.shape.assert_is_compatible_with(value.shape)
    return _operation(assign, validate_shape=False)(resource, value, name=name)


assign_add_variable_op, assign_sub_variable_op = _operation(assign_add), _operation(assign_sub)
resource_scatter_add, resource_scatter_sub = _operation(scatter_add), _operation(scatter_sub)
resource_scatter_mul, resource_scatter_div = _operation(scatter_mul), _operation(scatter_div)
resource_scatter_min, resource_scatter_max = _operation(scatter_min), _operation(scatter_max)
resource_scatter_update = _operation(scatter_update)
resource_scatter_nd_add, resource_scatter_nd_sub = map(_operation, (scatter_nd_add, scatter_nd_sub))
resource_scatter_nd_update = _operation(scatter_nd_update)
var_is_initialized_op = is_variable_initialized


def resource_gather(resource: Any, indices: Any, dtype: Any, name: str | None = None) -> Tensor:
    """Rows of a variable's value."""
    return gather(resource, indices, name=name)


def resource_gather_nd(resource: Any, indices: Any, dtype: Any, name: str | None = None) -> Tensor:
    """Elements or slices of a variable's value, by whole indices."""
    return gather_nd(resource, indices, name=name)


def variable_shape(resource: Any, out_type: Any = "int32", name: str | None = None) -> Tensor:
    """The shape of a variable's value."""
    return shape(resource, name=name, out_type=as_dtype(out_type))


__all__ = [
    "BaseResourceVariable", "ResourceVariable", "assign_add_variable_op", "assign_sub_variable_op",
    "assign_variable_op", "is_resource_variable", "read_variable_op", "resource_gather",
    "resource_gather_nd", "resource_scatter_add", "resource_scatter_div", "resource_scatter_max",
    "resource_scatter_min", "resource_scatter_mul", "resource_scatter_nd_add",
    "resource_scatter_nd_sub", "resource_scatter_nd_update", "resource_scatter_sub",
    "resource_scatter_update", "var_handle_op", "var_is_initialized_op", "variable_shape",
]  # fmt: skip
