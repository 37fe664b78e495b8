"""`tf.contrib.layers.optimize_loss`, a training step, and `tf.contrib.training.HParams`, settings.

hparams = HParams(learning_rate=0.1, units=[64, 32])
hparams.parse("learning_rate=0.3,units=[128,64]")
hparams.units        # [128, 64]
"""

from __future__ import annotations

import csv
import json
import numbers
import re
from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import GraphKeys
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.train.optimizer import Optimizer
from minitf.core.train.optimizers import AdamOptimizer, GradientDescentOptimizer, MomentumOptimizer
from minitf.core.variables.initialization import trainable_variables
from minitf.core.variables.initializers import constant_initializer
from minitf.core.variables.variable_scope import get_variable, variable_scope
from minitf.library.numeric.clip import clip_by_global_norm, global_norm
from minitf.library.optimizers.optimizers import AdagradOptimizer, FtrlOptimizer, RMSPropOptimizer
from minitf.library.sessions.training_util import assert_global_step, get_global_step
from minitf.library.summary import summary

# ---- a training step ---------------------------------------------------------------------------


OPTIMIZER_CLS_NAMES: dict[str, Callable[..., Optimizer]] = {
    "Adagrad": AdagradOptimizer,
    "Adam": AdamOptimizer,
    "Ftrl": FtrlOptimizer,
    "Momentum": lambda learning_rate: MomentumOptimizer(learning_rate, momentum=0.9),
    "RMSProp": RMSPropOptimizer,
    "SGD": GradientDescentOptimizer,
}


def optimize_loss(
    loss: Any,
    global_step: Any,
    learning_rate: Any,
    optimizer: Any,
    clip_gradients: float | None = None,
    variables: Sequence[Any] | None = None,
    name: str | None = None,
) -> Tensor:
    """Adds a training step, with summaries of the loss, the rate and the norm of the gradients.

    What is in `GraphKeys.UPDATE_OPS` runs before the loss.

    Args:
      loss: a scalar.
      global_step: the counter of steps; None takes the graph's.
      learning_rate: a float or a scalar tensor; None when the optimizer knows it.
      optimizer: a name ("Adagrad", "Adam", "Ftrl", "Momentum", "RMSProp", "SGD"), a class, an
        `Optimizer`, or a function from the learning rate to one.
      clip_gradients: the largest norm that all gradients together may have.
      variables: what to train; by default all trainable variables.
      name: the name of the scope.

    Returns: the loss; evaluating it trains.
    Raises:
      ValueError: when an argument does not fit.
    Example:
      >>> loss, step = tf.square(tf.Variable(1.0)), tf.train.create_global_step()
      >>> train = tf.contrib.layers.optimize_loss(loss, step, learning_rate=0.1, optimizer="SGD")
    """
    loss = convert_to_tensor(loss)
    loss.shape.assert_has_rank(0)
    if global_step is None:
        global_step = get_global_step()
    else:
        assert_global_step(global_step)
    with variable_scope(name, "OptimizeLoss", [loss, global_step]):
        with stacks.control_dependencies(stacks.get_collection(GraphKeys.UPDATE_OPS)):
            loss = identity(loss)
        rate = _learning_rate(learning_rate)
        if rate is not None:
            summary.scalar("learning_rate", rate)
        chosen = _optimizer(optimizer, rate)
        pairs = chosen.compute_gradients(loss, variables or trainable_variables())
        gradients = [gradient for gradient, _ in pairs]
        summary.scalar("global_norm/gradient_norm", global_norm(gradients))
        if clip_gradients is not None:
            gradients, _ = clip_by_global_norm(gradients, float(clip_gradients))
            pairs = list(zip(gradients, [v for _, v in pairs], strict=True))
        summary.scalar("loss", loss)
        train = chosen.apply_gradients(pairs, global_step=global_step, name="train")
        with stacks.control_dependencies([train]):
            return identity(loss)


def _learning_rate(learning_rate: Any) -> Any:
    if isinstance(learning_rate, float):
        if learning_rate < 0.0:
            raise ValueError(f"Invalid learning_rate {learning_rate}.")
        start = constant_initializer(learning_rate)
        return get_variable("learning_rate", [], trainable=False, initializer=start)
    is_scalar = isinstance(learning_rate, Tensor) and not learning_rate.shape.ndims
    if learning_rate is None or is_scalar:
        return learning_rate
    raise ValueError(
        f"Learning rate should be 0d Tensor or float. Got {learning_rate} of type "
        f"{type(learning_rate)}"
    )


