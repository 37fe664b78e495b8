"""Formulas as lists of steps: every optimizer's does the same either way, bit by bit."""

from typing import Any

import numpy as np
import pytest

from minitf.core.kernels.formulas import Steps
from minitf.core.ops import updates
from minitf.library.optimizers import adadelta, adagrad, ftrl, proximal, rmsprop

ADAM = (0.9, 0.999, 0.01, 0.9, 0.999, 1e-8)
CASES: dict[Any, tuple[int, tuple[float, ...]]] = {
    updates.apply_gradient_descent: (0, (0.1,)),
    updates.apply_momentum: (1, (0.1, 0.9)),
    updates.apply_adam: (2, ADAM),
    adadelta.apply_adadelta: (2, (0.1, 0.95, 1e-6)),
    adagrad.apply_adagrad: (1, (0.1,)),
    ftrl.apply_ftrl: (2, (0.1, 0.01, 0.02, -0.5)),
    ftrl.apply_ftrl_v2: (2, (0.1, 0.01, 0.02, 0.1, -0.5)),
    proximal.apply_proximal_adagrad: (1, (0.1, 0.1, 0.1)),
    rmsprop.apply_centered_rms_prop: (3, (0.1, 0.9, 0.5, 1e-5)),
    rmsprop.apply_rms_prop: (2, (0.1, 0.9, 0.5, 1e-5)),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("update", CASES, ids=lambda u: u.algorithm.whole.name)
def test_steps_do_what_the_formula_says(update: Any, dtype: Any) -> None:
    algorithm, (slots, numbers) = update.algorithm, CASES[update]
    rng = np.random.default_rng(0)
    rates = [np.int64(n) if n == 3 else dtype(n) for n in numbers]
    unpenalized = [rate if i == 0 else dtype(0) for i, rate in enumerate(rates)]
    may_be_zero = [rates, unpenalized] if "proximal" in algorithm.whole.name else [rates]
    for given in may_be_zero:
        for attrs in [{}, *({name: value is False} for name, value in algorithm.attrs.items())]:
            targets = [rng.uniform(0.1, 1, (301, 200)).astype(dtype) for _ in range(slots + 1)]
            expected = [each.copy() for each in targets]
            grad = rng.normal(size=(301, 200)).astype(dtype)
            switches = {name: value for name, value in attrs.items() if name != "out"}
            with np.errstate(all="ignore"):
                algorithm.formula(np, *expected, grad, *given, **switches)
                spare = {"out": grad} if "out" in attrs else {}
                algorithm.whole.tiers["numpy"](np, targets, grad, given, {**switches, **spare})
            for one, other in zip(targets, expected, strict=True):
                np.testing.assert_array_equal(one, other)


def test_a_part_takes_the_place_of_what_is_read_no_more() -> None:
    def formula(xp: Any, w: Any, g: Any, rate: Any) -> None:
        w[...] = rate * (g / (xp.sqrt(g * g + w) + 1 - w * 2))

    steps = Steps(formula, np.dtype("f"), 2, [True], {})
    assert steps._scratch == 2 and steps._steps[-1][-1] == 0  # no copy into w at the end
    w, g = np.float32([4, 9]), np.float32([1, 2])
    expected = w.copy()
    formula(np, expected, g, np.float32(0.5))
    steps.run(iter([[w, g]]), steps.numbers([np.float32(0.5)]))
    np.testing.assert_array_equal(w, expected)
