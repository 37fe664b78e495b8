"""What outlives a step: the values of variables, and the state of stateful ops.

A local session owns one `ResourceManager`; in a cluster the task server does, so that all sessions
of all clients share the variables of a parameter server by name.
"""

from __future__ import annotations

import itertools
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from minitf.core.graph.dtypes import DType
from minitf.core.graph.state import VariableState, is_held_elsewhere

_numbers = itertools.count()  # for names of state that has no shared name


class Ending(ABC):
    """A state that holds threads or files."""

    @abstractmethod
    def end(self) -> None:
        """Gives them back; whoever waits for it is told so."""


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
        """Forgets what is in these containers, and ends what has threads or files there.

        Args:
          containers: None for all of them.
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
    """The `ctx` of a stateful kernel: what it may use beside its inputs. Each node has its own.

    Args:
      node_name: the name of its node.
      device: the `Device` it runs on.
      resources: what outlives the step.
      in_place: whether the variable that it updates may be overwritten: surely nobody reads the
        old value later.
      attrs: the node's attributes, those with a leading underscore too.
      last_reader: whether nobody reads the old value later in this plan, but perhaps elsewhere. The
        count of references to the array decides then.
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
        """Whether the arrays of these variables may be written over: nobody reads them later."""
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
        """This node's own state, made by `factory` at first use, kept between steps and plans."""
        return self.resources.state(self.node_name, factory, self._container)

    def shared(self, kind: str, factory: Callable[[str], Any]) -> Any:
        """The queue, reader or table that this node's handle stands for.

        With a `shared_name` all nodes and sessions on this task that use the name have the same;
        otherwise it belongs to this node in its session.

        Args:
          kind: "queue", "reader", ...: names of different kinds do not meet.
          factory: makes it, given the name that messages call it by.
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
