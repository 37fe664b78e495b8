"""`tf.contrib.mixed_precision`: a loss is scaled up, so that gradients do not vanish in float16.

    manager = tf.contrib.mixed_precision.ExponentialUpdateLossScaleManager(2**15, 1000)
    optimizer = tf.contrib.mixed_precision.LossScaleOptimizer(optimizer, manager)

Micikevicius et al., "Mixed Precision Training" (2017). A step whose gradients are not finite is
left out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from minitf.core.gradients.cond import cond
from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.comparisons import where
from minitf.core.ops.control import group, no_op
from minitf.core.ops.math import is_finite, maximum
from minitf.core.train.optimizer import Optimizer
from minitf.core.variables.variables import Variable
from minitf.library.optimizers.loss_scale import ScalingOptimizer, all_finite


class LossScaleManager(ABC):
    """Knows by how much the loss is scaled."""

    @abstractmethod
    def get_loss_scale(self) -> Any:
        """The factor, a float32 scalar."""

    @abstractmethod
    def update_loss_scale(self, finite_grads: Any) -> Any:
        """The operation that follows a step; `finite_grads` says whether it was taken."""


class FixedLossScaleManager(LossScaleManager):
    """A factor that stays; at least 1."""

    def __init__(self, loss_scale: float) -> None:
        if loss_scale < 1:
            raise ValueError("loss scale must be at least 1.")
        self._scale = convert_to_tensor(loss_scale, dtype=dtypes.float32)

    def get_loss_scale(self) -> Tensor:
        """The factor."""
        return self._scale

    def update_loss_scale(self, finite_grads: Any) -> Any:
        """Nothing."""
        return no_op()


class ExponentialUpdateLossScaleManager(LossScaleManager):
    """A factor that grows after so many good steps, and shrinks after some bad ones.

    Args:
      init_loss_scale: what it begins at.
      incr_every_n_steps: after how many good steps it grows.
      decr_every_n_nan_or_inf: after how many bad ones it shrinks.
      incr_ratio, decr_ratio: by how much.
    """

    def __init__(
        self, init_loss_scale: float, incr_every_n_steps: int, decr_every_n_nan_or_inf: int = 2,
        incr_ratio: float = 2, decr_ratio: float = 0.8,
    ) -> None:  # fmt: skip
        self._every = (incr_every_n_steps, decr_every_n_nan_or_inf)
        self._ratios = (incr_ratio, decr_ratio)
        self._scale = Variable(float(init_loss_scale), trainable=False, name="loss_scale")
        self._good = Variable(0, trainable=False, name="good_steps")
        self._bad = Variable(0, trainable=False, name="bad_steps")

    def get_loss_scale(self) -> Any:
        """The factor."""
        return self._scale

    def update_loss_scale(self, finite_grads: Any) -> Any:
        """Counts the step, and changes the factor when it is time."""
        scale: Any = self._scale
        good: Any = self._good
        bad: Any = self._bad

        def changed(new: Any) -> Any:
            return group(scale.assign(new), good.assign(0), bad.assign(0))

        def grow() -> Any:
            larger = scale * self._ratios[0]
            return changed(where(is_finite(larger), larger, scale))

        def shrink() -> Any:
            return changed(maximum(1.0, scale * self._ratios[1]))

        def after_good() -> Any:
            enough = good + 1 >= self._every[0]
            return cond(enough, grow, lambda: group(good.assign_add(1)))

        def after_bad() -> Any:
            enough = bad + 1 >= self._every[1]
            return cond(enough, shrink, lambda: group(bad.assign_add(1), good.assign(0)))

        return cond(finite_grads, after_good, after_bad)


class LossScaleOptimizer(ScalingOptimizer):
    """An optimizer whose loss is scaled up, and its gradients down again.

    Args:
      opt: the optimizer.
      loss_scale_manager: knows the factor.
    """

    def __init__(self, opt: Optimizer, loss_scale_manager: LossScaleManager) -> None:
        super().__init__(opt, False, "LossScaleOptimizer")
        self._manager = loss_scale_manager

    def _scale(self) -> Any:
        return self._manager.get_loss_scale()

    def _after(self, gradients: list[Any]) -> tuple[Any, Any]:
        finite = all_finite(gradients)
        return self._manager.update_loss_scale(finite), finite
