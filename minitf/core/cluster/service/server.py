"""`tf.train.Server`: one task of a cluster, with its devices, its worker service and its master.

    Server
      TaskServer       answers at the task's address
        WorkerService  runs this task's part of a step; owns its variables
        Master         runs the steps of sessions that were opened at `server.target`
      Peers            channels to the other tasks

A parameter server makes one and joins; a worker makes one and opens a Session at its target.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.cluster.cluster_spec import INPROC, ClusterSpec, ServerDef, check_address, port_of
from minitf.core.cluster.interrupts import heed_ctrl_c
from minitf.core.cluster.service.master import Master
from minitf.core.cluster.service.peers import Peers
from minitf.core.cluster.service.remote_session import serve_master
from minitf.core.cluster.service.worker import WorkerService, serve_worker
from minitf.core.cluster.wire import transport
from minitf.core.cluster.wire.task_server import TaskServer
from minitf.core.graph import errors
from minitf.core.graph.device_spec import task_name
from minitf.core.graph.op_def import REACHES
from minitf.core.kernels.threads import can_start
from minitf.core.runtime.run.devices import make_devices
from minitf.core.runtime.session.config import ClusterDef, ConfigProto

# How long a thread may run Python code before another gets its turn: the threads that answer other
# tasks must not wait long for a program that computes.
SWITCH_INTERVAL = 0.0005  # seconds


class Server:
    """A task of a cluster, serving until its process ends.

    It listens where the cluster spec says. An address of this machine's loopback needs nothing
    more; for any other, all processes of the cluster share a token (MINITF_CLUSTER_TOKEN) or
    certificates.

    Args:
      server_or_cluster_def: a ServerDef, ClusterDef, ClusterSpec, or a dictionary for one.
      job_name: the job of this task; may be left out when there is only one.
      task_index: its index; may be left out when the job has only one task.
      protocol: "grpc" (the default), "mtf" or "mtfs"; all mean minitf's own transport, the last
        with TLS. With "inproc" the addresses are names, and the tasks live in one process: a
        cluster of any size without ports, which nobody else can reach. Where no thread can start,
        this is the protocol of all servers, and the tasks take turns.
      config: a ConfigProto; its `device_count` sets the task's devices.
      start: whether to start at once.
      token: the cluster's secret text, instead of MINITF_CLUSTER_TOKEN.
      security: a `distributed.Security` with certificates, for encrypted connections.
      refuse: what no operation may reach here: "files" (reading, writing and finding them,
        checkpoints too), "python" (functions of the program, as of `tf.py_func`), or both. Nothing
        by default, as in TensorFlow; see docs/security.md.
    Raises:
      TypeError, ValueError: when the arguments do not say which task it is.
      InternalError: when the cluster has no such task.
      InvalidArgumentError: when the address of a task is not "host:port".
    Example:
      >>> cluster = {"ps": ["localhost:2222"]}
      >>> server = tf.train.Server(cluster, job_name="ps")  # it takes the port  # doctest: +SKIP
      >>> server.target  # doctest: +SKIP
      'grpc://localhost:2222'
    """

    def __init__(
        self,
        server_or_cluster_def: Any,
        job_name: str | None = None,
        task_index: int | None = None,
        protocol: str | None = None,
        config: ConfigProto | None = None,
        start: bool = True,
        *,
        token: str | None = None,
        security: Any = None,
        refuse: Sequence[str] = (),
    ):
        unknown = set(refuse) - set(REACHES)
        if isinstance(refuse, str) or unknown:
            raise ValueError(f"`refuse` must be a list of {', '.join(REACHES)}, got {refuse!r}")
        self._server_def = _make_server_def(
            server_or_cluster_def, job_name, task_index, protocol, config
        )
        definition = self._server_def
        self._spec = ClusterSpec(definition.cluster)
        if definition.protocol == "inproc" or not can_start():
            self._spec = _in_this_process(self._spec)
        address = _address(definition, self._spec)
        options = transport.TransportOptions()
        if token is not None or security is not None:
            options = transport.TransportOptions(token or options.token, security)
        task = task_name(definition.job_name, definition.task_index)
        self._address = address
        self._server = TaskServer(task, options)
        self._peers = Peers(task, options, self._server.tap, self._server.kept)
        self._server.peers = self._peers
        devices = make_devices(
            definition.default_session_config, definition.job_name, definition.task_index
        )
        self._worker = WorkerService(devices, self._peers, refuse)
        self._master = Master(self._worker, self._peers, self._server.incarnation)
        self._server.master = self._master
        self._server.standing = self._standing
        #: returns what the task does outside of steps, in the form of `worker.stand`
        self.doing: Callable[[], list[dict[str, Any]]] = list
        serve_worker(self._server, self._worker)
        serve_master(self._server, self._master, self._peers)
        if start:
            self.start()

    def start(self) -> None:
        """Starts listening, unless the server listens already.

        Raises:
          PermissionDeniedError: when the address is not loopback, and there is no token.
          UnknownError: when the address cannot be listened on.
        """
        if self._server.address:
            return
        try:
            self._server.start(self._address)
        except PermissionError as error:
            raise errors.PermissionDeniedError.of(str(error)) from None
        except OSError as error:
            raise errors.UnknownError.of(
                f"Could not start the server at {self._address}: {error}"
            ) from None
        if self._address.startswith(INPROC):  # every address is what it was
            self.set_cluster(self._spec)
            return
        jobs = {each.name: dict(each.tasks) for each in self._spec.as_cluster_def().job}
        own = jobs[self._server_def.job_name]
        own[self._server_def.task_index] = self._server.address
        self.set_cluster(ClusterSpec(jobs))
        sys.setswitchinterval(min(sys.getswitchinterval(), SWITCH_INTERVAL))

    def join(self) -> None:
        """Blocks until the server is stopped. Ctrl-C and signals end the wait."""
        heed_ctrl_c()
        # A wait without a limit would keep the handlers of signals out.
        while not self._server.stopped.wait(0.5):
            pass

    def stop(self) -> None:
        """Stops answering; running steps fail with UnavailableError at their clients."""
        self._server.stop()
        self._peers.close()

    def _standing(self) -> list[dict[str, Any]]:
        return self._worker.standing() + self._master.standing() + self.doing()

    def give_up_steps_of(self, thread: int) -> None:
        """Ends the steps that a thread of this process runs through the server's own master."""
        self._master.give_up_steps_of(thread)

    def set_cluster(self, cluster: ClusterSpec) -> None:
        """Sets the addresses of the cluster's tasks, when they become known later."""
        self._spec = cluster
        self._server_def.cluster = cluster.as_cluster_def()
        self._peers.set_cluster(cluster)

    @property
    def server_def(self) -> ServerDef:
        """The definition from which the server was started."""
        return self._server_def

    @property
    def target(self) -> str:
        """The address for `tf.Session`."""
        if self._address.startswith(INPROC):
            return self._address
        port = (self._server.address or self._address).rpartition(":")[2]
        return f"grpc://localhost:{port}"

    @property
    def address(self) -> str:
        """ "host:port" where the task listens, or "inproc://NAME"."""
        return self._server.address

    @property
    def incarnation(self) -> int:
        """A number that differs from that of any other process of this task."""
        return self._server.incarnation

    @staticmethod
    def create_local_server(config: ConfigProto | None = None, start: bool = True) -> Server:
        """Returns a cluster of one task, job "local", at a free port of this machine."""
        return Server({"local": ["localhost:0"]}, protocol="grpc", config=config, start=start)


