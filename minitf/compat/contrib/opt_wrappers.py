"""Optimizers of `tf.contrib.opt` around others, and variants of Adam, Adagrad and momentum.

AdaMaxOptimizer, NadamOptimizer, LARSOptimizer, RegAdagradOptimizer    variants
MovingAverageOptimizer       averages the variables; its saver saves averages as the variables
VariableClippingOptimizer    keeps the norm of variables within a limit
DropStaleGradientOptimizer   leaves out gradients of too old variables
MultitaskOptimizerWrapper    leaves alone the slots of variables whose gradient is all zeros
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import MethodType
from typing import Any

from minitf.core.gradients.cond import cond
from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import constant
from minitf.core.graph.indexed_slices import IndexedSlices
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, greater, where
from minitf.core.ops.control import group, no_op
from minitf.core.ops.linalg import norm
from minitf.core.ops.math import sqrt
from minitf.core.ops.reductions import count_nonzero
from minitf.core.ops.scatter import scatter_sub
from minitf.core.ops.updates import apply_momentum
from minitf.core.train.adam import AdamOptimizer
from minitf.core.train.optimizer import Optimizer, Rule
from minitf.core.variables.initialization import global_variables
from minitf.core.variables.initializers import zeros_initializer
from minitf.core.variables.variable_scope import get_variable
from minitf.library.keras.optimizers.optimizers import apply_ada_max
from minitf.library.numeric.clip import clip_by_global_norm, clip_by_norm, global_norm
from minitf.library.optimizers.adagrad import AdagradOptimizer
from minitf.library.optimizers.around import AroundOptimizer
from minitf.library.optimizers.moving_averages import ExponentialMovingAverage
from minitf.library.saving.saver import Saver
from minitf.library.sessions.training_util import get_global_step
from minitf.library.summary import summary

# ---- variants ------------------------------------------------------------------------------------


class AdaMaxOptimizer(AdamOptimizer):
    """Adam with the largest gradient, which fades, in place of the mean square."""

    _powers = ("beta1",)

    def __init__(
        self, learning_rate: Any = 0.001, beta1: Any = 0.9, beta2: Any = 0.999,
        epsilon: Any = 1e-8, use_locking: bool = False, name: str = "AdaMax",
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)
        self._rule = replace(self._rule, update=apply_ada_max)  # type: ignore[type-var]

    _apply_sparse = Optimizer._apply_sparse


class NadamOptimizer(AdamOptimizer):
    """Adam with Nesterov's momentum; Dozat, "Incorporating Nesterov Momentum into Adam" (2016)."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._rule = replace(self._rule, attrs={"use_nesterov": True})  # type: ignore[type-var]

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        beta1_power, beta2_power, lr, beta1, beta2, epsilon = self._rule_rates(var)
        rate, rows = lr * sqrt(1 - beta2_power) / (1 - beta1_power), grad.values * (1 - beta1)
        m = self._follow_rows(var, "m", beta1, rows, grad.indices)
        squares = (grad.values * grad.values) * (1 - beta2)
        v = self._follow_rows(var, "v", beta2, squares, grad.indices)
        ahead, mean = rows + beta1 * gather(m, grad.indices), gather(v, grad.indices)
        return scatter_sub(var, grad.indices, rate * ahead / (sqrt(mean) + epsilon))


class LARSOptimizer(Optimizer):
    """Momentum with a rate for each layer: the norm of its weights over that of its gradient.

    You, Gitman and Ginsburg, "Large Batch Training of Convolutional Networks" (2017).

    Args:
      learning_rate: a number, or a scalar tensor.
      momentum: how much of the last step stays.
      weight_decay: how much the weights count as a gradient.
      eeta: the trust in the rate.
      epsilon: added to the norm of the gradient.
      name: see `Optimizer`.
      skip_list: words; a variable with one of them in its name keeps the rate, and does not decay.
      use_nesterov: see `MomentumOptimizer`.
    """

    def __init__(
        self, learning_rate: Any, momentum: Any = 0.9, weight_decay: float = 0.0001,
        eeta: float = 0.001, epsilon: float = 0.0, name: str = "LARSOptimizer",
        skip_list: Sequence[str] | None = None, use_nesterov: bool = False,
    ) -> None:  # fmt: skip
        for word, value in ("momentum", momentum), ("weight_decay", weight_decay):
            if value < 0.0:
                raise ValueError(f"{word} should be positive: {value}")
        super().__init__(False, name)
        self._learning_rate, self._momentum = learning_rate, momentum
        self._weight_decay, self._eeta, self._epsilon = weight_decay, eeta, epsilon
        self._skip_list = skip_list or ()
        self._rule = Rule(
            apply_momentum, ("learning_rate", "momentum"), {"momentum": 0.0},
            {"use_nesterov": use_nesterov},
        )  # fmt: skip
        self._use_nesterov = use_nesterov

    def compute_lr(self, grad: Any, var: Any) -> tuple[Any, Any]:
        """The rate for a variable, and its gradient with the decay."""
        rate = self._learning_rate
        if any(word in var.name for word in self._skip_list):
            return rate, grad
        weights, slope = norm(var, ord=2), norm(grad, ord=2)
        trust = self._eeta * weights / (slope + self._weight_decay * weights + self._epsilon)
        one = constant(1.0, weights.dtype)
        trust = where(greater(weights, 0), where(greater(slope, 0), trust, one), one)
        return rate * trust, grad + self._weight_decay * var

    def _apply_dense(self, grad: Tensor, var: Any) -> Any:
        rate, grad = self.compute_lr(grad, var)
        _, momentum = self._rule_rates(var)
        both = [var, self.get_slot(var, "momentum")]
        one = constant(1.0, var.dtype.base_dtype)
        return apply_momentum.step(
            both, grad * rate, [one, momentum], use_nesterov=self._use_nesterov
        )


