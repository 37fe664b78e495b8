"""`tf.contrib.learn`: estimators fitted to arrays, monitors, experiments."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf

learn, layers = tf.contrib.learn, tf.contrib.layers


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


def test_a_monitor_stops_when_nothing_improves(tmp_path: Path) -> None:
    def model_fn(features: Any, labels: Any) -> Any:
        w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
        loss = tf.reduce_mean(tf.square(features * w - labels))
        return w, loss, layers.optimize_loss(loss, tf.train.get_global_step(), 0.0, "SGD")

    estimator = learn.Estimator(
        model_fn,
        str(tmp_path),
        learn.RunConfig(save_checkpoints_secs=None, save_checkpoints_steps=2),
    )
    monitor = learn.monitors.ValidationMonitor(
        np.ones(4), np.ones(4), every_n_steps=2, early_stopping_rounds=4
    )
    estimator.fit(x=np.ones(4), y=np.ones(4), steps=100, monitors=[monitor])
    assert monitor.early_stopped and monitor.best_value == pytest.approx(1.0)
    assert estimator.get_variable_value("global_step") < 20


def test_data_sets_by_name() -> None:
    assert learn.datasets.load_dataset("iris").data.shape == (150, 4)
    assert learn.datasets.load_dataset("mnist").train.images.shape == (55000, 784)
    with pytest.raises(ValueError, match="Name of dataset is not found: cars"):
        learn.datasets.load_dataset("cars")


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


# ---- graphs --------------------------------------------------------------------------------------


learn = tf.contrib.learn


@pytest.fixture(autouse=True)
def own_graph() -> Any:
    with tf.Graph().as_default():
        yield


def line() -> tuple[Any, Any, Any]:
    """w x with w = 0 and its squared distance from 2 x; a step of descent."""
    x = tf.placeholder_with_default(np.float32([1.0, 2.0]), [None], name="x")
    w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(w * x - 2 * x))
    step = tf.train.create_global_step()
    return x, loss, tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)


def test_a_loss_that_is_not_a_number_ends_the_training(tmp_path: Path) -> None:
    x, loss, step = line()
    with pytest.raises(learn.NanLossDuringTrainingError):
        learn.train(
            tf.get_default_graph(), str(tmp_path), step, loss, steps=2,
            feed_fn=lambda: {x: [np.nan]},
        )  # fmt: skip
