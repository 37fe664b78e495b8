"""The graph editor: what is found, copied and connected anew."""

import pytest

import minitf as tf

ge = tf.contrib.graph_editor


def _program() -> tuple:
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


def test_selections_and_boundaries() -> None:
    a, b, c, d, e = _program()
    graph = tf.get_default_graph()
    assert ge.make_view_from_scope("part", graph).ops == ge.get_name_scope_ops(graph, "part/")
    assert ge.compute_boundary_ts([c.op, d.op]) == ([a, b], [d], [c])
    assert set(ge.get_walks_union_ops([d.op], [c.op])) == {d.op, e.op, c.op, a.op, b.op}
    with pytest.raises(TypeError, match="ControlOutputs"):
        ge.get_forward_walk_ops(c.op, control_outputs=True)


def test_views_are_remapped() -> None:
    a, b, c, d, _ = _program()
    view = ge.sgv([c.op, d.op])
    assert view.remap_inputs([1, 0]).inputs == [b, a] and view.remap([b]).inputs == [b]
    assert view.remap_outputs([0, 0]).outputs == [d, d] and not ge.sgv()
    assert view.consumers() == d.consumers()
    with pytest.raises(ValueError, match="Out of"):
        view.remap_inputs([2])
    with pytest.raises(ValueError, match="repetition"):
        view.remap_inputs([0, 0])


def test_control_dependencies_are_put_and_taken() -> None:
    a, b, c, d, e = _program()
    ge.add_control_inputs(d.op, b.op)
    controls = ge.ControlOutputs(tf.get_default_graph())
    assert controls.get(b.op) == [d.op] and controls.get_all() == {b.op: [d.op]}
    assert d.op in ge.get_forward_walk_ops(b.op, stop_at_ts=[b], control_outputs=controls)
    with pytest.raises(ValueError, match="already a control_input"):
        ge.add_control_inputs(d.op, b.op)
    ge.detach_control_inputs(d.op)
    assert d.op.control_inputs == []
    with pytest.raises(ValueError, match="not a control_input"):
        ge.remove_control_inputs(d.op, b.op)


def test_views_are_cut_out_bypassed_and_swapped() -> None:
    with tf.Session(graph=tf.Graph()) as sess, sess.graph.as_default():
        x = tf.constant(3.0, name="x")
        y = tf.square(x, name="y")
        z = tf.add(y, 1.0, name="z")
        w = tf.negative(x, name="w")
        ge.swap_outputs(ge.sgv(y.op), ge.sgv(w.op))
        assert sess.run([y, z, w]) == [9.0, -2.0, -3.0]
        ge.swap_ts(y, w)
        assert sess.run(z) == 10.0
        _, inputs, outputs = ge.detach(ge.sgv(y.op))
        assert (inputs[0].op.name, outputs[0].op.name) == ("geph__x_0", "geph__y_0")
        assert sess.run([y, z], {inputs[0]: 2.0, outputs[0]: 7.0}) == [4.0, 8.0]
        ge.connect(ge.sgv(w.op), ge.sgv(y.op))
        ge.reroute_ts(y, outputs)
        assert sess.run(z) == 10.0
        ge.bypass(ge.sgv(y.op))
        assert sess.run(z) == -2.0


def test_inputs_move_between_views() -> None:
    with tf.Session(graph=tf.Graph()) as sess, sess.graph.as_default():
        x, y = tf.constant(3.0), tf.constant(5.0)
        a, b = tf.square(x), tf.negative(y)
        first, second = ge.sgv(a.op), ge.sgv(b.op)
        ge.swap_inputs(first, second)
        assert sess.run([a, b]) == [25.0, -3.0] and first.inputs == [y] and second.inputs == [x]
        ge.reroute_inputs(first, second)
        assert sess.run([a, b]) == [25.0, -5.0] and second.inputs == [y]
        with pytest.raises(ValueError, match="Shapes .* not compatible"):
            ge.reroute_ts(x, tf.zeros([2]))


def test_a_transformer_has_hooks() -> None:
    _, b, c, d, _ = _program()
    tf.add_to_collection("part/mine", d)
    copier = ge.Transformer()
    made = ge.copy_op_handler

    def doubled(info: ge.TransformerInfo, op: tf.Operation, new_inputs: list) -> tuple:
        if op.type != "Square":
            return made(info, op, new_inputs)
        new = tf.multiply(new_inputs[0], 2.0, name=info.new_name(op.name)).op
        return new, new.outputs

    copier.transform_op_handler = doubled
    copier.transform_external_input_handler = ge.keep_t_if_possible_handler
    view, info = copier([c.op, d.op], tf.get_default_graph(), "twice", "part")
    assert info.transformed(d).op.name == "twice/d" and info.original(info.transformed(c)) is c
    assert tf.get_collection("twice/mine") == [info.transformed(d)]
    with tf.Session() as sess:
        assert sess.run(view.outputs) == [6.0]


def test_a_copy_reads_placeholders_and_keeps_its_dependencies() -> None:
    a, b, c, d, _ = _program()
    ge.add_control_inputs(d.op, [c.op, a.op])
    view, info = ge.copy([c.op, d.op], dst_scope="copy")
    assert [t.op.name for t in view.inputs] == ["copy/geph__a_0", "copy/geph__b_0"]
    new = info.transformed(d)
    assert new.op.control_inputs == [info.transformed(c.op), a.op]

    def renamed(node: tf.NodeDef) -> tf.NodeDef:
        node.name = "other"
        return node

    op, _ = ge.copy_op_handler(info, b.op, [], nodedef_fn=renamed)
    assert op.name == "other"


def test_names_of_placeholders() -> None:
    *_, c, _, _ = _program()
    assert ge.placeholder_name() == "geph" and ge.placeholder_name(scope="s") == "s/geph"
    assert ge.placeholder_name(c) == "part/geph__c_0"
    assert ge.placeholder_name(ge.make_placeholder_from_tensor(c, scope="s")) == "s/geph__c_0"
    assert ge.ph(tf.int32, [2], prefix="given").op.name == "given"
