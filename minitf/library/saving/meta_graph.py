"""MetaGraph: a graph with its collections and its saver, as one file.

    export_meta_graph()   graph + collections + saver_def  -->  MetaGraphDef  -->  model.meta
    import_meta_graph()   the way back: operations, then the objects of the collections

A collection may hold names of nodes, numbers and texts, or objects that can be written as data. The
latter are listed in a table here, by collection: how one is written and how it is made again.

The messages stand here, too, and how TensorFlow's files hold them:

    model.meta, saved_model.pb ──read_message──> MetaGraphDef, SavedModel ──> import_meta_graph
                               <─write_message──

A message has the names of TensorFlow's fields (formats/messages.py). The differences: a graph is
translated (tensorflow_graph.py), the objects of a collection are dictionaries and not bytes, and a
`TensorInfo` has a type by its name and a shape as a list.
"""

from __future__ import annotations

import copy
import os
import struct
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, NamedTuple, Self, TypeVar

from minitf.core.graph import dtypes, logging, stacks
from minitf.core.graph.dtypes import ENUM_NAMES
from minitf.core.graph.graph import Graph, Operation, Tensor
from minitf.core.graph.graph_def import GraphDef, NodeDef
from minitf.core.graph.importer import import_graph_def
from minitf.core.graph.messages import Message
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import GraphKeys
from minitf.core.variables.variable_def import VariableDef
from minitf.core.variables.variables import Variable
from minitf.library.formats import graph_message, messages
from minitf.library.formats.file_io import naming, regular, write_whole
from minitf.library.formats.messages import is_text, to_text
from minitf.library.formats.protobuf_messages import from_text
from minitf.library.input.queues.runner import QueueRunner, QueueRunnerDef
from minitf.library.saving.saver_builder import SaverDef
from minitf.library.saving.tensorflow_graph import read_graph, warn_of_absent
from minitf.library.saving.tensorflow_writing import to_message
from minitf.library.saving.tensorflow_writing import write_graph as write_graph_def

Read = TypeVar("Read", bound=Message)


class Codec(NamedTuple):
    """How the objects of a collection are written as messages, and made again."""

    message: type[Message]
    to_proto: Callable[..., Any]
    from_proto: Callable[..., Any]


#: by the collection
CODECS: dict[str, Codec] = {}


class InFiles(Message):
    """A message that files hold: as JSON, or as TensorFlow writes it, in bytes or in text."""

    @classmethod
    def FromString(cls, data: bytes) -> Self:
        """The message that a file holds.

        Raises:
          ValueError: when it is none.
        """
        if data[:1] == b"{":
            return super().FromString(data)
        if is_text(data):
            data = from_text(data.decode(), cls.__name__)
        return read_tensorflow(data, cls)


@dataclass
class MetaInfoDef(Message):
    """What is known of how a MetaGraph came to be.

    Args:
      meta_graph_version: what its writer called it.
      tags: for what it is meant, as "serve".
    """

    meta_graph_version: str = ""
    tags: list[str] = field(default_factory=list)


@dataclass
class CollectionDef(Message):
    """One collection as data; one of the lists is in use.

    Args:
      nodes: names of tensors and operations.
      objects: variables, queue runners and the like, each in its JSON form.
      ints, floats, texts: plain values.
    """

    nodes: list[str] = field(default_factory=list)
    objects: list[dict] = field(default_factory=list)
    ints: list[int] = field(default_factory=list)
    floats: list[float] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


class Sizes(list):
    """A shape in a message: the sizes, None where open.

    Args:
      sizes: the sizes; None when even the rank is unknown.
    """

    def __init__(self, sizes: Iterable[int | None] | None) -> None:
        super().__init__(sizes or ())
        self.unknown_rank = sizes is None or getattr(sizes, "unknown_rank", False)

    @property
    def dim(self) -> list[SimpleNamespace]:
        """The sizes as TensorFlow's message has them, -1 where open."""
        return [SimpleNamespace(size=-1 if size is None else size, name="") for size in self]


@dataclass
class CooSparse(Message):
    """The names of the three tensors of a sparse one."""

    values_tensor_name: str = ""
    indices_tensor_name: str = ""
    dense_shape_tensor_name: str = ""


@dataclass
class TensorInfo(Message):
    """What a tensor is called and looks like, for those who feed or fetch it.

    Args:
      name: the name, as "x:0".
      dtype: the type, as "DT_FLOAT".
      tensor_shape: the sizes, None where open; None when even the rank is.
      coo_sparse: in place of the name for a sparse tensor.
    """

    name: str = ""
    dtype: str = ""
    tensor_shape: list | None = None
    coo_sparse: CooSparse | None = None

    def __post_init__(self) -> None:
        self.tensor_shape = Sizes(self.tensor_shape)
        if isinstance(self.dtype, int):
            self.dtype = dtypes.as_dtype(int(self.dtype)).enum_name if self.dtype else ""

    def to_dict(self) -> dict[str, Any]:
        """The JSON form as a dict; a shape of unknown rank is left out."""
        form = super().to_dict()
        if isinstance(self.tensor_shape, Sizes) and self.tensor_shape.unknown_rank:
            form.pop("tensor_shape", None)
        return form


