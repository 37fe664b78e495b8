"""Callbacks that watch a value of the epochs, and those that write the values to files."""

from __future__ import annotations

import csv
import os
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

from minitf.core.graph import logging, stacks
from minitf.library.formats.summary_protos import protos
from minitf.library.keras.backend.session import batch_get_value, get_graph, get_value, set_value
from minitf.library.keras.callbacks.base import Callback, writes_files
from minitf.library.sessions.file_writer import EventFileWriter
from minitf.library.summary.summary import histogram_proto, png_bytes

# ---- those that watch ----------------------------------------------------------------------------


class _Watcher(Callback):
    """Knows whether a value is better than the best one.

    Args:
      monitor: the name of the value, as "val_loss".
      mode: "min", "max", or "auto": "max" where the name is that of an accuracy.
      min_delta: by how much a value must be better.
      fits_max: the endings and parts of names that "auto" takes for accuracies.
    """

    def __init__(self, monitor: str, mode: str, min_delta: float = 0) -> None:
        super().__init__()
        self.monitor, self.mode = monitor, mode
        if mode not in ("auto", "min", "max"):
            kind = type(self).__name__
            logging.warning("%s mode %s is unknown, fallback to auto mode.", kind, mode)
            mode = "auto"
        largest = mode == "max" or (mode == "auto" and self._is_accuracy(monitor))
        self.monitor_op = np.greater if largest else np.less
        self.min_delta = abs(min_delta) if largest else -abs(min_delta)
        self._start()

    def _is_accuracy(self, monitor: str) -> bool:
        return "acc" in monitor

    def _start(self) -> None:
        self.best: Any = -np.inf if self.monitor_op is np.greater else np.inf

    def _improves(self, value: Any) -> bool:
        return bool(self.monitor_op(value - self.min_delta, self.best))

    def _value(self, logs: dict | None, purpose: str) -> Any:
        """The watched value; None, with a warning, where there is none."""
        value = (logs or {}).get(self.monitor)
        if value is None:
            names = ",".join(logs or {})
            logging.warning(
                "%s conditioned on metric `%s` which is not available. Available metrics are: %s",
                purpose,
                self.monitor,
                names,
            )
        return value


