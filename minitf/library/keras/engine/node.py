"""`Node`: one call of a layer, which joins the tensors that went in to those that came out.

    a = Input([4])          InputLayer ── node 0 ──> a
    b = dense(a)                          a ── node 0 of dense ──> b
    c = dense(b)                          b ── node 1 of dense ──> c

Each tensor that comes from an `Input` remembers in `_keras_history` which node of which layer made
it. A model follows these marks back from its outputs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from minitf.core.graph import nest
from minitf.core.graph.composites import is_composite
from minitf.core.graph.tensor import Tensor
from minitf.library.keras.backend.values import int_shape


class KerasHistory(NamedTuple):
    """Where a tensor comes from: output `tensor_index` of the call `node_index` of `layer`."""

    layer: Any
    node_index: int
    tensor_index: int


def history_of(tensor: Any) -> KerasHistory | None:
    """Where a tensor comes from; None when no layer made it from an `Input`."""
    return getattr(tensor, "_keras_history", None)


def is_symbolic(value: Any) -> bool:
    """Whether a value is a tensor of a graph, which has no value yet."""
    if isinstance(value, Tensor):
        return not value.has_value
    return is_composite(value) and any(map(is_symbolic, value._components()))


class Node:
    """One call of a layer.

    Args:
      outbound_layer: the layer that was called.
      input_tensors, output_tensors: nests of tensors; the inputs have a history.
      arguments: what it was called with besides, by name.
    """

    def __init__(
        self,
        outbound_layer: Any,
        input_tensors: Any,
        output_tensors: Any,
        arguments: dict[str, Any] | None = None,
    ) -> None:
        self.outbound_layer = outbound_layer
        self.input_tensors = input_tensors
        self.output_tensors = output_tensors
        self.arguments = arguments or {}
        self.index = len(outbound_layer._inbound_nodes)
        outbound_layer._inbound_nodes.append(self)

    def mark(self) -> None:
        """Tells the layers before that this call follows, and the outputs where they come from."""
        for layer in dict.fromkeys(history.layer for history, _ in self.iterate_inbound()):
            layer._outbound_nodes.append(self)
        for number, tensor in enumerate(nest.flatten(self.output_tensors)):
            tensor._keras_history = KerasHistory(self.outbound_layer, self.index, number)
            tensor._keras_shape = tensor._shape_tuple()  # programs of Keras 2.2 ask for it

    @property
    def is_input(self) -> bool:
        """Whether the tensors come in here, from no layer before."""
        return self.outbound_layer._is_input

    def iterate_inbound(self) -> Iterator[tuple[KerasHistory, Any]]:
        """Each input tensor, after its history. An input of the model comes from nowhere."""
        if self.is_input:
            return
        for tensor in nest.flatten(self.input_tensors):
            yield tensor._keras_history, tensor

    @property
    def inbound_layers(self) -> Any:
        """The layers whose outputs went in, in the structure of the inputs; none of an `Input`."""
        if self.is_input:
            return []
        return nest.map_structure(lambda x: x._keras_history.layer, self.input_tensors)

    @property
    def parents(self) -> list[Node]:
        """The calls that gave the inputs, and tensors among the other arguments."""
        if self.is_input:
            return []
        tensors = [*nest.flatten(self.input_tensors), *nest.flatten(self.arguments)]
        found = [history_of(t) for t in tensors]
        return [h.layer._inbound_nodes[h.node_index] for h in found if h is not None]

    @property
    def input_shapes(self) -> Any:
        """The static shapes of the inputs, as tuples."""
        return nest.map_structure(int_shape, self.input_tensors)

    @property
    def output_shapes(self) -> Any:
        """The static shapes of the outputs, as tuples."""
        return nest.map_structure(int_shape, self.output_tensors)
