"""Staging areas: where the tensors of the next step lie ready, on the device that will need them.

    put ──▶ [ (image, label), (image, label) ] ──▶ get          StagingArea: in the order they came
    put(key, parts) ──▶ { key: (image, label) } ──▶ get(key)    MapStagingArea: by their keys

A step that gets what the last step has put does not wait for its input.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from minitf.core.graph import errors, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.dtypes import int32
from minitf.core.graph.graph import Operation, Tensor
from minitf.core.graph.op_def import OpDef, op, scalar_shape
from minitf.core.graph.shapes import TensorShape, as_shape, unknown_shape
from minitf.core.graph.stacks import name_scope
from minitf.core.ops import control as control_ops
from minitf.core.ops.array import identity
from minitf.core.ops.elementwise import invalid


class StagingState:
    """Tuples of tensors on a device, by their keys; some may still miss components.

    Args:
      capacity: how many complete tuples may lie here; 0 for any number.
      memory_limit: how many bytes; 0 for any number.
    """

    def __init__(self, capacity: int, memory_limit: int) -> None:
        self._capacity, self._limit = capacity, memory_limit
        self._complete: dict[int, dict[int, Any]] = {}
        self._incomplete: dict[int, dict[int, Any]] = {}
        self._next = 0  # key of a StagingArea
        self._changed = threading.Condition()

    def put(
        self, key: int | None, places: Sequence[int], values: Sequence[Any], whole: int, step: Any
    ) -> None:
        """Adds components, waiting for room.

        Args:
          key: of the tuple; None for a new one.
          places: which components.
          values: the components.
          whole: how many components a tuple has.
          step: the step that asks.
        """
        kept = [v.copy() if isinstance(v, np.ndarray) else v for v in values]
        size = _bytes(kept)
        if 0 < self._limit < size:
            raise errors.ResourceExhaustedError.of(
                f"Attempted to insert tensors with combined size of '{size}' bytes into Staging "
                f"Area with a memory limit of '{self._limit}'."
            )
        with self._changed:
            self._wait(lambda: self._has_room(size), step)
            if key is None:
                key, self._next = self._next, self._next + 1
            if key in self._complete:
                raise invalid(f"The key '{key}' is in the staging area already.")
            found = self._incomplete.setdefault(key, {})
            for place, value in zip(places, kept, strict=True):
                if not 0 <= place < whole:
                    raise invalid(f"The index '{place}' of key '{key}' was out of bounds.")
                if place in found:
                    raise invalid(
                        f"The tensor for index '{place}' for key '{key}' was already initialized "
                        f"'{whole}'."
                    )
                found[place] = value
            if len(found) == whole:
                self._complete[key] = self._incomplete.pop(key)
                self._changed.notify_all()

    def take(
        self, key: int | None, places: Sequence[int], step: Any, remove: bool = True
    ) -> tuple[int, list[Any]]:
        """Waits for a tuple and gives its key and some of its components.

        Args:
          key: None for the smallest there is.
          places: which components.
          step: the step that asks.
          remove: whether they leave the area.
        """
        with self._changed:
            if key is None:
                self._wait(lambda: self._complete, step)
                key = min(self._complete)
            else:
                self._wait(lambda: key in self._complete, step)
            found = self._complete[key]
            absent = [place for place in places if place not in found]
            if absent:
                raise invalid(f"Tensor at index '{absent[0]}' for key '{key}' has been removed.")
            values = [found.pop(place) if remove else found[place] for place in places]
            if not found:
                del self._complete[key]
            if remove:
                self._changed.notify_all()
            return key, values

    def peek_at(self, index: int, step: Any) -> list[Any]:
        """Waits until there are more than `index` tuples, and gives that one, which stays."""
        with self._changed:
            self._wait(lambda: len(self._complete) > index, step)
            return list(self._complete[sorted(self._complete)[index]].values())

    def clear(self) -> None:
        """Forgets all tuples."""
        with self._changed:
            self._complete.clear()
            self._incomplete.clear()
            self._changed.notify_all()

    def sizes(self) -> tuple[int, int]:
        """How many tuples are complete, and how many are not."""
        return len(self._complete), len(self._incomplete)

    def _has_room(self, size: int) -> bool:
        if 0 < self._capacity <= len(self._complete):
            return False
        held = [*self._complete.values(), *self._incomplete.values()]
        used = sum(_bytes(each.values()) for each in held) if self._limit else 0
        return not self._limit or used + size <= self._limit

    def _wait(self, ready: Callable[[], Any], step: Any) -> None:
        if not ready():
            step.flush()  # who waits for a tensor of this step may be who fills the area
        while not ready():
            step.wait_on(self._changed, "The wait at a staging area was cancelled")


def _bytes(values: Any) -> int:
    return sum(getattr(value, "nbytes", 0) for value in values)


# ---- the operations ----------------------------------------------------------------------
#
# They have no handle: those of one `shared_name` on a device meet.


@dataclass
class _Area:
    """The attributes of all of them."""

    capacity: int = 0
    memory_limit: int = 0
    dtypes: Any = ()
    container: str = ""
    shared_name: str = ""


def _one_goes_through(folder: str) -> list:
    """A tuple comes, is looked at, and leaves."""
    area, number = {"shared_name": "a", "dtypes": (int32,)}, np.int32(5)
    return [
        (stage_op([number], **area), None),
        (stage_peek_op(0, **area), [number]),
        (stage_size_op(**area), np.int32(1)),
        (unstage_op(**area), [number]),
        (stage_clear_op(**area), None),
    ]


_stage = partial(op, differentiable=False, attrs=_Area, program=_one_goes_through)


def _area(ctx: Any, attrs: dict[str, Any]) -> StagingState:
    found: StagingState = ctx.shared(
        "staging", lambda name: StagingState(attrs["capacity"], attrs["memory_limit"])
    )
    return found


@_stage("Stage", "values: N*? ->")
def stage_op(ctx: Any, values: Any, *, step: Any = None, **area: Any) -> None:
    """Puts a tuple into a staging area, waiting for room."""
    _area(ctx, area).put(None, range(len(values)), values, len(values), step)


@_stage("Unstage", "-> values: N*dtypes")
def unstage_op(ctx: Any, *, step: Any = None, **area: Any) -> Any:
    """Takes the oldest tuple, waiting for one."""
    return _area(ctx, area).take(None, range(len(area["dtypes"])), step)[1]


@_stage("StagePeek", "index: int32 -> values: N*dtypes")
def stage_peek_op(ctx: Any, index: Any, *, step: Any = None, **area: Any) -> Any:
    """Gives the tuple at a place, which stays, waiting for it."""
    return _area(ctx, area).peek_at(int(index), step)


def _declare_size(name: str, which: int) -> OpDef:
    @_stage(name, "-> size: int32", program=_program_of(name))
    def size(ctx: Any, **area: Any) -> Any:
        """Counts the tuples."""
        return np.int32(_area(ctx, area).sizes()[which])

    size.shape(scalar_shape)
    return size


def _declare_clear(name: str) -> OpDef:
    @_stage(name, "->", program=_program_of(name))
    def clear(ctx: Any, **area: Any) -> None:
        """Forgets the tuples of a staging area."""
        _area(ctx, area).clear()

    return clear


def _program_of(name: str) -> Callable[[str], list]:
    kind = name.partition("Map")[0] if "Map" in name else None
    return _one_goes_through if kind is None else partial(_one_with_a_key, kind)


stage_size_op = _declare_size("StageSize", 0)
stage_clear_op = _declare_clear("StageClear")


def _one_with_a_key(kind: str, folder: str) -> list:
    """Two parts come; then they leave together."""
    ops = map_ops[kind]
    area = {"shared_name": "a", "dtypes": (int32, int32)}
    both = [np.int32(5), np.int32(6)]
    key, places = np.int64(7), np.array([0, 1], np.int32)
    return [
        (ops["Stage"](key, places[:1], both[:1], **area), None),
        (ops["IncompleteSize"](**area), np.int32(1)),
        (ops["Stage"](key, places[1:], both[1:], **area), None),
        (ops["Size"](**area), np.int32(1)),
        (ops["Peek"](key, places, **area), both),
        (ops["Unstage"](key, places, **area), both),
        (ops["Stage"](key, places, both, **area), None),
        (ops["UnstageNoKey"](places, **area), [key, *both]),
        (ops["Clear"](**area), None),
    ]


def _declare_map(kind: str) -> dict[str, OpDef]:
    """The operations of a `MapStagingArea`: `kind` is "" or "Ordered"."""
    declare = partial(_stage, program=partial(_one_with_a_key, kind))
    keyed = "key: int64, indices: int32 -> values: N*dtypes"

    @declare(f"{kind}MapStage", "key: int64, indices: int32, values: N*? ->")
    def put(
        ctx: Any, key: Any, indices: Any, values: Any, *, step: Any = None, **area: Any
    ) -> None:
        """Puts components of the tuple of a key into a staging area, waiting for room."""
        whole = len(area["dtypes"])
        _area(ctx, area).put(int(key), indices.tolist(), values, whole, step)

    @declare(f"{kind}MapUnstage", keyed)
    def take(ctx: Any, key: Any, indices: Any, *, step: Any = None, **area: Any) -> Any:
        """Takes components of the tuple of a key, waiting for it."""
        return _area(ctx, area).take(int(key), indices.tolist(), step)[1]

    @declare(f"{kind}MapPeek", keyed)
    def peek(ctx: Any, key: Any, indices: Any, *, step: Any = None, **area: Any) -> Any:
        """Gives components of the tuple of a key, which stay, waiting for it."""
        return _area(ctx, area).take(int(key), indices.tolist(), step, remove=False)[1]

    @declare(f"{kind}MapUnstageNoKey", "indices: int32 -> key: int64, values: N*dtypes")
    def take_any(ctx: Any, indices: Any, *, step: Any = None, **area: Any) -> Any:
        """Takes components of the tuple of the smallest key, waiting for one."""
        key, values = _area(ctx, area).take(None, indices.tolist(), step)
        return [np.int64(key), *values]

    sizes = {name: _declare_size(f"{kind}Map{name}", i) for i, name in enumerate(_SIZES)}
    clear = _declare_clear(f"{kind}MapClear")
    got = {"Unstage": take, "Peek": peek, "UnstageNoKey": take_any}
    for each in got.values():
        each.shape(_unknown)
    return {"Stage": put, **got, **sizes, "Clear": clear}


def _unknown(*inputs: Any, dtypes: Any, **area: Any) -> list[TensorShape]:
    more = 1 if len(inputs) == 1 else 0  # the key, where none is given
    return [unknown_shape()] * (more + len(dtypes))


_SIZES = ("Size", "IncompleteSize")
unstage_op.shape(lambda dtypes, **area: [unknown_shape()] * len(dtypes))
stage_peek_op.shape(lambda index, dtypes, **area: [unknown_shape()] * len(dtypes))
map_ops = {kind: _declare_map(kind) for kind in ("", "Ordered")}


# ---- the public classes ------------------------------------------------------------------


class BaseStagingArea:
    """What both kinds of staging areas have.

    Args:
      dtypes: of a tuple's components.
      shapes: of the components.
      names: of the components, with which tuples are dicts.
      shared_name: the name under which operations of several graphs meet.
      capacity: how many tuples it holds; 0 for any number.
      memory_limit: how many bytes it holds; 0 for any number.
    Raises:
      ValueError: when there is not a shape or a name for each component.
    """

    def __init__(
        self,
        dtypes: Sequence[Any],
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        capacity: int = 0,
        memory_limit: int = 0,
    ) -> None:
        if shared_name is not None and not isinstance(shared_name, str):
            raise ValueError(f"shared_name must be a string, got {shared_name}")
        own = type(self).__name__
        self._name = shared_name or stacks.get_default_graph().unique_name(own)
        self._dtypes = list(dtypes)
        for what, given in (("shapes", shapes), ("names", names)):
            if given is not None and len(given) != len(self._dtypes):
                raise ValueError(f"StagingArea {what} must be the same length as dtypes")
        self._shapes = [as_shape(s) for s in shapes or [None] * len(self._dtypes)]
        self._names = names
        self._capacity, self._memory_limit = capacity, memory_limit
        with name_scope(f"{self._name}_root"):
            self._place = control_ops.no_op()

    @property
    def name(self) -> str:
        """The name under which its operations meet."""
        return self._name

    @property
    def dtypes(self) -> list[Any]:
        """The dtypes of the components."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shapes of the components."""
        return self._shapes

    @property
    def names(self) -> Any:
        """The names of the components."""
        return self._names

    @property
    def capacity(self) -> int:
        """How many tuples it holds; 0 for any number."""
        return self._capacity

    @property
    def memory_limit(self) -> int:
        """How many bytes it holds; 0 for any number."""
        return self._memory_limit

    def _do(
        self, made: OpDef, name: str, *inputs: Any, dtypes: Any = None, here: bool = True
    ) -> Any:
        """Adds an operation of this area, on its device."""
        attrs = {"capacity": self._capacity, "memory_limit": self._memory_limit}
        attrs["dtypes"] = tuple(self._dtypes if dtypes is None else dtypes)
        with stacks.colocate_with(self._place if here else None):
            return made(*inputs, shared_name=self._name, name=name, **attrs)

    def _components(self, values: Any, indices: Any) -> tuple[list[Tensor], list[int]]:
        """Checked tensors to put, and which components they are."""
        if isinstance(values, dict):
            if not self._names:
                raise ValueError("Staging areas must have names to enqueue a dictionary")
            if not set(values) <= set(self._names):
                raise ValueError(
                    "Keys in dictionary to put do not match names of staging area. Dictionary: "
                    f"{sorted(values)}Queue: {sorted(self._names)}"
                )
            indices = [i for i, name in enumerate(self._names) if name in values]
            values = [values[self._names[i]] for i in indices]
        elif self._names:
            raise ValueError("You must enqueue a dictionary in a staging area with names")
        elif indices is None:
            raise ValueError("Indices must be supplied when inserting a list of tensors")
        elif len(indices) != len(values):
            raise ValueError(
                f"Number of indices {len(indices)} doesn't match number of values {len(values)}"
            )
        if len(values) > len(self._dtypes):
            raise ValueError(f"Unexpected number of inputs {len(values)} vs {len(self._dtypes)}")
        tensors = []
        for value, i in zip(values, indices):
            tensor = convert_to_tensor(value, name=f"component_{i}")
            if tensor.dtype != self._dtypes[i]:
                raise ValueError(
                    f"Datatypes do not match. Received val.dtype {tensor.dtype} and dtype "
                    f"{self._dtypes[i]}"
                )
            tensor.shape.assert_is_compatible_with(self._shapes[i])
            tensors.append(tensor)
        return tensors, indices

    def _result(self, tensors: list[Tensor], indices: Sequence[int]) -> Any:
        """Tensors that were taken, on the device of whoever takes them."""
        if control_ops.no_op().device != self._place.device:
            tensors = [identity(tensor) for tensor in tensors]
        for tensor, i in zip(tensors, indices):
            tensor.set_shape(self._shapes[i])
        if self._names:
            return {self._names[i]: tensor for tensor, i in zip(tensors, indices)}
        return tensors


