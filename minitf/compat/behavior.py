"""The switches between version 1 and version 2 of TensorFlow's behaviour.

Eager execution is the one that changes what a program means, and the kind of variables to a small
part. Control flow is functional in either version here, so that switch is remembered and no more.
"""

from __future__ import annotations

from minitf.core.graph import stacks
from minitf.library.eager.context import disable_eager_execution, enable_eager_execution
from minitf.library.variables import resource_variable

_switches = {"control_flow_v2": False, "v2_tensorshape": False}


def enable_v2_behavior() -> None:
    """Turns on what version 2 has: eager execution first of all."""
    enable_eager_execution()
    enable_resource_variables()
    _switches.update(dict.fromkeys(_switches, True))


def disable_v2_behavior() -> None:
    """Turns back to version 1: operations are added to graphs. That is how minitf starts."""
    if stacks.executing_eagerly():
        disable_eager_execution()
    disable_resource_variables()
    _switches.update(dict.fromkeys(_switches, False))


def enable_resource_variables() -> None:
    """Makes `tf.Variable` and `tf.get_variable` give variables that each use reads anew."""
    resource_variable.use_by_default(True)


def disable_resource_variables() -> None:
    """Turns `enable_resource_variables` back."""
    resource_variable.use_by_default(False)


def resource_variables_enabled() -> bool:
    """Whether `enable_resource_variables` was called last."""
    return resource_variable.used_by_default()


def enable_control_flow_v2() -> None:
    """Builds control flow of functions, as minitf always does."""
    _switches["control_flow_v2"] = True


def disable_control_flow_v2() -> None:
    """Makes `control_flow_v2_enabled` False."""
    _switches["control_flow_v2"] = False


def control_flow_v2_enabled() -> bool:
    """Whether `enable_control_flow_v2` was called last."""
    return _switches["control_flow_v2"]
