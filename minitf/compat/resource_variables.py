"""The kinds of variables in `tensorflow.python.ops`: minitf has one, and it is a resource."""

from __future__ import annotations

from typing import Any

from minitf.variables.eager_variables import EagerVariable
from minitf.variables.variables import Variable

ResourceVariable = RefVariable = VariableV1 = Variable


def is_resource_variable(var: Any) -> bool:
    """Whether something is a variable."""
    return isinstance(var, (Variable, EagerVariable))
