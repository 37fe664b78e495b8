"""Each widget in a real Notebook 7: it renders, asks for nothing beyond loopback, and answers."""

from __future__ import annotations

import urllib.parse

import nbformat
import pytest
from playwright.sync_api import expect

from .conftest import LOOPBACK, Notebook, serving, surroundings

CELLS = [
    """import minitf as tf
import numpy as np
from minitf_widgets import AllReduce, DotProduct, GraphView, Live, Slider, TimelineView, TrafficView
from tests.widgets.synthetic_traffic import SyntheticTraffic
x = tf.placeholder(tf.float32, [2], name="x")
with tf.name_scope("layer"):
    y = tf.square(x, name="square")
    z = tf.nn.relu(y, name="relu")
sess = tf.Session()
graph = GraphView(tf.get_default_graph(), expanded=["layer"])
timeline = TimelineView.of(sess, z, {x: [1.0, -2.0]})
dot, ring = DotProduct(16), AllReduce(tf.cluster.all_reduce, 3)
live = Live(rate=Slider(0.0, 1.0, 0.5))
traffic = TrafficView(SyntheticTraffic())""",
    *("graph", "timeline", "dot", "ring", "live", "traffic"),
]


@pytest.fixture
def book(tmp_path, browser_context):
    """A notebook of all widgets, open in Notebook 7; fails on errors and foreign requests."""
    pytest.importorskip("notebook", reason="Notebook 7 is not installed")
    (tmp_path / "work").mkdir()
    cells = [nbformat.v4.new_code_cell(cell) for cell in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(notebook, tmp_path / "work/all.ipynb")
    command = ["-m", "notebook", "--allow-root", "--ip=127.0.0.1"]
    command += [f"--ServerApp.root_dir={tmp_path / 'work'}"]
    command += ["--JupyterNotebookApp.expose_app_in_browser=True"]
    problems: list[str] = []
    with serving(tmp_path, surroundings(tmp_path), *command) as address:
        page = browser_context.new_page()
        page.on(
            "request",
            lambda asked: (
                asked.url.startswith(("data:", "blob:"))
                or urllib.parse.urlsplit(asked.url).hostname in LOOPBACK
                or problems.append(asked.url)
            ),
        )
        page.goto(f"{address}/notebooks/all.ipynb?token=test")
        page.wait_for_function(
            "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel"
        )
        # from here on: Notebook 7 itself has an error while it loads, without any widget
        page.on("pageerror", lambda error: problems.append(str(error)))
        made = Notebook(page)
        made.run_all()
        yield made
        page.close()
    assert not problems, problems


def test_widgets_render_and_answer_in_notebook_7(book):
    page = book.page
    for name in ("graph", "timeline", "reductions", "live", "traffic"):
        shown = page.locator(f".mtfw-{name}").first
        shown.wait_for(state="attached")
        shown.scroll_into_view_if_needed()
    expect(page.locator(".mtfw-picture img >> visible=true")).to_have_count(0)
    page.click(".mtfw-graph [data-id='layer/square']")
    assert book.wait_for_python("graph.selected == 'layer/square'") < 1
    end = book.value("dot.step")  # where it opens
    page.locator(".mtfw-reductions").first.get_by_label("One step back").click()
    assert book.wait_for_python(f"dot.step == {end - 1}") < 1
    page.locator(".mtfw-reductions").nth(1).locator("select").first.select_option("tree")
    assert book.wait_for_python("ring.algorithm == 'tree'") < 1
    page.locator(".mtfw-live").get_by_label("rate").press("End")
    assert book.wait_for_python("live.rate == 1.0") < 1
    page.locator(".mtft-task").first.click()
    assert book.wait_for_python("traffic.selected") < 1
    before = book.sources()
    page.locator(".mtfw-graph [data-id='layer/square']").focus()
    for key in ("b", "a", "x", "d", "d"):
        page.keyboard.press(key)
    assert book.sources() == before
