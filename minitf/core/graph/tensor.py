"""The elements of a graph: `Operation`, a computation, and `Tensor`, one of its outputs.

A tensor has the name of its operation and the index of the output. An operation has inputs,
attributes, a device and outputs, and keeps the lines of the program that made it.
"""

from __future__ import annotations

import functools
import linecache
import sys
from types import CodeType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

from minitf.core.graph.attr_value import as_message_holds
from minitf.core.graph.dtypes import DType
from minitf.core.graph.errors import OperatorNotAllowedInGraphError
from minitf.core.graph.process import PACKAGE, starts_programs
from minitf.core.graph.shapes import TensorShape, as_shape, check_same_dimensions
from minitf.core.graph.stacks import session_of

if TYPE_CHECKING:
    from minitf.core.graph.graph import Graph
    from minitf.core.graph.op_def import OpDef


# Names for what public functions take, as editors and `help` show them. They say more than `Any`,
# and promise a type checker no more than it: what a number, a list of arrays and a tensor have in
# common is only that `convert_to_tensor` makes a tensor of each.

#: A tensor, a variable, or what becomes a constant: a number, a string, an array, a list of these.
TensorLike: TypeAlias = Any
#: A `DType`, its name ("float32"), or a type of NumPy's or Python's.
DTypeLike: TypeAlias = Any
#: Sizes: a list of integers (and None where one is not known), a `TensorShape`, a vector.
ShapeLike: TypeAlias = Any


class Tensor:
    """One output of an `Operation`.

    It has no value; `Session.run` computes one. core/ops/operators.py binds the arithmetic
    operators. `==` is Python's own: two tensors are equal when they are the same object.
    """

    has_value = False  # True for an `EagerTensor`
    _known_value: Any = None  # what convert.constant_value found once: it never changes
    __array_priority__ = 100  # NumPy leaves `array + tensor` to the tensor
    #: names of the methods that classes like a tensor pass on to one
    OVERLOADABLE_OPERATORS: ClassVar[set[str]] = {"__getitem__", "__eq__", "__ne__"}

    def __init__(self, op: Operation, value_index: int, dtype: DType, shape: TensorShape) -> None:
        self._op = op
        self._value_index = value_index
        self._dtype = dtype
        self._shape = shape
        self._consumers: list[Operation] = []

    @property
    def op(self) -> Operation:
        """The operation that makes this tensor."""
        return self._op

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._dtype

    @property
    def graph(self) -> Graph:
        """The graph the tensor belongs to."""
        return self._op.graph

    @property
    def name(self) -> str:
        """The name, '<operation>:<index of the output>'."""
        return f"{self._op.name}:{self._value_index}"

    @property
    def device(self) -> str:
        """The requested device of its operation; '' if none."""
        return self._op.device

    @property
    def value_index(self) -> int:
        """Which of the operation's outputs this is."""
        return self._value_index

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape."""
        return self._shape

    def _shape_tuple(self) -> tuple | None:
        """The static shape as a tuple; None when the rank is not known."""
        return None if self.shape.ndims is None else tuple(self.shape.as_list())

    def get_shape(self) -> TensorShape:
        """What is known of the shape."""
        return self._shape

    def set_shape(self, shape: Any) -> None:
        """Adds knowledge about the shape.

        Raises:
          ValueError: when it contradicts what is known.
        """
        shape = as_shape(shape)
        check_same_dimensions(self._shape, shape)
        self._shape = self._shape.merge_with(shape)
        self.graph._refinements += 1

    def scalar_like(self, value: Any) -> Tensor | None:
        """A Python number as a tensor of this type if that needs no operation; else None."""
        return None

    def consumers(self) -> list[Operation]:
        """The operations that take this tensor as an input."""
        return list(self._consumers)

    def eval(self, feed_dict: dict | None = None, session: Any = None) -> Any:
        """Computes the value: `session.run(self, feed_dict)` in the default session.

        Raises:
          ValueError: when there is no session, or it runs another graph.
        """
        return session_of("evaluate tensor", "eval", self.graph, session).run(self, feed_dict)

    def _as_tensor(self) -> Tensor:
        return self

    if TYPE_CHECKING:  # minitf/core/ops/operators.py binds them

        def _unary(self) -> Tensor: ...
        def _binary(self, other: Any) -> Tensor: ...

        __neg__ = __abs__ = __invert__ = _unary
        __add__ = __sub__ = __mul__ = __truediv__ = __floordiv__ = __mod__ = __pow__ = _binary
        __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rfloordiv__ = __rmod__ = _binary
        __rpow__ = __matmul__ = __rmatmul__ = __getitem__ = _binary
        __lt__ = __le__ = __gt__ = __ge__ = _binary
        __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _binary

    def __str__(self) -> str:
        shape = "" if self._shape.ndims is None else f", shape={self._shape}"
        device = f", device={self.device}" if self.device else ""
        return f'Tensor("{self.name}"{shape}, dtype={self._dtype.name}{device})'

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self._shape} dtype={self._dtype.name}>"

    def __bool__(self) -> bool:
        raise OperatorNotAllowedInGraphError(
            "using a `tf.Tensor` as a Python `bool` is not allowed in Graph execution. Use Eager "
            "execution or decorate this function with @tf.function."
        )

    def __iter__(self) -> Any:
        raise OperatorNotAllowedInGraphError(
            "iterating over `tf.Tensor` is not allowed in Graph execution. Use Eager execution or "
            "decorate this function with @tf.function."
        )

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(
            f"Cannot convert a symbolic Tensor ({self.name}) to a numpy array."
        )


# ---- operation ---------------------------------------------------------------------------


class Frame(NamedTuple):
    """One line of the user's program, in a call that made an operation."""

    filename: str
    lineno: int
    name: str
    line: str = ""


