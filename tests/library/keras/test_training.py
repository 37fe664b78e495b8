"""Training: data of all forms, what is refused, what is printed."""

import itertools
import re

import numpy as np
import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode
from minitf.library.keras.preprocessing.sequences import rounds

K = tf.keras
X = np.linspace(-1, 1, 48).reshape(12, 4).astype("f")
Y = X.sum(axis=1, keepdims=True)


def net(**compiled):
    model = K.Sequential([K.layers.Dense(1, kernel_initializer="ones", input_shape=(4,))])
    model.compile(**{"optimizer": K.optimizers.SGD(0.1), "loss": "mse", **compiled})
    return model


def losses(model, *args, **kwargs):
    given = {"verbose": 0, "shuffle": False, "epochs": 2, **kwargs}
    return [round(v, 5) for v in model.fit(*args, **given).history["loss"]]


class Table:
    """As a table of pandas: only its name and values are looked at."""

    def __init__(self, values):
        self.values = values


DataFrame = type("DataFrame", (Table,), {})


class Batches(K.utils.Sequence):
    def __len__(self):
        return 3

    def __getitem__(self, index):
        return X[index * 4 : index * 4 + 4], Y[index * 4 : index * 4 + 4] + 1


def endless():
    for i in itertools.cycle(range(3)):
        yield X[i * 4 : i * 4 + 4], Y[i * 4 : i * 4 + 4] + 1


@pytest.mark.parametrize(
    ("x", "options"),
    [
        ((X, Y + 1), {"batch_size": 4}),
        (([X], [Y + 1]), {"batch_size": 4}),
        (({"dense_input": X}, {"dense": Y + 1}), {"batch_size": 4}),
        ((DataFrame(X), DataFrame(Y + 1)), {"batch_size": 4}),
        ((X.tolist(), (Y[:, 0] + 1).tolist()), {"batch_size": 4}),
        ((Batches(),), {}),
    ],
    ids=lambda value: type(value[0]).__name__ if isinstance(value, tuple) else "",
)
def test_all_forms_of_data_train_alike(x, options):
    assert losses(net(), *x, **options) == [0.88414, 0.16857]


def test_a_generator_trains_alike():
    assert losses(net(), endless(), steps_per_epoch=3, workers=2) == [0.88414, 0.16857]


def test_datasets_train_alike():
    data = tf.data.Dataset.from_tensor_slices((X, Y + 1)).batch(4)
    assert losses(net(), data) == [0.88414, 0.16857]
    assert losses(net(), data.repeat(), steps_per_epoch=3) == [0.88414, 0.16857]
    assert losses(net(), data.filter(lambda x, y: True)) == [0.88414, 0.16857]


def test_an_error_in_a_generator_is_raised():
    def broken():
        yield X[:4], Y[:4]
        raise OSError("disk")

    with pytest.raises(OSError, match="disk"):
        net().fit(broken(), steps_per_epoch=3, verbose=0)


def test_a_model_goes_on_after_an_interrupt():
    class Interrupt(K.callbacks.Callback):
        def on_batch_end(self, batch, logs=None):
            raise KeyboardInterrupt

    model = net()
    with pytest.raises(KeyboardInterrupt):
        model.fit(endless(), steps_per_epoch=3, verbose=0, callbacks=[Interrupt()])
    assert len(losses(model, X, Y)) == 2


def test_progress_is_printed_as_keras_prints_it(capsys):
    model = net(metrics=["mae"])
    model.fit(X, Y, batch_size=4, epochs=2, validation_data=(X[:2], Y[:2]))
    lines = re.sub(r"[\b]+\r?", "\n", capsys.readouterr().out).split("\n")
    assert lines[0] == "Train on 12 samples, validate on 2 samples"
    assert lines[1] == "Epoch 1/2"
    numbers = r"[\d.e+-]+ - mean_absolute_error: [\d.e+-]+"
    first = r"\r? 4/12 \[=========>\.{20}\] - ETA: 0s - loss: "
    assert any(re.fullmatch(first + numbers + " *", line) for line in lines)
    last = r"12/12 \[={30}\] - \d+s \d+[mu]s/sample - loss: "
    last += f"{numbers} - val_loss: {numbers.replace('mean', 'val_mean')}"
    assert sum(bool(re.fullmatch(last, line.strip())) for line in lines) == 2


def test_verbose_2_is_a_line_an_epoch(capsys):
    net().fit(X, Y, epochs=2, verbose=2)
    out = capsys.readouterr().out.split("\n")
    assert out[1] == "Epoch 1/2"
    assert re.fullmatch(r"12/12 - \d+s - loss: [\d.e-]+", out[2])


def test_one_epoch_has_no_headline(capsys):
    net().evaluate(X, Y)
    net().fit(X, Y)
    assert "Epoch" not in capsys.readouterr().out


