"""Static shapes: the dimensions of a tensor as far as they are known when the graph is built.

A `TensorShape` is fully known, partially known (`(?, 784)`: one dimension depends on a feed) or
unknown. Shape functions combine shapes and raise when these do not fit, so a wrong rank is found
when the graph is built.

    >>> TensorShape([None, 784]).merge_with([32, None])
    TensorShape([Dimension(32), Dimension(784)])
"""

from __future__ import annotations

import contextlib
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from minitf.core.graph.messages import tensorflows_form

Dims: TypeAlias = "TensorShape | Iterable[int | Dimension | None] | int | None"

MOST_DIMENSIONS = 254  # of a tensor, as in TensorFlow


def _arithmetic(function: Callable[[int, int], int]) -> Callable[..., Dimension]:
    """An operator of dimensions that gives a dimension."""
    return lambda self, other: Dimension(self._compare(other, function))


def _comparison(function: Callable[[int, int], bool]) -> Callable[..., bool | None]:
    """An operator of dimensions that tells how they compare."""
    return lambda self, other: self._compare(other, function)


class Dimension:
    """The size of one axis: a non-negative integer, or None when it is not known.

    A comparison with an unknown dimension gives None, as in TensorFlow 1.x.
    """

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        if value is None:
            self._value = None
        elif isinstance(value, Dimension):
            self._value = value._value
        else:
            try:
                self._value = value.__index__()
            except AttributeError:
                self._value = _whole_number(value)
            if self._value < 0:
                raise ValueError(f"Dimension {self._value} must be >= 0")

    @property
    def value(self) -> int | None:
        """The size, or None."""
        return self._value

    def is_compatible_with(self, other: Any) -> bool:
        """Whether both could be the same size."""
        other = as_dimension(other)
        return self._value is None or other._value is None or self._value == other._value

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raises ValueError unless both could be the same size."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {as_dimension(other)} are not compatible")

    def merge_with(self, other: Any) -> Dimension:
        """Returns the dimension that is known; raises ValueError if both differ."""
        other = as_dimension(other)
        self.assert_is_compatible_with(other)
        return other if self._value is None else self

    def _compare(self, other: Any, function: Any) -> Any:
        """Applies a function to both sizes; None if one is unknown."""
        other = as_dimension(other)
        if self._value is None or other._value is None:
            return None
        return function(self._value, other._value)

    def __mul__(self, other: Any) -> Any:
        try:
            return Dimension(self._compare(other, operator.mul))
        except (TypeError, ValueError):
            return NotImplemented

    __rmul__ = __mul__
    __add__ = __radd__ = _arithmetic(operator.add)
    __sub__ = _arithmetic(operator.sub)
    __rsub__ = _arithmetic(lambda a, b: b - a)
    __floordiv__ = __div__ = _arithmetic(operator.floordiv)
    __rfloordiv__ = _arithmetic(lambda a, b: b // a)
    __mod__ = _arithmetic(operator.mod)

    def __eq__(self, other: Any) -> Any:
        try:
            return self._compare(other, operator.eq)
        except (TypeError, ValueError):
            return NotImplemented

    def __ne__(self, other: Any) -> Any:
        equal = self.__eq__(other)
        return equal if equal is None or equal is NotImplemented else not equal

    __lt__ = _comparison(operator.lt)
    __le__ = _comparison(operator.le)
    __gt__ = _comparison(operator.gt)
    __ge__ = _comparison(operator.ge)

    def __int__(self) -> int:
        return self._value  # type: ignore[return-value]  # int(Dimension(None)) raises, as it should

    __index__ = __int__

    def __hash__(self) -> int:
        return hash(self._value)

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)

    def __repr__(self) -> str:
        return f"Dimension({self._value})"

    def __reduce__(self) -> tuple:
        return Dimension, (self._value,)


def _whole_number(value: Any) -> int:
    """Converts a float or a text such as 4.0 or "4" to an int."""
    if isinstance(value, (str, float, np.floating)):
        with contextlib.suppress(ValueError, OverflowError):
            if int(value) == float(value):
                return int(value)
    raise TypeError(
        "Dimension value must be integer or None or have an __index__ method, got value "
        f"'{value!r}' with type '{type(value)}'"
    )


def as_dimension(value: Any) -> Dimension:
    """Converts an int, None or `Dimension` to a `Dimension`."""
    return value if isinstance(value, Dimension) else Dimension(value)


