"""The global step: one variable that counts the steps of training, whoever takes them."""

from __future__ import annotations

from typing import Any

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.graph import Graph, Tensor
from minitf.core.graph.stacks import GraphKeys
from minitf.core.variables.initializers import zeros_initializer
from minitf.core.variables.variable_def import VariableAggregation
from minitf.core.variables.variable_scope import get_variable
from minitf.core.variables.variables import Variable


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """Returns the value of the global step in a session.

    Args:
      sess: the session.
      global_step_tensor: the variable or tensor.
    """
    return int(sess.run(global_step_tensor))


def get_global_step(graph: Graph | None = None) -> Any:
    """Returns the global step of a graph: what `GraphKeys.GLOBAL_STEP` lists, or 'global_step:0'.

    Args:
      graph: the graph; the default one without it.
    Returns: the variable, or None when there is none.
    Returns: a variable or tensor; None when there is none, or more than one.
    Raises:
      TypeError: when it is not an integer scalar.
    Example:
      >>> step = tf.train.get_or_create_global_step()
      >>> tf.train.get_global_step() is step
      True
    """
    graph = graph or stacks.get_default_graph()
    listed = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if len(listed) > 1:
        return None
    if listed:
        found = listed[0]
    else:
        try:
            found = graph.get_tensor_by_name("global_step:0")
        except KeyError:
            return None
    assert_global_step(found)
    return found


def create_global_step(graph: Graph | None = None) -> Variable:
    """Makes the global step, an int64 variable that starts at 0.

    Raises:
      ValueError: when the graph has one.
    """
    graph = graph or stacks.get_default_graph()
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    with graph.as_default(), graph.name_scope(None):
        return get_variable(
            GraphKeys.GLOBAL_STEP,
            shape=[],
            dtype=dtypes.int64,
            initializer=zeros_initializer(),
            trainable=False,
            aggregation=VariableAggregation.ONLY_FIRST_REPLICA,
            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP],
        )


def get_or_create_global_step(graph: Graph | None = None) -> Any:
    """Returns the global step of a graph, which is made when there is none.

    Args:
      graph: the graph; the default one without it.
    Returns: the variable, an int64 that starts at 0.
    Example:
      >>> tf.train.get_or_create_global_step().name
      'global_step:0'
    """
    graph = graph or stacks.get_default_graph()
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found


def required_global_step(what: str) -> Any:
    """Returns the global step of the default graph, for a hook that cannot do without.

    Raises:
      RuntimeError: when there is none.
    """
    found = get_global_step()
    if found is None:
        raise RuntimeError(f"Global step should be created to use {what}.")
    return found


def assert_global_step(global_step_tensor: Any) -> None:
    """Raises TypeError unless the argument is an integer scalar variable or tensor."""
    if not isinstance(global_step_tensor, (Variable, Tensor)):
        raise TypeError(
            f'Existing "global_step" must be a Variable or Tensor: {global_step_tensor}.'
        )
    if not global_step_tensor.dtype.base_dtype.is_integer:
        raise TypeError(
            f'Existing "global_step" does not have integer type: {global_step_tensor.dtype}'
        )
    shape = global_step_tensor.shape
    if shape.ndims != 0 and shape.is_fully_defined():
        raise TypeError(f'Existing "global_step" is not scalar: {shape}')