def test_what_is_refused():
    model = net()
    with pytest.raises(ValueError, match="the list of Numpy arrays that you are passing"):
        model.fit([X, X], Y, verbose=0)
    with pytest.raises(ValueError, match="no data found"):
        model.fit(X, verbose=0)
    with pytest.raises(ValueError, match="must not be specified for the given input type"):
        model.fit(Batches(), batch_size=3, verbose=0)
    with pytest.raises(ValueError, match="Please specify the number of steps"):
        model.fit(endless(), verbose=0)
    with pytest.raises(ValueError, match="infinitely repeating dataset"):
        model.fit(tf.data.Dataset.from_tensor_slices((X, Y)).repeat(), verbose=0)
    with pytest.raises(TypeError, match="Unrecognized keyword arguments"):
        model.fit(X, Y, epoch=3)
    with pytest.raises(TypeError, match="Invalid keyword argument"):
        model.compile("sgd", "mse", metric=["mae"])


def test_no_data_is_refused():
    with pytest.raises(ValueError, match="Empty training data"):
        net().fit(X[:0], Y[:0], verbose=0)


def test_an_optimizer_that_a_program_writes():
    class Sign(K.optimizers.Optimizer):
        def __init__(self, learning_rate=0.1, name="Sign", **kwargs):
            super().__init__(name, **kwargs)
            self._set_hyper("learning_rate", learning_rate)

        def _create_slots(self, var_list):
            for var in var_list:
                self.add_slot(var, "seen")

        def _resource_apply_dense(self, grad, var, apply_state=None):
            rate = self._decayed_lr(var.dtype.base_dtype)
            count = self.get_slot(var, "seen").assign_add(tf.ones_like(grad))
            return tf.group(count, var.assign_sub(rate * tf.sign(grad)))

    model = net(optimizer=Sign(0.25))
    model.fit(X, Y + 9, batch_size=4, verbose=0)
    assert model.get_weights()[1] == pytest.approx(0.75)
    assert [v.name.split("/")[-1] for v in model.optimizer.weights] == [
        "iter:0",
        "seen:0",
        "seen:0",
    ]
    assert (model.optimizer.get_weights()[1] == 3).all()


@pytest.mark.parametrize("name", ["sgd", "adam", "rmsprop", "adagrad", "adadelta"])
def test_rows_of_an_embedding_train_as_the_whole_does(name):
    def trained(as_rows):
        table = tf.Variable(np.ones([5, 2], "f"), use_resource=True)
        rows = tf.gather(table, [0, 3, 3]) if as_rows else tf.one_hot([0, 3, 3], 5) @ table
        optimizer = K.optimizers.get(name)
        step = optimizer.get_updates(tf.reduce_sum(rows * [[1.0, 2.0]]), [table])
        session = K.backend.get_session()
        session.run(tf.global_variables_initializer())
        session.run([v.initializer for v in optimizer.weights])
        session.run(step)
        return session.run(table)

    np.testing.assert_allclose(trained(True), trained(False), rtol=1e-5)


def test_metrics_are_made_again_from_their_configuration():
    for metric in (
        K.metrics.AUC(num_thresholds=7, curve="PR", name="a"),
        K.metrics.Precision([0.2, 0.4]),
        K.metrics.TopKCategoricalAccuracy(k=2),
    ):
        again = type(metric).from_config(metric.get_config())
        assert again.get_config() == metric.get_config()


def test_variables_in_attributes_of_a_metric_begin_anew():
    class Seen(K.metrics.Mean):
        def __init__(self):
            super().__init__(name="seen")
            self.rows = tf.Variable(3.0, trainable=False)

    with eager_mode():
        seen = Seen()
        seen.update_state(2.0)
        seen.reset_states()
        assert [float(v) for v in (seen.total, seen.count, seen.rows)] == [0, 0, 0]


def test_a_number_of_steps_may_have_a_fraction(capsys):
    net().fit(endless(), steps_per_epoch=2.5, workers=0)
    assert "3/2 [===" in capsys.readouterr().out


def test_a_model_on_tensors_alone_is_fitted_without_arrays() -> None:
    x = tf.ones([8, 4])
    inputs = tf.keras.Input(tensor=x)
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(2)(inputs))
    model.compile("sgd", "mse", target_tensors=x[:, :2])
    history = model.fit(epochs=2, steps_per_epoch=3, verbose=0).history["loss"]
    assert len(history) == 2
    assert history[1] < history[0]


def test_classes_of_sequences_need_no_last_axis():
    x, y = np.random.RandomState(0).rand(6, 3, 4), np.arange(18).reshape(6, 3) % 5
    with tf.Graph().as_default(), tf.Session():
        model = K.Sequential([K.layers.Dense(5, "softmax", input_shape=(3, 4))])
        model.compile("sgd", "sparse_categorical_crossentropy", metrics=["acc"])
        found = model.evaluate(x, y, verbose=0)
        np.testing.assert_allclose(found, model.evaluate(x, y[..., None], verbose=0))
        chances = model.predict(x)
        picked = np.take_along_axis(chances, y[..., None], -1)
        np.testing.assert_allclose(found[0], -np.log(picked).mean(), rtol=1e-5)
        dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(6)
        np.testing.assert_allclose(model.evaluate(dataset, steps=1, verbose=0), found, rtol=1e-6)


