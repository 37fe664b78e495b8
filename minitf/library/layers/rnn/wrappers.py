"""Cells around cells: several on top of each other, with dropout, with a residual, on a device.

MultiRNNCell([a, b])     x ──> a ──> b ──> output      state: (state of a, state of b)
DropoutWrapper(a)        some of a's inputs, outputs and states are dropped
ResidualWrapper(a)       the input is added to a's output
DeviceWrapper(a, d)      a runs on the device d
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Sequence
from typing import Any

from minitf.core.graph import logging, nest, stacks
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_joining import concat, split
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.linalg import matmul
from minitf.core.variables.initializers import Constant, RandomUniform
from minitf.core.variables.variable_scope import get_variable, get_variable_scope, variable_scope
from minitf.library.layers.rnn.cells import RNNCell, activation_of
from minitf.library.nets.basics import bias_add, dropout
from minitf.library.nets.embeddings import embedding_lookup


def assert_like_rnncell(cell_name: str, cell: Any) -> None:
    """Raises TypeError unless `cell` can do what is asked of a cell."""
    missing = [
        f"{what!r} property is missing"
        for what in ("output_size", "state_size")
        if not hasattr(type(cell), what) and not hasattr(cell, what)
    ]
    if not hasattr(cell, "zero_state") and not hasattr(cell, "get_initial_state"):
        missing.append("either 'zero_state' or 'get_initial_state' method is required")
    if not callable(cell):
        missing.append("is not callable")
    if missing:
        raise TypeError(
            f"The argument {cell_name!r} ({cell}) is not an RNNCell: {', '.join(missing)}."
        )


class MultiRNNCell(RNNCell):
    """Cells on top of each other: each takes the output of the one below.

    Args:
      cells: the cells, the lowest first.
      state_is_tuple: whether the state is the tuple of the cells' states, or all side by side.

    Raises:
      ValueError: when there are no cells.
      TypeError: when `cells` is no list or tuple.
    Example:
      >>> cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(n) for n in (8, 4)])
      >>> outputs, state = tf.nn.dynamic_rnn(cell, tf.zeros([2, 5, 3]), dtype=tf.float32)
      >>> outputs.shape.as_list(), [each.shape.as_list() for each in state]
      ([2, 5, 4], [[2, 8], [2, 4]])
    """

    def __init__(self, cells: Sequence[Any], state_is_tuple: bool = True) -> None:
        super().__init__()
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        if not isinstance(cells, (list, tuple)):
            raise TypeError(f"cells must be a list or tuple, but received: {cells}.")
        if len(set(map(id, cells))) < len(cells):
            text = "At least two cells provided to MultiRNNCell are the same object and will "
            logging.log_first_n(logging.WARN, text + "share weights.", 1)
        self._cells = list(cells)
        self._state_is_tuple = state_is_tuple
        if not state_is_tuple and any(nest.is_nested(c.state_size) for c in cells):
            sizes = [c.state_size for c in cells]
            raise ValueError(
                f"Some cells return tuples of states, but the flag state_is_tuple is not set. "
                f"State sizes are: {sizes}"
            )

    @property
    def cells(self) -> list:
        """The cells, the lowest first."""
        return self._cells

    @property
    def state_size(self) -> Any:
        """The state sizes of all cells, or their sum."""
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        """The size of the output of the highest cell."""
        return self._cells[-1].output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The states of zeros of all cells."""
        with stacks.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            if self._state_is_tuple:
                return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)
            return super().zero_state(batch_size, dtype)

    def call(self, inputs: Any, state: Any) -> Any:
        """One step of all cells."""
        if self._state_is_tuple:
            if not nest.is_nested(state):
                raise ValueError(
                    f"Expected state to be a tuple of length {len(self.state_size)}, but received: "
                    f"{state}"
                )
            states = list(state)
        else:
            states = split(state, [cell.state_size for cell in self._cells], axis=1)
        lowest, *above = self._cells
        if any(cell is lowest for cell in above) and not lowest.weights:
            # Of `[cell] * n` each layer had variables of its own up to TensorFlow 1.0. Where the
            # inputs of the lowest have another size than those above, no cell could serve both.
            if inputs.shape[-1].value not in (None, lowest.output_size):
                self._cells = [lowest, *map(copy.deepcopy, above)]
        new_states = []
        for index, (cell, own) in enumerate(zip(self._cells, states, strict=True)):
            with variable_scope(f"cell_{index}"):
                inputs, new_state = cell(inputs, own)
            new_states.append(new_state)
        return inputs, tuple(new_states) if self._state_is_tuple else concat(new_states, 1)


