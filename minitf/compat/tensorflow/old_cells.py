"""Cells of before TensorFlow 1.1: they were told the size of their inputs, and had states in one.

    LSTMCell(128, 28, use_peepholes=True)    BasicLSTMCell(128, 1.0, None, True)    GRUCell(128, 28)

Like old_tensorflow.py; this file, and layers with it, few programs need.
"""

from __future__ import annotations

import functools
import inspect
from types import SimpleNamespace
from typing import Any

from minitf.core.graph import nest
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_joining import concat, split
from minitf.core.variables.initializers import Constant
from minitf.core.variables.variable_scope import variable_scope
from minitf.library.layers.rnn import cells, wrappers


def linear(
    args: Any, output_size: int, bias: bool, bias_start: float = 0.0, scope: Any = None
) -> Tensor:
    """`rnn_cell.linear`: tensors side by side, times a matrix, plus a bias."""
    with variable_scope(scope or "Linear"):
        return wrappers.linear(args, output_size, bias, Constant(bias_start))


def _told_a_size(cell: Any, place: int) -> None:
    """Lets a class of cells take `input_size` where it stood, if today's order cannot be meant."""
    make = cell.__init__
    today = list(inspect.signature(make).parameters)[1:][place]

    @functools.wraps(make)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        size, following = (*args[place : place + 2], True, None)[:2]
        older = (
            today == "activation"  # no number
            or today in kwargs
            or isinstance(following, bool)  # where today's order has none
        )
        if older and (type(size) is int or size is None):
            args = (*args[:place], *args[place + 1 :])
        make(self, *args, **kwargs)

    cell.__init__ = __init__


for _cell, _place in {
    cells.BasicRNNCell: 1,
    cells.GRUCell: 1,
    cells.BasicLSTMCell: 2,
    cells.LSTMCell: 1,
}.items():
    _told_a_size(_cell, _place)


def _state_in_one(call: Any) -> Any:
    """A step of a cell whose state may be one tensor, c and h side by side, as up to 0.9."""

    @functools.wraps(call)
    def whole(self: Any, inputs: Any, state: Any) -> Any:
        if not self._state_is_tuple or not isinstance(state, Tensor):
            return call(self, inputs, state)
        parts = split(state, nest.flatten(self.state_size), 1)
        output, new_state = call(self, inputs, nest.pack_sequence_as(self.state_size, parts))
        return output, concat(nest.flatten(new_state), 1)

    return whole


_kinds: tuple[Any, ...] = (cells.BasicLSTMCell, cells.LSTMCell, wrappers.MultiRNNCell)
for _cell in _kinds:
    _cell.call = _state_in_one(_cell.call)

CELLS = SimpleNamespace()  # whoever asks here gets the cells, as they are from now on

RNN_CELL = SimpleNamespace(
    linear=linear,
    _linear=linear,
    EmbeddingWrapper=wrappers.EmbeddingWrapper,
    OutputProjectionWrapper=wrappers.OutputProjectionWrapper,
)
