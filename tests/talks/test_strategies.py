"""Strategies: the code of "tf.data and tf.distribute" (J. Simsa, 2019), with its `...` filled in."""

# The slides' code keeps the form it has on the slides.
# fmt: off
# ruff: noqa: E501, E702

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode

GLOBAL_BATCH_SIZE = 8


@pytest.fixture(autouse=True)
def devices() -> Iterator[None]:
    tf.simulate_gpus(2)
    yield
    tf.simulate_gpus(0)
    tf.simulate_tpus(0)


def data(size: int = 8, count: int = 32) -> tf.data.Dataset:
    """Pictures in which a bright quarter says the class."""
    rng = np.random.default_rng(0)
    images, labels = rng.uniform(0, 0.3, [count, size, size, 3]), rng.integers(0, 4, count)
    for image, label in zip(images, labels, strict=True):
        half = size // 2
        image[half * (label // 2):half * (label // 2) + half, half * (label % 2):half * (label % 2) + half] = 1
    return tf.data.Dataset.from_tensor_slices((images.astype(np.float32), labels.astype(np.int32)))


def small() -> Any:
    return tf.keras.Sequential([tf.keras.layers.Flatten(input_shape=(8, 8, 3)), tf.keras.layers.Dense(4)])


LOSS = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def fit(strategy: Any) -> float:
    """The slide "tf.distribute with Keras": a model, in the scope of a strategy."""
    train_dataset = data().batch(GLOBAL_BATCH_SIZE)

    with strategy.scope():
        model = small()
        optimizer = tf.keras.optimizers.SGD(learning_rate=0.1)
        model.compile(loss=LOSS, optimizer=optimizer, metrics=["accuracy"])
    model.fit(train_dataset, epochs=10, verbose=0)

    return model.evaluate(train_dataset, verbose=0)[1]


@pytest.mark.parametrize("strategy", [
    lambda: tf.distribute.MirroredStrategy(),
    lambda: tf.distribute.MirroredStrategy(devices=["/gpu:0", "/gpu:1"]),
    lambda: tf.distribute.MirroredStrategy(cross_device_ops=tf.distribute.HierarchicalCopyAllReduce()),
    lambda: tf.distribute.experimental.MultiWorkerMirroredStrategy(),
    lambda: tf.distribute.experimental.MultiWorkerMirroredStrategy(tf.distribute.experimental.CollectiveCommunication.NCCL),
    lambda: tf.distribute.experimental.ParameterServerStrategy(),
    lambda: tf.distribute.experimental.CentralStorageStrategy(),
])
def test_keras(strategy: Any) -> None:
    assert fit(strategy()) > 0.9


def test_tpu() -> None:
    resolver = tf.distribute.cluster_resolver.TPUClusterResolver(tpu="my-tpu-address")
    tf.tpu.experimental.initialize_tpu_system(resolver)
    tpu_strategy = tf.distribute.experimental.TPUStrategy(resolver)
    assert "8 simulated TPU cores" in repr(tpu_strategy)
    assert fit(tpu_strategy) > 0.9


@pytest.mark.slow
def test_resnet() -> None:
    strategy = tf.distribute.MirroredStrategy()
    train_dataset = data(32, 8).batch(GLOBAL_BATCH_SIZE)

    with strategy.scope():
        model = tf.keras.applications.ResNet50(weights=None, input_shape=(32, 32, 3), classes=4)
        optimizer = tf.keras.optimizers.SGD(learning_rate=0.1)
        model.compile(loss="sparse_categorical_crossentropy", optimizer=optimizer)
    history = model.fit(train_dataset, epochs=1, verbose=0)

    assert np.isfinite(history.history["loss"]).all()


def test_estimator(tmp_path: Any) -> None:
    def input_fn() -> tf.data.Dataset:
        return data().batch(GLOBAL_BATCH_SIZE // 2)

    def model_fn(features: Any, labels: Any, mode: Any) -> Any:
        logits = tf.layers.dense(tf.layers.flatten(features), 4)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
        accuracy = tf.metrics.accuracy(labels, tf.argmax(logits, 1))
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops={"accuracy": accuracy})

    strategy = tf.distribute.MirroredStrategy()
    config = tf.estimator.RunConfig(train_distribute=strategy, eval_distribute=strategy, model_dir=str(tmp_path))
    classifier = tf.estimator.Estimator(model_fn=model_fn, config=config)
    classifier.train(input_fn=lambda: input_fn().repeat(10))
    assert classifier.evaluate(input_fn=input_fn)["accuracy"] > 0.9


@pytest.mark.parametrize("kind", [tf.distribute.MirroredStrategy, tf.distribute.experimental.CentralStorageStrategy])
def test_custom_loop(kind: Any) -> None:
    with eager_mode():
        strategy = kind()
        dataset = data().batch(GLOBAL_BATCH_SIZE)

        with strategy.scope():
            model = small()
            optimizer = tf.keras.optimizers.SGD(learning_rate=0.1)
            train_dataset = strategy.experimental_distribute_dataset(dataset)

            def replica_fn(inputs: Any) -> Any:
                images, labels = inputs
                with tf.GradientTape() as tape:
                    predictions = model(images, training=True)
                    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=predictions)
                    loss = tf.reduce_sum(losses) * (1.0 / GLOBAL_BATCH_SIZE)
                gradients = tape.gradient(loss, model.trainable_variables)
                optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
                return loss

            @tf.function
            def train_step(dist_inputs: Any) -> Any:
                per_replica_losses = strategy.experimental_run_v2(replica_fn, args=(dist_inputs,))
                return strategy.reduce(tf.distribute.ReduceOp.SUM, per_replica_losses, axis=None)

            means = []
            for _ in range(10):
                losses = [float(train_step(inputs)) for inputs in train_dataset]
                means.append(np.mean(losses))
        assert means[-1] < 0.5 * means[0]
        assert int(optimizer.iterations.numpy()) == 40
