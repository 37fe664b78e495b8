"""`tf.hessians`: second derivatives, one row for each element of the first.

    first = gradients(y, x)        row j = gradients(first, x, grad_ys = 1 at j, 0 elsewhere)

Where the shape of x is known, there is a piece of graph for each row; where it is not, a loop.
"""

from __future__ import annotations

from typing import Any

from minitf.core.gradients.gradients import gradients
from minitf.core.gradients.while_loop import while_loop
from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.graph import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array import size
from minitf.core.ops.array_filling import one_hot, zeros, zeros_like
from minitf.core.ops.array_joining import concat, stack
from minitf.core.ops.array_shaping import reshape
from minitf.library.graph_tools.tensor_array import TensorArray

_FEW = 100  # elements: more rows than that come from a loop


def hessians(
    ys: Any,
    xs: Any,
    name: str = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
) -> list[Tensor | None]:
    """Adds the second derivatives of the sum of `ys` with respect to each of `xs`.

    Args:
      ys: a tensor or a list of tensors.
      xs: a tensor or variable, or a list of them.
      name: accepted; the operations go where `gradients` puts them.
      colocate_gradients_with_ops, gate_gradients, aggregation_method: see `gradients`.

    Returns: for each x a tensor of shape `x.shape + x.shape`; None where no y depends on it.
    Example:
      >>> x = tf.constant(2.0)
      >>> sess.run(tf.hessians(x * x * x, x))
      [12.0]
    """
    options: dict[str, Any] = {
        "colocate_gradients_with_ops": colocate_gradients_with_ops,
        "gate_gradients": gate_gradients,
        "aggregation_method": aggregation_method,
    }
    listed = list(xs) if isinstance(xs, (list, tuple)) else [xs]
    tensors = [convert_to_tensor(x, as_ref=True) for x in listed]
    results: list[Tensor | None] = []
    for x, first in zip(tensors, gradients(ys, tensors, **options), strict=True):
        count = x.shape.num_elements()
        if first is None:
            results.append(None)
        elif count is not None and count <= _FEW:
            results.append(_unrolled(convert_to_tensor(first), x, count, options))
        else:
            results.append(_looped(convert_to_tensor(first), x, options))
    return results


def _unrolled(first: Tensor, x: Tensor, count: int, options: dict[str, Any]) -> Tensor:
    flat = reshape(first, [-1])
    found = [gradients(flat[i], x, **options)[0] for i in range(count)]
    nothing = zeros(x.shape, x.dtype.base_dtype)
    rows = [nothing if row is None else convert_to_tensor(row) for row in found]
    return reshape(stack(rows), x.shape.concatenate(x.shape).as_list())


def _looped(first: Tensor, x: Tensor, options: dict[str, Any]) -> Tensor:
    sizes, count = shape_of(x), size(x)
    dtype = x.dtype.base_dtype

    def add_row(j: Tensor, rows: TensorArray) -> tuple[Tensor, TensorArray]:
        weight = reshape(one_hot(j, count, dtype=dtype), sizes)
        (row,) = gradients(first, x, grad_ys=[weight], **options)
        row = zeros_like(weight) if row is None else convert_to_tensor(row)
        return j + 1, rows.write(j, reshape(row, [-1]))

    start = constant(0, dtypes.int32), TensorArray(dtype, count)
    _, rows = while_loop(lambda j, _: j < count, add_row, start)
    whole = reshape(rows.stack(), concat([sizes, sizes], 0))
    whole.set_shape(x.shape.concatenate(x.shape))
    return whole
