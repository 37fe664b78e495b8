"""Who takes part in a collective operation, and the links between them.

    the graph has all members of a group      their devices stand in the nodes (`plan/meetings`)
    it has some: every worker its own graph   each asks the group's leader, a task that all know

      worker 0 (leader)  <── collectives.join(group 1 of 2, "/job:worker/task:1/...") ── worker 1
                         ──> generation 4711: [".../task:0/...", ".../task:1/..."]  ──>

A group that was found lasts until something goes wrong in it: then all members hear of it (their
links end, and `collectives.abort` says why), and find each other anew at the next step. Links of
such a group last as long as the group; those of a group in one graph are of one step.
"""

from __future__ import annotations

import secrets
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from minitf.core.cluster.wire.call import Call, Fields, Reply, decode_error, derived
from minitf.core.cluster.wire.handshake import is_loopback
from minitf.core.cluster.wire.task_server import TaskServer, offer
from minitf.core.cluster.wire.transport import READY_TIMEOUT
from minitf.core.graph import errors, untrusted
from minitf.core.graph.device_spec import DeviceSpec, task_of
from minitf.core.runtime.plan.partition import DEVICES
from minitf.core.runtime.run.rendezvous import Rendezvous
from minitf.library.distribute.collectives.links import (
    Bell,
    Link,
    MemoryLink,
    SharedLink,
    WireLink,
    drop_name,
    find_memory,
    make_memory,
)

LARGEST_GROUP = 4096  # members
MOST_GROUPS = 10_000  # that a leader keeps in mind
MOST_LINKS = 4096  # that others may have opened to a task
REMEMBERED = 1000  # groups that have ended
ASKS_AGAIN = 0.5  # seconds that a leader keeps one who asks waiting
FORGOTTEN_AFTER = 5.0  # seconds after which one who did not ask again is forgotten
EXPLAINS = 0.5  # seconds that a member whose link has ended waits to hear why
TELLS = 1.0  # seconds for the others to hear why a group has ended
LINGERS = 5.0  # seconds that a program which is through waits for the others


@dataclass(eq=False)
class Group:
    """A group whose members are known.

    Args:
      scope: its name, unlike any other group's.
      devices: of the members, in their order.
      lasts: whether it goes on after the step.

    Attributes:
      broken: why it has ended, if it has.
      locks: by device: one operation at a time.
    """

    scope: str
    devices: tuple[str, ...]
    lasts: bool
    broken: errors.OpError | None = None
    locks: dict[str, threading.Lock] = field(default_factory=dict)


def in_order(devices: Iterable[str]) -> tuple[str, ...]:
    """The devices of a group in their order: those of one task are neighbours."""

    def place(device: str) -> Any:
        spec = DeviceSpec.from_string(device)
        return spec.job or "", spec.task or 0, spec.device_type or "", spec.device_index or 0

    return tuple(sorted(devices, key=place))


# ---- finding the others ------------------------------------------------------------------


def _sizes_differ(device: str, size: int, other: Any, key: Any) -> errors.OpError:
    return errors.InternalError.of(
        f"Device {device} is joining a group with size {size}, but that group has size {other} "
        f"(group_key={key})"
    )


@dataclass
class _Forming:
    """A group at its leader: who has come, and as what it was complete last."""

    size: int
    came: dict[str, tuple[int, float]] = field(default_factory=dict)  # by device: nonce, when
    generation: int = 0
    members: dict[str, int] = field(default_factory=dict)  # by device: nonce


class Leader:
    """Brings the members of groups together; every task has one, and one of them is asked."""

    def __init__(self) -> None:
        self._groups: OrderedDict[str, _Forming] = OrderedDict()
        self.changed = threading.Condition()

    def join(
        self, key: str, size: int, device: str, nonce: int, after: int
    ) -> tuple[int, list[str]] | None:
        """A member says that it is there; `changed` must be held.

        Args:
          key: of the group.
          size: of the group.
          device: whose it is.
          nonce: a number of the member's process.
          after: the generation of the group that has ended for this member, 0 for none.
        Returns: the generation and the devices, or None while some are missing.
        Raises:
          InternalError: when the group has another size.
        """
        group = self._groups.get(key)
        now = time.monotonic()
        if group is not None:
            group.came = {d: c for d, c in group.came.items() if now - c[1] < FORGOTTEN_AFTER}
            others = (group.came.keys() | group.members.keys()) - {device}
            if group.size != size and others:
                raise _sizes_differ(device, size, group.size, key)
        if group is None or group.size != size:
            group = self._groups[key] = _Forming(size)
            if len(self._groups) > MOST_GROUPS:
                self._groups.popitem(last=False)
        if group.members.get(device) == nonce and group.generation != after:
            return group.generation, list(group.members)
        if len(group.came) < size or device in group.came:
            group.came[device] = nonce, now
        if len(group.came) < size:
            return None
        group.members, group.came = {d: c[0] for d, c in group.came.items()}, {}
        group.generation = secrets.randbits(60) | 1
        self.changed.notify_all()
        return group.generation, list(group.members)


