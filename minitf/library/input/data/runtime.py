"""What a dataset is while steps run: a `Source` describes it, a `Cursor` walks over its elements.

    source = Source(Take, Source(Range, 0, 10, 1), 3)       immutable; any number may walk over it
    cursor = source.iterate(context)
    cursor.next(), cursor.next(), cursor.next()             (0,) (1,) (2,), then EndOfSequence

An element is a flat tuple of arrays, NumPy scalars and bytes, which nobody changes. A cursor pulls
from the cursors that it stands on, so a pipeline computes nothing before somebody asks.

Where a cursor stands is plain data: `save()` gives it, `restore()` takes it, so that a pipeline
goes on after a restart where it was.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from minitf.core.graph import errors
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.runtime.emit.functions import compile_function
from minitf.core.runtime.run.rendezvous import Rendezvous
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
    """

    def __init__(self, device: Any) -> None:
        self.device = device
        self.life = Rendezvous()
        self._compiled: dict[FuncGraph, Callable[..., list[Any]]] = {}

    def compiled(self, graph: FuncGraph) -> Callable[..., list[Any]]:
        """A traced function as a plan; its random sequences and the like start with the context."""
        run = self._compiled.get(graph)
        if run is None:
            run = compile_function(
                graph, self.device, ResourceManager(), in_place=False, rendezvous=self.life
            )
            self._compiled[graph] = run
        return run

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
    """A place in a dataset.

    Attributes:
      kept: the names of what `save` keeps: numbers, elements, and cursors.
    """

    kept: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def next(self) -> Element:
        """Moves on, and gives the element.

        Raises:
          EndOfSequence: when there is none.
        """

    def save(self) -> dict[str, Any]:
        """Where the cursor stands, as plain data."""
        return {name: _saved(getattr(self, name)) for name in self.kept}

    def restore(self, state: dict[str, Any]) -> None:
        """Goes to a place that `save` told, of a cursor over an equal dataset."""
        for name in self.kept:
            setattr(self, name, _restored(getattr(self, name), state[name]))

    def close(self) -> None:
        """Gives back files and threads, its own and those of the cursors that it stands on."""
        for part in list(vars(self).values()):
            for each in part if isinstance(part, list) else (part,):
                if isinstance(each, Cursor):
                    each.close()

    def __iter__(self) -> Iterator[Element]:
        while True:
            try:
                element = self.next()
            except EndOfSequence:
                return
            yield element


def _saved(value: Any) -> Any:
    if isinstance(value, Cursor):
        return value.save()
    if isinstance(value, list):
        return [_saved(each) for each in value]
    return value


def _restored(now: Any, saved: Any) -> Any:
    if isinstance(now, Cursor):
        now.restore(saved)
        return now
    if isinstance(now, list) and now and isinstance(now[0], Cursor):
        return [_restored(cursor, state) for cursor, state in zip(now, saved, strict=True)]
    return list(saved) if isinstance(saved, list) else saved


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
        """The function as it runs, from element to element."""
        run, captured = context.compiled(self.graph), self.captured
        return lambda element: tuple(run(*element, *captured))


def held(value: Any) -> Any:
    """A value that outlives its step: a copy of an array that somebody may still write into."""
    if isinstance(value, np.ndarray) and value.flags.writeable:
        value = value.copy()
        value.flags.writeable = False
    return value
