"""Estimators: the code on the slides of "Distributed TensorFlow training" (M. Hyttsten, GTC 2018)."""

# The slides' code keeps the form it has on the slides.
# fmt: off
# ruff: noqa: E501, E702

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from minitf.keras import Sequential
from minitf.keras.layers import Conv2D, Dense, Dropout, Flatten, MaxPooling2D

import minitf as tf
from minitf import keras

InputFn = Callable[[], Any]


def stripes(count: int) -> tuple[np.ndarray, np.ndarray]:
    """[count, 8, 8, 1] pictures with one bright row or column, and which of 10 it is."""
    rng = np.random.default_rng(0)
    images, labels = rng.uniform(0, 0.3, [count, 8, 8, 1]), rng.integers(0, 10, count)
    for image, label in zip(images, labels, strict=True):
        if label < 5:
            image[label] = 1
        else:
            image[:, label - 5] = 1
    return images.astype(np.float32), labels


def input_fn(count: int, epochs: int | None, one_hot: bool) -> InputFn:
    images, labels = stripes(count)
    targets = np.eye(10, dtype=np.float32)[labels] if one_hot else labels
    features = images if one_hot else {"image": images}
    return lambda: tf.data.Dataset.from_tensor_slices((features, targets)).repeat(epochs).batch(50)


def keras_model() -> Any:
    model = Sequential()
    model.add(Conv2D(32, kernel_size=(3, 3), activation='relu', input_shape=(8, 8, 1)))
    model.add(MaxPooling2D(pool_size=(2, 2)))
    model.add(Flatten())
    model.add(Dense(128, activation='relu'))
    model.add(Dropout(0.2))
    model.add(Dense(10, activation='softmax'))
    model.compile(loss='categorical_crossentropy', optimizer='adam', metrics=['accuracy'])
    return model


@pytest.mark.parametrize("kind", ["LinearClassifier", "DNNClassifier", "DNNLinearCombinedClassifier", "BaselineClassifier"])
def test_premade_estimators(kind: str, tmp_path: Path) -> None:
    image = tf.feature_column.numeric_column("image", shape=[8, 8, 1])
    arguments = {
        "LinearClassifier": {"feature_columns": [image]},
        "DNNClassifier": {"feature_columns": [image], "hidden_units": [32]},
        "DNNLinearCombinedClassifier": {"dnn_feature_columns": [image], "dnn_hidden_units": [32], "linear_feature_columns": [image]},
        "BaselineClassifier": {},
    }[kind]
    estimator = getattr(tf.estimator, kind)(n_classes=10, model_dir=str(tmp_path), **arguments)

    # Train locally
    estimator.train(input_fn=input_fn(300, 15, False))
    metrics = estimator.evaluate(input_fn=input_fn(300, 1, False))
    predictions = list(estimator.predict(input_fn=input_fn(300, 1, False)))

    assert len(predictions) == 300
    assert metrics["accuracy"] > (0.05 if kind == "BaselineClassifier" else 0.9)


def test_a_keras_model_as_an_estimator(tmp_path: Path) -> None:
    model = keras_model()

    # Convert a Keras model to tf.estimator.Estimator ...
    estimator = keras.estimator.model_to_estimator(model, model_dir=str(tmp_path))

    # Train locally
    estimator.train(input_fn=input_fn(300, 15, True))
    metrics = estimator.evaluate(input_fn=input_fn(300, 1, True))
    first = next(estimator.predict(input_fn=input_fn(300, 1, True)))

    assert metrics["acc"] > 0.9
    assert first["dense_1"].shape == (10,)


def test_train_and_evaluate(tmp_path: Path) -> None:
    estimator = keras.estimator.model_to_estimator(keras_model(), model_dir=str(tmp_path))
    train_spec = tf.estimator.TrainSpec(input_fn(300, None, True), max_steps=90)
    eval_spec = tf.estimator.EvalSpec(input_fn(300, 1, True), throttle_secs=0)

    # Train locally & distributed
    metrics, _ = tf.estimator.train_and_evaluate(estimator, train_spec, eval_spec)

    assert metrics["global_step"] == 90
    assert metrics["acc"] > 0.9
