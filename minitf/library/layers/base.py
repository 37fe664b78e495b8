"""`Layer`: a piece of a network that owns its variables.

    layer = tf.layers.Dense(10)      # nothing is built yet
    y = layer(x)  --+-- build(x.shape)  once: add_variable("kernel", ...), add_variable("bias", ...)
                    +-- call(x)         each time: the operations, under the layer's name
                    +-- losses of regularizers, updates: into the graph's collections

`BaseLayer` knows what every layer does: build once, check inputs, collect variables, losses and
updates. Where variables come from and under which names is asked of four hooks (`_call_scope`,
`_variable_scope`, `_make_variable`, `_collect`). `Layer`, the class of `tf.layers`, answers them
with variable scopes, so that `reuse` and custom getters work; other families of layers may answer
them otherwise.
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
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.cast import cast
from minitf.core.ops.math import realdiv
from minitf.core.variables.variable_scope import get_variable, get_variable_scope, variable_scope
from minitf.core.variables.variables import Variable
from minitf.library.layers import named
from minitf.library.layers.input_spec import assert_input_compatibility

_UIDS_KEY = ("__layer_name_uids",)


def to_snake_case(name: str) -> str:
    """Writes a class's name as its layers are called: `MaxPooling2D` is `max_pooling2d`."""
    spaced = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    snake = re.sub(r"([a-z])([A-Z])", r"\1_\2", spaced).lower()
    return f"private{snake}" if snake.startswith("_") else snake


def unique_layer_name(base_name: str, zero_based: bool = False) -> str:
    """Counts the layers of one kind in the graph: `dense_1`, `dense_2`, ..."""
    kept = stacks.get_collection_ref(_UIDS_KEY)
    if not kept:
        kept.append({})
    kept[0][base_name] = number = kept[0].get(base_name, 0) + 1
    if zero_based:
        return base_name if number == 1 else f"{base_name}_{number - 1}"
    return f"{base_name}_{number}"


def shapes_of(inputs: Any) -> Any:
    """The static shapes of nested tensors; of one tensor a `TensorShape`."""
    return nest.map_structure(lambda x: x.shape, inputs)


