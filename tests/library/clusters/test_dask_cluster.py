"""Tasks inside the workers of a Dask cluster: started in one call, restarted by Dask's nannies."""

import os
import signal
import socket
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from distributed import Client, LocalCluster, Security
from minitf.cluster import TaskCluster, attach, start_local

import minitf as tf
from tests.core.cluster.conftest import eventually


@pytest.fixture(scope="module")
def cluster() -> Iterator[TaskCluster]:
    with start_local(ps=1, workers=2) as cluster:
        yield cluster


def _training() -> Any:
    """A function that Dask ships by value, as one of a notebook."""

    def train(task: Any, steps: int) -> tuple[str, int, float]:
        import minitf as tf

        with tf.Graph().as_default():
            with tf.device(tf.train.replica_device_setter(cluster=task.cluster)):
                w = tf.get_variable("w", [1000], initializer=tf.zeros_initializer())
            with tf.device(task.device):
                gradient = w * 0.0 + 1.0
            update = w.assign_add(gradient, use_locking=True)
            with tf.Session(task.target) as session:
                if task.index == 0:
                    session.run(w.initializer)
                while len(session.run(tf.report_uninitialized_variables([w]))):
                    pass
                for _ in range(steps):
                    session.run(update.op)
                return task.device, os.getpid(), float(session.run(w)[0])

    return train


def test_training_runs_inside_the_workers(cluster: TaskCluster) -> None:
    assert repr(cluster) == "<TaskCluster 1 ps, 2 worker>"
    assert cluster.cluster_spec.jobs == ["ps", "worker"]
    results = cluster.run(_training(), 40)
    assert [device for device, *_ in results] == ["/job:worker/task:0", "/job:worker/task:1"]
    assert len({os.getpid(), *(pid for _, pid, _ in results)}) == 3
    assert max(value for *_, value in results) > 40  # both workers updated the same variable


def test_no_profiler_looks_at_the_frames_of_a_task(cluster: TaskCluster) -> None:
    found = cluster.client.run(lambda dask_worker: list(dask_worker.periodic_callbacks))
    assert len(found) == 3
    assert not any("profile" in name for names in found.values() for name in names)


def test_an_error_names_the_task_of_the_function(cluster: TaskCluster) -> None:
    def fail(task: Any) -> float:
        return 1 / (task.index - 1)

    with pytest.raises(ZeroDivisionError) as raised:
        cluster.run(fail)
    assert raised.value.__notes__ == ["The function ran in worker 1."]


def test_a_session_from_the_notebook(cluster: TaskCluster) -> None:
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            a = tf.constant(np.arange(5.0))
        with tf.device("/job:worker/task:1"):
            b = a * 2.0
        with tf.Session(cluster.target("worker", 0)) as session:
            assert session.run(b).tolist() == [0, 2, 4, 6, 8]


def test_what_is_fed_and_fetched_is_named_in_the_traffic(cluster: TaskCluster) -> None:
    time.sleep(0.25)
    cluster.traffic()  # takes what came before: of many messages only a sample is given out
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            fed_x = tf.placeholder(tf.float32, [], name="fed_x")
            nothing = tf.group(tf.identity(fed_x), name="nothing")
        with tf.device("/job:worker/task:0"):
            home_y = tf.multiply(fed_x, 2.0, name="home_y")
        with tf.Session(cluster.target("worker", 0)) as session:
            session.run(home_y, {fed_x: 3.0})
            session.run(nothing, {fed_x: 3.0})
    client, worker, ps = "/job:client/task:0", "/job:worker/task:0", "/job:ps/task:0"

    def steps() -> set[tuple[str, str, str]]:
        return {
            (event["source"], event["destination"], event["tensor"])
            for event in cluster.traffic()["events"]
            if event["kind"] in ("run_step", "run_graph")
        }

    wanted = {
        (client, worker, "fed_x:0"),
        (worker, ps, "fed_x:0"),
        (worker, client, "home_y:0"),
        (worker, client, ""),  # an operation brings nothing home
    }
    seen: set[tuple[str, str, str]] = set()
    deadline = time.time() + 10
    while not wanted <= seen and time.time() < deadline:
        time.sleep(0.1)
        seen |= steps()
    assert wanted <= seen, seen


