"""Layers that compute in float16, variables of float32, losses that are scaled."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitf as tf
from minitf.library.eager.context import eager_mode
from minitf.library.keras import policy as policies

mixed = tf.keras.mixed_precision.experimental
layers = tf.keras.layers
scales = tf.train.experimental


@pytest.fixture(autouse=True)
def usual_settings() -> Iterator[None]:
    yield
    policies.settings.casts = None


class Add(layers.Layer):
    """Adds a variable, and notes the types that it saw."""

    seen: tuple = ()

    def build(self, input_shape: Any) -> None:
        self.v = self.add_weight("v", [], initializer="ones", regularizer=self._regularize_by)
        self.built = True

    def _regularize_by(self, value: Any) -> Any:
        self.seen = (tf.convert_to_tensor(value).dtype,)
        return tf.identity(value)

    def call(self, inputs: Any) -> Any:
        self.seen = (*self.seen, inputs.dtype, self.v.dtype, self._sum(inputs).dtype)
        return self._sum(inputs)

    def _sum(self, inputs: Any) -> Any:
        return inputs + self.v


def test_policies() -> None:
    policy = mixed.Policy("mixed_float16")
    assert (policy.name, policy.compute_dtype, policy.variable_dtype) == (
        "mixed_float16", "float16", "float32"
    )  # fmt: skip
    assert repr(mixed.Policy("float16", loss_scale=2)) == (
        '<Policy "float16", loss_scale=FixedLossScale(2.0)>'
    )
    assert isinstance(policy.loss_scale, scales.DynamicLossScale)
    assert policy.loss_scale is policy.loss_scale
    assert mixed.Policy("mixed_float16", loss_scale=None).loss_scale is None
    assert mixed.Policy("mixed_bfloat16").loss_scale is None
    assert mixed.Policy("infer_float32_vars").name == "infer_with_float32_vars"
    assert mixed.Policy("float16_with_float32_vars").should_cast_variables
    for wrong in ("abc", "abc_with_float32_vars", "float32_with_float16_vars"):
        with pytest.raises(ValueError, match=f"Cannot convert value {wrong} to a mixed precision"):
            mixed.Policy(wrong)
    with pytest.raises(TypeError, match="'name' must be a string, not a DType"):
        mixed.Policy(tf.float16)
    with pytest.raises(TypeError, match="'name' must be a string, but got: 5"):
        mixed.Policy(5)


@pytest.mark.parametrize("eagerly", [False, True])
def test_a_variable_reads_as_float16_in_its_layer_alone(eagerly: bool) -> None:
    def check() -> None:
        layer = Add(dtype=mixed.Policy("mixed_float16"))
        with tf.GradientTape() as tape:
            y = layer(tf.ones([2]))
        assert layer.seen[-3:] == (tf.float16, tf.float16, tf.float16)
        assert y.dtype == tf.float16
        assert layer.v.dtype == layer.v.true_dtype == tf.convert_to_tensor(layer.v).dtype
        assert layer.losses[0].dtype == layer.seen[0] == tf.float32
        (gradient,) = tape.gradient(y, [layer.v])
        assert gradient.dtype == tf.float32
        assert "true_dtype=float32" in repr(layer.v)
        small = 2.0**-14  # a half would not change by so little
        step = tf.keras.optimizers.SGD(small).apply_gradients([(gradient / 2, layer.v)])
        if not eagerly:
            session = tf.keras.backend.get_session()
            session.run(step)
        assert tf.keras.backend.get_value(layer.v) == np.float32(1 - small)

    if eagerly:
        with eager_mode():
            check()
    else:
        check()


def test_a_step_with_a_tape() -> None:
    with eager_mode():
        v = tf.Variable(1.0)
        optimizer = mixed.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25), "dynamic")
        for factor, expected in ((1.0, 0.75), (np.inf, 0.75), (2.0, 0.25)):
            with tf.GradientTape() as tape:
                loss = optimizer.get_scaled_loss(v * factor)
            found = optimizer.get_unscaled_gradients(tape.gradient(loss, [v]))
            optimizer.apply_gradients(zip(found, [v]))
            assert v.numpy() == expected
        assert optimizer.loss_scale().numpy() == 2**14
        assert optimizer.iterations.numpy() == 2
        assert "current_loss_scale=16384.0" in repr(optimizer.loss_scale)
        optimizer.minimize(lambda: v * 1.0, [v])
        assert v.numpy() == 0.0
        optimizer.lr = 0.5
        assert optimizer._optimizer.learning_rate.numpy() == 0.5
        with pytest.raises(AttributeError, match="cannot call get_slot on a LossScaleOptimizer"):
            optimizer.get_slot(v, "m")
        with pytest.raises(ValueError, match="optimizers with a clipnorm"):
            mixed.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1, clipnorm=1.0), 2)
        with pytest.raises(ValueError, match="must be an instance of OptimizerV2, but got: sgd"):
            mixed.LossScaleOptimizer("sgd", 2)


def test_rows_of_a_table_keep_their_numbers() -> None:
    layer = layers.Embedding(3000, 2, dtype="mixed_float16")
    rows = layer(tf.constant([[2049.0, 2999.0]]))  # a half would be 2048, and 3000
    table = np.arange(6000.0).reshape(3000, 2) / 8
    layer.set_weights([table])
    found = tf.keras.backend.get_session().run(rows)
    np.testing.assert_array_equal(found, table[[[2049, 2999]]].astype(np.float16))
    assert isinstance(tf.gradients(rows, layer.weights)[0], tf.IndexedSlices)


def test_a_model_is_made_again(tmp_path: Path) -> None:
    pytest.importorskip("h5py", reason="h5py is not installed")
    policy = mixed.Policy("mixed_float16", loss_scale=8)
    model = tf.keras.Sequential([layers.Dense(2, input_shape=(3,), dtype=policy)])
    optimizer = mixed.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1), 16)
    model.compile(optimizer, "mse")
    model.fit(np.ones([2, 3]), np.ones([2, 2]), verbose=0)
    again = tf.keras.models.model_from_json(model.to_json())
    assert again.layers[0].dtype_policy.name == "mixed_float16"
    assert str(again.layers[0].dtype_policy.loss_scale) == "FixedLossScale(8.0)"
    model.save(str(tmp_path / "model.h5"))
    loaded = tf.keras.models.load_model(str(tmp_path / "model.h5"))
    assert str(loaded.optimizer.loss_scale) == "FixedLossScale(16.0)"
    x = np.linspace(0, 1, 6).reshape(2, 3)
    np.testing.assert_array_equal(loaded.predict(x), model.predict(x))
    assert loaded.predict(x).dtype == np.float16
    assert layers.Dense(2, dtype="mixed_float16").get_config()["dtype"] == {
        "class_name": "Policy", "config": {"name": "mixed_float16"}
    }  # fmt: skip


def test_a_checkpoint_has_the_scale(tmp_path: Path) -> None:
    with eager_mode():

        def made() -> tuple[Any, Any, Any]:
            v = tf.Variable(1.0)
            scale = scales.DynamicLossScale(4, 1)
            optimizer = mixed.LossScaleOptimizer(tf.keras.optimizers.Adam(0.25), scale)
            return v, optimizer, tf.train.Checkpoint(v=v, optimizer=optimizer)

        v, optimizer, checkpoint = made()
        optimizer.minimize(lambda: v * v, [v])
        path = checkpoint.save(str(tmp_path / "c"))
        names = [name for name, _ in tf.train.list_variables(path)]
        kept = "/.ATTRIBUTES/VARIABLE_VALUE"
        assert f"optimizer/loss_scale/current_loss_scale{kept}" in names
        assert f"v/.OPTIMIZER_SLOT/optimizer/base_optimizer/m{kept}" in names
        other, again, checkpoint = made()
        checkpoint.restore(path).assert_existing_objects_matched()
        assert again.loss_scale().numpy() == 8
        for each, variable in ((optimizer, v), (again, other)):
            each.minimize(lambda: variable * variable, [variable])  # noqa: B023
        assert other.numpy() == v.numpy() < 0.75


def test_replicas_take_a_step_together() -> None:
    strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
    with strategy.scope():
        model = tf.keras.Sequential([layers.Dense(1, input_shape=(2,), kernel_initializer="ones")])
        scale = scales.DynamicLossScale(8, 2)
        model.compile(mixed.LossScaleOptimizer(tf.keras.optimizers.SGD(0.125), scale), "mse")
    x, y = np.ones([4, 2], "f"), np.zeros([4, 1], "f")
    plain = tf.keras.Sequential([layers.Dense(1, input_shape=(2,), kernel_initializer="ones")])
    plain.compile(tf.keras.optimizers.SGD(0.125), "mse")
    for _ in range(3):
        np.testing.assert_allclose(model.train_on_batch(x, y), plain.train_on_batch(x, y))
    before = model.get_weights()
    bad = x.copy()
    bad[3] = np.inf  # of the second replica alone
    model.train_on_batch(bad, y)
    for one, other in zip(model.get_weights(), before, strict=True):
        np.testing.assert_array_equal(one, other)
    assert tf.keras.backend.get_value(scale()) == 8  # 16, and halved