class BaseLayer:
    """What all layers have in common.

    A subclass overrides `call`, and `build` when it has variables. Layers and variables that it
    keeps in attributes are found there: they belong to the layer.

    Args:
      trainable: whether the variables are for optimizers to change.
      name: the name; by default the class's, made unique.
      dtype: the type of the variables; by default that of the first input.
      activity_regularizer: a function from an output to a loss.
    """

    def __init__(
        self,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        activity_regularizer: Callable[[Tensor], Tensor] | None = None,
    ) -> None:
        self.trainable = trainable
        self.stateful = False
        self.built = False
        self.input_spec: Any = None
        self._activity_regularizer = activity_regularizer
        self._base_name = name or to_snake_case(type(self).__name__)
        self._name = name or unique_layer_name(self._base_name)
        self._dtype = None if dtype is None else dtypes.as_dtype(dtype).base_dtype
        self._own_weights: list[Any] = []
        self._trainable_names: set[str] = set()
        # With each: whether it depends on no input. While operations run at once a loss of the
        # variables is kept as a function, which gives what it is now.
        self._losses: list[tuple[Any, bool]] = []
        self._updates: list[tuple[Any, bool]] = []

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

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The static shape of the output for an input of static shape `input_shape`."""
        raise NotImplementedError(f"{type(self).__name__} does not tell the shape of its output.")

    # ---- hooks: where names and variables come from -------------------------------------------

    @contextlib.contextmanager
    def _call_scope(self, scope: Any) -> Iterator[Any]:
        """What is open while the layer builds and adds its operations."""
        with stacks.name_scope(self._name):
            yield None

    @contextlib.contextmanager
    def _variable_scope(self) -> Iterator[Any]:
        """What is open while a variable and its regularization loss are made."""
        yield None

    def _make_variable(self, **arguments: Any) -> Any:
        """Makes a variable; the arguments are those of `tf.get_variable`."""
        return get_variable(**arguments)

    def _collect(self, collection: str, items: list) -> None:
        """Tells the graph about losses or updates."""

    # ---- calling ------------------------------------------------------------------------------

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Builds the layer if it is not built, and adds its operations.

        Args:
          inputs: a tensor, or a nest of them.
          scope: the variable scope to take, at the first call.

        The other arguments are those of `call`. Returns: what `call` returns.
        """
        takes_scope = "scope" in inspect.signature(self.call).parameters
        asked = kwargs.pop("scope", None)
        if stacks.executing_eagerly():  # what the last call left says nothing about this one
            self._losses = [each for each in self._losses if each[1]]
            self._updates = []
        with self._call_scope(asked) as scope:
            inputs = nest.map_structure(_as_tensor, inputs)
            self._prepare(inputs)
            if takes_scope:
                kwargs["scope"] = scope
            outputs = self.call(inputs, *args, **kwargs)
            self._regularize_activity(outputs)
        self._collect(GraphKeys.UPDATE_OPS, self.updates)
        return outputs

    apply = __call__

    def _prepare(self, inputs: Any) -> None:
        assert_input_compatibility(self.input_spec, inputs, self.name)
        if self.built:
            return
        if self._dtype is None:
            first = nest.flatten(inputs)[:1]
            self._dtype = getattr(first[0].dtype, "base_dtype", None) if first else None
        self.build(shapes_of(inputs))
        self.built = True
        assert_input_compatibility(self.input_spec, inputs, self.name)

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
        name: str,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Callable | None = None,
        trainable: bool | None = None,
        constraint: Callable | None = None,
        **others: Any,
    ) -> Any:
        """Makes a variable of the layer, or finds it where the layer's scope reuses.

        Args:
          name: the name below the layer's.
          shape: the shape; a scalar by default.
          dtype: by default the layer's, or float32.
          initializer: see `tf.get_variable`; or its name, as "glorot_uniform".
          regularizer: a function from the variable to a loss.
          trainable: by default True.
          constraint: see `tf.Variable`.

        Further arguments go to `tf.get_variable`. Returns: the variable.
        """
        trainable = bool(trainable is None or trainable)
        with self._variable_scope():
            known = set(stacks.get_collection(GraphKeys.GLOBAL_VARIABLES))
            variable = self._make_variable(
                name=name,
                shape=() if shape is None else shape,
                dtype=dtypes.as_dtype(dtype or self._dtype or dtypes.float32),
                initializer=named.initializer(initializer),
                trainable=trainable and self.trainable,
                constraint=constraint,
                **others,
            )
            if regularizer is not None and variable not in known:
                with (
                    stacks.init_scope(),
                    stacks.colocate_with(variable.op),
                    stacks.name_scope(f"{name}/Regularizer"),
                ):
                    self.add_loss(functools.partial(regularizer, variable))
        if all(variable is not known for known in self._own_weights):
            self._own_weights.append(variable)
            if trainable:
                self._trainable_names.add(variable.name)
        return variable

    add_variable = add_weight

    def _add_own(self, name: str, shape: Any, **others: Any) -> Any:
        """Makes the variable for which the layer was given `NAME_initializer` and so on."""
        kind = name.removesuffix("_kernel")  # "depthwise_kernel" has a depthwise_initializer
        return self.add_weight(
            name,
            shape,
            initializer=getattr(self, f"{kind}_initializer"),
            regularizer=getattr(self, f"{kind}_regularizer"),
            constraint=getattr(self, f"{kind}_constraint"),
            **others,
        )

    def _children(self) -> list[BaseLayer]:
        """The layers that stand in attributes, in the order in which they came there."""
        return self._attributes(BaseLayer)

    def _attributes(self, kind: type) -> list[Any]:
        values = (value for name, value in vars(self).items() if name != "_own_weights")
        found = {id(x): x for value in values for x in nest.flatten(value) if isinstance(x, kind)}
        return list(found.values())

    def _all_weights(self) -> list[tuple[Any, bool]]:
        """The variables, each with: whether it may be trained."""
        found = {id(v): (v, v.name in self._trainable_names) for v in self._own_weights}
        for variable in self._attributes(Variable):
            found.setdefault(id(variable), (variable, variable.trainable))
        for layer in self._children():
            for variable, trainable in layer._all_weights():
                found.setdefault(id(variable), (variable, trainable))
        return [(variable, trainable and self.trainable) for variable, trainable in found.values()]

    @property
    def trainable_weights(self) -> list:
        """The variables that optimizers change."""
        return [variable for variable, trainable in self._all_weights() if trainable]

    @property
    def non_trainable_weights(self) -> list:
        """The variables that optimizers leave alone."""
        return [variable for variable, trainable in self._all_weights() if not trainable]

    @property
    def weights(self) -> list:
        """All variables, those to train first."""
        return self.trainable_weights + self.non_trainable_weights

    trainable_variables = trainable_weights
    non_trainable_variables = non_trainable_weights
    variables = weights

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

    # ---- losses and updates -------------------------------------------------------------------

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Adds losses, such as those of regularizers, to the layer and to the graph's collection.

        Args:
          losses: a tensor, a function without arguments that makes one, or a list of these.
          inputs: what they depend on; None when they depend on variables alone.
        """
        made = nest.flatten(losses)
        if not stacks.executing_eagerly():
            made = [loss() if callable(loss) else loss for loss in made]
            made = [convert_to_tensor(loss) for loss in made if loss is not None]
        self._losses += [(loss, inputs is None) for loss in made]
        self._collect(GraphKeys.REGULARIZATION_LOSSES, made)

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Adds operations that are to run with each training step, such as moving averages.

        Args:
          updates: an operation or tensor, or a list of them.
          inputs: what they depend on, or None.
        """
        for update in nest.flatten(updates):
            if not stacks.executing_eagerly():
                update = getattr(update, "op", update)
            self._updates.append((update, inputs is None))

    @property
    def losses(self) -> list:
        """The losses of this layer and of those in it."""
        own = [loss() if callable(loss) else loss for loss, _ in self._losses]
        own = [loss for loss in own if loss is not None]
        return own + [loss for layer in self._children() for loss in layer.losses]

    @property
    def updates(self) -> list:
        """The updates of this layer and of those in it; none when it is not to be trained."""
        if not self.trainable and not self.stateful:
            return []
        own = [update for update, _ in self._updates]
        return own + [update for layer in self._children() for update in layer.updates]

    def get_losses_for(self, inputs: Any) -> list:
        """The losses that depend on `inputs`; with None those that depend on no input."""
        return _depending(self._losses, inputs)

    def get_updates_for(self, inputs: Any) -> list:
        """The updates that depend on `inputs`; with None those that depend on no input."""
        return _depending(self._updates, inputs)

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


