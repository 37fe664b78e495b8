"""`do_quantize_training_on_graphdef` makes the nodes that TensorFlow's own pass makes."""

from pathlib import Path

import numpy as np
import pytest
from minitf.library.saving.quantize_training import rounded_nodes

from minitf.library.formats import graph_message
from tests.conformance.oracle import Oracle

pytestmark = pytest.mark.conformance

_NETWORK = """
x = tf.placeholder(tf.float32, [None, 8, 8, 1], "x")
k = tf.get_variable("k", [3, 3, 1, 4], use_resource=False); W = tf.get_variable("W", [64, 5], use_resource=False)
h = tf.nn.max_pool(tf.nn.relu(tf.nn.conv2d(x, k, [1, 1, 1, 1], "SAME")), [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
h = tf.nn.relu6(tf.matmul(tf.reshape(h, [-1, 64]), W)); parts = tf.split(tf.tanh(h), [2, 3], 1)
y = tf.matmul(tf.sigmoid(h), tf.ones([5, 2])) + tf.matmul(parts[0], tf.ones([2, 2]))
tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(y)); tf.train.Saver()
from tensorflow.python.training.quantize_training import do_quantize_training_on_graphdef as rewrite
before = tf.get_default_graph().as_graph_def()
for name, graph in (("before", before), ("after", rewrite(before, 6))):
    with open(path + "/" + name, "wb") as f: f.write(graph.SerializeToString())
"""


def test_the_nodes_are_those_of_tensorflow(oracle: Oracle, tmp_path: Path) -> None:
    answer = oracle.ask(f"path = {str(tmp_path)!r}\n{_NETWORK}")
    assert answer["error"] is None, answer
    before, after = (
        graph_message.decode((tmp_path / name).read_bytes()).node for name in ("before", "after")
    )
    made, theirs = rounded_nodes(before, 6), {node.name: node for node in after}
    assert sorted(node.name for node in made) == sorted(theirs)
    assert len(made) > len(before) + 100
    old = {node.name for node in before}
    for node in made:
        their = theirs[node.name]
        assert (node.op, node.data_inputs) == (their.op, their.data_inputs)
        assert sorted(node.control_inputs) == sorted(their.control_inputs)
        compared = node.attrs if node.name not in old or node.op in ("Const", "SaveV2") else {}
        for key, value in compared.items():
            assert np.array_equal(value, their.attrs[key]), (node.name, key)
