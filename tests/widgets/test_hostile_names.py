"""Names and texts of others in pictures: whatever they hold, the picture is well-formed XML."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

pytest.importorskip("anywidget")

import minitf_widgets  # noqa: E402
from minitf_widgets import GraphView, TimelineView  # noqa: E402
from minitf_widgets.chart import Curve, chart_svg, stacked  # noqa: E402
from minitf_widgets.graph.picture import draw_svg  # noqa: E402
from minitf_widgets.lessons.cells import _words  # noqa: E402
from minitf_widgets.lessons.quiz import Predict  # noqa: E402
from minitf_widgets.pictures import as_picture  # noqa: E402
from minitf_widgets.plan.passes import draw_plan  # noqa: E402
from minitf_widgets.reductions.picture import all_reduce_svg, dot_product_svg  # noqa: E402
from minitf_widgets.svg import element, escape  # noqa: E402
from minitf_widgets.traffic.picture import traffic_svg  # noqa: E402
from minitf_widgets.traffic.wire import clean_snapshot, pack_tick, unpack_tick  # noqa: E402

import minitf as tf  # noqa: E402

CONTROLS = "".join(map(chr, [*range(32), *range(127, 160)]))
BROKEN = "\ud800\udfff\ufffe\uffff"
ROOT = Path(minitf_widgets.__file__).parent
NAMES = [*CONTROLS, *BROKEN, "]]>", "'\"", "<a>&amp;&#0;", "<![CDATA[", CONTROLS + BROKEN]


def a_graph(name: str) -> str:
    with tf.Graph().as_default() as graph:
        tf.identity(tf.constant(name.encode(errors="replace"), name="text"))
    scene = GraphView(graph).scene
    boxes = [
        {**box, **{key: name for key in ("label", "sub", "title", "marker") if key in box}}
        for box in scene["boxes"]
    ]
    return draw_svg({**scene, "boxes": boxes}, caption=name)


def a_plan(name: str) -> str:
    with tf.Graph().as_default() as graph:
        tf.constant(1)
    shown = {"name": name, "purpose": name, "rows": [("-", name, "")]}
    return draw_plan(shown, GraphView(graph).scene, {}, name)


def a_timeline(name: str) -> str:
    node = {
        "node_name": name, "op": name, "all_start_micros": 1, "op_start_rel_micros": 0,
        "op_end_rel_micros": 5, "all_end_rel_micros": 5, "timeline_label": f"{name} = {name}()",
        "output_bytes": 1, "thread_id": 1,
    }  # fmt: skip
    device = "/job:localhost/replica:0/task:0/device:CPU:0"
    stats = [{"device": each, "node_stats": [node]} for each in (device, name)]
    return TimelineView({"step_stats": {"dev_stats": stats}}).to_svg()


def traffic(name: str) -> dict[str, Any]:
    name = name.replace("|", "")
    wait = {"step": "1", "node": name, "type": "Dequeue", "of": "", "seconds": 9.0}
    task = {"task": name, "address": name, "alive": True, "incarnation": 1, "waits": [wait]}
    names = dict.fromkeys(("tensor", "kind", "source", "destination"), name)
    events = [{**names, "step": 1, "bytes": 1, "start": 0, "end": 1}]
    counters = {f"{name}|/job:{name}/task:0": {"messages": 1, "bytes": 2}}
    return clean_snapshot({"tasks": [task], "counters": counters, "events": events, "time": 2})


def an_all_reduce(name: str) -> str:
    move = {"source": 0, "target": 1, "first": 0, "last": 1, "adds": True}
    run = {"members": [name, name], "pieces": [name], "steps": [[move]], "parts": [[[1], [1]]]}
    return all_reduce_svg(name, run, [[name] * 5])


PICTURES: list[Callable[[str], str]] = [
    a_graph,
    a_plan,
    a_timeline,
    an_all_reduce,
    lambda name: traffic_svg(traffic(name)),
    lambda name: dot_product_svg(name, [[name, name], [name]], [name, name]),
    lambda name: stacked(
        name, [(chart_svg([Curve(name, [0, 1], [0, 1])], x=name, y=name), 9)], name
    ),
    lambda name: Predict(name, [name, "other"]).to_svg(),
    lambda name: _words(1, 1, name),
    lambda name: as_picture(np.zeros((2, 2, 3), np.uint8)).element(name),
    lambda name: element("p", name, title=name),
]


@pytest.mark.parametrize("draw", PICTURES)
def test_every_picture_is_well_formed(draw: Callable[[str], str]) -> None:
    for name in NAMES:
        ElementTree.fromstring(draw(name).encode())


def test_what_xml_holds_stays_as_it_is() -> None:
    text = "a\tb\nc é \U0001f600 \x85 ]]> <b> \"q\" 'q' &"
    assert "".join(ElementTree.fromstring(f"<a>{escape(text)}</a>").itertext()) == text
    assert escape("a\x00b\ud800") == "a\ufffdb\ufffd"


def test_names_of_half_letters_travel_to_the_page() -> None:
    for name in NAMES:
        assert unpack_tick(pack_tick(traffic(name)))["tasks"][0]["alive"]


def test_one_place_escapes() -> None:
    sources = {path.name: path.read_text() for path in ROOT.rglob("*.py")}
    found = {name for name, text in sources.items() if "html.escape" in text or "saxutils" in text}
    assert found == {"svg.py"}
