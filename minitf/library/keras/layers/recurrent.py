"""`RNN`: a cell that is run over the steps of sequences; and a cell made of several.

    x[0]        x[1]        x[2]
     │           │           │
    cell ──h──> cell ──h──> cell ──h──> last state
     │           │           │
    y[0]        y[1]        y[2]        outputs

A cell is a layer with a `state_size`, whose `call(inputs, states)` gives an output and a list of
new states. `recurrent_cells.py` has the known ones.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from minitf.core.graph import dtypes, nest, stacks
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.state import assign
from minitf.library.keras import regularizers
from minitf.library.keras.backend.recurrent import as_sizes, rnn, zero_state_tensors
from minitf.library.keras.backend.session import batch_set_value
from minitf.library.keras.backend.values import int_shape, variable
from minitf.library.keras.engine.base_layer import Layer
from minitf.library.keras.engine.input_spec import InputSpec
from minitf.library.keras.engine.network_config import deserialize_layer
from minitf.library.keras.layers.configured import Configured
from minitf.library.keras.objects import serialize_keras_object

#: the arguments of `RNN` beside the cell
_OPTIONS = (
    "return_sequences",
    "return_state",
    "go_backwards",
    "stateful",
    "unroll",
    "time_major",
)


class AbstractRNNCell(Configured):
    """The base of cells that programs write.

    A subclass has a `state_size`, an `output_size`, and `call(inputs, states)`, which returns the
    output and a list of the new states.
    """

    def __call__(self, inputs: Any, states: Any, *args: Any, **kwargs: Any) -> Any:
        """Calls the cell; a single state may come without a list, and goes back as it came."""
        if nest.is_nested(states):
            return super().__call__(inputs, states, *args, **kwargs)
        output, new = super().__call__(inputs, [states], *args, **kwargs)
        return output, new[0]

    @property
    def state_size(self) -> Any:
        """The size of the state: a number, a `TensorShape`, or a list of them."""
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self) -> Any:
        """The size of the output."""
        raise NotImplementedError("Abstract method")

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        """The states before the first step: zeros.

        Args:
          inputs: a batch of inputs, from which batch size and type are taken.
          batch_size, dtype: what they are, without `inputs`.
        """
        if inputs is not None:
            batch_size, dtype = shape_of(inputs)[0], inputs.dtype.base_dtype
        return zero_state_tensors(self.state_size, batch_size, dtype)


class StackedRNNCells(Configured):
    """Several cells as one: the output of each is the input of the next.

    Args:
      cells: a list of cells.
      kwargs: see `Layer`; `reverse_state_order=True` tells the sizes of the states from the last
        cell to the first, as old releases did.

    Raises:
      ValueError: when one has no `call` or no `state_size`.
    """

    def __init__(self, cells: Sequence[Any], **kwargs: Any) -> None:
        for cell in cells:
            check_cell(cell, "All cells must have a")
        self.cells = list(cells)
        self.reverse_state_order = kwargs.pop("reverse_state_order", False)
        super().__init__(**kwargs)

    @property
    def state_size(self) -> tuple:
        """The state sizes of the cells."""
        return tuple(cell.state_size for cell in self._in_order_of_states())

    def _in_order_of_states(self) -> list:
        return self.cells[::-1] if self.reverse_state_order else self.cells

    @property
    def output_size(self) -> Any:
        """That of the last cell."""
        last = self.cells[-1]
        return getattr(last, "output_size", None) or nest.flatten(last.state_size)[0]

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> tuple:
        """The states of the cells before the first step."""
        return tuple(
            initial_state_of(cell, inputs=inputs, batch_size=batch_size, dtype=dtype)
            for cell in self._in_order_of_states()
        )

    def build(self, input_shape: Any) -> None:
        """Builds the cells, one on the outputs of the other."""
        shape = input_shape[0] if isinstance(input_shape, list) else input_shape
        for number, cell in enumerate(self.cells):
            if isinstance(cell, Layer) and not cell.built:
                with stacks.name_scope(f"cell_{number}"):
                    cell.build(shape)
                cell.built = True
            size = getattr(cell, "output_size", None) or nest.flatten(cell.state_size)[0]
            shape = TensorShape([as_shape(shape).as_list()[0], *as_sizes(size).as_list()])
        self.built = True

    def call(
        self, inputs: Any, states: Any, constants: Any = None, training: Any = None
    ) -> tuple[Any, Any]:
        """One step of all cells."""
        sizes = tuple(cell.state_size for cell in self.cells)
        grouped = nest.pack_sequence_as(sizes, nest.flatten(states))
        after = []
        for cell, given in zip(self.cells, grouped, strict=True):
            own = list(given) if nest.is_nested(given) else [given]
            inputs, new = call_cell(cell, inputs, own, constants, training)
            after.append(new if nest.is_nested(given) else new[0])
        return inputs, nest.pack_sequence_as(sizes, nest.flatten(after))

    def get_config(self) -> dict[str, Any]:
        """The configurations of the cells."""
        cells = [serialize_keras_object(cell) for cell in self.cells]
        return {**super(Configured, self).get_config(), "cells": cells}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """Makes the layer again."""
        config = dict(config)
        made = [deserialize_layer(cell, custom_objects) for cell in config.pop("cells")]
        return cls(made, **config)


def check_cell(cell: Any, what: str) -> None:
    """Raises ValueError when something is no cell."""
    for attribute in ("call", "state_size"):
        if not hasattr(cell, attribute):
            method = "`call` method" if attribute == "call" else "`state_size` attribute"
            raise ValueError(f"{what} {method}. received cells: {cell}")


def initial_state_of(cell: Any, **options: Any) -> Any:
    """The state of a cell before the first step: zeros, where it does not say."""
    if getattr(cell, "get_initial_state", None):
        return cell.get_initial_state(**options)
    return zero_state_tensors(cell.state_size, options["batch_size"], options["dtype"])


def call_cell(
    cell: Any, inputs: Any, states: Sequence[Any], constants: Any, training: Any
) -> tuple[Any, list]:
    """One step of a cell: its output, and a list of the new states."""
    takes = inspect.signature(cell.call).parameters
    more = {"training": training} if "training" in takes else {}
    if constants and "constants" in takes:
        more["constants"] = constants
    if getattr(cell, "_is_tf_rnn_cell", False):  # it has variable scopes, and single states
        output, new = cell(inputs, states[0] if len(states) == 1 else states)
    else:
        output, new = cell.call(inputs, states, **more)
    return output, list(new) if nest.is_nested(new) else [new]


class RNN(Configured):
    """Runs a cell over the steps of sequences [batch, time, ...].

    Args:
      cell: a cell, or a list of them: see `StackedRNNCells`.
      return_sequences: whether to give all outputs, [batch, time, ...], or only the last.
      return_state: whether to give the last states, too.
      go_backwards: whether to begin with the last step.
      stateful: whether a batch begins with the states in which the one before it ended.
      unroll: operations of their own for each step: quicker for short sequences.
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
    cell_class: ClassVar[Any] = None

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
        self._num_constants = kwargs.pop("num_constants", 0)
        self.zero_output_for_mask = kwargs.pop("zero_output_for_mask", False)
        super().__init__(**kwargs)
        self._keep({**locals(), "cell": cell})
        self.supports_masking = True
        self.state_spec: Any = None
        self._states: Any = None

    def _make(self, arguments: dict[str, Any]) -> None:
        """The constructor of a layer that has a cell of its own kind: divides the arguments."""
        options, given = dict(arguments.pop("kwargs")), arguments
        taken = list(inspect.signature(self.cell_class).parameters)
        cell = {name: given[name] for name in taken if name in given}
        if "dtype" in options:
            cell["dtype"] = options["dtype"]
        own = {name: given[name] for name in _OPTIONS if name in given}
        RNN.__init__(self, self.cell_class(**cell), **own, **options)
        self.activity_regularizer = regularizers.get(given["activity_regularizer"])
        self.input_spec = [InputSpec(ndim=3)]

    def __getattr__(self, name: str) -> Any:
        """What the layer has not, its cell has: `units`, `kernel_initializer` ..."""
        cell = self.__dict__.get("cell")
        if cell is None or name.startswith("_") or self.cell_class is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return getattr(cell, name)

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
        first = nest.flatten(inputs)[0]
        batch = shape_of(first)[1 if self.time_major else 0]
        known = first.shape[1 if self.time_major else 0].value
        state = initial_state_of(
            self.cell,
            inputs=None,
            batch_size=batch if known is None else known,
            dtype=first.dtype.base_dtype,
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
        spec = nest.flatten(self.input_spec)[0] if self.input_spec else None
        shape = getattr(spec, "shape", None)
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
        shapes = input_shape[0] if isinstance(input_shape, list) else input_shape
        if nest.is_nested(shapes) and all(size is None or isinstance(size, int) for size in shapes):
            shapes = as_shape(shapes)
        specs = [] if self.input_spec is None else list(self.input_spec)[1:]
        batch = 1 if self.time_major else 0

        def spec_of(shape: Any) -> InputSpec:
            sizes = as_shape(shape).as_list()
            sizes[1 - batch] = None
            if not self.stateful:
                sizes[batch] = None
            return InputSpec(shape=tuple(sizes))

        def step_of(shape: Any) -> TensorShape:
            sizes = as_shape(shape).as_list()
            del sizes[1 - batch]
            return TensorShape(sizes)

        single = isinstance(shapes, TensorShape)
        self.input_spec = [spec_of(shapes), *specs] if single else None
        if isinstance(self.cell, Layer) and not self.cell.built:
            if self.cell._dtype is None:
                self.cell._dtype = self._dtype
            if not getattr(self.cell, "_is_tf_rnn_cell", False):
                self.cell.build(step_of(shapes) if single else nest.map_structure(step_of, shapes))
                self.cell.built = True
        if self.stateful and self._states is None:
            self.reset_states()
        self.built = True

    def compute_output_shape(self, input_shape: Any) -> Any:
        """[batch, ...], or with `return_sequences` [batch, time, ...]; then those of the states."""
        shape = input_shape[0] if isinstance(input_shape, list) else input_shape
        batch, time = as_shape(shape).as_list()[:2]
        if self.time_major:
            batch, time = time, batch
        sizes = [as_sizes(size).as_list() for size in nest.flatten(self._sizes)]
        size = getattr(self.cell, "output_size", None)
        own = sizes[0] if size is None else as_sizes(size).as_list()
        both = [time, batch] if self.time_major else [batch, time]
        output = TensorShape([*(both if self.return_sequences else [batch]), *own])
        if not self.return_state:
            return output
        return [output, *(TensorShape([batch, *each]) for each in sizes)]

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """That of the inputs, where all outputs are given."""
        own = (mask[0] if isinstance(mask, list) else mask) if self.return_sequences else None
        return [own, *[None] * len(self._sizes)] if self.return_state else own

    # ---- calling ------------------------------------------------------------------------------

    def __call__(
        self, inputs: Any, initial_state: Any = None, constants: Any = None, **kwargs: Any
    ) -> Any:
        """Runs the cell over the inputs.

        Args:
          inputs: [batch, time, ...]; or a list of this, the initial states, and the constants.
          initial_state: the states before the first step, a tensor or a list of them.
          constants: tensors that the cell gets at each step.

        The other arguments are those of `call`. Returns: what `call` returns.
        """
        inputs, initial_state, constants = self._divided(inputs, initial_state, constants)
        additional = [*(initial_state or ()), *(constants or ())]
        if not additional:
            return super().__call__(inputs, **kwargs)
        self._num_constants = len(constants or ())
        from_layers = [hasattr(x, "_keras_history") for x in nest.flatten(additional)]
        if len(set(from_layers)) > 1:
            raise ValueError(
                "The initial state or constants of an RNN layer cannot be specified with a mix of "
                'Keras tensors and non-Keras tensors (a "Keras tensor" is a tensor that was '
                "returned by a Keras layer, or by `Input`)"
            )
        if not from_layers[0]:
            return super().__call__(
                inputs, initial_state=initial_state, constants=constants, **kwargs
            )
        specs = [InputSpec(shape=int_shape(x)) for x in nest.flatten(additional)]
        own = self.input_spec if self.input_spec is not None else [None]
        self.input_spec = [*own, *specs]
        outputs = super().__call__([inputs, *additional], **kwargs)
        if self.input_spec is not None:
            self.input_spec = self.input_spec[: -len(specs)]
        return outputs

    def _divided(self, inputs: Any, state: Any, constants: Any) -> tuple[Any, Any, Any]:
        """Inputs, states and constants, which may come in one list."""
        if isinstance(inputs, list):
            if self._num_constants and constants is None:
                constants, inputs = inputs[-self._num_constants :], inputs[: -self._num_constants]
            inputs, *more = inputs
            state = more or state
        state, constants = (
            list(x) if isinstance(x, (list, tuple)) else None if x is None else [x]
            for x in (state, constants)
        )
        return inputs, state or None, constants or None

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: Any = None,
        initial_state: Any = None,
        constants: Any = None,
    ) -> Any:
        """Adds the operations."""
        inputs, initial_state, constants = self._divided(inputs, initial_state, constants)
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
        self._check_steps(nest.flatten(inputs)[0])

        def step(inputs: Any, states: tuple) -> tuple[Any, list]:
            count = len(states) - len(constants or ())
            return call_cell(self.cell, inputs, list(states[:count]), constants, training)

        if constants and "constants" not in inspect.signature(self.cell.call).parameters:
            raise ValueError("RNN cell does not support constants")
        last, outputs, states = rnn(
            step,
            inputs,
            nest.map_structure(_read, initial_state),
            go_backwards=self.go_backwards,
            mask=mask,
            constants=constants,
            unroll=self.unroll,
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
        if self._num_constants:
            config["num_constants"] = self._num_constants
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
