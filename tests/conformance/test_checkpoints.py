"""Checkpoints go from TensorFlow to minitf and back, and are the same files byte by byte."""

from pathlib import Path
from typing import Any

import pytest

import minitf
from tests.conformance.compare import compare
from tests.conformance.oracle import Oracle
from tests.conformance.runner import run_case

pytestmark = pytest.mark.conformance

_KINDS = """
kinds = [tf.float16, tf.float32, tf.float64, tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.bool, tf.complex64, tf.complex128]
"""

_VARIABLES = (
    _KINDS
    + """
def value(name, array):
    return tf.Variable(array if full else np.zeros_like(array), name=name)
made = [value("kinds/" + k.name, np.array([[1, 0, 2], [3, 1, 1]], k.as_numpy_dtype)) for k in kinds]
made += [value("empty", np.zeros((0, 3), "f")), value("scalar", np.float32(2.5)), value("large", np.arange(300000, dtype="f").reshape(300, 1000))]
made += [tf.Variable([b"one", b"", b"\\x00\\xff" * 100] if full else [b""] * 3, name="text"), tf.Variable("word" if full else "", name="word")]
with tf.variable_scope("parts", partitioner=tf.fixed_size_partitioner(3)):
    part = tf.get_variable("w", initializer=tf.constant(np.arange(1400).reshape(700, 2) if full else np.zeros((700, 2), "i8")))
made += list(part)
made += [tf.Variable(float(i) if full else 0., name=f"many/layer_{i // 7}/bias_{i}") for i in range(60)]
"""
)

SAVE = (
    "full = True"
    + _VARIABLES
    + """
s = tf.Session(); s.run(tf.global_variables_initializer())
tf.train.Saver(sharded=sharded).save(s, path, write_meta_graph=False, write_state=False)
"""
)
RESTORE = (
    "full = False"
    + _VARIABLES
    + """
s = tf.Session(); tf.train.Saver(sharded=sharded).restore(s, path); show(*s.run(made))
r = tf.train.load_checkpoint(path); show(sorted(r.get_variable_to_shape_map().items()), sorted((k, v.name) for k, v in r.get_variable_to_dtype_map().items()), r.debug_string())
show(r.get_tensor("parts/w"), tf.train.load_variable(path, "text"), tf.train.list_variables(path), tf.train.checkpoint_exists(path), len(tf.train.get_checkpoint_mtimes([path])))
with tf.Graph().as_default(), tf.Session() as sess:
    v = tf.get_variable("v", [300, 1000]); p = tf.get_variable("p", [700, 2], tf.int64, partitioner=tf.fixed_size_partitioner(2))
    tf.train.init_from_checkpoint(path, {"large": v, "parts/w": list(p)}); sess.run(tf.global_variables_initializer()); show(sess.run(v), sess.run(tf.convert_to_tensor(p)))
"""
)


def program(text: str, path: Path, sharded: bool = False) -> str:
    return f"path = {str(path)!r}\nsharded = {sharded}\n{text}"


def ran(answer: Any) -> Any:
    assert not answer.get("error"), answer["error"]
    return answer


@pytest.mark.parametrize("sharded", [False, True])
def test_checkpoints_go_both_ways(oracle: Oracle, tmp_path: Path, sharded: bool) -> None:
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    ran(oracle.ask(program(SAVE, theirs, sharded)))
    ran(run_case(minitf, program(SAVE, ours, sharded)))
    for end in (".index", ".data-00000-of-00001"):
        assert Path(f"{theirs}{end}").read_bytes() == Path(f"{ours}{end}").read_bytes(), end
    wanted = ran(oracle.ask(program(RESTORE, theirs, sharded)))
    assert len(wanted["shown"]) > 80
    for path in (theirs, ours):
        for got in (
            ran(run_case(minitf, program(RESTORE, path, sharded))),
            ran(oracle.ask(program(RESTORE, path, sharded))),
        ):
            assert not compare(wanted, got)


EXPORT = """
w = tf.Variable([1., 2.], name="w"); n = tf.Variable(7, name="n"); s = tf.Session(); s.run(tf.global_variables_initializer())
tf.saved_model.simple_save(s, path, {"x": tf.placeholder(tf.float32, name="x")}, {"y": w * 2.})
"""
VARIABLES = """
w = tf.Variable([0., 0.], name="w"); n = tf.Variable(0, name="n"); s = tf.Session()
tf.train.Saver().restore(s, path + "/variables/variables"); show(s.run([w, n]))
"""


def test_the_variables_of_saved_models_go_both_ways(oracle: Oracle, tmp_path: Path) -> None:
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    ran(oracle.ask(program(EXPORT, theirs)))
    ran(run_case(minitf, program(EXPORT, ours)))
    for path in (theirs, ours):
        wanted = ran(oracle.ask(program(VARIABLES, path)))
        assert not compare(wanted, ran(run_case(minitf, program(VARIABLES, path))))
