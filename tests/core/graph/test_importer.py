"""Graphs that come as data: in any order, with inputs that fit, mapped and returned by name."""

from collections.abc import Iterator

import numpy as np
import pytest

import minitf as tf
from minitf.core.graph.graph_def import GraphDef, NodeDef
from minitf.core.graph.importer import in_order
from minitf.core.runtime.plan.received_nodes import from_node_defs


@pytest.fixture
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as fresh:
        yield fresh


@pytest.fixture
def serialized() -> bytes:
    with tf.Graph().as_default() as graph:
        a = tf.placeholder(tf.float32, [2], name="a")
        b = tf.subtract(a, a, name="b")
        with tf.control_dependencies([tf.multiply(b, a, name="c")]):
            tf.identity(a, name="d")
    return graph.as_graph_def().SerializeToString()


def _read(data: bytes) -> GraphDef:
    made = tf.GraphDef()
    made.ParseFromString(data)
    return made


def _names(nodes: list[NodeDef]) -> list[str]:
    return [node.name for node in nodes]


def test_a_long_chain_needs_no_deep_stack() -> None:
    nodes = [NodeDef(f"n{i}", "Neg", [f"n{i - 1}"] if i else []) for i in range(5000)]
    assert _names(in_order(nodes[::-1])) == _names(nodes)


def test_a_shuffled_graph_computes_the_same(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [None], name="x")
    total = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s * x), [0, x])[1]
    tf.identity(total + tf.gradients(total, x)[0], name="y")
    definition = graph.as_graph_def()
    np.random.default_rng(3).shuffle(definition.node)
    with tf.Graph().as_default(), tf.Session() as session:
        (y,) = tf.import_graph_def(definition, return_elements=["y:0"])
        np.testing.assert_allclose(session.run(y, {"import/x:0": [2.0]}), [16.0 + 32.0])


def test_an_import_that_fails_leaves_the_graph_as_it_was(
    graph: tf.Graph, serialized: bytes
) -> None:
    x = tf.constant([1.0, 2.0, 3.0], name="x")
    before = graph.as_graph_def().to_json()
    with pytest.raises(ValueError, match="Dimensions must be equal"):
        tf.import_graph_def(_read(serialized), input_map={"b": x})
    assert graph.as_graph_def().to_json() == before
    assert x.consumers() == []


def test_partitions_come_in_any_order_too() -> None:
    nodes = [NodeDef("b", "NoOp", ["^a"]), NodeDef("a", "NoOp")]
    assert [node.name for node in from_node_defs(nodes)] == ["a", "b"]
    nodes[1].input.append("^b")
    with pytest.raises(tf.errors.InvalidArgumentError, match="2 nodes in a cycle"):
        from_node_defs(nodes)
