"""Cells of `tf.contrib.rnn` that papers of 2014 to 2018 offered in place of LSTM and GRU.

    one state   UGRNNCell, IntersectionRNNCell (Collins et al., 2016), SRUCell (Lei et al., 2017),
                IndRNNCell, IndyGRUCell (Li et al., 2018: each unit sees only its own past)
    c and h     NASCell (Zoph and Le, 2016), CoupledInputForgetGateLSTMCell (Greff et al., 2015),
                GLSTMCell (Kuchaiev and Ginsburg, 2017), PhasedLSTMCell (Neil et al., 2016),
                IndyLSTMCell
    images      ConvLSTMCell and its forms for 1, 2 and 3 axes (Shi et al., 2015)

They get their variables in `call`, by names that checkpoints know.
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import relu
from minitf.core.ops.array_joining import split
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import sigmoid, tanh
from minitf.core.variables.initializers import Zeros
from minitf.core.variables.variable_scope import get_variable, get_variable_scope, variable_scope
from minitf.library.layers.rnn.cells import LSTMStateTuple, RNNCell
from minitf.library.nets.basics import bias_add


def depth_of(inputs: Tensor) -> int:
    """How many features the inputs [batch, features] have.

    Raises:
      ValueError: when that is not known.
    """
    depth = inputs.shape.with_rank(2)[1].value
    if depth is None:
        raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
    return depth


class GatedCell(RNNCell):
    """What the cells here have in common: units, and maybe a projection of what they give out.

    Args:
      num_units: the size of what it remembers.
      num_proj: the size of the output, when it is to be projected.
      initializer: of the matrices.
      forget_bias: added to the forget gate, so that a new cell remembers.
      activation: tanh by default.
      reuse: whether variables must exist already.
      options: see `RNNCell`.
    """

    remembers = False  # whether the state is a pair, c and h

    def __init__(
        self,
        num_units: int,
        num_proj: int | None = None,
        initializer: Any = None,
        forget_bias: float = 1.0,
        activation: Any = None,
        reuse: bool | None = None,
        **options: Any,
    ) -> None:
        super().__init__(_reuse=reuse, **options)
        self._num_units, self._num_proj = num_units, num_proj
        self._initializer, self._forget_bias = initializer, forget_bias
        self._activation = activation or tanh

    @property
    def output_size(self) -> Any:
        """The number of units, or the size of the projection."""
        return self._num_proj or self._num_units

    @property
    def state_size(self) -> Any:
        """The number of units; those of c and h where it has both."""
        units = self._num_units
        return LSTMStateTuple(units, self.output_size) if self.remembers else units

    def call(self, inputs: Any, state: Any) -> Any:
        """One step."""
        with variable_scope(get_variable_scope(), initializer=self._initializer):
            return self._step(inputs, state)

    def _step(self, inputs: Any, state: Any) -> Any:
        raise NotImplementedError

    def _remembered(self, c: Tensor, gates: Any) -> tuple[Tensor, Tensor]:
        """The new c and h of an LSTM, from its gates: input, new, forget, output."""
        i, j, f, o = gates
        new_c = sigmoid(f + self._forget_bias) * c + sigmoid(i) * self._activation(j)
        return new_c, sigmoid(o) * self._activation(new_c)


class NASCell(GatedCell):
    """The cell that a search among architectures found.

    Args:
      num_units: the size of what it remembers.
      num_proj: the size of the output, when it is to be projected.
      use_bias: whether the gates have a bias.
      reuse: whether variables must exist already.
    """

    remembers = True

    def __init__(
        self,
        num_units: int,
        num_proj: int | None = None,
        use_bias: bool = False,
        reuse: bool | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_units, num_proj, reuse=reuse, **kwargs)
        self._use_bias = use_bias

    def _step(self, inputs: Tensor, state: Any) -> Any:
        (c, h), columns, dtype = state, 8 * self._num_units, inputs.dtype
        past = matmul(h, get_variable("recurrent_kernel", [self.output_size, columns], dtype))
        new = matmul(inputs, get_variable("kernel", [depth_of(inputs), columns], dtype))
        if self._use_bias:
            past = bias_add(past, get_variable("bias", [columns], dtype, Zeros()))
        pairs = list(zip(split(new, 8, axis=1), split(past, 8, axis=1), strict=True))
        kinds = (sigmoid, relu, sigmoid, relu, tanh, sigmoid, tanh, sigmoid)
        a = [
            kind(x * y if place == 3 else x + y)
            for place, (kind, (x, y)) in enumerate(zip(kinds, pairs, strict=True))
        ]
        new_c = tanh(tanh(a[0] * a[1]) + c) * tanh(a[2] + a[3])
        new_h = tanh(new_c * tanh(tanh(a[4] * a[5]) + sigmoid(a[6] + a[7])))
        if self._num_proj is not None:
            shape = [self._num_units, self._num_proj]
            new_h = matmul(new_h, get_variable("projection_weights", shape, dtype))
        return new_h, LSTMStateTuple(new_c, new_h)
