"""Callbacks that write the values of the epochs: to a table, to a server, for TensorBoard."""

from __future__ import annotations

import csv
import os
from typing import Any

import numpy as np

from minitf.core.graph import stacks
from minitf.library.formats.event_file import EventFileWriter
from minitf.library.formats.summary_protos import protos
from minitf.library.keras.backend.session import batch_get_value, get_graph
from minitf.library.keras.callbacks.base import Callback
from minitf.library.sessions.file_writer import SummaryToEventTransformer
from minitf.library.summary.summary import histogram_proto, png_bytes

_NOT_VALUES = ("batch", "size", "num_steps")


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
            writer.writerow([epoch, *(_written(logs.get(key, "NA")) for key in self.keys)])


def _written(value: Any) -> Any:
    """A value as it stands in the table: a list in quotes."""
    is_list = isinstance(value, (list, tuple, np.ndarray)) and np.ndim(value) > 0
    return f'"[{", ".join(map(str, value))}]"' if is_list else value


def _number(value: Any) -> Any:
    return value.item() if isinstance(value, (np.ndarray, np.generic)) else value


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
      update_freq: "epoch", "batch", or after how many samples values are written.
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
        update_freq: Any = "epoch",
        profile_batch: int = 2,
    ) -> None:
        self._chief_worker_only = True
        super().__init__()
        self.log_dir, self.histogram_freq = os.fspath(log_dir), histogram_freq
        self.batch_size, self.write_graph = batch_size, write_graph
        self.write_grads, self.write_images = write_grads, write_images
        self.update_freq = 1 if update_freq == "batch" else update_freq
        self.writer: Any = None
        self._batches = self._samples = self._samples_written = 0

    def set_model(self, model: Any) -> None:
        """Begins the file, with the graph."""
        self.model = model
        graph = get_graph() if self.write_graph and not stacks.executing_eagerly() else None
        self.writer = SummaryToEventTransformer(EventFileWriter(self.log_dir), graph)

    def _write(self, prefix: str, logs: dict | None, step: int) -> None:
        values = {k: v for k, v in (logs or {}).items() if k not in _NOT_VALUES}
        for name, value in values.items():
            summary = protos().Summary()
            summary.value.add(tag=prefix + name, simple_value=float(_number(value)))
            self.writer.add_summary(summary, step)
        self.writer.event_writer.flush()

    def on_batch_end(self, batch: int, logs: dict | None = None) -> None:
        """Writes the values of a batch, when enough samples have passed."""
        self._samples += (logs or {}).get("size", 1)
        if self.update_freq != "epoch":
            if self._samples - self._samples_written >= self.update_freq:
                self._write("batch_", logs, self._batches)
                self._samples_written = self._samples
        self._batches += 1

    def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
        """Writes the values of an epoch, and the histograms."""
        step = epoch if self.update_freq == "epoch" else self._samples
        self._write("epoch_", logs, step)
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
        self.writer.event_writer.flush()

    def on_train_end(self, logs: dict | None = None) -> None:
        """Closes the file."""
        self.writer.event_writer.close()


def _as_image(value: np.ndarray) -> np.ndarray | None:
    """A vector or matrix as pixels, the wider side lying; None for other weights."""
    if value.ndim not in (1, 2):
        return None
    flat = np.atleast_2d(value)
    flat = flat.T if flat.shape[0] > flat.shape[1] else flat
    spread = np.ptp(flat) or 1.0
    return ((flat - flat.min()) / spread * 255).astype(np.uint8)