def dimension_value(dimension: Any) -> int | None:
    """The plain int (or None) of a `Dimension`, an int or None."""
    return dimension.value if isinstance(dimension, Dimension) else dimension


class TensorShape:
    """The shape of a tensor, as far as it is known. Immutable.

    Args:
      dims: a sequence of ints, None and `Dimension`; an int (rank 1); or None (unknown rank).
    Example:
      >>> shape = tf.TensorShape([None, 28, 28])
      >>> shape.ndims, shape[1].value, shape.is_fully_defined()
      (3, 28, False)
      >>> shape.merge_with([32, None, None])
      TensorShape([Dimension(32), Dimension(28), Dimension(28)])
    """

    __slots__ = ("_dims",)

    def __init__(self, dims: Any) -> None:
        #: a tuple of int | None, or None for unknown rank
        self._dims: tuple[int | None, ...] | None
        if dims is None:
            self._dims = None
        elif isinstance(dims, TensorShape):
            self._dims = dims._dims
        elif type(dims) is tuple and all(type(d) is int and d >= 0 for d in dims):
            self._dims = dims
        elif isinstance(dims, (list, tuple)):
            self._dims = tuple(Dimension(d).value for d in dims)
        elif hasattr(dims, "unknown_rank"):  # a message
            sizes = tuple(None if each.size == -1 else each.size for each in dims.dim)
            self._dims = None if dims.unknown_rank else sizes
        else:
            try:
                items = iter(dims)
            except TypeError:
                self._dims = (Dimension(dims).value,)
            else:
                self._dims = tuple(_dimension_of(dims, d) for d in items)

    @property
    def dims(self) -> list[Dimension] | None:
        """The dimensions, or None when the rank is unknown."""
        return None if self._dims is None else [Dimension(d) for d in self._dims]

    @property
    def ndims(self) -> int | None:
        """The rank, or None when it is unknown."""
        return None if self._dims is None else len(self._dims)

    rank = ndims

    def as_list(self) -> list[int | None]:
        """The sizes as ints and None.

        Raises:
          ValueError: when the rank is unknown.
        """
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def as_proto(self) -> Any:
        """The shape as a message: `shape.as_proto().dim[0].size`, -1 for an unknown size."""
        return tensorflows_form().shape_proto(self._dims)

    def to_dict(self) -> dict:
        """The serialized form, `{"dim": [{"size": 2}, {"size": -1}]}`."""
        if self._dims is None:
            return {"unknown_rank": True}
        return {"dim": [{"size": -1 if d is None else d} for d in self._dims]}

    def num_elements(self) -> int | None:
        """The number of elements, or None when the shape is not fully known."""
        return math.prod(self._dims) if self.is_fully_defined() else None  # type: ignore[arg-type]

    def is_fully_defined(self) -> bool:
        """Whether every dimension is known."""
        return self._dims is not None and None not in self._dims

    def assert_is_fully_defined(self) -> None:
        """Raises ValueError unless every dimension is known."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def is_compatible_with(self, other: Dims) -> bool:
        """Whether one tensor could have both shapes."""
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return True
        return len(self._dims) == len(other._dims) and all(
            a is None or b is None or a == b for a, b in zip(self._dims, other._dims, strict=True)
        )

    def assert_is_compatible_with(self, other: Dims) -> None:
        """Raises ValueError unless one tensor could have both shapes."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {as_shape(other)} are incompatible")

    def assert_same_rank(self, other: Dims) -> None:
        """Raises ValueError when the ranks are known and differ."""
        other = as_shape(other)
        if self.ndims is not None and other.ndims is not None and self.ndims != other.ndims:
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def merge_with(self, other: Dims) -> TensorShape:
        """Returns a shape with the known dimensions of both.

        Raises:
          ValueError: when no tensor can have both shapes.
        """
        other = as_shape(other)
        if self._dims is None:
            return other
        if other._dims is None:
            return self
        try:
            self.assert_same_rank(other)
            merged = [
                Dimension(a).merge_with(b) for a, b in zip(self._dims, other._dims, strict=True)
            ]
        except ValueError:
            raise ValueError(f"Shapes {self} and {other} are not compatible") from None
        return TensorShape(merged)

    def most_specific_compatible_shape(self, other: Dims) -> TensorShape:
        """Returns the shape with the dimensions on which both agree."""
        other = as_shape(other)
        if self._dims is None or other._dims is None or len(self._dims) != len(other._dims):
            return unknown_shape()
        return TensorShape(
            [a if a == b else None for a, b in zip(self._dims, other._dims, strict=True)]
        )

    def concatenate(self, other: Dims) -> TensorShape:
        """Returns the dimensions of this shape followed by those of `other`."""
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return unknown_shape()
        return TensorShape(self._dims + other._dims)

    def assert_has_rank(self, rank: int) -> None:
        """Raises ValueError when the rank is known and is not `rank`."""
        self.with_rank(rank)

    def with_rank(self, rank: int) -> TensorShape:
        """Returns this shape, of `rank` dimensions when it was unknown.

        Raises:
          ValueError: "Shape (3, 4, 5) must have rank 2".
        """
        return unknown_shape(rank) if self._dims is None else self._of_rank(operator.eq, "", rank)

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """Returns this shape.

        Raises:
          ValueError: when it is known to have fewer than `rank` dimensions.
        """
        return self._of_rank(operator.ge, "at least ", rank)

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """Returns this shape.

        Raises:
          ValueError: when it is known to have more than `rank` dimensions.
        """
        return self._of_rank(operator.le, "at most ", rank)

    def _of_rank(self, fits: Any, relation: str, rank: int) -> TensorShape:
        """This shape, unless its rank is wrong; shape inference has its own text for that."""
        if self._dims is not None and not fits(len(self._dims), rank):
            error = ValueError(f"Shape {self} must have rank {relation}{rank}")
            words = f"Shape must be {relation}rank {rank} but is rank {self.ndims}"
            error.in_inference = words  # type: ignore[attr-defined]
            raise error
        return self

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of Shape with unknown rank.")
        return len(self._dims)

    def __bool__(self) -> bool:
        return self._dims is not None

    def __iter__(self) -> Iterator[Dimension]:
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter([Dimension(d) for d in self._dims])

    def __getitem__(self, key: Any) -> Any:
        if self._dims is None:
            if isinstance(key, slice):
                start, stop = key.start or 0, key.stop
                if key.step not in (None, 1) or stop is None or start < 0 or stop < 0:
                    return unknown_shape()
                return unknown_shape(max(stop - start, 0))
            return Dimension(None)
        if isinstance(key, slice):
            return TensorShape(self._dims[key])
        return Dimension(self._dims[key])

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return as_shape(other).concatenate(self)

    def __eq__(self, other: Any) -> Any:
        try:
            other = as_shape(other)
        except (TypeError, ValueError):
            return NotImplemented
        return self._dims == other._dims

    def __hash__(self) -> int:
        return hash(self._dims)

    def __str__(self) -> str:
        if self._dims is None:
            return "<unknown>"
        inside = ", ".join("?" if d is None else str(d) for d in self._dims)
        return f"({inside},)" if len(self._dims) == 1 else f"({inside})"

    def __repr__(self) -> str:
        return "TensorShape(None)" if self._dims is None else f"TensorShape({self.dims})"

    def __reduce__(self) -> tuple:
        return TensorShape, (self._dims,)


