"""`tf.contrib.factorization`: mixtures of normal distributions, and sparse matrices as products."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf

factorization = tf.contrib.factorization

# ---- mixtures ----------------------------------------------------------------------------

CENTERS = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]], np.float32)
LEAST = 1e-3


def _points() -> np.ndarray:
    rng = np.random.RandomState(1)
    spread = np.array([[[1.0, 0.6], [0.0, 0.8]], np.eye(2), [[0.5, 0.0], [0.3, 1.2]]])
    parts = [c + rng.normal(size=(30 + 20 * k, 2)) @ spread[k] for k, c in enumerate(CENTERS)]
    return np.concatenate(parts).astype(np.float32)


def _log_parts(x: np.ndarray, alpha: Any, means: Any, covs: Any) -> np.ndarray:
    columns = []
    for a, mean, cov in zip(alpha, means, covs):
        used = np.atleast_2d(cov if cov.ndim == 2 else np.diag(cov)) + LEAST * np.eye(2)
        apart = x - mean
        distance = np.einsum("ni,ij,nj->n", apart, np.linalg.inv(used), apart)
        columns.append(
            np.log(a) - 0.5 * (distance + 2 * np.log(2 * np.pi) + np.linalg.slogdet(used)[1])
        )
    return np.stack(columns, 1)


def _maximized(x: np.ndarray, parts: np.ndarray, means: Any, params: str) -> tuple:
    sizes = parts.sum(0)
    new_means = parts.T @ x / sizes[:, None]
    about = new_means if "m" in params else means
    squares = np.einsum("nk,ni,nj->kij", parts, x, x) / sizes[:, None, None]
    covs = squares - np.einsum("ki,kj->kij", about, about) + LEAST * np.eye(2)
    return sizes / sizes.sum(), new_means, covs


@pytest.mark.parametrize("params", ["wmc", "wm", "c", "mc"])
@pytest.mark.parametrize("kind", ["full", "diag"])
def test_a_step_is_one_of_expectation_and_maximization(kind: str, params: str) -> None:
    x = _points().astype(np.float64)
    start = CENTERS * 0.8 if params == "c" else CENTERS + 0.5  # variances about means that stay
    shards = [tf.constant(x[:40], tf.float32), tf.constant(x[40:], tf.float32)]
    loss, scores, assigned, step, start_op, started = factorization.gmm(
        shards, start, 3, 0, covariance_type=kind, params=params
    )
    alpha, means = np.full(3, 1 / 3), start.astype(np.float64)
    covs = np.stack([np.cov(x[:40].T) + LEAST * np.eye(2)] * 3)  # of the first input alone
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert not sess.run(started)
        sess.run(start_op)
        sess.run(start_op)  # does nothing: the mixture is set once
        for number in range(4):
            if kind == "diag":
                covs = np.stack([np.diag(np.diag(cov)) for cov in covs])
            logs = _log_parts(x, alpha, means, covs)
            total = np.logaddexp.reduce(logs, 1)
            found = sess.run([loss, scores, *assigned[0]])
            np.testing.assert_allclose(found[0], np.logaddexp.reduce(total), rtol=1e-4)
            np.testing.assert_allclose(found[1][:, 0], total, rtol=1e-3, err_msg=str(number))
            np.testing.assert_array_equal(np.concatenate(found[2:]), logs.argmax(1))
            new = _maximized(x, np.exp(logs - total[:, None]), means, params)
            old = alpha, means, covs
            alpha, means, covs = (n if p in params else o for n, o, p in zip(new, old, "wmc"))
            sess.run(step)
            assert sess.run(started)


def test_first_means_are_drawn_from_the_points() -> None:
    x = _points()
    mixture = factorization.GmmAlgorithm([x], 3, covariance_type="diag", random_seed=3)
    few = factorization.GmmAlgorithm([x[:2]], 3)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(mixture.init_ops())
        means, variances, alpha = sess.run(
            [mixture.clusters(), mixture.covariances(), mixture.alphas()]
        )
        assert all((x == mean).all(1).any() for mean in means)
        np.testing.assert_allclose(variances, [x.var(0, ddof=1) + LEAST] * 3, rtol=1e-5)
        np.testing.assert_allclose(alpha, [1 / 3] * 3)
        with pytest.raises(tf.errors.InvalidArgumentError):
            sess.run(few.init_ops())
    with pytest.raises(Exception, match="programmer error: Invalid covariance type: round"):
        factorization.GmmAlgorithm([x], 3, covariance_type="round")


@pytest.mark.parametrize("kind", ["full", "diag"])
def test_an_estimator_of_a_mixture(kind: str, tmp_path: Path) -> None:
    x = _points()

    def input_fn() -> Any:
        return tf.constant(x), None

    estimator = factorization.GMM(
        3, str(tmp_path), initial_clusters=CENTERS + 0.5, covariance_type=kind
    )
    estimator.fit(input_fn=input_fn, steps=15)
    true = np.repeat([0, 1, 2], [30, 50, 70])
    found = np.array(list(estimator.predict_assignments(input_fn)))
    assert (found == true).mean() > 0.97
    np.testing.assert_allclose(estimator.clusters(), CENTERS, atol=0.5)
    np.testing.assert_allclose(estimator.weights(), np.array([30, 50, 70]) / 150, atol=0.03)
    covs = estimator.covariances()
    assert covs.shape == ((3, 2, 2) if kind == "full" else (3, 2))
    logs = _log_parts(x, estimator.weights(), estimator.clusters(), covs)
    density = np.logaddexp.reduce(np.logaddexp.reduce(logs, 1))
    assert estimator.score(input_fn, steps=1) == pytest.approx(density, rel=1e-3)


# ---- products ----------------------------------------------------------------------------

MATRIX = np.array(
    [[5, 0, 3, 0, 1], [0, 4, 0, 2, 0], [1, 1, 0, 0, 5], [0, 0, 2, 4, 0], [3, 0, 0, 0, 4],
     [0, 2, 5, 0, 0], [2, 0, 1, 3, 0]],
    np.float32,
)  # fmt: skip
ROWS, COLS = MATRIX.shape
ROW_WEIGHTS, COL_WEIGHTS = np.linspace(0.5, 2, ROWS), np.linspace(1, 3, COLS)


def _sparse(matrix: np.ndarray, rows: Any = None, order: Any = slice(None)) -> tf.SparseTensor:
    """The given entries of some rows, which keep their numbers."""
    indices = [place for place in np.argwhere(matrix) if rows is None or place[0] in rows]
    indices = np.array(indices)[order]
    return tf.SparseTensor(indices.astype(np.int64), matrix[tuple(indices.T)], matrix.shape)


def _solved(
    matrix: np.ndarray, right: np.ndarray, mine: Any, other: Any, unobserved: float, ridge: float
) -> np.ndarray:
    """Each row's least squares, over all its entries one by one."""
    found = []
    for values, weight in zip(matrix, mine):
        weights = unobserved + weight * other * (values != 0)
        known = (right.T * weights) @ right + ridge * np.eye(right.shape[1])
        found.append(np.linalg.solve(known, (right.T * weights) @ values))
    return np.array(found)


