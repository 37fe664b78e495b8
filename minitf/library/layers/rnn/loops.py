"""Recurrent networks: a cell run over the time steps of its inputs, in one direction or both.

    dynamic_rnn(cell, x)    one loop of the graph, as many turns as x has steps:
                            x ──> TensorArray ──> cell(x[t], state) ──> TensorArray ──> outputs
    static_rnn(cell, xs)    the cell once for each item of a list; no loop

    bidirectional           x ──> cell_fw ───────────────────────────> outputs, forwards
                            x ──> reversed ──> cell_bw ──> reversed ──> outputs, backwards

Where a sequence is shorter than the longest of its batch, its outputs are zero, its state stays
what it was at its end, and only its own steps are reversed. Schuster and Paliwal (1997).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from minitf.core.graph import dtypes, nest, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import reverse, transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, where
from minitf.core.ops.reductions import reduce_all
from minitf.core.variables.variable_scope import get_variable_scope, variable_scope
from minitf.library.checks.logging_ops import Assert
from minitf.library.graph_tools.tensor_array import TensorArray
from minitf.library.keras.backend.recurrent import as_sizes, time_loop, zero_state_tensors
from minitf.library.layers.rnn.wrappers import assert_like_rnncell
from minitf.library.numeric.rearranging import reverse_sequence


def transpose_batch_time(tensor: Tensor) -> Tensor:
    """The tensor with its first two axes exchanged: batch and time."""
    rank = tensor.shape.ndims
    if rank is None:
        raise ValueError(f"Expected input tensor {tensor.name} to have a known rank.")
    if rank < 2:
        raise ValueError(
            f"Expected tensor {tensor} to have rank at least 2, but saw shape: {tensor.shape}"
        )
    return transpose(tensor, [1, 0, *range(2, rank)])


def _known(tensor: Tensor, axis: int) -> int | None:
    return tensor.shape[axis].value if (tensor.shape.ndims or 0) > axis else None


def size_of(tensors: Sequence[Tensor], axis: int) -> Any:
    """One size of tensors that share it: a number where it is known."""
    known = next((n for n in (_known(t, axis) for t in tensors) if n is not None), None)
    return shape_of(tensors[0])[axis] if known is None else known


def _checked_lengths(sequence_length: Any, batch_size: Any) -> Tensor | None:
    """The lengths as int32, with the check that there are as many as sequences; None for None."""
    if sequence_length is None:
        return None
    lengths = cast(sequence_length, dtypes.int32)
    if lengths.shape.ndims not in (None, 1):
        raise ValueError(
            "Argument sequence_length must be a vector of length batch_size. Received "
            f"sequence_length={lengths} of shape: {lengths.shape}"
        )
    lengths = identity(lengths, name="sequence_length")
    if stacks.executing_eagerly():
        return lengths
    packed = convert_to_tensor([batch_size], dtype=dtypes.int32)
    actual = shape_of(lengths)
    check = Assert(
        reduce_all(equal(actual, packed)),
        [f"Expected shape for Tensor {lengths.name} is ", packed, " but saw shape: ", actual],
    )
    with stacks.control_dependencies([check]):
        return identity(lengths, name="CheckSeqLen")


def _step(
    time: Any, lengths: Tensor, zero_output: Any, state: Any, call_cell: Callable[[], Any]
) -> tuple[Any, Any]:
    """One step in which sequences that have ended give zeros and keep their state.

    Args:
      time: the step.
      lengths: of the sequences.
      zero_output: what a sequence that has ended gives.
      state: before the step.
      call_cell: gives the output and the new state.
    """
    output, new_state = call_cell()
    nest.assert_same_structure(state, new_state)
    ended = lengths <= time
    return _chosen(ended, zero_output, output), _chosen(ended, state, new_state)


def _chosen(ended: Tensor, old: Any, new: Any) -> Any:
    """The old rows of sequences that have ended, and the new ones of the others, in a structure."""

    def choose(before: Any, after: Any) -> Any:
        if isinstance(before, TensorArray) or before.shape.ndims == 0:
            return after
        chosen = where(ended, before, after)
        chosen.set_shape(after.shape)
        return chosen

    return nest.map_structure(choose, old, new)


def _initial_state(cell: Any, initial_state: Any, batch_size: Any, dtype: Any) -> Any:
    if initial_state is not None:
        return initial_state
    if not dtype:
        raise ValueError("If no initial_state is provided, argument `dtype` must be specified")
    if hasattr(cell, "zero_state"):
        return cell.zero_state(batch_size, dtype)
    return cell.get_initial_state(inputs=None, batch_size=batch_size, dtype=dtype)


def dynamic_rnn(
    cell: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[Any, Any]:
    """Runs a cell over the steps of `inputs` in one loop of the graph.

    Args:
      cell: an `RNNCell`.
      inputs: [batch, time, ...], or a structure of such tensors.
      sequence_length: [batch] integers, how many steps of each sequence count.
      initial_state: the state before the first step; zeros of type `dtype` when None.
      dtype: the type of state and outputs; needed without an initial state.
      parallel_iterations, swap_memory: accepted; steps run one after the other.
      time_major: whether inputs and outputs are [time, batch, ...].
      scope: a variable scope, or its name; "rnn" by default.
    Returns: the outputs, [batch, time, output_size], and the state after the last step.
    Raises:
      TypeError: when `cell` is no cell.
      ValueError: when neither state nor type is given, or shapes do not fit.
    Example:
      >>> cell, x = tf.nn.rnn_cell.GRUCell(8), tf.zeros([2, 5, 3])
      >>> outputs, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
      >>> outputs.shape.as_list(), state.shape.as_list()
      ([2, 5, 8], [2, 8])
    """
    assert_like_rnncell("cell", cell)
    with variable_scope(scope or "rnn"):
        flat = [convert_to_tensor(each) for each in nest.flatten(inputs)]
        if not time_major:
            flat = [transpose_batch_time(each) for each in flat]
        for each in flat:
            each.shape.with_rank_at_least(3)
        batch_size = size_of(flat, 1)
        lengths = _checked_lengths(sequence_length, batch_size)
        state = _initial_state(cell, initial_state, batch_size, dtype)
        turns = parallel_iterations or 32
        outputs, final_state = _loop(cell, inputs, flat, state, lengths, dtype, turns)
        if not time_major:
            outputs = nest.map_structure(transpose_batch_time, outputs)
        return outputs, final_state


def _loop(
    cell: Any, structure: Any, flat: list[Tensor], state: Any, lengths: Any, dtype: Any, turns: int
) -> tuple[Any, Any]:
    """The loop of `dynamic_rnn`, over inputs that are [time, batch, ...]."""
    state = nest.map_structure(
        lambda part: part if isinstance(part, TensorArray) else convert_to_tensor(part), state
    )
    steps, batch_size = size_of(flat, 0), size_of(flat, 1)
    for tensor in flat:
        if any(size.value is None for size in tensor.shape[2:]):
            raise ValueError(
                "Input size (depth of inputs) must be accessible via shape inference,"
                " but saw value None."
            )
    sizes = [as_sizes(size) for size in nest.flatten(cell.output_size)]
    if dtype is None:
        own = {t.dtype.base_dtype for t in nest.flatten(state)}
        if len(own) != 1:
            raise ValueError(
                "State has tensors of different inferred_dtypes. Unable to infer a single "
                "representative dtype."
            )
        (dtype,) = own
    rows = TensorShape([_known(flat[0], 1)])
    zero_output = None
    if lengths is not None:
        zero_output = zero_state_tensors(cell.output_size, batch_size, dtype)

    def step(time: Any, parts: list[Tensor], now: Any) -> tuple[list[Tensor], Any]:
        at_time = nest.pack_sequence_as(structure, parts)
        if lengths is None:
            output, new_state = cell(at_time, now)
        else:
            output, new_state = _step(time, lengths, zero_output, now, lambda: cell(at_time, now))
        return nest.flatten(output), new_state

    kinds = [(dtype, rows.concatenate(size)) for size in sizes]
    outputs, final_state = time_loop(step, flat, state, kinds, steps, turns, "dynamic_rnn")
    for output, size in zip(outputs, sizes, strict=True):
        output.set_shape(TensorShape([_known(flat[0], 0)]).concatenate(rows).concatenate(size))
    return nest.pack_sequence_as(cell.output_size, outputs), final_state


def static_rnn(
    cell: Any,
    inputs: Any,
    initial_state: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list, Any]:
    """Runs a cell over a list of inputs, with operations of their own for each step.

    Args:
      cell: an `RNNCell`.
      inputs: a list of [batch, input_size] tensors, or of structures of such.
      initial_state: the state before the first step; zeros of type `dtype` when None.
      dtype: the type of the state; needed without an initial state.
      sequence_length: [batch] integers, how many steps of each sequence count.
      scope: a variable scope, or its name; "rnn" by default.
    Returns: the list of outputs, and the state after the last step.
    Raises:
      TypeError: when `cell` is no cell, or `inputs` no list.
      ValueError: when there are no inputs, or neither state nor type is given.
    Example:
      >>> steps = tf.unstack(tf.zeros([2, 5, 3]), axis=1)
      >>> cell = tf.nn.rnn_cell.BasicRNNCell(8)
      >>> outputs, state = tf.contrib.rnn.static_rnn(cell, steps, dtype=tf.float32)
      >>> len(outputs), state.shape.as_list()
      (5, [2, 8])
    """
    assert_like_rnncell("cell", cell)
    if not nest.is_nested(inputs):
        raise TypeError(f"Argument `inputs` must be a sequence. Received: {inputs}")
    if not inputs:
        raise ValueError("Argument `inputs` must not be empty.")
    outputs = []
    with variable_scope(scope or "rnn"):
        first = [convert_to_tensor(each) for each in nest.flatten(inputs[0])]
        batch_size = size_of(first, 0)
        state = _initial_state(cell, initial_state, batch_size, dtype)
        lengths = _checked_lengths(sequence_length, batch_size)
        if lengths is not None:
            zero_output = zero_state_tensors(cell.output_size, batch_size, first[0].dtype)
        for time, each in enumerate(inputs):
            if time > 0:
                get_variable_scope().reuse_variables()
            if lengths is None:
                output, state = cell(each, state)
            else:
                called = partial(cell, each, state)
                output, state = _step(time, lengths, zero_output, state, called)
            outputs.append(output)
    return outputs, state


# ---- in both directions --------------------------------------------------------------------------


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


def static_bidirectional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
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
                cell_fw, inputs, initial_state_fw, dtype, scope=fw_scope
            )
        with variable_scope("bw") as bw_scope:
            backwards = list(reversed(inputs))
            output_bw, state_bw = static_rnn(
                cell_bw, backwards, initial_state_bw, dtype, scope=bw_scope
            )
    joined = [
        nest.map_structure(lambda a, b: concat([a, b], 1), fw, bw)
        for fw, bw in zip(output_fw, reversed(output_bw), strict=True)
    ]
    return joined, state_fw, state_bw