def _dimension_of(dims: Iterable, item: Any) -> int | None:
    """Converts one item of `dims` to a size; the letters of a text raise."""
    try:
        if isinstance(dims, str):
            raise TypeError
        return Dimension(item).value
    except TypeError:
        raise TypeError(
            f"Failed to convert '{dims!r}' to a shape: '{item!r}'could not be converted to a "
            "dimension. A shape should either be single dimension (e.g. 10), or an iterable of "
            "dimensions (e.g. [1, 10, None])."
        ) from None


def attr_shape(shape: Any, name: str = "shape") -> TensorShape:
    """The shape that an attribute of an operation holds; errors name the attribute.

    Raises:
      TypeError, ValueError: "Error converting shape to a TensorShape: Dimension -1 must be >= 0."
    """
    try:
        return as_shape(shape)
    except (TypeError, ValueError) as error:
        raise type(error)(f"Error converting {name} to a TensorShape: {error}.") from None


def as_shape(shape: Dims) -> TensorShape:
    """Converts to a `TensorShape`."""
    return shape if type(shape) is TensorShape else TensorShape(shape)


def unknown_shape(rank: int | None = None, *, ndims: int | None = None) -> TensorShape:
    """A shape of unknown rank, or of `rank` unknown dimensions; `ndims` is its older name."""
    rank = ndims if rank is None else rank
    return TensorShape(None if rank is None else [None] * rank)


