"""Programs for cards: what stays on the host beside them, and how their fetches come back.

A program for a card is written as any other (emit.py), in CuPy. But numbers that say how large
something is, along which axis, or where to begin, are wanted by Python and not by the card: to
fetch them from there would stop the program each time, and a graph of CUDA could not be captured
at all. So shapes, and what is computed from shapes and constants alone, are NumPy's:

    shape = op_Shape(x)                        host
    rows = shape[0] * 2                        host
    y = op_Reshape(x, rows)                    card, with a number of the host
    z = y * 0.5                                card; a constant scalar is a number, too
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import cached_property, partial
from typing import Any, final

import numpy as np

from minitf.core.kernels.host import on_host
from minitf.core.runtime.emit import control_flow as blocks
from minitf.core.runtime.emit import emit
from minitf.core.runtime.emit.emit import Program, Value
from minitf.core.runtime.plan.subgraph import Node
from minitf.core.runtime.run.devices import CpuDevice, Device, offer
from minitf.fast.cuda import gpu
from minitf.fast.cuda.gpu_graphs import Captured, may_be_captured


@final
class GpuDevice(Device):
    """A CUDA card, through CuPy; `ordinal` is which of the visible cards."""

    device_type = "GPU"

    @property
    def xp(self) -> Any:
        return gpu.arrays()

    @property
    def description(self) -> str:
        return gpu.describe(self.ordinal)

    def put(self, value: Any) -> Any:
        return gpu.to_card(value, self.ordinal)

    def current(self) -> AbstractContextManager:
        return gpu.on(self.ordinal)

    def adopt(self, value: Any) -> Any:
        return self.receive(value)

    def hold(self, value: Any) -> Any:
        return gpu.on_card(value) if isinstance(value, np.ndarray | np.generic) else value


offer(GpuDevice, gpu.count)


_FEW = 64  # elements; more would not be a shape
_HOST = CpuDevice("/device:CPU:0")


def _is_pure(node: Node) -> bool:
    op_def = node.op_def
    return not (op_def.takes_context or op_def.stateful or op_def.ref_inputs or node.type[0] == "_")


def _is_few(node: Node, index: int) -> bool:
    """Whether an output is a few integers."""
    size = node.shapes[index].num_elements()
    return node.dtypes[index].numpy_dtype.kind in "iub" and size is not None and size <= _FEW


def _only_passed_on(value: Value) -> Value:
    """Who made a value that others only pass on."""
    while value[0].op_def.forwards:
        source, index = value[0].inputs[0]
        if source.dtypes[index]._is_ref_dtype:
            break
        value = source, index
    return value


def nodes_on_host(order: Sequence[Node], inner: bool) -> set[Node]:
    """The nodes of a card's program that compute on the host.

    Args:
      order: the nodes, in the order they run.
      inner: whether what the program gives out goes to other parts of a card's program.
    """
    found: set[Node] = set()
    takers = {*blocks.WRITERS, "_Fused", *(["_Retval"] if inner else [])}
    taken = {  # they take what is on the card
        _only_passed_on(value)[0] for n in order if n.type in takers for value in n.inputs
    }
    for node in order:
        if node in taken:
            continue
        if node.op_def.host_outputs:
            found.add(node)
        elif node.inputs and _is_pure(node) and node.type not in blocks.WRITERS:
            made = [_only_passed_on(value) for value in node.inputs]
            known = all(
                source in found or (source.type == "Const" and _is_few(source, index))
                for source, index in made
            )
            few = all(_is_few(node, index) for index in range(len(node.dtypes)))
            if known and few and any(source in found for source, _ in made):
                found.add(node)
    return found


class CardEmitter(emit.Emitter):
    """Writes the program of a card."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._numbers: dict[Node, str] = {}

    def words(self) -> dict[str, Any]:
        own = {"to_device": gpu.on_card, "to_host": on_host, "owned": _copied, "plain": _as_it_is}
        if self.target.traced:  # a kernel's time is that of the card, not of starting it
            own["clock"] = partial(gpu.clock, self._ordinal)
        return super().words() | own

    @cached_property
    def on_host(self) -> set[Node]:
        """The nodes that compute on the host."""
        return nodes_on_host(self.order, self.target.is_function or self.given is not None)

    @property
    def _ordinal(self) -> int:
        return self.device.ordinal

    def program(self) -> Program:
        program = super().program()
        if self.target.is_function:
            return program
        start, ordinal = program.run, self._ordinal

        def plain(*args: Any) -> tuple:
            with gpu.on(ordinal):
                return gpu.fetched(start(*args), ordinal)

        program.run = plain
        if not self.target.traced and not self.draft.waits and may_be_captured(self.order):
            states = [
                self.draft.namespace[self.exprs[n, 0]] for n in self.order if n.type == "VariableV2"
            ]
            program.run = Captured(start, plain, states, ordinal, self.device.name)
        return program

    def to_device(self, name: str, node: Node) -> str:
        if not self.target.is_function:
            self.draft.write(f"{name} = to_device({name})", [node])
        return name

    def device_of(self, node: Node) -> Device:
        return _HOST if node in self.on_host else self.device

    def operand(self, node: Node, place: int) -> str:
        written, origin = self.value(node.inputs[place]), _only_passed_on(node.inputs[place])
        source, index = origin
        here = source in self.on_host
        wanted = self._wants_on_host(node, place, origin)
        if source.type == "Const" and wanted:
            return self._number(source)
        if here == wanted or node.op_def.host_outputs or source.dtypes[index]._is_ref_dtype:
            return written
        return f"{'to_host' if wanted else 'to_device'}({written})"

    def _number(self, source: Node) -> str:
        """How a line writes a constant that stays on the host."""
        if source not in self._numbers:
            value = source.attrs["value"]
            bound = self.draft.bind(f"{source.name}_host", value if value.ndim else value[()])
            self._numbers[source] = bound
        return self._numbers[source]

    def _wants_on_host(self, node: Node, place: int, origin: Value) -> bool:
        if node in self.on_host or place in node.op_def.host_inputs:
            return True
        source, index = origin
        if source.shapes[index].ndims != 0 or not self._is_number(source):
            return False
        if node.op_def.ref_inputs:  # the rates of an update
            return node.op_def.inputs[0].is_ref and node.type.startswith(("Apply", "SparseApply"))
        computes = node.op_def.expr or node.op_def.ufunc or node.type == "_Fused"
        others = [_only_passed_on(v)[0] for i, v in enumerate(node.inputs) if i != place]
        return bool(computes) and any(not self._is_number(each) for each in others)

    def _is_number(self, source: Node) -> bool:
        return source in self.on_host or (
            source.type == "Const" and source.attrs["value"].dtype.kind in "biufc"
        )

    def reused(self, node: Node) -> str | None:
        if node in self.on_host:
            return None
        found = super().reused(node)
        of_host = {self.exprs.get((n, i)) for n in self.on_host for i in range(len(n.dtypes))}
        return None if found is None or found.partition(" ")[0] in of_host else found


def _copied(value: Any) -> Any:
    return value.copy() if hasattr(value, "copy") else value


def _as_it_is(value: Any) -> Any:
    return value


emit.EMITTERS[GpuDevice] = CardEmitter
