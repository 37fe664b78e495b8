"""Layers of sequences: `RNN`, which runs a cell over the steps, and layers around another layer.

    x[0]        x[1]        x[2]
     │           │           │
    cell ──h──> cell ──h──> cell ──h──> last state
     │           │           │
    y[0]        y[1]        y[2]        outputs

A cell is a layer with a `state_size`, whose `call(inputs, states)` gives an output and a list of
new states; `recurrent_cells.py` has the known ones. `LSTM` is `RNN` with an `LSTMCell`: it takes
the arguments of both, and what the layer has not, as `units`, is its cell's.

`TimeDistributed` calls a layer for each step, and `Bidirectional` runs one from both ends.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping
from inspect import Parameter
from typing import Any, ClassVar

import numpy as np

from minitf.core.graph import dtypes, logging, nest, stacks
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import reshape, reverse
from minitf.core.ops.reductions import reduce_any
from minitf.core.ops.state import assign
from minitf.library.keras import regularizers
from minitf.library.keras.backend.recurrent import as_sizes, rnn
from minitf.library.keras.backend.session import batch_set_value, int_shape, variable
from minitf.library.keras.engine.base_layer import Layer
from minitf.library.keras.engine.calls import InputSpec
from minitf.library.keras.engine.structure import deserialize_layer
from minitf.library.keras.layers.configured import Configured
from minitf.library.keras.layers.recurrent_cells import (
    CuDNNGRUCell,
    CuDNNLSTMCell,
    GRUCell,
    LSTMCell,
    SimpleRNNCell,
    StackedRNNCells,
    call_cell,
    check_cell,
    initial_state_of,
)
from minitf.library.keras.objects import KIND, constructor, parameters_of, serialize_keras_object

#: the arguments of `RNN` beside the cell
_OPTIONS = "return_sequences return_state go_backwards stateful unroll time_major".split()


class RNN(Configured):
    """Runs a cell over the steps of sequences [batch, time, ...].

    Args:
      cell: a cell, or a list of them: see `StackedRNNCells`.
      return_sequences: whether to give all outputs, [batch, time, ...], or only the last.
      return_state: whether to give the last states, too.
      go_backwards: whether to begin with the last step.
      stateful: whether a batch begins with the states in which the one before it ended.
      unroll: accepted where the number of steps is known; a loop does them.
      time_major: whether inputs and outputs are [time, batch, ...].
      kwargs: see `Layer`.

    Raises:
      ValueError: when the cell has no `call` or no `state_size`.
    Example:
      >>> cells = [tf.keras.layers.LSTMCell(4), tf.keras.layers.LSTMCell(8)]
      >>> tf.keras.layers.RNN(cells)(tf.zeros([2, 5, 3])).shape.as_list()
      [2, 8]
    """

    _TF_MODULE_IGNORED_PROPERTIES = frozenset(Layer._TF_MODULE_IGNORED_PROPERTIES | {"_states"})

    def __init__(
        self,
        cell: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        time_major: bool = False,
        **kwargs: Any,
    ) -> None:
        if isinstance(cell, (list, tuple)):
            cell = StackedRNNCells(cell)
        check_cell(cell, "`cell` should have a")
        self.zero_output_for_mask = kwargs.pop("zero_output_for_mask", False)
        super().__init__(**kwargs)
        self._keep({**locals(), "cell": cell})
        self.supports_masking = True
        self.state_spec: Any = None
        self._states: Any = None

    # ---- states -------------------------------------------------------------------------------

    @property
    def states(self) -> Any:
        """The states that a stateful layer keeps, a list of variables; else a list of None."""
        if self._states is None:
            return [None] * len(self._sizes)
        return self._states

    @property
    def _sizes(self) -> list:
        sizes = self.cell.state_size
        return list(sizes) if nest.is_nested(sizes) else [sizes]

    def get_initial_state(self, inputs: Any) -> list:
        """The states before the first step: zeros, where the cell does not say."""
        axis = 1 if self.time_major else 0
        known = inputs.shape[axis].value
        state = initial_state_of(
            self.cell,
            inputs=None,
            batch_size=shape_of(inputs)[axis] if known is None else known,
            dtype=inputs.dtype.base_dtype,
        )
        return list(state) if nest.is_nested(state) else [state]

    def reset_states(self, states: Any = None) -> None:
        """Gives a stateful layer other states.

        Args:
          states: an array, or a list of them; zeros by default.

        Raises:
          AttributeError: when the layer is not stateful.
          ValueError: when the batch size is not known, or the shapes do not fit.
        """
        if not self.stateful:
            raise AttributeError("Layer must be stateful.")
        shape = self.input_spec[0].shape if self.input_spec else None
        batch = shape[1 if self.time_major else 0] if shape else None
        if not batch:
            raise ValueError(
                "If a RNN is stateful, it needs to know its batch size. Specify the batch size of "
                "your input tensors: \n- If using a Sequential model, specify the batch size by "
                "passing a `batch_input_shape` argument to your first layer.\n- If using the "
                "functional API, specify the batch size by passing a `batch_shape` argument to "
                "your Input layer."
            )
        sizes = [[batch, *as_sizes(size).as_list()] for size in nest.flatten(self._sizes)]
        kind = self._dtype or dtypes.float32
        zeros = [np.zeros(each, kind.as_numpy_dtype) for each in sizes]
        if self._states is None:
            with stacks.init_scope():
                self._states = [variable(each, kind) for each in zeros]
            if states is None:
                return
        values = zeros if states is None else nest.flatten(states)
        if len(values) != len(sizes):
            raise ValueError(
                f"Layer {self.name} expects {len(sizes)} states, but it received {len(values)} "
                f"state values. Input received: {states}"
            )
        for number, (value, size) in enumerate(zip(values, sizes, strict=True)):
            if np.shape(value) != tuple(size):
                raise ValueError(
                    f"State {number} is incompatible with layer {self.name}: expected "
                    f"shape={tuple(size)}, found shape={np.shape(value)}"
                )
        batch_set_value(list(zip(self._states, values, strict=True)))

    # ---- shapes -------------------------------------------------------------------------------

    def build(self, input_shape: Any) -> None:
        """Builds the cell on one step of the inputs."""
        shape = input_shape[0] if isinstance(input_shape, list) else input_shape
        sizes, time = as_shape(shape).as_list(), 0 if self.time_major else 1
        step = TensorShape(sizes[:time] + sizes[time + 1 :])
        sizes[time] = None
        if not self.stateful:
            sizes[1 - time] = None
        of_states = [] if self.input_spec is None else self.input_spec[1:]
        self.input_spec = [InputSpec(shape=tuple(sizes)), *of_states]
        if isinstance(self.cell, Layer) and not self.cell.built:
            if self.cell._dtype is None:
                self.cell._dtype = self._dtype
            if not getattr(self.cell, "_is_tf_rnn_cell", False):
                self.cell.build(step)
                self.cell.built = True
        if self.stateful and self._states is None:
            self.reset_states()
        self.built = True

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """That of the inputs, where all outputs are given."""
        own = (mask[0] if isinstance(mask, list) else mask) if self.return_sequences else None
        return [own, *[None] * len(self._sizes)] if self.return_state else own

    # ---- calling ------------------------------------------------------------------------------

    def __call__(self, inputs: Any, initial_state: Any = None, **kwargs: Any) -> Any:
        """Runs the cell over the inputs.

        Args:
          inputs: [batch, time, ...]; or a list of this and the initial states.
          initial_state: the states before the first step, a tensor or a list of them.

        The other arguments are those of `call`. Returns: what `call` returns.
        """
        inputs, initial_state = self._divided(inputs, initial_state)
        if not initial_state:
            return super().__call__(inputs, **kwargs)
        from_layers = [hasattr(x, "_keras_history") for x in nest.flatten(initial_state)]
        if len(set(from_layers)) > 1:
            raise ValueError(
                "The initial state or constants of an RNN layer cannot be specified with a mix of "
                'Keras tensors and non-Keras tensors (a "Keras tensor" is a tensor that was '
                "returned by a Keras layer, or by `Input`)"
            )
        if not from_layers[0]:
            return super().__call__(inputs, initial_state=initial_state, **kwargs)
        specs = [InputSpec(shape=int_shape(x)) for x in nest.flatten(initial_state)]
        own = self.input_spec if self.input_spec is not None else [None]
        self.input_spec = [*own, *specs]
        outputs = super().__call__([inputs, *initial_state], **kwargs)
        self.input_spec = self.input_spec[: -len(specs)]
        return outputs

    def _divided(self, inputs: Any, state: Any) -> tuple[Any, list | None]:
        """Inputs and a list of states, which may come in one list."""
        if isinstance(inputs, list):
            inputs, *more = inputs
            state = more or state
        if state is None:
            return inputs, None
        return inputs, (list(state) if isinstance(state, (list, tuple)) else [state]) or None

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: Any = None,
        initial_state: Any = None,
    ) -> Any:
        """Adds the operations."""
        inputs, initial_state = self._divided(inputs, initial_state)
        if isinstance(mask, list):
            mask = mask[0]
        for cell in [self.cell, *getattr(self.cell, "cells", [])]:
            if hasattr(cell, "reset_dropout_mask"):
                cell.reset_dropout_mask()
        if initial_state is None:
            initial_state = self._states if self.stateful else self.get_initial_state(inputs)
        if len(initial_state) != len(self._sizes):
            raise ValueError(
                f"Layer has {len(self._sizes)} states but was passed {len(initial_state)} initial "
                "states."
            )
        self._check_steps(inputs)

        def step(inputs: Any, states: tuple) -> tuple[Any, list]:
            return call_cell(self.cell, inputs, list(states), training)

        last, outputs, states = rnn(
            step,
            inputs,
            nest.map_structure(_read, initial_state),
            go_backwards=self.go_backwards,
            mask=mask,
            time_major=self.time_major,
            zero_output_for_mask=self.zero_output_for_mask,
        )
        if self.stateful:
            kept = zip(self._states, nest.flatten(states), strict=True)
            self.add_update([assign(old, new) for old, new in kept], inputs=True)
        output = outputs if self.return_sequences else last
        return [output, *states] if self.return_state else output

    def _check_steps(self, inputs: Any) -> None:
        if self.unroll and inputs.shape[0 if self.time_major else 1].value is None:
            raise ValueError(
                "Cannot unroll a RNN if the time dimension is undefined. \n- If using a Sequential "
                "model, specify the time dimension by passing an `input_shape` or "
                "`batch_input_shape` argument to your first layer. If your first layer is an "
                "Embedding, you can also use the `input_length` argument.\n- If using the "
                "functional API, specify the time dimension by passing a `shape` or `batch_shape` "
                "argument to your Input layer."
            )

    # ---- configuration ------------------------------------------------------------------------

    def get_config(self) -> dict[str, Any]:
        """The arguments, with the configuration of the cell."""
        config = {**super().get_config(), **{name: getattr(self, name) for name in _OPTIONS}}
        if "cell" in config:
            config["cell"] = serialize_keras_object(self.cell)
        if self.zero_output_for_mask:
            config["zero_output_for_mask"] = True
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """Makes the layer again."""
        config = dict(config)
        if "cell" in config:
            config["cell"] = deserialize_layer(config["cell"], custom_objects)
        return cls(**config)


def _read(value: Any) -> Any:
    """The value of a variable; a tensor as it is."""
    return value.value() if hasattr(value, "assign_add") else value


# ---- of one kind of cell -----------------------------------------------------------------------


def _of_cells(cls: Any) -> Any:
    """Gives a class of layers the arguments of its cells, and those of `RNN`."""
    own = parameters_of(cls.cell_class, bias_regularizer={"activity_regularizer": None})
    place = next(i for i, p in enumerate(own) if p.name in ("reset_after", "kwargs"))
    own[place:place] = [Parameter(name, KIND, default=False) for name in _OPTIONS[:-1]]
    cls.__init__ = constructor([p for p in own if p.name not in cls.without], cls._start)
    return cls


class _OfCells(RNN):
    """A recurrent layer that makes its cell itself.

    Attributes:
      cell_class: the cell's class.
      without: arguments that the layer does not take.
      fixed: arguments of the cell that are always the same.
    """

    cell_class: ClassVar[Any]
    without: ClassVar[Collection[str]] = ()
    fixed: ClassVar[Mapping[str, Any]] = {}

    def _start(self, activity_regularizer: Any = None, **given: Any) -> None:
        """The constructor: divides the arguments among the layer and its cell."""
        takes = inspect.signature(self.cell_class).parameters
        own = {name: given.pop(name) for name in list(given) if name not in takes}
        if own.pop("implementation", None) is not None:
            logging.warning(
                f"The `implementation` argument in `{type(self).__name__}` has been deprecated. "
                "Please remove it from your layer call."
            )
        dtype = {"dtype": own["dtype"]} if "dtype" in own else {}
        RNN.__init__(self, self.cell_class(**given, **self.fixed, **dtype), **own)
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self.input_spec = [InputSpec(ndim=3)]

    def __getattr__(self, name: str) -> Any:
        """What the layer has not, its cell has: `units`, `kernel_initializer` ..."""
        cell = self.__dict__.get("cell")
        if cell is None or name.startswith("_"):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return getattr(cell, name)


@_of_cells
class SimpleRNN(_OfCells):
    """A recurrent layer of `SimpleRNNCell`s.

    Args:
      units: the size of the outputs.
      return_sequences, return_state, go_backwards, stateful, unroll: see `RNN`.

    The other arguments are those of the cell.
    """

    cell_class = SimpleRNNCell


@_of_cells
class LSTM(_OfCells):
    """A recurrent layer of `LSTMCell`s [batch, time, features].

    Args:
      units: the size of the outputs.
      return_sequences, return_state, go_backwards, stateful, unroll: see `RNN`.

    The other arguments are those of the cell.
    Example:
      >>> x = tf.zeros([2, 5, 3])
      >>> tf.keras.layers.LSTM(4, return_sequences=True)(x).shape.as_list()
      [2, 5, 4]
    """

    cell_class = LSTMCell


@_of_cells
class GRU(_OfCells):
    """A recurrent layer of `GRUCell`s [batch, time, features].

    Args:
      units: the size of the outputs.
      return_sequences, return_state, go_backwards, stateful, unroll: see `RNN`.

    The other arguments are those of the cell.
    Example:
      >>> tf.keras.layers.GRU(8, return_sequences=True)(tf.zeros([2, 5, 3])).shape.as_list()
      [2, 5, 8]
    """

    cell_class = GRUCell


#: what the layers of cuDNN leave no choice of
_BY_CUDNN = (
    *("activation", "recurrent_activation", "use_bias", "dropout", "recurrent_dropout"),
    *("implementation", "unroll", "reset_after"),
)


@_of_cells
class CuDNNLSTM(_OfCells):
    """A recurrent layer of LSTMs as cuDNN computes it: its gates are sigmoids.

    The original runs on GPUs only, by a library of theirs. This layer has the same weights and
    does the same arithmetic on every device.

    Args:
      units: the size of the outputs.
      return_sequences, return_state, go_backwards, stateful: see `RNN`.

    The other arguments are those of the cell.
    """

    cell_class = CuDNNLSTMCell
    without = _BY_CUDNN
    fixed: ClassVar = {"recurrent_activation": "sigmoid"}


@_of_cells
class CuDNNGRU(_OfCells):
    """A recurrent layer of GRUs as cuDNN computes it: its gates are sigmoids.

    The original runs on GPUs only, by a library of theirs. This layer has the same weights and
    does the same arithmetic on every device.

    Args:
      units: the size of the outputs.
      return_sequences, return_state, go_backwards, stateful: see `RNN`.

    The other arguments are those of the cell.
    """

    cell_class = CuDNNGRUCell
    without = _BY_CUDNN
    fixed: ClassVar = {"recurrent_activation": "sigmoid", "reset_after": True}


# ---- around a layer ----------------------------------------------------------------------------


class Wrapper(Configured):
    """A layer around another.

    Args:
      layer: the layer inside.
      kwargs: see `Layer`.
    """

    _untold = (*Configured._untold, "layer")

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        self.layer = layer
        super().__init__(**kwargs)

    def build(self, input_shape: Any) -> None:
        """Builds the layer inside."""
        if not self.layer.built:
            self.layer.build(input_shape)
            self.layer.built = True
        self.built = True

    def get_config(self) -> dict[str, Any]:
        """The arguments, with the configuration of the layer inside."""
        return {**super().get_config(), "layer": serialize_keras_object(self.layer)}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """Makes the layer again, and that inside."""
        config = dict(config)
        layer = deserialize_layer(config.pop("layer"), custom_objects)
        return cls(layer, **config)


def _takes(layer: Any, argument: str) -> bool:
    return argument in inspect.signature(layer.call).parameters


class TimeDistributed(Wrapper):
    """A layer for each step of sequences [batch, time, ...], always the same.

    Args:
      layer: the layer inside, for [batch, ...].
      kwargs: see `Layer`.

    Raises:
      ValueError: when it is no layer.
    Example:
      >>> layer = tf.keras.layers.TimeDistributed(tf.keras.layers.Dense(8))
      >>> layer(tf.zeros([2, 5, 3])).shape.as_list()
      [2, 5, 8]
    """

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        if not isinstance(layer, Layer):
            raise ValueError(
                "Please initialize `TimeDistributed` layer with a `tf.keras.layers.Layer` "
                f"instance. You passed: {layer}"
            )
        super().__init__(layer, **kwargs)
        self.supports_masking = True

    def _step_shape(self, input_shape: Any) -> TensorShape:
        sizes = as_shape(input_shape).as_list()
        if len(sizes) < 3:
            raise ValueError(
                "`TimeDistributed` Layer should be passed an `input_shape ` with at least 3 "
                f"dimensions, received: {input_shape}"
            )
        return TensorShape([sizes[0], *sizes[2:]])

    def build(self, input_shape: Any) -> None:
        """Builds the layer inside on one step."""
        step = self._step_shape(input_shape)
        self.input_spec = InputSpec(shape=(None, None, *as_shape(input_shape).as_list()[2:]))
        super().build(step)

    def call(self, inputs: Tensor, training: Any = None, mask: Any = None) -> Tensor:
        """Calls the layer inside once, on all steps as one batch."""
        more: dict[str, Any] = {}
        if _takes(self.layer, "training"):
            more["training"] = training
        if mask is not None and _takes(self.layer, "mask"):
            more["mask"] = self._joined(mask)
        outputs = self.layer(self._joined(inputs), **more)
        sizes = shape_of(inputs)
        batch, steps = (size.value for size in inputs.shape[:2])
        rest = [
            shape_of(outputs)[i + 1] if size is None else size
            for i, size in enumerate((int_shape(outputs) or ())[1:])
        ]
        split = [-1, sizes[1] if steps is None else steps, *rest]
        result = reshape(outputs, split)
        result.set_shape(TensorShape([batch, steps]).concatenate(outputs.shape[1:]))
        return result

    def _joined(self, inputs: Tensor) -> Tensor:
        known, sizes = (int_shape(inputs) or ())[2:], shape_of(inputs)
        rest = [sizes[i + 2] if size is None else size for i, size in enumerate(known)]
        joined = reshape(inputs, [-1, *rest])
        joined.set_shape(TensorShape([None]).concatenate(inputs.shape[2:]))
        return joined

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """What the layer inside makes of the masks of single steps; else the mask as it is."""
        if mask is not None and inputs.shape[0].value:
            return mask
        inner = None if mask is None else self._joined(mask)
        made = self.layer.compute_mask(self._joined(inputs), inner)
        if made is None:  # a step counts where any part of it does
            rank = 0 if mask is None else mask.shape.ndims
            return reduce_any(mask, axis=list(range(2, rank))) if rank > 2 else mask
        sizes = [shape_of(made)[i + 1] for i in range(made.shape.ndims - 1)]
        return reshape(made, [-1, shape_of(inputs)[1], *sizes])


class Bidirectional(Wrapper):
    """A recurrent layer that reads sequences from both ends.

    Args:
      layer: a recurrent layer, which reads forwards; a copy of it reads backwards.
      merge_mode: what becomes of both outputs: "sum", "mul", "concat" or "ave"; None gives a list.
      kwargs: see `Layer`.

    Raises:
      ValueError: when it is no layer, or for another mode.
    Example:
      >>> layer = tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(4))
      >>> layer(tf.zeros([2, 5, 3])).shape.as_list()
      [2, 8]
    """

    def __init__(self, layer: Any, merge_mode: str | None = "concat", **kwargs: Any) -> None:
        if not isinstance(layer, Layer):
            raise ValueError(
                "Please initialize `Bidirectional` layer with a `Layer` instance. You passed: "
                f"{layer}"
            )
        if merge_mode not in ("sum", "mul", "ave", "concat", None):
            raise ValueError(
                "Invalid merge mode. Merge mode should be one of {'sum', 'mul', 'ave', 'concat', "
                "None}"
            )
        super().__init__(layer, **kwargs)
        self.merge_mode = merge_mode
        backwards = bool(getattr(layer, "go_backwards", False))
        self.forward_layer = _copy(layer, backwards)
        self.backward_layer = _copy(layer, not backwards)
        self.forward_layer._name = "forward_" + layer.name
        self.backward_layer._name = "backward_" + layer.name
        for option in ("stateful", "return_sequences", "return_state"):
            setattr(self, option, getattr(layer, option))
        for each in self._children():
            each.zero_output_for_mask = self.return_sequences  # what was not seen adds nothing
        self.supports_masking = True
        self.input_spec = layer.input_spec

    def _children(self) -> list:
        """The two that compute; the layer given is only what they were copied from."""
        return [self.forward_layer, self.backward_layer]

    def build(self, input_shape: Any) -> None:
        """Builds both layers."""
        for layer in self._children():
            with stacks.name_scope(layer.name):
                layer._build_for(input_shape)
        self.built = True

    def __call__(self, inputs: Any, initial_state: Any = None, **kwargs: Any) -> Any:
        """Runs both layers; see `RNN`. Half of the initial states are for each."""
        inputs, state = self.forward_layer._divided(inputs, initial_state)
        if not state:
            return super().__call__(inputs, **kwargs)
        if len(state) % 2:
            raise ValueError(
                "When passing `initial_state` to a Bidirectional RNN, the state should be a list "
                "containing the states of the underlying RNNs. Found: " + str(state)
            )
        if not all(hasattr(x, "_keras_history") for x in nest.flatten(state)):
            return super().__call__(inputs, initial_state=state, **kwargs)
        own, self.input_spec = self.input_spec, None
        outputs = super().__call__([inputs, *state], **kwargs)
        self.input_spec = own
        return outputs

    def call(
        self, inputs: Any, training: Any = None, mask: Any = None, initial_state: Any = None
    ) -> Any:
        """Adds the operations."""
        inputs, state = self.forward_layer._divided(inputs, initial_state)
        mask = mask[0] if isinstance(mask, list) else mask
        half = len(state or ()) // 2
        outputs, states = [], []
        for number, layer in enumerate(self._children()):
            more = {"mask": mask, "training": training}
            more = {key: value for key, value in more.items() if _takes(layer, key)}
            if state is not None:
                more["initial_state"] = state[number * half : (number + 1) * half]
            output = layer(inputs, **more)
            if self.return_state:
                output, *own = output
                states += own
            outputs.append(output)
        forward, backward = outputs
        if self.return_sequences:
            backward = reverse(backward, [0 if getattr(self.layer, "time_major", False) else 1])
        merged = self._merged(forward, backward)
        if not self.return_state:
            return merged
        return [*(merged if isinstance(merged, list) else [merged]), *states]

    def _merged(self, forward: Tensor, backward: Tensor) -> Any:
        if self.merge_mode == "concat":
            return concat([forward, backward], -1)
        if self.merge_mode == "sum":
            return forward + backward
        if self.merge_mode == "ave":
            return (forward + backward) / 2
        return forward * backward if self.merge_mode == "mul" else [forward, backward]

    def reset_states(self) -> None:
        """Sets the states of both to zeros."""
        for layer in self._children():
            layer.reset_states()

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """That of the inputs, where all outputs are given."""
        mask = mask[0] if isinstance(mask, list) else mask
        own = mask if self.return_sequences else None
        outputs = [own] if self.merge_mode else [own, own]
        count = 2 * len(self.forward_layer._sizes) if self.return_state else 0
        every = [*outputs, *[None] * count]
        return every if len(every) > 1 else own


def _copy(layer: Any, go_backwards: bool) -> Any:
    """A layer of the same configuration, which reads in the direction given."""
    config = {**layer.get_config(), "go_backwards": go_backwards}
    cell = getattr(layer, "cell", None)
    if cell is None:
        return type(layer).from_config(config)
    cells = [cell, *getattr(cell, "cells", ())]
    return type(layer).from_config(config, {type(each).__name__: type(each) for each in cells})
