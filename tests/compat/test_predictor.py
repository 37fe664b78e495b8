"""Saved models as functions."""

import numpy as np
import pytest

import minitf as tf


@pytest.fixture
def folder(tmp_path):
    path = str(tmp_path / "model")
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        w = tf.Variable([[1.0], [10.0]])
        sess.run(w.initializer)
        tf.saved_model.simple_save(sess, path, {"x": x}, {"y": tf.matmul(x, w, name="y")})
    return path


def test_a_saved_model_predicts(folder):
    predict = tf.contrib.predictor.from_saved_model(folder)
    assert predict({"x": [[1.0, 2.0]]})["y"].tolist() == [[21.0]]
    with pytest.raises(ValueError, match="unexpected keys in input_dict"):
        predict({"z": [1.0]})


def test_tensors_by_name(folder):
    make = tf.contrib.predictor.from_saved_model
    predict = make(folder, input_names={"a": "x:0"}, output_names={"b": "y:0"}, tags="serve")
    assert predict({"a": np.ones((1, 2))})["b"].tolist() == [[11.0]]
    with pytest.raises(ValueError, match="Available signatures are"):
        make(folder, signature_def_key="nothing")
    with pytest.raises(ValueError, match="must both be specified"):
        make(folder, input_names={"a": "x:0"})


def test_of_an_estimator(tmp_path):
    def model_fn(features, mode):
        doubled = features["x"] * 2.0
        step = tf.train.get_or_create_global_step().assign_add(1)
        export = {"serving_default": tf.estimator.export.PredictOutput({"y": doubled})}
        return tf.estimator.EstimatorSpec(
            mode, {"y": doubled}, tf.reduce_sum(doubled), step, export_outputs=export
        )

    estimator = tf.estimator.Estimator(model_fn, str(tmp_path))
    estimator.train(lambda: {"x": tf.constant([1.0])}, steps=1)
    receiver = tf.estimator.export.build_raw_serving_input_receiver_fn(
        {"x": tf.placeholder(tf.float32, [None], name="x")}
    )
    predict = tf.contrib.predictor.from_estimator(estimator, receiver)
    assert predict({"x": [3.0]})["y"].tolist() == [6.0]
