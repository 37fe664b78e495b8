"""TensorFlow's tools for graph files, as programs import them from `tensorflow.python.tools`.

strip_unused                what lies between some inputs and outputs, the inputs as placeholders
import_to_tensorboard       a frozen graph ──> an event file for TensorBoard's graph page
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph.dtypes import DType, as_dtype
from minitf.core.graph.graph import Graph
from minitf.core.graph.graph_def import GraphDef, NodeDef
from minitf.core.graph.importer import import_graph_def
from minitf.core.graph.shapes import TensorShape
from minitf.library.formats.file_io import GFile
from minitf.library.graph_tools.graph_util import extract_sub_graph
from minitf.library.sessions.file_writer import FileWriter


def _read(path: str) -> GraphDef:
    with GFile(path, "rb") as file:
        return GraphDef.FromString(file.read())


def strip_unused(
    input_graph_def: GraphDef,
    input_node_names: Sequence[str],
    output_node_names: Sequence[str],
    placeholder_type_enum: Any,
) -> GraphDef:
    """Returns what the outputs need, with a placeholder for each input.

    Args:
      input_graph_def: the graph.
      input_node_names, output_node_names: names of nodes.
      placeholder_type_enum: the type of the placeholders, or a list of them.
    Raises:
      KeyError: when an input is not in the graph.
    """
    listed = isinstance(placeholder_type_enum, (list, tuple))
    types = placeholder_type_enum if listed else [placeholder_type_enum] * len(input_node_names)
    dtypes: dict[str, DType] = dict(zip(input_node_names, map(as_dtype, types), strict=True))
    missing = dtypes.keys() - {node.name for node in input_graph_def.node}
    if missing:
        raise KeyError(f"The following input nodes were not found: {missing}")
    nodes = []
    for node in input_graph_def.node:
        if node.name in dtypes:
            shapes = node.attrs.get("_output_shapes", (node.attrs.get("shape"),))
            attr = {"dtype": dtypes[node.name], "shape": shapes[0] or TensorShape(None)}
            node = NodeDef(node.name, "Placeholder", attrs=attr)
        nodes.append(node)
    return extract_sub_graph(GraphDef(nodes), output_node_names)


def import_to_tensorboard(model_dir: str, log_dir: str, tag_set: str = "") -> None:
    """Writes the graph of a file for TensorBoard.

    Args:
      model_dir: the file, for all its name.
      log_dir: where the event file goes.
      tag_set: not used; here since TensorFlow has it.
    """
    with Graph().as_default() as graph:
        import_graph_def(_read(model_dir))
        FileWriter(log_dir, graph).close()
    print(f"Model Imported. Visualize by running: tensorboard --logdir={log_dir}")
