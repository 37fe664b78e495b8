"""The graph beside a checkpoint is written anew when it has changed, and copied when it has not."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import minitf as tf
from minitf.library.saving import saver as saver_module


@pytest.fixture(autouse=True)
def own_graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def changes(x: Any) -> dict[str, Callable[[], Any]]:
    return {
        "an operation": lambda: tf.negative(x, name="later"),
        "a shape": lambda: x.set_shape([7]),
        "a device": lambda: x.op._set_device("/cpu:1"),
        "a control input": lambda: x.op._add_control_input(tf.no_op("before")),
        "a collection": lambda: tf.add_to_collection("kept", x),
        "a list of a collection": lambda: tf.get_collection_ref("numbers").append(2),
    }


def nodes(path: str) -> Any:
    return tf.MetaGraphDef.FromString(Path(path).read_bytes())


@pytest.mark.parametrize("change", changes(None))
def test_what_changes_is_written(change: str, tmp_path: Path) -> None:
    x = tf.placeholder(tf.float32, [None], name="x")
    tf.Variable(1.0)
    tf.add_to_collection("numbers", 1)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        saver.save(sess, str(tmp_path / "m"), global_step=0)
        changes(x)[change]()
        saver.save(sess, str(tmp_path / "m"), global_step=1)
        saver.save(sess, str(tmp_path / "m"), global_step=2)
    first, second, third = (nodes(f"{tmp_path}/m-{step}.meta") for step in range(3))
    assert first != second == third
    tf.train.export_meta_graph(str(tmp_path / "now"), saver_def=saver.as_saver_def())
    assert second == nodes(str(tmp_path / "now"))


def test_an_unchanged_graph_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tf.Variable(1.0)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        saver.save(sess, str(tmp_path / "m"), global_step=0)
        monkeypatch.setattr(saver_module.meta_graph, "export_meta_graph", None)  # is not called
        for step in range(1, 9):  # the first files are removed on the way
            saver.save(sess, str(tmp_path / "m"), global_step=step)
        monkeypatch.undo()
        path = tmp_path / "m-8.meta"
        whole = path.read_bytes()
        assert whole == (tmp_path / "m-4.meta").read_bytes()
        path.write_bytes(b"torn")  # by somebody else: it is not spread
        saver.save(sess, str(tmp_path / "m"), global_step=9)
        (tmp_path / "m-9.meta").unlink()
        saver.save(sess, str(tmp_path / "m"), global_step=9)
    assert (tmp_path / "m-9.meta").read_bytes() == whole


def test_a_session_of_another_graph(tmp_path: Path) -> None:
    saver = tf.train.Saver({"a": tf.Variable(1.0, name="a")})
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        saver.save(sess, str(tmp_path / "m"))
    with tf.Graph().as_default(), tf.Session() as other:
        tf.Variable(2.0, name="b")
        tf.train.import_meta_graph(str(tmp_path / "m.meta"))
        other.run(tf.global_variables_initializer())
        saver.save(other, str(tmp_path / "m"))
    assert "b" in {node.name for node in nodes(str(tmp_path / "m.meta")).graph_def.node}
