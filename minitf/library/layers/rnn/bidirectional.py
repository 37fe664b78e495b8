"""Recurrent networks in both directions: one cell reads the steps forwards, one backwards.

    x ──> cell_fw ───────────────────────────> outputs of each step, forwards
    x ──> reversed ──> cell_bw ──> reversed ──> outputs of each step, backwards

Where a sequence is shorter than the longest of its batch, only its own steps are reversed. Schuster
and Paliwal (1997).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph import nest
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_joining import concat, stack, unstack
from minitf.core.ops.array_shaping import reverse
from minitf.core.variables.variable_scope import variable_scope
from minitf.library.layers.rnn.loops import dynamic_rnn, static_rnn
from minitf.library.layers.rnn.wrappers import assert_like_rnncell
from minitf.library.numeric.reverse_sequence import reverse_sequence


def _reversed(tensor: Tensor, lengths: Any, time_axis: int, batch_axis: int) -> Tensor:
    """The steps of each sequence in the other order; what is beyond its end stays."""
    if lengths is None:
        return reverse(tensor, axis=[time_axis])
    return reverse_sequence(tensor, lengths, seq_axis=time_axis, batch_axis=batch_axis)


def bidirectional_dynamic_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[tuple, tuple]:
    """Runs one cell forwards and one backwards over the same inputs.

    Args:
      cell_fw, cell_bw: the cells.
      initial_state_fw, initial_state_bw: their states at the start.
      scope: "bidirectional_rnn" by default; the cells are in `fw` and `bw` below it.
      inputs, sequence_length, dtype, parallel_iterations, swap_memory, time_major: see
        `dynamic_rnn`.
    Returns: the pair of outputs, in the order of the inputs both, and the pair of final states.
    Example:
      >>> cells = [tf.nn.rnn_cell.GRUCell(8) for _ in range(2)]
      >>> inputs = tf.zeros([2, 5, 3])
      >>> outputs, _ = tf.nn.bidirectional_dynamic_rnn(*cells, inputs, dtype=tf.float32)
      >>> tf.concat(outputs, 2).shape.as_list()
      [2, 5, 16]
    """
    assert_like_rnncell("cell_fw", cell_fw)
    assert_like_rnncell("cell_bw", cell_bw)
    options: dict[str, Any] = {
        "sequence_length": sequence_length,
        "dtype": dtype,
        "parallel_iterations": parallel_iterations,
        "swap_memory": swap_memory,
        "time_major": time_major,
    }
    axes = (0, 1) if time_major else (1, 0)
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as fw_scope:
            output_fw, state_fw = dynamic_rnn(
                cell_fw, inputs, initial_state=initial_state_fw, scope=fw_scope, **options
            )
        with variable_scope("bw") as bw_scope:
            backwards = nest.map_structure(
                lambda each: _reversed(convert_to_tensor(each), sequence_length, *axes), inputs
            )
            output, state_bw = dynamic_rnn(
                cell_bw, backwards, initial_state=initial_state_bw, scope=bw_scope, **options
            )
    output_bw = nest.map_structure(lambda each: _reversed(each, sequence_length, *axes), output)
    return (output_fw, output_bw), (state_fw, state_bw)


def _reversed_list(inputs: Sequence[Any], lengths: Any) -> list:
    """The items of a list in the other order, sequence by sequence."""
    if lengths is None:
        return list(reversed(inputs))
    flat = [nest.flatten(each) for each in inputs]
    columns = []
    for column in zip(*flat, strict=True):
        whole = reverse_sequence(stack(list(column)), lengths, seq_axis=0, batch_axis=1)
        rows = unstack(whole)
        for row, old in zip(rows, column, strict=True):
            row.set_shape(old.shape)
        columns.append(rows)
    rows_again = zip(*columns, strict=True)
    return [
        nest.pack_sequence_as(each, list(row)) for each, row in zip(inputs, rows_again, strict=True)
    ]


def static_bidirectional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list, Any, Any]:
    """Runs one cell forwards and one backwards over a list of inputs; see `static_rnn`.

    Returns: the list of outputs, both side by side, and the two final states.
    """
    assert_like_rnncell("cell_fw", cell_fw)
    assert_like_rnncell("cell_bw", cell_bw)
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as fw_scope:
            output_fw, state_fw = static_rnn(
                cell_fw, inputs, initial_state_fw, dtype, sequence_length, scope=fw_scope
            )
        with variable_scope("bw") as bw_scope:
            backwards = _reversed_list(inputs, sequence_length)
            output, state_bw = static_rnn(
                cell_bw, backwards, initial_state_bw, dtype, sequence_length, scope=bw_scope
            )
    output_bw = _reversed_list(output, sequence_length)
    joined = [
        nest.map_structure(lambda a, b: concat([a, b], 1), fw, bw)
        for fw, bw in zip(output_fw, output_bw, strict=True)
    ]
    return joined, state_fw, state_bw