def leader_of(tasks: list[str]) -> str:
    """The task at which the members of groups find each other; all tasks say the same."""
    return next((t for t in ("/job:chief/task:0", "/job:worker/task:0") if t in tasks), min(tasks))


# ---- one task's groups and links ---------------------------------------------------------


class Collectives:
    """The collective operations of one task, or of one session without a cluster.

    Args:
      peers: the other tasks, None without a cluster.
    """

    def __init__(self, peers: Any = None) -> None:
        self._peers = peers
        self._met_leader = False
        self._nonce = secrets.randbits(60) | 1
        self._lock = threading.Lock()
        self._joined: dict[tuple[int, str], Group] = {}  # by key and device
        self._groups: dict[str, Group] = {}  # by scope
        self._ended: OrderedDict[str, errors.OpError] = OrderedDict()  # by scope
        self._links: dict[tuple[str, str, str], Link] = {}  # by scope, sender, receiver
        self._bells: set[Bell] = set()  # of those who wait
        self._spare: list[Bell] = []
        self.leader = Leader()

    # ---- groups ----------------------------------------------------------------------------

    def group(
        self,
        ctx: Any,
        size: int,
        key: int,
        instance: int,
        step: Rendezvous,
        deadline: float | None,
    ) -> Group:
        """The group of an operation, found at its leader when the graph does not have it all.

        Args:
          ctx: of the kernel.
          size, key: of the group.
          instance: the key of the operation.
          step: the step that waits.
          deadline: a `time.monotonic()` time, or None.
        Raises:
          InvalidArgumentError: when several members are on one device.
          InternalError: when members say different sizes.
          DeadlineExceededError: when some did not come in time.
        """
        own = ctx.device.name
        nodes = [each.split(" ") for each in ctx.attrs.get(DEVICES, "").split(";") if each]
        devices = [device for device, _ in nodes]
        for _, other in nodes:
            if int(other) != size:
                raise _sizes_differ(own, size, other, key)
        if len(set(devices)) < len(devices) or len(devices) > size:
            raise errors.InvalidArgumentError.of(
                f"Collective instance {instance} of group {key} has {len(devices)} operations on "
                f"the devices {', '.join(devices)}: it must have {size}, each on a device of its "
                "own."
            )
        if len(devices) == size and own in devices:
            scope = f"{key}/{instance}/{step.number}"
            with self._lock:
                return self._groups.setdefault(scope, Group(scope, in_order(devices), False))
        found = self._joined.get((key, own))
        if found is not None:
            if found.broken is None:
                return found
            if step.is_program:  # who starts again does not come into its middle
                raise found.broken.with_traceback(None)
        after = 0 if found is None else int(found.scope.rpartition("/")[2])
        generation, devices = self._join(str(key), size, own, after, step, deadline)
        scope = f"{key}/{generation}"
        with self._lock:
            made = Group(scope, in_order(devices), True, self._ended.get(scope))
            group = self._groups.setdefault(scope, made)
            self._joined[key, own] = group
        return group

    def _join(
        self,
        name: str,
        size: int,
        device: str,
        after: int,
        step: Rendezvous,
        deadline: float | None,
    ) -> tuple[int, list[str]]:
        leader = None if self._peers is None else leader_of(self._peers.tasks)
        fields = {"group": name, "size": size, "device": device}
        fields |= {"nonce": self._nonce, "after": after}
        started = time.monotonic()
        while True:
            step.check()
            if deadline is not None and time.monotonic() > deadline:
                raise errors.DeadlineExceededError.of(
                    "Collective has timed out waiting for other workers."
                )
            if leader is None or leader == self._peers.own_task:
                with self.leader.changed:
                    found = self.leader.join(name, size, device, self._nonce, after)
                    if found is not None:
                        return found
                    self.leader.changed.wait(0.1)
                continue
            try:
                given = Fields(self._peers.channel(leader).call("collectives.join", fields))
            except errors.UnavailableError:
                if self._met_leader or time.monotonic() > started + READY_TIMEOUT:
                    raise
                continue  # it has not come up yet
            self._met_leader = True
            devices = given.listed("devices", untrusted.text, None)
            if devices is not None:
                return given.whole("generation"), devices

    # ---- links -----------------------------------------------------------------------------

    @contextmanager
    def taking_part(self, group: Group, device: str) -> Iterator[Bell]:
        """A context in which a device takes part in an operation of a group.

        When it fails, the group has ended, and the other members are told why.
        """
        lock = group.locks.setdefault(device, threading.Lock())
        with lock:
            with self._lock:
                bell = self._spare.pop() if self._spare else Bell()
                self._bells.add(bell)
            try:
                yield bell
            except BaseException as error:
                told = _reason(group) if isinstance(error, errors.UnavailableError) else None
                self._fail(group, device, told or error)
                if told is None:
                    raise
                raise told.with_traceback(None) from None
            else:
                if not group.lasts:
                    self._forget(group, device, in_order=True)
            finally:
                with self._lock:
                    self._bells.discard(bell)
                    self._spare.append(bell)

    def link(self, group: Group, source: str, target: str, bell: Bell, out: bool) -> Link | None:
        """The link between two devices; None while the other end has not opened it."""
        key = group.scope, source, target
        found = self._links.get(key)
        if found is None:
            here, there = task_of(source), task_of(target)
            if here == there:
                with self._lock:
                    found = self._links.setdefault(key, MemoryLink())
            elif not out:
                return None
            else:
                fields = {"scope": group.scope, "source": source, "target": target}
                found = self._links[key] = self._open(here, there, fields)
        if isinstance(found, MemoryLink):
            if out:
                found.writer = bell
            else:
                found.reader = bell
        return found

    def _open(self, here: str, there: str, fields: dict[str, Any]) -> WireLink:
        """Opens a link to another task; through memory when both are on one machine."""
        hosts = [self._peers.address(task).rpartition(":")[0] for task in (here, there)]
        near = hosts[0] == hosts[1] or all(map(is_loopback, hosts))
        offered = make_memory() if near and self._peers.options.security is None else None
        name, memory = offered or ("", None)
        try:
            fields = {**fields, "memory": name}
            call = self._peers.channel(there).begin("collectives.link", fields)
            try:
                answer = call.connection.receive()[0]
            except (OSError, EOFError) as error:
                call.fail(error)
        finally:
            drop_name(name)
        if "error" in answer:
            call.drop()
            raise decode_error(answer)
        if memory is not None and answer.get("memory") is True:
            return SharedLink(memory, call.connection, here, there, pending=call)
        return WireLink(call.connection, here, there, pending=call)

    def leave(self) -> None:
        """Waits a little, for the end of a program, until others have read what went out last."""
        until = time.monotonic() + (0.0 if hasattr(sys, "last_value") else LINGERS)
        shared = [link for link in self._links.values() if isinstance(link, SharedLink)]
        for link in sorted(shared, key=SharedLink.sends):
            with suppress(errors.UnavailableError):
                link.linger(until)

    def check(self, scope: str) -> None:
        """Raises why a group has ended, if it has."""
        if scope in self._ended:
            raise self._ended[scope].with_traceback(None)

    def opened(self, scope: str, source: str, target: str, link: Link) -> None:
        """Another task has opened a link."""
        with self._lock:
            if len(self._links) >= MOST_LINKS:
                raise errors.ResourceExhaustedError.of(f"{MOST_LINKS} links are open here.")
            if (scope, source, target) in self._links:
                raise errors.InvalidArgumentError.of(f"A link from {source} is there already.")
            self._links[scope, source, target] = link
        self.ring()

    def closed(self, scope: str, source: str, target: str) -> None:
        """Such a link has come to its end."""
        with self._lock:
            self._links.pop((scope, source, target), None)

    def ring(self) -> None:
        """Wakes all who wait."""
        with self._lock:
            for bell in self._bells:
                bell.ring()

    # ---- ends ------------------------------------------------------------------------------

    def abort(self, scope: str, error: errors.OpError) -> None:
        """A group has ended."""
        with self._lock:
            group = self._groups.pop(scope, None)
            self._ended.setdefault(scope, error)
            if len(self._ended) > REMEMBERED:
                self._ended.popitem(last=False)
        if group is not None and group.broken is None:
            group.broken = error
        self.ring()

    def _fail(self, group: Group, device: str, error: BaseException) -> None:
        own = task_of(device)
        others = {task_of(each) for each in group.devices} - {own}
        first = group.broken is None
        if isinstance(error, errors.OpError):
            code, text = error.error_code, str(error.message)
        else:
            code, text = errors.CANCELLED, f"{own} gave its step up ({type(error).__name__})"
        text = text.removeprefix(_ABORTED)
        told = errors.make_error(code, f"{_ABORTED}{text}")
        self.abort(group.scope, told if group.lasts else derived(told))  # one master hears of all
        if group.lasts and first:
            fields = {"scope": group.scope, "code": code, "reason": text[:2000]}
            posts = [
                self._peers.channel(task).post("collectives.abort", fields, TELLS)
                for task in others
            ]
            until = time.monotonic() + TELLS
            for post in posts:
                post.wait(max(until - time.monotonic(), 0.0))
        self._forget(group, device, in_order=False)

    def _forget(self, group: Group, device: str, in_order: bool) -> None:
        """Closes a device's links; those in memory are left to the end that reads."""
        with self._lock:
            keys = [k for k in self._links if k[0] == group.scope and device in k[1:]]
            keys.sort(key=lambda k: k[2] != device)  # others wait for the end of what came here
            links = [
                self._links.pop(k)
                for k in keys
                if k[2] == device or not isinstance(self._links[k], MemoryLink)
            ]
            if not group.lasts and not any(k[0] == group.scope for k in self._links):
                self._groups.pop(group.scope, None)
        for link in links:
            link.close(in_order)


