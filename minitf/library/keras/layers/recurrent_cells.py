"""The cells that recurrent layers run: simple, LSTM and GRU; and a cell made of several.

    SimpleRNN   h' = act(x K + h R + b)
    LSTM        i, f, o = gates of (x K + h R + b);  c' = f c + i act(g);  h' = o act(c')
    GRU         z, r = gates;  h' = z h + (1 - z) act(x K + (r h) R + b)

K stands for the kernels of all gates side by side, so that a step is one product with the inputs
and one with the state. Source of LSTM: Hochreiter and Schmidhuber (1997); of GRU: Cho (2014).
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, ClassVar

from minitf.core.graph import dtypes, nest, stacks
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones_like
from minitf.core.ops.array_joining import concat, split, unstack
from minitf.core.ops.linalg import matmul
from minitf.core.variables.initializers import Ones
from minitf.library.keras import activations
from minitf.library.keras.backend.functions import in_train_phase
from minitf.library.keras.backend.recurrent import as_sizes, zero_state_tensors
from minitf.library.keras.engine.base_layer import Layer
from minitf.library.keras.engine.structure import deserialize_layer
from minitf.library.keras.layers.configured import Configured
from minitf.library.keras.objects import constructor, parameters_of, serialize_keras_object
from minitf.library.nets.basics import bias_add, dropout


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
      kwargs: see `Layer`.

    Raises:
      ValueError: when one has no `call` or no `state_size`.
    """

    def __init__(self, cells: Sequence[Any], **kwargs: Any) -> None:
        for cell in cells:
            check_cell(cell, "All cells must have a")
        self.cells = list(cells)
        super().__init__(**kwargs)

    @property
    def state_size(self) -> tuple:
        """The state sizes of the cells."""
        return tuple(cell.state_size for cell in self.cells)

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
            for cell in self.cells
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

    def call(self, inputs: Any, states: Any, training: Any = None) -> tuple[Any, Any]:
        """One step of all cells."""
        sizes = self.state_size
        grouped = nest.pack_sequence_as(sizes, nest.flatten(states))
        after = []
        for cell, given in zip(self.cells, grouped, strict=True):
            own = list(given) if nest.is_nested(given) else [given]
            inputs, new = call_cell(cell, inputs, own, training)
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


def call_cell(cell: Any, inputs: Any, states: Sequence[Any], training: Any) -> tuple[Any, list]:
    """One step of a cell: its output, and a list of the new states."""
    takes = inspect.signature(cell.call).parameters
    more = {"training": training} if "training" in takes else {}
    if getattr(cell, "_is_tf_rnn_cell", False):  # it has variable scopes, and single states
        output, new = cell(inputs, states[0] if len(states) == 1 else states)
    else:
        output, new = cell.call(inputs, states, **more)
    return output, list(new) if nest.is_nested(new) else [new]


class Cell(AbstractRNNCell):
    """What the cells have in common: kernels for so many gates, and dropout.

    Dropout keeps what it drops for all steps of a sequence.
    """

    gates: ClassVar[int] = 1

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._keep(locals())
        self.dropout, self.recurrent_dropout = (
            min(1.0, max(0.0, rate)) for rate in (dropout, recurrent_dropout)
        )
        self._masks: dict[str, Any] = {}

    @property
    def state_size(self) -> Any:
        """The number of units."""
        return self.units

    @property
    def output_size(self) -> Any:
        """The number of units."""
        return self.units

    def _bias_shape(self) -> list[int]:
        return [self.gates * self.units]

    def build(self, input_shape: Any) -> None:
        """Makes `kernel`, `recurrent_kernel` and `bias`, those of all gates side by side."""
        depth, columns = as_shape(input_shape).as_list()[-1], self.gates * self.units
        self.kernel = self._add_own("kernel", [depth, columns])
        self.recurrent_kernel = self._add_own("recurrent_kernel", [self.units, columns])
        self.bias = self._add_bias() if self.use_bias else None
        self.built = True

    def _add_bias(self) -> Any:
        return self._add_own("bias", self._bias_shape())

    # ---- dropout ------------------------------------------------------------------------------

    def reset_dropout_mask(self) -> None:
        """Lets dropout choose anew, for the next sequences."""
        self._masks = {}

    def _dropped(self, x: Tensor, rate: str, training: Any) -> Tensor:
        """The values with a part set to 0, the same part at every step."""
        if not getattr(self, rate):
            return x
        if rate not in self._masks:
            kept = ones_like(x)
            self._masks[rate] = in_train_phase(
                lambda: dropout(kept, rate=getattr(self, rate)), kept, training
            )
        return x * self._masks[rate]

    def _sums(self, inputs: Tensor, state: Tensor, training: Any) -> tuple[Tensor, Tensor]:
        """The products of inputs and of the state with the kernels; the first with the bias."""
        product = matmul(self._dropped(inputs, "dropout", training), self.kernel)
        if self.bias is not None:
            product = bias_add(product, self.bias)
        state = self._dropped(state, "recurrent_dropout", training)
        return product, matmul(state, self.recurrent_kernel)


class SimpleRNNCell(Cell):
    """The simplest cell: activation(inputs @ kernel + state @ recurrent_kernel + bias).

    Args:
      units: the size of the output and of the state.
      activation: of the output.
      use_bias: whether there is a bias.
      kernel_initializer, kernel_regularizer, kernel_constraint: of what multiplies the inputs.
      recurrent_initializer, recurrent_regularizer, recurrent_constraint: the state.
      bias_initializer, bias_regularizer, bias_constraint: of the bias.
      dropout, recurrent_dropout: the part of the inputs and of the state to drop.
      kwargs: see `Layer`.
    """

    def call(self, inputs: Tensor, states: Any, training: Any = None) -> tuple[Tensor, list]:
        """One step."""
        product, recurrent = self._sums(inputs, states[0], training)
        output = self.activation(product + recurrent)
        return output, [output]


