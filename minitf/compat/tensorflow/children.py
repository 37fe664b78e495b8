"""What processes inherit that a program starts: `tensorflow` means minitf there, too.

    multiprocessing, Dask's nannies and joblib      write down how a child shall prepare itself
      -> one more entry of that                     the child reads it before it imports the program

A process that was forked has all of this already.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from minitf.compat.behavior import enable_eager_execution, enable_tensor_equality
from minitf.compat.tensorflow import alias

_eagerly = False  # how the program runs that this process belongs to


def prepare(eagerly: bool) -> None:
    """Makes this process one of a program that imports `tensorflow`.

    Args:
      eagerly: whether it runs eagerly from its first line on.
    """
    global _eagerly
    _eagerly = eagerly
    alias.install_with_old_names()
    if eagerly:
        enable_eager_execution()
        enable_tensor_equality()


class _Inherited:
    """Reading it from a pickle prepares the process; it stands before that process's own path."""

    def __reduce__(self) -> Any:
        find = f"import sys; sys.path.insert(0, {str(Path(__file__).parents[3])!r})"
        return exec, (f"{find}; import {__name__} as ours; ours.prepare({_eagerly})",)


def _change(spawn: Any) -> None:
    """Adds to what `multiprocessing.spawn`, or joblib's own, tells a child."""
    original = spawn.get_preparation_data

    @functools.wraps(original)
    def with_ours(*args: Any, **kwargs: Any) -> dict[str, Any]:
        data = original(*args, **kwargs)
        return {**data, "minitf": _Inherited()} if alias.is_installed() else data

    spawn.get_preparation_data = with_ours


CHANGES = dict.fromkeys(("multiprocessing.spawn", "joblib.externals.loky.backend.spawn"), _change)
