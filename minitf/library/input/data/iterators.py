"""`tf.data.Iterator`: a place in a dataset, which steps move on.

one-shot         starts by itself, runs once           dataset.make_one_shot_iterator()
initializable    starts when its initializer runs      dataset.make_initializable_iterator()
reinitializable  starts with any dataset of a kind     Iterator.from_structure + make_initializer
feedable         is any iterator, told by a string     Iterator.from_string_handle
eager            is Python's own                       iter(dataset)

    IteratorV2 --handle--> MakeIterator(dataset, handle)     as often as one likes
                 |
                 +-------> IteratorGetNext(handle)           the next element, or OutOfRangeError

The state that a handle stands for lives with its session, or under its `shared_name` on its task,
as a queue does.
"""

from __future__ import annotations

import itertools
import threading
import warnings
import weakref
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, errors, nest, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.graph import Operation, Tensor
from minitf.core.graph.op_def import op, scalar_shape
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.ops.elementwise import invalid
from minitf.core.runtime.run.rendezvous import Rendezvous, of_thread, standing, step_here
from minitf.core.runtime.run.resources import Ending
from minitf.library.eager.context import wrap
from minitf.library.input.data.cursors import (
    Context,
    Cursor,
    Element,
    EndOfSequence,
    Source,
    counting,
    on_host,
)
from minitf.library.input.data.structure import (
    Elemental,
    element_from,
    flatten,
    spec_from_legacy,
    types_and_shapes,
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
    start = (make_iterator_op(counting(np.int64(3)), iterator), None)
    same = iterator_from_string_handle_op(iterator_to_string_handle_op(iterator), **attrs)
    return [
        start,
        (iterator_get_next_op(same, **attrs), [np.int64(0)]),
        (iterator_get_next_op(iterator, **attrs), [np.int64(1)]),
        (make_iterator_op(counting(np.int64(3)), iterator), None),
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


# ---- what programs hold ------------------------------------------------------------------

ITERATORS = "iterators"  # the collection of their handles

#: After so many calls of one iterator's `get_next` each further one warns.
GET_NEXT_CALL_WARNING_THRESHOLD = 32
GET_NEXT_CALL_WARNING_MESSAGE = (
    "An unusually high number of `Iterator.get_next()` calls was detected. Each adds operations to "
    "the graph, so a training loop that calls it gets slower and slower. Call `element = "
    "iterator.get_next()` once, before the loop, and use `element` inside it."
)

_NO_INITIALIZER = (
    "The iterator does not have an initializer. This means it was likely created using "
    "`tf.data.Dataset.make_one_shot_iterator()`. For an initializable iterator, use "
    "`tf.data.Dataset.make_initializable_iterator()` instead."
)


class Iterator(Elemental):
    """A place in a dataset.

    Args:
      iterator_resource: the handle.
      initializer: the operation that starts it, or None.
      element_spec: what is known of its elements.
    Example:
      >>> element = tf.data.Dataset.range(3).make_one_shot_iterator().get_next()
      >>> sess.run(element), sess.run(element)
      (0, 1)
    """

    def __init__(
        self, iterator_resource: Tensor, initializer: Operation | None, element_spec: Any
    ) -> None:
        self._iterator_resource = iterator_resource
        self._initializer = initializer
        self._calls = 0  # of `get_next`
        self._element_spec = element_spec
        self._string_handle = on_host(iterator_to_string_handle_op, iterator_resource)
        stacks.add_to_collection(ITERATORS, iterator_resource)

    @staticmethod
    def from_structure(
        output_types: Any,
        output_shapes: Any = None,
        shared_name: str | None = None,
        output_classes: Any = None,
    ) -> Iterator:
        """An iterator for any dataset with such elements; `make_initializer` says for which.

        Args:
          output_types: a nest of dtypes.
          output_shapes: a nest of shapes; unknown ones when None.
          shared_name: the name under which several sessions share it.
          output_classes: a nest of classes; tensors when None.
        Raises:
          TypeError: when the nests differ.
        Example:
          >>> some, more = tf.data.Dataset.range(3), tf.data.Dataset.range(10, 90)
          >>> iterator = tf.data.Iterator.from_structure(some.output_types, some.output_shapes)
          >>> sess.run(iterator.make_initializer(more))
          >>> sess.run(iterator.get_next())
          10
        """
        spec = spec_from_legacy(output_types, output_shapes, output_classes)
        handle = on_host(iterator_op, **types_and_shapes(spec), shared_name=shared_name or "")
        return Iterator(handle, None, spec)

    @staticmethod
    def from_string_handle(
        string_handle: Any, output_types: Any, output_shapes: Any = None, output_classes: Any = None
    ) -> Iterator:
        """The iterator that a string stands for when the step runs.

        Args:
          string_handle: a scalar string tensor, mostly a placeholder that is fed with what
            `string_handle()` of another iterator gave.
          output_types, output_shapes, output_classes: as of `from_structure`.
        """
        spec = spec_from_legacy(output_types, output_shapes, output_classes)
        text = convert_to_tensor(string_handle, dtype=dtypes.string)
        handle = on_host(iterator_from_string_handle_op, text, **types_and_shapes(spec))
        return Iterator(handle, None, spec)

    @property
    def initializer(self) -> Operation:
        """The operation that starts the iterator.

        Raises:
          ValueError: when it starts by itself, or with several datasets.
        """
        if self._initializer is None:
            raise ValueError(_NO_INITIALIZER)
        return self._initializer

    def make_initializer(self, dataset: Any, name: str | None = None) -> Operation:
        """The operation that starts the iterator with a dataset.

        Args:
          dataset: with elements as this iterator gives.
          name: the name.
        Raises:
          TypeError: when its elements are others.
        """
        with name_scope(name, "make_initializer") as scope:
            self._check_same_elements(dataset)
            return on_host(
                make_iterator_op, dataset._variant_tensor, self._iterator_resource, name=scope
            )

    def _check_same_elements(self, dataset: Any) -> None:
        nest.assert_same_structure(self.output_types, dataset.output_types)
        nest.assert_same_structure(self.output_shapes, dataset.output_shapes)
        for what in ("classes", "types"):
            own, other = (getattr(each, f"output_{what}") for each in (self, dataset))
            if flatten(own) != flatten(other):
                raise TypeError(
                    f"Expected output {what} {own!r} but got dataset with output {what} {other!r}."
                )
        own, other = self.output_shapes, dataset.output_shapes
        pairs = zip(flatten(own), flatten(other), strict=True)
        if not all(one.is_compatible_with(two) for one, two in pairs):
            raise TypeError(
                f"Expected output shapes compatible with {own!r} but got dataset with output "
                f"shapes {other!r}."
            )

    def get_next(self, name: str | None = None) -> Any:
        """The next element, for which the step moves the iterator on.

        Args:
          name: the name.
        Raises (when it runs):
          OutOfRangeError: behind the last element.
          FailedPreconditionError: when the iterator has not been started.
        """
        self._calls += 1
        if self._calls > GET_NEXT_CALL_WARNING_THRESHOLD:
            warnings.warn(GET_NEXT_CALL_WARNING_MESSAGE, stacklevel=2)
        kinds = types_and_shapes(self._element_spec)
        tensors = on_host(iterator_get_next_op, self._iterator_resource, **kinds, name=name)
        return element_from(self._element_spec, tensors)

    def string_handle(self, name: str | None = None) -> Tensor:
        """A scalar string that stands for this iterator; see `from_string_handle`."""
        if name is None:
            return self._string_handle
        return on_host(iterator_to_string_handle_op, self._iterator_resource, name=name)


class EagerIterator(Elemental):
    """A place in a dataset under eager execution, for Python's `for` and `next`.

    Args:
      dataset: what it walks over.
    """

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset  # and with it the Python functions it calls
        self._element_spec = dataset.element_spec
        self._kinds = types_and_shapes(self._element_spec)
        self._calls = 0  # of `next` while a graph is built
        self._lock = threading.Lock()
        self._handle: Any
        if stacks.executing_eagerly():
            self._handle = on_host(iterator_op, **self._kinds)
            on_host(make_iterator_op, dataset._variant_tensor, self._handle)
        else:  # of a function, which starts it whenever it runs
            self._handle = on_host(started_iterator_op, dataset._variant_tensor)

    def __iter__(self) -> EagerIterator:
        return self

    def _staged_steps(self) -> Callable[[], tuple[Tensor, Any]]:
        """What a `for` loop in a graph asks for each turn: whether there is an element, and it."""

        def step() -> tuple[Tensor, Any]:
            found, *tensors = on_host(iterator_get_next_if_any_op, self._handle, **self._kinds)
            return found, element_from(self._element_spec, tensors)

        return step

    def __next__(self) -> Any:
        self._calls += not stacks.executing_eagerly()
        if self._calls > 1000:  # a loop of Python sees no end while a graph is built
            raise errors.OperatorNotAllowedInGraphError(
                "iterating over a `tf.data` iterator is not allowed in Graph execution. Use Eager "
                "execution or decorate this function with @tf.function."
            )
        try:
            return self.get_next()
        except errors.OutOfRangeError:
            raise StopIteration from None

    next = __next__

    def get_next(self, name: str | None = None) -> Any:
        """The next element.

        Raises:
          OutOfRangeError: behind the last one.
        """
        if not stacks.executing_eagerly():  # a function asks for it whenever it runs
            tensors = on_host(iterator_get_next_op, self._handle, **self._kinds, name=name)
            return element_from(self._element_spec, tensors)
        state: Any = self._handle._value
        try:
            element = state.next()
        except errors.OutOfRangeError as error:
            text = f"{error.message} [Op:IteratorGetNext]"
            raise errors.OutOfRangeError(None, None, text) from None
        values = zip(element, self._kinds["output_types"], strict=True)
        tensors = [wrap(value, dtype) for value, dtype in values]
        return element_from(self._element_spec, tensors)


# ---- making them -------------------------------------------------------------------------


def one_shot(dataset: Any) -> Iterator:
    """An iterator that starts by itself, with a copy of all that makes its dataset.

    Raises:
      ValueError: when the dataset depends on a placeholder, a variable or other state.
    """
    spec = dataset.element_spec
    factory = FuncGraph("_make_dataset", stacks.get_default_graph())
    factory._names_in_use = {}
    with factory.building():
        try:
            factory.outputs = [_copied(dataset._variant_tensor, factory, {})]
        except ValueError as error:
            if "Cannot capture a stateful node" not in str(error):
                raise
            raise ValueError(
                "Failed to create a one-shot iterator for a dataset. "
                "`Dataset.make_one_shot_iterator()` does not support datasets that capture "
                "stateful objects, such as a `Variable` or `LookupTable`. In these cases, use "
                f"`Dataset.make_initializable_iterator()`. (Original error: {error})"
            ) from None
    kinds = types_and_shapes(spec)
    handle = on_host(one_shot_iterator_op, dataset_factory=factory, **kinds)
    return Iterator(handle, None, spec)


def _copied(tensor: Tensor, graph: FuncGraph, copies: dict[Operation, Operation]) -> Tensor:
    """A tensor of the outer graph, made again inside by copies of its operations."""
    op = tensor.op
    if op.graph is graph:
        return tensor
    if op not in copies:
        if op.type in ("Placeholder", "PlaceholderV2", "Argument"):
            raise ValueError(
                f"Cannot capture a placeholder (name:{op.name}, type:{op.type}) by value."
            )
        state = op.op_def.stateful and op.op_def.takes_context  # else it is wanted for its failure
        if state and op.op_def.reach(op.attrs) != "files":
            raise ValueError(
                f"Cannot capture a stateful node (name:{op.name}, type:{op.type}) by value."
            )
        inputs = [_copied(each, graph, copies) for each in op.inputs]
        name = graph.unique_name(op.name)
        attrs = {key: value for key, value in op.attrs.items() if key != "_class"}
        copies[op] = graph.add_operation(op.op_def, inputs, attrs, f"{name}/")
    return copies[op].outputs[tensor.value_index]


def initializable(dataset: Any, shared_name: str | None = None) -> Iterator:
    """An iterator that starts when its initializer runs."""
    spec = dataset.element_spec
    handle = on_host(iterator_op, **types_and_shapes(spec), shared_name=shared_name or "")
    initializer = on_host(make_iterator_op, dataset._variant_tensor, handle)
    return Iterator(handle, initializer, spec)
