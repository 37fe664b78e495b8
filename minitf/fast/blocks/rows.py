"""Chosen rows of an array: added after a sort, or moved as a whole; and copies that loops like."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph.state import aligned_empty
from minitf.core.kernels import rows as kernels

_LONG_ROW = 16  # elements; shorter rows are not worth to be moved as a whole


@kernels.scatter_rows.tier("blocks")
def _(target: Any, indices: Any, rows: Any, subtract: bool) -> Any:
    """Rows that belong together are brought side by side by a sort, and summed in one pass."""
    change = np.subtract if subtract else np.add
    if target.ndim == 1:
        change.at(target, indices, rows)
        return
    order = np.argsort(indices, kind="stable")
    ordered = indices[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    rows = rows[order]
    if starts.size != indices.size:
        rows = np.add.reduceat(rows, starts, axis=0, dtype=rows.dtype)
        ordered = ordered[starts]
    target[ordered] = change(target[ordered], rows)


@kernels.choose_rows.tier("blocks")
def _(condition: Any, x: Any, y: Any) -> Any:
    """Moves whole rows: a third of the time of a choice for each element."""
    if x.size < _LONG_ROW * len(x):
        return NotImplemented
    chosen = condition.nonzero()[0]
    result = y.copy()
    result[chosen] = x.take(chosen, 0)
    return result


@kernels.kept_copy.tier("blocks")
def _(value: Any) -> Any:
    """A copy that begins where the processor's long registers like it."""
    if value.dtype.hasobject:
        return NotImplemented
    copy = aligned_empty(value.shape, value.dtype)
    copy[...] = value
    return copy
