"""Elementwise programs: every way to run one gives what its steps give one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from minitf.core.kernels import table
from minitf.core.kernels.dense import erf
from minitf.core.ops.reductions import max_op, mean_op, min_op, sum_op
from minitf.fast.kernels import elementwise
from minitf.fast.kernels.elementwise import in_numpy
from minitf.fast.kernels.program import (
    COLUMN,
    FULL,
    PRIMITIVES,
    ROW,
    SCALAR,
    Builder,
    Program,
    expanded,
)
from tests.compiled import cut_small, load_compiled, serves

load_compiled()
KERNELS = {
    "sum": sum_op.kernel,
    "mean": mean_op.kernel,
    "max": max_op.kernel,
    "min": min_op.kernel,
}
BLOCKS = serves(elementwise.elementwise, "blocks")  # the plain formula makes a new array

_SPECIAL = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 1e-40, -3e38, 88.8, -104, 2.5], "f")
_PAIRS = "add subtract multiply divide maximum minimum power".split()
_ORDERS = "greater greater_equal less less_equal equal not_equal".split()


@pytest.fixture(autouse=True)
def small_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is worth blocks and the compiled tier, and blocks are small."""
    monkeypatch.setattr(elementwise, "WORK", 0)
    cut_small(monkeypatch)
    elementwise.function.cache_clear()


def made(text: str, *kinds: int, dtype: str = "f") -> Program:
    """The program of a formula whose operands lie as told."""
    builder = Builder(dtype)
    return builder.program(builder.formula(text, [builder.operand(k) for k in kinds]))[0]


def by_steps(program: Program, operands: list[Any]) -> np.ndarray:
    """The result, one primitive after the other, by NumPy alone."""
    program = expanded(program, {name for name, each in PRIMITIVES.items() if each.meaning})
    with np.errstate(all="ignore"):
        values = [np.asarray(x) for x in operands]
        values += [np.asarray(c, program.dtype) for c in program.constants]
        for step in program.steps:
            arguments = [values[v] for v in step.args]
            if step.op == "erf":
                values.append(erf(arguments[0]))
            else:
                values.append(getattr(np, step.op)(*arguments))
    shape = np.broadcast_shapes(*(np.shape(x) for x in operands))
    return np.broadcast_to(values[-1], shape).astype(program.dtype)


def agree(program: Program, operands: list[Any], rtol: float = 3e-5) -> None:
    """Compares all tiers, straight and in place, with the steps one by one."""
    expected = by_steps(program, operands)
    before = [np.array(x) for x in operands]
    with np.errstate(all="ignore"):
        results = {
            name: run(program, None, *operands)
            if name != "numpy"
            else run(np, program, None, *operands)
            for name, run in elementwise.elementwise.tiers.items()
        }
        results["straight"] = in_numpy(program).straight(*operands)
        results["called"] = elementwise.function(np, program, True)(*operands)
        for x, kept in zip(operands, before, strict=True):
            np.testing.assert_array_equal(x, kept)
        for place, each in enumerate(program.operands):
            if each.kind == FULL and not each.logical:
                copies = [
                    np.array(x, order="C") if i == place else x for i, x in enumerate(operands)
                ]
                target = copies[place]
                results[f"in place of {place}"] = elementwise.elementwise(
                    np, program, target, *copies
                )
                reused = results[f"in place of {place}"] is target
                assert reused or target.size <= 500 or not BLOCKS
    for name, result in results.items():
        if result is not NotImplemented:
            assert (result.dtype, result.shape) == (expected.dtype, expected.shape), name
            assert_allclose(
                result, expected, rtol=rtol, atol=rtol, err_msg=f"{name}: {program.steps}"
            )


# ---- one primitive at a time --------------------------------------------------------------


