"""Partitioned variables: one large table on several parameter servers.

    with tf.variable_scope("m", partitioner=tf.fixed_size_partitioner(2)):
        w = tf.get_variable("w", [5, 4])

    w = PartitionedVariable ── m/w/part_0  [3, 4]   slice "5 4 0,3:0,4"
                            └─ m/w/part_1  [2, 4]   slice "5 4 3,2:0,4"

Each part is a variable with its own device, slots and updates. A checkpoint has them as slices of
one tensor `m/w`, so that the number of parts can change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from minitf.core.graph import dtypes, stacks
from minitf.core.graph.graph import Tensor
from minitf.core.graph.shapes import TensorShape
from minitf.core.ops.array import identity
from minitf.core.ops.array_joining import concat
from minitf.core.variables.variables import Variable


class PartitionInfo(NamedTuple):
    """The place of a part, for its initializer.

    Args:
      full_shape: the sizes of the whole variable.
      var_offset: where the part begins, along each axis.
    """

    full_shape: Sequence[int]
    var_offset: Sequence[int]


class PartitionedVariable:
    """A variable in several parts.

    It converts to a tensor, its parts joined.

    Args:
      name: the name of the whole.
      shape: the shape of the whole.
      dtype: the element type.
      variable_list: the parts, in order, each with its place (`_save_slice_info`).
      partitions: the number of parts along each axis.
    """

    _distribute_strategy = None

    def __init__(
        self,
        name: str,
        shape: TensorShape,
        dtype: dtypes.DType,
        variable_list: list[Variable],
        partitions: list[int],
    ) -> None:
        self.name, self.shape, self.dtype = name, shape, dtype
        self._variable_list, self._partitions = variable_list, partitions

    def __iter__(self) -> Iterator[Variable]:
        return iter(self._variable_list)

    def __len__(self) -> int:
        return len(self._variable_list)

    def as_tensor(self) -> Tensor:
        """The parts joined."""
        with stacks.control_dependencies(None):
            whole: Any = self._variable_list[0]
            if len(self) > 1:
                axis = next(axis for axis, parts in enumerate(self._partitions) if parts > 1)
                with stacks.name_scope(f"{self.name}/ConcatPartitions/"):
                    whole = concat(self._variable_list, axis)
            with stacks.name_scope(None):
                return identity(whole, name=self.name)

    _as_tensor = as_tensor

    def get_shape(self) -> TensorShape:
        """The shape of the whole."""
        return self.shape

    @property
    def trainable(self) -> bool:
        """Whether optimizers change it."""
        return bool(self._variable_list[0].trainable)

    def _get_variable_list(self) -> list[Variable]:
        return self._variable_list

    # ---- writing ---------------------------------------------------------------------------
    #
    # The value is one tensor for all parts together, a list of one for each, or another variable in
    # the same parts; the result is a list of one for each part.

    assign, assign_add, assign_sub = Variable.assign, Variable.assign_add, Variable.assign_sub

    def _write(self, update: Callable, value: Any, *options: Any) -> list[Any]:
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
        return [
            part._write(update, own, *options)
            for part, own in zip(self._variable_list, values, strict=True)
        ]


def check_partitions(shape: TensorShape, partitions: Any) -> list[int]:
    """Checks the result of a partitioner: the number of parts along each axis.

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


def places(shape: list[int], partitions: list[int]) -> list[tuple[list[int], list[int]]]:
    """The places of the parts of a variable, which is cut along at most one axis.

    The first parts are longer by one if the size is no multiple.

    Returns: for each part its offset and its shape.
    Raises:
      ValueError: when several axes are to be cut, or an axis into more parts than it is long.
    Example:
      >>> places([5, 4], [2, 1])
      [([0, 0], [3, 4]), ([3, 0], [2, 4])]
    """
    for axis, (size, count) in enumerate(zip(shape, partitions, strict=True)):
        if count > size:
            raise ValueError(
                f"Cannot cut axis {axis} of size {size} into {count} parts: shape={shape}, "
                f"slicing={partitions}"
            )
    axes = [axis for axis, count in enumerate(partitions) if count > 1]
    if len(axes) > 1:
        raise ValueError(
            f"Can only slice a variable along one dimension: shape: {shape}, "
            f"partitioning: {partitions}"
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
