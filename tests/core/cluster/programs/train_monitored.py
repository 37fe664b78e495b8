"""Training with a monitored session, started once for every task of the cluster.

    TF_CONFIG='{"cluster": {...}, "task": {"type": "ps", "index": 0}}' python train_monitored.py DIR

The chief saves every few steps. A parameter server only serves; when it is killed and started anew,
the monitored session of the chief reads the last checkpoint and goes on.
"""

import sys
import time

import minitf as tf


def main(checkpoint_dir: str, last_step: int) -> None:
    """Runs the task that TF_CONFIG names."""
    task = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    cluster = task.cluster_spec()
    server = tf.train.Server(cluster, task.task_type, task.task_id)
    if task.task_type == "ps":
        print("ps serves", flush=True)
        server.join()
    here = f"/job:worker/task:{task.task_id}"
    with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device=here)):
        step = tf.train.get_or_create_global_step()
        x = tf.get_variable("x", initializer=[0.0, 0.0])
        train = tf.group(x.assign_add([1.0, 2.0]), step.assign_add(1))
    with tf.train.MonitoredTrainingSession(
        server.target,
        is_chief=task.task_id == 0,
        checkpoint_dir=checkpoint_dir,
        save_checkpoint_steps=20,
        save_summaries_steps=None,
        save_summaries_secs=None,
        log_step_count_steps=None,
        hooks=[tf.train.StopAtStepHook(last_step=last_step)],
    ) as session:
        while not session.should_stop():
            _, number, value = session.run([train, step, x])
            print(f"step {number}", flush=True)
            time.sleep(0.01)
    print(f"worker {task.task_id} ends", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
