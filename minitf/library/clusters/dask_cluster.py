"""A cluster of tasks inside the workers of a Dask cluster, started from a notebook in one call.

    start_local(ps=2, workers=3)               attach(client, ps=2, workers=3)
      LocalCluster of 5 processes                any Dask cluster (SSH, Slurm, Kubernetes, ...)
                  \\                               /
                   TaskPlugin.setup() in each Dask worker: a Server for its task
                   TaskCluster: cluster_spec, target(), run(), add_worker(), traffic(), close()

Dask brings the processes, their restarts (the plugin is set up again, at the same address), and the
functions that run in them. The tensors never go through Dask: the tasks talk to each other
directly. A task stays with the Dask worker that it was placed in, by the worker's name; it leaves
with `close()`, or when the client does.

The stop button of a notebook sends SIGINT to the kernel and to every process that it has started.
It is meant for the cell alone, so the tasks do not hear it, from their first instruction on: the
cell ends, the cluster serves on. The tasks end with the process that started them.
"""

from __future__ import annotations

import ctypes
import logging
import multiprocessing
import secrets
import signal
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

from distributed import Client, LocalCluster, SchedulerPlugin, WorkerPlugin, get_worker, wait
from distributed.protocol import pickle

from minitf.core.cluster.cluster_spec import cluster_of
from minitf.core.cluster.interrupts import beside_ctrl_c
from minitf.core.cluster.service.server import Server
from minitf.core.cluster.wire import transport
from minitf.core.cluster.wire.call import Answer
from minitf.core.cluster.wire.channel import Channel
from minitf.core.cluster.wire.handshake import is_loopback
from minitf.core.graph import errors
from minitf.core.graph.device_spec import task_name
from minitf.library.clusters.snapshots import Imports, TrafficCollector
from minitf.library.clusters.turns import TaskContext

LOOK_INTERVAL = 0.5  # seconds between two looks whether the workers of shipped functions live
RESTART_TIMEOUT = 60.0  # seconds in which a nanny brings a worker back
CLIENT_GRACE = 2.0  # seconds in which a client that lost its scheduler may come back


@dataclass(frozen=True)
class Placement:
    """Which task lives in which Dask worker."""

    job: str
    index: int
    address: str  # "host:port" of the task
    worker: Any  # name of the Dask worker, which outlives a restart of its process


class TaskPlugin(WorkerPlugin):
    """Starts the Server of a task in its Dask worker, also after the worker was restarted.

    Args:
      name: of the cluster; several may share the workers of one Dask cluster.
      placements: all tasks of the cluster.
      token: the cluster's secret text.
      refuse: what no operation may reach in these tasks; see `Server`.
    """

    def __init__(
        self, name: str, placements: list[Placement], token: str, refuse: Sequence[str] = ()
    ):
        self.name = name
        self._placements = placements
        self._refuse = tuple(refuse)
        self._token = token
        self._server: Server | None = None

    def setup(self, worker: Any) -> None:
        """Runs in the Dask worker when it starts, and when a task has been added."""
        _ignore_interrupts()
        for name in ("profile", "profile-cycle"):
            # It looks at the frames of other threads, which can block Python 3.11 for ever.
            callback = worker.periodic_callbacks.pop(name, None)
            if callback is not None:
                callback.stop()
        security = _if_encrypted(worker.security, worker.address)
        cluster = cluster_of((task_name(p.job, p.index), p.address) for p in self._placements)
        for each in self._placements:
            transport.remember(each.address, transport.TransportOptions(self._token, security))
            if each.worker == worker.name:
                self._server = self._server or Server(
                    cluster,
                    each.job,
                    each.index,
                    token=self._token,
                    security=security,
                    refuse=self._refuse,
                )
                self._server.doing = Imports()
                self._server.set_cluster(cluster)
                task = TaskContext(each.job, each.index, cluster, self._server)
                _contexts[self.name, each.worker] = task

    def add(self, placement: Placement, worker: Any = None) -> TaskPlugin:
        """Takes in one more task; in a Dask worker its server, or the others', learns of it."""
        self._placements = [*self._placements, placement]
        if worker is not None:
            self.setup(worker)
        return self

    def teardown(self, worker: Any) -> None:
        """Runs in the Dask worker when it ends."""
        _contexts.pop((self.name, worker.name), None)
        for each in self._placements:
            transport.forget(each.address)
        if self._server is not None:
            self._server.stop()


