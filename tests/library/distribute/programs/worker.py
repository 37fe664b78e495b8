"""One task of a cluster: trains a line under the strategy that is named, and prints what it has."""

import json
import sys

import numpy as np

import minitf as tf

X = np.random.RandomState(0).rand(16, 5).astype("f")
Y = np.random.RandomState(1).rand(16, 1).astype("f")
KIND, STEPS = sys.argv[1], int(sys.argv[2])

kinds = tf.distribute.experimental
if KIND == "mirrored":
    strategy = kinds.MultiWorkerMirroredStrategy(kinds.CollectiveCommunication.RING)
else:
    strategy = kinds.ParameterServerStrategy()
task = strategy.extended._task
server = task.server()
if task.job == "ps":
    server.join()

with strategy.scope():
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(8).repeat()
    iterator = strategy.make_dataset_iterator(data)
    count = tf.train.get_or_create_global_step()
    w = tf.get_variable("w", [5, 1], initializer=tf.random_normal_initializer(seed=task.index + 1))
    b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())

    def step(inputs):
        x, y = inputs
        loss = tf.reduce_sum((tf.matmul(x, w) + b - y) ** 2) / 8
        train = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=count)
        with tf.control_dependencies([train]):
            return tf.identity(loss)

    loss = strategy.reduce("SUM", strategy.experimental_run(step, iterator), axis=None)
    ready = tf.report_uninitialized_variables()
    config = strategy.update_config_proto(tf.ConfigProto())
    with tf.Session(server.target, config=config) as sess:
        if strategy.extended.experimental_should_init:
            sess.run(tf.global_variables_initializer())
        while len(sess.run(ready)):
            pass
        sess.run(iterator.initialize())
        first = sess.run(w)
        losses = [float(sess.run(loss)) for _ in range(STEPS)]
        found = [v.ravel().tolist() for v in (first, sess.run(w), sess.run(b))]
        print("FOUND", json.dumps([losses, found, int(sess.run(count))]))
        if KIND == "mirrored":  # nobody leaves while another still asks
            sess.run(strategy.reduce("SUM", tf.constant(0.0), axis=None))
