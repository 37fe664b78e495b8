"""Where a pipeline stands as a text: plain data in JSON, which is read without running anything.

{"file": 2, "left": (b"a", array([1, 2]))}  <-->  {"dict": [["file", 2], ["left", {"tuple": ...}]]}
"""

from __future__ import annotations

import base64
import io
import json
from typing import Any

import numpy as np


def written(value: Any) -> bytes:
    """Plain data as a text.

    Args:
      value: numbers, texts, bytes, arrays, None, and lists, tuples and dictionaries of them.
    Raises:
      TypeError: when there is anything else in it.
    """
    return json.dumps(_told(value)).encode()


def _told(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list):
        return [_told(each) for each in value]
    if isinstance(value, tuple):
        return {"tuple": [_told(each) for each in value]}
    if isinstance(value, dict):
        return {"dict": [[_told(key), _told(each)] for key, each in value.items()]}
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, np.ndarray) and value.dtype == object:
        return {"objects": [list(value.shape), [_told(each) for each in value.ravel()]]}
    if isinstance(value, np.ndarray | np.generic):
        file = io.BytesIO()
        np.save(file, value, allow_pickle=False)
        kind = "array" if isinstance(value, np.ndarray) else "number"
        return {kind: base64.b64encode(file.getvalue()).decode()}
    raise TypeError(f"The place of an iterator holds {value!r}, which cannot be saved.")