@pytest.mark.parametrize("op", PRIMITIVES)
def test_each_primitive_keeps_what_is_special(op: str) -> None:
    """Infinities, NaN and zeros of either sign; the last of them by what 1 / y is."""
    arity = PRIMITIVES[op].text.count("{")
    x, y = (v.ravel() for v in np.meshgrid(_SPECIAL, _SPECIAL))
    x, y = np.tile(x, 40), np.tile(y, 40)
    builder = Builder("f")
    places = [builder.operand() for _ in range(min(arity, 2))]
    if PRIMITIVES[op].logical:
        if op.startswith("logical"):
            places = [builder.step("greater", p, builder.constant(0.5)) for p in places]
        asked = builder.step(op, *places)
        result = builder.step("where", asked, builder.constant(2), builder.constant(3))
    elif op == "where":
        asked = builder.step("greater", places[0], places[1])
        result = builder.step("where", asked, *places)
    else:
        result = builder.step(op, *places)
    program, kept = builder.program(result)
    agree(program, [(x, y)[k] for k in kept], rtol=1e-6)


@pytest.mark.parametrize(
    "op", "exp expm1 log log1p tanh sigmoid softplus erf rsqrt sqrt sin cos power".split()
)
def test_functions_are_accurate_in_single_precision(op: str) -> None:
    special = pytest.importorskip("scipy.special")
    rng = np.random.default_rng(0)
    x = np.concatenate(
        [rng.uniform(-4, 4, 9000), rng.uniform(-90, 90, 9000), rng.uniform(-0.01, 0.01, 999)]
    )
    x = x.astype(np.float32)
    y = rng.uniform(-6, 6, x.size).astype(np.float32)
    exact = {
        "sigmoid": lambda x: special.expit(x),
        "softplus": lambda x: np.logaddexp(x, 0),
        "erf": special.erf,
        "rsqrt": lambda x: 1 / np.sqrt(x),
    }
    operands = [x, y] if op == "power" else [x]
    with np.errstate(all="ignore"):
        truth = exact.get(op, getattr(np, op, None))(*(v.astype("d") for v in operands))
    truth[np.abs(truth) > 3.4e38] = np.inf
    program = made(f"{op}({', '.join(f'{{{i}}}' for i in range(len(operands)))})", *[FULL] * 2)
    for name, run in elementwise.elementwise.tiers.items():
        arguments = (program, None, *operands)
        with np.errstate(all="ignore"):
            result = run(*arguments) if name != "numpy" else run(np, *arguments)
        if result is NotImplemented:
            continue
        fine = np.isfinite(truth) & (np.abs(truth) > 1e-37)
        units = np.abs(result[fine] - truth[fine]) / np.spacing(np.abs(truth[fine]).astype("f"))
        assert units.max() < 6, (name, x[fine][units.argmax()])
        np.testing.assert_array_equal(np.isnan(result), np.isnan(truth))


# ---- programs by the hundred --------------------------------------------------------------


def random_program(rng: np.random.Generator, kinds: list[int], dtype: str) -> Program:
    builder = Builder(dtype)
    floats = [builder.operand(kind) for kind in kinds]
    masks = [builder.operand(FULL, True)]
    floats += [builder.constant(c) for c in (0.5, -2.0, 0.0)]
    singles = "negative square absolute tanh sigmoid floor sign".split()
    if dtype == "f":
        singles.append("erf")
    for _ in range(int(rng.integers(2, 14))):
        kind = rng.integers(0, 5)
        if kind == 0:
            floats.append(builder.step(rng.choice(singles), rng.choice(floats)))
        elif kind == 1:
            masks.append(builder.step(rng.choice(_ORDERS), *rng.choice(floats, 2)))
        elif kind == 2:
            floats.append(builder.step("where", rng.choice(masks), *rng.choice(floats, 2)))
        else:
            floats.append(builder.step(rng.choice(_PAIRS[:3]), *rng.choice(floats, 2)))
    total = floats[0]
    for each in floats[len(kinds) + 3 :]:  # all of it counts
        total = builder.step("add", total, builder.step("tanh", each))
    total = builder.step("where", masks[0], total, floats[0])
    return builder.program(total)[0]


