"""Writes one partition as a straight-line Python program, and compiles it.

    a = (b + c) * (c + 2)      becomes      def step(rendezvous, b, c):
    of small arrays of one shape                add = b + c
                                                add_1 = c + add_1_y
                                                a = np_multiply(add, add_1, out=add)
                                                return (a,)

No interpreter runs between the kernels: tensors are local variables, kernels and constants are
bound before, views and no-ops need no line, and a buffer that is not read again is reused.
`explain` shows the program. Where no thread can start, it yields the keys that it waits for.

    Emitter      writes the lines, node by node      control_flow    branches and loops
      Draft      the lines and names so far          Buffers         chooses buffers to reuse
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import CodeType
from typing import Any

import numpy as np

from minitf.core.graph import errors
from minitf.core.graph.dtypes import bfloat16
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.shapes import brackets
from minitf.core.kernels import threads
from minitf.core.kernels.float_mode import flushing, quietly
from minitf.core.kernels.host import on_host
from minitf.core.runtime.emit import control_flow as blocks
from minitf.core.runtime.emit.buffers import Buffers, Value
from minitf.core.runtime.emit.draft import Draft
from minitf.core.runtime.passes import PASSES, Pass
from minitf.core.runtime.passes.rewriting import Readers
from minitf.core.runtime.plan.subgraph import (
    Node,
    group_of,
    operations_of,
    rendezvous_key,
    short_device,
)
from minitf.core.runtime.run.devices import Device
from minitf.core.runtime.run.rendezvous import standing
from minitf.core.runtime.run.resources import ResourceManager, bind_kernel, rounds_to_bfloat16

_WORTH_FREEING = 4096  # elements; below, one more line costs more than the memory
_WORTH_FLUSHING = 1024  # elements; below, denormals cost less than the processor's other mode


def owned(value: Any) -> Any:
    """Copies a value that shares memory with the graph, for the caller; scalars need no copy."""
    if isinstance(value, np.ndarray):
        return value.copy() if value.ndim else value[()]
    return on_host(value)


def plain(value: Any) -> Any:
    """Converts a fresh value for the caller: 0-d arrays to scalars, GPU arrays to NumPy's."""
    if isinstance(value, np.ndarray):
        return value if value.ndim else value[()]
    return on_host(value)


def loop_cancelled() -> errors.OpError:
    """Returns the error that a loop raises when its step was cancelled."""
    return errors.CancelledError.of("Loop execution was cancelled.")


@dataclass
class Program:
    """One partition as compiled Python.

    Args:
      device: where it runs.
      source: its text.
      run: `run(rendezvous, *args)`, or with a trace `run(rendezvous, log, *args)`; returns the
        fetches, or a generator that yields the keys of the tensors that it waits for. A program
        that neither waits nor receives asks its rendezvous only whether the step is still wanted,
        so that many steps may share one.
      arg_indices: which feeds it takes, in order.
      fetch_indices: which fetches it returns, in order.
      line_nodes: the nodes that each line of the text came from.
      waits: whether it may wait for another step, so that `run` needs a rendezvous.
    """

    device: Device
    source: str
    run: Callable[..., tuple]
    arg_indices: list[int]
    fetch_indices: list[int]
    line_nodes: dict[int, list[Node]]
    waits: bool = False
    code: CodeType = field(init=False)

    def __post_init__(self) -> None:
        self.code = getattr(self.run, "__wrapped__", self.run).__code__


@dataclass(frozen=True)
class Target:
    """The target of a program.

    Args:
      device: where it will run.
      resources: where its variables live.
      traced: whether each node's time is logged.
      watched: whether what each node made is shown, too.
      passes: the passes for the bodies of its branches and loops.
      is_function: whether a kernel calls the program, which then neither converts nor copies
        what goes in and out.
      in_place: whether it may write over the values of variables.
      fetches_leave: whether fetches are sent to another process at once, and need no copy.
    """

    device: Device
    resources: ResourceManager
    traced: bool = False
    passes: Sequence[Pass] = field(default_factory=lambda: PASSES)
    is_function: bool = False
    in_place: bool = True
    fetches_leave: bool = False
    watched: bool = False


