"""`tf.wrap_function`: a function of version 1 as one that eager execution can call.

    f = wrap_function(lambda x: x * tf.get_variable("w", []), [tf.TensorSpec([], tf.float32)])
    f(2.0)         runs its graph;  w lives outside of it and keeps its value
    f.prune(a, b)  the part of the graph from the tensors a to b, as a function

It may use whatever builds graphs: collections, `get_variable`, the graph of a file. Each call of
`wrap_function` makes variables of its own. As in a graph, and unlike in a `tf.function`, only what
the results need is run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.graph import errors, nest, stacks
from minitf.core.graph.composites import is_composite
from minitf.core.graph.dtypes import c_name
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.operation import Operation
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array_filling import constant
from minitf.core.variables.creators import variable_creator_scope
from minitf.core.variables.variable_store import EagerVariableStore
from minitf.library.eager import context as eager
from minitf.library.eager.concrete_function import ConcreteFunction
from minitf.library.eager.copying import copied
from minitf.library.eager.function import _flat_outputs, _Reads
from minitf.library.eager.type_specs import TensorSpec, TypeSpec


class VariableHolder:
    """Holds the variables that a function makes while it is called under this one's eye.

    Args:
      fn: the function.
      share_variables: whether a second variable of a name is the first one.
    """

    def __init__(self, fn: Callable | None = None, share_variables: bool = False) -> None:
        self._fn = fn
        self._share = share_variables
        self._by_name: dict[str, Any] = {}
        self._all: list[Any] = []
        self._store = EagerVariableStore()

    @property
    def variables(self) -> list[Any]:
        """The variables."""
        return list(self._all)

    def variable_creator_scope(self, next_creator: Callable, **kwargs: Any) -> Any:
        """Makes a variable, or finds it; it is for `tf.variable_creator_scope`."""
        graph = stacks.get_default_graph()
        name = kwargs.get("name") or "Variable"
        whole = f"{graph.get_name_scope()}/{name}".lstrip("/")
        known = self._by_name.get(whole) if self._share else None
        if known is None:
            known = next_creator(**kwargs)
            self._by_name[whole] = known
            self._all.append(known)
        wanted = list(kwargs.get("collections") or ["variables"])
        wanted += ["trainable_variables"] * bool(known.trainable)
        for key in wanted:
            kept = graph.get_collection_ref(key)
            if not any(each is known for each in kept):
                kept.append(known)
        return known

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.call_with_variable_creator_scope(self._fn)(*args, **kwargs)

    def call_with_variable_creator_scope(self, fn: Any) -> Callable:
        """`fn`, with an eye on its variables."""

        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with variable_creator_scope(self.variable_creator_scope), self._store.as_default():
                return fn(*args, **kwargs)

        return wrapped


class WrappedFunction(ConcreteFunction):
    """A graph, its inputs and its outputs, which can be called; see `wrap_function`.

    Args:
      graph: it, with its inputs.
      holder: has its variables.
      structured_input: what it was built for.
      structured_output: its results; operations among them give None.
      keywords: the names of its arguments; None when they have none.
    """

    def __init__(
        self,
        graph: FuncGraph,
        holder: VariableHolder,
        structured_input: Any,
        structured_output: Any,
        keywords: Sequence[str] | None = None,
    ) -> None:
        with graph.as_default():
            outputs, places = _flat_outputs(graph, structured_output)
            graph.outputs = [graph.capture(t) for t in outputs]
            run = [t for t in nest.flatten(structured_output) if isinstance(t, Operation)]
            if run:
                with graph.control_dependencies(run):
                    graph.outputs.append(identity(constant(0), name="control_outputs"))
        shown = nest.map_structure(
            lambda t: None if isinstance(t, Operation) else t, structured_output
        )
        leaves, found = nest.flatten(shown), iter(outputs)
        if not any(is_composite(leaf) for leaf in leaves):
            leaves = [None if place is None else next(found) for place in places]
            shown = nest.pack_sequence_as(shown, leaves) if nest.is_nested(shown) else leaves[0]
        super().__init__(graph, structured_input, shown, places, graph.name)
        self._holder = holder
        self._keywords = keywords
        captured = {id(outside) for outside, _ in graph.captures}
        known = [v for v in holder.variables if id(getattr(v, "_handle", None)) in captured]
        known += [v for v in graph.variables if not any(v is each for each in known)]
        graph.variables = self.variables = tuple(known)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs it on a tensor for each of its inputs; values that are no tensors are left out.

        Raises:
          NotImplementedError: for keyword arguments, where the inputs have no names.
          ValueError: when the number of tensors is not that of the inputs.
          InvalidArgumentError: when one is of another type.
        """
        given = list(args)
        if kwargs and self._keywords is None:
            raise NotImplementedError(
                "Keyword arguments are not supported when calling a wrap_function-decorated "
                f"function. Got {kwargs}."
            )
        for key in (self._keywords or ())[len(given) :]:
            if key not in kwargs:
                raise TypeError(f"Expected argument names {self._keywords}, missing '{key}'.")
            given.append(kwargs.pop(key))
        if kwargs:
            raise TypeError(f"Unexpected arguments {[*kwargs]}; it takes {self._keywords}.")
        wanted = len(self.graph.inputs) - len(self.graph.captures)
        flat = [t for leaf in given for t in (leaf._components() if is_composite(leaf) else [leaf])]
        if len(flat) != wanted:
            raise ValueError(f"Signature specifies {wanted} arguments, got: {len(flat)}.")
        parameters = [t for t in self.graph.inputs if self.graph.outside_of(t) is None]
        tensors = [eager.as_tensor(v, t.dtype) for v, t in zip(flat, parameters, strict=True)]
        for place, (tensor, wants) in enumerate(zip(tensors, parameters, strict=True)):
            if tensor.dtype.base_dtype != wants.dtype:
                raise errors.InvalidArgumentError(
                    None,
                    None,
                    f"cannot compute {self.name} as input #{place}(zero-based) was expected to be "
                    f"a {c_name(wants.dtype)} tensor but is a {c_name(tensor.dtype)} tensor "
                    f"[Op:{self.name}]",
                )
        return self.call_and_pack(tensors)

    def prune(
        self, feeds: Any, fetches: Any, name: str | None = None, input_signature: Any = None
    ) -> WrappedFunction:
        """A function of a part of the graph; variables are those of this one.

        Args:
          feeds: the tensors that its arguments stand for, or their names.
          fetches: the tensors that it gives and the operations that it runs, or their names.
          name: what it is called; "pruned" by default.
          input_signature: what its arguments look like, for those who ask.
        Raises:
          ValueError: when one of them belongs to another graph, or a feed is no tensor.
          UnliftableError: when a fetch needs a placeholder that is not fed.
        """
        inside = {t for _, t in self.graph.captures}
        given = [self._element(each) for each in nest.flatten(feeds)]
        for each in given:
            if not isinstance(each, Tensor):
                raise ValueError(f"All members of argument `feeds` must be tensors. Got {each!r}.")
        given = [each for each in given if each not in inside]
        wanted = nest.map_structure(self._element, fetches)
        for each in (*given, *nest.flatten(wanted)):
            if each.graph is not self.graph:
                raise ValueError(
                    "Can only prune function whose feeds and fetches from graph "
                    f"{self.graph!r}. Input {each!r} is from a different graph {each.graph!r}."
                )
        part = _new_graph(name or "pruned", self.graph.outer)
        with part.as_default():
            instead = {
                each: part.add_input(each.dtype, each.shape, f"{each.op.name}/") for each in given
            }
            part._names_in_use |= dict.fromkeys((each.op.name.lower() for each in given), 1)
            instead |= {inner: part.capture(outside) for outside, inner in self.graph.captures}
            found = iter(copied(nest.flatten(wanted), instead, same_names=True))
        results = nest.map_structure(lambda _: next(found), wanted)
        part.variables = self.variables
        keywords = [each.op.name for each in given]
        return WrappedFunction(part, self._holder, input_signature, results, keywords)

    def _element(self, element: Any) -> Any:
        """A tensor or an operation, which may come by its name."""
        known = isinstance(element, (Tensor, Operation))
        return element if known else self.graph.as_graph_element(element)


