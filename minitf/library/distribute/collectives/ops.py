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
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import op, unchanged_shape
from minitf.core.graph.shapes import TensorShape
from minitf.core.kernels.host import on_host
from minitf.core.runtime.run.rendezvous import Rendezvous
from minitf.library.distribute.collectives.groups import SENDER, Group, collectives_of
from minitf.library.distribute.collectives.links import CHUNK, Bell, Head, Link
from minitf.library.distribute.collectives.schedules import (
    ALGORITHMS,
    FINALS,
    MERGES,
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
      merge: adds two partial results: `merge(a, b, out=c)`.
      final: what is done with complete ones, in place; None for nothing.
      differs: makes the error for a member (its number) that says something else.
      check: raises when the member must not go on.
      step, name: of the step and the operation, for the log of the traffic.
    """

    value: np.ndarray
    result: np.ndarray
    fields: dict[str, Any]
    merge: Any
    final: Callable[[Any], None] | None
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
        """Receives elements chunk by chunk, and merges each into this member's own."""
        work, size = self._work, self._size
        mine = work.value if part.untouched else work.result
        final = work.final if part.transfer.final else None
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
            work.merge(mine[start:stop], found.view(out.dtype), out=out)
            link.skip(len(found))
            if final is not None:
                final(out)
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

_SECOND = "takes a second member: tests/library/distribute/test_collectives.py has it"
_TYPES = {"reduce": 0, "broadcast": 1, "gather": 2}  # TensorFlow's numbers, for messages


@dataclass(frozen=True)
class Membership:
    """The attributes that all collective operations have: who takes part, and how."""

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
    kind: str,
    operation: str,
    value: Any,
    result: np.ndarray,
    step: Rendezvous | None,
    merge: str = "Add",
    final: str = "Id",
    *,
    group_size: int,
    group_key: int,
    instance_key: int,
    communication_hint: str,
    timeout_seconds: float,
) -> Any:
    """One member's part of an operation; returns `result`, filled.

    Args:
      ctx: of the kernel.
      kind: the type of the operation.
      operation: "reduce", "gather" or "broadcast".
      value: what this member brings.
      result: where the result goes.
    """
    step = step or Rendezvous()
    start = time.monotonic()
    deadline = start + timeout_seconds if timeout_seconds > 0 else None
    own = collectives_of(ctx, step)
    device = ctx.device.name
    group = own.group(ctx, kind, group_size, group_key, instance_key, step, deadline)
    roots = [i for i, member in enumerate(group.members) if member.role == SENDER]
    if operation == "broadcast" and len(roots) != 1:
        raise errors.InternalError.of(
            f"Instance {instance_key} found {len(roots)} sources for broadcast. This error could "
            "be due to the same instance key being used for several broadcasts."
        )
    reduces = operation == "reduce"
    algorithm = _algorithm(communication_hint, group_size, result.nbytes) if reduces else operation
    plan = schedule(algorithm, group_size, *roots if operation == "broadcast" else ())
    ends = FINALS[final]

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
        "instance": instance_key,
        "data_type": result.dtype.name,
        "shape": list(np.shape(value)),
        "how": f"{algorithm} {merge} {final}",
    }
    work = Work(
        np.ascontiguousarray(value).reshape(-1),
        result.reshape(-1),
        fields,
        MERGES[merge],
        None if ends is None else lambda part: ends(part, group_size),
        partial(_differs, group, fields, device),
        check,
        step.number,
        ctx.node_name,
    )
    member = group.devices.index(device)
    if operation == "gather":
        count = work.value.size
        work.result[member * count : (member + 1) * count] = work.value
        work.value = work.result
    elif group_size == 1 or member in roots:
        result[...] = value
        if ends is not None:
            ends(result.reshape(-1), group_size)
    if group_size == 1:
        return result
    with own.taking_part(group, device) as bell:
        devices = group.devices

        def link(other: int, out: bool) -> Any:
            source, target = (device, devices[other]) if out else (devices[other], device)
            return own.link(group, source, target, bell, out)

        Engine(plan, member, work, link, bell).run()
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


def _alone(kind: str) -> Callable[[Any], list]:
    """The sample of an operation: a group of one member."""
    keys = {"group_size": 1, "group_key": 77, "instance_key": 77}
    ends = {"merge_op": "Add", "final_op": "Div", "subdiv_offsets": (0,)}
    extra = ends if kind == "CollectiveReduce" else {"shape": TensorShape([None])}
    return lambda folder: [(get(kind)(np.arange(3.0), **keys, **extra), np.arange(3.0))]


def get(kind: str) -> Any:
    """The operation of a type."""
    return _OPS[kind]


@_collective("CollectiveReduce", "input: T -> data: T", program=_alone("CollectiveReduce"))
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
    """Reduces the tensors of all members of a group; each gets the whole result."""
    if merge_op not in MERGES or final_op not in FINALS:
        raise errors.InvalidArgumentError.of(
            f"merge_op must be one of {{{','.join(MERGES)}}} and final_op one of "
            f"{{{','.join(FINALS)}}}, got {merge_op} and {final_op}"
        )
    value = np.asarray(on_host(input))
    result = _room(value.shape, value.dtype)
    _run(ctx, "CollectiveReduce", "reduce", value, result, step, merge_op, final_op, **membership)
    return _as_result(ctx, result)


collective_reduce.shape(unchanged_shape)


