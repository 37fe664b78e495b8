"""Variables and other state that outlive a step, and the kernels that use them.

A local session owns one `ResourceManager`. In a cluster the task server owns it, so that all
sessions of all clients share the variables of a parameter server by name. `bind_kernel` binds a
kernel, of a plan or of eager execution, to the attributes of one operation and its context.
"""

from __future__ import annotations

import itertools
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from minitf.core.graph.dtypes import DType, bfloat16, float32
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.op_def import OpDef
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.state import VariableState, is_held_elsewhere
from minitf.core.runtime.run.devices import Device

_numbers = itertools.count()  # for names of state that has no shared name


class Ending(ABC):
    """State that holds threads or files."""

    @abstractmethod
    def end(self) -> None:
        """Ends them; threads that wait for the state get an error."""


class ResourceManager:
    """Named variables and other state, shared by all plans that run against it.

    Names are those of one container; the default container's name is empty.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._variables: dict[tuple[str, str], VariableState] = {}
        self._states: dict[tuple[str, str], Any] = {}

    def variable(self, name: str, dtype: DType, shape: Any, container: str = "") -> VariableState:
        """Returns the variable of that name, made (without a value) when it is new."""
        key = (container, name)
        with self._lock:
            found = self._variables.get(key)
            if found is None:
                found = self._variables[key] = VariableState(name, dtype, shape)
            return found

    def state(self, name: str, factory: Callable[[], Any], container: str = "") -> Any:
        """Returns the state of that name, made by `factory` when it is new."""
        key = (container, name)
        with self._lock:
            if key not in self._states:
                self._states[key] = factory()
            return self._states[key]

    def variables(self) -> list[VariableState]:
        """All variables, in the order they were made."""
        with self._lock:
            return list(self._variables.values())

    def clear(self, containers: Collection[str] | None = None) -> None:
        """Clears containers, and ends state with threads or files.

        Args:
          containers: their names; None for all.
        """
        gone = []
        with self._lock:
            for held in (self._variables, self._states):
                keys = [key for key in held if containers is None or key[0] in containers]
                gone += [held.pop(key) for key in keys]
        for state in gone:
            if isinstance(state, Ending):
                state.end()


#: Compiles a FuncGraph for a device and resources: gives a function from the values of its inputs
#: to those of its outputs. plan/plan.py sets it, since this file may not import that one.
compile_function: Callable[..., Callable[..., Any]]


@dataclass(eq=False, slots=True)
class OpKernelContext:
    """The `ctx` of a stateful kernel: the device and the state of its node.

    Args:
      node_name: the name of its node.
      device: the `Device` it runs on.
      resources: the variables and other state.
      in_place: whether the variable that it updates may be overwritten: its old value is surely not
        read later.
      attrs: the node's attributes, also those with a leading underscore.
      last_reader: whether this plan does not read the old value later. Others may; the number of
        references to the array decides then.
    """

    node_name: str
    device: Any
    resources: ResourceManager
    in_place: bool = False
    attrs: dict[str, Any] = field(default_factory=dict)
    last_reader: bool = False
    _functions: dict[Any, Callable[..., Any]] = field(default_factory=dict)

    @property
    def xp(self) -> Any:
        """The array module of the device."""
        return self.device.xp

    def may_overwrite(self, *variables: VariableState) -> bool:
        """Whether the arrays of these variables may be overwritten: they are not read later."""
        if self.in_place:
            return True
        return self.last_reader and not any(map(is_held_elsewhere, variables))

    def run_function(self, graph: Any, args: Any) -> list[Any]:
        """Runs a `FuncGraph` on the values of its inputs; returns those of its outputs.

        It is compiled at the first call.
        """
        run = self._functions.get(graph)
        if run is None:
            run = compile_function(graph, self.device, self.resources)  # noqa: F821
            self._functions[graph] = run
        return run(*args)

    def state(self, factory: Callable[[], Any]) -> Any:
        """Returns the node's own state; `factory` makes it at first use."""
        return self.resources.state(self.node_name, factory, self._container)

    def shared(self, kind: str, factory: Callable[[str], Any]) -> Any:
        """Returns the queue, reader or table of this node's handle.

        With a `shared_name` all nodes and sessions of the task that use the name share it;
        otherwise it belongs to this node in its session.

        Args:
          kind: "queue", "reader", ...: different kinds have separate names.
          factory: makes it, given its name for messages.
        """
        name = self.attrs.get("shared_name")
        if name:
            return self.resources.state(f"{kind}/{name}", lambda: factory(name), self._container)
        key = f"{kind}//{self.attrs.get('_session', '')}/{self.node_name}"
        return self.resources.state(
            key, lambda: factory(f"_{next(_numbers)}_{self.node_name}"), self._container
        )

    @property
    def _container(self) -> str:
        return self.attrs.get("container") or ""


