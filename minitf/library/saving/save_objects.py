"""`tf.saved_model.save`: an object with its variables and functions, as TensorFlow 2 writes it.

    saved_model.pb     the functions; what hangs on what; the signatures, as a graph that is served
    variables/         a checkpoint of the objects
    assets/            files that functions read

TensorFlow's `tf.saved_model.load` reads it, and so does `load_v2` here. The graph beside the
functions is for sessions: `tf.saved_model.load(sess, ["serve"], export_dir)`.
"""

from __future__ import annotations

import inspect
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, logging, nest, stacks
from minitf.core.graph.composites import is_composite
from minitf.core.graph.convert import constant
from minitf.core.graph.graph_def import NodeDef
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.variables.variables import Variable
from minitf.library.eager.concrete_function import ConcreteFunction
from minitf.library.eager.function import Function
from minitf.library.eager.type_specs import TensorSpec, type_spec_from_value
from minitf.library.formats import graph_message, wire
from minitf.library.formats.checkpoint_files import write_checkpoint
from minitf.library.formats.file_io import written_aside
from minitf.library.formats.graph_message import FunctionName, GraphMessage
from minitf.library.saving import object_graph
from minitf.library.saving import saved_model_constants as names
from minitf.library.saving.meta_messages import SignatureDef, TensorInfo
from minitf.library.saving.object_graph import Record, slot_names, slot_of
from minitf.library.saving.saved_functions import FunctionWriter
from minitf.library.saving.saved_objects import SavedFunction, SavedNode, SavedObjects
from minitf.library.saving.saver_builder import SaverDef
from minitf.library.saving.tensorflow_messages import write_tensorflow

_OBJECTS = "_CHECKPOINTABLE_OBJECT_GRAPH"
_VERSION = "2.0.0"  # whose format it is
DEFAULT_SIGNATURE = "_default_save_signature"


class Asset:
    """A file that functions read, which is taken along.

    Args:
      path: where it is.

    Example:
      >>> tf.enable_eager_execution()
      >>> tf.saved_model.Asset("/tmp/words.txt").asset_path
      <tf.Tensor: shape=(), dtype=string, numpy=b'/tmp/words.txt'>
    """

    def __init__(self, path: Any) -> None:
        with stacks.init_scope():
            self._path = constant(os.fsdecode(path) if not isinstance(path, Tensor) else path)

    @property
    def asset_path(self) -> Tensor:
        """The path, as a tensor that functions may take."""
        return self._path

    def _checkpoint_children(self) -> dict[str, Any]:
        return {}


@dataclass(frozen=True)
class SaveOptions:
    """How a model is saved.

    Args:
      save_debug_info: accepted; nothing is written for it.
      namespace_whitelist: accepted: operations here have no namespaces.
      function_aliases: accepted.
    """

    save_debug_info: bool = False
    namespace_whitelist: Sequence[str] | None = None
    function_aliases: Mapping[str, Any] | None = None


# ---- what hangs on the object --------------------------------------------------------------


def functions_of(thing: Any) -> dict[str, Any]:
    """The functions of an object: those among its attributes, and methods under `tf.function`."""
    if hasattr(thing, "_saved_functions"):
        return dict(thing._saved_functions())
    if isinstance(thing, (Variable, list, tuple, dict, Asset)):
        return {}
    found: dict[str, Any] = {}
    for name in dir(thing):
        plain = inspect.getattr_static(thing, name, None)
        if isinstance(plain, (Function, ConcreteFunction)):
            found[name] = getattr(thing, name)
    return found