#: For code that AutoGraph wrote: the line of the user's program that each line comes from.
rewritten_lines: dict[tuple[str, int], Frame] = {}


def _user_frames() -> list[tuple[CodeType, int]]:
    """The innermost frames outside of this package, up to 16."""
    frames = []
    frame = sys._getframe(2)
    while frame is not None:
        if not frame.f_code.co_filename.startswith(PACKAGE):
            frames.append((frame.f_code, frame.f_lineno))
            if len(frames) == 16:
                break
        frame = frame.f_back  # type: ignore[assignment]
    return frames


class Operation:
    """A node of a graph; its device and control inputs may change later."""

    def __init__(
        self, graph: Graph, name: str, op_def: OpDef, inputs: list[Tensor], attrs: dict[str, Any]
    ) -> None:
        self.graph = graph
        self.name = name
        self.op_def = op_def
        self.attrs = attrs
        self.device = ""
        self.outputs: list[Tensor] = []
        self._inputs = tuple(inputs)
        self.control_inputs: list[Operation] = []
        self._frames = _user_frames()
        self._id = graph._next_id()

    @property
    def type(self) -> str:
        """The type of the operation, as "MatMul"."""
        return self.op_def.type

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The tensors it computes from."""
        return self._inputs

    @functools.cached_property
    def _traceback(self) -> list[Frame]:  # programs may set another
        return [
            rewritten_lines.get((c.co_filename, line)) or Frame(c.co_filename, line, c.co_name)
            for c, line in reversed(self._frames)
            if not starts_programs(c.co_filename)
        ]

    @property
    def traceback(self) -> list[Frame]:
        """The lines of the user's program that made it, outermost first."""
        frames = [Frame(*frame[:3]) for frame in self._traceback]
        return [f._replace(line=linecache.getline(f.filename, f.lineno).strip()) for f in frames]

    @property
    def node_def(self) -> Any:
        """The serialized form of this node."""
        return self.graph._node_def(self)

    def get_attr(self, name: str) -> Any:
        """The value of an attribute as in a message: texts are bytes, sequences are lists.

        The types of inputs are attributes as well: `get_attr("T")`.

        Raises:
          ValueError: when there is none of that name.
        """
        if name in self.attrs:
            return as_message_holds(self.attrs[name])
        types = self.op_def.type_attrs(self._inputs)
        if name not in types:
            raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.")
        return types[name]

    def run(self, feed_dict: dict | None = None, session: Any = None) -> None:
        """Runs the operation in `session`, or in the default session.

        Raises:
          ValueError: when there is no session, or it runs another graph.
        """
        session_of("execute operation", "run", self.graph, session).run(self, feed_dict)

    def colocation_groups(self) -> list[bytes]:
        """The groups, as b'loc:@W', whose members share this operation's device."""
        return [each.encode() for each in self.attrs.get("_class") or [f"loc:@{self.name}"]]

    def values(self) -> tuple[Tensor, ...]:
        """The outputs, as a tuple."""
        return tuple(self.outputs)

    def _set_device(self, device: str) -> None:
        self.device = device
        self.graph._mutations += 1

    def _add_control_inputs(self, ops: list[Operation]) -> None:
        for op in ops:
            if op not in self.control_inputs:
                self.control_inputs.append(op)
        self.graph._mutations += 1

    def _add_control_input(self, op: Operation) -> None:
        self._add_control_inputs([op])

    def __str__(self) -> str:
        return str(self.node_def)

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"
