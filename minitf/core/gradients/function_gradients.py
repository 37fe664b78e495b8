"""The backward graph of a function, for the gradients of branches and loops.

`gradients` builds it inside a graph whose outer graph is the function. It captures the values of
the forward run that it needs. Each capture becomes an output of the forward operation:

    forward body      x ──> Exp ──> e ──> ...            e becomes one more output
    its backward      dy, e (captured) ──> Mul ──> dx    and an input here
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from minitf.core.gradients.gradients import gradients, is_trainable
from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.op_def import OpDef, unchanged_shape
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.lists import empty_list


class Body(FuncGraph):
    """A branch, or the body of a loop.

    In TensorFlow its operations belong to the outer graph. So that graph finds them by name, and
    one that is used there becomes an output of the operation that runs this graph.
    """

    _ways_out: dict[type, Callable[[Tensor], Any]] = {}
    _given_out: dict[Any, Any] = {}  # from what was asked for to what stands for it outside

    def let_out(self, ways_out: dict[type, Callable[[Tensor], Any]]) -> None:
        """Makes the operations known outside.

        Args:
          ways_out: by the class of what may be asked for: the function that adds an output for a
            tensor of this graph, and returns what stands for it outside.
        """
        if not self.root.runs_at_once:
            self._ways_out, self._given_out = ways_out, {}
            self._known.maps[1].update(self._nodes_by_name)
            self.root._unfetchable.update(self.get_operations())

    def give_out(self, element: Any, graph: Any) -> Any:
        """As in `Graph`; the element that stands for an operation waits for it."""
        if type(element) not in self._ways_out or _stands_in(graph, self):
            return element
        if element not in self._given_out:
            op = getattr(element, "op", element)
            with self.as_default(), stacks.control_dependencies([op]), name_scope(f"{op.name}/"):
                value = identity(constant(True) if op is element else element)
            with (
                self.outer.as_default(),
                name_scope(f"{op.name}/"),
                stacks.control_dependencies(None),
            ):
                self._given_out[element] = self._ways_out[type(element)](value)
        return self.outer.give_out(self._given_out[element], graph)


def _stands_in(graph: Any, other: FuncGraph) -> bool:
    return graph is other or isinstance(graph, FuncGraph) and _stands_in(graph.outer, other)


class Backward(FuncGraph):
    """The gradient of a function; its outer graph is the function.

    Args:
      function: a branch, the body of a loop, or a traced function.
    """

    def __init__(self, function: FuncGraph) -> None:
        super().__init__(f"{function.name}_grad", function)

    def capture(self, tensor: Tensor) -> Tensor:
        """As `FuncGraph.capture`; of a variable changed in the function, its value there."""
        inner = isinstance(self.outer, FuncGraph) and getattr(tensor, "graph", None) is self.outer
        if inner and tensor.dtype._is_ref_dtype and tensor.op.type != "RefArgument":
            known = self._captured.get(tensor)
            if known is None:
                with self.outer.as_default():
                    known = self._captured[tensor] = super().capture(identity(tensor))
            return known
        return super().capture(tensor)

    def _is_copied(self, tensor: Tensor) -> bool:
        return tensor.op.type == "Const" and tensor.op.name not in self._nodes_by_name

    def add_gradients(
        self, ys: Sequence[Tensor], xs: Sequence[Tensor], like: Sequence[Tensor]
    ) -> tuple[list[Tensor], list[Any]]:
        """Adds the gradients of tensors of the function.

        Args:
          ys, xs: what is differentiated, and by what.
          like: tensors with the types and shapes of the gradients that reach `ys`.
        Returns: inputs for the gradients that reach `ys`; and a gradient by each of `xs`, None
        where there is none, `IndexedSlices` where rows of a table are looked up.
        """
        given = self.add_inputs(like)
        return given, gradients(list(ys), list(xs), given) if ys else [None] * len(xs)

    def add_inputs(self, like: Sequence[Tensor]) -> list[Tensor]:
        """New inputs with the types and shapes of some tensors."""
        return [self.add_input(t.dtype.base_dtype, t.shape) for t in like]

    def whole(self, gradient: Any) -> Tensor | None:
        """A gradient as a tensor of this graph."""
        return None if gradient is None else self.capture(convert_to_tensor(gradient))

    def or_zeros(self, gradient: Tensor | None, x: Tensor) -> Tensor:
        """A gradient by `x`, of the function; zeros where there is none."""
        return self.capture(zeros_of(x)) if gradient is None else gradient

    def stand_in(self, source: Tensor | None, like: Tensor) -> Tensor:
        """The input captured for `source`, or a new one with the dtype and shape of `like`."""
        inner = None if source is None else self._captured.get(source)
        return self.add_input(like.dtype, like.shape, "unused") if inner is None else inner

    def set_inputs(self, inputs: Sequence[Tensor]) -> None:
        """Replaces the list of inputs: the operation that runs this graph will give all of them."""
        self.inputs = list(inputs)
        self._outside = {}


def shapes_given(*inputs: Any, shapes: Sequence[Any], **attrs: Any) -> list[Any]:
    """The shape function of operations that run functions: the attribute `shapes`."""
    return list(shapes)


def gives_what_it_gets(op_def: OpDef) -> None:
    """Declares shape and gradient of an operation that passes its one input on."""
    op_def.shape(unchanged_shape)
    op_def.gradient(lambda op, dy: dy)


def check_condition(tensor: Tensor, which: str) -> None:
    """Checks the condition of a branch or loop.

    Args:
      tensor: the condition.
      which: the input of TensorFlow's operation that would take it.
    Raises:
      TypeError, ValueError: when it is no Boolean, or no scalar.
    """
    if tensor.dtype.base_dtype != dtypes.bool:
        have = tensor.dtype.base_dtype.name
        text = f"Input {which} Op has type {have} that does not match expected type of bool."
        raise TypeError(text)
    if tensor.shape.ndims not in (None, 0):
        raise ValueError(f"Shape must be rank 0 but is rank {tensor.shape.ndims}")


def zeros_of(tensor: Tensor) -> Tensor:
    """Zeros in the shape of a tensor; of a list, a list in which nothing is written."""
    return empty_list() if tensor.dtype == dtypes.variant else zeros_like(tensor)


def reached_inputs(graph: FuncGraph, outputs: Iterable[Tensor]) -> set[int]:
    """The indices of the inputs that a gradient of `outputs` may reach."""
    seen: set[Any] = set()
    stack = [tensor for tensor in outputs if is_trainable(tensor)]
    while stack:
        tensor = stack.pop()
        if tensor not in seen:
            seen.add(tensor)
            stack += [t for t in tensor.op.inputs if is_trainable(t)]
    return {index for index, tensor in enumerate(graph.inputs) if tensor in seen}


def adopt_captures(op: Any, parameters: int, one: FuncGraph, other: FuncGraph) -> list[Tensor]:
    """Adds inputs that the two functions of an operation captured after it was made.

    A gradient may use an outer tensor that the forward run does not use.

    Args:
      op: the operation.
      parameters: how many of its inputs come before those that were captured.
      one, other: its functions.
    Returns: the new inputs.
    """
    one.share_captures(other)
    new = [outside for outside, _ in one.captures[len(op.inputs) - parameters :]]
    op._inputs = (*op.inputs, *new)
    for tensor in new:
        tensor._consumers.append(op)
    return new


def add_output(op: Any, tensor: Tensor, dtype: Any, shape: Any) -> Tensor:
    """Gives an operation one more output, that of `tensor` of its function."""
    op.attrs["types"] = (*op.attrs["types"], dtype)
    op.attrs["shapes"] = (*op.attrs["shapes"], shape)
    output = Tensor(op, len(op.outputs), dtype, shape)
    op.outputs.append(output)
    op.graph._mutations += 1  # plans made before do not know of it
    return output
