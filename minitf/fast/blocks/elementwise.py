"""Elementwise programs block by block, so that the steps between stay in the second-level cache."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from minitf.core.kernels.dense import reduced
from minitf.core.kernels.threads import split
from minitf.fast.blocks.reductions import sizes_left
from minitf.fast.kernels import elementwise as kernels
from minitf.fast.kernels.elementwise import in_numpy
from minitf.fast.kernels.program import COLUMN, FULL, ROW, SCALAR, Program

_BLOCK = 1 << 16  # elements of which the handful of arrays of a block fit the second-level cache
_CACHED = 1 << 20  # elements: up to here arrays stay in the caches from one step to the next
_FROM_MEMORY = 1 << 21  # elements: as many are not read from the caches, whatever is done
_QUICK = 8  # cost: up to here NumPy computes a block as soon as compiled loops do
_PIECE = 1_000_000  # elements times cost, about 50 us


class Layout:
    """How the operands of a program lie in the result, seen as a matrix [rows, width].

    Args:
      program: what reads them.
      operands: the arrays.
    Attributes:
      fits: whether all rows, and all columns, are cut at the same axis.
      shape: of the result.
    """

    def __init__(self, program: Program, operands: Sequence[Any]) -> None:
        self._kinds = kinds = [each.kind for each in program.operands]
        whole = operands[program.full]
        self.shape, size, width = whole.shape, whole.size, 0
        self.fits = True
        for kind, each in zip(kinds, operands, strict=True):
            if kind == ROW:
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
        if out is None or out.shape != self.shape or out.dtype != dtype or not out.flags.carray:
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


@kernels.reduced_elementwise.tier("blocks")
def _(program: Program, ending: kernels.Ending, *operands: Any) -> Any:
    """Reduces block by block what a program makes, over leading axes, trailing ones or all."""
    if operands[program.full].size <= _FROM_MEMORY:
        return NotImplemented
    layout = Layout(program, operands)
    if not layout.fits:
        return NotImplemented
    rank, rows, width = len(layout.shape), layout.rows, layout.width
    over = ending.over(rank)
    if not over:
        return NotImplemented
    count = math.prod(layout.shape[axis] for axis in over)
    if over == list(range(rank - len(over), rank)) and len(over) < rank:
        unit, axis = count, 1  # numbers that make one of the result
    elif over == list(range(len(over))):
        unit, axis = layout.size // count, 0
    else:
        return NotImplemented
    least = unit // math.gcd(unit, width)  # rows that hold whole units
    high = max(1, 2 * _BLOCK // (width * least)) * least
    if high * width > 4 * _BLOCK:
        return NotImplemented
    views = layout.matrices(operands)
    varies = [each.kind & COLUMN for each in program.operands]
    kind = "sum" if ending.name == "mean" else ending.name
    run: Any = in_numpy(program).straight
    if program.cost > _QUICK or width > 1:
        run = partial(kernels.elementwise, np, program, None)
    parts: list[Any] = [None] * -(-rows // high)

    def piece(start: int, stop: int) -> None:
        for i in range(start, stop):
            part = slice(i * high, min((i + 1) * high, rows))
            given = [v[part] if moves else v for v, moves in zip(views, varies, strict=True)]
            made = run(*given)
            if axis or unit > 1:
                parts[i] = reduced(np, kind, made.reshape(-1, unit), (axis,), False)
            else:
                parts[i] = reduced(np, kind, made.reshape(-1), None, False)

    split(piece, len(parts), 2)
    joined = np.concatenate(parts) if axis else reduced(np, kind, np.array(parts), (0,), False)
    if ending.name == "mean":
        joined = joined / count
    sizes = sizes_left(layout.shape, ending.axis, ending.keep_dims)
    return joined.reshape(sizes) if sizes else joined
