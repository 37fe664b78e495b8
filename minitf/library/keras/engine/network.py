"""`Network`: layers joined by tensors, which act as one layer.

    x = Input([4]); y = dense(x)         Model(x, y)(new_x)  calls `dense` on new_x

A functional network is told its inputs and outputs and finds the layers between them. One that a
program writes as a class has the layers in its attributes, and calls them in `call`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

from minitf.core.graph import dtypes, nest, stacks
from minitf.core.graph.errors import InvalidArgumentError
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.variables.variables import Variable
from minitf.library.keras.backend.session import VERSION, floatx, get_graph
from minitf.library.keras.engine.base_layer import Layer, flat_values, placeholders
from minitf.library.keras.engine.calls import Node, alone, call_context, distinct, is_symbolic
from minitf.library.keras.engine.collected import following
from minitf.library.keras.engine.input_layer import find_history
from minitf.library.keras.engine.structure import (
    Map,
    Rebuilt,
    check_histories,
    deserialize_layer,
    network_config,
    plain,
    print_summary,
    refuse_legacy,
)
from minitf.library.keras.saving.models import load_weights, save_weights


class Network(Layer):
    """Layers that act as one. `Model` is a network that can be trained.

    Args:
      inputs: a tensor of an `Input`, or a nest of them.
      outputs: a tensor that comes from them, or a nest.
      name: the name; by default the class's, made unique.
      trainable: whether the variables are for optimizers to change.
    """

    _TF_MODULE_IGNORED_PROPERTIES = Layer._TF_MODULE_IGNORED_PROPERTIES | frozenset(
        "_nested_inputs _nested_outputs inputs outputs input_names output_names _nodes_by_depth "
        "_input_layers _output_layers".split()
    )
    _is_graph_network = _casts = False
    inputs: Any = None
    outputs: Any = None
    input_names: Any = None
    output_names: Any = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        names = [name for name in ("inputs", "outputs") if name not in kwargs]
        given = {**kwargs, **dict(zip([*names, "name"], args))}
        if args and len(args) == 1 and not kwargs:  # a class of a program: the name
            given = {"name": args[0]}
        functional = "inputs" in given and "outputs" in given
        inputs, outputs = given.pop("inputs", None), given.pop("outputs", None)
        for option in given:
            if option not in ("name", "trainable", "dtype"):
                raise TypeError("Keyword argument not understood:", option)
        self._ready = True
        super().__init__(**given)
        self._layers: list[Layer] = []
        if functional:
            self._init_graph_network(inputs, outputs)

    def __setattr__(self, name: str, value: Any) -> None:
        if "_ready" not in self.__dict__ and any(
            isinstance(x, (Layer, Variable)) for x in flat_values(value)
        ):
            raise RuntimeError(
                "It looks like you are subclassing `Model` and you forgot to call "
                "`super(YourClass, self).__init__()`. Always start with this line."
            )
        super().__setattr__(name, value)

    def _init_graph_network(self, inputs: Any, outputs: Any) -> None:
        """Finds the layers between inputs and outputs.

        Raises:
          ValueError: when an input comes from no `Input`, is there twice, or an output does not
            come from the inputs.
        """
        self._nested_inputs, self._nested_outputs = alone(inputs), alone(outputs)
        self.inputs, self.outputs = nest.flatten(inputs), nest.flatten(outputs)
        if len(set(map(id, self.inputs))) != len(self.inputs):
            raise ValueError(
                "The list of inputs passed to the model is redundant. All inputs should only "
                f"appear once. Found: {self.inputs}"
            )
        check_histories(
            self.inputs,
            "Input tensors to a Model must come from `tf.keras.Input`. Received: {} (missing "
            "previous layer metadata).",
        )
        find_history(self.outputs)
        check_histories(
            self.outputs,
            f"Output tensors to a {type(self).__name__} must be the output of a TensorFlow `Layer` "
            "(thus holding past layer metadata). Found: {}",
        )
        self._is_graph_network = self.built = self._masks_its_outputs = True
        found = Map(self.inputs, self.outputs)
        refuse_legacy(found.layers)
        self._layers, self._nodes_by_depth = found.layers, found.by_depth
        self._network_nodes = found.nodes
        self._input_layers = [x._keras_history.layer for x in self.inputs]
        self._output_layers = [y._keras_history.layer for y in self.outputs]
        self.input_names = [layer.name for layer in self._input_layers]
        self.output_names = []
        for layer in self._output_layers:
            self.output_names.append(distinct(layer.name, self.output_names))
        self._inbound_nodes = []
        Node(self, self._nested_inputs, self._nested_outputs)

    # ---- being called -------------------------------------------------------------------------

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Calls the layers on other inputs; see `Layer.__call__`."""
        if self._is_graph_network and isinstance(inputs, Mapping):
            named = not isinstance(self._nested_inputs, Mapping)
            if named and inputs.keys() >= {*self.input_names}:
                inputs = [inputs[name] for name in self.input_names]
        outputs = super().__call__(inputs, *args, **kwargs)
        if self.inputs is None and not call_context.in_call:
            self._set_inputs(inputs, outputs)
        return outputs

    def _set_inputs(self, inputs: Any, outputs: Any) -> None:
        """Notes what a network that is a class was called on first."""
        flat = nest.flatten(inputs)
        if flat and not stacks.outermost().runs_at_once and all(map(is_symbolic, flat)):
            self.inputs, self.outputs = flat, nest.flatten(outputs)
            self.input_names = [f"input_{i + 1}" for i in range(len(flat))]
            self.output_names = [f"output_{i + 1}" for i in range(len(self.outputs))]

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """Calls the layers on `inputs`, each on what the layers before it gave.

        Args:
          inputs: tensors, in the structure of the inputs.
          training: whether layers act as in training.
          mask: masks of the inputs, or None.
        """
        if not self._is_graph_network:
            raise NotImplementedError(
                "When subclassing the `Model` class, you should implement a `call` method."
            )
        values: dict[int, Any] = {}
        masks = nest.flatten(mask) if mask is not None else [None] * len(self.inputs)
        for tensor, value, each in zip(self.inputs, nest.flatten(inputs), masks, strict=True):
            values[id(tensor)] = value
            if each is not None:
                value._keras_mask = each

        def value_of(item: Any) -> Any:
            known = values.get(id(item)) if isinstance(item, Tensor) else None
            return item if known is None else known

        for nodes in self._nodes_by_depth.values():
            for node in nodes:
                if node.is_input:
                    continue
                layer = node.outbound_layer
                arguments = nest.map_structure(value_of, node.arguments)
                if "training" in layer._call_arguments:
                    arguments.setdefault("training", training)
                results = layer(nest.map_structure(value_of, node.input_tensors), **arguments)
                for tensor, value in zip(nest.flatten(node.output_tensors), nest.flatten(results)):
                    values[id(tensor)] = value
        return nest.map_structure(value_of, self._nested_outputs)

    def build(self, input_shape: Any) -> None:
        """Makes the variables of a network that is a class.

        Args:
          input_shape: a shape with the batch axis, or a list or dict of shapes.

        Raises:
          ValueError: when it is none, or the layers cannot be called on it.
        """
        if self._is_graph_network:
            return
        if input_shape is None:
            raise ValueError(
                "Input shape must be defined when calling build on a model subclass network."
            )
        if not isinstance(input_shape, (list, tuple, TensorShape, dict)):
            raise ValueError(
                "Specified input shape is not one of the valid types. Please specify a batch input "
                "shape of type tuple or list of input shapes. User provided input type: "
                f"{type(input_shape)}"
            )
        if type(self).call is not Network.call and not call_context.in_call:
            scratch = FuncGraph("scratch", stacks.get_default_graph())
            scratch._names_in_use = {}
            with scratch.as_default() if stacks.executing_eagerly() else nullcontext():
                inputs = placeholders(input_shape, self._dtype or dtypes.as_dtype(floatx()))
                try:
                    with call_context.entered(self, None, inputs):
                        self.call(inputs)
                except (InvalidArgumentError, TypeError) as error:
                    raise ValueError(
                        "You cannot build your model by calling `build` if your layers do not "
                        "support float type inputs. Instead, in order to instantiate and build "
                        "your model, `call` your model on real tensor data (of the correct dtype)."
                    ) from error
        self.built = True

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The masks of the outputs."""
        if not self._masks_its_outputs:
            return None
        outputs = self.call(inputs, mask=mask)
        return nest.map_structure(lambda t: getattr(t, "_keras_mask", None), outputs)

    # ---- layers and variables -----------------------------------------------------------------

    @property
    def layers(self) -> list[Layer]:
        """The layers, in the order in which they run; of a class, in that of its attributes."""
        return list(self._layers) if self._is_graph_network else self._children()

    def get_layer(self, name: str | None = None, index: int | None = None) -> Layer:
        """The layer of a name, or at an index in `layers`.

        Raises:
          ValueError: when there is none.
        """
        if index is not None:
            if len(self.layers) <= index:
                raise ValueError(
                    f"Was asked to retrieve layer at index {index} but model only has "
                    f"{len(self.layers)} layers."
                )
            return self.layers[index]
        if not name:
            raise ValueError("Provide either a layer name or layer index.")
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise ValueError(f"No such layer: {name}")

    @property
    def weights(self) -> list:
        """All variables, layer by layer."""
        own = [v for layer in self._children() for v in layer.weights] + self._own_weights()
        return list({id(v): v for v in own}.values())

    @property
    def stateful(self) -> bool:
        """Whether a layer keeps a state from one batch to the next."""
        return any(layer.stateful for layer in self._children())

    def reset_states(self) -> None:
        """Forgets the states of recurrent layers."""
        for layer in self.layers:
            if layer.stateful and hasattr(layer, "reset_states"):
                layer.reset_states()

    # ---- losses -------------------------------------------------------------------------------

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Adds losses; in a graph also tensors that come from the inputs of a functional model.

        Args:
          losses: tensors, or functions without arguments that make one.
          inputs: see `Layer.add_loss`.
        """
        outside = self._is_graph_network and not call_context.in_call
        followers = following(self.inputs) if outside else set()
        for loss in nest.flatten(losses):
            depends = is_symbolic(loss) and loss.op in followers
            with get_graph().as_default() if depends else nullcontext():
                super().add_loss(loss, True if depends else inputs)

    # ---- in files -----------------------------------------------------------------------------

    save_weights, load_weights = save_weights, load_weights

    def _check_built(self) -> None:
        if not self.built:
            raise ValueError(
                f"Weights for model {self.name} have not yet been created. Weights are created "
                "when the Model is first called on inputs or `build()` is called with an "
                "`input_shape`."
            )

    def _checkpoint_children(self) -> dict[str, Any]:
        """The layers by number, unless a program has its own class; and what attributes hold."""
        named: dict[str, Any] = {}
        with_weights = 0
        own = self._is_graph_network or type(self).__module__.startswith("minitf.")
        for index, layer in enumerate(self.layers if own else ()):
            if layer.weights:
                named[f"layer_with_weights-{with_weights}"] = layer
                with_weights += 1
            named[f"layer-{index}"] = layer
        optimizer = getattr(self, "optimizer", None)
        more = {} if optimizer is None else {"optimizer": optimizer}
        others = super()._checkpoint_children()
        return {**named, **more, **{k: v for k, v in others.items() if k != "_layers"}}

    # ---- as text ------------------------------------------------------------------------------

    def summary(
        self, line_length: int | None = None, positions: Any = None, print_fn: Any = None
    ) -> None:
        """Prints the layers, the shapes of their outputs and how many numbers they hold.

        Args:
          line_length: in letters.
          positions: where the columns end, as parts of the line.
          print_fn: gets each line; `print` by default.

        Raises:
          ValueError: when the model is not built.
        Example:
          >>> model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(4,))])
          >>> model.summary()  # doctest: +NORMALIZE_WHITESPACE
          Model: "sequential"
          _________________________________________________________________
          Layer (type)                 Output Shape              Param #
          =================================================================
          dense (Dense)                (None, 2)                 10
          =================================================================
          Total params: 10
          Trainable params: 10
          Non-trainable params: 0
          _________________________________________________________________
        """
        if not self.built:
            raise ValueError(
                "This model has not yet been built. Build the model first by calling `build()` or "
                "calling `fit()` with some data, or specify an `input_shape` argument in the first "
                "layer(s) for automatic build."
            )
        print_summary(self, line_length, positions, print_fn)

    def get_config(self) -> dict[str, Any]:
        """The layers and how they are joined, as data.

        Raises:
          NotImplementedError: when it is a class of the program.
        """
        if not self._is_graph_network:
            raise NotImplementedError
        losses = [loss for loss, alone, _ in self._losses if not alone]
        with self.inputs[0].graph.as_default():
            find_history(losses)
        return network_config(self, losses)

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None
    ) -> Any:
        """Makes a network from what `get_config` returned.

        Args:
          config: the data.
          custom_objects: classes and functions of the program, by name.

        Raises:
          ValueError: when it is not of that form, or there is no such layer.
        """

        def make(part: Mapping[str, Any]) -> Any:
            """A layer; files have layers for added losses and metrics, too."""
            added = part.get("class_name") in ("AddLoss", "AddMetric")
            return Layer(name=part["name"]) if added else deserialize_layer(part, custom_objects)

        made = Rebuilt(config, make)
        network = cls(inputs=made.inputs, outputs=made.outputs, name=config.get("name"))
        for part in config["layers"]:
            if part["class_name"] == "AddLoss":
                network.add_loss(made.given(part))
            elif part["class_name"] == "AddMetric":
                options = [part["config"][key] for key in ("aggregation", "metric_name")]
                network.add_metric(made.results[part["name"], 0][0], *options)
        return network

    def to_json(self, **kwargs: Any) -> str:
        """The layers and how they are joined, as JSON text; see `tf.keras.models.model_from_json`.

        Args:
          kwargs: go to `json.dumps`.
        """
        return json.dumps(self._described(), default=plain, **kwargs)

    def _described(self) -> dict[str, Any]:
        return {
            "class_name": type(self).__name__,
            "config": self.get_config(),
            "keras_version": VERSION,
            "backend": "tensorflow",
        }
