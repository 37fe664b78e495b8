"""`import_graph_def`: from a GraphDef to operations, and to the functions inside.

    GraphDef ──> in order: sources first ──> each node: inputs found, counted, types compared
             ──> operations in the default graph ──> the elements that were asked for

A GraphDef may come from anyone, with its nodes in any order. `untrusted` checks every text in it.
Errors have TensorFlow's text and the name of the node.
"""

from __future__ import annotations

import heapq
import json
import re
from collections.abc import Container, Sequence
from dataclasses import replace
from typing import Any

from minitf.core.graph import errors, stacks, untrusted
from minitf.core.graph.build import check_input_count, expected_type
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.dtypes import DType, c_name
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.graph import Graph
from minitf.core.graph.graph_def import FunctionDef, GraphDef, NodeDef, free_name, output_name
from minitf.core.graph.messages import tensorflows_form
from minitf.core.graph.op_def import OpDef
from minitf.core.graph.tensor import Operation, Tensor
from minitf.core.graph.untrusted import own_attrs

#: The node that an input names: 'a' of 'a', 'a:1' and '^a'.
_SOURCE = re.compile(r"\^?(.*?)(?::\d+)?", re.DOTALL)


def in_order(nodes: Sequence[NodeDef], mapped: Container[str] = ()) -> list[NodeDef]:
    """Sorts nodes so that each comes after its inputs; an order that fits stays.

    A node is ready when its last source is placed. The first of the ready nodes is next.

    Args:
      nodes: the nodes as they came.
      mapped: inputs that come from elsewhere, as "a", "a:1" or "^a".
    Raises:
      ValueError: when two nodes have one name, a source is missing, or nodes wait for each other.
    """
    place: dict[str, int] = {}
    fits = True
    for number, node in enumerate(nodes):
        waits = False
        for source in node.input:
            if source.startswith("^"):
                waits = True
            elif waits:
                raise ValueError(
                    f"Node '{node.name}': Control dependencies must come after regular dependencies"
                )
            fits = fits and (_node_of(source) in place or source in mapped)
        if place.setdefault(node.name, number) != number:
            raise ValueError(f"Node '{node.name}' is not unique")
    if fits:
        return list(nodes)
    readers: list[list[int]] = [[] for _ in nodes]
    missing = [0] * len(nodes)
    for number, node in enumerate(nodes):
        for source in node.input:
            if source in mapped:
                continue
            before = place.get(_node_of(source))
            if before is None:
                raise ValueError(f"Node '{node.name}': Unknown input node '{source}'")
            readers[before].append(number)
            missing[number] += 1
    ready = [number for number, count in enumerate(missing) if not count]
    ordered: list[NodeDef] = []
    while ready:
        number = heapq.heappop(ready)
        ordered.append(nodes[number])
        for reader in readers[number]:
            missing[reader] -= 1
            if not missing[reader]:
                heapq.heappush(ready, reader)
    if len(ordered) < len(nodes):
        raise ValueError(f"{len(nodes) - len(ordered)} nodes in a cycle")
    return ordered


def _node_of(source: str) -> str:
    if ":" not in source:  # nearly all
        return source[1:] if source.startswith("^") else source
    found = _SOURCE.fullmatch(source)
    assert found is not None  # the pattern takes any text
    return found[1]


