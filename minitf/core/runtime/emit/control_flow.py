"""Branches and loops inside a program: `If`, `While` and `Scan` become Python's own statements.

    i, x = zero, x0                     # the loop variables
    turns = []                          # a stack, when the gradient needs what each turn computed
    while rendezvous.alive:             # until the step is given up
        if not i < n: break             # the condition's operations
        mul = x * x                     # the body's operations
        turns.append(x)
        i, x = i + one, mul
    else:
        raise loop_cancelled()

A body is pruned to the values that are read, goes through the passes, and is written once. Values
that are the same in every turn are computed before the loop. A turn calls its kernels only.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from minitf.core.graph import dtypes
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.tensor import Tensor
from minitf.core.runtime.passes import PASSES, Pass, optimize
from minitf.core.runtime.passes.rewriting import Value, touches_variable
from minitf.core.runtime.plan.read_again import read_again, variables_themselves
from minitf.core.runtime.plan.subgraph import Node, argument, prune, result

if TYPE_CHECKING:
    from minitf.core.runtime.emit.emit import Emitter

#: The functions of an operation that get its inputs but the first, in the same order.
_INNER = {"Scan": ("body",), "If": ("then_branch", "else_branch")}

DEEPEST = 15  # nested statements; Python allows 20 loops


def body_nodes(
    graph: FuncGraph,
    outputs: Sequence[Tensor],
    device: str,
    passes: Sequence[Pass] = PASSES,
    shapes_only: Container[int] = (),
    same: Mapping[int, int] | None = None,
) -> list[Node]:
    """Returns the nodes that compute some of the tensors of a function.

    Args:
      graph: the function.
      outputs: which of its tensors.
      device: the device of all nodes.
      passes: the passes that rewrite them.
      shapes_only: the places in `outputs` of those of which only the shape will be asked.
      same: which inputs are values of variables that are inputs, too (see `_same`).
    """
    nodes = prune(outputs, (), graph.inputs)
    for node in nodes:
        node.device = device
        if node.type == "_Retval" and node.attrs["index"] in shapes_only:
            node.attrs["shape_only"] = True
        if node.type == "_Arg":
            node.dtypes = [graph.inputs[node.attrs["index"]].dtype]
    if same:
        nodes = variables_themselves(nodes, graph, same)
    return optimize(read_again(nodes, of_step=False), passes)


def _only_shape_is_read(emitter: Emitter, value: Value) -> bool:
    """Whether the gradient of a loop or branch reads only the shape of an output.

    Args:
      emitter: of the program around.
      value: an output of the forward operation, or the stack that holds it for each turn.
    """
    for reader in emitter.readers.of(value):
        if reader.type == "ReverseStack":
            if not _only_shape_is_read(emitter, (reader, 0)):
                return False
            continue
        graphs = [reader.attrs[name] for name in _INNER.get(reader.type, ())]
        places = [place for place, each in enumerate(reader.inputs) if each == value]
        inner = [(graph, graph.inputs[place - 1]) for graph in graphs for place in places if place]
        if len(inner) < len(places) or not all(_asks_shape_only(*each) for each in inner):
            return False
    return True


def _asks_shape_only(graph: FuncGraph, argument: Tensor) -> bool:
    """Whether a function reads only the shape of one of its arguments."""
    if argument in graph.outputs:
        return False
    for consumer in argument.consumers():
        place = consumer.op_def.shape_input
        if any(each is argument and k != place for k, each in enumerate(consumer.inputs)):
            return False
    return True


def _has_effects(graph: FuncGraph, output: Tensor) -> bool:
    return any(node.op_def.stateful for node in prune([output], (), graph.inputs))


def _inputs_used(nodes: Iterable[Node]) -> set[int]:
    return {node.attrs["index"] for node in nodes if node.type == "_Arg"}


def _block(
    emitter: Emitter,
    graph: FuncGraph,
    outputs: Sequence[Tensor],
    given: Sequence[str | None],
    same: Mapping[int, int],
    shapes_only: Container[int] = (),
) -> list[str]:
    """Writes the nodes that compute `outputs` of a function; returns their expressions.

    Args:
      emitter: of the program around.
      graph: the function.
      outputs: which of its tensors are wanted.
      given: the expression of each of its inputs; None for one that is not used.
      same: which inputs are values of variables that are inputs, too (see `_same`).
      shapes_only: the places in `outputs` of those of which only the shape will be asked.
    """
    passes = emitter.target.passes
    nodes = body_nodes(graph, outputs, emitter.device.name, passes, shapes_only, same)
    return emitter.nested(nodes, given)


def _given(emitter: Emitter, values: Iterable[tuple[Node, int]]) -> list[str | None]:
    """Returns the expressions of the inputs of a function: of a variable itself, not its value."""
    return [emitter.exprs[value] for value in values]


def _same(emitter: Emitter, values: Sequence[tuple[Node, int]]) -> dict[int, int]:
    """Maps the places of values that were read from a variable to the place of that variable.

    A function that gets both may change the variable; it reads the variable itself.
    """
    places = {
        emitter.exprs[source, index]: place
        for place, (source, index) in enumerate(values)
        if source.dtypes[index]._is_ref_dtype
    }
    reads = (
        (place, source.inputs[0])
        for place, (source, _) in enumerate(values if places else ())
        if source.op_def.forwards and source.type != "ReadVariableOp"
    )
    return {
        place: places[emitter.exprs[source, index]]
        for place, (source, index) in reads
        if source.dtypes[index]._is_ref_dtype and emitter.exprs[source, index] in places
    }


def _described(node: Node) -> str:
    return f"{node.name}: {node.type}"


def write_if(emitter: Emitter, node: Node) -> None:
    """Writes an `If` as `if` and `else`."""
    draft = emitter.draft
    graphs = (node.attrs["then_branch"], node.attrs["else_branch"])
    read = emitter.read_of(node)
    everything = emitter.is_waited_for(node) or not read
    wanted = [i for i in range(len(node.dtypes)) if everything or i in read]
    shapes_only = {
        k for k, i in enumerate(wanted) if i in read and _only_shape_is_read(emitter, (node, i))
    }
    names = [draft.name(f"{node.name}_{index}" if index else node.name) for index in wanted]
    given, same = _given(emitter, node.inputs[1:]), _same(emitter, node.inputs[1:])
    heads = (f"if {emitter.value(node.inputs[0])}:", "else:")
    for head, graph in zip(heads, graphs, strict=True):
        draft.write(head, [node], _described(node) if head != "else:" else "")
        with draft.indented():
            outputs = [graph.outputs[i] for i in wanted]
            found = _block(emitter, graph, outputs, given, same, shapes_only)
            _assign(emitter, node, names, found)
    emitter.exprs.update({(node, i): name for i, name in zip(wanted, names, strict=True)})


def _assign(emitter: Emitter, node: Node, names: Sequence[str], values: Sequence[str]) -> None:
    """Assigns all names in one statement; names that keep their value are left out."""
    draft = emitter.draft
    pairs = [(n, v) for n, v in zip(names, values, strict=True) if n != v]
    if pairs:
        left, right = zip(*pairs, strict=True)
        draft.write(f"{', '.join(left)} = {', '.join(right)}", [node])
    else:
        draft.write("pass", [node])


class _Loop:
    """The common part of `While` and `Scan`: variables, invariants and stacks.

    Args:
      emitter: of the program around.
      node: the loop.
      inputs: the node's inputs that the body gets, in the order of the body's inputs.
      conditions: the graph of the condition, if there is one.
      first_stack: the first of the outputs that is a stack.
      scanned: how many of the inputs, the last ones, are stacks.
    """

    def __init__(
        self,
        emitter: Emitter,
        node: Node,
        inputs: Sequence[tuple[Node, int]],
        conditions: Sequence[FuncGraph],
        first_stack: int,
        scanned: int = 0,
    ) -> None:
        self.emitter, self.node = emitter, node
        self.fixed_until = len(inputs) - scanned
        self._nodes: list[Node] = []
        self.body: FuncGraph = node.attrs["body"]
        self.carried: int = node.attrs["carried"]
        read = emitter.read_of(node)
        self.stacks = [i for i in range(first_stack, len(node.dtypes)) if i in read]
        offset = self.carried - first_stack
        pushed = [self.body.outputs[i + offset] for i in self.stacks]
        needed = {i for i in range(self.carried) if not read or i in read}
        if emitter.is_waited_for(node):
            needed |= {
                i for i in range(self.carried) if _has_effects(self.body, self.body.outputs[i])
            }
        for graph in conditions:
            used = _inputs_used(prune(graph.outputs, (), graph.inputs))
            needed |= {i for i in used if i < self.carried}
        while True:  # a variable is needed when one that is needed is computed from it
            outputs = [self.body.outputs[i] for i in sorted(needed)] + pushed
            self.used = _inputs_used(prune(outputs, (), self.body.inputs))
            more = {i for i in self.used if i < self.carried} - needed
            if not more:
                break
            needed |= more
        self.variables = sorted(needed)
        self.outputs = outputs
        self.given: list[str | None] = list(_given(emitter, inputs))
        captured = _same(emitter, inputs).items()
        self.same = {place: of for place, of in captured if place >= self.carried}
        self.given[: self.carried] = [None] * self.carried
        for index in self.variables:
            self.given[index] = emitter.draft.name(self.body.inputs[index].op.name.split("/")[-1])
        self.names = [str(self.given[i]) for i in self.variables]
        self.stack_names = [emitter.draft.name(f"{node.name}_stack") for _ in self.stacks]
        self._start = [emitter.value(inputs[i]) for i in self.variables]

    def write_start(self) -> None:
        """Writes the lines before the loop."""
        count = len(self.variables)
        stacks = enumerate(self.stacks, count)
        shapes_only = {k for k, i in stacks if _only_shape_is_read(self.emitter, (self.node, i))}
        device, passes = self.emitter.device.name, self.emitter.target.passes
        nodes = body_nodes(self.body, self.outputs, device, passes, shapes_only, self.same)
        if passes:
            before, nodes = take_out(nodes, range(self.carried, self.fixed_until), len(self.given))
            self.given += self.emitter.nested(before, self.given)
        self._nodes = nodes
        if self.names:
            _assign(self.emitter, self.node, self.names, self._start)
        for name in self.stack_names:
            self.emitter.draft.write(f"{name} = []", [self.node])

    def write_turn(self) -> None:
        """Writes the body."""
        count = len(self.variables)
        found = self.emitter.nested(self._nodes, self.given)
        for name, value in zip(self.stack_names, found[count:], strict=True):
            self.emitter.draft.write(f"{name}.append({value})", [self.node])
        _assign(self.emitter, self.node, self.names, found[:count])

    def name_results(self) -> None:
        """Sets the expressions of the loop's results."""
        for indices, names in ((self.variables, self.names), (self.stacks, self.stack_names)):
            for index, name in zip(indices, names, strict=True):
                self.emitter.exprs[self.node, index] = name


