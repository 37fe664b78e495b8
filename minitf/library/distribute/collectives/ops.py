"""The collective operations of a graph: every member's node waits for those of the others.

    with tf.device("/cpu:0"): a = all_reduce(x, 2, group_key=1, instance_key=1, ...)
    with tf.device("/cpu:1"): b = all_reduce(y, 2, group_key=1, instance_key=1, ...)
    sess.run([a, b])                both are x + y

The members of a group (`group_key`) are on devices of their own, of one task or of several, in one
graph or in one each. An `instance_key` says which operations of a group belong together. In
TensorFlow 1.15 these functions are in `tensorflow.python.ops.collective_ops`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from minitf.core.cluster.wire.connection import RECYCLE_FROM, arena
from minitf.core.graph import dtypes, errors
from minitf.core.graph.op_def import op, unchanged_shape
from minitf.core.graph.shapes import TensorShape
from minitf.core.kernels.host import on_host
from minitf.core.runtime.run.rendezvous import Rendezvous
from minitf.library.distribute.collectives.groups import Group, collectives_of
from minitf.library.distribute.collectives.links import CHUNK, Bell, Head, Link
from minitf.library.distribute.collectives.schedules import (
    ALGORITHMS,
    Schedule,
    Transfer,
    bounds,
    schedule,
)

# ---- one member's part in a schedule ------------------------------------------------------
#
#     receives   ─▶ chunk ─▶ scratch ─▶ result[...] = input[...] + scratch    (in the cache)
#     sends      ◀─ input, or result as far as the receive before has come
#
# A piece need not be complete before it goes on: what a chunk's addition gave is sent while the
# next chunk arrives. Sends and receives are two generators; each goes on as far as it can and
# then yields, and when neither can, the thread sleeps until a socket is ready or another member
# rings.
#
# All members go through the transfers in the schedule's order, so that the first one that is not
# through can always go on: no two members wait for each other for ever.


class Part(NamedTuple):
    """A transfer as one of its two members sees it.

    Attributes:
      transfer: the transfer.
      start, stop: the elements that it holds.
      before: of a send, how many of this member's receives come in earlier steps.
      untouched: whether no receive before it brought these elements to this member.
    """

    transfer: Transfer
    start: int
    stop: int
    before: int
    untouched: bool


def parts(plan: Schedule, member: int, count: int) -> tuple[list[Part], list[Part]]:
    """The sends and the receives of one member, in order, for a tensor of `count` elements."""
    cuts = bounds(count, plan.pieces)
    sends: list[Part] = []
    receives: list[Part] = []
    for t in plan.transfers:
        if member not in (t.source, t.target):
            continue
        earlier = [r for r in receives if r.transfer.step < t.step or t.target == member]
        touched = any(r.transfer.first < t.last and t.first < r.transfer.last for r in earlier)
        made = Part(t, cuts[t.first], cuts[t.last], len(earlier), not touched)
        (sends if t.source == member else receives).append(made)
    return sends, receives


@dataclass
class Work:
    """What one member brings, and what all do with it.

    Args:
      value: the member's elements, [count], contiguous.
      result: where those of all members go, [count].
      fields: what the first message over each link says; all members must say the same.
      differs: makes the error for a member (its number) that says something else.
      check: raises when the member must not go on.
      step, name: of the step and the operation, for the log of the traffic.
    """

    value: np.ndarray
    result: np.ndarray
    fields: dict[str, Any]
    differs: Callable[[int, dict[str, Any]], errors.OpError]
    check: Callable[[], None]
    step: int
    name: str


class Engine:
    """Runs one member's part.

    Args:
      plan: the schedule.
      member: which of its members this is.
      work: the data.
      links: gives the link to a member (True) or from it (False); None while it is not there yet.
      bell: wakes this thread.
    """

    def __init__(
        self,
        plan: Schedule,
        member: int,
        work: Work,
        links: Callable[[int, bool], Link | None],
        bell: Bell,
    ):
        self._sends, self._receives = parts(plan, member, len(work.result))
        self._work = work
        self._find = links
        self._bell = bell
        self._value = _bytes(work.value)
        self._result = _bytes(work.result)
        self._size = work.result.itemsize
        self._began = time.time()
        self._scratch = np.empty(CHUNK, np.uint8)
        self._current = 0  # which receive is under way
        self._arrived = 0  # up to which byte of the tensor it has come
        self._to_send: tuple[tuple[int, int], ...] = ()  # what to wait for, as of a link
        self._to_receive: tuple[tuple[int, int], ...] = ()

    def run(self) -> None:
        """Goes through the schedule.

        Raises:
          OpError: when another member differs or is gone, or the step is given up.
        """
        tasks = [self._send_all(), self._receive_all()]
        while tasks:
            if self._advance(tasks):
                continue
            self._work.check()
            self._bell.expect()
            if self._advance(tasks):  # something may have come before the bell was heard
                continue
            self._bell.wait({*self._to_receive, *self._to_send})

    @staticmethod
    def _advance(tasks: list[Iterator[bool]]) -> bool:
        """Goes on with both; whether either came further."""
        moved = False
        for task in list(tasks):
            try:
                moved |= next(task)
            except StopIteration:
                tasks.remove(task)
                moved = True
        return moved

    def _link(self, member: int, out: bool) -> Generator[bool, None, Link]:
        while (link := self._find(member, out)) is None:
            yield False
        return link

    # ---- sending ---------------------------------------------------------------------------

    def _send_all(self) -> Iterator[bool]:
        told: set[int] = set()
        for part in self._sends:
            to = part.transfer.target
            link = yield from self._link(to, True)
            fields = {} if to in told else self._work.fields
            told.add(to)
            head = link.head(fields, self._work.result.dtype, part.stop - part.start)
            yield from self._pour(link, head)
            source = self._value if part.untouched else self._result
            at, stop = part.start * self._size, part.stop * self._size
            while at < stop:
                ready = self._ready(part, at, stop)
                if ready == at:
                    self._to_send = ()
                    yield False
                    continue
                sent = link.send_some(source[at:ready])
                at += sent
                self._to_send = () if sent else link.to_send
                yield sent > 0
        self._to_send = ()

    def _pour(self, link: Link, view: memoryview) -> Iterator[bool]:
        while view:
            sent = link.send_some(view)
            view = view[sent:]
            self._to_send = () if sent else link.to_send
            if view:
                yield sent > 0

    def _ready(self, part: Part, at: int, stop: int) -> int:
        """Up to which byte a send may go: as far as the receives before it have come."""
        if self._current >= part.before:
            return stop
        last = self._receives[self._current]
        if self._current < part.before - 1:
            return at
        if not last.start <= part.start < last.stop:
            return at if last.start < part.stop and part.start < last.stop else stop
        return max(at, min(stop, self._arrived))

    # ---- receiving -------------------------------------------------------------------------

    def _receive_all(self) -> Iterator[bool]:
        known: set[int] = set()
        for part in self._receives:
            self._arrived = part.start * self._size
            sender = part.transfer.source
            self._to_receive = ()
            link = yield from self._link(sender, False)
            self._to_receive = link.to_receive
            fields, dtype, count = yield from _patiently(link.read_head())
            if sender not in known:
                known.add(sender)
                if fields != self._work.fields:
                    raise self._work.differs(sender, fields)
            if dtype != self._work.result.dtype.name or count != part.stop - part.start:
                raise self._work.differs(sender, {})
            if part.transfer.adds:
                yield from self._add(link, part)
            else:
                yield from self._take(link, part)
            nbytes = (part.stop - part.start) * self._size
            link.received(self._work.step, self._work.name, nbytes, self._began)
            yield True
            self._current += 1
        self._to_receive = ()

    def _take(self, link: Link, part: Part) -> Iterator[bool]:
        """Receives elements in place of this member's own."""
        stop = part.stop * self._size
        while self._arrived < stop:
            target = self._result[self._arrived : min(stop, self._arrived + CHUNK)]
            count = link.receive_some(target)
            self._arrived += count
            yield count > 0

    def _add(self, link: Link, part: Part) -> Iterator[bool]:
        """Receives elements chunk by chunk, and adds each to this member's own."""
        work, size = self._work, self._size
        mine = work.value if part.untouched else work.result
        start = part.start
        while start < part.stop:
            want = min(CHUNK, (part.stop - start) * size)
            found = link.peek(want)
            if found is None:
                found = yield from self._fill(link, want)
            elif len(found) < size:
                yield False
                continue
            stop = start + len(found) // size
            out = work.result[start:stop]
            np.add(mine[start:stop], found.view(out.dtype), out=out)
            link.skip(len(found))
            self._arrived = stop * size
            start = stop
            yield True

    def _fill(self, link: Link, want: int) -> Generator[bool, None, np.ndarray]:
        """Receives so many bytes into the scratch memory."""
        have, view = 0, self._scratch.data
        while have < want:
            count = link.receive_some(view[have:want])
            have += count
            if have < want:
                yield count > 0
        return self._scratch[:want]


