"""A session's plan in a real JupyterLab: passes, lines and boxes, a box dragged to a device."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

SETUP = """
import numpy as np
import minitf as tf
from minitf_widgets import ExplainView
tf.simulate_gpus(2)
x = tf.placeholder(tf.float32, [None, 100], name="x")
h = tf.matmul(x, tf.ones([100, 100]), name="h")
y = tf.tanh(h * 2.0 + 1.0, name="y")
sess = tf.Session()
view = ExplainView(sess, y, {x: np.ones((64, 100), np.float32)})
"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_plan_at_work(open_notebook, theme):
    book = open_notebook([SETUP, "view"], theme=theme)
    page = book.page
    root = page.locator(".mtfw-plan")
    root.scroll_into_view_if_needed()
    assert not page.locator(".mtfw-picture").is_visible(), "the live view hides the picture"
    before = book.sources()

    book.python("view.stage = -1")
    fused = root.locator(".mtfw-row.mtfw-new", has_text="fused(")
    fused.click()
    assert book.wait_for_python("view.selected == 'y'") < 1
    page.wait_for_selector(".mtfw-plan .mtfw-box[data-id='y'].mtfw-selected")
    for key in ["b", "a", "x", "d", "d"]:
        page.keyboard.press(key)
    assert book.sources() == before
    page.keyboard.press("[")
    assert book.wait_for_python("view.stage == len(view.passes) - 2") < 1

    box = root.locator(".mtfw-box[data-id='h']").bounding_box()
    device = root.locator("[data-device='/device:GPU:1']").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(device["x"], device["y"] - 20)
    page.mouse.move(device["x"] + 20, device["y"] + 10)
    page.mouse.up()
    book.wait_for_python(
        "view.placement == {'h': '/device:GPU:1'} and view.trial.get('counts')", timeout=20
    )
    root.get_by_role("button", name="Run both placements").click()
    book.wait_for_python("view.trial.get('measured')", timeout=20)
    page.wait_for_selector(".mtfw-plan th:has-text('measured')")
    assert book.faults_of_access(".mtfw-plan") == []

    with page.expect_download() as saved:
        root.get_by_role("button", name="SVG").click()
    ElementTree.fromstring(saved.value.path().read_text())
    with page.expect_download() as saved:
        root.get_by_role("button", name="PNG").click()
    assert saved.value.path().stat().st_size > 5_000
