"""The steps of optimizers in every tier."""

from typing import Any

import numpy as np
import pytest

from minitf.core.kernels import threads
from minitf.core.ops import updates
from minitf.core.ops.updates import apply_adam, apply_gradient_descent, apply_momentum
from minitf.library.optimizers import optimizers
from minitf.library.optimizers.optimizers import apply_adagrad, apply_ftrl, apply_rms_prop
from tests.compiled import load_compiled

COMPILED = load_compiled()

UPDATES = {
    "apply_gradient_descent": apply_gradient_descent.algorithm,
    "apply_momentum": apply_momentum.algorithm,
    "apply_adam": apply_adam.algorithm,
    "apply_adagrad": apply_adagrad.algorithm,
    "apply_rms_prop": apply_rms_prop.algorithm,
    "apply_ftrl": apply_ftrl.algorithm,
}

RATES = {
    "apply_gradient_descent": (0.1,),
    "apply_momentum": (0.1, 0.9),
    "apply_adam": (0.9, 0.999, 0.01, 0.9, 0.999, 1e-8),
    "apply_adagrad": (0.1,),
    "apply_rms_prop": (0.1, 0.9, 0.5, 1e-5),
    "apply_ftrl": (0.1, 0.01, 0.02, -0.5),
}
SLOTS = {"apply_gradient_descent": 0, "apply_momentum": 1, "apply_adagrad": 1}
ODD = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-30, 1e30])


def arrays(name: str, shape: Any, dtype: Any) -> list[np.ndarray]:
    """A variable, its slots (averages of squares, so not negative) and a gradient."""
    rng = np.random.default_rng(0)
    slots = [rng.uniform(0.1, 1, size=shape) for _ in range(SLOTS.get(name, 2))]
    return [a.astype(dtype) for a in (rng.normal(size=shape), *slots, rng.normal(size=shape))]


def step(name: str, tier: str, given: list[np.ndarray], **attrs: Any) -> list[np.ndarray]:
    """The targets after one step, which one tier makes."""
    given = [a.copy() for a in given]
    given[-1].flags.writeable = False
    kernel = UPDATES[name].whole
    rates = [given[0].dtype.type(r) for r in RATES[name]]
    first = [np] if tier == "numpy" else []
    with np.errstate(all="ignore"):
        done = kernel.tiers[tier](*first, given[:-1], given[-1], rates, attrs)
    assert done is None or tier == "scipy"
    return None if done is NotImplemented else given[:-1]


def both(name: str, given: list[np.ndarray], **attrs: Any) -> Any:
    """The targets as the reference makes them, and as each tier does that takes them."""
    first, *others = (step(name, tier, given, **attrs) for tier in UPDATES[name].whole.tiers)
    return [(one, other) for each in others if each for one, other in zip(first, each, strict=True)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(), (1,), (7, 3), (0, 3), (300, 200), (2, 3, 4)])
@pytest.mark.parametrize("name", RATES)
def test_both_make_the_same_step(name: str, shape: Any, dtype: Any) -> None:
    given = arrays(name, shape, dtype)
    for attrs in [{}, *({a: not v} for a, v in UPDATES[name].attrs.items() if a != "out")]:
        for one, other in both(name, given, **attrs):
            assert one.shape == other.shape
            near = 100 * np.finfo(dtype).eps
            np.testing.assert_allclose(other, one, rtol=near, atol=near)


@pytest.mark.parametrize("name", RATES)
def test_what_is_no_number_stays_so(name: str) -> None:
    given = arrays(name, ODD.shape, np.float32)
    given = [np.tile(a, 200) for a in given]
    given[-1] = np.tile(ODD, 200).astype("f")
    for one, other in both(name, given):
        np.testing.assert_allclose(other, one, rtol=1e-5)


def test_large_arrays_are_split(monkeypatch: Any) -> None:
    monkeypatch.setattr(threads, "_count", 3)
    given = arrays("apply_adam", (1100, 1000), np.float32)
    pairs = both("apply_adam", given)
    assert len(pairs) == 3 * (len(UPDATES["apply_adam"].whole.tiers) - 1)
    for one, other in pairs:
        np.testing.assert_allclose(other, one, rtol=1e-5, atol=1e-6)


@pytest.mark.skipif(not COMPILED, reason="there is no compiled tier")
def test_others_are_refused() -> None:
    run = UPDATES["apply_gradient_descent"].whole.tiers["numba"]
    half, wide = np.ones(4, np.float16), np.ones((4, 4), np.float32)
    assert run([half], half, [0.1], {}) is NotImplemented
    assert run([wide], wide.T[:, :4], [0.1], {}) is NotImplemented
    assert run([wide], np.broadcast_to(np.float32(1), (4, 4)), [0.1], {}) is NotImplemented
    assert (wide == 1).all()
    power = [0.1, 0.0, 0.0, -0.7]
    assert UPDATES["apply_ftrl"].whole.tiers["numba"]([wide] * 3, wide, power, {}) is NotImplemented


FORMULAS: dict[Any, tuple[int, tuple[float, ...]]] = {
    updates.apply_gradient_descent: (0, (0.1,)),
    updates.apply_momentum: (1, (0.1, 0.9)),
    updates.apply_adam: (2, RATES["apply_adam"]),
    optimizers.apply_adadelta: (2, (0.1, 0.95, 1e-6)),
    optimizers.apply_adagrad: (1, (0.1,)),
    optimizers.apply_ftrl: (2, (0.1, 0.01, 0.02, -0.5)),
    optimizers.apply_ftrl_v2: (2, (0.1, 0.01, 0.02, 0.1, -0.5)),
    optimizers.apply_proximal_adagrad: (1, (0.1, 0.1, 0.1)),
    optimizers.apply_centered_rms_prop: (3, (0.1, 0.9, 0.5, 1e-5)),
    optimizers.apply_rms_prop: (2, (0.1, 0.9, 0.5, 1e-5)),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("update", FORMULAS, ids=lambda u: u.algorithm.whole.name)
def test_blocks_do_what_the_formula_says(update: Any, dtype: Any) -> None:
    algorithm, (slots, numbers) = update.algorithm, FORMULAS[update]
    rng = np.random.default_rng(0)
    rates = [np.int64(n) if n == 3 else dtype(n) for n in numbers]
    unpenalized = [rate if i == 0 else dtype(0) for i, rate in enumerate(rates)]
    may_be_zero = [rates, unpenalized] if "proximal" in algorithm.whole.name else [rates]
    for given in may_be_zero:
        for attrs in [{}, *({name: value is False} for name, value in algorithm.attrs.items())]:
            targets = [rng.uniform(0.1, 1, (301, 500)).astype(dtype) for _ in range(slots + 1)]
            expected = [each.copy() for each in targets]
            grad = rng.normal(size=(301, 500)).astype(dtype)
            switches = {name: value for name, value in attrs.items() if name != "out"}
            with np.errstate(all="ignore"):
                algorithm.formula(np, *expected, grad, *given, **switches)
                spare = {"out": grad} if "out" in attrs else {}
                algorithm.whole.tiers["numpy"](np, targets, grad, given, {**switches, **spare})
            for one, other in zip(targets, expected, strict=True):
                np.testing.assert_array_equal(one, other)
