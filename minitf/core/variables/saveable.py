"""What a checkpoint keeps besides variables: anything that says which tensors it writes.

`Saver` and its like work with these; a lookup table is one example, a variable the usual one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph.dtypes import DType
from minitf.core.graph.tensor import Tensor


class SaveSpec:
    """One tensor to write.

    Args:
      tensor: the tensor, or a function that makes it.
      slice_spec: "" for a whole tensor, or the place of a slice: "4 5 0,2:0,5".
      name: its name in the checkpoint.
      dtype: its type; needed when `tensor` is a function.
    """

    def __init__(self, tensor: Any, slice_spec: str, name: str, dtype: DType | None = None) -> None:
        self._tensor = tensor
        self.slice_spec = slice_spec
        self.name = name
        self.dtype = tensor.dtype.base_dtype if dtype is None else dtype.base_dtype

    @property
    def tensor(self) -> Any:
        """The tensor."""
        return self._tensor() if callable(self._tensor) else self._tensor


class SaveableObject:
    """Something that can be written to a checkpoint and read back; subclasses say how.

    Args:
      op: what it belongs to.
      specs: the tensors to write.
      name: its name in the checkpoint.
    """

    def __init__(self, op: Any, specs: Sequence[SaveSpec], name: str) -> None:
        self.op = op
        self.specs = list(specs)
        self.name = name

    @property
    def device(self) -> str:
        """The device its first tensor is on."""
        return self.specs[0].tensor.device

    def restore(self, restored_tensors: list[Tensor], restored_shapes: Any) -> Any:
        """Adds the operation that puts the values read back in place.

        Args:
          restored_tensors: one value for each spec.
          restored_shapes: their shapes, when the saver was told to reshape; else None.
        """
        raise NotImplementedError("Calling an abstract method.")
