"""Windows of convolutions and pooling: where they lie, their layouts, attributes and shapes.

    n = 5, window 3, stride 2, SAME:      . x x x x x .       margins (1, 1)
                                          [0   ] [1 ]         o = 3 outputs
                                                   [2    ]

Kernels work with the channels last; a tensor of the layout NC... is looked at through a transposed
view, so that nothing else has to know of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from minitf.core.graph.op_def import OpDef
from minitf.core.graph.shapes import TensorShape
from minitf.core.ops.array import check_choice
from minitf.core.ops.elementwise import invalid

# ---- windows along an axis -----------------------------------------------------------------------


_INT32 = (1 << 31) - 1


class Axis(NamedTuple):
    """How windows lie along one axis.

    Attributes:
      size: elements of the input.
      window: elements of a window.
      stride: elements from one window to the next.
      dilation: elements from one element of a window to the next.
      before, after: the margins, which count as zeros or as nothing.
      outputs: the number of windows.
    """

    size: int
    window: int
    stride: int
    dilation: int
    before: int
    after: int
    outputs: int

    @property
    def padded(self) -> int:
        """Elements with the margins."""
        return self.size + self.before + self.after

    @property
    def reaches(self) -> list[slice]:
        """The padded elements that each element of a window meets, one for each window."""
        span, end = (self.outputs - 1) * self.stride + 1, self.window * self.dilation
        return [slice(at, at + span, self.stride) for at in range(0, end, self.dilation)]

    @property
    def holds(self) -> bool:
        """Whether as many windows lie within the input and its margins as there is room for."""
        size, window, stride, dilation, before, after, outputs = self
        if min(size, before, after) < 0 or min(window, stride, dilation) < 1 or max(self) > _INT32:
            return False
        last = self.padded - (window - 1) * dilation - 1  # where a window can begin
        return outputs == max(0, last // stride + 1)


def placed(axes: Sequence[Axis | None], sizes: Sequence[int]) -> bool:
    """Whether windows lie so on an array of these sizes; where an axis is None there are none."""
    return _placed(tuple(axes), tuple(sizes))


@lru_cache(maxsize=1024)  # each step of a network asks the same
def _placed(axes: tuple[Axis | None, ...], sizes: tuple[int, ...]) -> bool:
    return len(axes) == len(sizes) and all(
        axis is None or (axis.size == size and axis.holds)
        for axis, size in zip(axes, sizes, strict=True)
    )


def outputs_of(axes: Sequence[Axis | None], sizes: Sequence[int]) -> tuple[int, ...]:
    """The sizes of what windows make of an array: one number for each of them."""
    return tuple(n if a is None else a.outputs for a, n in zip(axes, sizes, strict=True))


def axis_of(
    size: int, window: int, stride: int, dilation: int, padding: str, pads: Sequence[int] = (0, 0)
) -> Axis:
    """Places windows along one axis.

    Args:
      padding: SAME, VALID or EXPLICIT.
      pads: the margins, when they are explicit.
    Raises:
      InvalidArgumentError: "Computed output size would be negative: -2 ...".
    """
    for number in (window, stride, dilation, *pads):
        if number > _INT32:
            raise invalid(f"A window, its steps or its margins are out of range: {number}")
    reach = (window - 1) * dilation + 1
    before, after = pads if padding == "EXPLICIT" else (0, 0)
    if padding == "SAME":
        outputs = -(-size // stride)
        margin = max((outputs - 1) * stride + reach - size, 0)
        before, after = margin // 2, margin - margin // 2
    else:
        padded = size + before + after
        outputs = int((padded - reach + stride) / stride)  # as C divides
        if padded < reach and (size or reach > 1):  # no images at all are not too small
            raise invalid(
                f"Computed output size would be negative: {outputs} [input_size: {size}, "
                f"effective_filter_size: {reach}, stride: {stride}]"
            )
    return Axis(size, window, stride, dilation, before, after, outputs)


def known_outputs(
    size: int, window: int, stride: int, dilation: int, padding: str, pads: Sequence[int] = (0, 0)
) -> int:
    """How many windows there are along an axis, when the graph is built; arguments of `axis_of`.

    Raises:
      ValueError: "Negative dimension size caused by subtracting 5 from 3", "Stride must be > 0...".
    """
    if stride < 1:
        raise ValueError(f"Stride must be > 0, but got {stride}")
    if dilation < 1:
        raise ValueError(f"Dilation rate must be >= 1, but got {dilation}")
    reach, padded = (window - 1) * dilation + 1, size + (sum(pads) if padding == "EXPLICIT" else 0)
    if padding != "SAME" and padded < reach and (size or reach > 1):  # no images are not too small
        raise ValueError(f"Negative dimension size caused by subtracting {reach} from {padded}")
    return axis_of(size, window, stride, dilation, padding, pads).outputs


# ---- layouts -------------------------------------------------------------------------------------


def is_channels_first(data_format: str) -> bool:
    """Whether the layout is NCHW or one of its kin."""
    return data_format.startswith("NC") and len(data_format) > 2


def channels_last(x: Any, data_format: str) -> Any:
    """A view of `x` with the channels last."""
    return _moved(x, data_format, 1, -1)


def as_given(x: Any, data_format: str) -> Any:
    """What `channels_last` changed, back in the layout asked for, in order in memory."""
    if not is_channels_first(data_format):
        return x
    moved = _moved(x, data_format, -1, 1)
    return moved.copy() if moved.base is not None else moved


def _moved(x: Any, data_format: str, source: int, target: int) -> Any:
    if not is_channels_first(data_format):
        return x
    order = [i for i in range(x.ndim) if i != source % x.ndim]
    order.insert(target % x.ndim, source % x.ndim)
    return x.transpose(order)


def spatial(values: Sequence[Any], data_format: str) -> list[Any]:
    """The entries of a list over all dimensions that speak of space."""
    return list(values[2:] if is_channels_first(data_format) else values[1:-1])


def margins(explicit_paddings: Sequence[int] | None, rank: int) -> list[tuple[int, int]]:
    """The attribute `explicit_paddings`, a flat list, as pairs; one for each dimension."""
    flat = list(explicit_paddings or [0] * 2 * rank)
    return list(zip(flat[::2], flat[1::2], strict=True))


# ---- attributes --------------------------------------------------------------------------


@dataclass(frozen=True)
class Pooling2D:
    """The attributes of an op that pools images.

    Attributes:
      ksize: for each dimension of the input, how large a window is.
      strides: likewise, how far one window is from the next.
      padding: SAME, VALID or EXPLICIT.
      data_format: the layout.
    """

    ksize: Any
    strides: Any
    padding: str
    data_format: str = "NHWC"


@dataclass(frozen=True)
class PoolingWithMargins(Pooling2D):
    """Those of an op whose margins may be given: a flat list, two for each dimension."""

    explicit_paddings: Any = ()


@dataclass(frozen=True)
class Convolution2D:
    """The attributes of an op that slides filters over images; see `Pooling2D`.

    Attributes:
      dilations: for each dimension, how far one element of a window is from the next.
    """

    strides: Any
    padding: str
    explicit_paddings: Any = ()
    data_format: str = "NHWC"
    dilations: Any = (1, 1, 1, 1)


@dataclass(frozen=True)
class Conv2D(Convolution2D):
    """Those of Conv2D and its gradients, where one may ask not to use a library of NVIDIA's."""

    use_cudnn_on_gpu: bool = True


