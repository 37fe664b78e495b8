"""The worker service of a task: runs its part of a step, and sends tensors to other tasks.

    master ---- register_graph(nodes) ----> cut by device, compiled: a handle
           ---- run_graph(handle, step) --> values fetched here
    peers  ---- recv_tensor(step, keys) --> tensors of a running step
    all    ---- cleanup_graph(step) ------> ends a step, after a failure

A part that fails reports twice: to the master, in its reply; and, with `cleanup_graph`, to the task
of the master, since the part there may compute, or wait for something else, before the master reads
the reply.

Variables belong to the task, not to a session: all nodes named "W" that run here read and write the
same variable. A step has no state left once it has run and its tensors have been fetched.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np

from minitf.core.cluster.service.peers import Peers, RemoteRendezvous
from minitf.core.cluster.wire.call import (
    Call,
    Expected,
    Fields,
    Reply,
    Values,
    derived,
    is_derived,
    new_handle,
    rendezvous_key,
)
from minitf.core.cluster.wire.channel import Talk
from minitf.core.cluster.wire.task_server import TaskServer
from minitf.core.graph import errors, untrusted
from minitf.core.graph.device_spec import task_of
from minitf.core.kernels.host import on_host
from minitf.core.runtime.plan import subgraph
from minitf.core.runtime.plan.partition import partition
from minitf.core.runtime.plan.plan import Host, Plan
from minitf.core.runtime.plan.subgraph import Node, with_inner
from minitf.core.runtime.run.devices import Device
from minitf.core.runtime.run.rendezvous import Key, Stand, deadline_after
from minitf.core.runtime.run.resources import ResourceManager
from minitf.core.runtime.session.config import RunMetadata, RunOptions

logger = logging.getLogger("tensorflow")

#: Descriptions of what operations may reach.
_IN_WORDS = {"files": "the files of its machine", "python": "Python functions"}

TELL_TIMEOUT = 2.0  # seconds for another task to hear that a step is over
FORGOTTEN_AFTER = 1000  # steps given up whose error is remembered for peers that still ask


class _Registered(NamedTuple):
    plan: Plan
    to_send: int  # tensors for other tasks
    incarnations: dict[str, int]  # of the tasks it receives from
    feeds: Values  # what it takes
    incoming: dict[Key, Expected]  # what other tasks send it
    meets: bool  # whether it waits for other tasks in any other way


class WorkerService:
    """Registered graphs and running steps of one task.

    Args:
      devices: the task's devices, the CPU first.
      peers: the other tasks.
      refuse: the resources that no operation may reach, among `op_def.REACHES`.
    """

    def __init__(self, devices: Sequence[Device], peers: Peers, refuse: Collection[str] = ()):
        self.devices = {device.name: device for device in devices}
        self.resources = ResourceManager()
        self._isolated: dict[str, ResourceManager] = {}  # of sessions that share nothing
        self._refuse = frozenset(refuse)
        self._peers = peers
        self._graphs: dict[int, _Registered] = {}
        self._steps: dict[int, RemoteRendezvous] = {}
        self._given_up: OrderedDict[int, errors.OpError] = OrderedDict()
        self._lock = threading.Lock()

    def register_graph(
        self,
        nodes: list[Node],
        fetch_count: int,
        traced: bool,
        incarnations: dict[str, int],
        fetches_leave: bool = False,
        isolated: str = "",
    ) -> int:
        """Compiles the task's part of a graph.

        Args:
          nodes: placed on this task's devices, with `_Send` and `_Recv` to other tasks.
          fetch_count: how many values it returns.
          traced: whether its runs log times.
          incarnations: of the other tasks that take part.
          fetches_leave: whether the master is in another process.
          isolated: the name of a session that has variables of its own; empty for the task's.
        Returns: a handle for `run_graph`.
        Raises:
          PermissionDeniedError: when an operation reaches a refused resource.
        """
        self._check_allowed(nodes)
        own = self._peers.own_task
        to_send = sum(
            node.type == "_Send" and task_of(node.attrs["recv_device"]) != own for node in nodes
        )
        received = {subgraph.rendezvous_key(n.attrs): n for n in nodes if n.type == "_Recv"}
        incoming = {
            key: Expected.of(node, 0)._replace(name=key.tensor)
            for key, node in received.items()
            if key.sending_task != own and not key.is_control
        }
        unknown = {node.device for node in nodes} - self.devices.keys()
        if unknown:
            raise errors.InvalidArgumentError.of(
                f"{own} has no device {', '.join(sorted(unknown))}"
            )
        feeds = Values(nodes)
        meets = any(node.op_def.meets for node in with_inner(nodes))
        parts = partition(nodes, key=lambda device: device)
        own_state = self._isolated.setdefault(isolated, ResourceManager()) if isolated else None
        host = Host(self.devices, own_state or self.resources)
        plan = Plan(parts, host, fetch_count, traced, fetches_leave)
        handle = new_handle()
        self._graphs[handle] = _Registered(plan, to_send, incarnations, feeds, incoming, meets)
        return handle

    def _check_allowed(self, nodes: list[Node]) -> None:
        for node in with_inner(nodes) if self._refuse else ():
            reach = node.op_def.reach(node.attrs)
            if reach in self._refuse:
                raise errors.PermissionDeniedError.of(
                    f"{self._peers.own_task} does not run '{node.op_def.type}' (node "
                    f"'{node.name}'): its server was started without {_IN_WORDS[reach]}."
                )

    def check_feeds(self, handle: int, args: Sequence[Any]) -> None:
        """Checks the values that a peer feeds.

        Raises:
          AbortedError: when the handle is unknown.
          InvalidArgumentError: when the values do not fit the graph.
        """
        self._graph(handle).feeds.check(args)

    def can_talk(self, handle: int) -> bool:
        """Whether the graph runs in one thread without meetings, as `talk` requires."""
        graph = self._graph(handle)
        return len(graph.plan.programs) == 1 and not graph.meets

    def deregister_graphs(self, handles: Sequence[int], isolated: str = "") -> None:
        """Removes the registered graphs of a session, and its isolated variables."""
        for handle in handles:
            self._graphs.pop(handle, None)
        if isolated in self._isolated:
            self._isolated.pop(isolated).clear()

    def run_graph(
        self,
        handle: int,
        step_id: int,
        args: Sequence[Any],
        options: RunOptions | None = None,
        metadata: RunMetadata | None = None,
        talks: Sequence[Talk] = (),
        master: Any = None,
    ) -> Sequence[Any]:
        """Runs the task's part of one step; returns the values fetched here.

        Args:
          handle: from `register_graph`.
          step_id: the step.
          args: the values fed here.
          options: of the run.
          metadata: filled with stats when the graph is traced.
          talks: connections for tensors from and to some tasks.
          master: the connection of the call, None within one process.
        Raises:
          AbortedError: when the handle is unknown, as after a restart.
          OpError: an error here, or of a task for which this one waited.
        """
        graph = self._graph(handle)
        rendezvous = self._rendezvous(step_id)
        rendezvous.begin(
            graph.to_send,
            graph.incarnations,
            deadline_after(options.timeout_in_ms if options is not None else 0),
            talks,
            master,
            graph.incoming,
        )
        try:
            values = graph.plan.run(args, options, metadata, rendezvous)
            rendezvous.flush()
        except BaseException as error:
            rendezvous.end_talks()
            self.cleanup_graph(step_id, error)
            raise
        rendezvous.running = False
        if rendezvous.is_over:
            self._steps.pop(step_id, None)
        return values

    def recv_tensor(
        self, step_id: int, keys: Sequence[Key], on_wait: Callable[[Any], None]
    ) -> list[Any]:
        """Returns tensors that the step sends to another task; waits for them.

        Args:
          step_id: the step, which may not have started here yet.
          keys: of the tensors.
          on_wait: gets the function that ends the step, in case the peer disconnects.
        """
        rendezvous = self._rendezvous(step_id)
        on_wait(
            lambda: self.cleanup_graph(
                step_id, derived(errors.AbortedError.of("A task of the step has gone away."))
            )
        )
        values = rendezvous.take_for_peer(keys)
        if rendezvous.is_over:
            self._steps.pop(step_id, None)
        return values

    def cleanup_graph(self, step_id: int, error: BaseException) -> None:
        """Ends a step: those who wait for it here, or ask for it later, get `error`."""
        with self._lock:
            rendezvous = self._steps.pop(step_id, None)
            self._given_up[step_id] = _without_frames(error)
            if len(self._given_up) > FORGOTTEN_AFTER:
                self._given_up.popitem(last=False)
        if rendezvous is not None:
            rendezvous.abort(error)

    def takes_part(self, task: str, step_id: int) -> bool:
        """Whether another task takes part in a step of this one."""
        rendezvous = self._steps.get(step_id)
        return rendezvous is not None and task in rendezvous.incarnations

    def forget_master(self, connection: Any) -> None:
        """Ends the steps of a connection that was closed.

        Such a step has run here, but other tasks have not fetched all of its tensors. A master
        closes a step's connection only when it ends the step, regards this task as lost, or dies.
        """
        for step_id, rendezvous in list(self._steps.items()):
            if rendezvous.master is connection:
                self.cleanup_graph(step_id, errors.CancelledError.of(_MASTER_GONE))

    def tell(self, task: str, step_id: int, reason: str) -> threading.Event | None:
        """Ends a step in another task, without waiting for it.

        Returns: an event that is set once the task knows or does not answer; None for no such task.
        """
        fields = {"step": step_id, "reason": reason}
        with contextlib.suppress(errors.OpError):  # the cluster may have no such task
            return self._peers.channel(task).post("cleanup_graph", fields, TELL_TIMEOUT)
        return None

    def standing(self) -> list[dict[str, Any]]:
        """Returns the state of each running step: what it waits for, where, and since when."""
        now = time.time()
        return [
            stand(step, where, now)
            for step, rendezvous in list(self._steps.items())
            for where in list(rendezvous.stands.values())
            if where is not None
        ]

    def explain(self, handle: int) -> str:
        """Returns the programs of a registered graph as text."""
        return self._graph(handle).plan.explain()

    def _graph(self, handle: int) -> _Registered:
        try:
            return self._graphs[handle]
        except KeyError:
            raise errors.AbortedError.of(
                f"Graph handle is not found: {handle}. {self._peers.own_task} was probably "
                "restarted."
            ) from None

    def _rendezvous(self, step_id: int) -> RemoteRendezvous:
        """Returns the step's rendezvous; the first that asks, the step or a peer, makes it."""
        found = self._steps.get(step_id)
        if found is not None:
            return found
        with self._lock:
            if step_id in self._given_up:
                raise _without_frames(self._given_up[step_id])
            found = self._steps.get(step_id)
            if found is None:
                found = self._steps[step_id] = RemoteRendezvous(step_id, self._peers)
            return found


