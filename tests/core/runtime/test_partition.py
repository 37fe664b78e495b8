"""Cuts between devices: a Send and a Recv on each edge that crosses."""

from collections.abc import Callable

import minitf as tf
from minitf.core.graph.device_spec import task_of
from minitf.core.runtime.plan.partition import partition
from minitf.core.runtime.plan.subgraph import Node, prune, rendezvous_key
from minitf.core.runtime.run.rendezvous import Key

PS = "/job:ps/replica:0/task:0/device:CPU:0"
CPU = "/job:worker/replica:0/task:0/device:CPU:0"
GPU = "/job:worker/replica:0/task:0/device:GPU:0"


def parts_of(
    nodes: list[Node], places: dict[str, str], key: Callable[[str], str] = str
) -> dict[str, list[str]]:
    """Places nodes, all that are not named on PS; returns the names of each part."""
    for node in nodes:
        node.device = places.get(node.name, PS)
    return {name: [n.name for n in part] for name, part in partition(nodes, key).items()}


def test_what_is_in_one_place_is_not_cut() -> None:
    y = tf.add(tf.constant(1.0, name="x"), 2.0, name="y")
    assert parts_of(prune([y], [], []), {}) == {PS: ["x", "y/y", "y", "_retval_y_0_0"]}


def test_an_edge_that_crosses_gets_a_send_and_a_recv() -> None:
    x = tf.constant(1.0, name="x")
    nodes = prune([], [tf.negative(x, name="y").op], [])
    assert parts_of(nodes, {"y": GPU}) == {
        PS: ["x", "_send_x_0_to_0"],
        GPU: ["_recv_x_0_to_0", "y"],
    }
    recv = nodes[1].inputs[0][0]
    assert rendezvous_key(recv.attrs) == Key.of(PS, GPU, "x:0")
    assert recv.dtypes == [tf.float32] and recv.shapes == [tf.TensorShape([])]


def test_a_tensor_goes_once_to_all_who_read_it_there() -> None:
    x = tf.constant(1.0, name="x")
    readers = [tf.negative(x, name=name).op for name in ("y", "z")]
    nodes = prune([], readers, [])
    assert parts_of(nodes, {"y": GPU, "z": GPU}) == {
        PS: ["x", "_send_x_0_to_0"],
        GPU: ["_recv_x_0_to_0", "y", "z"],
    }


def test_of_a_control_edge_nothing_travels_but_the_key() -> None:
    x = tf.constant(1.0, name="x")
    with tf.control_dependencies([tf.Print(x, [x], name="print").op]):
        y = tf.no_op(name="y")
    nodes = prune([], [y], [])
    parts = parts_of(nodes, {"y": GPU})
    assert parts[GPU] == ["_recv_control_print_to_0", "y"]
    (recv,) = nodes[-1].controls
    assert rendezvous_key(recv.attrs).is_control


def test_a_variable_is_read_where_it_is() -> None:
    v = tf.Variable(1.0, name="v", use_resource=False)
    with tf.control_dependencies([tf.assign(v, 2.0, name="set")]):
        y = tf.negative(v.op.outputs[0], name="y")
    parts = parts_of(prune([], [y.op], []), {"y": GPU})
    assert parts[PS] == [
        "v",
        "set/value",
        "set",
        "v/read_for_y",  # when all that y waits for has run
        "_send_v/read_for_y_0_to_0",
        "_send_control_set_to_1",
    ]


def test_the_same_cut_by_task_leaves_devices_of_one_task_together() -> None:
    x = tf.constant(1.0, name="x")
    y = tf.negative(x, name="y")
    nodes = prune([], [tf.negative(y, name="z").op], [])
    assert parts_of(nodes, {"x": CPU, "y": GPU}, task_of) == {
        "/job:worker/task:0": ["x", "y", "_send_y_0_to_0"],
        "/job:ps/task:0": ["_recv_y_0_to_0", "z"],
    }
