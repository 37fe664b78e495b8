"""Keras models as estimators, where TensorFlow itself cannot be asked."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf

X = np.arange(8, dtype=np.float32).reshape(4, 2) / 8
Y = X[:, :1]


class Line(tf.keras.Model):
    """A model that is a class of the program."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = tf.keras.layers.Dense(1, name="line")

    def call(self, inputs: Any) -> Any:
        return self.dense(inputs)

    def get_config(self) -> dict:
        return {}

    @classmethod
    def from_config(cls, config: dict, custom_objects: Any = None) -> "Line":
        return cls()


def input_fn() -> Any:
    return tf.data.Dataset.from_tensor_slices((X, Y)).batch(4)


def test_a_model_that_is_a_class(tmp_path: Path) -> None:
    model = Line()
    model.compile("sgd", "mse")
    estimator = tf.keras.estimator.model_to_estimator(model, model_dir=str(tmp_path))
    before = estimator.train(input_fn).evaluate(input_fn)["loss"]
    for _ in range(5):
        estimator.train(input_fn)
    assert estimator.evaluate(input_fn)["loss"] < before
    assert any(name.endswith("line/kernel") for name in estimator.get_variable_names())


def test_a_model_from_a_file_keeps_its_weights(tmp_path: Path) -> None:
    pytest.importorskip("h5py")
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile("sgd", "mse")
    model.set_weights([np.array([[2.0], [3.0]]), np.array([1.0])])
    path = str(tmp_path / "model.h5")
    model.save(path)
    folder = str(tmp_path / "estimator")
    estimator = tf.keras.estimator.model_to_estimator(keras_model_path=path, model_dir=folder)
    (found,) = next(estimator.predict(input_fn)).values()
    np.testing.assert_allclose(found, [X[0] @ [2, 3] + 1], rtol=1e-6)