def test_the_traffic_of_all_tasks(cluster: TaskCluster) -> None:
    before = cluster.traffic()
    futures = cluster.run(_training(), 30, wait=False)
    cluster.client.gather(futures)
    time.sleep(0.25)
    snapshot = cluster.traffic()
    assert cluster.traffic() is snapshot  # asked again too soon
    assert set(snapshot) == {"tasks", "counters", "events", "time"}
    assert [task["task"] for task in snapshot["tasks"]] == [
        "/job:ps/task:0",
        "/job:worker/task:0",
        "/job:worker/task:1",
    ]
    assert all(task["alive"] and task["incarnation"] for task in snapshot["tasks"])
    edge = "/job:ps/task:0|/job:worker/task:1"
    grown = (
        snapshot["counters"][edge]["bytes"] - before["counters"].get(edge, {"bytes": 0})["bytes"]
    )
    assert grown > 30 * 4000
    assert 0 < len(snapshot["events"]) <= 200
    event = snapshot["events"][-1]
    assert set(event) == {
        "step",
        "tensor",
        "kind",
        "source",
        "destination",
        "bytes",
        "start",
        "end",
    }


def test_a_task_comes_back_at_its_address(cluster: TaskCluster) -> None:
    before = {task["task"]: task["incarnation"] for task in cluster.traffic()["tasks"]}
    for future in cluster.run(_suicide(), job="ps", wait=False):
        future.cancel()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        time.sleep(0.25)
        tasks = {task["task"]: task for task in cluster.traffic()["tasks"]}
        ps = tasks["/job:ps/task:0"]
        if ps["alive"] and ps["incarnation"] != before["/job:ps/task:0"]:
            break
    else:
        raise AssertionError("the parameter server did not come back")
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            v = tf.Variable(3.0)
        with tf.Session(cluster.target("worker", 1)) as session:
            session.run(v.initializer)
            assert session.run(v) == 3


def _suicide() -> Any:
    def end(task: Any) -> None:
        import os
        import threading

        threading.Timer(0.3, os._exit, (1,)).start()

    return end


def test_tasks_in_any_dask_cluster_with_its_certificates() -> None:
    pytest.importorskip("cryptography")
    security = Security.temporary()
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, security=security, dashboard_address=None
        ) as local,
        Client(local) as client,
    ):
        with pytest.raises(ValueError, match="7 tasks need as many Dask workers; there are 2"):
            attach(client, ps=3, workers=4)
        cluster = attach(client, ps=1, workers=1)
        assert cluster.run(_encrypted()) == [True]
        with tf.Graph().as_default():
            with tf.device("/job:ps/task:0"):
                a = tf.constant([1.0, 2.0])
            with tf.device("/job:worker/task:0"):
                b = a + 1.0
            with tf.Session(cluster.target()) as session:
                assert session.run(b).tolist() == [2, 3]
        assert all(task["alive"] for task in cluster.traffic()["tasks"])
        cluster.close()
        assert not any(_listening(cluster))


def _encrypted() -> Any:
    return lambda task: task.server._server.options.security is not None


@pytest.mark.parametrize("processes", [True, False])
def test_only_the_processes_of_tasks_do_not_hear_ctrl_c(processes: bool) -> None:
    with (
        LocalCluster(
            n_workers=1, threads_per_worker=1, processes=processes, dashboard_address=None
        ) as local,
        Client(local) as client,
    ):
        cluster = attach(client, ps=0, workers=1)
        deaf = cluster.run(lambda task: signal.getsignal(signal.SIGINT) is signal.SIG_IGN)
        assert deaf == [processes]
        cluster.close()


