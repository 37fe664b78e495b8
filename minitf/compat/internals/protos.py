"""TensorFlow's messages that come with the `tensorboard` package, as `tensorflow.core` has them."""

from __future__ import annotations

from typing import Any

from minitf.library.formats.summary_protos import protos


def __getattr__(name: str) -> Any:
    if name.startswith("DT_"):
        return protos().DataType.Value(name)
    if not name.startswith("_") and hasattr(protos(), name):
        return getattr(protos(), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
