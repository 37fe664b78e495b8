"""`model.summary()`: a table of the layers, with the shapes of what they give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.graph import nest

_COLUMNS = ["Layer (type)", "Output Shape", "Param #", "Connected to"]


def is_sequence(model: Any) -> bool:
    """Whether each layer of a model feeds the next one, so that no connections need be shown."""
    if type(model).__name__ == "Sequential" or not model._is_graph_network:
        return True
    levels = list(model._nodes_by_depth.values())
    if any(len(nodes) > 1 or len(nest.flatten(nodes[0].inbound_layers)) > 1 for nodes in levels):
        return False
    nodes = {node for level in levels for node in level}
    return all(sum(node in nodes for node in x._inbound_nodes) <= 1 for x in model.layers)


def count_params(weights: Sequence[Any]) -> int:
    """How many numbers some variables hold, each counted once."""
    return sum(v.shape.num_elements() or 0 for v in {id(v): v for v in weights}.values())


def print_summary(
    model: Any,
    line_length: int | None = None,
    positions: Sequence[float] | None = None,
    print_fn: Callable[[str], Any] | None = None,
) -> None:
    """Prints the layers of a model.

    Args:
      model: the model, which is built.
      line_length: in letters.
      positions: where columns end, as parts of the line or in letters.
      print_fn: gets each line; `print` by default.
    """
    write = print_fn or print
    simple = is_sequence(model)
    length = line_length or (65 if simple else 98)
    ends = positions or ([0.45, 0.85, 1.0] if simple else [0.33, 0.55, 0.67, 1.0])
    ends = [int(length * end) for end in ends] if ends[-1] <= 1 else ends
    nodes = set() if simple else {n for level in model._nodes_by_depth.values() for n in level}

    def row(fields: Sequence[Any]) -> None:
        line = ""
        for field, end in zip(fields, ends):
            line = f"{line[:-1]} {field}" if line else str(field)
            line = line[: int(end)].ljust(int(end))
        write(line)

    write(f'Model: "{model.name}"')
    write("_" * length)
    row(_COLUMNS[: len(ends)])
    write("=" * length)
    for index, layer in enumerate(model.layers):
        try:
            shape = layer.output_shape
        except AttributeError:
            shape = "multiple"
        fields = [f"{layer.name} ({type(layer).__name__})", shape, layer.count_params()]
        inbound = [
            f"{h.layer.name}[{h.node_index}][{h.tensor_index}]"
            for node in layer._inbound_nodes
            if node in nodes
            for h, _ in node.iterate_inbound()
        ]
        row([*fields, *(inbound[:1] or [""])] if not simple else fields)
        for connection in inbound[1:]:
            row(["", "", "", connection])
        write(("=" if index == len(model.layers) - 1 else "_") * length)
    trained, others = map(count_params, (model.trainable_weights, model.non_trainable_weights))
    write(f"Total params: {trained + others:,}")
    write(f"Trainable params: {trained:,}")
    write(f"Non-trainable params: {others:,}")
    write("_" * length)
