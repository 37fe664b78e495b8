"""The master service of a task: takes a client's steps apart, and puts their results together.

    client -- make_callable(nodes) --> place on all tasks' devices, cut by task,
                                       register_graph at each task involved
           -- run_callable(args) ----> run_graph at all of them at once; this task's own part runs
                                       in the thread that asked; the fetched values come with the
                                       replies

The first error of a step wins: the other parts are given up, so that nobody waits for ever. Every
task has a master; a client may talk to any of them.
"""

from __future__ import annotations

import itertools
import json
import logging
import secrets
import selectors
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from minitf.cluster.fields import Feeds, new_handle
from minitf.cluster.peers import STEP_BITS, Peers, task_of
from minitf.cluster.rpc import Channel, Pending, in_time, seconds_left
from minitf.cluster.talk import Talk
from minitf.cluster.worker import WorkerService, as_bytes
from minitf.framework import dtypes, errors
from minitf.framework.device_spec import DeviceSpec
from minitf.framework.graph_def import GraphDef
from minitf.runtime.backend import DeviceAttributes
from minitf.runtime.config import ConfigProto, RunMetadata, RunOptions
from minitf.runtime.executor import deadline_after
from minitf.runtime.partition import partition
from minitf.runtime.placer import Placer
from minitf.runtime.step_stats import StepStats
from minitf.runtime.subgraph import Node, to_node_defs

logger = logging.getLogger("minitf.cluster")

LOOK_TIMEOUT = 0.3  # seconds to wait for a task that a new session may never need
READY_TIMEOUT = 60.0  # seconds to wait for a task that a step needs and that never answered yet
TELL_EVERY = 10.0  # seconds between two lines in the log while it waits for one
FOLLOW_UP = 2.0  # seconds to wait for the other parts of a step that has failed


@dataclass
class _Part:
    """One task's share of a callable."""

    task: str
    handle: int
    arg_indices: list[int]  # which of the callable's feeds it takes
    fetch_indices: list[int]  # which of its fetches it returns
    fetch_names: str
    arg_names: str
    channel: Channel | None = None  # None: the master's own task
    incarnation: int | None = None
    can_talk: bool = False


@dataclass
class _Callable:
    parts: list[_Part]
    fetch_count: int
    traced: bool
    feeds: Feeds

    def __post_init__(self) -> None:
        self.arg_names = ",".join(part.arg_names for part in self.parts if part.arg_names)
        self.fetch_names = ",".join(part.fetch_names for part in self.parts if part.fetch_names)


@dataclass
class MasterSession:
    """A client's session: its devices, where its stateful nodes are, and its callables."""

    config: ConfigProto
    placer: Placer
    devices: list[DeviceAttributes]
    incarnations: dict[str, int]
    callables: dict[int, _Callable] = field(default_factory=dict)
    steps: set[_Step] = field(default_factory=set)  # those that run now
    lock: threading.Lock = field(default_factory=threading.Lock)


