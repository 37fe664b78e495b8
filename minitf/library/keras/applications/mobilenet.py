"""MobileNet: a convolution of each channel, then one over the channels (Howard and others, 2017).

MobileNet      3x3 of each channel ── 1x1                                     a block
MobileNetV2    1x1 to six times as many ── 3x3 of each ── 1x1, no relu ──(+)   Sandler, 2018
"""

from __future__ import annotations

from typing import Any

from minitf.library.keras.applications.network import Frame, channel_axis, through
from minitf.library.keras.engine.model import Model
from minitf.library.keras.layers.advanced_activations import ReLU
from minitf.library.keras.layers.convolutional import Conv2D
from minitf.library.keras.layers.margins import ZeroPadding2D
from minitf.library.keras.layers.merge import Add
from minitf.library.keras.layers.normalization import BatchNormalization
from minitf.library.keras.layers.pooling import GlobalAveragePooling2D
from minitf.library.keras.layers.separable import DepthwiseConv2D

#: Filters, stride of the first, and how many, of blocks of the second version.
_BLOCKS_V2 = ((16, 1, 1), (24, 2, 2), (32, 2, 3), (64, 2, 4), (96, 1, 3), (160, 2, 3), (320, 1, 1))
_SIZES = (128, 160, 192, 224)


def _size(input_shape: Any, input_tensor: Any, sizes: tuple[int, ...]) -> int:
    """The size for which there are weights: that of the image, or 224."""
    if input_shape is None and input_tensor is not None:
        input_shape = input_tensor.shape.as_list()[1:]
    if input_shape is None:
        return 224
    rows, columns = input_shape[:2] if channel_axis() == 3 else input_shape[1:]
    return rows if rows == columns and rows in sizes else 224


def MobileNetV2(
    input_shape: Any = None,
    alpha: float = 1.0,
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: Any = "softmax",
) -> Model:
    """MobileNet, the second version.

    Args:
      alpha: a factor for the number of filters.
      input_shape, include_top, weights, input_tensor, pooling, classes: see `Frame`.
      classifier_activation: of the top.
    Raises:
      ValueError: when these do not go together.
      DownloadError: when "imagenet" weights cannot be fetched.
    """
    size = _size(input_shape, input_tensor, (96, *_SIZES))
    if input_shape is None and input_tensor is not None:
        input_shape = tuple(input_tensor.shape.as_list()[1:])
    told = include_top, weights, input_tensor, input_shape, pooling, classes
    frame = Frame(*told, classifier_activation, size=size)
    if weights == "imagenet" and alpha not in (0.35, 0.5, 0.75, 1.0, 1.3, 1.4):
        raise ValueError(
            "If imagenet weights are being loaded, alpha must be one of `0.35`, `0.50`, `0.75`, "
            f"`1.0`, `1.3` or `1.4` only; Received `alpha={alpha}`"
        )
    first = Conv2D(_by_eight(32 * alpha), 3, 2, "same", use_bias=False, name="Conv1")
    x, number = through(frame.image, _normed(first, "bn_Conv1", "Conv1_relu")), 0
    for filters, stride, count in _BLOCKS_V2:
        for repeat in range(count):
            x = _inverted(x, number, _by_eight(int(filters * alpha)), 1 if repeat else stride)
            number += 1
    wide = _by_eight(1280 * alpha) if alpha > 1 else 1280
    last = Conv2D(wide, 1, use_bias=False, name="Conv_1")
    x = through(x, _normed(last, "Conv_1_bn", "out_relu"))
    rows = size if weights == "imagenet" else frame.rows
    file = f"mobilenet_v2/mobilenet_v2_weights_tf_dim_ordering_tf_kernels_{float(alpha)}_{rows}"

    def top() -> list[Any]:
        return frame.classifier(GlobalAveragePooling2D())

    return frame.model(f"mobilenetv2_{alpha:0.2f}_{rows}", x, top, file, without="_no_top")


def _by_eight(filters: float) -> int:
    """The multiple of 8 that is next, and not below nine tenths."""
    near = max(8, int(filters + 4) // 8 * 8)
    return near + 8 if near < 0.9 * filters else near


def _normed(conv: Any, name: str, relu: str = "") -> list[Any]:
    """A convolution, normalized; with a relu if it has a name."""
    norm = BatchNormalization(axis=channel_axis(), epsilon=1e-3, momentum=0.999, name=name)
    return [conv, norm, *([ReLU(6.0, name=relu)] if relu else [])]


def _inverted(x: Any, number: int, filters: int, stride: int) -> Any:
    """A block of the second version; the first one does not widen."""
    name = f"block_{number}" if number else "expanded_conv"
    channels, found = int(x.shape[channel_axis()]), x

    def conv(wide: int, part: str) -> Any:
        return Conv2D(wide, 1, padding="same", use_bias=False, name=f"{name}_{part}")

    if number:
        wide = conv(6 * channels, "expand")
        found = through(found, _normed(wide, f"{name}_expand_BN", f"{name}_expand_relu"))
    if stride == 2:
        found = ZeroPadding2D(_odd(found), name=f"{name}_pad")(found)
    padding = "same" if stride == 1 else "valid"
    each = DepthwiseConv2D(3, stride, padding, use_bias=False, name=f"{name}_depthwise")
    found = through(found, _normed(each, f"{name}_depthwise_BN", f"{name}_depthwise_relu"))
    found = through(found, _normed(conv(filters, "project"), f"{name}_project_BN"))
    same = channels == filters and stride == 1
    return Add(name=f"{name}_add")([x, found]) if same else found


def _odd(x: Any) -> Any:
    """The padding with which a 3x3 convolution of stride 2 sees an image from its first pixel."""
    sides = x.shape.as_list()[1:3] if channel_axis() == 3 else x.shape.as_list()[2:]
    known = sides[0] is not None
    return tuple((side % 2, 1) if known else (0, 1) for side in sides)
