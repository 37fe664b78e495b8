"""Distributions of `tf.contrib` that are made of others, and Wishart's, of matrices.

    BatchReshape, Autoregressive         another batch; draws that tell of the next ones
    SinhArcsinh, VectorSinhArcsinhDiag   numbers that are bent
    WishartFull, WishartCholesky         matrices that are positive definite
    PoissonLogNormalQuadratureCompound, VectorDiffeomixture      mixtures of as many as a rule has

A rule of quadrature stands for a normal number by a few points (the grid) and their shares.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.compat.contrib.bijectors import (
    AffineLinearOperator,
    AffineScalar,
    Chain,
    TransformedDistribution,
    Vectors,
)
from minitf.compat.contrib.bijectors import SinhArcsinh as Bend
from minitf.core.graph.convert import constant, constant_value, convert_to_tensor
from minitf.core.graph.shapes import TensorShape
from minitf.core.graph.stacks import name_scope
from minitf.core.ops.array import identity
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones, zeros, zeros_like
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import exp, log, sigmoid, sqrt, square
from minitf.core.ops.random import random_normal
from minitf.core.ops.reductions import reduce_sum
from minitf.library.distributions.base import FULLY_REPARAMETERIZED, Distribution, family
from minitf.library.distributions.continuous import Normal
from minitf.library.distributions.discrete import Categorical
from minitf.library.distributions.multivariate import (
    Mixture,
    MixtureSameFamily,
    MultivariateNormalDiag,
    OfOthers,
    Poisson,
)
from minitf.library.numeric.decompositions import cholesky, matrix_triangular_solve
from minitf.library.numeric.diagonals import matrix_band_part, matrix_diag_part, matrix_set_diag
from minitf.library.numeric.gamma_functions import digamma, lgamma
from minitf.library.numeric.linear_operators import (
    LinearOperatorDiag,
    LinearOperatorLowerTriangular,
    LinearOperatorScaledIdentity,
)
from minitf.library.numeric.random_distributions import random_gamma

# ---- another batch, and draws after draws --------------------------------------------------------


class _Reshaped(OfOthers):
    def _begin(self, given: dict[str, Any], names: Sequence[str]) -> None:
        inner, wanted = given["distribution"], convert_to_tensor(given["batch_shape"])
        if given["name"] == "BatchReshape":
            given = {**given, "name": "BatchReshape" + inner.name}
        self._around(given, inner)
        self.distribution, self._reparameterization_type = inner, inner.reparameterization_type
        if wanted.shape.ndims != 1:
            raise ValueError(f"`batch_shape` must be a vector (saw rank: {wanted.shape.ndims}).")
        sizes, count = np.array(constant_value(wanted), int), inner.batch_shape.num_elements()
        sizes = np.where(sizes < 0, count // max(1, -np.prod(sizes)), sizes)
        if np.prod(sizes) != count:
            raise ValueError(
                f"`batch_shape` size ({np.prod(sizes):g}) must match `distribution.batch_shape` "
                f"size ({count})."
            )
        self._sizes = sizes.astype(np.int32)

    @property
    def batch_shape(self) -> TensorShape:
        return TensorShape(self._sizes.tolist())

    def _sample_n(self, n: Any, seed: Any, **how: Any) -> Any:
        draws = self.distribution.sample(n, seed, **how)
        return reshape(draws, concat([[n], self._sizes, self.event_shape_tensor()], 0))

    def _values(self, what: str, x: Any, how: dict) -> Any:
        own = self.batch_shape.concatenate(self.event_shape)
        front = x.shape.ndims - own.ndims
        if front < 0 or not x.shape[front:].is_compatible_with(own):
            raise NotImplementedError(
                "Broadcasting is not supported; unexpected batch and event shape "
                f"(expected {own.as_list()}, saw {x.shape[max(front, 0) :].as_list()})."
            )
        sizes = shape_of(x)[:front]
        old = [sizes, self._first.batch_shape_tensor(), self.event_shape_tensor()]
        found = getattr(self._first, what)(reshape(x, concat(old, 0)), **how)
        return reshape(found, concat([sizes, self._sizes], 0))

    def _itself(self, what: str) -> Any:
        found = getattr(self._first, what)()
        rest = shape_of(found)[self._first.batch_shape.ndims :]
        return reshape(found, concat([self._sizes, rest], 0))


_OF_VALUES = "log_prob", "prob", "log_cdf", "cdf", "log_survival_function", "survival_function"
_OF_ITSELF = "entropy", "mean", "mode", "stddev", "variance", "covariance"
BatchReshape = family(
    "BatchReshape", """A distribution whose batch has another shape.

    Args:
      distribution: any one.
      batch_shape: the new shape; one size may be -1.
      validate_args, allow_nan_stats, name: see `Normal`.
    """, "distribution batch_shape", _Reshaped,
    **{what: lambda d, x, what=what, **how: d._values(what, x, how) for what in _OF_VALUES},
    **{what: lambda d, what=what: d._itself(what) for what in _OF_ITSELF},
)  # fmt: skip


def _autoregressive(d: Any, given: dict[str, Any], names: Sequence[str]) -> None:
    d.distribution_fn, d.sample0, steps = (given[name] for name in names)
    d.distribution0 = d.distribution_fn() if d.sample0 is None else d.distribution_fn(d.sample0)
    d._around(given, d.distribution0)
    d._reparameterization_type = d.distribution0.reparameterization_type
    d.num_steps = d.event_shape.num_elements() if steps is None else steps
    if d.num_steps is None:
        raise ValueError(
            "distribution_fn must generate a distribution with fully known `event_shape`."
        )
    if d.num_steps < 1:
        raise ValueError(f"num_steps ({d.num_steps}) must be at least 1.")


def _settled(d: Any, n: Any, seed: Any) -> Any:
    # the same noise each time: after step k the first k numbers of a draw stay as they are
    seed = np.random.randint(2**31 - 1) if seed is None else seed  # noqa: NPY002
    draws = d.distribution0.sample(n, seed)
    for _ in range(d.num_steps):
        draws = d.distribution_fn(draws).sample(seed=seed)
    return draws


Autoregressive = family(
    "Autoregressive", """Draws of which each number depends on those before it.

    Args:
      distribution_fn: from draws (or nothing) to the distribution that these tell of.
      sample0: what it gets at first.
      num_steps: how often draws are made of draws; as many as a draw has numbers by default.
      validate_args, allow_nan_stats, name: see `Normal`.
    """, "distribution_fn sample0=None num_steps=None", OfOthers, begin=_autoregressive,
    sample_n=_settled, log_prob=lambda d, x: d.distribution_fn(x).log_prob(x),
    prob=lambda d, x: d.distribution_fn(x).prob(x),
)  # fmt: skip


# ---- bent numbers --------------------------------------------------------------------------------


def _bent(d: Any, given: dict[str, Any], names: Sequence[str]) -> None:
    many = "scale_diag" in given
    of = MultivariateNormalDiag(*(given[n] for n in names[:3])).distribution if many else None
    plain: Any = of or Normal(given["loc"], given["scale"])
    d.loc, d.scale, kind = plain.loc, plain.scale, plain.dtype
    d.skewness, d.tailweight = (
        convert_to_tensor(usual if given[name] is None else given[name], kind, name=name)
        for name, usual in (("skewness", 0.0), ("tailweight", 1.0))
    )
    shape = (d.loc + d.scale + d.skewness + d.tailweight).shape.as_list()
    # a normal number of 2 stays at loc + 2 scale, whatever the weight of the tails
    times = 2.0 * d.scale / Bend(0.0, d.tailweight).forward(constant(2.0, kind))
    way = Chain([AffineScalar(d.loc, times), Bend(d.skewness, d.tailweight)])
    numbers = given["distribution"] or Normal(zeros([], kind), ones([], kind))
    cut, ends = len(shape) - many, (given["validate_args"], given["name"])
    TransformedDistribution.__init__(d, numbers, way, shape[:cut], shape[cut:], *ends)
    d.scale = LinearOperatorDiag(d.scale) if many else d.scale
    d._parameters = given


SinhArcsinh = family(
    "SinhArcsinh", """Normal numbers with a skewness and other tails (Jones and Pewsey, 2009).

    Args:
      loc, scale: where and how wide; see `Normal`.
      skewness: above 0 for a longer tail to the right; 0 by default.
      tailweight: above 1 for heavier tails; 1 by default.
      distribution: of the numbers that are bent; standard normal ones by default.
      validate_args, allow_nan_stats, name: see `Normal`.
    """, "loc scale skewness=None tailweight=None distribution=None", TransformedDistribution,
    begin=_bent,
)  # fmt: skip
VectorSinhArcsinhDiag = family(
    "VectorSinhArcsinhDiag", "Vectors of the numbers of `SinhArcsinh`.",
    "loc=None scale_diag=None scale_identity_multiplier=None skewness=None tailweight=None"
    " distribution=None", TransformedDistribution, begin=_bent,
)  # fmt: skip


# ---- matrices ------------------------------------------------------------------------------------


class _Wishart(Distribution):
    """The distribution of sums of `df` products x x^T, for normal vectors x."""

    _event_rank = 2
    _root: Callable = staticmethod(lambda scale: scale)
    df: Any
    _triangle: Any

    def _begin(self, given: dict[str, Any], names: Sequence[str]) -> None:
        with name_scope(given["name"]):
            triangle = self._root(convert_to_tensor(given["scale"], name="scale"))
        df = convert_to_tensor(given["df"], triangle.dtype, name="df")
        size, known = triangle.shape[-1].value, constant_value(df)
        if known is not None and np.any(known < size):
            raise ValueError(
                f"Degrees of freedom (df = {known}) cannot be less than dimension of scale matrix "
                f"(scale.dimension = {size})"
            )
        self._start({**given, "df": df, "_triangle": triangle}, "df", "_triangle")
        self._parameters, self._parts = given, ("_triangle",)
        self.dimension = constant(float(size), self._dtype)
        self.scale_operator = LinearOperatorLowerTriangular(self._triangle)
        self.cholesky_input_output_matrices = bool(given["cholesky_input_output_matrices"])

    def scale(self) -> Any:
        """The matrix that a product has on average; or its root, where draws are roots."""
        return self._shown(self._triangle)

    def _shown(self, root: Any) -> Any:
        """Draws are products, or their roots."""
        return root if self.cholesky_input_output_matrices else self._product(root)

    def _product(self, root: Any) -> Any:
        return matmul(root, root, adjoint_b=True)

    def _halves(self) -> Any:
        """(df - i) / 2 for each row i."""
        rows = np.arange(self._triangle.shape[-1].value, dtype=self._dtype.as_numpy_dtype)
        return 0.5 * (self.df[..., None] - rows)

    def _sample_n(self, n: Any, seed: Any) -> Any:
        shape = concat([[n], shape_of(self._triangle)], 0)
        normal = matrix_band_part(random_normal(shape, dtype=self._dtype, seed=seed), -1, 0)
        other = None if seed is None else seed + 1
        halves = self._halves() + zeros_like(self._triangle[..., 0])
        squares = random_gamma([n], halves, 0.5, self._dtype, other)
        return self._shown(matmul(self._triangle, matrix_set_diag(normal, sqrt(squares))))

    def _log_prob(self, x: Any) -> Any:
        root = x if self.cholesky_input_output_matrices else cholesky(x)
        parts = matrix_triangular_solve(
            self._triangle + zeros_like(root), root + zeros_like(self._triangle)
        )
        size = (self.df - self.dimension - 1.0) * reduce_sum(log(matrix_diag_part(root)), -1)
        return size - 0.5 * reduce_sum(square(parts), [-2, -1]) - self.log_normalization()

    def log_normalization(self, name: str = "log_normalization") -> Any:
        """What `log_prob` takes off, so that the density has the sum 1."""
        with self._scope(name):
            k = self.dimension
            size = self.scale_operator.log_abs_determinant() + 0.5 * k * math.log(2.0)
            gamma = 0.25 * k * (k - 1.0) * math.log(math.pi)
            return self.df * size + gamma + reduce_sum(lgamma(self._halves()), -1)

    def mean_log_det(self, name: str = "mean_log_det") -> Any:
        """The mean of the logarithm of a product's determinant."""
        with self._scope(name):
            rise = reduce_sum(digamma(self._halves()), -1) + self.dimension * math.log(2.0)
            return rise + 2.0 * self.scale_operator.log_abs_determinant()

    def _entropy(self) -> Any:
        rise = 0.5 * (self.df - self.dimension - 1.0) * self.mean_log_det()
        return self.log_normalization() - rise + 0.5 * self.df * self.dimension

    def _times(self, count: Any) -> Any:
        count = (count + zeros_like(self._triangle[..., 0, 0]))[..., None, None]
        return self._shown(sqrt(count) * self._triangle)

    def _mean(self) -> Any:
        return self._times(self.df)

    def _mode(self) -> Any:
        return self._times(self.df - self.dimension - 1.0)  # NaN, where that is below 0

    def _variance(self) -> Any:
        product = self._product(self._triangle)
        wide = matrix_diag_part(product)
        whole = self.df[..., None, None] * (square(product) + wide[..., None] * wide[..., None, :])
        return cholesky(whole) if self.cholesky_input_output_matrices else whole

    def _stddev(self) -> Any:
        if self.cholesky_input_output_matrices:
            raise ValueError(
                "Computing std. dev. when is cholesky_input_output_matrices=True does not make "
                "sense."
            )
        return cholesky(self._variance())


