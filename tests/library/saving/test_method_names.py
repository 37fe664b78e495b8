"""The kinds of signatures in a saved model are changed in its file."""

from pathlib import Path

import pytest

import minitf as tf


def kinds(folder: Path) -> dict[str, str]:
    with tf.Graph().as_default(), tf.Session() as session:
        model = tf.saved_model.load(session, ["serve"], str(folder))
        feeds = {"x:0": [[1.0, 2.0]]}
        assert session.run("y:0", feeds).tolist() == [[3.0, 6.0]]
    return {key: each.method_name for key, each in model.signature_def.items()}


def test_kinds_are_changed(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, w = tf.placeholder(tf.float32, [None, 2], name="x"), tf.Variable(3.0)
        y = tf.multiply(x, w, name="y")
        session.run(w.initializer)
        tf.saved_model.simple_save(session, str(tmp_path / "m"), {"x": x}, {"y": y})
    make = tf.saved_model.signature_def_utils.MethodNameUpdater
    updater = make(str(tmp_path / "m"))
    for wrong in (("other", "a", None), ("serving_default", "a", "train")):
        with pytest.raises(ValueError, match="could not be found in SavedModel"):
            updater.replace_method_name(*wrong)
    for key, name in (("", "a"), ("serving_default", "")):
        with pytest.raises(ValueError, match="must be defined"):
            updater.replace_method_name(key, name)
    updater.replace_method_name("serving_default", "mine", tags="serve")
    updater.save(str(tmp_path / "new"))
    assert kinds(tmp_path / "new") == {"serving_default": "mine"}
    assert kinds(tmp_path / "m") == {"serving_default": "tensorflow/serving/predict"}
    updater.replace_method_name("serving_default", "again")
    updater.save()
    assert kinds(tmp_path / "m") == {"serving_default": "again"}
    with pytest.raises(OSError, match="does not exist"):
        make(str(tmp_path / "nothing"))
