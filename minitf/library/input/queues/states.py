"""What a queue holds, and how threads wait at it.

    enqueue ──▶ enqueuers ──▶ [ elements, at most `capacity` ] ──▶ dequeuers ──▶ dequeue
                 wait in line                                      wait in line

Both lines are served first come, first served. Who asks for several elements takes them one by one
as they arrive, so that it may ask for more than the queue can hold. A wait ends when what it is for
has happened, when the queue is closed, or when the step it belongs to is given up.

Queues keep the order of their elements as numbers of places. What lies there is in columns, one for
each component, so that a batch goes in and comes out by one copy a component.
"""

from __future__ import annotations

import math
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, final

import numpy as np

from minitf.core.graph import dtypes, errors
from minitf.core.graph.shapes import TensorShape, brackets
from minitf.core.ops.elementwise import invalid
from minitf.core.runtime.run.rendezvous import NOBODY
from minitf.library.input.data.random_words import Words

Columns = Sequence[Any]  # of some elements: for each component an array or a list of its values

_LARGE = 1 << 16  # bytes: larger values are not copied together


def _types_text(types: Sequence[dtypes.DType]) -> str:
    return ", ".join(map(dtypes.c_name, types))


def _shapes_text(shapes: Sequence[TensorShape]) -> str:
    return "[" + ",".join(brackets(shape) for shape in shapes) + "]"


class Filler:
    """What would fill a queue in a thread, where none can start: who waits lets it take a turn.

    Args:
      turns: yields after each turn whether it has done anything.
    """

    now: ClassVar[Filler | None] = None  # the one that takes its turn
    _all: ClassVar[list[Filler]] = []

    def __init__(self, turns: Generator[bool, None, None]) -> None:
        self.turns = turns
        self.queue: QueueState | None = None  # known from its first turn on
        Filler._all.append(self)

    @staticmethod
    def fill(queue: QueueState) -> bool:
        """Lets those take a turn that may fill a queue; returns whether one has done anything."""
        outer, done = Filler.now, False
        for each in list(Filler._all):
            if not done and each.queue in (None, queue) and not each.turns.gi_running:
                Filler.now = each
                try:
                    done = next(each.turns)
                except StopIteration:
                    Filler._all.remove(each)
                    done = True
                finally:
                    Filler.now = outer
        return done


