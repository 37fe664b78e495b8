"""The functions of `tf.nn` that pool: their arguments and names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.op_def import OpDef
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import one_of
from minitf.core.ops.array_shaping import expand_dims, squeeze
from minitf.library.nets.layouts import check_choices, explicit, per_dimension
from minitf.library.nets.pooling_ops import (
    avg_pool3d_op,
    avg_pool_op,
    max_pool3d_op,
    max_pool_op,
    max_pool_with_argmax_op,
)

_IMAGES = ("NHWC", "NCHW")
_VOLUMES = ("NDHWC", "NCDHW")


def _pool(
    op_def: OpDef, value: Any, ksize: Any, strides: Any, padding: Any, data_format: str, name: Any
) -> Tensor:
    rank = len(data_format)
    mode, pads = explicit(padding, rank)
    check_choices(op_def.type, mode, data_format, _IMAGES if rank == 4 else _VOLUMES)
    attrs = {
        "ksize": per_dimension(ksize, rank, data_format, "ksize"),
        "strides": per_dimension(strides, rank, data_format, "strides"),
        "padding": mode,
        "data_format": data_format,
    }
    if op_def is max_pool_op:
        attrs["explicit_paddings"] = pads
    return op_def(value, name=name, **attrs)


def max_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,  # noqa: A002
) -> Tensor:
    """The largest element of each window of images.

    Args:
      value: [batch, height, width, channels], or channels second for NCHW. Also `input`.
      ksize: the size of the window: four numbers in the order of the layout, or the one or two that
        speak of space.
      strides: from one window to the next, as `ksize`.
      padding: "SAME" (windows may reach over the edge) or "VALID" (they may not).
      data_format: "NHWC" or "NCHW".
      name: the name.
    Example:
      >>> images = tf.zeros([8, 28, 28, 1])
      >>> tf.nn.max_pool(images, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
      <tf.Tensor 'MaxPool:0' shape=(8, 14, 14, 1) dtype=float32>
    """
    value = one_of("input", input, "value", value)
    with name_scope(name, "MaxPool", [value]) as scope:
        return _pool(max_pool_op, value, ksize, strides, padding, data_format or "NHWC", scope)


def max_pool2d(
    input: Any,  # noqa: A002
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The largest element of each window of images; the arguments are those of `max_pool`."""
    with name_scope(name, "MaxPool2d", [input]) as scope:
        return _pool(max_pool_op, input, ksize, strides, padding, data_format or "NHWC", scope)


def avg_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,  # noqa: A002
) -> Tensor:
    """The mean of each window of images; the arguments are those of `max_pool`.

    What lies beyond the edge does not count.
    """
    value = one_of("input", input, "value", value)
    with name_scope(name, "AvgPool", [value]) as scope:
        return _pool(avg_pool_op, value, ksize, strides, padding, data_format or "NHWC", scope)