# ---- kernels -----------------------------------------------------------------------------


def bind_kernel(
    op_def: OpDef,
    attrs: dict[str, Any],
    shapes: Sequence[TensorShape],
    name: str,
    device: Device,
    resources: ResourceManager,
    in_place: bool = False,
    last_reader: bool = False,
    rounds: Sequence[bool] = (),
) -> Callable:
    """Returns the kernel of an operation as a function of its inputs alone.

    Args:
      op_def: the declaration of its type.
      attrs: a value for each attribute.
      shapes: what is known of the inputs' shapes.
      name: the operation's name, under which its state is kept.
      device: where it runs.
      resources: the variables and other state.
      in_place: whether it may overwrite the variable that it changes.
      last_reader: whether it may do so if nothing else holds the variable's value.
      rounds: for a kernel that computes in float32 for bfloat16: which outputs are bfloat16.
    """
    own = {each: attrs[each] for each in op_def.attr_names}
    if rounds:
        own = {k: float32 if v is bfloat16 else v for k, v in own.items()}
        wide = bind_kernel(op_def, own, shapes, name, device, resources, in_place, last_reader)
        return partial(_in_float32, wide, rounds)
    if op_def.bind_function is not None:
        bound = op_def.bind_function(device.xp, own, shapes)
        if bound is not None:
            return bound
    first = device.xp
    if op_def.takes_context:
        first = OpKernelContext(name, device, resources, in_place, attrs, last_reader)
    return partial(op_def.kernel, first, **own)


#: ops that read or write the bytes of numbers
_BYTES = ("Bitcast", "DecodeRaw", "ParseTensor", "SerializeTensor")


def rounds_to_bfloat16(
    op_def: OpDef, inputs: Sequence[DType], outputs: Sequence[DType], attrs: dict[str, Any]
) -> list[bool]:
    """Returns which outputs are rounded to bfloat16; [] for a kernel that does not compute with it.

    Ops that only store or pass tensors (variables, queues, functions, files) keep their type.
    """
    if bfloat16 not in inputs and bfloat16 not in outputs:
        return []
    args = (*op_def.inputs, *op_def.outputs)
    keeps = any(arg.is_ref or arg.type in ("resource", "variant") for arg in args)
    calls = any(isinstance(value, FuncGraph) for value in attrs.values())
    if keeps or calls or op_def.reach(attrs) or op_def.type in _BYTES:
        return []
    return [dtype is bfloat16 for dtype in outputs]


def _in_float32(kernel: Callable, rounds: Sequence[bool], *inputs: Any) -> Any:
    """Computes with bfloat16 as TensorFlow does: in float32, and the results rounded."""
    narrow = bfloat16.numpy_dtype

    def widened(value: Any) -> Any:
        if isinstance(value, list):
            return [widened(each) for each in value]
        return value.astype(np.float32) if getattr(value, "dtype", None) == narrow else value

    results = kernel(*map(widened, inputs))
    if not isinstance(results, (tuple, list)):
        return results.astype(narrow) if rounds[0] else results
    return [r.astype(narrow) if half else r for r, half in zip(results, rounds, strict=True)]
