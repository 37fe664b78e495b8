"""Saved models: loaded step by step, with files of one name and with what is not a signature."""

import pytest

import minitf as tf
from minitf.library.saving import saved_model


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def test_a_model_is_loaded_step_by_step(tmp_path):
    x = tf.placeholder(tf.float32, [None], name="x")
    w = tf.Variable(3.0, name="w")
    y = tf.multiply(x, w, name="y")
    with tf.Session() as sess:
        sess.run(w.initializer)
        tf.saved_model.simple_save(sess, str(tmp_path / "m"), {"x": x}, {"y": y})
    loader = saved_model.SavedModelLoader(str(tmp_path / "m"))
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        saver, found = loader.load_graph(graph, ["serve"], "s", return_elements=["y:0"])
        with pytest.raises(ValueError, match="a tf.train.Saver is required"):
            loader.restore_variables(sess, None, "s")
        loader.restore_variables(sess, saver, "s")
        loader.run_init_ops(sess, ["serve"], "s")
        assert sess.run(found, {"s/x:0": [2.0]})[0].tolist() == [6.0]
        with pytest.raises(ValueError, match="'z:0' not found"):
            loader.load_graph(graph, ["serve"], return_elements=["z:0"])
