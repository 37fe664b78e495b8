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

from collections.abc import Callable
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import relu
from minitf.core.ops.array import stop_gradient
from minitf.core.ops.array_joining import concat, split
from minitf.core.ops.array_shaping import tile
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import where
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import exp, floormod, log, sigmoid, tanh
from minitf.core.ops.random import random_uniform
from minitf.core.variables.initializers import Constant, Ones, RandomUniform, Zeros
from minitf.core.variables.variable_scope import get_variable, get_variable_scope, variable_scope
from minitf.library.layers.rnn.cells import LSTMStateTuple, RNNCell, clipped, peeping
from minitf.library.layers.rnn.wrappers import linear
from minitf.library.nets.basics import bias_add, moments
from minitf.library.nets.convolution import convolution
from minitf.library.nets.normalization import batch_normalization


def depth_of(inputs: Tensor) -> int:
    """How many features the inputs [batch, features] have.

    Raises:
      ValueError: when that is not known.
    """
    depth = inputs.shape.with_rank(2)[1].value
    if depth is None:
        raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
    return depth


def sharded(name: str, shape: list[int], dtype: Any, shards: int = 1) -> Any:
    """A matrix that is kept as variables `name_0`, `name_1`, ... of some of its rows."""
    if shards > shape[0]:
        raise ValueError(f"Too many shards: shape={shape}, num_shards={shards}")
    whole, rest = divmod(shape[0], shards)
    parts = [
        get_variable(f"{name}_{n}", [whole + (n < rest), *shape[1:]], dtype) for n in range(shards)
    ]
    return parts[0] if shards == 1 else concat(parts, 0, name=f"{name}/concat")


def normed(value: Tensor, scope: str, gain: float, shift: float) -> Tensor:
    """Each example's features, normalized; `gamma` and `beta` stand in a scope of their own."""
    sizes, dtype = value.shape[-1:], value.dtype
    gamma = get_variable(f"{scope}/gamma", sizes, dtype, Constant(gain))
    beta = get_variable(f"{scope}/beta", sizes, dtype, Constant(shift))
    mean, variance = moments(value, [1], keep_dims=True)
    return batch_normalization(value, mean, variance, beta, gamma, 1e-12)


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
        self, num_units: int, num_proj: int | None = None, initializer: Any = None,
        forget_bias: float = 1.0, activation: Any = None, reuse: bool | None = None, **options: Any,
    ) -> None:  # fmt: skip
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