class _View:
    """All that hangs on an object, numbered; a checkpoint and a saved model have the same numbers.

    Args:
      root: the object.
      signatures: the functions that are served.
    """

    def __init__(self, root: Any, signatures: Mapping[str, ConcreteFunction]) -> None:
        self.objects: list[Any] = [root]
        self.children: list[dict[str, int]] = []
        self.functions: list[dict[str, Any]] = []
        self.paths = [""]
        self._numbers = {id(root): 0}
        for number, thing in enumerate(self.objects):  # which grow meanwhile
            own = {} if isinstance(thing, (Function, ConcreteFunction, _Signatures)) else (
                object_graph.children(thing)
            )  # fmt: skip
            own |= (
                functions_of(thing) if not isinstance(thing, (Function, ConcreteFunction)) else {}
            )
            own.pop("signatures", None)
            if number == 0 and signatures:
                own["signatures"] = _Signatures(signatures)
            if isinstance(thing, _Signatures):
                own = dict(thing.functions)
            self.children.append(
                {name: self._number(number, name, part) for name, part in own.items()}
            )

        self.slots: list[tuple[int, int, str, int]] = []  # optimizer, variable, name, slot
        variables = [(n, each) for n, each in enumerate(self.objects) if isinstance(each, Variable)]
        for number, thing in enumerate(list(self.objects)):
            for name in slot_names(thing):
                for each, variable in variables:
                    slot = slot_of(thing, variable, name)
                    if slot is not None:
                        path = f"{self.paths[each]}/.OPTIMIZER_SLOT/{self.paths[number]}/{name}"
                        self.slots.append((number, each, name, self.add(slot, path)))

    def _number(self, parent: int, name: str, thing: Any) -> int:
        if id(thing) not in self._numbers:
            self._numbers[id(thing)] = len(self.objects)
            self.objects.append(thing)
            path, own = self.paths[parent], object_graph._escaped(name)
            self.paths.append(f"{path}/{own}" if path else own)
        return self._numbers[id(thing)]

    def add(self, thing: Any, path: str = "") -> int:
        """The number of a thing that hangs on nothing by a name, such as a constant."""
        self._numbers[id(thing)] = len(self.objects)
        self.objects.append(thing)
        self.children.append({})
        self.paths.append(path)
        return len(self.objects) - 1


class _Signatures:
    """The functions that are served, as an object of its own."""

    def __init__(self, functions: Mapping[str, ConcreteFunction]) -> None:
        self.functions = functions


# ---- signatures ----------------------------------------------------------------------------


def _concrete(function: Any) -> ConcreteFunction | None:
    if isinstance(function, ConcreteFunction):
        return function
    if isinstance(function, Function) and function.input_signature is not None:
        return function.get_concrete_function()
    return None


def _found_signature(root: Any) -> dict[str, Any]:
    """What is served when the caller does not say: the only function that can be."""
    functions = functions_of(root)
    if DEFAULT_SIGNATURE in functions:
        return {names.DEFAULT_SERVING_SIGNATURE_DEF_KEY: functions[DEFAULT_SIGNATURE]}
    possible = []
    for function in functions.values():
        concrete = _concrete(function)
        if concrete is not None and _is_flat(concrete):
            possible.append(concrete)
    return {names.DEFAULT_SERVING_SIGNATURE_DEF_KEY: possible[0]} if len(possible) == 1 else {}


def _is_flat(concrete: ConcreteFunction) -> bool:
    args, kwargs = concrete.structured_input_signature
    if not all(isinstance(each, TensorSpec) for each in (*args, *kwargs.values())):
        return False
    try:
        _named_outputs(concrete.structured_outputs, "")
    except ValueError:
        return False
    return True


def _named_outputs(outputs: Any, key: str) -> dict[str, Any]:
    """Results as a dictionary of tensors.

    Raises:
      ValueError: when one of them is no tensor.
    """
    if isinstance(outputs, Mapping):
        named = dict(outputs)
    else:
        listed = outputs if isinstance(outputs, (list, tuple)) else [outputs]
        named = {f"output_{place}": each for place, each in enumerate(listed)}
    for name, each in named.items():
        if not isinstance(name, str):
            raise ValueError(
                f"Got a dictionary with a non-string key {name!r} in the output of the function "
                f"used to generate the SavedModel signature {key!r}."
            )
        if not isinstance(each, Tensor):
            raise ValueError(
                f"Got a non-Tensor value {each!r} for key {name!r} in the output of the function "
                f"used to generate the SavedModel signature {key!r}. Outputs for functions used "
                "as signatures must be a single Tensor, a sequence of Tensors, or a dictionary "
                "from string to Tensor."
            )
    return named


def _canonical(signatures: Any) -> dict[str, ConcreteFunction]:
    """The signatures as functions from named tensors to named tensors.

    Raises:
      ValueError: when one can be none.
    """
    if isinstance(signatures, (Function, ConcreteFunction)) or not isinstance(signatures, Mapping):
        signatures = {names.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signatures}
    made: dict[str, ConcreteFunction] = {}
    for key, given in signatures.items():
        concrete = _concrete(given)
        if concrete is None:
            raise ValueError(
                f"Expected a TensorFlow function to generate a signature for, but got {given}. "
                "Only `tf.functions` with an input signature or concrete functions can be used "
                "as a signature."
            )
        _named_outputs(concrete.structured_outputs, key)
        own = [t for t in concrete.graph.inputs if concrete.graph.outside_of(t) is None]
        words = [t.op.name.split("/")[-1] for t in own]
        specs = {w: TensorSpec(t.shape, t.dtype, w) for w, t in zip(words, own, strict=True)}
        made[key] = _wrapped(concrete, words, key).get_concrete_function(
            **{word: specs[word] for word in sorted(specs)}
        )
    return made


