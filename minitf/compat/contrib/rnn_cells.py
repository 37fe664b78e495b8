"""Cells of `tf.contrib.rnn` that language models use, beside the common ones of rnn_cell.py.

    LSTMBlockCell, GRUBlockCellV2    LSTMCell and GRUCell under the names of their fused kernels
    LayerNormBasicLSTMCell           gates are normalized, and what is remembered can be dropped

What a fused kernel computes is what the cell computes; variables have the same names, so that
checkpoints of the one restore in the other. Layer normalization: Ba et al. (2016); dropout that
forgets nothing: Semeniuta et al. (2016).
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_joining import concat, split
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import sigmoid, tanh
from minitf.core.variables.initializers import Constant, Zeros
from minitf.library.layers.rnn.cells import BasicLSTMCell, LSTMStateTuple
from minitf.library.nets.basics import bias_add, dropout, moments
from minitf.library.nets.normalization import batch_normalization


class LayerNormBasicLSTMCell(BasicLSTMCell):
    """An LSTM cell whose gates and memory are normalized, and whose new memories may be dropped.

    Args:
      num_units: the size of the output.
      forget_bias: added to the forget gate.
      input_size: accepted; the first input tells it.
      activation: tanh by default.
      layer_norm: whether to normalize; without, the gates have a bias.
      norm_gain, norm_shift: what `gamma` and `beta` begin at.
      dropout_keep_prob: how much of what is new is kept, a number or a tensor.
      dropout_prob_seed: makes the choice repeatable.
      reuse: whether variables must exist already.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        input_size: int | None = None,
        activation: Any = tanh,
        layer_norm: bool = True,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
        dropout_keep_prob: Any = 1.0,
        dropout_prob_seed: int | None = None,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(num_units, forget_bias, activation=activation, reuse=reuse)
        self._layer_norm = layer_norm
        self._gain, self._shift = Constant(norm_gain), Constant(norm_shift)
        self._keep_prob, self._seed = dropout_keep_prob, dropout_prob_seed

    def build(self, input_shape: Any) -> None:
        """Makes `kernel`, and `gamma` and `beta` of each gate and of the memory, or `bias`."""
        units = self._num_units
        self._kernel = self.add_variable("kernel", [input_shape.as_list()[-1] + units, 4 * units])
        if self._layer_norm:
            self._norms = {
                part: (
                    self.add_variable(f"{part}/gamma", [units], initializer=self._gain),
                    self.add_variable(f"{part}/beta", [units], initializer=self._shift),
                )
                for part in ("input", "transform", "forget", "output", "state")
            }
        else:
            self._bias = self.add_variable("bias", [4 * units], initializer=Zeros())
        self.built = True

    def _normalized(self, value: Tensor, part: str) -> Tensor:
        if not self._layer_norm:
            return value
        gamma, beta = self._norms[part]
        mean, variance = moments(value, [1], keep_dims=True)
        return batch_normalization(value, mean, variance, beta, gamma, 1e-12)

    def call(self, inputs: Tensor, state: Any) -> Any:
        """One step."""
        c, h = state
        gates = matmul(concat([inputs, h], 1), self._kernel)
        if not self._layer_norm:
            gates = bias_add(gates, self._bias)
        i, j, f, o = split(value=gates, num_or_size_splits=4, axis=1)
        new = self._activation(self._normalized(j, "transform"))
        if not isinstance(self._keep_prob, float) or self._keep_prob < 1:
            new = dropout(new, self._keep_prob, seed=self._seed)
        forget = sigmoid(self._normalized(f, "forget") + self._forget_bias)
        new_c = c * forget + sigmoid(self._normalized(i, "input")) * new
        new_c = self._normalized(new_c, "state")
        new_h = self._activation(new_c) * sigmoid(self._normalized(o, "output"))
        return new_h, LSTMStateTuple(new_c, new_h)
