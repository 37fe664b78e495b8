"""The switches between version 1 and version 2 of TensorFlow's behaviour.

Eager execution is the one that changes what a program means. Control flow is functional and
variables are resources in either version here, so those switches are remembered and no more.
"""

from __future__ import annotations

from minitf.framework import stacks
from minitf.framework.eager import disable_eager_execution, enable_eager_execution

_switches = {"resource_variables": False, "control_flow_v2": False, "v2_tensorshape": False}


def enable_v2_behavior() -> None:
    """Turns on what version 2 has: eager execution first of all."""
    enable_eager_execution()
    _switches.update(dict.fromkeys(_switches, True))


def disable_v2_behavior() -> None:
    """Turns back to version 1: operations are added to graphs. That is how minitf starts."""
    if stacks.executing_eagerly():
        disable_eager_execution()
    _switches.update(dict.fromkeys(_switches, False))


def enable_resource_variables() -> None:
    """Makes `tf.Variable` a resource, as every variable of minitf is."""
    _switches["resource_variables"] = True


def disable_resource_variables() -> None:
    """Makes `resource_variables_enabled` False."""
    _switches["resource_variables"] = False


def resource_variables_enabled() -> bool:
    """Whether `enable_resource_variables` was called last."""
    return _switches["resource_variables"]


def enable_control_flow_v2() -> None:
    """Builds control flow of functions, as minitf always does."""
    _switches["control_flow_v2"] = True


def disable_control_flow_v2() -> None:
    """Makes `control_flow_v2_enabled` False."""
    _switches["control_flow_v2"] = False


def control_flow_v2_enabled() -> bool:
    """Whether `enable_control_flow_v2` was called last."""
    return _switches["control_flow_v2"]
