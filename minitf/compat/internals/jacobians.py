"""`tensorflow.python.ops.parallel_for.gradients`: Jacobians of tensors in a graph.

y [2, 3], x [4]  --one gradient for each of the 6 elements of y-->  [2, 3, 4]

TensorFlow may vectorize the gradients (`use_pfor`); here they are one after the other: as
operations of their own where their number is known and small, and in a loop otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from minitf.core.gradients.gradients import gradients
from minitf.core.graph import nest
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape
from minitf.core.ops.array_filling import ones_like
from minitf.core.ops.array_filling import range as range_
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_joining import concat, stack
from minitf.core.ops.array_shaping import reshape, transpose
from minitf.library.graph_tools.functional import map_fn

_UNROLLED = 32  # gradients that are operations of their own


def _rows(derive: Callable[[Any], Any], count: Any, like: Tensor) -> Tensor:
    """Stacks `derive(i)`, i < `count`, each of the shape of `like`."""
    if isinstance(count, int) and count <= _UNROLLED:
        return stack([derive(i) for i in range(count)])
    return map_fn(derive, range_(count), dtype=like.dtype.base_dtype)


def _derived(elements: Tensor, source: Tensor, i: Any) -> Any:
    """The gradient of one of the elements."""
    return gradients(gather(elements, i), [source])[0]


def jacobian(
    output: Any, inputs: Any, use_pfor: bool = True, parallel_iterations: int | None = None
) -> Any:
    """The derivative of each element of `output` with respect to each of `inputs`.

    Args:
      output: a tensor.
      inputs: a tensor or a structure of tensors.
      use_pfor, parallel_iterations: accepted; see the module.
    Returns: in the structure of `inputs`, tensors of shape `output.shape + input.shape`; None for
    those that `output` does not depend on.
    """
    output = convert_to_tensor(output)
    flat, elements = nest.flatten(inputs), reshape(output, [-1])
    count: Any = output.shape.num_elements()
    if count is None:
        count = shape(elements)[0]
    found = gradients(output, flat)  # says which of them it depends on
    results = []
    for source, gradient in zip(flat, found, strict=True):
        whole = None
        if gradient is not None:
            source = convert_to_tensor(source)
            rows = _rows(partial(_derived, elements, source), count, source)
            whole = reshape(rows, concat([shape(output), shape(source)], 0))
            whole.set_shape(output.shape.concatenate(source.shape))
        results.append(whole)
    return nest.pack_sequence_as(inputs, results)


def batch_jacobian(
    output: Any, inp: Any, use_pfor: bool = True, parallel_iterations: int | None = None
) -> Tensor | None:
    """For each example of a batch the derivative of its elements of `output`.

    Args:
      output: [batch, ...], where each example depends on its own part of `inp` alone.
      inp: [batch, ...].
      use_pfor, parallel_iterations: accepted; see the module.
    Returns: [batch, ...output, ...inp], or None where `output` does not depend on `inp`.
    Raises:
      ValueError: when the batches differ.
    """
    output, inp = convert_to_tensor(output), convert_to_tensor(inp)
    if not output.shape[:1].is_compatible_with(inp.shape[:1]):
        raise ValueError(
            f"Need first dimension of `output` shape ({output.shape}) and `inp` shape "
            f"({inp.shape}) to match."
        )
    if gradients(output, [inp])[0] is None:
        return None
    batch = shape(output)[:1]
    elements = reshape(output, concat([batch, [-1]], 0))
    count: Any = output.shape[1:].num_elements()
    if count is None:
        count = shape(elements)[1]

    def derive(i: Any) -> Any:
        column = gather(elements, i, axis=1)
        return gradients(column, [inp], [ones_like(column)])[0]

    # [count, batch, ...inp]: the elements move behind the batch
    rows = reshape(_rows(derive, count, inp), concat([[count], batch, [-1]], 0))
    whole = reshape(
        transpose(rows, [1, 0, 2]), concat([batch, shape(output)[1:], shape(inp)[1:]], 0)
    )
    whole.set_shape(output.shape.concatenate(inp.shape[1:]))
    return whole
