"""Training under a supervisor, as programs of 2016 do it: flags say which task a process is.

    python train_supervised.py --ps_hosts=HOST:PORT,... --worker_hosts=... --job_name=ps

Between-graph replication over several ps; the workers' updates are made as they come, or, with
--sync_replicas, once for the mean of all workers' gradients.
"""

import numpy as np

import minitf as tf

flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "", "addresses of the parameter servers")
flags.DEFINE_string("worker_hosts", "", "addresses of the workers")
flags.DEFINE_string("job_name", "worker", "ps or worker")
flags.DEFINE_integer("task_index", 0, "which of them")
flags.DEFINE_boolean("sync_replicas", False, "whether all workers make one step together")
flags.DEFINE_integer("train_steps", 20, "how many steps all workers make together")
flags.DEFINE_string("train_dir", "", "where the chief keeps checkpoints")
FLAGS = flags.FLAGS


def main(_: list[str]) -> None:
    """Runs the task that the flags name."""
    workers = FLAGS.worker_hosts.split(",")
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","), "worker": workers})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    is_chief = FLAGS.task_index == 0
    here = f"/job:worker/task:{FLAGS.task_index}/cpu:0"
    setter = tf.train.replica_device_setter(
        worker_device=here, ps_device="/job:ps/cpu:0", cluster=cluster
    )
    with tf.device(setter):
        global_step = tf.Variable(0, name="global_step", trainable=False)
        x, labels = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.float32, [None])
        weights, bias = tf.Variable(tf.zeros([4, 1]), name="w"), tf.Variable(0.0, name="b")
        loss = tf.losses.mean_squared_error(labels, tf.matmul(x, weights)[:, 0] + bias)
        optimizer = tf.train.AdamOptimizer(0.1)
        prepare = {}
        if FLAGS.sync_replicas:
            optimizer = tf.train.SyncReplicasOptimizer(
                optimizer, replicas_to_aggregate=len(workers), total_num_replicas=len(workers)
            )
        train = optimizer.minimize(loss, global_step=global_step)
        if FLAGS.sync_replicas:
            prepare = {
                "local_init_op": optimizer.chief_init_op
                if is_chief
                else optimizer.local_step_init_op,
                "ready_for_local_init_op": optimizer.ready_for_local_init_op,
            }
            runner, tokens = optimizer.get_chief_queue_runner(), optimizer.get_init_tokens_op()
        supervisor = tf.train.Supervisor(
            is_chief=is_chief,
            logdir=FLAGS.train_dir,
            init_op=tf.global_variables_initializer(),
            recovery_wait_secs=1,
            global_step=global_step,
            **prepare,
        )
        config = tf.ConfigProto(
            allow_soft_placement=True,
            device_filters=["/job:ps", f"/job:worker/task:{FLAGS.task_index}"],
        )
    session = supervisor.prepare_or_wait_for_session(server.target, config=config)
    if FLAGS.sync_replicas and is_chief:
        session.run(tokens)
        supervisor.start_queue_runners(session, [runner])
    random, step, own = np.random.RandomState(FLAGS.task_index), 0, 0
    while step < FLAGS.train_steps:
        batch = random.rand(8, 4)
        feeds = {x: batch, labels: batch.sum(axis=1)}
        _, step = session.run([train, global_step], feeds)
        own += 1
    print(f"worker {FLAGS.task_index} ends at {step} after {own} of its own", flush=True)


if __name__ == "__main__":
    tf.app.run(main)
