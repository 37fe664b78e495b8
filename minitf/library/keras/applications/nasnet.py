"""NASNet-A: two kinds of cells that a search found (Zoph and others, 2018), written as tables.

    x, p ──normal cell──> x of the same size        p is the x of one cell before
         ──reduction cell──> x of half the size     each cell begins with h, a 1x1 convolution of x

A row of a table is a sum of two branches; what rows give stands side by side after them.
"sep5 h" is a separable convolution of h with a window of 5, "avg", "max" are pools, "1" is the
first row's sum, and a name alone is passed on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitf.core.ops.examples import named
from minitf.library.keras.applications.network import Frame, channel_axis, through
from minitf.library.keras.engine.model import Model
from minitf.library.keras.layers.convolutional import Conv2D
from minitf.library.keras.layers.core import Activation
from minitf.library.keras.layers.margins import Cropping2D, ZeroPadding2D
from minitf.library.keras.layers.merge import add, concatenate
from minitf.library.keras.layers.normalization import BatchNormalization
from minitf.library.keras.layers.pooling import (
    AveragePooling2D,
    GlobalAveragePooling2D,
    MaxPooling2D,
)
from minitf.library.keras.layers.separable import SeparableConv2D

#: Of each cell: the branches with their names, the name of the sum; then what is put together.
_NORMAL = (
    (("sep5 h left1", "sep3 p right1", "add_1"), ("sep5 p left2", "sep3 p right2", "add_2"),
     ("avg h left3", "p", "add_3"), ("avg p left4", "avg p right4", "add_4"),
     ("sep3 h left5", "h", "add_5")),
    "p12345",
)  # fmt: skip
_REDUCTION = (
    (("sep5/2 h left1", "sep7/2 p right1", "add_1"), ("max/2 w left2", "sep7/2 p right2", "add_2"),
     ("avg/2 w left3", "sep5/2 p right3", "add3"), ("2", "avg 1 left4", ""),
     ("sep3 1 left4", "max/2 w right5", "add4")),
    "2345",
)  # fmt: skip
_HE: dict[str, Any] = {"use_bias": False, "kernel_initializer": "he_normal"}
_POOLS = {"avg": AveragePooling2D, "max": MaxPooling2D}


def _norm(name: str) -> BatchNormalization:
    return BatchNormalization(axis=channel_axis(), momentum=0.9997, epsilon=1e-3, name=name)


def _margin(x: Any, window: int) -> Any:
    """The margin with which a window of stride 2 sees an image as with the padding "same"."""
    sides = x.shape.as_list()[1:3] if channel_axis() == 3 else x.shape.as_list()[2:]
    half = window // 2
    return tuple((half - 1 + (side or 0) % 2, half) for side in sides)


def _separable(x: Any, filters: int, window: int, stride: int, name: str) -> Any:
    """Twice: relu, a separable convolution, normalized."""
    for turn in 1, 2:
        x = Activation("relu")(x)
        shrinks = turn == 1 and stride == 2
        if shrinks:
            x = ZeroPadding2D(_margin(x, window), name=f"separable_conv_1_pad_{name}")(x)
        conv = SeparableConv2D(
            filters, window, strides=stride if turn == 1 else 1,
            padding="valid" if shrinks else "same", name=f"separable_conv_{turn}_{name}", **_HE,
        )  # fmt: skip
        x = through(x, [conv, _norm(f"separable_conv_{turn}_bn_{name}")])
    return x


def _adjusted(p: Any, x: Any, filters: int, block: str) -> Any:
    """What came one cell before, in the size of x and with as many channels as the cell has."""
    if p is None:
        return x
    axis, side = channel_axis(), 2 if channel_axis() == 3 else 3

    def conv(count: int, name: str) -> Conv2D:
        return Conv2D(count, 1, padding="same", name=f"adjust_conv_{name}_{block}", **_HE)

    if p.shape[side].value != x.shape[side].value:
        p = Activation("relu", name=f"adjust_relu_1_{block}")(p)
        halves = []  # every second pixel, and the pixels between
        for number in 1, 2:
            layers: list[Any] = [
                AveragePooling2D(1, strides=2, name=f"adjust_avg_pool_{number}_{block}"),
                conv(filters // 2, str(number)),
            ]
            if number == 2:
                moved = [ZeroPadding2D(((0, 1), (0, 1))), Cropping2D(((1, 0), (1, 0)))]
                layers = [*moved, *layers]
            halves.append(through(p, layers))
        return _norm(f"adjust_bn_{block}")(concatenate(halves, axis=axis))
    if p.shape[axis].value != filters:
        layers = [Activation("relu"), conv(filters, "projection"), _norm(f"adjust_bn_{block}")]
        return through(p, layers)
    return p


def _cell(kind: str, x: Any, p: Any, filters: int, block: str) -> tuple[Any, Any]:
    """A cell, and what it was made of."""
    rows, together = _NORMAL if kind == "normal" else _REDUCTION
    found = {"p": _adjusted(p, x, filters, block)}
    conv = Conv2D(filters, 1, padding="same", name=f"{kind}_conv_1_{block}", **_HE)
    found["h"] = through(x, [Activation("relu"), conv, _norm(f"{kind}_bn_1_{block}")])
    if kind == "reduction":  # with a margin, for the pools
        margin = _margin(found["h"], 3)
        found["w"] = ZeroPadding2D(margin, name=f"reduction_pad_1_{block}")(found["h"])
    for number, (*branches, total) in enumerate(rows, 1):
        terms = []
        for text in branches:
            what, *rest = text.split()
            if not rest:
                terms.append(found[what])
                continue
            layer, _, stride = what.partition("/")
            given, name = found[rest[0]], f"{kind}_{rest[1]}_{block}"
            if layer in _POOLS:
                padding = "valid" if stride else "same"
                pool = _POOLS[layer](3, strides=int(stride or 1), padding=padding, name=name)
                terms.append(pool(given))
            else:
                terms.append(_separable(given, filters, int(layer[3:]), int(stride or 1), name))
        found[str(number)] = add(terms, **({"name": f"{kind}_{total}_{block}"} if total else {}))
    parts = [found[key] for key in together]
    return concatenate(parts, axis=channel_axis(), name=f"{kind}_concat_{block}"), x


def _network(
    name: str, size: int, last: int, cells: int, stem: int, skips: bool, digests: tuple[str, str]
) -> Callable[..., Model]:
    """The function of a network.

    Args:
      name: of the function; `size`: of the image.
      last: the channels of the last cell; those of the first ones follow.
      cells: how many normal cells stand in a row.
      stem: the filters of the first convolution.
      skips: whether the cell after a reduction sees what came before it.
      digests: the MD5 of the weights, with a top and without.
    """

    def network(
        input_shape: Any = None, include_top: bool = True, weights: Any = "imagenet",
        input_tensor: Any = None, pooling: str | None = None, classes: int = 1000,
        classifier_activation: Any = "softmax",
    ) -> Model:  # fmt: skip
        told = include_top, weights, input_tensor, input_shape, pooling, classes
        frame = Frame(*told, classifier_activation, size)
        filters = last // 24
        first = Conv2D(stem, 3, strides=2, name="stem_conv1", **_HE)
        x, p = through(frame.image, [first, _norm("stem_bn1")]), None
        x, p = _cell("reduction", x, p, filters // 4, "stem_1")
        x, p = _cell("reduction", x, p, filters // 2, "stem_2")
        for group in range(3):
            start, wide = group * cells, filters * 2**group
            if group:
                x, before = _cell("reduction", x, p, wide, f"reduce_{start}")
                p = p if skips else before
            for number in range(cells):
                x, p = _cell("normal", x, p, wide, str(start + bool(group) + number))
        x = Activation("relu")(x)

        def top() -> list[Any]:
            return frame.classifier(GlobalAveragePooling2D())

        return frame.model("NASNet", x, top, f"nasnet/{name}", digests, without="-no-top")

    function = name.replace("-l", "L").replace("-m", "M")
    return named(
        network, function, f"{function} as a model.\n\nArgs: see `Frame`.\n{Frame.__doc__}"
    )


NASNetMobile = _network(
    "NASNet-mobile", 224, 1056, 4, 32, False,
    ("020fb642bf7360b370c678b08e0adf61", "1ed92395b5b598bdda52abe5c0dbfd63"),
)  # fmt: skip
NASNetLarge = _network(
    "NASNet-large", 331, 4032, 6, 96, True,
    ("11577c9a518f0070763c2b964a382f17", "d81d89dc07e6e56530c4e77faddd61b5"),
)  # fmt: skip
