"""`tf.contrib.distributions.bijectors`: invertible functions, and what they do to densities.

    y = bijector.forward(x)         x = bijector.inverse(y)
    bijector.forward_log_det_jacobian(x, event_ndims)      log |dy/dx|, of the axes of an event

A bijector of numbers is a row of formulas; its logarithms are summed over the axes of an event. The
networks of normalizing flows are in `flows.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.shapes import TensorShape, as_shape
from minitf.core.graph.stacks import executing_eagerly, name_scope
from minitf.core.ops.activations import log_softmax, softmax, softplus
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones_like, zeros, zeros_like
from minitf.core.ops.array_filling import range as range_of
from minitf.core.ops.array_gathering import gather
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import invert_permutation, reshape
from minitf.core.ops.cast import cast
from minitf.core.ops.linalg import matmul
from minitf.core.ops.math import (
    abs,
    asinh,
    cosh,
    exp,
    expm1,
    log,
    log1p,
    sigmoid,
    sinh,
    sqrt,
    square,
)
from minitf.core.ops.reductions import cumsum, reduce_logsumexp, reduce_sum
from minitf.library.distributions.base import Distribution, RegisterKL, family
from minitf.library.distributions.continuous import Exponential, Laplace, Logistic, Normal
from minitf.library.distributions.discrete import Bernoulli
from minitf.library.distributions.multivariate import MultivariateNormalDiag
from minitf.library.numeric.decompositions import cholesky, matrix_triangular_solve
from minitf.library.numeric.diagonals import matrix_band_part, matrix_diag_part, matrix_set_diag
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
    _is_injective = True  # or else the inverse is a tuple

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
            forget = executing_eagerly() or not self._is_injective
            known = None if forget else self._known.get(y)
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
    ranks: tuple[int, int] = (0, 0), sizes: Any = (), **defaults: Any,
) -> type[Bijector]:  # fmt: skip
    """A bijector of numbers, or of vectors or matrices.

    Args:
      name: of the class.
      scope: of its operations.
      doc: one sentence.
      forward, inverse, slope: y for x, x for y and log |dy/dx| for x; each takes the parameters.
      ranks: how many axes x and y have.
      sizes: the axes of y for those of x, and the other way round, where they differ.
      defaults: the parameters.
    """

    def __init__(self: Any, *given: Any, name: str = scope, **named: Any) -> None:
        named.pop("validate_args", None)
        constant = scope in ("affine_scalar", "identity")
        Bijector.__init__(self, None, constant, False, None, *ranks, name)
        self._given = {**defaults, **dict(zip(defaults, given, strict=False)), **named}
        self.__dict__.update(self._given)

    formulas = {"forward": forward, "inverse": inverse, "forward_log_det_jacobian": slope}
    members: dict[str, Any] = {
        f"_{key}": lambda self, x, formula=formula: formula(x, **self._given)
        for key, formula in formulas.items()
    }
    for key, change in zip(("forward_event_shape", "inverse_event_shape"), sizes, strict=False):
        members[key] = lambda self, shape, change=change: as_shape(change(*as_shape(shape)))
    return type(name, (Bijector,), {"__init__": __init__, "__doc__": doc, **members})


def _side(count: Any) -> Any:
    """n for n (n + 1) / 2."""
    known = getattr(count, "value", count)
    return None if known is None else int((8 * known + 1) ** 0.5) // 2


def _unit_like(x: Any) -> Any:
    return matrix_set_diag(zeros_like(x), ones_like(x[..., 0]))


def _triangle(n: int, upper: bool) -> tuple[Any, Any]:
    """Which number stands where in a square, and which places are of its triangle."""
    count = np.arange(n * (n + 1) // 2)
    halves = [count, count[n:][::-1]] if upper else [count[n:], count[::-1]]
    square = np.concatenate(halves).reshape(n, n)
    return square, (np.triu if upper else np.tril)(np.ones([n, n], bool))


def fill_triangular(x: Any, upper: bool = False, name: str | None = None) -> Any:
    """[..., n (n + 1) / 2] as triangles of [..., n, n]; lower ones begin at their last row.

    Example:
      >>> sess.run(tf.contrib.distributions.fill_triangular([1, 2, 3, 4, 5, 6]))
      array([[4, 0, 0],
             [6, 5, 0],
             [3, 2, 1]], dtype=int32)
    """
    x = convert_to_tensor(x, name="x")
    square, _ = _triangle(_side(x.shape[-1]), upper)
    return matrix_band_part(gather(x, square, axis=-1), *((0, -1) if upper else (-1, 0)), name=name)


def fill_triangular_inverse(x: Any, upper: bool = False, name: str | None = None) -> Any:
    """The numbers that `fill_triangular` makes a triangle of."""
    x = convert_to_tensor(x, name="x")
    square, inside = _triangle(x.shape[-1].value, upper)
    places = np.flatnonzero(inside)[np.argsort(square[inside])]
    flat = reshape(x, concat([shape_of(x)[:-2], [square.size]], 0))
    return gather(flat, places, axis=-1, name=name)


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


Softsign = _of_numbers(
    "Softsign", "softsign", "y = x / (1 + |x|).",
    lambda x: x / (1.0 + abs(x)), lambda y: y / (1.0 - abs(y)), lambda x: -2.0 * log1p(abs(x)),
)  # fmt: skip
Square = _of_numbers(
    "Square", "square", "y = x^2, of x above 0.", square, sqrt, lambda x: np.log(2.0) + log(x)
)
AbsoluteValue = _of_numbers(
    "AbsoluteValue", "absolute_value", "y = |x|; the inverse is both -y and y.",
    abs, lambda y: (-y, y), zeros_like,
)  # fmt: skip
AbsoluteValue._is_injective = False
PowerTransform = _of_numbers(
    "PowerTransform", "power_transform", "y = (1 + x c)^(1 / c), with a power c; exp(x) for 0.",
    lambda x, power: exp(x) if power == 0.0 else exp(log1p(x * power) / power),
    lambda y, power: log(y) if power == 0.0 else expm1(log(y) * power) / power,
    lambda x, power: x if power == 0.0 else (1.0 / power - 1.0) * log1p(x * power), power=0.0,
)  # fmt: skip
SinhArcsinh = _of_numbers(
    "SinhArcsinh", "SinhArcsinh", "y = sinh((arcsinh(x) + skewness) * tailweight).",
    lambda x, skewness, tailweight: sinh((asinh(x) + skewness) * tailweight),
    lambda y, skewness, tailweight: sinh(asinh(y) / tailweight - skewness),
    lambda x, skewness, tailweight: log(
        cosh((asinh(x) + skewness) * tailweight) * tailweight / sqrt(1.0 + square(x))
    ), skewness=0.0, tailweight=1.0,
)  # fmt: skip
Gumbel = _of_numbers(
    "Gumbel", "gumbel", "y = exp(-exp(-z)) for z = (x - loc) / scale.",
    lambda x, loc, scale: exp(-exp(-(x - loc) / scale)),
    lambda y, loc, scale: loc - scale * log(-log(y)),
    lambda x, loc, scale: -(x - loc) / scale - exp(-(x - loc) / scale) - log(scale * 1.0),
    loc=0.0, scale=1.0,
)  # fmt: skip
Weibull = _of_numbers(
    "Weibull", "weibull", "y = 1 - exp(-(x / scale)^concentration), of x above 0.",
    lambda x, scale, concentration: -expm1(-((x / scale) ** concentration)),
    lambda y, scale, concentration: scale * (-log1p(-y)) ** (1.0 / concentration),
    lambda x, scale, concentration: (
        log(concentration / scale * (x / scale) ** (concentration - 1.0))
        - (x / scale) ** concentration
    ), scale=1.0, concentration=1.0,
)  # fmt: skip
Kumaraswamy = _of_numbers(
    "Kumaraswamy", "kumaraswamy", "y = (1 - (1 - x)^(1 / b))^(1 / a), of x between 0 and 1.",
    lambda x, concentration1, concentration0: (
        (1.0 - (1.0 - x) ** (1.0 / concentration0)) ** (1.0 / concentration1)
    ),
    lambda y, concentration1, concentration0: 1.0 - (1.0 - y**concentration1) ** concentration0,
    lambda x, concentration1, concentration0: (
        (1.0 / concentration0 - 1.0) * log1p(-x) - log(concentration0 * concentration1 * 1.0)
        + (1.0 / concentration1 - 1.0) * log1p(-((1.0 - x) ** (1.0 / concentration0)))
    ), concentration1=None, concentration0=None,
)  # fmt: skip
Ordered = _of_numbers(
    "Ordered", "ordered", "Rising numbers as the first one and the logarithms of their steps.",
    lambda x: concat([x[..., :1], log(x[..., 1:] - x[..., :-1])], -1),
    lambda y: cumsum(concat([y[..., :1], exp(y[..., 1:])], -1), -1),
    lambda x: -reduce_sum(log(x[..., 1:] - x[..., :-1]), -1), ranks=(1, 1),
)  # fmt: skip
SoftmaxCentered = _of_numbers(
    "SoftmaxCentered", "softmax_centered", "Softmax of numbers and one 0 more.",
    lambda x: softmax(concat([x, zeros_like(x[..., :1])], -1)),
    lambda y: log(y[..., :-1]) - log(y[..., -1:]),
    lambda x: reduce_sum(log_softmax(concat([x, zeros_like(x[..., :1])], -1)), -1),
    ranks=(1, 1), sizes=(lambda *sizes: [*sizes[:-1], sizes[-1] + 1],
                         lambda *sizes: [*sizes[:-1], sizes[-1] - 1]),
)  # fmt: skip
MatrixInverseTriL = _of_numbers(
    "MatrixInverseTriL", "matrix_inverse_tril", "The inverse of a lower triangle.",
    lambda x: matrix_triangular_solve(x, _unit_like(x)),
    lambda y: matrix_triangular_solve(y, _unit_like(y)),
    lambda x: (
        -2.0 * cast(shape_of(x)[-1], x.dtype) * reduce_sum(log(abs(matrix_diag_part(x))), -1)
    ), ranks=(2, 2),
)  # fmt: skip
FillTriangular = _of_numbers(
    "FillTriangular", "fill_triangular", "A triangle of n (n + 1) / 2 numbers.",
    lambda x, upper: fill_triangular(x, upper), lambda y, upper: fill_triangular_inverse(y, upper),
    lambda x, upper: zeros_like(x[..., 0]), upper=False, ranks=(1, 2),
    sizes=(lambda *sizes: [*sizes[:-1], *[_side(sizes[-1])] * 2],
           lambda *sizes: [*sizes[:-2], sizes[-1] * (sizes[-1] + 1) // 2]),
)  # fmt: skip


class Inline(Bijector):
    """A bijector of functions; each may be missing that is not needed.

    Args:
      forward_fn, inverse_fn, inverse_log_det_jacobian_fn, forward_log_det_jacobian_fn: the
        formulas.
      forward_event_shape_fn, inverse_event_shape_fn: of static shapes, where they change.
      forward_event_shape_tensor_fn, inverse_event_shape_tensor_fn: accepted.
      settings: see `Bijector`.
    """

    def __init__(
        self, forward_fn: Any = None, inverse_fn: Any = None,
        inverse_log_det_jacobian_fn: Any = None, forward_log_det_jacobian_fn: Any = None,
        forward_event_shape_fn: Any = None, forward_event_shape_tensor_fn: Any = None,
        inverse_event_shape_fn: Any = None, inverse_event_shape_tensor_fn: Any = None,
        is_constant_jacobian: bool = False, validate_args: bool = False,
        forward_min_event_ndims: int | None = None, inverse_min_event_ndims: int | None = None,
        name: str = "inline",
    ) -> None:  # fmt: skip
        given = locals()
        ends = (forward_min_event_ndims, inverse_min_event_ndims, name)
        super().__init__(None, is_constant_jacobian, validate_args, None, *ends)
        for key in ("forward", "inverse", "inverse_log_det_jacobian", "forward_log_det_jacobian"):
            if given[f"{key}_fn"] is not None:
                setattr(self, f"_{key}", given[f"{key}_fn"])
        for key in ("forward_event_shape", "inverse_event_shape"):
            if given[f"{key}_fn"] is not None:
                setattr(self, key, given[f"{key}_fn"])


class Reshape(Bijector):
    """The last axes in another shape.

    Args:
      event_shape_out, event_shape_in: the sizes of these axes; one of each may be -1.
      validate_args, name: see `Bijector`.
    """

    def __init__(
        self, event_shape_out: Any, event_shape_in: Any = (-1,), validate_args: bool = False,
        name: str | None = None,
    ) -> None:  # fmt: skip
        self._sizes = [
            np.ravel(each).astype(int).tolist() for each in (event_shape_in, event_shape_out)
        ]
        super().__init__(None, True, validate_args, None, 0, name=name or "reshape")

    def _forward(self, x: Any) -> Any:
        return self._reshaped(x, *self._sizes)

    def _inverse(self, y: Any) -> Any:
        return self._reshaped(y, *self._sizes[::-1])

    def _reshaped(self, x: Any, old: list[int], new: list[int]) -> Any:
        front, back = x.shape[: x.shape.ndims - len(old)], x.shape[x.shape.ndims - len(old) :]
        if not back.is_compatible_with([None if size < 0 else size for size in old]):
            raise ValueError(
                f"Input `event_shape` does not match `event_shape_in` ({back} vs {old})."
            )
        known = front.is_fully_defined()
        return reshape(x, concat([front if known else shape_of(x)[: front.ndims], new], 0))

    def _log_det(self, ways: tuple, at: Any, event_ndims: int, condition: dict) -> Any:
        return reduce_sum(zeros_like(convert_to_tensor(at)), [*range(-event_ndims, 0)])

    def forward_event_shape(self, input_shape: Any) -> TensorShape:
        return self._reshaped(zeros(as_shape(input_shape)), *self._sizes).shape

    def inverse_event_shape(self, output_shape: Any) -> TensorShape:
        return self._reshaped(zeros(as_shape(output_shape)), *self._sizes[::-1]).shape


class TransformDiagonal(Bijector):
    """The diagonals of matrices through a bijector of vectors or numbers."""

    def __init__(
        self, diag_bijector: Bijector, validate_args: bool = False, name: str = "transform_diagonal"
    ) -> None:
        self._diagonal = diag_bijector
        super().__init__(None, False, validate_args, None, 2, name=name)

    def _forward(self, x: Any) -> Any:
        return matrix_set_diag(x, self._diagonal.forward(matrix_diag_part(x)))

    def _inverse(self, y: Any) -> Any:
        return matrix_set_diag(y, self._diagonal.inverse(matrix_diag_part(y)))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return self._diagonal.forward_log_det_jacobian(matrix_diag_part(x), 1)


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

    def forward_event_shape(self, input_shape: Any) -> TensorShape:
        for each in reversed(self.bijectors):
            input_shape = each.forward_event_shape(input_shape)
        return as_shape(input_shape)

    def inverse_event_shape(self, output_shape: Any) -> TensorShape:
        for each in self.bijectors:
            output_shape = each.inverse_event_shape(output_shape)
        return as_shape(output_shape)

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
        self.forward_event_shape = bijector.inverse_event_shape  # type: ignore
        self.inverse_event_shape = bijector.forward_event_shape  # type: ignore
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


class ScaleTriL(Chain):
    """Triangles with a positive diagonal, of vectors: `fill_triangular`, then the diagonal.

    Args:
      diag_bijector: of the diagonal; `Softplus` by default.
      diag_shift: what is added to it; None for nothing.
      validate_args, name: see `Bijector`.
    """

    def __init__(
        self, diag_bijector: Bijector | None = None, diag_shift: Any = 1e-5,
        validate_args: bool = False, name: str = "scale_tril",
    ) -> None:  # fmt: skip
        diagonal = diag_bijector or Softplus()
        if diag_shift is not None:
            diagonal = Chain([AffineScalar(diag_shift), diagonal])
        super().__init__([TransformDiagonal(diagonal), FillTriangular()], validate_args, name)


class AffineLinearOperator(Affine):
    """y = scale @ x + shift, of a `LinearOperator`."""

    def __init__(
        self, shift: Any = None, scale: Any = None, validate_args: bool = False,
        name: str = "affine_linear_operator",
    ) -> None:  # fmt: skip
        super().__init__(shift, validate_args=validate_args, name=name)
        self.scale = scale


def _conditions(bijector_kwargs: Any = None, distribution_kwargs: Any = None) -> tuple[dict, dict]:
    """The arguments of one call for the bijector, and those for what it transforms."""
    return bijector_kwargs or {}, distribution_kwargs or {}


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

    def _sample_n(self, n: Any, seed: Any, **how: Any) -> Any:
        to_bijector, to_first = _conditions(**how)
        front = concat([[n], np.array([*self._batch, *self._event], np.int32)], 0)
        return self.bijector.forward(
            self.distribution.sample(front, seed, **to_first), **to_bijector
        )

    def _over_event(self, value: Any) -> Any:
        return reduce_sum(value, [*range(-len(self._event), 0)]) if self._event else value

    def _event_ndims(self) -> int:
        return max(self.event_shape.ndims or 0, self.bijector.inverse_min_event_ndims)

    def _log_prob(self, y: Any, **how: Any) -> Any:
        to_bijector, to_first = _conditions(**how)
        x = self.bijector.inverse(y, **to_bijector)
        inner = self._over_event(self.distribution.log_prob(x, **to_first))
        slope = self.bijector.inverse_log_det_jacobian(y, self._event_ndims(), **to_bijector)
        return reduce_logsumexp(inner + slope, 0) if isinstance(x, tuple) else inner + slope

    def _cdf(self, y: Any, **how: Any) -> Any:
        to_bijector, to_first = _conditions(**how)
        return self.distribution.cdf(self.bijector.inverse(y, **to_bijector), **to_first)

    def _quantile(self, value: Any, **how: Any) -> Any:
        to_bijector, to_first = _conditions(**how)
        return self.bijector.forward(self.distribution.quantile(value, **to_first), **to_bijector)

    def _spread(self, value: Any, what: str) -> Any:
        if not self.bijector.is_constant_jacobian:
            self._lacks(what)
        return value + zeros([*self._batch, *self._event], self._dtype)

    def _mean(self) -> Any:
        return self.bijector.forward(self._spread(self.distribution.mean(), "mean"))

    def _entropy(self) -> Any:
        entropy = self._over_event(self._spread(self.distribution.entropy(), "entropy"))
        return entropy - self.bijector.inverse_log_det_jacobian(self._mean(), self._event_ndims())


class Vectors(TransformedDistribution):
    """`loc + scale @ x`, for x of numbers that know nothing of each other."""

    _of: Callable[[Any], Distribution]  # from zero and one of them

    def _begin(self, given: dict[str, Any], names: Sequence[str]) -> None:
        loc, parts = given["loc"], {k: v for k, v in given.items() if k.startswith("scale")}
        if all(parts.get(k) is None for k in parts if k != "scale_identity_multiplier"):
            like, times = ones_like(loc), parts.pop("scale_identity_multiplier", None)
            parts["scale_diag"] = like if times is None else like * times
        affine = Affine(loc, **parts)
        diagonal = zeros_like(self._set_scale(affine.scale))
        self.loc = diagonal if loc is None else affine.shift + diagonal
        sizes, ends = self.loc.shape.as_list(), (given["validate_args"], given["name"])
        numbers = type(self)._of(diagonal.dtype.as_numpy_dtype)
        super().__init__(numbers, affine, sizes[:-1], sizes[-1:], *ends)
        self._parameters = given

    def _set_scale(self, scale: Any) -> Any:
        self.scale = scale
        return matrix_diag_part(scale.to_dense())

    def _covariance(self) -> Any:
        scale = self.scale.to_dense()
        return matmul(scale, scale, adjoint_b=True) * self.distribution.variance()

    def _variance(self) -> Any:
        return matrix_diag_part(self._covariance())

    def _mode(self) -> Any:
        return self.bijector.forward(self._spread(self.distribution.mode(), "mode"))


_DIAG = "loc=None scale_diag=None scale_identity_multiplier=None"
_LOW_RANK = f"{_DIAG} scale_perturb_factor=None scale_perturb_diag=None"
_normal = {"of": lambda kind: Normal(kind(0.0), kind(1.0))}
MultivariateNormalTriL = family(
    "MultivariateNormalTriL", """Normal vectors: `loc + scale_tril @ x`, for x of standard normals.

    Args:
      loc: [..., k], the mean; 0 by default.
      scale_tril: [..., k, k], a lower triangle: the covariance is its product with its transpose.
      validate_args, allow_nan_stats, name: see `Normal`.
    """, "loc=None scale_tril=None", Vectors, **_normal,
)  # fmt: skip
MultivariateNormalDiagPlusLowRank = family(
    "MultivariateNormalDiagPlusLowRank", "Normal vectors; the scale is that of `Affine`.",
    _LOW_RANK, Vectors, **_normal,
)  # fmt: skip


def _of_covariance(d: Any, given: dict[str, Any], names: Sequence[str]) -> None:
    triangle = cholesky(convert_to_tensor(given["covariance_matrix"]))
    Vectors._begin(d, {**given, "scale_tril": triangle}, names)
    d._parameters = given


MultivariateNormalFullCovariance = family(
    "MultivariateNormalFullCovariance", "Normal vectors of a mean and a covariance.",
    "loc=None covariance_matrix=None", MultivariateNormalTriL, begin=_of_covariance,
)  # fmt: skip
VectorExponentialDiag = family(
    "VectorExponentialDiag", "`loc + scale @ x`, for x of exponential numbers.", _DIAG, Vectors,
    of=lambda kind: Exponential(kind(1.0)), mode=lambda d: d.loc,
)  # fmt: skip
VectorLaplaceDiag = family(
    "VectorLaplaceDiag", "`loc + scale @ x`, for x of Laplace's numbers.", _DIAG, Vectors,
    of=lambda kind: Laplace(kind(0.0), kind(1.0)),
)  # fmt: skip


class RelaxedBernoulli(TransformedDistribution):
    """Numbers between 0 and 1, near these for a low temperature; gradients flow through draws.

    Args:
      temperature: how soft.
      logits: the log-odds of 1; or `probs`.
      validate_args, allow_nan_stats, name: see `Normal`.
    """

    def __init__(
        self, temperature: Any, logits: Any = None, probs: Any = None, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "RelaxedBernoulli",
    ) -> None:  # fmt: skip
        given = {key: value for key, value in locals().items() if key not in ("self", "__class__")}
        hard = Bernoulli(logits, probs)
        self.logits, self.probs = hard.logits, hard.probs
        self.temperature = convert_to_tensor(temperature, dtype=self.logits.dtype)
        soft = Logistic(self.logits / self.temperature, 1.0 / self.temperature)
        super().__init__(soft, Sigmoid(), name=name)
        self._parameters = given


def _divergence(a: Any, b: Any, name: str | None = None) -> Any:
    """Of normal vectors."""
    here, there = cholesky(a.covariance()), cholesky(b.covariance())
    spread = matrix_triangular_solve(there, here)
    apart = matrix_triangular_solve(there, (a.mean() - b.mean())[..., None])
    squares = reduce_sum(square(spread), [-2, -1]) + reduce_sum(square(apart), [-2, -1])
    sizes = log(matrix_diag_part(there)) - log(matrix_diag_part(here)) - 0.5
    return 0.5 * squares + reduce_sum(sizes, -1)


_NORMAL = (MultivariateNormalTriL, MultivariateNormalDiagPlusLowRank, MultivariateNormalDiag)
for _pair in product(_NORMAL, _NORMAL):
    if set(_pair) != {MultivariateNormalDiag}:
        RegisterKL(*_pair)(_divergence)
