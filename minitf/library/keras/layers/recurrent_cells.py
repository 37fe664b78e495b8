"""The cells that recurrent layers run: simple, LSTM and GRU.

    SimpleRNN   h' = act(x K + h R + b)
    LSTM        i, f, o = gates of (x K + h R + b);  c' = f c + i act(g);  h' = o act(c')
    GRU         z, r = gates;  h' = z h + (1 - z) act(x K + (r h) R + b)

K stands for the kernels of all gates side by side, so that a step is one product with the inputs
and one with the state. Source of LSTM: Hochreiter and Schmidhuber (1997); of GRU: Cho (2014).
"""

from __future__ import annotations

from typing import Any, ClassVar

from minitf.core.graph import dtypes
from minitf.core.graph.shapes import as_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_filling import ones_like
from minitf.core.ops.array_joining import concat, split, unstack
from minitf.core.ops.linalg import matmul
from minitf.core.variables.initializers import Ones
from minitf.library.keras.backend.phases import in_train_phase
from minitf.library.keras.layers.recurrent import AbstractRNNCell
from minitf.library.nets.basics import bias_add, dropout


class Cell(AbstractRNNCell):
    """What the cells have in common: kernels for so many gates, and dropout.

    Dropout keeps what it drops for all steps of a sequence.
    """

    gates: ClassVar[int] = 1

    def __init__(self, arguments: dict[str, Any]) -> None:
        super().__init__(**arguments["kwargs"])
        self._keep(arguments)
        for name in ("dropout", "recurrent_dropout"):
            if name in arguments:
                setattr(self, name, min(1.0, max(0.0, arguments[name])))
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
        self.recurrent_kernel = self._add_recurrent([self.units, columns])
        self.bias = self._add_bias() if self.use_bias else None
        self.built = True

    def _add_recurrent(self, shape: list) -> Any:
        return self.add_weight(
            "recurrent_kernel",
            shape,
            initializer=self.recurrent_initializer,
            regularizer=self.recurrent_regularizer,
            constraint=self.recurrent_constraint,
        )

    def _add_bias(self) -> Any:
        return self._add_own("bias", self._bias_shape())

    # ---- dropout ------------------------------------------------------------------------------

    def reset_dropout_mask(self) -> None:
        """Lets dropout choose anew, for the next sequences."""
        self._masks = {}

    def _dropped(self, x: Tensor, rate: str, training: Any) -> Tensor:
        """The values with a part set to 0, the same part at every step."""
        if not getattr(self, rate, 0.0):
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
        super().__init__(locals())

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

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        implementation: int = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__(locals())

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
            return concat([make([n * self._width], dtype=dtype) for make, n in parts], 0)

        return self.add_weight(
            "bias",
            self._bias_shape(),
            initializer=remembering if self.unit_forget_bias else self.bias_initializer,
            regularizer=self.bias_regularizer,
            constraint=self.bias_constraint,
        )

    @property
    def _width(self) -> int:
        """The size of one gate."""
        return self.units

    def call(self, inputs: Tensor, states: Any, training: Any = None) -> tuple[Tensor, list]:
        """One step."""
        product, recurrent = self._sums(inputs, states[0], training)
        return self._remembered(product + recurrent, states[1], 1)

    def _remembered(self, sums: Tensor, c: Tensor, axis: int) -> tuple[Tensor, list]:
        i, f, g, o = split(sums, 4, axis)
        gate = self.recurrent_activation
        c = gate(f) * c + gate(i) * self.activation(g)
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

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
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
        implementation: int = 1,
        reset_after: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(locals())

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
