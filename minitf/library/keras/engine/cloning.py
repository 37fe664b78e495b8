"""Models made again: from their text, or as a copy with variables of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from minitf.core.graph import nest
from minitf.library.keras.engine.base_layer import Layer
from minitf.library.keras.engine.input_layer import Input, InputLayer
from minitf.library.keras.engine.model import Model
from minitf.library.keras.engine.network_config import Rebuilt, deserialize_layer, network_config
from minitf.library.keras.engine.node import history_of
from minitf.library.keras.engine.sequential import Sequential
from minitf.library.keras.layers import named as _layers  # noqa: F401  (they become known)


def model_from_config(config: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """Makes a model from {"class_name": ..., "config": ...}.

    Args:
      config: a dictionary.
      custom_objects: classes and functions of the program, by name.

    Raises:
      TypeError: when it is a list, the configuration of a `Sequential`.
      ValueError: when there is no such class.
    """
    if isinstance(config, list):
        raise TypeError(
            "`model_from_config` expects a dictionary, not a list. Maybe you meant to use "
            "`Sequential.from_config(config)`?"
        )
    return deserialize_layer(config, custom_objects)


def model_from_json(json_string: str, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """Makes a model from what `model.to_json()` returned; its variables begin anew.

    Args:
      json_string: the text.
      custom_objects: classes and functions of the program, by name.

    Example:
      >>> model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(4,))])
      >>> tf.keras.models.model_from_json(model.to_json()).output_shape
      (None, 2)
    """
    return model_from_config(json.loads(json_string), custom_objects)


def model_from_yaml(yaml_string: str, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """Makes a model from what `model.to_yaml()` returned.

    Raises:
      ValueError: when it is YAML of another form than JSON.
    """
    try:
        config = json.loads(yaml_string)
    except json.JSONDecodeError:
        raise ValueError(
            "model_from_yaml reads what model.to_yaml() writes here: YAML in the form of JSON."
        ) from None
    return model_from_config(config, custom_objects)


def clone_model(
    model: Any, input_tensors: Any = None, clone_function: Callable[[Layer], Layer] | None = None
) -> Any:
    """Makes a model of the same layers with variables of its own, which begin anew.

    Args:
      model: a functional or sequential model.
      input_tensors: tensors for it to be built on; new `Input`s by default.
      clone_function: makes a layer of a layer; by default from its configuration.

    Raises:
      ValueError: when the model is a class of the program.
    """
    make = clone_function or (lambda layer: type(layer).from_config(layer.get_config()))
    given = None if input_tensors is None else [_as_input(t) for t in nest.flatten(input_tensors)]
    if isinstance(model, Sequential) and not model._extra_outputs:
        layers = [make(layer) for layer in model.layers]
        if given is None and model._layers and isinstance(model._layers[0], InputLayer):
            layers.insert(0, type(model._layers[0]).from_config(model._layers[0].get_config()))
        if given is not None:
            layers.insert(0, given[0]._keras_history.layer)
        return Sequential(layers, name=model.name)
    if not getattr(model, "_is_graph_network", False):
        raise ValueError(
            "Expected `model` argument to be a functional `Model` instance, but got a subclass "
            "model instead."
        )
    known = {layer.name: layer for layer in model._layers}
    tensors = None if given is None else dict(zip(model.input_names, given, strict=True))

    def again(part: Mapping[str, Any]) -> Layer:
        layer = known[part["name"]]
        return InputLayer.from_config(layer.get_config()) if layer._is_input else make(layer)

    made = Rebuilt(network_config(model), again, tensors)
    kind = Sequential if isinstance(model, Sequential) else Model
    return kind(name=model.name)._take(made)


def _as_input(tensor: Any) -> Any:
    return tensor if history_of(tensor) is not None else Input(tensor=tensor)
