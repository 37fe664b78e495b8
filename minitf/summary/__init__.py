"""Summaries and the files that TensorBoard reads. The package is at the same time `tf.summary`.

The summary ops stand in `minitf/ops/summary.py`; here are the writer of event files and what it
needs. The messages (`Summary`, `Event`, ...) are those of the `tensorboard` package.
"""

from __future__ import annotations

from typing import Any

from minitf.ops.summary import (
    audio,
    get_summary_description,
    histogram,
    image,
    merge,
    merge_all,
    scalar,
    tensor_summary,
    text,
)
from minitf.ops.summary_protos import protos
from minitf.summary.writer import FileWriter, FileWriterCache

_MESSAGES = (
    "Event",
    "HistogramProto",
    "SessionLog",
    "Summary",
    "SummaryDescription",
    "SummaryMetadata",
    "TaggedRunMetadata",
)

__all__ = [
    "FileWriter",
    "FileWriterCache",
    "audio",
    "get_summary_description",
    "histogram",
    "image",
    "merge",
    "merge_all",
    "scalar",
    "tensor_summary",
    "text",
]


def __getattr__(name: str) -> Any:
    if name in _MESSAGES:
        return getattr(protos(), name)
    raise AttributeError(f"module 'minitf.summary' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_MESSAGES])