class UGRNNCell(GatedCell):
    """One gate, between the old state and a new one: a GRU and a plain cell at once."""

    def __init__(
        self, num_units: int, initializer: Any = None, forget_bias: float = 1.0,
        activation: Any = tanh, reuse: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__(num_units, None, initializer, forget_bias, activation, reuse)

    def _step(self, inputs: Tensor, state: Tensor) -> Any:
        depth_of(inputs)
        gate, new = split(linear([inputs, state], 2 * self._num_units, True), 2, axis=1)
        gate = sigmoid(gate + self._forget_bias)
        result = gate * state + (1.0 - gate) * self._activation(new)
        return result, result


class IntersectionRNNCell(GatedCell):
    """Two gates: one for what goes on in time, one for what goes on to the next layer.

    Args:
      num_in_proj: the number of units, when inputs of another size are to be projected.
      y_activation: of what is new for the next layer.

    The other arguments are those of `UGRNNCell`.
    """

    def __init__(
        self, num_units: int, num_in_proj: int | None = None, initializer: Any = None,
        forget_bias: float = 1.0, y_activation: Any = relu, reuse: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__(num_units, None, initializer, forget_bias, y_activation, reuse)
        self._num_in_proj = num_in_proj

    def _step(self, inputs: Tensor, state: Tensor) -> Any:
        if depth_of(inputs) != self._num_units:
            if not self._num_in_proj:
                raise ValueError(
                    "Must have input size == output size for Intersection RNN. To fix, "
                    "num_in_proj should be set to num_units at cell init."
                )
            with variable_scope("in_projection"):
                inputs = linear(inputs, self._num_units, True)
        parts = split(linear([inputs, state], 4 * self._num_units, True), 4, axis=1)
        time_gate, h, depth_gate, y = parts
        time_gate, depth_gate = (sigmoid(g + self._forget_bias) for g in (time_gate, depth_gate))
        new_state = time_gate * state + (1.0 - time_gate) * tanh(h)
        return depth_gate * inputs + (1.0 - depth_gate) * self._activation(y), new_state


class SRUCell(GatedCell):
    """The simple recurrent unit: no gate waits for the last output."""

    def __init__(
        self, num_units: int, activation: Any = None, reuse: bool | None = None,
        name: str | None = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(num_units, activation=activation, reuse=reuse, name=name, **kwargs)

    def _step(self, inputs: Tensor, state: Tensor) -> Any:
        units, dtype = self._num_units, inputs.dtype
        kernel = get_variable("kernel", [depth_of(inputs), 4 * units], dtype)
        bias = get_variable("bias", [2 * units], dtype, Zeros())
        new, forget, reset, through = split(matmul(inputs, kernel), 4, axis=1)
        forget, reset = split(sigmoid(bias_add(concat([forget, reset], 1), bias)), 2, axis=1)
        c = forget * state + (1.0 - forget) * new
        return reset * self._activation(c) + (1.0 - reset) * through, c


class _Independent(GatedCell):
    """Units that see all inputs, and of the past only their own.

    Args:
      kernel_initializer, bias_initializer: of the variables.

    The other arguments are those of `BasicRNNCell`.
    """

    def __init__(
        self, num_units: int, activation: Any = None, reuse: bool | None = None,
        kernel_initializer: Any = None, bias_initializer: Any = None, name: str | None = None,
        dtype: Any = None, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(
            num_units, activation=activation, reuse=reuse, name=name, dtype=dtype, **options
        )
        self._kernel_initializer, self._bias_initializer = kernel_initializer, bias_initializer

    def _gates(
        self, inputs: Tensor, state: Tensor, count: int, names: tuple = ("kernel_w", "kernel_u"),
        prefix: str = "", bias: Any = Zeros,
    ) -> Tensor:  # fmt: skip
        columns, dtype = count * self._num_units, inputs.dtype
        w, u = (prefix + name for name in names)
        matrix = get_variable(w, [depth_of(inputs), columns], dtype, self._kernel_initializer)
        own = get_variable(u, [1, columns], dtype, RandomUniform(-1.0, 1.0))
        start = bias() if self._bias_initializer is None else self._bias_initializer
        added = get_variable(f"{prefix}bias", [columns], dtype, start)
        past = state if count == 1 else tile(state, [1, count])
        return bias_add(matmul(inputs, matrix) + past * own, added)


class IndRNNCell(_Independent):
    """The plain cell of units that see of the past only their own."""

    def __init__(
        self, num_units: int, activation: Any = None, reuse: bool | None = None,
        name: str | None = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(num_units, activation, reuse, name=name, dtype=dtype)

    def _step(self, inputs: Tensor, state: Tensor) -> Any:
        output = self._activation(self._gates(inputs, state, 1))
        return output, output


class IndyGRUCell(_Independent):
    """A GRU of units that see of the past only their own; see `GRUCell`."""

    def _step(self, inputs: Tensor, state: Tensor) -> Any:
        gates = sigmoid(self._gates(inputs, state, 2, prefix="gates/", bias=Ones))
        reset, update = split(gates, 2, axis=1)
        names = ("kernel", "kernel_u")
        new = self._gates(inputs, reset * state, 1, names, prefix="candidate/")
        new_h = update * state + (1 - update) * self._activation(new)
        return new_h, new_h


class IndyLSTMCell(_Independent):
    """An LSTM of units that see of the past only their own; see `BasicLSTMCell`."""

    remembers = True

    def __init__(
        self, num_units: int, forget_bias: float = 1.0, activation: Any = None,
        reuse: bool | None = None, kernel_initializer: Any = None, bias_initializer: Any = None,
        name: str | None = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            num_units, activation, reuse, kernel_initializer, bias_initializer, name, dtype,
            forget_bias=forget_bias,
        )  # fmt: skip

    def _step(self, inputs: Tensor, state: Any) -> Any:
        c, h = state
        new_c, new_h = self._remembered(c, split(self._gates(inputs, h, 4), 4, axis=1))
        return new_h, LSTMStateTuple(new_c, new_h)


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
        self, num_units: int, num_proj: int | None = None, use_bias: bool = False,
        reuse: bool | None = None, **kwargs: Any,
    ) -> None:  # fmt: skip
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


class CoupledInputForgetGateLSTMCell(GatedCell):
    """An LSTM that forgets as much as it takes in: one gate serves for both.

    Args:
      num_unit_shards, num_proj_shards: as how many variables the matrices are kept.
      layer_norm, norm_gain, norm_shift: see `LayerNormBasicLSTMCell`.

    The other arguments are those of `LSTMCell`.
    """

    remembers = True

    def __init__(
        self, num_units: int, use_peepholes: bool = False, initializer: Any = None,
        num_proj: int | None = None, proj_clip: float | None = None, num_unit_shards: int = 1,
        num_proj_shards: int = 1, forget_bias: float = 1.0, state_is_tuple: bool = True,
        activation: Any = tanh, reuse: bool | None = None, layer_norm: bool = False,
        norm_gain: float = 1.0, norm_shift: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__(num_units, num_proj, initializer, forget_bias, activation, reuse)
        self._use_peepholes, self._proj_clip = use_peepholes, proj_clip
        self._shards, self._state_is_tuple = (num_unit_shards, num_proj_shards), state_is_tuple
        self._norm = (norm_gain, norm_shift) if layer_norm else None

    @property
    def state_size(self) -> Any:
        """The sizes of c and h, or their sum."""
        sizes = super().state_size
        return sizes if self._state_is_tuple else sum(sizes)

    def _step(self, inputs: Tensor, state: Any) -> Any:
        units, dtype = self._num_units, inputs.dtype
        c, h = state if self._state_is_tuple else split(state, [units, self.output_size], axis=1)
        rows = depth_of(inputs) + self.output_size
        weights = sharded("W", [rows, 3 * units], dtype, self._shards[0])
        bias = get_variable("B", [3 * units], dtype, Zeros())
        gates = matmul(concat([inputs, h], 1), weights)
        j, f, o = split(gates if self._norm else bias_add(gates, bias), 3, axis=1)
        if self._norm:
            j, f, o = (
                normed(value, scope, *self._norm)
                for value, scope in ((j, "transform"), (f, "forget"), (o, "output"))
            )
        seen_f, seen_o = (
            get_variable(f"W_{gate}_diag", [units], dtype) if self._use_peepholes else None
            for gate in "FO"
        )
        forget = sigmoid(peeping(f + self._forget_bias, seen_f, c))
        new_c = forget * c + (1 - forget) * self._activation(j)
        if self._norm:
            new_c = normed(new_c, "state", *self._norm)
        new_h = sigmoid(peeping(o, seen_o, new_c)) * self._activation(new_c)
        if self._num_proj is not None:
            shape = [units, self._num_proj]
            new_h = matmul(new_h, sharded("W_P", shape, dtype, self._shards[1]))
            new_h = clipped(new_h, self._proj_clip)
        pair = LSTMStateTuple(new_c, new_h)
        return new_h, pair if self._state_is_tuple else concat(pair, 1)


class GLSTMCell(GatedCell):
    """An LSTM in groups of units that do not see each other's inputs; see `LSTMCell`.

    Args:
      number_of_groups: how many; it must divide the sizes.
    Raises:
      ValueError: when it does not.
    """

    remembers = True

    def __init__(
        self, num_units: int, initializer: Any = None, num_proj: int | None = None,
        number_of_groups: int = 1, forget_bias: float = 1.0, activation: Any = tanh,
        reuse: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__(num_units, num_proj, initializer, forget_bias, activation, reuse)
        self._groups = number_of_groups
        for name, size in ("num_units", num_units), ("num_proj", num_proj or 0):
            if size % number_of_groups:
                raise ValueError(f"{name} must be divisible by number_of_groups")

    def _step(self, inputs: Tensor, state: Any) -> Any:
        (c, h), depth = state, depth_of(inputs)
        if depth % self._groups:
            raise ValueError(
                f"input size ({depth}) must be divisible by number_of_groups ({self._groups})"
            )
        parts = []
        for group, pair in enumerate(
            zip(split(inputs, self._groups, axis=1), split(h, self._groups, axis=1), strict=True)
        ):
            with variable_scope(f"group{group}"):
                gates = linear(list(pair), 4 * self._num_units // self._groups, False)
            parts.append(split(gates, 4, axis=1))
        biased = []
        for gate, column in zip("ijfo", zip(*parts, strict=True), strict=True):
            bias = get_variable(f"bias_{gate}", [self._num_units], inputs.dtype, Zeros())
            biased.append(bias_add(concat(column, 1), bias))
        i, j, f, o = biased
        new_c = sigmoid(f + self._forget_bias) * c + sigmoid(i) * tanh(j)
        new_h = sigmoid(o) * self._activation(new_c)
        if self._num_proj is not None:
            with variable_scope("projection"):
                new_h = linear(new_h, self._num_proj, False)
        return new_h, LSTMStateTuple(new_c, new_h)


def _between(low: float, high: float) -> Callable[..., Tensor]:
    """An initializer of numbers whose logarithms are uniform."""

    def initializer(shape: Any, dtype: Any = dtypes.float32, partition_info: Any = None) -> Tensor:
        return exp(random_uniform(shape, log(low), log(high), dtype))

    return initializer


class PhasedLSTMCell(GatedCell):
    """An LSTM whose units open only at times: each in a rhythm that it learns.

    Inputs are a pair: the times [batch, 1], and the inputs [batch, features] of those times.

    Args:
      num_units: the size of the output.
      use_peepholes: whether the gates see c as well.
      leak: how much a closed unit lets through.
      ratio_on: the part of its period in which a unit is open.
      trainable_ratio_on: whether it is learned.
      period_init_min, period_init_max: between which periods begin.
      reuse: whether variables must exist already.
    """

    remembers = True

    def __init__(
        self, num_units: int, use_peepholes: bool = False, leak: float = 0.001,
        ratio_on: float = 0.1, trainable_ratio_on: bool = True, period_init_min: float = 1.0,
        period_init_max: float = 1000.0, reuse: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__(num_units, reuse=reuse)
        self._use_peepholes, self._leak = use_peepholes, leak
        self._ratio_on, self._trainable = ratio_on, trainable_ratio_on
        self._periods = (period_init_min, period_init_max)

    def _step(self, inputs: Any, state: Any) -> Any:
        (time, x), (c, h), units = inputs, state, self._num_units

        def gates(scope: str, *seen: Any, count: int = 1) -> Tensor:
            with variable_scope(scope):
                return linear([x, h, *seen], count * units, True)

        seen = [c] if self._use_peepholes else []
        take, forget = split(sigmoid(gates("mask_gates", *seen, count=2)), 2, axis=1)
        new_c = c * forget + take * tanh(gates("new_input"))
        seen = [new_c] if self._use_peepholes else []
        new_h = tanh(new_c) * sigmoid(gates("output_gate", *seen))
        openness = self._openness(time)
        new_c = openness * new_c + (1 - openness) * c
        new_h = openness * new_h + (1 - openness) * h
        return new_h, LSTMStateTuple(new_c, new_h)

    def _openness(self, time: Tensor) -> Tensor:
        """How far each unit is open at a time: it rises, falls, then leaks."""
        sizes = [self._num_units]
        period = get_variable("period", sizes, initializer=_between(*self._periods))
        phase = get_variable(
            "phase", sizes,
            initializer=lambda shape, dtype, partition_info=None: random_uniform(
                shape, 0.0, period.initial_value, dtype
            ),
        )  # fmt: skip
        ratio: Any = get_variable(
            "ratio_on", sizes, initializer=Constant(self._ratio_on), trainable=self._trainable
        )
        shifted, length = time - cast(phase, time.dtype), cast(period, time.dtype)
        within = stop_gradient(floormod(shifted, length) - shifted) + shifted
        part = cast(within / length, dtypes.float32)
        rising = 2 * part / ratio
        openness = where(part < ratio, 2 - rising, self._leak * part)
        return where(part < 0.5 * ratio, rising, openness)


class ConvLSTMCell(RNNCell):
    """An LSTM over images: a convolution takes the place of the matrix.

    Args:
      conv_ndims: how many axes of space there are: 1, 2 or 3.
      input_shape: of one input, its features last.
      output_channels: how many features the output has.
      kernel_shape: the size of the window.
      use_bias: whether the gates have a bias.
      skip_connection: whether the input goes out beside the output.
      forget_bias: added to the forget gate, so that a new cell remembers.
      initializers: accepted; those of the scope are taken.
      name: the name of its scope.
    Raises:
      ValueError: when `input_shape` has another number of axes.
    Example:
      >>> cell = tf.contrib.rnn.Conv2DLSTMCell(
      ...     input_shape=[8, 8, 3], output_channels=4, kernel_shape=[3, 3])
      >>> cell.state_size.c.as_list()
      [8, 8, 4]
    """

    def __init__(
        self, conv_ndims: int, input_shape: Any, output_channels: int, kernel_shape: Any,
        use_bias: bool = True, skip_connection: bool = False, forget_bias: float = 1.0,
        initializers: Any = None, name: str = "conv_lstm_cell",
    ) -> None:  # fmt: skip
        super().__init__(name=name)
        if conv_ndims != len(input_shape) - 1:
            raise ValueError(f"Invalid input_shape {input_shape} for conv_ndims={conv_ndims}.")
        self._space, self._features = list(input_shape[:-1]), input_shape[-1]
        self._channels, self._window = output_channels, list(kernel_shape)
        self._use_bias, self._skip, self._forget_bias = use_bias, skip_connection, forget_bias

    @property
    def output_size(self) -> TensorShape:
        """The shape of an output."""
        through = self._features if self._skip else 0
        return TensorShape([*self._space, self._channels + through])

    @property
    def state_size(self) -> Any:
        """The shapes of c and h."""
        shape = TensorShape([*self._space, self._channels])
        return LSTMStateTuple(shape, shape)

    def call(self, inputs: Tensor, state: Any) -> Any:
        """One step."""
        c, h = state
        seen, columns = concat([inputs, h], -1), 4 * self._channels
        shape = [*self._window, seen.shape[-1].value, columns]
        gates = convolution(seen, get_variable("kernel", shape, inputs.dtype), "SAME")
        if self._use_bias:
            gates += get_variable("biases", [columns], inputs.dtype, Zeros())
        i, j, f, o = split(gates, 4, axis=len(self._space) + 1)
        new_c = sigmoid(f + self._forget_bias) * c + sigmoid(i) * tanh(j)
        output = tanh(new_c) * sigmoid(o)
        if self._skip:
            output = concat([output, inputs], -1)
        return output, LSTMStateTuple(new_c, output)


def _of_space(axes: int) -> type:
    """`ConvLSTMCell` for one number of axes."""

    def __init__(self: Any, name: str = f"conv_{axes}d_lstm_cell", **kwargs: Any) -> None:
        ConvLSTMCell.__init__(self, conv_ndims=axes, name=name, **kwargs)

    doc = f"`ConvLSTMCell` over {axes} {'axis' if axes == 1 else 'axes'} of space."
    return type(f"Conv{axes}DLSTMCell", (ConvLSTMCell,), {"__init__": __init__, "__doc__": doc})


Conv1DLSTMCell, Conv2DLSTMCell, Conv3DLSTMCell = (_of_space(axes) for axes in (1, 2, 3))
