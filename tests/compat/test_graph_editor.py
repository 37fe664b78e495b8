"""The graph editor: what is found, copied and connected anew."""

import pytest

import minitf as tf

ge = tf.contrib.graph_editor


def _program() -> tuple:
    tf.reset_default_graph()
    a = tf.constant(1.0, name="a")
    b = tf.constant(2.0, name="b")
    with tf.name_scope("part"):
        c = tf.add(a, b, name="c")
        d = tf.square(c, name="d")
    return a, b, c, d, tf.add(d, a, name="e")


def test_walks_and_names() -> None:
    a, b, c, d, e = _program()
    graph = tf.get_default_graph()
    assert set(ge.get_forward_walk_ops(b.op)) == {b.op, c.op, d.op, e.op}
    assert set(ge.get_forward_walk_ops([b])) == {c.op, d.op, e.op}
    assert ge.get_forward_walk_ops([b.op], inclusive=False, within_ops=[b.op, c.op]) == [c.op]
    assert set(ge.get_backward_walk_ops([d.op])) == {d.op, c.op, a.op, b.op}
    assert set(ge.get_backward_walk_ops([d], stop_at_ts=[c])) == {d.op}
    assert ge.get_walks_intersection_ops([b.op], [d.op]) == [b.op, c.op, d.op]
    assert ge.select_ops("^part/", graph=graph) == [c.op, d.op]
    assert ge.select_ts("^part/c", graph=graph) == [c]
    assert ge.filter_ts_from_regex([d.op, e.op], "part") == [c, d]
    assert ge.filter_ts([c.op], True) == [a, b, c]
    with pytest.raises(ValueError, match="graph"):
        ge.select_ops("c")
    view = ge.sgv(c.op, d.op)
    assert (view.ops, view.inputs, view.outputs) == ([c.op, d.op], [a, b], [d])


def test_copies_and_new_edges() -> None:
    a, b, c, d, e = _program()
    view, info = ge.copy_with_input_replacements(ge.sgv([c.op, d.op]), {b: tf.constant(5.0)})
    copied = info.transformed(d)
    assert [op.type for op in view.ops] == ["Add", "Square"] and copied.op in view.ops
    assert info._transformed_ops[d.op] is copied.op and info.transformed(e) is None
    replaced = ge.graph_replace(e, {c: tf.constant(3.0)}, dst_scope="again")
    assert replaced.op.name == "again/e"
    assert ge.reroute_ts([copied], [d], can_modify=[e.op]) == 1
    ge.add_control_inputs(e.op, [b.op])
    with tf.Session() as sess:
        assert sess.run([copied, replaced, e]) == [36.0, 10.0, 37.0]
    with pytest.raises(ValueError, match="not connected"):
        ge.graph_replace(a, {c: d})


def test_copies_into_another_graph() -> None:
    *_, c, d, _ = _program()
    with tf.Graph().as_default() as other:
        _, info = ge.copy(ge.sgv(d.op), other, dst_scope="new")
        copied = info.transformed(d)
        assert copied.graph is other and copied.op.inputs[0].op.type == "Placeholder"
        with tf.Session() as sess:
            assert sess.run(copied, {copied.op.inputs[0]: 4.0}) == 16.0