_TAKES = "df scale cholesky_input_output_matrices=None"
WishartCholesky = family(
    "WishartCholesky", """The Wishart distribution of positive definite matrices.

    Args:
      df: how many normal vectors a matrix is made of, at least k.
      scale: [..., k, k], a lower triangle: its product with its transpose is their covariance.
      cholesky_input_output_matrices: whether triangles take the matrices' place everywhere.
      validate_args, allow_nan_stats, name: see `Normal`.
    """, _TAKES, _Wishart,
)  # fmt: skip
WishartFull = family(
    "WishartFull", "See `WishartCholesky`; `scale` is the covariance itself.", _TAKES, _Wishart,
    root=staticmethod(cholesky),
)  # fmt: skip


# ---- rules of quadrature, and what they mix ------------------------------------------------------


def _rule(rule: Callable, loc: Any, scale: Any, *rest: Any) -> tuple[Any, Any]:
    """The grid and the shares of a rule, in a scope of a name, the last argument."""
    with name_scope(rest[-1], "quadrature_scheme", [loc, scale]):
        loc = convert_to_tensor(loc, name="loc")
        scale = convert_to_tensor(scale, loc.dtype.base_dtype, name="scale")
        return rule(loc[..., None], scale[..., None], *rest[:-1])


def _hermite(loc: Any, scale: Any, way: Callable, size: int) -> tuple[Any, Any]:
    points, shares = np.polynomial.hermite.hermgauss(size)
    grid = loc + scale * constant(math.sqrt(2.0) * points, loc.dtype.base_dtype)
    return way(grid), constant(shares / shares.sum(), loc.dtype.base_dtype)


