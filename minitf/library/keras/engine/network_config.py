"""Functional models as data: which layer is called on what.

    {"name": "model", "layers": [
        {"name": "dense", "class_name": "Dense", "config": {...},
         "inbound_nodes": [[["input_1", 0, 0, {}]]]}, ...],        a list for each call:
     "input_layers": [["input_1", 0, 0]],                           layer, which call, which output,
     "output_layers": [["dense", 0, 0]]}                            and other arguments

Numbers of calls count only those of this model. This is what JSON and HDF5 files of Keras hold.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from minitf.core.graph import nest
from minitf.core.graph.dtypes import DType
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.library.formats.file_io import NONSENSE
from minitf.library.keras.engine.base_layer import LAYERS, Layer
from minitf.library.keras.engine.node import Node, history_of
from minitf.library.keras.objects import deserialize_keras_object, serialize_keras_object


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


def network_config(network: Any) -> dict[str, Any]:
    """The layers of a functional network and how they are joined, as data.

    Args:
      network: the network.

    Raises:
      TypeError: when a layer was called with an argument that cannot be written.
    """
    numbers: dict[Node, int] = {}
    for layer in network._layers:
        kept = int(own_node(layer))
        for node in layer._inbound_nodes:
            if node in network._network_nodes:
                numbers[node] = kept
                kept += 1

    def place(tensor: Any) -> list:
        layer, index, output = tensor._keras_history
        return [layer.name, numbers.get(layer._inbound_nodes[index], 0), output]

    layers = []
    for layer in network._layers:
        nodes = [n for n in layer._inbound_nodes if n in network._network_nodes and not n.is_input]
        layers.append(
            {
                **serialize_keras_object(layer),
                "name": layer.name,
                "inbound_nodes": [_node_config(node, place) for node in nodes],
            }
        )
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