@_collective("CollectiveGather", "input: T -> data: T", program=_alone("CollectiveGather"))
def collective_gather(
    ctx: Any, input: Any, *, shape: Any, step: Any = None, **membership: Any
) -> Any:
    """Puts the tensors of all members of a group together, along the first dimension."""
    value = np.asarray(on_host(input))
    rows = value.shape[0] * membership["group_size"]
    result = _room((rows, *value.shape[1:]), value.dtype)
    _run(ctx, "CollectiveGather", "gather", value, result, step, **membership)
    return _as_result(ctx, result)


@collective_gather.shape
def _gathered_shape(input: Any, *, group_size: int, **attrs: Any) -> Any:
    if input.shape.ndims is None:
        return input.shape
    if input.shape.ndims < 1:
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    sizes = input.shape.as_list()
    return TensorShape([None if sizes[0] is None else sizes[0] * group_size, *sizes[1:]])


@_collective("CollectiveBcastSend", "input: T -> data: T", no_samples=_SECOND)
def collective_bcast_send(
    ctx: Any, input: Any, *, shape: Any, step: Any = None, **membership: Any
) -> Any:
    """Sends a tensor to all other members of a group; gives it back."""
    value = np.asarray(on_host(input))
    result = _room(value.shape, value.dtype)
    _run(ctx, SENDER, "broadcast", value, result, step, **membership)
    return _as_result(ctx, result)


collective_bcast_send.shape(lambda input, *, shape, **attrs: TensorShape(shape))


@_collective("CollectiveBcastRecv", "-> data: T", no_samples=_SECOND)
def collective_bcast_recv(
    ctx: Any, *, T: Any, shape: Any, step: Any = None, **membership: Any
) -> Any:
    """Receives the tensor that one member of the group sends."""
    sizes = tuple(size or 0 for size in TensorShape(shape).as_list())
    result = _room(sizes, dtypes.as_dtype(T).numpy_dtype)
    _run(ctx, "CollectiveBcastRecv", "broadcast", result, result, step, **membership)
    return _as_result(ctx, result)


collective_bcast_recv.shape(lambda *, shape, **attrs: TensorShape(shape))

_OPS = {each.type: each for each in (collective_reduce, collective_gather)}

# ---- the functions -----------------------------------------------------------------------


def _membership(
    name: str,
    least: int,
    group_size: int,
    group_key: int,
    instance_key: int,
    communication_hint: str,
    timeout: float,
) -> dict[str, Any]:
    """The attributes that all collective operations have; `least` members are needed."""
    if group_size < least:
        raise ValueError(
            f"Parameter `group_size` to {name} must be at least {least}. Received: {group_size}."
        )
    return {
        "group_size": group_size,
        "group_key": group_key,
        "instance_key": instance_key,
        "communication_hint": communication_hint.lower(),
        "timeout_seconds": timeout,
    }


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
    """Reduces the tensors of all members of a group; each gets the whole result.

    Args:
      t: this member's tensor.
      group_size: how many members there are.
      group_key: which group it is.
      instance_key: which of the group's operations.
      merge_op: "Add", "Mul", "Min" or "Max".
      final_op: "Id", or "Div" to divide by the number of members.
      subdiv_offsets: as in TensorFlow; here pieces are sent on while they arrive in any case.
      communication_hint: "auto", "ring", "tree" or "naive"; all others, as "nccl", mean "auto".
      timeout: seconds to wait for the others; 0 for as long as it takes.
    Raises:
      ValueError: when `group_size` is less than 1.
    """
    membership = _membership(
        "all_reduce", 1, group_size, group_key, instance_key, communication_hint, timeout
    )
    return collective_reduce(
        t, merge_op=merge_op, final_op=final_op, subdiv_offsets=tuple(subdiv_offsets), **membership
    )


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
    membership = _membership(
        "all_gather", 1, group_size, group_key, instance_key, communication_hint, timeout
    )
    return collective_gather(t, shape=TensorShape([0]), **membership)


def broadcast_send(
    t: Any,
    shape: Any,
    dtype: Any,
    group_size: int,
    group_key: int,
    instance_key: int,
    communication_hint: str = "auto",
    timeout: float = 0,
) -> Any:
    """Sends a tensor to all other members of a group, which call `broadcast_recv`.

    Args:
      t: the tensor.
      shape, dtype: of it, as the others are told.
      group_size, group_key, instance_key, communication_hint, timeout: as of `all_reduce`.
    Raises:
      ValueError: when `group_size` is less than 2, or shape or dtype do not fit.
    """
    membership = _membership(
        "broadcast_send", 2, group_size, group_key, instance_key, communication_hint, timeout
    )
    t = convert_to_tensor(t)
    if t.shape.as_list() != TensorShape(shape).as_list():
        raise ValueError(
            "Shape of broadcast_send tensor `t` not equal to declared shape. "
            f"Received {t.shape}, expected {shape}."
        )
    if t.dtype != dtype:
        raise ValueError(
            "Type of broadcast_send tensor `t` not equal to declared type. "
            f"Received {t.dtype}, expected {dtype}."
        )
    return collective_bcast_send(t, shape=TensorShape(shape), **membership)


def broadcast_recv(
    shape: Any,
    dtype: Any,
    group_size: int,
    group_key: int,
    instance_key: int,
    communication_hint: str = "auto",
    timeout: float = 0,
) -> Any:
    """Receives the tensor that another member of a group sends with `broadcast_send`.

    Args:
      shape, dtype: of the tensor.
      group_size, group_key, instance_key, communication_hint, timeout: as of `all_reduce`.
    Raises:
      ValueError: when `group_size` is less than 2.
    """
    membership = _membership(
        "broadcast_recv", 2, group_size, group_key, instance_key, communication_hint, timeout
    )
    return collective_bcast_recv(T=dtypes.as_dtype(dtype), shape=TensorShape(shape), **membership)
