"""What layers share: arguments brought to one form, and functions made of classes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from minitf.core.graph.tensor import Tensor


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
    """The layout in lower case: "channels_last", which is the default, or "channels_first".

    Raises:
      ValueError: when it is none of these.
    """
    data_format = "channels_last" if value is None else value.lower()
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
    input_length: int | None, filter_size: int, padding: str, stride: int
) -> int | None:
    """How long the output of a transposed convolution is, None when it is not known."""
    if input_length is None:
        return None
    more = {"valid": max(filter_size - stride, 0), "full": -(stride + filter_size - 2)}
    return input_length * stride + more.get(padding, 0)


def functional(layer_class: type, name: str, sentence: str) -> Callable[..., Tensor]:
    """Makes the function that makes a layer and calls it: `tf.layers.conv2d` from `Conv2D`.

    Its arguments are the inputs, those of the class, and `reuse`.

    Args:
      layer_class: the class.
      name: the function's name.
      sentence: what it does.
    """
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    own = list(inspect.signature(layer_class).parameters.values())
    rest = [own.pop()] if own[-1].kind is inspect.Parameter.VAR_KEYWORD else []
    reuse = inspect.Parameter("reuse", kind, default=None)
    signature = inspect.Signature([inspect.Parameter("inputs", kind), *own, reuse, *rest])

    def function(*args: Any, **kwargs: Any) -> Tensor:
        given = signature.bind(*args, **kwargs).arguments
        given.update(given.pop(rest[0].name, {}) if rest else {})
        inputs, shared = given.pop("inputs"), given.pop("reuse", None)
        return layer_class(**given, _scope=given.get("name"), _reuse=shared)(inputs)

    function.__name__ = function.__qualname__ = name
    function.__module__ = layer_class.__module__
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__doc__ = f"""{sentence}

    Args:
      inputs: what the layer is called with.
      reuse: whether to take the variables of the layer of that name.

    The other arguments are those of `{layer_class.__name__}`. Returns: what the layer returns.
    """
    return function
