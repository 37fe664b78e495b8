"""`tf.contrib.constrained_optimization`: a loss made small while other numbers stay at or below 0.

Two players share each step: one moves the variables to lower the Lagrangian, the other one moves
the multipliers to raise it (Cotter, Jiang and Sridharan, "Two-Player Games for Efficient Non-Convex
Constrained Optimization", 2019, https://arxiv.org/abs/1804.06500).

    external regret   multipliers, one a constraint: max(0, multiplier + rate * constraint)
    swap regret       a matrix whose columns are distributions; its eigenvector weighs loss and
                      constraints, so proxies may take the place of constraints without a slope
"""

from __future__ import annotations

import abc
import math
from typing import Any

import numpy as np

from minitf.core.gradients.cond import cond
from minitf.core.gradients.while_loop import while_loop
from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array_filling import ones_like, zeros
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import expand_dims, reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import logical_and, not_equal
from minitf.core.ops.control import group
from minitf.core.ops.linalg import matmul, norm, tensordot
from minitf.core.ops.math import abs as absolute
from minitf.core.ops.math import exp, log, maximum, minimum
from minitf.core.ops.reductions import reduce_any, reduce_max, reduce_sum
from minitf.core.ops.state import assign, assign_add
from minitf.core.train.optimizer import Optimizer
from minitf.core.variables.variables import Variable


class ConstrainedMinimizationProblem(abc.ABC):
    """A loss, and what has to stay at or below 0 while it becomes small; to be subclassed."""

    @property
    @abc.abstractmethod
    def objective(self) -> Tensor:
        """The loss, a scalar."""

    @property
    @abc.abstractmethod
    def constraints(self) -> Tensor:
        """What has to stay at or below 0."""

    @property
    def proxy_constraints(self) -> Tensor | None:
        """What has slopes where the constraints have none, of their shape; None for themselves."""
        return None

    @property
    def pre_train_ops(self) -> Any:
        """Operations to run before each step; None for none."""
        return None

    @property
    def num_constraints(self) -> int:
        """How many constraints there are.

        Raises:
          ValueError: when their shape is unknown, or another one than that of the proxies.
        """
        proxies = self.proxy_constraints
        shape = self.constraints.shape
        other = shape if proxies is None else proxies.shape
        if not (shape.is_fully_defined() and other.is_fully_defined()):
            raise ValueError("constraints and proxy_constraints must have fully-known shapes")
        if shape.as_list() != other.as_list():
            raise ValueError("constraints and proxy_constraints must have the same shape")
        return math.prod(each or 0 for each in shape.as_list())


