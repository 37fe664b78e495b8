"""Kernels for cards: elementwise programs and LSTM cells, written in CUDA, and the largest of rows.

CuPy compiles what is written here, once for each form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from minitf.fast.kernels.elementwise import elementwise
from minitf.fast.kernels.lstm import lstm_cell, lstm_cell_grad
from minitf.fast.kernels.program import PRIMITIVES, Program, expanded
from minitf.library.numeric.sorting import falling, largest

# ---- elementwise programs ----------------------------------------------------------------------


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


# ---- LSTM cells --------------------------------------------------------------------------------


_KINDS = {"f": "float32", "d": "float64"}

# The gates are a, g, f and o here: `i` is CuPy's own.
_CELL = """
a = 1 / (1 + exp(-(pa + ba)));
g = tanh(pg + bg);
f = 1 / (1 + exp(-(pf + bf + forget_bias)));
o = 1 / (1 + exp(-(po + bo)));
new_c = f * c + a * g;
tanh_c = tanh(new_c);
new_h = o * tanh_c;
"""
_CELL_GRAD = """
d_o = (1 - o) * o * tanh_c * dh;
dc_before = (1 - tanh_c * tanh_c) * o * dh + dc;
da = (1 - a) * a * g * dc_before;
dg = (1 - g * g) * a * dc_before;
df = (1 - f) * f * c * dc_before;
dc_before = f * dc_before;
"""


def fits(*arrays: Any) -> bool:
    """Whether there is a kernel for these arrays: of single or double precision, and one type."""
    return len({a.dtype.char for a in arrays}) == 1 and arrays[0].dtype.char in _KINDS


@lstm_cell.on_gpu
def cell(xp: Any, product: Any, bias: Any, forget_bias: Any, c: Any) -> Any:
    """As `lstm_cell`."""
    if not fits(product, bias, c):
        return NotImplemented
    units = c.shape[1]
    ends = [slice(k * units, (k + 1) * units) for k in range(4)]
    run = _kernel(
        xp,
        product.dtype.char,
        "pa pg pf po ba bg bf bo forget_bias c",
        "new_c new_h a g f o tanh_c",
        _CELL,
        "lstm_cell",
    )
    parts = [*(product[:, each] for each in ends), *(bias[each] for each in ends)]
    new_c, new_h, *gates, tanh_c = run(*parts, forget_bias, c)
    return new_c, new_h, gates, tanh_c


@lstm_cell_grad.on_gpu
def cell_grad(xp: Any, dh: Any, dcs: Sequence[Any], *kept: Any) -> Any:
    """As `lstm_cell_grad`."""
    if not fits(dh, *dcs, *kept[:2]):
        return NotImplemented
    dc: Any = sum(dcs[1:], start=dcs[0]) if dcs else 0.0
    run = _kernel(
        xp,
        dh.dtype.char,
        "dh dc c a g f o tanh_c",
        "da dg df d_o dc_before",
        _CELL_GRAD,
        "lstm_cell_grad",
    )
    *parts, dc_before = run(dh, dc, *kept)
    return xp.concatenate(parts, 1), dc_before


@lru_cache(maxsize=16)
def _kernel(xp: Any, char: str, inputs: str, outputs: str, code: str, name: str) -> Any:
    typed = (
        ", ".join(f"{_KINDS[char]} {each}" for each in names.split()) for names in (inputs, outputs)
    )
    return xp.ElementwiseKernel(*typed, code, name)


# ---- the largest of each row -------------------------------------------------------------------


@largest.on_gpu
def sorted_whole(xp: Any, x: Any, count: int) -> Any:
    """As `largest`; a single one of integers, which are never NaN, is found without a sort."""
    if count == 1 and x.dtype.kind != "f":
        return NotImplemented
    return xp.argsort(falling(x), axis=-1, kind="stable")[..., :count]
