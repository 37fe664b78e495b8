"""What a dataset is while steps run: a `Source` describes it, a `Cursor` walks over its elements.

    source = Source(Take, Source(Range, 0, 10, 1), 3)       immutable; any number may walk over it
    cursor = source.iterate(context)
    cursor.next(), cursor.next(), cursor.next()             (0,) (1,) (2,), then EndOfSequence

An element is a flat tuple of arrays, NumPy scalars and bytes, which nobody changes. A cursor pulls
from the cursors that it stands on, so a pipeline computes nothing before somebody asks.

A class of cursors declares its operation, and the method of `Dataset` stands below it:

    @dataset_op("TakeDataset", "input_dataset: variant, count: int64")
    class Take(Cursor): ...                                 Take.op, whose value is Source(Take, ..)

    def take(self, count): return self._then(Take, int64(count, "count"))
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import make_dataclass
from functools import partial
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.func_graph import FuncGraph, build
from minitf.core.graph.op_def import OpDef, call, op, scalar_shape
from minitf.core.graph.shapes import TensorShape, brackets
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.elementwise import invalid
from minitf.core.runtime.run.rendezvous import Rendezvous, step_here
from minitf.library.input.data.functions import EndOfSequence, Function, held

Element = tuple[Any, ...]
UNKNOWN = float("nan")  # the length of a dataset that nobody knows before walking over it
INFINITE = float("inf")


class Context:
    """What the cursors of one iterator share.

    Args:
      device: where functions run.

    Attributes:
      life: given up when the iterator is closed; what waits or loops inside a function ends then.
      plans: the functions as they run, by graph and by how many elements they take; see
        `Function`. Their random sequences and the like start with the context.
      keeps_order: whether parallel transformations give out elements in their order; None as long
        as no options said it.
      threads: how many a parallel map may have; 0: as many as it wants.
      report: what is told how full buffers are and how long elements take (options.py), or None.
    """

    def __init__(self, device: Any) -> None:
        self.device = device
        self.life = Rendezvous()
        self.plans: dict[Any, Callable[..., list[Any]] | None] = {}
        self.keeps_order: bool | None = None
        self.threads = 0
        self.report: Any = None

    def check(self) -> None:
        """Looks whether elements are still wanted, in loops that call no function.

        Raises:
          OpError: what the iterator, or the step that this thread runs, was given up for.
        """
        self.life.check()
        step_here().check()

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

    def __init__(self, cursor: type[Cursor], *parts: Any) -> None:
        self.cursor = cursor
        self.parts = parts

    def iterate(self, context: Context) -> Cursor:
        """A new cursor that stands before the first element."""
        return self.cursor(context, *self.parts)

    def length(self) -> float:
        """How many elements it has, INFINITE and UNKNOWN among them."""
        return self.cursor.length(*self.parts)

    def __repr__(self) -> str:
        return f"<Source {self.cursor.__name__}>"


class Cursor(ABC):
    """A place in a dataset; most stand on the cursor of one other dataset, their input."""

    op: OpDef

    def __init__(self, context: Context, source: Source) -> None:
        self._input = source.iterate(context)

    @classmethod
    def source(cls, *parts: Any) -> Source:
        """The value of its operation; its keyword-only parameters are the attributes.

        Args:
          *parts: the operation's inputs: scalars as Python's own, a function with what it captured.
        """
        return Source(cls, *parts)

    def iterate(self, context: Context) -> Cursor:
        """Itself: a cursor may stand where a source does, as one of Python's iterators may."""
        return self

    @staticmethod
    def length(*parts: Any) -> float:
        """How many elements a dataset with these parts has; see `Source.length`."""
        return UNKNOWN

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
    """A place in a dataset of which any element can be had by its number.

    Args:
      count: how many there are.
    """

    def __init__(self, count: int) -> None:
        self._place, self._count = 0, count

    def places(self, most: int) -> range:
        """Moves over the next elements, and gives their numbers."""
        first = self._place
        self._place = min(first + most, self._count)
        return range(first, self._place)

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


# ---- the operations of datasets ----------------------------------------------------------