def _patiently(head: Generator[None, None, Head]) -> Generator[bool, None, Head]:
    """Goes on with what only waits, as one of the engine's generators."""
    while True:
        try:
            next(head)
        except StopIteration as end:
            return end.value
        yield False


def _bytes(array: np.ndarray) -> memoryview:
    return array.view(np.uint8).data


# ---- an operation of one member -----------------------------------------------------------

#: From this size on the fewest bytes count, below it the fewest steps.
RING_FROM = 32 << 10  # bytes

_TYPES = {"reduce": 0, "gather": 2}  # TensorFlow's numbers, for messages


@dataclass(frozen=True)
class Membership:
    """The attributes that both collective operations have: who takes part, and how."""

    group_size: int
    group_key: int
    instance_key: int
    communication_hint: str = "auto"
    timeout_seconds: float = 0.0


_collective = partial(
    op, stateful=True, meets=("group_key", "instance_key"), attrs=Membership, T=dtypes.NUMBERS
)


def _algorithm(hint: str, members: int, nbytes: int) -> str:
    """The algorithm of a reduction that a hint names, or the one that suits the size."""
    if hint in ALGORITHMS:
        return hint
    return "tree" if nbytes < RING_FROM and members > 2 else "ring"


def _run(
    ctx: Any,
    operation: str,
    value: Any,
    result: np.ndarray,
    step: Rendezvous | None,
    who: Membership,
) -> Any:
    """One member's part of an operation; returns `result`, filled.

    Args:
      ctx: of the kernel.
      operation: "reduce" or "gather".
      value: what this member brings.
      result: where the result goes.
    """
    step = step or Rendezvous()
    deadline = time.monotonic() + who.timeout_seconds if who.timeout_seconds > 0 else None
    own = collectives_of(ctx, step)
    device = ctx.device.name
    group = own.group(ctx, who.group_size, who.group_key, who.instance_key, step, deadline)
    algorithm = operation
    if operation == "reduce":
        algorithm = _algorithm(who.communication_hint, who.group_size, result.nbytes)

    def check() -> None:
        step.check()
        if group.broken is not None:
            raise group.broken.with_traceback(None)
        if deadline is not None and time.monotonic() > deadline:
            raise errors.DeadlineExceededError.of(
                "Collective has timed out waiting for other workers."
            )

    fields = {
        "type": _TYPES[operation],
        "instance": who.instance_key,
        "data_type": result.dtype.name,
        "shape": list(np.shape(value)),
        "how": algorithm,
    }
    work = Work(
        np.ascontiguousarray(value).reshape(-1),
        result.reshape(-1),
        fields,
        partial(_differs, group, fields, device),
        check,
        step.number,
        ctx.node_name,
    )
    if operation == "gather":
        count, member = work.value.size, group.devices.index(device)
        work.result[member * count : (member + 1) * count] = work.value
        work.value = work.result
    elif who.group_size == 1:
        result[...] = value
    if who.group_size == 1:
        return result
    with own.taking_part(group, device) as bell:
        devices = group.devices

        def link(other: int, out: bool) -> Any:
            source, target = (device, devices[other]) if out else (devices[other], device)
            return own.link(group, source, target, bell, out)

        plan = schedule(algorithm, who.group_size)
        Engine(plan, devices.index(device), work, link, bell).run()
    return result


