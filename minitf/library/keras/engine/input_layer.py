"""`Input`: where the data of a model come in.

x = tf.keras.Input([784])     an `InputLayer`, and the placeholder that it gives
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph import dtypes, nest, stacks
from minitf.core.ops.array import placeholder
from minitf.library.keras.backend import session as backend
from minitf.library.keras.backend.config import floatx
from minitf.library.keras.backend.values import int_shape
from minitf.library.keras.engine import operation_layers as _histories  # noqa: F401  (they follow)
from minitf.library.keras.engine.base_layer import Layer
from minitf.library.keras.engine.node import Node
from minitf.library.sparse.sparse import sparse_placeholder


class InputLayer(Layer):
    """The layer that gives the data of a model; `Input` makes one.

    Args:
      input_shape: the shape of one example.
      batch_size: how many examples; open by default.
      dtype: the type; `floatx()` by default.
      input_tensor: a tensor to take in place of a placeholder.
      sparse: whether the data are a `SparseTensor`.
      name: "input_1" by default.
      ragged: not to be had.
      kwargs: `batch_input_shape`, in place of `input_shape` and `batch_size`.
    """

    _is_input = True

    def __init__(
        self,
        input_shape: Sequence[int | None] | None = None,
        batch_size: int | None = None,
        dtype: Any = None,
        input_tensor: Any = None,
        sparse: bool = False,
        name: str | None = None,
        ragged: bool = False,
        **kwargs: Any,
    ) -> None:
        shape = kwargs.pop("batch_input_shape", None)
        if shape is not None and input_shape is not None:
            raise ValueError(
                "Only provide the input_shape OR batch_input_shape argument to InputLayer, not "
                "both at the same time."
            )
        if kwargs:
            raise ValueError(f"Unrecognized keyword arguments: {list(kwargs)}")
        if ragged:
            raise NotImplementedError("An InputLayer for ragged tensors does not exist.")
        if shape is None and input_shape is not None:
            shape = (batch_size, *_sizes(input_shape))
        if dtype is None:
            dtype = floatx() if input_tensor is None else input_tensor.dtype
        super().__init__(name=name or f"input_{backend.get_uid('input')}", dtype=dtype)
        self.built = True
        self.sparse, self.ragged, self.batch_size = sparse, ragged, batch_size
        self.supports_masking = True
        self.is_placeholder = input_tensor is None
        if input_tensor is None:
            if shape is None:
                raise ValueError("An Input Layer should be passed either a shape or a tensor.")
            with backend.get_graph().as_default(), stacks.name_scope(None):
                make = sparse_placeholder if sparse else placeholder
                input_tensor = make(dtypes.as_dtype(self.dtype), list(shape), name=self.name)
            self._batch_input_shape = tuple(shape)
        else:
            self._batch_input_shape = int_shape(input_tensor) or ()
        input_tensor._keras_mask = None
        backend.note_input()
        Node(self, [input_tensor], [input_tensor]).mark()

    def get_config(self) -> dict[str, Any]:
        return {
            "batch_input_shape": self._batch_input_shape,
            "dtype": self.dtype,
            "sparse": self.sparse,
            "ragged": self.ragged,
            "name": self.name,
        }


def Input(
    shape: Sequence[int | None] | None = None,
    batch_size: int | None = None,
    name: str | None = None,
    dtype: Any = None,
    sparse: bool = False,
    tensor: Any = None,
    ragged: bool = False,
    **kwargs: Any,
) -> Any:
    """A tensor that stands for the data of a model.

    Args:
      shape: the shape of one example, as `(784,)`.
      batch_size: how many examples; open by default.
      name: "input_1" by default.
      dtype: the type; `floatx()` by default.
      sparse: whether the data are a `SparseTensor`.
      tensor: a tensor to take in place of a placeholder.
      ragged: not to be had.
      kwargs: `batch_shape`, the shape with the batch axis, in place of `shape`.

    Raises:
      ValueError: when there is neither a shape nor a tensor, or two shapes.
    Example:
      >>> tf.keras.Input((784,))
      <tf.Tensor 'input_1:0' shape=(?, 784) dtype=float32>
    """
    batch_shape = kwargs.pop("batch_shape", None)
    if shape is not None and batch_shape is not None:
        raise ValueError(
            "Only provide the `shape` OR `batch_shape` argument to Input, not both at the same "
            "time."
        )
    if shape is None and batch_shape is None and tensor is None:
        raise ValueError(
            "Please provide to Input either a `shape` or a `tensor` argument. Note that `shape` "
            "does not include the batch dimension."
        )
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments: {list(kwargs)}")
    if batch_shape is not None:
        shape, batch_size = _sizes(batch_shape)[1:], _sizes(batch_shape)[0]
    layer = InputLayer(
        shape if tensor is None else None, batch_size, dtype, tensor, sparse, name, ragged
    )
    outputs = nest.flatten(layer._inbound_nodes[0].output_tensors)
    return outputs[0] if len(outputs) == 1 else outputs


def _sizes(shape: Any) -> tuple[int | None, ...]:
    """A shape as a tuple of numbers and None; one number is a shape with one axis."""
    if isinstance(shape, int):
        return (shape,)
    sizes = (getattr(size, "value", size) for size in shape)
    return tuple(None if size is None else int(size) for size in sizes)
