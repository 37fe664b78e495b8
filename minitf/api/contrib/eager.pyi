"""The names of `tf.contrib.eager`."""

from minitf.compat.contrib import eager_metrics as metrics
from minitf.compat.contrib.eager_metrics import Metric as Metric
from minitf.compat.contrib.eager_metrics import Network as Network
from minitf.compat.contrib.eager_metrics import list_devices as list_devices
from minitf.core.gradients.tape import GradientTape as GradientTape
from minitf.core.graph.stacks import executing_eagerly as executing_eagerly
from minitf.core.ops.random import set_random_seed as set_random_seed
from minitf.library.eager.context import enable_eager_execution as enable_eager_execution
from minitf.library.eager.custom_gradient import custom_gradient as custom_gradient
from minitf.library.eager.custom_gradient import implicit_gradients as implicit_gradients
from minitf.library.eager.custom_gradient import implicit_value_and_gradients as implicit_value_and_gradients
from minitf.library.eager.function import function as function
from minitf.library.eager.script_ops import py_function as py_func
from minitf.library.eager.variables import EagerVariable as Variable
from minitf.library.input.data.iterators import EagerIterator as Iterator
from minitf.library.saving.object_checkpoint import Checkpoint as Checkpoint

__all__ = [
    "Checkpoint", "GradientTape", "Iterator", "Metric", "Network", "Variable",
    "custom_gradient", "enable_eager_execution", "executing_eagerly", "function",
    "implicit_gradients", "implicit_value_and_gradients", "list_devices", "metrics", "py_func",
    "set_random_seed"
]