class ConstrainedOptimizer(abc.ABC):
    """Minimizes a `ConstrainedMinimizationProblem` with an optimizer, or two.

    Args:
      optimizer: moves the variables.
      constraint_optimizer: moves what weighs the constraints; `optimizer` by default.
    """

    _STATE: str

    def __init__(self, optimizer: Optimizer, constraint_optimizer: Optimizer | None = None):
        self._optimizer, self._constraint_optimizer = optimizer, constraint_optimizer

    @property
    def optimizer(self) -> Optimizer:
        """What moves the variables."""
        return self._optimizer

    @property
    def constraint_optimizer(self) -> Optimizer | None:
        """What moves the weights of the constraints, if that is another one."""
        return self._constraint_optimizer

    @abc.abstractmethod
    def _initial_state(self, num_constraints: int) -> Tensor: ...

    @abc.abstractmethod
    def _loss_and_gradient(
        self, state: Any, objective: Tensor, constraints: Tensor, proxies: Tensor
    ) -> tuple[Tensor, Tensor]:
        """What the variables shall lower, and by what the state shall rise."""

    @abc.abstractmethod
    def _projected(self, state: Any) -> Tensor:
        """The nearest state that is allowed."""

    def minimize_unconstrained(
        self, minimization_problem: ConstrainedMinimizationProblem, **kwargs: Any
    ) -> Any:
        """A step for the loss alone; arguments as in `tf.train.Optimizer.minimize`."""
        with stacks.control_dependencies(minimization_problem.pre_train_ops or []):
            return self._optimizer.minimize(minimization_problem.objective, **kwargs)

    def minimize_constrained(
        self, minimization_problem: ConstrainedMinimizationProblem, global_step: Any = None,
        var_list: Any = None, gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: Any = None, colocate_gradients_with_ops: bool = False,
        name: str | None = None, grad_loss: Any = None,
    ) -> Any:  # fmt: skip
        """A step for the loss and the constraints; arguments as in `tf.train.Optimizer.minimize`.

        Raises:
          ValueError: when loss and constraints have other types.
        """
        problem = minimization_problem
        with stacks.control_dependencies(problem.pre_train_ops or []):
            objective, constraints = problem.objective, problem.constraints
            proxies = (
                constraints if problem.proxy_constraints is None else problem.proxy_constraints
            )
            if len({each.dtype.base_dtype for each in (objective, constraints, proxies)}) > 1:
                raise ValueError(
                    "objective, constraints and proxy_constraints must have the same dtype"
                )
            count = problem.num_constraints
            state = Variable(lambda: self._initial_state(count), trainable=False, name=self._STATE)
            loss, rise = self._loss_and_gradient(
                state, objective, reshape(constraints, [count]), reshape(proxies, [count])
            )
            moves = self._optimizer.compute_gradients(
                loss, var_list=var_list, gate_gradients=gate_gradients,
                aggregation_method=aggregation_method,
                colocate_gradients_with_ops=colocate_gradients_with_ops, grad_loss=grad_loss,
            )  # fmt: skip
            whole = self._update(moves, (-rise, state))
            with stacks.control_dependencies(whole):
                if global_step is None:
                    return assign(state, self._projected(state), name=name)
                projection = assign(state, self._projected(state), name="project")
                with stacks.colocate_with(global_step):
                    counted = assign_add(global_step, 1, name="global_step_increment")
                return group(projection, counted, name=name)

    def _update(self, moves: list[Any], of_state: tuple[Tensor, Any]) -> list[Any]:
        if self._constraint_optimizer is None:
            return [self._optimizer.apply_gradients([*moves, of_state], name="update")]
        slopes = [each for each, _ in [*moves, of_state] if each is not None]
        with stacks.control_dependencies(slopes):  # both players move at the same time
            other = self._constraint_optimizer.apply_gradients(
                [of_state], name="optimizer_state_update"
            )
            return [self._optimizer.apply_gradients(moves, name="update"), other]

    def minimize(
        self, minimization_problem: ConstrainedMinimizationProblem,
        unconstrained_steps: Any = None, global_step: Any = None, **kwargs: Any,
    ) -> Any:  # fmt: skip
        """A step: for the loss alone in the first `unconstrained_steps`, for both afterwards.

        Raises:
          ValueError: for `unconstrained_steps` without a `global_step`.
        """

        def constrained() -> Any:
            return self.minimize_constrained(
                minimization_problem, global_step=global_step, **kwargs
            )

        if unconstrained_steps is None:
            return constrained()
        if global_step is None:
            raise ValueError("global_step cannot be None if unconstrained_steps is provided")
        limit = convert_to_tensor(unconstrained_steps)
        return cond(
            cast(global_step, limit.dtype) < limit,
            lambda: self.minimize_unconstrained(
                minimization_problem, global_step=global_step, **kwargs
            ),
            constrained,
        )


# ---- external regret -----------------------------------------------------------------------


class AdditiveExternalRegretOptimizer(ConstrainedOptimizer):
    """The Lagrangian: each constraint has a multiplier, which grows while it is violated.

    Args:
      optimizer, constraint_optimizer: see `ConstrainedOptimizer`.
      maximum_multiplier_radius: how large the sum of the multipliers may become; None for any.
    Raises:
      ValueError: when that is not positive.
    """

    _STATE = "external_regret_optimizer_state"

    def __init__(
        self, optimizer: Optimizer, constraint_optimizer: Optimizer | None = None,
        maximum_multiplier_radius: float | None = None,
    ):  # fmt: skip
        super().__init__(optimizer, constraint_optimizer)
        if maximum_multiplier_radius is not None and maximum_multiplier_radius <= 0:
            raise ValueError("maximum_multiplier_radius must be strictly positive")
        self._radius = maximum_multiplier_radius

    def _initial_state(self, num_constraints: int) -> Tensor:
        return zeros([num_constraints])

    def _loss_and_gradient(
        self, state: Any, objective: Tensor, constraints: Tensor, proxies: Tensor
    ) -> tuple[Tensor, Tensor]:
        loss = objective + tensordot(cast(state, proxies.dtype), proxies, 1)
        return loss, cast(constraints, state.dtype.base_dtype)

    def _projected(self, state: Any) -> Tensor:
        if self._radius is None:
            return maximum(state, 0.0)
        return _on_simplex(convert_to_tensor(state), self._radius, inside=True)


