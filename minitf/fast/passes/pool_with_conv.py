"""Makes one operation of a convolution and the pooling that follows, and one of their gradients.

    x, w ── Conv2D ── MaxPool ──> y              x, w ── _ConvMaxPool ──> y, winners
    dy ── MaxPoolGrad ─┬─ ...BackpropFilter      dy, winners ── _ConvMaxPoolBackpropFilter ──> dw
                       └─ ...BackpropInput       dy, winners ── _MaxUnpool ── ...Backprop... ──> dx

The outputs of the convolution, the largest array of most networks, are then never in memory as a
whole, forward or backward: they are pooled while they are in the cache, and what is kept for the
gradient is one byte a window. That needs windows that do not overlap, and outputs that nobody else
reads.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.op_def import op
from minitf.core.runtime.passes.rewriting import Readers, Value, new_node, replace
from minitf.core.runtime.plan.subgraph import Node, Private
from minitf.fast.kernels.conv_pool import convolve_and_pool, pooled_filter_gradient, unpool
from minitf.library.nets.conv_ops import check_inputs, places_of
from minitf.library.nets.windows import Axis, known_outputs

_ONLY_PLANS = "Only plans have it; tests/fast/passes/test_pool_first.py runs it."
_FLOATS = (dtypes.float32, dtypes.float64)
_MOST = 255  # elements of a window, so that a byte can name the winner


class _Attributes(Private, dict):
    """The attributes of the convolution that a node has taken in."""


def _axes(x: Any, w_sizes: Sequence[int], convolution: dict[str, Any]) -> Sequence[Axis]:
    """How the windows of a convolution, given by its attributes, lie on its input."""
    return places_of(x.shape[1:-1], w_sizes[:2], convolution)


@op(
    "_ConvMaxPool",
    "input: T, filter: T -> output: T, winners: uint8",
    T=_FLOATS,
    no_samples=_ONLY_PLANS,
    differentiable=False,
)
def _conv_max_pool_op(
    xp: Any, input: Any, filter: Any, *, pool: Any, convolution: dict[str, Any], keeps: bool
) -> tuple:
    """The largest of each window of a convolution's outputs, and which it was when `keeps`."""
    check_inputs(input, filter, convolution["data_format"])
    axes = _axes(input, filter.shape, convolution)
    for axis, window in zip(axes, pool, strict=True):
        if axis.outputs < window:
            known_outputs(axis.outputs, window, window, 1, "VALID")  # raises
    return convolve_and_pool(xp, input, filter, axes, tuple(pool), keeps)


@op(
    "_ConvMaxPoolBackpropFilter",
    "input: T, filter_sizes: int32, winners: uint8, grad: T -> output: T",
    host=("filter_sizes",),
    T=_FLOATS,
    no_samples=_ONLY_PLANS,
    differentiable=False,
)
def _conv_max_pool_backprop_filter_op(
    xp: Any,
    input: Any,
    filter_sizes: Any,
    winners: Any,
    grad: Any,
    *,
    pool: Any,
    convolution: dict[str, Any],
) -> Any:
    """Gives the gradient of _ConvMaxPool by its filter."""
    axes = _axes(input, filter_sizes.tolist(), convolution)
    return pooled_filter_gradient(xp, input, winners, grad, axes, tuple(pool))


@op(
    "_MaxUnpool",
    "input: T, filter_sizes: int32, winners: uint8, grad: T -> output: T",
    host=("filter_sizes",),
    T=_FLOATS,
    no_samples=_ONLY_PLANS,
    differentiable=False,
)
def _max_unpool_op(
    xp: Any,
    input: Any,
    filter_sizes: Any,
    winners: Any,
    grad: Any,
    *,
    pool: Any,
    convolution: dict[str, Any],
) -> Any:
    """Brings the gradient of each window to the output of the convolution that won."""
    axes = _axes(input, filter_sizes.tolist(), convolution)
    return unpool(xp, winners, grad, [a.outputs for a in axes], tuple(pool))


