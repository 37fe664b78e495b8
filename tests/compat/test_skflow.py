"""`contrib.skflow` and the estimators of early `contrib.learn`: against NumPy, and as programs."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf
from tests.compat.test_old_programs import _run

learn, skflow = tf.contrib.learn, tf.contrib.skflow
RNG = np.random.RandomState(0)
X = RNG.normal(size=(40, 3)).astype(np.float32)
CLASSES = X.argmax(1)
ALL = {"batch_size": -1, "optimizer": "SGD", "learning_rate": 0.5, "clip_gradients": None}


def _softmax(logits: np.ndarray) -> np.ndarray:
    exp = np.exp(logits)
    return exp / exp.sum(1, keepdims=True)


@pytest.mark.parametrize("columns", [1, 2])
def test_linear_regression_steps_as_in_numpy(columns: int) -> None:
    y = X @ RNG.normal(size=(3, columns)).astype(np.float32) + 2
    model = skflow.TensorFlowLinearRegressor(verbose=0, **ALL)
    model.fit(X, y, steps=1)
    w, b = model.weights_, model.bias_
    model.partial_fit(X, y, steps=4)
    for _ in range(4):
        error = 2 * (X @ w + b - y) / y.size
        w, b = w - 0.5 * X.T @ error, b - 0.5 * error.sum(0)
    np.testing.assert_allclose(model.weights_, w, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(model.get_tensor_value("linear_regression/bias:0"), b, rtol=1e-3)
    predicted = model.predict(X)
    assert predicted.shape == ((40,) if columns == 1 else (40, 2))
    np.testing.assert_allclose(predicted.reshape(y.shape), X @ w + b, rtol=1e-3, atol=1e-4)
    assert model.get_variable_value("global_step") == 5


def test_classes_step_as_in_numpy() -> None:
    """One-hot labels, weights of classes on the logits, a number of steps as third argument."""
    factors = np.array([1.0, 2.0, 0.5], np.float32)
    model = learn.TensorFlowLinearClassifier(
        3, verbose=0, class_weight=factors.tolist(), continue_training=True, **ALL
    )
    model.fit(X, CLASSES, 1)
    w, b = model.weights_, model.bias_
    model.fit(X, CLASSES[:, None], 5)
    for _ in range(5):
        error = (_softmax((X @ w + b) * factors) - np.eye(3)[CLASSES]) * factors / len(X)
        w, b = w - 0.5 * X.T @ error, b - 0.5 * error.sum(0)
    np.testing.assert_allclose(model.weights_, w, rtol=1e-3, atol=1e-5)
    probabilities = _softmax((X @ w + b) * factors)
    np.testing.assert_allclose(model.predict_proba(X, batch_size=7), probabilities, rtol=1e-3)
    np.testing.assert_array_equal(model.predict(X), probabilities.argmax(1))
    np.testing.assert_array_equal(model.predict(X, axis=-1), model.predict_proba(X))
    assert set(model.evaluate(X, CLASSES)) == {"loss", "global_step"}


def test_fit_begins_anew_unless_told(tmp_path: Path) -> None:
    model = skflow.TensorFlowLinearClassifier(n_classes=3, steps=3, verbose=0)
    for _ in range(2):
        model.fit(X=X, y=CLASSES)
        assert model.get_variable_value("global_step") == 3
    model.fit(X, CLASSES, logdir=str(tmp_path / "logs"), batch_size=5)
    assert model.model_dir == str(tmp_path / "logs") and list((tmp_path / "logs").glob("events*"))
    assert model.get_params()["n_classes"] == 3 and "model_fn" not in model.get_params()
    assert model.set_params(steps=4).steps == 4
    with pytest.raises(ValueError, match="Invalid parameter depth for estimator TensorFlowLinear"):
        model.set_params(depth=3)


def test_monitors_stop_and_print(capsys: pytest.CaptureFixture) -> None:
    watching = skflow.monitors.ValidationMonitor(
        X[:9] + 5, CLASSES[:9], n_classes=0, print_steps=4, early_stopping_rounds=3
    )

    def model_fn(x: Any, y: Any) -> Any:
        w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
        return w * x[:, 0], tf.reduce_mean(tf.square(w - tf.reduce_mean(x)))

    model = skflow.TensorFlowEstimator(
        model_fn, 0, 40, optimizer="SGD", clip_gradients=None, learning_rate=0.1
    )
    model.fit(X - X.mean() - 5, CLASSES, watching)  # w goes to -5, away from 5
    assert watching.min_loss_i == 0 and watching.steps == 3
    values = [float(v) for v in watching.all_val_loss_buffer]
    assert values == sorted(values) and len(values) == 4
    printed = capsys.readouterr().out
    assert printed.startswith("Step #0, avg. train loss: ") and "Step #0, avg. val loss" in printed
    skflow.TensorFlowLinearRegressor(steps=3).fit(X, CLASSES)
    assert capsys.readouterr().out.startswith("Step #0, avg. train loss: ")


def test_errors(tmp_path: Path) -> None:
    model = learn.TensorFlowDNNRegressor(hidden_units=[2])
    for ask in (lambda: model.predict(X), lambda: model.save(str(tmp_path))):
        with pytest.raises(learn.NotFittedError, match="DNNRegressor instance is not fitted yet"):
            ask()
    with pytest.raises(ValueError, match="Restore folder doesn't contain model definition."):
        learn.TensorFlowEstimator.restore(str(tmp_path))
    rnn = learn.TensorFlowRNNClassifier(2, 2, "other", input_op_fn=lambda x: [x])
    with pytest.raises(ValueError, match="cell_type other is not supported"):
        rnn.fit(X, CLASSES > 0)


def test_save_and_restore(tmp_path: Path) -> None:
    """Without the model function, and without the dropout of its training."""
    folder = str(tmp_path / "model")

    def model_fn(x: Any, y: Any) -> Any:
        return learn.models.logistic_regression(learn.ops.dnn(x, [6], dropout=0.5), y)

    model = learn.TensorFlowEstimator(model_fn, n_classes=3, steps=5, verbose=0)
    model.fit(X, CLASSES)
    model.save(folder)
    again = learn.TensorFlowEstimator.restore(folder)
    assert again.steps == 5 and again.model_fn is None
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.evaluate(X, CLASSES) == model.evaluate(X, CLASSES)
    again.partial_fit(X, CLASSES, steps=2)
    assert again.get_variable_value("global_step") == 7
    known = learn.TensorFlowDNNClassifier([4, 5], 3, steps=2, verbose=0).fit(X, CLASSES)
    known.save(folder)
    again = skflow.TensorFlowEstimator.restore(folder)
    assert type(again) is learn.TensorFlowDNNClassifier and again.hidden_units == [4, 5]
    assert [w.shape for w in again.weights_] == [(3, 4), (4, 5), (5, 3)]
    assert [b.shape for b in again.bias_] == [(4,), (5,), (3,)]


def test_operations() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        x = tf.constant(X)
        hidden = learn.ops.dnn(x, [4, 2], activation=None, keep_prob=0.5)
        assert [v.name for v in tf.global_variables()] == [
            f"dnn/layer{i}/fully_connected/{kind}:0" for i in (0, 1) for kind in ("weights", "bias")
        ]
        graph.add_to_collection(learn.ops.IS_TRAINING, False)
        assert skflow.ops.dropout(x, 0.5) is x
        ids = tf.constant([[2, 0], [1, 1]])
        vectors = skflow.ops.categorical_variable(ids, 3, embedding_size=5, name="words")
        parts = skflow.ops.split_squeeze(1, 2, vectors)
        flat = skflow.ops.one_hot_matrix(ids, 3, on_value=2.0)
        image = tf.reshape(x[:32], [2, 4, 4, 3])
        made = skflow.ops.conv2d(image, 7, [3, 3], strides=[1, 2, 2, 1], batch_norm=True)
        with tf.variable_scope("small"):
            plain = skflow.ops.conv2d(image, 2, (1, 1), activation=tf.nn.relu)
        sess.run(tf.global_variables_initializer())
        names = ("words/words_embeddings:0", "small/convolution/filters:0")
        table, filters = sess.run(names)
        vectors, parts, flat, shape, plain = sess.run((vectors, parts, flat, made, plain))
        np.testing.assert_array_equal(vectors, table[[[2, 0], [1, 1]]])
        np.testing.assert_array_equal(parts[1], vectors[:, 1])
        np.testing.assert_array_equal(flat[0], [[0, 0, 2], [2, 0, 0]])
        assert shape.shape == (2, 2, 2, 7) and hidden.shape == (40, 2)
        bias = sess.run("small/convolution/bias:0")
        by_hand = np.maximum(X[:32].reshape(2, 4, 4, 3) @ filters[0, 0] + bias, 0)
        np.testing.assert_allclose(plain, by_hand, rtol=1e-4, atol=1e-5)


def test_cells_over_sequences() -> None:
    """The last state of two layers that run both ways; an LSTM's is (c, h) side by side."""
    with tf.Graph().as_default(), tf.Session() as sess:
        steps = [tf.constant(X), tf.constant(X[::-1].copy())]
        seen: list[Any] = []
        make = learn.models.get_rnn_model
        make(4, "lstm", 2, lambda x: x, True, lambda s, y: seen.append(s), None, None)(steps, None)
        with tf.variable_scope("one"):
            model = make(4, "rnn", 1, tf.unstack, False, lambda s, y: (s, y), [2] * 40, None)
            state, _ = model(tf.stack(steps), None)
        sess.run(tf.global_variables_initializer())
        assert seen[0].shape == (40, 2 * 2 * 8)
        name = "one/rnn/multi_rnn_cell/cell_0/basic_rnn_cell"
        kernel, found = sess.run((f"{name}/kernel:0", state))
        hand = np.zeros((40, 4))
        for row in (X, X[::-1]):
            hand = np.tanh(np.concatenate([row, hand], 1) @ kernel)
        np.testing.assert_allclose(found, hand, rtol=1e-4, atol=1e-5)


