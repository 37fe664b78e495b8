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


def epsilon() -> float:
    """The small number that keeps from division by zero: 1e-7."""
    return _settings["epsilon"]


def image_data_format() -> str:
    """The layout of images by default: "channels_last", or "channels_first"."""
    return _settings["image_data_format"]
