"""Variables that each use reads anew."""

import minitf as tf
from minitf.library.variables.resource_variable import ResourceVariable, is_resource_variable


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


def test_who_asks_for_it():
    assert not is_resource_variable(tf.Variable(1.0))
    with tf.variable_scope("s", use_resource=True):
        w = tf.get_variable("w", [2])
    assert is_resource_variable(w)
    optimizer = tf.train.AdamOptimizer()
    optimizer.minimize(tf.reduce_sum(w), var_list=[w])
    assert all(is_resource_variable(v) for v in optimizer.variables())
    tf.enable_resource_variables()
    try:
        assert is_resource_variable(tf.Variable(1.0))
    finally:
        tf.disable_resource_variables()
    assert not is_resource_variable(tf.Variable(1.0))


def test_the_graph_remembers_the_kind():
    tf.Variable(1.0, name="plain")
    ResourceVariable(1.0, name="resource")
    meta = tf.train.export_meta_graph()
    with tf.Graph().as_default():
        tf.train.import_meta_graph(meta)
        assert [is_resource_variable(v) for v in tf.global_variables()] == [False, True]


def test_rows_looked_up_give_a_sparse_gradient() -> None:
    v = tf.Variable([1.0, 2.0, 3.0], use_resource=True)
    rows = tf.gather(v, [0, 0]) + tf.nn.embedding_lookup(v, [1, 0])
    assert isinstance(tf.gradients(rows, v)[0], tf.IndexedSlices)


def test_a_fetch_is_its_first_read() -> None:
    v = tf.Variable(1.0, use_resource=True, name="v")
    read = tf.get_default_graph().as_graph_element(v)
    assert (read.name, read.op.type) == ("v/Read/ReadVariableOp:0", "ReadVariableOp")