class LSTMCell(Cell):
    """The LSTM cell; its states are `h`, the output, and `c`, what it remembers.

    Args:
      units: the size of the output and of both states.
      activation: of the output and of what is new.
      recurrent_activation: of the gates.
      unit_forget_bias: whether the bias of the forget gate begins at 1, so that it remembers.
      implementation: accepted; there is one arithmetic.

    The other arguments are those of `SimpleRNNCell`.
    """

    gates = 4

    def _start(
        self, recurrent_activation: Any, unit_forget_bias: bool, implementation: int, **others: Any
    ) -> None:
        Cell.__init__(self, **others)
        self.recurrent_activation = activations.get(recurrent_activation)
        self.unit_forget_bias, self.implementation = unit_forget_bias, implementation

    __init__ = constructor(
        parameters_of(
            Cell,
            activation={"recurrent_activation": "hard_sigmoid"},
            bias_initializer={"unit_forget_bias": True},
            recurrent_dropout={"implementation": 1},
        ),
        _start,
    )

    @property
    def state_size(self) -> list:
        """The number of units, twice."""
        return [self.units, self.units]

    #: how many gates' biases stand before that of the forget gate, and how many behind it
    _before_forget: ClassVar[tuple[int, int]] = (1, 2)

    def _add_bias(self) -> Any:
        before, behind = self._before_forget

        def remembering(shape: Any, dtype: Any = dtypes.float32, **_: Any) -> Tensor:
            parts = (self.bias_initializer, before), (Ones(), 1), (self.bias_initializer, behind)
            return concat([make([n * self.units], dtype=dtype) for make, n in parts], 0)

        start = remembering if self.unit_forget_bias else self.bias_initializer
        return self._add_own("bias", self._bias_shape(), initializer=start)

    def call(self, inputs: Tensor, states: Any, training: Any = None) -> tuple[Tensor, list]:
        """One step."""
        product, recurrent = self._sums(inputs, states[0], training)
        i, f, g, o = split(product + recurrent, 4, 1)
        gate = self.recurrent_activation
        c = gate(f) * states[1] + gate(i) * self.activation(g)
        h = gate(o) * self.activation(c)
        return h, [h, c]


class GRUCell(Cell):
    """The gated recurrent unit.

    Args:
      units: the size of the output and of the state.
      activation: of what is new.
      recurrent_activation: of the gates.
      implementation: accepted; there is one arithmetic.
      reset_after: whether the state is reset after its product, as the cells of cuDNN do.

    The other arguments are those of `SimpleRNNCell`.
    """

    gates = 3

    def _start(
        self, recurrent_activation: Any, implementation: int, reset_after: bool, **others: Any
    ) -> None:
        Cell.__init__(self, **others)
        self.recurrent_activation = activations.get(recurrent_activation)
        self.implementation, self.reset_after = implementation, reset_after

    __init__ = constructor(
        parameters_of(
            Cell,
            activation={"recurrent_activation": "hard_sigmoid"},
            recurrent_dropout={"implementation": 1, "reset_after": False},
        ),
        _start,
    )

    def _bias_shape(self) -> list[int]:
        return [2, 3 * self.units] if self.reset_after else [3 * self.units]

    def _biases(self) -> tuple[Any, Any]:
        """The bias of the inputs' product, and that of the state's."""
        if self.bias is None or not self.reset_after:
            return self.bias, None
        first, second = unstack(self.bias)
        return first, second

    def call(self, inputs: Tensor, states: Any, training: Any = None) -> tuple[Tensor, list]:
        """One step."""
        h, n = states[0], self.units
        gate, (of_inputs, of_state) = self.recurrent_activation, self._biases()
        product = matmul(self._dropped(inputs, "dropout", training), self.kernel)
        if of_inputs is not None:
            product = bias_add(product, of_inputs)
        x_z, x_r, x_h = split(product, 3, 1)
        seen = self._dropped(h, "recurrent_dropout", training)
        if self.reset_after:
            recurrent = matmul(seen, self.recurrent_kernel)
            if of_state is not None:
                recurrent = bias_add(recurrent, of_state)
            h_z, h_r, h_h = split(recurrent, 3, 1)
            fresh = gate(x_r + h_r) * h_h
        else:
            h_z, h_r = split(matmul(seen, self.recurrent_kernel[:, : 2 * n]), 2, 1)
            fresh = matmul(gate(x_r + h_r) * seen, self.recurrent_kernel[:, 2 * n :])
        z = gate(x_z + h_z)
        h = z * h + (1 - z) * self.activation(x_h + fresh)
        return h, [h]


class CuDNNLSTMCell(LSTMCell):
    """The LSTM cell with the weights of cuDNN: two biases, one behind the other."""

    _before_forget = (5, 2)

    def _bias_shape(self) -> list[int]:
        return [8 * self.units]

    def _sums(self, inputs: Tensor, state: Tensor, training: Any) -> tuple[Tensor, Tensor]:
        first, second = split(self.bias, 2)
        product, recurrent = matmul(inputs, self.kernel), matmul(state, self.recurrent_kernel)
        return bias_add(product, first), bias_add(recurrent, second)


class CuDNNGRUCell(GRUCell):
    """The GRU cell with the weights of cuDNN: two biases, one behind the other."""

    def _bias_shape(self) -> list[int]:
        return [6 * self.units]

    def _biases(self) -> tuple[Any, Any]:
        first, second = split(self.bias, 2)
        return first, second
