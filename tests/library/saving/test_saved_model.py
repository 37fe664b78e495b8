"""Saved models: loaded step by step, with files of one name and with what is not a signature."""

import os

import pytest

import minitf as tf
from minitf.library.saving import saved_model, signatures
from minitf.library.saving.meta_messages import AssetFileDef


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


def test_assets_of_one_name_are_kept_apart(tmp_path):
    constants = []
    for folder, text in (("1", "a"), ("2", "a"), ("3", "b")):
        os.makedirs(tmp_path / folder)
        (tmp_path / folder / "words.txt").write_text(text)
        constants.append(tf.constant(str(tmp_path / folder / "words.txt")))
    builder = tf.saved_model.Builder(str(tmp_path / "m"))
    with tf.Session() as sess:
        builder.add_meta_graph_and_variables(sess, ["serve"], assets_list=constants)
        builder.save()
        loaded = tf.saved_model.load(sess, ["serve"], str(tmp_path / "m"))
    found = []
    for each in loaded.collection_def["saved_model_assets"].any_list.value:
        each.Unpack(asset := AssetFileDef())
        found.append(asset.filename)
    assert found == ["words.txt", "words.txt", "words.txt_1"]


def test_an_operation_to_train_with_and_reserved_keys(tmp_path):
    builder = tf.saved_model.Builder(str(tmp_path / "m"))
    step = tf.no_op(name="step")
    signature = signatures.op_signature_def(step, "k")
    assert signatures.load_op_from_signature_def(signature, "k") is step
    with pytest.raises(tf.errors.NotFoundError):
        signatures.load_op_from_signature_def(signature, "none")
    with tf.Session() as sess:
        with pytest.raises(TypeError, match="train_op needs to be a Tensor or Op"):
            builder.add_meta_graph_and_variables(sess, ["train"], train_op=3)
        with pytest.raises(KeyError, match="reserved"):
            builder.add_meta_graph_and_variables(
                sess, ["train"], {"__saved_model_init_op": signature}
            )
        builder.add_meta_graph_and_variables(sess, ["train"], train_op=step)
    assert tf.get_collection("saved_model_train_op") == [step]
