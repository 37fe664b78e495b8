"""Names and arguments of Keras, the package of its own: `import keras`.

    keras.optimizers.adam(lr=0.001)                            an optimizer in small letters
    keras.layers.Dense(output_dim=8, init="uniform")           arguments of Keras 1
    keras.layers.Conv2D(32, 3, 3, border_mode="same")          rows and columns of its kernel apart

`keras` means minitf's where no package of that name is installed. Keras 2 took the arguments of
Keras 1, and so do these layers; those of `tf.keras` do not, as TensorFlow's.
"""

from __future__ import annotations

import functools
import inspect
from types import SimpleNamespace
from typing import Any

from minitf.compat.tensorflow.old_packages import renamed
from minitf.library.keras import constraints, initializers
from minitf.library.keras.engine.base_layer import Layer
from minitf.library.keras.layers import convolutional
from minitf.library.keras.optimizers import optimizers
from minitf.library.keras.optimizers.base import OptimizerV2
from minitf.library.keras.preprocessing.sequences import to_categorical

#: Argument of Keras 1 -> what it is called since, the first that a layer has.
_SINCE = {
    "nb_filter": "filters",
    "filter_length": "kernel_size",
    "subsample": "strides",
    "subsample_length": "strides",
    "border_mode": "padding",
    "dim_ordering": "data_format",
    "pool_length": "pool_size",
    "stride": "strides",
    "output_dim": "units",
    "p": "rate",
    "sigma": "stddev",
    "init": "kernel_initializer embeddings_initializer",
    "inner_init": "recurrent_initializer",
    "inner_activation": "recurrent_activation",
    "W_regularizer": "kernel_regularizer embeddings_regularizer",
    "U_regularizer": "recurrent_regularizer",
    "b_regularizer": "bias_regularizer",
    "W_constraint": "kernel_constraint embeddings_constraint",
    "b_constraint": "bias_constraint",
    "dropout_W": "dropout",
    "dropout_U": "recurrent_dropout",
    "bias": "use_bias",
    "beta_init": "beta_initializer",
    "gamma_init": "gamma_initializer",
    "input": "inputs",
    "output": "outputs",
}
_VALUES = {"th": "channels_first", "tf": "channels_last", "default": None}


@functools.cache
def _parameters(layer: Any) -> set[str]:
    """The arguments that a class and its bases know."""
    found = (inspect.signature(base.__init__).parameters for base in layer.__mro__[:-1])
    of_model = {"inputs", "outputs"} if layer.__name__ == "Model" else set()
    return of_model.union(*found)