TensorInfo.CooSparse = CooSparse  # type: ignore[attr-defined]


@dataclass
class SignatureDef(Message):
    """A use of a graph: what to feed, what to fetch.

    Args:
      inputs, outputs: the tensors by the names that callers know.
      method_name: what kind of use it is.
    """

    inputs: dict[str, TensorInfo] = field(default_factory=dict)
    outputs: dict[str, TensorInfo] = field(default_factory=dict)
    method_name: str = ""


@dataclass
class AssetFileDef(Message):
    """A file that belongs to a saved model.

    Args:
      filename: its name in the folder `assets`.
      tensor_info: the tensor to feed with its path.
    """

    filename: str = ""
    tensor_info: TensorInfo = field(default_factory=TensorInfo)


@dataclass
class MetaGraphDef(InFiles):
    """A graph, its collections and its saver as data."""

    meta_info_def: MetaInfoDef = field(default_factory=MetaInfoDef)
    graph_def: GraphDef = field(default_factory=GraphDef)
    saver_def: SaverDef | None = None
    collection_def: dict[str, CollectionDef] = field(default_factory=dict)
    signature_def: dict[str, SignatureDef] = field(default_factory=dict)
    asset_file_def: list[AssetFileDef] = field(default_factory=list)


MetaGraphDef.MetaInfoDef = MetaInfoDef  # type: ignore[attr-defined]


@dataclass
class SavedModel(InFiles):
    """The content of `saved_model.pb`.

    Args:
      saved_model_schema_version: 1.
      meta_graphs: the graphs; the tags of no two are the same.
    """

    saved_model_schema_version: int = 0
    meta_graphs: list[MetaGraphDef] = field(default_factory=list)


# ---- reading -----------------------------------------------------------------------------


def read_tensorflow(data: bytes, kind: type[Read]) -> Read:
    """Reads a message that TensorFlow has serialized.

    Args:
      data: its bytes.
      kind: what it is.
    Raises:
      ValueError: when the bytes are no such message.
    """
    try:
        return _made(messages.decode(data, kind.__name__, as_bytes="GraphDef"), kind)
    except (struct.error, UnicodeDecodeError, RecursionError, TypeError, OverflowError) as error:
        raise ValueError(f"not a {kind.__name__} ({error})") from None


def _made(fields: Mapping[str, Any], kind: type[Read]) -> Read:
    """The message of some fields; what nobody here asks for is left out."""
    hints = typing.get_type_hints(kind)
    read = kind(**{n: _value(value, hints[n]) for n, value in fields.items() if n in hints})
    if isinstance(read, MetaGraphDef):
        _forget_what_is_gone(read)
    return read