def _middles(loc: Any, scale: Any, way: Callable, size: int) -> tuple[Any, Any]:
    edges = constant(np.linspace(0.0, 1.0, size + 3)[1:-1], loc.dtype.base_dtype)
    quantiles = way(Normal(loc, scale).quantile(edges))
    shares = constant(np.full(size, 1.0 / size), loc.dtype.base_dtype)
    return (quantiles[..., :-1] + quantiles[..., 1:]) / 2.0, shares


def _two(x: Any) -> Any:
    """[..., 1, size] as the shares of two parts, [..., 2, size]: the softmax of x and 0."""
    if x.shape[-2].value != 1:
        raise NotImplementedError(
            "Currently only bimixtures are supported; normal_scale.shape[-1]="
            f"{x.shape[-2].value} is not 1."
        )
    return concat([sigmoid(x), sigmoid(-x)], -2)


def quadrature_scheme_lognormal_gauss_hermite(
    loc: Any, scale: Any, quadrature_size: int, validate_args: bool = False, name: str | None = None
) -> tuple[Any, Any]:
    """The grid of Gauss and Hermite for a normal number, [..., size], and the shares, [size]."""
    return _rule(_hermite, loc, scale, identity, quadrature_size, name)


def quadrature_scheme_lognormal_quantiles(
    loc: Any, scale: Any, quadrature_size: int, validate_args: bool = False, name: str | None = None
) -> tuple[Any, Any]:
    """Points between the quantiles of exp(x), [..., size], for normal x; the same share each."""
    return _rule(_middles, loc, scale, exp, quadrature_size, name)


