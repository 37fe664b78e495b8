"""Whose memory a value is, and until when: what a program may write over."""

import minitf as tf
from minitf.core.runtime.emit.buffers import Buffers, Liveness
from minitf.core.runtime.plan.subgraph import Node, prune


def order(fetch: tf.Tensor, *feeds: tf.Tensor) -> tuple[list[Node], dict[str, tuple[Node, int]]]:
    """The nodes of a run, and the first output of each, by name."""
    nodes = prune([fetch], [], feeds)
    return nodes, {node.name: (node, 0) for node in nodes}


def x_y_z() -> tuple[list[Node], dict[str, tuple[Node, int]]]:
    x = tf.placeholder(tf.float32, [4], name="x")
    y = tf.exp(x, name="y")
    return order(tf.add(tf.negative(y, name="z"), 1.0, name="w"), x)  # x, y, z, w/y, w, return


def test_what_a_run_made_is_fresh() -> None:
    nodes, of = x_y_z()
    live = Liveness(nodes)
    made = [node.name for node in nodes if node.dtypes and live.is_fresh(of[node.name])]
    assert made == ["y", "z", "w"]  # not what was fed, and no constant


def test_a_value_dies_where_it_is_read_for_the_last_time() -> None:
    nodes, of = x_y_z()
    live = Liveness(nodes)
    where = {node.name: position for position, node in enumerate(nodes)}
    assert not live.dies_at(of["y"], where["y"]) and live.dies_at(of["y"], where["z"])
    assert live.dying_at(where["z"], [of["z"][0]]) == [of["y"]]


def test_what_is_fetched_never_dies() -> None:
    nodes, of = x_y_z()
    assert not Liveness(nodes).dies_at(of["w"], len(nodes))


def test_a_view_keeps_alive_what_it_looks_at() -> None:
    x = tf.placeholder(tf.float32, [4, 1], name="x")
    y = tf.exp(x, name="y")
    view = tf.squeeze(y, name="view")
    nodes, of = order(tf.add(tf.square(y, name="s"), tf.reduce_sum(view, name="r"), name="w"), x)
    live = Liveness(nodes)
    where = {node.name: position for position, node in enumerate(nodes)}
    assert not live.is_fresh(of["view"])
    assert live.sharing(of["y"]) == [of["y"], of["view"]]
    assert not live.dies_at(of["y"], where["s"]) and live.dies_at(of["y"], where["r"])


def test_a_variable_is_read_until_the_last_use_of_what_was_read() -> None:
    v = tf.Variable([1.0, 2.0], name="v", use_resource=False)
    before = tf.identity(v, name="before")
    with tf.control_dependencies([before]):
        updated = tf.assign(v, [3.0, 4.0], name="set")
    with tf.control_dependencies([updated]):
        late = tf.negative(before, name="late")
    nodes, of = order(late)
    where = {node.name: position for position, node in enumerate(nodes)}
    live = Liveness(nodes)
    assert live.variable_is_read_after(of["v"], where["set"])
    assert not live.variable_is_read_after(of["v"], where["late"])
    assert not Buffers(nodes).is_last_reader(of["set"][0], where["set"])


def test_a_result_is_written_over_an_input_that_dies() -> None:
    nodes, of = x_y_z()
    buffers = Buffers(nodes)
    where = {node.name: position for position, node in enumerate(nodes)}
    assert buffers.reusable(of["y"][0], where["y"]) is None  # x is the caller's
    assert buffers.reusable(of["z"][0], where["z"]) == (of["y"], [], False)


def test_where_sizes_are_unknown_the_program_must_ask() -> None:
    x = tf.placeholder(tf.float32, [None], name="x")
    other = tf.placeholder(tf.float32, [None], name="other")
    nodes, of = order(tf.add(tf.exp(x, name="y"), other, name="z"), x, other)
    position = nodes.index(of["z"][0])
    asked = (of["y"], [of["_arg_other_0"]], True)  # and whether it has more than one element
    assert Buffers(nodes).reusable(of["z"][0], position) == asked


def test_an_update_is_not_the_memory_of_its_value() -> None:
    """A branch that updates what an update returned forgets the first value once, not twice."""
    x, wanted = tf.placeholder(tf.float32, [64, 64]), tf.placeholder(tf.bool, [])
    variable = tf.Variable(tf.ones([64, 64]))

    def update() -> tf.Operation:
        decayed = tf.assign(variable, variable * 0.5)
        return tf.group(tf.assign_add(decayed, x * 2.0))

    both = tf.cond(wanted, update, tf.no_op)
    with tf.Session() as sess:
        sess.run(variable.initializer)
        sess.run(both, {x: [[1.0] * 64] * 64, wanted: True})
        assert sess.run(variable).tolist() == [[2.5] * 64] * 64
