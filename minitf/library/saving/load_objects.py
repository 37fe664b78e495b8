"""`tf.saved_model.load_v2`: the objects of a saved model, with their functions and variables.

    loaded = tf.saved_model.load_v2("/tmp/model")
    loaded.f(x)                                   a function, by the kind of its arguments
    loaded.signatures["serving_default"](x=x)     what is served
    loaded.weights.kernel                         what hung on the object

A model that version 1 wrote has no objects, only a graph: of it there are the signatures, the
variables, and `prune`, which makes a function of any part of the graph.
"""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import nest, stacks
from minitf.core.graph.composites import is_composite
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.dtypes import DType
from minitf.core.graph.importer import import_graph_def
from minitf.core.graph.operation import Operation
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.variables.variables import Variable
from minitf.library.eager.concrete_function import ConcreteFunction
from minitf.library.eager.function import Function
from minitf.library.eager.type_specs import TensorSpec, TypeSpec
from minitf.library.eager.wrap_function import VariableHolder, WrappedFunction, wrapped
from minitf.library.formats import graph_message, wire
from minitf.library.formats.checkpoint_reader import CheckpointReader
from minitf.library.formats.file_io import naming, read_bytes
from minitf.library.formats.graph_message import GraphMessage
from minitf.library.saving import object_graph
from minitf.library.saving import saved_model_constants as names
from minitf.library.saving.checkpoint_state import checkpoint_exists
from minitf.library.saving.meta_messages import CollectionDef, MetaGraphDef
from minitf.library.saving.saved_functions import read_function
from minitf.library.saving.saved_model import SavedModelLoader, init_ops, parse_saved_model
from minitf.library.saving.saved_objects import SavedNode, SavedObjects

_OBJECTS = "_CHECKPOINTABLE_OBJECT_GRAPH"
_LARGEST_EMPTY = 2**24  # elements of a variable without a value


class AutoTrackable:
    """An object whose attributes hang on it: variables, functions, other objects."""

    def _checkpoint_children(self) -> dict[str, Any]:
        return {k: v for k, v in vars(self).items() if not k.startswith("__")}


class _SignatureMap(Mapping):
    """The signatures of a saved model, by their names."""

    def __init__(self, signatures: Mapping[str, Any]) -> None:
        self._signatures = dict(signatures)

    def __getitem__(self, key: str) -> Any:
        return self._signatures[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._signatures)

    def __len__(self) -> int:
        return len(self._signatures)

    def __repr__(self) -> str:
        return f"_SignatureMap({self._signatures})"


# ---- functions -----------------------------------------------------------------------------