def _differs(
    group: Group, mine: dict[str, Any], device: str, other: int, theirs: dict[str, Any]
) -> errors.OpError:
    """The error for a member that says something else."""
    there, instance = group.devices[other], mine["instance"]
    if any(theirs.get(each) != mine[each] for each in ("type", "data_type")):
        return errors.InternalError.of(
            f"Collective instance {instance} expected type {mine['type']} and data_type "
            f"{mine['data_type']} but got type {theirs.get('type')} and data_type "
            f"{theirs.get('data_type')} (members {device} and {there})"
        )
    if theirs.get("instance") != instance:
        return errors.InvalidArgumentError.of(
            f"{device} is at the collective instance {instance}, and {there} at "
            f"{theirs.get('instance')}: the members of a group must run its operations in one order"
        )
    if theirs.get("shape") != mine["shape"]:
        return errors.InvalidArgumentError.of(
            f"Shape mismatch in the collective instance {instance}. Op at device {device} expected "
            f"shape {_shape(mine)} but another member in the group ({there}) expected shape "
            f"{_shape(theirs)}. This is likely due to different input shapes at different members "
            "of the collective op."
        )
    return errors.InvalidArgumentError.of(
        f"Collective instance {instance} is '{mine['how']}' at {device} and "
        f"'{theirs.get('how')}' at {there}"
    )