def same_attrs(op_def: OpDef, operation: Any) -> dict[str, Any]:
    """The attributes of an operation that an op of the same family is given in its gradient."""
    return {name: operation.attrs[name] for name in op_def.attr_names}


# ---- arguments ---------------------------------------------------------------------------


def window_attrs(
    op_def: OpDef, padding: Any, data_format: str | None, **per_axis: Any
) -> dict[str, Any]:
    """The arguments that convolutions and pooling share, as the attributes of `op_def`.

    Args:
      op_def: the op; the default of its `data_format` says of which rank its input is.
      padding: "SAME" or "VALID", or a pair of margins for each dimension.
      data_format: the layout; None is the op's default.
      per_axis: such as `strides`: see `per_dimension`.
    Raises:
      ValueError: "Attr 'padding' of 'Conv2D' Op passed string 'same' not in: ...".
      TypeError: when the padding is no text.
    """
    default = op_def.attr_defaults["data_format"]
    layout, rank = data_format or default, len(default)
    layout = layout.decode() if isinstance(layout, bytes) else str(layout)
    mode, pads = _explicit(padding, rank)
    with_margins = "explicit_paddings" in op_def.attr_names
    known = {
        "padding": (mode, ("SAME", "VALID", "EXPLICIT")[: 3 if with_margins else 2]),
        "data_format": (layout, (default, f"NC{default[1:-1]}")),
    }
    for name, (value, choices) in known.items():
        if not isinstance(value, str):
            raise TypeError(f"Expected string for argument '{name}' not {value}.")
        check_choice(op_def.type, name, value, choices)
    attrs = {name: per_dimension(value, rank, layout, name) for name, value in per_axis.items()}
    margins_given = {"explicit_paddings": pads} if with_margins else {}
    return {**attrs, **margins_given, "padding": mode, "data_format": layout}


