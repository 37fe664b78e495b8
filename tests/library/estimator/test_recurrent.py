"""Estimators of sequences: both kinds of cells, steps with padding, and what they refuse."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf

F = tf.feature_column
WORDS = np.array([[1, 2, 3], [4, 2, -1], [1, -1, -1], [4, 4, 2]])
FIRST = (WORDS[:, 0] == 1).astype(np.int64)  # what is to be told: the first word
STEPS = (WORDS == 2).astype(np.int64)  # and of each word, whether it is the second of all


def columns() -> list[Any]:
    words = F.sequence_categorical_column_with_identity("words", 5)
    return [F.embedding_column(words, 4, initializer=tf.random_normal_initializer(seed=1))]


def data(labels: np.ndarray, times: int, **more: Any) -> Any:
    return lambda: tf.data.Dataset.from_tensors(({"words": WORDS, **more}, labels)).repeat(times)


def config(path: Path) -> tf.estimator.RunConfig:
    return tf.estimator.RunConfig(str(path), tf_random_seed=1)


@pytest.mark.parametrize("cell_type", ["basic_rnn", "lstm", "gru"])
def test_cells_remember_the_first_word(tmp_path: Path, cell_type: str) -> None:
    model = tf.contrib.estimator.RNNClassifier(
        columns(), num_units=[6, 5], cell_type=cell_type, optimizer="Adam", config=config(tmp_path)
    )
    model.train(data(FIRST, 40))
    assert model.evaluate(data(FIRST, 1))["accuracy"] == 1.0
    cell = {"basic_rnn": "basic_rnn_cell", "lstm": "basic_lstm_cell", "gru": "gru_cell"}[cell_type]
    names = model.get_variable_names()
    assert "rnn/logits/dense/kernel" in names
    assert any(name.startswith(f"rnn/rnn/multi_rnn_cell/cell_1/{cell}/") for name in names)


@pytest.mark.parametrize("units", [6, [6, 5]])
def test_layers_remember_the_first_word(tmp_path: Path, units: Any) -> None:
    model = tf.estimator.experimental.RNNClassifier(
        columns(), units=units, cell_type="lstm", optimizer="Adam", config=config(tmp_path)
    )
    model.train(data(FIRST, 40))
    found = model.evaluate(data(FIRST, 1))
    assert found["accuracy"] == 1.0 and found["global_step"] == 40
    assert {"rnn_model/logits/kernel", "global_step"} < set(model.get_variable_names())


def test_each_step_has_its_class_and_padding_counts_for_nothing(tmp_path: Path) -> None:
    for number, (kind, size) in enumerate(
        [
            (tf.contrib.estimator.RNNClassifier, {"num_units": [6]}),
            (tf.estimator.experimental.RNNClassifier, {"units": [6]}),
        ]
    ):
        model = kind(
            columns(), return_sequences=True, weight_column="weight", optimizer="Adam",
            config=config(tmp_path / str(number)), **size,
        )  # fmt: skip
        weight = np.where(WORDS < 0, 100.0, 1.0).astype(np.float32)
        wrong = np.where(WORDS < 0, 1, STEPS)
        model.train(data(wrong, 80, weight=weight))
        found = model.evaluate(data(wrong, 1, weight=weight))
        assert found["accuracy"] == 1.0 and found["label/mean"] == pytest.approx(3 / 9)
        told = list(model.predict(data(wrong, 1, weight=weight)))
        assert told[1]["class_ids"].shape == (3, 1)
        np.testing.assert_array_equal(told[1]["sequence_mask"], [True, True, False])


def test_context_cells_of_the_program_and_heads(tmp_path: Path) -> None:
    number = np.array([[3.0], [-1.0], [2.0], [0.5]], np.float32)
    kept = []

    def cell_fn(mode: str) -> Any:
        kept.append(mode)
        return tf.nn.rnn_cell.GRUCell(4)

    model = tf.contrib.estimator.RNNEstimator(
        tf.contrib.estimator.regression_head(), columns(), [F.numeric_column("number")],
        rnn_cell_fn=cell_fn, optimizer=tf.train.AdamOptimizer(0.1), config=config(tmp_path / "a"),
    )  # fmt: skip
    model.train(data(number, 60, number=number))
    assert model.evaluate(data(number, 1, number=number))["average_loss"] < 0.5
    assert kept == ["train", "eval"]
    model = tf.estimator.experimental.RNNEstimator(
        tf.estimator.RegressionHead(), columns(), [F.numeric_column("number")],
        rnn_cell_fn=lambda: tf.keras.layers.GRUCell(4),
        optimizer=tf.keras.optimizers.Adam(0.1), config=config(tmp_path / "b"),
    )  # fmt: skip
    model.train(data(number, 60, number=number))
    assert model.evaluate(data(number, 1, number=number))["average_loss"] < 0.5


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="num_units and cell_type must not be specified"):
        tf.contrib.estimator.RNNClassifier([], num_units=[2], rnn_cell_fn=lambda mode: None)
    with pytest.raises(ValueError, match="units and cell_type must not be specified"):
        tf.estimator.experimental.RNNClassifier([], cell_type="gru", rnn_cell_fn=lambda: None)
    model = tf.contrib.estimator.RNNClassifier(columns(), num_units=[2], cell_type="elman")
    with pytest.raises(ValueError, match="Supported cell types are .* got elman"):
        model.train(data(FIRST, 1))
    head = tf.estimator.RegressionHead()
    with pytest.raises(ValueError, match="must be a `_SequentialHead` object"):
        tf.estimator.experimental.RNNEstimator(head, columns(), units=[2], return_sequences=True)
    with pytest.raises(ValueError, match="context_input must have rank 2"):
        tf.contrib.feature_column.concatenate_context_input(tf.ones([2]), tf.ones([2, 3, 4]))
