"""`tensorflow.python.ops.resource_variable_ops`: names only."""

from minitf.library.variables.resource_variable import ResourceVariable, is_resource_variable

BaseResourceVariable = ResourceVariable

__all__ = ["BaseResourceVariable", "ResourceVariable", "is_resource_variable"]