def scalar() -> TensorShape:
    """The shape of a scalar."""
    return TensorShape(())


def brackets(shape: TensorShape) -> str:
    """The shape as shape-inference errors print it: '[?,784]', '?' for unknown rank."""
    if shape._dims is None:
        return "?"
    return "[" + ",".join("?" if d is None else str(d) for d in shape._dims) + "]"


def same_size(one: int | None, other: int | None) -> int | None:
    """The size of an axis that two tensors share, as far as one of them knows it.

    Raises:
      ValueError: shape inference's, "Dimensions must be equal, but are 2 and 3".
    """
    if None not in (one, other) and one != other:
        raise ValueError(f"Dimensions must be equal, but are {one} and {other}")
    return other if one is None else one


def _broadcast_size(a: int | None, b: int | None) -> int | None:
    """The larger size; an unknown one is 1, or the size of the other."""
    if a == 1:
        return b
    return a if b == 1 else same_size(a, b)


def check_same_dimensions(first: TensorShape, second: TensorShape) -> None:
    """Raises shape inference's ValueError unless one tensor could have both shapes."""
    if first.ndims is None or second.ndims is None:
        return
    if first.ndims != second.ndims:
        raise ValueError(f"Shapes must be equal rank, but are {first.ndims} and {second.ndims}")
    for i, (a, b) in enumerate(zip(first.as_list(), second.as_list(), strict=True)):
        if a is not None and b is not None and a != b:
            raise ValueError(
                f"Dimension {i} in both shapes must be equal, but are {a} and {b}. "
                f"Shapes are {brackets(first)} and {brackets(second)}."
            )


def merged_dimensions(first: TensorShape, second: TensorShape) -> TensorShape:
    """Merges two shapes of one rank.

    Raises:
      ValueError: shape inference's, "Dimensions must be equal, but are 2 and 3".
    """
    pairs = zip(first.as_list(), second.as_list(), strict=True)
    return TensorShape([same_size(a, b) for a, b in pairs])


def broadcast_shapes(first: Dims, second: Dims) -> TensorShape:
    """Returns the shape of an elementwise result under NumPy's broadcasting rule.

    Raises:
      ValueError: "Dimensions must be equal, but are 2 and 3".
    """
    a, b = as_shape(first)._dims, as_shape(second)._dims
    if a is None or b is None:
        return unknown_shape()
    rank = max(len(a), len(b))
    a = (1,) * (rank - len(a)) + a
    b = (1,) * (rank - len(b)) + b
    return TensorShape([_broadcast_size(x, y) for x, y in zip(a, b, strict=True)])


def broadcast_static_shape(shape_x: TensorShape, shape_y: TensorShape) -> TensorShape:
    """`tf.broadcast_static_shape`: the shape two static shapes broadcast to."""
    try:
        return broadcast_shapes(shape_x, shape_y)
    except ValueError:
        raise ValueError(f"Incompatible shapes for broadcasting: {shape_x} and {shape_y}") from None


def normalize_axis(axis: int, rank: int) -> int:
    """Returns `axis` counted from the front.

    Raises:
      ValueError: when it lies outside [-rank, rank).
    """
    if not -rank <= axis < rank:
        raise ValueError(f"Invalid reduction dimension {axis} for input with {rank} dimensions.")
    return axis + rank if axis < 0 else axis


def normalize_axes(axis: int | Sequence[int] | None, rank: int) -> tuple[int, ...]:
    """Returns the axes counted from the front; None means all of them."""
    if axis is None:
        return tuple(range(rank))
    axes = [axis] if isinstance(axis, (int, np.integer)) else list(axis)
    return tuple(normalize_axis(int(a), rank) for a in axes)


def check_few(count: int, what: str, most: int = 1 << 16) -> None:
    """Raises for too many numbers, before a list of them is made.

    A small file can ask for any number by spreading one element over a shape.

    Raises:
      ValueError: "A shape must have at most 254 elements, not 1000000000".
    """
    if count > most:
        raise ValueError(f"{what} must have at most {most} elements, not {count}")
