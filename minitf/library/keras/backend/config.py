"""What all of Keras goes by: the type of floats, the layout of images; windows that slide.

The settings hold for the process. `~/.keras/keras.json` of the original is not read: a program says
itself what it wants.
"""

from __future__ import annotations

from typing import Any

#: That of TensorFlow 1.15.
VERSION = "2.2.4-tf"
_settings: dict[str, Any] = {
    "floatx": "float32",
    "epsilon": 1e-7,
    "image_data_format": "channels_last",
}


def floatx() -> str:
    """The name of the type that variables and placeholders have by default: "float32"."""
    return _settings["floatx"]


def epsilon() -> float:
    """The small number that keeps from division by zero: 1e-7."""
    return _settings["epsilon"]


def image_data_format() -> str:
    """The layout of images by default: "channels_last", or "channels_first"."""
    return _settings["image_data_format"]


# ---- windows -------------------------------------------------------------------------------------


def normalize_tuple(value: Any, n: int, name: str) -> tuple[int, ...]:
    """A number for each of `n` axes, from one number or `n`.

    Raises:
      ValueError: when it is neither.
    """
    if isinstance(value, int):
        return (value,) * n
    try:
        sizes = tuple(int(size) for size in value)
    except (TypeError, ValueError):
        sizes = ()
    if len(sizes) != n:
        raise ValueError(
            f"The `{name}` argument must be a tuple of {n} integers. Received: {value}"
        )
    return sizes


def normalize_padding(value: Any) -> str:
    """The padding in lower case: "valid", "same" or "causal".

    Raises:
      ValueError: when it is none of these.
    """
    padding = str(value).lower()
    if padding not in ("valid", "same", "causal"):
        raise ValueError(
            'The `padding` argument must be one of "valid", "same" (or "causal", only for '
            f"`Conv1D). Received: {padding}"
        )
    return padding


def normalize_data_format(value: str | None) -> str:
    """The layout in lower case: "channels_last" or "channels_first"; None is Keras's setting.

    Raises:
      ValueError: when it is none of these.
    """
    data_format = image_data_format() if value is None else value.lower()
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(
            'The `data_format` argument must be one of "channels_first", "channels_last". '
            f"Received: {value}"
        )
    return data_format


def op_format(data_format: str, ndim: int) -> str:
    """A layer's layout as operations name it: "NHWC" for images, channels last."""
    space = {3: "W", 4: "HW", 5: "DHW"}[ndim]
    return f"NC{space}" if data_format == "channels_first" else f"N{space}C"


def output_length(
    length: int | None, window: int, padding: str, stride: int, dilation: int = 1
) -> int | None:
    """How many places a window of this size takes along an axis of `length`."""
    if length is None:
        return None
    reach = window + (window - 1) * (dilation - 1)
    room = length - reach + 1 if padding == "valid" else length
    return (room + stride - 1) // stride


def deconv_output_length(
    input_length: Any,
    filter_size: int,
    padding: str,
    stride: int,
    output_padding: int | None = None,
    dilation: int = 1,
) -> Any:
    """How long the output of a transposed convolution is, None when it is not known.

    Args:
      input_length: a number, a scalar tensor, or None.
      filter_size, stride, dilation: of the convolution.
      padding: "valid", "same" or "full".
      output_padding: how much longer it is than the shortest; None: as long as `padding` says.
    """
    if input_length is None:
        return None
    reach = filter_size + (filter_size - 1) * (dilation - 1)
    if output_padding is not None:
        margin = {"same": reach // 2, "full": reach - 1}.get(padding, 0)
        return (input_length - 1) * stride + reach - 2 * margin + output_padding
    more = {"valid": max(reach - stride, 0), "full": -(stride + reach - 2)}
    return input_length * stride + more.get(padding, 0)
