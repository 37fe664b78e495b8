"""Tensors that stay in a session between its runs, under handles.

    kept = sess.run(tf.get_session_handle(a @ b))        a TensorHandle; the product stays
    holder, c = tf.get_session_tensor(kept.handle, tf.float32)
    sess.run(c + 1, {holder: kept.handle})               what it names is taken again

A value lives as long as its `TensorHandle`; once someone has the raw handle, until it is deleted.
"""

from __future__ import annotations

import itertools
import weakref
from functools import partial
from typing import Any

import numpy as np

from minitf.core.graph.dtypes import DType, as_dtype, float32, string
from minitf.core.graph.graph import Operation, Tensor
from minitf.core.graph.op_def import op, scalar_shape
from minitf.core.graph.shapes import unknown_shape
from minitf.core.graph.stacks import colocate_with
from minitf.core.ops.array import placeholder
from minitf.core.ops.elementwise import invalid

_DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"
_numbers = itertools.count()
_alive: weakref.WeakValueDictionary[str, TensorHandle] = weakref.WeakValueDictionary()
_kept: dict[str, TensorHandle] = {}  # those whose raw handles someone has


class TensorHandle:
    """What `Session.run` gives for a tensor of `get_session_handle`; may be fed like its value."""

    def __init__(self, value: Any) -> None:
        self._value = np.array(value)  # a later step may write over what this one was given
        self.handle = f"GetSessionHandle;{next(_numbers)};{_DEVICE}"
        _alive[self.handle] = self

    def eval(self) -> Any:
        """The value.

        Raises:
          TypeError: when it has been deleted.
        """
        return self.to_numpy_array()

    def to_numpy_array(self) -> Any:
        """The value; see `eval`."""
        if self.handle not in _alive:
            raise TypeError(f"Persistent tensor {self.handle} may have already been deleted.")
        return self._value[()]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self.to_numpy_array(), dtype)

    def get_raw_handle(self) -> str:
        """The handle as text, for feeds; whoever asks for it deletes the value."""
        _kept[self.handle] = self
        return self.handle

    def delete(self) -> None:
        """Forgets the value."""
        _alive.pop(self.handle, None)
        _kept.pop(self.handle, None)

    def __str__(self) -> str:
        return self.handle


def _found(handle: Any) -> TensorHandle:
    if isinstance(handle, TensorHandle):  # straight from the operation that made it
        handle = handle.handle
    name = handle.decode() if isinstance(handle, bytes) else str(handle)
    held = _alive.get(name)
    if held is None:
        raise invalid(f"The tensor with handle '{name}' is not in the session store.")
    return held


# ---- the operations ----------------------------------------------------------------------


def _comes_and_goes(folder: str) -> list:
    value = np.array([1.0, 2.0], np.float32)
    handle = get_session_handle_op(value)
    taken = get_session_tensor_op(handle, dtype=float32)
    return [(taken, value), (delete_session_tensor_op(handle), None)]


_handle_op = partial(op, differentiable=False, stateful=True, program=_comes_and_goes)


@_handle_op("GetSessionHandle", "value: T -> handle: string")
def get_session_handle_op(xp: Any, value: Any) -> Any:
    """Keeps a tensor and gives its handle."""
    return TensorHandle(value)


@_handle_op("GetSessionTensor", "handle: string -> value: dtype")
def get_session_tensor_op(xp: Any, handle: Any, *, dtype: Any) -> Any:
    """Gives the tensor that a handle names."""
    return _found(handle).to_numpy_array()


@_handle_op("DeleteSessionTensor", "handle: string ->")
def delete_session_tensor_op(xp: Any, handle: Any) -> None:
    """Forgets the tensor that a handle names."""
    _found(handle).delete()


get_session_handle_op.shape(scalar_shape)
get_session_tensor_op.shape(lambda handle, dtype: unknown_shape())


# ---- the public functions ----------------------------------------------------------------


def get_session_handle(data: Any, name: str | None = None) -> Tensor:
    """A handle of a tensor, which stays where it is; a run gives a `TensorHandle`.

    Args:
      data: the tensor.
      name: the operation's name.
    Raises:
      TypeError: when it is no tensor.
    Example:
      >>> kept = sess.run(tf.get_session_handle(tf.constant(2.0) * 3.0))
      >>> holder, value = tf.get_session_tensor(kept.handle, tf.float32)
      >>> sess.run(value, {holder: kept.handle})
      6.0
    """
    if not isinstance(data, Tensor):
        raise TypeError("`data` must be of type Tensor.")
    with colocate_with(data.op):
        made: Tensor = get_session_handle_op(data, name=name)
        return made


def get_session_tensor(handle: Any, dtype: DType, name: str | None = None) -> tuple[Tensor, Tensor]:
    """A placeholder for a handle, and the tensor that the handle which is fed there names.

    Args:
      handle: of a tensor of this type.
      dtype: the type.
      name: the operation's name.
    """
    holder = placeholder(string)
    return holder, get_session_tensor_op(holder, dtype=as_dtype(dtype), name=name)


def delete_session_tensor(handle: Any, name: str | None = None) -> tuple[Tensor, Operation]:
    """A placeholder for a handle, and an operation that forgets the tensor it names.

    Args:
      handle: of a tensor.
      name: the operation's name.
    """
    holder = placeholder(string)
    return holder, delete_session_tensor_op(holder, name=name)
