"""The names of `tf.contrib.eager`."""

from minitf.compat.contrib import eager_metrics as metrics
from minitf.compat.contrib.eager_callbacks import add_execution_callback as add_execution_callback
from minitf.compat.contrib.eager_callbacks import clear_execution_callbacks as clear_execution_callbacks
from minitf.compat.contrib.eager_callbacks import inf_callback as inf_callback
from minitf.compat.contrib.eager_callbacks import inf_nan_callback as inf_nan_callback
from minitf.compat.contrib.eager_callbacks import nan_callback as nan_callback
from minitf.compat.contrib.eager_callbacks import seterr as seterr
from minitf.compat.contrib.eager_context import async_wait as async_wait
from minitf.compat.contrib.eager_context import execution_mode as execution_mode
from minitf.compat.contrib.eager_context import set_execution_mode as set_execution_mode
from minitf.compat.contrib.eager_metrics import Metric as Metric
from minitf.compat.contrib.eager_modes import in_eager_mode as in_eager_mode
from minitf.compat.contrib.eager_modes import in_graph_mode as in_graph_mode
from minitf.compat.contrib.eager_modes import list_devices as list_devices
from minitf.compat.contrib.eager_modes import num_gpus as num_gpus
from minitf.compat.contrib.eager_modes import run_all_tests_in_graph_and_eager_modes as run_all_tests_in_graph_and_eager_modes
from minitf.compat.contrib.eager_modes import run_test_in_graph_and_eager_modes as run_test_in_graph_and_eager_modes
from minitf.compat.contrib.eager_network import Network as Network
from minitf.compat.contrib.eager_network import Sequential as Sequential
from minitf.compat.contrib.eager_saver import Saver as Saver
from minitf.compat.contrib.eager_saver import get_optimizer_variables as get_optimizer_variables
from minitf.compat.contrib.eager_saver import restore_variables_on_create as restore_variables_on_create
from minitf.compat.contrib.eager_saver import run as run
from minitf.core.gradients.tape import GradientTape as GradientTape
from minitf.core.graph.stacks import executing_eagerly as executing_eagerly
from minitf.core.graph.stacks import init_scope as init_scope
from minitf.core.ops.random import set_random_seed as set_random_seed
from minitf.core.variables.variable_store import EagerVariableStore as EagerVariableStore
from minitf.library.eager.context import ASYNC as ASYNC
from minitf.library.eager.context import DEVICE_PLACEMENT_EXPLICIT as DEVICE_PLACEMENT_EXPLICIT
from minitf.library.eager.context import DEVICE_PLACEMENT_SILENT as DEVICE_PLACEMENT_SILENT
from minitf.library.eager.context import DEVICE_PLACEMENT_WARN as DEVICE_PLACEMENT_WARN
from minitf.library.eager.context import SYNC as SYNC
from minitf.library.eager.context import enable_eager_execution as enable_eager_execution
from minitf.library.eager.custom_gradient import custom_gradient as custom_gradient
from minitf.library.eager.function import defun as defun
from minitf.library.eager.function import function as function
from minitf.library.eager.py_function import py_function as py_func
from minitf.library.eager.tape_functions import gradients_function as gradients_function
from minitf.library.eager.tape_functions import implicit_gradients as implicit_gradients
from minitf.library.eager.tape_functions import implicit_value_and_gradients as implicit_value_and_gradients
from minitf.library.eager.tape_functions import make_vjp as make_vjp
from minitf.library.eager.tape_functions import value_and_gradients_function as value_and_gradients_function
from minitf.library.eager.type_specs import TensorSpec as TensorSpec
from minitf.library.eager.variables import EagerVariable as Variable
from minitf.library.input.data.iterators import EagerIterator as Iterator
from minitf.library.saving.object_checkpoint import Checkpoint as Checkpoint
from minitf.library.variables.template import make_template as make_template

__all__ = [
    "ASYNC", "Checkpoint", "DEVICE_PLACEMENT_EXPLICIT", "DEVICE_PLACEMENT_SILENT",
    "DEVICE_PLACEMENT_WARN", "EagerVariableStore", "GradientTape", "Iterator", "Metric",
    "Network", "SYNC", "Saver", "Sequential", "TensorSpec", "Variable",
    "add_execution_callback", "async_wait", "clear_execution_callbacks", "custom_gradient",
    "defun", "enable_eager_execution", "executing_eagerly", "execution_mode", "function",
    "get_optimizer_variables", "gradients_function", "implicit_gradients",
    "implicit_value_and_gradients", "in_eager_mode", "in_graph_mode", "inf_callback",
    "inf_nan_callback", "init_scope", "list_devices", "make_template", "make_vjp", "metrics",
    "nan_callback", "num_gpus", "py_func", "restore_variables_on_create", "run",
    "run_all_tests_in_graph_and_eager_modes", "run_test_in_graph_and_eager_modes",
    "set_execution_mode", "set_random_seed", "seterr", "value_and_gradients_function"
]