def _reason(group: Group) -> errors.OpError | None:
    """Why a link has ended: its other end may have closed it for a reason that is on its way."""
    until = time.monotonic() + EXPLAINS
    while group.lasts and group.broken is None and time.monotonic() < until:
        time.sleep(0.01)
    return group.broken


_ABORTED = "Collective ops is aborted by: "


def collectives_of(ctx: Any, step: Rendezvous) -> Collectives:
    """What a kernel's task, or its session, keeps for its collective operations."""
    if step.peers is None:
        return ctx.resources.state("collectives", Collectives)
    return of_task(step.peers.kept, lambda: Collectives(step.peers))


_making = threading.Lock()


def of_task(kept: dict[str, Any], make: Callable[[], Collectives]) -> Collectives:
    """What a task keeps for its collective operations, made at first use."""
    with _making:
        if "collectives" not in kept:
            kept["collectives"] = make()
        return kept["collectives"]


# ---- what other tasks ask ----------------------------------------------------------------


def _own(server: TaskServer) -> Collectives:
    found = server.kept.get("collectives")
    return found if found is not None else of_task(server.kept, lambda: Collectives(server.peers))


def _link_here(server: TaskServer, call: Call) -> Reply:
    """A member opens a link; its connection carries nothing else until the link ends."""
    given, own = Fields(call), _own(server)
    key = given.text("scope"), given.text("source"), given.text("target")
    if call.connection is None or task_of(key[2]) != server.task:
        raise errors.InvalidArgumentError.of(f"{key[2][:200]!r} is no device of {server.task}")
    own.check(key[0])
    memory = find_memory(given.text("memory", ""))
    call.connection.send({"memory": memory is not None})
    ends = call.connection, task_of(key[1]), server.task, server.tap
    link = WireLink(*ends) if memory is None else SharedLink(memory, *ends)
    own.opened(*key, link)
    try:
        link.await_end()
    finally:
        own.closed(*key)
        call.connection.settimeout(None)
    return {}, ()


def _join_here(server: TaskServer, call: Call) -> Reply:
    given, leader = Fields(call), _own(server).leader
    arguments = (
        given.text("group"),
        given.whole("size", 1, LARGEST_GROUP),
        given.text("device"),
        given.whole("nonce"),
        given.whole("after"),
    )
    until = time.monotonic() + ASKS_AGAIN
    with leader.changed:
        while (found := leader.join(*arguments)) is None and time.monotonic() < until:
            leader.changed.wait(ASKS_AGAIN)
    if found is None:
        return {}, ()
    return {"generation": found[0], "devices": found[1]}, ()


def _abort_here(server: TaskServer, call: Call) -> Reply:
    given = Fields(call)
    code = given.whole("code", 1, errors.UNAUTHENTICATED)
    error = errors.make_error(code, f"{_ABORTED}{given.text('reason')}")
    _own(server).abort(given.text("scope"), error)
    return {}, ()


offer("collectives.link", _link_here)
offer("collectives.join", _join_here)
offer("collectives.abort", _abort_here)