class _Around(RNNCell):
    """A cell around one other, which has its sizes.

    Those without variables override `__call__`, so that they open no scope.

    Args:
      cell: the cell inside.
      options: see `Layer`.
    """

    def __init__(self, cell: Any, **options: Any) -> None:
        assert_like_rnncell("cell", cell)
        super().__init__(**options)
        self.cell = cell

    @property
    def state_size(self) -> Any:
        """The state size of the cell inside."""
        return self.cell.state_size

    @property
    def output_size(self) -> Any:
        """The output size of the cell inside."""
        return self.cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The zero state of the cell inside."""
        with stacks.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            return self.cell.zero_state(batch_size, dtype)


class DropoutWrapper(_Around):
    """Drops some of a cell's inputs and outputs, and scales up what is kept.

    Args:
      cell: the cell.
      input_keep_prob, output_keep_prob: with which probability each element is kept; a number or a
        scalar tensor.
      seed: makes the choice repeatable.

    Raises:
      ValueError: when a probability is not in [0, 1].
    Example:
      >>> cell = tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(8), output_keep_prob=0.5)
      >>> cell.state_size
      8
    """

    def __init__(
        self,
        cell: Any,
        input_keep_prob: Any = 1.0,
        output_keep_prob: Any = 1.0,
        seed: int | None = None,
    ) -> None:
        super().__init__(cell)
        self._input_keep_prob = _checked_probability("input_keep_prob", input_keep_prob)
        self._output_keep_prob = _checked_probability("output_keep_prob", output_keep_prob)
        self._seed = seed

    def _seed_for(self, salt: str, index: int) -> int | None:
        """A seed for each of the tensors, from the one seed."""
        if self._seed is None:
            return None
        text = f"{self._seed}{salt}_{index}".encode()
        return int(hashlib.md5(text, usedforsecurity=False).hexdigest()[:8], 16) & 0x7FFFFFFF

    def _dropped(self, which: str, values: Any, keep_prob: Any) -> Any:
        if isinstance(keep_prob, float) and keep_prob >= 1:
            return values
        results = [
            dropout(value, keep_prob=keep_prob, seed=self._seed_for(which, index))
            for index, value in enumerate(nest.flatten(values))
        ]
        return nest.pack_sequence_as(values, results)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Runs the cell inside for one step."""
        inputs = self._dropped("input", inputs, self._input_keep_prob)
        output, new_state = self.cell(inputs, state, scope=scope)
        return self._dropped("output", output, self._output_keep_prob), new_state


