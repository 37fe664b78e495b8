"""Whole cells, and whole LSTM layers, as one operation: those of TensorFlow's contrib.

    LSTM   [i, ci, f, o] = [x, h'] W + b,  through sigmoids, ci through tanh
           cs = ci i + cs' f,  clipped;    h = tanh(cs) o
    GRU    [r, u] = sigmoid([x, h'] W + b);    c = tanh([x, r h'] W + b);    h = (1 - u) c + u h'

`BlockLSTM` takes all times in a step, `LSTMBlockCell` and `GRUBlockCell` one. Graphs of TensorFlow
1.x have them where `LSTMBlockFusedCell` and its kin were used, and their gradients where such were
trained. Cells made here are of plain operations, which passes put together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import call, op
from minitf.core.graph.tensor import Tensor

_GIVEN = "x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T"
_GATES = "i: T, cs: T, f: T, o: T, ci: T, co: T"
_TESTED = "not of all outputs: tests/library/nets/test_block_cells.py compares with differences"
_OPTIONS: dict[str, Any] = {"T": dtypes.FLOATS, "no_samples": _TESTED}
_LSTM_SIZES = ((2, 2), (2, 2), (5, 8), *[(2,)] * 3, (8,))  # of a batch of 2, 3 in, 2 units


def _backwards(*sizes: Any, first: tuple = (), **attrs: Any) -> dict[str, Any]:
    """What declares a gradient: its samples, by the sizes of the inputs."""

    def sample(rng: Any) -> tuple:
        return *first, *(rng.uniform(0.1, 0.9, size=size) for size in sizes), attrs

    return {"T": dtypes.FLOATS, "samples": [sample], "differentiable": False}


def _sigmoid(xp: Any, x: Any) -> Any:
    return 0.5 * (xp.tanh(0.5 * x) + 1)


def _lstm(xp: Any, x: Any, cs_prev: Any, h_prev: Any, given: Any, attrs: Any) -> tuple:
    """One time of an LSTM: all that it computes."""
    w, wci, wcf, wco, b = given
    clip = attrs["cell_clip"]
    i, ci, f, o = xp.split(xp.concatenate([x, h_prev], 1) @ w + b, 4, axis=1)
    f = f + x.dtype.type(attrs["forget_bias"])
    if attrs["use_peephole"]:
        i, f = i + cs_prev * wci, f + cs_prev * wcf
    i, f, ci = _sigmoid(xp, i), _sigmoid(xp, f), xp.tanh(ci)
    cs = ci * i + cs_prev * f
    if clip > 0:
        cs = xp.clip(cs, -clip, clip)
    o, co = _sigmoid(xp, o + cs * wco if attrs["use_peephole"] else o), xp.tanh(cs)
    return i, cs, f, o, ci, co, co * o


def _lstm_back(
    xp: Any, cs_prev: Any, peepholes: Any, gates: Any, use_peephole: bool, dcs: Any, dh: Any
) -> tuple:
    """One time backwards: the gradients of cs_prev, of the gates, and of the peepholes."""
    i, cs, f, o, ci, co = gates
    wci, wcf, wco = peepholes
    do = o * (1 - o) * dh * co
    dcs = (1 - co * co) * dh * o + dcs + (do * wco if use_peephole else 0)
    di, dci, df = i * (1 - i) * dcs * ci, (1 - ci * ci) * dcs * i, f * (1 - f) * dcs * cs_prev
    back = dcs * f + (di * wci + df * wcf if use_peephole else 0)
    seen = [(d * c).sum(0) for d, c in ((di, cs_prev), (df, cs_prev), (do, cs))]
    seen = seen if use_peephole else [xp.zeros_like(each) for each in seen]
    return back, xp.concatenate([di, dci, df, do], 1), seen


_LSTM: dict[str, Any] = {"forget_bias": 1.0, "cell_clip": 3.0, "use_peephole": False}


@op("LSTMBlockCell", f"{_GIVEN} -> {_GATES}, h: T", attrs=_LSTM, **_OPTIONS)
def lstm_block_cell(xp: Any, x: Any, cs_prev: Any, h_prev: Any, *given: Any, **attrs: Any) -> tuple:
    """Computes one time of an LSTM, whose gates may look at the cell's state."""
    return _lstm(xp, x, cs_prev, h_prev, given, attrs)


