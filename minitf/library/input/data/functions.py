"""Functions that a program gives to a dataset: traced once, to a graph that every element runs.

dataset.map(lambda image, label: (image / 255, label))
                 |
                 v  called with placeholders of the element's spec
TracedFunction:  graph      FuncGraph, image, label -> image / 255, label
                 captured   what it uses from outside: inputs of the dataset's operation
                 spec       of the element that it gives
                 |
                 v  when the operation runs
Function:        bind       compiles the graph for one iterator, to call it with an element
                 bind_many  the same for a whole batch, by the batch rules of its operations
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from minitf.core.graph import errors, stacks
from minitf.core.graph.func_graph import FuncGraph, build
from minitf.core.graph.graph import Graph
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.tensor import Tensor
from minitf.core.runtime.plan.plan import compile_function
from minitf.core.runtime.run.resources import ResourceManager
from minitf.library.eager import autograph
from minitf.library.eager.context import Handle, only_tape
from minitf.library.eager.tensor import EagerRef
from minitf.library.graph_tools.vectorize import NoBatchRule, vectorize
from minitf.library.input.data.structure import (
    as_element,
    common_spec,
    components_of,
    element_from,
    flatten,
    legacy_classes,
    legacy_types,
    map_nest,
    spec_of,
    types_and_shapes,
)

if TYPE_CHECKING:
    from minitf.library.input.data.cursors import Context


class TracedFunction:
    """A Python function of elements as a graph.

    Args:
      function: what the program gave.
      name: what takes it, for messages: "Dataset.map()".
      specs: of its arguments; a tuple is given as several arguments, anything else as one.
      finish: from what it returned to what the graph shall give; None for an element.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        name: str,
        specs: Any,
        finish: Callable[[Any], Any] | None = None,
    ) -> None:
        self.name = name
        try:
            self._trace(function, specs, finish)
        except errors.OperatorNotAllowedInGraphError:  # Python's `if` or `for` of a tensor
            self._trace(autograph.converted(function), specs, finish)

    def _trace(
        self, function: Callable[..., Any], specs: Any, finish: Callable[[Any], Any] | None
    ) -> None:
        graph = FuncGraph(self.name, stacks.get_default_graph())
        if graph.root.runs_at_once:
            graph._collections = {}
        graph._names_in_use = {}
        with graph.building(), graph.ordered_effects() as effects, only_tape():
            element = element_from(specs, _parameters(graph, specs))
            arguments = element if type(element) is tuple else (element,)
            tables = len(graph.get_collection("table_initializer"))
            result = _element_of(function(*arguments), self.name)
            if len(graph.get_collection("table_initializer")) > tables:
                warnings.warn(
                    f"Creating resources inside a function passed to {self.name} is not supported. "
                    "Create each resource outside the function, and capture it inside the function "
                    "to use it.",
                    stacklevel=5,
                )
            result = result if finish is None else finish(result)
            self.result_spec = map_nest(spec_of, result)
            outputs = components_of(result)
            if effects.last is not None:
                outputs = effects.before(outputs)
            graph.outputs = [graph.capture(each) for each in outputs]
        self.graph = graph

    @property
    def captured(self) -> list[Tensor]:
        """What it uses from outside: further inputs of the operation that runs it."""
        return [_as_input(tensor) for tensor, _ in self.graph.captures]

    @property
    def waits_for(self) -> list[Any]:
        """The operations outside that it must come behind."""
        return self.graph.waits_for


def _parameters(graph: FuncGraph, specs: Any) -> list[Tensor]:
    kinds = types_and_shapes(specs)
    pairs = zip(kinds["output_types"], kinds["output_shapes"], strict=True)
    return [graph.add_input(dtype, shape, f"args_{i}") for i, (dtype, shape) in enumerate(pairs)]


def _as_input(tensor: Tensor) -> Tensor:
    """Of a variable under eager execution the variable itself, not the value that it has now."""
    if isinstance(tensor, EagerRef):
        return Handle(tensor._value, tensor.device, "resource")
    return tensor


def _element_of(result: Any, name: str) -> Any:
    """What a function returned, as an element.

    A list is a tuple here: it comes from operations that give several tensors.
    """
    if isinstance(result, list):
        result = tuple(result)
    try:
        if any(leaf is None for leaf in flatten(result)):
            raise TypeError
        return as_element(result)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"Unsupported return value from function passed to {name}: {result}."
        ) from error


def trace_state(
    element: Any, state: Any, function: Callable[..., Any], name: str
) -> tuple[TracedFunction, Any]:
    """A function of a state and an element, and the spec of the state, which it keeps.

    Args:
      element: the spec of the elements.
      state: what it begins with, or its spec.
      function: what the program gave.
      name: what takes it, for messages.

    Where the function changes shapes, the state's are as far unknown as it takes.

    Raises:
      TypeError: when the function returns something that is no such state.
    """
    spec = map_nest(spec_of, state)
    while True:
        arguments = (spec, element)
        traced = TracedFunction(function, name, arguments)
        found = traced.result_spec
        for what, read in (("classes", legacy_classes), ("types", legacy_types)):
            own, other = read(spec), read(found)
            if own != other:
                raise TypeError(
                    f"The element {what} for the new state must match the initial state. Expected "
                    f"{own} but got {other}."
                )
        relaxed = common_spec(spec, found)
        if flatten(relaxed) == flatten(spec):
            return traced, spec
        spec = relaxed


# ---- when elements come ------------------------------------------------------------------


class EndOfSequence(Exception):
    """A dataset has no further element."""


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

    def bind(self, context: Context, may_end: bool = False) -> Callable[[tuple], tuple]:
        """The function as it runs, from element to element; its errors name the element.

        Args:
          context: of the iterator.
          may_end: whether its OutOfRangeError ends the sequence.
        """
        run, captured = context.plans.get(self.graph), self.captured
        if run is None:
            run = context.plans[self.graph] = _compiled(self.graph, context)

        def call(element: tuple) -> tuple:
            try:
                return tuple(run(*element, *captured))
            except errors.OpError as error:
                if may_end and isinstance(error, errors.OutOfRangeError):
                    raise EndOfSequence from None
                error.message += f"\n\t [[of the element ({', '.join(map(_shown, element))})]]"
                raise

        return call

    def bind_many(self, context: Context) -> Callable[[tuple], tuple] | None:
        """The function of many elements at once, where it can run so."""
        many = self.graph, "many"
        if many not in context.plans:
            context.plans[many] = self._vectorized(context)
        run = context.plans[many]
        return None if run is None else lambda rows: tuple(run(*rows, *self.captured))

    def _vectorized(self, context: Context) -> Callable[..., list[Any]] | None:
        graph = self.graph
        parameters = len(graph.inputs) - len(self.captured)
        tensors = [*graph.inputs[:parameters], *graph.outputs]
        if not parameters or not all(t.shape.is_fully_defined() for t in tensors):
            return None  # elements of several shapes are no batch before the function
        stacked = [i < parameters for i in range(len(graph.inputs))]
        given = [
            (x.dtype, TensorShape([None]).concatenate(x.shape) if s else x.shape, "many")
            for x, s in zip(graph.inputs, stacked, strict=True)
        ]
        try:
            whole = build("many", Graph(), lambda *x: vectorize(graph, x, stacked), given)
            return _compiled(whole, context)
        except NoBatchRule:
            return None


def _compiled(graph: FuncGraph, context: Context) -> Callable[..., list[Any]]:
    resources = ResourceManager()
    return compile_function(
        graph, context.device, resources, in_place=False, rendezvous=context.life
    )


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
