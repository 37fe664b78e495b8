"""`Session("grpc://host:port")`: a session whose steps a master in the cluster runs.

    Session.run --> RemoteBackend --> Master of the task at the target
                      same process: a direct call
                      elsewhere:    make_callable once, run_callable a step

The client prunes its graph and sends the nodes of a step once for each combination of fetches and
feeds; the master makes a *callable* of them. From then on a step is one request and one reply.
Errors have the name of the operation, so that the client shows the line that defined it.
"""

from __future__ import annotations

import contextlib
import itertools
import re
import time
from collections.abc import Sequence
from typing import Any

from minitf.core.cluster.cluster_spec import INPROC, check_address
from minitf.core.cluster.service.master import CLOSE_TIMEOUT, Master, run_fields
from minitf.core.cluster.service.peers import Peers
from minitf.core.cluster.service.turns import TurnsBackend
from minitf.core.cluster.service.worker import as_bytes, refusing_broken_graphs
from minitf.core.cluster.wire import channel as calls
from minitf.core.cluster.wire import transport
from minitf.core.cluster.wire.call import Call, Fields, Reply, entries, parts_of
from minitf.core.cluster.wire.channel import Channel
from minitf.core.cluster.wire.task_server import TaskServer, server_in_this_process
from minitf.core.graph import errors, untrusted
from minitf.core.graph.device_spec import task_name
from minitf.core.graph.graph_def import GraphDef
from minitf.core.kernels.threads import can_start
from minitf.core.runtime.plan.explanation import received
from minitf.core.runtime.plan.read_again import read_again
from minitf.core.runtime.plan.subgraph import Node, prune, to_node_defs
from minitf.core.runtime.run.rendezvous import deadline_after
from minitf.core.runtime.session.backend import Backend, DeviceAttributes, Step
from minitf.core.runtime.session.config import ConfigProto, RunMetadata, RunOptions

CLIENT = task_name("client", 0)  # the name in the traffic of a client that is no task
GRACE = 1.0  # seconds beyond a step's time limit, in which the master itself should report its end
_DEVICE = entries(parts_of(DeviceAttributes))
_FAILED_NODE = re.compile(r"\[\[node (\S+) \]\]")


class MasterStub:
    """A master in another process, with the methods of `Master` that a client needs.

    Args:
      address: "host:port" of its task.
    """

    def __init__(self, address: str):
        self._channel = Channel(address, transport.options_for(address))
        self._incarnation: int | None = None
        self._limit_ms = 0  # for each operation of the session; 0: none
        self._runs = itertools.count(1)

    def create_session(self, config: ConfigProto) -> tuple[int, list[DeviceAttributes]]:
        """See `Master.create_session`; waits until the task has started."""
        self._limit_ms = config.operation_timeout_in_ms
        fields = {
            "allow_soft_placement": config.allow_soft_placement,
            "log_device_placement": config.log_device_placement,
            "device_filters": list(config.device_filters),
            "operation_timeout_in_ms": self._limit_ms,
            "isolate_session_state": config.isolate_session_state,
        }
        deadline = deadline_after(self._limit_ms)
        with calls.in_time(deadline):
            left, most = calls.seconds_left(deadline), transport.READY_TIMEOUT
            self._incarnation = self._channel.wait_until_ready(min(most, left or most))
            answer = self._call("create_session", fields, timeout=calls.seconds_left(deadline))
        given = Fields(answer)
        told = given.listed("devices", _DEVICE)
        return given.handle("session"), [DeviceAttributes(**each) for each in told]

    def make_callable(self, session: int, nodes: list[Node], fetch_count: int, traced: bool) -> int:
        """See `Master.make_callable`."""
        fields = {"session": session, "fetches": fetch_count, "traced": traced}
        text = GraphDef(to_node_defs(nodes)).to_json()
        answer = self._call_in_time("make_callable", fields, [as_bytes(text)])
        return Fields(answer).handle("callable")

    def run_callable(
        self,
        session: int,
        handle: int,
        args: Sequence[Any],
        options: RunOptions | None = None,
        metadata: RunMetadata | None = None,
    ) -> list[Any]:
        """See `Master.run_callable`."""
        run = {"session": session, "run": next(self._runs)}
        fields: dict[str, Any] = {**run, "callable": handle}
        fields.update(run_fields(options, metadata is not None))
        limit = fields["timeout_ms"] / 1000 + GRACE if "timeout_ms" in fields else None
        try:
            answer = self._call("run_callable", fields, args, limit)
        except Exception:
            raise
        except BaseException:  # Ctrl-C: what the program does next is not for this step
            with contextlib.suppress(errors.OpError):
                self._channel.call("give_up_run", run, timeout=CLOSE_TIMEOUT)
            raise
        values = answer.arrays
        if metadata is not None:
            told = Fields(answer).take_metadata()
            metadata.step_stats, metadata.partition_graphs = told.step_stats, told.partition_graphs
        return values

    def explain(self, session: int, handle: int) -> str:
        """See `Master.explain`."""
        asked = {"session": session, "callable": handle}
        return Fields(self._call_in_time("explain_callable", asked)).document()

    def close_session(self, session: int) -> None:
        """See `Master.close_session`."""
        with contextlib.suppress(errors.OpError):  # the master has gone, and the session with it
            self._channel.call("close_session", {"session": session}, timeout=5.0)
        self._channel.close()

    def reset(self, containers: list[str], filters: list[str]) -> None:
        """See `Master.reset`."""
        self._call_in_time("reset_cluster", {"containers": containers, "device_filters": filters})

    def _call_in_time(self, method: str, fields: dict[str, Any], arrays: Sequence[Any] = ()) -> Any:
        deadline = deadline_after(self._limit_ms)
        with calls.in_time(deadline):
            return self._call(method, fields, arrays, calls.seconds_left(deadline))

    def _call(
        self,
        method: str,
        fields: dict[str, Any],
        arrays: Sequence[Any] = (),
        timeout: float | None = None,
    ) -> Any:
        return self._channel.call(method, fields, arrays, timeout, self._incarnation)


