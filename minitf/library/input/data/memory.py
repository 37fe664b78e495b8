"""Datasets from memory: whole tensors, their rows, and what a Python generator yields."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import errors
from minitf.library.eager import script_ops
from minitf.library.input.data.iterator_ops import dataset_op, numbers
from minitf.library.input.data.runtime import (
    Context,
    Cursor,
    Element,
    EndOfSequence,
    InMemory,
    Source,
    held,
    stacked,
)

_COUNTED = np.arange(3)


class Slices(InMemory):
    """One row of each array after the other."""

    def __init__(self, context: Context, components: Sequence[Any], count: int) -> None:
        self._components, self._count = components, count
        self._place = 0

    def places(self, most: int) -> range:
        first = self._place
        self._place = min(first + most, self._count)
        return range(first, self._place)

    def at(self, place: Any) -> Element:
        return tuple([component[place] for component in self._components])


@dataset_op(
    "TensorSliceDataset",
    "components: N*?",
    elements=(lambda: tensor_slice_dataset_op([_COUNTED]), numbers(0, 1, 2)),
)
def tensor_slice_dataset_op(xp: Any, components: Any, **attrs: Any) -> Source:
    """The rows of tensors."""
    count = len(components[0])
    for component in components:
        if len(component) != count:
            raise errors.InvalidArgumentError(
                None, None, "All components must have the same size in the 0th dimension"
            )
    return Source(Slices, [held(each) for each in components], count)


@dataset_op(
    "TensorDataset", "components: N*?", elements=(lambda: tensor_dataset_op([_COUNTED]), [_COUNTED])
)
def tensor_dataset_op(xp: Any, components: Any, **attrs: Any) -> Source:
    """One element: the tensors as they are."""
    whole = [each[None] if isinstance(each, np.ndarray) else stacked([each]) for each in components]
    return Source(Slices, [held(each) for each in whole], 1)


class SparseSlices(Cursor):
    """The rows of a sparse tensor, the parts of each as three components."""

    def __init__(self, context: Context, indices: Any, values: Any, shape: Any) -> None:
        self._indices, self._values, self._shape = indices, values, shape
        self._ends = np.searchsorted(indices[:, 0], np.arange(int(shape[0]) + 1))
        self._place = 0

    def next(self) -> Element:
        place = self._place
        if place >= len(self._ends) - 1:
            raise EndOfSequence
        self._place += 1
        rows = slice(self._ends[place], self._ends[place + 1])
        return self._indices[rows, 1:], self._values[rows], self._shape[1:]


@dataset_op(
    "SparseTensorSliceDataset",
    "indices: int64, values: T, dense_shape: int64",
    no_samples="its elements have three components; tests/library/data/test_sparse.py runs it",
)
def sparse_tensor_slice_dataset_op(
    xp: Any, indices: Any, values: Any, dense_shape: Any, **attrs: Any
) -> Source:
    """The rows of a sparse tensor."""
    return Source(SparseSlices, held(indices), held(values), held(dense_shape))


# ---- generators --------------------------------------------------------------------------


class Generated(Cursor):
    """What a Python generator yields, checked; it can be saved by counting only."""

    def __init__(
        self, context: Context, token: str, args: Sequence[Any], types: Any, shapes: Any
    ) -> None:
        self._function: Callable[..., Any] = script_ops.find_function(token).call
        self._args, self._types, self._shapes = args, types, shapes
        self._iterator: Any = None
        self._count = 0

    def next(self) -> Element:
        if self._iterator is None:
            self._iterator = script_ops.guarded(lambda: iter(self._function(*self._args)), [])
        value = script_ops.guarded(lambda: next(self._iterator, EndOfSequence), [])
        if value is EndOfSequence:
            self.close()
            raise EndOfSequence
        self._count += 1
        return tuple(value)

    def close(self) -> None:
        stop = getattr(self._iterator, "close", None)
        self._iterator = iter(())  # the program's object goes as soon as its elements are over
        if stop is not None:
            stop()


@dataset_op(
    "GeneratorDataset",
    "args: N*?",
    reaches="python",
    no_samples="its function is the program's; tests/library/data/test_generators.py runs it",
)
def generator_dataset_op(
    xp: Any, args: Any, *, token: str, output_types: Any, output_shapes: Any
) -> Source:
    """What a Python generator yields."""
    return Source(Generated, token, [held(arg) for arg in args], output_types, output_shapes)
