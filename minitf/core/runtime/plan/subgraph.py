"""The part of a graph that one run needs, as nodes that placing and partitioning may rewrite.

A run never changes operations. `prune` copies those that the fetches need into `Node`s, adds an
`_Arg` for each feed and a `_Retval` for each fetch, and orders the nodes so that each one follows
all that it waits for.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from minitf.core.graph import errors
from minitf.core.graph.dtypes import DType
from minitf.core.graph.graph import Graph
from minitf.core.graph.graph_def import NodeDef
from minitf.core.graph.op_def import OpDef, get_op_def, op
from minitf.core.graph.shapes import TensorShape
from minitf.core.runtime.run.rendezvous import Key


@dataclass(eq=False, slots=True)
class Node:
    """One operation of a plan.

    Args:
      name, op_def, attrs: as the operation has them.
      inputs: where each input comes from: (node, which of its outputs).
      controls: nodes that must run first.
      device: the device asked for; after placing the full name of the one that it runs on.
      dtypes, shapes: of the outputs, as inferred.
      op: the operation of the client's graph, when that is in this process.
    """

    name: str
    op_def: OpDef
    attrs: dict[str, Any]
    inputs: list[tuple[Node, int]] = field(default_factory=list)
    controls: list[Node] = field(default_factory=list)
    device: str = ""
    dtypes: list[DType] = field(default_factory=list)
    shapes: list[TensorShape] = field(default_factory=list)
    op: Any = None

    @property
    def type(self) -> str:
        """The type of the operation."""
        return self.op_def.type

    def __repr__(self) -> str:
        return f"<Node {self.name!r} {self.type} on {self.device!r}>"


class Private:
    """An attribute for one plan only; `to_node_defs` writes it as text."""


class Group(Private):
    """Several operations that one node computes.

    Attributes:
      members: the operations; each one follows those that it reads.
    """

    members: Sequence[Node]

    def text(self, names: Sequence[str]) -> str:
        """Returns the formula, for operands of these names."""
        raise NotImplementedError


def group_of(node: Node) -> Group | None:
    """Returns the operations that a pass has joined in a node; None for a single operation."""
    group = node.attrs.get("group")
    return group if isinstance(group, Group) else None


def operations_of(node: Node) -> Sequence[Node]:
    """Returns the operations that a node computes: itself, or the members of its group."""
    group = group_of(node)
    return [node] if group is None else group.members


def argument(
    name: str, index: int, tensor_name: str, dtype: DType, shape: TensorShape, of: Any
) -> Node:
    """Returns an `_Arg` node for a fed tensor of the operation or node `of`."""
    attrs = {"index": index, "dtype": dtype, "tensor_name": tensor_name}
    op = of.op if isinstance(of, Node) else of
    return Node(name, get_op_def("_Arg"), attrs, [], [], of.device, [dtype], [shape], op)


def result(name: str, index: int, value: tuple[Node, int]) -> Node:
    """Returns a `_Retval` node for the fetch `index`."""
    return Node(name, get_op_def("_Retval"), {"index": index}, [value])


def reading(variable: tuple[Node, int], name: str, controls: Sequence[Node], of: Any) -> Node:
    """Returns a node that reads a variable on its device, after `controls`, for `of`."""
    op_def, (source, index) = get_op_def("Identity"), variable
    attrs, dtype = op_def.complete_attrs({}), source.dtypes[index].base_dtype
    shapes = [source.shapes[index]]
    return Node(name, op_def, attrs, [variable], list(controls), source.device, [dtype], shapes, of)


def edge_name(source: Node, index: int) -> str:
    """Returns the name of the tensor on an edge, as 'W/read:0'; of a feed, its graph name."""
    if source.type == "_Arg":
        return source.attrs["tensor_name"]
    return f"{source.name}:{index}"


def prune(fetches: Sequence[Any], targets: Iterable[Any], feeds: Sequence[Any]) -> list[Node]:
    """Returns the nodes that a run needs, in an order that they can run in.

    An operation without effects whose value is not read is left out, even when others wait for it;
    they then wait for its own dependencies. (The gradients of constants, for example, are grouped
    with others and never read.)

    Args:
      fetches: tensors to return; each gets a `_Retval` node with its index.
      targets: operations to run.
      feeds: tensors given by the caller; each that is needed gets an `_Arg` node with its index.
    Raises:
      InvalidArgumentError: when the graph has a cycle.
    """
    fed = {tensor: index for index, tensor in enumerate(feeds)}
    roots = [t if t in fed else t.op for t in fetches] + list(targets)
    pruner = _Pruner(fed)
    pruner.need(roots)
    order, made = pruner.ordered(roots)
    for index, tensor in enumerate(fetches):
        source = (made[tensor], 0) if tensor in fed else (made[tensor.op], tensor.value_index)
        name = f"_retval_{tensor.op.name}_{tensor.value_index}_{index}"
        order.append(result(name, index, source))
    return order


class _Pruner:
    """Finds the operations and feeds that a run needs. An item is an operation or a fed tensor."""

    def __init__(self, fed: dict[Any, int]) -> None:
        self._fed = fed
        self._needed: set[Any] = set()
        self._waits: dict[Any, list[Any]] = {}  # operation left out -> what to wait for instead

    def _reads(self, item: Any) -> list[Any]:
        if item in self._fed:
            return []
        return [t if t in self._fed else t.op for t in item.inputs]

    def _controls(self, item: Any) -> Sequence[Any]:
        return () if item in self._fed else item.control_inputs

    def need(self, roots: Iterable[Any]) -> None:
        """Marks what the roots need: all that they read, and stateful operations they wait for."""
        reached: set[tuple[Any, bool]] = set()
        stack = [(root, True) for root in roots]  # (item, whether its value is needed)
        while stack:
            item, value = stack.pop()
            if (item, value) in reached:
                continue
            reached.add((item, value))
            value = (
                value
                or item not in self._fed
                and (item.op_def.stateful or item.type in ("Merge", "Exit"))
            )
            if value and item not in self._needed:
                self._needed.add(item)
            stack += [(i, value) for i in self._reads(item)]
            stack += [(c, False) for c in self._controls(item)]

    def _instead(self, item: Any) -> list[Any]:
        """Returns the items to wait for in place of `item`: itself, or its needed dependencies."""
        if item in self._needed:
            return [item]
        if item not in self._waits:
            found: dict[Any, None] = {}
            stack, seen = [item], {item}
            while stack:
                for before in [*(top := stack.pop()).control_inputs, *self._reads(top)]:
                    if before in self._needed:
                        found[before] = None
                    elif before not in seen and before not in self._fed:
                        seen.add(before)
                        stack.append(before)
            self._waits[item] = list(found)
        return self._waits[item]

    def ordered(self, roots: Iterable[Any]) -> tuple[list[Node], dict[Any, Node]]:
        """Returns the needed nodes, each after its dependencies, and the node of each item.

        The search has its own stack: graphs are deeper than Python's recursion limit.
        """
        made: dict[Any, Node] = {}
        order: list[Node] = []
        controls: dict[Any, list[Any]] = {}
        open_items: set[Any] = set()
        stack = [(root, False) for root in reversed(list(roots))]
        while stack:
            item, ready = stack.pop()
            if item in made:
                continue
            if ready:
                open_items.discard(item)
                made[item] = _make_node(item, self._fed, made, controls[item])
                order.append(made[item])
                continue
            if item in open_items:
                raise errors.InvalidArgumentError.of(
                    f"The graph has a cycle through '{item.name}'."
                )
            open_items.add(item)
            controls[item] = list(
                dict.fromkeys(w for c in self._controls(item) for w in self._instead(c))
            )
            stack.append((item, True))
            before = [*controls[item], *self._reads(item)]
            stack += [(b, False) for b in reversed(before) if b not in made]
        return order, made


def _make_node(item: Any, fed: dict, made: dict[Any, Node], controls: list[Any]) -> Node:
    if item in fed:
        name, dtype = f"_arg_{item.op.name}_{item.value_index}", item.dtype.base_dtype
        return argument(name, fed[item], item.name, dtype, item.shape, item.op)
    inputs = [(made[t], 0) if t in fed else (made[t.op], t.value_index) for t in item.inputs]
    return Node(
        item.name,
        item.op_def,
        item.attrs,
        inputs,
        [made[c] for c in controls],
        item.device,
        [t.dtype for t in item.outputs],
        [t.shape for t in item.outputs],
        item,
    )


class Snapshot:
    """A copy of nodes, from which `explain` starts again before the first pass.

    Args:
      nodes: each after all that it reads and waits for.
    """

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._kept = [(node, list(node.inputs), list(node.controls)) for node in nodes]

    def __eq__(self, other: object) -> bool:
        """Whether the nodes, their inputs and their controls are the same."""
        return isinstance(other, Snapshot) and self._kept == other._kept

    __hash__ = None  # type: ignore[assignment]

    def nodes(self) -> list[Node]:
        """Returns copies of the nodes."""
        made: dict[Node, Node] = {}
        for node, inputs, controls in self._kept:
            made[node] = dataclasses.replace(
                node,
                inputs=[(made[source], index) for source, index in inputs],
                controls=[made[before] for before in controls],
            )
        return list(made.values())


def with_inner(nodes: Iterable[Any]) -> Iterator[Any]:
    """Yields the nodes, and the operations of the functions that they run, at any depth."""
    for node in nodes:
        yield node
        for value in node.attrs.values():
            if isinstance(value, Graph):
                yield from with_inner(value.get_operations())


def to_node_defs(nodes: Iterable[Node]) -> list[NodeDef]:
    """Converts nodes to data for another process, with dtypes and shapes."""
    result = []
    for node in nodes:
        inputs = [s.name if i == 0 else f"{s.name}:{i}" for s, i in node.inputs]
        inputs += ["^" + c.name for c in node.controls]
        attr = {
            **{k: str(v) if isinstance(v, Private) else v for k, v in node.attrs.items()},
            "_output_types": tuple(node.dtypes),
            "_output_shapes": tuple(node.shapes),
        }
        result.append(NodeDef(node.name, node.type, inputs, node.device, attr))
    return result


# ---- endpoints ---------------------------------------------------------------------------
#
# Values enter and leave a partition through `_Arg`, `_Retval`, `_Send` and `_Recv`.
#
# They are declared as ops, so that a partition is an ordinary graph that can be serialized and
# drawn. They have no kernels: the emitter writes each as a part of the program (a parameter, the
# return, a call of the rendezvous).

_REASON = "the emitter writes it as a statement; tests/core/runtime/test_devices.py sends some"


def _no_kernel(name: str) -> NoReturn:
    raise NotImplementedError(f"{name} runs only inside a plan.")


@op("_Arg", "-> value: dtype", recordable=True, no_samples=_REASON, differentiable=False)
def arg_op(ctx: Any, *, index: int, dtype: Any, tensor_name: str) -> NoReturn:
    """The value fed under `index` for the tensor `tensor_name`."""
    _no_kernel("_Arg")


@op("_Retval", "value: T ->", recordable=True, no_samples=_REASON, differentiable=False)
def retval_op(ctx: Any, value: Any, *, index: int) -> NoReturn:
    """Returns `value` as the fetch `index`."""
    _no_kernel("_Retval")


@op("_Send", "tensors: N*T ->", no_samples=_REASON, differentiable=False)
def send_op(
    ctx: Any, tensors: Any, *, tensor_name: str, send_device: str, recv_device: str
) -> NoReturn:
    """Gives a tensor to the rendezvous; without one, a control dependency. Never blocks."""
    _no_kernel("_Send")


@op("_Recv", "-> tensor: dtype", no_samples=_REASON, differentiable=False)
def recv_op(
    ctx: Any, *, tensor_name: str, send_device: str, recv_device: str, dtype: Any
) -> NoReturn:
    """Waits for the tensor that the `_Send` with the same names gives to the rendezvous."""
    _no_kernel("_Recv")


def rendezvous_key(attrs: dict[str, Any]) -> Key:
    """Returns the key that a `_Send` and its `_Recv` share."""
    return Key.of(attrs["send_device"], attrs["recv_device"], attrs["tensor_name"])


def short_device(name: str) -> str:
    """Returns a short name of a device for one program: 'GPU:0', with its task in a cluster."""
    job, _, device = name.partition("/device:")
    return device if job.startswith("/job:localhost") else name
