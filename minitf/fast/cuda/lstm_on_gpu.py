"""The LSTM cell on cards: one launch for a step and one for its gradient, written in CUDA."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from minitf.fast.kernels.lstm import lstm_cell, lstm_cell_grad

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