def max_pool3d(
    input: Any,  # noqa: A002
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The largest element of each window of volumes [batch, depth, height, width, channels]."""
    with name_scope(name, "MaxPool3D", [input]) as scope:
        return _pool(max_pool3d_op, input, ksize, strides, padding, data_format or "NDHWC", scope)


def avg_pool3d(
    input: Any,  # noqa: A002
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of volumes [batch, depth, height, width, channels]."""
    with name_scope(name, "AvgPool3D", [input]) as scope:
        return _pool(avg_pool3d_op, input, ksize, strides, padding, data_format or "NDHWC", scope)


def _pool1d(
    op_def: OpDef, value: Any, ksize: Any, strides: Any, padding: str, data_format: str, scope: str
) -> Tensor:
    """Pools sequences as images one row high."""
    first = data_format in ("NCW", "NCHW")
    axis = 2 if first else 1
    layout = "NCHW" if first else "NHWC"
    ksize, strides = (
        [*space[:axis], 1, *space[axis:]]
        for space in (
            per_dimension(ksize, 3, layout, "ksize"),
            per_dimension(strides, 3, layout, "strides"),
        )
    )
    value = expand_dims(value, axis)
    return squeeze(_pool(op_def, value, ksize, strides, padding, layout, scope), [axis])


def max_pool1d(
    input: Any,  # noqa: A002
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """The largest element of each window of sequences [batch, width, channels]."""
    with name_scope(name, "MaxPool1d", [input]) as scope:
        return _pool1d(max_pool_op, input, ksize, strides, padding, data_format or "NWC", scope)


def avg_pool1d(
    input: Any,  # noqa: A002
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of sequences [batch, width, channels]."""
    with name_scope(name, "AvgPool1D", [input]) as scope:
        return _pool1d(avg_pool_op, input, ksize, strides, padding, data_format or "NWC", scope)


_BY_RANK = {
    "MAX": {3: (max_pool1d, "NWC"), 4: (max_pool, "NHWC"), 5: (max_pool3d, "NDHWC")},
    "AVG": {3: (avg_pool1d, "NWC"), 4: (avg_pool, "NHWC"), 5: (avg_pool3d, "NDHWC")},
}


def _by_rank(
    kind: str, value: Any, ksize: Any, strides: Any, padding: Any, data_format: Any, name: Any
) -> Tensor:
    value = convert_to_tensor(value, name="input")
    rank = len(data_format) if data_format is not None else value.shape.ndims
    if rank not in (3, 4, 5):
        raise ValueError(
            f"Input tensor must be of rank 3, 4 or 5 but was {'unknown' if rank is None else rank}."
        )
    function, layout = _BY_RANK[kind][rank]
    return function(value, ksize, strides, padding, data_format or layout, name)


def max_pool_v2(
    input: Any,  # noqa: A002
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The largest element of each window along one, two or three axes, as the rank says."""
    return _by_rank("MAX", input, ksize, strides, padding, data_format, name)


def avg_pool_v2(
    input: Any,  # noqa: A002
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The mean of each window along one, two or three axes, as the rank says."""
    return _by_rank("AVG", input, ksize, strides, padding, data_format, name)


def pool(
    input: Any,  # noqa: A002
    window_shape: Sequence[int],
    pooling_type: str,
    padding: str,
    dilation_rate: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Sequence[int] | None = None,
) -> Tensor:
    """Pools along one, two or three axes, as the rank of `input` says.

    Args:
      input: [batch, *space, channels], or [batch, channels, *space] with an "NC..." format.
      window_shape: a number for each axis of space.
      pooling_type: "MAX" or "AVG".
      padding: "SAME" or "VALID".
      dilation_rate: a number for each axis; only 1 is known. Also `dilations`.
      strides: a number for each axis; 1 by default.
      name: the name.
      data_format: "N...C" or "NC...".
    Raises:
      ValueError: for another type of pooling.
    """
    rates = one_of("dilations", dilations, "dilation_rate", dilation_rate)
    if rates is not None and any(r != 1 for r in rates):
        raise ValueError(f"`pool` knows no dilation_rate but 1. Received: dilation_rate={rates}")
    if pooling_type not in _BY_RANK:
        raise ValueError(f"{len(window_shape)}-D {pooling_type} pooling is not supported")
    with name_scope(name, f"{pooling_type.lower()}_pool", [input]) as scope:
        steps = [1] * len(window_shape) if strides is None else strides
        return _by_rank(
            pooling_type, input, list(window_shape), list(steps), padding, data_format, scope
        )


def max_pool_with_argmax(
    input: Any,  # noqa: A002
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    Targmax: Any = None,  # noqa: N803
    name: str | None = None,
    output_dtype: Any = None,
    include_batch_in_index: bool = False,
) -> tuple[Tensor, Tensor]:
    """The largest element of each window, and its place in the flattened image.

    Args:
      input: [batch, height, width, channels].
      ksize: four numbers: the size of the window.
      strides: four numbers: from one window to the next.
      padding: "SAME" or "VALID".
      data_format: "NHWC".
      Targmax: int64 or int32. Also `output_dtype`.
      name: the name.
      include_batch_in_index: whether a place counts from the start of the batch.
    Returns: the maxima, and (y * width + x) * channels + c for each.
    """
    if data_format != "NHWC":
        raise ValueError(
            "`data_format` values other  than 'NHWC' are not supported. "
            f"Received: data_format={data_format}"
        )
    kind = one_of("output_dtype", output_dtype, "Targmax", Targmax)
    result = max_pool_with_argmax_op(
        input,
        ksize=per_dimension(ksize, 4, data_format, "ksize"),
        strides=per_dimension(strides, 4, data_format, "strides"),
        padding=padding,
        Targmax=dtypes.as_dtype(dtypes.int64 if kind is None else kind),
        include_batch_in_index=include_batch_in_index,
        name=name,
    )
    return result[0], result[1]
