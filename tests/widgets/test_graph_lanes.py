"""The gradient lane, what folds away, what lights up, and colours by what a run took."""

from __future__ import annotations

import random
import time

import pytest
from minitf_widgets import GraphView
from minitf_widgets.graph.model import GraphModel
from minitf_widgets.graph.scene import build_scene

import minitf as tf
from tests.widgets import graphs


def network(blocks=2, scope=""):
    """A network of alike blocks with a loss and its gradients, built by minitf."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 4], name="x")
        below = x
        with tf.variable_scope("net"):
            for k in range(blocks):
                with tf.variable_scope(f"res{k}"):
                    w = tf.get_variable("w", [4, 4])
                    below = tf.nn.relu(tf.matmul(below, w)) + below
        loss = tf.reduce_mean(below, name="loss")
        with tf.name_scope(scope or None):
            tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return graph


def by_id(scene):
    return {box["id"]: box for box in scene["boxes"]}


def random_graph(seed):
    """Ops in nested scopes, wired anyhow forwards, with a gradient of nearly each."""
    rng = random.Random(seed)
    builder, names = graphs.Builder(), []
    scopes = ["", *(f"s{k}" for k in range(rng.randint(1, 4)))]
    scopes += [f"{rng.choice(scopes[1:])}/t{k}" for k in range(rng.randint(0, 5))]
    for k in range(rng.randint(5, 60)):
        scope = rng.choice(scopes)
        inputs = rng.sample(names, min(len(names), rng.randint(0, 3)))
        op = rng.choice(["Add", "MatMul", "Relu", "Const", "Placeholder"])
        names.append(builder.add(op, f"{scope}/op{k}".lstrip("/"), inputs, [rng.randint(1, 9)]))
    below = builder.add("Fill", "gradients/Fill")
    for name in reversed(names):
        if rng.random() < 0.8:
            parts = [f"gradients/{name}_grad/{part}" for part in "ab"[: rng.randint(1, 2)]]
            for part in parts:
                builder.add("Mul", part, [below, rng.choice(names)])
            if rng.random() < 0.3:
                tied = f"gradients/{name}_grad/tuple/control_dependency"
                parts.append(builder.add("Identity", tied, [parts[-1]]))
            below = parts[-1]
    return builder.graph_def()


@pytest.mark.parametrize("seed", range(8))
def test_no_two_siblings_overlap_in_any_graph(seed):
    view = GraphView(random_graph(seed))
    scopes = [box.id for box in view._model.boxes.values() if box.node is None and box.key]
    for opened in ([], random.Random(seed).sample(scopes, len(scopes) // 2), scopes):
        view.expanded = opened
        boxes = by_id(view.scene)
        for box in boxes.values():
            outer = boxes.get(box["parent"])
            if outer is not None:
                assert outer["x"] <= box["x"] and outer["y"] <= box["y"], box["id"]
                assert box["x"] + box["w"] <= outer["x"] + outer["w"] + 0.2, box["id"]
                assert box["y"] + box["h"] <= outer["y"] + outer["h"] + 0.2, box["id"]
            for other in boxes.values():
                if other["parent"] == box["parent"] and other is not box:
                    apart = (
                        box["x"] + box["w"] <= other["x"] + 0.2
                        or other["x"] + other["w"] <= box["x"] + 0.2
                        or box["y"] + box["h"] <= other["y"] + 0.2
                        or other["y"] + other["h"] <= box["y"] + 0.2
                    )
                    assert apart, (box["id"], other["id"])


@pytest.mark.parametrize("scope", ["", "train"])
def test_each_gradient_stands_beside_what_it_is_the_gradient_of(scope):
    view = GraphView(network(scope=scope), expanded=["net", "net/res0", "net/res1"])
    boxes = by_id(view.scene)
    lane = f"{scope}/gradients".lstrip("/")
    assert boxes[lane]["lane"] and boxes[lane]["open"] and not boxes[lane]["expandable"]
    faced = [box for box in boxes.values() if box["face"]]
    assert {box["face"] for box in faced} > {"net", "net/res0", "net/res1/Relu", "loss"}
    for box in faced:
        other = boxes[box["face"]]
        middles = [one["y"] + one["h"] / 2 for one in (box, other)]
        assert middles[0] == pytest.approx(middles[1], abs=0.2), box["id"]
        assert box["x"] > other["x"] + other["w"]
    up = [wire for wire in view.scene["wires"] if wire["source"] == f"{lane}/net/res1"]
    assert f"{lane}/net/res0" in {wire["target"] for wire in up}


def test_a_sum_of_slopes_stands_above_those_that_it_adds():
    with tf.Graph().as_default() as graph:
        b, c = (tf.placeholder(tf.float32, [], name=name) for name in "bc")
        tf.gradients(tf.multiply(b + c, tf.square(c, name="e") + c, name="a"), c)
    boxes = by_id(GraphView(graph).scene)
    assert boxes["gradients/AddN"]["y"] < boxes["gradients/a_grad"]["y"]
    middle = [boxes[name]["y"] + boxes[name]["h"] / 2 for name in ("a", "gradients/a_grad")]
    assert middle[0] == pytest.approx(middle[1])


def test_a_scope_and_its_gradients_open_together():
    view = GraphView(network(), expanded=[])
    assert not by_id(view.scene)["gradients/net"]["open"]
    view.expanded = [*view.expanded, "gradients/net"]
    assert view.expanded == ["net"]
    assert by_id(view.scene)["gradients/net"]["key"] == "net"
    view.expanded = [name for name in view.expanded if name != "net"]
    view.select("gradients/net/res0/MatMul_grad/MatMul")
    assert view.expanded == ["net", "net/res0", "gradients/net/res0/MatMul_grad"]
    view.show_gradients = False
    assert not [box for box in view.scene["boxes"] if box["face"]]


def test_plumbing_is_folded_and_wires_run_past_it():
    view = GraphView(network(), expanded=["net", "net/res0", "gradients/net/res0/add_grad"])
    boxes = by_id(view.scene)
    mark = boxes["gradients/net/res0/add_grad/<plumbing>"]
    assert (mark["label"], mark["sub"], mark["open"]) == ("⋯", "", False)
    wires = {(wire["source"], wire["target"]) for wire in view.scene["wires"]}
    inside = "gradients/net/res0/add_grad/SumToShapeOf"
    assert (inside, "gradients/net/res0/add_grad") in wires
    view.expanded = [*view.expanded, mark["id"]]
    assert "gradients/net/res0/add_grad/tuple" in by_id(view.scene)


def test_alike_neighbours_are_one_group_that_opens():
    model = GraphModel(network(12))
    [group] = [box for box in model.boxes["net"].children if box.group]
    assert (group.id, group.label, len(group.children)) == ("net/<12 × res>", "12 × res", 12)
    assert model.boxes["gradients/net/<12 × res>"].face is group
    view = GraphView(network(12), expanded=["net"])
    assert by_id(view.scene)["net/<12 × res>"]["title"].startswith("net/<12 × res>: group of")
    view.select("net/res7/Relu")
    assert "net/<12 × res>" in view.expanded
    builder = graphs.Builder()
    below = builder.add("Placeholder", "x")
    for k in range(5):  # what stands between blocks keeps them apart
        for op in ("Relu", "Tanh"):
            below = builder.add(op, f"block{k}/{op}", [below])
        below = builder.add("Neg", f"between{k}", [below])
    assert not [box for box in GraphModel(builder.graph_def()).boxes.values() if box.group]


def test_an_op_alone_in_its_scope_stands_for_it():
    builder = graphs.Builder()
    builder.add("Placeholder", "x")
    builder.add("Tanh", "outer/inner/Tanh", ["x"])
    builder.add("Neg", "outer/Neg", ["outer/inner/Tanh"])
    model = GraphModel(builder.graph_def())
    box = model.find("outer/inner/Tanh")
    assert (box.id, box.label, box.node.op) == ("outer/inner/Tanh", "inner/Tanh", "Tanh")
    assert model.find("outer/inner") is box


def test_what_a_fetch_needs():
    model = GraphModel(graphs.tiny())
    assert model.needed(["d:0"]) == {"d", "b", "c"}
    assert model.needed(["a"], fed=["d"]) == {"a", "e", "e/y", "c"}
    with pytest.raises(KeyError):
        model.needed(["nope"])
    builder = graphs.Builder()
    builder.const("first")
    builder.add("Neg", "then", ["^first"])
    assert GraphModel(builder.graph_def()).needed(["then"]) == {"then", "first"}


def test_highlight_dims_what_is_not_needed():
    graph = network()
    view = GraphView(graph)
    runs = view.highlight(graph.get_tensor_by_name("loss:0"))
    assert runs[0] == "x" and "gradients/Fill" not in runs
    dim = {box["id"] for box in view.scene["boxes"] if box["dim"]}
    assert {"gradients", "GradientDescent"} <= dim and not dim & {"x", "net", "loss"}
    assert view.lit == ["loss:0"]
    assert 'opacity="0.28"' in view.to_svg()
    assert view.highlight() == []
    assert not any(box["dim"] for box in view.scene["boxes"])
    view._message(view, {"do": "light", "names": "net/res0"}, [])
    assert view.lit == ["net/res0"]
    assert by_id(view.scene)["net/res1"]["dim"]


def run_of(**figures):
    stats = [
        {"node_name": name, "op_start_rel_micros": 0, "op_end_rel_micros": micros}
        | {"output_bytes": size}
        for name, (micros, size) in figures.items()
    ]
    return {"step_stats": {"dev_stats": [{"device": "/cpu:0", "node_stats": stats}]}}


def test_colours_by_time_and_bytes_have_a_scale_with_numbers():
    view = GraphView(graphs.tiny(), run_of(a=(2500, 4), d=(30, 4096)), color_by="time")
    legend = [(entry["label"], entry.get("tint")) for entry in view.scene["legend"]]
    assert legend == [("10 µs to 100 µs", 0.4), ("1 ms to 10 ms", 0.72), ("did not run", None)]
    boxes = by_id(view.scene)
    assert (boxes["a"]["sub"], boxes["a"]["tint"]) == ("2.5 ms", 0.72)
    assert "tint" not in boxes["b"]
    view.color_by = "bytes"
    assert by_id(view.scene)["d"]["sub"] == "4.1 kB"
    assert view.scene["has_run"] and not GraphView(graphs.tiny()).scene["has_run"]


def test_the_main_scope_opens_by_itself_and_not_a_small_one():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 4], name="x")
        with tf.variable_scope("mlp"):
            for k in range(3):
                x = tf.layers.dense(x, 4, name=f"layer{k}")
        with tf.name_scope("cost"):
            tf.reduce_mean(tf.square(x))
    assert GraphView(graph).expanded[0] == "mlp"


def test_a_graph_of_1500_ops_shows_at_once():
    with tf.Graph().as_default() as graph:
        below = tf.placeholder(tf.float32, [None, 8], name="x")
        for k in range(33):
            below = tf.layers.dense(below, 8, tf.nn.relu, name=f"layer{k}")
        tf.train.AdamOptimizer().minimize(tf.reduce_mean(below))
    assert len(graph.get_operations()) > 1400
    start = time.process_time()
    view = GraphView(graph)
    shown = time.process_time()
    view.expanded = [*view.expanded, "<33 × layer>"]
    opened = time.process_time()
    assert shown - start < 1.0, "0.15 s on a quiet core"
    assert opened - shown < 1.0, "0.03 s on a quiet core"


def test_the_legend_has_one_line_for_scopes_and_groups():
    labels = [entry["label"] for entry in GraphView(graphs.flat(200)).scene["legend"]]
    assert labels == ["name scope or group"]
    assert build_scene(GraphModel(graphs.flat(200)))["shown"] == [0, 9]


def test_a_graph_within_loops_and_second_gradients_is_drawn():
    with tf.Graph().as_default() as graph:
        x = tf.Variable(2.0, name="x")
        y = x * x * x
        [first] = tf.gradients(y, x)
        tf.gradients(first, x)
        tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)])
    view = GraphView(graph)
    view.expand_all()
    assert {box["id"] for box in view.scene["boxes"] if box["lane"]} >= {"gradients"}


def test_a_graph_opens_no_wider_than_is_readable():
    builder = graphs.Builder()
    for k in range(8):
        builder.add("Relu", f"wide/with_a_long_name_{k}", [builder.add("Placeholder", f"x{k}")])
    graph = builder.graph_def()
    opened = GraphView(graph, expanded=["wide"])
    assert opened.scene["width"] > opened.room
    assert GraphView(graph).expanded == []


def test_what_is_auxiliary_stands_below_where_there_is_no_room_beside():
    builder = graphs.Builder()
    for k in range(3):
        builder.add("Placeholder", f"x{k}")
        builder.add("Relu", f"y{k}", [f"x{k}"])
    for name in ("init", "save"):
        builder.add("NoOp", name, ["^y0"])
    model = GraphModel(builder.graph_def())
    for room, below in ((1000.0, False), (250.0, True)):
        boxes = by_id(build_scene(model, room=room))
        aside = [box for box in boxes.values() if box["aside"]]
        assert aside
        low = max(box["y"] + box["h"] for box in boxes.values() if not box["aside"])
        assert all((box["y"] > low) == below for box in aside)
        assert len({box["y"] if below else box["x"] + box["w"] / 2 for box in aside}) == 1
