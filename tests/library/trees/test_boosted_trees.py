"""Boosted trees, against the numbers of TensorFlow 1.15's own tests, and against scikit-learn."""

from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.library.trees.forest import Forest, Growth, Progress, grow_layer, leaves_of, sapling

fc = tf.feature_column
FEATURES = {
    "f_0": np.float32([12.5, 1.0, -2.001, -2.0001, -1.999]),
    "f_1": np.float32([2.0, -3.0, 0.5, 0.0, 0.4995]),
    "f_2": np.float32([3.0, 20.0, 50.0, -100.0, 102.75]),
}
NUMERIC = [fc.numeric_column(name) for name in FEATURES]
BUCKETS = [fc.bucketized_column(column, [-2.0, 0.5, 12.0]) for column in NUMERIC]
CLASSES = [[0.0], [1.0], [1.0], [0.0], [0.0]]
NUMBERS = [[1.5], [0.3], [0.2], [2.0], [5.0]]


def numbers() -> Any:
    return FEATURES, tf.constant(NUMBERS)


def classes() -> Any:
    return FEATURES, tf.constant(CLASSES)


def features() -> Any:
    return tf.data.Dataset.from_tensors(FEATURES)


def predicted(estimator: Any, key: str) -> np.ndarray:
    return np.array([found[key] for found in estimator.predict(features)])


def progress(estimator: Any) -> Progress:
    return Progress(*estimator.get_variable_value("boosted_trees/progress"))


def test_a_regressor_has_the_predictions_of_tensorflow() -> None:
    estimator = tf.estimator.BoostedTreesRegressor(BUCKETS, 1, n_trees=1, max_depth=5)
    estimator.train(numbers, steps=100)
    assert estimator.get_variable_value("global_step") == 5
    assert progress(estimator)[:2] == (1, 5)
    assert estimator.evaluate(numbers, steps=1)["average_loss"] == pytest.approx(2.478283)
    expected = [[0.571619], [0.262821], [0.124549], [0.956801], [1.769801]]
    np.testing.assert_allclose(predicted(estimator, "predictions"), expected, rtol=1e-5)


def test_two_trees_have_the_loss_of_tensorflow() -> None:
    estimator = tf.estimator.BoostedTreesRegressor(BUCKETS, 1, n_trees=2, max_depth=5)
    estimator.train(numbers, steps=100)
    assert progress(estimator)[:2] == (2, 10)
    assert estimator.evaluate(numbers, steps=1)["average_loss"] == pytest.approx(1.008551, rel=1e-5)


def test_a_classifier_learns_and_goes_on_from_its_checkpoint() -> None:
    make = lambda: tf.estimator.BoostedTreesClassifier(  # noqa: E731
        BUCKETS, 1, model_dir=folder, n_trees=1, max_depth=5
    )
    folder = None
    estimator = make()
    folder = estimator.model_dir
    estimator.train(classes, steps=3)
    assert progress(make())[:2] == (0, 3)
    make().train(classes, steps=100)
    assert estimator.get_variable_value("global_step") == 5
    assert make().evaluate(classes, steps=1)["accuracy"] == 1.0
    assert predicted(make(), "class_ids").ravel().tolist() == [0, 1, 1, 0, 0]


def test_numbers_are_cut_into_buckets_by_their_first_batches() -> None:
    columns = [fc.numeric_column(name, shape=()) for name in FEATURES]
    estimator = tf.estimator.BoostedTreesClassifier(
        columns, 1, n_trees=1, max_depth=5, quantile_sketch_epsilon=0.2
    )
    estimator.train(classes, steps=100)
    assert estimator.get_variable_value("global_step") == 5  # collecting is no step
    bounds = estimator.get_variable_value("boosted_trees/boundaries")
    assert bounds.shape == (3, 4)
    assert set(bounds[1]) <= {*FEATURES["f_1"], np.inf}
    assert estimator.evaluate(classes, steps=1)["accuracy"] == 1.0


def test_layers_wait_for_their_batches() -> None:
    estimator = tf.estimator.BoostedTreesClassifier(BUCKETS, 3, n_trees=2, max_depth=1)
    estimator.train(classes, steps=5)
    assert progress(estimator)[:2] == (1, 1)
    estimator.train(classes, steps=3)  # sums of batches are not saved, as in TensorFlow
    assert progress(estimator)[:2] == (2, 2)


def test_the_bias_of_a_regressor_is_the_mean() -> None:
    estimator = tf.estimator.BoostedTreesRegressor(
        BUCKETS, 1, n_trees=1, max_depth=1, center_bias=True
    )
    estimator.train(numbers, steps=2)
    values = estimator.get_variable_value("boosted_trees/values")
    assert values.ravel() == pytest.approx([1.8])


def test_explanations_add_up_to_the_prediction() -> None:
    estimator = tf.estimator.BoostedTreesRegressor(
        BUCKETS, 1, n_trees=3, max_depth=3, center_bias=True
    )
    estimator.train(numbers, steps=100)
    for found in estimator.experimental_predict_with_explanations(features):
        total = found["bias"] + sum(found["dfc"].values())
        assert total == pytest.approx(found["predictions"][0], rel=1e-5)
    importances = estimator.experimental_feature_importances(normalize=True)
    assert sum(importances.values()) == pytest.approx(1.0)
    assert set(importances) == {"f_0_bucketized", "f_1_bucketized", "f_2_bucketized"}