class RegAdagradOptimizer(AdagradOptimizer):
    """Adagrad that can take steps which do not count, as those of a regularization.

    Example:
      >>> optimizer = tf.contrib.opt.RegAdagradOptimizer(0.1)
      >>> w = tf.Variable(3.0)
      >>> train = optimizer.minimize(tf.square(w - 1.0))
      >>> with optimizer.avoid_updating_slots():
      ...     shrink = optimizer.minimize(0.01 * tf.square(w))
    """

    def __init__(
        self, learning_rate: Any, initial_accumulator_value: float = 0.1,
        use_locking: bool = False, name: str = "RegAdagrad",
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, initial_accumulator_value, use_locking, name)

    @contextmanager
    def avoid_updating_slots(self) -> Iterator[None]:
        """A block whose updates leave the accumulators as they are."""
        kept = self._rule
        self._rule = replace(kept, attrs={"update_slots": False})  # type: ignore[type-var]
        try:
            yield
        finally:
            self._rule = kept


# ---- around others -------------------------------------------------------------------------------


class MovingAverageOptimizer(AroundOptimizer):
    """Also keeps moving averages of the variables.

    Args:
      opt: the optimizer.
      average_decay, num_updates: see `ExponentialMovingAverage`.
      sequential_update: whether averages follow the new values, or may see old ones.
    """

    def __init__(
        self, opt: Optimizer, average_decay: float = 0.9999, num_updates: Any = None,
        sequential_update: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(opt, False, "MovingAverage")
        self._average = ExponentialMovingAverage(average_decay, num_updates=num_updates)
        self._swapped: dict[str, str] | None = None
        self._sequential = sequential_update

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Those of the optimizer inside, and the averages."""
        pairs = list(grads_and_vars)
        train = self._opt.apply_gradients(pairs, global_step=global_step, name=name)
        variables = [variable for gradient, variable in pairs if gradient is not None]
        with stacks.control_dependencies([train] if self._sequential else []):
            averaged = self._average.apply(variables)
        averages: list[Any] = [self._average.average(v) for v in variables]
        names = [(v.op.name, a.op.name) for v, a in zip(variables, averages, strict=True)]
        self._swapped = dict(names) | {average: own for own, average in names}
        return group(train, averaged, name="train_with_avg")

    def swapping_saver(self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any):
        """A saver that writes the averages under the names of the variables, and the other way.

        Raises:
          RuntimeError: before `apply_gradients`.
          ValueError: when one of a pair is not among `var_list`.
        """
        if self._swapped is None:
            raise RuntimeError(
                "Must call apply_gradients or minimize before creating the swapping_saver"
            )
        given = global_variables() if var_list is None else var_list
        named = dict(given) if isinstance(given, dict) else {v.op.name: v for v in given}
        for own in named:
            if self._swapped.get(own, own) not in named:
                raise ValueError(
                    f"Variable to swap {self._swapped[own]} is not part of variables to save. "
                    "This breaks MovingAverageOptimizer."
                )
        swapped = {own: named[self._swapped.get(own, own)] for own in named}
        return Saver(swapped, name=name, **kwargs)


class VariableClippingOptimizer(AroundOptimizer):
    """Keeps the norm of variables within a limit, after each step.

    Args:
      opt: the optimizer.
      vars_to_clip_dims: by variable the axes over which the norm is taken.
      max_norm: the limit.
      use_locking, name: see `Optimizer`.
      colocate_clip_ops_with_vars: accepted.
    """

    def __init__(
        self, opt: Optimizer, vars_to_clip_dims: dict[Any, Any], max_norm: float,
        use_locking: bool = False, colocate_clip_ops_with_vars: bool = False,
        name: str = "VariableClipping",
    ) -> None:  # fmt: skip
        super().__init__(opt, use_locking, name)
        self._axes, self._max_norm = dict(vars_to_clip_dims), max_norm

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Those of the optimizer inside, then the limit."""
        pairs = list(grads_and_vars)
        with stacks.name_scope(name, self._name) as scope:
            done = self._opt.apply_gradients(pairs, global_step=global_step)
            with stacks.control_dependencies([done]):
                clipped = [self._clip(g, v) for g, v in pairs if g is not None and v in self._axes]
            return group(done, *clipped, name=scope)

    def _clip(self, gradient: Any, variable: Any) -> Any:
        axes = self._axes[variable]
        if isinstance(gradient, IndexedSlices) and 0 not in axes:
            rows = gather(variable, gradient.indices)
            over = rows - clip_by_norm(rows, self._max_norm, axes)
            return scatter_sub(variable, gradient.indices, over)
        value = variable.read_value()
        return variable.assign_sub(value - clip_by_norm(value, self._max_norm, axes))


class DropStaleGradientOptimizer(AroundOptimizer):
    """Leaves out gradients of variables that have changed too often since.

    Args:
      opt: the optimizer.
      staleness: how many steps old gradients may be.
      use_locking, name: see `Optimizer`.
    """

    def __init__(
        self, opt: Optimizer, staleness: int, use_locking: bool = False,
        name: str = "DropStaleGradient",
    ) -> None:  # fmt: skip
        super().__init__(opt, use_locking, name)
        self._staleness = staleness

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> Any:
        """Those of the optimizer inside; notes the step before them."""
        self._local_step = get_global_step() + 0
        with stacks.control_dependencies([self._local_step]):
            return self._opt.compute_gradients(identity(loss), *args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Those of the optimizer inside, if they are new enough; how many were not, so far."""
        pairs = list(grads_and_vars)
        start = zeros_initializer()
        dropped = get_variable("stale_counter", [], initializer=start, trainable=False)
        known = [getattr(g, "values", g) for g, _ in pairs if g is not None]
        with stacks.control_dependencies(known):
            age = global_step - self._local_step

        def accept() -> Tensor:
            done = self._opt.apply_gradients(pairs, global_step=global_step, name=name)
            with stacks.control_dependencies([done]):
                return identity(0.0)

        outcome = cond(age <= self._staleness, accept, lambda: identity(1.0))
        part = dropped / cast(global_step + 1, dtypes.float32)
        summary.scalar("Gradient staleness percentage", part)
        return dropped.assign_add(outcome)


def _is_all_zeros(gradient: Any) -> Tensor:
    return equal(count_nonzero(getattr(gradient, "values", gradient)), 0)


class MultitaskOptimizerWrapper:
    """Around an optimizer with momentum: a gradient of zeros changes nothing, slots neither.

    For several losses that take turns, each of which has no part in some variables.

    Args:
      opt: the optimizer.
    Raises:
      TypeError: when it is none.
    """

    def __init__(self, opt: Optimizer) -> None:
        if not isinstance(opt, Optimizer):
            raise TypeError("Supplied optimizer must be an instance of tf.train.Optimizer")
        self._opt = opt
        for each in "_apply_dense", "_apply_sparse":
            setattr(opt, each, MethodType(_unless_zero(getattr(opt, each)), opt))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._opt, name)


def _unless_zero(apply: Callable) -> Callable:
    def wrapper(self: Any, gradient: Any, *args: Any, **kwargs: Any) -> Any:
        def applied() -> Any:
            with stacks.control_dependencies([apply(gradient, *args, **kwargs)]):
                return no_op()

        return cond(_is_all_zeros(gradient), no_op, applied)

    return wrapper


def clip_gradients_by_global_norm(
    gradients_variables: Any, clip_norm: float = 20.0
) -> tuple[list, Tensor]:
    """Clips gradients by their global norm; see `tf.clip_by_global_norm`.

    Returns: the pairs of gradients and variables, and the norm before.
    """
    gradients, variables = zip(*gradients_variables, strict=True)
    whole = global_norm(
        [g if g is None else where(_is_all_zeros(g), zeros_like(g), g) for g in gradients]
    )
    clipped, _ = clip_by_global_norm(gradients, clip_norm, use_norm=whole)
    return list(zip(clipped, variables, strict=True)), whole
