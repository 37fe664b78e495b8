"""The namespace `tf.contrib`: names only; each part is imported when it is first asked for."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

_parts = frozenset(module.name for module in pkgutil.iter_modules(__path__))


def __getattr__(name: str) -> Any:
    if name in _parts:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"minitf has no tf.contrib.{name}")


def __dir__() -> list[str]:
    return sorted(_parts)
