"""Cells of `tf.contrib.rnn` beside the common ones: normalized gates, and a cell that was searched.

Layer normalization: Ba et al. (2016); dropout that forgets nothing: Semeniuta et al. (2016).
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_joining import concat, split
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import sigmoid, tanh
from minitf.core.variables.initializers import Constant, Zeros
from minitf.core.variables.variable_scope import get_variable
from minitf.library.layers.rnn.cells import BasicLSTMCell, LSTMStateTuple, RNNCell
from minitf.library.nets.activations import relu
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


def depth_of(inputs: Tensor) -> int:
    """How many features the inputs [batch, features] have.

    Raises:
      ValueError: when that is not known.
    """
    depth = inputs.shape.with_rank(2)[1].value
    if depth is None:
        raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
    return depth


class NASCell(RNNCell):
    """The cell that a search among architectures found (Zoph and Le, 2016).

    Args:
      num_units: the size of what it remembers.
      num_proj: the size of the output, when it is to be projected.
      use_bias: whether the gates have a bias.
      reuse: whether variables must exist already.
    """

    def __init__(
        self,
        num_units: int,
        num_proj: int | None = None,
        use_bias: bool = False,
        reuse: bool | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, **kwargs)
        self._num_units, self._num_proj, self._use_bias = num_units, num_proj, use_bias

    @property
    def output_size(self) -> int:
        """The number of units, or the size of the projection."""
        return self._num_proj or self._num_units

    @property
    def state_size(self) -> LSTMStateTuple:
        """The sizes of c and h."""
        return LSTMStateTuple(self._num_units, self.output_size)

    def call(self, inputs: Tensor, state: Any) -> Any:
        """One step."""
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