def stand(step: int, where: Stand, now: float) -> dict[str, Any]:
    """Returns a line about the state of a step."""
    since, node, type, of = where
    seconds = round(max(now - since, 0.0), 3)
    return {"step": str(step), "node": node[:200], "type": type, "of": of, "seconds": seconds}


_MASTER_GONE = "The master of the step has gone away."


def _without_frames(error: BaseException) -> errors.OpError:
    """Copies an error without its traceback, which would keep arrays of the step alive."""
    if isinstance(error, errors.OpError):
        copy = errors.make_error(error.error_code, error.message, error.node_def, error.op)
        return derived(copy)
    reason = f"The step was given up: {type(error).__name__}"
    return derived(errors.CancelledError.of(reason))


@contextlib.contextmanager
def refusing_broken_graphs() -> Iterator[None]:
    """A context in which a peer's graph is compiled.

    Raises:
      InvalidArgumentError: for any error that is no `OpError`: the graph caused it.
    """
    try:
        yield
    except errors.OpError:
        raise
    except MemoryError as error:
        raise errors.ResourceExhaustedError.of(f"OOM when compiling: {error}") from None
    except Exception as error:
        logger.debug("A graph cannot be compiled", exc_info=True)
        raise errors.InvalidArgumentError.of(
            f"The graph cannot be compiled: {type(error).__name__}: {error}"
        ) from None


