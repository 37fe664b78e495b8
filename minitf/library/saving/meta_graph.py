"""MetaGraph: a graph with its collections and its saver, as one file.

    export_meta_graph()   graph + collections + saver_def  -->  MetaGraphDef  -->  model.meta
    import_meta_graph()   the way back: operations, then the objects of the collections

A collection may hold names of nodes, numbers and texts, or objects that can be written as data. The
latter are listed in a table here, by collection: how one is written and how it is made again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.graph import logging, stacks
from minitf.core.graph.graph import Graph, Operation, Tensor
from minitf.core.graph.graph_def import GraphDef, NodeDef
from minitf.core.graph.importer import import_graph_def
from minitf.core.graph.stacks import GraphKeys
from minitf.core.variables.variable_def import VariableDef
from minitf.core.variables.variables import Variable
from minitf.library.formats.file_io import naming, written_aside
from minitf.library.formats.message_text import to_text
from minitf.library.input.queues.runner import QueueRunner, QueueRunnerDef
from minitf.library.saving.meta_messages import (
    CODECS,
    Codec,
    CollectionDef,
    MetaGraphDef,
    MetaInfoDef,
    read_message,
    write_message,
    write_tensorflow,
)
from minitf.library.saving.saver_builder import SaverDef
from minitf.library.saving.tensorflow_writing import write_graph as write_graph_def

# ---- objects of collections --------------------------------------------------------------


def register_proto_function(
    collection_name: str,
    proto_type: Any = None,
    to_proto: Callable[..., Any] | None = None,
    from_proto: Callable[..., Any] | None = None,
) -> None:
    """Says how the objects of a collection are written as messages, and made again.

    Args:
      collection_name: the collection.
      proto_type: the class of the messages, a `Message`.
      to_proto: an object to a message, or None to leave it out.
      from_proto: `(message, import_scope)` to object.
    """
    if proto_type is None or to_proto is None or from_proto is None:
        raise TypeError("to_proto and from_proto must be callable, and proto_type a message.")
    CODECS[collection_name] = Codec(proto_type, to_proto, from_proto)


for _key in (
    GraphKeys.GLOBAL_VARIABLES,
    GraphKeys.LOCAL_VARIABLES,
    GraphKeys.METRIC_VARIABLES,
    GraphKeys.MODEL_VARIABLES,
    GraphKeys.TRAINABLE_VARIABLES,
    GraphKeys.MOVING_AVERAGE_VARIABLES,
    GraphKeys.GLOBAL_STEP,
    GraphKeys.TRAINABLE_RESOURCE_VARIABLES,
):
    register_proto_function(_key, VariableDef, Variable.to_proto, Variable.from_proto)
register_proto_function(
    GraphKeys.QUEUE_RUNNERS, QueueRunnerDef, QueueRunner.to_proto, QueueRunner.from_proto
)


#: the lists for plain values, by their types
_PLAIN = {int: "ints", float: "floats", str: "texts"}


def _collection(key: str, values: Sequence[Any]) -> CollectionDef | None:
    """A collection as data; None when some of it cannot be written."""
    codec = CODECS.get(key)
    if codec is not None and all(hasattr(v, "to_proto") for v in values):
        try:
            messages = map(codec.to_proto, values)
            return CollectionDef(objects=[m.to_dict() for m in messages if m is not None])
        except TypeError:
            return None
    result = CollectionDef()
    for value in values:
        if isinstance(value, (Tensor, Operation)) or hasattr(value, "_as_graph_element"):
            node = value if isinstance(value, (Tensor, Operation)) else value._as_graph_element()
            result.nodes.append(node.name)
        else:
            form = next((f for kind, f in _PLAIN.items() if isinstance(value, kind)), None)
            if form is None or isinstance(value, bool):
                return None
            getattr(result, form).append(value)
    kinds = [result.nodes, result.ints, result.floats, result.texts]
    return result if sum(bool(kind) for kind in kinds) <= 1 else None


def _add_collection(graph: Graph, key: str, data: CollectionDef, scope: str | None) -> None:
    codec = CODECS.get(key)
    if data.objects:
        if codec is None:
            logging.warning("Cannot identify data type for collection %s. Skipping.", key)
            return
        for form in data.objects:
            message = codec.message.from_dict(form)
            graph.add_to_collection(key, codec.from_proto(message, import_scope=scope))
        return
    for name in data.nodes:
        graph.add_to_collection(key, graph.as_graph_element(f"{scope}/{name}" if scope else name))
    for value in (*data.ints, *data.floats, *data.texts):
        graph.add_to_collection(key, value)


# ---- the graph ---------------------------------------------------------------------------


def _on_any_device(graph_def: GraphDef) -> GraphDef:
    return GraphDef([NodeDef(n.name, n.op, n.input, "", n.attrs) for n in graph_def.node])


def export_meta_graph(
    filename: str | None = None,
    meta_info_def: MetaInfoDef | None = None,
    graph_def: GraphDef | None = None,
    saver_def: SaverDef | None = None,
    collection_list: Sequence[str] | None = None,
    as_text: bool = False,
    graph: Graph | None = None,
    clear_devices: bool = False,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
) -> MetaGraphDef:
    """Returns a graph as data, and writes it to a file.

    Args:
      filename: the file; None only returns.
      meta_info_def: what is known of it.
      graph_def: a graph to write in place of the operations of `graph`.
      saver_def: the names of a saver's nodes.
      collection_list: the collections to write; all by default.
      as_text: protobuf's text, for people.
      graph: the graph; the default graph when None.
      clear_devices: leave all devices open.
      clear_extraneous_savers: leave out savers other than the one given.
      strip_default_attrs, save_debug_info: not used; here since TensorFlow has them.
    """
    graph = graph or stacks.get_default_graph()
    if graph_def is None:
        graph_def = graph.as_graph_def(add_shapes=True)
    if clear_devices:
        graph_def = _on_any_device(graph_def)
    result = MetaGraphDef(meta_info_def or MetaInfoDef(), graph_def)
    if saver_def is not None:
        result.saver_def = saver_def
    keys = graph.get_all_collection_keys() if collection_list is None else collection_list
    for key in keys:
        if clear_extraneous_savers and key == GraphKeys.SAVERS:
            continue
        collection = _collection(key, graph.get_collection(key))
        if collection is None:
            logging.info("Issue encountered when serializing %s.", key)
        else:
            result.collection_def[key] = collection
    if filename:
        write_message(os.fsdecode(filename), result, as_text)
    return result


def meta_graph_bytes(meta_graph: MetaGraphDef | None) -> bytes:
    """A MetaGraph's bytes; by default that of the default graph's collections, without a graph."""
    meta_graph = meta_graph or export_meta_graph(graph_def=GraphDef())
    return write_tensorflow(meta_graph)


def read_meta_graph_file(filename: str) -> MetaGraphDef:
    """Reads a file that `export_meta_graph` wrote.

    Raises:
      OSError: when there is no such file, or it is of another kind.
    """
    filename = os.fsdecode(filename)
    if not os.path.isfile(filename):
        raise OSError(f"File {filename} does not exist.")
    return read_message(filename, MetaGraphDef)


def import_scoped_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    graph: Graph | None = None,
    import_scope: str | None = None,
    input_map: dict | None = None,
    unbound_inputs_col_name: str = "unbound_inputs",
    restore_collections_predicate: Callable[[str], bool] = lambda key: True,
) -> tuple[MetaGraphDef, str]:
    """Adds a graph and its collections to a graph; see `import_meta_graph`.

    Args:
      meta_graph_or_file: a `MetaGraphDef`, or the path of a file.
      clear_devices: leave all devices open.
      graph: where to; the default graph when None.
      import_scope: a name scope to put everything under.
      input_map: tensors that stand in for tensors of the imported graph, by name.
      unbound_inputs_col_name: not used; here since TensorFlow has it.
      restore_collections_predicate: which collections to take.
    Returns: the message that was read, and the scope in which its names are now.
    """
    given = meta_graph_or_file
    data = given if isinstance(given, MetaGraphDef) else read_meta_graph_file(given)
    graph = graph or stacks.get_default_graph()
    graph_def = data.graph_def
    if clear_devices:
        graph_def = _on_any_device(graph_def)
    scope = graph.unique_name(import_scope or "", mark_as_used=False)
    path = "The MetaGraph" if given is data else os.fsdecode(given)
    with graph.as_default(), naming(path, ()):  # a TypeError is about `input_map`
        import_graph_def(graph_def, input_map=input_map, name=import_scope or scope)
        with naming(path):
            for key, collection in data.collection_def.items():
                if restore_collections_predicate(key):
                    _add_collection(graph, key, collection, scope.rstrip("/"))
    return data, scope


def write_graph(graph_or_graph_def: Any, logdir: str, name: str, as_text: bool = True) -> str:
    """Writes a graph to a file, and returns the file's path.

    Args:
      graph_or_graph_def: a `Graph` or a `GraphDef`.
      logdir: the directory, which is made when it is not there.
      name: the file's name.
      as_text: protobuf's text, for people (JSON when TensorFlow does not have an operation);
        otherwise its bytes, as a file `.pb` has them.
    Raises:
      ValueError: when a node has no equal in TensorFlow, and the bytes are asked for.
    """
    graph_def = graph_or_graph_def
    if isinstance(graph_def, Graph):
        graph_def = graph_def.as_graph_def()
    logdir, name = os.fsdecode(logdir), os.fsdecode(name)
    os.makedirs(logdir, exist_ok=True)
    path = os.path.join(logdir, name)
    if as_text:
        data = graph_def.SerializeToString()
        if not data.startswith(b"{"):  # JSON, where TensorFlow does not have an operation
            data = to_text(data, "GraphDef").encode()
    else:
        data = write_graph_def(graph_def)
    with written_aside(path, len(data)) as file:
        file.write(data)
    return path