def write_while(emitter: Emitter, node: Node) -> None:
    """Writes a `While` as a loop that the condition leaves."""
    draft = emitter.draft
    condition: FuncGraph = node.attrs["cond"]
    carried = node.attrs["carried"]
    loop = _Loop(emitter, node, node.inputs, [condition], carried + 1)
    loop.write_start()
    counted = carried in emitter.read_of(node)
    turns = draft.name(f"{node.name}_turns") if counted else ""
    if counted and not loop.stacks:
        draft.write(f"{turns} = 0", [node])
    draft.write("while rendezvous.alive:", [node], _described(node))
    with draft.indented():
        (going_on,) = _block(emitter, condition, condition.outputs, loop.given, loop.same)
        test, tested, comment = draft.take_back(going_on)
        draft.write(f"if not {test}:", tested or [node], comment)
        with draft.indented():
            draft.write("break", [node])
        loop.write_turn()
        if counted and not loop.stacks:
            draft.write(f"{turns} += 1", [node])
    draft.write("else:", [node])
    with draft.indented():
        draft.write("raise loop_cancelled()", [node])
    loop.name_results()
    if counted:
        if loop.stacks:
            draft.write(f"{turns} = len({loop.stack_names[0]})", [node])
        emitter.exprs[node, carried] = turns


