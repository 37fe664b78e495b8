"""How the layers of a functional model are joined: as a map, as data, and as a table.

    a ── dense ──> b ──┐
                       ├── add ──> c        depth: add 0, dense 1, the inputs 2
    a ─────────────────┘

A call's depth is its longest way to an output. Calls run from the deepest up, and the layers of a
model are listed in this order. As data, which JSON and HDF5 files of Keras hold, it is

    {"name": "model", "layers": [
        {"name": "dense", "class_name": "Dense", "config": {...},
         "inbound_nodes": [[["input_1", 0, 0, {}]]]}, ...],        a list for each call:
     "input_layers": [["input_1", 0, 0]],                           layer, which call, which output,
     "output_layers": [["dense", 0, 0]]}                            and other arguments

Numbers of calls count only those of this model.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import nest
from minitf.core.graph.dtypes import DType
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.library.formats.file_io import NONSENSE
from minitf.library.keras.engine.base_layer import LAYERS, Layer
from minitf.library.keras.engine.calls import Node, history_of
from minitf.library.keras.objects import deserialize_keras_object, serialize_keras_object

# ---- the map -------------------------------------------------------------------------------------


def refuse_legacy(layers: Iterable[Any]) -> None:
    """Raises unless all layers are Keras's own.

    Raises:
      TypeError: when some are of `tf.layers`, whose variables belong to variable scopes.
    """
    found = "\n".join(f"  {layer}" for layer in layers if layer._is_legacy_layer)
    if found:
        raise TypeError(
            f"The following are legacy tf.layers.Layers:\n{found}\nTo use keras as a framework "
            "(for instance using the Network, Model, or Sequential classes), please use the "
            "tf.keras.layers implementation instead. (Or, if writing custom layers, subclass "
            "from tf.keras.layers rather than tf.layers)"
        )


def node_of(tensor: Any) -> Node:
    """The call that gave a tensor."""
    layer, node_index, _ = tensor._keras_history
    return layer._inbound_nodes[node_index]


def source_inputs(tensor: Any) -> list[Any]:
    """The tensors of the `Input`s that a tensor is computed from, in the order of its inputs."""
    found: dict[int, Any] = {}
    waiting, seen = [tensor], set()
    while waiting:
        each = waiting.pop()
        node = node_of(each)
        if node.is_input:
            found[id(each)] = each
        elif node not in seen:
            seen.add(node)
            waiting += reversed([inner for _, inner in node.iterate_inbound()])
    return list(found.values())


class Map:
    """What stands between inputs and outputs.

    Attributes:
      by_depth: the calls, the deepest first.
      layers: the layers, in the order in which they run.

    Raises:
      ValueError: when an output needs more than the inputs, or two layers have one name.
    """

    def __init__(self, inputs: list[Any], outputs: list[Any]) -> None:
        met, finished = _walk(outputs)
        order: dict[Any, int] = {}
        for node in met:
            order.setdefault(node.outbound_layer, len(order))
        depths: dict[Node, int] = {}
        layer_depths: dict[Any, int] = {}
        for node in reversed(finished):
            depth = max(depths.get(node, 0), layer_depths.get(node.outbound_layer, 0))
            depths[node] = layer_depths[node.outbound_layer] = depth
            for parent in node.parents:
                depths[parent] = max(depth + 1, depths.get(parent, 0))
        for tensor in inputs:  # an input that no output needs
            node = node_of(tensor)
            if node.outbound_layer not in layer_depths:
                depths[node] = layer_depths[node.outbound_layer] = 0
                order[node.outbound_layer] = -1
        self.nodes = set(depths)
        self.by_depth: dict[int, list[Node]] = {}
        for depth in sorted(set(depths.values()), reverse=True):
            self.by_depth[depth] = [node for node, each in depths.items() if each == depth]
        self.layers = sorted(layer_depths, key=lambda x: (-layer_depths[x], order[x]))
        self._check(inputs)

    def _check(self, inputs: list[Any]) -> None:
        known = {id(tensor) for tensor in inputs}
        passed: list[str] = []
        for nodes in self.by_depth.values():
            for node in nodes:
                name = node.outbound_layer.name
                for tensor in nest.flatten(node.input_tensors):
                    if id(tensor) not in known:
                        raise ValueError(
                            f"Graph disconnected: cannot obtain value for tensor {tensor} at layer "
                            f'"{name}". The following previous layers were accessed without issue: '
                            f"{passed}"
                        )
                known.update(map(id, nest.flatten(node.output_tensors)))
                passed.append(name)
        for name, count in Counter(layer.name for layer in self.layers).items():
            if count > 1:
                raise ValueError(
                    f'The name "{name}" is used {count} times in the model. All layer names should '
                    "be unique."
                )


def _walk(outputs: list[Any]) -> tuple[list[Node], list[Node]]:
    """The calls before some tensors, depth first: as they are met, and after those before them."""
    met: dict[Node, None] = {}
    finished: dict[Node, None] = {}
    waiting = [(node_of(t), False) for t in reversed(outputs)]
    while waiting:
        node, ready = waiting.pop()
        if ready:
            finished[node] = None
        elif node not in met:
            met[node] = None
            waiting.append((node, True))
            waiting += [(parent, False) for parent in reversed(node.parents)]
    return list(met), list(finished)


def check_histories(tensors: list[Any], message: str) -> None:
    """Refuses tensors of which nobody knows where they come from.

    Raises:
      ValueError: when there is one; the message has "{}" where it stands.
    """
    for tensor in tensors:
        if history_of(tensor) is None:
            raise ValueError(message.format(tensor))


def plain(value: Any) -> Any:
    """What JSON has no word for, in its words; for `json.dumps(..., default=plain)`.

    Raises:
      TypeError: when there is no way to say it.
    """
    if hasattr(value, "get_config"):
        return {"class_name": type(value).__name__, "config": value.get_config()}
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, TensorShape):
        return value.as_list() if value.ndims is not None else None
    if isinstance(value, DType):
        return value.name
    if callable(value) and hasattr(value, "__name__"):
        return value.__name__
    if hasattr(value, "value"):  # a Dimension
        return value.value
    raise TypeError(f"Not JSON Serializable: {value!r}")


def deserialize_layer(config: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """Makes a layer or a model from {"class_name": ..., "config": ...}.

    Raises:
      ValueError: when there is no such class, or it cannot be made so.
    """
    try:
        return deserialize_keras_object(config, LAYERS, custom_objects, "layer")
    except NONSENSE as error:
        name = config.get("class_name")
        raise ValueError(f"Improperly formatted config of a {name}: {error!r}") from error


# ---- to data -----------------------------------------------------------------------------


def network_config(network: Any, losses: Sequence[Any] = ()) -> dict[str, Any]:
    """The layers of a functional network and how they are joined, as data.

    Args:
      network: the network.
      losses: those that come from the inputs are written, with the layers that compute them.

    Raises:
      TypeError: when a layer was called with an argument that cannot be written.
    """
    losses = [loss for loss in losses if history_of(loss) is not None]
    numbers: dict[Node, int] = {}
    found = Map(network.inputs, [*network.outputs, *losses])
    for layer in found.layers:
        kept = int(own_node(layer))
        for node in layer._inbound_nodes:
            if node in found.nodes:
                numbers[node] = kept
                kept += 1

    def place(tensor: Any) -> list:
        layer, index, output = tensor._keras_history
        return [layer.name, numbers.get(layer._inbound_nodes[index], 0), output]

    layers = []
    for layer in found.layers:
        nodes = [n for n in layer._inbound_nodes if n in found.nodes and not n.is_input]
        layers.append(
            {
                **serialize_keras_object(layer),
                "name": layer.name,
                "inbound_nodes": [_node_config(node, place) for node in nodes],
            }
        )
    for number, loss in enumerate(losses):
        name = f"add_loss_{number}" if number else "add_loss"
        part = {"class_name": "AddLoss", "config": {"name": name, "unconditional": False}}
        layers.append({**part, "name": name, "inbound_nodes": [[[*place(loss), {}]]]})
    return {
        "name": network.name,
        "layers": layers,
        "input_layers": _listed(nest.map_structure(place, network._nested_inputs)),
        "output_layers": _listed(nest.map_structure(place, network._nested_outputs)),
    }


def _node_config(node: Node, place: Callable[[Any], list]) -> Any:
    def written(value: Any) -> Any:
        if history_of(value) is not None:
            return place(value)
        return np.asarray(value).tolist() if isinstance(value, np.ndarray) else value

    arguments = nest.map_structure(written, node.arguments)
    try:
        json.dumps(arguments, default=plain)
    except TypeError:
        raise TypeError(
            f"Layer {node.outbound_layer.name} was passed non-JSON-serializable arguments. "
            f"Arguments had types: {nest.map_structure(type, node.arguments)}. They cannot be "
            "serialized out when saving the model."
        ) from None
    inputs = nest.map_structure(lambda t: [*place(t), arguments], node.input_tensors)
    return inputs if isinstance(node.input_tensors, (list, tuple, dict)) else [inputs]


def _listed(places: Any) -> Any:
    """One place alone stands in a list, as several do."""
    return [places] if isinstance(places, list) and isinstance(places[0], str) else places


def own_node(layer: Any) -> bool:
    """Whether the first call of a layer is none: a functional network notes its own tensors so."""
    return getattr(layer, "_is_graph_network", False)


# ---- from data ---------------------------------------------------------------------------


class Rebuilt:
    """The layers of a configuration, made anew and called as it says.

    Args:
      config: what `network_config` returned.
      make: makes a layer from its part of it.
      inputs: by the name of an input's layer the tensor to take in its place.

    Attributes:
      inputs, outputs: the tensors, in the structure of the configuration.
      layers: by name.
      results: of the calls, by the layer's name and the number of the call.

    Raises:
      ValueError: when it is not of that form, or a call waits for one that never comes.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        make: Callable[[Mapping[str, Any]], Layer],
        inputs: Mapping[str, Any] | None = None,
    ) -> None:
        self.layers: dict[str, Layer] = {}
        self.results: dict[tuple[str, int], list[Any]] = {}
        waiting: dict[str, list[Any]] = {}
        for part in config["layers"]:
            name = part["name"]
            if name in (inputs or {}):
                tensor = (inputs or {})[name]
                self.layers[name] = tensor._keras_history.layer
                self.results[name, 0] = [tensor]
                continue
            layer = self.layers[name] = make(part)
            if layer._is_input:
                self.results[name, 0] = nest.flatten(layer._inbound_nodes[0].output_tensors)
            waiting[name] = [_places(node) for node in part["inbound_nodes"]]
        self._first = {name: int(own_node(layer)) for name, layer in self.layers.items()}
        while any(waiting.values()):
            before = sum(map(len, waiting.values()))
            for name, calls in waiting.items():
                while calls and self._call(name, calls[0]):
                    calls.pop(0)
            if sum(map(len, waiting.values())) == before:
                stuck = [name for name, calls in waiting.items() if calls]
                raise ValueError(f"Improperly formatted model config: {stuck} wait for each other.")
        self.inputs = self._tensors(_places(config["input_layers"]))
        self.outputs = self._tensors(_places(config["output_layers"]))

    def given(self, part: Mapping[str, Any]) -> Any:
        """What the first call of a layer is called on."""
        return self._tensors(_places(part["inbound_nodes"][0]))

    def _call(self, name: str, places: Any) -> bool:
        """Calls a layer, unless the results that it is called on are not there yet."""
        try:
            inputs = self._tensors(places)
            flat = nest.flatten(places)
            arguments = flat[0].data[3] if len(flat[0].data) > 3 else {}
            arguments = {key: self._argument(value) for key, value in arguments.items()}
        except KeyError:
            return False
        if isinstance(inputs, list) and len(inputs) == 1:
            inputs = inputs[0]
        results = self.layers[name](inputs, **arguments)
        self.results[name, self._first[name]] = nest.flatten(results)
        self._first[name] += 1
        return True

    def _tensors(self, places: Any) -> Any:
        return nest.map_structure(self._tensor, places)

    def _tensor(self, place: _Leaf) -> Tensor:
        name, call, output = place.data[:3]
        if name not in self.layers:
            raise ValueError(f"Improperly formatted model config: there is no layer {name!r}.")
        return self.results[name, call][output]

    def _argument(self, value: Any) -> Any:
        if _is_place(value) and value[0] in self.layers:
            return self._tensor(_Leaf(value))
        return value


