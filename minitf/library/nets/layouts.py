"""The layouts and arguments of convolutions and pooling, as the user gives them.

Kernels work with the channels last; a tensor of the layout NC... is looked at through a transposed
view, so that nothing else has to know of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph.shapes import TensorShape, unknown_shape
from minitf.library.nets.kernels.windows import axis_of


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


def check_margins(pads: Sequence[Sequence[int]], data_format: str) -> None:
    """Raises shape inference's ValueError when the batch or the channels have a margin."""
    for place in (0, 1 if is_channels_first(data_format) else -1):
        if pads and tuple(pads[place]) != (0, 0):
            raise ValueError(
                "Nonzero explicit padding in the batch or depth dimensions is not supported"
            )


def margins(explicit_paddings: Sequence[int]) -> list[tuple[int, int]]:
    """The attribute `explicit_paddings`, a flat list, as pairs; one for each dimension."""
    flat = list(explicit_paddings)
    return list(zip(flat[::2], flat[1::2], strict=True))


def explicit(padding: Any, rank: int = 4) -> tuple[Any, list[int]]:
    """The argument `padding` as the attributes `padding` and `explicit_paddings`.

    Args:
      padding: "SAME" or "VALID", or a pair of margins for each of the `rank` dimensions.
    Raises:
      ValueError: when there are not so many pairs.
    """
    if not isinstance(padding, (list, tuple)):
        return padding, []
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
    return "EXPLICIT", [int(p) for pair in padding for p in pair]


def check_choices(op_type: str, padding: Any, data_format: str, formats: Sequence[str]) -> None:
    """Raises unless an op knows the padding and the layout.

    Raises:
      ValueError: "Attr 'padding' of 'Conv2D' Op passed string 'same' not in: ...".
      TypeError: when the padding is no text.
    """
    paddings = ("SAME", "VALID", "EXPLICIT")[: 3 if op_type in ("Conv2D", "MaxPool") else 2]
    rows = (("padding", padding, paddings), ("data_format", data_format, formats))
    for name, value, known in rows:
        if not isinstance(value, str):
            raise TypeError(f"Expected string for argument '{name}' not {value}.")
        if value not in known:
            listed = ", ".join(f'"{each}"' for each in known)
            raise ValueError(
                f"Attr '{name}' of '{op_type}' Op passed string '{value}' not in: {listed}."
            )


def per_dimension(value: Any, rank: int, data_format: str, name: str) -> list[int]:
    """An argument such as `strides`, with one number for each dimension of the input.

    Args:
      value: one number, one for each axis of space, or one for each dimension; None means 1.
    Raises:
      ValueError: "strides should be of length 1, 2 or 4. Received: ...".
    """
    space = rank - 2
    given = [1] if value is None else value
    given = (
        [int(v) for v in given]
        if isinstance(given, (list, tuple)) or np.ndim(given)
        else [int(given)]
    )
    if len(given) == rank:
        return given
    if len(given) not in (1, space):
        raise ValueError(
            f"{name} should be of length 1, {space} or {rank}. Received: {name}={value} of length "
            f"{len(given)}"
        )
    given = given * space if len(given) == 1 else given
    return [1, 1, *given] if is_channels_first(data_format) else [1, *given, 1]


def output_sizes(
    sizes: Sequence[int | None],
    windows: Sequence[int | None],
    strides: Sequence[int],
    dilations: Sequence[int],
    padding: str,
    pads: Sequence[Sequence[int]] = (),
) -> list[int | None]:
    """For a shape function: the number of windows along each axis, as far as it is known."""
    pads = pads or [(0, 0)] * len(sizes)
    return [
        None
        if n is None or (k is None and padding != "SAME")
        else axis_of(n, 1 if k is None else k, s, d, padding, p).outputs
        for n, k, s, d, p in zip(sizes, windows, strides, dilations, pads, strict=True)
    ]


def arranged(
    batch: int | None, sizes: Sequence[int | None], channels: int | None, data_format: str
) -> TensorShape:
    """A shape in the layout of `data_format`."""
    if is_channels_first(data_format):
        return TensorShape([batch, channels, *sizes])
    return TensorShape([batch, *sizes, channels])


def taken_apart(shape: TensorShape, rank: int, data_format: str) -> tuple[Any, list, Any]:
    """Batch, sizes in space and channels of an input of `rank` dimensions."""
    sizes = shape.with_rank(rank)
    known = (unknown_shape(rank) if sizes.ndims is None else sizes).as_list()
    channels = known[1] if is_channels_first(data_format) else known[-1]
    return known[0], spatial(known, data_format), channels
