"""The operations of iterators, and the state that a handle of an iterator stands for.

    IteratorV2 --handle--> MakeIterator(dataset, handle)     as often as one likes
                 |
                 +-------> IteratorGetNext(handle)           the next element, or OutOfRangeError

The state lives with its session, or under its `shared_name` on its task, as a queue does.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors, stacks
from minitf.core.graph.func_graph import FuncGraph, build
from minitf.core.graph.op_def import OpDef, op, scalar_shape
from minitf.core.graph.shapes import TensorShape
from minitf.core.ops.elementwise import invalid
from minitf.core.runtime.run.rendezvous import Rendezvous, of_thread, standing, step_here
from minitf.core.runtime.run.resources import Ending
from minitf.library.input.data.runtime import (
    Context,
    Cursor,
    Element,
    EndOfSequence,
    InMemory,
    Source,
)

_SCALAR = TensorShape(())
_numbers = itertools.count()

_UNINITIALIZED = (
    "GetNext() failed because the iterator has not been initialized. Ensure that you have run the "
    "initializer operation for this iterator before getting the next element."
)


def end_of_sequence() -> errors.OpError:
    """What `get_next` raises behind the last element."""
    return errors.OutOfRangeError(None, None, "End of sequence")


class IteratorState(Ending):
    """What an iterator's handle stands for: a cursor, once there is a dataset."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.handle = f"iterator_{next(_numbers)}_{name}".encode()
        self._lock = threading.Lock()
        self._now: _Walk | None = None
        self.kinds: tuple[Sequence[Any], Sequence[Any]] = (), ()  # types and shapes of elements

    def start(self, source: Source, device: Any) -> None:
        """Puts the iterator before the first element of a dataset."""
        self.end()
        with self._lock:
            self._now = _Walk(source, device)

    def next(self, node: str = "") -> Element:
        """The next element.

        Args:
          node: the operation that gives it.
        Raises:
          FailedPreconditionError: when the iterator was not initialized.
          OutOfRangeError: behind the last one.
        """
        step = of_thread.step
        with standing(step, node, "IteratorGetNext") if step else nullcontext():
            while not self._lock.acquire(timeout=0.5):
                step_here().check()
            try:
                walk = self._walk()
                walk.step = step
                return walk.cursor.next()
            except EndOfSequence:
                raise end_of_sequence() from None
            finally:
                if self._now is not None:
                    self._now.step = None
                self._lock.release()

    def _walk(self) -> _Walk:
        if self._now is None:
            raise errors.FailedPreconditionError(None, None, _UNINITIALIZED)
        return self._now

    def end(self) -> None:
        """Ends its threads, and what waits inside of its functions."""
        walk = self._now
        if walk is not None:
            if (step := walk.step) is not None:
                step.abort(errors.CancelledError(None, None, "Iterator was closed."))
            walk.give_up()
            with self._lock:
                self._now = None


class _Walk:
    """One walk over a dataset, with what it shares; nobody has to end it when it is forgotten."""

    def __init__(self, source: Source, device: Any) -> None:
        context = Context(device)
        self.step: Rendezvous | None = None  # for which an element is computed now
        self.cursor = source.iterate(context)
        self.give_up = weakref.finalize(self, _close, context, self.cursor)


def _close(context: Context, cursor: Cursor) -> None:
    context.close()
    cursor.close()


_by_handle: weakref.WeakValueDictionary[bytes, IteratorState] = weakref.WeakValueDictionary()

# ---- operations --------------------------------------------------------------------------


def _program(folder: str) -> list:
    """Two elements, then the first again; the steps are made in the order in which they run."""
    attrs = {"output_types": (dtypes.int64,), "output_shapes": (_SCALAR,)}
    iterator = iterator_op(**attrs)
    start = (make_iterator_op(_numbers_from_zero(3), iterator), None)
    same = iterator_from_string_handle_op(iterator_to_string_handle_op(iterator), **attrs)
    return [
        start,
        (iterator_get_next_op(same, **attrs), [np.int64(0)]),
        (iterator_get_next_op(iterator, **attrs), [np.int64(1)]),
        (make_iterator_op(_numbers_from_zero(3), iterator), None),
        (iterator_get_next_op(iterator, **attrs), [np.int64(0)]),
    ]


_iterator_op = partial(op, differentiable=False, host_only=True, program=_program)


