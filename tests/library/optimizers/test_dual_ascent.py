"""Dual coordinate ascent: the duality gap closes for each loss, at the least loss there is."""

from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.library.optimizers.dual_ascent import LOSSES, sdca_sweep

RNG = np.random.default_rng(4)
DENSE = RNG.normal(size=(20, 3)).astype(np.float32)
ROWS, IDS = np.arange(0, 20, 2), RNG.integers(0, 2, 10)
VALUES = RNG.normal(size=10).astype(np.float32)
WEIGHTS = RNG.uniform(0.5, 2, 20).astype(np.float32)
X = np.zeros((20, 5))
X[:, :3] = DENSE
np.add.at(X, (ROWS, 3 + IDS), VALUES)


@pytest.mark.parametrize("l1", [0.0, 0.7])
@pytest.mark.parametrize("loss_type", LOSSES)
def test_the_gap_closes_where_the_loss_is_least(loss_type: str, l1: float) -> None:
    loss, l2 = LOSSES[loss_type], 4.0
    labels = (X[:, 0] + X[:, 3] > 0).astype(np.float32)
    if not loss.signs:
        labels += np.float32(0.5)
    y = 2 * labels - 1 if loss.signs else labels
    weights, state = np.zeros(5, np.float32), np.zeros((20, 4), np.float32)

    def shrunk() -> Any:
        return np.sign(weights) * np.maximum(np.abs(weights) - l1 / l2, 0).astype(np.float64)

    def objective(w: Any) -> float:
        losses = [weight * loss.primal(*pair) for weight, *pair in zip(WEIGHTS, y, X @ w)]
        return sum(losses) + l1 * np.abs(w).sum() + l2 / 2 * (w**2).sum()

    gaps = []
    for _ in range(200):
        w, given = shrunk(), (DENSE, ROWS, IDS, VALUES, labels, WEIGHTS, weights, state)
        state, delta = sdca_sweep.kernel(np, *given, loss_type=loss_type, l1=l1, l2=l2)
        penalties = l1 * np.abs(w).sum() + l2 * (w**2).sum()
        gaps.append(state[:, 1].sum() + state[:, 2].sum() + penalties)
        weights += delta
    assert gaps[0] > 1 and abs(gaps[-1]) < 1e-4
    for step in 1e-2 * RNG.normal(size=(50, 5)):
        assert objective(shrunk() + step) > objective(shrunk()) - 1e-6


def test_an_estimator_reaches_the_solution_of_ridge_regression() -> None:
    y = (X @ [1.0, -2.0, 0.5, 1.0, 3.0] + 0.3).astype(np.float32)
    names = np.array([f"example {row}" for row in range(20)])
    features = {"x": X.astype(np.float32), "name": names}
    sdca = tf.estimator.experimental.LinearSDCA("name", symmetric_l2_regularization=2.0)
    column = tf.feature_column.numeric_column("x", shape=[5])
    model = tf.estimator.LinearRegressor([column], optimizer=sdca)
    model.train(lambda: tf.data.Dataset.from_tensor_slices((features, y)).repeat(200).batch(20))
    one = np.hstack([X, np.ones((20, 1))])
    expected = np.linalg.solve(one.T @ one + 2.0 * np.eye(6), one.T @ y)
    found = model.get_variable_value("linear/linear_model/x/weights")[:, 0]
    np.testing.assert_allclose(found, expected[:5], atol=1e-3)


def test_what_cannot_be_trained_so() -> None:
    sdca = tf.estimator.experimental.LinearSDCA("id")
    columns = [tf.feature_column.numeric_column("x")]
    with pytest.raises(ValueError, match="multi-class"):
        tf.estimator.LinearClassifier(columns, n_classes=3, optimizer=sdca)
    with pytest.raises(ValueError, match='sparse_combiner must be "sum"'):
        tf.estimator.LinearRegressor(columns, optimizer=sdca, sparse_combiner="mean")
    with pytest.raises(ValueError, match="symmetric_l2_regularization should be positive"):
        tf.estimator.experimental.LinearSDCA("id", symmetric_l2_regularization=0.0)
