"""Writes one partition as a straight-line Python program, and compiles it.

    a = (b + c) * (c + 2)      becomes      def step(rendezvous, b, c):
                                                add = b + c
                                                add_1 = c + add_1_y
                                                a = multiply(add, add_1, out=add)
                                                return (a,)

There is no interpreter between the kernels: names of tensors are local variables, kernels and
constants are prebound, views and no-ops vanish, and a buffer that nobody reads any more is written
over. `explain` shows the program to whoever wants to read it.

Text of a graph becomes part of a program in two ways only: as a name, by `_Emitter.name`, and
behind a `#`, by `remark`. So nothing that a graph holds can become a statement.
"""

from __future__ import annotations

import keyword
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np

from minitf.core.graph import errors
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.shapes import brackets
from minitf.core.kernels.host import on_host
from minitf.core.runtime.emit import control_flow as blocks
from minitf.core.runtime.emit.bind import bind_kernel
from minitf.core.runtime.emit.liveness import Liveness, Value
from minitf.core.runtime.passes import PASSES, Pass
from minitf.core.runtime.passes.forward_values import FORWARDS
from minitf.core.runtime.passes.rewriting import Readers
from minitf.core.runtime.passes.sizes import Sizes
from minitf.core.runtime.plan.endpoints import rendezvous_key, short_device, task_part
from minitf.core.runtime.plan.schedule import schedule
from minitf.core.runtime.plan.subgraph import Node
from minitf.core.runtime.run.devices import Device
from minitf.core.runtime.run.errstate import flushing, quietly
from minitf.core.runtime.run.resources import ResourceManager

_WORTH_FREEING = 4096  # elements; below, one more line costs more than the memory
_WORTH_FLUSHING = 1024  # elements; below, denormals cost less than the processor's other mode
_LONGEST_NAME = 160  # characters; a name of the graph may have any number
_LONGEST_REMARK = 1000
_PYTHON_NAMES = ("abs", "len", "range", "zip")  # what programs call; an operation may be named so


def remark(text: str) -> str:
    """Text of a graph as it may stand behind a `#`: one printable line of bounded length.

    Whatever ends a line, for Python or for an editor, is written as an escape.
    """
    if len(text) > _LONGEST_REMARK:
        text = f"{text[:_LONGEST_REMARK]}..."
    if not text.isprintable():
        text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return f"# {text}"


def owned(value: Any) -> Any:
    """A copy for the caller of a value that shares memory with the graph; scalars need none."""
    if isinstance(value, np.ndarray):
        return value.copy() if value.ndim else value[()]
    return on_host(value)


def plain(value: Any) -> Any:
    """A fresh value as the caller sees it: 0-d arrays become scalars, a card's come to the host."""
    if isinstance(value, np.ndarray):
        return value if value.ndim else value[()]
    return on_host(value)


def loop_cancelled() -> errors.OpError:
    """What a loop raises when its step has been given up meanwhile."""
    return errors.CancelledError(None, None, "Loop execution was cancelled.")


class Program:
    """One partition as compiled Python.

    Args:
      device: where it runs.
      source: its text.
      run: `run(rendezvous, *args)`, or with a trace `run(rendezvous, log, *args)`; returns the
        fetches. A program that neither waits nor receives asks its rendezvous only whether the
        step is still wanted, so that many steps may share one.
      arg_indices: which feeds it takes, in order.
      fetch_indices: which fetches it returns, in order.
      line_nodes: the nodes that each line of the text came from.
      waits: whether it may wait for another step, so that `run` needs a rendezvous.
    """

    def __init__(
        self,
        device: Device,
        source: str,
        run: Callable[..., tuple],
        arg_indices: list[int],
        fetch_indices: list[int],
        line_nodes: dict[int, list[Node]],
        waits: bool = False,
    ) -> None:
        self.device = device
        self.source = source
        self.run = run
        self.arg_indices = arg_indices
        self.fetch_indices = fetch_indices
        self.line_nodes = line_nodes
        self.waits = waits
        self.code = getattr(run, "__wrapped__", run).__code__