def _shape(fields: dict[str, Any]) -> str:
    sizes = fields.get("shape")
    return f"[{','.join(map(str, sizes))}]" if isinstance(sizes, list) else "?"


def _room(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Memory for a result; large ones come from the blocks that connections use again."""
    nbytes = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    if nbytes < RECYCLE_FROM:
        return np.empty(shape, dtype)
    return arena.take(nbytes).view(dtype).reshape(shape)


def _as_result(ctx: Any, result: np.ndarray) -> Any:
    return ctx.device.hold(result) if result.ndim else result[()]


# ---- the operations ----------------------------------------------------------------------


def _alone(folder: str) -> list:
    """The sample: a group of one member."""
    given = np.arange(3.0)
    return [(all_reduce(given, 1, 77, 77), given), (all_gather(given, 1, 77, 78), given)]


@_collective("CollectiveReduce", "input: T -> data: T", program=_alone)
def collective_reduce(
    ctx: Any,
    input: Any,
    *,
    merge_op: str,
    final_op: str,
    subdiv_offsets: tuple,
    wait_for: tuple = (),
    step: Any = None,
    **membership: Any,
) -> Any:
    """Adds the tensors of all members of a group; each gets the whole sum."""
    if (merge_op, final_op) != ("Add", "Id"):
        raise errors.InvalidArgumentError.of(
            f"merge_op must be Add and final_op Id, got {merge_op} and {final_op}"
        )
    value = np.asarray(on_host(input))
    result, who = _room(value.shape, value.dtype), Membership(**membership)
    return _as_result(ctx, _run(ctx, "reduce", value, result, step, who))


collective_reduce.shape(unchanged_shape)


@_collective("CollectiveGather", "input: T -> data: T", program=_alone)
def collective_gather(
    ctx: Any, input: Any, *, shape: Any, step: Any = None, **membership: Any
) -> Any:
    """Puts the tensors of all members of a group together, along the first dimension."""
    value = np.asarray(on_host(input))
    who = Membership(**membership)
    result = _room((value.shape[0] * who.group_size, *value.shape[1:]), value.dtype)
    return _as_result(ctx, _run(ctx, "gather", value, result, step, who))


@collective_gather.shape
def _gathered_shape(input: Any, *, group_size: int, **attrs: Any) -> Any:
    if input.shape.ndims is None:
        return input.shape
    if input.shape.ndims < 1:
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    sizes = input.shape.as_list()
    return TensorShape([None if sizes[0] is None else sizes[0] * group_size, *sizes[1:]])


# ---- the functions -----------------------------------------------------------------------


def _attrs(function: str, who: Membership) -> dict[str, Any]:
    """The attributes of the operation that a function adds."""
    if who.group_size < 1:
        raise ValueError(
            f"Parameter `group_size` to {function} must be at least 1. Received: {who.group_size}."
        )
    return vars(who)


def all_reduce(
    t: Any,
    group_size: int,
    group_key: int,
    instance_key: int,
    merge_op: str = "Add",
    final_op: str = "Id",
    subdiv_offsets: Any = (0,),
    communication_hint: str = "auto",
    timeout: float = 0,
) -> Any:
    """Adds the tensors of all members of a group; each gets the whole sum.

    Args:
      t: this member's tensor.
      group_size: how many members there are.
      group_key: which group it is.
      instance_key: which of the group's operations.
      merge_op, final_op: "Add" and "Id".
      subdiv_offsets: as in TensorFlow; here pieces are sent on while they arrive in any case.
      communication_hint: "auto", "ring", "tree" or "naive"; all others, as "nccl", mean "auto".
      timeout: seconds to wait for the others; 0 for as long as it takes.
    Raises:
      ValueError: when `group_size` is less than 1.
    """
    who = Membership(group_size, group_key, instance_key, communication_hint.lower(), timeout)
    attrs = _attrs("all_reduce", who) | {"merge_op": merge_op, "final_op": final_op}
    return collective_reduce(t, subdiv_offsets=tuple(subdiv_offsets), **attrs)


def all_gather(
    t: Any,
    group_size: int,
    group_key: int,
    instance_key: int,
    communication_hint: str = "auto",
    timeout: float = 0,
) -> Any:
    """Puts the tensors of all members of a group together along their first dimension.

    Args:
      t: this member's tensor; those of all members have one shape.
      group_size, group_key, instance_key, communication_hint, timeout: as of `all_reduce`.
    Raises:
      ValueError: when `group_size` is less than 1, or `t` is a scalar.
    """
    who = Membership(group_size, group_key, instance_key, communication_hint.lower(), timeout)
    return collective_gather(t, shape=TensorShape([0]), **_attrs("all_gather", who))