class QueueState(ABC):
    """A queue on a device.

    Args:
      name: how messages call it.
      component_types: the dtypes of an element's components.
      shapes: their shapes, or nothing when they are not known.
      capacity: how many elements it holds; negative for any number.
    """

    type_name = ""

    def __init__(
        self,
        name: str,
        component_types: Sequence[dtypes.DType],
        shapes: Sequence[TensorShape],
        capacity: int,
    ) -> None:
        self.name = name
        self.component_types = tuple(component_types)
        self.shapes = tuple(shapes)
        #: what a component's shape is where nothing is open: asked first, since nearly all fit
        self._sizes = [tuple(shape.as_list()) if shape.ndims else () for shape in shapes]
        self.capacity = capacity
        self.options: dict[str, Any] = {}
        self.limit = capacity if capacity >= 0 else 2**31 - 1
        self.closed = False
        self._columns = [
            _column(t, self.shapes[i] if self.shapes else None)
            for i, t in enumerate(self.component_types)
        ]
        self._free: list[int] = []
        self._changed = threading.Condition()
        self._enqueuers: deque[_Turn] = deque()
        self._dequeuers: deque[_Turn] = deque()

    # ---- what the kinds of queues differ in --------------------------------------------------

    @abstractmethod
    def count(self) -> int:
        """How many elements it holds."""

    @abstractmethod
    def _put(self, places: list[int]) -> None:
        """Takes elements in."""

    @abstractmethod
    def _take(self, number: int) -> list[int]:
        """Gives elements out, of which there are as many."""

    @abstractmethod
    def _put_back(self, places: list[int]) -> None:
        """Takes in again what was given out last."""

    @staticmethod
    def options_of(capacity: int) -> dict[str, Any]:
        """What a node tells of its kind alone, as arguments.

        Raises:
          InvalidArgumentError: when that does not fit.
        """
        return {}

    def _available(self) -> int:
        """How many elements may be given out now."""
        return self.count()

    def batch(self, columns: Columns) -> list[Any]:
        """The components of several elements, each stacked along a new first axis."""
        return [
            stacked(columns[i], dtype, self.shapes[i])
            for i, dtype in enumerate(self.component_types)
        ]

    # ---- what they share -------------------------------------------------------------------

    def enqueue(self, columns: Columns, step: Any = NOBODY) -> None:
        """Adds elements, waiting for room for each.

        Raises:
          CancelledError: when the queue is closed, or the wait is given up.
        """
        done, number = 0, len(columns[0]) if columns else 0
        with self._changed, self._in_line(self._enqueuers, step) as turn:
            while True:
                if turn is self._enqueuers[0]:
                    if self.closed:
                        text = f"{self.type_name} '{self.name}' is closed."
                        raise errors.CancelledError(None, None, text)
                    if Filler.now is not None:
                        Filler.now.queue = self  # and who waits takes out what is too much
                    most = self.limit - self.count() if Filler.now is None else number
                    room = min(most, number - done)
                    if room > 0:
                        self._put(self._keep([column[done : done + room] for column in columns]))
                        done += room
                    if done == number:
                        return  # who leaves the line tells the others
                    if room > 0:
                        self._changed.notify_all()
                self._wait(turn, step, "Enqueue operation was cancelled")

    def dequeue(self, number: int, step: Any = NOBODY, up_to: bool = False) -> Columns:
        """Takes `number` elements out, waiting for each.

        Args:
          number: how many.
          step: the step that asks.
          up_to: whether fewer will do once the queue is closed.
        Raises:
          OutOfRangeError: when the queue is closed and does not hold that many.
          CancelledError: when the wait is given up.
        """
        taken: list[int] = []
        with self._changed, self._in_line(self._dequeuers, step) as turn:
            try:
                while True:
                    if turn is self._dequeuers[0] and self._serve(taken, number, up_to):
                        return self._give(taken)
                    self._wait(turn, step, "Dequeue operation was cancelled")
            except BaseException:
                self._put_back(taken)
                raise

    def _keep(self, columns: Columns) -> list[int]:
        """Copies elements to free places, which it returns."""
        number = len(columns[0])
        if missing := number - len(self._free):
            if missing > 0:
                self._grow(missing)
        places = self._free[-number:]
        del self._free[-number:]
        at = np.array(places, np.intp)
        for column, values in zip(self._columns, columns, strict=True):
            if isinstance(column, np.ndarray):
                column[at] = values
            else:
                for place, value in zip(places, values, strict=True):
                    column[place] = value.copy() if isinstance(value, np.ndarray) else value
        return places

    def _grow(self, missing: int) -> None:
        """Makes places, at least as many as there are already."""
        there = len(self._columns[0])
        more = max(missing, there, 16)
        self._free += range(there + more - 1, there - 1, -1)
        for i, column in enumerate(self._columns):
            if isinstance(column, np.ndarray):
                new = np.empty((more, *column.shape[1:]), column.dtype)
                self._columns[i] = np.concatenate([column, new])
            else:
                column += [None] * more

    def _give(self, places: list[int]) -> Columns:
        """What lies at some places, which are free from now on."""
        given: list[Any] = []
        at = np.array(places, np.intp)
        for column in self._columns:
            if isinstance(column, np.ndarray):
                given.append(column[at])
            else:
                given.append([column[place] for place in places])
                for place in places:
                    column[place] = None
        self._free += places
        return given

    def _serve(self, taken: list[int], number: int, up_to: bool) -> bool:
        """Gives what there is to the first of the dequeuers; tells whether it has enough."""
        missing, left = number - len(taken), self.count()
        if self.closed and left < missing:
            if up_to and (taken or left):
                missing = left
                number = len(taken) + left
            elif not (up_to and self._enqueuers):
                text = (
                    f"{self.type_name} '{self.name}' is closed and has insufficient elements "
                    f"(requested {missing}, current size {left})"
                )
                raise errors.OutOfRangeError(None, None, text)
        ready = min(missing, left if self.closed else self._available())
        if ready > 0:
            taken += self._take(ready)
            if len(taken) < number:  # who has enough leaves the line, and tells the others there
                self._changed.notify_all()
        return len(taken) >= number

    def close(self, cancel_pending_enqueues: bool, step: Any = NOBODY) -> None:
        """Lets no more elements in; closes after those whose enqueuers wait already.

        Args:
          cancel_pending_enqueues: whether to send those away instead.
          step: the step that asks.
        """
        with self._changed:
            if cancel_pending_enqueues:
                for turn in self._enqueuers:
                    turn.cancelled = True
                self.closed = True
                self._changed.notify_all()
                return
            with self._in_line(self._enqueuers, step) as turn:
                while turn is not self._enqueuers[0]:
                    self._wait(turn, step, "Close operation was cancelled")
                if self.closed:
                    text = f"Queue '{self.name}' is already closed."
                    raise errors.CancelledError(None, None, text)
                self.closed = True

    @contextmanager
    def _in_line(self, line: deque[_Turn], step: Any) -> Iterator[_Turn]:
        step.check()  # what was given up on its way here neither takes nor leaves anything
        turn = _Turn()
        line.append(turn)
        try:
            yield turn
        finally:
            line.remove(turn)
            self._changed.notify_all()

    def _wait(self, turn: _Turn, step: Any, cancelled: str) -> None:
        if turn.cancelled:
            raise errors.CancelledError(None, None, cancelled)
        if not turn.flushed:
            turn.flushed = True
            step.flush()  # who waits for a tensor of this step may be who fills the queue
        if turn in self._dequeuers and Filler.fill(self):
            return
        step.wait_on(self._changed, cancelled)
        if turn.cancelled:
            raise errors.CancelledError(None, None, cancelled)

    def checked(self, element: Sequence[Any]) -> Columns:
        """An element to enqueue.

        Raises:
          InvalidArgumentError: when a component has another shape than the queue's.
        """
        for i, shape in enumerate(self.shapes):
            given = getattr(element[i], "shape", ())
            if given != self._sizes[i]:
                self._check(i, shape, given)
        return [[component] for component in element]

    def checked_rows(self, batch: Columns) -> Columns:
        """The elements that a batch holds, one a row of its components."""
        size = len(batch[0]) if isinstance(batch[0], np.ndarray) else 0
        for i, component in enumerate(batch):
            given = getattr(component, "shape", ())
            if self.shapes and given != (size, *self._sizes[i]):
                self._check(i, TensorShape([size]).concatenate(self.shapes[i]), given)
            if given[0] != size:
                raise invalid(
                    "All input tensors must have the same size in the 0th dimension. Component "
                    f"{i} has {given[0]}, and should have {size}"
                )
        return batch

    @staticmethod
    def _check(index: int, shape: TensorShape, given: tuple[int, ...]) -> None:
        if not shape.is_compatible_with(given):
            raise invalid(
                f"Shape mismatch in tuple component {index}. Expected {brackets(shape)}, got "
                f"{brackets(TensorShape(given))}"
            )

    def check_same(
        self,
        type_name: str,
        component_types: Sequence[dtypes.DType],
        shapes: Sequence[TensorShape],
        capacity: int,
        options: dict[str, Any],
    ) -> None:
        """Checks that another node that shares this queue describes it alike.

        Raises:
          InvalidArgumentError: when it does not.
        """
        if type_name != self.type_name:
            raise invalid(f"Expected {self.type_name}, found {type_name}V2")
        if self.capacity != capacity:
            raise invalid(
                f"Shared queue '{self.name}' has capacity {self.capacity} but requested capacity "
                f"was {capacity}"
            )
        for what, asked in options.items():
            if self.options[what] != asked and asked != (0, 0):  # seeds that nobody has given
                words = what.replace("seeds", "random seeds")
                raise invalid(
                    f"Shared queue '{self.name}' has {words} {self.options[what]} but requested "
                    f"{what} {'was' if what == words else 'are'} {asked}."
                )
        for aspect, own, wanted, text in (
            ("component types", self.component_types, component_types, _types_text),
            ("component shapes", self.shapes, shapes, _shapes_text),
        ):
            if own != wanted:
                raise invalid(
                    f"Shared queue '{self.name}' has {aspect} {text(own)} but requested {aspect} "
                    f"were {text(wanted)}"
                )


