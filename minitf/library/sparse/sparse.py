"""Sparse tensors: made, made whole, added, multiplied, summed.

A `SparseTensor` is places, elements and a shape. What changes only the elements, or brings them
into a whole tensor, is here; what moves them is in sparse_shaping.py. Gradients flow through the
elements. The distance between two sequences stands here, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.composites import SparseTensor, SparseTensorValue
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.op_def import OpDef, call, op
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import placeholder, placeholder_with_default
from minitf.core.ops.array_shaping import expand_dims, reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.elementwise import invalid, shown
from minitf.core.ops.math import multiply, negative, realdiv, subtract
from minitf.core.ops.reductions import reduce_sum
from minitf.library.numeric.coordinates import check_coordinates, gather_nd_op, linear


def sparse_sample(rng: np.random.Generator) -> tuple:
    """A sample: indices, values and shape of a [3, 2] matrix, whose middle row is empty."""
    return np.array([[0, 1], [2, 0], [2, 1]]), rng.normal(size=3), np.array([3, 2])


# ---- made --------------------------------------------------------------------------------


def as_sparse(value: Any) -> SparseTensor:
    """A `SparseTensor` of one, or of a `SparseTensorValue`.

    Raises:
      TypeError: "Input must be a SparseTensor."
    """
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        raise TypeError("Input must be a SparseTensor.")
    return value


def sparse_placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SparseTensor:
    """A `SparseTensor` that every run feeds, with a `SparseTensorValue` or three arrays.

    Args:
      dtype: the type of the elements.
      shape: what is known of the shape.
      name: the first part of the names of its tensors.
    Example:
      >>> s = tf.sparse_placeholder(tf.float32)
      >>> indices, values, shape = [[0, 1], [2, 3]], [7.0, 8.0], [3, 4]
      >>> sess.run(tf.size(s.values), {s: (indices, values, shape)})
      2
    """

    def named(part: str) -> str | None:
        return None if name is None else f"{name}/{part}"

    rank, told = None, None
    whole: Any
    if shape is None:
        whole = placeholder(dtypes.int64, [None], name=named("shape"))
    elif isinstance(shape, Tensor):
        whole, rank = shape, shape.shape.as_list()[0]
    else:
        told = TensorShape([None if n == -1 else n for n in shape])
        rank = told.ndims
        default = np.array([-1 if n is None else n for n in told.as_list()], np.int64)
        whole = placeholder_with_default(default, [rank], name=named("shape"))
    values = placeholder(dtype, [None], name=named("values"))
    indices = placeholder(dtypes.int64, [None, rank], name=named("indices"))
    made = SparseTensor(indices, values, whole)
    made._known_shape = told
    return made


# ---- SparseToDense -----------------------------------------------------------------------


def check_order(xp: Any, indices: Any, sizes: Any) -> None:
    """Raises unless places lie in the shape, in order, and no two of them are the same."""
    if xp is not np or not len(indices):
        return
    bad = (indices < 0) | (indices >= sizes)
    whole = f"[{','.join(str(n) for n in sizes)}]"

    def text(i: int) -> str:
        return f"indices[{i}] = [{','.join(str(n) for n in indices[i])}]"

    if bad.any():
        i = int(np.argwhere(bad.any(axis=1))[0][0])
        raise invalid(f"{text(i)} is out of bounds: need 0 <= index < {whole}")
    steps = np.diff(linear(indices.astype(np.int64, copy=False), sizes))
    if (steps <= 0).any():
        i = int(np.argmax(steps <= 0)) + 1
        if steps[i - 1] == 0:
            raise invalid(f"{text(i)} is repeated")
        raise invalid(
            f"{text(i)} is out of order. Many sparse ops require sorted indices.\n"
            "    Use `tf.sparse.reorder` to create a correctly ordered copy.\n\n"
        )


@op(
    "SparseToDense",
    "sparse_indices: Tindices, output_shape: Tindices, sparse_values: T, default_value: T "
    "-> dense: T",
    host=("output_shape",),
    Tindices=dtypes.INDICES,
    samples=[
        lambda rng: (np.array([[0, 1], [2, 0]]), np.array([3, 2]), rng.normal(size=2), 0.5, {}),
        lambda rng: (np.array([1, 3], np.int32), np.array([4], np.int32), rng.normal(), 0.0, {}),
    ],
)
def sparse_to_dense_op(
    xp: Any,
    sparse_indices: Any,
    output_shape: Any,
    sparse_values: Any,
    default_value: Any,
    *,
    validate_indices: bool = True,
) -> Any:
    """Puts elements at their places in a tensor that is `default_value` everywhere else."""
    sizes = tuple(output_shape.tolist())
    places = sparse_indices.reshape(-1, 1) if sparse_indices.ndim < 2 else sparse_indices
    if validate_indices:
        check_order(xp, places, sizes)
    else:
        check_coordinates(xp, places, sizes)
    dense = xp.full(sizes, default_value, getattr(sparse_values, "dtype", object))  # or a string
    dense[tuple(places.T)] = sparse_values
    return dense


@sparse_to_dense_op.shape
def _sparse_to_dense_shape(
    sparse_indices: Any, output_shape: Any, sparse_values: Any, default_value: Any, **attrs: Any
) -> Any:
    return output_shape.partial_shape


@sparse_to_dense_op.gradient
def _sparse_to_dense_grad(op: Any, dy: Tensor) -> list:
    indices, _, values, default = op.inputs
    places = indices if indices.shape.ndims == 2 else reshape(indices, [-1, 1])
    picked = gather_nd_op(dy, places)
    rest = subtract(reduce_sum(dy), reduce_sum(picked))
    if values.shape.ndims == 0:
        picked = reduce_sum(picked)
    return [None, None, picked, rest if default.dtype.is_floating else None]


def sparse_to_dense(
    sparse_indices: Any,
    output_shape: Any,
    sparse_values: Any,
    default_value: Any = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """A whole tensor from places and elements.

    Args:
      sparse_indices: [n, rank] the places; [n] or a scalar for a vector.
      output_shape: [rank] the shape of the result.
      sparse_values: [n] the elements, or one for all places.
      default_value: what stands everywhere else.
      validate_indices: whether the places must be in order and differ.
      name: the name.
    """
    values = convert_to_tensor(sparse_values, name="sparse_values")
    return sparse_to_dense_op(
        sparse_indices,
        output_shape,
        values,
        convert_to_tensor(default_value, values.dtype.base_dtype),
        validate_indices=validate_indices,
        name=name,
    )


def sparse_tensor_to_dense(
    sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Tensor:
    """The whole tensor of a `SparseTensor`.

    Args:
      sp_input: the `SparseTensor`.
      default_value: what stands everywhere else; zero, or the empty string.
      validate_indices: whether the places must be in order and differ.
      name: the name.
    Raises:
      InvalidArgumentError: when it runs and the places are out of order.
    """
    sp = as_sparse(sp_input)
    if default_value is None:
        default_value = b"" if sp.dtype.base_dtype == dtypes.string else 0
    return sparse_to_dense(
        sp.indices, sp.dense_shape, sp.values, default_value, validate_indices, name
    )


def sparse_to_indicator(sp_input: Any, vocab_size: int, name: str | None = None) -> Tensor:
    """For each row the set of its ids as Booleans.

    Args:
      sp_input: a `SparseTensor` of int32 or int64 ids; the place in the last axis says nothing.
      vocab_size: the length of the last axis of the result; ids lie in [0, vocab_size).
      name: the name.
    """
    sp = as_sparse(sp_input)
    with name_scope(name, "SparseToIndicator") as scope:
        ids = cast(sp.values, dtypes.int64)
        places = call("ConcatV2", [sp.indices[:, :-1], expand_dims(ids, 1)], axis=1)
        last = constant([vocab_size], dtypes.int64)
        sizes = call("ConcatV2", [sp.dense_shape[:-1], last], axis=0)
        return sparse_to_dense(places, sizes, True, False, validate_indices=False, name=scope)


# ---- elements combined with a whole tensor -----------------------------------------------


def _at_places(xp: Any, indices: Any, sizes: Any, dense: Any) -> Any:
    """The elements of `dense`, broadcast to `sizes`, at the places."""
    try:
        return xp.broadcast_to(dense, tuple(int(n) for n in sizes))[tuple(indices.T)]
    except ValueError:
        raise invalid(
            "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: "
            f"[{','.join(str(n) for n in sizes)}] vs. {shown(dense)}"
        ) from None


def _cwise(op_type: str, ufunc: str, sentence: str) -> OpDef:
    def kernel(xp: Any, sp_indices: Any, sp_values: Any, sp_shape: Any, dense: Any) -> Any:
        others = _at_places(xp, sp_indices, sp_shape, xp.asarray(dense))
        return getattr(xp, ufunc)(sp_values, others).astype(sp_values.dtype)

    kernel.__doc__ = sentence
    op_def: OpDef = op(
        op_type,
        "sp_indices: int64, sp_values: T, sp_shape: int64, dense: T -> output: T",
        host=("sp_shape",),
        T=dtypes.NUMBERS,
        samples=[lambda rng: (*sparse_sample(rng), rng.uniform(1, 2, size=(3, 2)), {})],
    )(kernel)

    op_def.shape(lambda sp_indices, sp_values, sp_shape, dense: sp_values.shape)
    return op_def


_cwise_mul_op = _cwise("SparseDenseCwiseMul", "multiply", "Multiplies elements at their places.")
_cwise_div_op = _cwise("SparseDenseCwiseDiv", "divide", "Divides elements at their places.")


def _dense_at(op: Any) -> tuple[Tensor, Any]:
    """The elements of the whole tensor at the places, and how to spread a gradient back to it."""
    indices, _, _, dense = op.inputs
    if not dense.shape.is_fully_defined():
        raise ValueError(f"The gradient of '{op.name}' needs the shape of {dense}.")
    sizes = dense.shape.as_list()
    if not sizes:
        return dense, reduce_sum
    # an axis of size 1 is broadcast: its place is always 0
    wide = constant([0 if n == 1 else 1 for n in sizes], dtypes.int64)
    places = multiply(indices[:, -len(sizes) :], wide)
    whole = constant(sizes, dtypes.int64)
    return gather_nd_op(dense, places), lambda g: call("ScatterNd", places, g, whole)


@_cwise_mul_op.gradient
def _cwise_mul_grad(op: Any, dy: Tensor) -> list:
    others, back = _dense_at(op)
    return [None, multiply(dy, others), None, back(multiply(dy, op.inputs[1]))]


@_cwise_div_op.gradient
def _cwise_div_grad(op: Any, dy: Tensor) -> list:
    others, back = _dense_at(op)
    share = realdiv(dy, others)
    return [None, share, None, back(negative(multiply(share, op.outputs[0])))]


# ---- EditDistance ------------------------------------------------------------------------


def _sequences(indices: Any, values: Any) -> dict[tuple, list]:
    """The elements of each row, by its place in the other axes."""
    found: dict[tuple, list] = {}
    for place, value in zip(indices[:, :-1].tolist(), values.tolist(), strict=True):
        found.setdefault(tuple(place), []).append(value)
    return found


def _distance(one: list, other: list) -> int:
    """How many elements have to be put in, taken out or replaced to turn one into the other."""
    row = list(range(len(other) + 1))
    for i, item in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, wanted in enumerate(other, 1):
            change = before + (item != wanted)
            before = row[j]
            row[j] = min(change, row[j] + 1, row[j - 1] + 1)
    return row[-1]


@op(
    "EditDistance",
    "hypothesis_indices: int64, hypothesis_values: T, hypothesis_shape: int64, "
    "truth_indices: int64, truth_values: T, truth_shape: int64 -> output: float32",
    host_only=True,
    differentiable=False,
    samples=[
        lambda rng: (
            np.array([[0, 0], [0, 1]]),
            np.array([1, 2]),
            np.array([2, 2]),
            np.array([[0, 0], [1, 0]]),
            np.array([1, 3]),
            np.array([2, 1]),
            {},
        )
    ],
)
def edit_distance_op(xp: Any, *hypothesis_and_truth: Any, normalize: bool = True) -> Any:
    """Computes the Levenshtein distance of the sequences at the same place."""
    *hypothesis, hypothesis_shape, truth_indices, truth_values, truth_shape = hypothesis_and_truth
    if len(hypothesis_shape) != len(truth_shape):
        raise invalid("Expected hypothesis and truth to have matching ranks")
    sizes = np.maximum(hypothesis_shape[:-1], truth_shape[:-1])
    hypotheses, truths = _sequences(*hypothesis), _sequences(truth_indices, truth_values)
    result = np.zeros(tuple(sizes.tolist()), np.float32)
    for place in {*hypotheses, *truths}:
        truth = truths.get(place, [])
        distance: float = _distance(hypotheses.get(place, []), truth)
        if normalize:
            distance = distance / len(truth) if truth else np.inf
        result[place] = distance
    return result


@edit_distance_op.shape
def _edit_distance_shape(*inputs: Any, normalize: bool) -> Any:
    one, other = inputs[2].partial_shape, inputs[5].partial_shape
    if not one.is_fully_defined() or not other.is_fully_defined():
        return TensorShape([None] * (one.ndims - 1)) if one.ndims else None
    if one.ndims != other.ndims:
        raise ValueError(
            "Num elements of hypothesis_shape does not match truth_shape: "
            f"{one.ndims} vs. {other.ndims}"
        )
    pairs = zip(one.as_list()[:-1], other.as_list()[:-1], strict=True)
    return TensorShape([max(a, b) for a, b in pairs])


def edit_distance(
    hypothesis: Any, truth: Any, normalize: bool = True, name: str = "edit_distance"
) -> Tensor:
    """The Levenshtein distance between sequences.

    Args:
      hypothesis: a `SparseTensor` of sequences along the last axis.
      truth: another of the same type.
      normalize: whether to divide by the length of the truth; infinity where that is empty.
      name: the name.
    Returns: float32, a distance for each sequence.
    Raises:
      TypeError: when one is no `SparseTensor`.
    """
    for given, what in ((hypothesis, "Hypothesis"), (truth, "Truth")):
        if not isinstance(given, (SparseTensor, SparseTensorValue)):
            raise TypeError(f"{what} must be a SparseTensor.")
    one, other = as_sparse(hypothesis), as_sparse(truth)
    return edit_distance_op(
        *one._components(), *other._components(), normalize=normalize, name=name
    )
