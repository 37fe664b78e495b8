"""Training as it runs: progress, speed, loss and metrics; pause, stop, and change the rate.

    monitor = Monitor(rate=True)                           a slider for the learning rate
    model.fit(x, y, callbacks=[monitor.callback()])        Keras
    estimator.train(input_fn, hooks=[monitor.hook()])      estimators and monitored sessions
    for step in monitor.steps(2000): ...                   a loop of one's own, as with a Live

Each metric has a chart of its own, in which training and validation meet: what is named "loss" and
"val_loss" shares one. Models, optimizers, sessions and variables are used by their public methods
alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import minitf as tf
from minitf_widgets.live.controls import Slider
from minitf_widgets.live.live import Live

__all__ = ["Monitor"]

_PARTS = ("val_", "test_", "train_", "validation_")


class Monitor(Live):
    """Watches training, and lets the reader pause it, stop it, and change its rate.

    Args:
      rate: a slider for the learning rate: a `Slider`, or True for one that starts at the rate
        that the optimizer has. `callback` sets the optimizer's with it, `hook` a variable; in a
        loop of one's own it is `monitor.rate`.
      title, log_y: as of a `Live`.
      controls: further ones, as of a `Live`.
    Example:
      >>> monitor = Monitor(rate=Slider(1e-4, 1.0, 0.01, log=True))
      >>> monitor.plot(0, loss=2.3, val_loss=2.4, accuracy=0.1)
    """

    def __init__(
        self,
        *,
        rate: Slider | bool = False,
        title: str = "Training",
        log_y: bool = False,
        **controls: Any,
    ) -> None:
        self._adopts = rate is True
        if rate:
            slider = rate if isinstance(rate, Slider) else Slider(1e-5, 10.0, 0.01, log=True)
            controls = {"rate": slider, **controls}
        super().__init__(title=title, log_y=log_y, **controls)

    def plot(self, step: float | None = None, /, *, panel: str = "", **values: Any) -> None:
        """Lets curves grow; "loss" and "val_loss" share a chart, "accuracy" has another."""
        for name, value in values.items():
            part = next((each for each in _PARTS if name.startswith(each)), "")
            super().plot(step, panel=panel or name.removeprefix(part), **{name: value})

    def callback(self) -> Any:
        """Returns a callback for Keras' `fit`.

        Stop ends `fit` after the batch; Kernel > Interrupt raises KeyboardInterrupt, as without a
        monitor.
        """
        return _Callback(self)

    def hook(
        self,
        values: Mapping[str, Any] | None = None,
        *,
        rate: Any = None,
        steps: int | None = None,
    ) -> Any:
        """Returns a session run hook, for a MonitoredSession or an estimator.

        Args:
          values: the scalar tensors to watch, or their names, each by the name of its curve; the
            graph's last loss, of the collection "losses", when None.
          rate: the variable that the slider of the rate sets.
          steps: how many there will be, for the progress bar.
        """
        return _Hook(self, values, rate, steps)

    def _adopt(self, rate: Any) -> None:
        """Moves the slider to the rate that is there, where it was given no value."""
        if self._adopts and isinstance(rate, (int, float, np.number, np.ndarray)):
            self._adopts = False
            self.set(rate=float(rate))


class _Callback(tf.keras.callbacks.Callback):
    """What Keras tells, told to a monitor."""

    def __init__(self, monitor: Monitor) -> None:
        super().__init__()
        self.monitor = monitor
        self._step, self._rate = 0, None  # type: int, float | None

    def on_train_begin(self, logs: Any = None) -> None:
        batches = self.params.get("steps")
        if not batches and self.params.get("samples") and self.params.get("batch_size"):
            batches = math.ceil(self.params["samples"] / self.params["batch_size"])
        self._step = 0
        self.monitor._begin(batches * self.params.get("epochs", 1) if batches else None)
        optimizer = getattr(self.model, "optimizer", None)
        if hasattr(optimizer, "get_config"):
            config = optimizer.get_config()
            self.monitor._adopt(config.get("learning_rate", config.get("lr")))

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        rate = self.monitor.values.get("rate")
        if rate is not None and rate != self._rate:
            self._rate = self.model.optimizer.lr = rate

    def on_train_batch_end(self, batch: int, logs: Mapping[str, Any] | None = None) -> None:
        self._plot({k: v for k, v in (logs or {}).items() if k not in ("batch", "size")})
        self._step += 1
        if not self.monitor._may_go(self._step):
            self.model.stop_training = True

    def on_epoch_end(self, epoch: int, logs: Mapping[str, Any] | None = None) -> None:
        self._plot({k: v for k, v in (logs or {}).items() if k.startswith("val_")})

    def on_train_end(self, logs: Any = None) -> None:
        self.monitor._finish("stopped" if self.monitor._mode == "stop" else "done")

    def _plot(self, values: Mapping[str, Any]) -> None:
        self.monitor.plot(self._step, **{k: v for k, v in values.items() if np.size(v) == 1})


class _Hook(tf.train.SessionRunHook):
    """What a session runs, told to a monitor."""

    def __init__(
        self, monitor: Monitor, values: Mapping[str, Any] | None, rate: Any, steps: int | None
    ) -> None:
        self._monitor, self._values, self._rate, self._steps = monitor, values, rate, steps
        self._set_rate: float | None = None
        self._names: Sequence[str] = ()
        self._fetches: tuple[Any, ...] = ()
        self._step, self._first = 0, 0

    def after_create_session(self, session: Any, coord: Any) -> None:
        graph = session.graph
        values = self._values
        if values is None:
            losses = graph.get_collection("losses")
            values = {"loss": losses[-1]} if losses else {}
        named = {
            name: graph.as_graph_element(each) if isinstance(each, str) else each
            for name, each in values.items()
        }
        counters = graph.get_collection("global_step")[:1]
        self._names, self._fetches = tuple(named), (*named.values(), *counters)
        self._step = self._first = int(session.run(counters[0])) if counters else 0
        if self._rate is not None:
            self._monitor._adopt(session.run(self._rate))
        self._monitor._begin(self._first + self._steps if self._steps else None)

    def before_run(self, context: Any) -> tf.train.SessionRunArgs:
        rate = self._monitor.values.get("rate")
        if self._rate is not None and rate is not None and rate != self._set_rate:
            self._rate.load(rate, context.session)
            self._set_rate = rate
        return tf.train.SessionRunArgs(self._fetches)

    def after_run(self, context: Any, values: Any) -> None:
        results = values.results or ()
        counted = results[len(self._names) :]
        self._step = int(counted[0]) if counted else self._step + 1
        self._monitor.plot(self._step, **dict(zip(self._names, results)))
        if not self._monitor._may_go(self._step):
            context.request_stop()

    def end(self, session: Any) -> None:
        self._monitor._finish("stopped" if self._monitor._mode == "stop" else "done")
