"""`Layer`: a piece of a network that owns its variables.

    layer = tf.keras.layers.Dense(10)   # nothing is built yet
    y = layer(x)  --+-- build(x.shape)  once: add_weight("kernel", ...), add_weight("bias", ...)
                    +-- call(x)         each time: the operations, under the layer's name
                    +-- y remembers that it came from `layer` when x comes from an `Input`

A layer builds once, checks its inputs, and collects its variables, losses and updates with those of
the layers in its attributes. Where variables come from and under which names is asked of hooks
(`_set_name`, `_call_scope`, `_variable_scope`, `_make_variable`, `_collect`): `tf.layers` answers
them with variable scopes. What a layer remembers of its calls is in `calls.py`, what it has for
training in `collected.py`.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, nest, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.graph import Graph
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import placeholder
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.cast import cast
from minitf.core.ops.math import realdiv
from minitf.core.variables.variables import Variable, VariableSynchronization
from minitf.library.eager import autograph
from minitf.library.keras import initializers, regularizers
from minitf.library.keras.backend import session as backend
from minitf.library.keras.engine.calls import (
    Connected,
    assert_input_compatibility,
    call_context,
    is_symbolic,
)
from minitf.library.keras.engine.collected import Collected
from minitf.library.saving.object_checkpoint import restore_awaited

_OPTIONS = (
    "batch_input_shape",
    "input_shape",
    "input_dim",
    "batch_size",
    "weights",
    "activity_regularizer",
)
_LIBRARY = __name__.partition(".")[0] + "."
_KERAS = __name__.removesuffix("engine.base_layer")

#: By name the classes of layers and models that Keras itself has, for reading configurations.
LAYERS: dict[str, type[Layer]] = {}


def to_snake_case(name: str) -> str:
    """Writes a class's name as its layers are called: `MaxPooling2D` is `max_pooling2d`."""
    spaced = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    snake = re.sub(r"([a-z])([A-Z])", r"\1_\2", spaced).lower()
    return f"private{snake}" if snake.startswith("_") else snake


