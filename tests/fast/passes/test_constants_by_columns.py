"""Long and narrow constants lie in memory as their products with vectors like it."""

import numpy as np

import minitf as tf
from minitf.core.graph.dtypes import float32
from minitf.core.graph.op_def import get_op_def
from minitf.core.graph.shapes import TensorShape
from minitf.core.runtime.plan.subgraph import Node
from minitf.fast.passes.constants_by_columns import constants_by_columns

DATA = np.random.default_rng(0).normal(size=(300, 10)).astype("f")


def layout(columns: int, transposed: bool = False, fetched: bool = False) -> bool:
    """Whether the constant lies by columns after the pass."""
    constant = Node("c", get_op_def("Const"), {"value": DATA}, [], [], "", [float32], [])
    rows = 300 if transposed else 10
    vector = Node("v", get_op_def("Const"), {"value": np.ones((rows, columns), "f")})
    product = Node("p", get_op_def("MatMul"), {}, [(constant, 0), (vector, 0)])
    product.shapes = [TensorShape([10 if transposed else 300, columns])]
    nodes = [constant, vector, product]
    if fetched:
        nodes.append(Node("f", get_op_def("Identity"), {}, [(constant, 0)]))
    constants_by_columns(nodes)
    assert (constant.attrs["value"] == DATA).all()
    return bool(constant.attrs["value"].flags.f_contiguous)


def test_only_what_is_multiplied_by_vectors() -> None:
    assert layout(1) and layout(1, transposed=True)
    assert not layout(2) and not layout(1, fetched=True)
    assert DATA.flags.c_contiguous


def test_a_regression_on_a_constant() -> None:
    targets = DATA @ np.arange(10, dtype="f")[:, None]
    w = tf.Variable(tf.zeros([10, 1]))
    loss = tf.reduce_mean(tf.square(tf.matmul(tf.constant(DATA), w) - targets))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as sess:
        sess.run(w.initializer)
        sess.run(train)
        np.testing.assert_allclose(sess.run(w), 0.2 / 300 * DATA.T @ targets, rtol=1e-4)
