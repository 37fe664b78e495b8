"""A task of a training that is disturbed on purpose: SPEC JOB INDEX DIR STEPS KIND.

Workers 0 and 1 train through monitored sessions, which recover by themselves. Of KIND "async",
worker 2 has a plain session, and opens a new one after each error of TensorFlow's; of KIND "sync"
it is as the others, and the gradients of any two of the three make a step. Any other error ends the
process.
"""

import json
import sys
import time
from typing import Any

import minitf as tf

#: What TensorFlow tells a plain session of tasks that come and go.
EXPECTED = (
    tf.errors.UnavailableError,
    tf.errors.AbortedError,
    tf.errors.CancelledError,
    tf.errors.DeadlineExceededError,
    tf.errors.FailedPreconditionError,  # the variables of a task that is new
)


def train_plainly(target: str, train: Any, step: Any, last: int) -> None:
    """Steps until the training is over, with a new session after each error."""
    number = 0
    while number < last:
        try:
            with tf.Session(target) as session:
                while number < last:
                    _, number = session.run([train, step])
                    print(f"step {number}", flush=True)
                    time.sleep(0.04)
        except EXPECTED as error:
            print(f"saw {type(error).__name__}", flush=True)
            time.sleep(0.2)


def train_monitored(
    target: str, is_chief: bool, nodes: Any, directory: str, last: int, hooks: Any
) -> None:
    """Steps until the training is over."""
    with tf.train.MonitoredTrainingSession(
        target,
        is_chief=is_chief,
        checkpoint_dir=directory,
        save_checkpoint_steps=20,
        save_summaries_steps=None,
        save_summaries_secs=None,
        log_step_count_steps=None,
        stop_grace_period_secs=5,  # the thread that makes synchronous updates waits for others
        hooks=[tf.train.StopAtStepHook(last_step=last), *hooks],
    ) as session:
        while not session.should_stop():
            _, number = session.run(nodes)
            print(f"step {number}", flush=True)
            time.sleep(0.04)


def main(spec: dict, job: str, index: int, directory: str, last: int, kind: str) -> None:
    """Runs the task."""
    server = tf.train.Server(spec, job, index)
    tf.cluster.faults.allow(server)
    print("serves", flush=True)
    if job == "ps":
        server.join()
    here = f"/job:worker/task:{index}"
    with tf.device(tf.train.replica_device_setter(cluster=spec, worker_device=here)):
        step = tf.train.get_or_create_global_step()
        x = tf.get_variable("x", initializer=[0.0, 0.0])
        with tf.device(here):
            made = tf.square(x) * 0.0 + [1.0, 2.0]  # there and back: the worker takes part
        hooks = []
        if kind == "sync":
            descent = tf.train.GradientDescentOptimizer(1.0)
            optimizer = tf.train.SyncReplicasOptimizer(descent, 2, 3)
            train = optimizer.apply_gradients([(-made, x)], global_step=step)
            hooks = [optimizer.make_session_run_hook(index == 0)]
        else:
            train = tf.group(x.assign_add(made), step.assign_add(1))
    if index == 2 and kind == "async":
        train_plainly(server.target, train, step, last)
    else:
        train_monitored(server.target, index == 0, [train, step], directory, last, hooks)
    print("ends", flush=True)


if __name__ == "__main__":
    spec, job, index, directory, last, kind = sys.argv[1:]
    main(json.loads(spec), job, int(index), directory, int(last), kind)
