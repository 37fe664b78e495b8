"""Files with changed bytes: each is read, or refused in words, and asks for no more memory."""

import random
import resource
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import minitf as tf


def _save(folder: Path) -> None:
    """A graph with a loop, a branch, texts and training: frozen, as a MetaGraph, and served."""
    with tf.Graph().as_default(), tf.Session() as sess:
        x, turns = tf.placeholder(tf.float32, [2, 4], "x"), tf.placeholder_with_default(2, [], "n")
        w = tf.get_variable("w", [4, 4], initializer=tf.ones_initializer())
        tf.get_variable("names", initializer=["a", "bc"], trainable=False)
        loop = tf.while_loop(
            lambda i, v: i < turns, lambda i, v: (i + 1, tf.tanh(tf.matmul(v, w))), [0, x]
        )
        chosen = tf.cond(x[0, 0] > 0, lambda: tf.reduce_sum(loop[1], turns - 1), lambda: x[0, :2])
        y = tf.identity(chosen, name="y")
        tf.train.AdamOptimizer().minimize(tf.reduce_mean(y))
        sess.run(tf.global_variables_initializer())
        tf.train.Saver().save(sess, str(folder / "model"))
        tf.saved_model.simple_save(sess, str(folder / "saved"), {"x": x}, {"y": y})
        nodes = tf.graph_util.convert_variables_to_constants(sess, sess.graph_def, ["y"])
        (folder / "model.pb").write_bytes(nodes.SerializeToString())


def _import(folder: Path) -> None:
    tf.import_graph_def(tf.GraphDef.FromString((folder / "model.pb").read_bytes()), name="")


def _import_meta(folder: Path) -> None:
    tf.train.import_meta_graph(str(folder / "model.meta"))


def _read(folder: Path) -> None:
    reader = tf.train.load_checkpoint(str(folder / "model"))
    for name in reader.get_variable_to_shape_map():
        reader.get_tensor(name)


def _serve(folder: Path) -> None:
    with tf.Session() as sess:
        tf.saved_model.loader.load(sess, ["serve"], str(folder / "saved"))


#: which file is changed, who reads it, and what a refusal names
FILES: dict[str, tuple[Callable[[Path], None], str, int]] = {
    "model.pb": (_import, "", 60),
    "model.meta": (_import_meta, "model.meta", 30),
    "model.index": (_read, "model", 60),
    "model.data-00000-of-00001": (_read, "model", 60),
    "saved/saved_model.pb": (_serve, "saved_model.pb", 30),
    "saved/variables/variables.index": (_serve, "variables", 15),
    "saved/variables/variables.data-00000-of-00001": (_serve, "variables", 15),
}


def _changed(data: bytes, rng: random.Random) -> bytes:
    """Some bytes changed, put in or taken out; sometimes the end is missing."""
    result = bytearray(data[: rng.choice([len(data)] * 3 + [rng.randrange(len(data))])])
    for _ in range(rng.randrange(1, 5)):
        place, kind = rng.randrange(len(result) + 1), rng.random()
        if kind < 0.6:
            result[place : place + 1] = bytes([rng.randrange(256)])
        elif kind < 0.9:
            result[place:place] = rng.choice([b"\xff", b"\0", b"\x80"]) * rng.randrange(1, 9)
        else:
            del result[place : place + rng.randrange(1, 20)]
    return bytes(result)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("good")
    _save(folder)
    return folder


@pytest.mark.parametrize("name", FILES)
def test_changed_bytes_are_read_or_refused(name: str, saved: Path, tmp_path: Path) -> None:
    read, named, count = FILES[name]
    shutil.copytree(saved, tmp_path, dirs_exist_ok=True)
    good, rng, refused = (saved / name).read_bytes(), random.Random(name), 0
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(count):
        (tmp_path / name).write_bytes(_changed(good, rng))
        try:
            with tf.Graph().as_default():
                read(tmp_path)
        except (ValueError, OSError, tf.errors.OpError) as error:
            refused += 1
            assert named in str(error) or "GraphDef" in str(error), error
    assert refused > count / 3
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before  # KB
    assert grown < 200_000