class Layer(Connected, Collected):
    """A layer of `tf.keras.layers`, and the base of those that programs write.

    A subclass overrides `call`, and `build` when it has variables. Layers and variables that it
    keeps in attributes are found there: they belong to the layer.

    Args:
      trainable: whether the variables are for optimizers to change.
      name: the name; by default the class's, made unique.
      dtype: the type of the variables; by default that of the first input.
      input_shape, batch_input_shape, input_dim, batch_size: what the inputs of a model will be that
        begins with this layer: without the batch axis, with it, of a vector.
      weights: arrays for the variables to begin with.
      activity_regularizer: a function from an output to a loss.

    Raises:
      TypeError: when an argument is not known.
    Example:
      >>> class Scale(tf.keras.layers.Layer):
      ...     def build(self, input_shape):
      ...         self.factor = self.add_weight("factor", [], initializer="ones")
      ...     def call(self, inputs):
      ...         return inputs * self.factor
      >>> Scale()(tf.zeros([2]))
      <tf.Tensor 'scale/mul:0' shape=(2,) dtype=float32>
    """

    _TF_MODULE_IGNORED_PROPERTIES = frozenset(
        "_trainable_weights _non_trainable_weights _losses _eager_losses _callable_losses _updates "
        "_inbound_nodes _outbound_nodes _initial_weights _named_weights _metrics".split()
    )
    stateful: Any = False
    _casts = True  # floats of another type, while operations run at once

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__module__.startswith(_KERAS):
            LAYERS.setdefault(cls.__name__, cls)  # a stand-in of the same name comes later

    def __init__(
        self,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        for option in kwargs:
            if option not in _OPTIONS:
                raise TypeError("Keyword argument not understood:", option)
        self._trainable = trainable
        self.built = False
        self.input_spec: Any = None
        self.supports_masking = False
        self._activity_regularizer = kwargs.get("activity_regularizer")
        self._set_name(name)
        self._dtype = None if dtype is None else dtypes.as_dtype(dtype).base_dtype
        self._initial_weights = kwargs.get("weights")
        shape = kwargs.get("input_shape")
        if shape is None and kwargs.get("input_dim") is not None:
            shape = (kwargs["input_dim"],)
        if kwargs.get("batch_input_shape") is not None:
            self._batch_input_shape = tuple(kwargs["batch_input_shape"])
        elif shape is not None:
            self._batch_input_shape = (kwargs.get("batch_size"), *shape)
        self._trainable_weights: list[Any] = []
        self._non_trainable_weights: list[Any] = []
        self._named_weights: dict[str, Any] = {}
        self._losses = []
        self._updates = []
        self._eager_losses = {}
        self._callable_losses = []
        self._metrics = []
        self._inbound_nodes = []
        self._outbound_nodes = []

    # ---- for subclasses -----------------------------------------------------------------------

    def build(self, input_shape: Any) -> None:
        """Makes the variables, when the shapes of the inputs are known.

        Args:
          input_shape: a `TensorShape`, or a nest of them.
        """
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Adds the layer's operations."""
        return inputs

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The mask of the outputs, from that of the inputs.

        Args:
          inputs: a tensor, or a nest of them.
          mask: bool tensors that tell which steps count, or None.

        Raises:
          TypeError: when there is a mask and the layer does not say that it supports masks.
        """
        if not self.supports_masking:
            if any(m is not None for m in nest.flatten(mask)):
                raise TypeError(
                    f"Layer {self.name} does not support masking, but was passed an input_mask: "
                    f"{mask}"
                )
            return None
        return mask

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The static shape of the output: a copy of the layer is called in a graph of its own.

        While operations run at once, a layer that cannot be copied is built and called itself.
        """
        graph: Graph = Graph()
        try:
            config: Any = self.get_config()
        except NotImplementedError:  # one's own, without `get_config`
            if not stacks.executing_eagerly():
                raise
            config, graph = None, FuncGraph("scratch", stacks.get_default_graph())
        with graph.as_default():
            layer: Any = self if config is None else type(self).from_config(config)
            outputs = layer(placeholders(input_shape, self._dtype or dtypes.float32))
        layer._clear_losses()  # those of that call
        return nest.map_structure(lambda output: output.shape, outputs)

    def get_config(self) -> dict[str, Any]:
        """What makes a layer such as this one: `type(layer).from_config(layer.get_config())`.

        Raises:
          NotImplementedError: when the class has arguments of its own, and does not tell them.
        """
        config: dict[str, Any] = {"name": self.name, "trainable": self.trainable}
        if hasattr(self, "_batch_input_shape"):
            config["batch_input_shape"] = self._batch_input_shape
        config["dtype"] = self.dtype
        own = set(inspect.getfullargspec(type(self).__init__).args) - {*config, "self"}
        if own and type(self).get_config is Layer.get_config:
            raise NotImplementedError(
                f"Layers with arguments in `__init__` must override `get_config`: "
                f"{type(self).__name__} has {', '.join(sorted(own))}."
            )
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Makes a layer from what `get_config` returned."""
        return cls(**{k: v for k, v in config.items() if k not in _OTHERS or v != _OTHERS[k]})

    # ---- hooks: where names and variables come from -------------------------------------------

    def _set_name(self, name: str | None) -> None:
        kind = to_snake_case(type(self).__name__)
        self._name = name or backend.unique_object_name(kind, zero_based=True)

    @contextlib.contextmanager
    def _call_scope(self, scope: Any) -> Iterator[Any]:
        """What is open while the layer builds and adds its operations."""
        with stacks.name_scope(self._name):
            yield None

    @contextlib.contextmanager
    def _variable_scope(self) -> Iterator[Any]:
        """What is open while a variable and its regularization loss are made."""
        yield None

    def _make_variable(
        self, name: str, shape: Any, dtype: Any, initializer: Any, **options: Any
    ) -> tuple[Any, bool]:
        """Makes a variable; the arguments are those of `tf.get_variable`.

        Returns: the variable, and whether it is new.
        """
        if initializer is None:
            if not dtype.is_floating and not dtype.is_integer and dtype != dtypes.bool:
                raise ValueError(
                    f"An initializer for variable {name} of type {dtype} is required for layer "
                    f"{self.name}"
                )
            initializer = initializers.get("glorot_uniform" if dtype.is_floating else "zeros")
        if isinstance(initializer, type):
            initializer = initializer()
        options = {key: options[key] for key in options.keys() & _VARIABLE_OPTIONS}
        variable = Variable(
            functools.partial(initializer, tuple(as_shape(shape).as_list()), dtype=dtype),
            name=name,
            dtype=dtype,
            use_resource=True,
            **options,
        )
        backend.track_variables([variable])
        return variable, True

    def _regularize(self, variable: Any, name: str, regularizer: Callable) -> None:
        def loss() -> Any:
            name = variable.name.partition(":")[0]
            with stacks.name_scope(f"{name}/Regularizer"):
                return regularizer(variable)

        self.add_loss(loss)

    # ---- calling ------------------------------------------------------------------------------

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Builds the layer if it is not built, and adds its operations, or runs them.

        Args:
          inputs: a tensor, or a nest of them.

        The other arguments are those of `call`. Returns: what `call` returns.
        """
        asked = kwargs.pop("scope", None)
        takes = self._call_arguments
        if any(isinstance(x, _VALUES) or hasattr(x, "_as_tensor") for x in nest.flatten(inputs)):
            inputs = nest.map_structure(_as_tensor, inputs)
        given = {**dict(zip(takes[1:], args)), **kwargs}
        masks = given.get("mask") if "mask" in takes else None
        if masks is None:
            masks = self._input_masks(inputs)
            if "mask" in takes and masks is not None:
                kwargs["mask"] = masks
        training = given.get("training")
        if training is None:
            training = call_context.training
            if training is None and backend.learning_phase_is_set():
                training = backend.learning_phase()
            if "training" in takes and "training" not in given and training is not None:
                kwargs["training"] = training
        if not call_context.in_call:
            self._clear_losses()
        symbolic = self._is_symbolic_call(inputs)
        with contextlib.ExitStack() as contexts:
            if symbolic and stacks.executing_eagerly():
                contexts.enter_context(backend.get_graph().as_default())
            if symbolic and not call_context.in_call:
                for find_history in self._finders:
                    find_history(inputs)
            contexts.enter_context(call_context.entered(self, training, inputs))
            scope = contexts.enter_context(self._call_scope(asked))
            self._build_for_inputs(inputs)
            if "scope" in takes:
                kwargs["scope"] = scope
            casts = self._casts and stacks.outermost().runs_at_once
            cast_inputs = self._cast(inputs) if casts else inputs
            outputs = self._called(symbolic)(cast_inputs, *args, **kwargs)
            if outputs is None:
                raise ValueError(
                    "A layer's `call` method should return a Tensor or a list of Tensors, not None "
                    f"(layer: {self.name})."
                )
            if symbolic:
                outputs = self._connect(inputs, outputs, given)
            self._regularize_activity(outputs)
            self._set_masks(inputs, outputs, masks)
        return outputs

    apply = __call__

    def _cast(self, inputs: Any) -> Any:
        """The inputs with numbers of the layer's type, where they are floats of another one."""
        own = self._dtype
        if own is None or not own.is_floating:
            return inputs
        others = [x for x in nest.flatten(inputs) if isinstance(x, Tensor) and x.dtype.is_floating]
        if all(x.dtype.base_dtype == own for x in others):
            return inputs
        known = set(map(id, others))
        return nest.map_structure(lambda x: cast(x, own) if id(x) in known else x, inputs)

    @functools.cached_property
    def _call_arguments(self) -> list[str]:
        return list(inspect.signature(self.call).parameters)

    def _is_symbolic_call(self, inputs: Any) -> bool:
        leaves = nest.flatten(inputs)
        return any(map(is_symbolic, leaves)) or (not leaves and not stacks.executing_eagerly())

    def _called(self, symbolic: bool) -> Callable:
        """What to call: in a graph a program's `call` may hold an `if` on a tensor."""
        own = type(self).call.__module__ or ""
        if not symbolic or own.startswith(_LIBRARY):
            return self.call
        return autograph.converted(self.call)

    def _build_for_inputs(self, inputs: Any) -> None:
        assert_input_compatibility(self.input_spec, inputs, self.name)
        if self.built:
            return
        first = [getattr(x.dtype, "base_dtype", None) for x in nest.flatten(inputs)[:1]]
        if self._dtype is None:
            self._dtype = first[0] if first else None
        self._build_for(nest.map_structure(lambda x: x.shape, inputs))
        assert_input_compatibility(self.input_spec, inputs, self.name)

    def _build_for(self, shapes: Any) -> None:
        if not self.built:
            self.build(shapes)
            self.built = True
            backend.track_variables(self._attributes(Variable))
            restore_awaited()
        if self._initial_weights is not None:
            self.set_weights(self._initial_weights)
            self._initial_weights = None

    def _regularize_activity(self, outputs: Any) -> None:
        if self._activity_regularizer is None:
            return
        with stacks.name_scope("ActivityRegularizer"):
            for output in nest.flatten(outputs):
                loss = self._activity_regularizer(output)
                batch = cast(shape_of(output)[0], loss.dtype)
                self.add_loss(realdiv(loss, batch, name="truediv"), inputs=True)

    # ---- variables ----------------------------------------------------------------------------

    def add_weight(
        self,
        name: str | None = None,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Callable | None = None,
        trainable: bool | None = None,
        constraint: Callable | None = None,
        partitioner: Callable | None = None,
        use_resource: bool | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Makes a variable of the layer.

        Args:
          name: the name below the layer's.
          shape: the shape; a scalar by default.
          dtype: by default the layer's, or float32.
          initializer: a function of a shape and a dtype, or its name, as "glorot_uniform".
          regularizer: a function from the variable to a loss, or its name, as "l2".
          trainable: by default True.
          constraint: see `tf.Variable`.
          partitioner, use_resource, kwargs: see `tf.get_variable`.
          synchronization, aggregation: see `tf.Variable`.

        Returns: the variable.
        Raises:
          ValueError: when a variable that is read at the end only is to be trained.
        """
        if synchronization is VariableSynchronization.ON_READ:
            if trainable:
                raise ValueError(
                    "Synchronization value can be set to VariableSynchronization.ON_READ only for "
                    "non-trainable variables. You have specified trainable=True and "
                    "synchronization=VariableSynchronization.ON_READ."
                )
            trainable = False
        trainable = trainable is None or bool(trainable)
        options = {"partitioner": partitioner, "use_resource": use_resource, **kwargs}
        if synchronization is not VariableSynchronization.AUTO:
            options["synchronization"] = synchronization
        if aggregation is not None:
            options["aggregation"] = aggregation
        with self._variable_scope():
            variable, is_new = self._make_variable(
                name=name or "Variable",
                shape=() if shape is None else shape,
                dtype=dtypes.as_dtype(dtype or self._dtype or dtypes.float32),
                initializer=initializers.get(initializer),
                trainable=trainable,
                constraint=constraint,
                **{key: value for key, value in options.items() if value is not None},
            )
            regularizer = regularizers.get(regularizer)
            if regularizer is not None and is_new:
                self._regularize(variable, name or "Variable", regularizer)
        self._own(variable, trainable)
        self._named_weights.setdefault(name or "Variable", variable)
        return variable

    add_variable = add_weight

    def _own(self, variable: Any, trainable: bool) -> None:
        """Notes that a variable belongs to the layer."""
        if all(variable is not known for known in self._own_weights()):
            (self._trainable_weights if trainable else self._non_trainable_weights).append(variable)

    def _add_own(self, name: str, shape: Any, **others: Any) -> Any:
        """Makes the variable for which the layer was given `NAME_initializer` and so on.

        Args:
          name, shape: of the variable.
          others: further arguments of `add_weight`, or one in place of the layer's own.
        """
        kind = name.removesuffix("_kernel")  # "depthwise_kernel" has a depthwise_initializer
        told = ("initializer", "regularizer", "constraint")
        own = {what: getattr(self, f"{kind}_{what}") for what in told}
        return self.add_weight(name, shape, **{**own, **others})

    def _attribute_leaves(self) -> Iterator[Any]:
        ignored = self._TF_MODULE_IGNORED_PROPERTIES
        for name, value in vars(self).items():
            if type(value) in _PLAIN or name in ignored:  # most are, and to be quick
                continue
            if isinstance(value, _HOLDERS):
                yield from (x for x in flat_values(value) if not _is_updated(x))

    def _checkpoint_children(self) -> dict[str, Any]:
        """The variables and layers by the names that `tf.train.Checkpoint` knows them by."""
        ignored = self._TF_MODULE_IGNORED_PROPERTIES
        held = {k: v for k, v in vars(self).items() if isinstance(v, _HOLDERS) and k not in ignored}
        return {**self._named_weights, **{k: v for k, v in held.items() if not _is_updated(v)}}

    def _children(self) -> list[Layer]:
        """The layers that stand in attributes, in the order in which they came there.

        A cell of a program that never called `Layer.__init__` has nothing to tell.
        """
        return [layer for layer in self._attributes(Layer) if "_losses" in vars(layer)]

    def _attributes(self, kind: type) -> list[Any]:
        return list({id(x): x for x in self._attribute_leaves() if isinstance(x, kind)}.values())

    def _own_weights(self, trainable: bool | None = None) -> list[Any]:
        """The variables of the layer itself; all, or those that are or are not to be trained."""
        own = [*self._trainable_weights, *self._non_trainable_weights]
        attributes = [v for v in self._attributes(Variable) if all(v is not w for w in own)]
        if trainable is None:
            return own + attributes
        listed = self._trainable_weights if trainable else self._non_trainable_weights
        return listed + [v for v in attributes if v.trainable == trainable]

    @property
    def trainable_weights(self) -> list:
        """The variables that optimizers change."""
        if not self.trainable:
            return []
        inner = [v for layer in self._children() for v in layer.trainable_weights]
        return _once(self._own_weights(True) + inner)

    @property
    def non_trainable_weights(self) -> list:
        """The variables that optimizers leave alone."""
        if not self.trainable:
            inner = [v for layer in self._children() for v in layer.weights]
            return _once(self._own_weights(True) + self._own_weights(False) + inner)
        inner = [v for layer in self._children() for v in layer.non_trainable_weights]
        return _once(self._own_weights(False) + inner)

    @property
    def weights(self) -> list:
        """All variables, those to train first."""
        return self.trainable_weights + self.non_trainable_weights

    @property
    def variables(self) -> list:
        """All variables, as `weights`."""
        return self.weights

    @property
    def trainable_variables(self) -> list:
        """The variables that optimizers change."""
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> list:
        """The variables that optimizers leave alone."""
        return self.non_trainable_weights

    @property
    def trainable(self) -> bool:
        """Whether optimizers change the variables; setting it sets it in all layers inside."""
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self._trainable = value
        for layer in self._children():
            layer.trainable = value

    def get_weights(self) -> list[np.ndarray]:
        """The values of the variables, as arrays, in the order of `weights`."""
        return backend.batch_get_value(self.weights)

    def set_weights(self, weights: list[Any]) -> None:
        """Gives the variables values.

        Args:
          weights: arrays, in the order of `weights`.

        Raises:
          ValueError: when their number or a shape does not fit.
        """
        backend.set_weights(self.weights, weights, "layer", f'"{self.name}" with a weight')

    def count_params(self) -> int:
        """How many numbers the variables hold.

        Raises:
          ValueError: when the layer is not built.
        """
        if not self.built:
            raise ValueError(
                f"You tried to call `count_params` on {self.name}, but the layer isn't built. You "
                f"can build it manually via: `{self.name}.build(batch_input_shape)`."
            )
        return sum(v.shape.num_elements() or 0 for v in self.weights)

    # ---- what it is ---------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The layer's name."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The name of the variables' type; None when it is not known yet."""
        return None if self._dtype is None else self._dtype.name

    @property
    def activity_regularizer(self) -> Callable | None:
        """The function from an output to a loss, or None."""
        return self._activity_regularizer

    @activity_regularizer.setter
    def activity_regularizer(self, regularizer: Callable | None) -> None:
        self._activity_regularizer = regularizer


#: what configurations of other releases say besides, where it changes nothing
_OTHERS: dict[str, Any] = {"groups": 1, "summation_method": "interpolation"}
_OTHERS |= dict.fromkeys("from_logits keepdims multi_label sparse synchronized".split(), False)
_OTHERS |= dict.fromkeys("class_id label_weights num_labels top_k".split())

_VALUES = (np.ndarray, np.generic, float, int)
_PLAIN = {type(None), bool, int, float, str, type(to_snake_case), TensorShape, dtypes.DType}
_HOLDERS = (list, tuple, dict, Variable, Layer)
_VARIABLE_OPTIONS = {"trainable", "constraint", "collections", "synchronization", "aggregation"}


def _is_updated(value: Any) -> bool:
    """Whether it is what an update of a variable gave back: the variable is counted elsewhere."""
    return getattr(value, "is_updated", False)


def _as_tensor(value: Any) -> Any:
    if isinstance(value, _VALUES):
        return convert_to_tensor(value)
    return value._as_tensor() if hasattr(value, "_as_tensor") else value


def placeholders(shapes: Any, dtype: Any) -> Any:
    """A placeholder for a shape, or for each of a nest of them.

    A nest of shapes is told from one shape by what it holds.
    """
    sizes = (type(None), int)
    plain = isinstance(shapes, (tuple, list)) and all(
        isinstance(size, sizes) or hasattr(size, "value") for size in shapes
    )
    if shapes is None or plain or isinstance(shapes, TensorShape):
        return placeholder(dtype, TensorShape(shapes))
    if isinstance(shapes, dict):
        return {key: placeholders(each, dtype) for key, each in shapes.items()}
    return type(shapes)(placeholders(each, dtype) for each in shapes)


def flat_values(value: Any) -> Iterator[Any]:
    """The leaves of nested lists and dicts, whatever the keys are."""
    if isinstance(value, dict):
        items: Any = value.items()
        with contextlib.suppress(TypeError):
            items = sorted(items, key=lambda item: item[0])
        value = [item for _, item in items]
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from flat_values(item)
    else:
        yield value


def _once(variables: list) -> list:
    return list({id(v): v for v in variables}.values())
