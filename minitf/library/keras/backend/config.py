"""The settings that all of Keras goes by: the type of floats, the layout of images, a small number.

They hold for the process. `~/.keras/keras.json` of the original is not read: a program says itself
what it wants.
"""

from __future__ import annotations

from typing import Any

_settings: dict[str, Any] = {
    "floatx": "float32",
    "epsilon": 1e-7,
    "image_data_format": "channels_last",
}


def floatx() -> str:
    """The name of the type that variables and placeholders have by default: "float32"."""
    return _settings["floatx"]


def set_floatx(value: str) -> None:
    """Sets the type of floats: "float16", "float32" or "float64".

    Raises:
      ValueError: when it is none of these.
    """
    if value not in ("float16", "float32", "float64"):
        raise ValueError(f"Unknown floatx type: {value}")
    _settings["floatx"] = str(value)


def epsilon() -> float:
    """The small number that keeps from division by zero: 1e-7."""
    return _settings["epsilon"]


def set_epsilon(value: float) -> None:
    """Sets the small number."""
    _settings["epsilon"] = value


def image_data_format() -> str:
    """The layout of images by default: "channels_last", or "channels_first"."""
    return _settings["image_data_format"]


def set_image_data_format(data_format: str) -> None:
    """Sets the layout of images.

    Raises:
      ValueError: when it is neither "channels_last" nor "channels_first".
    """
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError(f"Unknown data_format: {data_format}")
    _settings["image_data_format"] = str(data_format)


def backend() -> str:
    """The name of what Keras stands on: "tensorflow"."""
    return "tensorflow"