def _as_tensor(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic, float, int)):
        return convert_to_tensor(value)
    return value._as_tensor() if hasattr(value, "_as_tensor") else value


def _depending(items: list[tuple[Any, bool]], inputs: Any) -> list:
    if inputs is None:
        return [item for item, unconditional in items if unconditional]
    sources = set(map(id, nest.flatten(inputs)))
    return [item for item, _ in items if _reaches(item, sources)]


def _reaches(item: Any, sources: set[int]) -> bool:
    """Whether a tensor or operation is computed from one of the tensors with these identities."""
    waiting, seen = [getattr(item, "op", item)], set()
    while waiting:
        op = waiting.pop()
        if op in seen:
            continue
        seen.add(op)
        if any(id(tensor) in sources for tensor in op.inputs):
            return True
        waiting += [tensor.op for tensor in op.inputs]
    return False


class Layer(BaseLayer):
    """A layer of `tf.layers`: its variables are made by `tf.get_variable` in a scope of its own.

    Args:
      trainable: whether the variables go to `GraphKeys.TRAINABLE_VARIABLES`.
      name: the name of the scope, which is made unique at the first call.
      dtype: the type of the variables; by default that of the first input.
      activity_regularizer: a function from an output to a loss.

    Example:
      >>> class Scale(tf.layers.Layer):
      ...     def build(self, input_shape):
      ...         self.factor = self.add_variable("factor", [])
      ...         super().build(input_shape)
      ...     def call(self, inputs):
      ...         return inputs * self.factor
    """

    def __init__(
        self,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        *,
        _scope: Any = None,
        _reuse: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, dtype=dtype, **kwargs)
        self._reuse = _reuse
        self._graph: Any = None
        self._scope: Any = None
        if _scope:
            with variable_scope(_scope) as captured:
                self._scope = captured

    def _set_scope(self, scope: Any = None) -> None:
        """Chooses the layer's scope, once: at its first call or its first variable."""
        if self._scope is not None:
            return
        if self._reuse:
            opened = variable_scope(self._base_name if scope is None else scope)
        else:
            opened = variable_scope(scope, default_name=self._base_name)
        with opened as captured:
            self._scope = captured

    @contextlib.contextmanager
    def _open(self, reuse: Any) -> Iterator[Any]:
        with variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False) as current:
            with stacks.name_scope(current.original_name_scope):
                yield current

    def _call_scope(self, scope: Any) -> Any:
        self._set_scope(scope)
        self._graph = self._graph or stacks.get_default_graph()
        return self._open(True if self.built else self._reuse)

    def _variable_scope(self) -> Any:
        self._set_scope(None)
        return self._open(self.built or self._reuse)

    def _make_variable(self, **arguments: Any) -> Any:
        if arguments["initializer"] is None:
            arguments["initializer"] = get_variable_scope().initializer
        return get_variable(**arguments)

    def _collect(self, collection: str, items: list) -> None:
        if stacks.executing_eagerly():
            return
        present = set(map(id, stacks.get_collection_ref(collection)))
        for item in items:
            if id(item) not in present:
                stacks.add_to_collection(collection, item)

    @property
    def graph(self) -> Any:
        """The graph in which the layer was called first."""
        return self._graph

    @property
    def scope_name(self) -> str:
        """The name of the layer's variable scope.

        Raises:
          ValueError: when the layer was not called yet.
        """
        if self._scope is None:
            raise ValueError(
                f'No name available for layer scope because the layer "{self._name}" has not been '
                "used yet. The scope name  is determined the first time the layer instance is "
                "called. You must therefore call the layer before querying `scope_name`."
            )
        return self._scope.name
