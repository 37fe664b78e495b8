"""The map of a functional model: which calls of layers lie between its inputs and its outputs.

    a ── dense ──> b ──┐
                       ├── add ──> c        depth: add 0, dense 1, the inputs 2
    a ─────────────────┘

A call's depth is its longest way to an output. Calls run from the deepest up, and the layers of a
model are listed in this order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from minitf.core.graph import nest
from minitf.library.keras.engine.node import Node, history_of


def refuse_legacy(layers: Iterable[Any]) -> None:
    """Raises unless all layers are Keras's own.

    Raises:
      TypeError: when some are of `tf.layers`, whose variables belong to variable scopes.
    """
    found = "\n".join(f"  {layer}" for layer in layers if layer._is_legacy_layer)
    if found:
        raise TypeError(
            f"The following are legacy tf.layers.Layers:\n{found}\nTo use keras as a framework "
            "(for instance using the Network, Model, or Sequential classes), please use the "
            "tf.keras.layers implementation instead. (Or, if writing custom layers, subclass "
            "from tf.keras.layers rather than tf.layers)"
        )


def node_of(tensor: Any) -> Node:
    """The call that gave a tensor."""
    layer, node_index, _ = tensor._keras_history
    return layer._inbound_nodes[node_index]


def source_inputs(tensor: Any) -> list[Any]:
    """The tensors of the `Input`s that a tensor is computed from, in the order of its inputs."""
    found: dict[int, Any] = {}
    waiting, seen = [tensor], set()
    while waiting:
        each = waiting.pop()
        node = node_of(each)
        if node.is_input:
            found[id(each)] = each
        elif node not in seen:
            seen.add(node)
            waiting += reversed([inner for _, inner in node.iterate_inbound()])
    return list(found.values())


class Map:
    """What stands between inputs and outputs.

    Attributes:
      by_depth: the calls, the deepest first.
      layers: the layers, in the order in which they run.

    Raises:
      ValueError: when an output needs more than the inputs, or two layers have one name.
    """

    def __init__(self, inputs: list[Any], outputs: list[Any]) -> None:
        met, finished = _walk(outputs)
        order: dict[Any, int] = {}
        for node in met:
            order.setdefault(node.outbound_layer, len(order))
        depths: dict[Node, int] = {}
        layer_depths: dict[Any, int] = {}
        for node in reversed(finished):
            depth = max(depths.get(node, 0), layer_depths.get(node.outbound_layer, 0))
            depths[node] = layer_depths[node.outbound_layer] = depth
            for parent in node.parents:
                depths[parent] = max(depth + 1, depths.get(parent, 0))
        for tensor in inputs:  # an input that no output needs
            node = node_of(tensor)
            if node.outbound_layer not in layer_depths:
                depths[node] = layer_depths[node.outbound_layer] = 0
                order[node.outbound_layer] = -1
        self.nodes = set(depths)
        self.by_depth: dict[int, list[Node]] = {}
        for depth in sorted(set(depths.values()), reverse=True):
            self.by_depth[depth] = [node for node, each in depths.items() if each == depth]
        self.layers = sorted(layer_depths, key=lambda x: (-layer_depths[x], order[x]))
        self._check(inputs)

    def _check(self, inputs: list[Any]) -> None:
        known = {id(tensor) for tensor in inputs}
        passed: list[str] = []
        for nodes in self.by_depth.values():
            for node in nodes:
                name = node.outbound_layer.name
                for tensor in nest.flatten(node.input_tensors):
                    if id(tensor) not in known:
                        raise ValueError(
                            f"Graph disconnected: cannot obtain value for tensor {tensor} at layer "
                            f'"{name}". The following previous layers were accessed without issue: '
                            f"{passed}"
                        )
                known.update(map(id, nest.flatten(node.output_tensors)))
                passed.append(name)
        for name, count in Counter(layer.name for layer in self.layers).items():
            if count > 1:
                raise ValueError(
                    f'The name "{name}" is used {count} times in the model. All layer names should '
                    "be unique."
                )


def _walk(outputs: list[Any]) -> tuple[list[Node], list[Node]]:
    """The calls before some tensors, depth first: as they are met, and after those before them."""
    met: dict[Node, None] = {}
    finished: dict[Node, None] = {}
    waiting = [(node_of(t), False) for t in reversed(outputs)]
    while waiting:
        node, ready = waiting.pop()
        if ready:
            finished[node] = None
        elif node not in met:
            met[node] = None
            waiting.append((node, True))
            waiting += [(parent, False) for parent in reversed(node.parents)]
    return list(met), list(finished)


def check_histories(tensors: list[Any], message: str) -> None:
    """Refuses tensors of which nobody knows where they come from.

    Raises:
      ValueError: when there is one; the message has "{}" where it stands.
    """
    for tensor in tensors:
        if history_of(tensor) is None:
            raise ValueError(message.format(tensor))
