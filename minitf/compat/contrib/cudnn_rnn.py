"""`tf.contrib.cudnn_rnn`: several recurrent layers in one call, as a library for GPUs has them.

    lstm = tf.contrib.cudnn_rnn.CudnnLSTM(num_layers=2, num_units=128)
    outputs, (h, c) = lstm(inputs)      inputs: [time, batch, n], h and c: [layers, batch, 128]

Here they are loops of the cells that are compatible with it, on any device, and their variables
have the names that TensorFlow gives them in checkpoints: kernel and bias of each layer, where a
GPU would keep one long vector.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.compat.contrib.rnn_cells import LSTMBlockCell
from minitf.core.gradients.cond import smart_cond
from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import relu
from minitf.core.ops.array import identity
from minitf.core.ops.array_filling import zeros
from minitf.core.ops.array_joining import concat, split, stack
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import sigmoid, tanh
from minitf.core.variables.initializers import Constant, GlorotUniform, Zeros
from minitf.core.variables.variable_scope import variable_scope
from minitf.library.layers.base import Layer
from minitf.library.layers.rnn.bidirectional import bidirectional_dynamic_rnn
from minitf.library.layers.rnn.cells import BasicRNNCell, GRUCell, LSTMStateTuple
from minitf.library.layers.rnn.loops import dynamic_rnn, size_of
from minitf.library.nets.basics import bias_add, dropout


class CudnnCompatibleLSTMCell(LSTMBlockCell):
    """The LSTM cell of the library for GPUs: no forget bias, no peepholes, no limits."""

    def __init__(self, num_units: int, reuse: bool | None = None) -> None:
        super().__init__(num_units, 0, reuse=reuse, name="cudnn_compatible_lstm_cell")


class CudnnCompatibleGRUCell(GRUCell):
    """The GRU cell of the library for GPUs: it resets what the kernel has made of the last output.

    Args:
      num_units: the size of the output.
      reuse: whether variables must exist already.
      kernel_initializer: of the matrices.
    """

    def __init__(
        self, num_units: int, reuse: bool | None = None, kernel_initializer: Any = None
    ) -> None:
        super().__init__(num_units, reuse=reuse, kernel_initializer=kernel_initializer)

    def build(self, input_shape: Any) -> None:
        """Makes the kernels and biases of the gates, and of both projections of the candidate."""
        rows, units = self._rows(input_shape), self._num_units

        def added(part: str, rows: int, columns: int, start: Any) -> tuple[Any, Any]:
            given = self._kernel_initializer
            return (
                self.add_variable(f"{part}/kernel", [rows, columns], initializer=given),
                self.add_variable(f"{part}/bias", [columns], initializer=start),
            )

        self._gate_variables = added("gates", rows, 2 * units, Constant(1.0))
        self._of_input = added("candidate/input_projection", rows - units, units, Zeros())
        self._of_hidden = added("candidate/hidden_projection", units, units, Zeros())
        self.built = True

    def call(self, inputs: Tensor, state: Tensor) -> Any:
        """One step."""

        def projected(x: Tensor, variables: tuple[Any, Any]) -> Tensor:
            kernel, bias = variables
            return bias_add(matmul(x, kernel), bias)

        gates = sigmoid(projected(concat([inputs, state], 1), self._gate_variables))
        reset, update = split(gates, 2, axis=1)
        hidden = reset * projected(state, self._of_hidden)
        candidate = self._activation(projected(inputs, self._of_input) + hidden)
        new_state = (1 - update) * candidate + update * state
        return new_state, new_state


class _CudnnRNN(Layer):
    """Several recurrent layers in one call.

    Args:
      num_layers: how many layers.
      num_units: the size of the output of each, in each direction.
      input_mode: "linear_input", or "auto_select", which is the same.
      direction: "unidirectional" or "bidirectional".
      dropout: which part of the outputs between two layers is dropped in training.
      seed: makes that, and the start, repeatable.
      dtype: float16, float32 or float64.
      kernel_initializer, bias_initializer: of the variables; Glorot's, and zeros.
      name: of the scope.
    Raises:
      ValueError: for another direction, mode or type.
    """

    _cell: Callable[[int], Any]
    _states = 1  # how many tensors a state has

    def __init__(
        self, num_layers: int, num_units: int, input_mode: str = "linear_input",
        direction: str = "unidirectional", dropout: float = 0.0, seed: int | None = None,
        dtype: Any = dtypes.float32, kernel_initializer: Any = None, bias_initializer: Any = None,
        name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(dtype=dtype, name=name)
        for word, given, allowed in (
            ("direction", direction, ("unidirectional", "bidirectional")),
            ("input_mode", input_mode, ("linear_input", "auto_select")),
            ("dtype", dtype, (dtypes.float16, dtypes.float32, dtypes.float64)),
        ):
            if given not in allowed:
                raise ValueError(f"{word} must be one of {allowed}, not {given!r}.")
        self.num_layers, self.num_units = num_layers, num_units
        self.direction, self.input_mode = direction, input_mode
        self.num_dirs = 1 if direction == "unidirectional" else 2
        self._dropout, self._seed = dropout, seed
        self._starts = {
            "kernel": kernel_initializer or GlorotUniform(seed=seed, dtype=dtype),
            "bias": bias_initializer or Zeros(),
        }
        count = num_layers * self.num_dirs
        self._cells = [type(self)._cell(num_units) for _ in range(count)]

    def state_shape(self, batch_size: Any) -> tuple[list, ...]:
        """The shape of each tensor of a state: [layers * directions, batch, units]."""
        return ([self.num_layers * self.num_dirs, batch_size, self.num_units],) * self._states

    def _getter(self, getter: Callable, name: str, *args: Any, **kwargs: Any) -> Any:
        kwargs["initializer"] = self._starts[name.rpartition("/")[2]]
        variable = getter(name, *args, **kwargs)
        if all(variable is not known for known in self.weights):
            self._own(variable, variable.trainable)
        return variable

    def call(
        self, inputs: Any, initial_state: Any = None, sequence_lengths: Any = None,
        time_major: bool = True, training: Any = True,
    ) -> tuple[Tensor, tuple]:  # fmt: skip
        """Runs all layers over all times.

        Args:
          inputs: [time, batch, features], or [batch, time, features] when not `time_major`.
          initial_state: the tuple (h, c), or (h,); zeros by default.
          sequence_lengths: [batch] integers; all times count by default.
          training: a bool, or a bool tensor: whether outputs between layers are dropped.
        Returns: the outputs, and the state in the form of `initial_state`.
        """
        layer = convert_to_tensor(inputs, self.dtype)
        if initial_state is None:
            shapes = self.state_shape(size_of([layer], 1 if time_major else 0))
            initial_state = tuple(zeros(stack(shape), self.dtype) for shape in shapes)
        if not isinstance(initial_state, tuple):
            raise TypeError(f"Invalid initial_state type: {initial_state}, expecting tuple.")
        ends: list[Any] = []
        options: dict[str, Any] = {"sequence_length": sequence_lengths, "time_major": time_major}
        for number in range(self.num_layers):
            if number and self._dropout:
                layer = self._dropped(layer, training)
            places = range(number * self.num_dirs, (number + 1) * self.num_dirs)
            starts = [self._one_state(initial_state, place) for place in places]
            cells = [self._cells[place] for place in places]
            if self.num_dirs == 1:
                where = f"rnn/multi_rnn_cell/cell_{number}"
                with variable_scope(where, custom_getter=self._getter) as scope:
                    layer, end = dynamic_rnn(
                        cells[0], layer, initial_state=starts[0], scope=scope, **options
                    )
                ends.append(end)
                continue
            with variable_scope(
                f"stack_bidirectional_rnn/cell_{number}", custom_getter=self._getter
            ):
                both, pair = bidirectional_dynamic_rnn(
                    cells[0],
                    cells[1],
                    layer,
                    initial_state_fw=starts[0],
                    initial_state_bw=starts[1],
                    **options,
                )
            layer = concat(both, 2)
            ends += pair
        if self._states == 1:
            return layer, (stack(ends),)
        return layer, (stack([end.h for end in ends]), stack([end.c for end in ends]))

    def _one_state(self, state: tuple, place: int) -> Any:
        parts = [convert_to_tensor(part, self.dtype)[place] for part in state]
        return parts[0] if self._states == 1 else LSTMStateTuple(c=parts[1], h=parts[0])

    def _dropped(self, outputs: Tensor, training: Any) -> Tensor:
        return smart_cond(
            training,
            lambda: dropout(outputs, keep_prob=1.0 - self._dropout, seed=self._seed),
            lambda: identity(outputs),
        )


class CudnnLSTM(_CudnnRNN):
    """Layers of LSTMs; see `CudnnCompatibleLSTMCell`.

    Example:
      >>> lstm = tf.contrib.cudnn_rnn.CudnnLSTM(2, 8, direction="bidirectional")
      >>> outputs, (h, c) = lstm(tf.zeros([5, 3, 4]))
      >>> outputs.shape.as_list(), h.shape.as_list()
      ([5, 3, 16], [4, 3, 8])
    """

    _cell, _states = CudnnCompatibleLSTMCell, 2


class CudnnGRU(_CudnnRNN):
    """Layers of GRUs; see `CudnnCompatibleGRUCell`."""

    _cell = CudnnCompatibleGRUCell


class CudnnRNNTanh(_CudnnRNN):
    """Layers of plain cells with tanh; see `BasicRNNCell`."""

    @staticmethod
    def _cell(units: int) -> Any:
        return BasicRNNCell(units, tanh, name="cudnn_compatible_rnn_cell")


class CudnnRNNRelu(_CudnnRNN):
    """Layers of plain cells with a relu; see `BasicRNNCell`."""

    @staticmethod
    def _cell(units: int) -> Any:
        return BasicRNNCell(units, relu, name="cudnn_compatible_rnn_cell")
