"""The namespace `tf.contrib.eager`: names only."""

from minitf.compat import eager_metrics as metrics
from minitf.compat.eager_metrics import Metric
from minitf.compat.eager_tools import (
    in_eager_mode,
    in_graph_mode,
    list_devices,
    num_gpus,
    run_all_tests_in_graph_and_eager_modes,
    run_test_in_graph_and_eager_modes,
)
from minitf.framework.stacks import executing_eagerly, init_scope
from minitf.library.eager.context import (
    ASYNC,
    DEVICE_PLACEMENT_EXPLICIT,
    DEVICE_PLACEMENT_SILENT,
    DEVICE_PLACEMENT_WARN,
    SYNC,
    enable_eager_execution,
)
from minitf.library.eager.custom_gradient import custom_gradient
from minitf.library.eager.function import defun, function
from minitf.library.eager.py_function import py_function as py_func
from minitf.library.eager.tape import GradientTape
from minitf.library.eager.tape_functions import (
    gradients_function,
    implicit_gradients,
    implicit_value_and_gradients,
    make_vjp,
    value_and_gradients_function,
)
from minitf.library.eager.variables import EagerVariable as Variable
from minitf.ops.random import set_random_seed
from minitf.variables.variable_store import EagerVariableStore

__all__ = [
    "ASYNC",
    "DEVICE_PLACEMENT_EXPLICIT",
    "DEVICE_PLACEMENT_SILENT",
    "DEVICE_PLACEMENT_WARN",
    "EagerVariableStore",
    "GradientTape",
    "Metric",
    "SYNC",
    "Variable",
    "custom_gradient",
    "defun",
    "enable_eager_execution",
    "executing_eagerly",
    "function",
    "gradients_function",
    "implicit_gradients",
    "implicit_value_and_gradients",
    "in_eager_mode",
    "in_graph_mode",
    "init_scope",
    "list_devices",
    "make_vjp",
    "metrics",
    "num_gpus",
    "py_func",
    "run_all_tests_in_graph_and_eager_modes",
    "run_test_in_graph_and_eager_modes",
    "set_random_seed",
    "value_and_gradients_function",
]