class LeavePlugin(SchedulerPlugin):
    """In the scheduler: takes the tasks out of the workers when their client has left.

    Args:
      tasks: name of their TaskPlugin.
      client: the client's id.
    """

    def __init__(self, tasks: str, client: str):
        self.name = _leaving(tasks)
        self._tasks = tasks
        self._client = client

    def remove_client(self, scheduler: Any, client: str) -> None:
        """Runs when a client closes, or its connection does."""
        if client == self._client:
            scheduler.loop.call_later(CLIENT_GRACE, self._leave, scheduler)

    async def _leave(self, scheduler: Any) -> None:
        if self._client not in scheduler.clients and self._tasks in scheduler.worker_plugins:
            scheduler.remove_plugin(name=self.name)
            await scheduler.unregister_worker_plugin(None, self._tasks)


class TaskCluster(AbstractContextManager["TaskCluster"]):
    """A running cluster of tasks, as the notebook that started it sees it.

    Args:
      client: of the Dask cluster.
      name: of the TaskPlugin that holds the tasks.
      placements: which task lives where.
      token: the cluster's secret text.
      owned: what to close together with it.
    Example:
      >>> with tf.cluster.start_local(ps=1, workers=2) as cluster:  # of processes  # doctest: +SKIP
      ...     losses = cluster.run(train)          # train(task) in every worker task
    """

    def __init__(
        self, client: Client, name: str, placements: list[Placement], token: str, owned: list[Any]
    ):
        self.client = client
        self._name = name
        self._placements: list[Placement] = []
        self._owned = owned
        security = _if_encrypted(client.security, client.scheduler.address)
        self._options = transport.TransportOptions(token, security)
        self._channels: dict[str, Channel] = {}
        for each in placements:
            self._know(each)
        self._collector = TrafficCollector(self._ask)

    def _know(self, placement: Placement) -> None:
        brief = replace(self._options, connect_timeout=0.5)
        name = task_name(placement.job, placement.index)
        self._channels[name] = Channel(placement.address, brief)
        transport.remember(placement.address, self._options)
        self._placements.append(placement)
        self.cluster_spec = cluster_of((task, c.address) for task, c in self._channels.items())

    def target(self, job: str = "worker", index: int = 0) -> str:
        """Returns the target for a Session with the master of one task."""
        return f"grpc://{self.cluster_spec.task_address(job, index)}"

    def run(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        job: str = "worker",
        wait: bool = True,
        restarts: int = 0,
        index: int | None = None,
    ) -> list[Any]:
        """Runs `function(task, *arguments)` in every task of a job at once.

        Args:
          function: shipped by Dask; its first argument is the TaskContext.
          arguments: the same for every task.
          job: in whose tasks.
          wait: False returns Dask futures at once, to look at the cluster while it works.
          restarts: how many times in all the function begins again in a task whose Dask worker died
            and was brought back, which is waited for; training goes on so from what the parameter
            servers or checkpoints hold. Without `wait` nobody is there to see to it.
          index: in one task of the job alone, as in one that was added.
        Returns: the results by task index, or their futures.
        Raises:
          UnavailableError: when a Dask worker is gone, or was lost while the function ran in it.
          KeyboardInterrupt: in the tasks too, when Ctrl-C ends the wait; they serve on.
        """

        def ship(each: Placement, address: str) -> Any:
            there = {"workers": [address], "allow_other_workers": False, "pure": False}
            return self.client.submit(_run_in_task, self._name, function, arguments, **there)

        chosen = [p for p in self._placements if p.job == job and index in (None, p.index)]
        found = self._workers_of(chosen, RESTART_TIMEOUT if restarts else 0.0)
        shipped: list[_Shipped] = []
        try:
            for each in chosen:
                shipped.append(_Shipped(each, found[each.worker], ship))
            if not wait:
                return [each.future for each in shipped]
            return list(beside_ctrl_c(lambda: self._gather(shipped, restarts)).result())
        except KeyboardInterrupt:
            keys = [each.future.key for each in shipped]
            where = [each.address for each in shipped]
            self.client.run(_interrupt_in_task, self._name, keys, workers=where, on_error="ignore")
            self.client.cancel([each.future for each in shipped])
            raise

    def add_worker(self) -> str:
        """Starts one more worker task, and tells all others where it is.

        Sessions that are open go on with the tasks they know; one that is opened now knows it, too.

        Returns: its name, "/job:worker/task:2"; `run(function, index=2)` gives it something to do.
        Raises:
          ValueError: when no Dask worker is free and `start_local` has not made the Dask cluster.
        """
        for local in self._owned[1:]:
            local.scale(len(self._placements) + 1)
            self.client.wait_for_workers(len(self._placements) + 1, RESTART_TIMEOUT)
        found: dict[Any, str] = self.client.run_on_scheduler(_worker_addresses)
        free = set(found) - {each.worker for each in self._placements}
        if not free:
            raise ValueError(f"One more task needs a Dask worker; all {len(found)} have a task.")
        worker = min(free, key=str)
        [port] = self.client.run(_free_port, workers=[found[worker]]).values()
        index, host = self.cluster_spec.num_tasks("worker"), _host(found[worker])
        placement = Placement("worker", index, f"{host}:{port}", worker)
        self.client.run_on_scheduler(_add_to_scheduler, self._name, placement)
        self.client.run(_add_to_worker, self._name, placement)
        self._know(placement)
        return task_name("worker", index)

    def _workers_of(self, chosen: list[Placement], patience: float) -> dict[Any, str]:
        """Where the Dask workers of tasks are; waits so many seconds for one that restarts."""
        deadline = time.monotonic() + patience
        while True:
            found: dict[Any, str] = self.client.run_on_scheduler(_worker_addresses)
            missing = next((each for each in chosen if each.worker not in found), None)
            if missing is None:
                return found
            if time.monotonic() >= deadline:
                raise errors.UnavailableError.of(
                    f"The Dask worker {missing.worker!r} of {missing.job} {missing.index} is gone: "
                    "it was stopped, or its cluster scaled down. A task stays with its worker; "
                    "attach again for tasks in those that are left."
                )
            time.sleep(LOOK_INTERVAL)

    def _gather(self, shipped: list[_Shipped], restarts: int) -> list[Any]:
        """Waits for functions; Dask alone would wait for ever for those of a dead worker."""
        while True:
            futures = [each.future for each in shipped]
            failed = [future for future in futures if future.status == "error"]
            waiting = [each for each in shipped if not each.future.done()]
            if failed or not waiting:
                return list(self.client.gather(failed or futures))
            try:
                wait([each.future for each in waiting], LOOK_INTERVAL, "FIRST_COMPLETED")
                continue
            except TimeoutError:
                found = self.client.run_on_scheduler(_worker_addresses)
            for each in waiting:
                if found.get(each.placement.worker) == each.address:
                    each.lost_since = None
                    continue
                each.lost_since = each.lost_since or time.monotonic()
                back = found.get(each.placement.worker)
                if restarts and back is not None:
                    restarts -= 1
                    each.ship_again(back)
                elif not restarts or time.monotonic() - each.lost_since > RESTART_TIMEOUT:
                    self.client.cancel(futures)
                    raise errors.UnavailableError.of(
                        f"The Dask worker {each.placement.worker!r} of {each.placement.job} "
                        f"{each.placement.index} was lost while the function ran in it"
                    )

    def traffic(self) -> dict[str, Any]:
        """Returns a snapshot: tasks, exact counters, and a sample of the newest messages.

        The tasks are asked at most five times a second, however many views ask for it.
        """
        return self._collector.collect(self.cluster_spec.addresses().items())

    def close(self) -> None:
        """Ends the tasks, and the Dask cluster when `start_local` made it."""
        for channel in self._channels.values():
            channel.close()
        for each in self._placements:
            transport.forget(each.address)
        if not self._owned:
            if self.client.status == "running":
                self.client.unregister_scheduler_plugin(_leaving(self._name))
                self.client.unregister_worker_plugin(self._name)
        for each in self._owned:
            each.close()
        self._owned = []

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def __repr__(self) -> str:
        counts = ", ".join(
            f"{self.cluster_spec.num_tasks(job)} {job}" for job in self.cluster_spec.jobs
        )
        return f"<TaskCluster {counts}>"

    def _ask(self, task: str, cursor: int) -> Answer:
        return self._channels[task].call("traffic", {"cursor": cursor}, timeout=1.0)


