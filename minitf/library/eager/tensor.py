"""`EagerTensor`: a tensor that has its value, and `EagerOperation`: what made it.

In a graph a tensor is a promise and `Session.run` keeps it. Under eager execution each operation
runs when it is called, and gives tensors of this kind:

    >>> tf.enable_eager_execution()
    >>> tf.constant([1.0, 2.0]) * 3
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([3., 6.], dtype=float32)>

An `EagerOperation` looks as an `Operation` of a graph does, as far as a gradient function asks:
that is what lets one gradient function serve `tf.gradients` and a tape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from minitf.core.graph import dtypes, errors, stacks
from minitf.core.graph.dtypes import DType
from minitf.core.graph.op_def import get_op_def
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.state import VariableState
from minitf.core.graph.tensor import Tensor
from minitf.library.eager.kernels import copy_to_device, find_device, name_of

HOST = "/job:localhost/replica:0/task:0/device:CPU:0"

_SMALL = 100  # fits every signed integer type
_INT32, _BOOL = np.dtype(np.int32), np.dtype(np.bool_)


def _undefined(name: str) -> Any:
    def absent(self: EagerTensor) -> NoReturn:
        raise AttributeError(f"Tensor.{name} is undefined when eager execution is enabled.")

    return property(absent, doc="Belongs to tensors of a graph.")


class PythonValue:
    """What Python asks of a thing that has a value, as `float(x)` does."""

    def _host(self) -> Any:
        """The value in host memory, not to be changed."""
        raise NotImplementedError

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self._host(), dtype=dtype)

    def __bool__(self) -> bool:
        return bool(self._host())

    def __int__(self) -> int:
        return int(self._host())

    def __float__(self) -> float:
        return float(self._host())

    def __complex__(self) -> complex:
        return complex(self._host())

    def __index__(self) -> int:
        return self._host().__index__()


class EagerTensor(PythonValue, Tensor):
    """A tensor with a value. Nothing changes the value: updates of variables make new ones.

    Args:
      value: an array or NumPy scalar, bytes for a string; of the memory of `device`.
      device: the full name of the device that holds it.
    """

    has_value = True

    def __init__(self, value: Any, device: str = HOST) -> None:
        self._value = value
        self._device = device

    # ---- what it is ----------------------------------------------------------------------

    @property
    def _dtype(self) -> DType:  # type: ignore[override]
        if isinstance(self._value, bytes):
            return dtypes.string
        return dtypes.BY_NUMPY[self._value.dtype]

    @property
    def _shape(self) -> TensorShape:  # type: ignore[override]
        return TensorShape(getattr(self._value, "shape", ()))

    @property
    def device(self) -> str:
        """The device whose memory holds the value."""
        return name_of(self._device)

    backing_device = device

    @property
    def _known_value(self) -> Any:
        return np.asarray(self._host())

    op = _undefined("op")
    graph = _undefined("graph")
    name = _undefined("name")
    value_index = _undefined("value_index")

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return getattr(self._value, "ndim", 0)

    def set_shape(self, shape: Any) -> None:
        """Checks that the shape fits `shape`; there is nothing more to know about it.

        Raises:
          ValueError: when it does not.
        """
        if not self._shape.is_compatible_with(as_shape(shape)):
            raise ValueError(
                f"Tensor's shape {self._shape} is not compatible with supplied shape {shape}."
            )

    def consumers(self) -> NoReturn:
        """Belongs to tensors of a graph."""
        raise NotImplementedError("Tensor.consumers is undefined when eager execution is enabled.")

    def eval(self, feed_dict: dict | None = None, session: Any = None) -> NoReturn:
        """Belongs to tensors of a graph."""
        raise NotImplementedError(
            "eval is not supported when eager execution is enabled, is .numpy() what you're "
            "looking for?"
        )

    def cpu(self) -> EagerTensor:
        """A copy in the memory of the processor."""
        return copy_to(self, "/device:CPU:0")

    def gpu(self, gpu_index: int = 0) -> EagerTensor:
        """A copy in the memory of a GPU.

        Raises:
          RuntimeError: when there is none.
        """
        return copy_to(self, f"/device:GPU:{gpu_index}")

    def scalar_like(self, value: Any) -> Tensor | None:
        kind, data = type(value), self._value
        if kind is float:
            fits = getattr(data, "dtype", _INT32).kind == "f"
        else:
            small = kind is int and -_SMALL < value < _SMALL
            fits = small and getattr(data, "dtype", _BOOL).kind in "if"
        return EagerTensor(data.dtype.type(value)) if fits else None

    # ---- the value -----------------------------------------------------------------------

    def _host(self) -> Any:
        value = self._value
        if isinstance(value, (np.ndarray, np.generic, bytes)):
            return value
        return value.get()

    def numpy(self) -> Any:
        """The value: a copy as an array, a NumPy scalar for rank 0, bytes for one string."""
        value = self._host()
        return value.copy() if isinstance(value, np.ndarray) else value

    def _as_tensor(self) -> Tensor:
        return self if stacks.executing_eagerly() else stacks.get_default_graph().capture(self)

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("Scalar tensor has no `len()`")
        return len(self._value)

    def __iter__(self) -> Iterator[Any]:
        if not self.ndim:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return (self[i] for i in range(len(self._value)))

    def __format__(self, spec: str) -> str:
        return format(self._host(), spec)

    def __reduce__(self) -> tuple:
        return EagerTensor, (self._host(),)

    def __copy__(self) -> EagerTensor:
        return self

    def __deepcopy__(self, memo: dict) -> EagerTensor:
        return EagerTensor(self.numpy())

    def _text(self, is_repr: bool) -> str:
        value = self._host()
        if isinstance(value, np.ndarray):
            text = repr(value) if is_repr else str(value)
            return "\n" + text if "\n" in text else text
        # NumPy 2 would show the type of a scalar, which the dtype says already.
        shown = isinstance(value, (np.bool_, np.complexfloating))
        return repr(value.item()) if shown else str(value)

    def __repr__(self) -> str:
        kind = f"shape={self._shape}, dtype={self._dtype.name}"
        return f"<tf.Tensor: {kind}, numpy={self._text(True)}>"

    def __str__(self) -> str:
        return f"tf.Tensor({self._text(False)}, shape={self._shape}, dtype={self._dtype.name})"


class EagerUpdate(EagerTensor):
    """What a variable holds after an update of it, which has been done: nothing waits for it."""

    op = None


class EagerRef(EagerTensor):
    """The reference to a variable under eager execution: its value is the `VariableState`.

    Args:
      state: what holds the variable's value.
    """

    _value: VariableState

    def __init__(self, state: VariableState) -> None:
        super().__init__(state)

    @property
    def _dtype(self) -> DType:  # type: ignore[override]
        return self._value.dtype._as_ref

    @property
    def _shape(self) -> TensorShape:  # type: ignore[override]
        return as_shape(self._value.shape)

    def _host(self) -> Any:
        return self._value.value

    def _as_tensor(self) -> Tensor:
        return read_variable(self) if stacks.executing_eagerly() else super()._as_tensor()

    def _as_ref_tensor(self) -> Tensor:
        return super()._as_tensor()

    def scalar_like(self, value: Any) -> Tensor | None:
        return None

    @property
    def name(self) -> str:
        """The name of the variable, as 'W:0'."""
        return f"{self._value.name}:0"


class CustomOp:
    """Stands for the op type of something whose gradient is a function of its own."""

    differentiable = True
    takes_slices = False  # its gradient function gets dense gradients

    def __init__(self, type: str, gradient_function: Callable) -> None:
        self.type = type
        self.gradient_function = gradient_function


class EagerOperation:
    """An operation that has run: type, attributes, inputs and outputs, as a tape keeps them.

    Args:
      op_def: the declaration of its type.
      attrs: a value for each attribute.
      inputs, outputs: flat.
    """

    __slots__ = ("attrs", "inputs", "name", "op_def", "outputs")

    device = ""

    def __init__(
        self, op_def: Any, attrs: dict[str, Any], inputs: tuple, outputs: list, name: str = ""
    ) -> None:
        self.op_def = op_def
        self.attrs = attrs
        self.inputs = inputs
        self.outputs = outputs
        self.name = name or op_def.type

    @property
    def type(self) -> str:
        """The type of the operation, as "MatMul"."""
        return self.op_def.type

    @property
    def node_def(self) -> str:
        """The operation, for a message."""
        return f"{self.name} = {self.type}"

    def get_attr(self, name: str) -> Any:
        """The value of an attribute.

        Raises:
          ValueError: when there is none of that name.
        """
        if name not in self.attrs:
            raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.")
        return self.attrs[name]


# ---- what open tapes are told of ---------------------------------------------------------


def record(operation: Any) -> None:
    """Tells every open tape of an operation that has run, or was added to a graph."""
    for tape in stacks.tapes.items:
        tape.record(operation)


def copy_to(tensor: EagerTensor, device: str) -> EagerTensor:
    """A copy of a tensor on the named device.

    Raises:
      RuntimeError: when there is no such device.
    """
    try:
        name = canonical(find_device(device))
    except errors.InvalidArgumentError:
        raise RuntimeError(f"{device.removeprefix('/device:')} unknown device.") from None
    if name == tensor._device:
        return tensor
    return _passed_on(tensor, copy_to_device(tensor._value, name), name)


def read_variable(ref: EagerRef) -> EagerTensor:
    """The value that a variable has now.

    Raises:
      FailedPreconditionError: when it has none.
    """
    try:
        value = ref._value.value
    except AttributeError:
        name = ref._value.name
        raise errors.FailedPreconditionError(
            None, None, f"Attempting to use uninitialized value {name}"
        ) from None
    return _passed_on(ref, value, ref._device)


def _passed_on(source: EagerTensor, value: Any, device: str) -> EagerTensor:
    """A tensor of the value that `source` has, which gradients take back to it."""
    output = EagerTensor(value, device)
    if stacks.tapes.items:
        record(EagerOperation(get_op_def("Identity"), {}, (source,), [output]))
    return output


def canonical(device: str) -> str:
    """The name; for the processor the very object, by which it is told from others quickly."""
    return HOST if device == HOST else device
