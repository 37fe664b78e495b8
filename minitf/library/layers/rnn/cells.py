"""Recurrent cells: one step of a recurrent network, from an input and a state to the next ones.

    cell = tf.nn.rnn_cell.BasicLSTMCell(128)
    output, new_state = cell(x, state)        x: [batch, n], output: [batch, 128]

A cell is a layer: it makes its variables at its first call and uses them again at the others. What
calls it once for each time step is in loops.py. LSTM: Hochreiter and Schmidhuber (1997), with the
forget gate of Gers et al. (2000); GRU: Cho et al. (2014).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from minitf.core.graph import stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_joining import concat, split
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import add, multiply, sigmoid, tanh
from minitf.core.variables.initializers import Constant, Zeros
from minitf.core.variables.variable_scope import get_variable_scope, variable_scope
from minitf.library.keras import activations
from minitf.library.keras.backend.recurrent import zero_state_tensors
from minitf.library.keras.engine.calls import InputSpec
from minitf.library.layers.base import Layer
from minitf.library.nets.basics import bias_add
from minitf.library.numeric.clip import clip_by_value


class LSTMStateTuple(NamedTuple):
    """The state of an LSTM: `c`, what it remembers, and `h`, what it gave out last."""

    c: Any
    h: Any


def activation_of(activation: Any, default: Callable[[Any], Tensor]) -> Callable[[Any], Tensor]:
    """An activation function: itself, by its name, or the default one for None."""
    return activations.get(activation) if activation is not None else default


class RNNCell(Layer):
    """What all cells have in common.

    A subclass says what `state_size` and `output_size` are and overrides `call(inputs, state)`,
    which returns the output and the new state; or it overrides `__call__` itself. Variables that it
    gets there belong to the cell.

    Example:
      >>> class Counter(tf.nn.rnn_cell.RNNCell):
      ...     state_size, output_size = 1, 1
      ...     def call(self, inputs, state):
      ...         return state + 1.0, state + 1.0

    Args:
      trainable, name, dtype: see `tf.layers.Layer`.
      input_size: accepted, as before TensorFlow 1.2; the first input tells it.
    """

    _is_tf_rnn_cell = True  # Keras's layers call it with its scopes, and a single state as it is

    def __init__(
        self,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        input_size: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, dtype=dtype, **kwargs)
        self._cell_scope: Any = None

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Runs the cell for one step.

        Args:
          inputs: [batch, input_size], or a structure of such tensors.
          state: of the structure of `state_size`, with a batch axis before it.
          scope: the variable scope of the variables; the class's name by default.
        Returns: the output, and the new state.
        """
        if scope is not None:
            with variable_scope(scope, custom_getter=self._noting_getter) as opened:
                return super().__call__(inputs, state, scope=opened)
        if getattr(self, "_cell_scope", None) is None:
            self._cell_scope = variable_scope(
                get_variable_scope(), custom_getter=self._noting_getter
            )
        with self._cell_scope:
            return super().__call__(inputs, state)

    def _noting_getter(self, getter: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Gets a variable and notes that it belongs to the cell."""
        variable = getter(*args, **kwargs)
        if all(variable is not known for known in self.weights):
            self._own(variable, variable.trainable)
        return variable

    @property
    def state_size(self) -> Any:
        """The size of the state: an integer, a `TensorShape`, or a structure of them."""
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self) -> Any:
        """The size of the output."""
        raise NotImplementedError("Abstract method")

    def build(self, input_shape: Any) -> None:
        """Nothing to make: a cell may get its variables in `call`."""
        self.built = True

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        """The state before the first step: zeros.

        Args:
          inputs: a batch of inputs, from which batch size and type are taken.
          batch_size, dtype: what they are, without `inputs`.
        Raises:
          ValueError: when batch size or type is not known.
        """
        if inputs is not None:
            inputs = convert_to_tensor(inputs, name="inputs")
            batch_size, dtype = _first_size(inputs), inputs.dtype
        if batch_size is None or dtype is None:
            raise ValueError(
                "batch_size and dtype cannot be None while constructing initial state: "
                f"batch_size={batch_size}, dtype={dtype}"
            )
        return self.zero_state(batch_size, dtype)

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """A state of zeros.

        Args:
          batch_size: an integer or a scalar tensor.
          dtype: the type of the state.
        Returns: the structure of `state_size`, of tensors [batch_size, size].
        """
        with stacks.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            return zero_state_tensors(self.state_size, batch_size, dtype)


def _first_size(tensor: Tensor) -> Any:
    known = tensor.shape[0].value if tensor.shape.ndims else None
    return shape_of(tensor)[0] if known is None else known


class LayerRNNCell(RNNCell):
    """A cell that makes its variables in `build`, as layers do."""

    def __call__(
        self, inputs: Any, state: Any, scope: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        """Runs the cell for one step; see `RNNCell`."""
        return Layer.__call__(self, inputs, state, *args, scope=scope, **kwargs)


class _Units(LayerRNNCell):
    """What the cells below have in common: so many units, an activation, and gates.

    Args:
      num_units, activation, reuse, options: as the cells have them.
    """

    def __init__(self, num_units: int, activation: Any, reuse: bool | None, **options: Any) -> None:
        super().__init__(_reuse=reuse, **options)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = activation_of(activation, tanh)

    @property
    def state_size(self) -> Any:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def _rows(self, input_shape: TensorShape) -> int:
        """How many rows a kernel has that takes the inputs and the outputs of the last step."""
        depth = input_shape[-1].value if input_shape.ndims else None
        if depth is None:
            raise ValueError(
                f"Expected inputs.shape[-1] to be known, received shape: {input_shape}"
            )
        return depth + self.output_size

    def _add_kernel(self, input_shape: TensorShape, columns: int, initializer: Any = None) -> None:
        rows = self._rows(input_shape)
        self._kernel = self.add_variable("kernel", [rows, columns], initializer=initializer)
        self._bias = self.add_variable("bias", [columns], initializer=Zeros())


def _gates(inputs: Tensor, outputs: Tensor, kernel: Any, bias: Any) -> Tensor:
    """Inputs and last outputs side by side, times a kernel, plus a bias."""
    return bias_add(matmul(concat([inputs, outputs], 1), kernel), bias)


class BasicRNNCell(_Units):
    """The simplest cell: `output = new_state = activation(W * input + U * state + B)`.

    Args:
      num_units: the size of the output and of the state.
      activation: tanh by default.
      reuse: whether variables must exist already.
      name: the name of its scope, "basic_rnn_cell" by default.
      dtype: of the variables; by default that of the first input.
    Example:
      >>> cell = tf.nn.rnn_cell.BasicRNNCell(8)
      >>> output, state = cell(tf.zeros([2, 3]), cell.zero_state(2, tf.float32))
      >>> output is state, output.shape.as_list()
      (True, [2, 8])
    """

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: bool | None = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_units, activation, reuse, name=name, dtype=dtype, **kwargs)

    def build(self, input_shape: Any) -> None:
        """Makes `kernel` [input + units, units] and `bias`."""
        self._add_kernel(input_shape, self._num_units)
        self.built = True

    def call(self, inputs: Tensor, state: Tensor) -> Any:
        """One step."""
        output = self._activation(_gates(inputs, state, self._kernel, self._bias))
        return output, output


class GRUCell(_Units):
    """The gated recurrent unit: a gate that forgets, one that updates, and a candidate.

    Args:
      num_units: the size of the output and of the state.
      activation: tanh by default.
      reuse: whether variables must exist already.
      kernel_initializer, bias_initializer: of the variables; the biases of the gates begin at one.
      name: the name of its scope, "gru_cell" by default.
      dtype: of the variables; by default that of the first input.
    Example:
      >>> cell = tf.nn.rnn_cell.GRUCell(8)
      >>> output, state = cell(tf.zeros([2, 3]), cell.zero_state(2, tf.float32))
      >>> state.shape.as_list()
      [2, 8]
    """

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: bool | None = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_units, activation, reuse, name=name, dtype=dtype, **kwargs)
        self._kernel_initializer = kernel_initializer
        self._bias_initializer = bias_initializer

    def build(self, input_shape: Any) -> None:
        """Makes `gates/kernel`, `gates/bias`, `candidate/kernel` and `candidate/bias`."""
        rows, units = self._rows(input_shape), self._num_units
        kernel, bias = self._kernel_initializer, self._bias_initializer

        def added(part: str, columns: int, default: Any) -> tuple[Any, Any]:
            first = default if bias is None else bias
            return (
                self.add_variable(f"{part}/kernel", [rows, columns], initializer=kernel),
                self.add_variable(f"{part}/bias", [columns], initializer=first),
            )

        self._gate_variables = added("gates", 2 * units, Constant(1.0))
        self._candidate_variables = added("candidate", units, Zeros())
        self.built = True

    def call(self, inputs: Tensor, state: Tensor) -> Any:
        """One step."""
        gates = sigmoid(_gates(inputs, state, *self._gate_variables))
        reset, update = split(value=gates, num_or_size_splits=2, axis=1)
        candidate = _gates(inputs, reset * state, *self._candidate_variables)
        new_state = update * state + (1 - update) * self._activation(candidate)
        return new_state, new_state


class _LSTM(_Units):
    """What both LSTM cells have in common: a state of two parts, c and h.

    Args:
      forget_bias, state_is_tuple, others: as the cells have them.
    """

    def __init__(
        self, num_units: int, forget_bias: float, state_is_tuple: bool, *others: Any, **options: Any
    ) -> None:
        super().__init__(num_units, *others, **options)
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple

    @property
    def state_size(self) -> Any:
        """The sizes of c and h."""
        sizes = LSTMStateTuple(self._num_units, self.output_size)
        return sizes if self._state_is_tuple else sum(sizes)

    def _parts(self, inputs: Tensor, state: Any) -> tuple[Tensor, list[Tensor]]:
        """What is remembered, and the gates: input, new, forget, output."""
        if self._state_is_tuple:
            c, h = state
        elif self.output_size == self._num_units:
            c, h = split(state, 2, axis=1)
        else:
            c, h = split(state, [self._num_units, self.output_size], axis=1)
        gates = _gates(inputs, h, self._kernel, self._bias)
        return c, split(value=gates, num_or_size_splits=4, axis=1)

    def _result(self, c: Tensor, h: Tensor) -> Any:
        return h, LSTMStateTuple(c, h) if self._state_is_tuple else concat([c, h], 1)


class BasicLSTMCell(_LSTM):
    """The LSTM cell with a bias for its forget gate, and nothing else.

    Args:
      num_units: the size of the output.
      forget_bias: added to the forget gate, so that a new cell remembers.
      state_is_tuple: whether the state is an `LSTMStateTuple`, or c and h side by side.
      activation: tanh by default.
      reuse: whether variables must exist already.
      name: the name of its scope, "basic_lstm_cell" by default.
      dtype: of the variables; by default that of the first input.
    Example:
      >>> cell = tf.nn.rnn_cell.BasicLSTMCell(8)
      >>> outputs, state = tf.nn.dynamic_rnn(cell, tf.zeros([2, 5, 3]), dtype=tf.float32)
      >>> outputs.shape.as_list(), state.c.shape.as_list()
      ([2, 5, 8], [2, 8])
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: bool | None = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        names = {"name": name, "dtype": dtype, **kwargs}
        super().__init__(num_units, forget_bias, state_is_tuple, activation, reuse, **names)

    def build(self, input_shape: Any) -> None:
        """Makes `kernel` [input + units, 4 * units] and `bias`."""
        self._add_kernel(input_shape, 4 * self._num_units)
        self.built = True

    def call(self, inputs: Tensor, state: Any) -> Any:
        """One step."""
        c, (i, j, f, o) = self._parts(inputs, state)
        forgotten = multiply(c, sigmoid(add(f, self._forget_bias)))
        new_c = add(forgotten, multiply(sigmoid(i), self._activation(j)))
        return self._result(new_c, multiply(self._activation(new_c), sigmoid(o)))


class LSTMCell(_LSTM):
    """The LSTM cell with all that was added to it: peepholes, a projection, limits.

    Args:
      num_units: the size of what it remembers.
      use_peepholes: whether the gates see c as well.
      cell_clip: a limit for the values of c.
      initializer: of the matrices.
      num_proj: the size of the output, when it is to be projected.
      proj_clip: a limit for the projected values.
      num_unit_shards, num_proj_shards: accepted; matrices are kept whole.
      forget_bias: added to the forget gate, so that a new cell remembers.
      state_is_tuple: whether the state is an `LSTMStateTuple`, or c and h side by side.
      activation: tanh by default.
      reuse: whether variables must exist already.
      name: the name of its scope, "lstm_cell" by default.
      dtype: of the variables; by default that of the first input.
    Example:
      >>> cell = tf.nn.rnn_cell.LSTMCell(8, num_proj=4)
      >>> cell.state_size
      LSTMStateTuple(c=8, h=4)
      >>> cell.output_size
      4
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: Any = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: int | None = None,
        num_proj_shards: int | None = None,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: bool | None = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        names = {"name": name, "dtype": dtype, **kwargs}
        super().__init__(num_units, forget_bias, state_is_tuple, activation, reuse, **names)
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._num_proj = num_proj
        self._proj_clip = proj_clip

    @property
    def output_size(self) -> int:
        """The number of units, or the size of the projection."""
        return self._num_proj or self._num_units

    def build(self, input_shape: Any) -> None:
        """Makes `kernel`, `bias`, and what peepholes and projection need."""
        units, given = self._num_units, self._initializer
        self._add_kernel(input_shape, 4 * units, given)
        if self._use_peepholes:
            self._peepholes = [
                self.add_variable(f"w_{gate}_diag", [units], initializer=given) for gate in "fio"
            ]
        if self._num_proj is not None:
            shape = [units, self._num_proj]
            self._projection = self.add_variable("projection/kernel", shape, initializer=given)
        self.built = True

    def call(self, inputs: Tensor, state: Any) -> Any:
        """One step."""
        c, (i, j, f, o) = self._parts(inputs, state)
        seen_f, seen_i, seen_o = self._peepholes if self._use_peepholes else (None,) * 3
        new_c = sigmoid(peeping(f + self._forget_bias, seen_f, c)) * c + sigmoid(
            peeping(i, seen_i, c)
        ) * self._activation(j)
        new_c = clipped(new_c, self._cell_clip)
        new_h = sigmoid(peeping(o, seen_o, new_c)) * self._activation(new_c)
        if self._num_proj is not None:
            new_h = clipped(matmul(new_h, self._projection), self._proj_clip)
        return self._result(new_c, new_h)


def peeping(gate: Tensor, weights: Any, c: Tensor) -> Tensor:
    """A gate that sees c as well, if there are weights for it."""
    return gate if weights is None else gate + weights * c


def clipped(value: Tensor, limit: float | None) -> Tensor:
    """Values between a limit and its negative, if there is a limit."""
    return value if limit is None else clip_by_value(value, -limit, limit)
