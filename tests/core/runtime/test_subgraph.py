"""What a run needs of a graph, in an order that it can run in."""

from typing import Any

import pytest

import minitf as tf
from minitf.core.runtime.plan.received_nodes import from_node_defs
from minitf.core.runtime.plan.subgraph import Snapshot, prune, to_node_defs


def names(nodes: list) -> list[str]:
    return [node.name for node in nodes]


def a_b_c() -> tuple[Any, Any, Any]:
    a = tf.placeholder(tf.float32, [2], name="a")
    b = tf.multiply(a, 2.0, name="b")
    return a, b, tf.add(b, 1.0, name="c")


def test_what_nobody_needs_is_left_out() -> None:
    a, b, _ = a_b_c()
    assert names(prune([b], [], [a])) == ["_arg_a_0", "b/y", "b", "_retval_b_0_0"]


def test_what_is_fed_hides_what_it_was_computed_from() -> None:
    _, b, c = a_b_c()
    assert names(prune([c], [], [b])) == ["_arg_b_0", "c/y", "c", "_retval_c_0_0"]


def test_feeds_and_fetches_have_the_numbers_the_caller_gave_them() -> None:
    a, b, c = a_b_c()
    nodes = {node.name: node for node in prune([c, b], [], [a])}
    assert nodes["_arg_a_0"].attrs["index"] == 0
    assert nodes["_retval_c_0_0"].attrs["index"] == 0
    assert nodes["_retval_b_0_1"].attrs["index"] == 1
    assert nodes["_retval_b_0_1"].inputs == [(nodes["b"], 0)]


def test_a_feed_may_be_fetched() -> None:
    a, _, _ = a_b_c()
    assert names(prune([a], [], [a])) == ["_arg_a_0", "_retval_a_0_0"]


def test_what_is_only_waited_for_runs_when_it_has_effects() -> None:
    v = tf.Variable(1.0, name="v", use_resource=False)
    changed = tf.assign(v, 2.0, name="changed")
    idle = tf.multiply(3.0, 4.0, name="idle")
    with tf.control_dependencies([changed, idle]):
        c = tf.constant(5.0, name="c")
    assert names(prune([c], [], [])) == ["v", "changed/value", "changed", "c", "_retval_c_0_0"]


def test_in_place_of_an_idle_operation_what_it_waited_for_is_waited_for() -> None:
    v = tf.Variable(1.0, name="v", use_resource=False)
    with tf.control_dependencies([tf.assign(v, 2.0, name="changed")]):
        idle = tf.constant(3.0, name="idle")
    with tf.control_dependencies([idle]):
        idle_too = tf.constant(4.0, name="idle_too")
    with tf.control_dependencies([idle_too]):
        c = tf.constant(5.0, name="c")
    node = next(node for node in prune([c], [], []) if node.name == "c")
    assert names(node.controls) == ["changed"]


def test_a_cycle_is_named() -> None:
    a, b, c = a_b_c()
    b.op._add_control_input(c.op)
    with pytest.raises(tf.errors.InvalidArgumentError, match="cycle through '[bc]'"):
        prune([c], [], [a])


def test_nodes_travel_as_data() -> None:
    a, _, c = a_b_c()
    nodes = prune([c], [], [a])
    sent = to_node_defs(nodes)
    assert sent[2].name == "b" and sent[2].input == ["_arg_a_0", "b/y"]
    received = from_node_defs(sent, ("_Arg", "_Retval"))
    assert names(received) == names(nodes)
    assert received[2].dtypes == [tf.float32] and received[2].shapes == [tf.TensorShape([2])]


def test_a_snapshot_is_not_changed_by_what_rewrites_the_nodes() -> None:
    a, b, c = a_b_c()
    nodes = prune([c], [], [a])
    kept = Snapshot(nodes)
    assert Snapshot(nodes) == kept
    by_name = {node.name: node for node in nodes}
    by_name["c"].inputs[0] = by_name["_arg_a_0"], 0
    assert Snapshot(nodes) != kept
    again = {node.name: node for node in kept.nodes()}
    assert again["c"].inputs[0] == (again["b"], 0)
