"""Adding rows where they belong: one pass over the rows."""

from __future__ import annotations

from typing import Any

from minitf.core.kernels import rows as rows_module
from minitf.core.kernels.table import contiguous
from minitf.fast.compiled._loops import loop


@loop(
    *(
        f"void({kind}[:, ::1], const({index}[::1]), const({kind}[:, ::1]), boolean)"
        for kind in ("float32", "float64")
        for index in ("int32", "int64")
    )
)
def _scatter(target, indices, rows, subtract):
    for i in range(indices.size):
        row, given = target[indices[i]], rows[i]
        if subtract:
            for j in range(row.size):
                row[j] -= given[j]
        else:
            for j in range(row.size):
                row[j] += given[j]


@rows_module.scatter_rows.tier("numba")
def _(target: Any, indices: Any, rows: Any, subtract: bool) -> Any:
    if target.ndim == 1 or not contiguous("fd", target, rows) or not contiguous("ilq", indices):
        return NotImplemented
    _scatter(target.reshape(len(target), -1), indices, rows.reshape(len(rows), -1), subtract)
    return None
