"""Calls of layers: what goes in, what is being called, and what a layer remembers of it.

    model(x, training=True)     entered: model                     `call_context`
      └─ dropout(h)             entered: dropout; `training` is the model's, True

    a = Input([4])          InputLayer ── node 0 ──> a             `Node`
    b = dense(a)                          a ── node 0 of dense ──> b
    c = dense(b)                          b ── node 1 of dense ──> c

Each tensor that comes from an `Input` remembers in `_keras_history` which node of which layer made
it. A model follows these marks back from its outputs. A mask travels as `_keras_mask` of the tensor
that it belongs to:

    embedding(mask_zero=True) --> h, h._keras_mask --> lstm(h) is called with mask=h._keras_mask
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

from minitf.core.graph import dtypes, nest, stacks
from minitf.core.graph.composites import is_composite
from minitf.core.graph.shapes import as_shape
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.library.keras.backend.session import int_shape

# ---- what a layer asks of its inputs -------------------------------------------------------------


class InputSpec:
    """What a layer asks of one input; what is None is open.

    Args:
      dtype: the element type.
      shape: the whole shape, with None for open sizes.
      ndim: the rank.
      max_ndim, min_ndim: bounds of the rank.
      axes: the sizes of some axes, as {-1: 784}.
    """

    def __init__(
        self,
        dtype: Any = None,
        shape: Any = None,
        ndim: int | None = None,
        max_ndim: int | None = None,
        min_ndim: int | None = None,
        axes: dict[int, int | None] | None = None,
    ) -> None:
        self.dtype = None if dtype is None else dtypes.as_dtype(dtype).name
        self.shape = shape
        self.ndim = len(shape) if shape is not None else ndim
        self.max_ndim, self.min_ndim = max_ndim, min_ndim
        self.axes = {int(axis): size for axis, size in (axes or {}).items()}

    def __repr__(self) -> str:
        kept = {k: v for k, v in vars(self).items() if v or v == 0}
        return f"InputSpec({', '.join(f'{k}={v}' for k, v in kept.items())})"


def assert_input_compatibility(spec: Any, inputs: Any, layer_name: str) -> None:
    """Compares the inputs of a layer with its `InputSpec`, or list of them.

    Raises:
      ValueError: when one does not fit.
    """
    if not spec:
        return
    specs, tensors = nest.flatten(spec), nest.flatten(inputs)
    if len(tensors) != len(specs):
        raise ValueError(
            f"Layer {layer_name} expects {len(specs)} inputs, but it received {len(tensors)} input "
            f"tensors. Inputs received: {inputs}"
        )
    for index, (wanted, tensor) in enumerate(zip(specs, tensors, strict=True)):
        message = None if wanted is None else _misfit(wanted, tensor)
        if message:
            raise ValueError(
                f"Input {index} of layer {layer_name} is incompatible with the layer: {message}"
            )


def _misfit(spec: InputSpec, x: Any) -> str | None:
    rank = x.shape.ndims
    bounded = (spec.ndim, spec.max_ndim, spec.min_ndim) != (None, None, None)
    if rank is None:
        return "its rank is undefined, but the layer requires a defined rank." if bounded else None
    sizes = x.shape.as_list()
    if spec.ndim is not None and rank != spec.ndim:
        return f"expected ndim={spec.ndim}, found ndim={rank}. Full shape received: {sizes}"
    if spec.max_ndim is not None and rank > spec.max_ndim:
        return f"expected max_ndim={spec.max_ndim}, found ndim={rank}"
    if spec.min_ndim is not None and rank < spec.min_ndim:
        return (
            f": expected min_ndim={spec.min_ndim}, found ndim={rank}. Full shape received: {sizes}"
        )
    if spec.dtype is not None and x.dtype.base_dtype != spec.dtype:
        return f"expected dtype={spec.dtype}, found dtype={x.dtype}"
    for axis, size in spec.axes.items():
        if size is not None and sizes[axis] not in (size, None):
            return (
                f"expected axis {axis} of input shape to have value {size} but received input with "
                f"shape {sizes}"
            )
    for wanted, found in zip(as_shape(spec.shape).as_list() if spec.shape else [], sizes):
        if wanted is not None and found not in (wanted, None):
            return f"expected shape={spec.shape}, found shape={sizes}"
    return None


# ---- what is being called ------------------------------------------------------------------------


class _CallContext(threading.local):
    """The calls of layers that are under way in one thread."""

    def __init__(self) -> None:
        self.layers: list[Any] = []  # the innermost last
        self.training: Any = None  # what the layers in it get that are not told
        self.inputs: Any = None  # of the innermost

    @property
    def in_call(self) -> bool:
        """Whether a layer is being called."""
        return bool(self.layers)

    @property
    def frozen(self) -> bool:
        """Whether a layer that is being called is not trainable."""
        return not all(layer.trainable for layer in self.layers)

    @contextlib.contextmanager
    def entered(self, layer: Any, training: Any, inputs: Any) -> Iterator[None]:
        """A context in which `layer` is being called."""
        before = self.training, self.inputs
        self.layers.append(layer)
        self.training, self.inputs = training, inputs
        try:
            yield
        finally:
            self.layers.pop()
            self.training, self.inputs = before


call_context = _CallContext()


# ---- one call ------------------------------------------------------------------------------------


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
            if isinstance(tensor, Tensor):  # programs of Keras 2.2 ask for it
                tensor._keras_shape = tensor._shape_tuple()  # type: ignore[attr-defined]

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


# ---- all calls of a layer ------------------------------------------------------------------------


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
        return alone(getattr(self._inbound_nodes[index], attribute))

    def get_input_at(self, node_index: int) -> Any:
        """The inputs of a call."""
        return self._at_node(node_index, "input_tensors", "input")

    def get_output_at(self, node_index: int) -> Any:
        """The outputs of a call."""
        return self._at_node(node_index, "output_tensors", "output")

    def get_output_shape_at(self, node_index: int) -> Any:
        """The static shapes of the outputs of a call, as tuples."""
        return self._at_node(node_index, "output_shapes", "output shape")

    def _only(self, attribute: str, what: str, missing: str) -> Any:
        if not self._inbound_nodes:
            raise AttributeError(missing)
        found = [getattr(node, attribute) for node in self._inbound_nodes]
        if attribute.endswith("tensors"):
            return alone(found[0])
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


def alone(structure: Any) -> Any:
    """What stands alone in a list, without the list."""
    return structure[0] if isinstance(structure, list) and len(structure) == 1 else structure


def distinct(name: str, taken: Sequence[str]) -> str:
    """The name, with a number where it is taken."""
    number, proposal = 0, name
    while proposal in taken:
        number += 1
        proposal = f"{name}_{number}"
    return proposal
