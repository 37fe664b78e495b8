"""Which device runs a node: as asked, together where they must be, the GPU where it can."""

import pytest

import minitf as tf
from minitf.core.runtime.plan.placer import Placer
from minitf.core.runtime.plan.subgraph import prune

HERE = "/job:worker/replica:0/task:0/device:"
CPU, GPU, GPU_1 = f"{HERE}CPU:0", f"{HERE}GPU:0", f"{HERE}GPU:1"
PS = "/job:ps/replica:0/task:0/device:CPU:0"
ALL = [CPU, GPU, GPU_1, PS]


def placed(fetch: tf.Tensor, devices: list[str], soft: bool = False) -> dict[str, str]:
    nodes = prune([], [fetch.op], [])
    Placer(devices, soft).place(nodes)
    return {node.name: node.device for node in nodes}


def test_what_asks_for_nothing_runs_on_the_gpu_of_its_task() -> None:
    y = tf.negative(tf.constant(1.0, name="x"), name="y")
    assert placed(y, ALL) == {"x": GPU, "y": GPU}
    assert placed(y, [CPU, PS]) == {"x": CPU, "y": CPU}


def test_what_is_left_open_is_filled_in() -> None:
    with tf.device("/job:ps"):
        x = tf.constant(1.0, name="x")
    with tf.device("/gpu:1"):
        y = tf.negative(x, name="y")
    assert placed(y, ALL) == {"x": PS, "y": GPU_1}


def test_strings_stay_on_the_cpu() -> None:
    y = tf.as_string(tf.constant(1, name="x"), name="y")
    assert placed(y, ALL)["y"] == CPU


def test_an_update_runs_where_its_variable_is() -> None:
    with tf.device("/job:ps"):
        v = tf.Variable(1.0, name="v", use_resource=False)
    update = tf.assign(v, 2.0, name="set")
    del update.op.attrs["_class"]  # it asks for the same: "loc:@v"
    update.op._set_device("")
    assert placed(update, ALL)["set"] == PS


def test_a_group_is_together() -> None:
    with tf.device("/gpu:1"):
        x = tf.constant([1.0], name="x")
    with tf.colocate_with(x.op):
        y = tf.constant([2.0], name="y")
    z = tf.add(x, y, name="z")
    places = placed(z, ALL)
    assert places["y"] == places["x"] == GPU_1


def test_a_group_that_cannot_be_together_is_refused() -> None:
    with tf.device("/job:ps"):
        v = tf.Variable(1.0, name="v", use_resource=False)
    with tf.device("/job:worker"):
        update = tf.assign(v, 2.0, name="set")
    update.op._set_device("/job:worker")  # where `tf.assign` would not have put it
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot colocate nodes"):
        placed(update, ALL)


def test_a_variable_stays_where_it_was_first() -> None:
    v = tf.Variable(1.0, name="v", use_resource=False)
    placer = Placer(ALL)
    for _ in range(2):  # the second time the program has moved it meanwhile
        nodes = prune([], [v.op], [])
        placer.place(nodes)
        assert nodes[0].device == GPU
        v.op._set_device("/job:ps")