def _lists(weights: np.ndarray, shards: int) -> list:
    return [part.tolist() for part in np.array_split(weights, shards)]


@pytest.mark.parametrize("shards", [(1, 1), (3, 2)])
@pytest.mark.parametrize("weighted", ["one", "lists", "none"])
def test_factors_solve_weighted_least_squares(shards: tuple[int, int], weighted: str) -> None:
    unobserved, ridge = (0.7 if weighted == "none" else 0.1), 0.05
    mine, other = {
        "one": (np.full(ROWS, 0.5), np.full(COLS, 2.0)),
        "lists": (ROW_WEIGHTS, COL_WEIGHTS),
        "none": (np.zeros(ROWS), np.zeros(COLS)),
    }[weighted]
    given = {
        "one": (0.5, 2),
        "lists": (_lists(ROW_WEIGHTS, shards[0]), _lists(COL_WEIGHTS, shards[1])),
        "none": (None, None),
    }[weighted]
    start = np.random.RandomState(0).normal(size=(COLS, 2)).astype(np.float32)
    model = factorization.WALSModel(
        ROWS, COLS, 2, unobserved, ridge, col_init=np.array_split(start, shards[1]),
        num_row_shards=shards[0], num_col_shards=shards[1], row_weights=given[0],
        col_weights=given[1],
    )  # fmt: skip
    some = _sparse(MATRIX, [4, 1, 6])
    row_steps = [
        model.update_row_factors(_sparse(MATRIX, [0, 2, 3, 5])),
        model.update_row_factors(
            tf.SparseTensor(some.indices[:, ::-1], some.values, (COLS, ROWS)), transpose_input=True
        ),
    ]
    col_step = model.update_col_factors(_sparse(MATRIX, order=slice(None, None, -1)))
    backwards = model.project_row_factors(_sparse(MATRIX, [1, 2], slice(None, None, -1)))
    weighed = model.project_col_factors(_sparse(MATRIX.T), True, COL_WEIGHTS)
    assert len(model.row_factors) == shards[0] and len(model.col_factors) == shards[1]
    with tf.Session() as sess:
        sess.run(model.initialize_op)
        sess.run(model.worker_init)
        sess.run(model.row_update_prep_gramian_op)
        sess.run(model.initialize_row_update_op)
        by_hand = _solved(MATRIX, start, mine, other, unobserved, ridge)
        losses = []
        for rows, step in zip(([0, 2, 3, 5], [1, 4, 6]), row_steps):
            values, _, *scalars = sess.run(step)
            weights = unobserved + np.outer(mine, other) * (MATRIX != 0)
            parts = (weights * (MATRIX - by_hand @ start.T) ** 2)[rows]
            scale = ROWS / len(rows)
            squares = ridge * ((by_hand[rows] ** 2).sum() * scale + (start**2).sum())
            given_weight = (weights - unobserved)[rows].sum() * scale
            total = unobserved * ROWS * COLS + given_weight
            np.testing.assert_allclose(scalars, [parts.sum() * scale, squares, total], rtol=1e-3)
            losses.append(scalars[0])
            if rows[0] == 0:
                np.testing.assert_allclose(values, by_hand[rows], rtol=1e-3, atol=1e-4)
        left = np.concatenate(sess.run(model.row_factors))
        np.testing.assert_allclose(left, by_hand, rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(
            sess.run(backwards)[::-1],
            _solved(MATRIX, start, np.ones(ROWS) * (weighted != "none"), other, unobserved, ridge)[
                [1, 2]
            ],
            rtol=1e-3,
            atol=1e-4,
        )

        sess.run(model.col_update_prep_gramian_op)
        sess.run(model.initialize_col_update_op)
        sess.run(col_step[1])
        right = np.concatenate(sess.run(model.col_factors))
        by_hand = _solved(MATRIX.T, left, other, mine, unobserved, ridge)
        np.testing.assert_allclose(right, by_hand, rtol=1e-3, atol=1e-4)
        free = COL_WEIGHTS * (weighted != "none")
        by_hand = _solved(MATRIX.T, left, free, mine, unobserved, ridge)
        columns = sess.run(tf.unique(_sparse(MATRIX.T).indices[:, 0])[0])
        np.testing.assert_allclose(sess.run(weighed), by_hand[columns], rtol=1e-3, atol=1e-4)


def test_weights_that_are_none() -> None:
    with pytest.raises(ValueError, match="Invalid weight initialization argument"):
        factorization.WALSModel(3, 3, 2, row_weights=-1)


def _input_fn(kind: str, by_row: bool = True) -> Any:
    """All columns; two batches of rows, or all where no training is."""

    def input_fn() -> Any:
        rows, cols = _sparse(MATRIX), _sparse(MATRIX.T)
        if kind == "train":
            number = tf.cast(tf.train.range_input_producer(2, shuffle=False).dequeue(), tf.int64)
            rows = tf.sparse_retain(rows, tf.equal(rows.indices[:, 0] // 4, number))
        features = {"input_rows": rows, "input_cols": cols}
        if kind != "train":
            features["project_row"] = tf.constant(by_row)
        return features, None

    return input_fn


@pytest.fixture
def trained(tmp_path: Path) -> Iterator[Any]:
    estimator = factorization.WALSMatrixFactorization(
        ROWS, COLS, 3, unobserved_weight=0.1, regularization_coeff=0.01, num_row_shards=2,
        max_sweeps=8, model_dir=str(tmp_path),
    )  # fmt: skip
    estimator.fit(input_fn=_input_fn("train"), steps=1000)
    yield estimator


def test_an_estimator_of_factors(trained: Any) -> None:
    rows, cols = (
        np.concatenate(trained.get_row_factors()),
        np.concatenate(trained.get_col_factors()),
    )
    assert rows.shape == (ROWS, 3) and cols.shape == (COLS, 3)
    assert trained.get_variable_value("completed_sweeps") == 8
    assert trained.get_variable_value("global_step") < 20  # it stopped by sweeps, not by steps
    ones = np.ones(ROWS), np.ones(COLS)
    fixed = _solved(MATRIX.T, rows, ones[1], ones[0], 0.1, 0.01)  # columns came last
    np.testing.assert_allclose(cols, fixed, rtol=1e-2, atol=1e-3)
    weights = 0.1 + (MATRIX != 0)
    error = (weights * (MATRIX - rows @ cols.T) ** 2).sum()
    loss = error + 0.01 * ((rows**2).sum() + (cols**2).sum())
    assert trained.get_variable_value("WALS_loss") == pytest.approx(loss, rel=1e-3)
    rwse = np.sqrt(error / weights.sum())
    assert trained.get_variable_value("WALS_RWSE") == pytest.approx(rwse, rel=1e-2)
    assert rwse < 0.5 * MATRIX.std()

    projected = np.array(list(trained.get_projections(_input_fn("infer", by_row=False))))
    np.testing.assert_allclose(projected, fixed, rtol=1e-2, atol=1e-3)
    evaluated = trained.evaluate(input_fn=_input_fn("eval", by_row=False), steps=1)
    assert evaluated["loss"] == pytest.approx(loss, rel=1e-3)


def test_names_and_weights_of_the_variables() -> None:
    model = factorization.WALSModel(3, 2, 1, num_row_shards=2, use_scoped_vars=True)
    assert [v.op.name for v in model.row_factors + model.col_factors] == [
        "row_factors/row_factors_shard_0",
        "row_factors/row_factors_shard_1",
        "col_factors/col_factors_shard_0",
    ]
    assert [v.shape.as_list() for v in model.row_weights] == [[2], [1]]
    with pytest.raises(AssertionError):
        factorization.WALSModel(3, 2, 1, row_weights=None)
