"""The Kalman filter: what is believed of a state that moves and is seen through noise.

    x[t] = A x[t-1] + G e[t],  e ~ N(0, S)      the state moves
    y[t] = H x[t]   + u[t],    u ~ N(0, R)      and is observed

    belief N(m, P) ──predict──> N(Am, APA' + Q) ──observe y──> N(m + K(y - Hm), ...)
                     Q = G S G'                   K = PH'(HPH' + R)^-1
       ^                                                        │
       └────────────────────── next time ───────────────────────┘

All beliefs stay normal, so that a mean and a covariance say everything (Kalman, "A New Approach to
Linear Filtering and Prediction Problems", 1960). The probability that each belief gave to what came
next is the likelihood of the series; its gradient teaches the matrices.

Beneath the filter stand the matrices that models make: powers of transitions, blocks, and
covariances that any number makes valid.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from minitf.compat.slim.layers import fully_connected
from minitf.core.gradients.while_loop import while_loop
from minitf.core.graph import dtypes
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import softsign
from minitf.core.ops.array import identity
from minitf.core.ops.array import rank as rank_of
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import zeros, zeros_like
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_padding import pad
from minitf.core.ops.array_shaping import expand_dims, matrix_transpose, reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import equal, greater, where_v2
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import exp, floordiv, floormod, log, log1p, maximum, square
from minitf.core.ops.reductions import reduce_max, reduce_sum
from minitf.core.variables.initializers import constant_initializer, zeros_initializer
from minitf.core.variables.variable_scope import get_variable
from minitf.library.numeric.decompositions import (
    cholesky,
    cholesky_solve,
    matrix_determinant,
    matrix_triangular_solve,
)
from minitf.library.numeric.diagonals import (
    eye,
    matrix_band_part,
    matrix_diag,
    matrix_diag_part,
    matrix_set_diag,
)


class KalmanFilter:
    """Beliefs of states, [batch, state] with covariances [batch, state, state].

    Args:
      dtype: of all tensors.
      simplified_posterior_covariance_computation: whether a covariance after an observation is
        (I - KH) P, which is faster, but loses its symmetry to rounding. By default it is Joseph's
        (I - KH) P (I - KH)' + K R K', which is a covariance whatever rounding does to K.
    """

    def __init__(
        self, dtype: Any = dtypes.float32,
        simplified_posterior_covariance_computation: bool = False,
    ) -> None:  # fmt: skip
        self.dtype, self._simplified = dtype, simplified_posterior_covariance_computation

    def predict_state_mean(self, prior_state: Tensor, transition_matrices: Tensor) -> Tensor:
        """A m, for matrices of as many steps as go by."""
        return _times_vector(transition_matrices, prior_state)

    def predict_state_var(
        self, prior_state_var: Tensor, transition_matrices: Tensor, transition_noise_sums: Tensor
    ) -> Tensor:
        """A P A' + Q, with the noise of as many steps."""
        return _around(transition_matrices, prior_state_var) + transition_noise_sums

    def observed_from_state(
        self, state_mean: Tensor, state_var: Tensor, observation_model: Tensor,
        observation_noise: Any,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        """What will be observed: H m, and H P H' + R."""
        covariance = _around(observation_model, state_var) + observation_noise
        return _times_vector(observation_model, state_mean), covariance

    def posterior_from_prior_state(
        self, prior_state: Tensor, prior_state_var: Tensor, observation: Tensor,
        observation_model: Tensor, predicted_observations: tuple[Tensor, Tensor],
        observation_noise: Any,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        """The belief after an observation: m + K (y - Hm), (I - KH) P (I - KH)' + K R K'.

        Args:
          prior_state, prior_state_var: m and P.
          observation: y, [batch, n].
          observation_model: H, [batch, n, state].
          predicted_observations: what `observed_from_state` gave.
          observation_noise: R, [n, n] or [batch, n, n].
        """
        mean, covariance = predicted_observations
        factor = cholesky(_symmetric(covariance))
        return self._observed(
            prior_state, prior_state_var, observation - mean, observation_model, factor,
            observation_noise,
        )  # fmt: skip

    def _observed(
        self, mean: Tensor, covariance: Tensor, surprise: Tensor, model: Tensor, factor: Tensor,
        noise: Any,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        """The belief after a surprise y - Hm, with a Cholesky factor of HPH' + R."""
        gain = matrix_transpose(cholesky_solve(factor, matmul(model, covariance)))
        after = mean + _times_vector(gain, surprise)
        kept = -matmul(gain, model)  # I - KH
        kept = matrix_set_diag(kept, 1.0 + matrix_diag_part(kept))
        if self._simplified:
            return after, matmul(kept, covariance)
        return after, _around(kept, covariance) + _around(gain, noise)

    def do_filter(
        self, estimated_state: Tensor, estimated_state_covariance: Tensor,
        predicted_observation: Tensor, predicted_observation_covariance: Tensor,
        observation: Tensor, observation_model: Tensor, observation_noise: Any,
    ) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
        """The belief after an observation, and log p(observation) before it.

        Args:
          estimated_state, estimated_state_covariance: m and P.
          predicted_observation, predicted_observation_covariance: of `observed_from_state`.
          observation, observation_model, observation_noise: y, H and R.
        Returns: mean [batch, state], covariance [batch, state, state], log p [batch].
        """
        factor = cholesky(_symmetric(predicted_observation_covariance))
        state, state_var = self._observed(
            estimated_state, estimated_state_covariance, observation - predicted_observation,
            observation_model, factor, observation_noise,
        )  # fmt: skip
        return state, state_var, mvn_tril_log_prob(predicted_observation, factor, observation)


def _times_vector(matrix: Tensor, vector: Tensor) -> Tensor:
    return matmul(matrix, expand_dims(vector, -1))[..., 0]


def _around(matrix: Tensor, middle: Any) -> Tensor:
    """matrix @ middle @ matrix'."""
    return matmul(matmul(matrix, middle), matrix, transpose_b=True)


def _symmetric(matrix: Tensor) -> Tensor:
    return 0.5 * (matrix + matrix_transpose(matrix))


# ---- logarithms of densities ---------------------------------------------------------------


def mvn_tril_log_prob(loc: Tensor, scale_tril: Tensor, x: Tensor) -> Tensor:
    """log N(x; loc, LL') = -(|z|^2 + n log 2 pi) / 2 - sum log L[i, i], with z = L^-1 (x - loc)."""
    z = matrix_triangular_solve(scale_tril, expand_dims(x - loc, -1))[..., 0]
    size = cast(shape_of(z)[-1], z.dtype)
    spread = reduce_sum(log(matrix_diag_part(scale_tril)), -1)
    return -0.5 * (reduce_sum(square(z), -1) + size * math.log(2 * math.pi)) - spread


def cauchy_log_prob(loc: Tensor, scale: Tensor, x: Tensor) -> Tensor:
    """log p of values under Cauchy's law, elementwise: -log(pi s (1 + ((x - loc) / s)^2))."""
    return -math.log(math.pi) - log(scale) - log1p(square((x - loc) / scale))


def log_noninformative_covariance_prior(covariance: Tensor) -> Tensor:
    """log det(C)^(-(n + 1) / 2), Jeffreys' prior of a covariance: it is for little noise."""
    size = shape_of(covariance)[0]
    covariance = covariance + 1e-8 * eye(size, dtype=covariance.dtype)
    return -0.5 * cast(size + 1, covariance.dtype) * log(matrix_determinant(covariance))


def entropy_matched_cauchy_scale(covariance: Tensor) -> Tensor:
    """The scales of Cauchy's distributions that have the entropy of normal ones.

    log(4 pi s) = log(2 pi e v) / 2, so s = sqrt(v e / (8 pi)), for each variance v.
    """
    return (math.e / (8 * math.pi) * matrix_diag_part(covariance)) ** 0.5


# ---- powers of a transition ----------------------------------------------------------------


def transition_to_powers(transition: Any, noise: Any, powers: Tensor) -> tuple[Tensor, Tensor]:
    """What several steps do together: A^n, and the noise that they add up to.

    A step takes a belief N(m, P) to N(Am, APA' + Q). A step (A, Q) after a step (B, R) is
    one step, (AB, Q + ARA'). So (A, Q) has powers, and by squaring (A, Q), (A, Q)^2, (A, Q)^4
    ... the nth needs log n products.

    Args:
      transition, noise: A and Q, [state, state].
      powers: whole numbers, [count].
    Returns: A^n and the sum of A^i Q A'^i for i < n, [count, state, state] each.
    """
    step = convert_to_tensor(transition), convert_to_tensor(noise)
    still = eye(shape_of(step[0])[-1], batch_shape=[shape_of(powers)[0]], dtype=step[0].dtype)
    still.set_shape([None, *step[0].shape])

    def after(one: tuple, other: tuple) -> tuple:
        return matmul(one[0], other[0]), one[1] + _around(one[0], other[1])

    def body(left: Tensor, step: tuple, made: tuple) -> tuple:
        odd = reshape(equal(floormod(left, 2), 1), [-1, 1, 1])
        found = after(step, made)
        made = tuple(where_v2(odd, new, old) for new, old in zip(found, made, strict=True))
        return floordiv(left, 2), after(step, step), made

    _, _, made = while_loop(
        lambda left, *_: greater(reduce_max(left), 0), body,
        (powers, step, (still, zeros_like(still))),
    )  # fmt: skip
    return made


# ---- matrices ------------------------------------------------------------------------------


def block_diagonal(
    matrices: Sequence[Any], dtype: Any = dtypes.float32, name: str = "block_diagonal"
) -> Tensor:
    """Matrices [..., n, m] along a diagonal, and zeros around them."""
    blocks = [convert_to_tensor(each, dtype) for each in matrices]
    widths = [shape_of(each)[-1] for each in blocks]
    rows = []
    for i, block in enumerate(blocks):
        sides = [sum(widths[:i], 0), sum(widths[i + 1 :], 0)]
        others = zeros([rank_of(block) - 1, 2], dtypes.int32)
        rows.append(pad(block, concat([others, [sides]], 0)))
    made = concat(rows, -2, name=name)
    known: list[Any] = [each.shape.as_list() for each in blocks]
    if all(None not in sizes[-2:] for sizes in known):
        size = [sum(sizes[axis] for sizes in known) for axis in (-2, -1)]
        made.set_shape([*known[0][:-2], *size])
    return made


def clip_covariance(
    covariance_matrix: Tensor, maximum_variance_ratio: Any, minimum_variance: Any
) -> Tensor:
    """A covariance whose variances are not below the largest by more than a ratio, nor a number."""
    variances = matrix_diag_part(covariance_matrix)
    least = reduce_max(variances, -1, keepdims=True) / maximum_variance_ratio
    kept = maximum(maximum(variances, least), minimum_variance)
    return matrix_set_diag(covariance_matrix, kept)


def sign_magnitude_positive_definite(
    raw: Any, off_diagonal_scale: Any = 0.0, overall_scale: Any = 0.0
) -> Tensor:
    """A covariance C'C from any numbers, most of them on a scale of logarithms.

    C[i, i] = exp((raw[i, i] + overall) / 2)
    C[i, j] = exp((raw[i, j] + overall + off) / 2) softsign(raw[j, i])    for i < j

    Args:
      raw: [..., n, n].
      off_diagonal_scale, overall_scale: [...] each.
    """
    raw = convert_to_tensor(raw)
    off, overall = (
        convert_to_tensor(each, raw.dtype)[..., None, None]
        for each in (off_diagonal_scale, overall_scale)
    )
    signed = exp((raw + off + overall) / 2) * softsign(matrix_transpose(raw))
    own = exp((matrix_diag_part(raw) + overall[..., 0]) / 2)
    factor = matrix_set_diag(matrix_band_part(signed, 0, -1), own)
    return matmul(factor, factor, transpose_a=True)


def variable_covariance_matrix(
    size: int, name: str, dtype: Any, initial_diagonal_values: Any = None,
    initial_overall_scale_log: Any = 0.0,
) -> Tensor:  # fmt: skip
    """A covariance to train, [size, size]: at first a diagonal.

    Args:
      size, name, dtype: of the matrix.
      initial_diagonal_values: [size], positive; ones by default.
      initial_overall_scale_log: what is added to the logarithms of all variances.
    """
    raw: Any = get_variable(f"{name}_pre_transform", [size, size], dtype, zeros_initializer())
    off = get_variable(f"{name}_off_diagonal_scale", [], dtype, constant_initializer(-5.0))
    overall = get_variable(f"{name}_overall_scale", [], dtype, zeros_initializer())
    if initial_diagonal_values is not None:
        raw = raw + matrix_diag(log(initial_diagonal_values))
    scale = convert_to_tensor(initial_overall_scale_log, dtype) + overall
    return identity(sign_magnitude_positive_definite(raw, off, scale), name=name)


def transform_to_covariance_matrices(input_vectors: Tensor, matrix_size: int) -> Tensor:
    """Covariances [batch, size, size] from what a dense layer makes of vectors [batch, n]."""
    made = fully_connected(input_vectors, matrix_size**2 + 2, None, scope="fully_connected")
    raw = reshape(made[:, :-2], [-1, matrix_size, matrix_size])
    return sign_magnitude_positive_definite(raw, made[:, -2], made[:, -1])