def write_scan(emitter: Emitter, node: Node) -> None:
    """Writes a `Scan` as a `for` over the elements of its stacks."""
    draft = emitter.draft
    inputs = node.inputs[1:]
    loop = _Loop(emitter, node, inputs, [], node.attrs["carried"], node.attrs["scanned"])
    loop.write_start()
    elements, sources = [], []
    for index in range(len(inputs) - node.attrs["scanned"], len(inputs)):
        if index in loop.used:
            loop.given[index] = draft.name(loop.body.inputs[index].op.name.split("/")[-1])
            elements.append(str(loop.given[index]))
            sources.append(emitter.value(inputs[index]))
    if not elements:
        elements, sources = ["_"], [f"range({emitter.value(node.inputs[0])})"]
    over = sources[0] if len(sources) == 1 else f"zip({', '.join(sources)})"
    draft.write(f"for {', '.join(elements)} in {over}:", [node], _described(node))
    with draft.indented():
        draft.write("if not rendezvous.alive:", [node])
        with draft.indented():
            draft.write("raise loop_cancelled()", [node])
        loop.write_turn()
    loop.name_results()


WRITERS: dict[str, Callable[[Emitter, Node], None]] = {
    "If": write_if,
    "While": write_while,
    "Scan": write_scan,
}


