"""Graphs handed on: models for serving of 2016, copies of nodes, hints, sums over devices."""

from pathlib import Path

import numpy as np
import pytest

import minitf as tf
from minitf.library.formats import wire

contrib = tf.contrib


def test_a_model_for_serving(tmp_path: Path) -> None:
    exporter = contrib.session_bundle.exporter
    (tmp_path / "words.txt").write_text("a b")
    x = tf.placeholder(tf.float32, [None, 2], "x")
    y = tf.layers.dense(x, 3, name="y")
    step = tf.train.get_or_create_global_step()
    path = tf.constant(str(tmp_path / "words.txt"))
    signatures = {"inputs": exporter.generic_signature({"x": x}),
                  "outputs": exporter.generic_signature({"y": y})}  # fmt: skip
    model = exporter.Exporter(tf.train.Saver(sharded=True))
    with pytest.raises(RuntimeError, match="init must be called first"):
        model.export(str(tmp_path), step)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(step.assign(7))
        model.init(
            sess.graph.as_graph_def(), tf.no_op("start"), True,
            exporter.classification_signature(x, scores_tensor=y), signatures, [path],
        )  # fmt: skip
        folder = model.export(f"{tmp_path}/out/", step, sess)
        with pytest.raises(RuntimeError, match="Duplicate export dir"):
            model.export(f"{tmp_path}/out/", step, sess)
        sess.run(step.assign(8))
        newest = lambda paths: [max(paths, key=lambda path: path.export_version)]  # noqa: E731
        model.export(f"{tmp_path}/kept", step, sess)
        sess.run(step.assign(9))
        model.export(f"{tmp_path}/kept", step, sess, newest)
        assert [path.name for path in (tmp_path / "kept").iterdir()] == ["00000009"]
        expected = sess.run(y, {x: [[1.0, 2.0]]})
    assert folder == f"{tmp_path}/out/00000007"
    assert Path(folder, "assets", "words.txt").read_text() == "a b"
    meta = Path(folder, "export.meta").read_bytes()
    entries = [dict(wire.fields(data)) for number, data in wire.fields(meta) if number == 4]
    found = {bytes(entry[1]).decode(): entry.get(2, b"") for entry in entries}
    ((five, anys),) = wire.fields(found["serving_signatures"])
    (message,) = [dict(wire.fields(data)) for _, data in wire.fields(anys)]
    assert five == 5
    assert message[1] == b"type.googleapis.com/tensorflow.serving.Signatures"
    parts = wire.fields(message[2])
    assert parts[0] == (1, exporter.classification_signature(x, scores_tensor=y).data)
    assert [number for number, _ in parts] == [1, 2, 2]
    assert "serving_assets" in found
    with tf.Graph().as_default(), tf.Session() as sess:
        saver = tf.train.import_meta_graph(f"{folder}/export.meta")
        saver.restore(sess, f"{folder}/export")
        assert tf.get_collection("serving_init_op")[0].name == "start"
        np.testing.assert_allclose(sess.run("y/BiasAdd:0", {"x:0": [[1.0, 2.0]]}), expected)
    with pytest.raises(RuntimeError, match="init should be called only once"):
        model.init()


def test_nodes_in_another_graph() -> None:
    copies = contrib.copy_graph
    v = tf.get_variable("v", initializer=tf.constant([1.0, 2.0]))
    with tf.name_scope("in"):
        total = tf.add_n([v * 2.0, tf.ones([2])], name="total")
    tf.add_to_collection("mine", total)
    other = tf.Graph()
    w = copies.copy_variable_to_graph(v, other, "new")
    made = copies.copy_op_to_graph(total, other, [w], "new")
    assert made.graph is other
    assert made.name == "new/in/total:0"
    assert copies.get_copied_op(total, other, "new") is made
    assert other.get_collection("mine") == [made]
    assert [each.name for each in other.get_collection("trainable_variables")] == ["new/v:0"]
    with tf.Session(graph=other) as sess:
        sess.run(w.initializer)
        assert sess.run(made).tolist() == [3.0, 5.0]
    with pytest.raises(TypeError, match="Could not copy instance"):
        copies.copy_op_to_graph(3, other, [])


def test_hints_change_nothing() -> None:
    with contrib.compiler.jit.experimental_jit_scope():
        y = tf.constant(2.0) * 3.0
    state = tf.get_variable("s", initializer=1.0)
    (made,) = contrib.compiler.xla.compile(lambda x: (x + y, state.assign(5.0).op), inputs=[1.0])
    sums = contrib.nccl.all_sum([tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])])
    most = contrib.nccl.all_max([tf.constant([1.0, 5.0]), tf.constant([3.0, 4.0])])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run([made, y]) == [7.0, 6.0]
        assert sess.run(state) == 5.0
        assert np.array(sess.run(sums)).tolist() == [[4.0, 6.0]] * 2
        assert np.array(sess.run(most)).tolist() == [[3.0, 5.0]] * 2
