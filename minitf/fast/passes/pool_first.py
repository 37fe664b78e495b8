"""Pools before it adds a bias and rectifies: both keep the order of numbers, so that is the same.

    MaxPool(Relu(x + b))  =  Relu(MaxPool(x) + b)         a quarter of the work for 2 x 2 windows

    x ── BiasAdd ── Relu ── MaxPool ──> y          x ── MaxPool ── BiasAdd ── Relu ──> y
    dy ── MaxPoolGrad ── ReluGrad ──┬──> dx        dy ── ReluGrad ──┬── MaxPoolGrad ──> dx
                                    └──> db                         └──> db

The gradient follows: what rectifying stops is stopped before it is spread over the windows, and a
bias gets the same sum, since each number of dy goes to one place. NaN passes through all of them.
(Only an infinite bias could meet an infinity of the other sign that another number has beaten.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from minitf.core.runtime.passes.rewriting import Readers, Value, new_node, replace
from minitf.core.runtime.plan.subgraph import Node

_BIASES = ("BiasAdd", "Add", "AddV2")


class _Chain(NamedTuple):
    """What stands before a pooling, and what stands behind its gradient.

    Attributes:
      start: the value that can be pooled first.
      links: the operations between it and the pooling, in order.
      pool: the pooling.
      scatter: its gradient, or None in a step that does not train.
      rectified: the gradient of the Relu among the links, or None.
      gradient: what the gradient comes to: `rectified`, or else `scatter`.
    """

    start: Value
    links: list[Node]
    pool: Node
    scatter: Node | None
    rectified: Node | None
    gradient: Node | None


def pool_first(nodes: Sequence[Node]) -> list[Node]:
    """Pools before it adds a bias and rectifies."""
    for pool in [node for node in nodes if node.type == "MaxPool"]:
        readers = Readers(nodes)
        chain = _chain(pool, readers)
        if chain is not None:
            nodes = _turned(nodes, chain, readers)
    return list(nodes)


def _chain(pool: Node, readers: Readers) -> _Chain | None:
    """The operations before a pooling that can come after it; None when there are none."""
    attrs = pool.attrs
    layout = attrs["data_format"]
    channels = attrs["ksize"][1 if layout == "NCHW" else 3]
    if attrs["padding"] == "EXPLICIT" or channels != 1 or not pool.dtypes[0].is_floating:
        return None  # a window of margins alone would not be rectified
    links: list[Node] = []
    start = pool.inputs[0]
    while (link := start[0]).type == "Relu" or _is_bias(link, layout):
        if link.controls or readers.waiting(link) or any(each.type == link.type for each in links):
            break
        links.insert(0, link)
        start = link.inputs[0]
    if not links or pool.controls or readers.waiting(pool):
        return None
    last = (links[-1], 0)
    allowed: set[Node | None] = {pool}
    scatters = [node for node in readers.of((pool, 0)) if node.type == "MaxPoolGrad"]
    scatter = scatters[0] if scatters else None
    rectified = gradient = scatter
    if scatter is not None:
        if len(scatters) > 1 or scatter.inputs[:2] != [last, (pool, 0)] or scatter.controls:
            return None
        allowed.add(scatter)
        rectified = _rectified(scatter, links, readers)
        if any(link.type == "Relu" for link in links):
            if rectified is None:
                return None
            allowed.add(rectified)
            gradient = rectified
    for link, following in zip(links, [*links[1:], None], strict=True):
        # the gradient of Relu looks at what it gave or at what it got
        own = allowed if following is None else {following, rectified}
        if not set(readers.of((link, 0))) <= own:
            return None
    return _Chain(start, links, pool, scatter, rectified, gradient)


def _is_bias(node: Node, layout: str) -> bool:
    """Whether a node adds one number to each channel, or one to all."""
    if node.type not in _BIASES:
        return False
    source, index = node.inputs[1]
    if source.dtypes[index]._is_ref_dtype:
        return False
    if node.type == "BiasAdd":
        return node.attrs["data_format"] == layout
    before, shape = node.inputs[0], source.shapes[index]
    sizes, ranks = before[0].shapes[before[1]], (shape.ndims, node.shapes[0].ndims)
    if layout != "NHWC" or ranks not in ((0, 4), (1, 4)) or sizes.ndims != 4:
        return False
    channels = sizes.as_list()[3]  # of x, which must not be stretched over those of the bias
    return shape.ndims == 0 or channels is not None and shape.as_list()[0] in (1, channels)


def _rectified(scatter: Node, links: list[Node], readers: Readers) -> Node | None:
    """The gradient of Relu, when it is all that becomes of the gradient of the pooling."""
    found = readers.only((scatter, 0))
    relu = next((link for link in links if link.type == "Relu"), None)
    if relu is None or found is None or found.type != "ReluGrad" or found.controls:
        return None
    fits = found.inputs[0] == (scatter, 0) and found.inputs[1] in ((relu, 0), relu.inputs[0])
    return found if fits else None


def _turned(nodes: Sequence[Node], chain: _Chain, readers: Readers) -> list[Node]:
    """The nodes with the chain the other way round, each new one where an old one stood."""
    places = [*chain.links, chain.pool]
    pooled = new_node("MaxPool", chain.pool, [chain.start], chain.pool.attrs)
    instead = {places[0]: pooled}
    last: Value = (pooled, 0)
    copies: dict[Node, Node] = {}
    for link, place in zip(chain.links, places[1:], strict=True):
        inputs = [last, *link.inputs[1:]]
        copies[link] = instead[place] = new_node(
            link.type, link, inputs, link.attrs, shapes=pooled.shapes
        )
        last = (copies[link], 0)
    new: dict[Value, Value] = {(chain.pool, 0): last}
    if chain.scatter is None:
        return replace(nodes, new, instead)
    given = chain.scatter.inputs[2]
    place = chain.scatter
    if chain.rectified is not None and chain.gradient is chain.rectified:
        relu = next(link for link in chain.links if link.type == "Relu")
        stop = new_node(
            "ReluGrad", chain.rectified, [given, (copies[relu], 0)], {}, shapes=pooled.shapes
        )
        instead[chain.scatter] = stop
        given, place = (stop, 0), chain.rectified
    spread = new_node("MaxPoolGrad", place, [chain.start, (pooled, 0), given], chain.pool.attrs)
    instead[place] = spread
    biases = [[], *([link.inputs[1]] for link in chain.links if link.type in _BIASES)]
    for reader in readers.of((place, 0)):
        if reader.type in ("BiasAddGrad", "SumToShapeOf") and reader.inputs[1:] in biases:
            reader.inputs = [given, *reader.inputs[1:]]
    new[place, 0] = (spread, 0)
    return replace(nodes, new, instead)
