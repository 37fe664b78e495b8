"""Constants, placeholders, identities, and the shape of tensors.

This is the lowest file of core/ops: it imports no other ops. A gradient that needs one calls it by
type, `call("Sum", x)`.

    Const, Placeholder ──> Identity, StopGradient   (the same array: no byte is copied)
            │
            └──> Shape, Size, Rank                  (known when the graph is built, or at run time)

Its neighbours build on it: array_shaping, array_joining, array_slicing, array_gathering,
array_filling.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import as_array, constant, constant_value, convert_to_tensor
from minitf.core.graph.op_def import op, scalar_shape, unchanged_gradient, unchanged_shape
from minitf.core.graph.shapes import (
    MOST_DIMENSIONS,
    TensorShape,
    as_shape,
    attr_shape,
    brackets,
    check_few,
    check_same_dimensions,
    unknown_shape,
)
from minitf.core.graph.stacks import executing_eagerly, name_scope
from minitf.core.graph.tensor import DTypeLike, ShapeLike, Tensor, TensorLike
from minitf.core.ops.elementwise import invalid, sample


def _known(value: Any, argument: str) -> Any:
    """An argument that must be known when the graph is built; the value of a constant tensor.

    Raises:
      ValueError: when it is a tensor whose value depends on what is fed.
    """
    known = constant_value(value) if isinstance(value, Tensor) else value
    if known is None and isinstance(value, Tensor):
        raise ValueError(f"`{argument}` must be known when the graph is built, got {value!r}.")
    return known


def static_int(value: Any, argument: str) -> int:
    """The value of an integer argument that must be known when the graph is built.

    Raises:
      ValueError: when it is a tensor whose value depends on what is fed.
    """
    value = _known(value, argument)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if value is None:
        raise ValueError(
            f"Tried to convert '{argument}' to a tensor and failed. Error: "
            "None values not supported."
        )
    array = as_array(value)
    if array.dtype.kind not in "iu":
        raise TypeError(
            f"Value passed to parameter '{argument}' has DataType "
            f"{dtypes.as_dtype(array.dtype).name} not in list of allowed values: int32, int64"
        )
    if array.ndim:
        raise ValueError(f"Shape must be rank 0 but is rank {array.ndim}")
    return int(array)


def static_ints(value: Any, argument: str) -> tuple[int, ...]:
    """As `static_int`, for a scalar, a list or a vector; returns a tuple."""
    value = _known(value, argument)
    if isinstance(value, (list, tuple)):
        return tuple(static_int(v, argument) for v in value)
    check_few(np.size(value), f"`{argument}`", MOST_DIMENSIONS)
    return tuple(int(v) for v in np.asarray(value).ravel())


def one_of(new_name: str, new: Any, old_name: str, old: Any) -> Any:
    """The value of an argument that has an older name.

    Raises:
      ValueError: when both are given.
    """
    if new is not None and old is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'")
    return old if new is None else new


def check_choice(op_type: str, attr: str, value: str, allowed: Sequence[str]) -> None:
    """Raises unless an attribute is one of the allowed strings.

    Raises:
      ValueError: "Attr 'unit' of 'Substr' Op passed string 'bits' not in: ...".
    """
    if value not in allowed:
        known = ", ".join(f'"{each}"' for each in allowed)
        raise ValueError(
            f"Attr '{attr}' of '{op_type}' Op passed string '{value}' not in: {known}."
        )


def merged_shape(values: Sequence[Any]) -> TensorShape:
    """The merged shape of all `values`, from the last to the first.

    Raises:
      ValueError: when two of them differ.
    """
    merged = values[-1].shape
    for index in reversed(range(len(values) - 1)):
        try:
            check_same_dimensions(values[index].shape, merged)
        except ValueError as error:
            raise ValueError(f"{error}\n\tFrom merging shape {index} with other shapes.") from None
        merged = merged.merge_with(values[index].shape)
    return merged


# ---- Const, Placeholder ------------------------------------------------------------------


@op("Const", "-> output: dtype", program=lambda folder: _constants())
def const_op(xp: Any, *, value: Any, dtype: Any) -> Any:
    """Gives the value of the attribute `value`."""
    return value if value.dtype == object else xp.asarray(value)[()]


def _constants() -> list:
    value = np.array([[1.0, 2.0]], np.float32)
    return [(const_op(value=value, dtype=dtypes.float32), value)]


@const_op.shape
def _const_shape(*, value: Any, dtype: Any) -> Any:
    return TensorShape(value.shape)


@op(
    "Placeholder",
    "-> output: dtype",
    stateful=False,
    no_samples="its value is fed; tests/core/runtime/test_session.py feeds some",
)
def placeholder_op(ctx: Any, *, dtype: Any, shape: Any = None) -> Any:
    """A tensor that every run must feed; running it unfed is an error."""
    known = as_shape(shape)
    with_shape = f" and shape {brackets(known)}" if known.ndims else ""
    raise invalid(
        f"You must feed a value for placeholder tensor '{ctx.node_name}' with dtype "
        f"{dtypes.c_name(dtype)}{with_shape}"
    )


@placeholder_op.shape
def _placeholder_shape(*, dtype: Any, shape: Any) -> Any:
    return as_shape(shape)


def placeholder(dtype: DTypeLike, shape: ShapeLike = None, name: str | None = None) -> Tensor:
    """A tensor whose value every run feeds.

    Args:
      dtype: the type of the elements.
      shape: what is known of the shape, with None for a dimension that may vary; None: nothing.
      name: the name.
    Example:
      >>> x = tf.placeholder(tf.float32, [None, 784], name="x")
      >>> sess.run(tf.reduce_sum(x), feed_dict={x: np.ones([2, 784])})
      1568.0
    """
    if executing_eagerly():
        raise RuntimeError("tf.placeholder() is not compatible with eager execution.")
    try:
        dtype = dtypes.as_dtype(dtype).base_dtype
    except TypeError:
        raise TypeError(f"Expected DataType for argument 'dtype' not {dtype!r}.") from None
    return placeholder_op(dtype=dtype, shape=attr_shape(shape), name=name)


@op(
    "PlaceholderWithDefault",
    "input: T -> output: T",
    takes_slices=True,
    alias=True,
    samples=[sample((2, 3), shape=TensorShape([2, 3]))],
)
def placeholder_with_default_op(xp: Any, input: Any, *, shape: Any) -> Any:
    """Gives `input` unless another value is fed."""
    return input


@placeholder_with_default_op.shape
def _placeholder_with_default_shape(input: Any, *, shape: Any) -> Any:
    check_same_dimensions(input.shape, as_shape(shape))
    return as_shape(shape)


placeholder_with_default_op.gradient(unchanged_gradient)


def placeholder_with_default(
    input: TensorLike, shape: ShapeLike, name: str | None = None
) -> Tensor:
    """A tensor with the value of `input` in each run that does not feed it.

    Args:
      input: what it gives when nothing is fed.
      shape: the shape of what may be fed, with None where it may vary.
      name: the operation's name.
    Example:
      >>> rate = tf.placeholder_with_default(0.1, [])
      >>> sess.run([rate, rate])
      [0.1, 0.1]
      >>> sess.run(rate, {rate: 0.5})
      0.5
    """
    return placeholder_with_default_op(input, shape=attr_shape(shape), name=name)


# ---- Identity and its kin ----------------------------------------------------------------


@op(
    "Identity",
    "input: T -> output: T",
    batch="each",
    takes_slices=True,
    moves_elements=True,
    forwards=True,
    alias=True,
    expr="{0}",
    samples=[sample((2, 3)), sample(())],
)
def identity_op(xp: Any, input: Any) -> Any:
    """Gives `input` unchanged."""
    return input


identity_op.shape(unchanged_shape)
identity_op.gradient(unchanged_gradient)


def identity(input: TensorLike, name: str | None = None) -> Tensor:
    """A tensor with the value of `input`; of a variable, its value at that point of the run.

    Args:
      input: any tensor or variable.
      name: the operation's name.
    Example:
      >>> x = tf.identity([1, 2], name="x")
      >>> x.name
      'x:0'
    """
    return identity_op(input, name=name)


@op(
    "StopGradient",
    "input: T -> output: T",
    batch="each",
    forwards=True,
    alias=True,
    expr="{0}",
    differentiable=False,
    samples=[sample((2, 3))],
)
def stop_gradient_op(xp: Any, input: Any) -> Any:
    """Gives `input` unchanged; gradients take it for a constant."""
    return input


stop_gradient_op.shape(unchanged_shape)


def stop_gradient(input: TensorLike, name: str | None = None) -> Tensor:
    """A tensor with the value of `input` through which no gradient flows.

    Args:
      input: any tensor.
      name: the operation's name.
    Example:
      >>> x = tf.constant(3.0)
      >>> sess.run(tf.gradients(tf.stop_gradient(x) * x, x))
      [3.0]
    """
    return stop_gradient_op(input, name=name)


# ---- Shape, Size, Rank -------------------------------------------------------------------


@op(
    "Shape",
    "input: T -> output: out_type",
    cannot_fail=True,
    host=("output",),
    shape_of="input",
    differentiable=False,
    samples=[sample((2, 3)), sample(())],
)
def shape_op(xp: Any, input: Any, *, out_type: Any = dtypes.int32) -> Any:
    """Gives the sizes of `input` as a vector."""
    return xp.array(np.shape(input), out_type.as_numpy_dtype)


@shape_op.shape
def _shape_shape(input: Any, *, out_type: Any) -> Any:
    return unknown_shape(1) if input.shape.ndims is None else TensorShape((input.shape.ndims,))


def shape(
    input: TensorLike,
    name: str | None = None,
    out_type: DTypeLike = dtypes.int32,
    optimize: bool = True,
) -> Tensor:
    """The sizes of `input` as a vector; a constant if the static shape is known.

    Args:
      input: any tensor.
      name: the operation's name.
      out_type: int32 or int64.
      optimize: whether a shape that is known makes a constant.
    Example:
      >>> sess.run(tf.shape([[1, 2, 3], [4, 5, 6]]))
      array([2, 3], dtype=int32)
    """
    with name_scope(name, "Shape", [input]) as scope:
        tensor = convert_to_tensor(input)
        if optimize and tensor.shape.is_fully_defined():
            return constant(tensor.shape.as_list(), out_type, name=scope)
        return shape_op(tensor, out_type=out_type, name=scope)


def shape_like(tensor: Tensor) -> Any:
    """The shape of `tensor` for a reshape: constant sizes if at most one is unknown.

    Gradients use it: unlike `shape`, constant sizes do not keep `tensor` alive.
    """
    if tensor.shape.ndims is not None:
        sizes = tensor.shape.as_list()
        if sizes.count(None) <= 1 and 0 not in sizes:
            return constant([-1 if s is None else s for s in sizes], dtypes.int32, name="Shape")
    return shape(tensor)


@op(
    "ShapeN",
    "input: N*T -> output: N*out_type",
    host=("output",),
    differentiable=False,
    samples=[sample([(2, 3), (4,)])],
)
def shape_n_op(xp: Any, input: Any, *, out_type: Any = dtypes.int32) -> Any:
    """Gives the sizes of each tensor of the list."""
    return [xp.array(np.shape(i), out_type.as_numpy_dtype) for i in input]


@shape_n_op.shape
def _shape_n_shape(input: Any, *, out_type: Any) -> Any:
    return [_shape_shape(i, out_type=out_type) for i in input]


def shape_n(
    input: Sequence[Any], out_type: Any = dtypes.int32, name: str | None = None
) -> list[Tensor]:
    """The sizes of each tensor in the list `input`."""
    return shape_n_op(list(input), out_type=out_type, name=name)


@op(
    "Size",
    "input: T -> output: out_type",
    cannot_fail=True,
    host=("output",),
    shape_of="input",
    differentiable=False,
    samples=[sample((2, 3))],
)
def size_op(xp: Any, input: Any, *, out_type: Any = dtypes.int32) -> Any:
    """Gives the number of elements of `input`."""
    return out_type.as_numpy_dtype(np.size(input))


size_op.shape(scalar_shape)


def size(input: TensorLike, name: str | None = None, out_type: DTypeLike = dtypes.int32) -> Tensor:
    """The number of elements of `input`; a constant if the static shape is known."""
    with name_scope(name, "Size", [input]) as scope:
        tensor = convert_to_tensor(input)
        if tensor.shape.is_fully_defined():
            return constant(tensor.shape.num_elements(), out_type, name=scope)
        return size_op(tensor, out_type=out_type, name=scope)


@op(
    "Rank",
    "input: T -> output: int32",
    cannot_fail=True,
    host=("output",),
    shape_of="input",
    samples=[sample((2, 3))],
)
def rank_op(xp: Any, input: Any) -> Any:
    """Gives the number of dimensions of `input`."""
    return np.int32(np.ndim(input))


rank_op.shape(scalar_shape)


def rank(input: TensorLike, name: str | None = None) -> Tensor:
    """The number of dimensions of `input`; a constant if it is known."""
    with name_scope(name, "Rank", [input]) as scope:
        tensor = convert_to_tensor(input)
        if tensor.shape.ndims is not None:
            return constant(tensor.shape.ndims, dtypes.int32, name=scope)
        return rank_op(tensor, name=scope)
