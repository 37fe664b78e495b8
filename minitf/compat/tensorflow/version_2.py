"""Names of `tensorflow.python` that end in `_v1` or `_v2`: one function by two orders of arguments.

    array_ops.size_v2(x, tf.int64)      is  tf.size(x, out_type=tf.int64)
    math_ops.reduce_sum_v1(x, 1)        is  tf.reduce_sum(x, 1)

TensorFlow has functions of both versions in each module, and its tests and what programs copied of
its sources ask for them. A row of `version_2.txt` is the arguments of version 2, in their order.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from minitf.compat.tensorflow.alias import find

_SPACES = (".", "nn", "math", "sparse", "strings", "linalg", "debugging", "image", "io")


def _read(text: str) -> dict[str, tuple[str, list[str]]]:
    rows = (line.partition(" > ") for line in text.splitlines()[1:])
    return {f"{names.split()[-1]}_v2": (names.split()[0], args.split()) for names, _, args in rows}


_VARIANTS = _read(Path(__file__).with_name("version_2.txt").read_text())


def _reordered(original: Callable, row: list[str]) -> Callable:
    names = [each.replace("=", ":").partition(":")[0] for each in row]
    renamed = dict(each.split(":") for each in row if ":" in each)
    defaults = dict(each.split("=") for each in row if "=" in each)

    @functools.wraps(original)
    def variant(*args: Any, **kwargs: Any) -> Any:
        given = {**defaults, **dict(zip(names, args, strict=False)), **kwargs}
        return original(**{renamed.get(name, name): value for name, value in given.items()})

    return variant


@functools.cache
def __getattr__(name: str) -> Any:
    old, row = _VARIANTS.get(name, (name.removesuffix("_v1"), None))
    if old != name:
        for space in _SPACES:
            original = getattr(find(space), old, None)
            if callable(original):
                return _reordered(original, row) if row else original
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
