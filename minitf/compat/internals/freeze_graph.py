"""`tensorflow.python.tools.freeze_graph`: a graph's file and a checkpoint become one file.

graph.pb or graph.pb.txt or model.meta --+
model.ckpt ------------------------------+--> frozen.pb, whose variables are constants
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph.dtypes import DType
from minitf.core.graph.graph_def import GraphDef
from minitf.library.formats.file_io import GFile
from minitf.library.formats.message_text import from_text
from minitf.library.graph_tools import graph_util
from minitf.library.saving.checkpoint_utils import load_checkpoint
from minitf.library.saving.meta_messages import MetaGraphDef

_VARIABLES = ("Variable", "VariableV2", "VarHandleOp", "AutoReloadVariable")


def _read(path: str, kind: Any, binary: bool) -> Any:
    with GFile(path, "rb") as file:
        data = file.read()
    return kind.FromString(data if binary else from_text(data.decode(), kind.__name__))


def _names(listed: str | Sequence[str]) -> list[str]:
    parts = listed.split(",") if isinstance(listed, str) else listed
    return [name.strip() for name in parts if name.strip()]


def freeze_graph_with_def_protos(
    input_graph_def: GraphDef, input_saver_def: Any, input_checkpoint: str,
    output_node_names: str, restore_op_name: Any, filename_tensor_name: Any,
    output_graph: str | None, clear_devices: bool, initializer_nodes: Any,
    variable_names_whitelist: str = "", variable_names_blacklist: str = "", *_: Any,
) -> GraphDef:  # fmt: skip
    """Freezes a graph; `freeze_graph` explains the arguments.

    Raises:
      ValueError: when no output is named, or the graph has none of that name.
    """
    outputs = _names(output_node_names)
    if not outputs:
        raise ValueError("You need to supply the name of a node to --output_node_names.")
    inference = graph_util.extract_sub_graph(input_graph_def, outputs)
    white, black = _names(variable_names_whitelist or ""), _names(variable_names_blacklist or "")
    reader = load_checkpoint(input_checkpoint)
    values = {
        node.name: reader.get_tensor(node.name)
        for node in inference.node
        if node.op in _VARIABLES and (not white or node.name in white) and node.name not in black
    }
    frozen = graph_util.with_constants(inference, values)
    if clear_devices:
        for node in frozen.node:
            node.device = ""
    if output_graph:
        with GFile(output_graph, "wb") as file:
            file.write(frozen.SerializeToString())
    return frozen


def freeze_graph(
    input_graph: str, input_saver: str, input_binary: bool, input_checkpoint: str,
    output_node_names: str, restore_op_name: Any, filename_tensor_name: Any, output_graph: str,
    clear_devices: bool, initializer_nodes: Any, variable_names_whitelist: str = "",
    variable_names_blacklist: str = "", input_meta_graph: str | None = None, *_: Any, **__: Any,
) -> GraphDef:  # fmt: skip
    """Writes a graph whose variables are constants.

    Args:
      input_graph: the file of a `GraphDef`.
      input_saver, restore_op_name, filename_tensor_name, initializer_nodes: not used.
      input_binary: whether the file is binary; else it is text.
      input_checkpoint: the prefix of a checkpoint.
      output_node_names: names with commas between them.
      output_graph: the file to write.
      clear_devices: whether no node keeps its device.
      variable_names_whitelist, variable_names_blacklist: the variables to convert, or not to.
      input_meta_graph: a `.meta` file instead of `input_graph`.

    Raises:
      ValueError: when no output is named.
    """
    if input_meta_graph:
        graph_def = _read(input_meta_graph, MetaGraphDef, input_binary).graph_def
    else:
        graph_def = _read(input_graph, GraphDef, input_binary)
    return freeze_graph_with_def_protos(
        graph_def, None, input_checkpoint, output_node_names, None, None, output_graph,
        clear_devices, None, variable_names_whitelist, variable_names_blacklist,
    )  # fmt: skip


def optimize_for_inference(
    input_graph_def: GraphDef, input_node_names: Any, output_node_names: Sequence[str],
    placeholder_type_enum: DType | Any = None, *_: Any, **__: Any,
) -> GraphDef:  # fmt: skip
    """What the outputs need of a graph, without the nodes that only pass a value on.

    Args:
      input_graph_def: the graph.
      input_node_names, placeholder_type_enum: not used: plans fold and fuse on their own.
      output_node_names: names of nodes.
    """
    needed = graph_util.extract_sub_graph(input_graph_def, output_node_names)
    return graph_util.remove_training_nodes(needed, output_node_names)
