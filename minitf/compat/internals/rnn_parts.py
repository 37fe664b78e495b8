"""What programs borrow from the insides of `tensorflow.python.ops.rnn_cell_impl` and `rnn`.

_linear([x, h], 4 * units, True)        [x, h] W + b, with the variables "kernel" and "bias"
_Linear([x, h], 4 * units, True)        the same as an object, whose variables stay
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import nest
from minitf.core.graph.convert import constant, constant_value_as_shape, convert_to_tensor
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import expand_dims, transpose
from minitf.core.ops.linalg import matmul
from minitf.core.variables.initializers import Constant
from minitf.core.variables.variable_scope import get_variable, get_variable_scope, variable_scope
from minitf.library.layers.rnn.wrappers import assert_like_rnncell
from minitf.library.nets.basics import bias_add

_BIAS_VARIABLE_NAME, _WEIGHTS_VARIABLE_NAME = "bias", "kernel"


class _Linear:
    """A product with one matrix of all that is given, and a bias.

    Args:
      args: tensors [batch, n], or one; those to come have the same sizes.
      output_size: how many numbers a row of the result has.
      build_bias: whether to add a bias.
      bias_initializer: zeros by default.
      kernel_initializer: the scope's by default.

    Raises:
      ValueError: when nothing is given, or a size is unknown.
    """

    def __init__(
        self, args: Any, output_size: int, build_bias: bool, bias_initializer: Any = None,
        kernel_initializer: Any = None,
    ) -> None:  # fmt: skip
        tensors = _checked(args)
        rows = sum(_columns(tensor) for tensor in tensors)
        dtype = tensors[0].dtype
        self._build_bias = build_bias
        with variable_scope(get_variable_scope()) as outer:
            self._weights = get_variable(
                _WEIGHTS_VARIABLE_NAME, [rows, output_size], dtype, kernel_initializer
            )
            if build_bias:
                with variable_scope(outer) as inner:
                    inner.set_partitioner(None)
                    self._biases = get_variable(
                        _BIAS_VARIABLE_NAME, [output_size], dtype, bias_initializer or Constant(0.0)
                    )

    def __call__(self, args: Any) -> Tensor:
        """Computes the product with the variables of this object."""
        tensors = _checked(args)
        product = matmul(tensors[0] if len(tensors) == 1 else concat(tensors, 1), self._weights)
        return bias_add(product, self._biases) if self._build_bias else product


def _linear(
    args: Any, output_size: int, bias: bool, bias_initializer: Any = None,
    kernel_initializer: Any = None,
) -> Tensor:  # fmt: skip
    """Computes [args] W + b, with variables of the scope that is open."""
    return _Linear(args, output_size, bias, bias_initializer, kernel_initializer)(args)


def _checked(args: Any) -> Sequence[Tensor]:
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
