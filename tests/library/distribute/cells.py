"""The cells of the support table: one small training by each interface, in a strategy or in none.

`python -m tests.library.distribute.cells KIND OUT` is one task of a cluster that TF_CONFIG names;
KIND may be "multi_worker eagerly".
"""

import contextlib
import json
import os
import sys
import tempfile

import numpy as np

import minitf as tf

ROWS, STEPS = 8, 3  # of a global batch; of the training
X = np.random.RandomState(0).randn(ROWS * STEPS, 3).astype("float32")
Y = (X @ [[1.0], [2.0], [3.0]]).astype("float32")


def keras(strategy):
    with scope_of(strategy):
        dense = tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(3,))
        model = tf.keras.Sequential([dense])
        model.compile(tf.keras.optimizers.Adam(0.1), "mse", metrics=["mean_absolute_error"])
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(ROWS)
    history = model.fit(data, epochs=1, steps_per_epoch=STEPS, verbose=0).history
    weights = model.get_weights()
    tf.keras.backend.clear_session()
    return [*weights, history["loss"][0], history["mean_absolute_error"][0]]


def estimator(strategy):
    def model_fn(features, labels, mode):
        y = tf.layers.dense(features, 1, kernel_initializer=tf.ones_initializer(), name="y")
        loss = tf.losses.mean_squared_error(labels, y)
        train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    def input_fn(input_context=None):
        here = input_context or tf.distribute.InputContext()
        data = tf.data.Dataset.from_tensor_slices((X, Y))
        data = data.batch(ROWS // here.num_replicas_in_sync)
        in_step = here.num_replicas_in_sync if strategy else 1
        local = len(strategy.extended.worker_devices) if strategy else 1
        if in_step == local:
            return data  # nobody waits for other workers
        of_worker = data.batch(local).shard(here.num_input_pipelines, here.input_pipeline_id)
        return of_worker.unbatch()

    folder = os.environ.get("MODEL_DIR") or tempfile.mkdtemp()
    config = tf.estimator.RunConfig(folder, train_distribute=strategy)
    made = tf.estimator.Estimator(model_fn, config=config)
    made.train(input_fn, max_steps=STEPS)
    if not config.is_chief:
        return None
    return [made.get_variable_value(name) for name in ("y/kernel", "y/bias", "global_step")]


def custom(strategy):
    """A loop of one's own, in a graph, as programs of 1.15 have it."""
    with tf.Graph().as_default(), scope_of(strategy):
        strategy = strategy or tf.distribute.get_strategy()
        w = tf.get_variable("w", [3, 1], initializer=tf.ones_initializer())
        optimizer = tf.train.AdamOptimizer(0.1)
        data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(ROWS)
        iterator = strategy.make_dataset_iterator(data)

        def step(element):
            x, y = element
            loss = tf.reduce_sum((x @ w - y) ** 2) / ROWS
            with tf.control_dependencies([optimizer.minimize(loss)]):
                return tf.identity(loss)

        per_replica = strategy.experimental_run_v2(step, args=(iterator.get_next(),))
        total = strategy.reduce(tf.distribute.ReduceOp.SUM, per_replica, axis=None)
        starts = iterator.initialize() if hasattr(iterator, "initialize") else iterator.initializer
        config = strategy.update_config_proto(tf.ConfigProto(allow_soft_placement=True))
        with tf.Session(strategy.extended._session_target(), config=config) as session:
            session.run(tf.global_variables_initializer())
            session.run(starts)
            losses = [session.run(total) for _ in range(STEPS)]
            return [session.run(w), losses]


def custom_eagerly(strategy):
    """The same loop as programs of 2.0 have it: a `tf.function` for each element."""
    strategy = strategy or tf.distribute.get_strategy()
    with strategy.scope():
        w = tf.Variable(tf.ones([3, 1]))
        optimizer = tf.keras.optimizers.Adam(0.1)
        mean = tf.keras.metrics.Mean()

    def step(element):
        x, y = element
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((x @ w - y) ** 2) / ROWS
        optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        mean.update_state(loss)
        return loss

    @tf.function
    def train(element):
        losses = strategy.experimental_run_v2(step, args=(element,))
        return strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)

    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(ROWS)
    found = [train(each).numpy() for each in strategy.experimental_distribute_dataset(data)]
    np.testing.assert_allclose(mean.result() * strategy.num_replicas_in_sync, np.mean(found), 1e-5)
    return [w.numpy(), found]


APIS = {"keras": keras, "estimator": estimator, "custom": custom}


def scope_of(strategy):
    return strategy.scope() if strategy else contextlib.nullcontext()


KINDS = {
    "mirrored": lambda: tf.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"]),
    "central": lambda: tf.distribute.experimental.CentralStorageStrategy(),
    "tpu": lambda: tf.distribute.experimental.TPUStrategy(
        tf.distribute.cluster_resolver.TPUClusterResolver("")
    ),
    "multi_worker": lambda: tf.distribute.experimental.MultiWorkerMirroredStrategy(),
    "parameter_server": lambda: tf.distribute.experimental.ParameterServerStrategy(),
}


if __name__ == "__main__":
    [kind, *eagerly], path = sys.argv[1].split(), sys.argv[2]
    if eagerly:
        tf.compat.v1.enable_v2_behavior()
        APIS["custom"] = custom_eagerly
        if kind == "parameter_server":
            APIS = {"estimator": estimator}
    task = json.loads(os.environ["TF_CONFIG"])["task"]
    if task["type"] == "ps":
        cluster = tf.distribute.cluster_resolver.TFConfigClusterResolver().cluster_spec()
        tf.train.Server(cluster, job_name="ps", task_index=task["index"]).join()
    strategy = KINDS[kind]()
    results = {api: run(strategy) for api, run in APIS.items()}
    saved = {f"{api}/{i}": v for api, vs in results.items() if vs for i, v in enumerate(vs)}
    np.savez(path, **saved)
