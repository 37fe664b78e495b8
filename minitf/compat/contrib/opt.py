"""`tf.contrib.opt`: weights that decay apart from the loss, lazy Adam, and SciPy's optimizers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.gradients.gradients import gradients
from minitf.core.graph import dtypes, logging, stacks
from minitf.core.graph.indexed_slices import IndexedSlices
from minitf.core.ops.array import identity, placeholder
from minitf.core.ops.array_filling import zeros_like
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.cast import cast
from minitf.core.ops.control import group
from minitf.core.ops.math import pow, sqrt
from minitf.core.ops.scatter import scatter_sub, scatter_update
from minitf.core.train.adam import AdamOptimizer
from minitf.core.train.momentum import MomentumOptimizer
from minitf.core.train.optimizer import Optimizer
from minitf.core.variables.initialization import trainable_variables

# ---- decay -------------------------------------------------------------------------------------


class DecoupledWeightDecayExtension:
    """Beside an optimizer: each step first takes a part of the weights away.

    Loshchilov and Hutter, "Decoupled Weight Decay Regularization" (2017).

    Args:
      weight_decay: the part.
      kwargs: of the optimizer.
    """

    def __init__(self, weight_decay: Any, **kwargs: Any) -> None:
        self._decay, self._decayed = weight_decay, None
        super().__init__(**kwargs)

    def minimize(self, *args: Any, decay_var_list: Any = None, **kwargs: Any) -> Any:
        """As `Optimizer.minimize`; `decay_var_list` says which variables decay, all by default."""
        self._decayed = decay_var_list
        return super().minimize(*args, **kwargs)  # type: ignore[misc]

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None,
        decay_var_list: Any = None,
    ) -> Any:  # fmt: skip
        """As `Optimizer.apply_gradients`, after the decay."""
        pairs = list(grads_and_vars)
        chosen = self._decayed if decay_var_list is None else decay_var_list
        part = self._decay() if callable(self._decay) else self._decay
        known = [g.values if isinstance(g, IndexedSlices) else g for g, _ in pairs if g is not None]
        with stacks.control_dependencies(known):  # the gradients are of the weights before
            decays = [
                v.assign_sub(v * part)
                for g, v in pairs
                if g is not None and (chosen is None or any(v is each for each in chosen))
            ]
        with stacks.control_dependencies([group(*decays)]):
            return super().apply_gradients(pairs, global_step, name)  # type: ignore[misc]


def extend_with_decoupled_weight_decay(base_optimizer: type) -> type:
    """The class of an optimizer whose weights decay; `weight_decay` becomes its first argument."""

    class OptimizerWithDecoupledWeightDecay(DecoupledWeightDecayExtension, base_optimizer):
        """An optimizer whose weights decay."""

        def __init__(self, weight_decay: Any, *args: Any, **kwargs: Any) -> None:
            self._decay, self._decayed = weight_decay, None
            base_optimizer.__init__(self, *args, **kwargs)  # type: ignore[misc]

    return OptimizerWithDecoupledWeightDecay


class AdamWOptimizer(DecoupledWeightDecayExtension, AdamOptimizer):
    """Adam whose weights decay; see `tf.train.AdamOptimizer`."""

    def __init__(
        self, weight_decay: Any, learning_rate: Any = 0.001, beta1: Any = 0.9, beta2: Any = 0.999,
        epsilon: Any = 1e-8, use_locking: bool = False, name: str = "AdamW",
    ) -> None:  # fmt: skip
        super().__init__(
            weight_decay, learning_rate=learning_rate, beta1=beta1, beta2=beta2, epsilon=epsilon,
            use_locking=use_locking, name=name,
        )  # fmt: skip


class MomentumWOptimizer(DecoupledWeightDecayExtension, MomentumOptimizer):
    """Momentum whose weights decay; see `tf.train.MomentumOptimizer`."""

    def __init__(
        self, weight_decay: Any, learning_rate: Any, momentum: Any, use_locking: bool = False,
        name: str = "MomentumW", use_nesterov: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(
            weight_decay, learning_rate=learning_rate, momentum=momentum, use_locking=use_locking,
            name=name, use_nesterov=use_nesterov,
        )  # fmt: skip


class LazyAdamOptimizer(AdamOptimizer):
    """Adam that leaves alone the rows of a variable, and their moments, that have no gradient."""

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        beta1_power, beta2_power, lr, beta1, beta2, epsilon = self._rule_rates(var)
        rate, rows = lr * sqrt(1 - beta2_power) / (1 - beta1_power), grad.values
        m = self._moved(var, "m", beta1, rows, grad.indices)
        v = self._moved(var, "v", beta2, rows * rows, grad.indices)
        step = rate * m / (sqrt(v) + epsilon)
        return scatter_sub(var, grad.indices, step, use_locking=self._use_locking)

    def _moved(self, var: Any, slot: str, beta: Any, rows: Any, indices: Any) -> Any:
        """The rows of a moment, which follow `rows`."""
        moment: Any = self.get_slot(var, slot)
        moved = beta * gather(moment, indices) + (1 - beta) * rows
        kept = scatter_update(moment, indices, moved, use_locking=self._use_locking)
        with stacks.control_dependencies([kept]):
            return identity(moved)


class AdamGSOptimizer(AdamOptimizer):
    """Adam whose powers of `beta1` and `beta2` follow the global step, in place of variables.

    Args:
      global_step: how many steps were done; it should be counted with each.
      learning_rate, beta1, beta2, epsilon, use_locking, name: see `AdamOptimizer`.
    """

    _powers = ()

    def __init__(
        self, global_step: Any = 0, learning_rate: Any = 0.001, beta1: Any = 0.9,
        beta2: Any = 0.999, epsilon: Any = 1e-8, use_locking: bool = False, name: str = "Adam",
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)
        self._global_step = global_step

    def _prepare(self) -> None:
        super()._prepare()
        # one copy on the worker, that not each variable asks a parameter server
        self._global_step_on_worker = cast(identity(self._global_step) + 1, dtypes.float32)

    def _get_beta_accumulators(self) -> tuple[Any, ...]:
        step = self._global_step_on_worker
        return pow(self._beta1_t, step), pow(self._beta2_t, step)

    _finish = Optimizer._finish


class LazyAdamGSOptimizer(AdamGSOptimizer, LazyAdamOptimizer):
    """`AdamGSOptimizer` that leaves alone rows without a gradient, as `LazyAdamOptimizer`."""


# ---- SciPy's -----------------------------------------------------------------------------------


class ExternalOptimizerInterface:
    """Minimizes a loss by an optimizer outside the graph, which sees one long vector.

    Args:
      loss: a scalar.
      var_list: what to change; all trainable variables by default.
      equalities, inequalities: scalars that shall be 0, or not negative.
      var_to_bounds: by variable a pair, its lower and its upper bound.
      optimizer_kwargs: of the optimizer.
    """

    def __init__(
        self, loss: Any, var_list: Sequence[Any] | None = None, equalities: Any = None,
        inequalities: Any = None, var_to_bounds: Any = None, **optimizer_kwargs: Any,
    ) -> None:  # fmt: skip
        self._loss = loss
        self._vars = list(trainable_variables() if var_list is None else var_list)
        self._constraints = [*(equalities or []), *(inequalities or [])]
        self._kinds = ["eq"] * len(equalities or []) + ["ineq"] * len(inequalities or [])
        self.optimizer_kwargs = optimizer_kwargs
        self._grads = [self._gradients(each) for each in (loss, *self._constraints)]
        self._fed = [placeholder(v.dtype.base_dtype, v.shape) for v in self._vars]
        assigned = [v.assign(fed) for v, fed in zip(self._vars, self._fed, strict=True)]
        self._assign = group(*assigned)
        sizes = [v.shape.num_elements() for v in self._vars]
        self._ends = np.cumsum(sizes)[:-1]
        self._bounds = None
        if var_to_bounds is not None:
            free = (-np.inf, np.inf)
            pairs = [var_to_bounds.get(v, free) for v in self._vars]
            wide = [
                [np.broadcast_to(side, v.shape.as_list()).ravel() for side in pair]
                for v, pair in zip(self._vars, pairs, strict=True)
            ]
            self._bounds = np.concatenate([np.stack(pair, 1) for pair in wide])

    def _gradients(self, y: Any) -> list[Any]:
        found = gradients(y, self._vars)
        return [zeros_like(v) if g is None else g for g, v in zip(found, self._vars, strict=True)]

    def minimize(
        self, session: Any = None, feed_dict: Any = None, fetches: Any = None,
        step_callback: Callable | None = None, loss_callback: Callable | None = None,
        **run_kwargs: Any,
    ) -> None:  # fmt: skip
        """Changes the variables until the loss is least.

        Args:
          session: the session; the default session by default.
          feed_dict: what the loss is computed with.
          fetches: what `loss_callback` gets beside nothing else.
          step_callback: called with the long vector after each step.
          loss_callback: called with the values of `fetches` after each evaluation of the loss.
          run_kwargs: of `session.run`.
        """
        session = session or stacks.get_default_session()
        feeds, watched = dict(feed_dict or {}), list(fetches or [])

        def set_to(vector: Any) -> None:
            parts = np.split(vector, self._ends) if len(self._vars) > 1 else [vector]
            values = (p.reshape(v.shape.as_list()) for p, v in zip(parts, self._vars, strict=True))
            session.run(self._assign, dict(zip(self._fed, values, strict=True)))

        def evaluate(place: int, vector: Any) -> tuple[Any, Any]:
            set_to(vector)
            y = (self._loss, *self._constraints)[place]
            extra = watched if place == 0 else []
            run = session.run([y, self._grads[place], *extra], feeds, **run_kwargs)
            if place == 0 and loss_callback is not None:
                loss_callback(*run[2:])
            return float(run[0]), _long(run[1])

        start = _long(session.run(self._vars))
        constraints = [
            {"type": kind, "fun": _part(evaluate, n, 0), "jac": _part(evaluate, n, 1)}
            for n, kind in enumerate(self._kinds, 1)
        ]
        found = self._minimize(
            start, lambda vector: evaluate(0, vector), constraints, self._bounds, step_callback
        )
        set_to(found)

    def _minimize(
        self, start: Any, loss_and_gradient: Callable, constraints: list, bounds: Any,
        step_callback: Callable | None,
    ) -> Any:  # fmt: skip
        raise NotImplementedError("To use ExternalOptimizerInterface, subclass from it")


def _long(values: list) -> Any:
    return np.concatenate([np.ravel(value) for value in values]).astype(np.float64)


def _part(evaluate: Callable, place: int, which: int) -> Callable[[Any], Any]:
    return lambda vector: evaluate(place, vector)[which]


class ScipyOptimizerInterface(ExternalOptimizerInterface):
    """Minimizes a loss by `scipy.optimize.minimize`; L-BFGS-B, or SLSQP with constraints.

    Example:
      >>> x = tf.Variable([7.0, 7.0])
      >>> solver = tf.contrib.opt.ScipyOptimizerInterface(tf.reduce_sum(x**2), method="BFGS")
    """

    def _minimize(
        self, start: Any, loss_and_gradient: Callable, constraints: list, bounds: Any,
        step_callback: Callable | None,
    ) -> Any:  # fmt: skip
        try:
            from scipy import optimize
        except ImportError:
            raise ImportError(
                "ScipyOptimizerInterface needs SciPy: pip install 'minitf[fast]'"
            ) from None
        options = {"method": "SLSQP" if constraints else "L-BFGS-B", **self.optimizer_kwargs}
        for name, value in ("constraints", constraints), ("bounds", bounds):
            if name in options:
                raise ValueError(f"Optimizer keyword arg '{name}' is set automatically")
            if value is not None and len(value):
                options[name] = value
        result = optimize.minimize(
            loss_and_gradient, start, jac=True, callback=step_callback, **options
        )
        logging.info(
            "Optimization terminated with:\n  Message: %s\n  Objective function value: %f\n"
            "  Number of iterations: %d\n  Number of functions evaluations: %d",
            result.message, result.fun, result.nit, result.nfev,
        )  # fmt: skip
        return result.x
