"""`FuncGraph`: the body of a function, a loop or a branch, as a graph of its own.

It belongs to an outer graph. A tensor of the outer graph that is used inside becomes an input of
the function, captured once. The operation that runs the function passes its value.

    outer:   x ────────────┐  W (a variable) ──┐         If / While / Scan, or a function's call
                           ▼                   ▼
    inner:   parameters  Argument            RefArgument ──> body ──> outputs

Names, collections and the numbering of operations are shared with the outer graph. The name of an
inner operation is unique in all of them, and a variable made inside belongs to the outermost graph.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np

from minitf.core.graph.errors import InaccessibleTensorError
from minitf.core.graph.graph import Effects, Graph
from minitf.core.graph.graph_def import FunctionDef
from minitf.core.graph.op_def import call, op
from minitf.core.graph.shapes import as_shape
from minitf.core.graph.tensor import Operation, Tensor

_IS_INPUT = (
    "the function's caller gives its value; tests/core/gradients/test_function.py calls some"
)


@op("Argument", "-> value: dtype", stateful=False, no_samples=_IS_INPUT)
def argument_op(ctx: Any, *, dtype: Any, shape: Any) -> Any:
    """Stands for one input of a `FuncGraph`."""
    raise AssertionError(f"The function's input '{ctx.node_name}' has no value.")


@op("RefArgument", "-> ref: dtype&", stateful=False, no_samples=_IS_INPUT)
def ref_argument_op(ctx: Any, *, dtype: Any, shape: Any) -> Any:
    """Stands for a variable of the outer graph in a `FuncGraph`."""
    raise AssertionError(f"The function's input '{ctx.node_name}' has no value.")


for _argument in (argument_op, ref_argument_op):
    _argument.shape(lambda *, dtype, shape: as_shape(shape))


def _counted_by_root(name: str) -> Any:
    """A counter that belongs to the outermost graph."""
    return property(
        lambda self: getattr(self.root, name), lambda self, count: setattr(self.root, name, count)
    )


class FuncGraph(Graph):
    """A graph that an operation runs; the operation gives the inputs.

    Args:
      name: what it is for; shown in texts.
      outer: the graph around it, another `FuncGraph` perhaps.

    Attributes:
      inputs: the `Argument`s: parameters first, then what was captured.
      outputs: the tensors that a run gives; set by who builds it.
      variables: those that a traced function reads; set by who traces it.
      waits_for: operations of the outer graph that operations inside wait for; the operation that
        runs this graph waits for them in their place.
    """

    captures_from_outside = True

    def __init__(self, name: str, outer: Graph) -> None:
        super().__init__()
        self.name = name
        self.outer = outer
        self.root: Graph = outer.root if isinstance(outer, FuncGraph) else outer
        self.inputs: list[Tensor] = []
        self.outputs: list[Tensor] = []
        self.waits_for: list[Operation] = []
        self.variables: tuple[Any, ...] = ()
        self.sealed = False
        self._captured: dict[Tensor, Tensor] = {}  # from the outer tensor to the inner one
        self._outside: dict[Tensor, Tensor] = {}  # and back
        self._origins: dict[
            Tensor, Tensor
        ] = {}  # back at once, from the innermost to the outermost
        self._lock = outer._lock
        self._names_in_use = outer._names_in_use
        self._known = ChainMap(self._nodes_by_name, outer._known.maps[1])
        self._collections = outer._collections
        self.seed = outer.seed
        here, there = self._scopes, outer._scopes
        here.name = there.name
        here.devices, here.around = list(there.devices), there.around
        here.gradient_overrides = there.gradient_overrides
        here.effects = None if there.effects is None else Effects()

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those of `variables` that optimizers change."""
        return tuple(v for v in self.variables if v.trainable)

    # ---- inputs --------------------------------------------------------------------------

    def add_input(self, dtype: Any, shape: Any, name: str = "arg") -> Tensor:
        """Adds a parameter; one of a reference type stands for a variable."""
        kind = ref_argument_op if dtype._is_ref_dtype else argument_op
        with self.as_default(), self.control_dependencies(None), self.colocate_with(None, True):
            tensor = kind(dtype=dtype.base_dtype, shape=as_shape(shape), name=name)
        self.inputs.append(tensor)
        return tensor

    def capture(self, tensor: Tensor) -> Tensor:
        """The tensor that stands for `tensor` in this graph.

        That is `tensor` itself when it belongs here, else an input, which is added if need be.

        Raises:
          ValueError: when it belongs to no graph around this one.
        """
        if not tensor.has_value:
            tensor = tensor.graph.give_out(tensor, self)
            if tensor.graph is self:
                return tensor
        if tensor not in self._captured:
            inner = self._captured[tensor] = self._inner_for(tensor)
            self._origins[inner] = tensor
        return self._captured[tensor]

    def _inner_for(self, tensor: Any) -> Tensor:
        """A new tensor that stands for one of a graph around this one, or for one with a value."""
        if (self.root if tensor.has_value else tensor.graph) is not self.outer:
            if not isinstance(self.outer, FuncGraph):
                raise _out_of_place(tensor)
            return self.capture(self.outer.capture(tensor))
        if tensor.has_value:
            if not self.root.runs_at_once:
                return self.root.capture(tensor)  # which says why it cannot
            if _is_small(tensor):
                with self.as_default(), self.control_dependencies(None):
                    return call("Const", value=np.array(tensor._host()), dtype=tensor.dtype)
            inner = self.add_input(tensor.dtype, tensor.shape, "captured")
        elif self._is_copied(tensor):
            with self.as_default(), self.control_dependencies(None), self.name_scope(None):
                op = tensor.op
                return call(op.type, *op.inputs, name=op.name, **op.attrs)
        else:
            with self.name_scope("captured"):  # whose own name may be wanted beside it
                name = tensor.op.name.split("/")[-1]
                inner = self.add_input(tensor.dtype, tensor.shape, name)
        self._outside[inner] = tensor
        return inner

    def _is_copied(self, tensor: Tensor) -> bool:
        """Whether a constant is copied: shape functions may need it, and no gradient goes to it.

        A `Live` is copied, too: it may fail, so it runs where it is read.
        """
        dtype = tensor.dtype
        if tensor.op.type != "Const" or dtype.is_floating or dtype.is_complex:
            return tensor.op.type == "Live"
        return tensor.op.attrs["value"].size <= 64

    @property
    def captures(self) -> list[tuple[Tensor, Tensor]]:
        """The captures as pairs (outer tensor, inner tensor), in the order of the inputs."""
        return [(self._outside[t], t) for t in self.inputs if t in self._outside]

    def outside_of(self, tensor: Tensor) -> Tensor | None:
        """The outer tensor that an input was captured from; None for a parameter."""
        return self._outside.get(tensor)

    def origin_of(self, tensor: Tensor) -> Tensor:
        """The tensor of an outer graph that `tensor` stands for; `tensor` if computed here."""
        return self._origins.get(tensor, tensor)

    def share_captures(self, other: FuncGraph) -> None:
        """Gives this graph and `other` the same captured inputs, in the same order.

        Both must have the same number of parameters.
        """
        outside = list(dict.fromkeys(t for g in (self, other) for t, _ in g.captures))
        for graph in (self, other):
            parameters = [t for t in graph.inputs if t not in graph._outside]
            for tensor in outside:
                if tensor not in graph._captured:
                    graph.capture(tensor)
            graph.inputs = parameters + [graph._captured[t] for t in outside]

    # ---- methods of a graph that look at the outer one, too ------------------------------

    def add_operation(
        self, op_def: Any, inputs: list[Tensor], attrs: dict[str, Any], name: str
    ) -> Operation:
        """Adds one operation; inputs from outside are captured."""
        return super().add_operation(op_def, [self.capture(t) for t in inputs], attrs, name)

    def control_dependencies(self, control_inputs: Any) -> AbstractContextManager[Any]:  # type: ignore[override]
        """As `Graph.control_dependencies`; the whole function waits for outer operations."""
        if control_inputs is None:
            return super().control_dependencies(None)
        inside = []
        for waited in map(self._waited_for, control_inputs):
            if waited.graph is self:
                inside.append(waited)
            elif waited not in self.waits_for:
                self.waits_for.append(waited)
        return super().control_dependencies(inside)

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Any:
        """As in `Graph`; finds elements of the outer graphs as well."""
        try:
            return super().as_graph_element(obj, allow_tensor, allow_operation)
        except (KeyError, ValueError):
            return self.outer.as_graph_element(obj, allow_tensor, allow_operation)

    _counter = _counted_by_root("_counter")
    _mutations, _refinements = _counted_by_root("_mutations"), _counted_by_root("_refinements")

    @contextmanager
    def building(self) -> Iterator[FuncGraph]:
        """A context that adds operations to the function and seals it at the end."""
        with self.as_default():
            yield self
            if self.outputs and self._scopes.effects is not None:
                self.outputs = self._scopes.effects.before(self.outputs)
        self.sealed = True

    # ---- as data -------------------------------------------------------------------------

    def to_function_def(self) -> FunctionDef:
        """The function as data."""
        nodes = self.as_graph_def(add_shapes=True, add_types=True).node
        inputs, outputs = (
            tuple(f"{t.op.name}:{t.value_index}" for t in ts) for ts in (self.inputs, self.outputs)
        )
        return FunctionDef(self.name, nodes, inputs, outputs, len(self._outside))

    def __repr__(self) -> str:
        return f"<FuncGraph {self.name!r}: {len(self.inputs)} -> {len(self.outputs)}>"


