"""A `Tensor` in a graph: the promise of a value, named after the operation that will make it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from minitf.core.graph.dtypes import DType
from minitf.core.graph.errors import OperatorNotAllowedInGraphError
from minitf.core.graph.shapes import TensorShape, as_shape, check_same_dimensions
from minitf.core.graph.stacks import session_of

if TYPE_CHECKING:
    from minitf.core.graph.graph import Graph
    from minitf.core.graph.operation import Operation


class Reference:
    """Stands for one object in a set or as a key of a dict.

    Args:
      wrapped: the tensor or variable.
    """

    def __init__(self, wrapped: Any) -> None:
        self._wrapped = wrapped

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._wrapped is other._wrapped

    def __hash__(self) -> int:
        return id(self._wrapped)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._wrapped!r}>"


class Tensor:
    """One output of an `Operation`.

    It holds no value. `Session.run` computes one; `name` ("MatMul:0") says which. The arithmetic
    operators are bound in core/ops/operators.py. `==` is Python's own: two tensors are equal when
    they are the same object, and hash accordingly, without a detour through Python code.
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
        """The device its operation was asked to run on; '' when open."""
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
        """A Python number as a tensor of this one's type, where that takes no operation."""
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

    def ref(self) -> Reference:
        """A `Reference` to this tensor, for sets and dicts; `ref().deref()` is the tensor."""
        return Reference(self)

    experimental_ref = ref

    def _as_tensor(self) -> Tensor:
        return self

    _as_tf_output = _as_tensor  # what TensorFlow's C++ is handed for it

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

    __nonzero__ = __bool__

    def __iter__(self) -> Any:
        raise OperatorNotAllowedInGraphError(
            "iterating over `tf.Tensor` is not allowed in Graph execution. Use Eager execution or "
            "decorate this function with @tf.function."
        )

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(
            f"Cannot convert a symbolic Tensor ({self.name}) to a numpy array."
        )
