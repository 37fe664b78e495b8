"""Networks that are known by their names, with trained weights if wanted: VGG, ResNet, MobileNet.

VGG          blocks of 3x3 convolutions, each with a pooling behind it (Simonyan, Zisserman, 2014)
ResNet       x ──1x1── filters ──3x3── filters ──1x1── 4 filters ──(+)──relu──>     (He, 2015)
               └──────────── x, or 1x1 to 4 filters ────────────────┘
MobileNetV2  1x1 to six times as many ── 3x3 of each ── 1x1, no relu ──(+)──>   (Sandler, 2018)
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from minitf.core.ops.examples import named
from minitf.library.datasets.download import get_file
from minitf.library.keras.backend.session import floatx
from minitf.library.keras.engine.calls import history_of
from minitf.library.keras.engine.input_layer import Input
from minitf.library.keras.engine.structure import source_inputs
from minitf.library.keras.engine.training import Model
from minitf.library.keras.layers.convolutional import (
    Conv2D,
    DepthwiseConv2D,
    GlobalAveragePooling2D,
    GlobalMaxPooling2D,
    MaxPooling2D,
    ZeroPadding2D,
)
from minitf.library.keras.layers.core import Activation, Dense, Flatten, ReLU
from minitf.library.keras.layers.merge import Add
from minitf.library.keras.layers.normalization import BatchNormalization

_WEIGHTS = "https://storage.googleapis.com/tensorflow/keras-applications/"
_INDEX = "https://storage.googleapis.com/download.tensorflow.org/data/imagenet_class_index.json"
_LEAST = 32  # pixels of a side

# ---- what all have in common ---------------------------------------------------------------------


def _through(x: Any, layers: Iterable[Callable[[Any], Any]]) -> Any:
    """What comes out of layers, one after the other."""
    for layer in layers:
        x = layer(x)
    return x


class _Frame:
    """The input of a known network, its top and its weights.

    Args:
      include_top: whether the layers that find the class are part of it.
      weights: None for random ones, "imagenet" for trained ones, or the path of a file.
      input_tensor: a tensor to take as the image.
      input_shape: (height, width, channels) of the image, where the top is left out.
      pooling: without a top: "avg", "max", or None for a map of features.
      classes: how many classes there are.
      size: the usual size of the image, in pixels.
    Raises:
      ValueError: when these do not go together.
    """

    def __init__(
        self,
        include_top: bool,
        weights: Any,
        input_tensor: Any,
        input_shape: Any,
        pooling: str | None,
        classes: int,
        size: int = 224,
    ) -> None:
        if weights not in ("imagenet", None) and not os.path.exists(weights):
            raise ValueError(
                "The `weights` argument should be either `None` (random initialization), "
                "`imagenet` (pre-training on ImageNet), or the path to the weights file to be "
                f"loaded.  Received: weights={weights}"
            )
        if weights == "imagenet" and include_top and classes != 1000:
            raise ValueError(
                'If using `weights` as `"imagenet"` with `include_top` as true, `classes` should '
                f"be 1000.  Received `classes={classes}`"
            )
        self.include_top, self.weights, self.pooling = include_top, weights, pooling
        self.classes = classes
        self.shape = _image_shape(input_shape, size, include_top, weights)
        if input_tensor is None:
            self.image = Input(shape=self.shape)
        elif history_of(input_tensor) is not None:
            self.image = input_tensor
        else:
            self.image = Input(tensor=input_tensor, shape=self.shape)

    def model(
        self,
        name: str,
        x: Any,
        top: Callable[[], Sequence[Any]],
        file: str,
        digests: Sequence[str] = ("", ""),
        without: str = "_notop",
        finds: str = "predictions",
        pools: tuple[str | None, str | None] = (None, None),
    ) -> Model:
        """The network as a model.

        Args:
          name: its name.
          x: what comes out of its blocks.
          top: makes the layers of the top, but for the last.
          file: that of its weights, below `_WEIGHTS`.
          digests: the MD5 of the weights, with a top and without.
          without: how the name of the file without a top ends.
          finds: the name of the layer that finds the class.
          pools: the names of the layers "avg" and "max".
        """
        if self.include_top:
            last = Dense(self.classes, activation="softmax", name=finds)
            x = _through(x, [*top(), last])
        elif self.pooling == "avg":
            x = GlobalAveragePooling2D(name=pools[0])(x)
        elif self.pooling == "max":
            x = GlobalMaxPooling2D(name=pools[1])(x)
        model: Any = Model(source_inputs(self.image), x, name=name)
        if self.weights == "imagenet":
            url = f"{_WEIGHTS}{file}{'' if self.include_top else without}.h5"
            md5 = digests[0 if self.include_top else 1]
            self.weights = get_file(None, url, cache_subdir="models", md5_hash=md5 or None)
        if self.weights is not None:
            model.load_weights(self.weights)
        return model


def _image_shape(given: Any, size: int, whole: bool, weights: Any) -> tuple:
    """The shape of the image: what was asked for, if the network can have it."""
    usual = (size, size, 3)
    if given is None:
        return usual if whole else tuple(None if side == size else side for side in usual)
    if len(given) != 3:
        raise ValueError("`input_shape` must be a tuple of three integers.")
    if weights == "imagenet" and whole and tuple(given) != usual:
        raise ValueError(
            "When setting `include_top=True` and loading `imagenet` weights, `input_shape` "
            f"should be {usual}.  Received: input_shape={given}"
        )
    if weights == "imagenet" and given[2] != 3:
        raise ValueError(f"The input must have 3 channels; Received `input_shape={given}`")
    if any(side is not None and side < _LEAST for side in given[:2]):
        raise ValueError(
            f"Input size must be at least {_LEAST}x{_LEAST}; Received: input_shape={given}"
        )
    if whole and None in given:
        raise ValueError(
            "If `include_top` is True, you should specify a static `input_shape`. Received: "
            f"input_shape={given}"
        )
    return tuple(given)


def _known(name: str, build: Callable[[_Frame], Model]) -> Callable[..., Model]:
    """The function of a network that is told nothing but what a frame is told."""

    def network(
        include_top: bool = True,
        weights: Any = "imagenet",
        input_tensor: Any = None,
        input_shape: Any = None,
        pooling: str | None = None,
        classes: int = 1000,
    ) -> Model:
        told = include_top, weights, input_tensor, input_shape, pooling, classes
        return build(_Frame(*told))

    return named(network, name, f"{name} as a model.\n\nArgs: see `Frame`.\n{_Frame.__doc__}")


# ---- VGG -----------------------------------------------------------------------------------------

#: MD5 of trained weights, with a top and without
_VGG = ("64373286793e3c8b2b4e3219cbf3544b", "6d6bbae143d832006294945121d1f1fc")


def _vgg16(frame: _Frame) -> Model:
    x, blocks = frame.image, ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3))
    for block, (filters, count) in enumerate(blocks, 1):
        for number in range(1, count + 1):
            layer = f"block{block}_conv{number}"
            x = Conv2D(filters, 3, activation="relu", padding="same", name=layer)(x)
        x = MaxPooling2D(2, strides=2, name=f"block{block}_pool")(x)

    def top() -> list[Any]:
        hidden = [Dense(4096, activation="relu", name=name) for name in ("fc1", "fc2")]
        return [Flatten(name="flatten"), *hidden]

    return frame.model("vgg16", x, top, "vgg16/vgg16_weights_tf_dim_ordering_tf_kernels", _VGG)


VGG16 = _known("VGG16", _vgg16)

# ---- ResNet --------------------------------------------------------------------------------------

#: see `_VGG`
_RESNET = ("2cb95161c43110f7111970584f804107", "4d473c1dd8becc155b73f8504c6f6626")


def _normed(name: str, filters: int, size: int = 1, relu: bool = True, **options: Any) -> list[Any]:
    """A convolution, normalized, with a relu or without."""
    conv = Conv2D(filters, size, name=f"{name}_conv", **options)
    norm = BatchNormalization(axis=3, epsilon=1.001e-5, name=f"{name}_bn")
    return [conv, norm, *([Activation("relu", name=f"{name}_relu")] if relu else [])]


def _block(x: Any, name: str, filters: int, stride: int, first: bool) -> Any:
    short = x
    if first:
        short = _through(x, _normed(f"{name}_0", 4 * filters, relu=False, strides=stride))
    x = _through(x, _normed(f"{name}_1", filters, strides=stride))
    x = _through(x, _normed(f"{name}_2", filters, 3, padding="same"))
    x = _through(x, _normed(f"{name}_3", 4 * filters, relu=False))
    return Activation("relu", name=f"{name}_out")(Add(name=f"{name}_add")([short, x]))


def _resnet50(frame: _Frame) -> Model:
    x = ZeroPadding2D(3, name="conv1_pad")(frame.image)
    x = _through(x, _normed("conv1", 64, 7, strides=2))
    x = MaxPooling2D(3, strides=2, name="pool1_pool")(ZeroPadding2D(1, name="pool1_pad")(x))
    for stack, blocks in enumerate((3, 4, 6, 3)):
        for number in range(1, blocks + 1):
            stride = 2 if stack and number == 1 else 1
            x = _block(x, f"conv{stack + 2}_block{number}", 64 << stack, stride, number == 1)
    file = "resnet/resnet50_weights_tf_dim_ordering_tf_kernels"
    pools = ("avg_pool", "max_pool")

    def top() -> list[Any]:
        return [GlobalAveragePooling2D(name="avg_pool")]

    return frame.model("resnet50", x, top, file, _RESNET, finds="probs", pools=pools)


ResNet50 = _known("ResNet50", _resnet50)

# ---- MobileNet -----------------------------------------------------------------------------------

#: Filters, stride of the first, and how many, of blocks.
_BLOCKS = ((16, 1, 1), (24, 2, 2), (32, 2, 3), (64, 2, 4), (96, 1, 3), (160, 2, 3), (320, 1, 1))
_SIZES = (96, 128, 160, 192, 224)  # those for which there are weights


def MobileNetV2(
    input_shape: Any = None,
    alpha: float = 1.0,
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Model:
    """MobileNet, the second version.

    Args:
      alpha: a factor for the number of filters.
      input_shape, include_top, weights, input_tensor, pooling, classes: see `Frame`.
    Raises:
      ValueError: when these do not go together.
      DownloadError: when "imagenet" weights cannot be fetched.
    """
    if input_shape is None and input_tensor is not None:
        input_shape = tuple(input_tensor.shape.as_list()[1:])
    size = 224
    if input_shape is not None:
        rows, columns = input_shape[:2]
        size = rows if rows == columns and rows in _SIZES else size
    told = include_top, weights, input_tensor, input_shape, pooling, classes
    frame = _Frame(*told, size)
    if weights == "imagenet" and alpha not in (0.35, 0.5, 0.75, 1.0, 1.3, 1.4):
        raise ValueError(
            "If imagenet weights are being loaded, alpha must be one of `0.35`, `0.50`, `0.75`, "
            f"`1.0`, `1.3` or `1.4` only; Received `alpha={alpha}`"
        )
    first = Conv2D(_by_eight(32 * alpha), 3, 2, "same", use_bias=False, name="Conv1")
    x, number = _through(frame.image, _light(first, "bn_Conv1", "Conv1_relu")), 0
    for filters, stride, count in _BLOCKS:
        for repeat in range(count):
            x = _inverted(x, number, _by_eight(int(filters * alpha)), 1 if repeat else stride)
            number += 1
    wide = _by_eight(1280 * alpha) if alpha > 1 else 1280
    last = Conv2D(wide, 1, use_bias=False, name="Conv_1")
    x = _through(x, _light(last, "Conv_1_bn", "out_relu"))
    rows = size if weights == "imagenet" else frame.shape[0]
    file = f"mobilenet_v2/mobilenet_v2_weights_tf_dim_ordering_tf_kernels_{float(alpha)}_{rows}"
    name = f"mobilenetv2_{alpha:0.2f}_{rows}"
    return frame.model(name, x, lambda: [GlobalAveragePooling2D()], file, without="_no_top")


def _by_eight(filters: float) -> int:
    """The multiple of 8 that is next, and not below nine tenths."""
    near = max(8, int(filters + 4) // 8 * 8)
    return near + 8 if near < 0.9 * filters else near


def _light(conv: Any, name: str, relu: str = "") -> list[Any]:
    """A convolution, normalized; with a relu if it has a name."""
    norm = BatchNormalization(axis=3, epsilon=1e-3, momentum=0.999, name=name)
    return [conv, norm, *([ReLU(6.0, name=relu)] if relu else [])]


def _inverted(x: Any, number: int, filters: int, stride: int) -> Any:
    """A block of MobileNet; the first one does not widen."""
    name = f"block_{number}" if number else "expanded_conv"
    channels, found = int(x.shape[3]), x

    def conv(wide: int, part: str) -> Any:
        return Conv2D(wide, 1, padding="same", use_bias=False, name=f"{name}_{part}")

    if number:
        wide = conv(6 * channels, "expand")
        found = _through(found, _light(wide, f"{name}_expand_BN", f"{name}_expand_relu"))
    if stride == 2:  # so that a 3x3 convolution of stride 2 sees an image from its first pixel
        sides = found.shape.as_list()[1:3]
        margins = tuple((0 if sides[0] is None else side % 2, 1) for side in sides)
        found = ZeroPadding2D(margins, name=f"{name}_pad")(found)
    padding = "same" if stride == 1 else "valid"
    each = DepthwiseConv2D(3, stride, padding, use_bias=False, name=f"{name}_depthwise")
    found = _through(found, _light(each, f"{name}_depthwise_BN", f"{name}_depthwise_relu"))
    found = _through(found, _light(conv(filters, "project"), f"{name}_project_BN"))
    same = channels == filters and stride == 1
    return Add(name=f"{name}_add")([x, found]) if same else found


# ---- ImageNet ------------------------------------------------------------------------------------


def preprocess_input(x: Any) -> Any:
    """Makes images of 0..255 what VGG and ResNet were trained on: blue first, a mean of 0.

    Args:
      x: one image or a batch: an array, which is written over when it has floats, or a tensor.
    """
    mean = np.array([103.939, 116.779, 123.68])
    if not isinstance(x, np.ndarray):
        return x[..., ::-1] - mean.astype(x.dtype.as_numpy_dtype)
    x = (x if x.dtype.kind == "f" else x.astype(floatx()))[..., ::-1]
    x -= mean.astype(x.dtype)
    return x


@functools.cache
def _classes() -> dict[str, list[str]]:
    path = get_file(
        "imagenet_class_index.json",
        _INDEX,
        cache_subdir="models",
        file_hash="c2c37ea517e94d9795004a39431a14cb",
    )
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def decode_predictions(preds: Any, top: int = 5) -> list[list[tuple[str, str, float]]]:
    """What the most likely classes are called; the list of names is fetched the first time.

    Args:
      preds: [n, 1000] probabilities.
      top: how many classes.
    Returns: for each image its classes, the most likely first: WordNet's key, name, probability.
    Raises:
      ValueError: when preds has another shape.
      DownloadError: when the names cannot be fetched.
    """
    if len(preds.shape) != 2 or preds.shape[1] != 1000:
        raise ValueError(
            "`decode_predictions` expects a batch of predictions (i.e. a 2D array of shape "
            f"(samples, 1000)). Found array with shape: {preds.shape}"
        )
    best = [sorted(row.argsort()[-top:], key=lambda place: -row[place]) for row in preds]
    return [
        [(*_classes()[str(place)], row[place]) for place in places]
        for row, places in zip(preds, best)
    ]