class _Turn:
    """A place in a line."""

    __slots__ = ("cancelled", "flushed")

    def __init__(self) -> None:
        self.cancelled = False
        self.flushed = False


def _column(dtype: dtypes.DType, shape: TensorShape | None) -> Any:
    """Where values lie: in one array where all are of one shape and small, or else in a list."""
    if shape is None or not shape.is_fully_defined() or dtype.numpy_dtype.hasobject:
        return []
    empty = np.empty((0, *shape.as_list()), dtype.numpy_dtype)
    return empty if math.prod(empty.shape[1:]) * empty.itemsize < _LARGE else []


def stacked(values: Any, dtype: dtypes.DType, shape: TensorShape) -> np.ndarray:
    """Values of one shape along a new first axis; `shape` is theirs when there are none."""
    if isinstance(values, np.ndarray):
        return values
    if not values:
        sizes = [0, *(d or 0 for d in shape.as_list())]
        return np.empty(sizes, dtype.numpy_dtype)
    shape_of_each = getattr(values[0], "shape", ())
    if shape_of_each and dtype != dtypes.string:
        return np.concatenate(values).reshape(len(values), *shape_of_each)
    whole = np.empty((len(values), *shape_of_each), dtype.numpy_dtype)
    for i, value in enumerate(values):
        whole[i] = value
    return whole


