"""Runs elementwise programs on arrays: the steps one after the other, or a function of them all.

    program ──> small arrays: `straight`, Python of its own, whose every line is one ufunc
            ├─> fast/blocks: x[:2048] ──step──> scratch ──step──> scratch ──step──> y[:2048], ...
            ├─> fast/compiled: the same with smaller blocks and quicker steps
            └─> a GPU: one kernel written in CUDA

One operation after the other reads and writes arrays larger than the caches at every step; the
faster tiers keep what lies between the operands and the result in the second-level cache.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from minitf.core.kernels.host import on_cpu
from minitf.core.kernels.program import FULL, Program
from minitf.core.kernels.program_in_numpy import in_numpy
from minitf.core.kernels.table import kernel

WORK = 240_000  # elements times cost: below, other ways than `straight` cost more than they save


@kernel(compiled="elementwise")
def elementwise(xp: Any, program: Program, out: Any, *operands: Any) -> Any:
    """The result of a program, step by step.

    Args:
      program: the steps.
      out: the array to write it into, which may be one of the operands; a new one when None. The
        reference always makes a new one.
      operands: arrays and numbers, as the program has them; one at least is FULL.
    """
    return in_numpy(program).stepwise(*operands)


@lru_cache(maxsize=512)
def function(xp: Any, program: Program, guarded: bool) -> Callable[..., Any]:
    """A function `(*operands, out=None)` that runs small arrays straight and large ones in blocks.

    Args:
      xp: NumPy or CuPy.
      program: the steps.
      guarded: whether the operands that are FULL may have different shapes after all.
    """
    if not on_cpu(xp):
        return lambda *operands, out=None: elementwise(xp, program, out, *operands)
    run = in_numpy(program)
    names = [f"x{i}" for i in range(len(program.operands))]
    full = [n for n, each in zip(names, program.operands, strict=True) if each.kind == FULL]
    scope: dict[str, Any] = {
        "straight": run.straight,
        "stepwise": run.stepwise,
        "elementwise": elementwise,
        "np": np,
        "program": program,
    }
    every = ", ".join(names)
    lines = [f"def fused({every}, out=None):"]
    if guarded and len(full) > 1:
        same = " and ".join(f"{full[0]}.shape == {n}.shape" for n in full[1:])
        lines += [f"if not ({same}):", f"    return stepwise({every})"]
    lines += [
        f"if {full[0]}.size > {WORK // program.cost}:",
        f"    return elementwise(np, program, out, {every})",
        f"return straight({every})",
    ]
    exec(compile("\n    ".join(lines), "<fused>", "exec"), scope)
    return scope["fused"]
