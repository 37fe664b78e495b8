"""One task of a training that is disturbed on purpose: `train_faults.py SPEC JOB INDEX DIR STEPS`.

Workers 0 and 1 train through monitored sessions, which recover by themselves; worker 2 has a plain
session, and opens a new one after each error of TensorFlow's. Any other error ends the process.
SIGUSR1 cuts all connections that the process has made to others, as a broken network does.
"""

import contextlib
import json
import signal
import socket
import sys
import time
from typing import Any

import minitf as tf
from minitf.core.cluster.wire import rpc

#: What TensorFlow tells a plain session of tasks that come and go.
EXPECTED = (
    tf.errors.UnavailableError,
    tf.errors.AbortedError,
    tf.errors.CancelledError,
    tf.errors.DeadlineExceededError,
    tf.errors.FailedPreconditionError,  # the variables of a task that is new
)


def cut_connections(*_: Any) -> None:
    """Ends every connection to another task, without telling the code that uses it."""
    for channel in list(rpc._channels):
        for connection in [*channel._idle, *channel._active]:
            with contextlib.suppress(OSError):
                connection._sock.shutdown(socket.SHUT_RDWR)


def train_plainly(target: str, train: Any, step: Any, last: int) -> None:
    """Steps until the training is over, with a new session after each error."""
    number = 0
    while number < last:
        try:
            with tf.Session(target) as session:
                while number < last:
                    _, number = session.run([train, step])
                    print(f"step {number}", flush=True)
                    time.sleep(0.02)
        except EXPECTED as error:
            print(f"saw {type(error).__name__}", flush=True)
            time.sleep(0.2)


def train_monitored(target: str, is_chief: bool, nodes: Any, directory: str, last: int) -> None:
    """Steps until the training is over."""
    with tf.train.MonitoredTrainingSession(
        target,
        is_chief=is_chief,
        checkpoint_dir=directory,
        save_checkpoint_steps=20,
        save_summaries_steps=None,
        save_summaries_secs=None,
        log_step_count_steps=None,
        hooks=[tf.train.StopAtStepHook(last_step=last)],
    ) as session:
        while not session.should_stop():
            _, number = session.run(nodes)
            print(f"step {number}", flush=True)
            time.sleep(0.02)


def main(spec: dict, job: str, index: int, directory: str, last: int) -> None:
    """Runs the task."""
    signal.signal(signal.SIGUSR1, cut_connections)
    server = tf.train.Server(spec, job, index)
    print("serves", flush=True)
    if job == "ps":
        server.join()
    here = f"/job:worker/task:{index}"
    with tf.device(tf.train.replica_device_setter(cluster=spec, worker_device=here)):
        step = tf.train.get_or_create_global_step()
        x = tf.get_variable("x", initializer=[0.0, 0.0])
        with tf.device(here):
            made = tf.square(x) * 0.0 + [1.0, 2.0]  # there and back: the worker takes part
        train = tf.group(x.assign_add(made), step.assign_add(1))
    if index == 2:
        train_plainly(server.target, train, step, last)
    else:
        train_monitored(server.target, index == 0, [train, step], directory, last)
    print("ends", flush=True)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4], int(sys.argv[5]))
