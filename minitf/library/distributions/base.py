"""What all distributions can do, made of the formulas that each one has.

    class Normal(Distribution):
        def _log_prob(self, x): ...          # prob, cross_entropy, ... follow
        def _sample_n(self, n, seed): ...    # [n, *batch, *event]; sample shapes follow

A tensor of samples has the shape [*sample, *batch, *event]: how many were asked for, one for each
of the parameters' values, and the shape of one draw.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from inspect import Parameter, Signature
from inspect import signature as signature_of
from typing import Any, NoReturn

import numpy as np

from minitf.core.graph import dtypes
from minitf.core.graph.convert import constant, constant_value, convert_to_tensor
from minitf.core.graph.shapes import TensorShape, broadcast_static_shape, unknown_shape
from minitf.core.graph.stacks import control_dependencies, name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import identity
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array_filling import ones
from minitf.core.ops.array_joining import concat
from minitf.core.ops.array_shaping import reshape
from minitf.core.ops.math import exp, log, log1p, sqrt, square
from minitf.core.ops.random import random_uniform
from minitf.core.ops.reductions import reduce_prod
from minitf.library.checks.assertions import assert_positive, assert_same_float_dtype
from minitf.library.numeric.rearranging import broadcast_dynamic_shape


class ReparameterizationType:
    """Whether gradients flow through samples into the parameters."""

    def __init__(self, rep_type: str) -> None:
        self._rep_type = rep_type

    def __repr__(self) -> str:
        return f"<Reparameterization Type: {self._rep_type}>"


FULLY_REPARAMETERIZED = ReparameterizationType("FULLY_REPARAMETERIZED")
NOT_REPARAMETERIZED = ReparameterizationType("NOT_REPARAMETERIZED")


class Distribution:
    """A batch of distributions of one kind.

    A program's own kind gives its constructor's arguments on, and has `_batch_shape()`,
    `_event_shape()`, `_batch_shape_tensor()`, `_event_shape_tensor()`, `_sample_n(n, seed)`,
    `_log_prob(x)`, `_mean()`, ..., as far as it is asked for them.

    Args:
      dtype: of the draws.
      reparameterization_type: `FULLY_REPARAMETERIZED` or `NOT_REPARAMETERIZED`.
      validate_args: whether parameters are checked while the step runs.
      allow_nan_stats: whether a mean that does not exist is NaN.
      parameters: the arguments of the kind's own constructor, for `copy`.
      graph_parents: accepted.
      name: of the scope; that of the class by default.
    Example:
      >>> normal = tf.distributions.Normal(loc=[0.0, 1.0], scale=2.0)
      >>> normal.sample(3).shape.as_list()
      [3, 2]
    """

    _reparameterization_type = FULLY_REPARAMETERIZED
    #: the parameters that must be positive
    _positive: Sequence[str] = ()
    #: how many of the last axes of the parameters belong to one draw
    _event_rank = 0
    #: the names of the parameters; None of a program's own kind
    _parts: Sequence[str] | None = None

    def __init__(
        self,
        dtype: Any,
        reparameterization_type: ReparameterizationType,
        validate_args: bool,
        allow_nan_stats: bool,
        parameters: dict[str, Any] | None = None,
        graph_parents: Any = None,
        name: str | None = None,
    ) -> None:
        own = (parameters or {}).items()
        self._parameters = {k: v for k, v in own if k != "self" and not k.startswith("__")}
        self._dtype, self._reparameterization_type = dtype, reparameterization_type
        self._validate_args, self._allow_nan_stats = validate_args, allow_nan_stats
        with name_scope(name or type(self).__name__) as self._name:
            pass

    def _start(self, given: dict[str, Any], *names: str, **parts: Any) -> None:
        """Takes the arguments of a constructor; those in `names` become tensors of one type."""
        given = {key: value for key, value in given.items() if key not in ("self", "__class__")}
        self._parameters = given
        self._validate_args = given.get("validate_args", False)
        self._allow_nan_stats = given.get("allow_nan_stats", True)
        self._parts = names
        with name_scope(given["name"]) as scope:
            self._name = scope
            made = [convert_to_tensor(given[name], name=name) for name in names]
            self._dtype = assert_same_float_dtype(made) if made else dtypes.float32
            checks = []
            if self._validate_args:
                checks = [
                    assert_positive(tensor)
                    for name, tensor in zip(names, made, strict=True)
                    if name in self._positive
                ]
            with control_dependencies(checks):
                for name, tensor in zip(names, made, strict=True):
                    setattr(self, name, identity(tensor, name=name))

    def _begin(self, given: dict[str, Any], names: Sequence[str]) -> None:
        self._start(given, *names)

    # ---- what is known of it -------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The scope of its operations."""
        return self._name

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the samples."""
        return self._dtype

    @property
    def parameters(self) -> dict[str, Any]:
        """What it was made with."""
        return dict(self._parameters)

    @property
    def reparameterization_type(self) -> ReparameterizationType:
        """Whether gradients flow through samples into the parameters."""
        return self._reparameterization_type

    @property
    def allow_nan_stats(self) -> bool:
        """Whether a mean that does not exist is NaN, rather than an error of the step."""
        return self._allow_nan_stats

    @property
    def validate_args(self) -> bool:
        """Whether parameters are checked while the step runs."""
        return self._validate_args

    def _tensors(self) -> list[Tensor]:
        return [getattr(self, name) for name in self._parts or ()]

    @property
    def batch_shape(self) -> TensorShape:
        """How many distributions there are, as far as it is known."""
        return self._batch_shape()

    def _batch_shape(self) -> TensorShape:
        shape = unknown_shape() if self._parts is None else TensorShape([])
        for tensor in self._tensors():
            own = tensor.shape
            if own.ndims is None:
                return own
            shape = broadcast_static_shape(shape, own[: own.ndims - self._event_rank])
        return shape

    @property
    def event_shape(self) -> TensorShape:
        """The shape of one draw, as far as it is known."""
        return self._event_shape()

    def _event_shape(self) -> TensorShape:
        if not self._event_rank:
            return unknown_shape() if self._parts is None else TensorShape([])
        return self._tensors()[-1].shape[-self._event_rank :]

    def _batch_shape_tensor(self) -> Tensor:
        shape = constant([], dtypes.int32)
        for tensor in self._tensors():
            own = shape_of(tensor)
            shape = broadcast_dynamic_shape(shape, own[: -self._event_rank or None])
        return shape

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """How many distributions there are, as a vector."""
        with self._scope(name):
            known = self.batch_shape
            if known.is_fully_defined():
                return constant(known.as_list(), dtypes.int32, name="batch_shape")
            return self._batch_shape_tensor()

    def event_shape_tensor(self, name: str = "event_shape_tensor") -> Tensor:
        """The shape of one draw, as a vector."""
        with self._scope(name):
            known = self.event_shape
            if known.is_fully_defined():
                return constant(known.as_list(), dtypes.int32, name="event_shape")
            return self._event_shape_tensor()

    def _event_shape_tensor(self) -> Tensor:
        return shape_of(self._tensors()[-1])[-self._event_rank :]

    def is_scalar_event(self, name: str = "is_scalar_event") -> Tensor:
        """Whether one draw is a number."""
        with self._scope(name):
            return constant(self.event_shape.ndims == 0)

    def is_scalar_batch(self, name: str = "is_scalar_batch") -> Tensor:
        """Whether there is one distribution."""
        with self._scope(name):
            return constant(self.batch_shape.ndims == 0)

    @contextmanager
    def _scope(self, name: str) -> Iterator[None]:
        with name_scope(self._name), name_scope(name):
            yield

    @classmethod
    def param_shapes(cls, sample_shape: Any, name: str = "DistributionParamShapes") -> dict:
        """The shapes of the parameters of which one draw has `sample_shape`, by their names.

        Of those that exclude each other, the first.

        Args:
          sample_shape: a vector, which may be computed while the step runs.
          name: of the scope.
        Returns: a dict of int32 vectors.
        Raises:
          NotImplementedError: when a draw is more than a number.
        """
        with name_scope(name):
            known = cls is not Distribution and cls.event_shape is Distribution.event_shape
            if cls._event_rank or not known:
                raise NotImplementedError("_param_shapes not implemented")
            names = list(signature_of(cls).parameters)[:-3]
            own = [key for key in names if key not in ("probs", "log_rate", "dtype")]
            return dict.fromkeys(own, convert_to_tensor(sample_shape, dtypes.int32))

    @classmethod
    def param_static_shapes(cls, sample_shape: Any) -> dict[str, TensorShape]:
        """As `param_shapes`, of a shape that is known when the graph is built."""
        return dict.fromkeys(cls.param_shapes(sample_shape), TensorShape(sample_shape))

    def copy(self, **override_parameters_kwargs: Any) -> Distribution:
        """Another one of its kind, with some arguments replaced."""
        return type(self)(**{**self._parameters, **override_parameters_kwargs})

    def __str__(self) -> str:
        shapes = [("batch_shape", self.batch_shape), ("event_shape", self.event_shape)]
        known = "".join(f", {k}={_shown(v)}" for k, v in shapes if v.ndims is not None)
        kind = type(self).__name__
        return f'tfp.distributions.{kind}("{self._name}"{known}, dtype={self._dtype.name})'

    def __repr__(self) -> str:
        return (
            f"<tfp.distributions.{type(self).__name__} '{self._name}' "
            f"batch_shape={_shown(self.batch_shape)} event_shape={_shown(self.event_shape)} "
            f"dtype={self._dtype.name}>"
        )

    # ---- draws ---------------------------------------------------------------------------------

    def sample(
        self, sample_shape: Any = (), seed: int | None = None, name: str = "sample", **how: Any
    ) -> Any:
        """Draws: [*sample_shape, *batch_shape, *event_shape].

        Args:
          sample_shape: how many; a number or a vector.
          seed: makes the draws repeatable, see `tf.set_random_seed`.
          name: the name of the scope.
          how: further arguments of the formula, of a distribution that is conditional; here and in
            the functions of a value.
        """
        with self._scope(name):
            wanted: Any = sample_shape
            if not isinstance(wanted, Tensor):
                wanted = np.ravel(np.asarray(wanted, np.int32))
            wanted = convert_to_tensor(wanted, dtypes.int32, name="sample_shape")
            if wanted.shape.ndims != 1:
                wanted = reshape(wanted, [-1])
            fixed = constant_value(wanted)
            count = int(np.prod(fixed)) if fixed is not None else reduce_prod(wanted)
            draws = self._sample_n(count, seed, **how)
            result = reshape(draws, concat([wanted, shape_of(draws)[1:]], 0))
            front = TensorShape(None if fixed is None else [int(size) for size in fixed])
            result.set_shape(front.concatenate(self.batch_shape).concatenate(self.event_shape))
            return result

    def _sample_n(self, n: Any, seed: Any) -> Any:
        if not hasattr(self, "_quantile"):
            self._lacks("sample_n")
        shape, tiny = self._samples(n), np.finfo(self._dtype.as_numpy_dtype).tiny
        return self._quantile(random_uniform(shape, tiny, 1.0, self._dtype, seed))

    def _samples(self, n: Any) -> Tensor:
        """The shape of n draws, each a number."""
        return concat([[n], self.batch_shape_tensor()], 0)

    def _lacks(self, what: str) -> NoReturn:
        raise NotImplementedError(f"{what} is not implemented: {type(self).__name__}")

    # ---- functions of a value ------------------------------------------------------------------

    def _formula(self, ways: tuple, name: str, *args: Any, **how: Any) -> Any:
        """The first of several formulas that there is, each with what is done to its result."""
        for formula, change in ways:
            own = getattr(self, formula, None)
            if own is not None:
                return change(own(*args, **how))
        self._lacks(name)

    def _of_value(self, name: str, value: Any, how: dict, *ways: tuple[str, Callable]) -> Any:
        with self._scope(name):
            value = convert_to_tensor(value, name="value", preferred_dtype=self._dtype)
            return self._formula(ways, name, value, **how)

    def log_prob(self, value: Any, name: str = "log_prob", **how: Any) -> Any:
        """The logarithm of the density, or of the probability, at a value."""
        return self._of_value("log_prob", value, how, ("_log_prob", _same), ("_prob", log))

    def prob(self, value: Any, name: str = "prob", **how: Any) -> Any:
        """The density, or the probability, at a value."""
        return self._of_value("prob", value, how, ("_prob", _same), ("_log_prob", exp))

    def log_cdf(self, value: Any, name: str = "log_cdf", **how: Any) -> Any:
        """The logarithm of the probability of draws up to a value."""
        return self._of_value("log_cdf", value, how, ("_log_cdf", _same), ("_cdf", log))

    def cdf(self, value: Any, name: str = "cdf", **how: Any) -> Any:
        """The probability of draws up to a value."""
        return self._of_value("cdf", value, how, ("_cdf", _same), ("_log_cdf", exp))

    def log_survival_function(
        self, value: Any, name: str = "log_survival_function", **how: Any
    ) -> Any:
        """The logarithm of the probability of draws above a value."""
        ways = ("_log_survival_function", _same), ("_cdf", lambda below: log1p(-below))
        return self._of_value("log_survival_function", value, how, *ways)

    def survival_function(self, value: Any, name: str = "survival_function", **how: Any) -> Any:
        """The probability of draws above a value."""
        ways = ("_survival_function", _same), ("_cdf", lambda below: 1.0 - below)
        return self._of_value("survival_function", value, how, *ways)

    def quantile(self, value: Any, name: str = "quantile", **how: Any) -> Any:
        """The number below which draws are with a probability."""
        return self._of_value("quantile", value, how, ("_quantile", _same))

    # ---- numbers that describe it --------------------------------------------------------------

    def _of_itself(self, name: str, *ways: tuple[str, Callable]) -> Any:
        with self._scope(name):
            return self._formula(ways, name)

    def entropy(self, name: str = "entropy") -> Any:
        """The mean of `-log_prob`, in nats."""
        return self._of_itself("entropy", ("_entropy", _same))

    def mean(self, name: str = "mean") -> Any:
        """The mean."""
        return self._of_itself("mean", ("_mean", _same))

    def variance(self, name: str = "variance") -> Any:
        """The variance."""
        return self._of_itself("variance", ("_variance", _same), ("_stddev", square))

    def stddev(self, name: str = "stddev") -> Any:
        """The standard deviation."""
        return self._of_itself("stddev", ("_stddev", _same), ("_variance", sqrt))

    def covariance(self, name: str = "covariance") -> Any:
        """The covariance of the numbers of one draw."""
        return self._of_itself("covariance", ("_covariance", _same))

    def mode(self, name: str = "mode") -> Any:
        """The likeliest value."""
        return self._of_itself("mode", ("_mode", _same))

    def cross_entropy(self, other: Distribution, name: str = "cross_entropy") -> Any:
        """The mean of `-other.log_prob` over draws of this one, in nats."""
        with self._scope(name):
            return kl_divergence(self, other, self._allow_nan_stats) + self.entropy()

    def kl_divergence(self, other: Distribution, name: str = "kl_divergence") -> Any:
        """How far another distribution is from this one, in nats; see `kl_divergence`."""
        with self._scope(name):
            return kl_divergence(self, other, self._allow_nan_stats)

    # ---- for the formulas ----------------------------------------------------------------------

    def _ones(self) -> Tensor:
        return ones(self.batch_shape_tensor(), self._dtype)


def _kind(name: str, base: type, start: Callable, takes: Any, **members: Any) -> type:
    """A class whose constructor takes `takes`, and hands them to `start` as a dictionary."""
    ends = {"validate_args": False, "allow_nan_stats": True, "name": name}
    given = {"self": Parameter.empty, **takes, **ends}
    kind = Parameter.POSITIONAL_OR_KEYWORD
    signature = Signature([Parameter(k, kind, default=v) for k, v in given.items()])

    def __init__(*args: Any, **kwargs: Any) -> None:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        start(**bound.arguments)

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    where = sys._getframe(2).f_globals["__name__"]  # the module whose row it is
    return type(name, (base,), {"__init__": __init__, "__module__": where, **members})


def family(name: str, doc: str, takes: str, base: type = Distribution, **formulas: Any) -> Any:
    """A class of distributions as a row of formulas.

    Args:
      name: of the class.
      doc: one sentence.
      takes: the parameters; those that end in "=None" may be left out.
      base: what it extends.
      formulas: `log_prob`, `mean`, ...: each of a distribution, and a value if it is one of values;
        a `quantile` brings the draws, too. Other attributes are `positive`, `several`, ...
    """
    names = [each.removesuffix("=None") for each in takes.split()]
    given = {n: None if f"{n}=None" in takes else Parameter.empty for n in names}

    def start(self: Any, **given: Any) -> None:
        self._begin(given, names)

    members = {f"_{key}": formula for key, formula in formulas.items()}
    return _kind(name, base, start, given, __doc__=doc, **members)


def through(name: str, base: type, **changes: Callable) -> Any:
    """A class of distributions whose parameters are functions of those that are given."""
    takes = list(signature_of(base).parameters.items())[:-3]

    def start(self: Any, **given: Any) -> None:
        base.__init__(self, **{k: changes.get(k, _same)(v) for k, v in given.items()})  # type: ignore[misc]

    doc = f"`{base.__name__}`, with a function of its parameters: of {', '.join(changes)}."
    return _kind(name, base, start, {k: v.default for k, v in takes}, __doc__=doc)


def _same(value: Any) -> Any:
    return value


def _shown(shape: TensorShape) -> str:
    if shape.ndims is None:
        return "<unknown>"
    sizes = ", ".join("?" if axis.value is None else str(axis.value) for axis in shape)
    return f"({sizes},)" if shape.ndims == 1 else f"({sizes})"


# ---- divergence --------------------------------------------------------------------------------

_DIVERGENCES: dict[tuple[type, type], Callable[..., Any]] = {}


class RegisterKL:
    """Registers a function as the divergence between two kinds of distributions.

    Example:
      >>> class Wide(tf.distributions.Normal): pass
      >>> @tf.distributions.RegisterKL(Wide, tf.distributions.Normal)
      ... def _(wide, normal, name=None):
      ...     return tf.constant(0.0, name=name)
    """

    def __init__(self, dist_cls_a: type, dist_cls_b: type) -> None:
        self._key = (dist_cls_a, dist_cls_b)

    def __call__(self, kl_fn: Callable[..., Any]) -> Callable[..., Any]:
        """Registers it.

        Raises:
          TypeError: when it cannot be called.
          ValueError: when there is one already.
        """
        if not callable(kl_fn):
            raise TypeError(f"kl_fn must be callable, received: {kl_fn}")
        if self._key in _DIVERGENCES:
            a, b = self._key
            raise ValueError(
                f"KL({a.__name__} || {b.__name__}) has already been registered to: "
                f"{_DIVERGENCES[self._key]}"
            )
        _DIVERGENCES[self._key] = kl_fn
        return kl_fn


def kl_divergence(
    distribution_a: Distribution,
    distribution_b: Distribution,
    allow_nan_stats: bool = True,
    name: str | None = None,
) -> Any:
    """The mean over draws of a of `a.log_prob - b.log_prob`, in nats.

    Args:
      distribution_a, distribution_b: the two.
      allow_nan_stats: whether it may be NaN, rather than an error of the step.
      name: the name of the scope.
    Raises:
      NotImplementedError: when there is no formula for the two kinds.
    """
    found = [
        _DIVERGENCES[a, b]
        for a in type(distribution_a).__mro__
        for b in type(distribution_b).__mro__
        if (a, b) in _DIVERGENCES
    ]
    if not found:
        raise NotImplementedError(
            "No KL(distribution_a || distribution_b) registered for distribution_a type "
            f"{type(distribution_a).__name__} and distribution_b type "
            f"{type(distribution_b).__name__}"
        )
    with name_scope("KullbackLeibler"):
        return found[0](distribution_a, distribution_b, name=name)