def pool_with_conv(nodes: Sequence[Node]) -> list[Node]:
    """Makes one operation of a convolution and the pooling that follows."""
    for pool in [node for node in nodes if node.type == "MaxPool"]:
        if _fits(pool):
            nodes = _joined(nodes, pool)
    return list(nodes)


def _fits(pool: Node) -> bool:
    """Whether a pooling follows a convolution, with windows that neither overlap nor reach out."""
    conv, attrs = pool.inputs[0][0], pool.attrs
    batch, *window, depth = attrs["ksize"]
    return (
        conv.type == "Conv2D"
        and conv.attrs["data_format"] == attrs["data_format"] == "NHWC"
        and conv.dtypes[0] in _FLOATS
        and batch == depth == 1
        and list(attrs["strides"]) == list(attrs["ksize"])
        and math.prod(window) <= _MOST
        and (attrs["padding"] == "VALID" or attrs["padding"] == "SAME" and _whole(conv, window))
        and not (pool.controls or conv.controls)
    )


def _whole(conv: Node, window: Sequence[int]) -> bool:
    """Whether the outputs of a convolution surely are whole windows."""
    sizes = conv.shapes[0].as_list()[1:3]
    return all(n is not None and n % k == 0 for n, k in zip(sizes, window, strict=True))


def _joined(nodes: Sequence[Node], pool: Node) -> list[Node]:
    readers, conv = Readers(nodes), pool.inputs[0][0]
    gradients = [n for n in readers.of((conv, 0)) if n is not pool]
    if readers.waiting(conv) or readers.waiting(pool):
        return list(nodes)
    x, w = conv.inputs
    attrs = {
        "pool": list(pool.attrs["ksize"][1:3]),
        "convolution": _Attributes({name: conv.attrs[name] for name in _KEPT}),
    }
    joined = new_node(
        "_ConvMaxPool",
        pool,
        [x, w],
        {**attrs, "keeps": bool(gradients)},
        dtypes=[pool.dtypes[0], dtypes.uint8],
        shapes=[pool.shapes[0], pool.shapes[0]],
    )
    new: dict[Value, Value] = {(pool, 0): (joined, 0)}
    instead = {pool: joined}
    for scatter in gradients:
        rest = _backward(scatter, pool, conv, readers)
        if rest is None:
            return list(nodes)
        sizes, filters = rest
        given = [x, sizes, (joined, 1), scatter.inputs[2]]
        if set(filters) == set(readers.of((scatter, 0))):
            for node in filters:
                instead[node] = new_node("_ConvMaxPoolBackpropFilter", node, given, attrs)
                new[node, 0] = (instead[node], 0)
        else:
            instead[scatter] = new_node("_MaxUnpool", scatter, given, attrs)
            new[scatter, 0] = (instead[scatter], 0)
    return replace(nodes, new, instead)


_KEPT = ("strides", "padding", "explicit_paddings", "data_format", "dilations")


def _backward(
    scatter: Node, pool: Node, conv: Node, readers: Readers
) -> tuple[Value, list[Node]] | None:
    """What becomes of the gradient of a pooling.

    Returns: the sizes of the filter, and the gradients by the filter; None when the node is no
    gradient of the pooling, or nobody asks for the filter's.
    """
    own = [(conv, 0), (pool, 0)]
    if scatter.type != "MaxPoolGrad" or scatter.inputs[:2] != own or scatter.controls:
        return None
    filters = [
        node
        for node in readers.of((scatter, 0))
        if node.type == "Conv2DBackpropFilter"
        and node.inputs[0] == conv.inputs[0]
        and node.inputs[2] == (scatter, 0)
        and all(node.attrs[name] == conv.attrs[name] for name in _KEPT)
    ]
    return (filters[0].inputs[1], filters) if filters else None