def _on_simplex(values: Tensor, radius: float, inside: bool) -> Tensor:
    """The nearest numbers that are not negative and have the sum `radius`, along the first axis.

    What is too much is taken from all alike; those that fall below 0 become 0 and the rest is taken
    from the others, until none does.

    Args:
      values: a vector, or a matrix of columns.
      inside: whether a smaller sum is right, too.
    """

    def going_on(turn: Any, values: Any, active: Any, before: Any) -> Any:
        return logical_and(turn < values.shape.as_list()[0], reduce_any(not_equal(active, before)))

    def turn(turn: Any, values: Any, active: Any, _: Any) -> Any:
        missing = radius - reduce_sum(values, axis=0, keepdims=True)
        share = missing / maximum(1.0, reduce_sum(active, axis=0, keepdims=True))
        values += (minimum(0.0, share) if inside else share) * active
        positive = cast(values > 0, values.dtype)
        return turn + 1, values * positive, positive, active

    first = turn(convert_to_tensor(0), values, ones_like(values), None)
    return while_loop(going_on, turn, first, name="euclidean_projection")[1]


# ---- swap regret ---------------------------------------------------------------------------


class AdditiveSwapRegretOptimizer(ConstrainedOptimizer):
    """Keeps the matrix itself, and brings its columns back to distributions after each step."""

    _STATE = "swap_regret_optimizer_state"

    def _initial_state(self, num_constraints: int) -> Tensor:
        state = np.zeros([num_constraints + 1] * 2, np.float32)
        state[0] = 1.0  # all weight on the loss
        return convert_to_tensor(state)

    def _matrix(self, state: Any) -> Tensor:
        return convert_to_tensor(state)

    def _loss_and_gradient(
        self, state: Any, objective: Tensor, constraints: Tensor, proxies: Tensor
    ) -> tuple[Tensor, Tensor]:
        weights = absolute(_eigenvector(self._matrix(state)))
        weights /= reduce_sum(weights)
        both = concat([expand_dims(objective, 0), proxies], 0)
        loss = tensordot(cast(weights, both.dtype), both, 1)
        gained = expand_dims(concat([zeros([1]), cast(constraints, dtypes.float32)], 0), 1)
        return loss, matmul(gained, expand_dims(weights, 0))

    def _projected(self, state: Any) -> Tensor:
        return _on_simplex(convert_to_tensor(state), 1.0, inside=False)


class MultiplicativeSwapRegretOptimizer(AdditiveSwapRegretOptimizer):
    """Keeps the logarithms of the matrix, so that a step multiplies.

    Args:
      optimizer, constraint_optimizer: see `ConstrainedOptimizer`.
      minimum_multiplier_radius: by the size of the matrix, below which no number of it falls.
      initial_multiplier_radius: by that size, what constraints weigh at first; the minimum by
        default.
    Raises:
      ValueError: when the minimum is not within 0 and 1, or the initial one is below it.
    """

    def __init__(
        self, optimizer: Optimizer, constraint_optimizer: Optimizer | None = None,
        minimum_multiplier_radius: float = 1e-3, initial_multiplier_radius: float | None = None,
    ):  # fmt: skip
        super().__init__(optimizer, constraint_optimizer)
        least = minimum_multiplier_radius
        first = least if initial_multiplier_radius is None else initial_multiplier_radius
        if not 0.0 < least < 1.0:
            raise ValueError("minimum_multiplier_radius must be in the range (0,1)")
        if not least <= first <= 1.0:
            raise ValueError(
                "initial_multiplier_radius must be in the range [minimum_multiplier_radius,1]"
            )
        self._least, self._first = least, first

    def _initial_state(self, num_constraints: int) -> Tensor:
        size = num_constraints + 1
        state = np.full([size, size], self._first / size, np.float32)
        state[0] = 1.0 - self._first * num_constraints / size
        return convert_to_tensor(np.log(state))

    def _matrix(self, state: Any) -> Tensor:
        return exp(convert_to_tensor(state))

    def _projected(self, state: Any) -> Tensor:
        size = state.shape.as_list()[0]
        state = state - reduce_max(state, axis=0, keepdims=True)  # so that `exp` does not overflow
        state -= log(reduce_sum(exp(state), axis=0, keepdims=True))
        return maximum(state, math.log(self._least / size))


