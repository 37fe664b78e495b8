"""`Sequential`: a stack of layers, each called on what the one before it gave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from minitf.core.graph import nest
from minitf.library.keras.engine.base_layer import Layer
from minitf.library.keras.engine.input_layer import Input
from minitf.library.keras.engine.model import Model
from minitf.library.keras.engine.network_config import Rebuilt, deserialize_layer
from minitf.library.keras.engine.node import history_of
from minitf.library.keras.engine.topology import refuse_legacy, source_inputs
from minitf.library.keras.objects import serialize_keras_object

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
    def trainable_weights(self) -> list:  # type: ignore[override]
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
    def weights(self) -> list:  # type: ignore[override]
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
            self._first_input = self._first_outputs = None
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

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The static shape of the output for inputs of static shape `input_shape`."""
        shape = input_shape
        for layer in self.layers:
            shape = layer.compute_output_shape(shape)
        return shape

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The mask of the output."""
        return getattr(self.call(inputs, mask=mask), "_keras_mask", None)

    def predict_proba(self, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
        """As `predict`, for a model whose outputs are probabilities."""
        return self.predict(x, batch_size, verbose)

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
        """The layers, one after the other, as data; with added losses those of a `Network`."""
        if self._extra_outputs:
            return super().get_config()
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
        """Makes a model from what `get_config` returned, or a list of layers; see `Network`."""
        if not isinstance(config, Mapping):
            config = {"layers": config}
        model = cls(name=config.get("name"))
        if "input_layers" in config:
            return model._take(Rebuilt(config, lambda p: deserialize_layer(p, custom_objects)))
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
