"""Values that have one part for each replica, and structures of them.

replica 0 returns (loss0, {"n": n0})   --regroup-->   (PerReplica(loss0, loss1), {"n": ...})
replica 1 returns (loss1, {"n": n1})   <--select--    what each replica gets as an argument
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from minitf.core.graph import nest, stacks
from minitf.core.graph.composites import put_together, take_apart
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.operators import give_operators


def replica_here() -> int | None:
    """The number of the replica, or of the copy, that is being computed; None between replicas."""
    place = stacks.strategies.top()
    return None if place is None else place.replica_id


def device_of(value: Any) -> str:
    """The device that was asked for a tensor or variable; '' when none was."""
    return getattr(value, "device", None) or ""


class DistributedValues:
    """One value for each replica.

    Args:
      values: in the order of the replicas.
    """

    def __init__(self, values: Sequence[Any]) -> None:
        self._values = tuple(values)

    @property
    def values(self) -> tuple:
        """The values, in the order of the replicas."""
        return self._values

    def _get(self) -> Any:
        """The value of the replica that is being computed; the first one between replicas."""
        here = replica_here()
        return self._values[here if here is not None and here < len(self._values) else 0]

    @property
    def _devices(self) -> tuple[str, ...]:
        return tuple(device_of(value) for value in self._values)

    def _shown(self, show: Callable[[Any], str]) -> str:
        lines = ",\n".join(f"  {i}: {show(value)}" for i, value in enumerate(self._values))
        return f"{type(self).__name__}:{{\n{lines}\n}}"

    def __str__(self) -> str:
        return self._shown(str)

    def __repr__(self) -> str:
        return self._shown(repr)


class PerReplica(DistributedValues):
    """A value that differs from replica to replica, as a loss does before it is reduced.

    A session fetches it and a `tf.function` takes and returns it, as a leaf of a structure.
    """

    def _components(self) -> list[Any]:
        return take_apart(
            list(self._values), lambda v: v if isinstance(v, Tensor) else convert_to_tensor(v)
        )

    def _with_components(self, tensors: list[Any]) -> PerReplica:
        return type(self)(put_together(list(self._values), tensors))

    def _fetched(self, values: list[Any]) -> PerReplica:
        return type(self)(values)


class Mirrored(DistributedValues):
    """A value that is the same in all replicas, kept on the device of each.

    It stands for a tensor where one is expected, and has the attributes of one.
    """

    def _as_tensor(self) -> Tensor:
        return convert_to_tensor(self._get())

    def _as_graph_element(self) -> Any:
        return self._get()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("_values", "_components", "_as_ref_tensor", "_key"):
            raise AttributeError(name)
        return getattr(self._get(), name)

    def __getitem__(self, index: Any) -> Any:
        return self._as_tensor()[index]


give_operators(Mirrored)


def is_mirrored(value: Any) -> bool:
    """Whether a value is the same in all replicas."""
    return isinstance(value, Mirrored) or getattr(value, "is_mirrored", False)


# ---- structures --------------------------------------------------------------------------


def regroup(
    values: Sequence[Any],
    wrap: Callable[[Sequence[Any]], Any] = PerReplica,
    always_wrap: bool = False,
) -> Any:
    """A structure for each replica as one structure of values for all replicas.

    What is the same object in all replicas stays itself, unless `always_wrap`; the copies of a
    variable become the variable.

    Args:
      values: the structures, in the order of the replicas.
      wrap: makes one leaf of several.
      always_wrap: wrap also what is the same everywhere.
    """
    first = values[0]
    if isinstance(first, Mapping):
        for other in values[1:]:
            if set(other) != set(first):
                raise AssertionError(
                    f"The replicas have different keys: {sorted(first)} and {sorted(other)}."
                )
        made = {key: regroup([v[key] for v in values], wrap, always_wrap) for key in first}
        return type(first)(made)  # type: ignore[call-arg]
    if isinstance(first, (list, tuple)):
        for other in values[1:]:
            if len(other) != len(first):
                raise AssertionError(
                    f"Values to regroup had different lengths: {len(first)} and {len(other)}."
                )
        items = [regroup(each, wrap, always_wrap) for each in zip(*values, strict=True)]
        return nest.like(first, items)
    whole = value_container(first)
    if whole is not first and all(value_container(v) is whole for v in values):
        return whole
    same = all(v is first for v in values) or (isinstance(first, str) and len(set(values)) == 1)
    if same and (getattr(first, "has_copies", False) or not always_wrap):
        return first
    return wrap(values)


def select_replica(replica_id: int, structure: Any) -> Any:
    """What one replica gets of a structure of values for all replicas."""

    def select(value: Any) -> Any:
        if isinstance(value, DistributedValues) and not getattr(value, "has_copies", False):
            return value.values[replica_id]
        return value

    return nest.map_structure(select, structure)


def value_container(val: Any) -> Any:
    """The variable that `val` is a copy of; `val` itself when it is none."""
    whole = getattr(val, "_distributed_container", None)
    return val if whole is None else whole


def local_results(value: Any) -> tuple:
    """The values of all replicas."""
    return value.values if isinstance(value, DistributedValues) else (value,)
