"""The timeline in a real JupyterLab: watched, clicked, typed at, linked with a graph, saved."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

SETUP = """
import numpy as np
import minitf as tf
from minitf_widgets import GraphView, TimelineView
tf.simulate_gpus(2)
x = tf.placeholder(tf.float32, [None, 200], name="x")
with tf.device("/gpu:0"):
    h = tf.nn.relu(tf.matmul(x, tf.ones([200, 200]), name="first"), name="h")
with tf.device("/gpu:1"):
    y = tf.matmul(h, tf.ones([200, 10]), name="second")
sess = tf.Session()
view = TimelineView.of(sess, y, {x: np.ones((64, 200))}, steps=3)
graph = GraphView(tf.get_default_graph())
view.link(graph)
"""


def bar(page, name):
    return page.locator(f".mtfw-timeline .mtfw-bar[aria-label^='{name},']")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_timeline_at_work(open_notebook, theme):
    book = open_notebook([SETUP, "view"], theme=theme)
    page = book.page
    root = page.locator(".mtfw-timeline")
    root.scroll_into_view_if_needed()
    assert not page.locator(".mtfw-picture").is_visible(), "the live view hides the picture"
    before = book.sources()

    bar(page, "first").locator("rect").click(force=True)
    assert book.wait_for_python("view.selected == graph.selected == 'first'") < 1
    page.keyboard.press("ArrowDown")
    assert book.wait_for_python("view.selected != 'first'") < 1
    book.python("graph.selected = 'second'")
    page.wait_for_selector(".mtfw-timeline h3:text-is('second')")
    assert "waited for" in root.locator(".mtfw-about").inner_text()

    bar(page, "second").focus()
    wide = bar(page, "second").locator("rect").get_attribute("width")
    for key in ["b", "a", "x", "d", "d", "+", "+"]:
        page.keyboard.press(key)
    assert float(bar(page, "second").locator("rect").get_attribute("width")) > float(wide)
    assert book.sources() == before
    root.get_by_role("button", name="One step on").click()
    assert book.wait_for_python("view.step == 1") < 1
    assert book.faults_of_access(".mtfw-timeline") == []

    for name, check in [("SVG", ElementTree.fromstring), ("chrome://tracing", json.loads)]:
        with page.expect_download() as saved:
            root.get_by_role("button", name=name).click()
        check(saved.value.path().read_text())
    with page.expect_download() as saved:
        root.get_by_role("button", name="PNG").click()
    assert saved.value.path().stat().st_size > 5_000