@_iterator_op("IteratorV2", "-> handle: resource")
def iterator_op(
    ctx: Any, *, output_types: Any, output_shapes: Any, shared_name: str = "", container: str = ""
) -> IteratorState:
    """Gives the handle of an iterator, which has no dataset yet."""
    state = ctx.shared("iterator", IteratorState)
    state.kinds = output_types, output_shapes
    return state


@_iterator_op("MakeIterator", "dataset: variant, iterator: resource ->")
def make_iterator_op(ctx: Any, dataset: Any, iterator: Any) -> None:
    """Puts an iterator before the first element of a dataset."""
    iterator.start(dataset, ctx.device)


@_iterator_op(
    "OneShotIterator",
    "-> handle: resource",
    program=None,
    no_samples="its dataset is a function; tests/library/data/test_iterators.py runs it",
)
def one_shot_iterator_op(
    ctx: Any,
    *,
    dataset_factory: FuncGraph,
    output_types: Any,
    output_shapes: Any,
    shared_name: str = "",
    container: str = "",
) -> IteratorState:
    """Gives the handle of an iterator that starts by itself, once."""

    def started(name: str) -> IteratorState:
        state = IteratorState(name)
        state.kinds = output_types, output_shapes
        state.start(ctx.run_function(dataset_factory, [])[0], ctx.device)
        return state

    return ctx.shared("iterator", started)


@_iterator_op("IteratorGetNext", "iterator: resource -> components: N*output_types", alias=True)
def iterator_get_next_op(
    ctx: Any, iterator: Any, *, output_types: Any, output_shapes: Any
) -> Sequence[Any]:
    """Gives the next element."""
    return iterator.next(ctx.node_name)


@_iterator_op(
    "StartedIterator",
    "dataset: variant -> handle: resource",
    program=None,
    no_samples="it belongs to a loop in a function; tests/library/data/test_ends.py runs it",
)
def started_iterator_op(ctx: Any, dataset: Any) -> IteratorState:
    """Gives the handle of an iterator of this step's own, before the first element."""
    state = IteratorState()
    state.start(dataset, ctx.device)
    return state


@_iterator_op(
    "IteratorGetNextIfAny",
    "iterator: resource -> found: bool, components: N*output_types",
    alias=True,
    program=None,
    no_samples="it belongs to a loop in a function; tests/library/data/test_ends.py runs it",
)
def iterator_get_next_if_any_op(
    ctx: Any, iterator: Any, *, output_types: Any, output_shapes: Any
) -> Sequence[Any]:
    """Gives True and the next element; False and zeros behind the last."""
    try:
        return np.True_, *iterator.next(ctx.node_name)
    except errors.OutOfRangeError:
        shapes = [[size or 0 for size in s.as_list()] if s.ndims else [] for s in output_shapes]
        return np.False_, *(np.zeros(s, t.numpy_dtype)[()] for s, t in zip(shapes, output_types))


@_iterator_op("IteratorToStringHandle", "resource_handle: resource -> string_handle: string")
def iterator_to_string_handle_op(ctx: Any, resource_handle: Any) -> bytes:
    """A text that stands for the iterator while its session lives."""
    _by_handle[resource_handle.handle] = resource_handle
    return resource_handle.handle


@_iterator_op("IteratorFromStringHandleV2", "string_handle: string -> resource_handle: resource")
def iterator_from_string_handle_op(
    ctx: Any, string_handle: Any, *, output_types: Any = (), output_shapes: Any = ()
) -> Any:
    """The iterator that a text stands for."""
    found = _by_handle.get(bytes(string_handle))
    if found is None:
        raise invalid("Could not parse string_handle as a valid ResourceHandle")
    _check_kinds(found.kinds, (output_types, output_shapes))
    return found


def _check_kinds(found: tuple, expected: tuple) -> None:
    """Raises InvalidArgumentError where an iterator's elements are not those declared."""
    (types, shapes), (own_types, own_shapes) = found, expected
    if len(types) != len(own_types):
        raise invalid(
            f"Number of components does not match: expected {len(own_types)} types but got "
            f"{len(types)}."
        )
    for i, parts in enumerate(zip(types, own_types, shapes, own_shapes, strict=True)):
        dtype, own_dtype, shape, own_shape = parts
        if dtype != own_dtype:
            raise invalid(
                f"Data type mismatch at component {i}: expected {own_dtype.name} but got "
                f"{dtype.name}."
            )
        if not shape.is_compatible_with(own_shape):
            raise invalid(
                f"Incompatible shapes at component {i}: expected {own_shape} but got {shape}."
            )


