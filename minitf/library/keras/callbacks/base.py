"""`Callback`: an object whose methods a model calls while it trains.

on_train_begin
  on_epoch_begin(epoch)
    on_train_batch_begin(batch), on_train_batch_end(batch, logs)    of each batch
    on_test_begin ... on_test_end                                   the validation
  on_epoch_end(epoch, logs)                       logs: {"loss": ..., "val_loss": ...}
on_train_end
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import numpy as np

from minitf.core.graph import nest
from minitf.library.keras.utils.progress import Progbar


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


def _does_nothing(callback: Any, hook: str) -> bool:
    """Whether a hook is that of `Callback`, so that a loop over batches need not call it."""
    names = (hook, hook.replace("_train", "")) if "_train_batch" in hook else (hook,)
    return isinstance(callback, Callback) and all(
        getattr(getattr(callback, name), "__func__", None) is getattr(Callback, name)
        for name in names
    )


class CallbackList:
    """Several callbacks, which are told the same.

    Args:
      callbacks: they; None for none.
    """

    def __init__(self, callbacks: Sequence[Callback] | None = None, queue_length: int = 10) -> None:
        self.callbacks = list(callbacks or ())
        self.params: dict[str, Any] = {}
        self.model: Any = None

    def append(self, callback: Callback) -> None:
        """Adds one."""
        self.callbacks.append(callback)

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
        """The methods of this name that do anything."""
        return [getattr(c, name) for c in self.callbacks if not _does_nothing(c, name)]

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


class BaseLogger(Callback):
    """Puts the means of the batches' values into the logs of the epoch.

    `fit` computes them itself; programs that train by hand may use this.

    Args:
      stateful_metrics: names of values that are means already.
    """

    def __init__(self, stateful_metrics: Collection[str] | None = None) -> None:
        super().__init__()
        self.stateful_metrics = set(stateful_metrics or ())

    def on_epoch_begin(self, epoch: int, logs: dict | None = None) -> None:
        """Begins anew."""
        self.seen, self.totals = 0, dict[str, Any]()

    def on_batch_end(self, batch: int, logs: dict | None = None) -> None:
        """Adds the values of a batch."""
        logs = logs or {}
        size = logs.get("size", 0)
        self.seen += size
        for name, value in logs.items():
            stateful = name in self.stateful_metrics
            self.totals[name] = value if stateful else self.totals.get(name, 0) + value * size

    def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
        """Puts the means into the logs."""
        for name in self.params["metrics"] if logs is not None else ():
            if name in self.totals:
                count = 1 if name in self.stateful_metrics else self.seen
                logs[name] = self.totals[name] / count  # type: ignore[index]


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
        super().__init__()
        given = {
            "on_epoch_begin": on_epoch_begin,
            "on_epoch_end": on_epoch_end,
            "on_batch_begin": on_batch_begin,
            "on_batch_end": on_batch_end,
            "on_train_begin": on_train_begin,
            "on_train_end": on_train_end,
        }
        self.__dict__.update(kwargs)
        self.__dict__.update({name: hook for name, hook in given.items() if hook is not None})


class TerminateOnNaN(Callback):
    """Ends the training when the loss is no number."""

    def on_batch_end(self, batch: int, logs: dict | None = None) -> None:
        """Looks at the loss."""
        loss = (logs or {}).get("loss")
        if loss is not None and not np.isfinite(loss):
            print(f"Batch {batch}: Invalid loss, terminating training")
            self.model.stop_training = True


def writes_files(model: Any) -> bool:
    """Whether the callbacks of a model write here: where several workers train it, the chief's."""
    strategy = getattr(model, "_distribution_strategy", None)
    return strategy is None or strategy.extended.should_checkpoint


def configured(callbacks: Any, model: Any, params: dict[str, Any]) -> CallbackList:
    """The callbacks of one call of `fit`, `evaluate` or `predict`, told all they are to know.

    Args:
      callbacks: one, a list of them, a `CallbackList`, or None.
      model: the model.
      params: see `Callback`.
    """
    given = callbacks if isinstance(callbacks, CallbackList) else None
    made = given or CallbackList(nest.flatten(callbacks) if callbacks is not None else [])
    if not writes_files(model):
        made.callbacks = [c for c in made if not getattr(c, "_chief_worker_only", None)]
    made.set_model(model)
    made.set_params(params)
    model.stop_training = False
    return made