def import_graph_def(
    graph_def: GraphDef | dict | str | bytes,
    input_map: dict | None = None,
    return_elements: Sequence[str] | None = None,
    name: str | None = None,
    op_dict: Any = None,
    producer_op_list: Any = None,
) -> list | None:
    """Adds the operations of a serialized graph to the default graph.

    The nodes may stand in any order. An operation whose name is taken gets a number. A node that
    does not fit leaves the default graph as it was.

    Args:
      graph_def: a GraphDef, its dict, or its JSON text.
      input_map: tensors of this graph that stand in for tensors of the imported one, by name.
      return_elements: names of operations and tensors to return.
      name: the prefix; "import" when None, none when "".
      op_dict, producer_op_list: not used; here since TensorFlow has them.
    Returns: the elements asked for, or None.
    Raises:
      TypeError: when an argument is of another kind.
      ValueError: when a name or an attribute has not the form it must have, an input is missing,
        nodes wait for each other, types or shapes do not fit, or a name in `input_map` or
        `return_elements` is not in the graph.
      NotFoundError: when an op type is unknown.
    Example:
      >>> with tf.Graph().as_default() as graph:
      ...     _ = tf.add(1, 2, name="c")
      >>> [c] = tf.import_graph_def(graph.as_graph_def(), return_elements=["c:0"], name="old")
      >>> c.name
      'old/c:0'
      >>> sess.run(c)
      3
    """
    nodes = _as_graph_def(graph_def).node
    elements = _as_elements(return_elements)
    graph = stacks.get_default_graph()
    with (
        graph.name_scope("import" if name is None else name) as scope,
        graph.control_dependencies(None),
    ):
        try:
            untrusted.check_nodes(nodes)
        except (ValueError, errors.NotFoundError):
            nodes = _translated(nodes)
            untrusted.check_nodes(nodes)
        importer = _Importer(graph, scope, _as_map(graph, input_map))
        ordered = in_order(nodes, importer.mapped)
        try:
            for node in ordered:
                importer.add(node)
        except Exception:
            importer.undo()
            raise
    importer.check_map_was_used()
    if elements is None:
        return None
    tensors_first = sorted(elements, key=lambda element: ":" not in element)
    found = {element: importer.find(element) for element in tensors_first}
    return [found[element] for element in elements]


def _translated(nodes: list[NodeDef]) -> list[NodeDef]:
    """Translates nodes that a program made in TensorFlow's form."""
    form = tensorflows_form()
    if not any(form.is_theirs(node) for node in nodes):
        return nodes
    made: list[NodeDef] = form.from_message(form.GraphMessage(list(nodes))).node
    return made


def _as_graph_def(graph_def: Any) -> GraphDef:
    try:
        if isinstance(graph_def, (str, bytes)):
            return GraphDef.from_json(graph_def)
        if isinstance(graph_def, dict):
            return GraphDef.from_dict(graph_def)
    except (json.JSONDecodeError, UnicodeDecodeError):
        pass
    if not isinstance(graph_def, GraphDef):
        raise TypeError("Argument `graph_def` must be a GraphDef proto.")
    return graph_def


def _as_elements(elements: Any) -> list[str] | None:
    if elements is None:
        return None
    elements = list(elements)
    if not all(isinstance(element, (str, bytes)) for element in elements):
        raise TypeError(
            f"Argument `return_elements` must be a list of strings. Obtained {elements}."
        )
    return [e.decode() if isinstance(e, bytes) else e for e in elements]


def _as_map(graph: Graph, input_map: Any) -> dict[str, Any]:
    """The replacements of inputs, by the text of the input: "a" (its output 0), "a:1", "^a"."""
    if input_map is None:
        return {}
    if not isinstance(input_map, dict):
        raise TypeError(
            f"Argument `input_map` must be a dictionary. Obtained {type(input_map).__name__}"
        )
    if not all(isinstance(key, (str, bytes)) for key in input_map):
        raise TypeError(
            f"All keys for argument `input_map` must be strings. Obtained keys: {list(input_map)}"
        )
    mapped: dict[str, Any] = {}
    for key, value in input_map.items():
        key = key.decode() if isinstance(key, bytes) else key
        if key.startswith("^"):
            mapped[key] = getattr(value, "op", value)
            continue
        op_name, index = _tensor_name(key)
        if not hasattr(value, "_as_tensor"):
            with graph.name_scope("_inputs"):
                value = convert_to_tensor(value)
        tensor = value._as_tensor()
        if tensor.graph is not graph and not graph.captures_from_outside:
            raise ValueError(
                f"node '{tensor.op.name}' in input_map does not exist in graph "
                f"(input_map entry: {op_name}:{index}->{tensor.name})"
            )
        mapped[output_name(op_name, index)] = tensor
    return mapped


def _tensor_name(name: str) -> tuple[str, int]:
    """The parts of a tensor's name; 'a' alone names its output 0."""
    op_name, colon, index = name.partition(":")
    try:
        return op_name, int(index) if colon else 0
    except ValueError:
        raise ValueError(
            f"Cannot convert '{name}' to a tensor name. Second component of the name following the "
            f"`:` should be an int. Got {index}."
        ) from None