def _wrapped(concrete: ConcreteFunction, words: Sequence[str], key: str) -> Function:
    def signature_wrapper(**kwargs: Any) -> dict[str, Any]:
        results = concrete.call_and_pack([kwargs[word] for word in words])
        return _named_outputs(results, key)

    return Function(signature_wrapper, "signature_wrapper", autograph=False)


# ---- writing -------------------------------------------------------------------------------


class _Saver:
    """Writes one object.

    Args:
      root: the object.
      signatures: the functions that are served.
      folder: where to.
    """

    def __init__(self, root: Any, signatures: Mapping[str, ConcreteFunction], folder: str) -> None:
        self._folder = folder
        self._signatures = signatures
        self.message = GraphMessage()
        self.objects = SavedObjects()
        self._taken: dict[str, int] = {}
        self._graphs: dict[int, str] = {}  # the names of functions, by their identity
        self._captured: dict[int, int] = {}  # numbers of constants
        self._constants: dict[int, tuple[str, Any]] = {}
        self._files: list[tuple[str, str]] = []  # name, node
        listed: dict[int, list[ConcreteFunction]] = {}
        self.view = _View(root, signatures)
        while True:  # functions with a signature are traced here, and may make variables
            before = len(self.view.objects)
            for thing in self.view.objects:
                if isinstance(thing, Function):
                    if thing.input_signature is not None:
                        thing.get_concrete_function()
                    listed[id(thing)] = thing._list_all_concrete_functions_for_serialization()
            again = _View(root, signatures)
            if len(again.objects) == before:
                break
            self.view = again
        self._listed = listed
        self._variables = {
            id(_reference(thing)): number
            for number, thing in enumerate(self.view.objects)
            if isinstance(thing, Variable)
        }
        self._keys: dict[int, str] = {}

    def _free(self, wanted: str) -> str:
        count = self._taken.get(wanted, 0)
        self._taken[wanted] = count + 1
        return self._free(f"{wanted}_{count}") if count else wanted

    # ---- functions -------------------------------------------------------------------------

    def _function(self, concrete: ConcreteFunction) -> str | None:
        """Adds a function to the library; returns its name there, None when it cannot be told."""
        known = self._graphs.get(id(concrete))
        if known is not None:
            return known
        name = f"__inference_{concrete.name.strip('<>') or 'function'}_{len(self._graphs)}"
        graph = concrete.graph
        own = [t for t in graph.inputs if graph.outside_of(t) is None]
        bound = [self._bound(outside, concrete) for outside, _ in graph.captures]
        specs = nest.map_structure(_spec_of_result, concrete.structured_outputs)
        told = SavedFunction(bound, concrete.structured_input_signature, specs)
        try:
            told_bytes = SavedObjects([], {name: told}).encode()
        except TypeError as error:
            logging.warning("A graph of the function %s is left out: %s", concrete.name, error)
            return None
        assert told_bytes
        words: list[str] = []
        for t in own:
            word = t.op.name.split("/")[-1].lower()
            words.append(word if word not in words else f"{word}_{len(words)}")
        FunctionWriter(graph, self.message).written(name, words, concrete.output_count)
        self.objects.functions[name] = told
        self._graphs[id(concrete)] = name
        return name

    def _bound(self, outside: Any, concrete: ConcreteFunction) -> int:
        """The number of what a function captured.

        Raises:
          AssertionError: when it hangs on nothing that is saved.
        """
        number = self._variables.get(id(outside), self._captured.get(id(outside)))
        if number is not None:
            return number
        if outside.dtype._is_ref_dtype or outside.dtype in (dtypes.resource, dtypes.variant):
            raise AssertionError(
                f"Tried to export a function which references untracked object {outside!r}. "
                "TensorFlow objects (e.g. tf.Variable) captured by functions must be tracked by "
                "assigning them to an attribute of a tracked object or assigned to an attribute "
                f"of the main object directly. The function is {concrete.name!r}."
            )
        for place, thing in enumerate(self.view.objects):
            if isinstance(thing, Asset) and thing.asset_path is outside:
                return place
        number = self._captured[id(outside)] = self.view.add(outside)
        self._constants[number] = self._free("Const"), np.asarray(outside.numpy())
        return number

    # ---- objects ---------------------------------------------------------------------------

    def nodes(self) -> None:
        """Describes the objects; functions go to the library meanwhile."""
        for thing in list(self.view.objects):
            if isinstance(thing, Function):
                for concrete in self._listed[id(thing)]:
                    self._function(concrete)
            elif isinstance(thing, ConcreteFunction):
                self._function(thing)
        for number, thing in enumerate(self.view.objects):
            self.objects.nodes.append(self._node(number, thing))
        for number, variable, name, slot in self.view.slots:
            self.objects.nodes[number].slots.append((variable, name, slot))
            self.objects.nodes[number].text = "optimizer"

    def _node(self, number: int, thing: Any) -> SavedNode:
        children = dict(self.view.children[number])
        if isinstance(thing, Variable):
            name = thing._shared_name
            return SavedNode(
                "variable", text=name, dtype=thing.dtype.base_dtype, shape=as_shape(thing.shape),
                trainable=bool(thing.trainable),
            )  # fmt: skip
        if isinstance(thing, Function):
            return self._function_node(thing)
        if isinstance(thing, ConcreteFunction):
            words = [w.op.name.split("/")[-1] for w in self._own(thing)]
            if any(thing is each for each in self._signatures.values()):
                words = sorted(words)
            name = self._graphs.get(id(thing), "")
            count = len(words)
            return SavedNode(
                "bare_concrete_function", text=name, keywords=words, positional=count
            )  # fmt: skip
        if isinstance(thing, Asset):
            return SavedNode("asset", index=self._take(thing))
        if number in self._constants:
            return SavedNode("constant", text=self._constants[number][0])
        kinds: dict[type, str] = {
            _Signatures: "signature_map",
            list: "trackable_list_wrapper",
            tuple: "trackable_tuple_wrapper",
            dict: "trackable_dict_wrapper",
        }
        text = next((t for kind, t in kinds.items() if isinstance(thing, kind)), "")
        return SavedNode("user_object", children, text or "_generic_user_object")

    @staticmethod
    def _own(concrete: ConcreteFunction) -> list[Tensor]:
        return [t for t in concrete.graph.inputs if concrete.graph.outside_of(t) is None]

    def _function_node(self, function: Function) -> SavedNode:
        program = function.python_function
        spec = inspect.getfullargspec(program)
        args = list(spec.args)
        if (
            inspect.ismethod(program)
            and args[:1]
            and len(args) > len(inspect.signature(program).parameters)
        ):
            args = args[1:]
        spec = spec._replace(args=args, annotations={})
        found = (self._graphs.get(id(each)) for each in self._listed[id(function)])
        return SavedNode(
            "function", functions=[name for name in found if name], spec=spec,
            input_signature=function.input_signature,
        )  # fmt: skip

    def _take(self, asset: Asset) -> int:
        """Copies a file; returns its place among the files."""
        source = asset.asset_path.numpy().decode()  # type: ignore[attr-defined]
        folder = os.path.join(self._folder, names.ASSETS_DIRECTORY)
        os.makedirs(folder, exist_ok=True)
        base = os.path.basename(source)
        name, count = base, 0
        while any(name == each for each, _ in self._files):
            count += 1
            name = f"{base}_{count}"
        shutil.copyfile(source, os.path.join(folder, name))
        node = self._free("asset_path")
        self.message.node.append(_const(node, np.array(source.encode(), object)))
        self._files.append((name, node))
        return len(self._files) - 1

    # ---- variables -------------------------------------------------------------------------

    def checkpoint(self) -> None:
        """Writes the variables, and how they hang on the object."""
        records, values = [], {}
        for number, thing in enumerate(self.view.objects):
            record = Record(children=dict(self.view.children[number]))
            if isinstance(thing, Variable):
                key = f"{self.view.paths[number]}/.ATTRIBUTES/{object_graph.VALUE}"
                record.attributes[object_graph.VALUE] = self._keys[number] = key
                record.full_name = thing._shared_name
                values[key] = thing.numpy()  # type: ignore[attr-defined]
            record.slots = list(self.objects.nodes[number].slots)
            records.append(record)
        path = os.path.join(self._folder, names.VARIABLES_DIRECTORY, names.VARIABLES_FILENAME)
        listed = [_OBJECTS, *values]
        contents = [object_graph.encode(records), *values.values()]
        write_checkpoint(path, listed, [""] * len(listed), contents)

    # ---- the graph for sessions --------------------------------------------------------------

    def graph(self) -> tuple[dict[str, SignatureDef], SaverDef]:
        """Adds the graph that is served: variables, signatures, and what restores them."""
        nodes = self.message.node
        for name, value in self._constants.values():
            nodes.append(_const(name, value))
        handles: dict[int, str] = {}
        for number in self._variables.values():
            thing = self.view.objects[number]
            handles[number] = name = self._free(thing._shared_name)
            attr: dict[str, Any] = {
                "dtype": thing.dtype.base_dtype, "shape": as_shape(thing.shape),
                "shared_name": name.encode(), "container": b"",
            }  # fmt: skip
            nodes.append(NodeDef(name, "VarHandleOp", attrs=attr))
            read = {"dtype": thing.dtype.base_dtype}
            nodes.append(
                NodeDef(f"{name}/Read/ReadVariableOp", "ReadVariableOp", [name], attrs=read)
            )
        signatures = {}
        for key, concrete in self._signatures.items():
            signatures[key] = self._signature(key, concrete, handles)
        nodes.append(NodeDef("NoOp", "NoOp"))
        start = SignatureDef(outputs={names.INIT_OP_SIGNATURE_KEY: TensorInfo("NoOp")})
        signatures[names.INIT_OP_SIGNATURE_KEY] = start
        return signatures, self._saver(handles)

    def _signature(
        self, key: str, concrete: ConcreteFunction, handles: Mapping[int, str]
    ) -> SignatureDef:
        name = self._graphs[id(concrete)]
        function = self.message.library[name]
        inputs: dict[str, TensorInfo] = {}
        given: list[str] = []
        for tensor in self._own(concrete):
            word = tensor.op.name.split("/")[-1]
            node = self._free(f"{key}_{word}")
            attr: dict[str, Any] = {"dtype": tensor.dtype, "shape": tensor.shape}
            self.message.node.append(NodeDef(node, "Placeholder", attrs=attr))
            inputs[word] = _info(node, tensor)
            given.append(node)
        for number in self.objects.functions[name].bound:
            node_ = self.objects.nodes[number]
            if node_.kind == "asset":
                given.append(self._files[node_.index][1])
            else:
                given.append(handles.get(number) or self._constants[number][0])
        call = self._free("StatefulPartitionedCall")
        attr = {
            "f": FunctionName(name),
            "Tin": tuple(function.inputs.values()),
            "Tout": tuple(function.outputs.values()),
            "config": b"", "config_proto": b"", "executor_type": b"",
        }  # fmt: skip
        self.message.node.append(NodeDef(call, "StatefulPartitionedCall", given, attrs=attr))
        results = concrete.structured_outputs
        outputs = {
            word: _info(f"{call}:{place}", results[word])
            for place, word in enumerate(sorted(results))
        }
        return SignatureDef(inputs, outputs, names.PREDICT_METHOD_NAME)

    def _saver(self, handles: Mapping[int, str]) -> SaverDef:
        nodes = self.message.node
        keys = [self._keys[number] for number in handles]
        types = tuple(self.view.objects[number].dtype.base_dtype for number in handles)
        file = self._free("saver_filename")
        attr: dict[str, Any] = {"dtype": dtypes.string, "shape": TensorShape(None)}
        nodes.append(NodeDef(file, "Placeholder", attrs=attr))
        listed = [_texts("save/names", keys), _texts("save/slices", [""] * len(keys))]
        nodes += listed
        reads = [f"{name}/Read/ReadVariableOp" for name in handles.values()]
        given = [file, *(each.name for each in listed)]
        waits = []
        if keys:
            nodes.append(
                NodeDef("save/SaveV2", "SaveV2", [*given, *reads], attrs={"dtypes": types})
            )
            nodes.append(NodeDef("save/RestoreV2", "RestoreV2", given, attrs={"dtypes": types}))
            waits = ["^save/SaveV2"]
        attr = {"T": dtypes.string}
        nodes.append(NodeDef("save/control_dependency", "Identity", [file, *waits], attrs=attr))
        changes = []
        for place, (handle, dtype) in enumerate(zip(handles.values(), types, strict=True)):
            change, source = f"save/Assign_{place}", f"save/RestoreV2:{place}"
            source = source.removesuffix(":0")
            attr = {"dtype": dtype, "validate_shape": False}
            nodes.append(NodeDef(change, "AssignVariableOp", [handle, source], attrs=attr))
            changes.append(f"^{change}")
        nodes.append(NodeDef("save/restore_all", "NoOp", changes))
        return SaverDef(f"{file}:0", "save/control_dependency:0", "save/restore_all")

    def write(self) -> None:
        """Writes all files."""
        self.nodes()
        self.checkpoint()
        signatures, saver = self.graph()
        info = wire.field(4, names.SERVING.encode()) + wire.field(5, _VERSION.encode())
        parts = [
            wire.field(1, info),
            wire.field(2, graph_message.encode(self.message)),
            wire.field(3, write_tensorflow(saver, {})),
        ]
        for key, signature in signatures.items():
            entry = wire.field(1, key.encode()) + wire.field(2, write_tensorflow(signature, {}))
            parts.append(wire.field(5, entry))
        for name, node in self._files:
            tensor = wire.field(1, f"{node}:0".encode())
            parts.append(wire.field(6, wire.field(1, tensor) + wire.field(2, name.encode())))
        parts.append(wire.field(7, self.objects.encode()))
        content = wire.field(1, names.SAVED_MODEL_SCHEMA_VERSION) + wire.field(2, b"".join(parts))
        with written_aside(os.path.join(self._folder, names.SAVED_MODEL_FILENAME_PB)) as file:
            file.write(content)


