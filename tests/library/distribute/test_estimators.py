"""Estimators under a strategy learn what they learn on one device from batches of all rows."""

import numpy as np
import pytest

import minitf as tf

X = np.random.RandomState(0).randn(24, 3).astype("float32")
Y = (X @ [[1.0], [2.0], [3.0]]).astype("float32")


@pytest.fixture(autouse=True)
def devices():
    before = tf.logging.get_verbosity()
    tf.logging.set_verbosity(tf.logging.ERROR)
    tf.simulate_gpus(2)
    tf.simulate_tpus(4)
    yield
    tf.logging.set_verbosity(before)
    tf.simulate_gpus(0)
    tf.simulate_tpus(0)


def mirrored():
    return tf.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"])


def tpu():
    return tf.distribute.experimental.TPUStrategy()


def input_fn(rows):
    return lambda: tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).batch(rows)


def model_fn(features, labels, mode, params):
    y = tf.layers.dense(features["x"], 1, name="y", kernel_initializer=tf.ones_initializer())
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions=y)
    reduction = params["reduction"]
    loss = tf.losses.mean_squared_error(labels, y, reduction=reduction)
    metrics = {
        "mae": tf.metrics.mean_absolute_error(labels, y),
        "near": tf.metrics.accuracy(tf.ones_like(labels), tf.cast(abs(labels - y) < 1, tf.float32)),
    }
    optimizer = tf.train.MomentumOptimizer(0.01, 0.9)
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops=metrics)


def trained(strategy, folder, reduction):
    config = tf.estimator.RunConfig(
        str(folder), train_distribute=strategy, eval_distribute=strategy, tf_random_seed=1
    )
    params = {"reduction": reduction}
    estimator = tf.estimator.Estimator(model_fn, config=config, params=params)
    replicas = strategy.num_replicas_in_sync if strategy else 1
    return estimator.train(input_fn(8 // replicas), max_steps=3)


@pytest.mark.parametrize(
    ("strategy", "reduction"),
    [
        (mirrored, "weighted_sum_over_batch_size"),
        (tpu, "weighted_sum_over_batch_size"),
        (tpu, "weighted_sum"),
    ],
)
def test_as_on_one_device(strategy, reduction, tmp_path):
    alone = trained(None, tmp_path / "alone", reduction)
    several = trained(strategy(), tmp_path / "several", reduction)
    assert several.get_variable_names() == alone.get_variable_names()
    for name in alone.get_variable_names():
        expected = alone.get_variable_value(name)
        np.testing.assert_allclose(several.get_variable_value(name), expected, rtol=1e-5)
    expected, found = alone.evaluate(input_fn(8)), several.evaluate(input_fn(3))
    for name in ("mae", "near", "global_step"):
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-5)
    ends = [list(e.predict(input_fn(5))) for e in (several, alone)]
    np.testing.assert_allclose(*ends, rtol=1e-5)


def plain(rows):
    return lambda: tf.data.Dataset.from_tensor_slices((X, Y)).batch(rows)


@pytest.mark.parametrize("optimizer", ["adam", "tf"])
def test_a_keras_model(optimizer, tmp_path):
    found = []
    for name, strategy, rows in (("alone", None, 8), ("several", mirrored(), 4)):
        first = tf.keras.layers.Dense(4, "relu", input_shape=(3,), name="a")
        model = tf.keras.Sequential([first, tf.keras.layers.Dense(1, name="b")])
        model.set_weights([np.ones([3, 4]), np.zeros(4), np.ones([4, 1]), np.zeros(1)])
        chosen = tf.train.AdamOptimizer(0.1) if optimizer == "tf" else tf.keras.optimizers.Adam(0.1)
        model.compile(chosen, "mse", metrics=["mae"])
        config = tf.estimator.RunConfig(
            str(tmp_path / name), train_distribute=strategy, eval_distribute=strategy
        )
        estimator = tf.keras.estimator.model_to_estimator(model, config=config)
        results = estimator.train(plain(rows)).evaluate(plain(rows))
        kernel = estimator.get_variable_value("a/kernel")
        found.append([kernel, *(results[key] for key in sorted(results))])
        tf.keras.backend.clear_session()
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)


LABELS = (Y[:, 0] > 0).astype("int64")


def classes(rows):
    return lambda: tf.data.Dataset.from_tensor_slices(({"x": X}, LABELS)).batch(rows)


def test_ready_made_estimators(tmp_path):
    found = []
    for name, strategy, rows in (("alone", None, 8), ("several", mirrored(), 4)):
        config = tf.estimator.RunConfig(
            str(tmp_path / name), train_distribute=strategy, eval_distribute=strategy
        )
        columns = [tf.feature_column.numeric_column("x", shape=3)]
        estimator = tf.estimator.LinearClassifier(
            columns, config=config, optimizer=tf.train.GradientDescentOptimizer(0.1)
        )
        results = estimator.train(classes(rows)).evaluate(classes(rows))
        found.append([results[key] for key in ("accuracy", "auc", "precision", "global_step")])
    np.testing.assert_allclose(*found, rtol=1e-5)


def test_input_functions_know_their_place(tmp_path):
    seen = []

    def own(input_context=None):
        seen.append((input_context.num_input_pipelines, input_context.num_replicas_in_sync))
        return input_fn(4)()

    config = tf.estimator.RunConfig(str(tmp_path), train_distribute=mirrored())
    estimator = tf.estimator.Estimator(
        model_fn, config=config, params={"reduction": "weighted_sum"}
    )
    estimator.train(own, max_steps=1)
    assert seen == [(1, 2)]
