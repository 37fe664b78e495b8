"""Variables that lie in parts: one large table on several parameter servers.

    with tf.variable_scope("m", partitioner=tf.fixed_size_partitioner(2)):
        w = tf.get_variable("w", [5, 4])

    w = PartitionedVariable ── m/w/part_0  [3, 4]   slice "5 4 0,3:0,4"
                            └─ m/w/part_1  [2, 4]   slice "5 4 3,2:0,4"

Each part is a variable of its own, with its own device, slots and updates. A checkpoint holds them
as slices of one tensor `m/w`, so that another number of parts can read it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.graph import Tensor
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.ops.array import identity
from minitf.core.ops.array_joining import concat
from minitf.core.variables.variable_def import SaveSliceInfo
from minitf.core.variables.variables import Variable


class PartitionInfo(NamedTuple):
    """What an initializer is told of the part that it makes the value of.

    Args:
      full_shape: the sizes of the whole variable.
      var_offset: where the part begins, along each axis.
    """

    full_shape: Sequence[int]
    var_offset: Sequence[int]


class PartitionedVariable:
    """Several variables that together are one.

    Wherever a tensor is expected it stands for its parts, joined.

    Args:
      name: the name of the whole.
      shape: the shape of the whole.
      dtype: the element type.
      variable_list: the parts, in order, each with its place (`_save_slice_info`).
      partitions: the number of parts along each axis.
    Raises:
      TypeError: when a list is none.
      ValueError: when parts are missing, or do not belong together.
    """

    def __init__(
        self, name: str, shape: Any, dtype: Any, variable_list: Any, partitions: Any
    ) -> None:
        for label, value in (("variable_list", variable_list), ("partitions", partitions)):
            if not isinstance(value, (list, tuple)):
                raise TypeError(f"{label} is not a list or tuple: {value}")
        if not all(p >= 1 for p in partitions):
            raise ValueError(f"partition values must be positive: {partitions}")
        if not variable_list:
            raise ValueError("variable_list may not be empty")
        for part in variable_list:
            info = part._save_slice_info
            if info is None:
                names = [v.name for v in variable_list]
                raise ValueError(f"All variables must have a save_slice_info available: {names}")
            if list(as_shape(shape).as_list()) != list(info.full_shape):
                shapes = [v._save_slice_info.full_shape for v in variable_list]
                raise ValueError(
                    f"All variables' full shapes must match shape: {shape}; but full shapes were: "
                    f"{shapes}"
                )
        self._name = name
        self._shape = as_shape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._variable_list = sorted(variable_list, key=lambda v: v._save_slice_info.var_offset)
        self._partitions = list(partitions)

    def __iter__(self) -> Iterator[Variable]:
        return iter(self._variable_list)

    def __len__(self) -> int:
        axes = self._partition_axes()
        if len(axes) > 1:
            raise ValueError(f"Cannot get a length for {len(axes)} > 1 partition axes")
        return len(self._variable_list)

    def _partition_axes(self) -> list[int]:
        return [axis for axis, parts in enumerate(self._partitions) if parts > 1] or [0]

    def _concat(self) -> Tensor:
        if len(self._variable_list) == 1:
            with stacks.name_scope(None):
                return identity(self._variable_list[0], name=self._name)
        axes = self._partition_axes()
        if len(axes) > 1:
            raise NotImplementedError(
                f"Cannot concatenate along more than one dimension: {axes}.  "
                "Multi-axis partition concat is not supported"
            )
        with stacks.name_scope(f"{self._name}/ConcatPartitions/"):
            whole = concat(self._variable_list, axes[0])
        with stacks.name_scope(None):
            return identity(whole, name=self._name)

    def as_tensor(self) -> Tensor:
        """The parts joined."""
        with stacks.control_dependencies(None):
            return self._concat()

    _as_tensor = as_tensor

    @property
    def name(self) -> str:
        """The name of the whole."""
        return self._name

    @property
    def dtype(self) -> dtypes.DType:
        """The element type."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """The shape of the whole."""
        return self._shape

    @property
    def trainable(self) -> bool:
        """Whether optimizers change it."""
        return bool(self._variable_list[0].trainable)

    @property
    def _distribute_strategy(self) -> None:
        return None

    def _get_variable_list(self) -> list[Variable]:
        return self._variable_list

    def _get_partitions(self) -> list[int]:
        return self._partitions

    # ---- writing ---------------------------------------------------------------------------

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:
        """Replaces the value.

        Args:
          value: one tensor for all parts together, a list of one for each, or another variable
            in the same parts.
          use_locking, name, read_value: see `Variable.assign`.
        Returns: a list, of one result for each part.
        """
        return self._apply(lambda part, own: part.assign(own, use_locking, name, read_value), value)

    def assign_add(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:
        """Adds to the value; the arguments are those of `assign`."""
        return self._apply(
            lambda part, own: part.assign_add(own, use_locking, name, read_value), value
        )

    def assign_sub(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:
        """Subtracts from the value; the arguments are those of `assign`."""
        return self._apply(
            lambda part, own: part.assign_sub(own, use_locking, name, read_value), value
        )

    def _apply(self, change: Callable[[Variable, Any], Any], value: Any) -> list[Any]:
        if isinstance(value, (list, tuple, PartitionedVariable)):
            values = list(value)
        elif hasattr(value, "__getitem__") and not hasattr(value, "_shared_name"):
            values = [value[part._save_slice_info.window] for part in self._variable_list]
        else:
            raise TypeError(f"Cannot assign {value!r} to the parts of {self.name}")
        if len(values) != len(self._variable_list):
            raise ValueError(
                f"{len(values)} values for the {len(self._variable_list)} parts of {self.name}"
            )
        return [change(part, own) for part, own in zip(self._variable_list, values, strict=True)]


def check_partitions(shape: TensorShape, partitions: Any) -> list[int]:
    """Returns the number of parts along each axis, as a partitioner gave it.

    Raises:
      ValueError: when it is no list of one positive number for each axis.
    """
    if not isinstance(partitions, Sequence) or isinstance(partitions, str):
        raise ValueError(f"Partitioner must return a sequence, but received: {partitions}")
    if len(partitions) != shape.ndims:
        raise ValueError(
            "Partitioner returned a partition list that does not match the Variable's rank: "
            f"{partitions} vs. {shape}"
        )
    if any(p < 1 for p in partitions):
        raise ValueError(f"Partitioner returned zero partitions for some axes: {partitions}")
    return [int(p) for p in partitions]


def places(shape: Sequence[int], partitions: Sequence[int]) -> list[tuple[list[int], list[int]]]:
    """Where the parts of a variable lie, for parts along at most one axis.

    The first parts are one longer when the size is no multiple.

    Returns: for each part its offset and its shape.
    Raises:
      ValueError: when several axes are to be cut, or an axis into more parts than it is long.
    Example:
      >>> places([5, 4], [2, 1])
      [([0, 0], [3, 4]), ([3, 0], [2, 4])]
    """
    shape = list(shape)
    if len(shape) != len(partitions):
        raise ValueError(
            "The number of partitions and the rank of the shape differ: "
            f"{list(partitions)} vs. {shape}"
        )
    for axis, (size, count) in enumerate(zip(shape, partitions, strict=True)):
        if count <= 0 or count > size:
            raise ValueError(
                f"Cannot cut axis {axis} of size {size} into {count} parts: shape={shape}, "
                f"slicing={list(partitions)}"
            )
    axes = [axis for axis, count in enumerate(partitions) if count > 1]
    if len(axes) > 1:
        raise ValueError(
            f"Can only slice a variable along one dimension: shape: {shape}, "
            f"partitioning: {list(partitions)}"
        )
    axis = axes[0] if axes else 0
    result = []
    start = 0
    for part in range(partitions[axis]):
        rows, longer = divmod(shape[axis], partitions[axis])
        rows += part < longer
        offset = [0] * len(shape)
        offset[axis] = start
        result.append((offset, [*shape[:axis], rows, *shape[axis + 1 :]]))
        start += rows
    return result


__all__ = ["PartitionInfo", "PartitionedVariable", "SaveSliceInfo", "check_partitions", "places"]