class _Shipped:
    """A function on its way in the worker of a task."""

    def __init__(self, placement: Placement, address: str, ship: Callable[[Placement, str], Any]):
        self.placement = placement
        self._ship = ship
        self.lost_since: float | None = None  # the `time.monotonic()` time of the first bad look
        self.ship_again(address)

    def ship_again(self, address: str) -> None:
        """Begins the function in the Dask worker at `address`."""
        self.address, self.lost_since = address, None
        self.future = self._ship(self.placement, address)


def start_local(
    ps: int = 1, workers: int = 2, threads_per_worker: int = 2, refuse: Sequence[str] = ()
) -> TaskCluster:
    """Starts a cluster of processes on this machine.

    Args:
      ps: number of parameter servers.
      workers: number of workers.
      threads_per_worker: threads that Dask keeps in each process for shipped functions.
      refuse: what no operation may reach in these tasks; see `Server`.
    Raises:
      RuntimeError: when they import a program that starts a cluster while it is imported.
    """
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        sys.exit()  # the process that started this one says why
    started = beside_ctrl_c(
        lambda: _start_local(ps, workers, threads_per_worker, refuse), _starting
    )
    try:
        return started.result()
    except KeyboardInterrupt:  # Dask cannot stop half-way: what has begun to start is ended then
        started.add_done_callback(_close)
        raise
    except RuntimeError as error:
        if not str(error).startswith("Nanny failed"):
            raise
        raise RuntimeError(
            "The processes of the cluster ended while they started. Each imports the program, so "
            'what starts them stands below `if __name__ == "__main__":`.'
        ) from None


