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


def read(text: bytes) -> Any:
    """The plain data of a text.

    Raises:
      ValueError: when it is no such text.
    """
    return _made(json.loads(text))


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


def _made(value: Any) -> Any:
    if isinstance(value, list):
        return [_made(each) for each in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    return _MADE[kind](content)


def _array(text: str) -> np.ndarray:
    return np.load(io.BytesIO(base64.b64decode(text)), allow_pickle=False)


def _objects(content: Any) -> np.ndarray:
    shape, values = content
    array = np.empty(len(values), object)
    array[:] = [_made(each) for each in values]
    return array.reshape(shape)


_MADE: dict[str, Any] = {
    "tuple": lambda content: tuple(_made(content)),
    "dict": lambda content: {_made(key): _made(each) for key, each in content},
    "bytes": base64.b64decode,
    "objects": _objects,
    "array": _array,
    "number": lambda content: _array(content)[()],
}