class RemoteBackend(Backend):
    """Runs the steps of a session through the master at an address.

    Args:
      target: 'grpc://host:port', or 'inproc://NAME' of a task of this process.
      config: soft placement, log, device filters, time limit.
    Raises:
      UnavailableError: when nobody listens there.
      UnauthenticatedError: when token or certificates do not fit.
      InvalidArgumentError: when the target has no port.
      DeadlineExceededError: when `operation_timeout_in_ms` is over before the session is open.
    """

    def __init__(self, target: str, graph: Any, config: ConfigProto):
        here = target.startswith(INPROC)
        address = check_address(target if here else target.partition("://")[2])
        by_message = config.rpc_options.use_rpc_for_inprocess_master
        local = None if by_message else server_in_this_process(address)
        self._master: Any = getattr(local, "master", None) or MasterStub(address)
        self._config = config
        self._graph = graph
        self._session: int
        self._devices: list[DeviceAttributes]
        self._session, self._devices = self._master.create_session(config)

    def prepare(
        self, fetches: Sequence[Any], targets: Sequence[Any], feeds: Sequence[Any], traced: bool
    ) -> Step:
        """Sends the nodes of the step to the master."""
        nodes = read_again(prune(fetches, targets, feeds))
        args = sorted((n for n in nodes if n.type == "_Arg"), key=lambda n: n.attrs["index"])
        needed = [node.attrs["index"] for node in args]
        for index, node in enumerate(args):
            node.attrs["index"] = index
        try:
            handle = self._master.make_callable(self._session, nodes, len(fetches), traced)
        except errors.OpError as error:
            raise self.located(error) from None
        return _ClusterStep(self, handle, needed, traced)

    def list_devices(self) -> list[DeviceAttributes]:
        """Returns the devices of all tasks."""
        return list(self._devices)

    def close(self) -> None:
        """Ends the session; variables stay with their tasks."""
        self._master.close_session(self._session)

    def reset(self, containers: list[str]) -> None:
        """Clears containers of all tasks, and ends the sessions of the master."""
        self._master.reset(containers, self._config.device_filters)

    def located(self, error: errors.OpError) -> errors.OpError:
        """Returns the error with the failed operation of the client's graph as its `op`."""
        if error.op is not None:
            return error
        found = _FAILED_NODE.search(error.message)
        if found is None:
            return error
        try:
            op = self._graph.get_operation_by_name(found.group(1))
        except KeyError:
            return error
        frame = op.traceback[-1] if op.traceback else None
        message = error.message
        if frame is not None:
            where = f"[[node {op.name} (defined at {frame.filename}:{frame.lineno}) ]]"
            message = message.replace(found.group(0), where)
        return errors.make_error(error.error_code, message, op.node_def, op)


