"""How tensors of several devices become one: `CrossDeviceOps`.

    ReductionToOneDevice        all send to one device, which adds and sends back what they need
    NcclAllReduce               a ring: each device owns a part, adds what comes and passes it on
    HierarchicalCopyAllReduce   a tree: pairs add halves, then quarters; the sums come back

The ring and the tree are built of ordinary operations in the graph, for any devices, by the same
schedules as collective operations: their names are those that programs use, and no NVIDIA library
is behind them. Where devices share one memory,
as virtual CPUs do, they only cost copies: adding on one device is the default there.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.gradients.gradients import add_gradients
from minitf.core.graph import stacks
from minitf.core.graph.composites import IndexedSlices
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.device_spec import DeviceSpec
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array_joining import concat, split
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.cast import cast
from minitf.core.variables.variable_def import VariableAggregation
from minitf.library.distribute.collectives.schedules import bounds, schedule
from minitf.library.distribute.values import DistributedValues, Mirrored, PerReplica
from minitf.library.eager.kernels import name_of
from minitf.library.eager.tensor import HOST


class ReduceOp(enum.Enum):
    """How the values of several replicas become one: their sum, or their mean."""

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def of(reduce_op: ReduceOp | str) -> ReduceOp:
        """A reduction by its name in any case, or itself."""
        return ReduceOp(reduce_op.upper()) if isinstance(reduce_op, str) else reduce_op

    @staticmethod
    def from_variable_aggregation(aggregation: VariableAggregation) -> ReduceOp:
        """The reduction that updates of such a variable take.

        Raises:
          ValueError: when they take none.
        """
        if aggregation not in (VariableAggregation.SUM, VariableAggregation.MEAN):
            raise ValueError(
                f"Could not convert from `tf.VariableAggregation` {aggregation} to"
                "`tf.distribute.ReduceOp` type"
            )
        return ReduceOp[aggregation.name]


def canonicalize(device: str, default: str | None = None) -> str:
    """A device's whole name: '/replica:0/task:0/device:CPU:0'.

    Args:
      device: a name, perhaps in part.
      default: where the parts that it lacks come from first.
    """
    parts: dict[str, Any] = {"replica": 0, "task": 0, "device_type": "CPU", "device_index": 0}
    if stacks.outermost().runs_at_once:
        default = default or name_of(HOST)
    for name in (default, device):
        if name:
            given = vars(DeviceSpec.from_string(name))
            parts.update({key: part for key, part in given.items() if part is not None})
    return DeviceSpec(**parts).to_string()


def devices_of(destinations: Any) -> tuple[str, ...]:
    """The devices that a value, a variable, a device name or a list of such stands on."""
    if isinstance(destinations, DistributedValues):
        return tuple(dict.fromkeys(canonicalize(d) for d in destinations._devices))
    if isinstance(destinations, str):
        return (canonicalize(destinations),)
    if isinstance(destinations, (list, tuple)):
        return tuple(dict.fromkeys(d for each in destinations for d in devices_of(each)))
    return (canonicalize(getattr(destinations, "device", "") or ""),)


def scaled(value: Any, count: int) -> Any:
    """`value / count`, of a tensor or of rows of one."""
    if count == 1:
        return value
    if isinstance(value, IndexedSlices):
        return IndexedSlices(value.values / count, value.indices, value.dense_shape)
    value = convert_to_tensor(value)
    return value / cast(count, value.dtype)


def copied(value: Any) -> Any:
    """`value` on the device that is open here."""
    if isinstance(value, IndexedSlices):
        size = value.dense_shape
        return IndexedSlices(
            identity(value.values),
            identity(value.indices),
            None if size is None else identity(size),
        )
    return identity(value)


def simple_broadcast(value: Any, destinations: Any) -> Any:
    """A copy of `value` on each device; the one copy itself where there is one device."""
    copies = []
    for device in devices_of(destinations):
        with stacks.device(device):
            copies.append(copied(value))
    return copies[0] if len(copies) == 1 else Mirrored(copies)


class CrossDeviceOps:
    """Base of the ways to reduce values of several devices, and to spread them again."""

    def reduce(self, reduce_op: Any, per_replica_value: Any, destinations: Any) -> Any:
        """The sum or mean of the replicas' values.

        Args:
          reduce_op: a `ReduceOp`.
          per_replica_value: a `PerReplica`, or a tensor, which counts as one value.
          destinations: the devices that need it: names, or a variable that stands there.
        Returns: a tensor where one device needs it, else a `Mirrored`.
        """
        if not isinstance(per_replica_value, DistributedValues):
            per_replica_value = PerReplica([per_replica_value])
        if not destinations:
            raise ValueError("destinations cannot be empty")
        values = [
            each if isinstance(each, IndexedSlices) else convert_to_tensor(each)
            for each in per_replica_value.values
        ]
        return self.reduce_implementation(ReduceOp.of(reduce_op), PerReplica(values), destinations)

    def reduce_implementation(
        self, reduce_op: Any, per_replica_value: Any, destinations: Any
    ) -> Any:
        """What a subclass says: see `reduce`."""
        raise NotImplementedError("_reduce method must be implemented in descendants.")


class ReductionToOneDevice(CrossDeviceOps):
    """All values go to one device, which adds them; copies of the sum go where it is needed.

    Args:
      reduce_to_device: the device; by default the first one that needs the result.
      accumulation_fn: `add_n` by default.
    """

    def __init__(
        self, reduce_to_device: Any = None, accumulation_fn: Callable[[list], Any] | None = None
    ) -> None:
        self.reduce_to_device = reduce_to_device
        self.accumulation_fn = accumulation_fn or add_gradients

    def reduce_implementation(
        self, reduce_op: Any, per_replica_value: Any, destinations: Any
    ) -> Any:
        """Adds on one device; see `CrossDeviceOps.reduce`."""
        devices = devices_of(destinations)
        values = list(per_replica_value.values)
        with stacks.device(self.reduce_to_device or devices[0]):
            total = self.accumulation_fn(values) if len(values) > 1 else values[0]
            if reduce_op is ReduceOp.MEAN:
                total = scaled(total, len(values))
        return simple_broadcast(total, devices)


class NcclAllReduce(CrossDeviceOps):
    """Adds around a ring, N - 1 turns to add and N - 1 to spread: what NCCL does on GPUs.

    Each tensor is cut into N parts. In each turn every device passes one part to its neighbour, so
    that each link carries 2 (N - 1) / N of the tensor, however many devices there are.

    Args:
      num_packs: accepted; the tensors travel one by one.
    """

    _algorithm = "ring"

    def __init__(self, num_packs: int = 1) -> None:
        if num_packs < 0:
            raise ValueError(
                f"NCCL all-reduce requires num_packs >= 0, but {num_packs} is specified"
            )
        self._num_packs = num_packs
        self._simple = ReductionToOneDevice()

    def reduce_implementation(
        self, reduce_op: Any, per_replica_value: Any, destinations: Any
    ) -> Any:
        """Adds on all devices where that fits; see `CrossDeviceOps.reduce`."""
        values = list(per_replica_value.values)
        devices = devices_of(destinations)
        here = tuple(canonicalize(d) for d in per_replica_value._devices)
        known = not isinstance(values[0], IndexedSlices) and values[0].shape.is_fully_defined()
        if len(values) < 2 or devices != here or not known:
            return self._simple.reduce(reduce_op, per_replica_value, destinations)
        with stacks.name_scope(f"{self._algorithm}_all_reduce"):
            totals = all_reduce(values, devices, self._algorithm)
        if reduce_op is ReduceOp.MEAN:
            for i, device in enumerate(devices):
                with stacks.device(device):
                    totals[i] = scaled(totals[i], len(values))
        return Mirrored(totals)


class HierarchicalCopyAllReduce(NcclAllReduce):
    """Adds by pairs of devices: each keeps half of what it has, and gives the other half away."""

    _algorithm = "tree"


def all_reduce(tensors: Sequence[Tensor], devices: Sequence[str], algorithm: str) -> list[Tensor]:
    """The sum of the tensors, on each device, by the steps of a `schedule`.

    Args:
      tensors: of one known shape, one a device.
      devices: where each one is.
      algorithm: "ring" or "tree".
    """
    plan = schedule(algorithm, len(tensors))
    ends = bounds(tensors[0].shape.num_elements() or 0, plan.pieces)
    pieces: list[list[Any]] = []
    for tensor, device in zip(tensors, devices, strict=True):
        with stacks.device(device):
            sizes = [end - start for start, end in itertools.pairwise(ends)]
            pieces.append(split(reshape(tensor, [-1]), sizes))
    for step in plan.steps:
        moving = [pieces[t.source][t.first : t.last] for t in step]
        for t, moved in zip(step, moving, strict=True):
            own = pieces[t.target]
            with stacks.device(devices[t.target]):
                for i, piece in enumerate(moved, t.first):
                    own[i] = own[i] + piece if t.adds else identity(piece)
    totals = []
    for own, tensor, device in zip(pieces, tensors, devices, strict=True):
        with stacks.device(device):
            totals.append(reshape(concat(own, 0), tensor.shape.as_list()))
    return totals


def reduce_plain(reduce_op: ReduceOp, value: Any, destinations: Any, replicas: int) -> Any:
    """`reduce` of a value that is not distributed: the same in every replica.

    Raises:
      ValueError: when it is a tensor to be summed, so that it is not known what was meant.
    """
    if not isinstance(value, Tensor) and not hasattr(value, "_as_tensor") and value == 0:
        return 0
    if reduce_op is ReduceOp.MEAN:
        return value
    if replicas > 1:
        raise ValueError(
            f"A non-DistributedValues value {value} cannot be reduced with the given reduce op "
            f"{reduce_op}."
        )
    return simple_broadcast(value, destinations)