def test_all_data_in_one_batch() -> None:
    def data() -> Any:
        return tf.data.Dataset.from_tensors((FEATURES, CLASSES))

    train = tf.contrib.estimator.boosted_trees_classifier_train_in_memory
    estimator = train(data, BUCKETS, n_trees=1, max_depth=5)
    assert progress(estimator)[:2] == (1, 5)
    assert estimator.evaluate(data)["accuracy"] == 1.0


def test_several_classes_and_texts_as_labels() -> None:
    x = np.arange(30, dtype=np.float32)
    names = np.array(["low", "middle", "high"])[np.arange(30) // 10]

    def data() -> Any:
        return tf.data.Dataset.from_tensors(({"x": x}, names)).repeat(30)

    estimator = tf.estimator.BoostedTreesClassifier(
        [fc.numeric_column("x")], 1, n_classes=3, label_vocabulary=["low", "middle", "high"],
        n_trees=4, max_depth=2, learning_rate=0.5,
    )  # fmt: skip
    estimator.train(data)
    assert estimator.evaluate(data)["accuracy"] == 1.0


def test_refusals() -> None:
    make = tf.estimator.BoostedTreesClassifier
    with pytest.raises(ValueError, match="Tree complexity have no effect unless pruning mode"):
        make(BUCKETS, 1, tree_complexity=0.1)
    with pytest.raises(ValueError, match="For pruning, tree_complexity must be positive."):
        make(BUCKETS, 1, pruning_mode="pre")
    with pytest.raises(ValueError, match="For now, only bucketized_column, indicator_column"):
        make([fc.categorical_column_with_identity("a", 3)], 1)


# ---- the arrays --------------------------------------------------------------------------


def stats_of(features: Any, slopes: Any, curves: Any, buckets: int = 2) -> np.ndarray:
    """Of one leaf."""
    found = np.zeros((features.shape[1], 1, buckets, 2), np.float32)
    for row, slope, curve in zip(features, slopes, curves, strict=True):
        for feature, bucket in enumerate(row):
            found[feature, 0, bucket] += slope, curve
    return found


def test_the_best_split_and_its_gain() -> None:
    features = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    stats = stats_of(features, [1.0, 1.0, -3.0, -3.0], [1.0] * 4)
    grown = grow_layer(sapling(1, False), stats, Growth(max_depth=2, learning_rate=1.0, l2=2.0))
    assert grown.splits.tolist() == [[0, 0, 1, 2], [-1, 0, 0, 0], [-1, 0, 0, 0]]
    assert grown.values.ravel() == pytest.approx([0.0, -2 / 4, 6 / 4])
    assert grown.gains[0] == pytest.approx(2**2 / 4 + 6**2 / 4 - 4**2 / 6)
    leaves = leaves_of(grown.splits, grown.roots, features)
    assert leaves.ravel().tolist() == [1, 1, 2, 2]


def test_l1_shortens_the_steps() -> None:
    stats = stats_of(np.array([[0], [1]]), [2.0, -0.5], [1.0, 1.0])
    grown = grow_layer(sapling(1, False), stats, Growth(learning_rate=1.0, l1=1.0))
    assert grown.values.ravel() == pytest.approx([0.0, -1.0, 0.0])


def test_pruning_before_and_behind() -> None:
    stats = stats_of(np.array([[0], [1]]), [0.1, -0.1], [1.0, 1.0])
    costly = {"tree_complexity": 1.0, "max_depth": 1, "learning_rate": 1.0}
    kept = grow_layer(sapling(1, False), stats, Growth(pruning="pre", **costly))  # type: ignore[arg-type]
    assert (kept.splits[:, 0] < 0).all() and Progress(*kept.progress).finished == 1
    cut = grow_layer(sapling(1, False), stats, Growth(pruning="post", **costly))  # type: ignore[arg-type]
    assert (cut.splits[:, 0] < 0).all() and len(cut.splits) == 4
    assert isinstance(cut, Forest)


def test_leaves_of_little_weight_stay() -> None:
    stats = stats_of(np.array([[0], [1]]), [1.0, -1.0], [0.1, 0.1])
    grown = grow_layer(sapling(1, False), stats, Growth(min_node_weight=0.5))
    assert (grown.splits[:, 0] < 0).all()


def test_as_good_as_another_library() -> None:
    ensemble = pytest.importorskip("sklearn.ensemble")
    rng = np.random.default_rng(3)
    x = rng.normal(size=(600, 4)).astype(np.float32)
    y = (np.sin(2 * x[:, 0]) + x[:, 1] * (x[:, 2] > 0)).astype(np.float32)

    def data() -> Any:
        return tf.data.Dataset.from_tensors(({"x": x}, y[:, None])).repeat()

    estimator = tf.estimator.BoostedTreesRegressor(
        [fc.numeric_column("x", 4)], 1, n_trees=20, max_depth=3, learning_rate=0.3, center_bias=True
    )
    estimator.train(data)
    other = ensemble.HistGradientBoostingRegressor(
        max_iter=20, max_depth=3, learning_rate=0.3, min_samples_leaf=1, early_stopping=False
    ).fit(x, y)
    own = estimator.evaluate(data, steps=1)["average_loss"]
    assert own < 1.1 * np.mean((other.predict(x) - y) ** 2)
