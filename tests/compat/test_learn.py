"""`tf.contrib.learn`: estimators fitted to arrays, monitors, experiments."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf

learn, layers = tf.contrib.learn, tf.contrib.layers


def clusters(count: int = 90) -> tuple[np.ndarray, np.ndarray]:
    """Points around three centers."""
    rng = np.random.default_rng(0)
    y = np.arange(count) % 3
    centers = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
    return (centers[y] + rng.normal(scale=0.5, size=(count, 2))).astype(np.float32), y


def test_a_deep_classifier_is_fitted_to_arrays() -> None:
    x, y = clusters()
    columns = learn.infer_real_valued_columns_from_input(x)
    assert columns == [layers.real_valued_column("", dimension=2)]
    classifier = learn.DNNClassifier(hidden_units=[10], feature_columns=columns, n_classes=3)
    assert classifier.fit(x, y, steps=100) is classifier
    found = classifier.evaluate(x=x, y=y)
    assert found["accuracy"] > 0.95 and found["global_step"] == 100
    classes = list(classifier.predict(x))
    assert np.mean(np.array(classes) == y) > 0.95
    assert np.ndim(classes[0]) == 0
    assert classifier.predict(x[:4], as_iterable=False).shape == (4,)
    probabilities = np.array(list(classifier.predict_proba(x[:5])))
    assert probabilities.shape == (5, 3)
    assert probabilities.sum(axis=1) == pytest.approx(np.ones(5))
    both = next(iter(classifier.predict(x, outputs=["classes", "logits"])))
    assert set(both) == {"classes", "logits"}


def test_a_linear_regressor_with_an_input_function() -> None:
    def input_fn() -> Any:
        x = tf.constant([[1.0], [2.0], [3.0], [4.0]])
        return {"x": x}, 2 * x + 1

    regressor = learn.LinearRegressor(
        [layers.real_valued_column("x")], optimizer=tf.train.GradientDescentOptimizer(0.05)
    )
    regressor.fit(input_fn=input_fn, steps=400)
    x = {"x": np.arange(1.0, 5.0)[:, None]}
    assert regressor.predict(x, as_iterable=False) == pytest.approx([3, 5, 7, 9], abs=0.1)
    assert regressor.evaluate(input_fn=input_fn, steps=1)["loss"] < 0.01
    assert "linear/linear_model/x/weights" in regressor.get_variable_names()


def test_wide_and_deep_with_words() -> None:
    jobs = np.array(["nurse", "cook"] * 20)

    def input_fn() -> Any:
        return {"job": tf.constant(jobs), "age": tf.constant(np.arange(40.0, dtype=np.float32))}, (
            tf.constant((jobs == "cook").astype(np.int64))
        )

    job = layers.sparse_column_with_keys("job", ["nurse", "cook"])
    hashed = layers.sparse_column_with_hash_bucket("job", 10)
    age = layers.real_valued_column("age", normalizer=lambda x: x / 40.0)
    stage = layers.bucketized_column(age, [0.5, 0.8])
    model = learn.DNNLinearCombinedClassifier(
        linear_feature_columns=[job, stage, layers.crossed_column([hashed, stage], 20)],
        dnn_feature_columns=[layers.embedding_column(job, 2), layers.one_hot_column(hashed), age],
        dnn_hidden_units=[4],
        config=learn.RunConfig(tf_random_seed=3),
    )
    model.fit(input_fn=input_fn, steps=100)
    assert model.evaluate(input_fn=input_fn, steps=1)["accuracy"] == 1.0


@pytest.mark.parametrize("form", ["tuple", "ops"])
def test_an_estimator_with_a_model_function(form: str) -> None:
    def model_fn(features: Any, labels: Any, mode: str, params: Any) -> Any:
        w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
        predictions = tf.matmul(features, w)[:, 0]
        loss = train = None
        if mode != learn.ModeKeys.INFER:
            loss = tf.losses.mean_squared_error(labels, predictions)
            train = layers.optimize_loss(
                loss, tf.contrib.framework.get_global_step(), params["rate"], "SGD"
            )
        if form == "tuple":
            return {"y": predictions}, loss, train
        return learn.ModelFnOps(mode, {"y": predictions}, loss, train)

    x = np.random.default_rng(1).normal(size=(64, 2)).astype(np.float32)
    y = x @ np.float32([2.0, -1.0])
    estimator = learn.Estimator(model_fn=model_fn, params={"rate": 0.1})
    estimator.fit(x=x, y=y, steps=100, batch_size=32)
    error = learn.MetricSpec(tf.metrics.mean_absolute_error, prediction_key="y")
    found = estimator.evaluate(x=x, y=y, metrics={"error": error})
    assert found["error"] < 0.05 and found["loss"] < 0.01
    assert next(iter(estimator.predict(x[:1])))["y"] == pytest.approx(y[0], abs=0.1)
    sklearn = learn.SKCompat(estimator)
    assert sklearn.predict(x)["y"] == pytest.approx(y, abs=0.1)
    assert sklearn.score(x, y)["loss"] < 0.01
    with pytest.raises(ValueError, match="Can not provide both input_fn and x, y or batch_size."):
        estimator.fit(x=x, input_fn=lambda: None, steps=1)


def test_a_monitor_validates_and_stops(tmp_path: Path) -> None:
    x, y = clusters()
    metrics = {
        "accuracy": learn.MetricSpec(
            metric_fn=tf.contrib.metrics.streaming_accuracy,
            prediction_key=learn.PredictionKey.CLASSES,
        )
    }
    monitor = learn.monitors.ValidationMonitor(
        x, y, every_n_steps=10, metrics=metrics, early_stopping_metric="accuracy",
        early_stopping_metric_minimize=False, early_stopping_rounds=40,
    )  # fmt: skip
    classifier = learn.DNNClassifier(
        feature_columns=learn.infer_real_valued_columns_from_input(x), hidden_units=[10],
        n_classes=3, model_dir=str(tmp_path), optimizer=tf.train.AdamOptimizer(0.05),
        config=learn.RunConfig(save_checkpoints_steps=10, save_checkpoints_secs=None),
    )  # fmt: skip
    classifier.fit(x=x, y=y, steps=1000, monitors=[monitor])
    assert monitor.early_stopped and monitor.best_value > 0.95
    assert classifier.get_variable_value("global_step") < 1000


def test_own_monitors_see_what_they_ask_for() -> None:
    seen: list[tuple[int, float]] = []

    class Mine(learn.monitors.EveryN):
        def every_n_step_begin(self, step: int) -> list[str]:
            return ["loss_here:0"]

        def every_n_step_end(self, step: int, outputs: Any) -> bool:
            seen.append((step, float(outputs["loss_here:0"])))
            return step >= 7

    def model_fn(features: Any, labels: Any) -> Any:
        w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
        loss = tf.reduce_mean(tf.square(features * w - labels), name="loss_here")
        return w, loss, layers.optimize_loss(loss, tf.train.get_global_step(), 0.1, "SGD")

    estimator = learn.Estimator(model_fn)
    estimator.fit(x=np.ones(4), y=np.ones(4), steps=100, monitors=[Mine(every_n_steps=3)])
    assert [step for step, _ in seen] == [1, 4, 7]
    assert seen[0][1] == pytest.approx(1.0)
    assert estimator.get_variable_value("global_step") == 7


def test_an_experiment_is_run(tmp_path: Path) -> None:
    x, y = clusters()

    def input_fn() -> Any:
        return tf.constant(x), tf.constant(y)

    def experiment_fn(output_dir: str) -> Any:
        columns = learn.infer_real_valued_columns_from_input_fn(input_fn)
        estimator = learn.LinearClassifier(columns, output_dir, n_classes=3)
        return learn.Experiment(estimator, input_fn, input_fn, train_steps=50, eval_steps=1)

    run = learn.learn_runner.run
    found, exported = run(experiment_fn, str(tmp_path), schedule="train_and_evaluate")
    assert found["accuracy"] > 0.9 and found["global_step"] == 50 and exported == []
    with pytest.raises(ValueError, match="Schedule references non-existent task fly"):
        run(experiment_fn, str(tmp_path), schedule="fly")


def test_columns_of_layers_read_records_and_make_inputs() -> None:
    word = layers.sparse_column_with_integerized_feature("word", 4)
    columns = [layers.one_hot_column(word), layers.real_valued_column("age")]
    spec = layers.create_feature_spec_for_parsing(columns)
    assert sorted(spec) == ["age", "word"]
    features = {"word": [[1], [3]], "age": [7.0, 8.0]}
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = layers.input_from_feature_columns(features, columns)
        assert inputs.name.startswith("input_from_feature_columns/")
        assert session.run(inputs).tolist() == [[7, 0, 1, 0, 0], [8, 0, 0, 0, 1]]
        sums, variables, bias = layers.weighted_sum_from_feature_columns(features, [word], 2)
        assert sums.shape.as_list() == [2, 2] and bias.shape.as_list() == [2]
        assert [v.shape.as_list() for v in variables[word]] == [[4, 2]]


def test_clipped_gradients_make_small_steps() -> None:
    def input_fn() -> Any:
        return {"x": tf.constant([[1000.0]])}, tf.constant([[1.0]])

    regressor = learn.LinearRegressor(
        [layers.real_valued_column("x")],
        optimizer=tf.train.GradientDescentOptimizer(1.0),
        gradient_clip_norm=0.5,
    )
    regressor.fit(input_fn=input_fn, steps=1)
    w, b = (
        regressor.get_variable_value(f"linear/linear_model/{name}").ravel()[0]
        for name in ("x/weights", "bias_weights")
    )
    assert w * w + b * b == pytest.approx(0.25)


def test_targets_in_a_column_are_one_number_a_row_as_tensorflow_feeds_them() -> None:
    seen: dict[str, list] = {}

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        seen[mode] = [features.shape.as_list()[1:], labels.shape.as_list()[1:]]
        prediction, loss = learn.models.linear_regression(features, labels)
        step = tf.contrib.framework.get_global_step()
        return prediction, loss, layers.optimize_loss(loss, step, 0.1, "SGD")

    x = np.linspace(-1, 1, 50, dtype=np.float32)
    regressor = learn.Estimator(model_fn)
    regressor.fit(x, 2 * x[:, None] + 1, batch_size=50, steps=200)
    assert seen[learn.ModeKeys.TRAIN] == [[1], []]
    assert regressor.evaluate(x, 2 * x[:, None] + 1)["loss"] < 1e-3


def test_models_of_one_layer() -> None:
    x, y = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32, [None, 3])
    predicted, loss = learn.models.logistic_regression_zero_init(x, y)
    flat, error = learn.models.linear_regression_zero_init(x, y[:, 0])
    assert flat.shape.as_list() == [None]
    assert [v.op.name for v in tf.trainable_variables()] == [
        "logistic_regression/weights", "logistic_regression/bias",
        "linear_regression/weights", "linear_regression/bias",
    ]  # fmt: skip
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        feeds = {x: [[1, 2]], y: [[2, 0, 0]]}
        found = sess.run([predicted, loss, error], feeds)
    assert found[0] == pytest.approx(np.full([1, 3], 1 / 3))
    assert found[1:] == [pytest.approx(2 * np.log(3)), pytest.approx(4)]


def test_data_sets_by_name() -> None:
    assert learn.datasets.load_dataset("iris").data.shape == (150, 4)
    assert learn.datasets.load_dataset("mnist").train.images.shape == (55000, 784)
    with pytest.raises(ValueError, match="Name of dataset is not found: cars"):
        learn.datasets.load_dataset("cars")


def test_skcompat_gives_all_predictions_by_their_older_names() -> None:
    x, y = clusters()
    columns = learn.infer_real_valued_columns_from_input(x)
    classifier = learn.SKCompat(learn.DNNClassifier([10], columns, n_classes=3))
    found = classifier.fit(x, y, steps=2).predict(x)
    assert set(found) == {"classes", "probabilities", "logits"}
    assert found["classes"].dtype == np.int64
    np.testing.assert_array_equal(found["classes"], found["logits"].argmax(1))
    regressor = learn.SKCompat(learn.LinearRegressor(columns))
    found = regressor.fit(x, y.astype(np.float32), steps=2).predict(x)
    assert {key: values.shape for key, values in found.items()} == {"scores": (len(x),)}


def test_a_metric_may_be_a_tensor_alone_and_an_export_has_no_labels(tmp_path: Path) -> None:
    seen = []

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        seen.append((mode, labels is None))
        guess = tf.squeeze(tf.layers.dense(features["x"], 1), 1)
        if mode == learn.ModeKeys.INFER:
            return learn.ModelFnOps(mode, guess)
        loss = tf.losses.mean_squared_error(labels, guess)
        step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
        metrics = {"most": tf.reduce_max(labels), "mean": list(tf.metrics.mean(labels))}
        return learn.ModelFnOps(mode, guess, loss, step, metrics)

    def input_fn() -> Any:
        return {"x": tf.constant([[1.0], [2.0]])}, tf.constant([3.0, 5.0])

    def serving_input_fn() -> Any:
        features = {"x": tf.placeholder(tf.float32, [None, 1])}
        return learn.InputFnOps(features, None, features)

    estimator = learn.Estimator(model_fn, model_dir=str(tmp_path))
    estimator.fit(input_fn=input_fn, steps=2)
    found = estimator.evaluate(input_fn=input_fn, steps=1)
    assert (found["most"], found["mean"]) == (5.0, 4.0)
    assert Path(estimator.export_savedmodel(str(tmp_path), serving_input_fn).decode()).is_dir()
    assert seen == [("train", False), ("eval", False), ("infer", True)]
    next(iter(estimator.predict(input_fn=lambda: input_fn()[0])))
    assert seen[-1] == ("infer", False)
