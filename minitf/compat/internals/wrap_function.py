"""`tensorflow.python.eager.wrap_function`: a graph of version 1 as a function for eager execution.

    f = wrap_function(lambda x: x * tf.get_variable("w", []), [tf.TensorSpec([], tf.float32)])
    f(2.0) ──feeds──> its own graph, in a session of its own ──> eager tensors

Its variables belong to that graph. They get their initial values once, right after the graph is
built.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.graph import nest
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.graph import Graph
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import placeholder
from minitf.core.runtime.session.session import Session
from minitf.core.variables.initialization import (
    global_variables,
    local_variables,
    variables_initializer,
)
from minitf.library.eager.type_specs import TensorSpec


class WrappedFunction:
    """A graph, its inputs and its outputs; see `wrap_function`."""

    def __init__(self, fn: Callable, signature: Sequence[Any]) -> None:
        self.graph = Graph()
        with self.graph.as_default():
            given = [
                placeholder(spec.dtype, spec.shape) if isinstance(spec, TensorSpec) else spec
                for spec in signature
            ]
            self.structured_outputs = fn(*given)
        self.inputs = [each for each in given if isinstance(each, Tensor)]
        with self.graph.as_default():
            self.variables = global_variables() + local_variables()
            start = variables_initializer(self.variables)
        self._fetched = [each for each in nest.flatten(self.structured_outputs) if each is not None]
        self._session = Session(graph=self.graph)
        if self.variables:
            self._session.run(start)

    @property
    def outputs(self) -> list[Any]:
        """The output tensors, flat."""
        return list(self._fetched)

    def __call__(self, *args: Any) -> Any:
        """Runs the graph on values and gives values, arranged as the function's result."""
        plain = (arg.numpy() if hasattr(arg, "numpy") else arg for arg in args)
        feeds = dict(zip(self.inputs, plain, strict=True))
        values = iter(self._session.run(self._fetched, feeds))
        flat: list[Any] = []
        for each in nest.flatten(self.structured_outputs):
            value = None if each is None else next(values)
            flat.append(None if value is None else convert_to_tensor(value))
        return nest.pack_sequence_as(self.structured_outputs, flat)


def wrap_function(fn: Callable, signature: Sequence[Any], name: str | None = None) -> Any:
    """Builds a graph of what `fn` does and gives it as a function.

    Args:
      fn: the function; it may use whatever builds graphs, `get_variable` too.
      signature: a `TensorSpec` for each of its arguments, or an object that it gets as it is.
      name: not used.
    Returns: a callable, with `graph`, `variables`, `inputs` and `outputs`.
    """
    return WrappedFunction(fn, signature)