def quadrature_scheme_softmaxnormal_gauss_hermite(
    normal_loc: Any, normal_scale: Any, quadrature_size: int, validate_args: bool = False,
    name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Softmax of normal numbers, [..., 1], and 0, at the points of Gauss and Hermite."""
    return _rule(_hermite, normal_loc, normal_scale, _two, quadrature_size, name)


def quadrature_scheme_softmaxnormal_quantiles(
    normal_loc: Any, normal_scale: Any, quadrature_size: int, validate_args: bool = False,
    name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Softmax of normal numbers, [..., 1], and 0: between quantiles, with the same share each."""
    return _rule(_middles, normal_loc, normal_scale, _two, quadrature_size, name)


class PoissonLogNormalQuadratureCompound(MixtureSameFamily):
    """Counts whose rates differ: a mixture of Poisson distributions.

    The points of the grid are logarithms of rates, as in TensorFlow 1.15; so those of the default
    rule, which are positive, stand for exp(exp(x)) of normal numbers x.

    Args:
      loc, scale: of the normal numbers.
      quadrature_size: how many points stand for them.
      quadrature_fn: the rule; from loc, scale, size, validate_args to the grid and the shares.
      validate_args, allow_nan_stats, name: see `Normal`.
    """

    def __init__(
        self, loc: Any, scale: Any, quadrature_size: int = 8,
        quadrature_fn: Callable = quadrature_scheme_lognormal_quantiles,
        validate_args: bool = False, allow_nan_stats: bool = True,
        name: str = "PoissonLogNormalQuadratureCompound",
    ) -> None:  # fmt: skip
        given = {key: value for key, value in locals().items() if key not in ("self", "__class__")}
        self.loc = convert_to_tensor(loc, name="loc")
        self.scale = convert_to_tensor(scale, self.loc.dtype.base_dtype, name="scale")
        self.quadrature_size = quadrature_size
        grid, shares = quadrature_fn(self.loc, self.scale, quadrature_size, validate_args)
        self.distribution = Poisson(log_rate=grid)
        chances = Categorical(log(shares) + zeros_like(grid))
        super().__init__(chances, self.distribution, validate_args, allow_nan_stats, name)
        self._parameters = given


class _Between(Vectors):
    """`loc + scale @ x` of one point of the grid."""

    def __init__(self, numbers: Distribution, loc: Any, scale: Any) -> None:
        sizes = loc.shape.as_list()
        self.loc, self.scale = loc, LinearOperatorLowerTriangular(scale)
        affine = AffineLinearOperator(loc, self.scale)
        TransformedDistribution.__init__(self, numbers, affine, sizes[:-1], sizes[-1:])


class VectorDiffeomixture(Mixture):
    """`loc + scale @ x`, where both lie between two ends: as far as a softmax of normal numbers.

    Args:
      mix_loc: [..., 1], the mean of the normal number, times the temperature.
      temperature: [..., 1]: a low one makes the softmax hard.
      distribution: of the numbers x.
      loc: a list of two vectors [..., k]; None for 0.
      scale: a list of two linear operators: diagonals, lower triangles or unit matrices.
      quadrature_size: how many points stand for the normal number.
      quadrature_fn: the rule; see `PoissonLogNormalQuadratureCompound`.
      validate_args, allow_nan_stats, name: see `Normal`.
    """

    _reparameterization_type = FULLY_REPARAMETERIZED

    def __init__(
        self, mix_loc: Any, temperature: Any, distribution: Distribution, loc: Any = None,
        scale: Any = None, quadrature_size: int = 8,
        quadrature_fn: Callable = quadrature_scheme_softmaxnormal_quantiles,
        validate_args: bool = False, allow_nan_stats: bool = True,
        name: str = "VectorDiffeomixture",
    ) -> None:  # fmt: skip
        given = {key: value for key, value in locals().items() if key not in ("self", "__class__")}
        if not scale or len(scale) < 2:
            raise ValueError(
                "Must specify list (or list-like object) of scale LinearOperators, one for each "
                "component with num_component >= 2."
            )
        places = [None] * len(scale) if loc is None else list(loc)
        if len(places) != len(scale):
            raise ValueError(
                "loc/scale must be same-length lists (or same-length list-like objects)."
            )
        if len(scale) != 2:
            raise NotImplementedError(
                f"Currently only bimixtures are supported; len(scale)={len(scale)} is not 2."
            )
        for each in scale:
            if not isinstance(each, _SCALES):
                raise NotImplementedError(f"Unsupported Linop type ({type(each).__name__})")
        kind = scale[0].dtype
        mean, soft = convert_to_tensor(mix_loc, kind), convert_to_tensor(temperature, kind)
        self.grid, shares = quadrature_fn(mean / soft, 1.0 / soft, quadrature_size, validate_args)
        self.endpoint_affine = [AffineLinearOperator(*each) for each in zip(places, scale)]
        one, two = (each.to_dense() for each in scale)
        here, there = (
            zeros_like(one[..., 0]) if each is None else convert_to_tensor(each, kind)
            for each in places
        )
        whole = self.grid[..., :1, 0] + here + there + one[..., 0] + two[..., 0]
        fill = zeros_like(whole[..., 0])
        parts = []
        for k in range(self.grid.shape[-1].value):
            weight = (self.grid[..., 0, k] + fill)[..., None]
            mixed = weight[..., None] * (one - two) + two
            parts.append(_Between(distribution, weight * (here - there) + there, mixed))
        chances = Categorical(log(shares) + fill[..., None])
        super().__init__(chances, parts, validate_args, allow_nan_stats, name=name)
        self.mixture_distribution, self.distribution = chances, distribution
        self.interpolated_affine = [each.bijector for each in parts]
        self._parameters = given

    def _covariance(self) -> Any:
        inside = self._over(self.cat.probs, self._each("covariance", rank=2), 2)
        apart = self._each("mean", rank=1) - self._mean()[..., None, :]
        return inside + matmul(apart * self.cat.probs[..., None], apart, transpose_a=True)


_SCALES = (LinearOperatorScaledIdentity, LinearOperatorDiag, LinearOperatorLowerTriangular)