class _Importer:
    """Adds the nodes of a GraphDef to a graph, sources first.

    Args:
      graph: where to.
      scope: the prefix of the names, ending in '/'; or ''.
      mapped: what stands in for inputs, see `_as_map`.
    """

    def __init__(self, graph: Graph, scope: str, mapped: dict[str, Any]) -> None:
        self.graph = graph
        self.scope = scope
        self.mapped = mapped
        self._made: dict[str, Operation] = {}
        self._used: set[str] = set()

    def add(self, node: NodeDef) -> None:
        """Adds the operation of one node.

        Raises:
          ValueError: when its inputs or its attributes do not fit.
        """
        op_def = untrusted.find_op_def(node)
        name = free_name(self.scope + node.name, self.graph._nodes_by_name)
        sources = node.data_inputs
        inputs = [self._tensor(node, source) for source in sources]
        controls = [self._control(source) for source in node.input[len(sources) :]]
        check_input_count(op_def, name, [tensor.dtype for tensor in inputs])
        attrs = own_attrs(node, op_def)
        types = {k: v for k, v in node.attrs.items() if k in op_def.type_names}
        for key, value in attrs.items():
            if isinstance(value, FunctionDef):
                attrs[key] = self._function(value, inputs)
        if "_class" in attrs:
            attrs["_class"] = [self._group(each) for each in attrs["_class"]]
        attrs = op_def.complete_attrs(attrs)
        self._check_types(op_def, name, sources, inputs, attrs | types)
        with self.graph.device(untrusted.device_name(node.device, node.name)):
            op = self._added(op_def, inputs, attrs, name)
        self.graph._names_in_use.setdefault(op.name.lower(), 1)
        op._add_control_inputs(controls)
        for tensor, shape in zip(op.outputs, node.attrs.get("_output_shapes", ()), strict=False):
            tensor.set_shape(shape)
        self._made[node.name] = op

    def _function(self, definition: FunctionDef, inputs: list[Tensor]) -> FuncGraph:
        try:
            return from_function_def(definition, self.graph, self.scope, inputs)
        except RecursionError:
            raise ValueError("Not a GraphDef: its functions are nested too deeply.") from None

    def _added(
        self, op_def: OpDef, inputs: list[Tensor], attrs: dict[str, Any], name: str
    ) -> Operation:
        """Adds one operation; an error of its shape function is a ValueError of the data."""
        try:
            return self.graph.add_operation(op_def, inputs, attrs, name + "/")
        except (ArithmeticError, AttributeError, LookupError, TypeError) as error:
            raise ValueError(
                f"Node '{name}' ({op_def.type}) cannot be imported: {type(error).__name__}: {error}"
            ) from None

    def undo(self) -> None:
        """Removes the operations that were added."""
        for op in reversed(self._made.values()):
            self.graph._remove_operation(op)

    def find(self, element: str) -> Operation | Tensor:
        """The operation or the tensor of that name.

        Raises:
          ValueError: when there is none.
        """
        op_name, index = _tensor_name(element)
        if ":" not in element:
            if op_name not in self._made:
                raise ValueError(f"Requested return node '{op_name}' not found in graph def")
            return self._made[op_name]
        if output_name(op_name, index) in self.mapped:
            return self.mapped[output_name(op_name, index)]
        if op_name not in self._made:
            raise ValueError(f"Requested return tensor '{element}' not found in graph def")
        outputs = self._made[op_name].outputs
        if not 0 <= index < len(outputs):
            raise ValueError(
                f"Invalid return output {index} of node '{op_name}', which has {len(outputs)} "
                "output(s)"
            )
        return outputs[index]

    def check_map_was_used(self) -> None:
        """Raises for names in the map that no node reads, unless the graph has them.

        Raises:
          ValueError: with all such names.
        """
        unknown = []
        for source in sorted(self.mapped.keys() - self._used):
            op_name, index = _tensor_name(source)
            op = self._made.get(op_name.removeprefix("^"))
            if op is None or (not source.startswith("^") and index >= len(op.outputs)):
                unknown.append(source if source.startswith("^") else f"{op_name}:{index}")
        if unknown:
            raise ValueError(
                f"Attempted to map inputs that were not found in graph_def: [{', '.join(unknown)}]"
            )

    def _tensor(self, node: NodeDef, source: str) -> Tensor:
        op_name, index = _tensor_name(source)
        if output_name(op_name, index) in self.mapped:
            self._used.add(output_name(op_name, index))
            return self.mapped[output_name(op_name, index)]
        outputs = self._made[op_name].outputs
        if index >= len(outputs):
            raise ValueError(
                f"Node '{node.name}': Connecting to invalid output {index} of source node "
                f"{op_name} which has {len(outputs)} outputs."
            )
        return outputs[index]

    def _control(self, source: str) -> Operation:
        if source in self.mapped:
            self._used.add(source)
            return self.mapped[source]
        return self._made[source[1:]]

    def _group(self, text: str) -> str:
        """A colocation group, 'loc:@a', with the name that its operation has in this graph."""
        name = text.removeprefix("loc:@")
        return "loc:@" + (self._made[name].name if name in self._made else self.scope + name)

    def _check_types(
        self,
        op_def: OpDef,
        name: str,
        sources: Sequence[str],
        inputs: Sequence[Tensor],
        attrs: dict[str, Any],
    ) -> None:
        """Raises for an input whose dtype does not fit its operation or the input it replaces."""
        bound: dict[str, DType] = {}
        number = 0
        for arg, group in zip(op_def.inputs, op_def.group(inputs), strict=True):
            for index, tensor in enumerate(group if arg.is_list else [group]):
                dtype = tensor.dtype
                expected = expected_type(arg, attrs)
                if isinstance(expected, (list, tuple)):
                    expected = expected[index] if index < len(expected) else None
                if expected is None and arg.type != "?":
                    expected = bound.setdefault(arg.type, self._replaced_dtype(sources[number]))
                wanted = dtype.base_dtype if expected is None else expected.base_dtype
                wanted = wanted._as_ref if arg.is_ref else wanted
                if dtype.base_dtype != wanted.base_dtype or (arg.is_ref and dtype != wanted):
                    raise ValueError(
                        f"Input {number} of node {name} was passed {c_name(dtype)} from "
                        f"{tensor.name} incompatible with expected {c_name(wanted)}."
                    )
                number += 1

    def _replaced_dtype(self, source: str) -> DType:
        """The dtype of a node's input in the GraphDef, also if it is replaced."""
        op_name, index = _tensor_name(source)
        own = self._made[op_name].outputs[index : index + 1] if op_name in self._made else []
        tensor = own[0] if own else self.mapped[output_name(op_name, index)]
        return tensor.dtype.base_dtype


