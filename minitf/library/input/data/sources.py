"""Datasets that begin a pipeline: numbers, tensors, their rows, and what a Python generator yields.

`Dataset.range`, `from_tensors`, `from_tensor_slices` and `from_generator` make them; datasets of
files stand in files.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import as_array
from minitf.core.graph.shapes import TensorShape
from minitf.core.ops.elementwise import invalid
from minitf.library.eager import script_ops
from minitf.library.input.data import structure
from minitf.library.input.data.cursors import (
    Context,
    Cursor,
    Element,
    EndOfSequence,
    InMemory,
    Source,
    counting,
    dataset_op,
    stacked,
)

_COUNTED = np.arange(3)


@dataset_op("RangeDataset", "start: int64, stop: int64, step: int64", shown=(counting, range(5)))
class Range(InMemory):
    """The numbers from `start` to `stop`, which is left out."""

    def __init__(self, context: Context, numbers: range) -> None:
        super().__init__(len(numbers))
        self._numbers = numbers

    @classmethod
    def source(cls, start: int, stop: int, step: int) -> Source:
        if step == 0:
            raise invalid("step must be a non-zero integer.")
        return Source(cls, range(start, stop, step))

    length = staticmethod(len)

    def at(self, place: Any) -> Element:
        if isinstance(place, int):
            return (np.int64(self._numbers[place]),)
        if isinstance(place, slice):
            place = np.arange(place.start, place.stop)
        return (self._numbers.start + place * self._numbers.step,)


@dataset_op(
    "TensorSliceDataset",
    "components: N*?",
    shown=(lambda: Slices.op([_COUNTED]), range(3)),
)
class Slices(InMemory):
    """The rows of tensors."""

    def __init__(self, context: Context, components: Sequence[Any]) -> None:
        super().__init__(len(components[0]))
        self._components = components

    @classmethod
    def source(cls, components: Sequence[Any]) -> Source:
        if len({len(component) for component in components}) > 1:
            raise invalid("All components must have the same size in the 0th dimension")
        return Source(cls, components)

    @staticmethod
    def length(components: Sequence[Any]) -> float:
        return len(components[0])

    def at(self, place: Any) -> Element:
        return tuple([component[place] for component in self._components])


@dataset_op("TensorDataset", "components: N*?", shown=(lambda: whole_op([_COUNTED]), [_COUNTED]))
def whole_op(components: Sequence[Any]) -> Source:
    """One element: the tensors as they are."""
    return Source(
        Slices, [c[None] if isinstance(c, np.ndarray) else stacked([c]) for c in components]
    )


# ---- generators --------------------------------------------------------------------------


@dataset_op(
    "GeneratorDataset",
    "args: N*?",
    reaches="python",
    no_samples="its function is the program's; tests/library/data/test_generators.py runs it",
)
class Generated(Cursor):
    """What a Python generator yields."""

    def __init__(self, context: Context, args: Sequence[Any], token: str) -> None:
        self._function: Callable[..., Any] = script_ops.find_function(token).call
        self._args = args
        self._iterator: Any = None

    @classmethod
    def source(cls, args: Sequence[Any], *, token: str) -> Source:
        return Source(cls, args, token)

    def next(self) -> Element:
        if self._iterator is None:
            self._iterator = script_ops.guarded(lambda: iter(self._function(*self._args)), [])
        value = script_ops.guarded(lambda: next(self._iterator, EndOfSequence), [])
        if value is EndOfSequence:
            self.close()
            raise EndOfSequence
        return tuple(value)

    def close(self) -> None:
        stop = getattr(self._iterator, "close", None)
        self._iterator = iter(())  # the program's object goes as soon as its elements are over
        if stop is not None:
            stop()


def checked_element(value: Any, types: Any, shapes: Any) -> list[Any]:
    """What a generator yielded, as the flat components of an element.

    Raises:
      TypeError, ValueError: when it does not fit.
    """
    try:  # each leaf in a list, whatever it is itself: to `flatten` a list is no structure
        flat = structure.flatten(structure.map_up_to(types, lambda leaf: [leaf], value))
    except (TypeError, ValueError, KeyError):
        raise TypeError(
            "`generator` yielded an element that did not match the expected structure. The "
            f"expected structure was {types}, but the yielded element was {value}."
        ) from None
    parts = zip(flat, structure.flatten(types), structure.flatten(shapes), strict=True)
    return [_checked(leaf, dtype, shape) for (leaf,), dtype, shape in parts]


def _checked(component: Any, dtype: dtypes.DType, shape: TensorShape) -> Any:
    try:
        if dtype == dtypes.string:
            whole = isinstance(component, np.ndarray)
            array = as_array(component.tolist() if whole else component, dtype)
        else:
            array = np.array(component, dtype.numpy_dtype)
    except (TypeError, ValueError):
        raise TypeError(
            "`generator` yielded an element that could not be converted to the expected type. The "
            f"expected type was {dtype.name}, but the yielded element was {component}."
        ) from None
    if not shape.is_compatible_with(array.shape):
        raise ValueError(
            f"`generator` yielded an element of shape {array.shape} where an element of shape "
            f"{TensorShape(shape)} was expected."
        )
    return array if array.ndim else array[()]
