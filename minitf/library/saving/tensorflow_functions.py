"""Functions of a graph's library in TensorFlow's files.

    PartitionedCall(f) ──> the operations of f, named "call/...", and an IdentityN of its results
    If, While          ──> FunctionDefs, which our If and While have, too

In a function an input is called "argument" or "node:output:0"; here all are called as in graphs.
A file may come from anyone: a function that calls itself, and calls that double and double again,
end in a `ValueError`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from minitf.core.graph.graph_def import NodeDef
from minitf.library.formats.graph_message import Function, FunctionName, GraphMessage
from minitf.library.saving.tensorflow_ops import their_op

_CALLS = ("PartitionedCall", "StatefulPartitionedCall")
MOST_NODES = 200_000  # that functions may become
_DEEPEST = 100  # calls inside of each other


class Body:
    """The operations of a function for one use of it, named as in a graph.

    Args:
      function: the function.
      renamed: the name of a node of it in the graph.
      given: what stands for its arguments.
    """

    def __init__(
        self, function: Function, renamed: Callable[[str], str], given: Sequence[str]
    ) -> None:
        if len(given) != len(function.inputs):
            raise ValueError(
                f"The function '{function.name}' takes {len(function.inputs)} values, and gets "
                f"{len(given)}."
            )
        self._arguments = dict(zip(function.inputs, given, strict=True))
        self._names = {node.name: renamed(node.name) for node in function.node}
        self._places = {node.name: _places(node) for node in function.node}
        self.nodes = [
            NodeDef(
                self._names[node.name],
                node.op,
                [self._source(source) for source in node.input],
                node.device,
                dict(node.attrs),
            )
            for node in function.node
        ]
        self.returns = [self._source(function.returns.get(key, key)) for key in function.outputs]
        self.controls = [f"^{self._names[name]}" for name in function.controls]

    def _source(self, source: str) -> str:
        if source.startswith("^"):
            name = source[1:]
            outside = self._arguments.get(name)
            return f"^{self._names[name] if outside is None else outside.partition(':')[0]}"
        if source in self._arguments:
            return self._arguments[source]
        name, _, place = source.partition(":")
        output, _, index = place.partition(":")
        if output.isdigit() or not output:
            return f"{self._names[name]}:{output or 0}"
        flat = self._places[name].get((output, int(index or 0)), int(index or 0))
        return f"{self._names[name]}:{flat}"


def _places(node: NodeDef) -> dict[tuple[str, int], int]:
    """Which output of a node it is that a function calls by a name and a number."""
    their = their_op(node.op)
    return {} if their is None else {p: i for i, p in enumerate(their.output_places(node.attrs))}


def without_calls(message: GraphMessage, nodes: Sequence[NodeDef]) -> list[NodeDef]:
    """The nodes, with the operations of functions in the place of calls.

    Raises:
      ValueError: when a function is missing or calls itself, or there are too many.
    """
    found: list[NodeDef] = []
    _expand(message.library, nodes, (), found)
    return found


def _expand(
    library: dict[str, Function],
    nodes: Sequence[NodeDef],
    inside: tuple[str, ...],
    found: list[NodeDef],
) -> None:
    for node in nodes:
        if node.op not in _CALLS and node.op not in library:
            found.append(node)
            continue
        called = node.attrs.get("f") if node.op in _CALLS else FunctionName(node.op)
        function = function_of(library, node, called, inside)
        sources = node.data_inputs
        waits = node.input[len(sources) :]
        body = Body(function, f"{node.name}/{{}}".format, sources)
        for each in body.nodes:
            each.input += [wait for wait in waits if each.op != "Const"]
        _expand(library, body.nodes, (*inside, function.name), found)
        kind = "IdentityN" if body.returns else "NoOp"
        found.append(NodeDef(node.name, kind, [*body.returns, *body.controls, *waits], node.device))
        if len(found) > MOST_NODES:
            raise ValueError(f"The calls of functions become more than {MOST_NODES} operations.")


def function_of(
    library: dict[str, Function], node: NodeDef, called: object, inside: tuple[str, ...] = ()
) -> Function:
    """The function that an attribute of a node names.

    Args:
      library: all functions.
      node: the node, for messages.
      called: the attribute.
      inside: the functions that the node stands in.
    Raises:
      ValueError: when there is none, or it calls itself.
    """
    if not isinstance(called, FunctionName) or called.name not in library:
        name = called.name if isinstance(called, FunctionName) else called
        raise ValueError(
            f"Node '{node.name}' ({node.op}) calls the function '{name}', which is not in the "
            "graph's library."
        )
    if called.name in inside or len(inside) > _DEEPEST:
        raise ValueError(f"Node '{node.name}': the function '{called.name}' calls itself.")
    return library[called.name]
