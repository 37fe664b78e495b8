"""Layers that make one tensor of several: sums, products, maxima, tensors side by side.

tf.keras.layers.add([a, b])     the same as `tf.keras.layers.Add()([a, b])`
"""

from __future__ import annotations

import functools
import itertools
import operator
from typing import Any, ClassVar

from minitf.core.graph import dtypes
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_filling import ones_like
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import expand_dims
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import logical_and
from minitf.core.ops.math import maximum, minimum
from minitf.core.ops.reductions import reduce_all
from minitf.library.keras.layers.configured import Masked


class _Merge(Masked):
    """A layer of a list of inputs, whose shapes broadcast."""

    _noun: ClassVar[str] = "A merge layer"  # in messages
    _function: ClassVar[Any]

    def build(self, input_shape: Any) -> None:
        """Checks the shapes of the inputs.

        Raises:
          ValueError: when they are less than two, or do not fit.
        """
        if not isinstance(input_shape, (list, tuple)) or isinstance(input_shape, TensorShape):
            raise ValueError(f"{self._noun} should be called on a list of inputs.")
        if len(input_shape) < 2:
            raise ValueError(
                f"{self._noun} should be called on a list of at least 2 inputs. Got "
                f"{len(input_shape)} inputs."
            )
        self._check([as_shape(shape).as_list() for shape in input_shape])
        self.built = True

    def _check(self, shapes: list[list]) -> None:
        """Raises ValueError unless the shapes broadcast, and the sizes of the batch are equal."""
        if len({each[0] for each in shapes if each and each[0] is not None}) > 1:
            raise ValueError(
                "Can not merge tensors with different batch sizes. Got tensors with shapes : "
                f"{shapes}"
            )
        for column in itertools.zip_longest(*(reversed(each[1:]) for each in shapes)):
            if len({size for size in column if size not in (1, None)}) > 1:
                raise ValueError(
                    "Operands could not be broadcast together with shapes "
                    + " ".join(str(tuple(each[1:])) for each in shapes)
                )

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Where every input that has a mask counts."""
        known = [cast(each, dtypes.bool) for each in mask or () if each is not None]
        return functools.reduce(logical_and, known) if known else None

    def call(self, inputs: Any) -> Tensor:
        """Adds the operations; inputs of lower rank get axes behind that of the batch."""
        rank = max(x.shape.ndims for x in inputs)
        same = []
        for x in inputs:
            for _ in range(rank - x.shape.ndims):
                x = expand_dims(x, axis=1)
            same.append(x)
        return self._merged(same)

    def _merged(self, inputs: list) -> Tensor:
        return functools.reduce(type(self)._function, inputs)


class Add(_Merge):
    """The sum of its inputs.

    Example:
      >>> tf.keras.layers.Add()([tf.ones([2]), tf.ones([2])])
      <tf.Tensor 'add/add:0' shape=(2,) dtype=float32>
    """

    _function = operator.add


class Subtract(_Merge):
    """The first of two inputs less the second."""

    _function = operator.sub

    def _check(self, shapes: list[list]) -> None:
        super()._check(shapes)
        if len(shapes) != 2:
            raise ValueError("A `Subtract` layer should be called on exactly 2 inputs")


class Multiply(_Merge):
    """The product of its inputs, element by element."""

    _function = operator.mul


class Average(_Merge):
    """The mean of its inputs."""

    _function = operator.add

    def _merged(self, inputs: list) -> Tensor:
        return super()._merged(inputs) / len(inputs)


class Maximum(_Merge):
    """The largest of its inputs, element by element."""

    _function = maximum


class Minimum(_Merge):
    """The smallest of its inputs, element by element."""

    _function = minimum


class Concatenate(_Merge):
    """Its inputs side by side.

    Args:
      axis: along which axis.
      kwargs: see `Layer`.
    """

    _noun = "A `Concatenate` layer"

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def _check(self, shapes: list[list]) -> None:
        ranks = {len(each) for each in shapes}
        others = [
            {size for size in column if size is not None}
            for axis, column in enumerate(zip(*shapes))
            if axis != self.axis % max(ranks)
        ]
        if len(ranks) > 1 or any(len(known) > 1 for known in others):
            raise ValueError(
                "A `Concatenate` layer requires inputs with matching shapes except for the concat "
                f"axis. Got inputs shapes: {shapes}"
            )

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The masks side by side, where they belong to the axis; else where all count."""
        if mask is None or all(each is None for each in mask):
            return None
        spread = []
        for x, m in zip(inputs, mask, strict=True):
            if m is None:
                m = ones_like(x, dtype="bool")
            elif m.shape.ndims < x.shape.ndims:
                m = logical_and(expand_dims(m, -1), ones_like(x, dtype="bool"))
            spread.append(m)
        return reduce_all(concat(spread, self.axis), axis=-1)

    def _merged(self, inputs: list) -> Tensor:
        return concat(inputs, self.axis)


def add(inputs: list, **kwargs: Any) -> Tensor:
    """The sum of tensors; see `Add`."""
    return Add(**kwargs)(inputs)


def subtract(inputs: list, **kwargs: Any) -> Tensor:
    """The first of two tensors less the second; see `Subtract`."""
    return Subtract(**kwargs)(inputs)


def multiply(inputs: list, **kwargs: Any) -> Tensor:
    """The product of tensors; see `Multiply`."""
    return Multiply(**kwargs)(inputs)


def average(inputs: list, **kwargs: Any) -> Tensor:
    """The mean of tensors; see `Average`."""
    return Average(**kwargs)(inputs)


def maximum_of(inputs: list, **kwargs: Any) -> Tensor:
    """The largest of tensors; see `Maximum`."""
    return Maximum(**kwargs)(inputs)


def minimum_of(inputs: list, **kwargs: Any) -> Tensor:
    """The smallest of tensors; see `Minimum`."""
    return Minimum(**kwargs)(inputs)


def concatenate(inputs: list, axis: int = -1, **kwargs: Any) -> Tensor:
    """Tensors side by side; see `Concatenate`."""
    return Concatenate(axis, **kwargs)(inputs)
