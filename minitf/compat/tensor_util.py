"""Tensors as messages: `tf.make_tensor_proto` and the way back, and arrays as an example.

The message is TensorBoard's `TensorProto`, the one that TensorFlow writes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import as_array
from minitf.core.graph.convert import constant_value as known
from minitf.core.graph.shapes import as_shape
from minitf.core.graph.tensor import Tensor
from minitf.library.formats import graph_message
from minitf.library.formats.summary_protos import shape_proto, tensor_proto


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
    sizes: Any = array.shape if shape is None else tuple(as_shape(shape).as_list())
    if verify_shape and array.shape != sizes:
        raise TypeError(f"Expected Tensor's shape: {sizes}, got {array.shape}.")
    count = math.prod(sizes)
    if array.size == count > 1:
        return tensor_proto(array.reshape(sizes))
    if array.size > count:
        raise ValueError(
            f"Too many elements provided. Needed at most {count}, but received {array.size}"
        )
    # Few values are written as such; the last one stands for all that follow.
    message = tensor_proto(np.empty(0, array.dtype))
    message.tensor_shape.CopyFrom(shape_proto(sizes))
    _append(message, array.ravel())
    return message


#: the fields of a TensorProto with elements one by one; those of other types are as "bool_val"
_FIELDS = {
    **dict.fromkeys(("int32", "uint8", "int16", "int8", "uint16"), "int_val"),
    **dict.fromkeys(("float16", "bfloat16"), "half_val"),  # their bits
    "float32": "float_val",
    "float64": "double_val",
    "complex64": "scomplex_val",
    "complex128": "dcomplex_val",
}


def _append(message: Any, values: np.ndarray) -> None:
    """Adds numbers to the field of their type."""
    name = dtypes.as_dtype(values.dtype).name
    if name in ("float16", "bfloat16"):
        values = values.view(np.uint16)
    elif name.startswith("complex"):
        values = values.view(values.real.dtype)
    getattr(message, _FIELDS.get(name, f"{name}_val")).extend(values.tolist())


def MakeNdarray(tensor: Any) -> np.ndarray:
    """The array in a `TensorProto`."""
    return np.array(graph_message.tensor(tensor.SerializeToString()))


make_ndarray = MakeNdarray


def constant_value(tensor: Any, partial: bool = False) -> Any:
    """The value of a tensor that depends on constants and known shapes only; None otherwise.

    Args:
      tensor: the tensor.
      partial: whether of a tensor packed from several, some of them constant, these are told.
    """
    value = known(tensor)
    if value is None and partial and tensor.op.type == "Pack":
        parts = np.array([constant_value(each) for each in tensor.op.inputs])
        return parts if any(part is not None for part in parts) else None
    return value


def is_tensor(x: Any) -> bool:
    """Whether something is a tensor, or stands for one, as a variable does."""
    return isinstance(x, Tensor) or hasattr(x, "_as_tensor") or hasattr(x, "to_tensor")
