"""Tensors as messages: `tf.make_tensor_proto` and the way back.

The message is TensorBoard's `TensorProto`, the one that TensorFlow writes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.framework import dtypes
from minitf.framework.convert import as_array
from minitf.framework.shapes import as_shape
from minitf.framework.tensor import Tensor
from minitf.ops.summary_protos import protos, tensor_proto


def make_tensor_proto(
    values: Any,
    dtype: Any = None,
    shape: Any = None,
    verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> Any:
    """Makes a `TensorProto` of a value.

    Args:
      values: numbers, text, lists of them, or an array.
      dtype: of the tensor.
      shape: of the tensor; one value fills it.
      verify_shape: whether the values must have that shape already.
      allow_broadcast: not used; see `verify_shape`.
    Raises:
      TypeError: when the values have not that shape, and verify_shape.
    """
    array = as_array(values, None if dtype is None else dtypes.as_dtype(dtype))
    if shape is not None:
        sizes: Any = as_shape(shape).as_list()
        if verify_shape and list(array.shape) != sizes:
            raise TypeError(f"Expected Tensor's shape: {tuple(sizes)}, got {array.shape}.")
        array = np.broadcast_to(array, sizes) if array.size == 1 else array.reshape(sizes)
    return tensor_proto(array)


_FIELDS = {
    "f": "float_val",
    "d": "double_val",
    "l": "int64_val",
    "L": "uint64_val",
    "q": "int64_val",
    "Q": "uint64_val",
    "I": "uint32_val",
    "?": "bool_val",
}


def MakeNdarray(tensor: Any) -> np.ndarray:  # noqa: N802  (TensorFlow's name)
    """The array in a `TensorProto`."""
    sizes = [dim.size for dim in tensor.tensor_shape.dim]
    dtype = dtypes.as_dtype(protos().DataType.Name(tensor.dtype)).as_numpy_dtype
    if tensor.tensor_content:
        return np.frombuffer(tensor.tensor_content, dtype).reshape(sizes).copy()
    if np.dtype(dtype) == object:
        values: list[Any] = list(tensor.string_val)
    elif np.dtype(dtype) == np.float16:
        return np.array(tensor.half_val, np.uint16).view(np.float16).reshape(sizes)
    else:
        values = list(getattr(tensor, _FIELDS.get(np.dtype(dtype).char, "int_val")))
    # What is left out repeats the last value.
    values += values[-1:] * (int(np.prod(sizes)) - len(values))
    array = np.empty(len(values), dtype)
    array[:] = values
    return array.reshape(sizes)


make_ndarray = MakeNdarray


def is_tensor(x: Any) -> bool:
    """Whether something is a tensor, or stands for one, as a variable does."""
    return isinstance(x, Tensor) or hasattr(x, "_as_tensor") or hasattr(x, "to_tensor")


is_tf_type = is_tensor