def backend(target: str, graph: Any, config: ConfigProto) -> Backend:
    """Returns the backend of a session at an address."""
    return (RemoteBackend if can_start() else TurnsBackend)(target, graph, config)


class _ClusterStep(Step):
    """A callable of the master."""

    def __init__(self, backend: RemoteBackend, handle: int, needed: list[int], traced: bool):
        self._backend = backend
        self._handle = handle
        self._needed = needed  # the feeds that the step reads; the others stay here
        self._traced = traced

    def run(
        self, args: Sequence[Any], options: RunOptions | None, metadata: RunMetadata | None
    ) -> Sequence[Any]:
        backend = self._backend
        limit = backend._config.operation_timeout_in_ms
        if limit and (options is None or not options.timeout_in_ms):
            options = RunOptions(timeout_in_ms=limit)
        if len(self._needed) != len(args):
            args = [args[i] for i in self._needed]
        graphs = options is not None and options.output_partition_graphs
        stats = (metadata or RunMetadata()) if self._traced or graphs else None
        try:
            return backend._master.run_callable(
                backend._session, self._handle, args, options, stats
            )
        except errors.OpError as error:
            raise backend.located(error) from None

    def explain(self) -> str:
        return received(self._backend._master.explain(self._backend._session, self._handle))


def serve_master(server: TaskServer, master: Master, peers: Peers) -> None:
    """Registers the handlers of a master service for clients in other processes."""

    def create_session(call: Call) -> Reply:
        given = Fields(call)
        config = ConfigProto(
            device_filters=given.listed("device_filters", untrusted.device_name, []),
            operation_timeout_in_ms=given.timeout("operation_timeout_in_ms"),
            allow_soft_placement=given.truth("allow_soft_placement", False),
            log_device_placement=given.truth("log_device_placement", False),
            isolate_session_state=given.truth("isolate_session_state", False),
        )
        handle, devices = master.create_session(config)
        listed = [[d.name, d.device_type, d.description, d.incarnation] for d in devices]
        return {"session": handle, "devices": listed}, ()

    def make_callable(call: Call) -> Reply:
        given = Fields(call)
        session, traced = given.handle("session"), given.truth("traced")
        nodes, fetches = given.graph(("_Arg", "_Retval"))
        with refusing_broken_graphs():
            return {"callable": master.make_callable(session, nodes, fetches, traced)}, ()

    def run_callable(call: Call) -> Reply:
        given = Fields(call)
        session, handle = given.handle("session"), given.handle("callable")
        options, metadata = given.run_options()
        master.check_feeds(session, handle, call.arrays)
        step = master.new_step(given.whole("run", 0, default=0))
        call.on_disconnect = lambda: step.give_up("The client has gone away.")
        began = time.time()
        fed, fetched = master.names(session, handle)
        peers.tap.record(step.id, fed, "run_step", CLIENT, peers.own_task, call.nbytes, began)
        call.on_reply = lambda nbytes: peers.tap.record(
            step.id, fetched, "run_step", peers.own_task, CLIENT, nbytes, began
        )
        values = master.run_callable(session, handle, call.arrays, options, metadata, step)
        if metadata is not None:
            values = [*values, as_bytes(metadata.SerializeToString())]
        return {}, values

    def give_up_run(call: Call) -> Reply:
        given = Fields(call)
        master.give_up_run(given.handle("session"), given.whole("run", 1))
        return {}, ()

    def explain_callable(call: Call) -> Reply:
        given = Fields(call)
        text = master.explain(given.handle("session"), given.handle("callable"))
        return {}, [text.encode()]

    def close_session(call: Call) -> Reply:
        master.close_session(Fields(call).handle("session"))
        return {}, ()

    def reset_cluster(call: Call) -> Reply:
        given = Fields(call)
        master.reset(
            given.listed("containers"), given.listed("device_filters", untrusted.device_name, [])
        )
        return {}, ()

    server.handle_all(create_session, make_callable, run_callable, give_up_run)
    server.handle_all(explain_callable, close_session, reset_cluster)
