"""Products of matrices.

`matmul` makes a `MatMul` node for two matrices and a `BatchMatMulV2` node for stacks of them.
library/numeric has the rest of linear algebra.
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import op
from minitf.core.graph.shapes import TensorShape, broadcast_shapes, same_size, unknown_shape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor, TensorLike
from minitf.core.kernels.dense import product as large_product
from minitf.core.ops.elementwise import invalid, sample, shown, unbroadcast
from minitf.core.ops.math import conj

_SMALL = 4096  # multiplications: up to here `dot` takes less time to call than `matmul`
_LARGE = 1_000_000  # from here on, asking the table of kernels costs less than what it saves
_MATRIX_TYPES = (*dtypes.FLOATS, dtypes.int32, dtypes.int64, *dtypes.COMPLEX)


# ---- MatMul ------------------------------------------------------------------------------------


@op(
    "MatMul",
    "a: T, b: T -> product: T",
    T=_MATRIX_TYPES,
    samples=[
        sample((2, 3), (3, 4)),
        sample((3, 2), (3, 4), transpose_a=True),
        sample((2, 3), (4, 3), transpose_b=True),
        sample((3, 2), (4, 3), transpose_a=True, transpose_b=True),
    ],
)
def matmul_op(
    xp: Any, a: Any, b: Any, *, transpose_a: bool = False, transpose_b: bool = False
) -> Any:
    """Multiplies matrix `a` by matrix `b`."""
    return xp.matmul(a.T if transpose_a else a, b.T if transpose_b else b)


@matmul_op.bind
def _matmul_bind(xp: Any, attrs: dict, shapes: Any) -> Any:
    matmul = xp.matmul
    transpose_a, transpose_b = attrs["transpose_a"], attrs["transpose_b"]

    def product(a: Any, b: Any) -> Any:
        a, b = a.T if transpose_a else a, b.T if transpose_b else b
        try:
            size = a.size * b.shape[1]
            if size <= _SMALL:  # only there: for the transpose of a wide batch it takes longer
                return a.dot(b)  # the method: `np.dot` asks first whether somebody overrides it
            return matmul(a, b) if size < _LARGE else large_product(xp, a, b)
        except (ValueError, IndexError):
            raise invalid(
                f"Matrix size-incompatible: In[0]: {shown(a)}, In[1]: {shown(b)}"
            ) from None

    return product


@matmul_op.shape
def _matmul_shape(a: Any, b: Any, *, transpose_a: bool, transpose_b: bool) -> TensorShape:
    rows, inner_a = a.shape.with_rank(2).as_list()[:: -1 if transpose_a else 1]
    inner_b, columns = b.shape.with_rank(2).as_list()[:: -1 if transpose_b else 1]
    same_size(inner_a, inner_b)
    return TensorShape([rows, columns])


@matmul_op.gradient
def _matmul_grad(op: Any, dy: Tensor) -> list:
    a, b = conj(op.inputs[0]), conj(op.inputs[1])
    return _gradients_of_factors(op, a, b, dy, "transpose_a", "transpose_b")


def _gradients_of_factors(op: Any, a: Tensor, b: Tensor, dy: Tensor, *turns: str) -> list[Tensor]:
    """The gradients of a product; `turns` are the attributes that say which factors are turned."""

    def product(left: Tensor, right: Tensor, *turned: bool) -> Tensor:
        return op.op_def(left, right, **dict(zip(turns, turned, strict=True)))

    turn_a, turn_b = (op.attrs[name] for name in turns)
    da = product(b, dy, turn_b, True) if turn_a else product(dy, b, False, not turn_b)
    db = product(dy, a, True, turn_a) if turn_b else product(a, dy, not turn_a, False)
    return [da, db]


# ---- BatchMatMulV2 -----------------------------------------------------------------------------


def adjoint_of(xp: Any, x: Any) -> Any:
    """The matrices in the last two axes, transposed and conjugated."""
    turned = x.swapaxes(-1, -2)
    return xp.conj(turned) if x.dtype.kind == "c" else turned


@op(
    "BatchMatMulV2",
    "x: T, y: T -> output: T",
    batch="broadcast",
    T=_MATRIX_TYPES,
    samples=[
        sample((2, 2, 3), (2, 3, 4)),
        sample((2, 3, 2), (2, 4, 3), adj_x=True, adj_y=True),
        sample((2, 2, 3), (3, 4)),
        sample((2, 1, 2, 3), (4, 2, 3), adj_y=True),
        sample((3, 2), (3, 4), adj_x=True),
    ],
)
def batch_matmul_op(xp: Any, x: Any, y: Any, *, adj_x: bool = False, adj_y: bool = False) -> Any:
    """Multiplies the matrices in the last two axes; the axes before them broadcast."""
    for index, factor in enumerate((x, y)):
        if factor.ndim < 2:
            raise invalid(f"In[{index}] ndims must be >= 2: {factor.ndim}")
    left = adjoint_of(xp, x) if adj_x else x
    right = adjoint_of(xp, y) if adj_y else y
    if left.shape[-1] != right.shape[-2]:
        raise invalid(f"Matrix size-incompatible: In[0]: {shown(x)}, In[1]: {shown(y)}")
    if y.ndim == 2 < x.ndim and not adj_x:  # one product of a tall matrix is much faster
        rows = xp.dot(left.reshape(-1, left.shape[-1]), right)
        return rows.reshape(*left.shape[:-1], right.shape[-1])
    try:
        return xp.matmul(left, right)
    except ValueError:
        raise invalid(
            f"In[0] and In[1] must have compatible batch dimensions: {shown(x)} vs. {shown(y)}"
        ) from None


@batch_matmul_op.shape
def _batch_matmul_shape(x: Any, y: Any, *, adj_x: bool, adj_y: bool) -> TensorShape:
    first, second = x.shape.with_rank_at_least(2), y.shape.with_rank_at_least(2)
    if first.ndims is None or second.ndims is None:
        return unknown_shape()
    rows, inner_x = first.as_list()[-2:][:: -1 if adj_x else 1]
    inner_y, columns = second.as_list()[-2:][:: -1 if adj_y else 1]
    same_size(inner_x, inner_y)
    return broadcast_shapes(first[:-2], second[:-2]).concatenate([rows, columns])


@batch_matmul_op.gradient
def _batch_matmul_grad(op: Any, dz: Tensor) -> list:
    x, y = op.inputs
    dx, dy = _gradients_of_factors(op, x, y, dz, "adj_x", "adj_y")
    return [_within_batch(dx, x, y), _within_batch(dy, y, x)]


def _within_batch(dx: Tensor, x: Tensor, other: Tensor) -> Tensor:
    """`dx` summed over the batch axes that broadcasting added to `x` or stretched."""
    ranks = x.shape.ndims, other.shape.ndims
    if ranks == (2, 2) or (
        None not in ranks and x.shape[:-2] == other.shape[:-2] and x.shape[:-2].is_fully_defined()
    ):
        return dx
    return unbroadcast(dx, x)


# ---- matmul -----------------------------------------------------------------


def _is_batch(a: Tensor, b: Tensor, transpose_a: bool, transpose_b: bool) -> bool:
    """Whether two tensors are multiplied as stacks of matrices.

    A matrix broadcasts over a stack if their inner sizes fit. If not, the result is False: the
    error of a `MatMul` with an input of the wrong rank explains more.
    """
    ranks = a.shape.ndims, b.shape.ndims
    if ranks == (2, 2) or 1 in ranks or 0 in ranks:
        return False
    if 2 not in ranks or None in ranks:
        return True
    inner_a = a.shape.as_list()[-2 if transpose_a else -1]
    inner_b = b.shape.as_list()[-1 if transpose_b else -2]
    return inner_a is None or inner_b is None or inner_a == inner_b


def matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Multiplies matrices, or stacks of matrices in the last two axes.

    Args:
      a: [..., rows, inner] of a numeric dtype.
      b: [..., inner, columns] of the same dtype.
      transpose_a: whether `a` comes as [..., inner, rows].
      transpose_b: whether `b` comes as [..., columns, inner].
      adjoint_a: as `transpose_a`, and conjugated.
      adjoint_b: as `transpose_b`, and conjugated.
      a_is_sparse: a hint that changes no value; kept for the programs that give it.
      b_is_sparse: as `a_is_sparse`.
      name: the operation's name.
    Returns: [..., rows, columns].
    Raises:
      ValueError: when ranks or inner sizes do not fit, or transpose and adjoint are both asked for.
    Example:
      >>> sess.run(tf.matmul([[1., 2.]], [[3.], [4.]]))
      array([[11.]], dtype=float32)
    """
    with name_scope(name, "MatMul") as scope:
        if transpose_a and adjoint_a:
            raise ValueError("Only one of transpose_a and adjoint_a can be True.")
        if transpose_b and adjoint_b:
            raise ValueError("Only one of transpose_b and adjoint_b can be True.")
        a = convert_to_tensor(a, name="a")
        b = convert_to_tensor(b, name="b", preferred_dtype=a.dtype.base_dtype)
        turn_a, turn_b = transpose_a or adjoint_a, transpose_b or adjoint_b
        if _is_batch(a, b, turn_a, turn_b):
            a = conj(a) if transpose_a else a
            b = conj(b) if transpose_b else b
            return batch_matmul_op(a, b, adj_x=turn_a, adj_y=turn_b, name=scope)
        a = conj(a) if adjoint_a else a
        b = conj(b) if adjoint_b else b
        return matmul_op(a, b, transpose_a=turn_a, transpose_b=turn_b, name=scope)
