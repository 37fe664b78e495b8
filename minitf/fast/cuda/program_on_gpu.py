"""Elementwise programs as kernels for cards, written in CUDA and compiled by CuPy."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from minitf.core.kernels.elementwise import elementwise
from minitf.core.kernels.program import PRIMITIVES, Program, expanded


def card_source(program: Program) -> tuple[str, str, str]:
    """The program for `cupy.ElementwiseKernel`: its parameters, its result, its operation."""
    kind = {"f": "float32", "d": "float64", "e": "float16"}[program.dtype.char]
    parameters = ", ".join(
        f"{'bool' if each.logical else kind} x{i}" for i, each in enumerate(program.operands)
    )
    names = [f"x{i}" for i in range(len(program.operands))]
    lines = [f"typedef {'double' if kind == 'float64' else 'float'} T;"]
    if kind == "float16":  # computes in single precision
        wide = [i for i, each in enumerate(program.operands) if not each.logical]
        lines += [f"T w{i} = x{i};" for i in wide]
        names = [f"w{i}" if i in wide else name for i, name in enumerate(names)]
    names += [_literal(c) for c in program.constants]
    for number, step in enumerate(program.steps, program.first):
        each = PRIMITIVES[step.op]
        text = (each.card or each.text).format(*(names[v] for v in step.args))
        lines.append(f"{'bool' if each.logical else 'T'} v{number} = {text};")
        names.append(f"v{number}")
    return parameters, f"{kind} y", "\n".join([*lines, f"y = {names[-1]};"])


def _literal(number: float) -> str:
    if np.isfinite(number):
        return f"T({number!r})"
    return "T(NAN)" if np.isnan(number) else f"T({'-' * (number < 0)}INFINITY)"


@lru_cache(maxsize=512)
def on_card(xp: Any, program: Program) -> Callable[..., Any]:
    """The program as one kernel of CuPy."""
    lacking = frozenset(
        n for n in ("rsqrt", "softplus") if program.dtype.char == "d" or n != "rsqrt"
    )
    parameters, result, operation = card_source(expanded(program, lacking))
    kernel = xp.ElementwiseKernel(parameters, result, operation, "fused")

    def run(*operands: Any, out: Any = None) -> Any:
        return kernel(*operands) if out is None else kernel(*operands, out)

    return run


@elementwise.on_gpu
def _(xp: Any, program: Program, out: Any, *operands: Any) -> Any:
    return on_card(xp, program)(*operands)
