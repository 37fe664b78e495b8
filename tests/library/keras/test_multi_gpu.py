"""A model on two simulated GPUs: each sees a part of the batch, and they share the weights."""

import numpy as np
import pytest

import minitf as tf
from minitf.core.runtime.run import devices


def model() -> tf.keras.Model:
    with tf.device("/cpu:0"):
        x = tf.keras.layers.Input((3,))
        y = tf.keras.layers.Dense(2, name="out")(x)
        return tf.keras.Model(x, y)


def test_each_gpu_computes_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "_simulated_gpus", 2)
    one = model()
    both = tf.keras.utils.multi_gpu_model(one, gpus=2)
    data = np.random.default_rng(0).random((5, 3)).astype(np.float32)
    np.testing.assert_allclose(both.predict(data), one.predict(data), rtol=1e-6)
    placed = {op.device for op in tf.get_default_graph().get_operations() if "replica_" in op.name}
    assert {"/device:GPU:0", "/device:GPU:1"} <= placed
    assert both.count_params() == one.count_params()


def test_too_few_gpus_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "_simulated_gpus", 1)
    with pytest.raises(ValueError, match="this machine only has.*Try reducing `gpus`"):
        tf.keras.utils.multi_gpu_model(model(), gpus=2)
    with pytest.raises(ValueError, match="`gpus >= 2`"):
        tf.keras.utils.multi_gpu_model(model(), gpus=1)
