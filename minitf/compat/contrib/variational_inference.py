"""`tf.contrib.bayesflow`: how well a law fits one of which only the joint density is known.

log p(x) >= E_q[log p(x, z) - log q(z)], the evidence lower bound: the closer q(z) is to p(z | x),
the closer the bound (Jordan et al., 1999; Kingma and Welling, 2014).

    q(z) ──StochasticTensor z──> log p(x | z) ──elbo──> the bound, to be made large
    p(z) ─────register_prior──────────────────────┘

    elbo              = log p(x | z) - KL[q, p]               by formulas, where there are some;
                      = log p(x | z) + log p(z) + H[q]        else by these of the drawn z
    elbo_ratio        the same by many draws of q; renyi_ratio   tighter, by powers of p / q
    get_stochastic_variable   weights that are drawn, from laws whose parameters are variables
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from minitf.compat.contrib.bayesflow import (
    STOCHASTIC_TENSOR_COLLECTION,
    StochasticTensor,
    log_mean_exp,
    samples_of,
)
from minitf.compat.contrib.graph_editor import get_backward_walk_ops
from minitf.core.gradients.gradients import gradients
from minitf.core.graph import stacks
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.cast import cast
from minitf.core.ops.math import exp, maximum, minimum
from minitf.core.ops.reductions import reduce_mean, reduce_sum
from minitf.core.variables.initialization import trainable_variables
from minitf.core.variables.variable_scope import get_variable_scope, variable_scope
from minitf.library.checks.assertions import assert_non_negative, assert_positive, assert_rank
from minitf.library.distributions.base import Distribution, kl_divergence
from minitf.library.distributions.continuous import NormalWithSoftplusScale

VI_PRIORS = "__vi_priors__"


class _ELBOForm:
    pass


class ELBOForms:
    """How a bound is computed.

    `analytic_kl`: by the formula of the divergence; `analytic_entropy`: by that of the entropy;
    `sample`: by what was drawn; `default`: by the first of these that there is.
    """

    default, analytic_kl, analytic_entropy, sample = (_ELBOForm() for _ in range(4))

    @staticmethod
    def check_form(form: Any) -> None:
        """Raises a TypeError when `form` is none of them."""
        if not isinstance(form, _ELBOForm):
            raise TypeError("form must be an ELBOForms constant")


# ---- the bound of what was drawn -----------------------------------------------------------


def register_prior(variational: StochasticTensor, prior: Distribution) -> None:
    """Says what the law of a stochastic tensor is compared with by `elbo`.

    Raises:
      TypeError: when arguments are of another kind.
    """
    if not isinstance(variational, StochasticTensor):
        raise TypeError("variational must be a StochasticTensor")
    if not isinstance(prior, Distribution):
        raise TypeError("prior must be a Distribution")
    stacks.add_to_collection(VI_PRIORS, (variational, prior))


def elbo(
    log_likelihood: Any, variational_with_prior: Mapping[Any, Distribution] | None = None,
    keep_batch_dim: bool = True, form: Any = None, name: str = "ELBO",
) -> Tensor:  # fmt: skip
    """The evidence lower bound, given log p(x | z) of z that were drawn.

    Args:
      log_likelihood: log p(x | z).
      variational_with_prior: the stochastic tensors z, each with its p(z); by default all that
        `log_likelihood` depends on, with what `register_prior` said.
      keep_batch_dim: whether the other terms keep their shape: where each example has a z of its
        own; else they are summed.
      form: one of `ELBOForms`.
      name: the name of the scope.
    Returns: like `log_likelihood`.
    Raises:
      TypeError: when arguments are of another kind.
      ValueError: when there is no stochastic tensor, or one has no prior.
      NotImplementedError: when the formula that `form` asks for does not exist.
    Example:
      >>> vi = tf.contrib.bayesflow.variational_inference
      >>> z = tf.contrib.bayesflow.stochastic_tensor.StochasticTensor(
      ...     tf.distributions.Normal(0.0, 1.0))
      >>> vi.register_prior(z, tf.distributions.Normal(1.0, 1.0))  # half a nat away
      >>> sess.run(vi.elbo(0.0 * z.value()))
      -0.5
    """
    with name_scope(name):
        model = convert_to_tensor(log_likelihood)
        return _bound(model, _priors(model, variational_with_prior), keep_batch_dim, form)


def elbo_with_log_joint(
    log_joint: Any, variational: Sequence[StochasticTensor] | None = None,
    keep_batch_dim: bool = True, form: Any = None, name: str = "ELBO",
) -> Tensor:  # fmt: skip
    """The evidence lower bound, given log p(x, z) of z that were drawn; see `elbo`.

    Args:
      log_joint: log p(x, z).
      variational: the stochastic tensors z; by default all that `log_joint` depends on.

    Raises:
      ValueError: also when `form` is `analytic_kl`, for which p(z) is needed.
    """
    if form is ELBOForms.analytic_kl:
        raise ValueError(
            "ELBOForms.analytic_kl is not available when using elbo_with_log_joint. Use elbo or a "
            "different form."
        )
    with name_scope(name):
        model = convert_to_tensor(log_joint)
        given = _upstream(model) if variational is None else variational
        return _bound(model, _priors(model, dict.fromkeys(given)), keep_batch_dim, form)


def _upstream(model: Tensor) -> list[StochasticTensor]:
    before = set(get_backward_walk_ops([model.op], inclusive=True))
    drawn = stacks.get_collection(STOCHASTIC_TENSOR_COLLECTION)
    found = [tensor for tensor in drawn if tensor.value().op in before]
    if not found:
        raise ValueError(f"No upstream stochastic nodes found for tensor: {model}")
    return found


def _priors(model: Tensor, given: Mapping[Any, Any] | None) -> Mapping[Any, Any]:
    if given is None:
        registered = dict(stacks.get_collection(VI_PRIORS))
        given = {tensor: registered.get(tensor) for tensor in _upstream(model)}
        for tensor, prior in given.items():
            if prior is None:
                raise ValueError(f"No prior specified for StochasticTensor: {tensor}")
    if not all(isinstance(each, StochasticTensor) for each in given):
        raise TypeError("variationals must be StochasticTensors")
    if not all(prior is None or isinstance(prior, Distribution) for prior in given.values()):
        raise TypeError("priors must be Distribution objects")
    return given


def _bound(model: Tensor, priors: Mapping[Any, Any], keep_batch_dim: bool, form: Any) -> Tensor:
    form = ELBOForms.default if form is None else form
    ELBOForms.check_form(form)
    for tensor, prior in priors.items():
        for term in _terms(tensor.distribution, tensor.value(), prior, form):
            model += term if keep_batch_dim else reduce_sum(term)
    return model


def _terms(q: Distribution, z: Tensor, prior: Distribution | None, form: Any) -> list[Tensor]:
    if prior is not None and form in (ELBOForms.default, ELBOForms.analytic_kl):
        try:
            return [-kl_divergence(q, prior)]
        except NotImplementedError:
            if form is ELBOForms.analytic_kl:
                raise
    entropy = _entropy(q, form, lambda: -q.log_prob(z))
    return [entropy] if prior is None else [entropy, prior.log_prob(z)]


def _entropy(q: Distribution, form: Any, by_samples: Callable[[], Tensor]) -> Tensor:
    if form is not ELBOForms.sample:
        try:
            return q.entropy()
        except NotImplementedError:
            if form is ELBOForms.analytic_entropy:
                raise
    return by_samples()


# ---- entropies and ratios by many draws ----------------------------------------------------


def entropy_shannon(
    p: Distribution, z: Any = None, n: Any = None, seed: int | None = None, form: Any = None,
    name: str = "entropy_shannon",
) -> Tensor:  # fmt: skip
    """The entropy of `p`, by its formula or as the mean of -log p over samples.

    Args:
      p: a distribution.
      z: [n, ...], samples of it; or else
      n, seed: how many to draw.
      form: one of `ELBOForms` but `analytic_kl`.
      name: the name of the scope.
    Returns: with the shape of a batch of `p`.
    Raises:
      ValueError: when `form` is another one; when `n` is given for the formula alone; when samples
        are needed, and neither or both of `z` and `n` are given.
    """
    form = ELBOForms.default if form is None else form
    if n is not None and form is ELBOForms.analytic_entropy:
        raise ValueError("If form == ELBOForms.analytic_entropy, n must be None.")
    if form not in (ELBOForms.default, ELBOForms.analytic_entropy, ELBOForms.sample):
        raise ValueError(f"ELBOForm not handled by this function: {form}")
    with name_scope(name, values=[n, z]):
        return _entropy(p, form, lambda: -reduce_mean(p.log_prob(samples_of(p, z, n, seed)), 0))


def elbo_ratio(
    log_p: Callable[[Any], Any], q: Distribution, z: Any = None, n: Any = None,
    seed: int | None = None, form: Any = None, name: str = "elbo_ratio",
) -> Tensor:  # fmt: skip
    """E_q[log p - log q]: -KL[q, p] of a density p, the evidence lower bound of a joint one.

    Args:
      log_p: of samples of `q`, the logarithm of the density.

    The other arguments are those of `entropy_shannon`, which says how log q is treated.
    """
    with name_scope(name, values=[n, z]):
        z = samples_of(q, z, n, seed)
        return entropy_shannon(q, z=z, form=form) + reduce_mean(log_p(z), 0)


def renyi_ratio(
    log_p: Callable[[Any], Any], q: Distribution, alpha: Any, z: Any = None, n: Any = None,
    seed: int | None = None, name: str = "renyi_ratio",
) -> Tensor:  # fmt: skip
    """log(E_q[(p / q)^(1 - alpha)]) / (1 - alpha), of few samples somewhat too small.

    It is minus the divergence of Renyi of a density p; of a joint one, a bound that goes from
    `elbo_ratio` (alpha near 1) to log p(x) itself (0) (Li and Turner, "Renyi Divergence Variational
    Inference", 2016).

    Args:
      log_p: of samples of `q`, the logarithm of the density.
      q: a distribution.
      alpha: not 1.
      z: [n, ...], samples of `q`; or else
      n, seed: how many to draw.
      name: the name of the scope.
    """
    with name_scope(name, values=[alpha, n, z]):
        z = samples_of(q, z, n, seed)
        return log_mean_exp((1.0 - alpha) * (log_p(z) - q.log_prob(z))) / (1.0 - alpha)


def renyi_alpha(
    step: Any, decay_time: Any, alpha_min: Any, alpha_max: Any = 0.99999,
    name: str = "renyi_alpha",
) -> Tensor:  # fmt: skip
    """From `alpha_max` at step 0 to `alpha_min` at `decay_time`, ever faster.

    alpha_max + (alpha_min - alpha_max) (exp(step / decay_time) - 1) / (e - 1)

    Args:
      step, decay_time: scalars.
      alpha_min, alpha_max: scalars, of the dtype of `alpha_min`.
      name: the name of the scope.
    Raises:
      ValueError: when one is no scalar.
      InvalidArgumentError: when the step is below 0, or the time not above.
    """
    with name_scope(name, values=[step, decay_time, alpha_min, alpha_max]):
        alpha_min = convert_to_tensor(alpha_min, name="alpha_min")
        alpha_max = convert_to_tensor(alpha_max, dtype=alpha_min.dtype, name="alpha_max")
        step, decay_time = cast(step, alpha_min.dtype), cast(decay_time, alpha_min.dtype)
        names = "step", "decay_time", "alpha_min", "alpha_max"
        given = zip(names, (step, decay_time, alpha_min, alpha_max), strict=True)
        checks = [assert_rank(v, 0, message=f"{each} must be scalar") for each, v in given]
        checks.append(assert_non_negative(step, message="step must be non-negative"))
        checks.append(assert_positive(decay_time, message="decay_time must be positive"))
        with stacks.control_dependencies(checks):
            gone = (exp(step / decay_time) - 1.0) / (math.e - 1.0)
            gone = minimum(maximum(gone, 0.0), 1.0)
            return alpha_max * (1.0 - gone) + alpha_min * gone


# ---- variables -----------------------------------------------------------------------------


def get_stochastic_variable(
    getter: Callable[..., Any], name: str, shape: Any = None,
    dist_cls: Any = NormalWithSoftplusScale, dist_kwargs: Mapping[str, Any] | None = None,
    param_initializers: Mapping[str, Any] | None = None, prior: Any = None, **kwargs: Any,
) -> StochasticTensor:  # fmt: skip
    """A draw from a law whose parameters are variables, `NAME_loc`, `NAME_scale` or such.

    Args:
      getter: gets the variables.
      name: what their names begin with.
      shape: of the draw.
      dist_cls: the class of the law; its parameters may be any numbers.
      dist_kwargs: its further arguments.
      param_initializers: initializers by the names of parameters, in place of `initializer`.
      prior: a distribution, or `(shape, dtype)` -> one: `register_prior` gets it.
      kwargs: of `getter`.
    """
    shapes = {} if shape is None else dist_cls.param_static_shapes(shape)
    starts, parameters = param_initializers or {}, dict(dist_kwargs or {})
    initializer = kwargs.pop("initializer", None)
    for each in dict.fromkeys([*shapes, *starts]):
        start = initializer if starts.get(each) is None else starts[each]
        own = shapes.get(each) if start is None or callable(start) else None
        parameters[each] = getter(f"{name}_{each}", shape=own, initializer=start, **kwargs)
    sample = StochasticTensor(dist_cls(**parameters))
    if prior is not None:
        if callable(prior):
            value = sample.value()
            value.shape.assert_is_fully_defined()
            prior = prior(value.shape, value.dtype)
        register_prior(sample, prior)
    return sample


def make_stochastic_variable_getter(
    dist_cls: Any, dist_kwargs: Mapping[str, Any] | None = None,
    param_initializers: Mapping[str, Any] | None = None, prior: Any = None,
) -> Callable[..., StochasticTensor]:  # fmt: skip
    """`get_stochastic_variable` for the `custom_getter` of a variable scope.

    Example:
      >>> make = tf.contrib.bayesflow.stochastic_variables.make_stochastic_variable_getter
      >>> law = tf.contrib.distributions.NormalWithSoftplusScale
      >>> with tf.variable_scope("net", custom_getter=make(law)):
      ...     w = tf.get_variable("w", [2, 3])
      >>> sorted(v.op.name for v in tf.trainable_variables())
      ['net/w_loc', 'net/w_scale']
    """
    return functools.partial(
        get_stochastic_variable, dist_cls=dist_cls, dist_kwargs=dist_kwargs,
        param_initializers=param_initializers, prior=prior,
    )  # fmt: skip


def externalize_variables_as_args(
    fn: Callable[..., Any], fn_args: Sequence[Any] = (), ancestor_variables: Any = None,
    possible_ancestor_vars: Any = None, assert_variable_override: bool = False,
    name: str | None = None,
) -> tuple[Callable[..., Any], Sequence[Any]]:  # fmt: skip
    """A function that takes, after its own arguments, values for the variables that it gets.

    Args:
      fn: gets variables by `tf.get_variable`.
      fn_args: arguments to call it with once, to find the variables.
      ancestor_variables: these, if they are known; then it is not called.
      possible_ancestor_vars: among which they are; by default all that are trained.
      assert_variable_override: whether getting another variable is an error, not a warning.
      name: the name of the scope.
    Returns: the function, and the variables in the order of their names.
    Raises:
      ValueError: see `assert_variable_override`; the function raises it.
    """
    with name_scope(name, "externalize_variables_as_args"):
        if ancestor_variables is not None and not ancestor_variables:
            return fn, ()
        if ancestor_variables is None:
            y, possible = fn(*fn_args), possible_ancestor_vars
            possible = trainable_variables() if possible is None else possible
            slopes = zip(possible, gradients(y, possible), strict=True)
            found = {v.name: v for v, slope in slopes if slope is not None}
            ancestor_variables = [found[each] for each in sorted(found)]

    def wrapped(*args: Any) -> Any:
        given: dict[Any, Tensor] = {}

        def instead(getter: Callable[..., Any], *own: Any, **how: Any) -> Any:
            variable = getter(*own, **how)
            if variable in given:
                return given[variable]
            text = f'Variable "{variable}" not found in bypass dict.'
            if assert_variable_override:
                raise ValueError(text)
            warnings.warn(text, stacklevel=2)
            return variable

        with name_scope("wrapped_fn"):
            for v, value in zip(ancestor_variables, args[len(fn_args) :], strict=False):
                given[v] = convert_to_tensor(value, dtype=v.dtype.base_dtype, name=v.op.name)
            with variable_scope(get_variable_scope(), reuse=True, custom_getter=instead):
                return fn(*args[: len(fn_args)])

    return wrapped, ancestor_variables
