"""Around the cells of `tf.contrib.rnn`: attention, highways, and loops that are one call.

AttentionCellWrapper        the cell sees a mean of its last outputs
HighwayWrapper              a gate lets part of the input around the cell
FusedRNNCell                not one step but the whole loop: inputs [time, batch, features]
  FusedRNNCellAdaptor         of any cell
  LSTMBlockFusedCell          of an LSTM
  TimeReversedFusedRNN        of another, backwards
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from minitf.compat.contrib.rnn_cells import LSTMBlockCell
from minitf.core.graph import nest
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import softmax
from minitf.core.ops.array_filling import zeros
from minitf.core.ops.array_joining import concat, split, stack, unstack
from minitf.core.ops.array_shaping import expand_dims, reshape
from minitf.core.ops.math import sigmoid, tanh
from minitf.core.ops.reductions import reduce_sum
from minitf.core.variables.initializers import Constant, Zeros
from minitf.core.variables.variable_scope import get_variable, variable_scope
from minitf.library.layers.base import Layer
from minitf.library.layers.rnn.bidirectional import _reversed as reversed_steps
from minitf.library.layers.rnn.cells import LSTMStateTuple, RNNCell
from minitf.library.layers.rnn.loops import dynamic_rnn, size_of, static_rnn
from minitf.library.layers.rnn.wrappers import _Wrapper, assert_like_rnncell, linear
from minitf.library.nets.basics import xw_plus_b
from minitf.library.nets.convolution import conv2d


class AttentionCellWrapper(RNNCell):
    """A cell that looks back at its last outputs.

    Bahdanau, Cho and Bengio (2014), of a cell's own past.

    Args:
      cell: the cell.
      attn_length: how many outputs it looks back at.
      attn_size: their size; that of the cell's output by default.
      attn_vec_size: of the vectors that are compared; `attn_size` by default.
      input_size: of what the cell gets; that of the inputs by default.
      state_is_tuple: whether the state is (the cell's, the last mean, the last outputs), or all
        side by side.
      reuse: whether variables must exist already.
    Raises:
      ValueError: when `attn_length` is not positive.
    """

    def __init__(
        self, cell: Any, attn_length: int, attn_size: int | None = None,
        attn_vec_size: int | None = None, input_size: int | None = None,
        state_is_tuple: bool = True, reuse: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__(_reuse=reuse)
        assert_like_rnncell("cell", cell)
        if nest.is_nested(cell.state_size) and not state_is_tuple:
            raise ValueError(
                "Cell returns tuple of states, but the flag state_is_tuple is not set. State size "
                f"is: {cell.state_size}"
            )
        if attn_length <= 0:
            raise ValueError(f"attn_length should be greater than zero, got {attn_length}")
        self._cell, self._length, self._input_size = cell, attn_length, input_size
        self._size = cell.output_size if attn_size is None else attn_size
        self._compared = self._size if attn_vec_size is None else attn_vec_size
        self._is_tuple = state_is_tuple

    @property
    def state_size(self) -> Any:
        """The sizes of the cell's state, of the last mean and of the last outputs."""
        sizes = (self._cell.state_size, self._size, self._size * self._length)
        return sizes if self._is_tuple else sum(sizes)

    @property
    def output_size(self) -> int:
        """The size of the outputs."""
        return self._size

    def call(self, inputs: Tensor, state: Any) -> Any:
        """One step."""
        if not self._is_tuple:
            sizes = [self._cell.state_size, self._size, self._size * self._length]
            state = split(state, sizes, axis=1)
        own, seen, past = state
        past = reshape(past, [-1, self._length, self._size])
        depth = self._input_size or inputs.shape[1].value
        output, own = self._cell(linear([inputs, seen], depth, True), own)
        seen = self._look(concat(nest.flatten(own), 1) if self._is_tuple else own, past)
        with variable_scope("attn_output_projection"):
            output = linear([output, seen], self._size, True)
        past = concat([past[:, 1:], expand_dims(output, 1)], 1)
        new_state = (own, seen, reshape(past, [-1, self._length * self._size]))
        return output, new_state if self._is_tuple else concat(new_state, 1)

    def _look(self, query: Tensor, past: Tensor) -> Tensor:
        """The mean of the last outputs, those weighed most that fit the query."""
        with variable_scope("attention"):
            kernel = get_variable("attn_w", [1, 1, self._size, self._compared])
            weights = get_variable("attn_v", [self._compared])
            hidden = reshape(past, [-1, self._length, 1, self._size])
            keys = conv2d(hidden, kernel, [1, 1, 1, 1], "SAME")
            asked = linear(query, self._compared, True)
            asked = reshape(asked, [-1, 1, 1, self._compared])
            scores = softmax(reduce_sum(weights * tanh(keys + asked), [2, 3]))
            mean = reduce_sum(reshape(scores, [-1, self._length, 1, 1]) * hidden, [1, 2])
            return reshape(mean, [-1, self._size])


class HighwayWrapper(_Wrapper):
    """Lets part of each input around a cell; Srivastava, Greff and Schmidhuber (2015).

    Args:
      cell: the cell, whose output has the size of its input.
      couple_carry_transform_gates: whether the cell's part is what the input leaves.
      carry_bias_init: what the gate's bias begins at.
    """

    def __init__(
        self, cell: Any, couple_carry_transform_gates: bool = True, carry_bias_init: float = 1.0
    ) -> None:
        super().__init__(cell)
        self._coupled, self._start = couple_carry_transform_gates, carry_bias_init

    def _step(self, inputs: Any, state: Any, scope: Any) -> Any:
        outputs, new_state = self.cell(inputs, state, scope=scope)
        nest.assert_same_structure(inputs, outputs)
        return nest.map_structure(self._mixed, inputs, outputs), new_state

    def _mixed(self, inputs: Tensor, outputs: Tensor) -> Tensor:
        inputs.shape.assert_is_compatible_with(outputs.shape)
        carry = self._gate(inputs, "carry", self._start)
        new = 1 - carry if self._coupled else self._gate(inputs, "transform", -self._start)
        return inputs * carry + outputs * new

    def _gate(self, inputs: Tensor, name: str, start: float) -> Tensor:
        size = inputs.shape.with_rank(2)[1].value
        weights = get_variable(f"{name}_w", [size, size])
        bias = get_variable(f"{name}_b", [size], initializer=Constant(start))
        return sigmoid(xw_plus_b(inputs, weights, bias))


class CompiledWrapper(_Wrapper):
    """The cell itself: every plan is compiled here anyway.

    Args:
      cell: the cell.
      compile_stateful: accepted.
    """

    def __init__(self, cell: Any, compile_stateful: bool = False) -> None:
        super().__init__(cell)

    def _step(self, inputs: Any, state: Any, scope: Any) -> Any:
        return self.cell(inputs, state, scope=scope)


# ---- loops ---------------------------------------------------------------------------------------


class FusedRNNCell(ABC):
    """A whole loop over [time, batch, features], or over a list of [batch, features]."""

    @abstractmethod
    def __call__(
        self, inputs: Any, initial_state: Any = None, dtype: Any = None,
        sequence_length: Any = None, scope: Any = None,
    ) -> tuple[Any, Any]:  # fmt: skip
        """The outputs, of the form of the inputs, and the final state."""


class FusedRNNCellAdaptor(FusedRNNCell):
    """The loop of a cell.

    Args:
      cell: the cell.
      use_dynamic_rnn: whether the loop is one of the graph, or one copy for each time.
    """

    def __init__(self, cell: Any, use_dynamic_rnn: bool = False) -> None:
        self._cell, self._dynamic = cell, use_dynamic_rnn

    def __call__(
        self, inputs: Any, initial_state: Any = None, dtype: Any = None,
        sequence_length: Any = None, scope: Any = None,
    ) -> tuple[Any, Any]:  # fmt: skip
        """The outputs, of the form of the inputs, and the final state."""
        is_list = isinstance(inputs, list)
        options = {"initial_state": initial_state, "dtype": dtype, "scope": scope}
        options["sequence_length"] = sequence_length
        if self._dynamic:
            whole = stack(inputs) if is_list else inputs
            outputs, state = dynamic_rnn(self._cell, whole, time_major=True, **options)
            return unstack(outputs) if is_list else outputs, state
        steps = inputs if is_list else unstack(inputs)
        outputs, state = static_rnn(self._cell, steps, **options)
        return outputs if is_list else stack(outputs), state


class TimeReversedFusedRNN(FusedRNNCell):
    """Another loop, backwards: inputs are reversed, and its outputs as well.

    Args:
      cell: a `FusedRNNCell`.
    """

    def __init__(self, cell: Any) -> None:
        self._cell = cell

    def __call__(
        self, inputs: Any, initial_state: Any = None, dtype: Any = None,
        sequence_length: Any = None, scope: Any = None,
    ) -> tuple[Any, Any]:  # fmt: skip
        """The outputs, of the form of the inputs, and the final state."""

        def turned(steps: Any) -> Any:
            if isinstance(steps, list):
                return steps[::-1]
            return reversed_steps(steps, sequence_length, 0, 1)

        outputs, state = self._cell(
            turned(inputs), initial_state=initial_state, dtype=dtype,
            sequence_length=sequence_length, scope=scope,
        )  # fmt: skip
        return turned(outputs), state


class LSTMBlockWrapper(Layer):
    """A layer that is the whole loop of an LSTM; a subclass says how many units it has."""

    def _cell_inside(self) -> Any:
        raise NotImplementedError("Abstract method")

    @property
    def num_units(self) -> int:
        """The size of the output."""
        raise NotImplementedError("Abstract method")

    def call(
        self, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None
    ) -> tuple[Any, Any]:
        """Runs over all times.

        Args:
          inputs: [time, batch, features], or a list of [batch, features].
          initial_state: c and h; zeros by default.
          dtype: of the state, when there is none.
          sequence_length: [batch]; what is beyond gives zeros, and leaves the state alone.
        Returns: the outputs, of the form of the inputs, and the final `LSTMStateTuple`.
        Raises:
          ValueError: when neither state nor type is given.
        """
        is_list = isinstance(inputs, list)
        steps = stack(inputs) if is_list else inputs
        if initial_state is None:
            if dtype is None:
                raise ValueError("Either initial_state or dtype needs to be specified")
            zero = zeros([size_of([steps], 1), self.num_units], dtype)
            initial_state = zero, zero
        elif len(initial_state) != 2:
            raise ValueError("Expecting initial_state to be a tuple with length 2 or None")
        outputs, state = dynamic_rnn(
            self._cell_inside(), steps, sequence_length, LSTMStateTuple(*initial_state),
            time_major=True,
        )  # fmt: skip
        return unstack(outputs) if is_list else outputs, state


class LSTMBlockFusedCell(LSTMBlockWrapper):
    """`LSTMBlockCell`, over all times at once; see there.

    Example:
      >>> lstm = tf.contrib.rnn.LSTMBlockFusedCell(8)
      >>> outputs, state = lstm(tf.zeros([5, 2, 3]), dtype=tf.float32)
      >>> outputs.shape.as_list(), state.h.shape.as_list()
      ([5, 2, 8], [2, 8])
    """

    def __init__(
        self, num_units: int, forget_bias: float = 1.0, cell_clip: float | None = None,
        use_peephole: bool = False, reuse: bool | None = None, dtype: Any = None,
        name: str = "lstm_fused_cell",
    ) -> None:  # fmt: skip
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self._inside = LSTMBlockCell(num_units, forget_bias, cell_clip, use_peephole)
        self._gates = "ifo" if use_peephole else ""

    @property
    def num_units(self) -> int:
        """The size of the output."""
        return self._inside.output_size

    def build(self, input_shape: Any) -> None:
        """Makes the variables of the cell inside, in the layer's own scope."""
        units, cell = self.num_units, self._inside
        shape = input_shape[0] if isinstance(input_shape, list) else input_shape
        rows = shape[-1].value + units
        cell._kernel = self.add_variable("kernel", [rows, 4 * units])
        cell._bias = self.add_variable("bias", [4 * units], initializer=Zeros())
        seen = {gate: self.add_variable(f"w_{gate}_diag", [units]) for gate in self._gates}
        cell._peepholes = [seen[gate] for gate in "fio" if seen]
        cell.built = self.built = True

    def _cell_inside(self) -> Any:
        return self._inside
