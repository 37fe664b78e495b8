"""Runs elementwise programs on arrays: the steps one after the other, or a function of them all.

    program ──> small arrays: `straight`, Python of its own, whose every line is one ufunc
            ├─> fast/blocks: x[:2048] ──step──> scratch ──step──> scratch ──step──> y[:2048], ...
            ├─> fast/compiled: the same with smaller blocks and quicker steps
            └─> a GPU: one kernel written in CUDA

One operation after the other reads and writes arrays larger than the caches at every step; the
faster tiers keep what lies between the operands and the result in the second-level cache. A program
may end in a reduction: then the result is never whole, but summed up block by block.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from minitf.core.kernels.host import on_cpu
from minitf.core.kernels.program import FULL, ROW, SCALAR, Program
from minitf.core.kernels.program_in_numpy import in_numpy
from minitf.core.kernels.table import kernel

WORK = 240_000  # elements times cost: below, other ways than `straight` cost more than they save


def _lies(kind: int, given: tuple[int, ...], whole: tuple[int, ...]) -> bool:
    """Whether an operand lies in the whole shape as its kind says."""
    rank = len(whole)
    if kind == FULL or len(given) > rank:
        return given == whole
    ones = (1,) * rank
    sizes = ones[len(given) :] + given
    if kind == SCALAR:
        return sizes == ones
    if kind == ROW:
        return any(sizes == ones[:k] + whole[k:] for k in range(rank + 1))
    return any(sizes == whole[:k] + ones[k:] for k in range(rank + 1))


def _takes(program: Program, *operands: Any) -> bool:
    """Whether the operands have shapes that a program was made for; NumPy would spread others."""
    whole = operands[program.full].shape
    return all(
        _lies(each.kind, np.shape(x), whole)
        for each, x in zip(program.operands, operands, strict=True)
    )


@kernel(
    compiled="elementwise",
    takes=lambda program, out, *operands: _takes(program, *operands),
)
def elementwise(xp: Any, program: Program, out: Any, *operands: Any) -> Any:
    """The result of a program, step by step.

    Args:
      program: the steps.
      out: the array to write it into, which may be one of the operands; a new one when None. The
        reference always makes a new one.
      operands: arrays and numbers, as the program has them; one at least is FULL.
    """
    return in_numpy(program).stepwise(*operands)


class Ending(NamedTuple):
    """The reduction with which a program ends.

    Args:
      name: "sum", "mean", "max" or "min".
      kernel: of the operation, `(xp, array, axis=, keep_dims=)`.
      axis: the axes; None: all.
      keep_dims: whether they stay, with size 1.
    """

    name: str
    kernel: Callable[..., Any]
    axis: tuple[int, ...] | None
    keep_dims: bool

    def __call__(self, xp: Any, array: Any) -> Any:
        return self.kernel(xp, array, axis=self.axis, keep_dims=self.keep_dims)

    def fits(self, rank: int) -> bool:
        """Whether an array of so many axes has those that are reduced."""
        return all(-rank <= axis < rank for axis in self.axis or ())

    def over(self, rank: int) -> list[int]:
        """The axes that are reduced, of so many."""
        return sorted(range(rank) if self.axis is None else {a % rank for a in self.axis})

    def text(self, inner: str) -> str:
        """How a reader writes the reduction of a program."""
        body, where, shared = inner.partition(" where ")
        axis = "" if self.axis is None else f", axis={[*self.axis]}"
        return f"{self.name}({body}{axis}){where}{shared}"


@kernel(
    compiled="elementwise",
    takes=lambda program, ending, *operands: (
        _takes(program, *operands) and ending.fits(operands[program.full].ndim)
    ),
)
def reduced_elementwise(xp: Any, program: Program, ending: Ending, *operands: Any) -> Any:
    """The result of a program, reduced; faster tiers never write the whole of it.

    Args:
      program: the steps.
      ending: the reduction.
      operands: as of `elementwise`; one that is FULL has at least one element.
    """
    return ending(xp, elementwise(xp, program, None, *operands))


@lru_cache(maxsize=512)
def function(
    xp: Any, program: Program, guarded: bool, ending: Ending | None = None
) -> Callable[..., Any]:
    """A function `(*operands, out=None)` that runs small arrays straight and large ones in blocks.

    Args:
      xp: NumPy or CuPy.
      program: the steps.
      guarded: whether the operands that are FULL may have different shapes after all.
      ending: how the result is reduced, if it is; then there is nothing to write into `out`.
    """
    if not on_cpu(xp) and ending:
        return lambda *operands, out=None: reduced_elementwise(xp, program, ending, *operands)
    if not on_cpu(xp):
        return lambda *operands, out=None: elementwise(xp, program, out, *operands)
    run = in_numpy(program)
    names = [f"x{i}" for i in range(len(program.operands))]
    full = [n for n, each in zip(names, program.operands, strict=True) if each.kind == FULL]
    scope: dict[str, Any] = {
        "straight": run.straight,
        "stepwise": run.stepwise,
        "elementwise": reduced_elementwise if ending else elementwise,
        "np": np,
        "program": program,
        "ending": ending,
        **(ending._asdict() if ending else {}),
    }
    every = ", ".join(names)
    second, start, end = "out", "", ""
    if ending:
        second, start, end = "ending", "kernel(np, ", ", axis=axis, keep_dims=keep_dims)"
    lines = [f"def fused({every}, out=None):"]
    if guarded and len(full) > 1:
        same = " and ".join(f"{full[0]}.shape == {n}.shape" for n in full[1:])
        lines += [f"if not ({same}):", f"    return {start}stepwise({every}){end}"]
    lines += [
        f"if {full[0]}.size > {WORK // program.cost}:",
        f"    return elementwise(np, program, {second}, {every})",
        f"return {start}straight({every}){end}",
    ]
    exec(compile("\n    ".join(lines), "<fused>", "exec"), scope)
    return scope["fused"]
