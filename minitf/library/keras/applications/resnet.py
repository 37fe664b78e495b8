"""ResNet: blocks whose input is added to their output (He and others, 2015 and 2016).

x ──1x1── filters ──3x3── filters ──1x1── 4 filters ──(+)──relu──>        the first version
  └──────────── x, or 1x1 to 4 filters ────────────────┘
x ──norm, relu──1x1── filters ──3x3── filters ──1x1── 4 filters ──(+)──>  the second version
  └──────────── x, every second x, or 1x1 of what is normed ────────┘
"""

from __future__ import annotations

from typing import Any

from minitf.library.keras.applications.network import Frame, channel_axis, known, through
from minitf.library.keras.engine.model import Model
from minitf.library.keras.layers.convolutional import Conv2D
from minitf.library.keras.layers.core import Activation
from minitf.library.keras.layers.margins import ZeroPadding2D
from minitf.library.keras.layers.merge import Add
from minitf.library.keras.layers.normalization import BatchNormalization
from minitf.library.keras.layers.pooling import GlobalAveragePooling2D, MaxPooling2D

#: By name: blocks of each of the four stacks; MD5 of the weights, with a top and without.
_NETWORKS = {
    "resnet50": (
        (3, 4, 6, 3),
        "2cb95161c43110f7111970584f804107",
        "4d473c1dd8becc155b73f8504c6f6626",
    ),
    "resnet101": (
        (3, 4, 23, 3),
        "f1aeb4b969a6efcfb50fad2f0c20cfc5",
        "88cf7a10940856eca736dc7b7e228a21",
    ),
    "resnet152": (
        (3, 8, 36, 3),
        "100835be76be38e30d865e96f2aaae62",
        "ee4c566cf9a93f14d82f913c2dc6dd0c",
    ),
    "resnet50v2": (
        (3, 4, 6, 3),
        "3ef43a0b657b3be2300d5770ece849e0",
        "fac2f116257151a9d068a22e544a4917",
    ),
    "resnet101v2": (
        (3, 4, 23, 3),
        "6343647c601c52e1368623803854d971",
        "c0ed64b8031c3730f411d2eb4eea35b5",
    ),
    "resnet152v2": (
        (3, 8, 36, 3),
        "a49b44d1979771252814e80f8ec446f9",
        "ed17cf2e0169df9d443503ef94b23b33",
    ),
}


def _active(name: str, relu: bool = True) -> list[Any]:
    """A normalization, with a relu or without."""
    norm = BatchNormalization(axis=channel_axis(), epsilon=1.001e-5, name=f"{name}_bn")
    return [norm, *([Activation("relu", name=f"{name}_relu")] if relu else [])]


def _normed(name: str, filters: int, size: int = 1, relu: bool = True, **options: Any) -> list[Any]:
    """A convolution, normalized, with a relu or without."""
    return [Conv2D(filters, size, name=f"{name}_conv", **options), *_active(name, relu)]


def _block(x: Any, name: str, filters: int, stride: int, first: bool) -> Any:
    short = x
    if first:
        short = through(x, _normed(f"{name}_0", 4 * filters, relu=False, strides=stride))
    x = through(x, _normed(f"{name}_1", filters, strides=stride))
    x = through(x, _normed(f"{name}_2", filters, 3, padding="same"))
    x = through(x, _normed(f"{name}_3", 4 * filters, relu=False))
    return Activation("relu", name=f"{name}_out")(Add(name=f"{name}_add")([short, x]))


def _block_v2(x: Any, name: str, filters: int, stride: int, first: bool) -> Any:
    short = x
    x = through(x, _active(f"{name}_preact"))
    if first:
        short = Conv2D(4 * filters, 1, strides=stride, name=f"{name}_0_conv")(x)
    elif stride > 1:
        short = MaxPooling2D(1, strides=stride)(short)
    x = through(x, _normed(f"{name}_1", filters, use_bias=False))
    x = ZeroPadding2D(1, name=f"{name}_2_pad")(x)
    x = through(x, _normed(f"{name}_2", filters, 3, strides=stride, use_bias=False))
    x = Conv2D(4 * filters, 1, name=f"{name}_3_conv")(x)
    return Add(name=f"{name}_out")([short, x])


def _resnet(name: str, frame: Frame) -> Model:
    """A network of either version: the second shrinks in the last block of a stack."""
    stacks, *digests = _NETWORKS[name]
    second = name.endswith("v2")
    x = ZeroPadding2D(3, name="conv1_pad")(frame.image)
    x = Conv2D(64, 7, strides=2, name="conv1_conv")(x)
    x = through(x, [] if second else _active("conv1"))
    x = MaxPooling2D(3, strides=2, name="pool1_pool")(ZeroPadding2D(1, name="pool1_pad")(x))
    for stack, blocks in enumerate(stacks):
        shrinks = (blocks if stack < 3 else 0) if second else (1 if stack else 0)
        for number in range(1, blocks + 1):
            here, stride = f"conv{stack + 2}_block{number}", 2 if number == shrinks else 1
            block = _block_v2 if second else _block
            x = block(x, here, 64 << stack, stride, number == 1)
    x = through(x, _active("post") if second else [])
    file = f"resnet/{name}_weights_tf_dim_ordering_tf_kernels"

    def top() -> list[Any]:
        return frame.classifier(GlobalAveragePooling2D(name="avg_pool"), name="probs")

    return frame.model(name, x, top, file, digests, pools=("avg_pool", "max_pool"))


ResNet50, ResNet101 = known("ResNet50", _resnet), known("ResNet101", _resnet)
