"""Metrics by their names, as `compile(metrics=["mae"])` uses them."""

from __future__ import annotations

from typing import Any

from minitf.library.keras import losses
from minitf.library.keras.metrics import base, counts, functions, means
from minitf.library.keras.objects import Family

_HERE = (base, functions, means, counts)

#: The functions of losses are metrics, too; where a class has the name of a loss, it is the metric.
_KNOWN: dict[str, Any] = {
    name: value
    for module in (losses, *_HERE)
    for name, value in vars(module).items()
    if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
} | {"cosine": losses.cosine, "cosine_proximity": losses.cosine, "acc": functions.accuracy}

_METRICS = Family("metric function", _KNOWN)
get, serialize, deserialize = _METRICS.get, _METRICS.serialize, _METRICS.deserialize
