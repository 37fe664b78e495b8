"""Losses scaled up, so that small gradients do not vanish in float16: `tf.train.experimental`.

    loss ── * scale ──> gradients ── / scale ──> finite? ──yes──> the optimizer inside
                                                   ├──no───> the step is left out
                                                   └── `LossScale.update`: grow, or shrink

Micikevicius et al., "Mixed Precision Training" (2017). Keras's optimizer around another stands in
`minitf/library/keras/optimizers/loss_scale.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from minitf.core.gradients.cond import cond
from minitf.core.graph import dtypes, nest, stacks
from minitf.core.graph.composites import IndexedSlices
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.cast import cast
from minitf.core.ops.control import group, no_op
from minitf.core.ops.math import is_finite, maximum
from minitf.core.ops.reductions import reduce_all
from minitf.core.variables.variables import Variable


def scaled(loss: Any, scale: Any) -> Any:
    """A loss, or a function that computes one, times the scale."""
    if callable(loss):
        return lambda: scaled(loss(), scale)
    loss = convert_to_tensor(loss)
    return loss * cast(scale, loss.dtype.base_dtype)


def unscaled(gradients: Sequence[Any], scale: Any) -> list[Any]:
    """The gradients of a scaled loss, divided by the scale; None stays None."""
    share = 1.0 / scale
    return [None if g is None else _times(g, share) for g in gradients]


def _times(gradient: Any, factor: Any) -> Any:
    if isinstance(gradient, IndexedSlices):
        values = _times(gradient.values, factor)
        return IndexedSlices(values, gradient.indices, gradient.dense_shape)
    return gradient * cast(factor, gradient.dtype.base_dtype)


def all_finite(gradients: Sequence[Any]) -> Tensor:
    """Whether no gradient holds an infinity or a NaN."""
    known = [getattr(g, "values", g) for g in gradients if g is not None]
    return reduce_all([reduce_all(is_finite(each)) for each in known])


# ---- scales --------------------------------------------------------------------------------------


class LossScale(ABC):
    """A number that losses are multiplied with; what it is may change from step to step.

    A subclass says its value in `__call__`, how it follows the gradients in `update`, and what
    makes such a one in `get_config`.
    """

    def __init__(self) -> None:
        self._weights: dict[str, Variable] = {}

    @abstractmethod
    def __call__(self) -> Tensor:
        """The scale now, a float32 scalar."""

    @abstractmethod
    def update(self, grads: Any) -> tuple[Any, Any]:
        """Changes the scale after a step.

        Args:
          grads: a nest of gradients, which were divided by the scale; None in it says nothing.

        Returns: the operation that does it, None under eager execution; and whether the step is to
        be taken: a bool, or a bool tensor.
        """

    @abstractmethod
    def get_config(self) -> dict[str, Any]:
        """What `from_config` needs."""

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> LossScale:
        """Makes the scale that `get_config` described."""
        return cls(**config)

    def _add_weight(self, name: str, initial_value: Any, dtype: Any = None) -> Variable:
        """Makes a variable of the scale.

        Raises:
          RuntimeError: when there is one of this name.
        """
        if name in self._weights:
            raise RuntimeError(f"Duplicate variables detected. {name}")
        made = Variable(initial_value, trainable=False, name=name, dtype=dtype, use_resource=True)
        return self._weights.setdefault(name, made)

    def _checkpoint_children(self) -> dict[str, Any]:
        """The variables, by the names that checkpoints know them by."""
        return dict(self._weights)


class FixedLossScale(LossScale):
    """A scale that stays as it is.

    Args:
      loss_scale_value: an int or float, at least 1.

    Raises:
      ValueError: when it is something else.
    Example:
      >>> tf.train.experimental.FixedLossScale(8)
      FixedLossScale(8.0)
    """

    def __init__(self, loss_scale_value: float) -> None:
        super().__init__()
        if not isinstance(loss_scale_value, (int, float)):
            raise ValueError("loss_scale_value must be a Python int or float.")
        if loss_scale_value < 1:
            raise ValueError("loss_scale_value must be at least 1.")
        self._loss_scale_value = float(loss_scale_value)

    def __call__(self) -> Tensor:
        """The scale, a constant."""
        return convert_to_tensor(self._loss_scale_value)

    def update(self, grads: Any) -> tuple[Any, Any]:
        """Changes nothing, and lets every step be taken."""
        return no_op(), True

    def get_config(self) -> dict[str, Any]:
        """What `from_config` needs."""
        return {"loss_scale_value": self._loss_scale_value}

    def __repr__(self) -> str:
        return f"FixedLossScale({self._loss_scale_value})"


class DynamicLossScale(LossScale):
    """A scale that grows while gradients are finite, and shrinks when they are not.

    Args:
      initial_loss_scale: where it begins. High is better: it falls sooner than it rises.
      increment_period: after so many finite steps in a row it grows.
      multiplier: the factor of growing and shrinking; it never shrinks below 1.
    """

    def __init__(
        self,
        initial_loss_scale: float = 2**15,
        increment_period: int = 2000,
        multiplier: float = 2.0,
    ) -> None:
        super().__init__()
        self._initial_loss_scale = float(initial_loss_scale)
        self._increment_period, self._multiplier = int(increment_period), float(multiplier)
        name, kind = "current_loss_scale", dtypes.float32
        self._current_loss_scale: Any = self._add_weight(name, self._initial_loss_scale, kind)
        self._num_good_steps: Any = self._add_weight("good_steps", 0, dtypes.int64)

    @property
    def initial_loss_scale(self) -> float:
        """Where it begins."""
        return self._initial_loss_scale

    @property
    def increment_period(self) -> int:
        """After how many finite steps it grows."""
        return self._increment_period

    @property
    def multiplier(self) -> float:
        """The factor of growing and shrinking."""
        return self._multiplier

    def __call__(self) -> Tensor:
        """The scale now."""
        return convert_to_tensor(self._current_loss_scale)

    def update(self, grads: Any) -> tuple[Any, Any]:
        """Grows after `increment_period` steps, or shrinks; see `LossScale.update`."""
        finite = all_finite(nest.flatten(grads))
        scale, good = self._current_loss_scale, self._num_good_steps

        def grow() -> Any:
            larger = scale * self._multiplier
            kept = cond(is_finite(larger), lambda: group(scale.assign(larger)), no_op)
            return group(kept, good.assign(0))

        def after_good() -> Any:
            enough = good + 1 >= self._increment_period
            return cond(enough, grow, lambda: group(good.assign_add(1)))

        def shrink() -> Any:
            smaller = maximum(scale / self._multiplier, 1.0)
            return group(good.assign(0), scale.assign(smaller))

        return cond(finite, after_good, shrink), finite

    def get_config(self) -> dict[str, Any]:
        """What `from_config` needs."""
        names = ("initial_loss_scale", "increment_period", "multiplier")
        return {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        told: dict[str, Any] = {}
        if stacks.executing_eagerly():
            told["current_loss_scale"] = self._current_loss_scale.numpy()
            told["num_good_steps"] = self._num_good_steps.numpy()
        told.update(self.get_config())
        return f"DynamicLossScale({', '.join(f'{k}={v}' for k, v in told.items())})"


def get(identifier: Any) -> LossScale | None:
    """The scale that was meant: one, a number, "dynamic", or None for none.

    Raises:
      ValueError: when it is none of these.
    """
    if isinstance(identifier, (int, float)):
        return FixedLossScale(identifier)
    if identifier == "dynamic":
        return DynamicLossScale()
    if identifier is None or isinstance(identifier, LossScale):
        return identifier
    raise ValueError(f"Could not interpret loss scale identifier: {identifier}")


# ---- optimizers ----------------------------------------------------------------------------------


def perhaps(after: tuple[Any, Any], step: Callable[[], Any], name: str | None = None) -> Any:
    """Takes a step, where it is to be taken, and changes the scale.

    Args:
      after: what `LossScale.update` returned.
      step: adds the operations of the step.
      name: of the operation.
    """
    update, wanted = after
    taken = step() if wanted is True else cond(wanted, lambda: group(step()), no_op)
    return group(taken, update, name=name)
