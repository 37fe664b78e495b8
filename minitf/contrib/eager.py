"""The namespace `tf.contrib.eager`: names only."""

from minitf.compat import eager_metrics as metrics
from minitf.compat.eager_metrics import Metric
from minitf.framework.eager import (
    ASYNC,
    DEVICE_PLACEMENT_EXPLICIT,
    DEVICE_PLACEMENT_SILENT,
    DEVICE_PLACEMENT_WARN,
    SYNC,
    enable_eager_execution,
    executing_eagerly,
)
from minitf.framework.eager import init_scope as init_scope
from minitf.ops.random import set_random_seed
from minitf.ops.script_ops import numpy_function as numpy_function
from minitf.transforms.custom_gradient import custom_gradient
from minitf.transforms.function import defun, function
from minitf.transforms.py_function import py_function as py_func
from minitf.transforms.tape import GradientTape
from minitf.transforms.tape_functions import (
    gradients_function,
    implicit_gradients,
    implicit_value_and_gradients,
    make_vjp,
    value_and_gradients_function,
)
from minitf.variables.eager_variables import EagerVariable as Variable
from minitf.variables.variable_store import EagerVariableStore
from minitf.compat.eager_tools import (
    in_eager_mode,
    in_graph_mode,
    list_devices,
    num_gpus,
    run_all_tests_in_graph_and_eager_modes,
    run_test_in_graph_and_eager_modes,
)

__all__ = sorted(name for name in globals() if not name.startswith("_"))
