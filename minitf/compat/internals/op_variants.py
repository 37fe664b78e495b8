"""Functions of `tensorflow.python.ops` beside those of the face, each a few calls of the latter.

    math_ops.sparse_matmul(a, b)         an operation that `tf` has under another name only
    math_ops.reduced_shape(sizes, axes)   what TensorFlow's own code calls

Programs copied from TensorFlow's sources, and its tests, ask for them; `minitf/compat/internals.py`
gives their names out.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops import reductions
from minitf.core.ops.array import shape, size
from minitf.core.ops.array_filling import fill, ones_like, zeros_like
from minitf.core.ops.array_filling import range as range_of
from minitf.core.ops.array_padding import pad
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import where_v2
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import floormod, maximum, minimum
from minitf.core.ops.random import random_uniform
from minitf.core.ops.state import variable_v2
from minitf.library.distributions.continuous import ndtr
from minitf.library.input.partitioning import dynamic_stitch
from minitf.library.numeric.gamma_functions import ndtri
from minitf.library.text.strings import substr


def variable_op(
    shape: Any,
    dtype: Any,
    name: str = "Variable",
    set_shape: bool = True,
    container: str = "",
    shared_name: str = "",
) -> Tensor:
    """As `variable_v2`; without `set_shape` the shape stays open."""
    return variable_v2(shape if set_shape else None, dtype, name, container, shared_name)


def reduced_shape(input_shape: Any, axes: Any) -> Tensor:
    """The sizes of a tensor after a reduction that keeps its axes, as an int32 vector.

    Args:
      input_shape: the sizes before.
      axes: the axes that are reduced; negative ones count from the last.
    """
    sizes = cast(convert_to_tensor(input_shape), dtypes.int32)
    axes = reshape(convert_to_tensor(axes, dtypes.int32), [-1])
    count = size(sizes)
    chosen = floormod(axes + count, count)
    return dynamic_stitch([range_of(count), chosen], [sizes, fill(shape(chosen), 1)])


def sparse_matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """`matmul` of matrices with many zeros, which are multiplied like all others.

    Args: those of `matmul`; what is said of zeros is not needed.
    """
    return matmul(
        a, b, transpose_a=transpose_a, transpose_b=transpose_b, name=name or "SparseMatMul"
    )


def substr_deprecated(input: Any, pos: Any, len: Any, name: str | None = None) -> Tensor:
    """`substr` as it was before it counted characters."""
    return substr(input, pos, len, name=name)


def parameterized_truncated_normal(
    shape: Any, means: Any = 0.0, stddevs: Any = 1.0, minvals: Any = -2.0, maxvals: Any = 2.0,
    dtype: Any = dtypes.float32, seed: int | None = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Normal numbers between two bounds, by the inverse of the distribution."""
    with name_scope(name, "parameterized_truncated_normal", [shape, means, stddevs]):
        means, stddevs, low, high = (
            convert_to_tensor(each, dtype) for each in (means, stddevs, minvals, maxvals)
        )
        least, most = ndtr((low - means) / stddevs), ndtr((high - means) / stddevs)
        drawn = least + (most - least) * random_uniform(shape, dtype=dtype, seed=seed)
        return minimum(maximum(ndtri(drawn) * stddevs + means, low), high)


# ---- compat.v2: code of 2019 that was written for both versions --------------------------------


def _reducing(reduce: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def version_2(
        input_tensor: Any, axis: Any = None, keepdims: Any = False, name: str | None = None
    ) -> Tensor:
        return reduce(input_tensor, axis, keepdims, name)

    return version_2


def _measuring(measure: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def version_2(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> Tensor:
        return measure(input, name, out_type)

    return version_2


def _like(make: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def version_2(input: Any, dtype: Any = None, name: str | None = None) -> Tensor:
        return make(input, dtype, name)

    return version_2


def _pad(
    tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    return pad(tensor, paddings, mode, name, constant_values)


_REDUCTIONS = "reduce_all reduce_any reduce_max reduce_mean reduce_min reduce_prod reduce_sum"

#: What means something else there, or has other arguments.
V2 = SimpleNamespace(
    where=where_v2,
    pad=_pad,
    shape=_measuring(shape),
    size=_measuring(size),
    zeros_like=_like(zeros_like),
    ones_like=_like(ones_like),
    **{name: _reducing(getattr(reductions, name)) for name in _REDUCTIONS.split()},
)