@op(
    "LSTMBlockCellGrad",
    f"{_GIVEN}, {_GATES}, cs_grad: T, h_grad: T -> cs_prev_grad: T, dicfo: T, wci_grad: T, "
    "wcf_grad: T, wco_grad: T",
    attrs={"use_peephole": False},
    **_backwards((2, 3), *_LSTM_SIZES, *[(2, 2)] * 8, use_peephole=True),
)
def lstm_block_cell_grad(xp: Any, x: Any, cs_prev: Any, *given: Any, use_peephole: bool) -> tuple:
    """Computes the gradients of `LSTMBlockCell`: of the state, the gates and the peepholes."""
    peepholes, gates, back = given[2:5], given[6:12], given[12:]
    dcs, dgates, seen = _lstm_back(xp, cs_prev, peepholes, gates, use_peephole, back[0], back[1])
    return dcs, dgates, *seen


def _back(op: Any, dy: Any, *places: int) -> list[Tensor]:
    """The gradients that come back, of some outputs; zeros where nobody asks."""
    return [call("ZerosLike", op.outputs[i]) if dy[i] is None else dy[i] for i in places]


def _shapes_of_gates(x: Any, cs_prev: Any, *given: Any, **attrs: Any) -> list:
    return [x.shape[:-1].concatenate(cs_prev.shape[1:])] * 7


lstm_block_cell.shape(_shapes_of_gates)


@lstm_block_cell_grad.shape
def _lstm_block_cell_grad_shape(
    x: Any, cs_prev: Any, h: Any, w: Any, *given: Any, **attrs: Any
) -> list:
    dgates = cs_prev.shape[:1].concatenate(w.shape[1:])
    return [cs_prev.shape, dgates, *(each.shape for each in given[:3])]


@lstm_block_cell.gradient
def _lstm_block_cell_gradient(op: Any, *dy: Tensor) -> list:
    x, _, h_prev, w = op.inputs[:4]
    given = [*op.inputs, *op.outputs[:6], *_back(op, dy, 1, 6)]
    dcs, dgates, *seen = call("LSTMBlockCellGrad", *given, use_peephole=op.get_attr("use_peephole"))
    dx, dh, dw, db = _through_product(x, h_prev, w, dgates)
    return [dx, dcs, dh, dw, *seen, db]


def _through_product(x: Tensor, h: Tensor, w: Tensor, dy: Tensor) -> tuple:
    """The gradients of x, h, w and b in [x, h] w + b."""
    both = call("MatMul", dy, w, transpose_b=True)
    sizes = [call("Shape", each)[1] for each in (x, h)]
    dx, dh = call("SplitV", both, call("Pack", sizes), axis=1, num_split=2)
    dw = call("MatMul", call("ConcatV2", [x, h], axis=1), dy, transpose_a=True)
    return dx, dh, dw, call("Sum", dy, axis=(0,))


@op(
    "BlockLSTM",
    f"seq_len_max: int64, {_GIVEN} -> {_GATES}, h: T",
    attrs=_LSTM,
    host=("seq_len_max",),
    **_OPTIONS,
)
def block_lstm(
    xp: Any, seq_len_max: Any, x: Any, cs: Any, h: Any, *given: Any, **attrs: Any
) -> tuple:
    """Computes an LSTM for `seq_len_max` times; the others give zeros."""
    made = [xp.zeros((*x.shape[:2], cs.shape[1]), x.dtype) for _ in range(7)]
    for time in range(min(int(seq_len_max), len(x))):
        step = _lstm(xp, x[time], cs, h, given, attrs)
        cs, h = step[1], step[6]
        for whole, part in zip(made, step, strict=True):
            whole[time] = part
    return tuple(made)