class EarlyStopping(_Watcher):
    """Ends the training when a value has stopped getting better.

    Args:
      monitor: the name of the value.
      min_delta: by how much it must get better to count.
      patience: how many epochs without getting better are waited for.
      verbose: whether to say so.
      mode: "min", "max" or "auto".
      baseline: what the value must be better than.
      restore_best_weights: whether to give the model the weights of the best epoch.
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
    ) -> None:
        super().__init__(monitor, mode, min_delta)
        self.patience, self.verbose, self.baseline = patience, verbose, baseline
        self.restore_best_weights = restore_best_weights
        self.wait = self.stopped_epoch = 0
        self.best_weights: Any = None

    def on_train_begin(self, logs: dict | None = None) -> None:
        """Begins anew."""
        self.wait = self.stopped_epoch = 0
        self._start()
        if self.baseline is not None:
            self.best = self.baseline

    def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
        """Compares the value with the best one."""
        current = self._value(logs, "Early stopping")
        if current is None:
            return
        if self._improves(current):
            self.best, self.wait = current, 0
            if self.restore_best_weights:
                self.best_weights = self.model.get_weights()
            return
        self.wait += 1
        if self.wait >= self.patience:
            self.stopped_epoch = epoch
            self.model.stop_training = True
            if self.restore_best_weights:
                if self.verbose > 0:
                    print("Restoring model weights from the end of the best epoch.")
                if self.best_weights is not None:
                    self.model.set_weights(self.best_weights)

    def on_train_end(self, logs: dict | None = None) -> None:
        """Says when it has ended the training."""
        if self.stopped_epoch > 0 and self.verbose > 0:
            print(f"Epoch {self.stopped_epoch + 1:05d}: early stopping")


class ModelCheckpoint(_Watcher):
    """Saves the model, after each epoch or when a value is the best so far.

    Args:
      filepath: the file; may name values, as "weights.{epoch:02d}-{val_loss:.2f}.h5".
      monitor: the name of the value.
      verbose: whether to say so.
      save_best_only: whether to save only what is the best so far.
      save_weights_only: whether to save the weights alone.
      mode: "min", "max" or "auto".
      period: of how many epochs one is saved, an older argument; `save_freq` may be "epoch".
    """

    def __init__(
        self,
        filepath: Any,
        monitor: str = "val_loss",
        verbose: int = 0,
        save_best_only: bool = False,
        save_weights_only: bool = False,
        mode: str = "auto",
        **kwargs: Any,
    ) -> None:
        super().__init__(monitor, mode)
        self.filepath, self.verbose = os.fspath(filepath), verbose
        self.save_best_only, self.save_weights_only = save_best_only, save_weights_only
        self.period = kwargs.pop("period", 1)
        if kwargs not in ({}, {"save_freq": "epoch"}):
            raise TypeError(f"Unexpected keyword arguments: {sorted(kwargs)}")
        self.epochs_since_last_save = 0

    def _is_accuracy(self, monitor: str) -> bool:
        return "acc" in monitor or monitor.startswith("fmeasure")

    def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
        """Saves, when enough epochs have passed."""
        self.epochs_since_last_save += 1
        if self.epochs_since_last_save >= self.period:
            self._save(epoch, logs)

    def _save(self, epoch: int, logs: dict | None) -> None:
        self.epochs_since_last_save = 0
        values = {k: v for k, v in (logs or {}).items() if k not in ("batch", "size")}
        try:
            path = self.filepath.format(epoch=epoch + 1, **values)
        except KeyError as error:
            raise KeyError(
                f'Failed to format this callback filepath: "{self.filepath}". Reason: {error}'
            ) from None
        said = f"saving model to {path}"
        if self.save_best_only:
            current = values.get(self.monitor)
            if current is None:
                text = "Can save best model only with %s available, skipping."
                logging.warning(text, self.monitor)
                return
            if not self._improves(current):
                self._say(epoch, f"{self.monitor} did not improve from {self.best:0.5f}")
                return
            said = f"{self.monitor} improved from {self.best:0.5f} to {current:0.5f}, {said}"
            self.best = current
        self._say(epoch, said)
        save: Callable = self.model.save_weights if self.save_weights_only else self.model.save
        if writes_files(self.model):
            save(path, overwrite=True)
            return
        with tempfile.TemporaryDirectory() as folder:  # to read some values takes all workers
            save(os.path.join(folder, f"temp{os.path.splitext(path)[1]}"), overwrite=True)

    def _say(self, epoch: int, text: str) -> None:
        if self.verbose > 0:
            print(f"\nEpoch {epoch + 1:05d}: {text}")


class _Rates(Callback):
    """Reads and sets the learning rate of the model."""

    def _rate(self) -> Any:
        if not hasattr(self.model.optimizer, "lr"):
            raise ValueError('Optimizer must have a "lr" attribute.')
        return get_value(self.model.optimizer.lr)

    def _set_rate(self, rate: Any) -> None:
        set_value(self.model.optimizer.lr, rate)


class LearningRateScheduler(_Rates):
    """Sets the learning rate before each epoch.

    Args:
      schedule: a function from the number of the epoch, and the rate where it takes two arguments,
        to the new rate.
      verbose: whether to say so.
    """

    def __init__(self, schedule: Callable[..., float], verbose: int = 0) -> None:
        super().__init__()
        self.schedule, self.verbose = schedule, verbose

    def on_epoch_begin(self, epoch: int, logs: dict | None = None) -> None:
        """Sets the rate."""
        before = float(self._rate())
        try:
            rate = self.schedule(epoch, before)
        except TypeError:  # it takes the epoch alone
            rate = self.schedule(epoch)
        if not isinstance(rate, (float, np.float32, np.float64)):
            raise ValueError('The output of the "schedule" function should be float.')
        self._set_rate(rate)
        if self.verbose > 0:
            print(
                f"\nEpoch {epoch + 1:05d}: LearningRateScheduler reducing learning rate to {rate}."
            )

    def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
        """Puts the rate into the logs."""
        if logs is not None:
            logs["lr"] = self._rate()


class ReduceLROnPlateau(_Watcher, _Rates):
    """Lowers the learning rate when a value has stopped getting better.

    Args:
      monitor: the name of the value.
      factor: the new rate is the old one times this; below 1.
      patience: how many epochs without getting better are waited for.
      verbose: whether to say so.
      mode: "min", "max" or "auto".
      min_delta: by how much it must get better to count; `epsilon` is an older name.
      cooldown: how many epochs are waited after lowering it.
      min_lr: the lowest rate.
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: int = 0,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0,
        **kwargs: Any,
    ) -> None:
        if factor >= 1.0:
            raise ValueError("ReduceLROnPlateau does not support a factor >= 1.0.")
        super().__init__(monitor, mode, kwargs.get("epsilon", min_delta))
        self.factor, self.min_lr, self.patience = factor, min_lr, patience
        self.verbose, self.cooldown = verbose, cooldown
        self.cooldown_counter = self.wait = 0

    def on_train_begin(self, logs: dict | None = None) -> None:
        """Begins anew."""
        self.cooldown_counter = self.wait = 0
        self._start()

    def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
        """Compares the value with the best one; puts the rate into the logs."""
        if logs is not None:
            logs["lr"] = self._rate()
        current = self._value(logs, "Reduce LR on plateau")
        if current is None:
            return
        if self.in_cooldown():
            self.cooldown_counter -= 1
            self.wait = 0
        if self._improves(current):
            self.best, self.wait = current, 0
        elif not self.in_cooldown():
            self.wait += 1
            rate = float(self._rate())
            if self.wait >= self.patience and rate > self.min_lr:
                rate = max(rate * self.factor, self.min_lr)
                self._set_rate(rate)
                if self.verbose > 0:
                    print(
                        f"\nEpoch {epoch + 1:05d}: ReduceLROnPlateau reducing learning rate to "
                        f"{rate}."
                    )
                self.cooldown_counter, self.wait = self.cooldown, 0

    def in_cooldown(self) -> bool:
        """Whether the rate was lowered just now."""
        return self.cooldown_counter > 0


