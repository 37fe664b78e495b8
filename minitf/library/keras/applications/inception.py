"""Inception V3: blocks of branches side by side (Szegedy and others, 2015), written as a table.

"64:1x1 | 48:1x1 64:5x5 | avg 32:1x1"     three branches: filters and window of each convolution
"96:3x3/2"     of stride 2, without a margin; "/1": only without
"384:1x3+3x1"  two convolutions of one image, side by side
"""

from __future__ import annotations

from typing import Any

from minitf.library.keras.applications.network import Frame, channel_axis, known, through
from minitf.library.keras.engine.model import Model
from minitf.library.keras.layers.convolutional import Conv2D
from minitf.library.keras.layers.core import Activation
from minitf.library.keras.layers.merge import concatenate
from minitf.library.keras.layers.normalization import BatchNormalization
from minitf.library.keras.layers.pooling import (
    AveragePooling2D,
    GlobalAveragePooling2D,
    MaxPooling2D,
)

_STEM = "32:3x3/2 32:3x3/1 64:3x3 max 80:1x1/1 192:3x3/1 max"


def _fives(last: int) -> str:
    return f"64:1x1 | 48:1x1 64:5x5 | 64:1x1 96:3x3 96:3x3 | avg {last}:1x1"


def _sevens(n: int) -> str:
    long = f"{n}:1x1 {n}:7x1 {n}:1x7 {n}:7x1 192:1x7"
    return f"192:1x1 | {n}:1x1 {n}:1x7 192:7x1 | {long} | avg 192:1x1"


_WIDE = "320:1x1 | 384:1x1 384:1x3+3x1 | 448:1x1 384:3x3 384:1x3+3x1 | avg 192:1x1"
_BLOCKS = (
    *map(_fives, (32, 64, 64)),
    "384:3x3/2 | 64:1x1 96:3x3 96:3x3/2 | max",
    *map(_sevens, (128, 160, 160, 192)),
    "192:1x1 320:3x3/2 | 192:1x1 192:1x7 192:7x1 192:3x3/2 | max",
    _WIDE,
    _WIDE,
)


def _layer(x: Any, text: str, pair: str | None) -> Any:
    """What one word of the table makes of an image."""
    if text == "max":
        return MaxPooling2D(3, strides=2)(x)
    if text == "avg":
        return AveragePooling2D(3, strides=1, padding="same")(x)
    filters, window = text.split(":")
    if "+" in window:
        sides = [_layer(x, f"{filters}:{each}", None) for each in window.split("+")]
        return concatenate(sides, axis=channel_axis(), **({"name": pair} if pair else {}))
    size, _, stride = window.partition("/")
    conv = Conv2D(
        int(filters),
        tuple(map(int, size.split("x"))),
        strides=int(stride or 1),
        padding="valid" if stride else "same",
        use_bias=False,
    )
    norm = BatchNormalization(axis=channel_axis(), scale=False)
    return through(x, [conv, norm, Activation("relu")])


def _branch(x: Any, text: str, pair: str | None = None) -> Any:
    for word in text.split():
        x = _layer(x, word, pair)
    return x


def _inception(name: str, frame: Frame) -> Model:
    x = _branch(frame.image, _STEM)
    for number, block in enumerate(_BLOCKS):
        branches = []
        for place, text in enumerate(block.split("|")):
            pair = f"mixed9_{number - 9}" if place == 1 else None  # only the first pair has a name
            branches.append(_branch(x, text, pair))
        x = concatenate(branches, axis=channel_axis(), name=f"mixed{number}")
    file = "inception_v3/inception_v3_weights_tf_dim_ordering_tf_kernels"
    digests = "9a0d58056eeedaa3f26cb7ebd46da564", "bcbd6486424b2319ff4ef7d526e38f63"

    def top() -> list[Any]:
        return frame.classifier(GlobalAveragePooling2D(name="avg_pool"))

    return frame.model("inception_v3", x, top, file, digests)


InceptionV3 = known("InceptionV3", _inception, size=299, least=75)
