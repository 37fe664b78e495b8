"""Recurrence: a step done for each moment of sequences.

    rnn(step, x, states)    x ──> TensorArray ──> step(x[t], states) ──> TensorArray ──> outputs

`time_loop` is the loop of `tf.nn.dynamic_rnn` as well. Where a mask says that a step does not
count, states stay what they were, and the output is repeated.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from minitf.core.gradients.while_loop import while_loop
from minitf.core.graph import dtypes, nest, stacks
from minitf.core.graph.convert import constant_value
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import zeros, zeros_like
from minitf.core.ops.array_shaping import broadcast_to, expand_dims, reverse, transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import where
from minitf.library.graph_tools.tensor_array import TensorArray

# ---- states --------------------------------------------------------------------------------


def as_sizes(size: Any) -> TensorShape:
    """The shape of one example of a state or an output, from its number of units or its shape."""
    return as_shape([size] if isinstance(size, int) else size)


def _batched_shape(batch_size: Any, size: Any) -> tuple[Any, TensorShape]:
    """The shape of a state for a batch: as `zeros` takes it, and what is known of it."""
    sizes = as_sizes(size).as_list()
    known = constant_value(batch_size) if hasattr(batch_size, "_as_tensor") else batch_size
    static = TensorShape([None if known is None else int(known), *sizes])
    return (static.as_list() if known is not None else [batch_size, *sizes]), static


def zero_state_tensors(state_size: Any, batch_size: Any, dtype: Any) -> Any:
    """Zeros for a batch of states.

    Args:
      state_size: an integer or a `TensorShape`, or a structure of them.
      batch_size: an integer or a scalar tensor.
      dtype: the type of all, or the structure of types.
    """

    def make(size: Any, kind: Any) -> Tensor:
        shape, static = _batched_shape(batch_size, size)
        state = zeros(shape, dtype=kind)
        state.set_shape(static)
        return state

    if nest.is_nested(state_size) and nest.is_nested(dtype):
        return nest.map_structure(make, state_size, dtype)
    return nest.map_structure(lambda size: make(size, dtype), state_size)


# ---- the loop ------------------------------------------------------------------------------


def time_loop(
    step: Callable[[Any, list[Tensor], Any], tuple[list[Tensor], Any]],
    inputs: Sequence[Tensor],
    state: Any,
    outputs: Sequence[tuple[Any, TensorShape]],
    steps: Any,
    turns: int = 32,
    scope: str | None = None,
) -> tuple[list[Tensor], Any]:
    """Does a step for each moment, in one loop of the graph.

    Args:
      step: called as `step(time, inputs at that time, state)`; gives the outputs and the new state.
      inputs: tensors [time, ...].
      state: a structure of tensors: what the first step gets.
      outputs: the type and the static shape of each output of a step.
      steps: how many moments there are: a number, or a scalar tensor.
      turns: see `parallel_iterations` of `tf.while_loop`.
      scope: a name scope for the arrays.

    Returns: the outputs [time, ...], and the state after the last step.
    """
    with stacks.name_scope(scope) if scope else contextlib.nullcontext():
        given = [
            TensorArray(x.dtype.base_dtype, size=steps, element_shape=x.shape[1:]).unstack(x)
            for x in inputs
        ]
        taken = [TensorArray(kind, size=steps, element_shape=shape) for kind, shape in outputs]

    def body(time: Any, arrays: Any, now: Any) -> Any:
        results, after = step(time, [each.read(time) for each in given], now)
        written = (a.write(time, x) for a, x in zip(arrays, results, strict=True))
        return time + 1, tuple(written), after

    _, arrays, final = while_loop(
        lambda time, *_: time < steps, body, (0, tuple(taken), state), parallel_iterations=turns
    )
    return [each.stack() for each in arrays], final


def rnn(
    step_function: Callable[[Any, tuple], tuple[Any, Any]],
    inputs: Tensor,
    initial_states: Sequence[Any],
    go_backwards: bool = False,
    mask: Any = None,
    time_major: bool = False,
    zero_output_for_mask: bool = False,
) -> tuple[Tensor, Tensor, Any]:
    """Does a step for each moment of sequences.

    Args:
      step_function: called as `step_function(input, states)`, with [batch, ...] and the states;
        gives the output and a list of the new states.
      inputs: [batch, time, ...].
      initial_states: the states before the first step.
      go_backwards: whether to begin with the last moment.
      mask: [batch, time]: where a step counts; elsewhere states stay, and the output is repeated.
      time_major: whether inputs, outputs and mask are [time, batch, ...].
      zero_output_for_mask: gives zeros for steps that do not count.

    Returns: the last output, all outputs [batch, time, ...], and the last states.
    """
    read = [inputs] if mask is None else [inputs, cast(mask, dtypes.bool)]
    read = read if time_major else [_swapped(x) for x in read]
    read = [reverse(x, [0]) for x in read] if go_backwards else read
    states: Any = tuple(initial_states)
    first, _ = step_function(read[0][0], states)
    zero = [] if mask is None else [zeros_like(first)]

    def step(time: Any, parts: list[Tensor], now: Any) -> tuple[list[Tensor], Any]:
        before, states = now
        output, new_states = step_function(parts[0], states)
        for new, old in zip(nest.flatten(new_states), nest.flatten(states), strict=True):
            new.set_shape(old.shape)
        if mask is not None:
            counts = partial(_where, parts[1])
            output = counts(output, *(zero if zero_output_for_mask else before))
            kept = map(counts, nest.flatten(new_states), nest.flatten(states))
            new_states = nest.pack_sequence_as(new_states, list(kept))
        return [output], ([output] if before else [], tuple(new_states))

    steps = read[0].shape[0].value
    (outputs,), (_, states) = time_loop(
        step,
        read,
        (zero, states),
        [(first.dtype.base_dtype, first.shape)],
        shape_of(read[0])[0] if steps is None else steps,
    )
    outputs.set_shape(TensorShape([steps]).concatenate(outputs.shape[1:]))
    return outputs[-1], outputs if time_major else _swapped(outputs), states


def _swapped(tensor: Tensor) -> Tensor:
    """The tensor with its first two axes exchanged: batch and time."""
    return transpose(tensor, [1, 0, *range(2, tensor.shape.ndims or 0)])


def _where(seen: Tensor, new: Tensor, old: Tensor) -> Tensor:
    """The rows that count of one tensor, and the others of another."""
    for _ in range((new.shape.ndims or 0) - (seen.shape.ndims or 0)):
        seen = expand_dims(seen, -1)
    return where(broadcast_to(seen, shape_of(new)), new, old)
