"""Elementwise programs block by block, so that the steps between stay in the second-level cache."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.kernels import elementwise as kernels
from minitf.core.kernels.program import COLUMN, FULL, ROW, SCALAR, Program
from minitf.core.kernels.program_in_numpy import in_numpy
from minitf.core.kernels.threads import split

_BLOCK = 1 << 16  # elements of which the handful of arrays of a block fit the second-level cache
_CACHED = 1 << 20  # elements: up to here arrays stay in the caches from one step to the next
_PIECE = 1_000_000  # elements times cost, about 50 us


class Layout:
    """How the operands of a program lie in the result, seen as a matrix [rows, width].

    Args:
      program: what reads them.
      operands: the arrays.
    Attributes:
      fits: whether their shapes are those that the program was made for.
      shape: of the result.
    """

    def __init__(self, program: Program, operands: Sequence[Any]) -> None:
        self._kinds = kinds = [each.kind for each in program.operands]
        self.shape = operands[kinds.index(FULL)].shape
        size, width = operands[kinds.index(FULL)].size, 0
        self.fits = True
        for kind, each in zip(kinds, operands, strict=True):
            if kind == FULL:
                self.fits &= each.shape == self.shape
            elif kind == ROW:
                self.fits &= each.size == (width or each.size)
                width = each.size
            elif kind == COLUMN:
                own = size // max(each.size, 1)
                self.fits &= own == (width or own)
                width = own
        self.width = width or 1
        self.rows = size // self.width if self.width else 0
        self.fits &= self.rows * self.width == size
        self.size = size

    def matrices(self, operands: Sequence[Any]) -> list[Any]:
        """The operands as matrices that broadcast to [rows, width]."""
        forms = {
            FULL: (self.rows, self.width),
            ROW: (1, self.width),
            COLUMN: (self.rows, 1),
            SCALAR: (1, 1),
        }
        return [np.reshape(x, forms[k]) for x, k in zip(operands, self._kinds, strict=True)]

    def target(self, out: Any, dtype: Any, operands: Sequence[Any]) -> Any:
        """The array for the result: `out`, or a new one where that does not do.

        It may be an operand, but no other view of one: that would be read after it is written.
        """
        if out is None or out.shape != self.shape or not out.flags.c_contiguous:
            return np.empty(self.shape, dtype)
        if any(each is not out and np.may_share_memory(each, out) for each in operands):
            return np.empty(self.shape, dtype)
        return out


@kernels.elementwise.tier("blocks")
def _(program: Program, out: Any, *operands: Any) -> Any:
    """The result of a program, block by block; of what the caches hold, all at once."""
    run = in_numpy(program)
    layout = Layout(program, operands)
    if not layout.fits:
        return NotImplemented
    if layout.size <= (_BLOCK if program.has("erf") else _CACHED):
        return run.straight(*operands)
    out = layout.target(out, program.dtype, operands)
    views, rows, width = layout.matrices(operands), layout.rows, layout.width
    result = out.reshape(rows, width)
    varies = [each.kind & COLUMN for each in program.operands]
    high = min(rows, max(1, _BLOCK // (width * (2 if program.has("erf") else 1))))

    def piece(start: int, stop: int) -> None:
        block, size = run.block, (high, width)
        scratch = [np.full(size, c, program.dtype) for c in run.filled]
        scratch += [np.empty(size, program.dtype) for _ in range(run.floats)]
        scratch += [np.empty(size, np.bool_) for _ in range(run.masks)]
        for first in range(start, stop, high):
            part = slice(first, min(first + high, stop))
            if first + high > stop:
                scratch = [each[: stop - first] for each in scratch]
            parts = [v[part] if moves else v for v, moves in zip(views, varies, strict=True)]
            block(*parts, result[part], *scratch)

    split(piece, rows, max(high, _PIECE // (program.cost * width)))
    return out
