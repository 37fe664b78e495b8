"""`TPUEstimator` on a machine without TPUs: batch sizes in params, metrics and host calls."""

from typing import Any

import numpy as np
import pytest

import minitf as tf

tpu = tf.contrib.tpu


def _estimator(seen: list, folder: Any, **options: Any) -> Any:
    def model_fn(features: Any, labels: Any, mode: str, params: Any) -> Any:
        seen.append((mode, params.get("batch_size"), params["use_tpu"], params["units"]))
        logits = tf.layers.dense(features["x"], params["units"])
        if mode == tf.estimator.ModeKeys.PREDICT:
            return tpu.TPUEstimatorSpec(mode, predictions={"logits": logits})
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        accuracy = (
            (lambda y, z: {"accuracy": tf.metrics.accuracy(y, tf.argmax(z, 1))}),
            [
                labels,
                logits,
            ],
        )
        step = tf.train.get_global_step()
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
        return tpu.TPUEstimatorSpec(
            mode,
            loss=loss,
            train_op=train,
            eval_metrics=accuracy,
            host_call=(lambda loss: [tf.identity(loss)], {"loss": loss}),
            scaffold_fn=tf.train.Scaffold,
        )

    config = tpu.RunConfig(model_dir=str(folder), tpu_config=tpu.TPUConfig(iterations_per_loop=5))
    return tpu.TPUEstimator(model_fn, config=config, params={"units": 2}, **options)


def _input_fn(params: Any) -> Any:
    data = {"x": np.ones((12, 3), np.float32)}, np.zeros(12, np.int64)
    return tf.data.Dataset.from_tensor_slices(data).batch(params["batch_size"])


def test_the_batch_size_of_the_mode_is_in_params(tmp_path: Any) -> None:
    seen: list = []
    sizes = {"train_batch_size": 6, "eval_batch_size": 4, "predict_batch_size": 3}
    estimator = _estimator(seen, tmp_path, use_tpu=False, **sizes)
    estimator.train(_input_fn, max_steps=10)
    result = estimator.evaluate(_input_fn)
    assert set(result) == {"accuracy", "global_step", "loss"}
    assert result["global_step"] == 2
    assert len(list(estimator.predict(_input_fn))) == 12
    modes = [("train", 6), ("eval", 4), ("infer", 3)]
    assert seen == [(mode, size, False, 2) for mode, size in modes]


def test_a_model_that_is_exported_has_no_batch_size(tmp_path: Any) -> None:
    seen: list = []
    estimator = _estimator(seen, tmp_path / "model", train_batch_size=6)
    estimator.train(_input_fn, steps=1)
    x = tf.placeholder(tf.float32, [None, 3])
    receiver = tf.estimator.export.build_raw_serving_input_receiver_fn({"x": x})
    estimator.export_saved_model(str(tmp_path / "saved"), receiver)
    assert seen[-1] == ("infer", None, False, 2)


def test_mistakes_are_told(tmp_path: Any) -> None:
    with pytest.raises(ValueError, match="`train_batch_size` cannot be `None`"):
        _estimator([], tmp_path)
    with pytest.raises(ValueError, match=r"must be provided with type `tpu_config\.RunConfig`"):
        tpu.TPUEstimator(lambda features, params: None, config=tf.estimator.RunConfig())
    estimator = _estimator([], tmp_path, train_batch_size=2)
    with pytest.raises(ValueError, match="does not include params argument"):
        estimator.train(lambda: None, steps=1)
    with pytest.raises(ValueError, match=r"host_call should have two elements\."):
        tpu.TPUEstimatorSpec("train", host_call=(print,))
    with pytest.raises(ValueError, match="num_cores_per_replica must be 1, 2, 4, 8"):
        tpu.TPUConfig(num_cores_per_replica=3)


def test_the_public_names_are_one() -> None:
    assert tf.estimator.tpu.TPUEstimator is tpu.TPUEstimator
    assert tpu.RunConfig.__name__ == "RunConfig"
