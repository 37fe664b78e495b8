"""What describes a variable beside its nodes: names, place in a larger whole, use on devices."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from minitf.core.graph.messages import Message


class VariableSynchronization(enum.Enum):
    """When the copies of a variable on several devices are brought together."""

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
    """Where a variable lies as a part of a larger one; a checkpoint keeps the two as one tensor.

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
        """The place as checkpoints write it, as "5 4 0,3:0,4"."""
        whole = " ".join(str(size) for size in self.full_shape)
        places = zip(self.var_offset, self.var_shape, strict=True)
        return f"{whole} " + ":".join(f"{start},{size}" for start, size in places)

    @property
    def window(self) -> tuple[slice, ...]:
        """The place as an index into the whole."""
        places = zip(self.var_offset, self.var_shape, strict=True)
        return tuple(slice(start, start + size) for start, size in places)

    def to_proto(self, export_scope: str | None = None) -> SaveSliceInfo | None:
        """Itself, with the name as it is inside of a scope; None when it is not there."""
        prefix = f"{export_scope.rstrip('/')}/" if export_scope else ""
        if not self.full_name.startswith(prefix):
            return None
        name = self.full_name.removeprefix(prefix)
        return SaveSliceInfo(name, self.full_shape, self.var_offset, self.var_shape)


@dataclass
class VariableDef(Message):
    """The names of a variable's nodes: enough to find it again in a graph that was read back."""

    variable_name: str = ""
    initial_value_name: str = ""
    initializer_name: str = ""
    snapshot_name: str = ""
    trainable: bool = True
    is_resource: bool = False
    save_slice_info_def: SaveSliceInfo | None = None
