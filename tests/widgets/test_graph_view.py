"""The scene, the static picture and the widget's behaviour without a browser."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
import traitlets
from minitf_widgets import GraphView
from minitf_widgets.graph.model import GraphModel
from minitf_widgets.graph.scene import build_scene
from minitf_widgets.graph.shapes import text_width
from minitf_widgets.graph.view import MAX_BOXES

import minitf as tf
from tests.widgets import graphs

DEVICES = ("/job:ps/task:0/device:CPU:0", "/job:worker/task:0/device:GPU:0")
GRAPHS = {
    "tiny": (graphs.tiny, ["e"]),
    "mlp": (graphs.mlp, ["hidden1", "hidden1/weights", "loss", "train", "train/Adam"]),
    "large": (graphs.large, ["resnet", "resnet/stage1", "resnet/stage1/block2", "train"]),
    "flat": (graphs.flat, ["<part+ 1>", "<part 1>"]),
}


@pytest.fixture(scope="module", params=GRAPHS)
def scene(request):
    make, expanded = GRAPHS[request.param]
    return build_scene(GraphModel(make()), expanded, color_by="kind")


def rect(box):
    return box["x"], box["y"], box["x"] + box["w"], box["y"] + box["h"]


def test_names_fit_into_their_boxes(scene):
    for box in scene["boxes"]:
        assert text_width(box["label"], 13, bold=True) <= box["w"] - 10


def test_wires_end_at_visible_boxes(scene):
    ids = {box["id"] for box in scene["boxes"]}
    aside = {box["id"] for box in scene["boxes"] if box["aside"]}
    for wire in scene["wires"]:
        assert {wire["source"], wire["target"]} <= ids
        assert not aside & {wire["source"], wire["target"]}, "auxiliary wires are links"
        assert wire["kind"] == "control" or wire["width"] >= 1.3


def test_labels_do_not_cover_boxes_or_each_other(scene):
    labels = [
        (w["lx"], w["ly"] - 5, w["lx"] + text_width(w["label"], 10.5), w["ly"] + 5)
        for w in scene["wires"]
        if w["label"]
    ]
    closed = [rect(box) for box in scene["boxes"] if not box["open"]]
    for k, a in enumerate(labels):
        for b in [*labels[:k], *closed]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_shapes_on_the_wires():
    wires = build_scene(GraphModel(graphs.mlp()), ["hidden1"])["wires"]
    labels = {(wire["source"], wire["target"]): wire["label"] for wire in wires}
    assert labels["x", "hidden1"] == "(?, 784)"
    assert labels["hidden1/weights", "hidden1/MatMul"] == "(784, 128)"
    assert labels["hidden1/bias", "hidden1/BiasAdd"] == "(128,)"


def test_links_are_summed_up_at_the_level_where_the_ends_part():
    links = build_scene(GraphModel(graphs.mlp()), ["hidden1"])["links"]
    assert links["hidden1/Relu"] == [["train/gradients/hidden2", 2, "out"]]
    others = {other for other, _, _ in links["hidden1"]}
    assert {"train", "init", "save", "train/gradients/hidden1"} <= others


def test_the_gradient_part_can_be_hidden():
    model = GraphModel(graphs.mlp())
    assert build_scene(model, ["train"])["has_gradients"]
    without = build_scene(model, ["train"], gradients=False)
    assert not [box for box in without["boxes"] if box["role"] == "gradients"]


def test_colours_by_device_come_with_marks():
    scene = build_scene(GraphModel(graphs.mlp(devices=DEVICES)))
    labels = [(entry["marker"], entry["label"]) for entry in scene["legend"]]
    assert labels == [("★", "ps:0 CPU:0"), ("■", "worker:0 GPU:0"), ("", "not placed")]
    hidden = next(box for box in scene["boxes"] if box["id"] == "hidden1")
    assert hidden["marker"] == "★■"
    assert [round(share, 2) for _, share in hidden["bar"]] == [0.57, 0.43]


def test_a_variable_has_the_colour_of_its_device():
    spec = tf.train.ClusterSpec({"ps": ["a:1", "b:1"], "worker": ["c:1"]})
    setter = tf.train.replica_device_setter(cluster=spec, worker_device="/job:worker/task:0")
    with tf.Graph().as_default() as graph, tf.device(setter), tf.variable_scope("hidden"):
        x = tf.placeholder(tf.float32, [None, 4], name="x")
        tf.matmul(x, tf.get_variable("weights", [4, 3])) + tf.get_variable("biases", [3])
    assert graph.get_operation_by_name("hidden/weights/Initializer/random_uniform").device == ""
    view = GraphView(graph, color_by="device", expanded=["hidden"])
    colors = {entry["label"]: entry["color"] for entry in view.scene["legend"]}
    boxes = {box["id"]: box for box in view.scene["boxes"]}
    assert boxes["hidden/weights"]["bar"] == [[colors["ps:0"], 1.0]]
    assert boxes["hidden/biases"]["bar"] == [[colors["ps:1"], 1.0]]
    assert [boxes[f"hidden/{name}"]["device"] for name in ("weights", "biases")] == ["ps:0", "ps:1"]
    assert boxes["hidden"]["marker"] == "■★●"
    view.select("hidden/weights")
    assert view.details["devices"] == [{"name": "/job:ps/task:0", "count": 1}]


def test_what_changes_a_variable_is_not_drawn_as_one():
    with tf.Graph().as_default() as graph:
        w = tf.get_variable("w", [])
        step = tf.train.get_or_create_global_step()
        tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(w), global_step=step)
        tf.train.AdamOptimizer(0.1).minimize(tf.square(w))
        tf.assign_add(w, 1.0, name="bump")
    view = GraphView(graph, color_by="kind")
    boxes = {box["id"]: box for box in view.scene["boxes"]}
    assert graph.get_operation_by_name("GradientDescent").type == "AssignAdd"
    for name in ("GradientDescent", "Adam", "bump"):
        assert boxes[name]["kind"] == "update", name
        assert not boxes[name]["sub"].startswith("variable")
    assert boxes["w"]["kind"] == boxes["global_step"]["kind"] == "variable"


@pytest.mark.parametrize("name", GRAPHS)
def test_the_static_picture_is_a_whole_svg(name):
    make, expanded = GRAPHS[name]
    view = GraphView(make(), expanded=expanded)
    root = ElementTree.fromstring(view.to_svg())
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    for box in view.scene["boxes"]:
        assert any(box["label"] in "".join(t or "") for t in texts) or box["marker"]


def test_a_small_graph_opens_by_itself_and_a_large_one_does_not():
    builder = graphs.Builder()
    builder.const("layer/a")
    builder.const("layer/b")
    assert GraphView(builder.graph_def()).expanded == ["layer"]
    assert GraphView(graphs.mlp()).expanded == []


def test_selecting_reveals_and_describes():
    view = GraphView(graphs.mlp(devices=DEVICES))
    view.select("hidden1/MatMul:0")
    assert view.selected == "hidden1/MatMul"
    assert view.expanded == ["hidden1"]
    details = view.details
    assert details["op"] == "MatMul"
    assert details["devices"] == [{"name": DEVICES[1], "count": 1}]
    assert [(row["name"], row["shape"]) for row in details["inputs"]] == [
        ("x:0", "(?, 784)"),
        ("hidden1/weights/read:0", "(784, 128)"),
    ]
    [output] = details["outputs"]
    assert (output["dtype"], output["shape"]) == ("float32", "(?, 128)")
    assert output["users"][0] == {"id": "hidden1/BiasAdd", "name": "hidden1/BiasAdd"}
    assert details["gradients"][0]["id"] == "train/gradients/hidden1/MatMul_grad"
    assert ["T", "float32"] in details["attrs"]


def test_details_of_a_scope():
    view = GraphView(graphs.mlp())
    view.select("loss")
    assert view.selected_op is None
    assert {row["name"] for row in view.details["inputs"]} == {"logits/BiasAdd:0", "labels:0"}
    assert ["Mean", 1] in view.details["ops"]
    view.select("hidden1/weights")
    assert view.selected_op == "hidden1/weights"
    assert view.details["op"] == "VariableV2"


def test_linked_widgets_select_the_same_op():
    one, other = GraphView(graphs.mlp()), GraphView(graphs.mlp((784, 10)))
    one.link(other)
    one.select("hidden1/weights")
    assert other.selected == ""  # has no such layer
    one.select("loss/Mean")
    assert other.selected == "loss/Mean"
    other.select("logits/MatMul")
    assert one.selected == "logits/MatMul"
    other.selected_op = "logits/MatMul/inside"  # as of the body of a loop
    assert one.selected == other.selected == "logits/MatMul"


def test_selecting_a_hidden_gradient_shows_the_gradient_part():
    view = GraphView(graphs.mlp(), show_gradients=False)
    view.select("train/gradients/Fill")
    assert view.show_gradients
    assert any(box["id"] == "train/gradients/Fill" for box in view.scene["boxes"])


def test_unknown_names_are_refused():
    view = GraphView(graphs.tiny())
    with pytest.raises(traitlets.TraitError, match="no op or scope named 'nope'"):
        view.select("nope")
    view.expanded = [*view.expanded, "nope"]
    assert view.expanded == []


def test_opening_keeps_to_a_picture():
    view = GraphView(graphs.large())
    view.expand_all()
    assert len(view.scene["boxes"]) <= MAX_BOXES
    scopes = [box.id for box in view._model.boxes.values() if box.key and box.node is None]
    for name in scopes[::150]:
        view.expanded = [*view.expanded, name]
        assert view._model.boxes[name].key.id in view.expanded
        assert len(view.scene["boxes"]) <= MAX_BOXES
    view.expanded = []
    assert view.expanded == []


def test_search_and_messages_from_the_page():
    view = GraphView(graphs.mlp())
    view.query = "relu"
    assert view.matches["query"] == "relu"
    assert [match["id"] for match in view.matches["found"]][:2] == ["hidden1/Relu", "hidden2/Relu"]
    view._message(view, {"do": "expand_all"}, [])
    assert "hidden1/weights" in view.expanded


def test_updating_keeps_what_is_open():
    view = GraphView(graphs.mlp(), expanded=["hidden1", "loss"])
    view.select("hidden1/Relu")
    view.update(graphs.mlp(sizes=(64, 32, 10)))
    assert view.expanded == ["hidden1", "loss"]
    assert view.selected == "hidden1/Relu"
    view.update(graphs.tiny())
    assert (view.expanded, view.selected) == ([], "")


def test_a_run_tells_devices_and_times():
    stats = {"node_name": "a", "op_start_rel_micros": 5, "op_end_rel_micros": 25}
    run = {"step_stats": {"dev_stats": [{"device": "/device:GPU:1", "node_stats": [stats]}]}}
    view = GraphView(graphs.tiny(), run)
    view.select("a")
    assert view.details["micros"] == 20
    assert view.details["devices"] == [{"name": "/device:GPU:1", "count": 1}]


def test_the_outline_says_what_is_shown():
    lines = GraphView(graphs.tiny()).to_text().splitlines()
    assert lines[0] == "Graph of 6 ops, shown as 4 ops and 1 closed scope"
    assert "  a (Mul)" in lines
    assert repr(GraphView(graphs.tiny())) == f"<GraphView: {lines[0]}>"
    with tf.Graph().as_default() as graph:
        tf.no_op()
    assert GraphView(graph).to_text().startswith("Graph of 1 op\n")


def test_the_picture_is_shown_before_the_live_view(capsys, monkeypatch):
    shown = []
    monkeypatch.setattr("minitf_widgets.base.display", lambda data, **_: shown.append(data))
    view = GraphView(graphs.tiny())
    view._ipython_display_()
    picture, live = shown
    assert 'src="data:image/svg+xml;base64,' in picture["text/html"]
    assert view.picture_class in picture["text/html"]
    assert picture["text/plain"].startswith("Graph of 6 ops")
    assert "application/vnd.jupyter.widget-view+json" in live
    assert live["text/plain"] == ""


def test_saving_the_picture(tmp_path):
    path = tmp_path / "graph.svg"
    GraphView(graphs.tiny()).save_svg(path)
    ElementTree.parse(path)


def test_a_graph_of_minitf_after_a_run():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        with tf.variable_scope("layer"):
            weights = tf.get_variable("weights", [3, 2])
            loss = tf.reduce_mean(tf.matmul(x, weights), name="loss")
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        run = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(train, {x: [[1.0, 2.0, 3.0]]}, options=options, run_metadata=run)
    view = GraphView(graph, run)
    roles = {box["id"]: box["role"] for box in view.scene["boxes"]}
    assert roles["layer"] == "main"
    assert roles["gradients"] == "gradients"
    assert roles["init"] == "init"
    assert roles["GradientDescent"] == "train"
    wires = {(wire["source"], wire["target"]): wire["label"] for wire in view.scene["wires"]}
    assert wires["x", "layer"] == "(?, 3)"
    view.select(graph.get_operation_by_name("layer/MatMul"))
    assert [device["name"] for device in view.details["devices"]] == ["/device:CPU:0"]
    assert view.details["micros"] >= 0
    labels = [entry["label"] for entry in GraphView(graph, run, color_by="device").scene["legend"]]
    assert sorted(set(labels)) == sorted(labels)