def _make_server_def(
    given: Any,
    job_name: str | None,
    task_index: int | None,
    protocol: str | None,
    config: ConfigProto | None,
) -> ServerDef:
    if isinstance(given, ServerDef):
        return ServerDef(
            ClusterDef(list(given.cluster.job)),
            given.job_name if job_name is None else job_name,
            given.task_index if task_index is None else task_index,
            given.default_session_config if config is None else config,
            given.protocol if protocol is None else protocol,
        )
    try:
        spec = ClusterSpec(given)
    except TypeError:
        raise TypeError(
            "Could not convert `server_or_cluster_def` to a "
            "`tf.train.ServerDef` or `tf.train.ClusterSpec`."
        ) from None
    if job_name is None:
        if len(spec.jobs) != 1:
            raise ValueError("Must specify an explicit `job_name`.")
        job_name = spec.jobs[0]
    if task_index is None:
        indices = spec.task_indices(job_name)
        if len(indices) != 1:
            raise ValueError("Must specify an explicit `task_index`.")
        task_index = indices[0]
    config = config or ConfigProto()
    return ServerDef(spec.as_cluster_def(), job_name, task_index, config, protocol or "grpc")


def _address(definition: ServerDef, spec: ClusterSpec) -> str:
    if definition.protocol not in ("", "grpc", "mtf", "mtfs", "inproc"):
        raise errors.NotFoundError.of(
            f"No server factory registered for the given ServerDef: {definition}\n"
            "The available server factories are: [ GRPC_SERVER ]"
        )
    if definition.job_name not in spec.jobs:
        raise errors.InternalError.of(f'Job "{definition.job_name}" was not defined in cluster')
    if definition.task_index not in spec.task_indices(definition.job_name):
        raise errors.InternalError.of(
            f'Task {definition.task_index} was not defined in job "{definition.job_name}"'
        )
    own = spec.task_address(definition.job_name, definition.task_index)
    if port_of(own) is None and not own.startswith(INPROC):
        raise errors.InvalidArgumentError.of(f'Could not parse port for local server from "{own}".')
    for address in spec.addresses().values():
        check_address(address)
    return own


def _in_this_process(spec: ClusterSpec) -> ClusterSpec:
    """Returns the same cluster, with its addresses as names of tasks of this process."""
    jobs = {}
    for each in spec.as_cluster_def().job:
        jobs[each.name] = {
            i: a if a.startswith(INPROC) else INPROC + a for i, a in each.tasks.items()
        }
    return ClusterSpec(jobs)
