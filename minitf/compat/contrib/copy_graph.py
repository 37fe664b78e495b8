"""`tf.contrib.copy_graph`: nodes of one graph, again in another, with all that they need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph.graph import Graph
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.operation import Operation
from minitf.core.graph.tensor import Tensor
from minitf.core.runtime.session.session import Session
from minitf.core.variables.variables import Variable


def _name(name: str, scope: str) -> str:
    return f"{scope}/{name}" if scope else name


def _collections(node: Any) -> list[str]:
    """The collections that a node is in."""
    graph = node.graph
    keys = graph.get_all_collection_keys()
    return [key for key in keys if any(node is each for each in graph.get_collection(key))]


def copy_variable_to_graph(org_instance: Any, to_graph: Graph, scope: str = "") -> Variable:
    """A variable in another graph, with the name and the initial value of this one.

    Args:
      org_instance: the variable.
      to_graph: the other graph.
      scope: what comes before its name there.
    Raises:
      TypeError: when it is no variable.
    """
    if not isinstance(org_instance, Variable):
        raise TypeError(f"{org_instance} is not a Variable")
    graph = org_instance.graph
    keys = [key for key in _collections(org_instance) if key != GraphKeys.TRAINABLE_VARIABLES]
    with Session(graph=graph) as session, graph.as_default():
        start = session.run(org_instance.initialized_value())
    with to_graph.as_default():
        return Variable(
            start, trainable=org_instance.trainable, name=_name(org_instance.op.name, scope),
            collections=[_name(key, scope) if key not in vars(GraphKeys).values() else key
                         for key in keys], validate_shape=False,
        )  # fmt: skip


def copy_op_to_graph(
    org_instance: Any, to_graph: Graph, variables: Sequence[Any], scope: str = ""
) -> Any:
    """An operation or tensor in another graph, with all before it that is not there yet.

    Args:
      org_instance: the operation or tensor.
      to_graph: the other graph.
      variables: those that are there, of `copy_variable_to_graph`.
      scope: what comes before the names there.
    Raises:
      TypeError: when it is neither.
    """
    there = {variable.name: variable for variable in variables}

    def found(node: Any) -> Any:
        name = _name(node.name, scope)
        if name in there:
            return to_graph.get_tensor_by_name(name)
        try:
            return to_graph.as_graph_element(name)
        except KeyError:
            return None

    def copy(op: Operation) -> Any:
        waiting = [op]
        while waiting:  # not by recursion, which long chains would exhaust
            last = waiting[-1]
            needed = [t.op for t in last.inputs if found(t) is None]
            needed += [each for each in last.control_inputs if found(each) is None]
            if needed and found(last) is None:
                waiting += needed
                continue
            waiting.pop()
            if found(last) is None:
                _make(last)
        return found(op)

    def _make(op: Operation) -> None:
        before = [found(each) for each in op.control_inputs]
        with to_graph.as_default(), to_graph.control_dependencies(before):
            inputs = [found(t) for t in op.inputs]
            made = to_graph.add_operation(op.op_def, inputs, dict(op.attrs), _name(op.name, scope))
            made._set_device(op.device)
        for key in _collections(op):
            to_graph.add_to_collection(key, made)

    if isinstance(org_instance, Tensor):
        if found(org_instance) is None:
            copy(org_instance.op)
        tensor = found(org_instance)
        for key in _collections(org_instance):
            to_graph.add_to_collection(key, tensor)
        return tensor
    if isinstance(org_instance, Operation):
        return copy(org_instance)
    raise TypeError(f"Could not copy instance: {org_instance}")


def get_copied_op(org_instance: Any, graph: Graph, scope: str = "") -> Any:
    """What `copy_op_to_graph` has made of an operation, tensor or variable."""
    return graph.as_graph_element(_name(org_instance.name, scope), True, True)
