"""TensorFlow's tools for graph files, as programs import them from `tensorflow.python.tools`.

freeze_graph                a graph, or a `.meta`, and a checkpoint ──> one file with the weights
strip_unused                what lies between some inputs and outputs, the inputs as placeholders
optimize_for_inference      the same, without nodes that only training needs
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
from minitf.core.runtime.session.session import Session
from minitf.library.formats.file_io import GFile
from minitf.library.graph_tools.graph_util import (
    convert_variables_to_constants,
    extract_sub_graph,
    remove_training_nodes,
)
from minitf.library.saving.saved_model import load
from minitf.library.saving.saver import Saver, import_meta_graph
from minitf.library.summary.writer import FileWriter


def _read(path: str) -> GraphDef:
    with GFile(path, "rb") as file:
        return GraphDef.FromString(file.read())


def freeze_graph(
    input_graph: str,
    input_saver: str,
    input_binary: bool,
    input_checkpoint: str,
    output_node_names: str,
    restore_op_name: str,
    filename_tensor_name: str,
    output_graph: str,
    clear_devices: bool,
    initializer_nodes: str,
    variable_names_whitelist: str = "",
    variable_names_blacklist: str = "",
    input_meta_graph: Any = None,
    input_saved_model_dir: str | None = None,
    saved_model_tags: str = "serve",
    checkpoint_version: int = 2,
) -> GraphDef:
    """Writes a graph with the values of its variables, and returns it.

    Args:
      input_graph: the file of a graph, as text or not.
      input_saver, input_binary, restore_op_name, filename_tensor_name, checkpoint_version: not
        needed; here since TensorFlow has them.
      input_checkpoint: the checkpoint.
      output_node_names: names of nodes, with commas.
      output_graph: the file to write; "" for none.
      clear_devices: leave all devices open.
      initializer_nodes: nodes to run first, with commas.
      variable_names_whitelist, variable_names_blacklist: which variables, with commas.
      input_meta_graph: a `.meta` file in place of `input_graph`.
      input_saved_model_dir: a saved model in place of both and of the checkpoint.
      saved_model_tags: its tags, with commas.
    """
    with Graph().as_default() as graph, Session(graph=graph) as sess:
        if input_saved_model_dir:
            load(sess, saved_model_tags.split(","), input_saved_model_dir)
        elif input_meta_graph:
            saver = import_meta_graph(input_meta_graph, clear_devices=True)
            (saver or Saver()).restore(sess, input_checkpoint)
        else:
            import_graph_def(_read(input_graph), name="")
            kinds = ("Variable", "VariableV2")
            variables = {
                op.name: op.outputs[0] for op in graph.get_operations() if op.type in kinds
            }
            Saver(variables).restore(sess, input_checkpoint)
        if initializer_nodes:
            sess.run(initializer_nodes.replace(" ", "").split(","))
        frozen = convert_variables_to_constants(
            sess,
            graph.as_graph_def(),
            output_node_names.replace(" ", "").split(","),
            variable_names_whitelist.replace(" ", "").split(",")
            if variable_names_whitelist
            else None,
            variable_names_blacklist.replace(" ", "").split(",")
            if variable_names_blacklist
            else None,
        )
    if clear_devices:
        for node in frozen.node:
            node.device = ""
    if output_graph:
        with GFile(output_graph, "wb") as file:
            file.write(frozen.SerializeToString())
    return frozen


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
            shapes = node.attr.get("_output_shapes", (node.attr.get("shape"),))
            attr = {"dtype": dtypes[node.name], "shape": shapes[0] or TensorShape(None)}
            node = NodeDef(node.name, "Placeholder", attr=attr)
        nodes.append(node)
    return extract_sub_graph(GraphDef(nodes), output_node_names)


def optimize_for_inference(
    input_graph_def: GraphDef,
    input_node_names: Sequence[str],
    output_node_names: Sequence[str],
    placeholder_type_enum: Any,
    toco_compatible: bool = False,
) -> GraphDef:
    """Returns a graph for inference alone; what is fused is fused when it runs.

    Args:
      input_graph_def, input_node_names, output_node_names, placeholder_type_enum: as of
        `strip_unused`.
      toco_compatible: not used; here since TensorFlow has it.
    """
    stripped = strip_unused(
        input_graph_def, input_node_names, output_node_names, placeholder_type_enum
    )
    return remove_training_nodes(stripped, output_node_names)


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
