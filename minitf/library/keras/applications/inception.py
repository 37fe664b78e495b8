"""Inception: blocks of branches side by side (Szegedy and others, 2015 and 2016), as tables.

"64:1x1 | 48:1x1 64:5x5 | avg 32:1x1"     three branches: filters and window of each convolution
"96:3x3/2"     of stride 2, without a margin; "/1": only without
"384:1x3+3x1"  two convolutions of one image, side by side

InceptionV3          x ──branches──>
InceptionResNetV2    x ──branches──1x1── as many channels as x ── * scale ──(+)──relu──>
                       └─────────────────────────────────────────────────────┘
"""

from __future__ import annotations

from typing import Any

from minitf.library.keras.applications.network import Frame, channel_axis, known, through
from minitf.library.keras.engine.model import Model
from minitf.library.keras.layers.convolutional import Conv2D
from minitf.library.keras.layers.core import Activation, Lambda
from minitf.library.keras.layers.merge import Concatenate, concatenate
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

#: Of InceptionResNetV2, by groups of blocks: the name and the branches of what stands before them,
#: then the name of the blocks, how many, the scale of what they add, and their branches.
_RESIDUAL = (
    ("mixed_5b", "96:1x1 | 48:1x1 64:5x5 | 64:1x1 96:3x3 96:3x3 | avg 64:1x1",
     "block35", 10, 0.17, "32:1x1 | 32:1x1 32:3x3 | 32:1x1 48:3x3 64:3x3"),
    ("mixed_6a", "384:3x3/2 | 256:1x1 256:3x3 384:3x3/2 | max",
     "block17", 20, 0.1, "192:1x1 | 128:1x1 160:1x7 192:7x1"),
    ("mixed_7a", "256:1x1 384:3x3/2 | 256:1x1 288:3x3/2 | 256:1x1 288:3x3 320:3x3/2 | max",
     "block8", 10, 0.2, "192:1x1 | 192:1x1 224:1x3 256:3x1"),
)  # fmt: skip


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


def _side_by_side(x: Any, block: str, name: str) -> Any:
    """What the branches of a block make of an image, side by side."""
    branches = [_branch(x, text) for text in block.split("|")]
    return Concatenate(axis=channel_axis(), name=name)(branches)


def _plus_scaled(inputs: Any, scale: float) -> Any:
    """x and a share of what the branches found."""
    return inputs[0] + inputs[1] * scale


def _inception_resnet(name: str, frame: Frame) -> Model:
    axis = channel_axis()
    x = _branch(frame.image, _STEM)
    for joined, joint, kind, blocks, scale, branches in _RESIDUAL:
        x = _side_by_side(x, joint, joined)
        for number in range(1, blocks + 1):
            here, last = f"{kind}_{number}", kind == "block8" and number == blocks
            new = _side_by_side(x, branches, f"{here}_mixed")
            new = Conv2D(x.shape[axis].value, 1, padding="same", name=f"{here}_conv")(new)
            told = {"scale": 1.0 if last else scale}
            shape = tuple(x.shape.as_list()[1:])
            x = Lambda(_plus_scaled, output_shape=shape, arguments=told, name=here)([x, new])
            x = through(x, [] if last else [Activation("relu", name=f"{here}_ac")])
    conv = Conv2D(1536, 1, padding="same", use_bias=False, name="conv_7b")
    norm = BatchNormalization(axis=axis, scale=False, name="conv_7b_bn")
    x = through(x, [conv, norm, Activation("relu", name="conv_7b_ac")])
    file = "inception_resnet_v2/inception_resnet_v2_weights_tf_dim_ordering_tf_kernels"
    digests = "e693bd0210a403b3192acc6073ad2e96", "d19885ff4a710c122648d3b5c3b684e4"

    def top() -> list[Any]:
        return frame.classifier(GlobalAveragePooling2D(name="avg_pool"))

    return frame.model("inception_resnet_v2", x, top, file, digests)


InceptionResNetV2 = known("InceptionResNetV2", _inception_resnet, size=299, least=75)
InceptionV3 = known("InceptionV3", _inception, size=299, least=75)
