"""Adding rows where they belong: one pass over the rows."""

from __future__ import annotations

from typing import Any

from minitf.core.kernels import rows as rows_module
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
    if target.dtype.char not in "fd" or rows.dtype is not target.dtype or target.ndim == 1:
        return NotImplemented
    if indices.dtype.char not in "ilq" or not target.flags.c_contiguous:
        return NotImplemented
    if not (rows.flags.c_contiguous and indices.flags.c_contiguous and target.size):
        return NotImplemented
    _scatter(target.reshape(len(target), -1), indices, rows.reshape(len(rows), -1), subtract)
    return None
