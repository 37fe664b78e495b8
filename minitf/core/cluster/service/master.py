"""The master service of a task: divides a client's steps among the tasks, and gathers the results.

    client -- make_callable(nodes) --> place on all tasks' devices, cut by task,
                                       register_graph at each task involved
           -- run_callable(args) ----> run_graph at all of them at once; this task's own part runs
                                       in the thread that asked; the fetched values come with the
                                       replies

Every task has a master; a client may talk to any of them.

When a part of a step fails, its task dies, or the client cancels the step, the master tells all
tasks at once (`cleanup_graph`), without waiting for any. Then it reads their replies for a moment,
for two reasons: the first error may only follow from another, the cause; and a connection can be
used for the next step only when its reply was read to the end.
"""

from __future__ import annotations

import itertools
import logging
import secrets
import selectors
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from minitf.core.cluster.service.peers import Peers
from minitf.core.cluster.service.worker import WorkerService, as_bytes, stand
from minitf.core.cluster.wire import channel as calls
from minitf.core.cluster.wire.call import Fields, Values, derived, entries, is_derived, new_handle
from minitf.core.cluster.wire.channel import Channel, Pending, Talk
from minitf.core.cluster.wire.traffic import POLL, STEP_BITS
from minitf.core.graph import errors, untrusted
from minitf.core.graph.device_spec import parsed, task_of
from minitf.core.graph.graph_def import GraphDef
from minitf.core.runtime.plan.partition import partition
from minitf.core.runtime.plan.placer import Placer
from minitf.core.runtime.plan.plan import keep_apart
from minitf.core.runtime.plan.subgraph import Node, to_node_defs
from minitf.core.runtime.run.rendezvous import Stand, deadline_after
from minitf.core.runtime.session.backend import DeviceAttributes
from minitf.core.runtime.session.config import ConfigProto, RunMetadata, RunOptions

logger = logging.getLogger("tensorflow")

LOOK_TIMEOUT = 0.3  # seconds to wait for a task when a session begins, which may never need it
READY_TIMEOUT = 60.0  # seconds to wait for a task that a step needs and that has not answered yet
TELL_EVERY = 10.0  # seconds between two lines in the log during such a wait
FOLLOW_UP = 2.0  # seconds to wait for the cause of a failure, when only echoes of it were heard
HEAR_OUT = 0.5  # seconds to wait for the other parts when the cause is known
CLOSE_TIMEOUT = 2.0  # seconds for the tasks to forget the graphs of a session


@dataclass
class _Part:
    """One task's share of a callable."""

    task: str
    handle: int
    arg_indices: list[int]  # which of the callable's feeds it takes
    fetch_indices: list[int]  # which of its fetches it returns
    fetch_names: str
    arg_names: str
    fetched: Values
    channel: Channel | None = None  # None: the master's own task
    incarnation: int | None = None
    can_talk: bool = False
    ahead: float = 0.0  # how many seconds its clock is ahead of the master's, where times are noted


@dataclass
class _Callable:
    parts: list[_Part]
    fetch_count: int
    traced: bool
    feeds: Values

    def __post_init__(self) -> None:
        self.arg_names = ",".join(part.arg_names for part in self.parts if part.arg_names)
        self.fetch_names = ",".join(part.fetch_names for part in self.parts if part.fetch_names)


@dataclass
class MasterSession:
    """A client's session: its devices, the places of its stateful nodes, and its callables."""

    config: ConfigProto
    placer: Placer
    devices: list[DeviceAttributes]
    incarnations: dict[str, int]
    isolated: str = ""  # the name under which tasks keep its variables, when it shares none
    callables: dict[int, _Callable] = field(default_factory=dict)
    steps: set[_Step] = field(default_factory=set)  # those that run now
    given_up: set[int] = field(default_factory=set)  # runs that the client does not wait for
    lock: threading.Lock = field(default_factory=threading.Lock)


