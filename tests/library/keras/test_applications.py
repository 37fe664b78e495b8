"""Known networks: what they give, and where their weights and names of classes come from."""

import json
from pathlib import Path

import numpy as np
import pytest

import minitf as tf
from minitf.library.datasets.download import DownloadError
from minitf.library.keras.applications import imagenet, network

applications = tf.keras.applications


def test_a_small_network_gives_probabilities() -> None:
    model = applications.MobileNetV2(weights=None, alpha=0.35, input_shape=(32, 32, 3), classes=4)
    images = np.random.default_rng(0).random((2, 32, 32, 3))
    found = model.predict(applications.mobilenet_v2.preprocess_input(images * 255))
    assert found.shape == (2, 4)
    np.testing.assert_allclose(found.sum(axis=1), [1, 1], rtol=1e-5)


def test_a_network_that_a_search_found() -> None:
    model = applications.NASNetMobile(weights=None, input_shape=(32, 40, 3), classes=4)
    images = np.random.default_rng(0).random((2, 32, 40, 3))
    np.testing.assert_allclose(model.predict(images).sum(axis=1), [1, 1], rtol=1e-5)
    assert applications.NASNetMobile(weights=None).count_params() == 5_326_716


def test_features_under_a_new_top() -> None:
    base = applications.VGG16(weights=None, include_top=False, input_shape=(32, 32, 3))
    base.trainable = False
    top = [tf.keras.layers.GlobalAveragePooling2D(), tf.keras.layers.Dense(3)]
    model = tf.keras.Sequential([base, *top])
    assert model.predict(np.zeros((1, 32, 32, 3))).shape == (1, 3)
    assert len(model.trainable_weights) == 2


def test_trained_weights_are_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(network, "_WEIGHTS", (tmp_path / "none").as_uri() + "/")
    asked = "none/vgg16/vgg16_weights_tf_dim_ordering_tf_kernels_notop.h5"
    with pytest.raises(DownloadError, match=asked):
        applications.VGG16(include_top=False)
    with pytest.raises(DownloadError, match="none/mobilenet/mobilenet_2_5_128_tf.h5"):
        applications.MobileNet(alpha=0.25, input_shape=(128, 128, 3))
    with pytest.raises(DownloadError, match="none/nasnet/NASNet-mobile-no-top.h5"):
        applications.NASNetMobile(include_top=False, input_shape=(64, 64, 3))
    with pytest.raises(ValueError, match="`classes` should be 1000"):
        applications.ResNet50(classes=10)
    with pytest.raises(ValueError, match="alpha must be one of"):
        applications.MobileNetV2(alpha=0.2)


def test_the_names_of_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = {str(number): [f"n{number}", f"class {number}"] for number in range(1000)}
    (tmp_path / "index.json").write_text(json.dumps(names))
    monkeypatch.setattr(imagenet, "get_file", lambda *args, **kwargs: tmp_path / "index.json")
    imagenet._classes.cache_clear()
    likely = np.zeros((1, 1000), np.float32)
    likely[0, [7, 30, 500]] = [0.2, 0.5, 0.3]
    found = applications.vgg16.decode_predictions(likely, top=2)
    imagenet._classes.cache_clear()
    assert [row[:2] for row in found[0]] == [("n30", "class 30"), ("n500", "class 500")]
    assert found[0][0][2] == np.float32(0.5)


def test_weights_of_a_file(tmp_path: Path) -> None:
    pytest.importorskip("h5py", reason="h5py is not installed")
    told = {"include_top": False, "input_shape": (32, 32, 3), "alpha": 0.25}
    first = applications.MobileNet(weights=None, **told)
    first.save_weights(str(tmp_path / "weights.h5"))
    again = applications.MobileNet(weights=str(tmp_path / "weights.h5"), **told)
    images = np.random.default_rng(0).random((1, 32, 32, 3))
    for one, other in zip(again.get_weights(), first.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)
    expected = first.predict(images)  # by other kernels perhaps, when some came in meanwhile
    np.testing.assert_allclose(again.predict(images), expected, atol=1e-5 * np.abs(expected).max())
