"""`Callback`: an object whose methods a model calls while it trains.

on_train_begin
  on_epoch_begin(epoch)
    on_train_batch_begin(batch), on_train_batch_end(batch, logs)    of each batch
    on_test_begin ... on_test_end                                   the validation
  on_epoch_end(epoch, logs)                       logs: {"loss": ..., "val_loss": ...}
on_train_end
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import nest


class Callback:
    """Base of the callbacks; a subclass overrides what it wants to be told.

    Attributes:
      model: the model.
      params: what `fit` was called with: batch_size, epochs, steps, samples, verbose,
        do_validation, metrics.
    """

    _chief_worker_only: bool | None = None

    def __init__(self) -> None:
        self.model: Any = None
        self.params: dict[str, Any] = {}
        self.validation_data: Any = None

    def set_params(self, params: dict[str, Any]) -> None:
        """Takes what `fit` was called with."""
        self.params = params

    def set_model(self, model: Any) -> None:
        """Takes the model."""
        self.model = model

    def on_epoch_begin(self, epoch: int, logs: dict | None = None) -> None:
        """Before an epoch."""

    def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
        """After an epoch and its validation; `logs` has the values of both."""

    def on_batch_begin(self, batch: int, logs: dict | None = None) -> None:
        """An older name of `on_train_batch_begin`."""

    def on_batch_end(self, batch: int, logs: dict | None = None) -> None:
        """An older name of `on_train_batch_end`."""

    def on_train_batch_begin(self, batch: int, logs: dict | None = None) -> None:
        """Before a batch of training."""
        self.on_batch_begin(batch, logs)

    def on_train_batch_end(self, batch: int, logs: dict | None = None) -> None:
        """After a batch of training; `logs` has the values."""
        self.on_batch_end(batch, logs)

    def on_test_batch_begin(self, batch: int, logs: dict | None = None) -> None:
        """Before a batch of `evaluate` or of the validation."""

    def on_test_batch_end(self, batch: int, logs: dict | None = None) -> None:
        """After a batch of `evaluate` or of the validation."""

    def on_predict_batch_begin(self, batch: int, logs: dict | None = None) -> None:
        """Before a batch of `predict`."""

    def on_predict_batch_end(self, batch: int, logs: dict | None = None) -> None:
        """After a batch of `predict`."""

    def on_train_begin(self, logs: dict | None = None) -> None:
        """Before `fit` begins."""

    def on_train_end(self, logs: dict | None = None) -> None:
        """After `fit` is done."""

    def on_test_begin(self, logs: dict | None = None) -> None:
        """Before `evaluate` or the validation."""

    def on_test_end(self, logs: dict | None = None) -> None:
        """After `evaluate` or the validation."""

    def on_predict_begin(self, logs: dict | None = None) -> None:
        """Before `predict`."""

    def on_predict_end(self, logs: dict | None = None) -> None:
        """After `predict`."""


class CallbackList:
    """Several callbacks, which are told the same.

    Args:
      callbacks: they; None for none.
    """

    def __init__(self, callbacks: Sequence[Callback] | None = None, queue_length: int = 10) -> None:
        self.callbacks = list(callbacks or ())
        self.params: dict[str, Any] = {}
        self.model: Any = None

    def set_params(self, params: dict[str, Any]) -> None:
        """Tells all what `fit` was called with."""
        self.params = params
        for callback in self.callbacks:
            callback.set_params(params)

    def set_model(self, model: Any) -> None:
        """Tells all the model."""
        self.model = model
        for callback in self.callbacks:
            callback.set_model(model)

    def hooks(self, name: str) -> list[Callable[..., None]]:
        """The methods of this name."""
        return [getattr(callback, name) for callback in self.callbacks]

    def __getattr__(self, name: str) -> Callable[..., None]:
        """`callbacks.on_epoch_end(epoch, logs)` calls the method of each."""
        if not name.startswith("on_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

        def tell(*args: Any, logs: dict | None = None) -> None:
            for hook in self.hooks(name):
                hook(*args, {} if logs is None else logs)

        return tell

    def __iter__(self) -> Iterator[Callback]:
        return iter(self.callbacks)


class History(Callback):
    """Keeps the values of all epochs: what `fit` returns.

    Attributes:
      history: a dict of lists, as {"loss": [...], "val_loss": [...]}.
      epoch: the numbers of the epochs.
    """

    def on_train_begin(self, logs: dict | None = None) -> None:
        """Begins anew."""
        self.epoch: list[int] = []
        self.history: dict[str, list[Any]] = {}

    def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
        """Keeps the values."""
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)


class ProgbarLogger(Callback):
    """Prints the progress of each epoch.

    Args:
      count_mode: "samples" or "steps": what is counted.
      stateful_metrics: names of values that are shown as they are.
    """

    def __init__(
        self, count_mode: str = "samples", stateful_metrics: Collection[str] | None = None
    ) -> None:
        super().__init__()
        if count_mode not in ("samples", "steps"):
            raise ValueError(f"Unknown `count_mode`: {count_mode}")
        self.use_steps = count_mode == "steps"
        self.stateful_metrics = set(stateful_metrics or ())

    def on_epoch_begin(self, epoch: int, logs: dict | None = None) -> None:
        """Begins a bar."""
        self.seen, self._values = 0, list[tuple[str, Any]]()
        self.target = self.params["steps" if self.use_steps else "samples"]
        unit, verbose = "step" if self.use_steps else "sample", self.params["verbose"]
        stateful = self.stateful_metrics
        self.progbar = Progbar(
            self.target, verbose=verbose, stateful_metrics=stateful, unit_name=unit
        )
        if self.params["epochs"] > 1 and verbose:
            print(f"Epoch {epoch + 1}/{self.params['epochs']}")

    def on_batch_end(self, batch: int, logs: dict | None = None) -> None:
        """Lets the bar grow; its end waits for the values of the validation."""
        logs = logs or {}
        self.seen += 1 if self.use_steps else logs.get("size", 0)
        self._values = self._named(logs)
        if self.target is None or self.seen < self.target:
            self.progbar.update(self.seen, self._values)
            self._values = []

    def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
        """Ends the line."""
        if self.target is None:  # now it is known
            self.progbar.target = self.seen
        self.progbar.update(self.seen, self._values + self._named(logs or {}))

    def _named(self, logs: dict) -> list[tuple[str, Any]]:
        return [(name, logs[name]) for name in self.params["metrics"] if name in logs]


class LambdaCallback(Callback):
    """A callback made of functions.

    Args:
      on_epoch_begin, on_epoch_end: functions of `epoch` and `logs`.
      on_batch_begin, on_batch_end: functions of `batch` and `logs`.
      on_train_begin, on_train_end: functions of `logs`.

    Further arguments become attributes.
    """

    def __init__(
        self,
        on_epoch_begin: Callable | None = None,
        on_epoch_end: Callable | None = None,
        on_batch_begin: Callable | None = None,
        on_batch_end: Callable | None = None,
        on_train_begin: Callable | None = None,
        on_train_end: Callable | None = None,
        **kwargs: Any,
    ) -> None:
        hooks = {name: each for name, each in locals().items() if name.startswith("on_")}
        super().__init__()
        given = {name: each for name, each in hooks.items() if each is not None}
        self.__dict__.update(kwargs, **given)


def writes_files(model: Any) -> bool:
    """Whether the callbacks of a model write here: where several workers train it, the chief's."""
    strategy = getattr(model, "_distribution_strategy", None)
    return strategy is None or strategy.extended.should_checkpoint


