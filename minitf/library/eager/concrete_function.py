"""`ConcreteFunction`: a function traced for one signature, as a graph that is compiled once.

    call:       values of the arguments and of what was captured ──> compiled graph ──> results
    on a tape:  the same graph also gives out what its gradient will need

                dx <── backward graph <── dy
                             ^── what the forward graph gave out

The call is one operation for a tape, and so is the call of its backward graph: gradients of any
order. A call inside of a graph copies the operations there, so that gradients, passes and sessions
need to know nothing of calls. The backward graph is a `Backward` (function_gradients.py), as those
of branches and loops are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.gradients.function_gradients import Backward
from minitf.core.gradients.gradients import is_trainable
from minitf.core.graph import errors, nest, stacks
from minitf.core.graph.composites import put_together, take_apart
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.dtypes import c_name
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.tensor import Tensor
from minitf.library.eager import context as eager
from minitf.library.eager.kernels import compile_graph
from minitf.library.eager.tensor import CustomOp, EagerOperation, EagerTensor


class GraphFunction:
    """A `FuncGraph` that can be called on eager tensors, and differentiated.

    Args:
      graph: it; its inputs are parameters, then what it captured.
    """

    def __init__(self, graph: FuncGraph) -> None:
        self.graph = graph
        self.variables: tuple[Any, ...] = ()  # those read
        self._programs: dict[tuple, Callable] = {}
        self._backwards: dict[tuple[int, ...], _BackwardFunction] = {}
        self._extras: dict[bool, list[Tensor]] = {}

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those of `variables` that optimizers change."""
        return self.graph.trainable_variables

    def captured_inputs(self) -> list[EagerTensor]:
        """The tensors and references from outside, in the order of the inputs."""
        return [outside for outside, _ in self.graph.captures]  # type: ignore[misc]

    def call_flat(self, args: Sequence[Any]) -> list[Any]:
        """Runs it on a tensor for each parameter.

        Raises:
          RuntimeError: in a graph: there the `tf.function` itself becomes a part of that.
        """
        for tape in stacks.tapes.items:
            for variable in self.variables:
                tape.variable_accessed(variable)
        if not stacks.executing_eagerly():
            raise RuntimeError(
                f"The traced function {self.graph.name} runs eagerly only. Call the `tf.function` "
                "it was made of, which becomes a part of the graph here."
            )
        inputs = [*args, *self.captured_inputs()]
        wanting = [tape for tape in stacks.tapes.items if tape.wants(inputs)]
        if not wanting or not any(is_trainable(t) for t in self.graph.outputs):
            return self._run(self.graph.outputs, inputs)
        extras = self._extra_outputs(again=len(wanting) > 1)
        inputs = [*args, *self.captured_inputs()]  # its gradient may have captured more
        outputs = [*self.graph.outputs, *extras]
        results = self._run(outputs, inputs)
        kind = CustomOp("PartitionedCall", lambda op, *dys: self._gradients(op, outputs, dys))
        eager.record(EagerOperation(kind, {}, tuple(inputs), results))
        return results[: len(self.graph.outputs)]

    def _run(self, outputs: Sequence[Tensor], inputs: Sequence[EagerTensor]) -> list[EagerTensor]:
        device = eager.device_for(inputs)
        key = (device, *outputs)
        program = self._programs.get(key)
        if program is None:
            program = self._programs[key] = compile_graph(self.graph, outputs, device)
        values = program(eager.values_on(inputs, device))
        return [eager.wrap(v, t.dtype, device) for v, t in zip(values, outputs, strict=True)]

    # ---- the gradient ----------------------------------------------------------------------

    def _extra_outputs(self, again: bool) -> list[Tensor]:
        """What the forward run has to give out for its gradient.

        Args:
          again: whether the gradient will be differentiated too, and so needs its own.
        """
        if again not in self._extras:
            extras: list[Tensor] = []
            while True:
                outputs = [*self.graph.outputs, *extras]
                active = tuple(i for i, t in enumerate(outputs) if is_trainable(t))
                known = {*outputs, *self.graph.inputs}
                needed = self._backward(outputs, active).sources
                new = [t for t in dict.fromkeys(needed) if t not in known]
                extras += new
                if not again or not new:
                    break
            self._extras[again] = extras
        return self._extras[again]

    def _backward(self, outputs: Sequence[Tensor], active: tuple[int, ...]) -> _BackwardFunction:
        if active not in self._backwards:
            chosen = [outputs[i] for i in active]
            self._backwards[active] = _BackwardFunction(self.graph, chosen)
        return self._backwards[active]

    def _gradients(self, op: Any, outputs: Sequence[Tensor], dys: Sequence[Any]) -> list[Any]:
        active = tuple(i for i, dy in enumerate(dys) if dy is not None)
        backward = self._backward(outputs, active)
        have: dict[Tensor, Any] = dict(zip(self.graph.inputs, op.inputs, strict=False))
        have.update(zip(outputs, op.outputs, strict=True))
        missing = [t for t in backward.sources if t not in have]
        if missing:
            have.update(zip(missing, self._run(missing, op.inputs), strict=True))
        given = [eager.as_tensor(dys[i]) for i in active]
        flat = backward.call_flat([*given, *(have[t] for t in backward.sources)])
        found = put_together(backward.gradients, flat)
        results: list[Any] = [None] * len(op.inputs)
        for place, gradient in zip(backward.places, found, strict=True):
            results[place] = gradient
        return results


