"""Graphs: what waits for what, threads, their serialized form, containers, tracebacks."""

import threading

import numpy as np
import pytest

import minitf as tf
from minitf.core.graph.graph_def import decode_attr
from tests.graphs import graph as graph


def test_each_thread_has_its_own_scopes(graph: tf.Graph) -> None:
    names = []

    def build() -> None:
        with graph.as_default():
            names.append(tf.constant(1.0, name="c").name)

    with tf.name_scope("main"):
        thread = threading.Thread(target=build)
        thread.start()
        thread.join()
    assert names == ["c:0"]


def test_a_graph_travels_as_json(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    weights = tf.constant([[1.0], [2.0]])
    with tf.control_dependencies([tf.constant(3, name="wait")]):
        y = tf.matmul(x, weights, name="y")
    text = graph.as_graph_def().to_json()
    with tf.Graph().as_default() as copy:
        (again,) = tf.import_graph_def(text, name="", return_elements=["y:0"])
        assert again.shape.as_list() == [None, 1]
        assert [c.name for c in again.op.control_inputs] == ["wait"]
        assert copy.as_graph_def().to_json() == text
        with tf.Session() as sess:
            value = sess.run(again, {"x:0": [[1.0, 1.0]]})
    np.testing.assert_array_equal(value, [[3.0]])
    assert y.graph is graph


def test_equal_numbers_are_written_once() -> None:
    with tf.Graph().as_default() as graph:
        tf.constant(np.zeros((300, 400), "f"), name="zeros")
        tf.constant([[-0.0, 0.0]], name="signs")
        tf.constant([[2 + 1j, 2 + 1j]], name="complex")
    text = graph.as_graph_def().to_json()
    assert len(text) < 2000
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(tf.GraphDef.from_json(text), name="")
        zeros, signs, numbers = session.run(["zeros:0", "signs:0", "complex:0"])
    assert zeros.shape == (300, 400) and not zeros.any() and zeros.flags.writeable
    assert np.signbit(signs).tolist() == [[True, False]]
    assert numbers.tolist() == [[2 + 1j, 2 + 1j]]


def test_a_small_message_cannot_ask_for_much_memory() -> None:
    huge = {"tensor": {"dtype": "DT_FLOAT", "shape": [10**6, 10**6], "data": "AAAAAA=="}}
    array = decode_attr(huge)
    assert array.shape == (10**6, 10**6) and array.strides == (0, 0)
    for shape in ([2, -1], [0, 3], [2]):
        bad = {"tensor": {"dtype": "DT_FLOAT", "shape": shape, "data": "AAAAAAAAAAAAAAAA"}}
        with pytest.raises(ValueError, match="cannot have shape"):
            decode_attr(bad)


def test_containers(graph):
    with tf.container("outer"):
        with graph.container("inner"):
            inside = tf.Variable(0.0)
        queue = tf.FIFOQueue(1, [tf.int32])
    assert inside.op.get_attr("container") == b"inner"
    assert queue.queue_ref.op.get_attr("container") == b"outer"
    assert tf.Variable(0.0).op.get_attr("container") == b""


def test_types_by_their_numbers():
    assert tf.as_dtype(1) is tf.float32
    assert tf.as_dtype(103).name == "int32_ref"


def test_the_traceback_of_an_operation_is_one_of_pythons():
    import traceback

    with tf.Graph().as_default():
        op = tf.constant(1, name="here").op  # the line that is shown
    filename, lineno, name, line = op.traceback[-1]
    assert (filename, name) == (__file__, "test_the_traceback_of_an_operation_is_one_of_pythons")
    assert 'op = tf.constant(1, name="here").op' in traceback.format_list(op.traceback)[-1]
    assert line.endswith("# the line that is shown")
    op._traceback = [(filename, lineno, "elsewhere", {})]  # as PrettyTensor does
    assert [f.name for f in op.traceback] == ["elsewhere"]


def test_versions_are_those_of_the_graph_def():
    graph = tf.Graph()
    assert graph.graph_def_versions == graph.as_graph_def().versions
    assert (graph.graph_def_versions.producer, graph.graph_def_versions.min_consumer) == (1, 0)