def test_tasks_may_refuse_files_and_python() -> None:
    with (
        start_local(ps=1, workers=1, refuse=["files", "python"]) as cluster,
        tf.Graph().as_default(),
        tf.device("/job:ps/task:0"),
        tf.Session(cluster.target("worker", 0)) as session,
    ):
        with pytest.raises(tf.errors.PermissionDeniedError, match=r"^/job:ps/task:0 does not run"):
            session.run(tf.read_file("/etc/hostname"))
        assert session.run(tf.constant(3)) == 3


def _dies_once() -> Any:
    """Trains to 60 steps in all; the process of worker 1 ends in the middle, the first time."""

    def train(task: Any, marker: str) -> tuple[int, int]:
        import os

        import minitf as tf

        with tf.Graph().as_default():
            setter = tf.train.replica_device_setter(cluster=task.cluster, worker_device=task.device)
            with tf.device(setter):
                tf.get_variable("w_of_the_dying", [10], initializer=tf.zeros_initializer())
                step = tf.train.create_global_step()
                update = step.assign_add(1, use_locking=True)
            creator = tf.train.ChiefSessionCreator if task.index == 0 else None
            creator = creator or tf.train.WorkerSessionCreator
            began = -1
            with tf.train.MonitoredSession(creator(master=task.target)) as session:
                began = value = int(session.run(step))
                while value < 60:  # it is worker 1 that comes so far, in two lives
                    value = int(session.run(update if task.index else step))
                    if task.index == 1 and value > 20 and not os.path.exists(marker):
                        open(marker, "w").close()
                        os._exit(1)
            return os.getpid(), began

    return train


def test_training_goes_on_when_a_worker_was_lost(cluster: TaskCluster, tmp_path: Any) -> None:
    marker = str(tmp_path / "died")
    (first, _), (second, began) = cluster.run(_dies_once(), marker, restarts=1)
    assert os.path.exists(marker)
    assert first != second
    assert began > 20  # the parameter server has kept what the first process did
    tasks = cluster.traffic()["tasks"]
    assert [task["address"] for task in tasks] == [
        cluster.cluster_spec.task_address(job, i) for job, i in (("ps", 0), *_TWO)
    ]
    os.remove(marker)
    with pytest.raises(tf.errors.UnavailableError, match="of worker 1 was lost while the function"):
        cluster.run(_dies_at_once(), marker)
    assert cluster.run(lambda task: task.index, restarts=1) == [0, 1]


_TWO = (("worker", 0), ("worker", 1))


def _dies_at_once() -> Any:
    def end(task: Any, marker: str) -> None:
        import os
        import time

        if task.index == 1:
            os._exit(1)
        time.sleep(0.1)

    return end


def _listening(cluster: TaskCluster) -> list[bool]:
    spec, found = cluster.cluster_spec, []
    for job in spec.jobs:
        for index in spec.task_indices(job):
            host, _, port = spec.task_address(job, index).rpartition(":")
            with socket.socket() as probe:
                found.append(probe.connect_ex((host, int(port))) == 0)
    return found


def test_tasks_leave_with_their_client() -> None:
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local,
        Client(local) as other,
    ):
        staying = attach(other, ps=1, workers=1)
        client = Client(local)
        cluster = attach(client, ps=1, workers=1)  # in the same Dask workers
        assert cluster.run(lambda task: task.device) == ["/job:worker/task:0"]
        assert _listening(cluster) == _listening(staying) == [True, True]
        client.close()
        assert eventually(lambda: not any(_listening(cluster)))
        assert _listening(staying) == [True, True]
        assert staying.run(lambda task: task.index) == [0]
        cluster.close()  # its client is closed already
        staying.close()
        assert not any(_listening(staying))
        plugins = other.run_on_scheduler(
            lambda dask_scheduler: [*dask_scheduler.worker_plugins, *dask_scheduler.plugins]
        )
        assert not [name for name in plugins if "minitf" in name]