class Master:
    """Runs the steps of clients over all tasks of the cluster.

    Args:
      worker: the worker service of the master's own task.
      peers: the other tasks.
      incarnation: of the master's own process.
    """

    def __init__(self, worker: WorkerService, peers: Peers, incarnation: int):
        self.worker = worker
        self._peers = peers
        self._incarnation = incarnation
        self._sessions: dict[int, MasterSession] = {}
        self._steps = itertools.count(1)
        self._step_base = secrets.randbits(30) << STEP_BITS

    # ---- sessions --------------------------------------------------------------------------

    def create_session(self, config: ConfigProto) -> tuple[int, list[DeviceAttributes]]:
        """Starts a session; returns its handle and the devices it may use.

        A task that does not answer is listed with one CPU: it may start before a step needs it.
        """
        deadline = deadline_after(config.operation_timeout_in_ms)
        own = self._peers.own_task
        devices = [
            DeviceAttributes(d.name, d.device_type, d.description, self._incarnation)
            for d in self.worker.devices.values()
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
            thread.join(calls.seconds_left(deadline))
        for task in others:
            if isinstance(answers.get(task), errors.OpError):
                raise answers[task]
            if task in answers:
                incarnations[task], found = answers[task]
                devices += found
            else:
                spec = parsed(f"{task}/replica:0/device:CPU:0")
                devices.append(DeviceAttributes(spec.to_string(), "CPU", "CPU (has not answered)"))
        names = [device.name for device in devices]
        placer = Placer(names, config.allow_soft_placement, config.log_device_placement)
        handle = new_handle()
        isolated = f"{self._incarnation}.{handle}" if config.isolate_session_state else ""
        self._sessions[handle] = MasterSession(config, placer, devices, incarnations, isolated)
        return handle, devices

    def close_session(self, handle: int) -> None:
        """Ends a session and its steps; its graphs are removed, variables stay."""
        session = self._sessions.pop(handle, None)
        if session is None:
            return
        for step in list(session.steps):
            step.give_up(_CLOSED)
        handles: dict[Channel | None, list[int]] = {}
        for each in session.callables.values():
            for part in each.parts:
                handles.setdefault(part.channel, []).append(part.handle)
        self.worker.deregister_graphs(handles.pop(None, []), session.isolated)
        deadline = time.monotonic() + CLOSE_TIMEOUT
        posted = []
        for channel, registered in handles.items():
            assert channel is not None
            fields = {"handles": registered, "isolated": session.isolated}
            posted.append(channel.post("deregister_graph", fields, CLOSE_TIMEOUT, LOOK_TIMEOUT))
        for done in posted:
            done.wait(max(deadline - time.monotonic(), 0.0))

    def leave_to_parent(self) -> None:
        """In a forked child: the sessions are the parent's, and their handles unknown here."""
        self._sessions = {}

    def reset(self, containers: Sequence[str], filters: Sequence[str] = ()) -> None:
        """Clears containers of all tasks that pass the filters; ends this master's sessions."""
        for handle in list(self._sessions):
            self.close_session(handle)
        for task in self._peers.tasks:
            if task == self._peers.own_task:
                self.worker.resources.clear(containers)
            elif _passes(task, filters):
                fields = {"containers": list(containers)}
                self._peers.channel(task).call("reset", fields, timeout=5.0)

    def make_callable(
        self, session_handle: int, nodes: list[Node], fetch_count: int, traced: bool
    ) -> int:
        """Places and distributes the nodes of one combination of fetches and feeds.

        Args:
          session_handle: from `create_session`.
          nodes: pruned nodes with `_Arg` and `_Retval`, not yet placed.
          fetch_count: how many values a run returns.
          traced: whether runs log times.
        Returns: a handle for `run_callable`.
        """
        session = self._session(session_handle)
        with session.lock:
            session.placer.place(nodes)
        keep_apart(nodes, f"{self._incarnation}.{session_handle}")
        deadline = deadline_after(session.config.operation_timeout_in_ms)
        feeds = Values(nodes)
        parts = partition(nodes, key=task_of)
        own = self._peers.own_task
        with calls.in_time(deadline):
            for task in parts:
                if task != own:
                    self._meet(session, task, calls.seconds_left(deadline))
            incarnations = {task: session.incarnations[task] for task in parts}
            made = [
                self._register(session, task, part, traced, incarnations, deadline)
                for task, part in parts.items()
            ]
        handle = new_handle()
        session.callables[handle] = _Callable(made, fetch_count, traced, feeds)
        return handle

    def check_feeds(self, session_handle: int, callable_handle: int, args: Sequence[Any]) -> None:
        """Checks the values that a client in another process feeds.

        Raises:
          InvalidArgumentError: when they do not fit the callable.
        """
        self._callable(session_handle, callable_handle).feeds.check(args)

    def explain(self, session_handle: int, callable_handle: int) -> str:
        """Returns the programs of all tasks as text, one after the other."""
        texts = []
        for part in self._callable(session_handle, callable_handle).parts:
            if part.channel is None:
                texts.append(self.worker.explain(part.handle))
            else:
                asked = {"handle": part.handle}
                texts.append(Fields(part.channel.call("explain", asked)).document())
        return "\n\n".join(texts)

    def _register(
        self,
        session: MasterSession,
        task: str,
        nodes: list[Node],
        traced: bool,
        incarnations: dict[str, int],
        deadline: float | None,
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
            Values(nodes, "fetch"),
        )
        for group in (args, fetches):  # each task numbers its feeds and fetches from 0
            for index, node in enumerate(group):
                node.attrs = {**node.attrs, "index": index}
        if task == self._peers.own_task:
            part.handle = self.worker.register_graph(
                nodes, len(fetches), traced, incarnations, isolated=session.isolated
            )
            part.can_talk = self.worker.can_talk(part.handle)
            return part
        part.channel = self._peers.channel(task)
        part.incarnation = incarnations[task]
        if traced:
            part.ahead = _clock_ahead(part.channel, calls.seconds_left(deadline))
        senders = {task_of(node.attrs["send_device"]) for node in nodes if node.type == "_Recv"}
        known = {sender: incarnations[sender] for sender in senders}  # not all: there may be many
        fields = {"fetches": len(fetches), "traced": traced, "incarnations": known}
        if session.isolated:
            fields["isolated"] = session.isolated
        text = GraphDef(to_node_defs(nodes)).to_json()
        start, left = time.time(), calls.seconds_left(deadline)
        answer = part.channel.call(
            "register_graph", fields, [as_bytes(text)], left, incarnation=part.incarnation
        )
        own = self._peers.own_task
        self._peers.tap.record(0, "graph", "register_graph", own, task, answer.sent, start)
        given = Fields(answer)
        part.handle, part.can_talk = given.handle("handle"), given.truth("can_talk")
        return part

    def names(self, session_handle: int, callable_handle: int) -> tuple[str, str]:
        """Returns the names of the feeds and fetches of a callable, as two texts for traffic."""
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
          session_handle, callable_handle: the callable to run.
          args: the fed values.
          options: of this run.
          metadata: filled with the stats of all tasks when the callable is traced.
          step: from `new_step`, for a caller that may cancel it.
        Raises:
          OpError: the first error of any task.
        """
        session = self._session(session_handle)
        made = self._callable(session_handle, callable_handle)
        step = step or self.new_step()
        session.steps.add(step)
        if session_handle not in self._sessions:  # closed: `close_session` may not have seen it
            step.give_up(_CLOSED)
        if step.run_number in session.given_up:
            step.give_up(_GIVEN_UP)
        try:
            return step.run(made, args, options or _NO_OPTIONS, metadata)
        finally:
            session.steps.discard(step)
            session.given_up.discard(step.run_number)

    def new_step(self, run_number: int = 0) -> _Step:
        """Returns a step with a number of its own.

        Args:
          run_number: the number that a client in another process gave it, in its session.
        """
        return _Step(self._step_base | next(self._steps), self.worker, self._peers, run_number)

    def give_up_run(self, session_handle: int, run_number: int) -> None:
        """Cancels a step for which its client does not wait any more, even before it arrives.

        It returns when the tasks know: the step must not see what the client does next, such as
        filling the queue at which the step waited.
        """
        session = self._session(session_handle)
        session.given_up.add(run_number)
        for step in [each for each in list(session.steps) if each.run_number == run_number]:
            step.give_up(_GIVEN_UP)
            step.wait_until_told()

    def give_up_steps_of(self, thread: int) -> None:
        """Cancels the steps for which a thread of this process waits, by the thread's number."""
        for session in list(self._sessions.values()):
            for step in list(session.steps):
                if step.thread == thread:
                    step.give_up("The function was interrupted.")

    def standing(self) -> list[dict[str, Any]]:
        """Returns the tasks for which this master's steps wait, except its own task."""
        now = time.time()
        steps = [step for each in list(self._sessions.values()) for step in list(each.steps)]
        return [
            stand(step.id, Stand(step.started, part.fetch_names, "run_graph", part.task), now)
            for step in steps
            for part in list(step.waiting.values())
        ]

    # ---- tasks -----------------------------------------------------------------------------

    def _look_at(self, task: str, answers: dict[str, Any]) -> None:
        try:
            channel = self._peers.channel(task)
            channel.connect(LOOK_TIMEOUT)
            given = Fields(channel.call("status", timeout=5.0))
            own, told = given.whole("incarnation"), given.listed("devices", _DEVICE)
            devices = [DeviceAttributes(**each, incarnation=own) for each in told]
            if strange := [each.name for each in devices if task_of(each.name) != task]:
                raise errors.InvalidArgumentError.of(f"It has no device {strange[0]!r:.80}.")
            answers[task] = own, devices
        except errors.UnauthenticatedError as error:
            answers[task] = error
        except errors.InvalidArgumentError as error:
            logger.warning("%s does not answer as a task does. %s", task, error.message)
        except errors.OpError:
            logger.info("%s does not answer yet", task)

    def _meet(self, session: MasterSession, task: str, timeout: float | None) -> None:
        """Waits for a task at its first use in the session."""
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
            raise errors.AbortedError.of(
                f"Session handle is not found: {handle}. Possibly this master has restarted, or "
                "this process was forked off the master's: open a session at the server's target."
            ) from None

    def _callable(self, session_handle: int, callable_handle: int) -> _Callable:
        try:
            return self._session(session_handle).callables[callable_handle]
        except KeyError:
            raise errors.InvalidArgumentError.of(
                f"No such callable handle: {callable_handle}"
            ) from None


class _Step:
    """One run of a callable.

    Args:
      id: its number, unique in the cluster.
      worker: the worker service of the master's own task.
      peers: the other tasks.
      run_number: the client's number for it; 0 within one process.
    """

    def __init__(self, id: int, worker: WorkerService, peers: Peers, run_number: int = 0):
        self.id = id
        self.run_number = run_number
        self.thread = threading.get_ident()  # that made it, and runs it
        self.started = time.time()
        self._worker = worker
        self._peers = peers
        self.waiting: dict[Pending, _Part] = {}  # the calls to other tasks
        self._untold: list[_Part] = []  # parts in other tasks that must hear of a failure
        self._telling = threading.Lock()
        self._hearing: list[threading.Event] = []  # set once a task has heard
        self._talks: list[Talk] = []
        self._errors: list[BaseException] = []
        self._given_up: errors.OpError | None = None
        self._results: list[Any] = []
        self._told: RunMetadata | None = None  # by the parts, where that is noted

    def run(
        self,
        made: _Callable,
        args: Sequence[Any],
        options: RunOptions,
        metadata: RunMetadata | None,
    ) -> list[Any]:
        """Runs all parts at once; returns the fetched values in order."""
        self._results = [None] * made.fetch_count
        self._args, self._options = args, options
        self._asked = made.fetch_names if made.fetch_names.startswith(POLL) else ""
        self._noted = made.traced or options.output_partition_graphs
        self._told = RunMetadata() if self._noted else None
        self._fields = run_fields(options, self._noted)
        self.started = time.time()
        deadline = deadline_after(options.timeout_in_ms)
        own = next((part for part in made.parts if part.channel is None), None)
        try:
            for part in made.parts:
                if part.channel is not None:
                    self._begin(part, part.channel, own)
            self._check_not_given_up()  # nor does the own part begin
            if own is not None:
                self._run_own(own)
            while self.waiting:
                self._finish(self._next(deadline))
        except errors.OpError as error:
            self._errors.append(error)
            self._settle()
            raise self._root() from None
        except BaseException:
            self.give_up(_GIVEN_UP)
            for pending in self.waiting:
                pending.drop()
            self.wait_until_told()
            raise
        if metadata is not None and self._told is not None:
            metadata.step_stats = self._told.step_stats
            metadata.partition_graphs = self._told.partition_graphs
        return self._results

    def _check_not_given_up(self) -> None:
        if self._given_up is not None:
            raise self._given_up

    def give_up(self, reason: str) -> None:
        """Cancels the step in all tasks; callable from any thread."""
        self._given_up = errors.CancelledError.of(reason)
        self._worker.cleanup_graph(self.id, self._given_up)
        self._tell(reason)
        for pending in list(self.waiting):
            pending.interrupt()  # wakes the thread that waits for its reply

    def _lost(self) -> None:
        """Ends this task's own part, which may wait for something else, when a task was lost."""
        gone = errors.UnavailableError.of("A task of the step is gone.")
        self._worker.cleanup_graph(self.id, derived(gone))

    def _begin(self, part: _Part, channel: Channel, own: _Part | None) -> None:
        fields: dict[str, Any] = {"handle": part.handle, "step": self.id, **self._fields}
        arrays = [self._args[i] for i in part.arg_indices]
        here = self._peers.own_task
        talks = False
        if own is not None:
            fields["master"] = here
            talks = own.can_talk and part.can_talk and self._peers.options.security is None
        if talks:
            fields["talk"] = True
        self._untold.append(part)
        self._check_not_given_up()  # now, or `give_up` finds the part: it takes nothing for nobody
        pending = channel.begin("run_graph", fields, arrays, incarnation=part.incarnation)
        self.waiting[pending] = part
        if own is not None:
            pending.on_lost = self._lost
        if talks:
            self._talks.append(pending.talk_with(part.task))
        names = self._asked or part.arg_names
        self._peers.tap.record(
            self.id, names, "run_graph", here, part.task, pending.sent, self.started
        )

    def _run_own(self, part: _Part) -> None:
        metadata = RunMetadata() if self._noted else None
        args = [self._args[i] for i in part.arg_indices]
        try:
            values = self._worker.run_graph(
                part.handle, self.id, args, self._options, metadata, self._talks
            )
        except errors.OpError as error:
            raise _from(part.task, error) from error.__cause__
        for index, value in zip(part.fetch_indices, values, strict=True):
            self._results[index] = value
        if metadata is not None and self._told is not None:
            self._told.add(metadata)

    def _next(self, deadline: float | None) -> Pending:
        """Returns the call whose reply arrives first."""
        if len(self.waiting) == 1 and deadline is None:
            return next(iter(self.waiting))
        for pending in self.waiting:
            if pending.is_ready:
                return pending
        with selectors.DefaultSelector() as selector:
            for pending in self.waiting:
                selector.register(pending, selectors.EVENT_READ)
            left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
            ready = selector.select(left)
        if not ready:
            tasks = ", ".join(part.task for part in self.waiting.values())
            raise errors.DeadlineExceededError.of(f"Timed out waiting for {tasks}.")
        return ready[0][0].fileobj  # type: ignore[return-value]

    def _finish(self, pending: Pending, within: float | None = None) -> None:
        part = self.waiting[pending]
        waited = time.time()
        try:
            answer = pending.finish(within)  # `give_up` finds it among those waited for
        except errors.OpError as error:
            if not isinstance(error, errors.UnavailableError):
                self._untold = [each for each in self._untold if each is not part]  # it knows
            raise _from(part.task, error) from None
        finally:
            self.waiting.pop(pending, None)
        values = answer.arrays
        if self._told is not None and Fields(answer).truth("stats", False):
            self._told.add(Fields(answer).take_metadata(), part.ahead)
        part.fetched.check(values, answer.origin)
        for index, value in zip(part.fetch_indices, values, strict=True):
            self._results[index] = value
        names, own = self._asked or part.fetch_names, self._peers.own_task
        self._peers.tap.record(self.id, names, "run_graph", part.task, own, answer.received, waited)

    def _tell(self, reason: str) -> None:
        """Ends the step in the other tasks, all at once, without waiting for any.

        This includes tasks that have run their part: they may hold tensors that are not fetched.
        """
        with self._telling:
            untold, self._untold = self._untold, []
            told = [self._worker.tell(part.task, self.id, reason) for part in untold]
            self._hearing += [each for each in told if each is not None]

    def wait_until_told(self) -> None:
        """Waits a moment until the other tasks know that the step is over."""
        deadline = time.monotonic() + CLOSE_TIMEOUT
        with self._telling:
            hearing = list(self._hearing)
        for each in hearing:
            each.wait(max(deadline - time.monotonic(), 0.0))

    def _settle(self) -> None:
        """Ends all parts after a failure, and waits a moment for their replies."""
        error = self._errors[0]
        self._worker.cleanup_graph(self.id, error)
        self._tell(f"Another task of the step failed: {error}")
        start = time.monotonic()
        for pending in list(self.waiting):
            patience = HEAR_OUT if self._rank(self._root()) == 0 else FOLLOW_UP
            left = start + patience - time.monotonic()
            try:
                self._finish(pending, max(left, 0.01))
            except errors.OpError as another:
                self._errors.append(another)
        if self._given_up is not None:
            self.wait_until_told()

    def _root(self) -> BaseException:
        """Returns the error from which the others follow."""
        return self._given_up or min(self._errors, key=self._rank)

    @staticmethod
    def _rank(error: BaseException) -> int:
        """Ranks an error by how likely it follows from another: 0 for a sure cause."""
        if is_derived(error):
            return 3
        if isinstance(error, errors.CancelledError):
            return 2
        lost = errors.UnavailableError | errors.DeadlineExceededError | errors.AbortedError
        return 1 if isinstance(error, lost) else 0


#: The message of a step whose session was closed meanwhile: TensorFlow's words.
_CLOSED = "Step was cancelled by an explicit call to `Session::Close()`."

_GIVEN_UP = "The client gave the step up."

_DEVICE = entries(dict.fromkeys(("name", "device_type", "description"), untrusted.text))

_NO_OPTIONS = RunOptions()  # of most steps: making one takes as long as writing a message's header


def _from(task: str, error: errors.OpError) -> errors.OpError:
    """Adds the name of the task to an error of a part of a step, as TensorFlow does."""
    lost = isinstance(error, errors.UnavailableError | errors.DeadlineExceededError)
    if lost or is_derived(error):  # its message names the task, or it is dropped
        return error
    job, _, index = task.rpartition("/")
    message = f"From {job}/replica:0/{index}:\n{error.message}"
    return errors.make_error(error.error_code, message, error.node_def, error.op)


def run_fields(options: RunOptions | None, noted: bool) -> dict[str, Any]:
    """Returns the fields of a call that runs a graph; `Fields.run_options` reads them."""
    fields: dict[str, Any] = {"stats": True} if noted else {}
    if options is not None and options.timeout_in_ms:
        fields["timeout_ms"] = options.timeout_in_ms
    if options is not None and options.output_partition_graphs:
        fields["graphs"] = True
    return fields


def _clock_ahead(channel: Channel, timeout: float | None) -> float:
    """Returns how many seconds the clock of a task is ahead of this one; 0 if that is unclear."""
    asked = time.time()
    told = Fields(channel.call("status", timeout=timeout)).read("time", untrusted.number)
    answered = time.time()
    return 0.0 if asked <= told <= answered else told - (asked + answered) / 2


def _passes(task: str, filters: Sequence[str]) -> bool:
    if not filters:
        return True
    spec = parsed(task)
    return any(parsed(each).is_compatible_with(spec) for each in filters)