# ---- loop invariants ---------------------------------------------------------------------
#
# Loop-invariant code motion: values that are the same in every turn are computed before the loop.
#
#     while i < n:                        turned = transpose(w)
#         turned = transpose(w)           while i < n:
#         x = x @ turned                      x = x @ turned
#
# Only nodes that cannot fail are moved: a loop may take no turn at all.


def take_out(
    nodes: Sequence[Node], fixed: Container[int], count: int
) -> tuple[list[Node], list[Node]]:
    """Splits the body of a loop into nodes that can run before it and nodes that must stay.

    Args:
      nodes: of the body, each after all it reads.
      fixed: the indices of the arguments that are the same in every turn.
      count: how many arguments the body has.
    Returns: the nodes before, whose results `_Retval` numbers, and those inside, which read result
      k as argument `count + k`.
    """
    same: set[Node] = set()
    for node in nodes:
        if node.type == "_Arg":
            if node.attrs["index"] in fixed and not node.dtypes[0]._is_ref_dtype:
                same.add(node)
        elif all(source in same for source, _ in node.inputs) and _may_move(node):
            same.add(node)
    inside = [node for node in nodes if node not in same or node.type in ("_Arg", "Const")]
    moved = {node for node in same if node.type not in ("_Arg", "Const")}
    arguments: dict[Value, Node] = {}
    results: list[Node] = []
    for node in inside:
        for value in node.inputs:
            if value[0] in moved and value not in arguments:
                place = len(results)
                source, output = value
                name, dtype, shape = source.name, source.dtypes[output], source.shapes[output]
                arguments[value] = argument(name, count + place, name, dtype, shape, source)
                results.append(result(f"_result_{place}", place, value))
        node.inputs = [
            (arguments[value], 0) if value in arguments else value for value in node.inputs
        ]
    wanted = {source for source, _ in arguments}
    for node in reversed(nodes):
        if node in wanted:
            wanted.update(source for source, _ in node.inputs)
    read = {source for node in inside for source, _ in node.inputs}
    inside = [node for node in inside if node not in same or node in read]
    before = [node for node in nodes if node in wanted]
    return [*before, *results], [*arguments.values(), *inside]


def _may_move(node: Node) -> bool:
    if node.op_def.stateful or node.controls or touches_variable(node) or len(node.dtypes) != 1:
        return False
    if node.type == "Const":
        return True
    one = node.op_def.elementwise and len(node.inputs) == 1
    safe = one or node.op_def.cannot_fail
    return bool(node.inputs) and node.dtypes[0] != dtypes.variant and safe
