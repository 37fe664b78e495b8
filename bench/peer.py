"""The other process of the loopback workloads: one task of a cluster, or an echo.

    peer.py minitf|tensorflow CLUSTER_JSON ps|worker INDEX
    peer.py minitf|tensorflow CLUSTER_JSON sync|pull|push INDEX [MEGABYTES]   a worker that ...
    peer.py task_server
    peer.py echo BYTES

Whatever it is, it ends when its standard input closes, so that no benchmark leaves one behind.
"""

import json
import os
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


def main() -> None:
    what = sys.argv[1]
    if what == "echo":
        _end_with_input()
        _echo(int(sys.argv[2]))
    elif what == "task_server":
        from minitf.core.cluster.wire.task_server import TaskServer

        server = TaskServer("/job:ps/task:0")
        print(server.start("127.0.0.1:0"), flush=True)
        sys.stdin.read()
        os._exit(0)
    else:
        _task(what, json.loads(sys.argv[2]), sys.argv[3], int(sys.argv[4]), *sys.argv[5:])


def _task(
    name: str, cluster: dict[str, list[str]], work: str, index: int, megabytes: str = ""
) -> None:
    from bench.worker import library_of

    library = library_of(name, 1)
    tf = library.tf
    spec = tf.train.ClusterSpec(cluster)
    job = "ps" if work == "ps" else "worker"
    server = tf.train.Server(spec, job_name=job, task_index=index, config=library.config(None))
    if work == "ps":
        _end_with_input()
        server.join()
    elif work in ("pull", "push"):
        _transfer(library, server, work, int(megabytes))
    elif work == "sync":
        _train_together(library, spec, server, index)
    else:
        _train(library, spec, server, index)
    os._exit(0)


def _train(library: Any, spec: Any, server: Any, index: int) -> None:
    """Builds the model and trains for as many seconds as each line of the input says."""
    from bench.workloads.mlp import perceptron

    tf = library.tf
    setter = tf.train.replica_device_setter(
        cluster=spec, worker_device=f"/job:worker/task:{index}/cpu:0"
    )
    with tf.device(setter):
        step = tf.train.get_or_create_global_step()
        train, feeds = perceptron(tf, "SGD", 64, global_step=step)
        initialize = tf.global_variables_initializer()
        ready = tf.report_uninitialized_variables()
    session = tf.Session(server.target, config=library.config(None))
    if index == 0:
        session.run(initialize)
    while len(session.run(ready)):
        time.sleep(0.05)
    session.run(train, feeds)
    print("ready", flush=True)
    for line in sys.stdin:
        end = time.perf_counter() + float(line)
        start, steps = time.perf_counter(), 0
        while time.perf_counter() < end:
            session.run(train, feeds)
            steps += 1
        took = time.perf_counter() - start
        print(json.dumps({"steps": steps, "seconds": took}), flush=True)


def _train_together(library: Any, spec: Any, server: Any, index: int) -> None:
    """Trains synchronously while it is told to, and says how many steps it has made.

    A worker waits in its step for the others, also when they were told to rest: another thread
    listens.
    """
    from bench.workloads.mlp import perceptron

    tf, workers = library.tf, spec.num_tasks("worker")
    setter = tf.train.replica_device_setter(
        cluster=spec, worker_device=f"/job:worker/task:{index}/cpu:0"
    )
    with tf.device(setter):
        step = tf.train.get_or_create_global_step()
        optimizer = tf.train.SyncReplicasOptimizer(
            tf.train.GradientDescentOptimizer(0.1), workers, workers
        )
        train, feeds = perceptron(tf, optimizer, 64, global_step=step)
    session = tf.train.MonitoredTrainingSession(
        server.target,
        is_chief=index == 0,
        hooks=[optimizer.make_session_run_hook(index == 0)],
        config=library.config(None),
        save_summaries_steps=None,
        save_summaries_secs=None,
        log_step_count_steps=None,
    )
    go, made = threading.Event(), 0

    def work() -> None:
        nonlocal made
        while True:
            go.wait()
            session.run(train, feeds)
            made += 1

    threading.Thread(target=work, daemon=True).start()
    print("ready", flush=True)
    for line in sys.stdin:
        before, start = made, time.perf_counter()
        go.set()
        time.sleep(float(line))
        while made == before:  # on a crowded machine a step may take longer than it was told
            time.sleep(0.001)
        took, steps = time.perf_counter() - start, made - before
        go.clear()
        print(json.dumps({"steps": steps, "seconds": took}), flush=True)


def _transfer(library: Any, server: Any, direction: str, megabytes: int) -> None:
    """Prints the seconds of the first ten transfers between this worker and its ps."""
    from bench.workloads.transfers import transfer

    tf = library.tf
    session = tf.Session(server.target, config=library.config(None))
    moved = transfer(tf, direction, megabytes)
    session.run(tf.global_variables_initializer())
    times = []
    for _ in range(10):
        start = time.perf_counter()
        session.run(moved)
        times.append(time.perf_counter() - start)
    print(json.dumps(times), flush=True)


def _echo(size: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(listener.getsockname()[1], flush=True)
        connection, _ = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while True:
            left, parts = size, []
            while left:
                data = connection.recv(left)
                if not data:
                    return
                parts.append(data)
                left -= len(data)
            connection.sendall(b"".join(parts))


def _end_with_input() -> None:
    def wait() -> None:
        sys.stdin.read()
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()


if __name__ == "__main__":
    main()