class _Shifted(K.layers.Layer):
    """Adds a number, and counts with a metric of its own."""

    def build(self, input_shape):
        self.shift = self.add_weight("shift", (1,), initializer="zeros")
        self.far = K.metrics.MeanAbsoluteError(name="far")

    def call(self, inputs):
        guess, truth = inputs
        guess = guess + self.shift
        self.add_metric(tf.reduce_sum(guess), "mean", "whole")
        self.add_metric(self.far(truth, guess), name="far")
        return guess


@pytest.mark.parametrize("run_eagerly", [False, True])
def test_a_layers_own_metric_begins_anew_each_epoch(run_eagerly):
    x, y = np.array([[0.0], [1], [2]], "f"), np.array([[0.5], [2], [3.5]], "f")
    with eager_mode():
        for _ in range(2):  # two models of the same operations in one graph
            both = [K.Input((1,)), K.Input((1,))]
            out = _Shifted()(both)
            model = K.Model(both, out)
            model.compile(K.optimizers.SGD(0.1), "mae", run_eagerly=run_eagerly)
            history = model.fit([x, y], y, batch_size=3, epochs=3, verbose=0).history
            assert [m.name for m in model.metrics] == ["far", "whole"]
            for name in ("loss", "far"):
                np.testing.assert_allclose(history[name], [1, 0.9, 0.8], rtol=1e-5)


def test_a_loss_of_a_functional_model_is_for_graphs():
    with eager_mode():
        i = K.Input((1,))
        model = K.Model(i, K.layers.Dense(1)(i))
        model.add_loss(tf.reduce_sum(model.output))
        model.compile("sgd", "mse")
        assert model.predict(np.ones([1, 1])).shape == (1, 1)
        with pytest.raises(ValueError, match="for training in a graph without a strategy"):
            model.fit(np.ones([1, 1]), np.ones([1, 1]), verbose=0)


def test_a_loss_of_a_functional_model_is_of_its_own_inputs():
    with tf.Graph().as_default():
        i, other = K.Input((1,)), K.Input((1,))
        inner = K.Model(i, K.layers.Dense(1, kernel_initializer="ones")(i))
        inner.add_loss(tf.reduce_sum(inner.output))
        same, outer = K.Model(i, inner(i)), K.Model(other, inner(other))
        for model in (same, outer):
            model.compile("sgd", "mse")
        assert same.evaluate(np.full([1, 1], 2.0), np.ones([1, 1]), verbose=0) == 3
        assert outer.predict(np.full([1, 1], 2.0)) == 2
        with pytest.raises(ValueError, match="not as a part of another model"):
            outer.evaluate(np.ones([1, 1]), np.ones([1, 1]), verbose=0)


def test_two_metrics_of_one_name_are_refused():
    class Twice(K.layers.Layer):
        def __init__(self):
            super().__init__()
            self.one, self.other = K.metrics.Mean("level"), K.metrics.Mean("level")

        def call(self, inputs):
            self.add_metric(self.one(inputs), name="level")
            return inputs

    with (
        tf.Graph().as_default(),
        pytest.raises(ValueError, match="2 metrics with the name: .level"),
    ):
        Twice()(K.Input((1,)))


def test_a_class_of_ones_own_takes_a_vector_as_a_column():
    class Line(K.Model):
        def __init__(self):
            super().__init__()
            self.dense = K.layers.Dense(2)

        def call(self, inputs):
            return self.dense(inputs)

    with eager_mode():
        model = Line()
        model.compile("sgd", "mse")
        model.fit(np.ones(4), np.ones((4, 2)), verbose=0)
        assert model.predict(np.ones(4)).shape == (4, 2)


def test_a_stateful_layer_keeps_its_state_beside_other_calls():
    model = tf.keras.Sequential(
        [tf.keras.layers.SimpleRNN(1, stateful=True, batch_input_shape=(1, 2, 1))]
    )
    model(tf.placeholder(tf.float32, [1, 2, 1]))  # which nobody feeds
    data = np.ones([1, 2, 1])
    first, second = model.predict(data), model.predict(data)
    assert first != second


class Squares(K.utils.Sequence):
    def __init__(self) -> None:
        self.rounds = 0

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> int:
        return index**2

    def on_epoch_end(self) -> None:
        self.rounds += 1


def test_batches_come_round_after_round() -> None:
    squares = Squares()
    found = list(itertools.islice(rounds(squares, shuffle=False), 10))
    assert found == [0, 1, 4, 9, 0, 1, 4, 9, 0, 1]
    assert squares.rounds == 2
    found = list(itertools.islice(rounds(squares, shuffle=True), 8))
    assert sorted(found[:4]) == sorted(found[4:]) == [0, 1, 4, 9]


def test_rows_of_a_file_are_shuffled_by_batches(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "rows.h5", "w") as file:
        file["x"], file["y"] = np.ones((20, 2), np.float32), np.ones(20, np.float32)
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
        model.compile("sgd", "mse")
        model.fit(file["x"], file["y"], batch_size=5, verbose=0, shuffle="batch")
        with pytest.raises(TypeError, match='If using HDF5 input data, pass shuffle="batch"'):
            model.fit(file["x"], file["y"], batch_size=5, verbose=0)