def _scope_values(values: Any) -> list[Any]:
    return list(values.values()) if isinstance(values, dict) else list(values)


class StagingArea(BaseStagingArea):
    """Holds the tensors of coming steps ready, in the order they came.

    Args:
      dtypes, shapes, names, shared_name, capacity, memory_limit: as of `BaseStagingArea`.
    Example:
      >>> area = tf.contrib.staging.StagingArea([tf.float32])
      >>> sess.run(area.put([tf.constant(1.5)]))
      >>> sess.run(area.get())
      [1.5]
    """

    def put(self, values: Any, name: str | None = None) -> Operation:
        """An operation that puts one tuple, waiting for room: a tensor, a list or a dict."""
        if not isinstance(values, (list, tuple, dict)):
            values = [values]
        with name_scope(name, f"{self._name}_put", _scope_values(values)) as scope:
            tensors, _ = self._components(values, range(len(values)))
            made: Operation = self._do(stage_op, scope, tensors)
            return made

    def get(self, name: str | None = None) -> Any:
        """The oldest tuple, for which the step waits: a list, or a dict in an area with names."""
        taken = self._do(unstage_op, name or f"{self._name}_get")
        return self._result(taken, range(len(self._dtypes)))

    def peek(self, index: Any, name: str | None = None) -> Any:
        """The tuple at a place, 0 for the oldest, for which the step waits; it stays."""
        seen = self._do(stage_peek_op, name or f"{self._name}_peek", index)
        return self._result(seen, range(len(self._dtypes)))

    def size(self, name: str | None = None) -> Tensor:
        """An int32 tensor: how many tuples there are."""
        return self._do(stage_size_op, name or f"{self._name}_size", here=False)

    def clear(self, name: str | None = None) -> Operation:
        """An operation that forgets all tuples."""
        return self._do(stage_clear_op, name or f"{self._name}_clear", here=False)
