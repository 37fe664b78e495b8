"""What a layer remembers of its calls: inputs, outputs, masks, and the shapes of them.

Tensors that come from an `Input` carry their history (`node.py`); a mask travels as `_keras_mask`
of the tensor that it belongs to.

    embedding(mask_zero=True) --> h, h._keras_mask --> lstm(h) is called with mask=h._keras_mask
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from minitf.core.graph import nest, stacks
from minitf.core.ops.array import identity
from minitf.library.keras.engine.node import Node, history_of


class Connected:
    """The part of `Layer` that knows what it was called on."""

    _is_input: ClassVar[bool] = False
    _is_legacy_layer: ClassVar[bool] = False  # of `tf.layers`, which Keras's models refuse
    _masks_its_outputs = False  # whether `call` gives the outputs their masks
    name: Any
    supports_masking: bool
    _inbound_nodes: list[Node]
    _outbound_nodes: list[Node]

    #: what makes layers of operations that stand between layers
    _finders: ClassVar[list[Callable[[Any], Any]]] = []

    # ---- while it is called -------------------------------------------------------------------

    @classmethod
    def finds_history(cls, finder: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Registers what makes layers of the operations between an `Input` and some tensors."""
        cls._finders.append(finder)
        return finder

    def _connect(self, inputs: Any, outputs: Any, arguments: dict[str, Any]) -> Any:
        """Notes the call, when the inputs come from an `Input`; returns the outputs."""
        given = nest.flatten(inputs)
        if not given or any(history_of(x) is None for x in given):
            return outputs
        known = set(map(id, given))
        if any(id(x) in known for x in nest.flatten(outputs)):
            with stacks.name_scope(self.name):
                outputs = nest.map_structure(
                    lambda x: identity(x) if id(x) in known else x, outputs
                )
        kept = {key: value for key, value in arguments.items() if key not in ("mask", "scope")}
        Node(self, inputs, outputs, kept).mark()
        return outputs

    def _input_masks(self, inputs: Any) -> Any:
        """The masks of the inputs; None when none has one."""
        masks = nest.map_structure(lambda x: getattr(x, "_keras_mask", None), inputs)
        return None if all(mask is None for mask in nest.flatten(masks)) else masks

    def _set_masks(self, inputs: Any, outputs: Any, previous: Any) -> None:
        flat = nest.flatten(outputs)
        masks = [getattr(x, "_keras_mask", None) for x in flat]
        if self._masks_its_outputs or all(mask is not None for mask in masks):
            return
        overridden = type(self).compute_mask.__qualname__ != "Layer.compute_mask"  # type: ignore[attr-defined]
        if not (self.supports_masking or overridden):
            return
        masks = self.compute_mask(inputs, previous)  # type: ignore[attr-defined]
        for output, mask in zip(flat, [None] * len(flat) if masks is None else nest.flatten(masks)):
            if mask is not None:
                output._keras_mask = mask

    # ---- afterwards ---------------------------------------------------------------------------

    @property
    def inbound_nodes(self) -> list[Node]:
        """The calls of this layer."""
        return self._inbound_nodes

    @property
    def outbound_nodes(self) -> list[Node]:
        """The calls of other layers on outputs of this one."""
        return self._outbound_nodes

    def _at_node(self, index: int, attribute: str, what: str) -> Any:
        if not self._inbound_nodes:
            raise RuntimeError(f"The layer has never been called and thus has no defined {what}.")
        if index >= len(self._inbound_nodes):
            raise ValueError(
                f"Asked to get {what} at node {index}, but the layer has only "
                f"{len(self._inbound_nodes)} inbound nodes."
            )
        return _alone(getattr(self._inbound_nodes[index], attribute))

    def get_input_at(self, node_index: int) -> Any:
        """The inputs of a call."""
        return self._at_node(node_index, "input_tensors", "input")

    def get_output_at(self, node_index: int) -> Any:
        """The outputs of a call."""
        return self._at_node(node_index, "output_tensors", "output")

    def get_input_shape_at(self, node_index: int) -> Any:
        """The static shapes of the inputs of a call, as tuples."""
        return self._at_node(node_index, "input_shapes", "input shape")

    def get_output_shape_at(self, node_index: int) -> Any:
        """The static shapes of the outputs of a call, as tuples."""
        return self._at_node(node_index, "output_shapes", "output shape")

    def get_input_mask_at(self, node_index: int) -> Any:
        """The masks of the inputs of a call."""
        return _masks(self.get_input_at(node_index))

    def get_output_mask_at(self, node_index: int) -> Any:
        """The masks of the outputs of a call."""
        return _masks(self.get_output_at(node_index))

    def _only(self, attribute: str, what: str, missing: str) -> Any:
        if not self._inbound_nodes:
            raise AttributeError(missing)
        found = [getattr(node, attribute) for node in self._inbound_nodes]
        if attribute.endswith("tensors"):
            return _alone(found[0])
        if any(each != found[0] for each in found[1:]):
            raise AttributeError(
                f'The layer "{self.name}" has multiple inbound nodes, with different {what}s. '
                f'Hence the notion of "{what}" is ill-defined for the layer. Use '
                f"`get_{what.replace(' ', '_')}_at(node_index)` instead."
            )
        return found[0]

    @property
    def input(self) -> Any:
        """The inputs of the first call.

        Raises:
          AttributeError: when there was no call.
        """
        missing = f"Layer {self.name} is not connected, no input to return."
        return self._only("input_tensors", "input", missing)

    @property
    def output(self) -> Any:
        """The outputs of the first call; raises as `input`."""
        return self._only("output_tensors", "output", f"Layer {self.name} has no inbound nodes.")

    @property
    def input_shape(self) -> Any:
        """The static shapes of the inputs, as tuples.

        Raises:
          AttributeError: when there was no call, or calls differ.
        """
        missing = "The layer has never been called and thus has no defined input shape."
        return self._only("input_shapes", "input shape", missing)

    @property
    def output_shape(self) -> Any:
        """The static shapes of the outputs, as tuples; raises as `input_shape`."""
        missing = "The layer has never been called and thus has no defined output shape."
        return self._only("output_shapes", "output shape", missing)

    @property
    def input_mask(self) -> Any:
        """The masks of the inputs of the first call."""
        return _masks(self.input)

    @property
    def output_mask(self) -> Any:
        """The masks of the outputs of the first call."""
        return _masks(self.output)


def _masks(tensors: Any) -> Any:
    return nest.map_structure(lambda x: getattr(x, "_keras_mask", None), tensors)


def _alone(structure: Any) -> Any:
    """What stands alone in a list, without the list."""
    return structure[0] if isinstance(structure, list) and len(structure) == 1 else structure