def test_a_worker_is_added_and_comes_back_like_the_others() -> None:
    with start_local(ps=1, workers=1) as cluster, tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            w = tf.get_variable("w", [1000], initializer=tf.zeros_initializer())
        with tf.Session(cluster.target()) as session:
            session.run(w.initializer)
            assert cluster.add_worker() == "/job:worker/task:1"
            assert repr(cluster) == "<TaskCluster 1 ps, 2 worker>"
            [(device, process, _)] = cluster.run(_training(), 3, index=1)
            assert device == "/job:worker/task:1"
            assert session.run(w)[0] == 3  # the open session, and what the server holds
        assert [each["task"] for each in cluster.traffic()["tasks"]][-1] == device
        os.kill(process, signal.SIGKILL)
        [(again, other, value)] = cluster.run(_training(), 2, index=1, restarts=1)
        assert (again, value) == (device, 5) and other != process


def test_a_task_is_not_added_where_no_dask_worker_is_free() -> None:
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local,
        Client(local) as client,
    ):
        cluster = attach(client, ps=1, workers=1)
        with pytest.raises(ValueError, match="all 2 have a task"):
            cluster.add_worker()
        cluster.close()


def test_a_worker_that_was_scaled_away_is_named() -> None:
    with (
        LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address=None) as local,
        Client(local) as client,
    ):
        cluster = attach(client, ps=1, workers=2)
        with tf.Graph().as_default():
            with tf.device("/job:worker/task:1"):
                far = tf.constant(2.0) * 3.0
            with tf.Session(cluster.target("worker", 0)) as session:
                assert session.run(far) == 6
                worker = cluster._placements[-1].worker
                client.retire_workers(names=[worker], close_workers=True)
                with pytest.raises(tf.errors.UnavailableError, match="is gone"):
                    while True:
                        session.run(far)
        message = rf"The Dask worker {worker!r} of worker 1 is gone: .* attach again"
        with pytest.raises(tf.errors.UnavailableError, match=message):
            cluster.run(lambda task: task.index)
        assert eventually(lambda: not cluster.traffic()["tasks"][-1]["alive"])
        cluster.close()
        again = attach(client, ps=1, workers=1)
        assert again.run(lambda task: task.index) == [0]
        again.close()


def _late() -> Any:
    """Worker 0 imports something for long, and initializes the variable that worker 1 waits for."""

    def start(task: Any, folder: str) -> None:
        import sys
        import time

        import minitf as tf

        if task.index == 0:
            sys.path.insert(0, folder)
            __import__("long_to_import")
        with tf.Graph().as_default(), tf.device("/job:ps/task:0"):
            late = tf.get_variable("late", [3], initializer=tf.zeros_initializer())
            with tf.device(task.device):
                missing = tf.report_uninitialized_variables([late])
            with tf.Session(task.target) as session:
                if task.index == 0:
                    session.run(late.initializer)
                while len(session.run(missing)):
                    time.sleep(0.05)

    return start


def test_workers_tell_what_they_do_before_they_train(cluster: TaskCluster, tmp_path: Any) -> None:
    (tmp_path / "long_to_import.py").write_text("import time\ntime.sleep(3.0)\n")
    futures = cluster.run(_late(), str(tmp_path), wait=False)
    seen: dict[str, set[tuple[str, str]]] = {}

    def both() -> bool:
        for task in cluster.traffic()["tasks"]:
            told = seen.setdefault(task["task"], set())
            told |= {(wait["type"], wait["node"]) for wait in task["waits"]}
        imports = ("import", "long_to_import") in seen["/job:worker/task:0"]
        return imports and ("report_uninitialized_variables", "") in seen["/job:worker/task:1"]

    eventually(both)
    cluster.client.gather(futures)
    events = cluster.traffic()["events"]
    assert not [event for event in events if "uninitialized" in event["tensor"]]