def dataset_op(
    op_type: str,
    inputs: str,
    *,
    function: str = "",
    shown: Any = None,
    accepted: Sequence[str] = (),
    **traits: Any,
) -> Any:
    """Declares the operation of a class of cursors, as `op` of the class.

    Args:
      op_type: the type, as "TakeDataset".
      inputs: the left side of its signature.
      function: the name of the attribute that is a function of elements. `source` gets it in place
        of the input `other_arguments`, which is what it captured.
      shown: `(make, elements)`, a sample: the dataset that `make` builds has one component, and
        these are its first elements.
      accepted: boolean attributes of TensorFlow's that change nothing here.
      **traits: as of `op`.

    In place of a class stands a function where the dataset is made of others: it takes what
    `Cursor.source` takes.
    """
    if shown is not None:
        traits["program"] = partial(_program, *shown)
    names = [each.partition(":")[0].strip() for each in inputs.split(",")]
    captured = names.index("other_arguments") if function else None

    def declare(target: Any) -> Any:
        make = target.source if isinstance(target, type) else target
        signature = inspect.signature(make).parameters.values()
        own = [each for each in signature if each.kind == each.KEYWORD_ONLY]
        attrs: dict[str, Any] = {"output_types": ("tuple", ()), "output_shapes": ("tuple", ())}
        attrs |= dict.fromkeys(accepted, ("bool", False))
        if function:
            attrs[function] = ("FuncGraph",)
        for each in own:
            default = () if each.default is each.empty else (each.default,)
            attrs[each.name] = (each.annotation, *default)

        def kernel(xp: Any, *inputs: Any, **given: Any) -> Source:
            values = [_plain(value) for value in inputs]
            if captured is not None:
                values[captured] = Function(given[function], values[captured])
            return make(*values, **{each.name: given[each.name] for each in own})

        kernel.__doc__, kernel.__name__ = target.__doc__, target.__name__
        kernel.__module__ = target.__module__
        declared: OpDef = op(
            op_type,
            f"{inputs} -> handle: variant",
            attrs=make_dataclass("Attributes", [(k, *v) for k, v in attrs.items()], kw_only=True),
            differentiable=False,
            host_only=True,
            **traits,
        )(kernel)
        declared.shape(scalar_shape)
        if not isinstance(target, type):
            return declared
        target.op = declared
        return target

    return declare


def _plain(value: Any) -> Any:
    """An input of an operation as `Cursor.source` gets it: scalars as Python's own."""
    if isinstance(value, bytes):
        return value.decode(errors="surrogateescape")
    if isinstance(value, np.generic | np.ndarray):
        return value.item() if np.ndim(value) == 0 else held(value)
    return [held(each) for each in value] if isinstance(value, list | tuple) else value


def _program(make: Callable[[], Any], expected: Sequence[Any], folder: str) -> list:
    """The steps of a sample: an iterator begins, and gives the elements that are expected."""
    values = [np.int64(each) if isinstance(each, int) else each for each in expected]
    dtype = dtypes.as_dtype(np.asarray(values[0]).dtype)
    attrs = {"output_types": (dtype,), "output_shapes": (TensorShape(None),)}
    iterator = call("IteratorV2", **attrs)
    start = (call("MakeIterator", make(), iterator), None)
    return [start, *((call("IteratorGetNext", iterator, **attrs), [each]) for each in values)]


def counting(stop: Any = 5) -> Any:
    """The numbers below `stop`, which most samples begin with."""
    return call("RangeDataset", np.int64(0), stop, np.int64(1))


def of_numbers(function: Callable[..., Any], count: int = 1) -> FuncGraph:
    """A function of numbers, traced, for samples: it gives a list of tensors."""
    parameters = [(dtypes.int64, (), "x")] * count
    return build("of_numbers", stacks.get_default_graph(), function, parameters)


def on_host(make: OpDef, *inputs: Any, **attrs: Any) -> Any:
    """An operation on the processor of its task, whatever device scope is open."""
    asked = stacks.get_default_graph()._scopes.devices
    with stacks.device("/device:CPU:*") if asked else nullcontext():
        return make(*inputs, **attrs)


def int64(value: Any, name: str) -> Tensor:
    """A number that a program gives, as an input of an operation."""
    return convert_to_tensor(value, dtype=dtypes.int64, name=name)


# ---- several elements as one -------------------------------------------------------------


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
