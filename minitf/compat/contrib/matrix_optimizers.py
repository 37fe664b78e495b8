"""Optimizers of `tf.contrib.opt` that scale a gradient by matrices of past gradients.

Shampoo    one matrix an axis of each variable:  var -= lr * prod(matrix_i ^ (-alpha / rank)) . g
GGT        one for all variables together, from the last `window` means of gradients
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import Any

from minitf.core.gradients.cond import cond
from minitf.core.gradients.while_loop import while_loop
from minitf.core.graph import dtypes, stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.indexed_slices import IndexedSlices
from minitf.core.ops.array import identity
from minitf.core.ops.array_filling import range as range_op
from minitf.core.ops.array_filling import zeros, zeros_like
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_shaping import expand_dims, reshape, transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import greater, logical_and, where
from minitf.core.ops.control import group
from minitf.core.ops.linalg import matmul, norm, tensordot
from minitf.core.ops.math import abs, floormod, maximum, minimum, pow, sqrt
from minitf.core.ops.reductions import reduce_max, reduce_min, reduce_sum
from minitf.core.ops.scatter import scatter_add, scatter_sub, scatter_update
from minitf.core.train.optimizer import Optimizer
from minitf.library.numeric.diagonals import eye
from minitf.library.numeric.svd import svd

# ---- roots of matrices ---------------------------------------------------------------------------


def matrix_square_root(
    mat_a: Any, mat_a_size: int, iter_count: int = 100, ridge_epsilon: float = 1e-4
) -> Any:
    """The root of a symmetric positive matrix by products alone.

    Higham, "Stable Iterations for the Matrix Square Root" (1997), equation 2.6.

    Args:
      mat_a: [n, n].
      mat_a_size: n.
      iter_count: how many iterations at most; they end when the error grows.
      ridge_epsilon: added to the diagonal.
    """
    one = eye(mat_a_size, dtype=mat_a.dtype)
    matrix = mat_a + ridge_epsilon * one
    size = norm(matrix)

    def goes_on(i: Any, y: Any, last: Any, z: Any, error: Any, before: Any) -> Any:
        return logical_and(i < iter_count, error < before)

    def iterate(i: Any, y: Any, last: Any, z: Any, error: Any, before: Any) -> Any:
        factor = 0.5 * (3.0 * one - matmul(z, y))
        closer = matmul(y, factor)
        root = closer * sqrt(size)
        return i + 1, closer, y, matmul(factor, z), norm(matrix - matmul(root, root)) / size, error

    start = matrix / size
    found = while_loop(goes_on, iterate, [0, start, start, one, size, size + 1.0])
    return found[2] * sqrt(size)


def matrix_inverse_pth_root(
    mat_g: Any, mat_g_size: int, alpha: float, iter_count: int = 100, epsilon: float = 1e-6,
    ridge_epsilon: float = 1e-6,
) -> Any:  # fmt: skip
    """A symmetric positive matrix to the power `alpha = -1/p`, p a whole number.

    Guo and Higham, "A Schur-Newton Method for the Matrix p-th Root and its Inverse" (2006).

    Args:
      mat_g: [n, n].
      mat_g_size: n.
      alpha: the power.
      iter_count: how many iterations at most.
      epsilon: how close to the identity what should become it is at the end.
      ridge_epsilon: added to the diagonal.
    """
    if mat_g_size == 1:
        return pow(mat_g + ridge_epsilon, alpha)
    one = eye(mat_g_size, dtype=mat_g.dtype)
    matrix = mat_g + ridge_epsilon * one
    scale = (1 - 1 / alpha) / (2 * norm(matrix))

    def goes_on(i: Any, m: Any, x: Any) -> Any:
        return logical_and(i < iter_count, reduce_max(abs(m - one)) > epsilon)

    def iterate(i: Any, m: Any, x: Any) -> Any:
        factor = (1 - alpha) * one + alpha * m
        return i + 1, reduce(matmul, [factor] * round(-1 / alpha) + [m]), matmul(x, factor)

    return while_loop(goes_on, iterate, [0, matrix * scale, one * pow(scale, -alpha)])[2]


# ---- optimizers ----------------------------------------------------------------------------------


class ShampooOptimizer(Optimizer):
    """Adagrad with a matrix for each axis of a variable.

        gbar     <- gbar_decay * gbar + gbar_weight * g
        matrix_i <- mat_gbar_decay * matrix_i + mat_gbar_weight * (g . g over all axes but i)
        var      <- var - learning_rate * prod((matrix_i / size_i) ^ (-alpha / rank)) . gbar

    Gupta, Koren and Singer, "Shampoo: Preconditioned Stochastic Tensor Optimization" (2018).
    All settings but sizes may be functions of the step, which starts at 1.

    Args:
      global_step: how many steps were done.
      max_matrix_size: an axis longer than this has a vector, the diagonal, in place of a matrix.
      gbar_decay, gbar_weight, mat_gbar_decay, mat_gbar_weight, learning_rate: see above.
      svd_interval: every how many steps the powers are computed.
      precond_update_interval: every how many steps the matrices change.
      epsilon: added to the diagonals of matrices.
      alpha: see above.
      use_iterative_root: compute powers by products of matrices, not by singular values.
      use_locking, name: see `Optimizer`.
    """

    def __init__(
        self, global_step: Any = 0, max_matrix_size: int = 768, gbar_decay: Any = 0.0,
        gbar_weight: Any = 1.0, mat_gbar_decay: Any = 1.0, mat_gbar_weight: Any = 1.0,
        learning_rate: Any = 1.0, svd_interval: Any = 1, precond_update_interval: Any = 1,
        epsilon: float = 1e-4, alpha: Any = 0.5, use_iterative_root: bool = False,
        use_locking: bool = False, name: str = "Shampoo",
    ) -> None:  # fmt: skip
        super().__init__(use_locking, name)
        self._global_step = cast(global_step, dtypes.float32)
        self._max_matrix_size = max_matrix_size
        self._gbar_decay, self._gbar_weight = gbar_decay, gbar_weight
        self._mat_gbar_decay, self._mat_gbar_weight = mat_gbar_decay, mat_gbar_weight
        self._learning_rate, self._alpha, self._epsilon = learning_rate, alpha, epsilon
        self._svd_interval, self._precond_update_interval = svd_interval, precond_update_interval
        self._use_iterative_root = use_iterative_root

    def _create_slots(self, var_list: list) -> None:
        for var in var_list:
            self._zeros_slot(var, "gbar", self._name)
            dtype = var.dtype.base_dtype
            for i, size in enumerate(var.shape.as_list()):
                whole = size <= self._max_matrix_size
                if whole and self._svd_interval != 1:
                    self._get_or_make_slot(var, eye(size, dtype=dtype), f"H_{i}", self._name)
                start = zeros([size, size] if whole else [size], dtype)
                self._get_or_make_slot(var, start, f"Gbar_{i}", self._name)

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        return self._apply_gradient(grad, var)

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        if var.shape.as_list()[0] <= self._max_matrix_size or self._gbar_decay != 0.0:
            rows = IndexedSlices(grad.values, grad.indices, var.shape.as_list())
            return self._apply_gradient(convert_to_tensor(rows), var)
        return self._apply_gradient(grad.values, var, grad.indices)

    def _now(self, setting: str) -> Any:
        """A setting's value in this step."""
        value = getattr(self, f"_{setting}")
        return value(self._global_step + 1) if callable(value) else value

    def _every(self, setting: str, act: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
        """`act()` in steps that an interval divides."""
        interval = self._now(setting)
        if isinstance(interval, int) and interval == 1:
            return act()
        return cond(floormod(self._global_step + 1, interval) < 1, act, otherwise)

    def _follow(self, slot: Any, kind: str, new: Any) -> Any:
        """slot = decay * slot + weight * new."""
        decay, added = getattr(self, f"_{kind}_decay"), self._now(f"{kind}_weight") * new
        if not callable(decay) and decay == 0.0:
            return added  # nobody reads the slot
        faded = 0.0 if decay == 1.0 else (self._now(f"{kind}_decay") - 1) * slot
        return identity(slot.assign_add(faded + added))

    def _apply_gradient(self, grad: Any, var: Any, indices: Any = None) -> Any:
        """Updates a variable, or of it the rows at `indices`."""
        step = grad
        if indices is None:
            step = self._follow(self.get_slot(var, "gbar"), "gbar", grad)
        sizes = var.shape.as_list()
        power = -self._now("alpha") / len(sizes)
        for i, size in enumerate(sizes):
            others = [k for k, _ in enumerate(sizes) if k != i]
            # the first axis goes to the end, so that all are in place again after the last
            if size <= self._max_matrix_size:
                matrix = self._power_of_matrix(grad, var, i, others, power)
                step = tensordot(step, matrix, axes=([0], [0]), name=f"precond_{i}")
            else:
                rows = indices if i == 0 else None
                scales = self._power_of_diagonal(grad, var, i, others, power, rows)
                step = transpose(step, [*range(1, len(sizes)), 0]) * scales
        step = self._now("learning_rate") * step
        return var.assign_sub(step) if indices is None else scatter_sub(var, indices, step)

    def _power_of_matrix(self, grad: Any, var: Any, i: int, others: list, power: Any) -> Any:
        kept: Any = self.get_slot(var, f"Gbar_{i}")
        size = var.shape.as_list()[i]

        def change() -> Any:
            outer = tensordot(grad, grad, (others, others), name=f"grad_outer_{i}")
            return self._follow(kept, "mat_gbar", outer * self._now("precond_update_interval"))

        matrix = self._every("precond_update_interval", change, kept.read_value) / float(size)
        root = partial(self._power, matrix, size, power)
        if self._svd_interval == 1:
            return root()
        last: Any = self.get_slot(var, f"H_{i}")
        return self._every("svd_interval", lambda: identity(last.assign(root())), last.read_value)

    def _power(self, matrix: Any, size: int, power: Any) -> Any:
        with stacks.name_scope("matrix_iterative_power"):
            if self._use_iterative_root:
                root = matrix_square_root(matrix, size, ridge_epsilon=self._epsilon)
                return matrix_inverse_pth_root(root, size, 2 * power, ridge_epsilon=0.0)
            if size == 1:
                return pow(matrix + self._epsilon, power)
            damped = matrix + self._epsilon * eye(size, dtype=matrix.dtype)
            s, u, v = svd(damped, full_matrices=True)
            return matmul(v * pow(maximum(s, self._epsilon), power), u, transpose_b=True)

    def _power_of_diagonal(
        self, grad: Any, var: Any, i: int, others: list[int], power: Any, rows: Any
    ) -> Any:
        kept: Any = self.get_slot(var, f"Gbar_{i}")
        squares = reduce_sum(grad * grad, axis=others) if others else grad * grad
        if rows is None and others:
            squares /= float(var.shape.as_list()[i])
        if i == 0 and rows is not None:
            added = self._now("mat_gbar_weight") * squares
            with stacks.control_dependencies([scatter_add(kept, rows, added)]):
                diagonal = gather(kept.read_value(), rows)
        else:
            diagonal = self._follow(kept, "mat_gbar", squares)
        return where(greater(diagonal, 0), pow(diagonal, power), zeros_like(diagonal))


class GGTOptimizer(Optimizer):
    """Adagrad with one matrix for all variables together, of a few past gradients.

        m      <- beta1 * m + (1 - beta1) * g           all gradients in one vector
        M       = the last `window` of m as columns / sqrt(their number)
        step    = (M M^T)^(-1/2) m                      by the singular values of M^T M
        var    <- var - learning_rate * step

    Agarwal et al., "Efficient Full-Matrix Adaptive Regularization" (2018).

    Args:
      learning_rate: a number, a scalar tensor, or a callable that returns one.
      beta1: how slowly the mean of gradients forgets.
      use_locking, name: see `Optimizer`.
      window: how many means are kept.
      eps: what is not in the span of M counts only while no singular value is smaller.
      svd_eps: added to the diagonal of M^T M.
      sigma_eps: added to the singular values of M.
    """

    def __init__(
        self, learning_rate: Any = 0.001, beta1: Any = 0.9, use_locking: bool = False,
        name: str = "GGT", window: int = 10, eps: float = 1e-4, svd_eps: float = 1e-6,
        sigma_eps: float = 1e-2,
    ) -> None:  # fmt: skip
        super().__init__(use_locking, name)
        self._learning_rate, self._beta1, self._window = learning_rate, beta1, window
        self._eps, self._svd_eps, self._sigma_eps = eps, svd_eps, sigma_eps
        self._places: dict[str, tuple[int, int]] = {}  # by name a variable's part of the vector

    def _create_slots(self, var_list: list) -> None:
        end = 0
        for var in sorted(var_list, key=lambda each: each.name):
            start, end = end, end + var.shape.num_elements()
            self._places[var.name] = start, end
        first, dtype = var_list[0], var_list[0].dtype.base_dtype
        for name, shape in (
            ("global_step", []), ("grad_buffer", [self._window, end]),
            ("moment1", [end]), ("flat_grad", [end]),
        ):  # fmt: skip
            self._create_non_slot_variable(zeros(shape, dtype), name, first)

    def _prepare(self) -> None:
        self._updated: list = []

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        self._updated.append(var)
        flat: Any = self._get_non_slot_variable("flat_grad")
        return scatter_update(flat, range_op(*self._places[var.name]), reshape(grad, [-1]))

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        raise NotImplementedError("Sparse gradient updates are not supported.")

    def _finish(self, update_ops: list, name_scope: str) -> Any:
        names = "global_step", "grad_buffer", "moment1", "flat_grad"
        count, past, mean, flat = (self._get_non_slot_variable(each) for each in names)
        assert count is not None and past is not None and mean is not None and flat is not None
        with stacks.control_dependencies(update_ops):
            steps = identity(count.assign_add(1.0))
            beta1 = cast(self._call_if_callable(self._beta1), steps.dtype)
            moved = identity(mean.assign(beta1 * mean + (1 - beta1) * flat.read_value()))
            place = floormod(cast(steps - 1, dtypes.int32), self._window)
            rows = identity(scatter_update(past, place, moved))
            known = sqrt(minimum(steps, float(self._window)))
            step = self._direction(transpose(rows) / known, expand_dims(moved, -1))
            step *= cast(self._call_if_callable(self._learning_rate), steps.dtype)
            ends = [
                var.assign_sub(reshape(step[slice(*self._places[var.name])], var.shape))
                for var in self._updated
            ]
        return group(*ends, name=name_scope)

    def _direction(self, m: Any, mean: Any) -> Any:
        """The step, [n, 1], by the past means `m`, [n, window], and the newest."""
        damping = self._svd_eps * eye(self._window, dtype=m.dtype)
        s, u, _ = svd(matmul(m, m, transpose_a=True) + damping)
        sizes, onto = sqrt(s), matmul(m, u)
        inside = matmul(onto, mean, transpose_a=True)
        head = matmul(onto, inside / expand_dims(pow(sizes + self._sigma_eps, 3), -1))
        rest = mean - matmul(onto, inside / expand_dims(s, -1))
        least = reduce_min(sizes)
        return head + cond(
            greater(least, self._eps), lambda: rest / least, lambda: zeros_like(rest)
        )
