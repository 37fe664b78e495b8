"""`tf.contrib.distributions.bijectors`: invertible functions, and what they do to densities.

    y = bijector.forward(x)         x = bijector.inverse(y)
    bijector.forward_log_det_jacobian(x, event_ndims)      log |dy/dx|, of the axes of an event

A bijector of numbers is a row of formulas; its logarithms are summed over the axes of an event. The
networks of normalizing flows are in `flows.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.stacks import executing_eagerly, name_scope
from minitf.core.ops.activations import softplus
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import range as range_of
from minitf.core.ops.array_filling import zeros, zeros_like
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import invert_permutation
from minitf.core.ops.cast import cast
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import abs, exp, expm1, log, log1p, sigmoid
from minitf.core.ops.reductions import reduce_sum
from minitf.library.distributions.base import Distribution
from minitf.library.distributions.continuous import Normal
from minitf.library.numeric.decompositions import cholesky
from minitf.library.numeric.diagonals import matrix_diag_part, matrix_set_diag
from minitf.library.numeric.linear_operators import (
    LinearOperatorDiag,
    LinearOperatorLowerTriangular,
    LinearOperatorLowRankUpdate,
)


class Bijector:
    """Base of the bijectors. A class has `_forward`, `_inverse` and one of the two Jacobians.

    Args:
      graph_parents, validate_args: accepted.
      is_constant_jacobian: whether the Jacobian does not depend on where it is taken.
      dtype: of what it takes; None for any type.
      forward_min_event_ndims: how many of the last axes of `x` it takes at once.
      inverse_min_event_ndims: the same of `y`.
      name: the scope of its operations.
    """

    _forward: Any
    _inverse: Any

    def __init__(
        self, graph_parents: Any = None, is_constant_jacobian: bool = False,
        validate_args: bool = False, dtype: Any = None, forward_min_event_ndims: int | None = None,
        inverse_min_event_ndims: int | None = None, name: str | None = None,
    ) -> None:  # fmt: skip
        known = [forward_min_event_ndims, inverse_min_event_ndims]
        given = [each for each in known if each is not None]
        if not given:
            raise ValueError(
                "Must specify at least one of `forward_min_event_ndims` and "
                "`inverse_min_event_ndims`."
            )
        self.forward_min_event_ndims, self.inverse_min_event_ndims = given[0], given[-1]
        self.is_constant_jacobian, self.dtype = is_constant_jacobian, dtype
        self.name = name or type(self).__name__.lower()
        self._known: dict[Any, Any] = {}  # for each y the x that it was made of

    def forward(self, x: Any, name: str = "forward", **condition: Any) -> Any:
        """y for x."""
        with name_scope(self.name), name_scope(name):
            x = convert_to_tensor(x, name="x")
            y = self._forward(x, **condition)
            if not executing_eagerly():
                self._known[y] = x
            return y

    def inverse(self, y: Any, name: str = "inverse", **condition: Any) -> Any:
        """x for y: the very tensor that `y` was made of, if it was."""
        with name_scope(self.name), name_scope(name):
            y = convert_to_tensor(y, name="y")
            known = None if executing_eagerly() else self._known.get(y)
            return self._inverse(y, **condition) if known is None else known

    def forward_log_det_jacobian(
        self, x: Any, event_ndims: int, name: str = "forward_log_det_jacobian", **condition: Any
    ) -> Any:
        """log |det dy/dx|, for events of `event_ndims` axes."""
        with name_scope(self.name), name_scope(name):
            return self._log_det(("forward", "inverse"), x, event_ndims, condition)

    def inverse_log_det_jacobian(
        self, y: Any, event_ndims: int, name: str = "inverse_log_det_jacobian", **condition: Any
    ) -> Any:
        """log |det dx/dy|, for events of `event_ndims` axes."""
        with name_scope(self.name), name_scope(name):
            return self._log_det(("inverse", "forward"), y, event_ndims, condition)

    def _log_det(self, ways: tuple, at: Any, event_ndims: int, condition: dict) -> Any:
        way, back = ways
        at = convert_to_tensor(at, name=way)
        least: int = getattr(self, f"{way}_min_event_ndims")
        formula = getattr(self, f"_{way}_log_det_jacobian", None)
        if formula is None:
            more = getattr(self, f"{back}_min_event_ndims") - least
            there = getattr(self, way)(at, **condition)
            return -self._log_det((back, way), there, event_ndims + more, condition)
        if event_ndims < least:
            raise ValueError(f"event_ndims ({event_ndims}) must be at least {least}")
        found = formula(at, **condition)
        if event_ndims == least:
            return found
        like = at if least == 0 else at[(..., *[0] * least)]
        return reduce_sum(found + zeros_like(like), [*range(least - event_ndims, 0)])

    def forward_event_shape(self, input_shape: Any) -> TensorShape:
        """The static shape of y for that of x."""
        return as_shape(input_shape)

    def inverse_event_shape(self, output_shape: Any) -> TensorShape:
        """The static shape of x for that of y."""
        return as_shape(output_shape)


def _of_numbers(
    name: str, scope: str, doc: str, forward: Callable, inverse: Callable, slope: Callable,
    **defaults: Any,
) -> type[Bijector]:  # fmt: skip
    """A bijector of numbers.

    Args:
      name: of the class.
      scope: of its operations.
      doc: one sentence.
      forward, inverse, slope: y for x, x for y and log |dy/dx| for x; each takes the parameters.
      defaults: the parameters.
    """

    def __init__(self: Any, *given: Any, name: str = scope, **named: Any) -> None:
        named.pop("validate_args", None)
        constant = scope in ("affine_scalar", "identity")
        Bijector.__init__(self, None, constant, forward_min_event_ndims=0, name=name)
        self._given = {**defaults, **dict(zip(defaults, given, strict=False)), **named}
        self.__dict__.update(self._given)

    formulas = {"forward": forward, "inverse": inverse, "forward_log_det_jacobian": slope}
    members: dict[str, Any] = {
        f"_{key}": lambda self, x, formula=formula: formula(x, **self._given)
        for key, formula in formulas.items()
    }
    return type(name, (Bijector,), {"__init__": __init__, "__doc__": doc, **members})


Identity = _of_numbers("Identity", "identity", "y = x.", lambda x: x, lambda y: y, zeros_like)
Exp = _of_numbers("Exp", "exp", "y = exp(x).", exp, log, lambda x: x)
Sigmoid = _of_numbers(
    "Sigmoid", "sigmoid", "y = 1 / (1 + exp(-x)).", sigmoid, lambda y: log(y) - log1p(-y),
    lambda x: -softplus(-x) - softplus(x),
)  # fmt: skip
Softplus = _of_numbers(
    "Softplus", "softplus", "y = c log(1 + exp(x / c)).",
    lambda x, hinge_softness: hinge_softness * softplus(x / hinge_softness),
    lambda y, hinge_softness: y + hinge_softness * log(-expm1(-y / hinge_softness)),
    lambda x, hinge_softness: -softplus(-x / hinge_softness), hinge_softness=1.0,
)  # fmt: skip
AffineScalar = _of_numbers(
    "AffineScalar", "affine_scalar", "y = scale * x + shift.",
    lambda x, shift, scale: x * scale + shift, lambda y, shift, scale: (y - shift) / scale,
    lambda x, shift, scale: zeros_like(x) + log(abs(scale)), shift=0.0, scale=1.0,
)  # fmt: skip


class Chain(Bijector):
    """Bijectors one after the other; the last one is applied first."""

    def __init__(
        self, bijectors: Sequence[Bijector] | None = None, validate_args: bool = False,
        name: str | None = None,
    ) -> None:  # fmt: skip
        self.bijectors = list(bijectors or ())
        taken = given = 0
        for each in reversed(self.bijectors):  # how many axes the whole takes, and gives
            missing = max(0, each.forward_min_event_ndims - given)
            taken, given = taken + missing, given + missing
            given += each.inverse_min_event_ndims - each.forward_min_event_ndims
        names = ["chain", *(b.name for b in self.bijectors)] if self.bijectors else ["identity"]
        constant = all(each.is_constant_jacobian for each in self.bijectors)
        super().__init__(None, constant, False, None, taken, given, name or "_of_".join(names))

    def _forward(self, x: Any, **condition: Any) -> Any:
        for each in reversed(self.bijectors):
            x = each.forward(x, **condition.get(each.name, {}))
        return x

    def _inverse(self, y: Any, **condition: Any) -> Any:
        for each in self.bijectors:
            y = each.inverse(y, **condition.get(each.name, {}))
        return y

    def _inverse_log_det_jacobian(self, y: Any, **condition: Any) -> Any:
        total, ndims = zeros((), y.dtype), self.inverse_min_event_ndims
        for each in self.bijectors:
            given = condition.get(each.name, {})
            total += each.inverse_log_det_jacobian(y, ndims, **given)
            y = each.inverse(y, **given)
            ndims += each.forward_min_event_ndims - each.inverse_min_event_ndims
        return total


class Invert(Bijector):
    """The inverse of a bijector."""

    def __init__(
        self, bijector: Bijector, validate_args: bool = False, name: str | None = None
    ) -> None:
        self.bijector = bijector
        self._forward, self._inverse = bijector.inverse, bijector.forward
        super().__init__(
            None, bijector.is_constant_jacobian, validate_args, bijector.dtype,
            bijector.inverse_min_event_ndims, bijector.forward_min_event_ndims,
            name or f"invert_{bijector.name}",
        )  # fmt: skip

    def _log_det(self, ways: tuple, at: Any, event_ndims: int, condition: dict) -> Any:
        return self.bijector._log_det(ways[::-1], at, event_ndims, condition)


class Permute(Bijector):
    """The elements of the last axis in another order: y[..., i] = x[..., permutation[i]]."""

    def __init__(
        self, permutation: Any, validate_args: bool = False, name: str | None = None
    ) -> None:
        self.permutation = convert_to_tensor(permutation, name="permutation")
        super().__init__(None, True, validate_args, None, 1, name=name or "permute")

    def _forward(self, x: Any) -> Any:
        return gather(x, self.permutation, axis=-1)

    def _inverse(self, y: Any) -> Any:
        return gather(y, invert_permutation(self.permutation), axis=-1)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return zeros((), x.dtype)


class Affine(Bijector):
    """y = scale @ x + shift; the scale is a sum of the parts that are given.

    Args:
      shift: [..., k].
      scale_identity_multiplier: a number on the diagonal.
      scale_diag: [..., k], a diagonal.
      scale_tril: [..., k, k], a lower triangle.
      scale_perturb_factor: [..., k, r], V of V D V^T.
      scale_perturb_diag: [..., r], the diagonal of D.
      validate_args, name: see `Bijector`.
    """

    def __init__(
        self, shift: Any = None, scale_identity_multiplier: Any = None, scale_diag: Any = None,
        scale_tril: Any = None, scale_perturb_factor: Any = None, scale_perturb_diag: Any = None,
        validate_args: bool = False, name: str = "affine",
    ) -> None:  # fmt: skip
        self.shift = shift if shift is None else convert_to_tensor(shift, name="shift")
        parts = [each for each in (scale_identity_multiplier, scale_diag) if each is not None]
        diagonal: Any = sum(map(convert_to_tensor, parts)) if parts else None
        self._times: Any = diagonal
        self.scale: Any = None
        if scale_tril is not None:
            tril = convert_to_tensor(scale_tril, name="scale_tril")
            if diagonal is not None:
                tril = matrix_set_diag(tril, matrix_diag_part(tril) + diagonal)
            self.scale = LinearOperatorLowerTriangular(tril)
        elif scale_diag is not None or scale_perturb_factor is not None:
            factor = scale_perturb_factor
            like = diagonal if factor is None else convert_to_tensor(factor)[..., 0]
            entries = zeros_like(like) + (1.0 if diagonal is None else diagonal)
            self.scale = LinearOperatorDiag(entries, is_positive_definite=True)
        if scale_perturb_factor is not None:
            self.scale = LinearOperatorLowRankUpdate(
                self.scale, scale_perturb_factor, scale_perturb_diag
            )
        super().__init__(None, True, validate_args, None, 1, name=name)

    def _forward(self, x: Any) -> Any:
        if self.scale is not None:
            x = self.scale.matvec(x)
        elif self._times is not None:
            x = x * self._times[..., None]
        return x if self.shift is None else x + self.shift

    def _inverse(self, y: Any) -> Any:
        x = y if self.shift is None else y - self.shift
        if self.scale is not None:
            return self.scale.solvevec(x)
        return x if self._times is None else x / self._times[..., None]

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        if self.scale is not None:
            return self.scale.log_abs_determinant()
        if self._times is None:
            return zeros((), x.dtype)
        return log(abs(self._times)) * cast(shape_of(x)[-1], x.dtype)


class CholeskyOuterProduct(Bijector):
    """y = x @ x^T, of lower triangles with a positive diagonal."""

    def __init__(self, validate_args: bool = False, name: str = "cholesky_outer_product") -> None:
        super().__init__(None, False, validate_args, None, 2, name=name)
        self._inverse = cholesky

    def _forward(self, x: Any) -> Any:
        return matmul(x, x, adjoint_b=True)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        size = shape_of(x)[-1]
        powers = cast(size - range_of(size), x.dtype)  # of each element of the diagonal
        return reduce_sum(powers * log(matrix_diag_part(x)) + float(np.log(2.0)), -1)


class TransformedDistribution(Distribution):
    """The distribution of `bijector.forward(x)` for draws x of another one.

    Args:
      distribution: of x.
      bijector: the function; the identity by default.
      batch_shape, event_shape: of x, where `distribution` is of one number.
      validate_args, name: see `Normal`.
    """

    def __init__(
        self, distribution: Distribution, bijector: Bijector | None = None, batch_shape: Any = None,
        event_shape: Any = None, validate_args: bool = False, name: str | None = None,
    ) -> None:  # fmt: skip
        self.bijector: Bijector = bijector or Identity()
        name = name or ("" if bijector is None else bijector.name) + distribution.name.rstrip("/")
        self._start(locals())
        self.distribution, self._dtype = distribution, distribution.dtype
        self._reparameterization_type = distribution.reparameterization_type
        given = [np.ravel([] if s is None else s).astype(int) for s in (batch_shape, event_shape)]
        self._batch, self._event = (each.tolist() for each in given)

    @property
    def batch_shape(self) -> TensorShape:
        return TensorShape(self._batch) if self._batch else self.distribution.batch_shape

    @property
    def event_shape(self) -> TensorShape:
        own = TensorShape(self._event) if self._event else self.distribution.event_shape
        return self.bijector.forward_event_shape(own)

    def _sample_n(self, n: Any, seed: Any) -> Any:
        front = concat([[n], np.array([*self._batch, *self._event], np.int32)], 0)
        return self.bijector.forward(self.distribution.sample(front, seed))

    def _over_event(self, value: Any) -> Any:
        return reduce_sum(value, [*range(-len(self._event), 0)]) if self._event else value

    def _event_ndims(self) -> int:
        return max(self.event_shape.ndims or 0, self.bijector.inverse_min_event_ndims)

    def _log_prob(self, y: Any) -> Any:
        inner = self._over_event(self.distribution.log_prob(self.bijector.inverse(y)))
        return inner + self.bijector.inverse_log_det_jacobian(y, self._event_ndims())

    def _cdf(self, y: Any) -> Any:
        return self.distribution.cdf(self.bijector.inverse(y))

    def _quantile(self, value: Any) -> Any:
        return self.bijector.forward(self.distribution.quantile(value))

    def _spread(self, value: Any, what: str) -> Any:
        if not self.bijector.is_constant_jacobian:
            self._lacks(what)
        return value + zeros([*self._batch, *self._event], self._dtype)

    def _mean(self) -> Any:
        return self.bijector.forward(self._spread(self.distribution.mean(), "mean"))

    def _entropy(self) -> Any:
        entropy = self._over_event(self._spread(self.distribution.entropy(), "entropy"))
        return entropy - self.bijector.inverse_log_det_jacobian(self._mean(), self._event_ndims())


class MultivariateNormalTriL(TransformedDistribution):
    """Normal vectors: `loc + scale_tril @ x`, for x of standard normal numbers.

    Args:
      loc: [..., k], the mean; 0 by default.
      scale_tril: [..., k, k], a lower triangle: the covariance is its product with its transpose.
      validate_args, allow_nan_stats, name: see `Normal`.
    """

    def __init__(
        self, loc: Any = None, scale_tril: Any = None, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "MultivariateNormalTriL",
    ) -> None:  # fmt: skip
        tril = convert_to_tensor(scale_tril, name="scale_tril")
        self.loc = zeros_like(tril[..., 0]) if loc is None else convert_to_tensor(loc, name="loc")
        sizes = (self.loc + zeros_like(tril[..., 0])).shape.as_list()
        affine = Affine(self.loc, scale_tril=tril)
        self.scale = affine.scale
        normal = Normal(zeros((), tril.dtype), 1.0)
        super().__init__(normal, affine, sizes[:-1], sizes[-1:], validate_args, name)
        self._parameters = {"loc": loc, "scale_tril": scale_tril, "name": name}
        self._mode = self._mean

    def _covariance(self) -> Any:
        return matmul(self.scale.to_dense(), self.scale.to_dense(), adjoint_b=True)

    def _variance(self) -> Any:
        return matrix_diag_part(self._covariance())
