"""An estimator that is evaluated while it trains."""

from pathlib import Path

import numpy as np
import pytest

import minitf as tf

X = np.arange(8.0, dtype="f")[:, None]


def _data(times: int = 1) -> tf.data.Dataset:
    return tf.data.Dataset.from_tensor_slices(({"x": X}, X[:, 0] * 2)).repeat(times).batch(4)


def test_evaluations_see_the_variables_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("tensorboard")
    column = tf.feature_column.numeric_column("x")
    optimizer = tf.train.GradientDescentOptimizer(0.001)
    estimator = tf.estimator.LinearRegressor([column], str(tmp_path), optimizer=optimizer)
    found = []
    evaluate = estimator._evaluation

    def noted(*args: object) -> dict:
        results = evaluate(*args)
        found.append((int(results["global_step"]), float(results["average_loss"])))
        return results

    monkeypatch.setattr(estimator, "_evaluation", noted)
    hook = tf.estimator.experimental.InMemoryEvaluatorHook(estimator, _data, every_n_iter=15)
    estimator.train(lambda: _data(20), hooks=[hook])
    assert [step for step, _ in found] == [0, 15, 30, 40]
    losses = [loss for _, loss in found]
    assert losses == sorted(losses, reverse=True)
    assert losses[0] == 70.0
    assert list((tmp_path / "eval").iterdir())
    with pytest.raises(ValueError, match="every_n_iter"):
        tf.estimator.experimental.InMemoryEvaluatorHook(estimator, _data, every_n_iter=0)