def test_estimators_of_a_programs_own() -> None:
    class Mean(learn.BaseEstimator):
        def _loss(self, features: Any, labels: Any) -> Any:
            self._guess = tf.get_variable("guess", [], initializer=tf.zeros_initializer())
            return tf.reduce_mean(tf.square(self._guess - labels))

        def _get_train_ops(self, features: Any, labels: Any) -> Any:
            loss, step = self._loss(features, labels), tf.train.get_global_step()
            train = tf.train.GradientDescentOptimizer(0.5).minimize(loss, step)
            return learn.ModelFnOps(learn.ModeKeys.TRAIN, self._guess, loss, train)

        def _get_eval_ops(self, features: Any, labels: Any, metrics: Any) -> Any:
            loss = self._loss(features, labels)
            assert metrics is None
            return learn.ModelFnOps(learn.ModeKeys.EVAL, self._guess, loss)

        def _get_predict_ops(self, features: Any) -> Any:
            self._loss(features, 0.0)
            guess = self._guess + 0 * features[:, 0]
            return learn.ModelFnOps(learn.ModeKeys.INFER, {"guess": guess})

    y = X.sum(1)
    model = Mean().fit(input_fn=lambda: (tf.constant(X), tf.constant(y)), steps=1)
    assert isinstance(model, learn.Trainable) and isinstance(model, learn.Evaluable)
    assert issubclass(learn.DNNClassifier, learn.BaseEstimator)
    found = next(model.predict(X))["guess"]
    np.testing.assert_allclose(found, y.mean(), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(model.evaluate(X, y)["loss"], y.var(), rtol=1e-4)
    assert learn.GraphRewriteSpec(("serve",), ()).tags == ("serve",)


def test_programs_of_2016(tmp_path: Path) -> None:
    done = _run(
        """
import numpy as np
import tensorflow as tf
from tensorflow.contrib import learn, skflow
import tensorflow.contrib.learn as older_skflow
from tensorflow.contrib.skflow.python.skflow import monitors
from tensorflow.contrib.learn.python.learn.estimators.base import TensorFlowEstimator
from tensorflow.contrib.learn.python.learn.ops import array_ops

texts = ["the cat sat", "a dog ran", "the cat ran", "a dog sat"] * 20
target = np.array([0, 1, 0, 1] * 20)
processor = skflow.preprocessing.VocabularyProcessor(4)
words = np.array(list(processor.fit_transform(texts)))
n_words = len(processor.vocabulary_)

def rnn_model(X, y):
    vectors = skflow.ops.categorical_variable(X, n_classes=n_words, embedding_size=6, name="words")
    cell = tf.nn.rnn_cell.GRUCell(6)
    _, encoding = tf.nn.rnn(cell, array_ops.split_squeeze(1, 4, vectors), dtype=tf.float32)
    return skflow.models.logistic_regression(encoding, y)

def decay(global_step):
    return tf.train.exponential_decay(0.05, global_step, decay_steps=100, decay_rate=0.5)

classifier = TensorFlowEstimator(model_fn=rnn_model, n_classes=2, steps=30, optimizer="Adam",
                                 learning_rate=decay, continue_training=True)
watch = monitors.ValidationMonitor(words, target, n_classes=2, early_stopping_rounds=20)
for _ in range(2):
    classifier.fit(words, target, watch, logdir="logs")
print(np.mean(classifier.predict(words) == target), classifier.get_variable_value("global_step"))

def input_fn(X):
    return tf.split(1, 5, X)

data = np.array([[2, 1, 2, 2, 3], [2, 2, 3, 4, 5], [3, 3, 1, 2, 1], [2, 4, 5, 4, 1]], np.float32)
for kind in older_skflow.TensorFlowRNNClassifier, skflow.TensorFlowRNNClassifier:
    rnn = kind(rnn_size=8, n_classes=2, cell_type="gru", input_op_fn=input_fn, num_layers=1,
               bidirectional=True, steps=60, optimizer="Adam", learning_rate=0.05, verbose=0)
    rnn.fit(data, [1, 0, 1, 0])
    print(rnn.predict(data), rnn.weights_.shape)
""",
        tmp_path,
    )
    lines = [line for line in done.stdout.splitlines() if not line.startswith("Step #")]
    assert lines == ["1.0 60", "[1 0 1 0] (16, 2)", "[1 0 1 0] (16, 2)"], done.stderr


def test_programs_with_checkpoints_and_two_targets(tmp_path: Path) -> None:
    """Monitors that look at checkpoints, as of 0.9; convolutions; `learn.tf`."""
    done = _run(
        """
import numpy as np
import tensorflow as tf
from tensorflow.contrib import learn
rng = np.random.RandomState(0)
X = rng.rand(60, 36)
Y = (X[:, :18].sum(1) > X[:, 18:].sum(1)).astype(int)

def conv_model(X, y):
    X = tf.reshape(X, [-1, 6, 6, 1])
    with tf.variable_scope("conv_layer1"):
        h = learn.ops.conv2d(X, n_filters=4, filter_shape=[3, 3], bias=True,
                             activation=tf.nn.relu, batch_norm=True)
        h = tf.nn.max_pool(h, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    h = learn.ops.dnn(tf.reshape(h, [-1, 36]), [16], activation=tf.nn.relu, dropout=0.1)
    return learn.models.logistic_regression(h, y)

monitor = learn.monitors.ValidationMonitor(X, Y, every_n_steps=10, early_stopping_rounds=1000)
classifier = learn.TensorFlowEstimator(
    model_fn=conv_model, n_classes=2, batch_size=100, steps=60, learning_rate=0.01,
    optimizer=tf.train.AdamOptimizer(0.02), verbose=2)
classifier.fit(X, Y, monitors=[monitor], logdir="ops_logs")
print(np.mean(classifier.predict(X) == Y) > 0.8, monitor.best_step)

x = np.linspace(-1, 1, 80)[:, None]
y = np.concatenate([np.sin(3 * x), np.cos(3 * x)], 1)
def tanh_dnn(X, y):
    features = learn.ops.dnn(X, hidden_units=[8], activation=learn.tf.tanh)
    return learn.models.linear_regression(features, y)
for optimizer in "Adagrad", tf.train.AdagradOptimizer:
    regressor = learn.TensorFlowEstimator(model_fn=tanh_dnn, n_classes=0, steps=200,
                                          learning_rate=0.3, batch_size=20, optimizer=optimizer,
                                          verbose=0, config=learn.RunConfig(num_cores=4))
    regressor.fit(x, y)
    print(np.mean((regressor.predict(x) - y) ** 2) < 0.15, regressor.predict(x).shape)
""",
        tmp_path,
    )
    assert done.stdout.splitlines()[-2:] == ["True (80, 2)"] * 2, done.stdout + done.stderr
    assert "True 1" in done.stdout.splitlines()
