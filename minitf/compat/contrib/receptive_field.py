"""`tf.contrib.receptive_field`: which pixels of the input an output of a network sees.

Backwards from the output, through a layer with windows of k every s pixels and p in front of them
(Araujo, Norris and Sim, "Computing Receptive Fields of Convolutional Neural Networks", 2019):

    size <- s * size + k - s        stride <- s * stride        padding <- s * padding + p
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from minitf.core.graph.convert import constant_value
from minitf.core.graph.graph import Graph
from minitf.core.graph.importer import import_graph_def
from minitf.core.graph.operation import Operation
from minitf.core.graph.tensor import Tensor

_POOLS = ("MaxPool", "AvgPool")
_CONVOLUTIONS = ("Conv2D", "DepthwiseConv2dNative")
#: Each pixel of what they give depends on the one pixel of each input alone.
_PIXEL_BY_PIXEL = frozenset(
    "Add AddN AddV2 BiasAdd Cast Ceil Concat ConcatV2 Const Elu Floor FusedBatchNorm "
    "FusedBatchNormV2 FusedBatchNormV3 GreaterEqual Identity LRN LeakyRelu Log Maximum Minimum Mul "
    "Neg Pow RealDiv Relu Relu6 Round Rsqrt Selu Sigmoid Softplus Sqrt Square StopGradient Sub "
    "Tanh Variable VariableV2 VarHandleOp ReadVariableOp".split()
)


class NodeInfo(NamedTuple):
    """Where a node stands, and how large the images are that it takes and gives."""

    order: int
    node: Any
    input_size: list[int | None] | None
    output_size: list[int | None] | None


class _Window(NamedTuple):
    """How a layer looks at one axis; `padding` is None where it depends on an unknown size."""

    size: int
    stride: int
    padding: int | None
    total: int | None


class ReceptiveField:
    """What an output sees of the input; unpacks into two numbers each, horizontal ones first.

    Attributes:
      size: its width and height, in pixels of the input.
      stride: how far apart those of neighbouring outputs are.
      padding: how far the first one begins before the input.
    """

    def __init__(self, size: Any, stride: Any, padding: Any):
        self.size, self.stride = np.asarray(size), np.asarray(stride)
        self.padding = np.asarray(padding)

    def compute_input_center_coordinates(self, y: Any, axis: Sequence[int] | None = None) -> Any:
        """The centres of the fields of outputs.

        Args:
          y: [..., axes], where in the output.
          axis: which axes; all by default.
        Raises:
          ValueError: when `y` has another number of axes.
        """
        y, axes = np.asarray(y), self._axes(y, axis, "feature coordinates `y`")
        return -self.padding[axes] + y * self.stride[axes] + (self.size[axes] - 1) / 2

    def compute_feature_coordinates(self, x: Any, axis: Sequence[int] | None = None) -> Any:
        """Where in the output what is seen around `x` stands; the way back."""
        x, axes = np.asarray(x), self._axes(x, axis, "input center coordinates `x`")
        return (x + self.padding[axes] + (1 - self.size[axes]) / 2) / self.stride[axes]

    def _axes(self, places: Any, axis: Sequence[int] | None, what: str) -> list[int]:
        axes = list(range(self.size.size) if axis is None else axis)
        if np.shape(places)[-1] != len(axes):
            raise ValueError(
                f"Dimensionality of the {what} ({np.shape(places)[-1]}) does not match "
                f"dimensionality of `axis` ({len(axes)})"
            )
        return axes

    def __iter__(self) -> Iterator[Any]:
        return iter(np.concatenate([self.size, self.stride, self.padding]))


def compute_receptive_field_from_graph_def(
    graph_def: Any, input_node: Any, output_node: Any,
    stop_propagation: Sequence[str] | None = None, input_resolution: Sequence[int] | None = None,
) -> ReceptiveField:  # fmt: skip
    """The field of an output of a convolutional network.

    Args:
      graph_def: a `GraphDef` or a `Graph`.
      input_node, output_node: tensors, or names of operations.
      stop_propagation: beginnings of names of operations beyond which is not looked.
      input_resolution: width and height of the input, where the graph does not know them.
    Raises:
      ValueError: for an operation that is not known, when an end is not found, and when branches
        that come together do not see the same neighbourhood ("not aligned").
    """
    graph = _graph_of(graph_def)
    start, end = (_name_of(each) for each in (input_node, output_node))
    names = {each.name for each in graph.get_operations()}
    for name, which in ((end, "Output"), (start, "Input")):
        if name not in names:
            raise ValueError(f"{which} node was not found: {name!r}")
    sizes = _sizes(graph, start, input_resolution)
    stops = tuple(stop_propagation or ())
    fields: dict[str, list[tuple[int, int, int | None]]] = {end: [(1, 1, 0), (1, 1, 0)]}
    for op in reversed(graph.get_operations()):
        if op.name not in fields or op.name == start:
            continue
        if stops and op.name.startswith(stops):
            continue
        for index, windows in _seen_by(op, sizes):
            seen = [
                _through(window, field)
                for window, field in zip(windows, fields[op.name], strict=True)
            ]
            parent = op.inputs[index].op.name
            fields[parent] = _joined(parent, fields.get(parent), seen)
    if start not in fields:
        raise ValueError(f"Input node was not found: the output does not depend on {start!r}")
    return ReceptiveField(*zip(*fields[start], strict=True))


def get_compute_order(
    graph_def: Any, input_node_name: str = "", input_node_size: Sequence[int] | None = None
) -> tuple[dict[str, NodeInfo], dict[str, Any]]:
    """In which order the nodes of a network are computed, and how large their images are.

    Args:
      graph_def: the graph.
      input_node_name: the node of the input images.
      input_node_size: their width and height.
    Returns: `NodeInfo`s and nodes, by names.
    """
    graph = _graph_of(graph_def)
    sizes = _sizes(graph, input_node_name, input_node_size)
    infos: dict[str, NodeInfo] = {}
    nodes = {op.name: op.node_def for op in graph.get_operations()}
    for op in graph.get_operations():
        inputs = [infos[each.op.name] for each in op.inputs]
        order = 0 if op.name == input_node_name else max((i.order + 1 for i in inputs), default=0)
        first = inputs[0].output_size if inputs and op.name != input_node_name else None
        infos[op.name] = NodeInfo(order, nodes[op.name], first, sizes.get(op.name))
    return infos, nodes


def _graph_of(graph_def: Any) -> Graph:
    if isinstance(graph_def, Graph):
        return graph_def
    graph = Graph()
    with graph.as_default():
        import_graph_def(graph_def, name="")
    return graph


def _name_of(node: Any) -> str:
    return node.op.name if isinstance(node, Tensor) else str(getattr(node, "name", node))


def _through(window: _Window, field: tuple[int, int, int | None]) -> tuple[int, int, int | None]:
    size, stride, padding = field
    known = padding is not None and window.padding is not None
    return (
        window.stride * size + window.size - window.stride,
        window.stride * stride,
        window.stride * padding + window.padding if known else None,  # type: ignore[operator]
    )


def _joined(name: str, one: Any, other: Any) -> Any:
    """The field of a node that two branches read: the larger one, around the same centre."""
    if one is None:
        return other
    joined = []
    for a, b, direction in zip(one, other, ("horizontal", "vertical"), strict=True):
        if a[1] != b[1]:
            raise ValueError(
                f"Graph is not aligned since effective stride from different paths is different "
                f"in {direction} direction, at {name}"
            )
        if None in (a[2], b[2]):
            joined.append((max(a[0], b[0]), a[1], None))
            continue
        if 2 * a[2] - a[0] != 2 * b[2] - b[0]:
            raise ValueError(
                f"Graph is not aligned since center shift from different paths is different "
                f"in {direction} direction, at {name}"
            )
        joined.append(max(a, b))
    return joined


# ---- layers --------------------------------------------------------------------------------


def _seen_by(op: Operation, sizes: dict[str, Any]) -> Iterator[tuple[int, list[_Window]]]:
    """The inputs that are images, and how an operation looks at each."""
    if op.type in _POOLS or op.type in _CONVOLUTIONS:
        yield 0, _windows(op, sizes.get(op.inputs[0].op.name))
    elif op.type in ("Pad", "PadV2", "MirrorPad"):
        yield 0, _padded(op)
    elif op.type in _PIXEL_BY_PIXEL:
        for index in range(len(op.inputs)):
            yield index, [_Window(1, 1, 0, 0)] * 2
    else:
        raise ValueError(f"Unknown layer for operation '{op.name}': {op.type}")


def _windows(op: Operation, sizes: Any) -> list[_Window]:
    channels_last = op.get_attr("data_format") in ("NHWC", b"NHWC")
    rows = 1 if channels_last else 2
    strides = op.get_attr("strides")[rows : rows + 2]
    dilations = [1, 1]
    if op.type in _POOLS:
        kernel = op.get_attr("ksize")[rows : rows + 2]
    else:
        kernel = op.inputs[1].shape.as_list()[:2]
        dilations = op.get_attr("dilations")[rows : rows + 2]
    same = op.get_attr("padding") in ("SAME", b"SAME")
    windows = []
    for axis in (1, 0):  # horizontal first
        size, stride = (kernel[axis] - 1) * dilations[axis] + 1, strides[axis]
        length = sizes[1 - axis] if sizes else None
        total, padding = _same(size, stride, length) if same else (0, 0)
        windows.append(_Window(size, stride, padding, total))
    return windows


def _same(size: int, stride: int, length: int | None) -> tuple[int | None, int | None]:
    """How much SAME pads an axis, and how much of it in front."""
    if length is not None:
        total = max(size - (length % stride or stride), 0)
        return total, total // 2
    if size == 1 or stride == 1:
        return size - 1, (size - 1) // 2
    if stride == 2 and size % 2 == 0:  # one more or less, but never in front
        return None, (size - 1) // 2
    return None, None


def _padded(op: Operation) -> list[_Window]:
    paddings = constant_value(op.inputs[1])
    if paddings is None:
        raise ValueError(f"The paddings of '{op.name}' are not known before it runs")
    for axis, which in ((0, "first"), (3, "last")):
        if paddings[axis][0]:
            raise ValueError(f"padding is not zero for {which} tensor dim")
    return [_Window(1, 1, int(paddings[n][0]), int(sum(paddings[n]))) for n in (2, 1)]


def _sizes(graph: Graph, start: str, given: Sequence[int] | None) -> dict[str, Any]:
    """The width and height of each node's images, where they are known."""
    sizes: dict[str, Any] = {}
    for op in graph.get_operations():
        shape = op.outputs[0].shape if op.outputs else None
        if op.name == start and given is not None:
            sizes[op.name] = [int(each) for each in given]
        elif shape is not None and shape.ndims == 4 and None not in shape.as_list()[1:3]:
            sizes[op.name] = shape.as_list()[2:0:-1]
        elif given is not None:
            found = _size_behind(op, sizes)
            if found is not None:
                sizes[op.name] = found
    return sizes


def _size_behind(op: Operation, sizes: dict[str, Any]) -> Any:
    known = [sizes[each.op.name] for each in op.inputs if each.op.name in sizes]
    if not known:
        return None
    if op.type in _PIXEL_BY_PIXEL:
        return known[0]
    if op.type not in (*_POOLS, *_CONVOLUTIONS, "Pad", "PadV2", "MirrorPad"):
        return None
    ((_, windows),) = _seen_by(op, sizes)
    return [
        None if window.total is None or size is None
        else -(-(size + window.total - window.size + 1) // window.stride)
        for size, window in zip(known[0], windows, strict=True)
    ]  # fmt: skip
