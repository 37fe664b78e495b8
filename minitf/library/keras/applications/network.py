"""The frame of a known network: its input, its top, its weights.

frame = Frame(...)                 checks, and the input
frame.model(name, x, top, file)    x with a top, as a model; with weights
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from minitf.core.ops.examples import named
from minitf.library.datasets.download import get_file
from minitf.library.keras import activations
from minitf.library.keras.backend.config import image_data_format
from minitf.library.keras.backend.values import is_keras_tensor
from minitf.library.keras.engine.input_layer import Input
from minitf.library.keras.engine.model import Model
from minitf.library.keras.engine.topology import source_inputs
from minitf.library.keras.layers.core import Dense
from minitf.library.keras.layers.pooling import GlobalAveragePooling2D, GlobalMaxPooling2D

_WEIGHTS = "https://storage.googleapis.com/tensorflow/keras-applications/"


def channel_axis() -> int:
    """Where the channels of a batch of images are."""
    return 3 if image_data_format() == "channels_last" else 1


def through(x: Any, layers: Iterable[Callable[[Any], Any]]) -> Any:
    """What comes out of layers, one after the other."""
    for layer in layers:
        x = layer(x)
    return x


class Frame:
    """What all known networks are told.

    Args:
      include_top: whether the layers that find the class are part of it.
      weights: None for random ones, "imagenet" for trained ones, or the path of a file.
      input_tensor: a tensor to take as the image.
      input_shape: (height, width, channels) of the image, where the top is left out.
      pooling: without a top: "avg", "max", or None for a map of features.
      classes: how many classes there are.
      activation: of the top.
      size, least: the usual size of the image in pixels, and the smallest.
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
        activation: Any,
        size: int = 224,
        least: int = 32,
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
        known = ("softmax", "linear")
        if weights is not None and activations.get(activation).__name__ not in known:
            raise ValueError(
                "Only `None` and `softmax` activations are allowed for the "
                "`classifier_activation` argument when using pretrained weights, with "
                f"`include_top=True`; Received: classifier_activation={activation}"
            )
        self.include_top, self.weights, self.pooling = include_top, weights, pooling
        self.classes, self.activation = classes, activation
        self.shape = _image_shape(input_shape, size, least, include_top, weights)
        if input_tensor is None:
            self.image = Input(shape=self.shape)
        elif is_keras_tensor(input_tensor):
            self.image = input_tensor
        else:
            self.image = Input(tensor=input_tensor, shape=self.shape)

    @property
    def rows(self) -> int | None:
        """The height of the image."""
        return self.shape[0 if image_data_format() == "channels_last" else 1]

    def classifier(self, *before: Any, name: str = "predictions") -> list[Any]:
        """A top: some layers, and one of this name that finds the class."""
        return [*before, Dense(self.classes, activation=self.activation, name=name)]

    def model(
        self,
        name: str,
        x: Any,
        top: Callable[[], Sequence[Any]],
        file: str,
        digests: Sequence[str] = ("", ""),
        without: str = "_notop",
        pools: tuple[str | None, str | None] = (None, None),
    ) -> Model:
        """The network as a model.

        Args:
          name: its name.
          x: what comes out of its blocks.
          top: makes the layers of the top.
          file: that of its weights, below `_WEIGHTS`.
          digests: the MD5 of the weights, with a top and without.
          without: how the name of the file without a top ends.
          pools: the names of the layers "avg" and "max".
        """
        if self.include_top:
            x = through(x, top())
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


def known(
    name: str, build: Callable[[str, Frame], Model], size: int = 224, least: int = 32
) -> Callable[..., Model]:
    """The function of a network that is told nothing but what a frame is told.

    Args:
      name: of the function; in small letters that of the model.
      build: makes the model of its name and the frame.
      size, least: see `Frame`.
    """

    def network(
        include_top: bool = True,
        weights: Any = "imagenet",
        input_tensor: Any = None,
        input_shape: Any = None,
        pooling: str | None = None,
        classes: int = 1000,
        classifier_activation: Any = "softmax",
    ) -> Model:
        told = include_top, weights, input_tensor, input_shape, pooling, classes
        return build(name.lower(), Frame(*told, classifier_activation, size, least))

    return named(network, name, f"{name} as a model.\n\nArgs: see `Frame`.\n{Frame.__doc__}")


def _image_shape(given: Any, size: int, least: int, whole: bool, weights: Any) -> tuple:
    """The shape of the image: what was asked for, if the network can have it."""
    first = image_data_format() == "channels_first"

    def shape(rows: Any, columns: Any, channels: Any) -> tuple:
        return (channels, rows, columns) if first else (rows, columns, channels)

    if given is not None and len(given) != 3:
        raise ValueError("`input_shape` must be a tuple of three integers.")
    rows, columns, channels = (
        (None, None, 3) if given is None else ((given[1], given[2], given[0]) if first else given)
    )
    usual = shape(size, size, channels)
    if weights == "imagenet" and whole:
        if given is not None and tuple(given) != shape(size, size, 3):
            raise ValueError(
                "When setting `include_top=True` and loading `imagenet` weights, `input_shape` "
                f"should be {shape(size, size, 3)}.  Received: input_shape={given}"
            )
        return usual
    if given is None:
        return usual if whole else shape(None, None, 3)
    if weights == "imagenet" and channels != 3:
        raise ValueError(f"The input must have 3 channels; Received `input_shape={given}`")
    if channels not in (1, 3):
        warnings.warn(
            "This model usually expects 1 or 3 input channels. However, it was passed an "
            f"input_shape with {channels} input channels.",
            stacklevel=4,
        )
    if any(side is not None and side < least for side in (rows, columns)):
        raise ValueError(
            f"Input size must be at least {least}x{least}; Received: input_shape={given}"
        )
    if whole and None in given:
        raise ValueError(
            "If `include_top` is True, you should specify a static `input_shape`. Received: "
            f"input_shape={given}"
        )
    return tuple(given)