for _op_def in (
    iterator_op,
    one_shot_iterator_op,
    iterator_to_string_handle_op,
    iterator_from_string_handle_op,
    started_iterator_op,
):
    _op_def.shape(scalar_shape)


@iterator_get_next_if_any_op.shape
def _found_and_shapes(iterator: Any, *, output_types: Any, output_shapes: Any) -> list:
    return [_SCALAR, *output_shapes]


@iterator_get_next_op.shape
def _element_shapes(iterator: Any, *, output_types: Any, output_shapes: Any) -> list:
    return list(output_shapes)


def on_host(make: OpDef, *inputs: Any, **attrs: Any) -> Any:
    """An operation on the processor of its task, whatever device scope is open."""
    asked = stacks.get_default_graph()._scopes.devices
    with stacks.device("/device:CPU:*") if asked else nullcontext():
        return make(*inputs, **attrs)


# ---- what the operations of datasets share -----------------------------------------------


def dataset_op(type: str, inputs: str, **options: Any) -> Any:  # noqa: A002
    """Declares an operation that gives a dataset; its kernel takes `output_types` and shapes.

    Args:
      type: the type, as "TakeDataset".
      inputs: the left side of its signature.
      options: as of `op`; `elements=(make, numbers)` is a program: what `make` builds has one
        component, and these are its first elements.
    """
    elements = options.pop("elements", None)
    if elements is not None:
        options["program"] = partial(_elements_program, *elements)
    declare = op(
        type,
        f"{inputs} -> handle: variant",
        attrs={"output_types": (), "output_shapes": ()},
        differentiable=False,
        host_only=True,
        **options,
    )

    def finish(kernel: Any) -> OpDef:
        op_def: OpDef = declare(kernel)
        op_def.shape(scalar_shape)
        return op_def

    return finish


def _elements_program(make: Any, expected: Sequence[Any], folder: str) -> list:
    dtype = dtypes.as_dtype(np.asarray(expected[0]).dtype)
    attrs = {"output_types": (dtype,), "output_shapes": (TensorShape(None),)}
    iterator = iterator_op(**attrs)
    start = (make_iterator_op(make(), iterator), None)
    return [start, *((iterator_get_next_op(iterator, **attrs), [each]) for each in expected)]


def numbers(*expected: int) -> list[np.int64]:
    """The elements of a sample."""
    return [np.int64(value) for value in expected]


class Range(InMemory):
    """Counts."""

    def __init__(self, context: Context, start: int, stop: int, step: int) -> None:
        self._numbers = range(start, stop, step)
        self._place = 0

    def places(self, most: int) -> range:
        first = self._place
        self._place = min(first + most, len(self._numbers))
        return range(first, self._place)

    def at(self, place: Any) -> Element:
        if isinstance(place, int):
            return (np.int64(self._numbers[place]),)
        if isinstance(place, slice):
            place = np.arange(place.start, place.stop)
        return (self._numbers.start + place * self._numbers.step,)


@dataset_op(
    "RangeDataset",
    "start: int64, stop: int64, step: int64",
    elements=(lambda: _numbers_from_zero(3), numbers(0, 1, 2)),
)
def range_dataset_op(xp: Any, start: Any, stop: Any, step: Any, **attrs: Any) -> Source:
    """The numbers from `start` to `stop`, which is left out."""
    if step == 0:
        raise errors.InvalidArgumentError(None, None, "step must be a non-zero integer.")
    return Source(Range, int(start), int(stop), int(step))


def _numbers_from_zero(stop: int) -> Any:
    return range_dataset_op(*numbers(0, stop, 1))


def of_numbers(function: Callable[..., Any], count: int = 1) -> FuncGraph:
    """A function of numbers, traced, for samples: it gives a list of tensors."""
    parameters = [(dtypes.int64, (), "x")] * count
    return build("of_numbers", stacks.get_default_graph(), function, parameters)


def counting(x: Any) -> list:
    """The numbers below `x` as a dataset."""
    return [range_dataset_op(np.int64(0), x, np.int64(1))]


#: Range(5), what most samples begin with
some_numbers = partial(_numbers_from_zero, 5)
