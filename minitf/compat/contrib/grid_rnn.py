"""`tf.contrib.grid_rnn`: cells on a grid of several dimensions (Kalchbrenner et al., 2015).

    input ──project──> (c, m) of the input dimensions     state: that of a cell a dimension
    for each dimension:  cell(all m but the last, (c of it, last m)) ──> its new m and c
                         priority dimensions come last, and see what the others made

One dimension of a grid of two is time (the state), the other is depth (from layer to layer).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minitf.compat.slim.initializers import xavier_initializer
from minitf.compat.slim.layers import fully_connected
from minitf.core.graph import logging
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import relu
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import zeros
from minitf.core.ops.array_joining import concat, split
from minitf.core.ops.linalg import matmul
from minitf.core.variables.variable_scope import get_variable, get_variable_scope, variable_scope
from minitf.library.layers.rnn.cells import (
    BasicLSTMCell,
    BasicRNNCell,
    GRUCell,
    LSTMCell,
    RNNCell,
)


class GridRNNCell(RNNCell):
    """A cell a dimension, all over one grid.

    Args:
      num_units: how many numbers the cell of a dimension has.
      num_dims: how many dimensions.
      input_dims, output_dims: which ones take the input and give the output; a number or several.
      priority_dims: those that come after the others.
      non_recurrent_dims: those that have a layer in place of a cell, and no state.
      tied: whether all dimensions share their weights.
      cell_fn: from `num_units` to a cell; `LSTMCell` by default.
      non_recurrent_fn: the activation of such a layer; relu by default.
      state_is_tuple, output_is_tuple: tuples of tensors, or one tensor.
    Raises:
      ValueError: when a dimension is outside the grid, or `cell_fn` makes no cell.
    """

    def __init__(
        self, num_units: int, num_dims: int = 1, input_dims: Any = None, output_dims: Any = None,
        priority_dims: Any = None, non_recurrent_dims: Any = None, tied: bool = False,
        cell_fn: Callable[[int], Any] | None = None, non_recurrent_fn: Any = None,
        state_is_tuple: bool = True, output_is_tuple: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        for kind, is_tuple in (("state", state_is_tuple), ("output", output_is_tuple)):
            if not is_tuple:
                logging.warning(
                    f"{self}: Using a concatenated {kind} is slower and will soon be deprecated."
                    f"  Use {kind}_is_tuple=True."
                )
        if num_dims < 1:
            raise ValueError(f"dims must be >= 1: {num_dims}")
        self._units, self._dims, self._tied = num_units, num_dims, tied
        self._tuples = state_is_tuple, output_is_tuple
        self._inputs, self._outputs, self._priority, layers = (
            self._listed(dims)
            for dims in (input_dims, output_dims, priority_dims, non_recurrent_dims)
        )
        self._recurrent = [i for i in range(num_dims) if i not in layers]
        self._activation = non_recurrent_fn or relu
        make: Any = cell_fn or LSTMCell
        self._cells = [make(num_units)] * num_dims
        if not tied:
            self._cells[1:] = [make(num_units) for _ in range(num_dims - 1)]
        if not isinstance(self._cells[0], RNNCell):
            raise ValueError(f"cell_fn must return an RNNCell instance, saw: {self._cells[0]}")

    def _listed(self, dims: Any) -> list[int]:
        given = [] if dims is None else dims if isinstance(dims, list | tuple) else [dims]
        found = sorted(set(given))
        if any(not 0 <= each < self._dims for each in found):
            raise ValueError(f"Invalid dims: {found}. Must be in [0, {self._dims})")
        return found

    @property
    def _memory(self) -> int:
        """How many numbers a cell keeps beside its output: those of an LSTM."""
        size = self._cells[0].state_size
        return (sum(size) if isinstance(size, tuple) else size) - self._units

    @property
    def output_size(self) -> Any:
        """The sizes of the outputs, or their sum."""
        size = self._cells[0].output_size
        return (size,) * len(self._outputs) if self._tuples[1] else size * len(self._outputs)

    @property
    def state_size(self) -> Any:
        """The sizes of the states of the recurrent dimensions, or their sum."""
        if self._tuples[0]:
            return (self._cells[0].state_size,) * len(self._recurrent)
        return (self._memory + self._units) * len(self._recurrent)

    def call(self, inputs: Any, state: Any, scope: Any = None) -> tuple[Any, Any]:
        """One step.

        Args:
          inputs: [batch, n], cut into as many parts as there are input dimensions.
          state: as `state_size` says.
        Returns: the outputs, and the new state.
        """
        memory: list[Any] = [None] * self._dims
        made: list[Any] = [None] * self._dims
        for i, part in zip(self._recurrent, self._parts(state), strict=True):
            memory[i], made[i] = part if self._memory else (None, part)
        states: list[Any] = [None] * self._dims
        with variable_scope("grid_rnn_cell"):
            if self._inputs and inputs is not None and inputs.shape.as_list()[1]:
                for i, part in zip(self._inputs, split(inputs, len(self._inputs), 1), strict=True):
                    shape = [part.shape.as_list()[1], self._units]
                    made[i] = matmul(part, get_variable(f"project_m_{i}", shape, inputs.dtype))
                    if self._memory:
                        weights = get_variable(f"project_c_{i}", shape, inputs.dtype)
                        memory[i] = matmul(part, weights)
            first = [i for i in range(self._dims) if i not in self._priority]
            self._go(first, memory, made, states, fresh=True)
            self._go(self._priority, memory, made, states, fresh=not first)
        outputs: Any = tuple(made[i] for i in self._outputs)
        found: Any = tuple(states[i] for i in self._recurrent)
        if not self._tuples[0]:
            flat = [part for each in found for part in (each if self._memory else [each])]
            found = concat(flat, 1) if flat else zeros([0, 0], inputs.dtype)
        if not self._tuples[1]:
            outputs = concat(outputs, 1) if outputs else zeros([0, 0], inputs.dtype)
        return outputs, found

    def _parts(self, state: Any) -> list[Any]:
        count = len(self._recurrent)
        if self._tuples[0]:
            if len(state) != count:
                raise ValueError(f"Expected state as a tuple of {count} element")
            return list(state)
        sizes = ([self._memory] if self._memory else []) + [self._units]
        flat = split(state, sizes * count, 1)
        return [flat[i : i + 2] for i in range(0, len(flat), 2)] if self._memory else flat

    def _go(self, dims: Sequence[int], memory: list, made: list, states: list, fresh: bool) -> None:
        """New outputs and states of some dimensions, from what there is of all before them.

        Args:
          fresh: whether shared weights are not made yet.
        """
        if not dims:
            return
        last = made[-1]
        if self._dims > 1:
            beside = concat(made[:-1], 1)
        else:
            beside = zeros([shape_of(last)[0], 0], last.dtype)
            beside.set_shape([last.shape.as_list()[0], 0])
        for i in dims:
            kind = "recurrent" if i in self._recurrent else "non_recurrent"
            scope: Any
            with variable_scope(kind if self._tied else f"{kind}/cell_{i}") as scope:
                if self._tied and not (fresh and i == dims[0]):
                    scope.reuse_variables()
                if kind == "recurrent":
                    own = last if memory[i] is None else (memory[i], last)
                    made[i], states[i] = self._cells[i](beside, own)
                else:
                    made[i] = self._layer(concat([beside, last], 1) if self._dims > 1 else last)

    def _layer(self, inputs: Tensor) -> Tensor:
        scope = get_variable_scope()
        return fully_connected(
            inputs, self._units, self._activation, weights_regularizer=scope.regularizer,
            weights_initializer=scope.initializer or xavier_initializer(),
        )  # fmt: skip


class _Grid1(GridRNNCell):
    """One dimension, which is input, output and recurrent."""

    def __init__(self, num_units: int, tied: bool, cell_fn: Any, *tuples: bool) -> None:
        super().__init__(num_units, 1, 0, 0, 0, None, tied, cell_fn, None, *tuples)


class Grid1BasicRNNCell(_Grid1):
    """One dimension of a basic cell."""

    def __init__(
        self, num_units: int, state_is_tuple: bool = True, output_is_tuple: bool = True
    ) -> None:
        super().__init__(num_units, False, BasicRNNCell, state_is_tuple, output_is_tuple)


class Grid1BasicLSTMCell(_Grid1):
    """One dimension of a basic LSTM."""

    def __init__(
        self, num_units: int, forget_bias: float = 1, state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(
            num_units, False, lambda n: BasicLSTMCell(n, forget_bias), state_is_tuple,
            output_is_tuple,
        )  # fmt: skip


class Grid1LSTMCell(_Grid1):
    """One dimension of an LSTM, with or without peepholes."""

    def __init__(
        self, num_units: int, use_peepholes: bool = False, forget_bias: float = 1.0,
        state_is_tuple: bool = True, output_is_tuple: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(
            num_units, False,
            lambda n: LSTMCell(n, use_peepholes=use_peepholes, forget_bias=forget_bias),
            state_is_tuple, output_is_tuple,
        )  # fmt: skip


class Grid1GRUCell(_Grid1):
    """One dimension of a GRU."""

    def __init__(
        self, num_units: int, state_is_tuple: bool = True, output_is_tuple: bool = True
    ) -> None:
        super().__init__(num_units, False, GRUCell, state_is_tuple, output_is_tuple)


class _Grid2(GridRNNCell):
    """Two dimensions: the first takes the input, gives the output and has priority."""

    def __init__(
        self, num_units: int, tied: bool, non_recurrent_fn: Any, cell_fn: Any, *tuples: bool
    ) -> None:
        layers = None if non_recurrent_fn is None else 0
        super().__init__(
            num_units, 2, 0, 0, 0, layers, tied, cell_fn, non_recurrent_fn, *tuples
        )  # fmt: skip


class Grid2BasicRNNCell(_Grid2):
    """Two dimensions of basic cells."""

    def __init__(
        self, num_units: int, tied: bool = False, non_recurrent_fn: Any = None,
        state_is_tuple: bool = True, output_is_tuple: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(
            num_units, tied, non_recurrent_fn, BasicRNNCell, state_is_tuple, output_is_tuple
        )


class Grid2BasicLSTMCell(_Grid2):
    """Two dimensions of basic LSTMs."""

    def __init__(
        self, num_units: int, tied: bool = False, non_recurrent_fn: Any = None,
        forget_bias: float = 1, state_is_tuple: bool = True, output_is_tuple: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(
            num_units, tied, non_recurrent_fn, lambda n: BasicLSTMCell(n, forget_bias),
            state_is_tuple, output_is_tuple,
        )  # fmt: skip


class Grid2LSTMCell(_Grid2):
    """Two dimensions of LSTMs, with or without peepholes."""

    def __init__(
        self, num_units: int, tied: bool = False, non_recurrent_fn: Any = None,
        use_peepholes: bool = False, forget_bias: float = 1.0, state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(
            num_units, tied, non_recurrent_fn,
            lambda n: LSTMCell(n, use_peepholes=use_peepholes, forget_bias=forget_bias),
            state_is_tuple, output_is_tuple,
        )  # fmt: skip


class Grid2GRUCell(_Grid2):
    """Two dimensions of GRUs."""

    def __init__(
        self, num_units: int, tied: bool = False, non_recurrent_fn: Any = None,
        state_is_tuple: bool = True, output_is_tuple: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(
            num_units, tied, non_recurrent_fn, GRUCell, state_is_tuple, output_is_tuple
        )


class Grid3LSTMCell(GridRNNCell):
    """Three dimensions of LSTMs, of which the first takes the input and gives the output."""

    def __init__(
        self, num_units: int, tied: bool = False, non_recurrent_fn: Any = None,
        use_peepholes: bool = False, forget_bias: float = 1.0, state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(
            num_units, 3, 0, 0, 0, None if non_recurrent_fn is None else 0, tied,
            lambda n: LSTMCell(n, forget_bias=forget_bias, use_peepholes=use_peepholes),
            non_recurrent_fn, state_is_tuple, output_is_tuple,
        )  # fmt: skip
