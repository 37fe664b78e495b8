"""Cutting graphs to size, on their serialized form: `tf.graph_util`.

extract_sub_graph                what the named nodes need, and nothing else
remove_training_nodes            without Identity and CheckNumerics nodes
convert_variables_to_constants   a trained model in one GraphDef, its weights inside
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, logging
from minitf.core.graph.graph_def import GraphDef, NodeDef

_VARIABLES = ("Variable", "VariableV2")


def _node_name(source: str) -> str:
    """The node that an input names: 'a' of 'a:1' and of '^a'."""
    return source.removeprefix("^").partition(":")[0]


def extract_sub_graph(graph_def: GraphDef, dest_nodes: Iterable[str]) -> GraphDef:
    """Returns the nodes that `dest_nodes` need, in their old order.

    Args:
      graph_def: the whole graph.
      dest_nodes: names of nodes.
    Raises:
      TypeError: when `dest_nodes` is one text.
      AssertionError: when the graph has no node of a name.
    """
    if isinstance(dest_nodes, (str, bytes)):
        raise TypeError(
            f"dest_nodes must be an iterable of strings, but got type {type(dest_nodes)}."
        )
    by_name = {node.name: node for node in graph_def.node}
    names = list(dest_nodes)
    for name in names:
        if name not in by_name:
            raise AssertionError(f"{name} is not in graph")
    needed: set[str] = set()
    while names:
        name = names.pop()
        if name not in needed:
            needed.add(name)
            names += [_node_name(source) for source in by_name[name].input]
    nodes = [node for node in graph_def.node if node.name in needed]
    return GraphDef(nodes, graph_def.versions)


def convert_variables_to_constants(
    sess: Any,
    input_graph_def: GraphDef,
    output_node_names: Sequence[str],
    variable_names_whitelist: Iterable[str] | None = None,
    variable_names_blacklist: Iterable[str] | None = None,
) -> GraphDef:
    """Returns the graph that the outputs need, with the values of its variables as constants.

    Args:
      sess: a session that holds the variables.
      input_graph_def: the graph.
      output_node_names: names of nodes.
      variable_names_whitelist: the variables to convert; all by default.
      variable_names_blacklist: variables to leave alone.
    Raises:
      AssertionError: when the graph has no node of a name.
    Example:
      >>> W = tf.Variable(2.0, name="W")
      >>> y = tf.identity(W * 3.0, name="y")
      >>> sess.run(W.initializer)
      >>> frozen = tf.graph_util.convert_variables_to_constants(sess, sess.graph_def, ["y"])
      >>> [node.op for node in frozen.node]
      ['Const', 'Identity', 'Const', 'Mul', 'Identity']
    """
    inference = extract_sub_graph(input_graph_def, output_node_names)
    white = None if variable_names_whitelist is None else set(variable_names_whitelist)
    black = set(variable_names_blacklist or ())
    variables = [node.name for node in inference.node if node.op in _VARIABLES]
    names = [n for n in variables if (white is None or n in white) and n not in black]
    values = dict(zip(names, sess.run([f"{name}:0" for name in names]), strict=True))
    return with_constants(inference, values)


def with_constants(graph_def: GraphDef, values: Mapping[str, Any]) -> GraphDef:
    """Returns a graph in which the nodes of some names are constants.

    Args:
      graph_def: the graph.
      values: arrays by the names of the nodes.
    """
    logging.info("Froze %d variables.", len(values))
    nodes = []
    for node in graph_def.node:
        if node.name in values:
            value = np.asarray(values[node.name])
            attr = {"value": value, "dtype": dtypes.as_dtype(value.dtype)}
            node = NodeDef(node.name, "Const", [], node.device, attr)
        elif node.op == "ReadVariableOp" and node.input[0] in values:
            node = NodeDef(node.name, "Identity", node.input, node.device, node.attrs)
        nodes.append(node)
    return GraphDef(nodes)
