"""Keras models under a strategy learn what they learn on one device from the whole batch."""

import contextlib

import numpy as np
import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode

X = np.random.RandomState(0).randn(22, 4).astype("float32")
Y = np.random.RandomState(1).randint(0, 3, 22)


@pytest.fixture(params=["graph", "eager"])
def mode(request):
    tf.simulate_gpus(2)
    tf.simulate_tpus(4)
    with eager_mode() if request.param == "eager" else contextlib.nullcontext():
        yield request.param
    tf.simulate_gpus(0)
    tf.simulate_tpus(0)
    tf.keras.backend.clear_session()


def two_gpus():
    return tf.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"])


def four_cores():
    return tf.distribute.experimental.TPUStrategy(
        tf.distribute.cluster_resolver.TPUClusterResolver("")
    )


def model_in(strategy, loss="sparse_categorical_crossentropy", metrics=("accuracy",)):
    keras = tf.keras
    with strategy.scope() if strategy else contextlib.nullcontext():
        inputs = keras.Input((4,))
        hidden = keras.layers.Dense(5, "relu", kernel_regularizer=keras.regularizers.l2(0.1))
        outputs = keras.layers.Dense(3, "softmax")(hidden(inputs))
        model = keras.Model(inputs, outputs)
        model.compile(keras.optimizers.Adam(0.1), loss, metrics=list(metrics))
    model.set_weights(
        [np.random.RandomState(5).randn(*shape) for shape in ((4, 5), (5,), (5, 3), (3,))]
    )
    return model