def build(
    name: str,
    outer: Graph,
    function: Callable[..., Iterable[Any]],
    parameters: Sequence[tuple[Any, Any, str]] = (),
) -> FuncGraph:
    """Builds a function by calling `function` with its parameters.

    Args:
      name: what it is for.
      outer: the graph around it.
      function: gets the inputs, and returns the output tensors (of this graph or around it).
      parameters: dtype, shape and name of each.
    """
    graph = FuncGraph(name, outer)
    with graph.building():
        inputs = [graph.add_input(*each) for each in parameters]
        graph.outputs = [graph.capture(t) for t in function(*inputs)]
    return graph


def _is_small(tensor: Any) -> bool:
    """Whether to copy a value: shape functions may need it, and it has no gradient."""
    dtype = tensor.dtype
    known = isinstance(tensor._value, np.ndarray | np.generic) and dtype.numpy_dtype.kind in "iub"
    return known and tensor._value.size <= 64


def _out_of_place(tensor: Tensor) -> Exception:
    graph: Any = tensor.graph
    if isinstance(graph, FuncGraph) and graph.root.runs_at_once:
        return InaccessibleTensorError(
            f"The tensor '{tensor}' cannot be accessed here: it is defined in another function or "
            "code block. Use return values, explicit Python locals or TensorFlow collections to "
            f"access it. Defined in: {graph!r}."
        )
    if isinstance(graph, FuncGraph):
        return ValueError(
            f"Cannot use '{tensor.op.name}' here, because '{tensor.op.name}' is inside of "
            f"{graph.name!r}. Give it out as a result."
        )
    return ValueError(f"{tensor} must be from the same graph as the operation that uses it.")