def configured(callbacks: Any, model: Any, params: dict[str, Any]) -> CallbackList:
    """The callbacks of one call of `fit`, `evaluate` or `predict`, told all they are to know.

    Args:
      callbacks: one, a list of them, or None.
      model: the model.
      params: see `Callback`.
    """
    made = CallbackList(nest.flatten(callbacks) if callbacks is not None else [])
    if not writes_files(model):
        made.callbacks = [c for c in made if not getattr(c, "_chief_worker_only", None)]
    made.set_model(model)
    made.set_params(params)
    model.stop_training = False
    return made


# ---- the bar -------------------------------------------------------------------------------------


class Progbar:
    """A bar, which is written over itself, with the means of some values.

    Args:
      target: how many steps there will be; None where that is not known.
      width: of the bar, in characters.
      verbose: 1: the bar; 2: one line when all is done; 0: nothing.
      interval: seconds between two updates of the screen.
      stateful_metrics: names of values that are shown as they are, not as means over the steps.
      unit_name: what a step is called, "step" or "sample".
    """

    def __init__(
        self,
        target: float | None,
        width: int = 30,
        verbose: int = 1,
        interval: float = 0.05,
        stateful_metrics: Collection[str] | None = None,
        unit_name: str = "step",
    ) -> None:
        self.target, self.width, self.verbose, self.interval = target, width, verbose, interval
        self.stateful_metrics = set(stateful_metrics or ())
        self.unit_name = unit_name
        in_notebook = "ipykernel" in sys.modules
        self._rewrites = sys.stdout.isatty() or in_notebook or os.name == "posix"
        self._values: dict[str, list[Any]] = {}  # the sum, and the number of steps in it
        self._seen = 0
        self._length = 0
        self._start = time.time()
        self._last_update = 0.0

    def update(
        self, current: int, values: Sequence[tuple[str, Any]] | None = None, force: bool = False
    ) -> None:
        """Says that `current` steps are done.

        Args:
          current: how many steps are done.
          values: pairs of a name and a value, which is the mean of the steps since the last call.
          force: shows it however soon after the last update, as in Keras before 2.1.
        """
        passed = current - self._seen
        for name, value in values or ():
            if name in self.stateful_metrics:
                self._values[name] = [value, 1]
            else:
                total = self._values.setdefault(name, [0.0, 0])
                total[0] += value * passed
                total[1] += passed
        self._seen = current
        now = time.time()
        done = self.target is not None and current >= self.target
        if self.verbose == 1:
            soon = now - self._last_update < self.interval and self.target is not None
            if soon and not (done or force):
                return
            self._write(self._bar(current), self._time(current, now, done), done)
        elif self.verbose == 2 and done:
            digits = len(str(int(self.target or 0)))
            count = f"{current:{digits}d}/{int(self.target or 0)}"
            sys.stdout.write(f"{count} - {now - self._start:.0f}s{self._shown()}\n")
            sys.stdout.flush()
        self._last_update = now

    def add(self, n: int, values: Sequence[tuple[str, Any]] | None = None) -> None:
        """Says that `n` more steps are done."""
        self.update(self._seen + n, values)

    def _bar(self, current: int) -> str:
        if self.target is None:
            return f"{current:7d}/Unknown"
        filled = int(self.width * current / self.target) if self.target else 0
        tip = ">" if current < self.target else "="
        arrow = "=" * (filled - 1) + tip if filled else ""
        whole = int(self.target)  # a number of steps may have a fraction
        digits = len(str(whole))
        return f"{current:{digits}d}/{whole} [{arrow}{'.' * (self.width - filled)}]"

    def _time(self, current: int, now: float, done: bool) -> str:
        each = (now - self._start) / current if current else 0.0
        if self.target is not None and not done:
            left = each * (self.target - current)
            minutes, seconds = divmod(int(left), 60)
            if left > 3600:
                return f" - ETA: {minutes // 60}:{minutes % 60:02d}:{seconds:02d}"
            return f" - ETA: {minutes}:{seconds:02d}" if left > 60 else f" - ETA: {seconds}s"
        if each >= 1 or each == 0:
            rate = f"{each:.0f}s"
        else:
            rate = f"{each * 1e3:.0f}ms" if each >= 1e-3 else f"{each * 1e6:.0f}us"
        return f" - {now - self._start:.0f}s {rate}/{self.unit_name}"

    def _shown(self) -> str:
        parts = []
        for name, (total, count) in self._values.items():
            mean = float(np.mean(total / max(1, count)))
            parts.append(f" - {name}: {mean:.4f}" if abs(mean) > 1e-3 else f" - {name}: {mean:.4e}")
        return "".join(parts)

    def _write(self, bar: str, timing: str, done: bool) -> None:
        text = bar + timing + self._shown()
        start = "\b" * self._length + "\r" if self._rewrites else "\n"
        rest = " " * max(0, self._length - len(text))
        self._length = len(text)
        sys.stdout.write(start + text + rest + ("\n" if done else ""))
        sys.stdout.flush()
