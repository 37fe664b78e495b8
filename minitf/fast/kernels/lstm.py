"""The arithmetic of an LSTM cell: what stands between its matrix product and its new state.

    product + bias ──> i, g, f, o        a sigmoid, a tanh and two sigmoids, in one array
    new_c = f * c + i * g                what is remembered
    new_h = o * tanh(new_c)              what is given out

Written as single operations each of these is a pass over memory, and its gradient two or three.
Here a step stays within the cache: one array holds all gates, and one all their gradients.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.kernels.table import kernel


def _units(product: Any, c: Any) -> bool:
    """Whether the columns of a product are those of four gates for a state [batch, units]."""
    return c.ndim == 2 and product.shape == (len(c), 4 * c.shape[1])


@kernel(
    compiled="lstm",
    takes=lambda product, bias, forget_bias, c: (
        _units(product, c) and bias.shape == product.shape[1:]
    ),
)
def lstm_cell(xp: Any, product: Any, bias: Any, forget_bias: Any, c: Any) -> tuple:
    """One step, from the matrix product on.

    Args:
      product: [batch, 4 * units], side by side for the input gate, what is new, the forget gate and
        the output gate.
      bias: [4 * units].
      forget_bias: a number, added to the forget gate.
      c: [batch, units], or what broadcasts with it.
    Returns: the new c and h, the four gates [batch, units] after their functions, and tanh(new c).
    """
    batch, units = product.shape[0], product.shape[1] // 4
    gates = xp.empty((4, batch, units), product.dtype)
    apart = product.reshape(batch, 4, units).transpose(1, 0, 2)
    xp.add(apart, bias.reshape(4, 1, units), out=gates)
    i, g, f, o = gates
    f += forget_bias
    for gate in (i, gates[2:]):  # 1 / (1 + exp(-x))
        xp.negative(gate, out=gate)
        xp.exp(gate, out=gate)
        gate += 1
        xp.divide(1, gate, out=gate)
    xp.tanh(g, out=g)
    like = c.shape == i.shape
    new_c = f * c
    fresh = i * g
    new_c = xp.add(new_c, fresh, out=new_c if like else None)
    tanh_c = xp.tanh(new_c)
    return new_c, xp.multiply(o, tanh_c, out=fresh if like else None), gates, tanh_c


@kernel(
    compiled="lstm",
    takes=lambda dh, dcs, *kept: (
        dh.ndim == 2 and all(each.shape == dh.shape for each in (*dcs, *kept))
    ),
)
def lstm_cell_grad(
    xp: Any, dh: Any, dcs: Sequence[Any], c: Any, i: Any, g: Any, f: Any, o: Any, tanh_c: Any
) -> tuple:
    """The gradient of `lstm_cell`, for arrays of one shape.

    Args:
      dh: what reaches the new h, [batch, units] as all others.
      dcs: what reaches the new c, to be added up; there may be nothing.
      c: before the step.
      i, g, f, o, tanh_c: what `lstm_cell` returned.
    Returns: the gradients of the product, [batch, 4 * units], and of c.
    """
    batch, units = i.shape
    dproduct = xp.empty((batch, 4 * units), i.dtype)
    di, dg, df, do = (dproduct[:, k * units : (k + 1) * units] for k in range(4))
    dc = xp.multiply(tanh_c, tanh_c)
    scratch = xp.empty_like(dc)
    xp.subtract(1, dc, out=dc)
    dc *= o
    dc *= dh
    for each in dcs:
        dc += each
    for gate, other, flow, result in ((o, tanh_c, dh, do), (i, g, dc, di), (f, c, dc, df)):
        xp.subtract(1, gate, out=scratch)
        scratch *= gate
        scratch *= other
        xp.multiply(scratch, flow, out=result)
    xp.multiply(g, g, out=scratch)
    xp.subtract(1, scratch, out=scratch)
    scratch *= i
    xp.multiply(scratch, dc, out=dg)
    dc *= f
    return dproduct, dc