def _value(value: Any, hint: Any) -> Any:
    """The value of a field as a message here holds it."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is types.UnionType:  # X | None
        return _value(value, arguments[0])
    if origin is dict and arguments[1] is CollectionDef:
        return {key: _collection_bytes(key, each) for key, each in value.items()}
    if origin is dict:
        return {key: _value(each, arguments[1]) for key, each in value.items()}
    if origin is list:
        return [_value(each, arguments[0]) for each in value]
    if hint is GraphDef:
        return read_graph(value)
    if hint is TensorInfo:
        shape = graph_message.shape_of(value.get("tensor_shape", {}))
        sizes = None if shape.ndims is None else shape.as_list()
        dtype, sparse = ENUM_NAMES.get(value.get("dtype", 0), ""), value.get("coo_sparse")
        parts = None if sparse is None else _made(sparse, CooSparse)
        return TensorInfo(value.get("name", ""), dtype, sizes, parts)
    return _made(value, hint) if issubclass(hint, Message) else value


def _forget_what_is_gone(meta_graph: MetaGraphDef) -> None:
    """Takes names out of collections whose nodes were left out, or stand in a function now.

    With them go the collections that describe switches and merges, which became `If` and `While`.
    """
    for key in ("cond_context", "while_context"):
        meta_graph.collection_def.pop(key, None)
    there = {node.name for node in meta_graph.graph_def.node}
    for collection in meta_graph.collection_def.values():
        collection.nodes = [each for each in collection.nodes if each.partition(":")[0] in there]


#: the lists of a collection there, and here; objects are texts there, too
_LISTS = {
    "nodes": "node_list",
    "texts": "bytes_list",
    "ints": "int64_list",
    "floats": "float_list",
}


def _collection_bytes(key: str, fields: Mapping[str, Any]) -> CollectionDef:
    """A collection; its objects, which TensorFlow keeps as bytes, are read as what they are."""
    lists = {own: fields.get(there, {}).get("value", []) for own, there in _LISTS.items()}
    texts = lists.pop("texts")
    if key in CODECS:
        kind = CODECS[key].message
        return CollectionDef(**lists, objects=[read_tensorflow(t, kind).to_dict() for t in texts])
    return CollectionDef(**lists, texts=[text.decode(errors="replace") for text in texts])


def read_message(path: str, kind: type[Read]) -> Read:
    """Reads a message of a kind from a file: in JSON, or as TensorFlow writes it.

    Raises:
      OSError: when there is no such file, or it is of another kind.
    """
    with open(path, "rb", opener=regular) as file:
        data = file.read()
    try:
        with naming(path):
            message = kind.FromString(data)
    except ValueError as error:
        raise OSError(f"Cannot parse file {error}.") from None
    for each in getattr(message, "meta_graphs", [message]):
        warn_of_absent(getattr(each, "graph_def", GraphDef()), f"The graph in {path}")
    return message


# ---- writing -----------------------------------------------------------------------------


def write_tensorflow(message: Any, left_out: dict[str, str] | None = None) -> bytes:
    """A message as TensorFlow reads it.

    Args:
      message: the message.
      left_out: gets the nodes that have no equal in TensorFlow, with the reason; see `to_message`.
    Raises:
      ValueError: when there are such nodes and `left_out` is None, or one of them is asked for.
    """

    def written(value: Any) -> Any:
        if isinstance(value, (Message, GraphDef)):
            return write_tensorflow(value, left_out)
        if isinstance(value, list):
            return [written(each) for each in value]
        if isinstance(value, dict):
            return {key: written(each) for key, each in value.items()}
        return value

    if isinstance(message, GraphDef):
        return graph_message.encode(to_message(message, left_out))
    fields = dict(vars(message))
    if isinstance(message, TensorInfo):
        dtype, sizes = message.dtype, message.tensor_shape
        shape = TensorShape(None if getattr(sizes, "unknown_rank", False) else sizes)
        fields["dtype"] = dtypes.as_dtype(dtype).as_datatype_enum if dtype else 0
        fields["tensor_shape"] = graph_message.encode_shape(shape)
    elif isinstance(message, MetaGraphDef):
        graph = written(message.graph_def)  # first, since it says what the others may name
        fields = {**vars(_without(message, left_out or {})), "graph_def": graph}
        collections = {k: _written_collection(k, c) for k, c in fields["collection_def"].items()}
        fields["collection_def"] = {key: data for key, data in collections.items() if data}
    fields.pop("is_resource", None)  # here such a variable is like any other
    return messages.encode(written(fields), type(message).__name__)


def _written_collection(key: str, collection: CollectionDef) -> bytes:
    lists: dict[str, Any] = {there: getattr(collection, own) for own, there in _LISTS.items()}
    if key in CODECS:
        kind = CODECS[key].message
        objects = [write_tensorflow(kind.from_dict(each)) for each in collection.objects]
        lists["bytes_list"] = [*lists["bytes_list"], *objects]
    form = {there: {"value": values} for there, values in lists.items() if values}
    return messages.encode(form, "CollectionDef")


def _without(meta_graph: MetaGraphDef, gone: Mapping[str, str]) -> MetaGraphDef:
    """A MetaGraph whose collections name nothing that is left out.

    Raises:
      ValueError: when a signature or the saver needs it.
    """
    asked = [
        info.name
        for signature in meta_graph.signature_def.values()
        for info in (*signature.inputs.values(), *signature.outputs.values())
    ]
    if meta_graph.saver_def is not None:
        asked += [meta_graph.saver_def.save_tensor_name, meta_graph.saver_def.restore_op_name]
    for name in asked:
        if name.partition(":")[0] in gone:
            raise ValueError(gone[name.partition(":")[0]])

    def there(value: Any) -> bool:
        return not isinstance(value, str) or value.partition(":")[0] not in gone

    kept = copy.copy(meta_graph)
    kept.collection_def = {
        key: replace(
            collection,
            nodes=[name for name in collection.nodes if there(name)],
            objects=[each for each in collection.objects if all(map(there, each.values()))],
        )
        for key, collection in meta_graph.collection_def.items()
    }
    return kept


def write_message(
    path: str, message: Message, as_text: bool = False, leave_out: bool = False
) -> None:
    """Writes a message as TensorFlow reads it; as JSON, where that cannot be.

    Args:
      path: the file.
      message: the message.
      as_text: whether as protobuf's text.
      leave_out: whether to leave out operations that TensorFlow does not have, if nobody asks for
        them by a signature: what an optimizer added, say.
    """
    left_out: dict[str, str] = {}
    try:
        data = write_tensorflow(message, left_out if leave_out else None)
        if as_text:
            data = to_text(data, type(message).__name__).encode()
    except ValueError as error:
        logging.info("%s is written as JSON, which TensorFlow does not read. %s", path, error)
        data = message.SerializeToString()
    if left_out:
        logging.info(
            "%s lacks %d operations. %s", path, len(left_out), next(iter(left_out.values()))
        )
    write_whole(path, data)


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
    write_whole(path, data)
    return path
