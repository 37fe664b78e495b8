"""Programs that were written for TensorFlow 1.x: how they run, and the names they expect.

`runner.py` is `python -m minitf`, `alias.py` lets `import tensorflow` mean minitf, `table.py` says
what each module of TensorFlow's tree stands for; the other files hold what `tf.contrib` had of its
own. The package is at the same time the namespace `tf.compat`; `tf.compat.v1` is the face.
"""

from __future__ import annotations

import contextlib
import datetime
import sys
from collections.abc import Iterator
from typing import Any

from minitf.core.graph.shapes import dimension_at_index, dimension_value
from minitf.core.graph.text import (
    as_bytes,
    as_str,
    as_str_any,
    as_text,
    bytes_or_text_types,
    complex_types,
    integral_types,
    path_to_str,
    real_types,
)

__all__ = [
    "as_bytes",
    "as_str",
    "as_str_any",
    "as_text",
    "bytes_or_text_types",
    "complex_types",
    "dimension_at_index",
    "dimension_value",
    "forward_compatibility_horizon",
    "forward_compatible",
    "integral_types",
    "path_to_str",
    "real_types",
]


_horizon = [datetime.date(2019, 10, 14)]  # the day of TensorFlow 1.15.0


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Whether a form that came into TensorFlow on a day is old enough to be written."""
    return _horizon[-1] > datetime.date(year, month, day)


@contextlib.contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """Writes in this block what a TensorFlow of another day would write."""
    _horizon.append(datetime.date(year, month, day))
    try:
        yield
    finally:
        _horizon.pop()


def __dir__() -> list[str]:
    return [*__all__, "v1", "v2"]


def __getattr__(name: str) -> Any:
    if name in ("v1", "v2"):
        return sys.modules[__name__.rpartition(".")[0]]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
