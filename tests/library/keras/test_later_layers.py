"""Layers of later releases, in graphs: what is found of data, and models that are made again."""

import numpy as np
import pytest

import minitf as tf

L, K = tf.keras.layers, tf.keras.backend
X = np.linspace(0, 5, 12).reshape(6, 2).astype("f")


@pytest.mark.parametrize("batches", [False, True])
def test_mean_and_variance_are_found_in_a_graph(batches: bool) -> None:
    layer = L.Normalization()
    layer.adapt(tf.data.Dataset.from_tensor_slices(X).batch(4) if batches else X)
    expected = (X - X.mean(0)) / X.std(0)
    model = tf.keras.Sequential([layer, L.Dense(1, kernel_initializer="ones")])
    np.testing.assert_allclose(model.predict(X)[:, 0], expected.sum(1), atol=1e-5)
    assert K.get_value(layer.count) == 6
    again = tf.keras.models.model_from_json(model.to_json())
    again.set_weights(model.get_weights())
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    layer.adapt(X[:3])  # anew
    np.testing.assert_allclose(K.get_value(layer.adapt_mean), X[:3].mean(0), rtol=1e-6)
    assert K.get_value(layer.count) == 3


def test_only_the_first_batches() -> None:
    layer = L.Normalization(axis=None)
    layer.adapt(tf.data.Dataset.from_tensor_slices(X).repeat().batch(2), steps=2)
    assert K.get_value(layer.count) == 8
    np.testing.assert_allclose(K.get_value(layer.adapt_mean), X[:4].mean(), rtol=1e-6)
    with pytest.raises(ValueError, match="Cannot `adapt` a Normalization layer"):
        L.Normalization(mean=1.0, variance=2.0).adapt(X)


def test_images_in_a_model_of_bytes() -> None:
    model = tf.keras.Sequential(
        [L.Resizing(2, 2, input_shape=(4, 4, 1)), L.CenterCrop(1, 2), L.Rescaling(0.5, 1.0)]
    )
    images = np.arange(32, dtype=np.uint8).reshape(2, 4, 4, 1)
    found = model.predict(images)
    whole = images.reshape(2, 2, 2, 2, 2).mean((2, 4))  # each pixel the mean of four
    np.testing.assert_allclose(found[..., 0], whole[:, :1] / 2 + 1)
    with pytest.raises(ValueError, match="images of known size"):
        L.CenterCrop(2, 2)(tf.placeholder(tf.float32, [1, None, None, 1]))


def test_attention_learns_which_place_is_meant() -> None:
    rng = np.random.RandomState(0)
    key = np.eye(4, dtype="f")[None].repeat(32, 0)
    values = rng.rand(32, 4, 3).astype("f")
    places = rng.randint(0, 4, 32)
    query = np.eye(4, dtype="f")[places][:, None]
    q, k, v = (tf.keras.Input(shape) for shape in ((1, 4), (4, 4), (4, 3)))
    out = L.MultiHeadAttention(2, 4, output_shape=3)(q, v, k)
    model = tf.keras.Model([q, k, v], out)
    model.compile(tf.keras.optimizers.Adam(0.05), "mse")
    data, wanted = [query, key, values], values[np.arange(32), places][:, None]
    losses = model.fit(data, wanted, epochs=60, verbose=0).history["loss"]
    assert losses[-1] < losses[0] / 20
    again = tf.keras.Model.from_config(model.get_config())
    again.set_weights(model.get_weights())
    np.testing.assert_allclose(again.predict(data), model.predict(data), rtol=1e-5)
