"""The tree of scopes, and which ops are auxiliary."""

from __future__ import annotations

import json
import random

import pytest
from minitf_widgets.graph.layout import Item, Link, isotonic, layered
from minitf_widgets.graph.model import MAX_CHILDREN, GraphModel
from minitf_widgets.graph.nodes import (
    attr_text,
    device_key,
    read_graph_def,
    shape_text,
    short_device,
)

from tests.widgets import graphs


def roles(model):
    return {box.label: box.role for box in model.root.children}


def test_reads_graphs_in_any_form():
    data = graphs.tiny()

    class Graph:
        def as_graph_def(self, add_shapes, add_types):
            assert add_shapes and add_types
            return Def()

    class Def:
        def to_json(self):
            return json.dumps(data)

    for form in (data, json.dumps(data), Def(), Graph()):
        assert read_graph_def(form)["node"] == data["node"]
    with pytest.raises(TypeError, match="a graph, a GraphDef"):
        read_graph_def(3)


def test_an_op_named_like_a_scope_stands_inside_it():
    model = GraphModel(graphs.tiny())
    box = model.boxes["e"]
    assert [child.label for child in box.children] == ["y", "(e)"]
    assert box.own.op == "Add"
    assert model.find("e") is box
    assert model.find("a:0").node.op == "Mul"
    assert model.leaf("e").id == "e/(e)"


def test_constants_of_a_first_lesson_are_of_the_main_flow():
    assert set(roles(GraphModel(graphs.tiny())).values()) == {"main"}


def test_auxiliary_parts_of_a_training_graph():
    model = GraphModel(graphs.mlp())
    assert roles(model) == {
        "x": "main",
        "labels": "main",
        "hidden1": "main",
        "hidden2": "main",
        "logits": "main",
        "loss": "main",
        "accuracy": "main",
        "train": "train",
        "train/gradients": "gradients",
        "init": "init",
        "save": "save",
    }
    weights = {box.label: box.role for box in model.boxes["hidden1/weights"].children}
    assert weights == {"(weights)": "main", "read": "main", "Initializer": "init", "Assign": "init"}
    assert model.boxes["train/gradients"].role == "gradients"
    assert model.boxes["train/beta1_power"].role == "train"
    assert model.boxes["hidden1/weights"].own.kind == "variable"
    train = model.boxes["train"]
    assert train.flow() == train.children, "a part with no main flow is a main flow inside"


def test_devices_and_counts_are_summed_up():
    model = GraphModel(graphs.mlp(devices=("/job:ps/task:0", "/job:worker/task:1")))
    assert model.boxes["hidden1"].count == 23
    assert model.boxes["hidden1"].devices == {"/job:ps/task:0": 20, "/job:worker/task:1": 3}
    placed = GraphModel(graphs.tiny(), {"a": "/device:GPU:0"})
    assert placed.boxes["a"].devices == {"/device:GPU:0": 1}


def test_a_variable_lives_where_its_value_is():
    data = graphs.mlp(devices=("/job:ps/task:0", "/job:worker/task:1"))
    for node in data["node"]:
        if "/Initializer/" in node["name"]:
            node["device"] = ""  # as `tf.get_variable` leaves them
    model = GraphModel(data)
    assert model.boxes["hidden1/weights"].devices[""] > 3
    assert set(model.boxes["hidden1/weights"].lives) == {"/job:ps/task:0"}
    assert model.boxes["hidden1"].lives == {"/job:ps/task:0": 4, "/job:worker/task:1": 3}
    inside = model.boxes["hidden1/weights/Initializer"]
    assert inside.lives[""] == inside.count, "on its own it is told as it is"


