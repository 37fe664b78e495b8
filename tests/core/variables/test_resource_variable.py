"""Variables that each use reads anew."""

import minitf as tf
from minitf.core.variables.variables import ResourceVariable


def test_it_is_read_where_it_is_used():
    v = tf.Variable(1.0, use_resource=True, name="v")
    assert isinstance(v, ResourceVariable)
    assert (v.dtype, repr(v)) == (tf.float32, "<tf.Variable 'v:0' shape=() dtype=float32>")
    with tf.control_dependencies([v.assign_add(1.0)]):
        after = v * 2.0
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(after) == 4.0
        assert sess.run(tf.gradients(v * v * v, v)[0]) == 12.0
        assert sess.run(v.is_initialized())


def test_rows_looked_up_give_a_sparse_gradient() -> None:
    v = tf.Variable([1.0, 2.0, 3.0], use_resource=True)
    rows = tf.gather(v, [0, 0]) + tf.nn.embedding_lookup(v, [1, 0])
    assert isinstance(tf.gradients(rows, v)[0], tf.IndexedSlices)


def test_a_fetch_is_its_first_read() -> None:
    v = tf.Variable(1.0, use_resource=True, name="v")
    read = tf.get_default_graph().as_graph_element(v)
    assert (read.name, read.op.type) == ("v/Read/ReadVariableOp:0", "ReadVariableOp")


def test_a_caching_device_means_one_read_for_all() -> None:
    v = tf.get_variable("v", initializer=1.0, use_resource=True, caching_device="/cpu:0")
    assert v.value() is v.value()
    with tf.control_dependencies([tf.assign_add(v, 1.0).op, v.value()]):
        assert v.read_value() is not v.value()