class _Leaf:
    """A place [layer, call, output, arguments], which `nest` does not take apart."""

    def __init__(self, data: list) -> None:
        self.data = data


def _is_place(value: Any) -> bool:
    return (
        isinstance(value, (list, tuple))
        and len(value) in (3, 4)
        and isinstance(value[0], str)
        and all(isinstance(number, int) for number in value[1:3])
    )


def _places(structure: Any) -> Any:
    """A structure of places, each of which is a leaf."""
    if _is_place(structure):
        return _Leaf(structure)
    if isinstance(structure, Mapping):
        return {key: _places(value) for key, value in structure.items()}
    if isinstance(structure, (list, tuple)):
        return [_places(each) for each in structure]
    raise ValueError(f"Improperly formatted model config: {structure!r}")


# ---- the table -----------------------------------------------------------------------------------


_COLUMNS = ["Layer (type)", "Output Shape", "Param #", "Connected to"]


def is_sequence(model: Any) -> bool:
    """Whether each layer of a model feeds the next one, so that no connections need be shown."""
    if type(model).__name__ == "Sequential" or not model._is_graph_network:
        return True
    levels = list(model._nodes_by_depth.values())
    if any(len(nodes) > 1 or len(nest.flatten(nodes[0].inbound_layers)) > 1 for nodes in levels):
        return False
    nodes = {node for level in levels for node in level}
    return all(sum(node in nodes for node in x._inbound_nodes) <= 1 for x in model.layers)