class Master:
    """Runs the steps of clients over all tasks of the cluster.

    Args:
      worker: the worker service of the master's own task.
      peers: the other tasks.
      incarnation: of the master's own process.
    """

    def __init__(self, worker: WorkerService, peers: Peers, incarnation: int):
        self._worker = worker
        self._peers = peers
        self._incarnation = incarnation
        self._sessions: dict[int, MasterSession] = {}
        self._steps = itertools.count(1)
        self._step_base = secrets.randbits(30) << STEP_BITS

    # ---- sessions --------------------------------------------------------------------------

    def create_session(self, config: ConfigProto) -> tuple[int, list[DeviceAttributes]]:
        """Starts a session; returns its handle and the devices it may use.

        A task that does not answer counts with one CPU: it may come up before a step needs it.
        """
        deadline = deadline_after(config.operation_timeout_in_ms)
        own = self._peers.own_task
        devices = [
            DeviceAttributes(d.name, d.device_type, d.description, self._incarnation)
            for d in self._worker.devices.values()
        ]
        incarnations = {own: self._incarnation}
        others = [t for t in self._peers.tasks if t != own and _passes(t, config.device_filters)]
        answers: dict[str, Any] = {}
        threads = [
            threading.Thread(target=self._look_at, args=(task, answers), daemon=True)
            for task in others
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(seconds_left(deadline))
        for task in others:
            if isinstance(answers.get(task), errors.OpError):
                raise answers[task]
            if task in answers:
                incarnations[task] = answers[task]["incarnation"]
                devices += [
                    DeviceAttributes(name, kind, description, incarnations[task])
                    for name, kind, description in answers[task]["devices"]
                ]
            else:
                spec = DeviceSpec.from_string(f"{task}/replica:0/device:CPU:0")
                devices.append(DeviceAttributes(spec.to_string(), "CPU", "CPU (has not answered)"))
        names = [device.name for device in devices]
        placer = Placer(names, config.allow_soft_placement, config.log_device_placement)
        handle = new_handle()
        self._sessions[handle] = MasterSession(config, placer, devices, incarnations)
        return handle, devices

    def close_session(self, handle: int) -> None:
        """Ends a session and the steps that run in it; its graphs are forgotten, variables stay."""
        session = self._sessions.pop(handle, None)
        for step in list(session.steps) if session is not None else ():
            step.give_up("Session has been closed.")
        handles: dict[Channel, list[int]] = {}
        for each in session.callables.values() if session is not None else ():
            for part in each.parts:
                if part.channel is None:
                    self._worker.deregister_graph(part.handle)
                else:
                    handles.setdefault(part.channel, []).append(part.handle)
        for channel, registered in handles.items():
            try:
                channel.connect(LOOK_TIMEOUT)
                channel.call("deregister_graph", {"handles": registered}, timeout=2.0)
            except errors.OpError as gone:  # and the graphs with it
                logger.debug("A session ends without %s: %s", channel.address, gone)

    def leave_to_parent(self) -> None:
        """In a forked child: the sessions are the parent's, and their handles unknown here."""
        self._sessions = {}

    def reset(self) -> None:
        """Clears the variables of all tasks."""
        self._worker.resources.clear()
        for task in self._peers.tasks:
            if task != self._peers.own_task:
                self._peers.channel(task).call("reset", timeout=5.0)

    def make_callable(
        self, session_handle: int, nodes: list[Node], fetch_count: int, traced: bool
    ) -> int:
        """Places and distributes what one combination of fetches and feeds needs.

        Args:
          session_handle: from `create_session`.
          nodes: pruned, with `_Arg` and `_Retval` nodes; not yet placed.
          fetch_count: how many values a run returns.
          traced: whether runs log times.
        Returns: a handle for `run_callable`.
        """
        session = self._session(session_handle)
        with session.lock:
            session.placer.place(nodes)
        for node in nodes:  # a queue without a shared name is this session's own
            if dtypes.resource in node.dtypes:
                node.attrs = {**node.attrs, "_session": f"{self._incarnation}.{session_handle}"}
        deadline = deadline_after(session.config.operation_timeout_in_ms)
        feeds = Feeds(nodes)
        parts = partition(nodes, key=task_of)
        own = self._peers.own_task
        with in_time(deadline):
            for task in parts:
                if task != own:
                    self._meet(session, task, seconds_left(deadline))
            incarnations = {task: session.incarnations[task] for task in parts}
            made = [
                self._register(task, part, traced, incarnations, seconds_left(deadline))
                for task, part in parts.items()
            ]
        handle = new_handle()
        session.callables[handle] = _Callable(made, fetch_count, traced, feeds)
        return handle

    def check_feeds(self, session_handle: int, callable_handle: int, args: Sequence[Any]) -> None:
        """Looks at values that a client in another process feeds.

        Raises:
          InvalidArgumentError: when they are not those that the callable takes.
        """
        self._callable(session_handle, callable_handle).feeds.check(args)

    def explain(self, session_handle: int, callable_handle: int) -> str:
        """The programs of all tasks as text, one after the other."""
        texts = []
        for part in self._callable(session_handle, callable_handle).parts:
            if part.channel is None:
                texts.append(self._worker.explain(part.handle))
            else:
                answer = part.channel.call("explain", {"handle": part.handle})
                texts.append(answer.arrays[0].decode())
        return "\n\n".join(texts)

    def _register(
        self,
        task: str,
        nodes: list[Node],
        traced: bool,
        incarnations: dict[str, int],
        timeout: float | None,
    ) -> _Part:
        args = [node for node in nodes if node.type == "_Arg"]
        fetches = [node for node in nodes if node.type == "_Retval"]
        part = _Part(
            task,
            0,
            [node.attrs["index"] for node in args],
            [node.attrs["index"] for node in fetches],
            ",".join(f"{n.inputs[0][0].name}:{n.inputs[0][1]}" for n in fetches),
            ",".join(node.attrs["tensor_name"] for node in args),
        )
        for group in (args, fetches):  # each task counts its own
            for index, node in enumerate(group):
                node.attrs = {**node.attrs, "index": index}
        if task == self._peers.own_task:
            part.handle = self._worker.register_graph(nodes, len(fetches), traced, incarnations)
            part.can_talk = self._worker.can_talk(part.handle)
            return part
        part.channel = self._peers.channel(task)
        part.incarnation = incarnations[task]
        fields = {"fetches": len(fetches), "traced": traced, "incarnations": incarnations}
        text = GraphDef(to_node_defs(nodes)).to_json()
        start = time.time()
        answer = part.channel.call(
            "register_graph", fields, [as_bytes(text)], timeout, incarnation=part.incarnation
        )
        own = self._peers.own_task
        self._peers.record(0, "graph", "register_graph", own, task, answer.sent, start)
        part.handle = answer.fields["handle"]
        part.can_talk = bool(answer.fields["can_talk"])
        return part

    def names(self, session_handle: int, callable_handle: int) -> tuple[str, str]:
        """The tensors that a callable is fed and those it returns, joined, as traffic has them."""
        made = self._callable(session_handle, callable_handle)
        return made.arg_names, made.fetch_names

    # ---- steps -----------------------------------------------------------------------------

    def run_callable(
        self,
        session_handle: int,
        callable_handle: int,
        args: Sequence[Any],
        options: RunOptions | None = None,
        metadata: RunMetadata | None = None,
        step: _Step | None = None,
    ) -> list[Any]:
        """Runs one step; returns the fetched values.

        Args:
          session_handle, callable_handle: what to run.
          args: the fed values.
          options: of this run.
          metadata: filled with the stats of all tasks when the callable is traced.
          step: made by `new_step`, when the caller wants to be able to give it up.
        Raises:
          OpError: the first that failed in any of the tasks.
        """
        session = self._session(session_handle)
        made = self._callable(session_handle, callable_handle)
        step = step or self.new_step()
        session.steps.add(step)
        try:
            return step.run(made, args, options, metadata)
        finally:
            session.steps.discard(step)

    def new_step(self) -> _Step:
        """Returns a step with a number of its own."""
        return _Step(self._step_base | next(self._steps), self._worker, self._peers)

    def give_up_steps_of(self, thread: int) -> None:
        """Ends the steps that a thread of this process waits for, by the number of the thread."""
        for session in list(self._sessions.values()):
            for step in list(session.steps):
                if step.thread == thread:
                    step.give_up("The function was interrupted.")

    # ---- tasks -----------------------------------------------------------------------------

    def _look_at(self, task: str, answers: dict[str, Any]) -> None:
        try:
            channel = self._peers.channel(task)
            channel.connect(LOOK_TIMEOUT)
            answers[task] = channel.call("status", timeout=5.0).fields
        except errors.UnauthenticatedError as error:
            answers[task] = error
        except errors.OpError:
            logger.info("%s does not answer yet", task)

    def _meet(self, session: MasterSession, task: str, timeout: float | None) -> None:
        """Waits for a task that the session needs for the first time."""
        if task in session.incarnations:
            return
        told = -TELL_EVERY

        def tell(error: errors.OpError) -> None:
            nonlocal told
            if time.monotonic() - told > TELL_EVERY:
                told = time.monotonic()
                address = self._peers.address(task)
                logger.warning("Still waiting for %s at %s: %s", task, address, error.message)

        limit = min(READY_TIMEOUT, timeout or READY_TIMEOUT)
        session.incarnations[task] = self._peers.channel(task).wait_until_ready(limit, tell)

    def _session(self, handle: int) -> MasterSession:
        try:
            return self._sessions[handle]
        except KeyError:
            raise errors.AbortedError(
                None,
                None,
                f"Session handle is not found: {handle}. Possibly this master has restarted, or "
                "this process was forked off the master's: open a session at the server's target.",
            ) from None

    def _callable(self, session_handle: int, callable_handle: int) -> _Callable:
        try:
            return self._session(session_handle).callables[callable_handle]
        except KeyError:
            raise errors.InvalidArgumentError(
                None, None, f"No such callable handle: {callable_handle}"
            ) from None


class _Step:
    """One run of a callable.

    Args:
      id: its number, unlike any other in the cluster.
      worker: the worker service of the master's own task.
      peers: the other tasks.
    """

    def __init__(self, id: int, worker: WorkerService, peers: Peers):  # noqa: A002
        self.id = id
        self.thread = threading.get_ident()  # that made it, and runs it
        self._worker = worker
        self._peers = peers
        self._waiting: dict[Pending, _Part] = {}
        self._done: list[_Part] = []
        self._talks: list[Talk] = []
        self._errors: list[BaseException] = []
        self._given_up: errors.OpError | None = None
        self._results: list[Any] = []
        self._stats: list[StepStats] = []

    def run(
        self,
        made: _Callable,
        args: Sequence[Any],
        options: RunOptions | None,
        metadata: RunMetadata | None,
    ) -> list[Any]:
        """Runs all parts at once; returns the fetched values in order."""
        self._results = [None] * made.fetch_count
        self._started = time.time()
        own = next((part for part in made.parts if part.channel is None), None)
        talks = own is not None and own.can_talk
        try:
            for part in made.parts:
                if part.channel is not None:
                    self._begin(part, part.channel, args, made.traced, options, talks)
            if own is not None:
                self._run_own(own, args, options, made.traced)
            while self._waiting:
                self._finish(self._next())
        except errors.OpError as error:
            self._errors.append(error)
            self._settle(error)
            raise self._root() from None
        except BaseException:
            self.give_up("The client gave the step up.")
            for pending in self._waiting:
                pending.drop()
            self._forget("The client gave the step up.")
            raise
        if metadata is not None:
            metadata.step_stats = StepStats([d for s in self._stats for d in s.dev_stats])
        return self._results

    def give_up(self, reason: str) -> None:
        """Ends the step in all tasks, from any thread."""
        self._given_up = errors.CancelledError(None, None, reason)
        self._worker.cleanup_graph(self.id, self._given_up)
        for pending in list(self._waiting):
            pending.interrupt()  # the task sees its caller go, and gives its part up

    def _begin(
        self,
        part: _Part,
        channel: Channel,
        args: Sequence[Any],
        traced: bool,
        options: RunOptions | None,
        talks: bool,
    ) -> None:
        fields: dict[str, Any] = {"handle": part.handle, "step": self.id}
        if traced:
            fields["traced"] = True
        if options is not None and options.timeout_in_ms:
            fields["timeout_ms"] = options.timeout_in_ms
        arrays = [args[i] for i in part.arg_indices]
        own = self._peers.own_task
        talks = talks and part.can_talk and self._peers.options.security is None
        if talks:
            fields["talk"] = own
        pending = channel.begin("run_graph", fields, arrays, incarnation=part.incarnation)
        if talks:
            self._talks.append(pending.talk_with(part.task))
        self._waiting[pending] = part
        self._peers.record(
            self.id, part.arg_names, "run_graph", own, part.task, pending.sent, self._started
        )

    def _run_own(
        self, part: _Part, args: Sequence[Any], options: RunOptions | None, traced: bool
    ) -> None:
        metadata = RunMetadata() if traced else None
        values = self._worker.run_graph(
            part.handle,
            self.id,
            [args[i] for i in part.arg_indices],
            options,
            metadata,
            self._talks,
        )
        for index, value in zip(part.fetch_indices, values, strict=True):
            self._results[index] = value
        if metadata is not None:
            self._stats.append(metadata.step_stats)

    def _next(self, seconds: float | None = None) -> Pending | None:
        """The call whose reply arrives first."""
        if len(self._waiting) == 1 and seconds is None:
            return next(iter(self._waiting))
        for pending in self._waiting:
            if pending.is_ready:
                return pending
        with selectors.DefaultSelector() as selector:
            for pending in self._waiting:
                selector.register(pending, selectors.EVENT_READ)
            ready = selector.select(seconds)
        return ready[0][0].fileobj if ready else None  # type: ignore[return-value]

    def _finish(self, pending: Pending | None) -> None:
        assert pending is not None
        part = self._waiting[pending]
        waited = time.time()
        try:
            answer = pending.finish()  # `give_up` finds it among those waited for, and ends it
        finally:
            self._waiting.pop(pending, None)
        self._done.append(part)
        values = answer.arrays
        if answer.fields.get("stats"):
            self._stats.append(StepStats.from_dict(json.loads(values.pop().tobytes())))
        for index, value in zip(part.fetch_indices, values, strict=True):
            self._results[index] = value
        self._peers.record(
            self.id,
            part.fetch_names,
            "run_graph",
            part.task,
            self._peers.own_task,
            answer.received,
            waited,
        )

    def _settle(self, error: errors.OpError) -> None:
        """After a failure: hears the parts that have failed too, and ends the others."""
        deadline = time.monotonic() + FOLLOW_UP
        asked = False
        while self._waiting and time.monotonic() < deadline:
            pending = self._next(0.0 if not asked else deadline - time.monotonic())
            if pending is None:
                if asked:
                    break
                asked = True
                for part in list(self._waiting.values()):
                    self._end(part, f"Another task of the step failed: {error.message}")
                continue
            try:
                self._finish(pending)
            except errors.OpError as another:
                self._errors.append(another)
        for pending in self._waiting:
            pending.drop()
        self._waiting.clear()
        self._worker.cleanup_graph(self.id, error)
        self._forget(f"Another task of the step failed: {error.message}")

    def _forget(self, reason: str) -> None:
        """Ends the step where its part has run: tensors that nobody will fetch may lie there."""
        for part in self._done:
            self._end(part, reason)

    def _end(self, part: _Part, reason: str) -> None:
        assert part.channel is not None
        fields = {"step": self.id, "reason": reason}
        try:
            part.channel.call("cleanup_graph", fields, timeout=FOLLOW_UP)
        except errors.OpError as gone:
            logger.debug("%s did not hear of the end of step %d: %s", part.task, self.id, gone)

    def _root(self) -> BaseException:
        """The error that the others follow from."""
        if self._given_up is not None:  # lost connections are what that looks like from here
            cancelled = (e for e in self._errors if isinstance(e, errors.CancelledError))
            return next(cancelled, self._given_up)
        for error in self._errors:
            derived = getattr(error, "derived", False)
            if not derived and not isinstance(error, errors.CancelledError):
                return error
        return self._errors[0]


def _passes(task: str, filters: Sequence[str]) -> bool:
    if not filters:
        return True
    spec = DeviceSpec.from_string(task)
    return any(DeviceSpec.from_string(each).is_compatible_with(spec) for each in filters)
