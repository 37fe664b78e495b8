"""The stop button: it ends the wait in a cell, and the cluster serves on."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from minitf.core.cluster.interrupts import beside_ctrl_c, import_whole
from minitf.library.clusters import dask_cluster
from tests.kernel import Kernel

LEAVES = Counter(socket=2, anon_inode=1)  # the event loop of Jupyter's client

pytestmark = pytest.mark.slow

START = """
import os, time
import minitf as tf
from minitf import cluster as clusters
print("begins")
cluster = clusters.start_local(ps=1, workers=1)
"""

GRAPH = """
with tf.device("/job:ps/task:0"):
    queue = tf.FIFOQueue(1, tf.float32, shared_name="queue")
    w = tf.Variable(1.0)
taken = queue.dequeue()
train = w.assign_add(1.0)
sess = tf.Session(cluster.target())
sess.run(w.initializer)
"""

PIDS = "sorted(cluster.client.run(os.getpid).values())"

STUCK = """
def stuck(task):
    import minitf as tf
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            queue = tf.FIFOQueue(1, tf.float32, shared_name="never")
        with tf.Session(task.target) as sess:
            sess.run(queue.dequeue())

def busy(task):
    while True:
        pass
"""


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    with Kernel(tmp_path_factory.mktemp("kernel")) as kernel:
        assert kernel.run(START).error == ""
        assert kernel.run(GRAPH).error == ""
        yield kernel
        assert kernel.run("cluster.close()").streams == ""


def test_a_step_that_waits_is_ended_and_the_tasks_live_on(kernel: Kernel) -> None:
    pids, before = kernel.run(PIDS).result, kernel.run("sess.run(train)").result
    stopped = kernel.run("print('waits'); sess.run(taken)", interrupt_at="waits")
    assert stopped.error == "KeyboardInterrupt"
    assert stopped.streams == "waits\n"  # and no word of another process
    assert len(stopped.traceback) <= 12
    after = kernel.run("sess.run(train)")
    assert float(after.result[11:-1]) == float(before[11:-1]) + 1  # np.float32(2.0)
    assert kernel.run("sess.run(queue.enqueue(5.0)); sess.run(taken)").result == "np.float32(5.0)"
    assert kernel.run(PIDS).result == pids
    assert after.streams == ""


@pytest.mark.parametrize("function", ["stuck", "busy"])
def test_functions_in_the_tasks_are_ended(kernel: Kernel, function: str) -> None:
    kernel.run(STUCK)
    for _ in range(3):  # more often than a task has threads
        stopped = kernel.run(f"print('runs'); cluster.run({function})", interrupt_at="runs")
        assert (stopped.error, stopped.streams) == ("KeyboardInterrupt", "runs\n")
    assert kernel.run("cluster.run(lambda task: task.index)").result == "[0]"


def test_a_function_that_had_not_begun_when_it_was_interrupted_does_not_begin(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worker = SimpleNamespace(name=0, get_current_task=lambda: "key")
    monkeypatch.setattr(dask_cluster, "get_worker", lambda: worker)
    monkeypatch.setitem(dask_cluster._contexts, ("cluster", 0), SimpleNamespace(server=None))
    began: list[object] = []
    dask_cluster._interrupt_in_task("cluster", ["key"], worker)
    dask_cluster._run_in_task("cluster", began.append, ())
    assert not began


def test_waits_without_a_cluster_are_ended(kernel: Kernel) -> None:
    waits = (
        "tf.Session('grpc://localhost:1')",
        "tf.Session().run(tf.FIFOQueue(1, 'float').dequeue())",
    )
    for wait in waits:
        stopped = kernel.run(f"with tf.Graph().as_default(): print('waits'); {wait}", "waits")
        assert (stopped.error, stopped.streams) == ("KeyboardInterrupt", "waits\n")


def test_a_cluster_that_starts_is_ended_and_the_next_one_serves(tmp_path: Path) -> None:
    with Kernel(tmp_path) as kernel:
        for _ in range(2):
            stopped = kernel.run(START, interrupt_at="begins")
            assert (stopped.error, stopped.streams) == ("KeyboardInterrupt", "begins\n")
        begun = kernel.run(START)
        assert (begun.error, begun.streams) == ("", "begins\n"), begun.traceback
        assert kernel.run(GRAPH).error == ""
        assert kernel.run("sess.run(train)").result == "np.float32(2.0)"
        assert kernel.run("len(cluster.client.scheduler_info()['workers'])").result == "2"
        assert kernel.run("cluster.close()").streams == ""


def test_no_task_outlives_its_kernel(tmp_path: Path) -> None:
    with Kernel(tmp_path) as kernel:
        kernel.run(START)
        pids = [int(pid) for pid in kernel.run(PIDS).result.strip("[]").split(",")]
        kernel.kill()
        deadline = time.monotonic() + 60
        while any(_runs(pid) for pid in pids):
            assert time.monotonic() < deadline, "a task runs on without its kernel"
            time.sleep(0.1)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


PROGRAM = """
import os, signal, sys
from minitf import cluster

