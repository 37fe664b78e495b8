"""What a dataset is while steps run: a `Source` describes it, a `Cursor` walks over its elements.

    source = Source(Take, Source(Range, 0, 10, 1), 3)       immutable; any number may walk over it
    cursor = source.iterate(context)
    cursor.next(), cursor.next(), cursor.next()             (0,) (1,) (2,), then EndOfSequence

An element is a flat tuple of arrays, NumPy scalars and bytes, which nobody changes. A cursor pulls
from the cursors that it stands on, so a pipeline computes nothing before somebody asks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from minitf.core.gradients.vectorize import NoBatchRule, vectorize
from minitf.core.graph import errors
from minitf.core.graph.func_graph import FuncGraph, build
from minitf.core.graph.graph import Graph
from minitf.core.graph.shapes import TensorShape, brackets
from minitf.core.ops.elementwise import invalid
from minitf.core.runtime.plan.plan import compile_function
from minitf.core.runtime.run.rendezvous import Rendezvous, step_here
from minitf.core.runtime.run.resources import ResourceManager

Element = tuple[Any, ...]


class EndOfSequence(Exception):
    """A cursor has no further element."""


class Context:
    """What the cursors of one iterator share.

    Args:
      device: where functions run.

    Attributes:
      life: given up when the iterator is closed; what waits or loops inside a function ends then.
      keeps_order: whether parallel transformations give out elements in their order; None as long
        as no options said it.
      threads: how many a parallel map may have; 0: as many as it wants.
      report: what is told how full buffers are and how long elements take (stats.py), or None.
    """

    def __init__(self, device: Any) -> None:
        self.device = device
        self.life = Rendezvous()
        self.keeps_order: bool | None = None
        self.threads = 0
        self.report: Any = None
        self._compiled: dict[FuncGraph, Callable[..., list[Any]]] = {}
        self._compiled_for_many: dict[FuncGraph, Callable[..., list[Any]] | None] = {}

    def check(self) -> None:
        """Looks whether elements are still wanted, in loops that call no function.

        Raises:
          OpError: what the iterator, or the step that this thread runs, was given up for.
        """
        self.life.check()
        step_here().check()

    def compiled(self, graph: FuncGraph) -> Callable[..., list[Any]]:
        """A traced function as a plan; its random sequences and the like start with the context."""
        run = self._compiled.get(graph)
        if run is None:
            run = self._compiled[graph] = self._compile(graph)
        return run

    def _compile(self, graph: FuncGraph) -> Callable[..., list[Any]]:
        return compile_function(
            graph, self.device, ResourceManager(), in_place=False, rendezvous=self.life
        )

    def compiled_for_many(
        self, graph: FuncGraph, parameters: int
    ) -> Callable[..., list[Any]] | None:
        """The same for many elements at once; None for a function that does not run so.

        Args:
          graph: the function.
          parameters: how many of its inputs are components of an element.
        """
        if graph not in self._compiled_for_many:
            self._compiled_for_many[graph] = self._vectorized(graph, parameters)
        return self._compiled_for_many[graph]

    def _vectorized(self, graph: FuncGraph, parameters: int) -> Callable[..., list[Any]] | None:
        tensors = [*graph.inputs[:parameters], *graph.outputs]
        if not parameters or not all(t.shape.is_fully_defined() for t in tensors):
            return None  # elements of several shapes are no batch before the function
        stacked = [i < parameters for i in range(len(graph.inputs))]
        given = [
            (x.dtype, TensorShape([None]).concatenate(x.shape) if s else x.shape, "many")
            for x, s in zip(graph.inputs, stacked, strict=True)
        ]
        try:
            return self._compile(
                build("many", Graph(), lambda *x: vectorize(graph, x, stacked), given)
            )
        except NoBatchRule:
            return None

    def close(self) -> None:
        """Ends what waits inside of functions."""
        self.life.abort(errors.CancelledError(None, None, "Iterator was closed."))


class Source:
    """The value of a dataset's operation.

    Args:
      cursor: the class whose objects walk over it.
      *parts: what they are made with, after the context: sources, numbers, arrays, functions.
    """

    __slots__ = ("cursor", "parts")

    def __init__(self, cursor: Callable[..., Cursor], *parts: Any) -> None:
        self.cursor = cursor
        self.parts = parts

    def iterate(self, context: Context) -> Cursor:
        """A new cursor that stands before the first element."""
        return self.cursor(context, *self.parts)

    def __repr__(self) -> str:
        return f"<Source {getattr(self.cursor, '__name__', self.cursor)}>"


class Cursor(ABC):
    """A place in a dataset."""

    @abstractmethod
    def next(self) -> Element:
        """Moves on, and gives the element.

        Raises:
          EndOfSequence: when there is none.
        """

    def some(self, most: int) -> list[Element]:
        """The next elements, fewer only when the dataset ends."""
        elements: list[Element] = []
        try:
            while len(elements) < most:
                step_here().check()
                elements.append(self.next())
        except EndOfSequence:
            pass
        return elements

    def ahead(self) -> list[Element]:
        """The next elements, as many as are had at one go without an effect that shows.

        An error waits until the elements before it are given out.
        """
        return self.some(1)

    def rows(self, most: int) -> Element:
        """The next elements as one, each component with one more axis in front.

        Args:
          most: how many elements; fewer only when the dataset ends.
        Raises:
          EndOfSequence: when there is none.
        """
        elements = self.some(most)
        if not elements:
            raise EndOfSequence
        return batch_of(elements)

    def close(self) -> None:
        """Gives back files and threads, its own and those of the cursors that it stands on."""
        for part in list(vars(self).values()):
            for each in part if isinstance(part, list) else (part,):
                if isinstance(each, Cursor):
                    each.close()

    def __iter__(self) -> Iterator[Element]:
        while True:
            step_here().check()
            try:
                element = self.next()
            except EndOfSequence:
                return
            yield element


class InMemory(Cursor):
    """A place in a dataset of which any element can be had by its number."""

    @abstractmethod
    def places(self, most: int) -> range:
        """Moves over the next elements, and gives their numbers."""

    @abstractmethod
    def at(self, place: Any) -> Element:
        """The element of a number; of an array of numbers, those elements as one."""

    def next(self) -> Element:
        found = self.places(1)
        if not found:
            raise EndOfSequence
        return self.at(found[0])

    def rows(self, most: int) -> Element:
        found = self.places(most)
        if not found:
            raise EndOfSequence
        return self.at(slice(found.start, found.stop))


def stacked(values: Sequence[Any], component: int = 0) -> np.ndarray:
    """The values of one component along a new first axis.

    Raises:
      InvalidArgumentError: when their shapes differ.
    """
    first = values[0]
    if not isinstance(first, np.ndarray):
        if isinstance(first, np.generic):
            return np.array(values, first.dtype)
        whole = np.empty(len(values), object)
        whole[:] = values
        return whole
    whole = np.empty((len(values), *first.shape), first.dtype)
    for i, value in enumerate(values):
        if value.shape != first.shape:
            raise invalid(
                f"Cannot batch tensors with different shapes in component {component}. First "
                f"element had shape {brackets(TensorShape(first.shape))} and element {i} had shape "
                f"{brackets(TensorShape(value.shape))}."
            )
        whole[i] = value
    return whole


def batch_of(elements: Sequence[Element]) -> Element:
    """Several elements as one."""
    return tuple([stacked(values, i) for i, values in enumerate(zip(*elements))])


def joined_rows(ask: Callable[[int], Element], most: int) -> Element:
    """The rows of several answers as one element.

    Args:
      ask: gives at most as many rows as it is asked for; it raises EndOfSequence in the end.
      most: how many rows.
    """
    parts, missing = [ask(most)], most
    try:
        while (missing := missing - len(parts[-1][0])) > 0:
            parts.append(ask(missing))
    except EndOfSequence:
        pass
    return parts[0] if len(parts) == 1 else tuple(map(_end_to_end, range(most), zip(*parts)))


def _end_to_end(component: int, parts: Sequence[np.ndarray]) -> np.ndarray:
    if len({part.shape[1:] for part in parts}) > 1:
        return stacked([row for part in parts for row in part], component)
    return np.concatenate(parts)


class Function:
    """A traced function with the values of what it captured.

    Args:
      graph: the function; its parameters are the components of an element.
      captured: the values of its further inputs; of a variable, the variable itself.
    """

    __slots__ = ("captured", "graph")

    def __init__(self, graph: FuncGraph, captured: Sequence[Any]) -> None:
        self.graph = graph
        self.captured = tuple(held(value) for value in captured)

    def bind(self, context: Context) -> Callable[[Element], Element]:
        """The function as it runs, from element to element; its errors name the element."""
        run, captured = context.compiled(self.graph), self.captured

        def call(element: Element) -> Element:
            try:
                return tuple(run(*element, *captured))
            except errors.OpError as error:
                error._message += f"\n\t [[of the element ({', '.join(map(_shown, element))})]]"
                raise

        return call

    def bind_many(self, context: Context) -> Callable[[Element], Element] | None:
        """The function of many elements at once, where it can run so."""
        run = context.compiled_for_many(self.graph, len(self.graph.inputs) - len(self.captured))
        return None if run is None else lambda rows: tuple(run(*rows, *self.captured))


def _shown(value: Any) -> str:
    """A component of an element for a message: a large array by its type and shape."""
    if isinstance(value, np.ndarray) and value.size > 8:
        return f"{value.dtype}{list(value.shape)}"
    text = str(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def held(value: Any) -> Any:
    """A value that outlives its step: a copy of an array that somebody may still write into."""
    if isinstance(value, np.ndarray) and value.flags.writeable:
        value = value.copy()
        value.flags.writeable = False
    return value
