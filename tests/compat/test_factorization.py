"""`tf.contrib.factorization`: a matrix as a product of two, mixtures of normal distributions."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf
from tests.graphs import graph as graph

factorization = tf.contrib.factorization

ROWS, COLUMNS, WIDTH = 7, 5, 2


def matrix() -> tuple[np.ndarray, np.ndarray]:
    """A matrix, and which of its elements are known: some of each row and column."""
    rng = np.random.default_rng(0)
    known = rng.random((ROWS, COLUMNS)) < 0.6
    known[np.arange(ROWS), np.arange(ROWS) % COLUMNS] = True
    return rng.normal(size=(ROWS, COLUMNS)).astype(np.float32), known


def sparse(values: np.ndarray, known: np.ndarray) -> Any:
    places = np.argwhere(known)
    return tf.SparseTensor(places, values[known], known.shape)


def weights_of(known: np.ndarray, w0: float, r: Any, c: Any) -> np.ndarray:
    return w0 + known * (0.0 if r is None else np.outer(r, c))


def solved(values: np.ndarray, weights: np.ndarray, other: np.ndarray, penalty: float) -> Any:
    """The rows of factors, one by one."""
    square = penalty * np.eye(WIDTH)
    return np.stack([
        np.linalg.solve(other.T * w @ other + square, other.T @ (w * a))
        for a, w in zip(values, weights, strict=True)
    ])  # fmt: skip


@pytest.mark.parametrize("shards", [1, 3])
@pytest.mark.parametrize("kind", ["numbers", "lists", "none"])
def test_a_sweep_solves_for_each_row(kind: str, shards: int) -> None:
    values, known = matrix()
    values, w0, penalty = values * known, 0.3, 0.2
    r, c = {
        "numbers": (np.full(ROWS, 2.0), np.full(COLUMNS, 0.5)),
        "lists": (np.arange(1.0, ROWS + 1), np.arange(2.0, COLUMNS + 2)),
        "none": (None, None),
    }[kind]
    given: Any = (2.0, 0.5) if kind == "numbers" else (r, c)
    if kind == "lists" and shards > 1:
        given = np.array_split(r, shards), np.array_split(c, shards)  # type: ignore[arg-type]
    rng = np.random.default_rng(1)
    u, v = (rng.normal(size=(n, WIDTH)).astype(np.float32) for n in (ROWS, COLUMNS))
    model = factorization.WALSModel(
        ROWS, COLUMNS, WIDTH, w0, penalty, list(np.array_split(u, shards)),
        list(np.array_split(v, shards)), shards, shards, *given,
    )  # fmt: skip
    half = sparse(values[:3], known[:3])
    whole, turned = sparse(values, known), sparse(values.T, known.T)
    _, update_half, *sums_half = model.update_row_factors(half)
    new_rows, update_rows, *sums = model.update_row_factors(whole)
    turned_rows = model.update_row_factors(turned, transpose_input=True)[0]
    _, update_columns, *_ = model.update_col_factors(whole)
    projected = model.project_row_factors(whole, projection_weights=r)
    weights = weights_of(known, w0, r, c)
    expected = solved(values, weights, v, penalty)

    def error(u: np.ndarray, rows: int) -> float:
        return float((weights[:rows] * (values[:rows] - u @ v.T) ** 2).sum() * ROWS / rows)

    with tf.Session() as sess:
        sess.run([model.initialize_op, model.worker_init])
        sess.run([model.row_update_prep_gramian_op, model.initialize_row_update_op])
        for found in (new_rows, projected):
            assert sess.run(found) == pytest.approx(expected, abs=1e-4)
        seen = list(dict.fromkeys(np.argwhere(known.T)[:, 1]))  # rows in the order they come in
        assert sess.run(turned_rows) == pytest.approx(expected[seen], abs=1e-4)
        loss, punished, weight = sess.run(sums)
        assert loss == pytest.approx(error(expected, ROWS), rel=1e-4)
        assert punished == pytest.approx(penalty * ((expected**2).sum() + (v**2).sum()), rel=1e-4)
        assert weight == pytest.approx(weights.sum(), rel=1e-5)
        loss, _, weight = sess.run(sums_half)
        assert loss == pytest.approx(error(expected[:3], 3), rel=1e-4)
        more = (weights[:3] - w0).sum() * ROWS / 3
        assert weight == pytest.approx(w0 * ROWS * COLUMNS + more, rel=1e-5)
        sess.run(update_half)
        written = np.concatenate(sess.run(model.row_factors))
        assert written[:3] == pytest.approx(expected[:3], abs=1e-4)
        assert written[3:] == pytest.approx(u[3:])
        sess.run(update_rows)
        sess.run([model.col_update_prep_gramian_op, model.initialize_col_update_op])
        sess.run(update_columns)
        written = np.concatenate(sess.run(model.col_factors))
        assert written == pytest.approx(solved(values.T, weights.T, expected, penalty), abs=1e-3)


def test_names_and_weights_of_the_variables() -> None:
    model = factorization.WALSModel(3, 2, 1, num_row_shards=2, use_scoped_vars=True)
    assert [v.op.name for v in model.row_factors + model.col_factors] == [
        "row_factors/row_factors_shard_0",
        "row_factors/row_factors_shard_1",
        "col_factors/col_factors_shard_0",
    ]
    assert [v.shape.as_list() for v in model.row_weights] == [[2], [1]]
    with pytest.raises(ValueError, match="Invalid weight initialization argument."):
        factorization.WALSModel(3, 2, 1, row_weights=-1.0)
    with pytest.raises(AssertionError):
        factorization.WALSModel(3, 2, 1, row_weights=None)


def test_an_estimator_turns_from_rows_to_columns(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    whole = (rng.normal(size=(ROWS, 1)) @ rng.normal(size=(1, COLUMNS))).astype(np.float32)
    known = np.ones((ROWS, COLUMNS), bool)

    def input_fn() -> Any:
        """Three rows and three columns at a time."""
        step = tf.train.get_global_step()

        def piece(values: np.ndarray, first: Any) -> Any:
            all_of = sparse(values, np.ones(values.shape, bool))
            here = tf.logical_and(all_of.indices[:, 0] >= first, all_of.indices[:, 0] < first + 3)
            return tf.sparse_retain(all_of, here)

        rows, columns = piece(whole, step % 3 * 3), piece(whole.T, step % 2 * 3)
        return {"input_rows": rows, "input_cols": columns}, None

    model = factorization.WALSMatrixFactorization(
        ROWS, COLUMNS, 1, unobserved_weight=0.0, max_sweeps=6, model_dir=str(tmp_path)
    )
    model.fit(input_fn=input_fn, steps=60)
    rows, columns = model.get_row_factors()[0], model.get_col_factors()[0]
    assert rows @ columns.T == pytest.approx(whole, abs=1e-3)
    assert model.get_variable_value("completed_sweeps") == 6

    def new_rows() -> Any:
        features = {
            "input_rows": sparse(2 * whole[:2], known[:2]),
            "input_cols": sparse(whole.T, known.T),
            "project_row": tf.constant(True),
        }
        return features, None

    found = np.array(list(model.get_projections(new_rows)))
    assert found @ columns.T == pytest.approx(2 * whole[:2], abs=1e-3)
    assert model.evaluate(input_fn=new_rows, steps=1)["loss"] < 50


def points(count: int = 60) -> np.ndarray:
    rng = np.random.default_rng(0)
    centers = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])
    return (centers[np.arange(count) % 3] + rng.normal(size=(count, 2))).astype(np.float32)


@pytest.mark.parametrize("kind", ["full", "diag"])
def test_a_step_of_a_mixture_is_expectation_and_maximization(kind: str) -> None:
    x, means = points(), np.float32([[1, 1], [5, 1], [1, 5]])
    given = tf.placeholder(tf.float32, [None, 2])
    loss, scores, assigned, step, choose, chosen = factorization.gmm(given, means, 3, 0, kind)
    least = 1e-3 * np.eye(2)
    covs = np.stack([np.cov(x.T) + least] * 3)
    covs = covs * np.eye(2) if kind == "diag" else covs
    chances = np.stack([
        -0.5 * np.einsum("nd,de,ne->n", x - m, np.linalg.inv(c + least), x - m)
        - 0.5 * np.linalg.slogdet(2 * np.pi * (c + least))[1] + np.log(1 / 3)
        for m, c in zip(means, covs, strict=True)
    ], 1)  # fmt: skip
    density = np.log(np.exp(chances).sum(1))
    share = np.exp(chances - density[:, None])
    new_means = share.T @ x / share.sum(0)[:, None]
    new_covs = np.stack([
        (x * s[:, None]).T @ x / s.sum() - np.outer(m, m) + least
        for s, m in zip(share.T, new_means, strict=True)
    ])  # fmt: skip
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert not sess.run(chosen)
        sess.run(choose, {given: x})
        sess.run(choose, {given: x[:5]})  # they were chosen
        assert sess.run(chosen)
        found = sess.run([loss, scores, assigned[0][0]], {given: x})
        assert found[0] == pytest.approx(np.log(np.exp(density).sum()), rel=1e-4)
        assert found[1][:, 0] == pytest.approx(density, rel=1e-4)
        assert list(found[2]) == list(share.argmax(1))
        sess.run(step, {given: x})
        variables = {v.op.name: sess.run(v) for v in tf.global_variables()}
        assert variables["alphas"] == pytest.approx(share.mean(0), abs=1e-4)
        assert variables["clusters"][:, 0] == pytest.approx(new_means, abs=1e-4)
        if kind == "diag":
            new_covs = np.stack([np.diag(each) for each in new_covs])
        assert variables["clusters_covs"] == pytest.approx(new_covs, abs=1e-3)


def test_only_what_is_asked_for_is_trained() -> None:
    given = tf.constant(points())
    made = factorization.GmmAlgorithm([given], 3, params="m", random_seed=4)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(made.init_ops())
        watched = made.clusters(), made.covariances(), made.alphas()
        before = sess.run(watched)
        sess.run(made.training_ops())
        moved = [not np.array_equal(*pair) for pair in zip(before, sess.run(watched), strict=True)]
        assert moved == [True, False, False]
        assert {tuple(row) for row in before[0][:, 0]} <= {tuple(row) for row in points()}
    with pytest.raises(Exception, match="programmer error: Invalid covariance type: round"):
        factorization.GmmAlgorithm([given], 3, covariance_type="round")


def test_an_estimator_of_mixtures(tmp_path: Path) -> None:
    def input_fn() -> Any:
        return tf.constant(points()), None

    first = np.float32([[1, 1], [5, 1], [1, 5]])
    model = factorization.GMM(3, str(tmp_path), initial_clusters=first)
    model.fit(input_fn=input_fn, steps=1)
    before = model.score(input_fn, steps=1)
    model.fit(input_fn=input_fn, steps=10)
    assert model.score(input_fn, steps=1) > before
    assert list(model.predict_assignments(input_fn))[:6] == [0, 1, 2, 0, 1, 2]
    assert model.clusters() == pytest.approx(np.float32([[0, 0], [6, 0], [0, 6]]), abs=0.6)
    assert model.weights() == pytest.approx(np.full(3, 1 / 3), abs=0.02)
    assert model.covariances().shape == (3, 2, 2)
