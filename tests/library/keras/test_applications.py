"""Known networks: what they give, and where their weights and names of classes come from."""

import json
from pathlib import Path

import numpy as np
import pytest

import minitf as tf
from minitf.library.keras import applications as module

applications = tf.keras.applications


def test_features_under_a_new_top() -> None:
    base = applications.VGG16(weights=None, include_top=False, input_shape=(32, 32, 3))
    base.trainable = False
    top = [tf.keras.layers.GlobalAveragePooling2D(), tf.keras.layers.Dense(3)]
    model = tf.keras.Sequential([base, *top])
    assert model.predict(np.zeros((1, 32, 32, 3))).shape == (1, 3)
    assert len(model.trainable_weights) == 2


def test_the_names_of_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = {str(number): [f"n{number}", f"class {number}"] for number in range(1000)}
    (tmp_path / "index.json").write_text(json.dumps(names))
    monkeypatch.setattr(module, "get_file", lambda *args, **kwargs: tmp_path / "index.json")
    module._classes.cache_clear()
    likely = np.zeros((1, 1000), np.float32)
    likely[0, [7, 30, 500]] = [0.2, 0.5, 0.3]
    found = applications.vgg16.decode_predictions(likely, top=2)
    module._classes.cache_clear()
    assert [row[:2] for row in found[0]] == [("n30", "class 30"), ("n500", "class 500")]
    assert found[0][0][2] == np.float32(0.5)
