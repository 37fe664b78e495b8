"""DenseNet and Xception.

DenseNet   x ──relu──1x1── 128 ──relu──3x3── 32 ──┬──> each block adds 32 features to all before it
            └─────────────────────────────────────┘    (Huang and others, 2016)
Xception   relu, 3x3 of each channel and 1x1, two or three times ──(+)──>     (Chollet, 2016)
            └── x, or 1x1 ────────────────────────────────────────┘
"""

from __future__ import annotations

from typing import Any

from minitf.library.keras.applications.network import Frame, channel_axis, known, through
from minitf.library.keras.engine.model import Model
from minitf.library.keras.layers.convolutional import Conv2D
from minitf.library.keras.layers.core import Activation
from minitf.library.keras.layers.margins import ZeroPadding2D
from minitf.library.keras.layers.merge import Add, Concatenate
from minitf.library.keras.layers.normalization import BatchNormalization
from minitf.library.keras.layers.pooling import (
    AveragePooling2D,
    GlobalAveragePooling2D,
    MaxPooling2D,
)
from minitf.library.keras.layers.separable import SeparableConv2D

#: By name: how many layers each of the four blocks has; MD5 of the weights, with a top and without.
_NETWORKS = {
    "densenet121": (
        (6, 12, 24, 16), "9d60b8095a5708f2dcce2bca79d332c7", "30ee3e1110167f948a6b9946edeeb738"
    ),
    "densenet169": (
        (6, 12, 32, 32), "d699b8f76981ab1b30698df4c175e90b", "b8c4d4c20dd625c148057b9ff1c1176b"
    ),
    "densenet201": (
        (6, 12, 48, 32), "1ceb130c1ea1b78c3bf6114dbdfd8807", "c13680b51ded0fb44dff2d8f86ac8bb1"
    ),
}  # fmt: skip


def _active(name: str) -> list[Any]:
    """A normalization and a relu."""
    norm = BatchNormalization(axis=channel_axis(), epsilon=1.001e-5, name=f"{name}bn")
    return [norm, Activation("relu", name=f"{name}relu")]


def _conv(filters: int, size: int, name: str, **options: Any) -> Any:
    return Conv2D(filters, size, use_bias=False, name=f"{name}conv", **options)


def _densenet(name: str, frame: Frame) -> Model:
    blocks, *digests = _NETWORKS[name]
    start = [ZeroPadding2D(3), _conv(64, 7, "conv1/", strides=2), *_active("conv1/")]
    x = through(frame.image, [*start, ZeroPadding2D(1), MaxPooling2D(3, strides=2, name="pool1")])
    for block, layers in enumerate(blocks, 2):
        for layer in range(1, layers + 1):
            here = f"conv{block}_block{layer}_"
            more = [*_active(here + "0_"), _conv(128, 1, here + "1_"), *_active(here + "1_")]
            new = through(x, [*more, _conv(32, 3, here + "2_", padding="same")])
            x = Concatenate(axis=channel_axis(), name=here + "concat")([x, new])
        if block < 5:
            here = f"pool{block}_"
            half = x.shape[channel_axis()].value // 2
            pool = AveragePooling2D(2, strides=2, name=here + "pool")
            x = through(x, [*_active(here), _conv(half, 1, here), pool])
    x = through(x, _active(""))

    def top() -> list[Any]:
        return frame.classifier(GlobalAveragePooling2D(name="avg_pool"))

    file = f"densenet/{name}_weights_tf_dim_ordering_tf_kernels"
    return frame.model(name, x, top, file, digests, pools=("avg_pool", "max_pool"))


def _normed(name: str, filters: int) -> list[Any]:
    """A convolution of each channel, then one over the channels, normalized."""
    conv = SeparableConv2D(filters, 3, padding="same", use_bias=False, name=name)
    return [conv, BatchNormalization(axis=channel_axis(), name=f"{name}_bn")]


def _relu(name: str) -> Any:
    return Activation("relu", name=f"{name}_act")


def _xception(name: str, frame: Frame) -> Model:
    x = frame.image
    for number, filters, strides in (1, 32, 2), (2, 64, 1):
        here = f"block1_conv{number}"
        conv = Conv2D(filters, 3, strides=strides, use_bias=False, name=here)
        norm = BatchNormalization(axis=channel_axis(), name=f"{here}_bn")
        x = through(x, [conv, norm, _relu(here)])
    for block, depths in enumerate(
        [(128, 128), (256, 256), (728, 728), *[(728, 728, 728)] * 8, (728, 1024)], 2
    ):
        short, shrinks = x, len(depths) == 2
        if shrinks:
            conv = Conv2D(depths[-1], 1, strides=2, padding="same", use_bias=False)
            short = through(x, [conv, BatchNormalization(axis=channel_axis())])
        for number, filters in enumerate(depths, 1):
            here = f"block{block}_sepconv{number}"
            before = [] if block == 2 and number == 1 else [_relu(here)]
            x = through(x, [*before, *_normed(here, filters)])
        if shrinks:
            x = MaxPooling2D(3, strides=2, padding="same", name=f"block{block}_pool")(x)
        x = Add()([x, short])
    for number, filters in (1, 1536), (2, 2048):
        here = f"block14_sepconv{number}"
        x = through(x, [*_normed(here, filters), _relu(here)])

    def top() -> list[Any]:
        return frame.classifier(GlobalAveragePooling2D(name="avg_pool"))

    file = "xception/xception_weights_tf_dim_ordering_tf_kernels"
    digests = ("0a58e3b7378bc2990ea3b43d5981f1f6", "b0042744bf5b25fce3cb969f33bebb97")
    return frame.model(name, x, top, file, digests)


DenseNet121, DenseNet169 = known("DenseNet121", _densenet), known("DenseNet169", _densenet)
DenseNet201 = known("DenseNet201", _densenet)
Xception = known("Xception", _xception, size=299, least=71)
