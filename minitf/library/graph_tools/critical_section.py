"""`tf.CriticalSection`: what only one step or thread at a time does.

    section = tf.CriticalSection()
    total = section.execute(lambda: count.assign(count.read_value() + 1))

The function becomes the body of one operation, which holds the lock while it runs the body. What
the body takes from outside is computed before, so that no step waits for itself.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from minitf.core.gradients import function_gradients as functions
from minitf.core.graph import stacks
from minitf.core.graph.composites import put_together, take_apart
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.func_graph import FuncGraph
from minitf.core.graph.graph_keys import GraphKeys
from minitf.core.graph.op_def import op
from minitf.core.ops.array import identity
from minitf.library.variables.resource_variable import ResourceVariable

_numbers = itertools.count()
_running = threading.local()  # .names: the locks that the functions being built or run hold


@op(
    "ExecuteLocked",
    "input: N*? -> output: N*types",
    differentiable=False,
    no_samples="its body is a graph; tests/library/graph_tools/test_critical_section.py runs it",
)
def execute_locked(
    ctx: Any, input: Any, *, body: FuncGraph, types: Any, shapes: Any, shared_name: str
) -> list[Any]:
    """Runs `body` while no other operation of the same lock runs its own."""
    with ctx.shared("mutex", lambda name: threading.Lock()):
        return ctx.run_function(body, input)


execute_locked.shape(functions.shapes_given)


class CriticalSection:
    """A lock, and the functions that run under it.

    Args:
      name: a name for the lock.
      shared_name: sections of this name, in any session of the task, have one lock.
      critical_section_def, import_scope: accepted; there are none to read.

    Example:
      >>> v = tf.get_variable("count", [], initializer=tf.zeros_initializer())
      >>> sess.run(v.initializer)
      >>> sess.run(tf.CriticalSection().execute(lambda: v.assign(v.read_value() + 2)))
      2.0
    """

    def __init__(
        self, name: str | None = None, shared_name: str | None = None,
        critical_section_def: Any = None, import_scope: str | None = None,
    ) -> None:  # fmt: skip
        with stacks.name_scope(name, "CriticalSection") as scope:
            self._name = scope.rstrip("/")
        self._shared_name = shared_name or f"_{next(_numbers)}_{self._name}"
        self._lock = threading.Lock()  # of eager execution
        if not stacks.executing_eagerly():
            stacks.add_to_collection("critical_sections", self)

    @property
    def name(self) -> str:
        """The name of the lock."""
        return self._name

    def execute(
        self, fn: Callable[[], Any], exclusive_resource_access: bool = True, name: str | None = None
    ) -> Any:
        """The results of `fn()`, run while no other function runs under this lock.

        Args:
          fn: a function without arguments, which returns tensors; no gradient flows through it.
          exclusive_resource_access: whether no other section may use the same resource variables.
          name: the name of the scope.
        Raises:
          ValueError: when `fn` would take this lock again, or shares variables with a section that
            wants them for itself.
        """
        with stacks.name_scope(name, "critical_section_execute"), self._held():
            if stacks.executing_eagerly():
                with self._lock:
                    return fn()
            graph = FuncGraph("critical_section", stacks.get_default_graph())
            with graph.building():
                result = fn()
                inside = take_apart(result, convert_to_tensor)
                graph.outputs = [graph.capture(identity(tensor)) for tensor in inside]
            inputs = [outside for outside, _ in graph.captures]
            self._check_alone(inputs, exclusive_resource_access)
            with stacks.control_dependencies(graph.waits_for):
                outputs = execute_locked(
                    inputs,
                    body=graph,
                    types=tuple(tensor.dtype.base_dtype for tensor in graph.outputs),
                    shapes=tuple(tensor.shape for tensor in graph.outputs),
                    shared_name=self._shared_name,
                )
            return put_together(result, list(outputs))

    @contextlib.contextmanager
    def _held(self) -> Iterator[None]:
        held = _running.__dict__.setdefault("names", [])
        if self._shared_name in held:
            raise ValueError(
                f"Attempting to lock a CriticalSection (signature={self._shared_name}) in which we "
                "are already running. This is illegal and may cause deadlocks."
            )
        held.append(self._shared_name)
        try:
            yield
        finally:
            held.pop()

    def _check_alone(self, inputs: Sequence[Any], exclusive: bool) -> None:
        """Checks that no other section uses the resource variables among the inputs."""
        keys = GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES
        known = (each for key in keys for each in stacks.get_collection(key))
        ops = {tensor.op for tensor in inputs}
        used = ops & {each.op for each in known if isinstance(each, ResourceVariable)}
        key = "critical_section_executions"
        for lock, theirs, alone in stacks.get_collection(key):
            both = used & theirs
            if both and lock != self._shared_name and (exclusive or alone):
                raise ValueError(
                    f"This execution would access resources: {[each.name for each in both]}. "
                    f"Either this lock (CriticalSection: {self._shared_name}) or lock "
                    f"(CriticalSection: {lock}) requested exclusive resource access of this "
                    "resource. Did you mean to call execute with keyword argument "
                    "exclusive_resource_access=False?"
                )
        stacks.add_to_collection(key, (self._shared_name, used, exclusive))
