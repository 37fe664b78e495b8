"""Formulas of arrays as lists of steps, which write over what is read no more.

NumPy takes new memory for every part of `w -= rate * (m / (sqrt(v) + epsilon))`: it is not in the
cache, and does not begin at a cache line. So a formula over large arrays is read first. It runs
once with names in place of arrays and of numbers; what it does to them is written down:

    numbers   (once a call)      n0 = rate    n1 = epsilon
    steps     (for each block)   t = sqrt(v)    t = t + n1    t = m / t    t = n0 * t    w = w - t

A part gets the first scratch block that is free by then, as a compiler gives out registers. So few
are needed that they stay in the cache with the blocks of the arrays.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from minitf.core.graph.state import aligned_empty


class _Value(NDArrayOperatorsMixin):
    """A name in a formula: NumPy's functions on it are written down, and not done.

    Args:
      notes: where they are written.
      dtype: of the arrays.
      is_array: whether it stands for an array, or for a number.
      positive: of a given number, whether it is: `if l1 > 0` decides what there is to read.
    """

    place: int  # in the list of a block's arrays and numbers; numbers count from its end

    def __init__(
        self, notes: list[_Note], dtype: Any, is_array: bool, positive: bool = False
    ) -> None:
        self.notes, self.dtype, self.is_array, self.positive = notes, dtype, is_array, positive

    def __array_ufunc__(
        self, ufunc: Any, method: str, *inputs: Any, out: Any = (None,), **options: Any
    ) -> Any:
        result = out[0]
        if result is None:
            is_array = any(isinstance(each, _Value) and each.is_array for each in inputs)
            result = _Value(self.notes, self.dtype, is_array)
        self.notes.append(_Note(ufunc, inputs, result, options))
        return result

    def __setitem__(self, _: Any, value: Any) -> None:
        self.__array_ufunc__(np.positive, "__call__", value, out=(self,))

    def __gt__(self, _: Any) -> bool:
        return self.positive


#: What is faster than NumPy's functions where there is no array.
_ON_NUMBERS: dict[Any, Callable[..., Any]] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.divide: operator.truediv,
    np.negative: operator.neg,
}


class _Note(NamedTuple):
    """A function of NumPy with what it takes and gives."""

    ufunc: Any
    inputs: Sequence[Any]
    result: _Value
    options: Mapping[str, Any]


def _last_reads(notes: list[_Note]) -> dict[int, int]:
    """By the identity of a value: the number of the last note that reads it."""
    return {id(each): i for i, note in enumerate(notes) for each in note.inputs}


def _without_copies(notes: list[_Note], given: Sequence[_Value]) -> list[_Note]:
    """The notes where `w[...] = a + b` writes into `w` at once."""
    last, kept = _last_reads(notes), notes[:1]
    own = {id(each) for each in given}
    for i, note in enumerate(notes[1:], 1):
        source = note.inputs[0]
        is_copy = note.ufunc is np.positive and source is kept[-1].result
        if is_copy and last[id(source)] == i and id(source) not in own:
            kept[-1] = kept[-1]._replace(result=note.result)
        else:
            kept.append(note)
    return kept


class Steps:
    """What a formula does, for arrays of one type.

    Args:
      formula: `(xp, *arrays, *numbers, **attrs)`; overwrites the first arrays. It may ask of a
        number only whether it is above zero.
      dtype: of the arrays.
      arrays: how many.
      positive: of each number, whether it is.
      attrs: switches; `out=True` lets the formula write over its last array.
    """

    def __init__(
        self,
        formula: Callable[..., None],
        dtype: Any,
        arrays: int,
        positive: Sequence[bool],
        attrs: Mapping[str, Any],
    ) -> None:
        notes: list[_Note] = []
        given = [_Value(notes, dtype, True) for _ in range(arrays)]
        rates = [_Value(notes, dtype, False, sign) for sign in positive]
        out = {"out": given[-1]} if attrs.get("out") else {}
        formula(np, *given, *rates, **{**attrs, **out})
        self._numbers = [note for note in notes if not note.result.is_array]
        for place, value in enumerate([*rates, *(note.result for note in self._numbers)], 1):
            value.place = -place
        self._constants: list[Any] = []
        self._steps: list[tuple[Any, int, int | None, int]] = []
        self._scratch = 0  # how many blocks of it
        notes = [note for note in notes if note.result.is_array]
        self._give_places(given, _without_copies(notes, given), len(rates) + len(self._numbers))

    def _give_places(self, given: list[_Value], notes: list[_Note], numbers: int) -> None:
        for place, value in enumerate(given):
            value.place = place
        last = _last_reads(notes)
        free: list[int] = []
        for i, note in enumerate(notes):
            places: list[Any] = []
            for each in note.inputs:
                if not isinstance(each, _Value):
                    self._constants.append(each)
                    places.append(-numbers - len(self._constants))
                    continue
                places.append(each.place)
                if each.place >= len(given) and last[id(each)] == i and each.place not in free:
                    free.append(each.place)
            if not hasattr(note.result, "place"):
                if not free:
                    free.append(len(given) + self._scratch)
                    self._scratch += 1
                note.result.place = free.pop()
            first, second = places if len(places) == 2 else (places[0], None)
            self._steps.append((note.ufunc, first, second, note.result.place))

    def numbers(self, rates: Sequence[Any]) -> list[Any]:
        """The numbers of all steps, for those that are given, as they stand in a block's list."""
        found = list(rates)
        for ufunc, inputs, _, options in self._numbers:
            values = [found[-1 - v.place] if isinstance(v, _Value) else v for v in inputs]
            found.append(_ON_NUMBERS.get(ufunc, ufunc)(*values, **options))
        return [*reversed(self._constants), *reversed(found)]

    def run(self, blocks: Iterator[Sequence[Any]], numbers: list[Any]) -> None:
        """Takes the steps, for one block of the arrays after the other; the first is the largest.

        Args:
          blocks: views of all arrays.
          numbers: those of the method.
        """
        scratch: list[Any] = []
        for views in blocks:
            rows = len(views[0])
            if not scratch:
                scratch = _scratch(self._scratch, views[0])
            elif rows < len(scratch[0]):
                scratch = [each[:rows] for each in scratch]
            values = [*views, *scratch, *numbers]
            for ufunc, first, second, out in self._steps:
                if second is None:
                    ufunc(values[first], out=values[out])
                else:
                    ufunc(values[first], values[second], out=values[out])


@lru_cache(maxsize=128)
def steps_of(
    formula: Callable[..., None],
    dtype: Any,
    arrays: int,
    positive: tuple[bool, ...],
    attrs: tuple[tuple[str, Any], ...],
) -> Steps:
    """The steps of a formula, which is read once; the arguments are those of `Steps`."""
    return Steps(formula, dtype, arrays, positive, dict(attrs))


_MOST_KEPT = 64  # shapes of blocks that a thread keeps memory for
_local = threading.local()


def _scratch(count: int, like: Any) -> list[Any]:
    """Arrays shaped as `like` to overwrite: this thread's own, which may still be in its cache."""
    kept = _local.__dict__.setdefault("kept", {})
    key = (count, like.shape, like.dtype)
    found = kept.get(key)
    if found is None:
        if len(kept) >= _MOST_KEPT:
            kept.clear()
        found = kept[key] = [aligned_empty(like.shape, like.dtype) for _ in range(count)]
    return found
