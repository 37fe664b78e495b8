"""Lists and initializes the variables of a graph.

sess.run(tf.global_variables_initializer())         # one group of all their W/Assign
sess.run(tf.report_uninitialized_variables())       # array([], dtype=object)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import constant
from minitf.core.graph.graph import Operation, Tensor
from minitf.core.graph.stacks import GraphKeys
from minitf.core.ops import control as control_ops
from minitf.core.ops import state as state_ops
from minitf.core.ops.array_joining import stack
from minitf.core.ops.array_slicing import boolean_mask
from minitf.core.ops.comparisons import logical_not
from minitf.core.variables.variables import VARIABLE_OP_TYPES, Variable


def global_variables(scope: str | None = None) -> list:
    """Returns the variables shared by all tasks: what `Variable` and `get_variable` make.

    Args:
      scope: a regular expression; only variables whose names match it from the start.
    Example:
      >>> _ = tf.get_variable("w", [2])
      >>> [v.name for v in tf.global_variables()]
      ['w:0']
    """
    return stacks.get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def local_variables(scope: str | None = None) -> list:
    """Returns the local variables, such as counters, which are not saved.

    Args:
      scope: a regular expression; only variables with a name that it matches at the beginning.
    Example:
      >>> _ = tf.get_variable("seen", [], collections=[tf.GraphKeys.LOCAL_VARIABLES])
      >>> [v.name for v in tf.local_variables()]
      ['seen:0']
    """
    return stacks.get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope: str | None = None) -> list:
    """Returns the variables in the collection `MODEL_VARIABLES`."""
    return stacks.get_collection(GraphKeys.MODEL_VARIABLES, scope)


def trainable_variables(scope: str | None = None) -> list:
    """Returns the variables made with `trainable=True`, which optimizers change by default.

    Args:
      scope: a regular expression; only variables with a name that it matches at the beginning.
    Example:
      >>> _ = tf.get_variable("a/w", [2]), tf.get_variable("b/w", [2])
      >>> tf.trainable_variables("a/")
      [<tf.Variable 'a/w:0' shape=(2,) dtype=float32_ref>]
    """
    return stacks.get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def moving_average_variables(scope: str | None = None) -> list:
    """Returns the variables of which moving averages are kept."""
    return stacks.get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def variables_initializer(var_list: Sequence[Variable], name: str = "init") -> Operation:
    """Returns an operation that runs the initializers of all variables in `var_list`.

    Args:
      var_list: the variables; none gives an operation that does nothing.
      name: the operation's name.
    Example:
      >>> v = tf.Variable(3.0)
      >>> sess.run(tf.variables_initializer([v]))
      >>> sess.run(v)
      3.0
    """
    if not var_list:
        return control_ops.no_op(name=name)
    return control_ops.group(*[v.initializer for v in var_list], name=name)


def global_variables_initializer() -> Operation:
    """Returns an operation that initializes all global variables.

    Example:
      >>> sess.run(tf.global_variables_initializer())
    """
    return variables_initializer(global_variables())


def local_variables_initializer() -> Operation:
    """Returns an operation that initializes all local variables.

    Example:
      >>> _, update = tf.metrics.mean([2.0, 4.0])
      >>> sess.run(tf.local_variables_initializer())
      >>> sess.run(update)
      3.0
    """
    return variables_initializer(local_variables())


def is_variable_initialized(variable: Any) -> Tensor:
    """Returns a bool tensor: whether `variable` has a value."""
    return state_ops.is_variable_initialized(variable)


def report_uninitialized_variables(
    var_list: Sequence[Any] | None = None, name: str = "report_uninitialized_variables"
) -> Tensor:
    """Returns a `[n]` string tensor: the names of the variables that have no value yet.

    Args:
      var_list: the variables to look at; all global and local ones by default.
      name: the name scope of the operations.
    """
    if var_list is None:
        var_list = global_variables() + local_variables()
        if not var_list:
            ops = stacks.get_default_graph().get_operations()
            var_list = [op.outputs[0] for op in ops if op.type in VARIABLE_OP_TYPES]
    with stacks.name_scope(name):
        initialized = [state_ops.is_variable_initialized(v) for v in var_list]
        with stacks.device("/cpu:0"):
            if not initialized:
                return constant([], dtype=dtypes.string)
            missing = logical_not(stack(initialized))
            names = constant([v.op.name for v in var_list])
            return boolean_mask(names, missing)


def tables_initializer(name: str = "init_all_tables") -> Operation:
    """An operation that fills all tables of the graph."""
    return control_ops.group(*stacks.get_collection(GraphKeys.TABLE_INITIALIZERS), name=name)
