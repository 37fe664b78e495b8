"""`ResourceVariable`: a variable of a graph whose every use reads it anew.

    W = tf.Variable(1.0, use_resource=True)
    with tf.control_dependencies([W.assign_add(1.0)]):
        y = W * 2.0                     # reads here, after the update: 4.0

A reference variable has one read that its users share, so that `y` above may well be 2.0. Under
eager execution every variable is of this kind.
"""

from __future__ import annotations

import functools
from typing import Any

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Operation, Tensor
from minitf.core.ops import state as state_ops
from minitf.core.ops.array_gathering import gather_nd
from minitf.core.variables.variable_def import VariableDef
from minitf.core.variables.variable_scope import get_variable_scope
from minitf.core.variables.variables import Variable

_by_default = False


def use_by_default(wanted: bool) -> None:
    """Says what `tf.Variable(...)` gives where `use_resource` is not said."""
    global _by_default
    _by_default = wanted


def used_by_default() -> bool:
    """What `use_by_default` was told last."""
    return _by_default


def _is_meant(options: dict[str, Any]) -> bool:
    definition, asked = options.get("variable_def"), options.get("use_resource")
    if definition is not None:
        return definition.is_resource
    asked = get_variable_scope().use_resource if asked is None else asked
    return _by_default if asked is None else asked


@Variable.kind(_is_meant)
class ResourceVariable(Variable):
    """A variable that is read where it is used. The arguments are those of `Variable`."""

    is_resource = True

    @property
    def dtype(self) -> dtypes.DType:
        """The element type; no reference type."""
        return self._variable.dtype.base_dtype

    @property
    def handle(self) -> Any:
        """The reference to the value."""
        return self._variable

    @property
    def create(self) -> Any:
        """The operation that gives the first value."""
        return self.initializer

    def value(self) -> Tensor:
        """Adds a read: it waits for the control inputs that are open here.

        A variable with a caching device has one read that its users share.
        """
        if self._caching_device is not None:
            return self._snapshot
        with stacks.colocate_with(self._variable.op, ignore_existing=True):
            name = f"{self._shared_name}/ReadVariableOp"
            return state_ops.read_variable(self._variable, name=name)

    def _first_read(self) -> Tensor:
        return state_ops.read_variable(self._variable, name="Read/ReadVariableOp")

    def _as_graph_element(self) -> Tensor:
        return self._snapshot

    def _as_tensor(self) -> Tensor:
        for tape in stacks.tapes.items:
            tape.variable_accessed(self)
        return self.value()

    def _shared_read(self) -> Tensor | None:
        return None

    def _changed(self, update: Tensor, read_value: bool) -> Any:
        return _UnreadVariable(self, update.op) if read_value else update.op

    def gather_nd(self, indices: Any, name: str | None = None) -> Tensor:
        """Reads the elements or slices at some places, the last axis of `indices`."""
        with name_scope(name, "GatherNd"):
            return gather_nd(self, indices)

    def is_initialized(self, name: str | None = None) -> Any:
        """Whether it has a value."""
        return state_ops.is_variable_initialized(self._variable, name=name)

    def numpy(self) -> Any:
        """Belongs to eager execution."""
        raise NotImplementedError("numpy() is only available when eager execution is enabled.")

    @staticmethod
    def from_proto(variable_def: VariableDef, import_scope: str | None = None) -> ResourceVariable:
        """Makes the object for nodes that stand in the default graph already."""
        return ResourceVariable(variable_def=variable_def, import_scope=import_scope)


class _UnreadVariable(ResourceVariable):
    """The variable as an update gives it back: who reads or changes it waits for that.

    Args:
      variable: what was updated.
      update: the operation that did it.
    """

    asks_creators, is_updated = False, True  # it is not new

    def __init__(self, variable: ResourceVariable, update: Operation) -> None:
        self.__dict__.update(variable.__dict__)
        self._caching_device = self._distributed_container = None
        self._update = update
        self._updated_key = variable._key()
        self._snapshot = self.value()

    @property
    def op(self) -> Operation:
        """The update."""
        return self._update

    @property
    def name(self) -> str:
        """The update's name."""
        return self._update.name

    @property
    def _shared_name(self) -> str:
        return self._variable.op.name

    def _key(self) -> Any:
        return self._updated_key

    def eval(self, session: Any = None) -> Any:
        """Updates the variable and returns its value, in `session` or in the default session."""
        return self._snapshot.eval(session=session)


def _waits(method: Any) -> Any:
    """The method, which adds to the graph only what comes after the update."""

    @functools.wraps(method)
    def after(self: _UnreadVariable, *args: Any, **kwargs: Any) -> Any:
        with stacks.control_dependencies([self._update]):
            return method(self, *args, **kwargs)

    return after


for _name in ("value", "read_value", "assign", "assign_add", "assign_sub", "_scatter"):
    setattr(_UnreadVariable, _name, _waits(getattr(ResourceVariable, _name)))