def _close(started: Future[TaskCluster]) -> None:
    if started.exception() is None:
        started.result().close()


def _start_local(
    ps: int, workers: int, threads_per_worker: int, refuse: Sequence[str]
) -> TaskCluster:
    local = LocalCluster(
        n_workers=ps + workers,
        threads_per_worker=threads_per_worker,
        processes=True,
        host="127.0.0.1",
        dashboard_address=None,
        # that a process ends slowly, or its heart beats meanwhile, is no news
        silence_logs=logging.CRITICAL,
        scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # what is left of it: any free port
    )
    client = Client(local)
    try:
        client.wait_for_workers(ps + workers)
        return attach(client, ps, workers, owned=[client, local], refuse=refuse)
    except BaseException:
        client.close()
        local.close()
        raise


def attach(
    client: Client,
    ps: int = 1,
    workers: int = 2,
    owned: list[Any] | None = None,
    refuse: Sequence[str] = (),
) -> TaskCluster:
    """Starts a task in each of `ps + workers` workers of a Dask cluster.

    Args:
      client: of the Dask cluster.
      ps: number of parameter servers.
      workers: number of workers.
      owned: what `TaskCluster.close` closes too.
      refuse: what no operation may reach in these tasks; see `Server`. What `TaskCluster.run` ships
        is not asked: it runs as Dask runs it.
    Raises:
      ValueError: when the Dask cluster has too few workers.
    """
    found = client.run_on_scheduler(_worker_addresses)
    if len(found) < ps + workers:
        raise ValueError(f"{ps + workers} tasks need as many Dask workers; there are {len(found)}")
    chosen = sorted(found.items(), key=lambda item: (str(type(item[0])), item[0]))[: ps + workers]
    ports = client.run(_free_port, workers=[address for _, address in chosen])
    jobs = [("ps", i) for i in range(ps)] + [("worker", i) for i in range(workers)]
    placements = [
        Placement(job, index, f"{_host(address)}:{ports[address]}", worker)
        for (job, index), (worker, address) in zip(jobs, chosen, strict=True)
    ]
    token = secrets.token_urlsafe(24)
    name = f"minitf-tasks-{secrets.token_hex(4)}"
    client.register_plugin(LeavePlugin(name, client.id))
    client.register_plugin(TaskPlugin(name, placements, token, refuse))
    return TaskCluster(client, name, placements, token, owned or [])


