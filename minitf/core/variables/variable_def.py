"""Descriptions of a variable: its names, its place in a larger one, its use on devices."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from minitf.core.graph.dtypes import DType
from minitf.core.graph.messages import Message
from minitf.core.graph.tensor import Tensor


class VariableSynchronization(enum.Enum):
    """When the copies of a variable on several devices are synchronized."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How updates that several devices make to one variable are combined."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


@dataclass
class SaveSliceInfo(Message):
    """The place of a part in a partitioned variable, which a checkpoint keeps as one tensor.

    Args:
      full_name: the name of the whole.
      full_shape: its sizes.
      var_offset: where the part begins, along each axis.
      var_shape: the sizes of the part.
    """

    full_name: str = ""
    full_shape: list[int] = field(default_factory=list)
    var_offset: list[int] = field(default_factory=list)
    var_shape: list[int] = field(default_factory=list)

    @property
    def spec(self) -> str:
        """The place in checkpoints, as "5 4 0,3:0,4"."""
        whole = " ".join(str(size) for size in self.full_shape)
        places = zip(self.var_offset, self.var_shape, strict=True)
        return f"{whole} " + ":".join(f"{start},{size}" for start, size in places)

    @property
    def window(self) -> tuple[slice, ...]:
        """The place as an index into the whole."""
        places = zip(self.var_offset, self.var_shape, strict=True)
        return tuple(slice(start, start + size) for start, size in places)

    def to_proto(self, export_scope: str | None = None) -> SaveSliceInfo | None:
        """A copy with the name inside of a scope; None if it is outside."""
        prefix = f"{export_scope.rstrip('/')}/" if export_scope else ""
        if not self.full_name.startswith(prefix):
            return None
        name = self.full_name.removeprefix(prefix)
        return SaveSliceInfo(name, self.full_shape, self.var_offset, self.var_shape)


@dataclass
class VariableDef(Message):
    """The names of a variable's nodes, with which an imported graph finds it."""

    variable_name: str = ""
    initial_value_name: str = ""
    initializer_name: str = ""
    snapshot_name: str = ""
    trainable: bool = True
    is_resource: bool = False
    save_slice_info_def: SaveSliceInfo | None = None


# ---- saveable ----------------------------------------------------------------------------
#
# What a checkpoint keeps besides variables: anything that says which tensors it writes.
#
# `Saver` and its like work with these; a lookup table is one example, a variable the usual one.


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