def _explicit(padding: Any, rank: int) -> tuple[Any, list[int]]:
    """The argument `padding` as the attributes `padding` and `explicit_paddings`."""
    if not isinstance(padding, (list, tuple)):
        return padding.decode() if isinstance(padding, bytes) else padding, []
    if len(padding) != rank:
        raise ValueError(
            f"When padding is a list, it must be of size {rank}. Received: padding={padding} of "
            f"size {len(padding)}"
        )
    for place, pair in enumerate(padding):
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise ValueError(
                "When `padding` is a list, each element of `padding` must be a list/tuple of size "
                f"2. Received: padding={padding} with element at index {place} of size {len(pair)}"
            )
    pads = [int(p) for pair in padding for p in pair]
    if min(pads) < 0:
        raise ValueError("All elements of explicit_paddings must be nonnegative")
    return "EXPLICIT", pads


def per_dimension(value: Any, rank: int, data_format: str, name: str) -> list[int]:
    """An argument such as `strides`, with one number for each dimension of the input.

    Args:
      value: one number, one for each axis of space, or one for each dimension; None means 1.
    Raises:
      ValueError: "strides should be of length 1, 2 or 4. Received: ...".
    """
    space = rank - 2
    given = [int(v) for v in np.ravel(1 if value is None else value)]
    if len(given) == rank:
        return given
    if len(given) not in (1, space):
        raise ValueError(
            f"{name} should be of length 1, {space} or {rank}. Received: {name}={value} of length "
            f"{len(given)}"
        )
    given = given * space if len(given) == 1 else given
    return [1, 1, *given] if is_channels_first(data_format) else [1, *given, 1]


def one_row_high(value: Any, name: str, data_format: str) -> list[int]:
    """An argument of sequences, such as `strides`, as that of images one row high."""
    space = per_dimension(value, 3, data_format, name)
    place = 2 if is_channels_first(data_format) else 1
    return [*space[:place], 1, *space[place:]]


# ---- shapes ------------------------------------------------------------------------------


def taken_apart(shape: TensorShape, data_format: str) -> tuple[Any, list, Any]:
    """Batch, sizes in space and channels of an input of this layout."""
    known = sizes_of(shape, len(data_format))
    channels = known[1] if is_channels_first(data_format) else known[-1]
    return known[0], spatial(known, data_format), channels


def sizes_of(shape: TensorShape, rank: int) -> list[int | None]:
    """The sizes of a tensor of `rank` dimensions, as far as they are known."""
    sizes = shape.with_rank(rank)
    return [None] * rank if sizes.ndims is None else sizes.as_list()


def convolved_shape(
    x: TensorShape, window: Sequence[int | None], features: int | None, attrs: dict[str, Any]
) -> TensorShape:
    """The shape of what a window of this size gives with `features` for each place.

    Raises:
      ValueError: when the batch or the channels have a margin.
    """
    layout, padding = attrs["data_format"], attrs["padding"]
    batch, sizes, _ = taken_apart(x, layout)
    pads = margins(attrs.get("explicit_paddings"), len(layout))
    if any(pads[place] != (0, 0) for place in (0, 1 if is_channels_first(layout) else -1)):
        raise ValueError(
            "Nonzero explicit padding in the batch or depth dimensions is not supported"
        )
    lists = (spatial(each, layout) for each in (attrs["strides"], attrs["dilations"], pads))
    outputs = [
        None
        if n is None or (k is None and padding != "SAME")
        else known_outputs(n, 1 if k is None else k, s, d, padding, p)
        for n, k, s, d, p in zip(sizes, window, *lists, strict=True)
    ]
    first = is_channels_first(layout)
    return TensorShape([batch, features, *outputs] if first else [batch, *outputs, features])