def _eigenvector(matrix: Tensor, epsilon: float = 1e-6, most: int = 100) -> Tensor:
    """The eigenvector of the largest eigenvalue, by the power method."""

    def going_on(turn: Any, vector: Any, before: Any) -> Any:
        return logical_and(turn < most, norm(vector - before) > epsilon)

    def turn(turn: Any, vector: Any, _: Any) -> Any:
        new = matmul(matrix, expand_dims(vector, 1))[:, 0]
        return turn + 1, new / norm(new), vector

    vector = ones_like(matrix[:, 0])
    first = turn(convert_to_tensor(0), vector / norm(vector), None)
    return while_loop(going_on, turn, first, name="power_method")[1]


# ---- the best of several solutions ---------------------------------------------------------


def _check_shapes(objective_vector: Any, constraints_matrix: Any) -> tuple[Any, Any]:
    losses, violations = np.asarray(objective_vector), np.asarray(constraints_matrix)
    if violations.ndim != 2 or losses.shape != violations.shape[1:]:
        raise ValueError(
            "objective_vector must have shape (n,), and constraints_matrix (m, n), where n is the "
            "number of candidates, and m is the number of constraints"
        )
    return losses, violations


def find_best_candidate_distribution(
    objective_vector: Any, constraints_matrix: Any, epsilon: float = 0.0
) -> np.ndarray:
    """How often to take each of several solutions, so that the mean loss is least.

    Args:
      objective_vector: [n], the losses.
      constraints_matrix: [m, n], the constraints.
      epsilon: how exactly the least violation is looked for, where some cannot be avoided.
    Returns: [n], probabilities.
    Raises:
      ValueError: when shapes do not fit, or `epsilon` is negative.
    """
    if epsilon < 0.0:
        raise ValueError("epsilon must be nonnegative")
    losses, violations = _check_shapes(objective_vector, constraints_matrix)
    best = _least_loss(losses, violations, 0.0)
    if best is not None:
        return best
    lower, upper = 0.0, float(violations.max(axis=0).min())
    best = _least_loss(losses, violations, upper)
    while True:
        middle = (lower + upper) / 2
        if middle - lower <= epsilon or upper - middle <= epsilon:
            assert best is not None
            return best
        found = _least_loss(losses, violations, middle)
        if found is None:
            lower = middle
        else:
            best, upper = found, middle


def _least_loss(losses: Any, violations: Any, most: float) -> np.ndarray | None:
    try:
        from scipy.optimize import linprog
    except ImportError as error:
        raise ImportError(
            "find_best_candidate_distribution needs SciPy: pip install 'minitf[fast]'"
        ) from error
    result = linprog(
        losses, A_ub=violations, b_ub=np.full(len(violations), most),
        A_eq=np.ones([1, losses.size]), b_eq=np.ones(1), bounds=(0, None),
    )  # fmt: skip
    return result.x if result.success else None


def find_best_candidate_index(
    objective_vector: Any, constraints_matrix: Any, rank_objectives: bool = False
) -> int:
    """Which of several solutions is best: that whose worst rank is least, then whose loss is.

    Args:
      objective_vector: [n], the losses.
      constraints_matrix: [m, n], the constraints; those that hold share the first rank.
      rank_objectives: whether losses have ranks, too.
    Raises:
      ValueError: when shapes do not fit.
    """
    losses, violations = _check_shapes(objective_vector, constraints_matrix)
    rows = [*np.maximum(violations, 0.0), *([losses] if rank_objectives else [])]
    ranks = [np.searchsorted(np.sort(row), row) for row in rows]
    worst = np.max(ranks, axis=0) if ranks else np.zeros(losses.size)
    return int(np.lexsort([losses, worst])[0])
