"""ImageNet beside the networks: how images are prepared, and what the classes are called."""

from __future__ import annotations

import functools
import json
from typing import Any

import numpy as np

from minitf.library.datasets.download import get_file
from minitf.library.keras.backend.config import floatx, image_data_format

_INDEX = "https://storage.googleapis.com/download.tensorflow.org/data/imagenet_class_index.json"
#: By mode: the factor, what is taken off red, green and blue then, and by what they are divided.
_MODES: dict[str, tuple[float, Any, Any]] = {
    "tf": (1 / 127.5, [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]),
    "torch": (1 / 255.0, [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
    "caffe": (1.0, [103.939, 116.779, 123.68], [1.0, 1.0, 1.0]),  # blue, green, red
}


def preprocess_input(x: Any, data_format: str | None = None, mode: str = "caffe") -> Any:
    """Makes images of 0..255 what a network was trained on.

    Args:
      x: one image or a batch: an array, which is written over when it has floats, or a tensor.
      data_format: "channels_last", or "channels_first".
      mode: "tf": -1..1; "torch": 0..1, then so that ImageNet's have mean 0 and deviation 1;
        "caffe": blue first, then so that ImageNet's have mean 0.
    Raises:
      ValueError: when there is no such mode or layout.
    """
    if mode not in _MODES:
        raise ValueError(
            f"Expected mode to be one of `caffe`, `tf` or `torch`. Received: mode={mode}"
        )
    layout = data_format or image_data_format()
    if layout not in ("channels_first", "channels_last"):
        raise ValueError(
            "Expected data_format to be one of `channels_first` or `channels_last`. Received: "
            f"data_format={data_format}"
        )
    factor, mean, deviation = _MODES[mode]
    array = isinstance(x, np.ndarray)
    if array and x.dtype.kind != "f":
        x = x.astype(floatx())
    if mode == "caffe":
        rank = x.ndim if array else x.shape.ndims
        axis = rank - 1 if layout == "channels_last" else rank - 3
        x = x[(slice(None),) * axis + (slice(None, None, -1),)]
    shape = (3,) if layout == "channels_last" else (3, 1, 1)
    kind = x.dtype if array else x.dtype.as_numpy_dtype
    mean, deviation = (np.array(each, kind).reshape(shape) for each in (mean, deviation))
    if not array:
        return (x * factor - mean) / deviation
    x *= factor
    x -= mean
    x /= deviation
    return x


def preprocess_caffe(x: Any, data_format: str | None = None) -> Any:
    """Makes images of 0..255 what VGG and ResNet were trained on; see `preprocess_input`."""
    return preprocess_input(x, data_format, "caffe")


@functools.cache
def _classes() -> dict[str, list[str]]:
    path = get_file(
        "imagenet_class_index.json",
        _INDEX,
        cache_subdir="models",
        file_hash="c2c37ea517e94d9795004a39431a14cb",
    )
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def decode_predictions(preds: Any, top: int = 5) -> list[list[tuple[str, str, float]]]:
    """What the most likely classes are called; the list of names is fetched the first time.

    Args:
      preds: [n, 1000] probabilities.
      top: how many classes.
    Returns: for each image its classes, the most likely first: WordNet's key, name, probability.
    Raises:
      ValueError: when preds has another shape.
      DownloadError: when the names cannot be fetched.
    """
    if len(preds.shape) != 2 or preds.shape[1] != 1000:
        raise ValueError(
            "`decode_predictions` expects a batch of predictions (i.e. a 2D array of shape "
            f"(samples, 1000)). Found array with shape: {preds.shape}"
        )
    best = [sorted(row.argsort()[-top:], key=lambda place: -row[place]) for row in preds]
    return [
        [(*_classes()[str(place)], row[place]) for place in places]
        for row, places in zip(preds, best)
    ]
