"""Pictures of models: every layer is in them, and every arrow."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

import minitf as tf

L = tf.keras.layers


def test_a_picture_shows_layers_and_what_joins_them(tmp_path: Path) -> None:
    a = tf.keras.Input((4,), name="a")
    d = L.Dense(4, name="d")
    model = tf.keras.Model(a, L.add([d(a), a], name="sum"))
    dot = tf.keras.utils.model_to_dot(model, show_shapes=True).to_string()
    assert '[label="d: Dense\\ninput: (None, 4)\\noutput: (None, 4)"]' in dot
    assert dot.count("->") == 3 and "rankdir=TB" in dot
    tf.keras.utils.plot_model(model, str(tmp_path / "m.svg"))
    picture = ElementTree.parse(tmp_path / "m.svg").getroot()
    texts = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["a: InputLayer", "d: Dense", "sum: Add"]
    assert len(list(picture.iter("{http://www.w3.org/2000/svg}rect"))) == 3


def test_another_ending_becomes_svg(tmp_path: Path, capfd: pytest.CaptureFixture) -> None:
    model = tf.keras.Sequential([L.Dense(2, input_shape=(3,)), L.Dense(1)])
    tf.keras.utils.plot_model(model, to_file=str(tmp_path / "model.png"))
    assert [p.name for p in tmp_path.iterdir()] == ["model.svg"]
    tf.keras.utils.plot_model(model, to_file=tmp_path / "model.dot")
    assert (tmp_path / "model.dot").read_text().startswith("digraph model {")