def main():
    signal.signal(signal.SIGINT, {disposition})
    with cluster.start_local(ps=1, workers=1) as tasks:
        os.killpg(0, signal.SIGINT)
        print(tasks.run(lambda task: task.device))
    assert signal.getsignal(signal.SIGINT) is {disposition}

def heard(signum, frame):
    print("heard")

if __name__ == "__main__":
    main()
"""


def _run_program(folder: Path, disposition: str) -> subprocess.CompletedProcess[str]:
    path = folder / "program.py"
    path.write_text(PROGRAM.format(disposition=disposition))
    return subprocess.run(
        [sys.executable, str(path)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
        capture_output=True,
        text=True,
        timeout=120,
        start_new_session=True,
    )


@pytest.mark.parametrize(("disposition", "heard"), [("signal.SIG_IGN", ""), ("heard", "heard\n")])
def test_a_program_keeps_its_own_answer_to_ctrl_c(
    tmp_path: Path, disposition: str, heard: str
) -> None:
    done = _run_program(tmp_path, disposition)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{heard}['/job:worker/task:0']\n"


def test_ctrl_c_ends_a_program_with_one_traceback(tmp_path: Path) -> None:
    done = _run_program(tmp_path, "signal.default_int_handler")
    assert done.returncode == -signal.SIGINT
    assert done.stderr.count("Traceback") == 1


def test_work_beside_ctrl_c_goes_on_to_its_end() -> None:
    go_on = threading.Event()

    def work() -> str:
        go_on.wait(60)
        blocked = "import signal; print(signal.SIGINT in signal.pthread_sigmask(0, []))"
        return subprocess.check_output([sys.executable, "-c", blocked], text=True)

    future = beside_ctrl_c(work)
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        future.result(60)
    go_on.set()
    assert future.result(60) == "True\n"
    with pytest.raises(ZeroDivisionError):
        beside_ctrl_c(lambda: 1 / 0).result(60)


SUBMODULE = """
import minitf.compat.tensorflow.alias as alias
alias.install()
try:
    import tensorflow.cluster.start_local
except ModuleNotFoundError as error:
    print(error)
from tensorflow.cluster import start_local
print(start_local.__name__)
"""


def test_an_import_below_the_clusters_waits_for_no_other_thread() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SUBMODULE],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "tf.cluster.start_local" in done.stdout
    assert done.stdout.endswith("\nstart_local\n")
    assert done.stderr == ""


def test_ctrl_c_ends_an_import_when_it_is_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nwhole = True\n"
    (tmp_path / "interrupted_import.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        import_whole("interrupted_import")
    assert sys.modules.pop("interrupted_import").whole
    assert signal.getsignal(signal.SIGINT) is before
