"""One colour for one thing: the table, who uses it, and whether everybody can see it."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import numpy as np
import pytest
from minitf_widgets import GraphView, ScalingView, TimelineView, colors
from minitf_widgets.chart import Curve
from minitf_widgets.colors import color_of, device_looks, inked, look_of
from minitf_widgets.graph.scene import KINDS
from minitf_widgets.traffic.picture import traffic_svg

import minitf as tf
from tests.widgets import graphs

SRC = Path(colors.__file__).parents[1] / "src"
#: What stands in one legend, or side by side in one picture.
LEGENDS = {
    "a graph by kind": sorted({color for _, color in KINDS.values()}),
    "ways to reduce": [color_of(way) for way in ("ring", "tree", "naive", "ps, sync", "ps, async")],
    "tasks": [look_of(task).color for task in ("ps 0", "worker 0", "worker 1", "worker 2")],
    "moves": [color_of("adds"), color_of("replaces"), color_of("sum")],
    "marks": [color_of("right"), color_of("wrong")],
}
THEMES = {"light": ("#1f2328", "#ffffff"), "dark": ("#ffffff", "#111111")}  # text, ground
#: Linear RGB as people see it with all receptors, without red, and without green ones (Machado).
EYES = {
    "all": np.eye(3),
    "no red": np.array([[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]),
    "no green": np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]),
}


def linear(color: str) -> np.ndarray:
    parts = np.array([int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    low, high = sorted(float(linear(each) @ [0.2126, 0.7152, 0.0722]) for each in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(color: str, eye: str) -> np.ndarray:
    seen = np.clip(EYES[eye] @ linear(color), 0, 1)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    x, y, z = np.cbrt(np.array(to_xyz) @ seen / [0.9505, 1, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_the_table_names_colours_that_there_are_once_each():
    table = json.loads(Path(colors.__file__).with_name("colors.json").read_text("utf-8"))
    used = [
        *table["curves"],
        *table["things"].values(),
        *itertools.chain(*table["numbered"].values()),
    ]
    assert set(used) <= set(table["palette"])
    for part in zip(*table["palette"].values()):
        assert len(set(part)) == len(part)  # colours, dashes, markers


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("look", colors.PALETTE, ids=lambda look: look.name)
def test_a_line_can_be_seen_in_both_themes(look, theme):
    ink, ground = THEMES[theme]
    assert contrast(inked(look.color, ink), ground) >= 3


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("legend", LEGENDS)
def test_what_stands_in_one_legend_differs_for_everybody(legend, eye, theme):
    lines = [inked(color, THEMES[theme][0]) for color in LEGENDS[legend]]
    for one, other in itertools.combinations(lines, 2):
        assert np.linalg.norm(lab(one, eye) - lab(other, eye)) > 8, (one, other)


def test_a_task_has_one_colour_in_graphs_lanes_reductions_and_curves():
    devices = [f"/job:{job}/task:{k}/device:CPU:0" for job, k in (("ps", 0), ("worker", 0))]
    graph = graphs.mlp(devices=tuple(devices))
    legend = {each["label"]: each["color"] for each in GraphView(graph).scene["legend"]}
    for name, label in (("ps 0", "ps:0 CPU:0"), ("worker 0", "worker:0 CPU:0")):
        own = look_of(name)
        assert legend[label] == own.color
        assert Curve(name, [0], [0]).look(5).color == inked(own.color)
    assert device_looks(["/job:worker/task:1"])["/job:worker/task:1"] == look_of("member 1")
    assert device_looks(["/device:GPU:0", "/device:GPU:1"])["/device:GPU:1"] == look_of("worker 1")
    assert (
        len(set(device_looks([f"/job:ps/task:0/device:CPU:{k}" for k in range(9)]).values())) == 9
    )


def test_a_lane_has_the_colour_of_its_device_in_a_graph():
    metadata, full = tf.RunMetadata(), tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        total = tf.add(*[tf.get_variable(name, [2]) for name in "ab"])
        sess.run(tf.global_variables_initializer())
        sess.run(total, options=full, run_metadata=metadata)
    [lane] = TimelineView(metadata).steps[0]["lanes"]
    legend = GraphView(graph, metadata, color_by="device").scene["legend"]
    assert lane["color"] in {each["color"] for each in legend}


def test_variables_and_gradients_have_one_colour_in_graphs_and_in_traffic():
    link = {"messages": 1, "bytes": 9}
    ends = ("/job:ps/task:0", "/job:worker/task:0")
    links = {"|".join(pair): link for pair in (ends, ends[::-1])}
    tick = {"tasks": [], "events": [], "waits": [], "time": 0.0, "counters": links}
    drawn = traffic_svg(tick)
    for kind in ("variable", "gradients"):
        assert f'stroke="{inked(KINDS[kind][1])}"' in drawn
    messages = (SRC / "traffic" / "messages.ts").read_text()
    assert re.search(r'styled\("from-ps", .*"variable"\)', messages)
    assert re.search(r'styled\("to-ps", .*"gradient"\)', messages)


def test_a_way_to_reduce_has_one_colour_in_curves_and_in_scaling():
    view = ScalingView(tf.cluster.CostModel("v100"), tf.cluster.RESNET50, {2: 500.0})
    for way in ("ring", "tree", "ps, sync", "linear", "measured"):
        assert inked(look_of(way).color) in view.to_svg()


def test_styles_name_no_colour_of_the_table():
    table = {look.color for look in colors.PALETTE}
    for path in [
        *SRC.glob("*/*.css"),
        *SRC.glob("*/*.ts"),
        *SRC.parent.glob("minitf_widgets/**/*.py"),
    ]:
        found = table & set(re.findall(r"#[0-9a-f]{6}\b", path.read_text()))
        assert not found, (path, found)
