"""Programs that were written for TensorFlow 1.x: how they run, and the names they expect.

`runner.py` is `python -m minitf`, `alias.py` lets `import tensorflow` mean minitf, `table.py` says
what each module of TensorFlow's tree stands for; the other files hold what `tf.contrib` had of its
own. The package is at the same time the namespace `tf.compat`; `tf.compat.v1` is the public API.
"""

from __future__ import annotations

import sys
from typing import Any

from minitf.core.graph.shapes import dimension_at_index, dimension_value
from minitf.core.graph.text import as_bytes, as_str, as_str_any, as_text

__all__ = [
    "as_bytes",
    "as_str",
    "as_str_any",
    "as_text",
    "dimension_at_index",
    "dimension_value",
]


def __dir__() -> list[str]:
    return [*__all__, "v1", "v2"]


def __getattr__(name: str) -> Any:
    if name in ("v1", "v2"):
        return sys.modules[__name__.rpartition(".")[0]]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