def serve_worker(server: TaskServer, worker: WorkerService) -> None:
    """Registers the handlers of a worker service for calls from other processes."""

    def register_graph(call: Call) -> Reply:
        given = Fields(call)
        traced, incarnations = given.truth("traced"), given.incarnations("incarnations")
        nodes, fetches = given.graph(("_Arg", "_Retval", "_Send", "_Recv"))
        isolated = given.text("isolated", "")
        with refusing_broken_graphs():
            handle = worker.register_graph(nodes, fetches, traced, incarnations, True, isolated)
        return {"handle": handle, "can_talk": worker.can_talk(handle)}, ()

    def deregister_graph(call: Call) -> Reply:
        given = Fields(call)
        worker.deregister_graphs(
            given.listed("handles", untrusted.whole), given.text("isolated", "")
        )
        return {}, ()

    def run_graph(call: Call) -> Reply:
        given = Fields(call)
        step, handle, master = given.step(), given.handle("handle"), given.task("master")
        options, metadata = given.run_options()
        talking = given.truth("talk", False) and master is not None
        call.on_disconnect = lambda: worker.cleanup_graph(
            step, errors.CancelledError.of(_MASTER_GONE)
        )
        try:
            worker.check_feeds(handle, call.arrays)
            talks = [Talk(call.connection, master, _master_is_gone)] if talking else []
            values = worker.run_graph(
                handle, step, call.arrays, options, metadata, talks, call.connection
            )
        except BaseException as error:
            worker.cleanup_graph(step, error)
            if master is not None and not is_derived(error):
                worker.tell(master, step, f"Another task of the step failed: {error}")
            raise
        if metadata is None:
            return {}, values
        return {"stats": True}, [*values, as_bytes(metadata.SerializeToString())]

    def recv_tensor(call: Call) -> Reply:
        given = Fields(call)
        keys = given.listed("keys", rendezvous_key)

        def on_wait(give_up: Callable[[], None]) -> None:
            call.on_disconnect = give_up

        values = worker.recv_tensor(given.step(), keys, on_wait)
        return {}, [on_host(v) for key, v in zip(keys, values) if not key.is_control]

    def cleanup_graph(call: Call) -> Reply:
        given = Fields(call)
        reason = errors.CancelledError.of(given.text("reason"))
        worker.cleanup_graph(given.step(), derived(reason))
        return {}, ()

    def status(call: Call) -> Reply:
        devices = [[d.name, d.device_type, d.description] for d in worker.devices.values()]
        return {"devices": devices, "incarnation": server.incarnation, "time": time.time()}, ()

    def reset(call: Call) -> Reply:
        worker.resources.clear(Fields(call).listed("containers"))
        return {}, ()

    def explain(call: Call) -> Reply:
        return {}, [worker.explain(Fields(call).handle("handle")).encode()]

    server.handle_all(register_graph, deregister_graph, run_graph, recv_tensor, cleanup_graph)
    server.handle_all(status, reset, explain)
    server.on_end = worker.forget_master


def as_bytes(text: str | bytes) -> np.ndarray:
    """Returns a text as an array, since it may be too long for a message's header."""
    return np.frombuffer(text.encode() if isinstance(text, str) else text, np.uint8)


def _master_is_gone(error: BaseException) -> NoReturn:
    raise errors.CancelledError.of(f"The master of the step has gone away ({error}).")
