"""Models that stand ready: a line, and a line beside a deep model (Cheng and others, 2016).

LinearModel     x1 K1 + x2 K2 + ... + b ──activation──>
WideDeepModel   linear(x1) ──┐
                deep(x2) ────┴── their mean ──activation──>   each may have its own optimizer
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from minitf.core.ops.control import group
from minitf.core.ops.math import add_n
from minitf.core.variables.variables import Variable
from minitf.library.keras import activations, initializers, regularizers
from minitf.library.keras.engine.base_layer import Layer
from minitf.library.keras.engine.model import Model
from minitf.library.keras.layers import named as layers
from minitf.library.keras.layers.core import Dense
from minitf.library.keras.objects import serialize_keras_object
from minitf.library.keras.optimizers import named as optimizers
from minitf.library.keras.optimizers.base import OptimizerV2
from minitf.library.nets.basics import bias_add


class LinearModel(Model):
    """A weighted sum of one input, of a list of them, or of a dict of them.

    Args:
      units: how many numbers the output has.
      activation: of the output; None for the sum itself.
      use_bias: whether something is added to the sum.
      kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer: of the variables.
      kwargs: see `Layer`.
    """

    def __init__(
        self, units: int = 1, activation: Any = None, use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None, bias_regularizer: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.units, self.use_bias = units, use_bias
        self.activation = activations.get(activation)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.bias: Any = None
        self.dense_layers: list[Dense] = []

    def build(self, input_shape: Any) -> None:
        """Makes a layer for each input, and the bias."""
        several = isinstance(input_shape, list) and not _is_size(input_shape[0])
        names: list[Any] = [None] * (len(input_shape) if several else 1)
        if isinstance(input_shape, Mapping):
            names = sorted(input_shape)
        options = {
            "kernel_initializer": self.kernel_initializer,
            "kernel_regularizer": self.kernel_regularizer,
        }
        self.dense_layers = [
            Dense(self.units, use_bias=False, name=name, **options) for name in names
        ]
        if self.use_bias:
            first, penalty = self.bias_initializer, self.bias_regularizer
            shape = [self.units]
            self.bias = self.add_weight("bias", shape, initializer=first, regularizer=penalty)
        self.built = True

    def call(self, inputs: Any) -> Any:  # type: ignore[override]
        """Adds the operations.

        Raises:
          ValueError: when there are other inputs than it was built for.
        """
        if isinstance(inputs, Mapping):
            missing = {layer.name for layer in self.dense_layers} - set(inputs)
            if missing:
                raise ValueError(f"The inputs {sorted(missing)} are missing.")
            inputs = [inputs[layer.name] for layer in self.dense_layers]
        elif not isinstance(inputs, (tuple, list)):
            inputs = [inputs]
        if len(inputs) != len(self.dense_layers):
            expected = len(self.dense_layers)
            raise ValueError(f"Expected {expected} inputs, but got {len(inputs)} inputs")
        parts = [layer(each) for layer, each in zip(self.dense_layers, inputs)]
        result = parts[0] if len(parts) == 1 else add_n(parts)
        return self.activation(result if self.bias is None else bias_add(result, self.bias))

    def get_config(self) -> dict[str, Any]:
        """What makes such a model."""
        plain = {"units": self.units, "use_bias": self.use_bias}
        names = ("activation", "kernel_initializer", "bias_initializer", "kernel_regularizer",
                 "bias_regularizer")  # fmt: skip
        made = {name: serialize_keras_object(getattr(self, name)) for name in names}
        return {**Layer.get_config(self), **plain, **made}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> LinearModel:
        """Makes the model that `get_config` described."""
        return cls(**config)


class WideDeepModel(Model):
    """The mean of a linear model and a deep one, which are trained together.

    Args:
      linear_model, dnn_model: the models; both take the input, or each its own of two.
      activation: of the output; None for the mean itself.
      kwargs: see `Layer`.

    Example:
      >>> deep = tf.keras.Sequential([tf.keras.layers.Dense(8), tf.keras.layers.Dense(1)])
      >>> model = tf.keras.experimental.WideDeepModel(tf.keras.experimental.LinearModel(), deep)
      >>> model.compile(optimizer=["sgd", "adam"], loss="mse")
    """

    def __init__(
        self, linear_model: Any, dnn_model: Any, activation: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.linear_model, self.dnn_model = linear_model, dnn_model
        self.activation = activations.get(activation)

    def call(self, inputs: Any) -> Any:  # type: ignore[override]
        """Adds the operations."""
        both = isinstance(inputs, (tuple, list)) and len(inputs) == 2
        wide, deep = inputs if both else (inputs, inputs)
        return self.activation(0.5 * (self.linear_model(wide) + self.dnn_model(deep)))

    def compile(self, optimizer: Any = "rmsprop", *args: Any, **kwargs: Any) -> None:
        """See `Model.compile`; of two optimizers the first is for the linear model."""
        if isinstance(optimizer, (list, tuple)):
            optimizer = _Two(optimizer, lambda: self.linear_model.trainable_weights)
        super().compile(optimizer, *args, **kwargs)

    def get_config(self) -> dict[str, Any]:
        """What makes such a model."""
        models = {
            "linear_model": layers.serialize(self.linear_model),
            "dnn_model": layers.serialize(self.dnn_model),
        }
        activation = activations.serialize(self.activation)
        return {**Layer.get_config(self), **models, "activation": activation}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> WideDeepModel:
        """Makes the model that `get_config` described."""
        names = ("linear_model", "dnn_model")
        made = {name: layers.deserialize(config[name], custom_objects) for name in names}
        return cls(**{**config, **made})


class _Two(OptimizerV2):
    """Two optimizers, each for variables of its own.

    Args:
      given: them, or their names.
      of_first: finds the variables of the first.
    """

    def __init__(self, given: Sequence[Any], of_first: Callable[[], list[Variable]]) -> None:
        super().__init__("Two")
        self._both = [optimizers.get(each) for each in given]
        self._of_first = of_first

    def __getitem__(self, place: int) -> OptimizerV2:
        return self._both[place]

    def __len__(self) -> int:
        return len(self._both)

    def _shared_out(self, pairs: Sequence[tuple[Any, Variable]]) -> list[tuple[Any, list]]:
        first = {id(v) for v in self._of_first()}
        parts = [[p for p in pairs if (id(p[1]) in first) == mine] for mine in (True, False)]
        return [(opt, part) for opt, part in zip(self._both, parts, strict=True) if part]

    def get_updates(self, loss: Any, params: Sequence[Variable]) -> list[Any]:
        """The operations of one step of training."""
        shared = self._shared_out([(None, v) for v in params])
        return [op for opt, own in shared for op in opt.get_updates(loss, [v for _, v in own])]

    def _create_all(self, variables: Sequence[Variable]) -> None:
        for optimizer, own in self._shared_out([(None, v) for v in variables]):
            optimizer._create_all([v for _, v in own])

    def apply_gradients(self, grads_and_vars: Any, name: str | None = None) -> Any:
        """Updates variables, each by its optimizer."""
        steps = []
        for optimizer, own in self._shared_out(list(grads_and_vars)):
            found = optimizer._clipped([g for g, _ in own])
            pairs = zip(found, [v for _, v in own], strict=True)
            steps.append(optimizer.apply_gradients(pairs, name))
        return group(*(step for step in steps if step is not None))

    @property
    def weights(self) -> list[Variable]:
        """The variables of both."""
        return [v for optimizer in self._both for v in optimizer.weights]


def _is_size(value: Any) -> bool:
    return value is None or isinstance(value, int)
