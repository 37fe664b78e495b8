"""`tf.contrib.tensor_forest`: forests that learn from batches."""

import numpy as np
import pytest

import minitf as tf
from minitf.library.trees.random_forest import learn, leaves_of, planted

forest = tf.contrib.tensor_forest.tensor_forest


def squares(count: int = 600) -> tuple[np.ndarray, np.ndarray]:
    """Points in four squares, of two classes as on a chess board."""
    x = np.random.default_rng(0).uniform(size=(count, 2)).astype(np.float32)
    return x, ((x[:, 0] > 0.5) ^ (x[:, 1] > 0.5)).astype(np.int32)


def test_params_are_filled() -> None:
    params = forest.ForestHParams(num_classes=3, num_features=400, max_nodes=50).fill()
    assert params.num_splits_to_consider == 20
    assert (params.num_trees, params.split_after_samples) == (100, 250)
    with pytest.raises(RuntimeError, match="num_features"):
        forest.ForestHParams(num_classes=3).fill()


def test_a_forest_grows_and_tells_classes() -> None:
    x, y = squares()
    params = forest.ForestHParams(
        num_classes=2, num_features=2, num_trees=5, max_nodes=60, split_after_samples=40
    ).fill()
    with tf.Graph().as_default(), tf.Session() as session:
        graph = forest.RandomForestGraphs(params)
        train, loss = graph.training_graph(x, y), graph.training_loss(x, y)
        found, paths, variance = graph.inference_graph(x)
        session.run(tf.global_variables_initializer())
        assert session.run(loss) == -1.0
        for _ in range(20):
            session.run(train)
        assert session.run(loss) < -20
        probabilities = session.run(found)
        assert probabilities.sum(axis=1) == pytest.approx(np.ones(len(x)))
        assert np.mean(probabilities.argmax(axis=1) == y) > 0.9
        assert session.run(tf.argmax(graph.inference_graph(x), 1)).shape == (600,)
        assert paths is None and variance is None


def test_one_leaf_becomes_three_nodes() -> None:
    x = np.array([[0.0], [1.0], [0.2], [0.9]], np.float32)
    trees = planted(1, 3, 2, 4)
    added = np.eye(2, dtype=np.float32)[[0, 1, 0, 1]]
    learn(trees, x, added, np.random.default_rng(0), 4, 1.0)
    assert trees.used.tolist() == [3]
    assert trees.splits[0].tolist() == [[0, 1, 2], [-1, -1, -1], [-1, -1, -1]]
    assert trees.counts[0].tolist() == [[2, 2], [2, 0], [0, 2]]
    assert leaves_of(trees.splits[0], trees.thresholds[0], x).tolist() == [1, 2, 1, 2]
