"""`EagerVariable`: what `tf.Variable` makes under eager execution.

It holds its value itself, from the moment it is made, and is gone when Python forgets it; there is
no initializer to run and no session to ask.

    >>> tf.enable_eager_execution()
    >>> v = tf.Variable([1.0, 2.0])
    >>> v.assign_add([1.0, 1.0])
    <tf.Variable 'UnreadVariable' shape=(2,) dtype=float32, numpy=array([2., 3.], dtype=float32)>

In a function that is being traced it stands for an input of the function: the reference is captured
and the function's operations read and change the one value (`FuncGraph.capture`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import constant_value, convert_to_tensor
from minitf.core.graph.graph import Tensor
from minitf.core.graph.shapes import TensorShape, as_shape, unknown_shape
from minitf.core.graph.stacks import GraphKeys
from minitf.core.graph.state import VariableState
from minitf.core.ops import state as state_ops
from minitf.core.variables.variables import ResourceVariable, Variable
from minitf.library.eager import context
from minitf.library.eager.kernels import compile_graph
from minitf.library.eager.tensor import HOST, EagerRef, EagerTensor, PythonValue, read_variable


class _Holder:
    """What code that asks a variable for its operation gets to see: a name and a device."""

    type = "VarHandleOp"

    def __init__(self, name: str, device: str) -> None:
        self.name = name
        self.device = device

    @property
    def graph(self) -> Any:
        """What is current outside of all functions."""
        return stacks.outermost()

    def colocation_groups(self) -> list[bytes]:
        """The group of its name."""
        return [f"loc:@{self.name}".encode()]


@Variable.kind(lambda options: stacks.outermost().runs_at_once)
class EagerVariable(PythonValue, ResourceVariable):
    """A variable with its value. The arguments are those of `Variable`."""

    def _find_nodes(self, definition: Any, import_scope: str | None) -> None:
        raise ValueError(
            "Creating Variables from variable_def is not supported when eager execution is enabled."
        )

    def _make_nodes(
        self, initial_value: Any, name: str | None, dtype: Any, validate_shape: bool, shape: Any
    ) -> None:
        given = initial_value
        if isinstance(given, Tensor) and not isinstance(given, EagerTensor):
            given = _known_value(given)
        with stacks.name_scope(name, "Variable") as scope:
            if callable(given):
                with stacks.name_scope("Initializer"):
                    given = given()
            value: Any = convert_to_tensor(given, dtype, "initial_value")
            if shape is None:
                shape = value.shape if validate_shape else unknown_shape()
            state = VariableState(scope.rstrip("/"), value.dtype.base_dtype, as_shape(shape))
            self._handle = EagerRef(state)
            self._number = next(_numbers)
            self._handle._device = context.device_for([value])
            (own,) = context.values_on([value], self._handle._device)
            state.value = own.copy() if value.ndim else own

    def _collect(self, collections: list[str]) -> None:
        """Only the global step is to be found again: a collection would keep the others alive."""
        if GraphKeys.GLOBAL_STEP in collections:
            stacks.add_to_collection(GraphKeys.GLOBAL_STEP, self)

    # ---- what stands for it here -----------------------------------------------------------

    @property
    def _variable(self) -> Any:  # type: ignore[override]
        """The reference: itself, or in a function the input that stands for it."""
        if stacks.executing_eagerly():
            return self._handle
        return stacks.get_default_graph().capture(self._handle)

    @property
    def _snapshot(self) -> Any:  # type: ignore[override]
        return self._as_tensor()

    def _as_tensor(self) -> Tensor:
        for tape in stacks.tapes.items:
            tape.variable_accessed(self)
        if stacks.executing_eagerly():
            return read_variable(self._handle)
        return super().read_value()

    def _as_ref_tensor(self) -> Tensor:
        return self._variable

    def _home(self) -> Any:
        return stacks.outermost()

    def _key(self) -> Any:
        return self._handle

    @property
    def name(self) -> str:
        """The name, as 'W:0'; several variables may have one name."""
        return f"{self._handle._value.name}:0"

    @property
    def dtype(self) -> dtypes.DType:
        """The element type."""
        return self._handle._value.dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return as_shape(self._handle._value.shape)

    def set_shape(self, shape: Any) -> None:
        """Adds knowledge about the shape."""
        state = self._handle._value
        state.shape = as_shape(state.shape).merge_with(as_shape(shape))

    @property
    def device(self) -> str:
        """The device that holds the value."""
        return self._handle.device

    @property
    def op(self) -> Any:
        """What has its name and its device; in a function, the input that stands for it."""
        if stacks.executing_eagerly():
            return _Holder(self._handle._value.name, self.device)
        return self._variable.op

    @property
    def graph(self) -> Any:
        """In a function, the graph that it is used in."""
        if stacks.executing_eagerly():
            raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")
        return stacks.get_default_graph()

    @property
    def initializer(self) -> Any:
        """None: it is initialized."""
        return None

    @property
    def initial_value(self) -> Any:
        """Not kept."""
        raise RuntimeError("This property is not supported when eager execution is enabled.")

    def initialized_value(self) -> Tensor:
        """The value."""
        return self.read_value()

    def eval(self, session: Any = None) -> Any:
        """Belongs to variables of a graph."""
        raise RuntimeError("This operation is not supported when eager execution is enabled.")

    def load(self, value: Any, session: Any = None) -> None:
        """Sets the value."""
        self.assign(value)

    def to_proto(self, export_scope: str | None = None) -> None:
        """Belongs to variables of a graph."""
        raise RuntimeError("This operation is not supported when eager execution is enabled.")

    # ---- reading and writing ---------------------------------------------------------------

    def value(self) -> Tensor:
        """The value now."""
        return self._as_tensor()

    read_value = value

    def numpy(self) -> Any:
        """The value now, as a copy.

        Raises:
          NotImplementedError: in a function that is being traced.
        """
        if not stacks.executing_eagerly():
            raise NotImplementedError("numpy() is only available when eager execution is enabled.")
        return read_variable(self._handle).numpy()

    def _write(
        self, update: Callable, value: Any, use_locking: bool, name: str | None, read_value: bool
    ) -> Any:
        """Changes the value now; returns the variable, or with `read_value=False` nothing.

        Raises:
          ValueError: when the shape of a new value does not fit.
        """
        given = convert_to_tensor(value, dtype=self.dtype)
        if update is state_ops.assign and not self.shape.is_compatible_with(given.shape):
            raise ValueError(
                f"Cannot assign value to variable ' {self.name}': Shape mismatch.The variable "
                f"shape {self.shape}, and the assigned value shape {given.shape} are incompatible."
            )
        return super()._write(update, given, False, name, read_value)

    def _changed(self, result: Any, read_value: bool) -> Any:
        if not stacks.executing_eagerly():
            return result if read_value else result.op
        return _Unread(self) if read_value else None

    def _scatter(self, update: Any, sparse_delta: Any, use_locking: bool, name: Any) -> Any:
        return self._changed(super()._scatter(update, sparse_delta, use_locking, name), True)

    # ---- Python ----------------------------------------------------------------------------

    def _host(self) -> Any:
        return self.numpy()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.read_value())

    def __deepcopy__(self, memo: dict) -> EagerVariable:
        return EagerVariable(
            self.read_value(),
            trainable=self.trainable,
            name=self._shared_name,
            constraint=self.constraint,
        )

    def __reduce__(self) -> tuple:
        return Variable, (self.numpy(), self.trainable, None, True, None, self._shared_name)

    def __repr__(self) -> str:
        text = f"<tf.Variable '{self._shown_name()}' shape={self.shape} dtype={self.dtype.name}"
        if not stacks.executing_eagerly():
            return text + ">"
        return f"{text}, numpy={read_variable(self._handle)._text(True)}>"

    def _shown_name(self) -> str:
        return self.name


_numbers = itertools.count()  # of variables, as they are made


class _Unread(EagerVariable):
    """The variable, as an update of it gives it back."""

    asks_creators, is_updated = False, True  # it is not new

    def __init__(self, variable: EagerVariable) -> None:
        self.__dict__.update(variable.__dict__)

    def _shown_name(self) -> str:
        return "UnreadVariable"


def _known_value(tensor: Tensor) -> Any:
    """The value of a tensor of a function being traced, for a variable's initial value.

    Raises:
      ValueError: when it depends on the arguments.
    """
    value = constant_value(tensor)
    if value is not None:
        return value
    graph: Any = tensor.graph
    stack, seen = [tensor], set()
    while stack:
        each = stack.pop()
        outside = graph.outside_of(each)
        if each in graph.inputs and not isinstance(outside, EagerTensor):
            raise ValueError(
                "Tensor-typed variable initializers must either be wrapped in an init_scope or "
                "callable (e.g., `tf.Variable(lambda : tf.truncated_normal([10, 40]))`) when "
                "building functions."
            )
        if each not in seen:
            seen.add(each)
            stack += each.op.inputs
    values = [getattr(graph.outside_of(each), "_value", None) for each in graph.inputs]
    return compile_graph(graph, [tensor], HOST)(values)[0]


# ---- get_variable -------------------------------------------------------------------------