class RestoredFunction(Function):
    """A `tf.function` of a saved model: as many graphs as it had, and no program.

    Args:
      name: its name.
      makers: for each of its graphs what it takes, and what builds it.
      node: how the program's function was declared.
    """

    def __init__(
        self, name: str, makers: Sequence[tuple[Any, Callable[[], Any]]], node: SavedNode
    ) -> None:
        super().__init__(_declared(name, node), name, node.input_signature, autograph=False)
        self._makers = list(makers)
        self._built: dict[int, ConcreteFunction] = {}

    def _graph(self, place: int) -> ConcreteFunction:
        if place not in self._built:
            self._built[place] = self._makers[place][1]()
        return self._built[place]

    def _bound(self, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
        if self._signature is None:
            self._signature = inspect.signature(self._function)
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self._name}() {error}") from None
        bound.apply_defaults()
        return bound.args, bound.kwargs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        given = self._bound(args, kwargs)
        for fits in (_as_it_is, _made_a_tensor):
            for place, (wanted, _) in enumerate(self._makers):
                flat = _matched(wanted, given, fits)
                if flat is not None:
                    return self._graph(place).call_and_pack(flat)
        raise ValueError(_no_match(given, [wanted for wanted, _ in self._makers]))

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The graph for these arguments; `TensorSpec`s stand for tensors."""
        if not args and not kwargs and self._input_signature is not None:
            args = self._input_signature
        given = self._bound(args, kwargs)
        for place, (wanted, _) in enumerate(self._makers):
            if _matched(wanted, given, _as_it_is) is not None:
                return self._graph(place)
        raise ValueError(_no_match(given, [wanted for wanted, _ in self._makers]))


def _declared(name: str, node: SavedNode) -> Callable:
    """A function that is declared as the program's was."""
    spec = node.spec

    def restored(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("A function of a saved model has no program.")

    kinds = inspect.Parameter
    words = list(getattr(spec, "args", None) or [])
    defaults = list(getattr(spec, "defaults", None) or ())
    if node.is_method or words[:1] == ["self"]:
        words = words[1:]
    usual = dict(zip(words[len(words) - len(defaults) :], defaults, strict=False))
    parameters = [
        kinds(word, kinds.POSITIONAL_OR_KEYWORD, default=usual.get(word, kinds.empty))
        for word in words
    ]
    if getattr(spec, "varargs", None):
        parameters.append(kinds(spec.varargs, kinds.VAR_POSITIONAL))
    named = getattr(spec, "kwonlydefaults", None) or {}
    parameters += [
        kinds(word, kinds.KEYWORD_ONLY, default=named.get(word, kinds.empty))
        for word in getattr(spec, "kwonlyargs", None) or ()
    ]
    if getattr(spec, "varkw", None):
        parameters.append(kinds(spec.varkw, kinds.VAR_KEYWORD))
    restored.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    restored.__name__ = restored.__qualname__ = name
    return restored


def _matched(wanted: Any, given: Any, fits: Callable[[Any, Any], list | None]) -> list | None:
    """The tensors of some arguments, flat; None when they are no arguments of that kind."""
    if isinstance(wanted, TypeSpec):
        return fits(wanted, given)
    if isinstance(wanted, Mapping):
        if not isinstance(given, Mapping) or sorted(wanted) != sorted(given):
            return None
        pairs = [(wanted[key], given[key]) for key in sorted(wanted)]
    elif isinstance(wanted, (list, tuple)):
        if not isinstance(given, (list, tuple)) or len(wanted) != len(given):
            return None
        pairs = list(zip(wanted, given, strict=True))
    else:
        same = type(wanted) is type(given) or isinstance(given, (int, float, np.generic))
        return [] if wanted is given or (same and bool(wanted == given)) else None
    flat: list[Any] = []
    for one, other in pairs:
        found = _matched(one, other, fits)
        if found is None:
            return None
        flat += found
    return flat


def _as_it_is(spec: Any, value: Any) -> list | None:
    tensor_like = isinstance(value, (Tensor, TypeSpec)) or hasattr(value, "_as_tensor")
    if not (tensor_like or is_composite(value)):
        return None
    try:
        if not spec.is_compatible_with(value):
            return None
    except (TypeError, AttributeError):
        return None
    if isinstance(value, TypeSpec):
        return [value]
    if isinstance(spec, TensorSpec):
        return [convert_to_tensor(value)]
    return list(spec._to_components(value))


def _made_a_tensor(spec: Any, value: Any) -> list | None:
    found = _as_it_is(spec, value)
    if found is not None or not isinstance(spec, TensorSpec) or value is None:
        return found
    if isinstance(value, (Tensor, TypeSpec, Mapping)) or is_composite(value):
        return None
    try:
        tensor = convert_to_tensor(value, spec.dtype)
    except (TypeError, ValueError):
        return None
    return [tensor] if spec.is_compatible_with(tensor) else None


def _no_match(given: tuple, options: Sequence[Any]) -> str:
    def listed(arguments: Any) -> str:
        positional, named = arguments
        lines = "".join(f"\n    * {each!r}" for each in positional)
        return (
            f"Positional arguments ({len(positional)} total):{lines}\n  Keyword arguments: {named}"
        )

    texts = [f"Option {i + 1}:\n  {listed(each)}" for i, each in enumerate(options)]
    return (
        "Could not find matching concrete function to call loaded from the SavedModel. Got:\n  "
        f"{listed(given)}\n\n Expected these arguments to match one of the following "
        f"{len(options)} option(s):\n\n" + "\n\n".join(texts)
    )


# ---- objects -------------------------------------------------------------------------------


class _Loader:
    """Makes the objects of a saved model.

    Args:
      export_dir: the directory.
      meta_graph: the bytes of its graph.
      objects: what the bytes tell of objects.
    """

    def __init__(self, export_dir: str, meta_graph: bytes, objects: SavedObjects) -> None:
        self._folder = export_dir
        self._objects = objects
        self.message = GraphMessage()
        self._assets: list[str] = []
        for number, value in wire.fields(meta_graph):
            if number == 2:
                self.message = graph_message.decode(wire.message_of(value))
            elif number == 6:
                told = dict(wire.fields(wire.message_of(value)))
                self._assets.append(_inside(wire.text_of(told.get(2, b""))))
        self._constants = {node.name: node for node in self.message.node if node.op == "Const"}
        self._values = self._read_values()
        self._made: dict[int, Any] = {}
        self._handles: dict[int, Any] = {}

    def _read_values(self) -> dict[int, Any]:
        """The values of variables, by the numbers of their objects."""
        path = os.path.join(self._folder, names.VARIABLES_DIRECTORY, names.VARIABLES_FILENAME)
        if not checkpoint_exists(path):
            return {}
        reader = CheckpointReader(path)
        records = object_graph.decode(bytes(reader.get_tensor(_OBJECTS)))
        nodes, pairs, found = self._objects.nodes, [(0, 0)], {}
        seen = {0}
        while pairs:
            number, other = pairs.pop()
            node, record = nodes[number], records[other]
            key = record.attributes.get(object_graph.VALUE)
            if node.kind == "variable" and key is not None and reader.has_tensor(key):
                found[number] = reader.get_tensor(key)
            after: list[tuple[int, int | None]] = [
                (n, record.children.get(name)) for name, n in node.children.items()
            ]
            slots = {(variable, name): slot for variable, name, slot in record.slots}
            for variable, name, slot in node.slots:
                after.append((slot, slots.get((variable, name))))
            for inner, place in after:
                if place is not None and inner not in seen:
                    seen.add(inner)
                    pairs.append((inner, place))
        return found

    def root(self) -> Any:
        """The first object, with all that hangs on it."""
        for number, node in enumerate(self._objects.nodes):
            if node.kind == "variable":
                self.get(number)
        root = self.get(0)
        for number, node in enumerate(self._objects.nodes):
            if node.kind == "resource":
                self._initialize(number)
        return root

    def get(self, number: int) -> Any:
        """The object of a number."""
        if number not in self._made:
            node = self._objects.nodes[number]
            make = getattr(self, f"_{node.kind}", None)
            if make is None:
                raise ValueError(f"An object of a saved model is a {node.kind}, as none here.")
            make(number, node)
        return self._made[number]

    def _variable(self, number: int, node: SavedNode) -> None:
        assert node.dtype is not None and node.shape is not None
        value = self._values.get(number)
        if value is None:
            value = _zeros(node.text, node.shape, node.dtype)
        elif not node.shape.is_compatible_with(value.shape):
            raise ValueError(
                f"The variable '{node.text}' has the shape {node.shape}, and its value "
                f"{TensorShape(value.shape)}."
            )
        with stacks.init_scope():
            self._made[number] = Variable(
                value, trainable=node.trainable, name=node.text or None, dtype=node.dtype
            )

    def _constant(self, number: int, node: SavedNode) -> None:
        found = self._constants.get(node.text)
        if found is None or "value" not in found.attrs:
            raise ValueError(f"The constant '{node.text}' is not in the saved model's graph.")
        with stacks.init_scope():
            self._made[number] = constant(found.attrs["value"])

    def _asset(self, number: int, node: SavedNode) -> None:
        if node.index >= len(self._assets):
            raise ValueError("A saved model names a file that it has not.")
        path = os.path.join(self._folder, names.ASSETS_DIRECTORY, self._assets[node.index])
        with stacks.init_scope():
            self._made[number] = constant(path)

    def _user_object(self, number: int, node: SavedNode) -> None:
        made: Any
        if node.text == "trackable_list_wrapper":
            made = self._made[number] = []
            for _, inner in sorted((int(k), n) for k, n in node.children.items() if k.isdigit()):
                made.append(self.get(inner))
        elif node.text in ("trackable_dict_wrapper", "signature_map"):
            made = self._made[number] = {}
            for name, inner in node.children.items():
                made[name] = self.get(inner)
            if node.text == "signature_map":
                self._made[number] = _SignatureMap(made)
        elif node.text == "trackable_tuple_wrapper":
            kept = sorted((int(k), n) for k, n in node.children.items() if k.isdigit())
            self._made[number] = tuple(self.get(inner) for _, inner in kept)
        else:
            self._fill(number, node)

    def _resource(self, number: int, node: SavedNode) -> None:
        self._fill(number, node)

    def _fill(self, number: int, node: SavedNode) -> None:
        """An object with attributes; one that has a `__call__` can be called."""
        body: dict[str, Any] = {}
        if "__call__" in node.children:
            body["__call__"] = lambda self, *args, **kwargs: vars(self)["__call__"](*args, **kwargs)
        made = self._made[number] = type("_UserObject", (AutoTrackable,), body)()
        for name, inner in node.children.items():
            vars(made)[name] = self.get(inner)

    def _initialize(self, number: int) -> None:
        fill = vars(self._made.get(number, AutoTrackable())).get("_initialize")
        if fill is not None:
            fill()

    def _function(self, number: int, node: SavedNode) -> None:
        makers = []
        for name in node.functions:
            function = self._objects.functions.get(name)
            if function is not None:
                makers.append((function.inputs, lambda name=name: self.graph_of(name)))
        plain = node.functions[0] if node.functions else "function"
        self._made[number] = RestoredFunction(_program_name(plain), makers, node)

    def _bare_concrete_function(self, number: int, node: SavedNode) -> None:
        self._made[number] = self.graph_of(node.text, node.keywords)

    def _captured_tensor(self, number: int, node: SavedNode) -> None:
        self._made[number] = None  # a part of a function's graph, which is made with it

    def graph_of(self, name: str, words: Sequence[str] = ()) -> ConcreteFunction:
        """A function of the library, with what it captured."""
        with naming(self._folder):
            return self._graph_of(name, words)

    def _graph_of(self, name: str, words: Sequence[str]) -> ConcreteFunction:
        told = self._objects.functions.get(name)
        if told is None:
            raise ValueError(f"The saved model does not tell what the function '{name}' takes.")
        specs: list[TensorSpec] = []
        leaf: Any
        for leaf in nest.flatten(told.inputs):
            if isinstance(leaf, TensorSpec):
                specs.append(leaf)
            elif isinstance(leaf, TypeSpec):
                composite: Any = leaf
                specs += composite._component_specs
        own = [
            TensorSpec(spec.shape, spec.dtype, words[i] if i < len(words) else spec.name)
            for i, spec in enumerate(specs)
        ]
        captured = [self._tensor_of(number) for number in told.bound]
        graph = read_function(self.message, name, own, captured, stacks.outermost())
        rest = iter(range(len(graph.outputs)))
        places: list[Any] = []
        leaves: list[Any] = []
        with graph.as_default():
            for leaf in nest.flatten(told.outputs):
                if isinstance(leaf, TensorSpec):
                    places.append(next(rest))  # too few: `naming` tells
                    graph.outputs[places[-1]].set_shape(leaf.shape)
                    leaves.append(graph.outputs[places[-1]])
                elif isinstance(leaf, TypeSpec):
                    spec: Any = leaf
                    places.append(tuple(next(rest) for _ in spec._component_specs))
                    leaves.append(spec._from_components([graph.outputs[i] for i in places[-1]]))
                else:
                    places.append(None)
                    leaves.append(None)
        shown = nest.pack_sequence_as(told.outputs, leaves)
        concrete = ConcreteFunction(graph, told.inputs, shown, places, _program_name(name))
        variables = [self._made.get(number) for number in told.bound]
        graph.variables = concrete.variables = tuple(
            each for each in variables if isinstance(each, Variable)
        )
        return concrete

    def _tensor_of(self, number: int) -> Any:
        """What a function captured: a variable's reference, or a tensor."""
        node = self._objects.nodes[number]
        if node.kind != "resource":
            made = self.get(number)
            made = made._as_ref_tensor() if isinstance(made, Variable) else made
            if not isinstance(made, Tensor):
                raise ValueError(f"A function captured object {number}, a {node.kind}.")
            return made
        if number not in self._handles:
            create = vars(self.get(number)).get("_create_resource")
            if create is None:
                raise ValueError("An object of a saved model does not tell how it is made.")
            with stacks.init_scope():
                self._handles[number] = create()
        return self._handles[number]


def _inside(name: str) -> str:
    """The name of a file of the model.

    Raises:
      ValueError: when it leads out of the model's folder: a function that reads its words from
        such a file would read another one of whoever loads the model.
    """
    if os.path.isabs(name) or os.pardir in name.split("/"):
        raise ValueError(f"The name of a file leads out of the saved model: {name!r}.")
    return name


def _zeros(name: str, shape: TensorShape, dtype: DType) -> np.ndarray:
    """What a variable without a value has.

    Raises:
      ValueError: when it would be so large that a few bytes of a file ask for all memory.
    """
    sizes = [size or 0 for size in shape.as_list()]
    if math.prod(sizes) > _LARGEST_EMPTY:
        raise ValueError(f"The variable '{name}' of shape {shape} has no value.")
    return np.zeros(sizes, dtype.as_numpy_dtype)


def _program_name(name: str) -> str:
    """What a program called a function of the library."""
    plain = name.removeprefix("__inference_")
    return plain.rstrip("0123456789").rstrip("_") or plain


# ---- models of version 1 -------------------------------------------------------------------


def _load_graph(export_dir: str, meta_graph: MetaGraphDef) -> AutoTrackable:
    """A model that has only a graph."""
    loader = SavedModelLoader(export_dir)
    reader = None
    if checkpoint_exists(loader.variables_path):
        reader = CheckpointReader(loader.variables_path)
    nodes = [node for node in meta_graph.graph_def.node if node.op == "VariableV2"]
    holder = VariableHolder()
    variables: dict[str, Variable] = {}
    trainable = meta_graph.collection_def.get("trainable_variables", CollectionDef()).objects
    trained = {str(each.get("variable_name", "")).removesuffix(":0") for each in trainable}
    with stacks.init_scope():
        for node in nodes:
            if reader is not None and reader.has_tensor(node.name):
                value = reader.get_tensor(node.name)
            else:
                value = _zeros(node.name, node.attrs["shape"], node.attrs["dtype"])
            dtype, kept = node.attrs["dtype"], node.name in trained
            made = Variable(value, trainable=kept, name=node.name, dtype=dtype)
            variables[node.name] = made
            holder._all.append(made)

    def build() -> None:
        current: Any = stacks.get_default_graph()
        read = {s for n in meta_graph.graph_def.node for s in n.input}
        instead = {
            name: current.capture(variable._as_ref_tensor())
            for name, variable in variables.items()
            if name in read
        }
        import_graph_def(meta_graph.graph_def, instead, name="")

    whole = wrapped(holder, build, [])
    root = AutoTrackable()
    root.variables = holder.variables  # type: ignore[attr-defined]
    root.graph, root.prune = whole.graph, whole.prune  # type: ignore[attr-defined]
    root.tensorflow_version = "1.15.0"  # type: ignore[attr-defined]
    assets = {
        asset.tensor_info.name: os.path.join(
            export_dir, names.ASSETS_DIRECTORY, _inside(asset.filename)
        )
        for asset in meta_graph.asset_file_def
    }
    _run_initializers(whole, meta_graph, assets)
    signatures = {}
    for key, signature in meta_graph.signature_def.items():
        if key in (names.INIT_OP_SIGNATURE_KEY, names.TRAIN_OP_SIGNATURE_KEY):
            continue
        words = sorted(signature.inputs)
        feeds = [signature.inputs[word].name for word in words]
        fetches = {word: info.name for word, info in signature.outputs.items()}
        function = whole.prune(feeds, fetches, name=key)
        function._keywords = words
        shapes = {
            word: TensorSpec(t.shape, t.dtype, word)
            for word, t in zip(words, function.graph.inputs, strict=False)
        }
        function.structured_input_signature = ((), shapes)
        signatures[key] = function
    root.signatures = _SignatureMap(signatures)  # type: ignore[attr-defined]
    return root


def _run_initializers(
    whole: WrappedFunction, meta_graph: MetaGraphDef, assets: Mapping[str, str]
) -> None:
    """Runs what is to run when the model is loaded."""
    for name in init_ops(meta_graph):
        op = whole.graph.as_graph_element(name)
        op = op if isinstance(op, Operation) else op.op
        whole.prune(list(assets), op)(*(constant(path) for path in assets.values()))


# ---- what programs call --------------------------------------------------------------------


def load_v2(export_dir: Any, tags: Any = None) -> Any:
    """Loads a saved model as objects, for eager execution.

    Args:
      export_dir: the directory.
      tags: what the graph is meant for; needed only when there are several.
    Returns: the object that was saved, with its variables, functions and `signatures`; of a model
      that version 1 wrote an object with `signatures`, `variables`, `graph` and `prune`.
    Raises:
      ValueError: when the model has no graph of these tags, or several and `tags` is None; or when
        its file is torn.
      OSError: when there is no saved model.
    """
    export_dir = os.fsdecode(export_dir)
    tags = [tags] if isinstance(tags, str) else tags
    path = os.path.join(export_dir, names.SAVED_MODEL_FILENAME_PB)
    with naming(path):
        found = _object_graph(path)
        have = _tags(found[0]) if found is not None else []
    if found is not None:
        if tags is not None and set(tags) != set(have):
            raise ValueError(
                f"Got an incompatible argument to `tags`: {tags}. The SavedModel at {export_dir} "
                f"has one MetaGraph with tags {have}. You may omit the argument, pass 'None', or "
                "pass matching tags."
            )
        with naming(path):
            return _Loader(export_dir, *found).root()
    graphs = parse_saved_model(export_dir).meta_graphs
    if tags is None:
        if len(graphs) != 1:
            sets = [list(each.meta_info_def.tags) for each in graphs]
            raise ValueError(
                "Importing a SavedModel with `tf.saved_model.load` requires a `tags=` argument if "
                f"there is more than one MetaGraph. Got `tags=None`, but there are {len(graphs)} "
                f"MetaGraphs in the SavedModel with tag sets: {sets}. Pass a `tags=` argument to "
                "load this SavedModel."
            )
        tags = list(graphs[0].meta_info_def.tags)
    meta = SavedModelLoader(export_dir).get_meta_graph_def_from_tags(tags)
    with naming(path):
        return _load_graph(export_dir, meta)


def _object_graph(path: str) -> tuple[bytes, SavedObjects] | None:
    """The one graph of a model of TensorFlow 2, and its objects; None of others."""
    if not os.path.isfile(path):
        return None
    data = read_bytes(path)
    if data[:1] == b"{":
        return None
    graphs = [value for number, value in wire.fields(data) if number == 2]
    if len(graphs) != 1 or not isinstance(graphs[0], bytes):
        return None
    objects = [value for number, value in wire.fields(graphs[0]) if number == 7]
    if not objects or not isinstance(objects[0], bytes):
        return None
    return graphs[0], SavedObjects.decode(objects[0])


def _tags(meta_graph: bytes) -> list[str]:
    info: Any = dict(wire.fields(meta_graph)).get(1, b"")
    return [
        wire.text_of(value) for number, value in wire.fields(wire.message_of(info)) if number == 4
    ]


def load(sess: Any, tags: Any = None, export_dir: Any = None, *args: Any, **kwargs: Any) -> Any:
    """`tf.saved_model.load`: into a session, or, when the first argument is a path, as objects.

    Both run the `main_op` of the file, whatever that is: load only models that you trust.

    Args:
      sess: a session; or the directory, and then all is as in `load_v2`.
      tags: the tags of the graph.
      export_dir: the directory.
      args, kwargs: `import_scope`, and more arguments of `import_meta_graph`.
    """
    if export_dir is None and isinstance(sess, (str, bytes, os.PathLike)):
        return load_v2(sess, tags)
    if sess is None or not hasattr(sess, "run"):
        raise TypeError(f"A session or the directory of a saved model is wanted, not {sess!r}.")
    return SavedModelLoader(export_dir).load(sess, tags, *args, **kwargs)