class _BackwardFunction(GraphFunction):
    """The gradient of a graph, as a function of the outputs' gradients and of what it captured.

    Args:
      forward: the graph.
      outputs: those whose gradients it takes.

    Attributes:
      sources: the tensors of the forward graph that it needs, in the order of its parameters.
      places: to which inputs of the forward graph its results belong.
      gradients: its results as they were built, rows of variables among them.
    """

    def __init__(self, forward: FuncGraph, outputs: Sequence[Tensor]) -> None:
        backward = Backward(forward)
        places = [i for i, t in enumerate(forward.inputs) if is_trainable(t)]
        xs = [forward.inputs[i] for i in places]
        with eager.no_tapes(), backward.building():
            given, found = backward.add_gradients(outputs, xs, outputs)
            self.places = [i for i, g in zip(places, found, strict=True) if g is not None]
            self.gradients = [g for g in found if g is not None]
            flat = take_apart(self.gradients, convert_to_tensor)
            backward.outputs = [backward.capture(t) for t in flat]
        self.sources = [outside for outside, _ in backward.captures]
        inner = [backward.stand_in(source, source) for source in self.sources]
        backward.set_inputs([*given, *inner])
        super().__init__(backward)


class ConcreteFunction(GraphFunction):
    """A traced function: `tf.function` makes one for each signature.

    Args:
      graph: the traced graph.
      structured_input: the arguments as the function got them, tensors as `TensorSpec`s.
      structured_output: what it returned.
      output_places: for each leaf of it, which of the graph's outputs; None for None.
      name: its name.
    """

    def __init__(
        self,
        graph: FuncGraph,
        structured_input: Any,
        structured_output: Any,
        output_places: Sequence[Any],
        name: str,
    ) -> None:
        super().__init__(graph)
        self.structured_input_signature = structured_input
        self.structured_outputs = structured_output
        self._places = output_places
        self.name = name

    @property
    def inputs(self) -> list[Tensor]:
        """The graph's inputs: the parameters, then what was captured."""
        return list(self.graph.inputs)

    @property
    def outputs(self) -> list[Tensor]:
        """The graph's outputs."""
        return list(self.graph.outputs[: self.output_count])

    @property
    def output_count(self) -> int:
        """How many tensors it returns."""
        return sum(len(p) if isinstance(p, tuple) else p is not None for p in self._places)

    @property
    def output_shapes(self) -> Any:
        """The shapes of the results, in their structure."""
        return self._pack([t.shape for t in self.graph.outputs])

    @property
    def output_dtypes(self) -> Any:
        """The types of the results, in their structure."""
        return self._pack([t.dtype for t in self.graph.outputs])

    def _pack(self, outputs: Sequence[Any]) -> Any:
        leaves: list[Any] = []
        for leaf, place in zip(nest.flatten(self.structured_outputs), self._places, strict=True):
            if isinstance(place, tuple):  # a composite
                leaves.append(leaf._with_components([outputs[i] for i in place]))
            else:
                leaves.append(None if place is None else outputs[place])
        return nest.pack_sequence_as(self.structured_outputs, leaves)

    def call_and_pack(self, args: Sequence[Any]) -> Any:
        """Runs it on flat eager tensors; returns the results in their structure."""
        return self._pack(self.call_flat(args))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs it; takes tensors only, by position or by the names of the parameters.

        Raises:
          TypeError: when the number of tensors is not that of the parameters.
          InvalidArgumentError: when a tensor is of another type than its parameter.
        """
        parameters = [t for t in self.graph.inputs if self.graph.outside_of(t) is None]
        flat = [eager.as_tensor(a) for a in nest.flatten(list(args))]
        for parameter in parameters[len(flat) :]:
            name = parameter.op.name.split("/")[-1]
            if name in kwargs:
                flat.append(eager.as_tensor(kwargs[name]))
        if len(flat) != len(parameters):
            raise TypeError(
                f"{self.name} takes {len(parameters)} tensors, but {len(flat)} were given."
            )
        for place, (given, parameter) in enumerate(zip(flat, parameters, strict=True)):
            wanted, dtype = parameter.dtype.base_dtype, given.dtype.base_dtype
            if wanted != dtype:
                raise errors.InvalidArgumentError.of(
                    f"cannot compute {self.name} as input #{place}(zero-based) was expected to be "
                    f"a {c_name(wanted)} tensor but is a {c_name(dtype)} tensor [Op:{self.name}]"
                )
        return self.call_and_pack(flat)

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.name} at 0x{id(self):X}>"
