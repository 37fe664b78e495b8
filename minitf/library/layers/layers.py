"""The layers of `tf.layers`: those of Keras with other defaults, and variable scopes; as functions.

keras Conv2D  --of_keras: other defaults, variable scopes-->  tf.layers.Conv2D
              --functional------------------------------->  tf.layers.conv2d
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from inspect import Parameter
from typing import Any

from minitf.core.graph.tensor import Tensor
from minitf.core.variables.initializers import Ones, Zeros
from minitf.library.keras.layers import convolutional, core, normalization
from minitf.library.keras.objects import KIND, constructor, parameters_of
from minitf.library.layers.base import Layer

_ZEROS, _ONES = Zeros(), Ones()
#: What `tf.layers` has where Keras names an initializer: None is that of the variable scope.
_DEFAULTS: dict[str, Any] = {
    "kernel_initializer": None,
    "depthwise_initializer": None,
    "pointwise_initializer": None,
    "bias_initializer": _ZEROS,
    "data_format": "channels_last",
}


def _arguments(*without: str, required: int = 0, **defaults: Any) -> Callable[[Any], Any]:
    """Gives a class, made of a layer of Keras and `Layer`, the arguments of `tf.layers`.

    Args:
      *without: arguments of the layer of Keras that it does not take.
      required: how many of its first arguments have no default.
      **defaults: defaults that are its own.
    """
    given = {**_DEFAULTS, **defaults}

    def decorate(cls: Any) -> Any:
        *own, rest = inspect.signature(cls.__mro__[1]).parameters.values()
        own = [
            p.replace(default=given.get(p.name, p.default)) for p in own if p.name not in without
        ]
        own[:required] = [p.replace(default=p.empty) for p in own[:required]]
        names = {p.name for p in own}
        for name, default in (("trainable", True), ("name", None)):
            if name not in names:
                own.append(Parameter(name, KIND, default=default))
        cls.__init__ = constructor([*own, rest], super(cls, cls).__init__)
        return cls

    return decorate


def _of_keras(layer_class: Any, *without: str, required: int = 0) -> Any:
    """A layer of Keras as one of `tf.layers`; see `_arguments`."""
    name = layer_class.__name__
    doc = f"`tf.keras.layers.{name}` with the defaults of `tf.layers`, and variable scopes."
    made = type(name, (layer_class, Layer), {"__doc__": doc, "__module__": __name__})
    return _arguments(*without, required=required)(made)


def functional(
    layer_class: Any, name: str, sentence: str, training_behind: str = ""
) -> Callable[..., Tensor]:
    """Makes the function that makes a layer and calls it: `tf.layers.conv2d` from `Conv2D`.

    Its arguments are the inputs, those of the class, and `reuse`.

    Args:
      layer_class: the class.
      name: the function's name.
      sentence: what it does.
      training_behind: the argument behind which `training` stands, if the layer is called with it.
    """
    *own, rest = parameters_of(layer_class, **{training_behind: {"training": False}})
    reuse = Parameter("reuse", KIND, default=None)
    signature = inspect.Signature([Parameter("inputs", KIND), *own, reuse, rest])

    def function(*args: Any, **kwargs: Any) -> Tensor:
        given = signature.bind(*args, **kwargs).arguments
        given.update(given.pop(rest.name, {}))
        inputs, shared = given.pop("inputs"), given.pop("reuse", None)
        called = {"training": given.pop("training")} if "training" in given else {}
        return layer_class(**given, _scope=given.get("name"), _reuse=shared)(inputs, **called)

    told = "\n      training: a bool, or a bool scalar tensor." if training_behind else ""
    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__doc__ = f"""{sentence}

    Args:
      inputs: what the layer is called with.{told}
      reuse: whether to take the variables of the layer of that name.

    The other arguments are those of `{layer_class.__name__}`. Returns: what the layer returns.
    """
    return function


# ---- dense, dropout, flatten -------------------------------------------------------------------


@_arguments()
class Dense(core.Dense, Layer):
    """A fully connected layer: activation(inputs @ kernel + bias); see `tf.keras.layers.Dense`.

    A `kernel_initializer` of None is the variable scope's, by default `glorot_uniform_initializer`.

    Example:
      >>> tf.layers.Dense(10)(tf.zeros([2, 784]))
      <tf.Tensor 'dense/BiasAdd:0' shape=(2, 10) dtype=float32>
    """


dense = functional(
    Dense, "dense", "Adds a fully connected layer: activation(inputs @ kernel + bias)."
)


@_arguments(rate=0.5)
class Dropout(core.Dropout, Layer):
    """Sets a part of the inputs to 0 while training; see `tf.keras.layers.Dropout`."""

    def call(self, inputs: Tensor, training: Any = False) -> Tensor:
        """Adds the operations."""
        return super().call(inputs, training=training)


dropout = functional(
    Dropout,
    "dropout",
    "Sets a part of the inputs to 0 and scales up the others, so that the sum stays as expected.",
    training_behind="seed",
)


Flatten = _of_keras(core.Flatten)


def flatten(inputs: Any, name: str | None = None, data_format: str = "channels_last") -> Tensor:
    """Makes one vector of each example of a batch.

    Args:
      inputs: [batch, ...].
      name: the name.
      data_format: "channels_last" or "channels_first".

    Returns: [batch, n].
    Example:
      >>> tf.layers.flatten(tf.zeros([2, 3, 4])).shape
      TensorShape([Dimension(2), Dimension(12)])
    """
    return Flatten(name=name, data_format=data_format)(inputs)


# ---- convolutions and pooling ------------------------------------------------------------------


Conv1D = _of_keras(convolutional.Conv1D)


@_arguments()
class Conv2D(convolutional.Conv2D, Layer):
    """Slides filters over images [batch, height, width, channels]; see `tf.keras.layers.Conv2D`.

    Example:
      >>> tf.layers.Conv2D(32, 5, padding="same", activation=tf.nn.relu)(tf.zeros([1, 28, 28, 1]))
      <tf.Tensor 'conv2d/Relu:0' shape=(1, 28, 28, 32) dtype=float32>
    """


Conv2DTranspose = _of_keras(convolutional.Conv2DTranspose, "output_padding", "dilation_rate")
SeparableConv2D = _of_keras(convolutional.SeparableConv2D)
MaxPooling1D = _of_keras(convolutional.MaxPooling1D, required=2)
MaxPooling2D = _of_keras(convolutional.MaxPooling2D, required=2)
AveragePooling1D = _of_keras(convolutional.AveragePooling1D, required=2)
AveragePooling2D = _of_keras(convolutional.AveragePooling2D, required=2)

conv1d = functional(Conv1D, "conv1d", "Slides filters along sequences.")
conv2d = functional(Conv2D, "conv2d", "Slides filters over images.")
conv2d_transpose = functional(
    Conv2DTranspose, "conv2d_transpose", "Makes images larger by the transpose of a convolution."
)
separable_conv2d = functional(
    SeparableConv2D, "separable_conv2d", "A separable convolution of images."
)
max_pooling1d = functional(MaxPooling1D, "max_pooling1d", "The largest of each window.")
max_pooling2d = functional(MaxPooling2D, "max_pooling2d", "The largest of each window.")
average_pooling1d = functional(AveragePooling1D, "average_pooling1d", "The mean of each window.")
average_pooling2d = functional(AveragePooling2D, "average_pooling2d", "The mean of each window.")


# ---- batch normalization -----------------------------------------------------------------------


@_arguments(
    beta_initializer=_ZEROS,
    gamma_initializer=_ONES,
    moving_mean_initializer=_ZEROS,
    moving_variance_initializer=_ONES,
)
class BatchNormalization(normalization.BatchNormalization, Layer):
    """Normalizes by the batch while training; see `tf.keras.layers.BatchNormalization`.

    The updates of the averages are in `GraphKeys.UPDATE_OPS`; the training step must run them:

        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train = optimizer.minimize(loss)
    """

    def add_weight(self, *args: Any, **kwargs: Any) -> Any:
        """Makes a variable; what is not trained stays whole where the others are partitioned."""
        if kwargs.get("trainable") is not False or self._scope is None:
            return super().add_weight(*args, **kwargs)
        split = self._scope.partitioner
        self._scope.set_partitioner(None)
        try:
            return super().add_weight(*args, **kwargs)
        finally:
            self._scope.set_partitioner(split)

    def call(self, inputs: Tensor, training: Any = False) -> Tensor:
        """Adds the operations."""
        return super().call(inputs, training=training)


batch_normalization = functional(
    BatchNormalization,
    "batch_normalization",
    "Normalizes each feature over the batch.",
    training_behind="gamma_constraint",
)
