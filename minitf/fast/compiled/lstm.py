"""The LSTM cell in one loop: each number is read once, and nothing waits in memory in between."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from minitf.core.kernels.table import contiguous
from minitf.core.kernels.threads import split
from minitf.fast.compiled._loops import loop
from minitf.fast.compiled._math import sigmoid, tanh
from minitf.fast.kernels import lstm

_PIECE = 60_000  # elements: about 50 us
_ONE = np.float32(1)
_READ, _WRITTEN = "const(float32[:, ::1])", "float32[:, ::1]"


def _signature(*arguments: str) -> str:
    """Of a loop over some of the rows."""
    return f"void({', '.join((*arguments, 'int64', 'int64'))})"


@loop(_signature(_READ, "const(float32[::1])", "float32", _READ, *[_WRITTEN] * 7))
def _cell(product, bias, forget_bias, c, new_c, new_h, i, g, f, o, tanh_c, start, stop):
    units = c.shape[1]
    for row in range(start, stop):
        for k in range(units):
            now_i = sigmoid(product[row, k] + bias[k])
            now_g = tanh(product[row, units + k] + bias[units + k])
            i[row, k] = now_i
            g[row, k] = now_g
            new_c[row, k] = now_i * now_g
        for k in range(units):
            at = 2 * units + k
            now_f = sigmoid(product[row, at] + bias[at] + forget_bias)
            f[row, k] = now_f
            new_c[row, k] = now_f * c[row, k] + new_c[row, k]
        for k in range(units):
            at = 3 * units + k
            now_o = sigmoid(product[row, at] + bias[at])
            now = tanh(new_c[row, k])
            o[row, k] = now_o
            tanh_c[row, k] = now
            new_h[row, k] = now_o * now


@loop(_signature(_READ, _READ, "boolean", *[_READ] * 6, _WRITTEN, _WRITTEN))
def _cell_grad(dh, dc, has_dc, c, i, g, f, o, tanh_c, dproduct, dc_before, start, stop):
    units = c.shape[1]
    for row in range(start, stop):
        for k in range(units):
            now, gate, flow = tanh_c[row, k], o[row, k], dh[row, k]
            dproduct[row, 3 * units + k] = (_ONE - gate) * gate * now * flow
            dc_before[row, k] = (_ONE - now * now) * gate * flow
        if has_dc:
            for k in range(units):
                dc_before[row, k] += dc[row, k]
        for k in range(units):
            gate, new, flow = i[row, k], g[row, k], dc_before[row, k]
            dproduct[row, k] = (_ONE - gate) * gate * new * flow
            dproduct[row, units + k] = (_ONE - new * new) * gate * flow
        for k in range(units):
            gate, flow = f[row, k], dc_before[row, k]
            dproduct[row, 2 * units + k] = (_ONE - gate) * gate * c[row, k] * flow
            dc_before[row, k] = gate * flow


@lstm.lstm_cell.tier("numba")
def _(product: Any, bias: Any, forget_bias: Any, c: Any) -> Any:
    batch, units = product.shape[0], product.shape[1] // 4
    c = np.ascontiguousarray(c)
    if not contiguous("f", product, bias, c):
        return NotImplemented
    gates = np.empty((4, batch, units), np.float32)
    new_c, new_h, tanh_c = (np.empty((batch, units), np.float32) for _ in range(3))
    everything = (product, bias, forget_bias, c, new_c, new_h, *gates, tanh_c)
    split(partial(_cell, *everything), batch, 1 + _PIECE // max(units, 1))
    return new_c, new_h, gates, tanh_c


@lstm.lstm_cell_grad.tier("numba")
def _(dh: Any, dcs: Sequence[Any], c: Any, i: Any, g: Any, f: Any, o: Any, tanh_c: Any) -> Any:
    dh, c = np.ascontiguousarray(dh), np.ascontiguousarray(c)
    dc = np.ascontiguousarray(sum(dcs[1:], start=dcs[0])) if dcs else dh
    if not contiguous("f", dh, dc, c, i, g, f, o, tanh_c):
        return NotImplemented
    batch, units = i.shape
    dproduct = np.empty((batch, 4 * units), np.float32)
    dc_before = np.empty((batch, units), np.float32)
    everything = (dh, dc, bool(dcs), c, i, g, f, o, tanh_c, dproduct, dc_before)
    split(partial(_cell_grad, *everything), batch, 1 + _PIECE // max(units, 1))
    return dproduct, dc_before