_starting = threading.Lock()  # a cluster starts after one that was interrupted has ended

# In a Dask worker:
_contexts: dict[tuple[str, Any], TaskContext] = {}  # its task, by names of cluster and worker
_functions: dict[str, int] = {}  # the threads of shipped functions, by Dask's key
_interrupted: deque[str] = deque(maxlen=1000)  # keys of those that had not begun when Ctrl-C came
_functions_lock = threading.Lock()


def _ignore_interrupts() -> None:
    """Makes a worker process that a Dask nanny has started deaf to Ctrl-C.

    Other processes keep their own answer: a worker in the program's process, or one that was
    started by hand in a terminal and is to be stopped there.
    """
    if multiprocessing.parent_process() is not None:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, signal.SIG_IGN)


def _run_in_task(name: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    key = str(get_worker().get_current_task())
    task = _contexts[name, get_worker().name]
    try:
        with _functions_lock:
            if key in _interrupted:
                return None
            _functions[key] = threading.get_ident()
        try:
            return function(task, *arguments)
        finally:
            with _functions_lock:
                _functions.pop(key, None)
    except KeyboardInterrupt:  # Dask would lose its thread; and nobody waits for what is returned
        return None
    except Exception as error:
        error.add_note(f"The function ran in {task.job} {task.index}.")
        raise


def _interrupt_in_task(name: str, keys: list[str], dask_worker: Any) -> None:
    """Raises KeyboardInterrupt in functions that were shipped; a step they wait for is given up."""
    server = _contexts[name, dask_worker.name].server
    with _functions_lock:  # so that it reaches the function, and not what Dask does afterwards
        _interrupted.extend(key for key in keys if key not in _functions)
        for thread in [_functions[key] for key in keys if key in _functions]:
            # Python's own lock is held meanwhile, but nothing is allocated and so none collected.
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt)
            )
            server.give_up_steps_of(thread)


def _leaving(tasks: str) -> str:
    """The name of the LeavePlugin that belongs to a TaskPlugin."""
    return f"{tasks}-leave"


def _worker_addresses(dask_scheduler: Any) -> dict[Any, str]:
    """In the scheduler: where the workers are, by name."""
    return {worker.name: address for address, worker in dask_scheduler.workers.items()}


def _add_to_scheduler(name: str, placement: Placement, dask_scheduler: Any) -> None:
    """In the scheduler: Dask workers that start from now on know the new task."""
    kept = dask_scheduler.worker_plugins
    kept[name] = pickle.dumps(pickle.loads(kept[name]).add(placement))


def _add_to_worker(name: str, placement: Placement, dask_worker: Any) -> None:
    dask_worker.plugins[name].add(placement, dask_worker)


def _if_encrypted(security: Any, dask_address: str) -> Any:
    """The certificates of a Dask cluster, when it uses them."""
    return security if dask_address.startswith("tls://") else None


def _free_port() -> int:
    with socket.create_server(("", 0)) as probe:
        return int(probe.getsockname()[1])


def _host(dask_address: str) -> str:
    host = dask_address.rpartition("//")[2].rpartition(":")[0]
    return "localhost" if is_loopback(host) else host
