"""What programs borrow from the insides of `tensorflow.python.ops.rnn_cell_impl` and `rnn`.

_linear([x, h], 4 * units, True)        [x, h] W + b, with the variables "kernel" and "bias"
_Linear([x, h], 4 * units, True)        the same as an object, whose variables stay
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph.convert import constant, constant_value_as_shape, convert_to_tensor
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import expand_dims, transpose
from minitf.library.layers.rnn.wrappers import Linear, assert_like_rnncell, linear

_BIAS_VARIABLE_NAME, _WEIGHTS_VARIABLE_NAME = "bias", "kernel"


_Linear, _linear = Linear, linear


def _concat(prefix: Any, suffix: Any, static: bool = False) -> Any:
    """A shape made of two: a list where `static`, else a tensor.

    Args:
      prefix, suffix: sizes, shapes, or tensors of them.
      static: whether what is known is enough.

    Raises:
      ValueError: when a part of a tensor is unknown.
    """
    parts = [_sizes(part) for part in (prefix, suffix)]
    if static:
        known = [p if isinstance(p, TensorShape) else constant_value_as_shape(p) for p in parts]
        shape = known[0].concatenate(known[1])
        return None if shape.rank is None else shape.as_list()
    if any(isinstance(part, TensorShape) and not part.is_fully_defined() for part in parts):
        raise ValueError(f"Provided a prefix or suffix of None: {prefix} and {suffix}")
    tensors = [
        constant(np.array(part.as_list(), np.int32)) if isinstance(part, TensorShape) else part
        for part in parts
    ]
    return concat(tensors, 0)


def _sizes(part: Any) -> Any:
    """A shape, or a vector of sizes that the graph computes."""
    if not isinstance(part, Tensor):
        return as_shape([part] if isinstance(part, int) else part)
    return expand_dims(part, 0) if part.shape.rank == 0 else part


def _like_rnncell(cell: Any) -> bool:
    """Whether an object can do what is asked of a cell."""
    try:
        assert_like_rnncell("cell", cell)
    except TypeError:
        return False
    return True


def _transpose_batch_time(x: Any) -> Tensor:
    """Exchanges the first two axes."""
    x = convert_to_tensor(x)
    rank = x.shape.rank
    if rank is None or rank < 2:
        return x
    return transpose(x, [1, 0, *range(2, rank)])