def _new_graph(name: str, outer: Any) -> FuncGraph:
    graph = FuncGraph(name, outer)
    graph._names_in_use, graph._collections = {}, {}
    graph._scopes.effects = None
    return graph


def _arguments(graph: FuncGraph, signature: Any) -> Any:
    """The arguments of the function: inputs of the graph where the signature has specs."""
    leaves: list[Any] = []
    leaf: Any
    for leaf in nest.flatten(signature):
        if isinstance(leaf, TensorSpec):
            leaves.append(graph.add_input(leaf.dtype, leaf.shape, leaf.name or "Placeholder"))
        elif isinstance(leaf, TypeSpec):
            spec: Any = leaf
            parts = [graph.add_input(s.dtype, s.shape) for s in spec._component_specs]
            leaves.append(spec._from_components(parts))
        else:
            leaves.append(leaf)
    return nest.pack_sequence_as(signature, leaves)


def wrapped(
    holder: VariableHolder, fn: Callable, signature: Any, name: str | None = None
) -> WrappedFunction:
    """What `wrap_function` gives; the holder gets the variables."""
    graph = _new_graph(
        f"wrapped_function_{name}" if name else "wrapped_function", stacks.outermost()
    )
    reads = _Reads()
    with graph.as_default(), eager.only_tape(reads):
        given = _arguments(graph, signature)
        call = holder.call_with_variable_creator_scope(fn)
        result = call(**given) if isinstance(given, dict) else call(*given)
        for leaf in nest.flatten(result):
            if isinstance(leaf, Operation):
                raise TypeError(
                    "To be compatible with tf.contrib.eager.defun, Python functions must return "
                    f"zero or more Tensors; in compilation of {fn}, found return value of type "
                    f"{type(leaf)}, which is not a Tensor."
                )
    graph.variables = tuple(reads.variables.values())
    shown = ((), signature) if isinstance(signature, dict) else (tuple(signature), {})
    return WrappedFunction(graph, holder, shown, result)