def test_a_device_has_one_name_however_it_is_written():
    asked = ["/cpu:0", "/device:CPU:0", "/job:localhost/replica:0/task:0/cpu:0", "/GPU:1", ""]
    builder = graphs.Builder()
    for k, device in enumerate([*asked, "/device:GPU:1"]):
        builder.add("NoOp", f"op{k}", device=device)
    ran = {"op5": "/job:localhost/replica:0/task:0/device:GPU:1"}
    model = GraphModel(builder.graph_def(), ran)
    assert model.root.devices == {"/device:CPU:0": 3, "/device:GPU:1": 2, "": 1}


def test_a_request_stands_for_the_only_device_of_the_run_that_meets_it():
    builder = graphs.Builder()
    for task in ("ps", "worker"):
        builder.add("NoOp", f"{task}_ran", device=f"/job:{task}/task:0")
        builder.add("NoOp", f"{task}_idle", device=f"/job:{task}/task:0")
    builder.add("NoOp", "more", device="/job:worker/task:0")
    full = "/job:{}/replica:0/task:0/device:{}:0"
    ran = {
        "ps_ran": full.format("ps", "CPU"),
        "worker_ran": full.format("worker", "CPU"),
        "more": full.format("worker", "GPU"),
    }
    assert GraphModel(builder.graph_def(), ran).root.devices == {
        "/job:ps/task:0/device:CPU:0": 2,
        "/job:worker/task:0/device:CPU:0": 1,
        "/job:worker/task:0/device:GPU:0": 1,
        "/job:worker/task:0": 1,  # either of the two
    }


@pytest.mark.parametrize("make", [graphs.flat, graphs.large])
def test_no_scope_is_crowded(make):
    model = GraphModel(make())
    assert max(len(box.children) for box in model.boxes.values()) <= MAX_CHILDREN
    assert sum(box.count for box in model.root.children) == len(model.nodes)
    for box in model.boxes.values():
        assert box.chain[0] is model.root
        assert box.chain[-1] is box


def test_bundles_follow_the_flow():
    model = GraphModel(graphs.flat(200))
    bundles = model.root.children
    assert bundles[0].label.startswith("x … ")
    order = {box: k for k, box in enumerate(bundles)}
    for edge in model.edges:
        assert order[edge.source.chain[1]] <= order[edge.target.chain[1]]


def test_search():
    model = GraphModel(graphs.mlp())
    assert [box.id for box in model.search("hidden1 matmul")][0] == "hidden1/MatMul"
    assert model.search("ApplyAdam logits")[0].node.op == "ApplyAdam"
    assert model.search("  ") == []
    assert model.search("nothing like it") == []


def test_a_while_loop_is_no_trouble():
    builder = graphs.Builder()
    builder.const("start")
    builder.add("Enter", "loop/Enter", ["start"])
    builder.add("Merge", "loop/Merge", ["loop/Enter", "loop/NextIteration"])
    builder.add("Add", "loop/Add", ["loop/Merge", "loop/Merge"])
    builder.add("NextIteration", "loop/NextIteration", ["loop/Add"])
    assert len(GraphModel(builder.graph_def()).edges) == 6


@pytest.mark.parametrize(
    ("shape", "text"),
    [((), "scalar"), ((10,), "(10,)"), ((-1, 784), "(?, 784)"), (None, "")],
)
def test_shape_text(shape, text):
    assert shape_text(shape) == text


@pytest.mark.parametrize(
    ("device", "text"),
    [
        ("", "not placed"),
        ("/device:GPU:1", "GPU:1"),
        ("/gpu:1", "GPU:1"),
        ("/job:localhost/replica:0/task:0/device:CPU:0", "CPU:0"),
        ("/job:ps/replica:0/task:1/device:GPU:0", "ps:1 GPU:0"),
        ("/job:worker", "worker"),
        ("/job:worker/replica:0/task:2/device:XLA_GPU:0", "worker:2 XLA_GPU:0"),
    ],
)
def test_short_device(device, text):
    assert short_device(device) == text
    assert short_device(device_key(device)) == text


