"""Functions beside the distributions of `tf.contrib.distributions`.

auto_correlation                 of numbers that follow one another
normal_conjugates_known_scale_*  what observations tell of the mean of normal numbers
reduce_weighted_logsumexp        a sum of exponentials, some of them taken away
matrix_diag_transform, tridiag   matrices by their diagonals
SeedStream                       many seeds out of one
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones_like, zeros, zeros_like
from minitf.core.ops.array_filling import range as number_range
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import squeeze, transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import where_v2
from minitf.core.ops.complex import conj
from minitf.core.ops.math import abs as magnitude
from minitf.core.ops.math import add_n, exp, is_inf, log, minimum, sign, sqrt, square
from minitf.core.ops.reductions import reduce_logsumexp, reduce_max, reduce_mean, reduce_sum
from minitf.library.distributions.continuous import Normal
from minitf.library.numeric.diagonals import matrix_diag, matrix_diag_part, matrix_set_diag
from minitf.library.numeric.fourier import fft, ifft


def auto_correlation(
    x: Any, axis: int = -1, max_lags: Any = None, center: bool = True, normalize: bool = True,
    name: str = "auto_correlation",
) -> Tensor:  # fmt: skip
    """How alike numbers are to those that follow some places later, by the Wiener-Khinchin theorem.

    Args:
      x: floats or complex numbers of a known rank.
      axis: along which they follow one another.
      max_lags: the largest distance, at least 0; by default all that there are.
      center: whether their mean is taken away.
      normalize: whether the result is divided by that at distance 0.
    Returns: like `x`, with 1 + `max_lags` numbers along `axis`: means over as many products as
      there are at that distance.
    """
    with name_scope(name, "auto_correlation", [x]):
        x = convert_to_tensor(x, name="x")
        last = x.shape.ndims - 1
        order = [each for each in range(last + 1) if each != axis % (last + 1)]
        order.append(axis % (last + 1))
        x = transpose(x, order)
        if center:
            x -= reduce_mean(x, axis=-1, keepdims=True)
        length = shape_of(x)[-1]
        wide = cast(
            concat([x, zeros_like(x)], -1), "complex64" if x.dtype.size == 4 else "complex128"
        )
        waves = fft(wide)
        found = cast(ifft(waves * conj(waves)), x.dtype)
        lags = length - 1 if max_lags is None else minimum(length - 1, max_lags)
        found = found[..., : lags + 1] / cast(length - number_range(lags + 1), x.dtype)
        if normalize:
            found /= found[..., :1]
        return transpose(found, [order.index(each) for each in range(last + 1)])


def _mean_known_from(prior: Any, scale: Any, s: Any, n: Any) -> tuple[Tensor, Tensor]:
    """The mean and the variance of what is then known of the mean."""
    if not isinstance(prior, Normal):
        raise TypeError("Expected prior to be an instance of type Normal")
    if s.dtype != prior.dtype:
        raise TypeError(
            f"Observation sum s.dtype does not match prior dtype: {s.dtype} vs. {prior.dtype}"
        )
    before, each = square(prior.scale), square(scale)
    variance = 1.0 / (1.0 / before + cast(n, prior.dtype) / each)
    return (prior.loc / before + s / each) * variance, variance


def normal_conjugates_known_scale_posterior(prior: Normal, scale: Any, s: Any, n: Any) -> Normal:
    """What is known of the mean of normal numbers when some were seen.

    Args:
      prior: what was known of it before.
      scale: the standard deviation of the numbers.
      s: the sum of those seen, a tensor of `prior`'s dtype.
      n: how many they are.
    Raises:
      TypeError: when `prior` is no `Normal`, or `s` has another dtype.
    """
    mean, variance = _mean_known_from(prior, scale, s, n)
    return Normal(mean, sqrt(variance))


def normal_conjugates_known_scale_predictive(prior: Normal, scale: Any, s: Any, n: Any) -> Normal:
    """What the next number will be; see `normal_conjugates_known_scale_posterior`."""
    mean, variance = _mean_known_from(prior, scale, s, n)
    return Normal(mean, sqrt(variance + square(scale)))


def reduce_weighted_logsumexp(
    logx: Any, w: Any = None, axis: Any = None, keep_dims: bool = False, return_sign: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """log(abs(sum(w exp(logx)))), without exponentials that are too large.

    Args:
      logx: floats.
      w: weights, of any sign; 1 by default.
      axis, keep_dims: see `tf.reduce_sum`.
      return_sign: whether the sign of the sum is wanted, too.
    Returns: a tensor, or two.
    """
    with name_scope(name, "reduce_weighted_logsumexp", [logx, w]):
        logx = convert_to_tensor(logx, name="logx")
        if w is None:
            found = reduce_logsumexp(logx, axis=axis, keepdims=keep_dims)
            return (found, ones_like(found)) if return_sign else found
        w = convert_to_tensor(w, logx.dtype, name="w")
        sizes = logx + log(magnitude(w))
        most = reduce_max(sizes, axis=axis, keepdims=True)
        most = where_v2(is_inf(most), zeros_like(most), most)  # infinity less infinity is NaN
        total = reduce_sum(sign(w) * exp(sizes - most), axis=axis, keepdims=keep_dims)
        found = (most if keep_dims else squeeze(most, axis)) + log(magnitude(total))
        return (found, sign(total)) if return_sign else found


def matrix_diag_transform(
    matrix: Any, transform: Callable[[Tensor], Any] | None = None, name: str | None = None
) -> Tensor:
    """Matrices whose diagonals went through a function."""
    with name_scope(name, "matrix_diag_transform", [matrix]):
        matrix = convert_to_tensor(matrix, name="matrix")
        if transform is None:
            return matrix
        return matrix_set_diag(matrix, transform(matrix_diag_part(matrix)))


def tridiag(below: Any = None, diag: Any = None, above: Any = None, name: Any = None) -> Tensor:
    """Matrices [..., d, d] of three diagonals: the one in the middle and those beside it.

    Args:
      below, above: [..., d - 1]; None for zeros.
      diag: [..., d]; None for zeros.
    Raises:
      ValueError: when all are None.
    """

    def wide(x: Any) -> Tensor:
        edge = zeros(concat([shape_of(x)[:-1], [1]], 0), x.dtype)
        return matrix_diag(concat([edge, x, edge], -1))

    with name_scope(name, "tridiag", [below, diag, above]):
        parts = []
        if below is not None:
            parts.append(wide(convert_to_tensor(below, name="below"))[..., :-1, 1:])
        if diag is not None:
            parts.append(matrix_diag(convert_to_tensor(diag, name="diag")))
        if above is not None:
            parts.append(wide(convert_to_tensor(above, name="above"))[..., 1:, :-1])
        if not parts:
            raise ValueError("Must specify at least one of `below`, `diag`, `above`.")
        return add_n(parts)


class SeedStream:
    """Seeds one after the other, others for each place that draws.

    Args:
      seed: anything that can be written; None for None each time.
      salt: names the place, so that two of them with one seed draw other numbers.
    """

    def __init__(self, seed: Any, salt: Any) -> None:
        self.original_seed: Any = seed.original_seed if isinstance(seed, SeedStream) else seed
        self.salt = salt
        self._counter = 0

    def __call__(self) -> int | None:
        """The next seed."""
        self._counter += 1
        if self.original_seed is None:
            return None
        text = str((self.original_seed, self._counter, self.salt)).encode()
        return int(hashlib.sha512(text).hexdigest(), 16)
