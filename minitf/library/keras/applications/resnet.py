"""ResNet: blocks whose input is added to their output (He and others, 2015).

x ──1x1── filters ──3x3── filters ──1x1── 4 filters ──(+)──relu──>
  └──────────── x, or 1x1 to 4 filters ────────────────┘
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
        (3, 4, 6, 3), "2cb95161c43110f7111970584f804107", "4d473c1dd8becc155b73f8504c6f6626"
    ),
    "resnet101": (
        (3, 4, 23, 3), "f1aeb4b969a6efcfb50fad2f0c20cfc5", "88cf7a10940856eca736dc7b7e228a21"
    ),
    "resnet152": (
        (3, 8, 36, 3), "100835be76be38e30d865e96f2aaae62", "ee4c566cf9a93f14d82f913c2dc6dd0c"
    ),
}  # fmt: skip


def _normed(name: str, filters: int, size: int = 1, relu: bool = True, **options: Any) -> list[Any]:
    """A convolution, normalized, with a relu or without."""
    return [
        Conv2D(filters, size, name=f"{name}_conv", **options),
        BatchNormalization(axis=channel_axis(), epsilon=1.001e-5, name=f"{name}_bn"),
        *([Activation("relu", name=f"{name}_relu")] if relu else []),
    ]


def _block(x: Any, name: str, filters: int, stride: int, first: bool) -> Any:
    short = x
    if first:
        short = through(x, _normed(f"{name}_0", 4 * filters, relu=False, strides=stride))
    x = through(x, _normed(f"{name}_1", filters, strides=stride))
    x = through(x, _normed(f"{name}_2", filters, 3, padding="same"))
    x = through(x, _normed(f"{name}_3", 4 * filters, relu=False))
    return Activation("relu", name=f"{name}_out")(Add(name=f"{name}_add")([short, x]))


def _resnet(name: str, frame: Frame) -> Model:
    stacks, *digests = _NETWORKS[name]
    x = ZeroPadding2D(3, name="conv1_pad")(frame.image)
    x = through(x, _normed("conv1", 64, 7, strides=2))
    x = MaxPooling2D(3, strides=2, name="pool1_pool")(ZeroPadding2D(1, name="pool1_pad")(x))
    for stack, blocks in enumerate(stacks):
        for block in range(1, blocks + 1):
            stride = 2 if stack and block == 1 else 1
            x = _block(x, f"conv{stack + 2}_block{block}", 64 << stack, stride, block == 1)
    file = f"resnet/{name}_weights_tf_dim_ordering_tf_kernels"

    def top() -> list[Any]:
        return frame.classifier(GlobalAveragePooling2D(name="avg_pool"))

    return frame.model(name, x, top, file, digests, pools=("avg_pool", "max_pool"))


ResNet50, ResNet101 = known("ResNet50", _resnet), known("ResNet101", _resnet)
ResNet152 = known("ResNet152", _resnet)
