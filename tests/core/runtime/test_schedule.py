"""The order of one partition: sends early, receives late and together."""

import minitf as tf
from minitf.core.runtime.plan.partition import partition, schedule
from minitf.core.runtime.plan.subgraph import Node, prune

PS, WORKER = (f"/job:{job}/replica:0/task:0/device:CPU:0" for job in ("ps", "worker"))


def scheduled(fetch: tf.Tensor, on_ps: set[str], device: str) -> list[list[str]]:
    """The groups of one of two devices; what is not named is on the worker."""
    nodes = prune([], [fetch.op], [])
    for node in nodes:
        node.device = PS if node.name in on_ps else WORKER
    return named(schedule(partition(nodes, str)[device]))


def named(groups: list[list[Node]]) -> list[list[str]]:
    return [[node.name for node in group] for group in groups]


def test_a_partition_that_receives_nothing_keeps_its_order() -> None:
    y = tf.negative(tf.constant(1.0, name="x"), name="y")
    assert scheduled(y, set(), WORKER) == [["x"], ["y"]]


def test_what_is_received_from_one_side_is_received_together() -> None:
    a, b = tf.constant(1.0, name="a"), tf.constant(2.0, name="b")
    y = tf.add(a, b, name="y")
    assert scheduled(y, {"a", "b"}, WORKER) == [["_recv_a_0_to_0", "_recv_b_0_to_1"], ["y"]]


def test_what_needs_no_recv_comes_before_it() -> None:
    a = tf.constant(1.0, name="a")
    own = tf.negative(tf.constant(2.0, name="b"), name="own")
    y = tf.add(a, own, name="y")
    assert scheduled(y, {"a"}, WORKER) == [["b"], ["own"], ["_recv_a_0_to_0"], ["y"]]


def test_what_others_wait_for_is_sent_as_soon_as_it_is_there() -> None:
    a, b = tf.constant(1.0, name="a"), tf.constant(2.0, name="b")
    c = tf.negative(a, name="c")
    y = tf.add(tf.add(c, b, name="d"), c, name="y")
    # the ps computes d of what the worker sends; y needs both
    assert scheduled(y, {"d"}, WORKER) == [
        ["a"],
        ["c"],
        ["_send_c_0_to_0"],
        ["b"],
        ["_send_b_0_to_1"],
        ["_recv_d_0_to_2"],
        ["y"],
    ]


def test_a_recv_that_answers_a_send_does_not_stand_before_it() -> None:
    p = tf.constant(1.0, name="p")
    mine = tf.negative(p, name="mine")  # of a tensor of the ps, sent back there
    back = tf.exp(mine, name="back")
    y = tf.add(back, p, name="y")
    assert scheduled(y, {"p", "back"}, WORKER) == [
        ["_recv_p_0_to_0"],
        ["mine"],
        ["_send_mine_0_to_1"],
        ["_recv_back_0_to_2"],
        ["y"],
    ]