def emit(groups: Sequence[Sequence[Node]], target: Target) -> Program:
    """Writes and compiles the program of one device.

    Args:
      groups: of nodes, in the order in which they run, as `schedule` makes them.
      target: its target.
    """
    return emitter(groups, target).program()


def emitter(groups: Sequence[Sequence[Node]], target: Target) -> Emitter:
    """Returns the emitter for the class of the target's device."""
    return EMITTERS.get(type(target.device), Emitter)(groups, target)


#: Emitters for devices beyond the host's, as GPUs, by the device's class.
EMITTERS: dict[type[Device], type[Emitter]] = {}


class Emitter:
    """Writes one program, or one block of it: a branch, or the body of a loop.

    Args:
      groups: of nodes, in the order in which they run.
      target: what the program is written for.
      draft: of the program around, for a block.
      given: the expression of each input of a block; None for one that is not used.
    """

    def __init__(
        self,
        groups: Sequence[Sequence[Node]],
        target: Target,
        draft: Draft | None = None,
        given: Sequence[str | None] | None = None,
    ) -> None:
        self.target, self.device, self.given = target, target.device, given
        self.groups = groups
        self.order = [node for group in groups for node in group]
        self.draft = draft or Draft(self.words())
        self.buffers = Buffers(self.order)
        self.fetch_counts = Counter(n.inputs[0] for n in self.order if n.type == "_Retval")
        self.exprs: dict[Value, str] = {}  # how later lines write a value
        self.args: list[tuple[int, str]] = []
        self.fetches: list[tuple[int, str]] = []
        self.own: set[str] = set()  # the names that lines of this block assign
        self.position = 0

    def words(self) -> dict[str, Any]:
        """Returns the functions that every program of this device may call, by name."""
        return {
            "owned": owned,
            "plain": plain,
            "loop_cancelled": loop_cancelled,
            "clock": time.time_ns,
        }

    def source(self) -> str:
        """Writes the whole program; returns its text."""
        self.write_all()
        self.args.sort()
        self.fetches.sort()
        parameters = ["rendezvous", *(["log"] if self.target.traced else [])]
        parameters += ["watch"] if self.target.watched else []
        return self.draft.source(
            self.device.name,
            [*parameters, *(name for _, name in self.args)],
            [expr for _, expr in self.fetches],
            [node.inputs[0][0] for node in self.order if node.type == "_Retval"],
        )

    def program(self) -> Program:
        """The whole program."""
        draft, source = self.draft, self.source()
        run = draft.compiled(source, self.device.name)
        if draft.warns:  # NumPy's warnings are off: overflow and 0/0 give inf and nan, as on a GPU
            run = np.errstate(all="ignore")(run) if draft.looks_around else quietly(run)
            run = flushing(run) if self._is_large() else run
        return Program(
            self.device,
            source,
            run,
            [i for i, _ in self.args],
            [i for i, _ in self.fetches],
            draft.line_nodes,
            draft.waits,
        )

    def _is_large(self) -> bool:
        """Whether any array of floats is so large that denormals would slow it down."""
        return any(
            dtype.base_dtype.is_floating and (shape.num_elements() or 0) >= _WORTH_FLUSHING
            for node in self.order
            for dtype, shape in zip(node.dtypes, node.shapes)
        )

    def write_all(self) -> None:
        """Writes the lines of all nodes."""
        for group in self.groups:
            if group[0].type == "_Recv":
                self._receive(group)
            else:
                self._statement(group[0])
            if self.target.watched:
                self._show(group[0])
            self._release(group)
            self.position += len(group)

    # ---- blocks --------------------------------------------------------------------------

    def nested(self, nodes: Sequence[Node], given: Sequence[str | None]) -> list[str]:
        """Writes the nodes of a function; returns the expressions of its outputs.

        Args:
          nodes: of the function, on this device.
          given: the expressions of its inputs.
        """
        block = type(self)([[node] for node in nodes], self.target, self.draft, given)
        block.write_all()
        return [expr for _, expr in sorted(block.fetches)]

    @cached_property
    def readers(self) -> Readers:
        """The readers of each value, and the nodes that wait for each node."""
        return Readers(self.order)

    def read_of(self, node: Node) -> set[int]:
        """Returns the indices of the outputs that other nodes read."""
        return {index for index in range(len(node.dtypes)) if self.readers.of((node, index))}

    def is_waited_for(self, node: Node) -> bool:
        """Whether other nodes wait for a node without reading from it."""
        return bool(self.readers.waiting(node))

    # ---- lines ---------------------------------------------------------------------------

    def _traced_write(self, code: str, node: Node, results: str, comment: str) -> None:
        fail = operations_of(node)
        if not self.target.traced:
            self.draft.write(code, fail, comment)
            return
        self.draft.write("started = clock()", [node])
        self.draft.write(code, fail, comment)
        self._log("started", node, results)

    def _log(self, started: str, node: Node, results: str) -> None:
        logged = self.draft.bind("node", node)
        self.draft.write(f"log({logged}, {started}, clock(), ({results}))", [node])

    def _show(self, node: Node) -> None:
        """Writes a line that shows the outputs of a node; later lines may overwrite them."""
        known = self.given is not None and node.type in ("_Arg", "Const")  # of a block
        if not known and node.type not in ("_Send", "_Recv", "_Retval"):
            values = [self.exprs.get((node, index), "None") for index in range(len(node.dtypes))]
            shown = self.draft.bind("node", node)
            self.draft.write(f"watch({shown}, [{', '.join(values)}])", [node])

    def _release(self, group: Sequence[Node]) -> None:
        """Writes a `del` of values that are not read again; later lines reuse the memory."""
        names: list[str] = []
        for root in self.buffers.live.dying_at(self.position, group):
            node, index = root
            size = node.shapes[index].num_elements()
            if size is None or size >= _WORTH_FREEING:
                names += [self.exprs[v] for v in self.buffers.live.sharing(root) if v in self.exprs]
        own = {self.exprs.get((node, i)) for node in group for i in range(len(node.dtypes))}
        names = [n for n in dict.fromkeys(names) if n not in own]
        if names:
            self.draft.write(f"del {', '.join(names)}", group)

    # ---- statements ----------------------------------------------------------------------

    def _statement(self, node: Node) -> None:
        kind = node.type
        if kind == "_Arg" and self.given is not None:
            self.exprs[node, 0] = str(self.given[node.attrs["index"]])
        elif kind in blocks.WRITERS and self.draft.depth < blocks.DEEPEST:
            blocks.WRITERS[kind](self, node)
        elif kind == "_Arg":
            name = self.draft.name(node.op.name if node.op is not None else node.name)
            self.args.append((node.attrs["index"], name))
            self.exprs[node, 0] = self.to_device(name, node)
        elif kind == "_Retval":
            self.fetches.append((node.attrs["index"], self._fetch(node.inputs[0])))
        elif kind == "_Send":
            self._send(node)
        elif kind == "Const":
            self.exprs[node, 0] = self.draft.bind(node.name, self._constant(node))
        elif kind == "VariableV2":
            state = self._kernel(node)()  # once, not in each run
            self.exprs[node, 0] = self.draft.bind(node.name, state)
        elif (node.op_def.forwards or _keeps_shape(node)) and not self._reads_variable(node):
            self.exprs[node, 0] = self.exprs[node.inputs[0]]
            self.buffers.passes_on(node)
        elif kind != "NoOp":
            self._compute(node)

    def to_device(self, name: str, node: Node) -> str:
        """Copies a feed to the device; only a CPU uses the host's memory."""
        if self.device.device_type != "CPU" and not self.target.is_function:
            receive = self.draft.bind_once("receive", self.device.receive)
            self.draft.write(f"{name} = {receive}({name})", [node])
        return name

    def _constant(self, node: Node) -> Any:
        value = node.attrs["value"]
        if self.device.xp is not np and value.dtype.kind != "O":
            return self.device.put(value)
        return value[()] if value.ndim == 0 and not self._beside_arrays(node) else value

    def _beside_arrays(self, node: Node) -> bool:
        """Whether all readers of a constant are ufuncs of arrays.

        Ufuncs take a 0-d array in half the time of a number.
        """
        readers = self.readers.of((node, 0))
        numbers = node.dtypes[0].is_floating or node.dtypes[0].is_integer
        arrays = all(each.op_def.ufunc and each.shapes[0].ndims for each in readers)
        return numbers and arrays and not self.target.watched

    def _reads_variable(self, node: Node) -> bool:
        source, index = node.inputs[0]
        return source.dtypes[index]._is_ref_dtype

    def value(self, value: Value) -> str:
        """Returns the expression of a value; of a reference, that of the variable's value now."""
        node, index = value
        expr = self.exprs[value]
        return f"{expr}.value" if node.dtypes[index]._is_ref_dtype else expr

    def operand(self, node: Node, place: int) -> str:
        """Returns the expression of one of the inputs of a node."""
        return self.value(node.inputs[place])

    def device_of(self, node: Node) -> Device:
        """Returns the device on which a node computes."""
        return self.device

    def _fetch(self, value: Value) -> str:
        node, index = value
        expr = self.value(value)
        if self.given is not None or self.target.is_function:
            return expr
        if node.dtypes[index].is_quantized:  # the whole numbers alone
            return f"plain({expr}[{node.dtypes[index].base_dtype.name!r}].copy())"
        scalar = node.shapes[index].ndims == 0
        shared = not self.buffers.live.is_private(value) or self._fetched_twice(value)
        if shared and not self.target.fetches_leave:
            return f"owned({expr})"
        if scalar and (node.op_def.expr or node.op_def.ufunc) and self.device.xp is np:
            return expr  # an expression of NumPy scalars is a NumPy scalar
        return f"plain({expr})"

    def _fetched_twice(self, value: Value) -> bool:
        return self.fetch_counts[value] > 1 or value[0].op_def.alias

    def _compute(self, node: Node) -> None:
        call = self._call(node)
        self.draft.warns |= not node.op_def.forwards
        updates = any(arg.is_ref for arg in node.op_def.inputs)
        self.draft.looks_around |= node.op_def.takes_context and not updates
        if updates and not self._writes_in_place():
            if self.buffers.is_last_reader(node, self.position):
                self._drop_snapshots(node)
        if not node.dtypes:
            self._traced_write(call, node, "", f"{node.name}: {node.type}")
            return
        if node.inputs and len(node.dtypes) == 1 and node.dtypes[0]._is_ref_dtype:
            self._traced_write(call, node, self.value(node.inputs[0]), f"{node.name}: {node.type}")
            self.exprs[node, 0] = self.exprs[node.inputs[0]]
            return
        wanted = [node.name, *(f"{node.name}_{i}" for i in range(1, len(node.dtypes)))]
        names = [self.draft.name(each) for each in wanted]
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
        group = group_of(node)
        if group is not None:
            described += f": {group.text([self.value(v) for v in node.inputs])}"
        kind = node.type if group is None else "Fused"
        self._traced_write(f"{left} = {call}", node, left, f"{kind} {described}")

    def _call(self, node: Node) -> str:
        """Returns the expression that computes a node."""
        op_def = node.op_def
        if node.op_def.forwards:
            return self.value(node.inputs[0])
        rounds = self._rounds(node)
        out = None if rounds else self.reused(node)
        arguments = [self.operand(node, place) for place in range(len(node.inputs))]
        if op_def.expr is not None and out is None and not rounds:
            return op_def.expr.format(*arguments)
        if op_def.ufunc is not None and not rounds:
            xp = self.device_of(node).xp
            prefix = "np" if xp is np else xp.__name__
            kernel = self.draft.bind_once(f"{prefix}_{op_def.ufunc}", getattr(xp, op_def.ufunc))
            return f"{kernel}({', '.join(arguments)}{f', out={out}' if out else ''})"
        if group_of(node) is not None:
            kernel = self.draft.bind("fused", self._kernel(node))
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
            self.draft.waits = True
        run = self._kernel(node)
        bound = _standing(run, node.name, node.type) if op_def.takes_step else run
        kernel = self.draft.bind("op_" + op_def.type.lstrip("_"), bound)
        return f"{kernel}({', '.join(grouped)})"

    def _kernel(self, node: Node) -> Callable:
        """Returns the kernel with its attributes bound."""
        shapes = [source.shapes[index] for source, index in node.inputs]
        last_reader = self.buffers.is_last_reader(node, self.position)
        return bind_kernel(
            node.op_def,
            node.attrs,
            shapes,
            node.name,
            self.device_of(node),
            self.target.resources,
            last_reader and self._writes_in_place(),
            last_reader,
            self._rounds(node),
        )

    @cached_property
    def _has_bfloat16(self) -> bool:
        return any(dtype.base_dtype is bfloat16 for n in self.order for dtype in n.dtypes)

    def _rounds(self, node: Node) -> list[bool]:
        if not self._has_bfloat16:
            return []
        given = [source.dtypes[index].base_dtype for source, index in node.inputs]
        return rounds_to_bfloat16(node.op_def, given, node.dtypes, node.attrs)

    def _writes_in_place(self) -> bool:
        """Whether variables may be overwritten; a block knows only its own readers of them."""
        return self.target.in_place and self.given is None

    def _drop_snapshots(self, node: Node) -> None:
        """Writes a `del` of values that were read from a variable, before the variable is updated.

        No later line reads these values. The update can then overwrite the variable's array, since
        nothing else holds it.
        """
        still_read = {self.value(value) for value in node.inputs}
        names = [self.exprs[v] for v in self.buffers.snapshots(node) if v in self.exprs]
        dropped = [n for n in dict.fromkeys(names) if n in self.own and n not in still_read]
        if dropped:
            self.draft.write(f"del {', '.join(dropped)}", [node])
            self.own.difference_update(dropped)

    def reused(self, node: Node) -> str | None:
        """Returns the expression of the buffer for a result, for `out=`; None for new memory."""
        found = self.buffers.reusable(node, self.position)
        if found is None:
            return None
        name = self.exprs[found.value]
        tests = [f"{self.value(each)}.shape == {name}.shape" for each in found.if_like]
        if found.may_be_one:
            tests.append(f"{name}.size > 1")
        return f"{name} if {' and '.join(tests)} else None" if tests else name

    # ---- other partitions ----------------------------------------------------------------

    def _send(self, node: Node) -> None:
        key = rendezvous_key(node.attrs)
        bound = self.draft.bind(f"key_{key.tensor}", key)
        value = self.value(node.inputs[0]) if node.inputs else "None"
        comment = f"{key.tensor} to {key.receiver}"
        self._traced_write(f"rendezvous.send({bound}, {value})", node, value, comment)

    def _receive(self, group: Sequence[Node]) -> None:
        keys = [rendezvous_key(node.attrs) for node in group]
        names, bound = [], []
        for node, key in zip(group, keys, strict=True):
            names.append(self.draft.name(key.tensor.removesuffix(":0").lstrip("^")))
            bound.append(self.draft.bind(f"key_{key.tensor}", key))
            self.exprs[node, 0] = names[-1]
        left = ", ".join(names) + ("," if len(names) == 1 else "")
        wait = "rendezvous.recv_many([{}])" if threads.can_start() else "yield [{}]"
        call = f"{left} = {wait.format(', '.join(bound))}"
        comment = "from " + ", ".join(sorted({short_device(key.sender) for key in keys}))
        self._traced_write(call, group[0], names[0], comment)
        for node, name in zip(group[1:], names[1:]) if self.target.traced else ():
            self._log("clock()", node, name)  # it came with the first
        for node, key, name in zip(group, keys, names, strict=True):
            if not key.is_control:
                here = key.sending_task == key.receiving_task
                take = self.device.receive if here else self.device.adopt
                taker = self.draft.bind_once(take.__name__, take)
                self.draft.write(f"{name} = {taker}({name})", [node])


def _standing(kernel: Callable, *where: str) -> Callable:
    """Returns a kernel that may wait, and that records its place in the step meanwhile."""

    def run(*inputs: Any, step: Any) -> Any:
        with standing(step, *where):
            return kernel(*inputs, step=step)

    return run


def _runs_functions(node: Node) -> bool:
    """Whether a list of inputs holds the captures of functions: variables, not their values."""
    return any(isinstance(value, FuncGraph) for value in node.attrs.values())


def _keeps_shape(node: Node) -> bool:
    """Whether this is a Reshape to a constant shape that its input has already."""
    if node.type != "Reshape" or node.inputs[1][0].type != "Const":
        return False
    source, index = node.inputs[0]
    before, after = source.shapes[index], node.shapes[0]
    if before.ndims is None or after.ndims is None or before != after:
        return False
    return before.as_list().count(None) <= 1  # the one unknown size follows from the others