def count_params(weights: Sequence[Any]) -> int:
    """How many numbers some variables hold, each counted once."""
    return sum(v.shape.num_elements() or 0 for v in {id(v): v for v in weights}.values())


def print_summary(
    model: Any,
    line_length: int | None = None,
    positions: Sequence[float] | None = None,
    print_fn: Callable[[str], Any] | None = None,
) -> None:
    """Prints the layers of a model.

    Args:
      model: the model, which is built.
      line_length: in letters.
      positions: where columns end, as parts of the line or in letters.
      print_fn: gets each line; `print` by default.
    """
    write = print_fn or print
    simple = is_sequence(model)
    length = line_length or (65 if simple else 98)
    ends = positions or ([0.45, 0.85, 1.0] if simple else [0.33, 0.55, 0.67, 1.0])
    ends = [int(length * end) for end in ends] if ends[-1] <= 1 else ends
    nodes = set() if simple else {n for level in model._nodes_by_depth.values() for n in level}

    def row(fields: Sequence[Any]) -> None:
        line = ""
        for field, end in zip(fields, ends):
            line = f"{line[:-1]} {field}" if line else str(field)
            line = line[: int(end)].ljust(int(end))
        write(line)

    write(f'Model: "{model.name}"')
    write("_" * length)
    row(_COLUMNS[: len(ends)])
    write("=" * length)
    for index, layer in enumerate(model.layers):
        try:
            shape = layer.output_shape
        except AttributeError:
            shape = "multiple"
        fields = [f"{layer.name} ({type(layer).__name__})", shape, layer.count_params()]
        inbound = [
            f"{h.layer.name}[{h.node_index}][{h.tensor_index}]"
            for node in layer._inbound_nodes
            if node in nodes
            for h, _ in node.iterate_inbound()
        ]
        row([*fields, *(inbound[:1] or [""])] if not simple else fields)
        for connection in inbound[1:]:
            row(["", "", "", connection])
        write(("=" if index == len(model.layers) - 1 else "_") * length)
    trained, others = map(count_params, (model.trainable_weights, model.non_trainable_weights))
    write(f"Total params: {trained + others:,}")
    write(f"Trainable params: {trained:,}")
    write(f"Non-trainable params: {others:,}")
    write("_" * length)
