"""`Sequential`, a stack of layers; and models made again: from their text, or as a copy.

`load_model` reads what `saving/models.py` wrote.

What a file says is data: it names classes that Keras has, or that the program gives by
`custom_objects`. Nothing that was read becomes code.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from minitf.core.graph import logging, nest
from minitf.library.formats.file_io import naming
from minitf.library.keras import losses
from minitf.library.keras.engine.base_layer import Layer
from minitf.library.keras.engine.calls import history_of
from minitf.library.keras.engine.input_layer import Input, InputLayer
from minitf.library.keras.engine.structure import (
    Rebuilt,
    deserialize_layer,
    network_config,
    refuse_legacy,
    source_inputs,
)
from minitf.library.keras.engine.training import Model
from minitf.library.keras.layers import named as _layers  # noqa: F401  (they become known)
from minitf.library.keras.metrics import metrics
from minitf.library.keras.objects import custom_object_scope, serialize_keras_object
from minitf.library.keras.optimizers import optimizers
from minitf.library.keras.saving import hdf5
from minitf.library.keras.saving.models import asset, checkpoint, read_json

_ONE_OUTPUT = (
    "All layers in a Sequential model should have a single output tensor. For multi-output layers, "
    "use the functional API."
)


class Sequential(Model):
    """A model in which each layer is called on the output of the one before.

    It is built when the shape of the inputs is known: from `input_shape` of the first layer, or at
    the first call.

    Args:
      layers: the layers to begin with, or one.
      name: "sequential" by default, made unique.

    Example:
      >>> model = tf.keras.Sequential([tf.keras.layers.Dense(8, input_shape=(4,))])
      >>> model.add(tf.keras.layers.Dense(2))
      >>> model.output_shape
      (None, 2)
    """

    def __init__(
        self, layers: Iterable[Layer] | Layer | None = None, name: str | None = None
    ) -> None:
        super().__init__(name=name)
        self.supports_masking = True
        self._masks_its_outputs = True
        self._build_input_shape: Any = None
        for layer in nest.flatten(layers or ()):
            self.add(layer)

    @property
    def layers(self) -> list[Layer]:
        """The layers that were added."""
        return self._layers[1:] if self._layers and self._layers[0]._is_input else self._layers[:]

    @property
    def trainable_weights(self) -> list:
        """The variables that optimizers change.

        Raises:
          ValueError: as long as the shape of the inputs is not known, here and below.
        """
        self._check_built()
        return super().trainable_weights

    @property
    def non_trainable_weights(self) -> list:
        """The variables that optimizers leave alone."""
        self._check_built()
        return super().non_trainable_weights

    @property
    def weights(self) -> list:
        """All variables, layer by layer."""
        self._check_built()
        return super().weights

    def add(self, layer: Any) -> None:
        """Adds a layer on top.

        Args:
          layer: a layer, or the tensor of an `Input`.

        Raises:
          TypeError: when it is no layer.
          ValueError: when it gives more than one tensor.
        """
        history = history_of(layer)
        if history is not None and history.layer._is_input:
            layer = history.layer
        if not isinstance(layer, Layer):
            raise TypeError(f"The added layer must be an instance of class Layer. Found: {layer}")
        refuse_legacy([layer])
        self.built = False
        if not self._layers:
            if not layer._is_input:
                shape, dtype = _first_input(layer)
                if shape is None:
                    self._layers = [layer]
                    return
                layer(Input(batch_shape=shape, dtype=dtype, name=f"{layer.name}_input"))
            outputs = nest.flatten(layer._inbound_nodes[-1].output_tensors)
        elif self._is_graph_network:
            outputs = nest.flatten(layer(self.outputs[0]))
        else:
            self._layers = [*self._layers, layer]
            self.inputs = self.outputs = None  # a call made them without this layer
            self.__dict__.pop("_data", None)
            return
        if len(outputs) != 1:
            raise ValueError(_ONE_OUTPUT)
        self._init_graph_network(source_inputs(outputs[0]), outputs)

    def pop(self) -> None:
        """Takes the last layer away.

        Raises:
          TypeError: when there is none.
        """
        if not self.layers:
            raise TypeError("There are no layers in the model.")
        self._layers = self._layers[:-1]
        if not self.layers:
            self.inputs = self.outputs = None
            self.built = self._is_graph_network = False
            self._layers = []
        elif self._is_graph_network:
            last = self._layers[-1]
            last._outbound_nodes = []
            self._init_graph_network(self.inputs, [last.output])

    def build(self, input_shape: Any = None) -> None:
        """Makes the variables.

        Args:
          input_shape: the shape of the inputs, with the batch axis.

        Raises:
          ValueError: when it is needed and not given.
        """
        if not self._is_graph_network:
            if input_shape is None:
                raise ValueError("You must provide an `input_shape` argument.")
            self._build_input_shape = tuple(input_shape)
            super().build(self._build_input_shape)
        self.built = True

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """Calls each layer on what the one before gave; see `Network.call`."""
        if self._is_graph_network:
            return super().call(inputs, training=training, mask=mask)
        for layer in self.layers:
            known = {"training": training, "mask": mask}
            inputs = layer(inputs, **{k: known[k] for k in known if k in layer._call_arguments})
            if len(nest.flatten(inputs)) != 1:
                raise ValueError(_ONE_OUTPUT)
            mask = getattr(inputs, "_keras_mask", None)
        return inputs

    def predict_classes(self, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
        """The most probable class of each example.

        Args:
          x: the examples, see `predict`.
          batch_size: how many are computed at once.
          verbose: 1 shows a progress bar.
        """
        probabilities = self.predict(x, batch_size, verbose)
        if probabilities.shape[-1] > 1:
            return probabilities.argmax(axis=-1)
        return (probabilities > 0.5).astype("int32")

    def get_config(self) -> dict[str, Any]:
        """The layers, one after the other, as data."""
        layers = [serialize_keras_object(layer) for layer in self.layers]
        config: dict[str, Any] = {"name": self.name, "layers": layers}
        if self.inputs and layers and _first_input(self.layers[0])[0] is None:
            # An `InputLayer` said it; without this the copy would have no variables.
            shape = self.inputs[0].shape.as_list()
            layers[0]["config"] = {"batch_input_shape": tuple(shape), **layers[0]["config"]}
        if self._build_input_shape is not None:
            config["build_input_shape"] = self._build_input_shape
        return config

    @classmethod
    def from_config(cls, config: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
        """Makes a model from what `get_config` returned, or a list of layers."""
        if not isinstance(config, Mapping):
            config = {"layers": config}
        model = cls(name=config.get("name"))
        for part in config["layers"]:
            model.add(deserialize_layer(part, custom_objects))
        if not model.inputs and config.get("build_input_shape"):
            model.build(config["build_input_shape"])
        return model


def _first_input(layer: Any) -> tuple[Any, Any]:
    """The shape and type of inputs that a layer, or the first layer in it, was told; or None."""
    while isinstance(layer, Sequential) or getattr(layer, "_is_graph_network", False):
        if not layer.layers:
            raise ValueError("An empty Model cannot be used as a Layer.")
        layer = layer.layers[0]
    return getattr(layer, "_batch_input_shape", None), layer.dtype


# ---- models made again ---------------------------------------------------------------------------


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
    if not getattr(model, "_is_graph_network", False):
        if isinstance(model, Sequential):
            before = [] if given is None else [given[0]._keras_history.layer]
            return Sequential([*before, *map(make, model.layers)], name=model.name)
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
    copy = (Sequential if isinstance(model, Sequential) else Model)(name=model.name)
    copy._init_graph_network(made.inputs, made.outputs)
    return copy


def _as_input(tensor: Any) -> Any:
    return tensor if history_of(tensor) is not None else Input(tensor=tensor)


# ---- models read from files ----------------------------------------------------------------------


def load_model(
    filepath: Any, custom_objects: Mapping[str, Any] | None = None, compile: bool = True
) -> Any:
    """Reads a model that `model.save` wrote.

    Args:
      filepath: the file.
      custom_objects: classes and functions of the program, by name.
      compile: whether to compile the model as it was.

    Raises:
      OSError: when the file is not there, or is none of HDF5.
      ValueError: when it holds no model, or one of classes that nobody knows.
    Example:
      >>> model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(4,))])
      >>> model.save("/tmp/model.h5")
      >>> tf.keras.models.load_model("/tmp/model.h5").output_shape
      (None, 2)
    """
    if not hdf5.is_hdf5(filepath):
        if not os.path.exists(filepath):
            raise OSError(f"SavedModel file does not exist at: {filepath}")
        raise OSError(
            "Unable to load model. Filepath is not an hdf5 file (or h5py is not available); a "
            f"SavedModel is read by `tf.keras.experimental.load_from_saved_model`: {filepath}"
        )
    with hdf5.opened(filepath, "r") as file:
        config = _read(file, "model_config")
        if config is None:
            raise ValueError("No model found in config file.")
        with custom_object_scope(custom_objects or {}):
            model = model_from_config(config, custom_objects)
            hdf5.read_layers(hdf5.member(file, "model_weights"), model.layers)
            if compile:
                _compile(model, _read(file, "training_config"))
                _restore_optimizer(model, file)
    return model


def load_from_saved_model(
    saved_model_path: Any, custom_objects: Mapping[str, Any] | None = None
) -> Any:
    """Makes a model from what `export_saved_model` wrote.

    The optimizer that it is compiled with goes on where that of the file ended.

    Args:
      saved_model_path: the folder.
      custom_objects: classes and functions of the program, by name.

    Raises:
      NotFoundError: when it holds no description of layers.
      ValueError: when the variables do not fit.
    """
    folder = os.fspath(saved_model_path)
    with naming(folder), custom_object_scope(custom_objects or {}):
        model = model_from_config(read_json(asset(folder)), custom_objects)
        model.load_weights(checkpoint(folder))
    return model


def _compile(model: Any, config: Any) -> None:
    """Compiles a model as a configuration says."""
    if config is None:
        logging.warning(
            "No training configuration found in save file: the model was *not* compiled. Compile "
            "it manually."
        )
        return
    model.compile(
        optimizers.deserialize(config["optimizer_config"]),
        loss=_made(config.get("loss"), losses.deserialize),
        metrics=_made(config.get("metrics"), metrics.deserialize),
        weighted_metrics=_made(config.get("weighted_metrics"), metrics.deserialize),
        loss_weights=config.get("loss_weights"),
    )


def _restore_optimizer(model: Any, file: Any) -> None:
    optimizer = getattr(model, "optimizer", None)
    if optimizer is None or "optimizer_weights" not in [*file]:
        return
    group = hdf5.member(file, "optimizer_weights")
    saved = [hdf5.array_in(group, name) for name in hdf5.read_names(group, "weight_names")]
    _ = optimizer.iterations
    optimizer._create_slots(model.trainable_weights)
    if [each.shape for each in saved] == [tuple(w.shape.as_list()) for w in optimizer.weights]:
        optimizer.set_weights([each[()] for each in saved])
    else:
        logging.warning(
            "Error in loading the saved optimizer state. As a result, your model is starting with "
            "a freshly initialized optimizer."
        )


def _made(value: Any, deserialize: Callable[[Any], Any]) -> Any:
    """The losses or metrics that a configuration names, one by one where there are several."""
    if isinstance(value, Mapping) and "class_name" in value:
        config = dict(value["config"])
        if isinstance(config.get("fn"), str):  # a metric that later releases made of a function
            config["fn"] = deserialize(config["fn"])
        return deserialize({**value, "config": config})
    if isinstance(value, Mapping):
        return {key: _made(each, deserialize) for key, each in value.items()}
    return [_made(each, deserialize) for each in value] if isinstance(value, list) else value


def _read(file: Any, attribute: str) -> Any:
    text = file.attrs.get(attribute)
    if text is None:
        return None
    return json.loads(text.decode() if isinstance(text, bytes) else text)
