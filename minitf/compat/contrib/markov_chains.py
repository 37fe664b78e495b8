"""`tf.contrib.bayesflow`: chains that draw from a density known up to a factor.

    metropolis_hastings   propose x', take it with probability min(1, p(x') / p(x) * ratio)
    hmc                   proposals far away that are still likely: x rolls through the valleys of
                          the energy -log p(x), with a momentum m drawn anew each time

    energy(x, m) = -log p(x) + |m|^2 / 2       rolling keeps it, so nearly all proposals are taken

    leapfrog:   m -= step/2 grad;  x += step m;  m -= step/2 grad      (grad of -log p)

(Duane, Kennedy, Pendleton and Roweth, "Hybrid Monte Carlo", 1987; Neal, "MCMC using Hamiltonian
dynamics", 2011, and "Annealed importance sampling", 1998). Several chains go side by side: of each
a density gives a number. The functions of hmc come in two forms, those of TensorFlow 1.5 and 1.6.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from minitf.core.gradients.gradients import gradients
from minitf.core.gradients.while_loop import while_loop
from minitf.core.graph import nest
from minitf.core.graph.convert import constant, convert_to_tensor
from minitf.core.graph.operation import Operation
from minitf.core.graph.stacks import name_scope
from minitf.core.graph.tensor import Tensor
from minitf.core.ops.array import shape as shape_of
from minitf.core.ops.array import size as size_of
from minitf.core.ops.array_filling import ones_like
from minitf.core.ops.array_shaping import reshape, transpose
from minitf.core.ops.cast import cast
from minitf.core.ops.comparisons import less, where_v2
from minitf.core.ops.control import group
from minitf.core.ops.math import add_n, exp, is_nan, log, minimum, squared_difference
from minitf.core.ops.random import random_normal, random_uniform
from minitf.core.ops.reductions import reduce_mean, reduce_sum
from minitf.core.ops.state import assign
from minitf.library.graph_tools.tensor_array import TensorArray


def _parts(value: Any) -> list[Any]:
    """A state as a list of tensors."""
    return list(value) if isinstance(value, list | tuple) else [value]


def _like(state: Any, parts: Sequence[Any]) -> Any:
    """Parts in the form of a state: a list, or the tensor alone."""
    return list(parts) if isinstance(state, list | tuple) else parts[0]


def _choose(taken: Tensor, new: Sequence[Tensor], old: Sequence[Tensor]) -> list[Tensor]:
    """For each chain, which are the first axes, the new state or the old one."""

    def each(one: Tensor, other: Tensor) -> Tensor:
        more = (one.shape.ndims or 0) - (taken.shape.ndims or 0)
        return where_v2(reshape(taken, [*_sizes(taken), *[1] * more]), one, other)

    return [each(one, other) for one, other in zip(new, old, strict=True)]


def _sizes(tensor: Tensor) -> list[Any]:
    known, sizes = tensor.shape.as_list(), shape_of(tensor)
    return [sizes[i] if known[i] is None else known[i] for i in range(len(known))]


def _other(seed: int | None, place: int) -> int | None:
    """A seed of its own for each place of a program: equal ones would draw equal numbers."""
    return None if seed is None else (seed * 31 + place * 7919) % 2**31


# ---- Metropolis and Hastings ---------------------------------------------------------------


class MetropolisHastingsResults(NamedTuple):
    """What a step of a chain did; "current" is what was taken."""

    log_accept_ratio: Any
    current_target_log_prob: Any
    is_accepted: Any
    proposed_state: Any


def metropolis_kernel(
    target_log_prob_fn: Callable[..., Tensor], proposal_fn: Callable[..., tuple],
    current_state: Any, seed: int | None = None, current_target_log_prob: Any = None,
    name: str | None = None,
) -> tuple[Any, MetropolisHastingsResults]:  # fmt: skip
    """A step of chains: proposals are taken, or not.

    With probability min(1, p(x') q(x|x') / (p(x) q(x'|x))), for a proposal x' made by q.

    Args:
      target_log_prob_fn: from a state to log p, a number for each chain.
      proposal_fn: from a state to a proposal and log q(x|x') - log q(x'|x), None where that is 0.
      current_state: a tensor, or a list of them, whose first axes are the chains.
      seed: of the draws.
      current_target_log_prob: log p of the state, where it is known.
      name: the name of the scope.
    Returns: the next state, and a `MetropolisHastingsResults`.
    """
    with name_scope(name, "metropolis_hastings_kernel", [current_state]):
        parts = [convert_to_tensor(each) for each in _parts(current_state)]
        before = current_target_log_prob
        before = target_log_prob_fn(*parts) if before is None else convert_to_tensor(before)
        proposed, ratio = proposal_fn(*parts)
        after = target_log_prob_fn(*_parts(proposed))
        change = after - before if ratio is None else after - before + ratio
        taken = less(log(random_uniform(shape_of(change), dtype=change.dtype, seed=seed)), change)
        chosen = _choose(taken, [*_parts(proposed), after], [*parts, before])
        results = MetropolisHastingsResults(change, chosen.pop(), taken, proposed)
        return _like(current_state, chosen), results


def evolve(
    initial_sample: Any, initial_log_density: Any, initial_log_accept_ratio: Any,
    target_log_prob_fn: Callable[..., Tensor], proposal_fn: Callable[..., tuple],
    n_steps: Any = 1, seed: int | None = None, name: str | None = None,
) -> Operation:  # fmt: skip
    """An operation that moves chains, kept in variables, by some steps.

    Args:
      initial_sample, initial_log_density, initial_log_accept_ratio: variables: the state, its
        log p, and the logarithm of the last ratio.
      target_log_prob_fn, proposal_fn, seed: of `kernel`.
      n_steps: how many.
      name: the name of the scope.
    """
    with name_scope(name, "metropolis_hastings", [initial_sample]):

        def body(i: Any, state: Any, density: Any, _: Any) -> tuple:
            state, made = metropolis_kernel(target_log_prob_fn, proposal_fn, state, seed, density)
            return i + 1, state, made.current_target_log_prob, made.log_accept_ratio

        kept = (initial_sample, initial_log_density, initial_log_accept_ratio)
        start = (constant(0), *(convert_to_tensor(each) for each in kept))
        found = while_loop(lambda i, *_: less(i, n_steps), body, start)[1:]
        return group(*(assign(one, new) for one, new in zip(kept, found, strict=True)))


def proposal_uniform(
    step_size: Any = 1.0, seed: int | None = None, name: str | None = None
) -> Callable[..., tuple]:
    """Proposals in a box of `step_size` to each side."""

    def propose(input_state: Any, name: str | None = name) -> tuple[Tensor, None]:
        with name_scope(name, "proposal_uniform", [input_state]):
            state = convert_to_tensor(input_state)
            drawn = random_uniform(shape_of(state), -1.0, 1.0, state.dtype, seed)
            return state + cast(step_size, state.dtype) * drawn, None

    return propose


def proposal_normal(
    scale: Any = 1.0, seed: int | None = None, name: str | None = None
) -> Callable[..., tuple]:
    """Proposals around the state, with a deviation of `scale`."""

    def propose(input_state: Any, name: str | None = name) -> tuple[Tensor, None]:
        with name_scope(name, "proposal_normal", [input_state]):
            state = convert_to_tensor(input_state)
            drawn = random_normal(shape_of(state), dtype=state.dtype, seed=seed)
            return state + cast(scale, state.dtype) * drawn, None

    return propose


# ---- rolling -------------------------------------------------------------------------------


def leapfrog_step(
    step_size: Any, position: Tensor, momentum: Tensor, potential_and_grad: Callable,
    grad: Tensor, name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:  # fmt: skip
    """A step of rolling: half a push, a way, half a push.

    Args:
      step_size: how long, a number or one for each element.
      position, momentum: x and m, of one shape.
      potential_and_grad: from x to -log p and its gradient.
      grad: the gradient at the position.
      name: the name of the scope.
    Returns: position, momentum, potential and gradient after it.
    """
    with name_scope(name, "leapfrog_step", [position, momentum]):
        (position,), (momentum,), potential, (grad,) = _leapfrog(
            [step_size], [position], [momentum], _of_one(potential_and_grad), [grad]
        )
        return position, momentum, potential, grad


def leapfrog_integrator(
    step_size: Any, n_steps: Any, initial_position: Tensor, initial_momentum: Tensor,
    potential_and_grad: Callable, initial_grad: Tensor, name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:  # fmt: skip
    """`n_steps` times `leapfrog_step`, whose other arguments and results it has."""
    with name_scope(name, "leapfrog_integrator", [initial_position, initial_momentum]):
        (position,), (momentum,), potential, (grad,) = _roll(
            [step_size], n_steps, [initial_position], [initial_momentum],
            _of_one(potential_and_grad), [initial_grad],
        )  # fmt: skip
        return position, momentum, potential, grad


def _of_one(potential_and_grad: Callable) -> Callable:
    """A function of a list of one tensor."""

    def of_list(parts: Sequence[Tensor]) -> tuple[Tensor, list[Tensor]]:
        potential, grad = potential_and_grad(parts[0])
        return potential, [grad]

    return of_list


def _leapfrog(
    steps: Sequence[Any], x: Sequence[Tensor], m: Sequence[Tensor], slope: Callable,
    grads: Sequence[Tensor],
) -> tuple[list, list, Tensor, list]:  # fmt: skip
    m = [p - 0.5 * step * g for p, step, g in zip(m, steps, grads, strict=True)]
    x = [q + step * p for q, step, p in zip(x, steps, m, strict=True)]
    potential, grads = slope(x)
    m = [p - 0.5 * step * g for p, step, g in zip(m, steps, grads, strict=True)]
    return x, m, potential, list(grads)


def _roll(
    steps: Sequence[Any], count: Any, x: Sequence[Any], m: Sequence[Any], slope: Callable,
    grads: Sequence[Any],
) -> tuple[list, list, Tensor, list]:  # fmt: skip
    x, m, grads = ([convert_to_tensor(each) for each in part] for part in (x, m, grads))
    steps = [cast(step, q.dtype) for step, q in zip(steps, x, strict=True)]
    potential = slope(x)[0]

    def body(i: Any, x: Any, m: Any, _: Any, grads: Any) -> tuple:
        return i + 1, *_leapfrog(steps, x, m, slope, grads)

    found = while_loop(
        lambda i, *_: less(i, count), body, (constant(0), x, m, potential, grads)
    )  # fmt: skip
    _, x, m, potential, grads = found
    return list(x), list(m), potential, list(grads)


# ---- Hamilton's Monte Carlo ----------------------------------------------------------------


class HMCResults(NamedTuple):
    """What a step of a chain did, "current" is what was taken; a number for each chain each."""

    acceptance_probs: Any
    current_grads_target_log_prob: Any
    current_target_log_prob: Any
    energy_change: Any
    is_accepted: Any
    log_accept_ratio: Any
    proposed_grads_target_log_prob: Any
    proposed_state: Any
    proposed_target_log_prob: Any


class _Point(NamedTuple):
    """Where chains are: states, log p, and its gradients."""

    parts: list[Tensor]
    log_p: Tensor
    grads: list[Tensor]


def _point(log_p_fn: Callable[..., Tensor], parts: Sequence[Any]) -> _Point:
    parts = [convert_to_tensor(each) for each in parts]
    log_p = log_p_fn(*parts)
    slopes = zip(gradients(log_p, parts), parts, strict=True)
    return _Point(parts, log_p, [0.0 * x if slope is None else slope for slope, x in slopes])


def _step(
    log_p_fn: Callable[..., Tensor], here: _Point, step_size: Any, leaps: Any, seed: int | None
) -> tuple[_Point, HMCResults]:
    """A step of chains, whose axes come first in states."""

    def slope(parts: Sequence[Tensor]) -> tuple[Tensor, list[Tensor]]:
        there = _point(log_p_fn, parts)
        return -there.log_p, [-each for each in there.grads]

    def kinetic(momenta: Sequence[Tensor]) -> Tensor:
        chains = here.log_p.shape.ndims or 0
        return add_n([0.5 * reduce_sum(m * m, [*range(chains, len(m.shape))]) for m in momenta])

    steps = _parts(step_size)
    steps = steps * len(here.parts) if len(steps) == 1 else steps
    momenta = [
        random_normal(shape_of(x), dtype=x.dtype, seed=_other(seed, i + 1))
        for i, x in enumerate(here.parts)
    ]
    x, m, potential, grads = _roll(
        steps, leaps, here.parts, momenta, slope, [-each for each in here.grads]
    )
    there = _Point(x, -potential, [-each for each in grads])
    change = here.log_p - there.log_p + kinetic(m) - kinetic(momenta)
    # What rolled out of the numbers is not taken.
    change = where_v2(is_nan(change), ones_like(change) * float("inf"), change)
    accepted = exp(minimum(-change, 0.0))
    drawn = random_uniform(shape_of(change), dtype=change.dtype, seed=_other(seed, 0))
    taken = less(drawn, accepted)
    flat = _choose(taken, nest.flatten(there), nest.flatten(here))
    now = nest.pack_sequence_as(here, flat)
    for new, old in zip(nest.flatten(now), nest.flatten(here), strict=True):
        new.set_shape(old.shape)
    return now, HMCResults(
        accepted, now.grads, now.log_p, change, taken, -change, there.grads, there.parts,
        there.log_p,
    )  # fmt: skip


def _results(state: Any, made: HMCResults) -> HMCResults:
    """Results with states in the form of a program's."""
    return made._replace(
        current_grads_target_log_prob=_like(state, made.current_grads_target_log_prob),
        proposed_grads_target_log_prob=_like(state, made.proposed_grads_target_log_prob),
        proposed_state=_like(state, made.proposed_state),
    )


def _several(
    log_p_fn: Callable[..., Tensor], here: _Point, step_size: Any, leaps: Any, seed: int | None,
    count: Any,
) -> _Point:  # fmt: skip
    """Where chains are after some steps."""
    if isinstance(count, int) and count == 0:
        return here

    def body(i: Any, here: _Point) -> tuple:
        return i + 1, _step(log_p_fn, here, step_size, leaps, seed)[0]

    return while_loop(lambda i, _: less(i, count), body, (constant(0), here))[1]


def _in_both_forms(kernel: Callable) -> Callable:
    """The kernel, which takes the arguments that it had in TensorFlow 1.5 as well."""

    @functools.wraps(kernel)
    def either(*args: Any, **kwargs: Any) -> Any:
        older = "n_leapfrog_steps" in kwargs or "x" in kwargs or not callable([*args, len][0])
        return _older_kernel(*args, **kwargs) if older else kernel(*args, **kwargs)

    return either


@_in_both_forms
def hmc_kernel(
    target_log_prob_fn: Callable[..., Tensor], current_state: Any, step_size: Any,
    num_leapfrog_steps: Any, seed: int | None = None, current_target_log_prob: Any = None,
    current_grads_target_log_prob: Any = None, name: str | None = None,
) -> tuple[Any, HMCResults]:  # fmt: skip
    """A step of chains.

    Args:
      target_log_prob_fn: from a state to log p, a number for each chain.
      current_state: a tensor, or a list of them, whose first axes are the chains.
      step_size: how far a leap goes: a number, or one for each element; or a list for a list.
      num_leapfrog_steps: how many leaps make a proposal.
      seed: of the draws.
      current_target_log_prob, current_grads_target_log_prob: of the state, where they are known.
      name: the name of the scope.
    Returns: the next state, and an `HMCResults`.
    """
    with name_scope(name, "hmc_kernel", [current_state]):
        parts = [convert_to_tensor(each) for each in _parts(current_state)]
        log_p, grads = current_target_log_prob, current_grads_target_log_prob
        if log_p is None or grads is None:
            here = _point(target_log_prob_fn, parts)
        else:
            known = [convert_to_tensor(each) for each in _parts(grads)]
            here = _Point(parts, convert_to_tensor(log_p), known)
        now, made = _step(target_log_prob_fn, here, step_size, num_leapfrog_steps, seed)
        return _like(current_state, now.parts), _results(current_state, made)


def sample_chain(
    num_results: Any, target_log_prob_fn: Callable[..., Tensor], current_state: Any,
    step_size: Any, num_leapfrog_steps: Any, num_burnin_steps: Any = 0,
    num_steps_between_results: Any = 0, seed: int | None = None,
    current_target_log_prob: Any = None, current_grads_target_log_prob: Any = None,
    name: str | None = None,
) -> tuple[Any, HMCResults]:  # fmt: skip
    """States of chains, one after the other.

    Args:
      num_results: how many.
      num_burnin_steps: how many steps are not kept at first.
      num_steps_between_results: how many are not kept between two.

    The other arguments are those of `kernel`.
    Returns: states [num_results, ...], and an `HMCResults` whose parts have this axis, too.
    """
    with name_scope(name, "hmc_sample_chain", [current_state]):
        go = (step_size, num_leapfrog_steps)
        here = _point(target_log_prob_fn, _parts(current_state))
        here = _several(target_log_prob_fn, here, *go, _other(seed, 100), num_burnin_steps)
        one = _step(target_log_prob_fn, here, *go, seed)  # for its structure alone: it does not run
        empty = [TensorArray(each.dtype, size=num_results) for each in nest.flatten(one)]

        def body(i: Any, here: _Point, arrays: list[Any]) -> tuple:
            skipped = num_steps_between_results
            here = _several(target_log_prob_fn, here, *go, _other(seed, 200), skipped)
            made = _step(target_log_prob_fn, here, *go, seed)
            flat = zip(arrays, nest.flatten(made), strict=True)
            return i + 1, made[0], [array.write(i, each) for array, each in flat]

        arrays = while_loop(lambda i, *_: less(i, num_results), body, (constant(0), here, empty))[2]
        now, made = nest.pack_sequence_as(one, [array.stack() for array in arrays])
        return _like(current_state, now.parts), _results(current_state, made)


def sample_annealed_importance_chain(
    proposal_log_prob_fn: Callable[..., Tensor], num_steps: int,
    target_log_prob_fn: Callable[..., Tensor], current_state: Any, step_size: Any,
    num_leapfrog_steps: Any, seed: int | None = None, name: str | None = None,
) -> tuple[Any, Tensor, HMCResults]:  # fmt: skip
    """How large the integral of a density is, by chains that go there from one whose integral is 1.

    log p_b = (1 - b) log proposal + b log target, for b = 1/n, 2/n ... 1: before each step a chain
    weighs w += (log target - log proposal) / n. The mean of exp(w) is the ratio of the integrals.

    Args:
      proposal_log_prob_fn: log p of the density that `current_state` was drawn from.
      num_steps: n.
      target_log_prob_fn: log p of the other one.

    The other arguments are those of `kernel`.
    Returns: the last states, w for each chain, and the `HMCResults` of the last step.
    """
    with name_scope(name, "hmc_sample_annealed_importance_chain", [current_state]):
        parts = [convert_to_tensor(each) for each in _parts(current_state)]

        def on(i: Any, parts: Sequence[Tensor], weights: Any, seed: int | None) -> tuple:
            target, proposal = target_log_prob_fn(*parts), proposal_log_prob_fn(*parts)
            weights = weights + (target - proposal) / num_steps

            def between(*x: Tensor) -> Tensor:
                b = cast(i + 1, target.dtype) / num_steps
                return (1.0 - b) * proposal_log_prob_fn(*x) + b * target_log_prob_fn(*x)

            here = _point(between, parts)
            return weights, *_step(between, here, step_size, num_leapfrog_steps, seed)

        def body(i: Any, parts: Any, weights: Any) -> tuple:
            weights, now, _ = on(i, parts, weights, seed)
            return i + 1, now.parts, weights

        start = (constant(0), parts, 0.0 * target_log_prob_fn(*parts))
        i, parts, weights = while_loop(lambda i, *_: less(i, num_steps - 1), body, start)
        weights, now, made = on(i, parts, weights, _other(seed, 100))
        return _like(current_state, now.parts), weights, _results(current_state, made)


# ---- hmc as TensorFlow 1.5 had it ----------------------------------------------------------


def _chains_first(
    log_p_fn: Callable[[Tensor], Tensor], x: Any, event_dims: Any
) -> tuple[Callable[[Tensor], Tensor], Tensor, list[int]]:
    """A density and a state whose event axes come last, and the order that undoes it."""
    x = convert_to_tensor(x)
    rank = len(x.shape)
    last = sorted(axis % rank for axis in _parts(event_dims))
    order = [axis for axis in range(rank) if axis not in last] + last
    back = [order.index(axis) for axis in range(rank)]
    if order == back == list(range(rank)):
        return log_p_fn, x, back
    return lambda y: log_p_fn(transpose(y, back)), transpose(x, order), back


def _older_kernel(
    step_size: Any, n_leapfrog_steps: Any, x: Any, target_log_prob_fn: Callable[[Tensor], Tensor],
    event_dims: Any = (), x_log_prob: Any = None, x_grad: Any = None,
    skip_metropolis_step: bool = False, name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:  # fmt: skip
    """A step of chains: the next state, the probability of taking it, log p and its gradient."""
    with name_scope(name, "hmc_kernel", [x]):
        log_p, start, back = _chains_first(target_log_prob_fn, x, event_dims)
        here = _point(log_p, [start])
        now, made = _step(log_p, here, step_size, n_leapfrog_steps, None)
        found = now.parts[0], now.log_p, now.grads[0]
        if skip_metropolis_step:
            found = (made.proposed_state[0], made.proposed_target_log_prob,
                     made.proposed_grads_target_log_prob[0])  # fmt: skip
        state, log_prob, grad = found
        return transpose(state, back), made.acceptance_probs, log_prob, transpose(grad, back)


def chain(
    n_iterations: Any, step_size: Any, n_leapfrog_steps: Any, initial_x: Any,
    target_log_prob_fn: Callable[[Tensor], Tensor], event_dims: Any = (), name: str | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """States of chains and the probabilities that they were taken with, [n_iterations, ...] each.

    Args:
      n_iterations, step_size, n_leapfrog_steps: see `sample_chain`.
      initial_x: where chains begin.
      target_log_prob_fn: log p, with the axes of `initial_x` that are no events.
      event_dims: the axes that belong to one chain; by default none do.
      name: the name of the scope.
    """
    with name_scope(name, "hmc_chain", [initial_x]):
        log_p, x, back = _chains_first(target_log_prob_fn, initial_x, event_dims)
        states, made = sample_chain(n_iterations, log_p, x, step_size, n_leapfrog_steps)
        return transpose(states, [0, *(axis + 1 for axis in back)]), made.acceptance_probs


def ais_chain(
    n_iterations: int, step_size: Any, n_leapfrog_steps: Any, initial_x: Any,
    target_log_prob_fn: Callable[[Tensor], Tensor],
    proposal_log_prob_fn: Callable[[Tensor], Tensor], event_dims: Any = (),
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """`sample_annealed_importance_chain` with the arguments of `chain`.

    Returns: weights, states, and probabilities of the last step.
    """
    with name_scope(name, "hmc_ais_chain", [initial_x]):
        log_p, x, back = _chains_first(target_log_prob_fn, initial_x, event_dims)
        before = _chains_first(proposal_log_prob_fn, initial_x, event_dims)[0]
        x, weights, made = sample_annealed_importance_chain(
            before, n_iterations, log_p, x, step_size, n_leapfrog_steps
        )
        return weights, transpose(x, back), made.acceptance_probs


# ---- whether chains have met ---------------------------------------------------------------


def potential_scale_reduction(
    state: Any, independent_chain_ndims: int = 1, name: str | None = None
) -> Any:
    """How much wider all chains spread than each: near 1, once they have forgotten their starts.

    With n states of each of m chains, B the variance of the chains' means, W the mean of their
    variances: (m + 1) / m * (W + B) / W - (n - 1) / (m n) (Gelman and Rubin, 1992).

    Args:
      state: [n, chains ..., ...], a tensor or a list of them.
      independent_chain_ndims: how many axes are chains.
      name: the name of the scope.
    Raises:
      ValueError: when no axis is.
    """
    if independent_chain_ndims < 1:
        raise ValueError(
            f"Argument `independent_chain_ndims` must be `>= 1`, found: {independent_chain_ndims}"
        )

    def each(states: Any) -> Tensor:
        states = convert_to_tensor(states)
        chains = list(range(1, 1 + independent_chain_ndims))
        n = cast(shape_of(states)[0], states.dtype)
        middle = reduce_mean(states, 0, keepdims=True)
        every = reduce_mean(middle, chains, keepdims=True)
        m = cast(size_of(middle), states.dtype) / cast(size_of(every), states.dtype)
        apart = reduce_sum(squared_difference(middle, every), [0, *chains]) / (m - 1.0)
        within = reduce_mean(squared_difference(states, middle), [0, *chains])
        return (m + 1.0) / m * (within + apart) / within - (n - 1.0) / (m * n)

    with name_scope(name, "potential_scale_reduction", _parts(state)):
        return _like(state, [each(states) for states in _parts(state)])