def _checked_probability(name: str, value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if isinstance(value, float) and not 0.0 <= value <= 1.0:
        raise ValueError(f"Parameter {name} must be between 0 and 1. Received {value}")
    return value


class ResidualWrapper(_Around):
    """Adds a cell's input to its output.

    Args:
      cell: the cell.

    Raises:
      ValueError: when input and output have different shapes.
    """

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Runs the cell inside for one step."""
        outputs, new_state = self.cell(inputs, state, scope=scope)
        nest.assert_same_structure(inputs, outputs)
        return nest.map_structure(_sum_of, inputs, outputs), new_state


def _sum_of(one: Tensor, other: Tensor) -> Tensor:
    one.shape.assert_is_compatible_with(other.shape)
    return one + other


class DeviceWrapper(_Around):
    """Runs a cell on a device.

    Args:
      cell: the cell.
      device: the device's name.
    """

    def __init__(self, cell: Any, device: Any) -> None:
        super().__init__(cell)
        self._device = device

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The zero state of the cell inside, on the device."""
        with stacks.device(self._device):
            return super().zero_state(batch_size, dtype)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Runs the cell inside for one step."""
        with stacks.device(self._device):
            return self.cell(inputs, state, scope=scope)


# ---- of tf.contrib.rnn -------------------------------------------------------------------


def linear(args: Any, output_size: int, bias: bool = True, bias_initializer: Any = None) -> Tensor:
    """Tensors side by side, times a `kernel`, plus a `bias`: both variables of the open scope.

    Args:
      args: tensors [batch, n], or one.
      output_size: how many numbers a row of the result has.
      bias: whether to add a bias.
      bias_initializer: zeros by default.

    Raises:
      ValueError: when nothing is given, or a size is unknown.
    """
    tensors = _listed(args)
    rows, dtype = sum(_columns(tensor) for tensor in tensors), tensors[0].dtype
    with variable_scope(get_variable_scope()) as outer:
        kernel = get_variable("kernel", [rows, output_size], dtype)
        product = matmul(tensors[0] if len(tensors) == 1 else concat(tensors, 1), kernel)
        if not bias:
            return product
        with variable_scope(outer) as inner:
            inner.set_partitioner(None)
            start = bias_initializer or Constant(0.0)
            return bias_add(product, get_variable("bias", [output_size], dtype, start))


def _listed(args: Any) -> Sequence[Tensor]:
    if args is None or nest.is_nested(args) and not args:
        raise ValueError("`args` must be specified")
    return list(args) if nest.is_nested(args) else [args]


def _columns(tensor: Tensor) -> int:
    shape = tensor.shape
    if shape.rank != 2:
        raise ValueError(f"linear is expecting 2D arguments: {[shape]}")
    size = shape.as_list()[1]
    if size is None:
        raise ValueError(
            f"linear expects shape[1] to be provided for shape {shape}, but saw {size}"
        )
    return int(size)


class OutputProjectionWrapper(_Around):
    """Projects a cell's output to another size.

    Args:
      cell: the cell.
      output_size: the size of the output.
      activation: applied to the output; nothing by default.
      reuse: whether variables must exist already.
    """

    def __init__(
        self, cell: Any, output_size: int, activation: Any = None, reuse: bool | None = None
    ) -> None:
        super().__init__(cell, _reuse=reuse)
        if output_size < 1:
            raise ValueError(f"Parameter output_size must be > 0: {output_size}.")
        self._output_size = output_size
        self._activation = activation_of(activation, lambda x: x)

    @property
    def output_size(self) -> int:
        """The size after the projection."""
        return self._output_size

    def call(self, inputs: Any, state: Any) -> Any:
        """One step, and the projection."""
        output, new_state = self.cell(inputs, state)
        return self._activation(linear(output, self._output_size)), new_state


class EmbeddingWrapper(_Around):
    """Looks up a vector for each integer that comes in, and gives it to a cell.

    Args:
      cell: the cell.
      embedding_classes: how many integers there are.
      embedding_size: the size of the vectors.
      initializer: of the variable `embedding`; uniform in (-sqrt(3), sqrt(3)) by default.
      reuse: whether variables must exist already.
    """

    def __init__(
        self,
        cell: Any,
        embedding_classes: int,
        embedding_size: int,
        initializer: Any = None,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(cell, _reuse=reuse)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError(
                "Both embedding_classes and embedding_size must be > 0: "
                f"{embedding_classes}, {embedding_size}."
            )
        self._shape = [embedding_classes, embedding_size]
        self._initializer = initializer

    def call(self, inputs: Any, state: Any) -> Any:
        """The lookup, and one step."""
        with stacks.device("/cpu:0"):
            first = nest.flatten(state)[0]
            initializer = self._initializer or get_variable_scope().initializer
            if initializer is None:
                initializer = RandomUniform(-(3.0**0.5), 3.0**0.5)
            table = get_variable(
                "embedding", self._shape, initializer=initializer, dtype=first.dtype
            )
            embedded = embedding_lookup(table, reshape(inputs, [-1]))
        return self.cell(embedded, state)
