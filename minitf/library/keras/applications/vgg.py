"""VGG: blocks of 3x3 convolutions, each with a pooling behind it (Simonyan, Zisserman, 2014)."""

from __future__ import annotations

from typing import Any

from minitf.library.keras.applications.network import Frame, known
from minitf.library.keras.engine.model import Model
from minitf.library.keras.layers.convolutional import Conv2D
from minitf.library.keras.layers.core import Dense, Flatten
from minitf.library.keras.layers.pooling import MaxPooling2D

_FILTERS = (64, 128, 256, 512, 512)
#: By name: convolutions of each block; MD5 of the weights, with a top and without.
_NETWORKS = {
    "vgg16": (
        (2, 2, 3, 3, 3),
        "64373286793e3c8b2b4e3219cbf3544b",
        "6d6bbae143d832006294945121d1f1fc",
    ),
    "vgg19": (
        (2, 2, 4, 4, 4),
        "cbe5617147190e668d6c5d5026f83318",
        "253f8cb515780f3b799900260a226db6",
    ),
}


def _vgg(name: str, frame: Frame) -> Model:
    counts, *digests = _NETWORKS[name]
    x = frame.image
    for block, (filters, count) in enumerate(zip(_FILTERS, counts), 1):
        for number in range(1, count + 1):
            layer = f"block{block}_conv{number}"
            x = Conv2D(filters, 3, activation="relu", padding="same", name=layer)(x)
        x = MaxPooling2D(2, strides=2, name=f"block{block}_pool")(x)

    def top() -> list[Any]:
        hidden = [Dense(4096, activation="relu", name=name) for name in ("fc1", "fc2")]
        return frame.classifier(Flatten(name="flatten"), *hidden)

    return frame.model(name, x, top, f"{name}/{name}_weights_tf_dim_ordering_tf_kernels", digests)


VGG16, VGG19 = known("VGG16", _vgg), known("VGG19", _vgg)