@op(
    "BlockLSTMGrad",
    f"seq_len_max: int64, {_GIVEN}, {_GATES}, h: T, cs_grad: T, h_grad: T -> x_grad: T, "
    "cs_prev_grad: T, h_prev_grad: T, w_grad: T, wci_grad: T, wcf_grad: T, wco_grad: T, b_grad: T",
    attrs={"use_peephole": False},
    host=("seq_len_max",),
    **_backwards((4, 2, 3), *_LSTM_SIZES, *[(4, 2, 2)] * 9, first=(np.int64(3),)),
)
def block_lstm_grad(xp: Any, seq_len_max: Any, *given: Any, use_peephole: bool) -> tuple:
    """Computes the gradients of `BlockLSTM`."""
    x, cs_prev, h_prev, w, *peepholes, b = given[:8]
    *gates, h, cs_grad, h_grad = given[8:]
    dx, dw, db = xp.zeros_like(x), xp.zeros_like(w), xp.zeros_like(b)
    dcs, dh = xp.zeros_like(cs_prev), xp.zeros_like(h_prev)
    seen = [xp.zeros_like(each) for each in peepholes]
    for time in range(min(int(seq_len_max), len(x)))[::-1]:
        before = (gates[1][time - 1], h[time - 1]) if time else (cs_prev, h_prev)
        now = [each[time] for each in gates]
        dcs, dgates, more = _lstm_back(
            xp, before[0], peepholes, now, use_peephole, dcs + cs_grad[time], dh + h_grad[time]
        )
        both = dgates @ w.T
        dx[time], dh = both[:, : x.shape[2]], both[:, x.shape[2] :]
        dw += xp.concatenate([x[time], before[1]], 1).T @ dgates
        db += dgates.sum(0)
        seen = [total + each for total, each in zip(seen, more, strict=True)]
    return dx, dcs, dh, dw, *seen, db


block_lstm.shape(lambda times, *given, **attrs: _shapes_of_gates(*given))
block_lstm_grad.shape(lambda times, *given, **attrs: [each.shape for each in given[:8]])


@block_lstm.gradient
def _block_lstm_gradient(op: Any, *dy: Tensor) -> list:
    given = [*op.inputs, *op.outputs, *_back(op, dy, 1, 6)]
    return [None, *call("BlockLSTMGrad", *given, use_peephole=op.get_attr("use_peephole"))]


_GRU = "x: T, h_prev: T, w_ru: T, w_c: T, b_ru: T, b_c: T"


@op("GRUBlockCell", f"{_GRU} -> r: T, u: T, c: T, h: T", **_OPTIONS)
def gru_block_cell(xp: Any, x: Any, h_prev: Any, w_ru: Any, w_c: Any, b_ru: Any, b_c: Any) -> tuple:
    """Computes one time of a GRU."""
    r, u = xp.split(_sigmoid(xp, xp.concatenate([x, h_prev], 1) @ w_ru + b_ru), 2, axis=1)
    c = xp.tanh(xp.concatenate([x, r * h_prev], 1) @ w_c + b_c)
    return r, u, c, (1 - u) * c + u * h_prev


@op(
    "GRUBlockCellGrad",
    f"{_GRU}, r: T, u: T, c: T, d_h: T -> d_x: T, d_h_prev: T, d_c_bar: T, d_r_bar_u_bar: T",
    **_backwards((2, 3), (2, 2), (5, 4), (5, 2), (4,), (2,), *[(2, 2)] * 4),
)
def gru_block_cell_grad(
    xp: Any, x: Any, h_prev: Any, w_ru: Any, w_c: Any, b_ru: Any, b_c: Any, *given: Any
) -> tuple:
    """Computes the gradients of `GRUBlockCell`: of its inputs, and of its gates."""
    r, u, c, dh = given
    dc, du, size = dh * (1 - u) * (1 - c * c), dh * (h_prev - c) * u * (1 - u), x.shape[1]
    through_c = dc @ w_c.T
    drh = through_c[:, size:]
    dru = xp.concatenate([drh * h_prev * r * (1 - r), du], 1)
    through_ru = dru @ w_ru.T
    d_h_prev = through_ru[:, size:] + drh * r + u * dh
    return through_ru[:, :size] + through_c[:, :size], d_h_prev, dc, dru


gru_block_cell.shape(lambda x, h_prev, *given: [h_prev.shape] * 4)


@gru_block_cell_grad.shape
def _gru_block_cell_grad_shape(x: Any, h_prev: Any, w_ru: Any, *given: Any) -> list:
    both = h_prev.shape[:1].concatenate(w_ru.shape[1:])
    return [x.shape, h_prev.shape, h_prev.shape, both]


@gru_block_cell.gradient
def _gru_block_cell_gradient(op: Any, *dy: Tensor) -> list:
    x, h_prev, w_ru, w_c = op.inputs[:4]
    r = op.outputs[0]
    dx, dh, dc, dru = call("GRUBlockCellGrad", *op.inputs, *op.outputs[:3], *_back(op, dy, 3))
    _, _, dw_ru, db_ru = _through_product(x, h_prev, w_ru, dru)
    _, _, dw_c, db_c = _through_product(x, r * h_prev, w_c, dc)
    return [dx, dh, dw_ru, dw_c, db_ru, db_c]