@pytest.mark.parametrize("seed", range(150))
def test_programs_agree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shapes = [(70, 33), (2, 2100), (3, 1500, 1), (1, 1), (0, 5), (4, 0), (9000,), (5, 7, 11, 13)]
    shape = shapes[seed % len(shapes)]
    split = int(rng.integers(0, len(shape)))
    lying = {
        SCALAR: (),
        FULL: shape,
        ROW: shape[split:],
        COLUMN: (*shape[:split], *[1] * (len(shape) - split)),
    }
    kinds = [FULL, *rng.choice([FULL, ROW, COLUMN, SCALAR], 3).tolist()]
    if split == 0:
        kinds = [k if k in (FULL, SCALAR) else FULL for k in kinds]
    dtype = "f" if seed % 5 else "d"
    program = random_program(rng, kinds, dtype)
    pool = [rng.normal(size=lying[k]).astype(dtype) for k in kinds]
    pool = [x[()] if x.ndim == 0 else x for x in pool]
    if seed % 3 == 0 and pool[0].ndim > 1:
        pool[0] = np.ascontiguousarray(pool[0].T).T  # in another order
    if seed % 4 == 0 and pool[0].size > 12:
        pool[0].reshape(-1)[:12] = _SPECIAL
    operands: list[Any] = []
    for each in program.operands:
        if each.logical:
            operands.append(rng.random(shape) < 0.5)
        else:
            place = next(i for i, k in enumerate(kinds) if k == each.kind)
            operands.append(pool[place])
    agree(program, operands)


# ---- programs that end in a reduction -----------------------------------------------------


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min"])
@pytest.mark.parametrize("shape", [(9000,), (70, 33), (3, 1500), (900, 1), (40, 30, 80), (5, 0)])
def test_reductions_agree(name: str, shape: tuple) -> None:
    rng = np.random.default_rng(0)
    x, y = (rng.normal(size=shape).astype("f") for _ in range(2))
    row, column = x[0] if x.ndim > 1 else y, x[..., :1] if x.ndim > 1 else y
    two = made("abs({0} - {1})", FULL, FULL)
    pairs = [(two, [x, y]), (two, [x.T, y.T]), (two, [np.where(y > 2, np.nan, x), y])]
    if x.ndim > 1:
        pairs += [(made("{0} * {1}", FULL, ROW), [x, row])]
        pairs += [(made("tanh({0} - {1}) * 3 + 1", FULL, COLUMN), [x, column])]
    kernel = KERNELS[name]
    for program, operands in pairs:
        rank = x.ndim
        for axis in (None, (), (0,), (-1,), tuple(range(rank)), (0, 1)[:rank], (rank - 1, 0)):
            for keep_dims in (False, True):
                axis = axis if axis is None else tuple(dict.fromkeys(a % rank for a in axis))
                ending = elementwise.Ending(name, kernel, axis, keep_dims)
                expected = ending(np, by_steps(program, operands).astype("d")).astype("f")
                for tier, run in elementwise.reduced_elementwise.tiers.items():
                    given = (program, ending, *operands)
                    result = run(np, *given) if tier == "numpy" else run(*given)
                    if result is not NotImplemented:
                        assert result.dtype == np.float32
                        assert result.shape == expected.shape
                        assert_allclose(result, expected, rtol=2e-5, atol=1e-3, err_msg=tier)


def test_sums_of_many_keep_their_digits() -> None:
    x = np.random.default_rng(0).random(3_000_000).astype("f")
    ending = elementwise.Ending("sum", KERNELS["sum"], None, False)
    program = made("{0} * {0} + 1", FULL)
    exact = np.square(x.astype("d")).sum() + x.size
    for tier, run in elementwise.reduced_elementwise.tiers.items():
        given = (program, ending, x)
        result = run(np, *given) if tier == "numpy" else run(*given)
        assert_allclose(result, exact, rtol=3e-7, err_msg=tier)


