"""`tf.contrib.bayesflow.optimizers`: steps that do not end in a minimum, but go about it.

After a while the variables are draws from exp(-n loss), n being how many batches the data have: the
posterior, if the loss is -log p(batch | variables) - log p(variables) / n.

    SGLDOptimizer            var -= lr/2 G n gradient + sqrt(lr G) noise      noise makes it so
    VariationalSGDOptimizer  var -= rate gradient     the noise of batches is enough, at this rate:
                             2 batch / (examples * variance of gradients * batch)

G is 1 / sqrt(mean square of gradients), as in RMSProp (Li, Chen, Carlson and Carin, "Preconditioned
Stochastic Gradient Langevin Dynamics for Deep Neural Networks", 2015; Mandt, Hoffman and Blei,
"Stochastic Gradient Descent as Approximate Bayesian Inference", 2017).
"""

from __future__ import annotations

from typing import Any

from minitf.core.graph import stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.indexed_slices import IndexedSlices
from minitf.core.graph.operation import Operation
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity, shape
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import where_v2
from minitf.core.ops.control import group, with_dependencies
from minitf.core.ops.math import maximum, rsqrt, sqrt, square
from minitf.core.ops.random import random_normal
from minitf.core.ops.reductions import reduce_mean
from minitf.core.ops.scatter import scatter_add, scatter_sub
from minitf.core.train.optimizer import Optimizer
from minitf.core.variables.initializers import ones_initializer, zeros_initializer
from minitf.core.variables.variable_scope import get_variable, variable_scope
from minitf.library.checks.assertions import (
    assert_greater,
    assert_integer,
    assert_less_equal,
    assert_non_negative,
)
from minitf.library.numeric.clip import clip_by_value

_NO_SCALARS = ("self", "__class__", "name", "variable_scope", "use_single_learning_rate")
_NOT_BELOW_0 = (assert_non_negative, (), "must be non-negative")
_ABOVE_0 = (assert_greater, (0,), "must be greater than zero")
_CHECKS: dict[str, list[tuple[Any, tuple, str]]] = {
    "preconditioner_decay_rate": [_NOT_BELOW_0, (assert_less_equal, (1.0,), "must be at most 1.")],
    "num_pseudo_batches": [_ABOVE_0],
    "batch_size": [_ABOVE_0],
    "total_num_examples": [_ABOVE_0],
    "burnin": [_NOT_BELOW_0, (assert_integer, (), "must be an integer")],
}


class _PosteriorOptimizer(Optimizer):
    """Counts its steps, and checks its settings, the arguments of its class, while they run."""

    _slot_starts: dict[str, Any]
    _burnin: Tensor

    def __init__(self, default: str, given: dict[str, Any]) -> None:
        settings = {k: v for k, v in given.items() if k not in _NO_SCALARS}
        name, scope = given["name"], given["variable_scope"]
        with name_scope(name, default, list(settings.values())):
            if scope is None:
                scope = stacks.get_default_graph().unique_name(name or default)
            with variable_scope(scope) as self._variable_scope:
                self._counter: Any = get_variable("counter", initializer=0, trainable=False)
            for key, setting in settings.items():
                value = convert_to_tensor(setting, name=key)
                checks = [
                    check(value, *limits, message=f"`{key}` {text}")
                    for check, limits, text in _CHECKS.get(key, [_NOT_BELOW_0])
                ]
                setattr(self, f"_{key}", with_dependencies(checks, value))
        super().__init__(False, name or default)

    @property
    def variable_scope(self) -> Any:
        """The scope of its counter."""
        return self._variable_scope

    def _setting(self, name: str, var: Any) -> Tensor:
        return cast(getattr(self, f"_{name}"), var.dtype.base_dtype)

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            for slot, start in self._slot_starts.items():
                self._get_or_make_slot_with_initializer(
                    var, start, var.shape, var.dtype.base_dtype, slot, self._name
                )

    def _finish(self, update_ops: list, name_scope: str) -> Operation:
        with stacks.control_dependencies(update_ops):  # they read how many steps were before
            return group(self._counter.assign_add(1), name=name_scope)