# ---- those that write ----------------------------------------------------------------------------


class CSVLogger(Callback):
    """Writes a line of values for each epoch into a file.

    Args:
      filename: the file.
      separator: between two values.
      append: whether to go on with a file that is there.
    """

    def __init__(self, filename: Any, separator: str = ",", append: bool = False) -> None:
        super().__init__()
        self.filename, self.sep, self.append = os.fspath(filename), separator, append
        self.keys: list[str] = []

    def on_train_begin(self, logs: dict | None = None) -> None:
        """Begins the file, unless it goes on."""
        self.keys = []
        if not self.append:
            with open(self.filename, "w"):
                pass

    def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
        """Writes a line; before the first one, the names."""
        logs = logs or {}
        self.keys = self.keys or sorted(logs)
        with open(self.filename, "a", newline="") as file:
            writer = csv.writer(file, delimiter=self.sep, lineterminator="\n")
            if not file.tell():
                writer.writerow(["epoch", *self.keys])
            writer.writerow([epoch, *(logs.get(key, "NA") for key in self.keys)])


class TensorBoard(Callback):
    """Writes the values of the epochs, and histograms of the weights, for TensorBoard.

    Args:
      log_dir: the folder.
      histogram_freq: of how many epochs one gets histograms; 0 for none.
      batch_size: accepted.
      write_graph: whether to write the graph.
      write_grads: accepted.
      write_images: whether to write the weights as images, too.
      embeddings_freq, embeddings_layer_names, embeddings_metadata, embeddings_data: accepted.
      update_freq: "epoch"; values of batches are not written.
      profile_batch: accepted.
    """

    def __init__(
        self,
        log_dir: Any = "./logs",
        histogram_freq: int = 0,
        batch_size: int = 32,
        write_graph: bool = True,
        write_grads: bool = False,
        write_images: bool = False,
        embeddings_freq: int = 0,
        embeddings_layer_names: Any = None,
        embeddings_metadata: Any = None,
        embeddings_data: Any = None,
        update_freq: str = "epoch",
        profile_batch: int = 2,
    ) -> None:
        if update_freq != "epoch":
            raise ValueError(f"`update_freq` can only be 'epoch', received: {update_freq}")
        self._chief_worker_only = True
        super().__init__()
        self.log_dir, self.histogram_freq = os.fspath(log_dir), histogram_freq
        self.batch_size, self.write_graph = batch_size, write_graph
        self.write_grads, self.write_images = write_grads, write_images
        self.writer: Any = None

    def set_model(self, model: Any) -> None:
        """Begins the file, with the graph."""
        self.model = model
        graph = get_graph() if self.write_graph and not stacks.executing_eagerly() else None
        self.writer = EventFileWriter(self.log_dir, graph=graph)

    def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
        """Writes the values of an epoch, and the histograms."""
        for name, value in (logs or {}).items():
            summary = protos().Summary()
            summary.value.add(tag=f"epoch_{name}", simple_value=float(value))
            self.writer.add_summary(summary, epoch)
        self.writer.flush()
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            self._write_weights(epoch)

    def _write_weights(self, epoch: int) -> None:
        weights = [w for layer in self.model.layers for w in layer.weights]
        for weight, value in zip(weights, batch_get_value(weights), strict=True):
            tag, summary = weight.name.replace(":", "_"), protos().Summary()
            summary.value.add(tag=tag, histo=histogram_proto(value))
            image = _as_image(np.squeeze(value)) if self.write_images else None
            if image is not None:
                height, width = image.shape
                shown = summary.value.add(tag=f"{tag}/image").image
                shown.height, shown.width, shown.colorspace = height, width, 1
                shown.encoded_image_string = png_bytes(image[..., None])
            self.writer.add_summary(summary, epoch)
        self.writer.flush()

    def on_train_end(self, logs: dict | None = None) -> None:
        """Closes the file."""
        self.writer.close()


def _as_image(value: np.ndarray) -> np.ndarray | None:
    """A vector or matrix as pixels, the wider side lying; None for other weights."""
    if value.ndim not in (1, 2):
        return None
    flat = np.atleast_2d(value)
    flat = flat.T if flat.shape[0] > flat.shape[1] else flat
    spread = np.ptp(flat) or 1.0
    return ((flat - flat.min()) / spread * 255).astype(np.uint8)