# ---- threads, shapes, texts ---------------------------------------------------------------


def test_large_arrays_are_split_over_threads() -> None:
    rng = np.random.default_rng(0)
    program = made("tanh({0} * {1} + {2}) - {3}", FULL, ROW, COLUMN, SCALAR)
    x, w = rng.normal(size=(3000, 301)).astype("f"), rng.normal(size=301).astype("f")
    agree(program, [x, w, x[:, :1].copy(), np.float32(2)])
    agree(program, [x[::2, ::-1], w[::-1], x[::2, :1], np.float32(2)])


def test_other_views_of_the_array_that_is_written_over() -> None:
    rng = np.random.default_rng(0)
    for text, kinds, view in (
        ("{0} * 2 + {1}", (FULL, FULL), lambda x: x.T),
        ("{0} * 2 + {1}", (FULL, FULL), lambda x: x[::-1]),
        ("{0} * 2 + {1}", (FULL, FULL), lambda x: x.reshape(60, 60)),
        ("{0} * 2 + {1}", (FULL, ROW), lambda x: x[0]),
        ("{0} * 2 + {1}", (FULL, COLUMN), lambda x: x[:, :1]),
    ):
        program = made(text, *kinds)
        x = rng.normal(size=(60, 60)).astype("f")
        expected = x * 2 + view(x)
        result = elementwise.elementwise(np, program, x, x, view(x))
        assert_allclose(result, expected, rtol=1e-6)


def test_operands_that_do_not_fit_are_broadcast_or_refused() -> None:
    program = made("({0} + {1}) * {1}", FULL, FULL)
    run = elementwise.function(np, program, True)
    x = np.ones((400, 30), np.float32)
    assert_allclose(run(x, np.full((1, 30), 2, np.float32)), np.full((400, 30), 6))
    with pytest.raises(ValueError, match="could not be broadcast") as caught:
        run(x, np.ones((400, 29), np.float32))
    assert caught.value.origin == 0  # type: ignore[attr-defined]
    assert not elementwise.elementwise.takes(program, None, x, np.full((1, 30), 2, np.float32))


def test_texts_have_the_parentheses_they_need() -> None:
    for text in (
        "(x + y) * y - x / (y * x)",
        "x - (y - x) - y",
        "-(x + y) * x",
        "maximum(x * y + 1, 0)",
        "where(x > 0 & y < 1, x, y)",
    ):
        formula = text.replace("x", "{0}").replace("y", "{1}").replace("ma{0}", "max")
        formula = formula.replace("ma{0}imum", "maximum").replace(
            "{0} > 0 & {1} < 1", "({0} > 0) & ({1} < 1)"
        )
        assert (
            made(formula, FULL, FULL).text(["x", "y"]).replace("(x > 0) & (y < 1)", "x > 0 & y < 1")
            == text
        )
    assert made("({0} + 1) * tanh({0} + 1)", FULL).text(["x"]) == "a * tanh(a) where a = x + 1"


def test_known_patterns_become_one_step() -> None:
    assert [s.op for s in made("1 / (1 + exp(-{0}))", FULL).steps] == ["sigmoid"]
    assert [s.op for s in made("1 / (exp({0}) + 1)", FULL).steps] == ["negative", "sigmoid"]
    assert [s.op for s in made("power({0}, 3)", FULL).steps] == ["square", "multiply"]
    assert [s.op for s in made("{0} * {0}", FULL).steps] == ["square"]
    assert made("1 / {0}", FULL).steps[0].op == "divide"


def test_tiers_are_those_that_are_allowed() -> None:
    assert ("numba" in elementwise.elementwise.tiers) == load_compiled()
    assert set(elementwise.elementwise.tiers) <= set(table.TIERS)