def same(one, other):
    for each, expected in zip(one, other, strict=True):
        np.testing.assert_allclose(each, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("strategy", [two_gpus, four_cores])
def test_as_on_one_device(mode, strategy):
    histories, weights, results = [], [], []
    for made in (None, strategy()):
        model = model_in(made)
        fitted = model.fit(
            X, Y, batch_size=8, epochs=3, shuffle=False, verbose=0, validation_data=(X[:9], Y[:9])
        )
        histories.append([fitted.history[key] for key in sorted(fitted.history)])
        weights.append(model.get_weights())
        results.append([model.evaluate(X, Y, verbose=0), model.predict(X[:5])])
    same(histories[1], histories[0])
    same(weights[1], weights[0])
    same(results[1], results[0])


def test_last_batch_of_one(mode):
    # 9 = 8 + 1: the second replica has nothing of the last batch
    weights = []
    for made in (None, two_gpus()):
        model = model_in(made, metrics=["accuracy", "sparse_categorical_crossentropy"])
        history = model.fit(X[:9], Y[:9], batch_size=8, shuffle=False, verbose=0).history
        weights.append(model.get_weights() + [np.array(history[k]) for k in sorted(history)])
    same(weights[1], weights[0])


def test_sample_weights(mode):
    weights = []
    for made in (None, two_gpus()):
        model = model_in(made)
        counts = np.arange(22.0, dtype="float32")
        model.fit(X, Y, batch_size=8, shuffle=False, verbose=0, sample_weight=counts)
        weights.append(model.get_weights())
    same(weights[1], weights[0])


def test_datasets_of_global_batches(mode):
    weights = []
    for made in (None, two_gpus()):
        model = model_in(made)
        model.fit(tf.data.Dataset.from_tensor_slices((X, Y)).batch(6), epochs=2, verbose=0)
        weights.append(model.get_weights())
    same(weights[1], weights[0])


def test_losses_that_are_sums(mode):
    weights = []
    for made in (None, two_gpus()):
        loss = tf.keras.losses.SparseCategoricalCrossentropy(reduction="sum")
        model = model_in(made, loss)
        model.fit(X, Y, batch_size=8, shuffle=False, verbose=0)
        weights.append(model.get_weights())
    same(weights[1], weights[0])


def test_callbacks_change_the_rate(mode):
    weights = []
    for made in (None, two_gpus()):
        model = model_in(made)
        slower = tf.keras.callbacks.LearningRateScheduler(lambda epoch: 0.1 / (epoch + 1))
        model.fit(X, Y, epochs=3, shuffle=False, verbose=0, callbacks=[slower])
        weights.append(model.get_weights())
    same(weights[1], weights[0])


def test_single_batches(mode):
    results = []
    for made in (None, two_gpus()):
        model = model_in(made)
        results.append(
            [model.train_on_batch(X, Y), model.test_on_batch(X, Y), model.predict_on_batch(X)]
        )
    same(results[1], results[0])


def test_batch_normalization_by_replica(mode):
    with two_gpus().scope():
        model = tf.keras.Sequential([tf.keras.layers.BatchNormalization(input_shape=(4,))])
        model.compile("sgd", "mse")
    model.fit(X[:8], X[:8], batch_size=8, verbose=0, shuffle=False)
    mean = 0.01 * (X[:4].mean(0) + X[4:8].mean(0)) / 2
    variance = 0.99 + 0.01 * (X[:4].var(0) + X[4:8].var(0)) / 2
    np.testing.assert_allclose(model.get_weights()[2], mean, atol=1e-6)
    np.testing.assert_allclose(model.get_weights()[3], variance, atol=1e-5)


@pytest.mark.parametrize("name", ["model.h5", "weights"])
def test_saved_and_read_without_a_strategy(mode, name, tmp_path):
    if name == "model.h5":
        pytest.importorskip("h5py")
    model = model_in(two_gpus())
    model.fit(X, Y, verbose=0)
    path, other = str(tmp_path / name), model_in(None)
    if name == "model.h5":
        model.save(path)
        other = tf.keras.models.load_model(path)
    else:
        model.save_weights(path)
        other.load_weights(path)
    same([other.predict(X)], [model.predict(X)])
    back = model_in(two_gpus())
    back.set_weights(other.get_weights())
    same([back.predict(X)], [model.predict(X)])


class Own(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(3, "softmax", kernel_initializer="ones")

    def call(self, inputs):
        return self.dense(inputs)


def test_models_that_are_classes(mode):
    weights = []
    for made in (None, two_gpus()):
        with made.scope() if made else contextlib.nullcontext():
            model = Own()
            model.compile(tf.train.AdamOptimizer(0.1), "sparse_categorical_crossentropy")
        model.fit(X, Y, batch_size=8, epochs=2, shuffle=False, verbose=0)
        weights.append(model.get_weights())
    same(weights[1], weights[0])


def test_two_outputs(mode):
    weights = []
    for made in (None, two_gpus()):
        with made.scope() if made else contextlib.nullcontext():
            inputs = tf.keras.Input((4,), name="x")
            one = tf.keras.layers.Dense(1, name="a", kernel_initializer="ones")(inputs)
            two = tf.keras.layers.Dense(3, name="b", kernel_initializer="ones")(inputs)
            model = tf.keras.Model(inputs, [one, two])
            model.compile("sgd", ["mse", "mae"], metrics={"a": "mae"}, loss_weights=[1.0, 0.5])
        history = model.fit(X, [X[:, :1], X[:, 1:]], batch_size=8, shuffle=False, verbose=0)
        weights.append(
            model.get_weights() + [history.history[key] for key in sorted(history.history)]
        )
    same(weights[1], weights[0])


def test_what_was_made_outside_of_the_scope(mode):
    model = model_in(None)
    with two_gpus().scope(), pytest.raises(ValueError, match="not created in the distribution"):
        model.compile("sgd", "mse")


def test_losses_that_would_divide_by_the_rows_of_a_replica(mode):
    loss = tf.keras.losses.MeanSquaredError()
    with two_gpus().scope(), pytest.raises(ValueError, match=r"implement `tf\.keras\.losses"):
        loss(X, X)


def test_added_losses_and_metrics_are_of_their_replica(mode):
    class Sums(tf.keras.layers.Layer):
        def call(self, inputs):
            total = tf.reduce_sum(inputs) / 16
            self.add_loss(total)
            self.add_metric(total, "mean", "total")  # where the replicas meet
            return inputs

    with two_gpus().scope():
        inputs = tf.keras.Input((4,))
        model = tf.keras.Model(inputs, Sums()(inputs))
        model.compile("sgd")
    found = model.evaluate(X[:16], batch_size=16, verbose=0)
    np.testing.assert_allclose(found, [X[:16].sum() / 32] * 2, 1e-4)  # the mean of two halves