def _modern(layer: type, args: tuple, kwargs: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
    """The arguments of a layer as Keras 2 calls them."""
    known = _parameters(layer)
    if "kernel_size" in known and layer.__name__.startswith("Conv2D"):
        if len(args) == 3 and isinstance(args[1], int) and isinstance(args[2], int):
            args = args[0], args[1:]
        elif "nb_row" in kwargs:
            kwargs["kernel_size"] = kwargs.pop("nb_row"), kwargs.pop("nb_col")
    if layer.__name__ == "BatchNormalization":
        kwargs.pop("mode", None)
    if "input_dim" in kwargs and known & {"recurrent_initializer", "filters"}:
        kwargs["input_shape"] = kwargs.pop("input_length", None), kwargs.pop("input_dim")
    for old in [name for name in kwargs if name not in known and name in _SINCE]:
        for new in _SINCE[old].split():
            if new in known:
                value = kwargs.pop(old)
                kwargs[new] = _VALUES.get(value, value) if old == "dim_ordering" else value
                break
    return args, kwargs


class _Older(type):
    """The type of a stand-in: a call makes the class it stands for, with arguments of Keras 1."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        made: Any = vars(cls).get("_makes")
        if made is None:  # a class of the program's, below
            return super().__call__(*args, **kwargs)
        args, kwargs = _modern(made, args, kwargs)
        return made(*args, **kwargs)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, vars(cls).get("_stands_for", ())) or super().__instancecheck__(
            instance
        )


@functools.cache
def _stand_in(layer: Any) -> type:
    if hasattr(layer, "fit_generator"):
        return _with_older_methods(layer)
    inside = {
        "_stands_for": layer,
        "_makes": layer,
        "__doc__": layer.__doc__,
        "__module__": layer.__module__,
    }
    return _Older(layer.__name__, (layer,), inside)


_GENERATORS = {
    "samples_per_epoch": "steps_per_epoch",
    "nb_epoch": "epochs",
    "val_samples": "steps",
    "nb_val_samples": "validation_steps",
    "max_q_size": "max_queue_size",
    "nb_worker": "workers",
    "pickle_safe": "use_multiprocessing",
}


def _with_older_methods(model: Any) -> type:
    """A model whose methods for generators take the arguments of Keras 1: samples, not batches."""

    def older(method: Any) -> Any:
        @functools.wraps(method)
        def with_older(self: Any, generator: Any, *args: Any, **kwargs: Any) -> Any:
            for name in {"samples_per_epoch", "val_samples", "nb_val_samples"} & kwargs.keys():
                kwargs[name] //= getattr(generator, "batch_size", 1)
            return method(self, generator, *args, **kwargs)

        return renamed(with_older, **_GENERATORS)

    def construct(self: Any, *args: Any, **kwargs: Any) -> None:
        args, kwargs = _modern(model, args, kwargs)
        model.__init__(self, *args, **kwargs)

    names = ("fit_generator", "evaluate_generator", "predict_generator")
    methods = {name: older(getattr(model, name)) for name in names}
    about = {"_stands_for": model, "__doc__": model.__doc__, "__module__": model.__module__}
    return _Older(model.__name__, (model,), {"__init__": construct, **about, **methods})


def as_it_was(value: Any) -> Any:
    """A name of Keras's as the package `keras` has it: layers take the arguments of Keras 1.

    Args:
      value: what `tf.keras` has under the name.
    """
    if value is to_categorical:
        return renamed(to_categorical, nb_classes="num_classes")
    if not isinstance(value, type) or not issubclass(value, Layer) or type(value) is not type:
        return value
    layer: Any = value
    since = {new for names in _SINCE.values() for new in names.split()}
    changed = hasattr(layer, "fit_generator") or since & _parameters(layer)
    return _stand_in(layer) if changed else value


_TRANSPOSED = {
    "Deconv2D": "Conv2DTranspose",
    "Deconvolution2D": "Conv2DTranspose",
}


class Optimizer(OptimizerV2, metaclass=_Older):
    """The base of optimizers as Keras 2.2 had it: a subclass writes `get_updates(loss, params)`.

    What it keeps are plain attributes: `lr`, `iterations`, `weights`, `updates`.

    Args:
      **kwargs: `clipnorm` and `clipvalue`.
    """

    _stands_for = OptimizerV2
    iterations: Any = None
    weights: Any = property(
        lambda self: self._weights, lambda self, given: setattr(self, "_weights", list(given))
    )

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(kwargs.pop("name", type(self).__name__), **kwargs)
        self.updates: list[Any] = []

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def get_config(self) -> dict[str, Any]:
        """The limits of gradients that were set; subclasses add theirs."""
        limits = {"clipnorm": self.clipnorm, "clipvalue": self.clipvalue}
        return {name: value for name, value in limits.items() if value is not None}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Optimizer:
        """Makes the optimizer that `get_config` described."""
        return cls(**config)


OPTIMIZERS = SimpleNamespace(
    Optimizer=Optimizer,
    TFOptimizer=optimizers.TFOptimizer,
    **{
        name.lower(): getattr(optimizers, name)
        for name in ("SGD", "RMSprop", "Adagrad", "Adadelta", "Adam")
    },
)
CONSTRAINTS = SimpleNamespace(
    maxnorm=constraints.MaxNorm, nonneg=constraints.NonNeg, unitnorm=constraints.UnitNorm
)
INITIALIZERS = SimpleNamespace(zero=initializers.Zeros, one=initializers.Ones)
LAYERS = SimpleNamespace(**{old: getattr(convolutional, new) for old, new in _TRANSPOSED.items()})
UTILS = SimpleNamespace(
    print_summary=lambda model, line_length=None, positions=None, print_fn=None: model.summary(
        line_length, positions, print_fn
    ),
)