@pytest.mark.parametrize(
    ("attr", "text"),
    [
        ({"type": "DT_FLOAT"}, "float32"),
        ({"type": "DT_INT64_REF"}, "int64_ref"),
        ({"shape": {"dim": [{"size": -1}, {"size": 3}]}}, "(?, 3)"),
        ({"shape": {"unknown_rank": True}}, "unknown rank"),
        ({"list": [{"i": 1}, {"i": 2}]}, "[1, 2]"),
        ({"b": False}, "False"),
        ({"none": True}, "None"),
        ({"tensor": {"dtype": "DT_INT32", "shape": [2], "data": "AQAAAAIAAAA="}}, "[1, 2]"),
        (
            {"tensor": {"dtype": "DT_FLOAT", "shape": [100, 2], "data": ""}},
            "float32 tensor (100, 2)",
        ),
    ],
)
def test_attr_text(attr, text):
    assert attr_text(attr) == text


# ---- Layered placement: wires run down, nothing overlaps.


def overlaps(items, corners):
    rects = [(x, y, x + i.width, y + i.height) for i, (x, y) in zip(items, corners)]
    return [
        (a, b)
        for k, a in enumerate(rects)
        for b in rects[:k]
        if a[0] < b[2] - 0.01 and b[0] < a[2] - 0.01 and a[1] < b[3] - 0.01 and b[1] < a[3] - 0.01
    ]


def test_isotonic_keeps_what_is_wanted_where_it_can():
    assert isotonic([0.0, 30.0], [1.0, 1.0], [10.0]) == [0.0, 30.0]
    assert isotonic([0.0, 0.0, 50.0], [1.0, 3.0, 1.0], [8.0, 8.0]) == [-6.0, 2.0, 50.0]


def test_nothing_at_all():
    assert layered([], []).width == 0


def test_a_chain_is_straight():
    items = [Item(60, 30), Item(100, 30), Item(60, 30)]
    placed = layered(items, [Link(0, 1), Link(1, 2)])
    assert [y for _, y in placed.corners] == [0, 64, 128]
    for route in placed.routes:
        assert route[0][0] == pytest.approx(route[-1][0], abs=0.5)


def test_a_long_wire_runs_beside_the_boxes():
    items = [Item(60, 30)] * 4
    placed = layered(items, [Link(0, 1, 8.0), Link(1, 2, 8.0), Link(2, 3, 8.0), Link(0, 3)])
    lane = placed.routes[3]
    for x, y in lane[1:-1]:
        for (left, top), item in zip(placed.corners[1:3], items):
            assert not (left <= x <= left + item.width and top <= y <= top + item.height)


def test_cycles_keep_their_direction():
    placed = layered([Item(60, 30)] * 2, [Link(0, 1), Link(1, 0)])
    down, up = placed.routes
    assert down[0][1] < down[-1][1]
    assert up[0][1] > up[-1][1]


def test_entry_and_exit_stand_first_and_last():
    items = [Item(60, 30), Item(60, 30), Item(0, 0, 0, 0, -1), Item(0, 0, 0, 0, 1)]
    placed = layered(items, [Link(2, 0), Link(0, 3), Link(1, 0)])
    assert placed.corners[2][1] == 0
    assert placed.corners[3][1] == placed.height


@pytest.mark.parametrize("seed", range(8))
def test_random_graphs_do_not_overlap(seed):
    rng = random.Random(seed)
    number = rng.randint(5, 40)
    items = [Item(rng.randint(40, 160), rng.choice([30, 44, 200])) for _ in range(number)]
    links = []
    for _ in range(number * 2):
        a, b = rng.sample(range(number), 2)
        links.append(Link(a, b, rng.choice([0.4, 1.0, 8.0])))
    placed = layered(items, links)
    assert overlaps(items, placed.corners) == []
    for link, route in zip(links, placed.routes):
        for end, (x, y) in ((link.source, route[0]), (link.target, route[-1])):
            left, top = placed.corners[end]
            assert left - 0.01 <= x <= left + items[end].width + 0.01
            assert top - 0.01 <= y <= top + items[end].height + 0.01
