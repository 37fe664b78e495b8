"""What the cluster tests share: free addresses, and tasks in this process or in others."""

import faulthandler
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from multiprocessing import resource_tracker
from pathlib import Path

import pytest

from minitf.core.cluster.cluster_spec import free_address
from minitf.core.cluster.service.server import Server

ROOT = Path(__file__).resolve().parent.parent.parent.parent


def free_addresses(**jobs: int) -> dict[str, list[str]]:
    """Free addresses on this machine, so many for each job."""
    return {job: [free_address() for _ in range(n)] for job, n in jobs.items()}


def eventually(condition: Callable[[], object], seconds: float = 20.0) -> bool:
    """Whether a condition comes true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def is_busy(server: Server) -> bool:
    """Whether a task answers a call, or remembers a step."""
    calls = list(server._server._connections.values())
    return bool(server._worker._steps) or any(call is not None for call in calls)


#: threads that one process has for good, once it has talked to a cluster
LASTING = (
    "minitf-monitor",
    "minitf-executor",
    "minitf-kernels",  # they are loaded when a large array comes by
    "minitf-worker",  # the pool that shares the work on one
    "Dask-Offload",
    "Profile",
    "asyncio",
)


def held() -> Counter[str]:
    """What this process holds of the system: sockets, files, threads and children, by kind."""
    gc.collect()
    found: Counter[str] = Counter()
    for number in os.listdir("/proc/self/fd"):
        try:
            found[os.readlink(f"/proc/self/fd/{number}").split(":[")[0]] += 1
        except OSError:  # the folder that is being listed
            continue
    for thread in threading.enumerate():
        if not thread.name.startswith(LASTING):
            found[f"thread {thread.name}"] += 1
    for task in Path("/proc/self/task").iterdir():
        for child in _read(task / "children").split():
            command = _read(Path(f"/proc/{child.decode()}/cmdline")).split(b"\0")
            if b"multiprocessing" not in b" ".join(command):  # Python's own helper, one a process
                found[f"child {command[-3:]}"] += 1
    return found


def _read(path: Path) -> bytes:
    """What the system tells there; nothing of a thread or process that has just ended."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def left(before: Counter[str], seconds: float = 10.0) -> Counter[str]:
    """What is held besides `before`, once threads and processes have had time to end."""
    deadline = time.monotonic() + seconds
    while (more := held() - before) and time.monotonic() < deadline:
        time.sleep(0.02)
    return more


@pytest.fixture(scope="module", autouse=True)
def _leaves_nothing(request: pytest.FixtureRequest) -> Iterator[None]:
    """No test file leaves a process, a socket, a thread or an open file behind.

    What others keep for good, and not minitf, a file says in its `LEAVES`.
    """
    if not Path("/proc/self/fd").exists():
        yield
        return
    resource_tracker.ensure_running()  # Python's own, one a process
    before = held() + getattr(request.module, "LEAVES", Counter())
    yield
    more = left(before)
    if any(kind.startswith("thread") for kind in more):
        faulthandler.dump_traceback(all_threads=True)  # where they wait
    assert not more


@pytest.fixture
def cluster() -> Iterator[dict[str, list[Server]]]:
    """One ps and two workers, all in this process."""
    spec = free_addresses(ps=1, worker=2)
    tasks = {job: [Server(spec, job, i) for i in range(len(spec[job]))] for job in spec}
    yield tasks
    for servers in tasks.values():
        for server in servers:
            server.stop()


@pytest.fixture
def spawn() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts Python programs; whatever still runs at the end is killed."""
    processes: list[subprocess.Popen[str]] = []

    def start(*arguments: str, **environment: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        processes.append(process)
        return process

    yield start
    for process in processes:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