def _optimizer(optimizer: Any, rate: Any) -> Optimizer:
    if isinstance(optimizer, str):
        if rate is None:
            raise ValueError(
                "Learning rate is None, but should be specified if using string for optimizer "
                f"({optimizer})."
            )
        if optimizer not in OPTIMIZER_CLS_NAMES:
            names = ", ".join(OPTIMIZER_CLS_NAMES)
            raise ValueError(
                f"Optimizer name should be one of [{names}], you provided {optimizer}."
            )
        return OPTIMIZER_CLS_NAMES[optimizer](learning_rate=rate)
    if isinstance(optimizer, Optimizer):
        return optimizer
    if callable(optimizer):
        made = optimizer(rate) if rate is not None else optimizer()
        if isinstance(made, Optimizer):
            return made
    raise ValueError(
        "Unrecognized optimizer: should be string, subclass of Optimizer, instance of subclass of "
        f"Optimizer or function with one argument. Got {optimizer}."
    )


# ---- settings ----------------------------------------------------------------------------------


_NAME = r"\s*(?P<name>[a-zA-Z][\w.]*)\s*"
_PART = re.compile(rf"{_NAME}=\s*(\[(?P<list>[^\]]*)\]|(?P<one>[^,\[]*))(,|$)")


class HParams:
    """Named settings; each is an attribute and keeps the type of its first value.

    Args:
      hparam_def: not used; settings come by name.
      model_structure: anything that goes with them.
      kwargs: names and values: numbers, texts, Booleans, None, or lists of one type.
    """

    def __init__(self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any) -> None:
        self._types: dict[str, tuple[type, bool]] = {}
        self._model_structure = model_structure
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Adds a setting.

        Raises:
          ValueError: when the name is taken, or the value is an empty list.
        """
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        many = isinstance(value, (list, tuple))
        if many and not value:
            raise ValueError(f"Multi-valued hyperparameters cannot be empty: {name}")
        self._types[name] = (type(value[0] if many else value), many)
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Changes a setting.

        Raises:
          KeyError: when there is none of that name.
          ValueError: when the value does not have its type.
        """
        kind, many = self._types[name]
        if isinstance(value, list) and not many:
            raise ValueError(f"Must not pass a list for single-valued parameter: {name}")
        if many and not isinstance(value, list):
            raise ValueError(f"Must pass a list for multi-valued parameter: {name}.")
        cast = [_cast(name, kind, v) for v in value] if many else _cast(name, kind, value)
        setattr(self, name, cast)

    def parse(self, values: str) -> HParams:
        """Changes settings by a text "name=value,name=[v,v]".

        Raises:
          ValueError: when the text cannot be read, names what is not there, or a value twice.
        """
        found: dict[str, Any] = {}
        position = 0
        while position < len(values):
            part = _PART.match(values, position)
            if part is None:
                raise ValueError(f"Malformed hyperparameter value: {values[position:]}")
            position, name = part.end(), part["name"]
            if name not in self._types:
                raise ValueError(f"Unknown hyperparameter type for {name}")
            if name in found:
                raise ValueError(f"Multiple assignments to variable '{name}' in {values}")
            kind, _ = self._types[name]
            if part["list"] is None:
                found[name] = _read(name, kind, part["one"], values)
            else:
                [items] = csv.reader([part["list"]], skipinitialspace=True)
                found[name] = [_read(name, kind, item, values) for item in items]
        for name, value in found.items():
            self.set_hparam(name, value)
        return self

    def values(self) -> dict[str, Any]:
        """The settings as a dict."""
        return {name: getattr(self, name) for name in self._types}

    def to_json(self, indent: Any = None, separators: Any = None, sort_keys: bool = False) -> str:
        """The settings as a JSON object."""
        kept = {k: v for k, v in self.values().items() if not callable(v)}
        return json.dumps(kept, indent=indent, separators=separators, sort_keys=sort_keys)

    def get(self, key: str, default: Any = None) -> Any:
        """A setting, or `default` when there is none of that name."""
        return getattr(self, key) if key in self._types else default

    def __contains__(self, key: str) -> bool:
        return key in self._types

    def __str__(self) -> str:
        return str(sorted(self.values().items()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"


def _cast(name: str, kind: Any, value: Any) -> Any:
    """A value as the setting's type, if nothing is lost."""
    wrong = ValueError(f"Could not cast hparam '{name}' of type '{kind}' from value {value!r}")
    if value is None or kind is type(None) or callable(value):
        return value
    if issubclass(kind, bool) or isinstance(value, bool):
        if not (issubclass(kind, bool) and isinstance(value, bool)):
            raise wrong
        return value
    if issubclass(kind, (str, bytes)) != isinstance(value, (str, bytes)):
        raise wrong
    if issubclass(kind, numbers.Integral) and not isinstance(value, numbers.Integral):
        raise wrong
    return kind(value)


def _read(name: str, kind: Any, text: str, values: str) -> Any:
    """A value out of a text."""
    text = text.strip()
    try:
        if issubclass(kind, bool):
            return {"true": True, "1": True, "false": False, "0": False}[text.lower()]
        return text if kind is type(None) else kind(text)
    except (KeyError, ValueError):
        raise ValueError(
            f'Could not parse hparam "{name}" of type "{kind.__name__}" with value "{text}" '
            f"in {values}"
        ) from None