class FIFOState(QueueState):
    """First in, first out."""

    type_name = "FIFOQueue"

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._places: deque[int] = deque()

    def count(self) -> int:
        return len(self._places)

    def _put(self, places: list[int]) -> None:
        self._places.extend(places)

    def _take(self, number: int) -> list[int]:
        return [self._places.popleft() for _ in range(number)]

    def _put_back(self, places: list[int]) -> None:
        self._places.extendleft(reversed(places))


@final
class PaddingFIFOState(FIFOState):
    """First in, first out; a batch is filled up with zeros to the largest sizes in it."""

    type_name = "PaddingFIFOQueue"

    def batch(self, columns: Columns) -> list[Any]:
        return [
            _padded(columns[i], dtype, self.shapes[i])
            for i, dtype in enumerate(self.component_types)
        ]


def _padded(values: Any, dtype: dtypes.DType, shape: TensorShape) -> np.ndarray:
    if shape.is_fully_defined() or not values:
        return stacked(values, dtype, shape)
    sizes = np.array([v.shape for v in values])
    fill: Any = b"" if dtype == dtypes.string else 0
    whole = np.full((len(values), *sizes.max(axis=0)), fill, dtype.numpy_dtype)
    for i, value in enumerate(values):
        whole[(i, *map(slice, value.shape))] = value
    return whole


@final
class RandomShuffleState(QueueState):
    """Gives out in random order; keeps a number of elements until it is closed.

    Args:
      *args: as of `QueueState`.
      min_after_dequeue: how many.
      seeds: of the order; two zeros: another one each time.
    """

    type_name = "RandomShuffleQueue"

    @staticmethod
    def options_of(  # type: ignore[override]
        capacity: int, min_after_dequeue: int, seed: int, seed2: int
    ) -> dict[str, Any]:
        if min_after_dequeue < 0:
            raise invalid(f"min_after_dequeue {min_after_dequeue} must be >= 0")
        if 0 <= capacity <= min_after_dequeue:
            raise invalid(f"min_after_dequeue {min_after_dequeue} must be < capacity {capacity}")
        return {"min_after_dequeue": min_after_dequeue, "seeds": (seed, seed2)}

    def __init__(self, *args: Any, min_after_dequeue: int, seeds: tuple[int, int]) -> None:
        super().__init__(*args)
        self._places: list[int] = []
        self.options = {"min_after_dequeue": min_after_dequeue, "seeds": seeds}
        self._minimum = min_after_dequeue
        self._words = Words(*seeds)

    def count(self) -> int:
        return len(self._places)

    def _available(self) -> int:
        return max(len(self._places) - self._minimum, 0)

    def _put(self, places: list[int]) -> None:
        self._places.extend(places)

    def _take(self, number: int) -> list[int]:
        places, taken = self._places, []
        for word in self._words.take(number):
            chosen = word % len(places)
            taken.append(places[chosen])
            places[chosen] = places[-1]  # the last one fills the gap
            places.pop()
        return taken

    def _put_back(self, places: list[int]) -> None:
        self._places.extend(places)