class SGLDOptimizer(_PosteriorOptimizer):
    """Langevin's dynamics: half a step down the gradient, and noise whose variance is the step's.

    Args:
      learning_rate: lr, a scalar.
      preconditioner_decay_rate: how slowly the mean square of gradients forgets, at most 1.
      num_pseudo_batches: n, how many batches the data have, if the loss is a mean over one.
      burnin: after how many steps noise begins.
      diagonal_bias: added to the mean square.
      name: the name of the optimizer, "SGLDOptimizer" by default.
      variable_scope: of the counter of steps; a new one by default.
    Raises:
      InvalidArgumentError: when a setting is out of its range.
    Example:
      >>> x = tf.Variable(tf.zeros([4]))
      >>> step = tf.contrib.bayesflow.optimizers.SGLDOptimizer(0.1).minimize(
      ...     tf.reduce_sum(x * x) / 2)
    """

    _slot_starts = {"rms": ones_initializer()}

    def __init__(
        self, learning_rate: Any, preconditioner_decay_rate: Any = 0.95,
        num_pseudo_batches: Any = 1, burnin: Any = 25, diagonal_bias: Any = 1e-8,
        name: str | None = None, variable_scope: Any = None,
    ) -> None:  # fmt: skip
        super().__init__("SGLDOptimizer", locals())

    def _apply_dense(self, grad: Tensor, var: Any) -> Any:
        rms: Any = self.get_slot(var, "rms")
        rate = self._setting("learning_rate", var)
        new = 1.0 - self._setting("preconditioner_decay_rate", var)
        size = rms.assign_add(new * (square(grad) - rms)) + self._setting("diagonal_bias", var)
        noise = random_normal(shape(grad), dtype=grad.dtype) * sqrt(rate * rsqrt(size))
        noise = where_v2(self._counter > self._burnin, noise, 0.0 * noise)
        down = 0.5 * rate * rsqrt(size) * grad * self._setting("num_pseudo_batches", var)
        return self._operation(var.assign_sub(down + noise))

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        """Noise is for all rows, those without a gradient too."""
        whole = IndexedSlices(grad.values, grad.indices, shape(var))
        return self._apply_dense(convert_to_tensor(whole), var)


class VariationalSGDOptimizer(_PosteriorOptimizer):
    """Descent at the constant rate that makes its path most like draws from the posterior.

    The variance of gradients is estimated in the first step and kept, as TensorFlow does.

    Args:
      batch_size: how many examples are in a batch, if the loss is a mean over one; else 1.
      total_num_examples: how many there are in all.
      max_learning_rate: no rate is above it.
      preconditioner_decay_rate: how slowly the mean of gradients forgets, at most 1.
      burnin: for how many steps there is another limit:
      burnin_max_learning_rate: this one.
      use_single_learning_rate: whether all numbers of a variable have the same rate.
      name: the name of the optimizer, "VariationalSGDOptimizer" by default.
      variable_scope: of the counter of steps; a new one by default.
    Raises:
      InvalidArgumentError: when a setting is out of its range.
    """

    _slot_starts = {"first_moment": zeros_initializer(), "second_moment": zeros_initializer()}

    def __init__(
        self, batch_size: Any, total_num_examples: Any, max_learning_rate: Any = 1.0,
        preconditioner_decay_rate: Any = 0.95, burnin: Any = 25,
        burnin_max_learning_rate: Any = 1e-6, use_single_learning_rate: bool = False,
        name: str | None = None, variable_scope: Any = None,
    ) -> None:  # fmt: skip
        self._single = use_single_learning_rate
        super().__init__("VariationalSGDOptimizer", locals())

    def _apply_dense(self, grad: Tensor, var: Any) -> Any:
        return self._operation(var.assign_sub(self._rates(grad, var) * grad))

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        step = self._rates(grad.values, var, grad.indices) * grad.values
        return self._operation(scatter_sub(var, grad.indices, step))

    def _rates(self, grad: Tensor, var: Any, rows: Any = None) -> Tensor:
        def read(slot: Any) -> Tensor:
            return identity(slot) if rows is None else gather(slot, rows)

        def raised(slot: Any, change: Tensor) -> Tensor:
            done = slot.assign_add(change) if rows is None else scatter_add(slot, rows, change)
            with stacks.control_dependencies([done]):
                return read(slot)

        first, second = (self.get_slot(var, each) for each in self._slot_starts)
        begins = cast(self._counter < 1, var.dtype.base_dtype)
        decay = self._setting("preconditioner_decay_rate", var)
        batch = self._setting("batch_size", var)
        delta = grad - read(first)
        mean = raised(first, (1.0 - decay * (1.0 - begins)) * delta)
        with stacks.control_dependencies([mean]):
            change = begins * (1.0 - decay) * (decay * square(delta) - read(second))
            spread = maximum(raised(second, change), 1e-12) * batch
        spread = reduce_mean(spread) if self._single else spread
        early, late = (self._setting(f"{e}max_learning_rate", var) for e in ("burnin_", ""))
        most = where_v2(self._counter < self._burnin, early, late)
        rates = 2.0 * batch / (self._setting("total_num_examples", var) * spread)
        return clip_by_value(rates, 0.0, most)