def _reference(variable: Any) -> Any:
    return variable._as_ref_tensor()


def _spec_of_result(leaf: Any) -> Any:
    if leaf is None:
        return None
    if is_composite(leaf):
        return type_spec_from_value(leaf)
    return TensorSpec(leaf.shape, leaf.dtype)


def _info(name: str, tensor: Any) -> TensorInfo:
    shape = tensor.shape
    sizes = None if shape.ndims is None else shape.as_list()
    return TensorInfo(name if ":" in name else f"{name}:0", tensor.dtype.enum_name, sizes)


def _const(name: str, value: np.ndarray) -> NodeDef:
    return NodeDef(name, "Const", attrs={"dtype": dtypes.as_dtype(value.dtype), "value": value})


def _texts(name: str, texts: Sequence[str]) -> NodeDef:
    value = np.empty(len(texts), object)
    value[:] = [text.encode() for text in texts]
    return _const(name, value)


def save(
    obj: Any, export_dir: Any, signatures: Any = None, options: SaveOptions | None = None
) -> None:
    """Saves an object with its variables and its functions, for eager execution.

    Of a function is saved what was traced; one with an `input_signature` is traced here.

    Args:
      obj: the object: a `tf.Module`, a Keras model, a `tf.train.Checkpoint`.
      export_dir: a directory.
      signatures: what is served: a function, or several by name; by default the only function
        that can be, or what a Keras model computes.
      options: accepted.
    Raises:
      ValueError: when nothing can hang on the object, or a signature is none.
      AssertionError: when a function uses a variable that does not hang on the object, or inside
        of a function.
      NotImplementedError: in a graph.
    Example:
      >>> tf.enable_eager_execution()
      >>> model = tf.Module()
      >>> model.v = tf.Variable(2.0)
      >>> model.f = tf.function(
      ...     lambda x: x + model.v, input_signature=[tf.TensorSpec([], tf.float32)]
      ... )
      >>> tf.saved_model.save(model, "/tmp/added")
      >>> tf.saved_model.load_v2("/tmp/added").signatures["serving_default"](x=tf.constant(1.0))
      {'output_0': <tf.Tensor: shape=(), dtype=float32, numpy=3.0>}
    """
    if not stacks.executing_eagerly():
        if stacks.outermost().runs_at_once:
            raise AssertionError(
                "`tf.saved_model.save` is not supported inside a traced @tf.function. Move the "
                "call to the outer eagerly-executed context."
            )
        raise NotImplementedError(
            "tf.saved_model.save needs eager execution; a graph is saved by "
            "tf.saved_model.builder.SavedModelBuilder or tf.saved_model.simple_save."
        )
    if isinstance(obj, Function) or not (object_graph.is_trackable(obj) or functions_of(obj)):
        raise ValueError(f"Expected a Trackable object for export, got {obj}.")
    folder = os.fsdecode(export_dir)
    canonical = _canonical(_found_signature(obj) if signatures is None else signatures)
    os.makedirs(folder, exist_ok=True)
    _Saver(obj, canonical, folder).write()