def from_function_def(
    definition: FunctionDef, outer: Graph | None = None, scope: str = "", given: Sequence = ()
) -> FuncGraph:
    """Builds a function from the data of `FuncGraph.to_function_def`.

    Args:
      definition: the data.
      outer: the graph around it; a new one when None.
      scope: a prefix for the names inside, ending in '/'.
      given: the inputs of the operation that runs it, of which the last were captured.
    Raises:
      ValueError: when it is no function.
    """
    graph = FuncGraph(definition.name, Graph() if outer is None else outer)
    elements = [*definition.inputs, *definition.outputs]
    if not all(":" in element for element in elements):
        raise ValueError(f"The inputs and outputs of the function '{graph.name}' are no tensors.")
    count = definition.captured if given else 0
    if count > len(given):
        raise ValueError(f"The function '{graph.name}' captures more than it is given.")
    first, captured = len(definition.inputs) - count, given[len(given) - count :]
    names = zip(definition.inputs[first:], captured, strict=True)
    # A constant may stand for what was a variable when the body was made.
    values = {_node_of(name) for name, outer in names if not outer.dtype._is_ref_dtype}
    nodes = [
        replace(node, op="Argument") if node.op == "RefArgument" and node.name in values else node
        for node in definition.node
    ]
    with graph.as_default():
        if scope:
            graph._scopes.name = ""
        found = import_graph_def(GraphDef(nodes), return_elements=elements, name=scope)
    assert found is not None
    graph.inputs, graph.outputs = found[: len(definition.inputs)], found[len(definition.inputs) :]
    for outer_tensor, inner in zip(captured, graph.inputs[first:], strict=True):
        graph._outside[inner] = outer_tensor
        graph._captured[outer_tensor] = inner
    graph.sealed = True
    return graph