def emit(
    nodes: Sequence[Node],
    device: Device,
    resources: ResourceManager,
    traced: bool = False,
    passes: Sequence[Pass] = PASSES,
) -> Program:
    """Writes and compiles the program of one device.

    Args:
      nodes: its partition, in an order that it could run in.
      device: where it will run.
      resources: where its variables live.
      traced: whether each node's time is logged.
      passes: what rewrites the bodies of its branches and loops.
    """
    kind = EMITTERS.get(type(device), _Emitter)
    emitter = kind(nodes, device, resources, traced)
    emitter.passes = passes
    return emitter.program()


def emit_function(
    nodes: Sequence[Node], device: Device, resources: ResourceManager, in_place: bool = True
) -> Program:
    """As `emit`, for a function that kernels call: values come and go as they are.

    `in_place` says whether it may write over the values of variables.
    """
    kind = EMITTERS.get(type(device), _Emitter)
    emitter = kind(nodes, device, resources, traced=False, is_function=True)
    emitter.in_place = in_place
    return emitter.program()


#: What writes the programs of other devices than those of the host, by the device's class.
EMITTERS: dict[type[Device], type[_Emitter]] = {}


class _Emitter:
    """The state of writing one program, or one block of it: a branch, or the body of a loop."""

    def __init__(
        self,
        nodes: Sequence[Node],
        device: Device,
        resources: ResourceManager,
        traced: bool,
        is_function: bool = False,
    ) -> None:
        self.device = device
        self.resources = resources
        self.traced = traced
        self.groups = schedule(nodes)
        self.order = [node for group in self.groups for node in group]
        self.live = Liveness(self.order)
        self.namespace: dict[str, Any] = {
            "owned": owned,
            "plain": plain,
            "loop_cancelled": loop_cancelled,
            "clock": time.time_ns,
        }
        self.used = {"rendezvous", "log", "started", "step", *_PYTHON_NAMES, *self.namespace}
        self.bound: dict[str, str] = {}  # what is bound once, by the name asked for
        self.exprs: dict[Value, str] = {}  # how later lines write a value
        self.origins: dict[Value, Value] = {}  # of a value only passed on: who made it
        self.lines: list[str] = []
        self.line_nodes: dict[int, list[Node]] = {}
        self.args: list[tuple[int, str]] = []
        self.fetches: list[tuple[int, str]] = []
        self.fetch_counts = Counter(n.inputs[0] for n in self.order if n.type == "_Retval")
        self.position = 0
        self.warns = False
        self.looks_around = False  # whether a kernel may look at context variables, as a print does
        self.waits = False  # whether a kernel may wait for another step
        self.is_function = is_function
        self.written_over: set[Value] = set()  # whose buffers are other values' now
        self.own: set[str] = set()  # the names that lines of this block assign
        self.in_place = True  # whether variables may be written over
        self.passes: Sequence[Pass] = PASSES  # for the bodies of branches and loops
        self.depth = 0  # of statements around this block
        self.given: Sequence[str | None] | None = None  # of a block: how its inputs are written

    def program(self) -> Program:
        """The whole program."""
        self._write_all()
        parameters = ["rendezvous"] + (["log"] if self.traced else [])
        self.args.sort()
        parameters += [name for _, name in self.args]
        self.fetches.sort()
        values = "".join(f"{expr}, " for _, expr in self.fetches)
        head = [remark(self.device.name), f"def step({', '.join(parameters)}):"]
        source = "\n".join([*head, *self.lines, f"    return ({values.rstrip() or ''})", ""])
        fetched = [node for node in self.order if node.type == "_Retval"]
        self.line_nodes[len(self.lines) + 3] = [n.inputs[0][0] for n in fetched]
        exec(compile(source, f"<plan for {self.device.name}>", "exec"), self.namespace)
        run = self.namespace["step"]
        if self.warns:  # overflow and 0/0 give inf and nan without a word, as on every device
            run = np.errstate(all="ignore")(run) if self.looks_around else quietly(run)
            run = flushing(run) if self._is_large() else run
        return Program(
            self.device,
            source,
            run,
            [i for i, _ in self.args],
            [i for i, _ in self.fetches],
            self.line_nodes,
            self.waits,
        )

    def _is_large(self) -> bool:
        """Whether any array of floats is so large that denormals in it would cost time."""
        return any(
            dtype.base_dtype.is_floating and (shape.num_elements() or 0) >= _WORTH_FLUSHING
            for node in self.order
            for dtype, shape in zip(node.dtypes, node.shapes)
        )

    def _write_all(self) -> None:
        for group in self.groups:
            if group[0].type == "_Recv":
                self._receive(group)
            else:
                self._statement(group[0])
            self._release(group)
            self.position += len(group)

    # ---- blocks --------------------------------------------------------------------------

    def nested(self, nodes: Sequence[Node], given: Sequence[str | None]) -> list[str]:
        """Writes the nodes of a function here; returns how later lines write its outputs.

        Args:
          nodes: of the function, on this device.
          given: how a line writes each of the inputs.
        """
        block = type(self)(nodes, self.device, self.resources, self.traced)
        block.namespace, block.used, block.bound = self.namespace, self.used, self.bound
        block.lines, block.line_nodes = self.lines, self.line_nodes
        block.given, block.depth, block.passes = given, self.depth, self.passes
        block._write_all()
        self.warns |= block.warns
        self.looks_around |= block.looks_around
        self.waits |= block.waits
        return [expr for _, expr in sorted(block.fetches)]

    @contextmanager
    def indented(self) -> Iterator[None]:
        """A context whose lines stand in a statement."""
        self.depth += 1
        yield
        self.depth -= 1

    @cached_property
    def readers(self) -> Readers:
        """Who reads what, and who waits for whom."""
        return Readers(self.order)

    def read_of(self, node: Node) -> set[int]:
        """Which outputs of a node others read."""
        return {index for index in range(len(node.dtypes)) if self.readers.of((node, index))}

    @cached_property
    def sizes(self) -> Sizes:
        """Which unknown sizes are surely equal."""
        return Sizes(self.order)

    def is_waited_for(self, node: Node) -> bool:
        """Whether others wait for a node without reading from it."""
        return bool(self.readers.waiting(node))

    # ---- names and lines -----------------------------------------------------------------

    def name(self, wanted: str) -> str:
        """A Python name like `wanted` that is not taken; of ASCII: Python rewrites others."""
        base = re.sub(r"\W+", "_", wanted[:_LONGEST_NAME], flags=re.ASCII).strip("_") or "value"
        if base[0].isdigit() or keyword.iskeyword(base):
            base = "_" + base
        name, count = base, 1
        while name in self.used:
            name, count = f"{base}_{count}", count + 1
        self.used.add(name)
        return name

    def _bind(self, wanted: str, value: Any) -> str:
        """Makes `value` known to the program, and returns its name there."""
        name = self.name(wanted)
        self.namespace[name] = value
        return name

    def write(self, code: str, nodes: list[Node], comment: str = "") -> None:
        """Adds a line.

        Args:
          code: the statement, put together from names of the program and literals of this package.
          nodes: those that fail when it fails.
          comment: what stands behind it, text of the graph as it is.
        """
        text = f"{'    ' * (self.depth + 1)}{code}"
        if comment:
            text = f"{text:<60}  {remark(comment)}"
        self.lines.append(text)
        self.line_nodes[len(self.lines) + 2] = nodes  # two lines stand before the first

    def inlined(self, name: str) -> tuple[str, list[Node], str]:
        """Takes the last line back, if all it does is to compute `name`, which one reader wants.

        Returns: how to write the value, the nodes that fail where it is written, and its comment.
        """
        text = self.lines[-1].removeprefix("    " * (self.depth + 1))
        left, given, right = text.partition(" = ")  # a deeper line, of a branch, begins with spaces
        if left != name or not given or self.traced:
            return name, [], ""
        self.lines.pop()
        nodes = self.line_nodes.pop(len(self.lines) + 3)
        code, _, comment = right.partition("  # ")
        return f"({code.rstrip()})" if " if " in code else code.rstrip(), nodes, comment

    def _traced_write(self, code: str, node: Node, results: str, comment: str) -> None:
        fail = node.attrs["group"].members if node.type == "_Fused" else [node]
        if not self.traced:
            self.write(code, fail, comment)
            return
        self.write("started = clock()", [node])
        self.write(code, fail, comment)
        self.write(f"log({self._bind('node', node)}, started, clock(), ({results}))", [node])

    def _release(self, group: list[Node]) -> None:
        """Forgets what nobody reads any more, so that its memory serves the lines that follow."""
        names: list[str] = []
        for root in self.live.dying_at(self.position, group):
            node, index = root
            size = node.shapes[index].num_elements()
            if size is None or size >= _WORTH_FREEING:
                names += [self.exprs[v] for v in self.live.sharing(root) if v in self.exprs]
        own = {self.exprs.get((node, i)) for node in group for i in range(len(node.dtypes))}
        names = [n for n in dict.fromkeys(names) if n not in own]
        if names:
            self.write(f"del {', '.join(names)}", group)

    # ---- statements ----------------------------------------------------------------------

    def _statement(self, node: Node) -> None:
        kind = node.type
        if kind == "_Arg" and self.given is not None:
            self.exprs[node, 0] = str(self.given[node.attrs["index"]])
        elif kind in blocks.WRITERS and self.depth < blocks.DEEPEST:
            blocks.WRITERS[kind](self, node)
        elif kind == "_Arg":
            name = self.name(node.op.name if node.op is not None else node.name)
            self.args.append((node.attrs["index"], name))
            self.exprs[node, 0] = self._to_device(name, node)
        elif kind == "_Retval":
            self.fetches.append((node.attrs["index"], self._fetch(node.inputs[0])))
        elif kind == "_Send":
            self._send(node)
        elif kind == "Const":
            self.exprs[node, 0] = self._bind(node.name, self._constant(node))
        elif kind == "VariableV2":
            self.exprs[node, 0] = self._bind(node.name, self._kernel(node)())  # once, not each run
        elif (kind in FORWARDS or _keeps_shape(node)) and not self._reads_variable(node):
            self.exprs[node, 0] = self.exprs[node.inputs[0]]
            self.origins[node, 0] = self.origins.get(node.inputs[0], node.inputs[0])
        elif kind != "NoOp":
            self._compute(node)

    def _to_device(self, name: str, node: Node) -> str:
        """Feeds arrive in host memory: a GPU has its own."""
        if self.device.device_type == "GPU" and not self.is_function:
            receive = self._bind_once("receive", self.device.receive)
            self.write(f"{name} = {receive}({name})", [node])
        return name

    def _constant(self, node: Node) -> Any:
        value = node.attrs["value"]
        if self.device.xp is not np and value.dtype.kind != "O":
            return self.device.put(value)
        return value[()] if value.ndim == 0 else value

    def _reads_variable(self, node: Node) -> bool:
        source, index = node.inputs[0]
        return source.dtypes[index]._is_ref_dtype

    def value(self, value: Value) -> str:
        """How a line writes the value of an edge; of a reference, what the variable holds now."""
        node, index = value
        expr = self.exprs[value]
        return f"{expr}.value" if node.dtypes[index]._is_ref_dtype else expr

    def operand(self, node: Node, place: int) -> str:
        """How a line writes one of the inputs of a node."""
        return self.value(node.inputs[place])

    def device_of(self, node: Node) -> Device:
        """Where a node computes."""
        return self.device

    def _fetch(self, value: Value) -> str:
        node, index = value
        expr = self.value(value)
        if self.given is not None or self.is_function:
            return expr
        scalar = node.shapes[index].ndims == 0
        if not self.live.is_private(value) or self._fetched_twice(value):
            return f"owned({expr})"
        if scalar and (node.op_def.expr or node.op_def.ufunc) and self.device.xp is np:
            return expr  # an expression of NumPy scalars is a NumPy scalar
        return f"plain({expr})"

    def _fetched_twice(self, value: Value) -> bool:
        return self.fetch_counts[value] > 1 or value[0].op_def.alias

    def _compute(self, node: Node) -> None:
        call = self._call(node)
        self.warns |= node.type not in FORWARDS
        updates = any(arg.is_ref for arg in node.op_def.inputs)
        self.looks_around |= node.op_def.takes_context and not updates
        if updates and not (self.in_place and self.given is None) and self._is_last_reader(node):
            self._drop_snapshots(node)
        if not node.dtypes:
            self._traced_write(call, node, "", f"{node.name}: {node.type}")
            return
        if len(node.dtypes) == 1 and node.dtypes[0]._is_ref_dtype:
            self._traced_write(call, node, self.value(node.inputs[0]), f"{node.name}: {node.type}")
            self.exprs[node, 0] = self.exprs[node.inputs[0]]
            return
        names = [
            self.name(node.name if i == 0 else f"{node.name}_{i}") for i in range(len(node.dtypes))
        ]
        self.own.update(names)
        for index, name in enumerate(names):
            self.exprs[node, index] = name
        left = ", ".join(names)
        if node.op_def.outputs[0].is_list or len(node.op_def.outputs) > 1:
            left += "," if len(names) == 1 else ""
        described = ", ".join(
            f"{d.base_dtype.name}{brackets(s)}"
            for d, s in zip(node.dtypes, node.shapes, strict=True)
        )
        if node.type == "_Fused":
            names = [self.value(v) for v in node.inputs]
            described += f": {node.attrs['group'].program.text(names)}"
        kind = "Fused" if node.type == "_Fused" else node.type
        self._traced_write(f"{left} = {call}", node, left, f"{kind} {described}")

    def _call(self, node: Node) -> str:
        """The right-hand side that computes a node."""
        op_def = node.op_def
        if node.type in FORWARDS:
            return self.value(node.inputs[0])
        out = self._reusable(node)
        arguments = [self.operand(node, place) for place in range(len(node.inputs))]
        if op_def.expr is not None and out is None:
            return op_def.expr.format(*arguments)
        if op_def.ufunc is not None:
            xp = self.device_of(node).xp
            prefix = "np" if xp is np else xp.__name__
            kernel = self._bind_once(f"{prefix}_{op_def.ufunc}", getattr(xp, op_def.ufunc))
            return f"{kernel}({', '.join(arguments)}{f', out={out}' if out else ''})"
        if node.type == "_Fused":
            kernel = self._bind("fused", self._kernel(node))
            return f"{kernel}({', '.join(arguments)}{f', out={out}' if out else ''})"
        grouped = []
        groups = op_def.group(list(range(len(arguments))))
        for arg, group in zip(op_def.inputs, groups, strict=True):
            as_it_is = arg.is_ref or (arg.is_list and _runs_functions(node))
            places = group if arg.is_list else [group]
            each = [self.exprs[node.inputs[p]] if as_it_is else arguments[p] for p in places]
            grouped.append(f"[{', '.join(each)}]" if arg.is_list else each[0])
        if out and op_def.takes_out:
            grouped.append(f"out={out}")
        if op_def.takes_step:
            grouped.append("step=rendezvous")
            self.waits = True
        kernel = self._bind("op_" + op_def.type.lstrip("_"), self._kernel(node))
        return f"{kernel}({', '.join(grouped)})"

    def _bind_once(self, name: str, value: Any) -> str:
        if name not in self.bound:
            self.bound[name] = self._bind(name, value)
        return self.bound[name]

    def _kernel(self, node: Node) -> Callable:
        """The kernel with its attributes bound."""
        shapes = [source.shapes[index] for source, index in node.inputs]
        last_reader = self._is_last_reader(node)
        return bind_kernel(
            node.op_def,
            node.attrs,
            shapes,
            node.name,
            self.device_of(node),
            self.resources,
            last_reader and self.in_place and self.given is None,  # a block sees only itself
            last_reader,
        )

    def _drop_snapshots(self, node: Node) -> None:
        """Forgets what was read from a variable before an update: nobody reads it any more.

        The update may then find that nothing else holds the variable's array, and write over it.
        """
        still_read = {self.value(value) for value in node.inputs}
        names = [
            self.exprs[snapshot]
            for value in node.inputs
            if value[0].dtypes[value[1]]._is_ref_dtype
            for snapshot in self.live.snapshots_of(value)
            if snapshot in self.exprs
        ]
        dropped = [n for n in dict.fromkeys(names) if n in self.own and n not in still_read]
        if dropped:
            self.write(f"del {', '.join(dropped)}", [node])
            self.own.difference_update(dropped)

    def _is_last_reader(self, node: Node) -> bool:
        """Whether an update may write into its variable: nothing reads the old value later."""
        references = [
            value
            for arg, value in zip(
                node.op_def.inputs, node.op_def.group(list(node.inputs)), strict=True
            )
            if arg.is_ref and not arg.is_list
        ]
        return bool(references) and not any(
            self.live.variable_is_read_after(value, self.position) for value in references
        )

    def _reusable(self, node: Node) -> str | None:
        """The input whose buffer the result may be written into, as `out=` takes it."""
        op_def = node.op_def
        if len(node.dtypes) != 1 or not (
            (op_def.elementwise and op_def.ufunc is not None) or op_def.takes_out
        ):
            return None
        dtype, shape = node.dtypes[0].base_dtype, node.shapes[0]
        if shape.ndims in (0, None):
            return None
        for each in node.inputs:
            value = self.origins.get(each, each)
            source, index = value
            if (
                source.dtypes[index] == dtype
                and source.shapes[index].ndims == shape.ndims
                and self.live.is_fresh(value)
                and self.live.dies_at(value, self.position)
                and value not in self.written_over
            ):
                guarded = self._guard(node, value)
                if guarded is not None:
                    self.written_over.add(value)
                    return guarded
        return None

    def _guard(self, node: Node, value: Value) -> str | None:
        """`out=` for one candidate: its name when the shapes surely agree, a test when they may.

        So a kernel that takes `out` may find one of its inputs there.
        """
        own = value[0].shapes[value[1]]
        name = self.exprs[value]
        if node.type == "_Fused":  # it looks at the shapes itself
            return name if own.is_compatible_with(node.shapes[0]) else None
        unsure = []
        for each in node.inputs:
            other = self.origins.get(each, each)
            shape = other[0].shapes[other[1]]
            if other == value or shape.ndims == 0 or _fits_into(shape, own):
                continue
            if self.sizes.same(each, value):
                continue
            if shape.ndims != own.ndims or not shape.is_compatible_with(own):
                return None
            unsure.append(f"{self.value(other)}.shape == {name}.shape")
        return f"{name} if {' and '.join(unsure)} else None" if unsure else name

    # ---- other partitions ----------------------------------------------------------------

    def _send(self, node: Node) -> None:
        key = self._bind("key_" + node.attrs["tensor_name"], rendezvous_key(node.attrs))
        value = self.value(node.inputs[0]) if node.inputs else "None"
        comment = f"{node.attrs['tensor_name']} to {node.attrs['recv_device']}"
        self._traced_write(f"rendezvous.send({key}, {value})", node, value, comment)

    def _receive(self, group: list[Node]) -> None:
        names, keys = [], []
        for node in group:
            tensor = node.attrs["tensor_name"]
            names.append(self.name(tensor.removesuffix(":0").lstrip("^")))
            keys.append(self._bind("key_" + tensor, rendezvous_key(node.attrs)))
            self.exprs[node, 0] = names[-1]
        left = ", ".join(names) + ("," if len(names) == 1 else "")
        call = f"{left} = rendezvous.recv_many([{', '.join(keys)}])"
        senders = {node.attrs["send_device"] for node in group}
        comment = "from " + ", ".join(sorted(map(short_device, senders)))
        self._traced_write(call, group[0], names[0], comment)
        for node, name in zip(group, names, strict=True):
            if not node.attrs["tensor_name"].startswith("^"):
                here = task_part(node.attrs["recv_device"]) == task_part(node.attrs["send_device"])
                take = self.device.receive if here else self.device.adopt
                self.write(f"{name} = {self._bind_once(take.__name__, take)}({name})", [node])


def _runs_functions(node: Node) -> bool:
    """Whether a list of inputs holds what functions captured: variables as themselves."""
    return any(isinstance(value, FuncGraph) for value in node.attrs.values())


def _keeps_shape(node: Node) -> bool:
    """Whether this is a Reshape to the shape that its input has already."""
    if node.type != "Reshape":
        return False
    source, index = node.inputs[0]
    before, after = source.shapes[index], node.shapes[0]
    if before.ndims is None or after.ndims is None or before != after:
        return False
    return before.as_list().count(None) <= 1  # the one unknown size follows from the others


def _fits_into(shape: Any, target: Any) -> bool:
    """Whether broadcasting `shape` with `target` surely gives the shape of `target`."""
    if shape.ndims is None or shape.ndims > target.ndims:
        return False
    wanted = target.as_list()[target.ndims - shape.ndims :]
    return all(
        a == 1 or (a is not None and a == b) for a, b in zip(shape.as_list(), wanted, strict=True)
    )
