"""`tf.contrib.bayesflow.csiszar_divergence`: how far one law is from another, in many measures.

    D_f[p, q] = E_q[f(p(x) / q(x))]      f is convex, and each f measures in its own way

Each function here is an f, given log(u) rather than u: log p - log q does not overflow. A row of
the table below has its formula, and what `self_normalized` adds, after which f'(1) = 0: then no
divergence is below 0, even of measures whose integral is not 1 (Csiszar, "Eine
informationstheoretische Ungleichung ...", 1963).

    draws of q ──> log p - log q ──> f ──> mean          monte_carlo_csiszar_f_divergence
                                 └─> log mean u ──> f    csiszar_vimco, a tighter bound
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from minitf.compat.contrib.bayesflow import expectation, log_mean_exp
from minitf.compat.tensor_util import is_tensor
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.activations import softplus
from minitf.core.ops.array import shape, stop_gradient
from minitf.core.ops.array_filling import ones_like
from minitf.core.ops.array_joining import stack
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import logical_and, where_v2
from minitf.core.ops.math import abs as absolute
from minitf.core.ops.math import exp, expm1, log, square
from minitf.core.ops.reductions import reduce_logsumexp, reduce_mean, reduce_sum
from minitf.library.distributions.base import FULLY_REPARAMETERIZED, Distribution
from minitf.library.numeric.log_sums import cumulative_logsumexp

_F = Callable[[Any], Any]


def _row(
    name: str, formula: str, f: _F, more: str = "", rest: _F | None = None, says: str = ""
) -> Callable[..., Tensor]:
    """One f as a function of log(u), with a docstring that gives its formula.

    Args:
      name: of the function.
      formula: f(u), for the reader.
      f: the same of log(u).
      more, rest: likewise, what `self_normalized` adds; without it there is no such argument.
      says: what D_f is.
    """

    def normalized(logu: Any, self_normalized: bool = False, name: str | None = None) -> Tensor:
        _check("self_normalized", self_normalized)
        with name_scope(name, title, [logu]):
            logu = convert_to_tensor(logu, name="logu")
            return f(logu) + rest(logu) if rest and self_normalized else f(logu)

    def plain(logu: Any, name: str | None = None) -> Tensor:
        return normalized(logu, False, name)

    title, function = name, normalized if rest else plain
    normal = "\n  self_normalized: whether f'(1) is 0; f has the term after the comma then."
    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"f(u) = {formula}{f', {more}' if more else ''}{'; ' + says if says else ''}.\n\n"
        f"Args:\n  logu: floats, log(u).{normal if rest else ''}\n  name: the name of the scope.\n"
        "Returns: f(u), like `logu`."
    )
    return function


def _check(name: str, value: Any) -> None:
    if value is None or is_tensor(value):
        raise TypeError(f"`{name}` cannot be `None` or `Tensor` type.")


kl_reverse = _row("kl_reverse", "-log(u)", lambda v: -v, "+ (u - 1)", expm1, "D_f is KL[q, p]")
kl_forward = _row(
    "kl_forward", "u log(u)", lambda v: exp(v) * v, "- (u - 1)", lambda v: -expm1(v),
    "D_f is KL[p, q]",
)  # fmt: skip
jensen_shannon = _row(
    "jensen_shannon", "u log(u) - (1 + u) log(1 + u)",
    lambda v: exp(v) * v - (1.0 + exp(v)) * softplus(v),
    "+ (1 + u) log(2)", lambda v: (1.0 + exp(v)) * math.log(2.0),
    "D_f is KL[p, m] + KL[q, m] for m = (p + q) / 2 (Lin, 1991)",
)  # fmt: skip
arithmetic_geometric = _row(
    "arithmetic_geometric", "(1 + u) log((1 + u) / sqrt(u))",
    lambda v: (1.0 + exp(v)) * (softplus(v) - 0.5 * v),
    "- (1 + u) log(2)", lambda v: (1.0 + exp(v)) * -math.log(2.0),
    "D_f is KL[m, p] + KL[m, q] for m = (p + q) / 2",
)  # fmt: skip
modified_gan = _row(
    "modified_gan", "log(1 + u) - log(u)", lambda v: softplus(v) - v,
    "+ (u - 1) / 2", lambda v: 0.5 * expm1(v), "the f of adversarial networks, modified",
)  # fmt: skip
total_variation = _row("total_variation", "|u - 1| / 2", lambda v: 0.5 * absolute(expm1(v)))
pearson = _row("pearson", "(u - 1)^2", lambda v: square(expm1(v)))
squared_hellinger = _row(
    "squared_hellinger", "(sqrt(u) - 1)^2", lambda v: square(expm1(0.5 * v)), says="symmetric"
)
triangular = _row(
    "triangular", "(u - 1)^2 / (1 + u)", lambda v: square(expm1(v)) / (1.0 + exp(v)),
    says="symmetric",
)  # fmt: skip
log1p_abs = _row("log1p_abs", "u^sign(u - 1) - 1", lambda v: expm1(absolute(v)))
jeffreys = _row(
    "jeffreys", "(u log(u) - log(u)) / 2", lambda v: 0.5 * expm1(v) * v,
    says="symmetric, the mean of both KL",
)  # fmt: skip
chi_square = _row("chi_square", "u^2 - 1", lambda v: expm1(2.0 * v))


def amari_alpha(
    logu: Any, alpha: float = 1.0, self_normalized: bool = False, name: str | None = None
) -> Tensor:
    """f(u) = (u^alpha - 1) / (alpha (alpha - 1)), - (u - 1) / (alpha - 1); limits at 0 and 1.

    They are `kl_reverse` and `kl_forward` (Cichocki and Amari, "Families of Alpha-, Beta- and
    Gamma-Divergences", 2010).

    Args:
      logu: floats, log(u).
      alpha: a number of Python.
      self_normalized: whether f'(1) is 0; f has the term after the comma then.
      name: the name of the scope.
    Raises:
      TypeError: when `alpha` or `self_normalized` is None or a tensor.
    """
    _check("alpha", alpha)
    _check("self_normalized", self_normalized)
    with name_scope(name, "amari_alpha", [logu]):
        if alpha in (0.0, 1.0):
            return (kl_forward if alpha else kl_reverse)(logu, self_normalized)
        logu = convert_to_tensor(logu, name="logu")
        f = expm1(alpha * logu) / (alpha * (alpha - 1.0))
        return f - expm1(logu) / (alpha - 1.0) if self_normalized else f


def t_power(logu: Any, t: Any, self_normalized: bool = False, name: str | None = None) -> Tensor:
    """f(u) = s (u^t - 1), - s t (u - 1), where s = -1 for 0 < t < 1 and else 1.

    Args:
      logu: floats, log(u).
      t: floats that broadcast with it.
      self_normalized: whether f'(1) is 0; f has the term after the comma then.
      name: the name of the scope.
    """
    with name_scope(name, "t_power", [logu, t]):
        logu = convert_to_tensor(logu, name="logu")
        t = convert_to_tensor(t, dtype=logu.dtype.base_dtype, name="t")
        f = expm1(t * logu) - t * expm1(logu) if self_normalized else expm1(t * logu)
        return f * where_v2(logical_and(t > 0.0, t < 1.0), -ones_like(t), ones_like(t))


def dual_csiszar_function(logu: Any, csiszar_function: _F, name: str | None = None) -> Tensor:
    """u f(1 / u), the measure with p and q exchanged; f is `csiszar_function`, of log(u)."""
    with name_scope(name, "dual_csiszar_function", [logu]):
        return exp(logu) * csiszar_function(-convert_to_tensor(logu))


def symmetrized_csiszar_function(
    logu: Any, csiszar_function: _F, name: str | None = None
) -> Tensor:
    """(f(u) + u f(1 / u)) / 2, the same for p and q as for q and p; f is of log(u)."""
    with name_scope(name, "symmetrized_csiszar_function", [logu]):
        logu = convert_to_tensor(logu, name="logu")
        return 0.5 * (csiszar_function(logu) + dual_csiszar_function(logu, csiszar_function))


# ---- by draws ------------------------------------------------------------------------------


def monte_carlo_csiszar_f_divergence(
    f: _F, p_log_prob: Any, q: Distribution, num_draws: Any,
    use_reparametrization: bool | None = None, seed: int | None = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """D_f[p, q], as the mean of f over draws of q, with a gradient by q's parameters.

    Args:
      f: of log(u), as those of this module.
      p_log_prob: of draws, log p; or p itself, as in TensorFlow 1.3.
      q: a distribution.
      num_draws: how many.
      use_reparametrization: whether the gradient goes through the draws; where that is possible
        by default.
      seed: of the draws.
      name: the name of the scope.
    Returns: with the shape of a batch of q.
    Raises:
      ValueError: when it is to go through draws that have no gradient.
      TypeError: when `p_log_prob` is no function.
    Example:
      >>> p, q = tf.distributions.Normal(0.0, 1.0), tf.distributions.Normal(0.0, 1.0)
      >>> vi = tf.contrib.bayesflow.csiszar_divergence
      >>> sess.run(vi.monte_carlo_csiszar_f_divergence(vi.kl_forward, p.log_prob, q, 10))
      0.0
    """
    with name_scope(name, "monte_carlo_csiszar_f_divergence", [num_draws]):
        through = q.reparameterization_type == FULLY_REPARAMETERIZED
        if use_reparametrization and not through:
            raise ValueError(
                "Distribution `q` must be reparameterized, i.e., a diffeomorphic transformation of "
                "a parameterless distribution. (Otherwise this function has a biased gradient.)"
            )
        log_p = getattr(p_log_prob, "log_prob", p_log_prob)
        if not callable(log_p):
            raise TypeError("`p_log_prob` must be a Python `callable` function.")
        return expectation(
            lambda x: f(log_p(x) - q.log_prob(x)), q.sample(num_draws, seed=seed), q.log_prob,
            through if use_reparametrization is None else use_reparametrization,
        )  # fmt: skip


def csiszar_vimco(
    f: _F, p_log_prob: Callable[[Any], Any], q: Distribution, num_draws: int,
    num_batch_draws: int = 1, seed: int | None = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """f(mean of p / q over several draws), with a score gradient whose variance is small.

    The score of each draw is weighed by how much it adds beside the others: f of the mean, less f
    of the mean with the draw's own ratio replaced by the geometric mean of the others' (Mnih and
    Rezende, "Variational Inference for Monte Carlo Objectives", 2016).

    Args:
      f: of log(u), as those of this module.
      p_log_prob: of draws, log p.
      q: a distribution; gradients do not go through its draws.
      num_draws: how many make one mean.
      num_batch_draws: over how many of these the result is a mean.
      seed: of the draws.
      name: the name of the scope.
    Raises:
      ValueError: when `num_draws` is below 2.
    """
    with name_scope(name, "csiszar_vimco", [num_draws, num_batch_draws]):
        if num_draws < 2:
            raise ValueError("Must specify num_draws > 1.")
        x = stop_gradient(q.sample([num_draws, num_batch_draws], seed=seed))
        log_q = q.log_prob(x)
        whole, without = (f(each) for each in csiszar_vimco_helper(p_log_prob(x) - log_q))
        score = reduce_sum(log_q * stop_gradient(whole - without), 0)
        return reduce_mean(whole + score - stop_gradient(score), 0)


def csiszar_vimco_helper(logu: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """log(mean(u)) over the first axis; and the same with each u replaced in its turn.

    Args:
      logu: [n, ...] floats, log(u), n at least 2.
      name: the name of the scope.
    Returns: [...]; and [n, ...], of whose means the i-th has, for u[i], the geometric mean of the
      other ones.
    """
    with name_scope(name, "csiszar_vimco_helper", [logu]):
        logu = convert_to_tensor(logu, name="logu")
        n = cast(shape(logu)[0], logu.dtype)
        geometric = (reduce_sum(logu, 0) - logu) / (n - 1.0)
        # sums of those before and after, not the whole less one, which would cancel
        before, after = (cumulative_logsumexp(logu, 0, True, back) for back in (False, True))
        parts = stack([before, after, geometric])
        return log_mean_exp(logu), reduce_logsumexp(parts, 0) - log(n)
