"""Monitor: curves, pause, stop and rate in loops, `fit`, estimators and monitored sessions."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

pytest.importorskip("anywidget")

from minitf_widgets import Monitor, Slider  # noqa: E402

import minitf as tf  # noqa: E402
from tests.widgets.test_live import Page  # noqa: E402


@pytest.fixture
def graph():
    with tf.Graph().as_default() as made:
        yield made


def model():
    made = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])
    made.compile(tf.keras.optimizers.SGD(0.05), "mse", metrics=["mae"])
    return made


DATA = np.ones((64, 3), np.float32), np.ones((64, 1), np.float32)


def curves(monitor):
    return {f"{panel}/{name}": each.ys for (panel, name), each in monitor._curves.items()}


def test_each_metric_has_a_chart_which_its_validation_shares() -> None:
    monitor = Monitor()
    monitor.plot(0, loss=1, val_loss=2, accuracy=3, test_accuracy=4)
    assert set(curves(monitor)) == {
        "loss/loss", "loss/val_loss", "accuracy/accuracy", "accuracy/test_accuracy",
    }  # fmt: skip


def test_fit_is_watched(graph) -> None:
    monitor = Monitor()
    model().fit(*DATA, batch_size=16, epochs=3, validation_split=0.25, verbose=0,
                callbacks=[monitor.callback()])  # fmt: skip
    seen = curves(monitor)
    names = set(seen)
    assert len(seen["loss/loss"]) == 9 and len(seen["loss/val_loss"]) == 3
    assert len(names) == 4
    assert monitor._total == 9
    assert monitor.to_text().startswith("Training: finished, 9 steps; loss ")


def test_the_slider_sets_the_rate_of_the_optimizer(graph) -> None:
    trained = model()
    monitor = Monitor(rate=True)
    page = Page(monitor)
    rates = []

    class Turn(tf.keras.callbacks.Callback):
        def on_batch_begin(self, batch, logs=None):
            rates.append(float(tf.keras.backend.get_value(trained.optimizer.lr)))
            if batch == 2:
                page.tell("values", values={"rate": 0.5})

    trained.fit(*DATA, batch_size=16, verbose=0, callbacks=[monitor.callback(), Turn()])
    assert rates == pytest.approx([0.05, 0.05, 0.05, 0.5])


def test_stop_ends_fit_after_the_batch(graph) -> None:
    monitor = Monitor()
    page = Page(monitor)

    class Stop(tf.keras.callbacks.Callback):
        def on_batch_begin(self, batch, logs=None):
            if batch == 1:
                page.press("stop")

    model().fit(*DATA, batch_size=16, epochs=50, verbose=0, callbacks=[Stop(), monitor.callback()])
    assert monitor.to_text().startswith("Training: stopped at step 2 of 200")


def test_pause_holds_fit(graph) -> None:
    monitor = Monitor()
    page = Page(monitor)
    timer = threading.Timer(0.4, lambda: page.press("run"))

    class Hold(tf.keras.callbacks.Callback):
        def on_batch_begin(self, batch, logs=None):
            if batch == 1:
                page.press("pause")
                timer.start()

    start = time.perf_counter()
    model().fit(*DATA, batch_size=16, verbose=0, callbacks=[Hold(), monitor.callback()])
    assert time.perf_counter() - start > 0.35
    timer.join()


def training(graph):
    rate = tf.Variable(0.1, trainable=False, name="rate")
    w = tf.Variable(4.0)
    loss = tf.square(w - 1.0, name="cost")
    step = tf.train.get_or_create_global_step()
    train = tf.train.GradientDescentOptimizer(rate).minimize(loss, step)
    return rate, loss, train


def test_a_monitored_session_is_watched_stopped_and_turned(graph) -> None:
    rate, loss, train = training(graph)
    monitor = Monitor(rate=True)
    page = Page(monitor)
    hook = monitor.hook({"loss": loss, "again": "cost:0"}, rate=rate, steps=20)
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        assert monitor.rate == pytest.approx(0.1)
        for _ in range(5):
            session.run(train)
        page.tell("values", values={"rate": 0.5})
        session.run(train)
        assert session.run(rate) == pytest.approx(0.5)
        page.press("stop")
        session.run(train)
        assert session.should_stop()
    assert monitor._total == 20
    assert curves(monitor)["loss/loss"] == pytest.approx(curves(monitor)["again/again"])
    assert monitor.to_text().startswith("Training: stopped at step 7 of 20")


def test_an_estimator_is_watched_and_stopped(tmp_path) -> None:
    def model_fn(features, labels, mode):
        _, loss, train = training(None)
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)

    def input_fn():
        return tf.data.Dataset.from_tensors((1.0, 1.0)).repeat()

    monitor = Monitor()
    estimator = tf.estimator.Estimator(model_fn, model_dir=str(tmp_path))
    estimator.train(input_fn, hooks=[monitor.hook(steps=6)], steps=6)
    seen = curves(monitor)["loss/loss"]
    assert len(seen) == 6 and seen[-1] < seen[0]
    estimator.train(input_fn, hooks=[monitor.hook()], steps=4)
    assert len(curves(monitor)["loss/loss"]) == 10
    assert monitor.to_text().startswith("Training: finished, 10 steps")


def test_only_hooks_are_taken_for_hooks(tmp_path) -> None:
    assert isinstance(Monitor().hook(), tf.train.SessionRunHook)
    assert not isinstance(Monitor().callback(), tf.train.SessionRunHook)
    assert issubclass(tf.train.StopAtStepHook, tf.train.SessionRunHook)
    assert not isinstance(Monitor().hook(), tf.train.StopAtStepHook)


def test_a_slider_of_ones_own() -> None:
    assert Monitor(rate=Slider(0.1, 1.0, 0.3)).rate == 0.3
    with pytest.raises(AttributeError, match="Monitor has no 'rate'"):
        _ = Monitor().rate
