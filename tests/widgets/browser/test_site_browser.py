"""The static gallery in a real Chromium, from a folder: widgets answer, nothing is asked for."""

from __future__ import annotations

import os
import subprocess
import sys

import nbformat
import pytest
from axe_playwright_python.base import AXE_FILE_PATH
from playwright.sync_api import expect

from .conftest import AXE, ROOT

CELLS = [
    """import minitf as tf
import numpy as np
import time
from minitf_widgets import *
from minitf_widgets.lessons.quiz import Predict
from tests.widgets.synthetic_traffic import SyntheticTraffic
x = tf.placeholder(tf.float32, [2], name="x")
with tf.name_scope("layer"):
    y = tf.square(x, name="square")
    with tf.name_scope("inner"):
        z = tf.nn.relu(tf.negative(y, name="minus"), name="relu")
sess = tf.Session()""",
    "view = GraphView(tf.get_default_graph(), expanded=['layer'])\n"
    "view.run(sess, z, {x: [1.0, -2.0]})\nview",
    "TimelineView.of(sess, z, {x: [1.0, -2.0]})",
    "DotProduct(16)",
    "AllReduce(tf.cluster.all_reduce, 3)",
    """live = Live(rate=Slider(0.0, 1.0, 0.5))
@live.draw
def picture():
    return np.arange(16.0).reshape(4, 4) < 12 * live.rate
for step in live.steps(5):
    live.plot(step, loss=1.0 / (step + 1))
live""",
    "guess = Predict('How many ops?', [2, 4])\nguess",
    "guess.compare(4)",
    "traffic = TrafficView(SyntheticTraffic())\ntime.sleep(1)\ntraffic.stop()\ntraffic",
]
PROSE = """# 1. A sample

Of $N$ members each sends $2 (N - 1) / N$.
[Graphs](02-graphs-and-sessions.ipynb), [docs](../docs/x.md).

## Widgets"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A gallery of one made lesson and one of the course; the kernel of a third one dies."""
    folder = tmp_path_factory.mktemp("site")
    cells = [nbformat.v4.new_markdown_cell(PROSE), *map(nbformat.v4.new_code_cell, CELLS)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / "01-sample.ipynb")
    dying = nbformat.v4.new_code_cell("import os; os._exit(1)")
    nbformat.write(nbformat.v4.new_notebook(cells=[dying]), folder / "00-dying.ipynb")
    lessons = [folder / "00-dying.ipynb", folder / "01-sample.ipynb"]
    lessons.append(ROOT / "notebooks/02-graphs-and-sessions.ipynb")
    command = [sys.executable, ROOT / "scripts/site.py", "--out", folder / "site", *lessons]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'widgets'}"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "00-dying.ipynb: failed, and has no page" in done.stderr
    return folder / "site"


@pytest.fixture
def page(site, browser_context):
    """The gallery; fails when a page had an error, or asked for what is not in the folder."""
    made = browser_context.new_page()
    problems = []
    made.on("pageerror", lambda error: problems.append(str(error)))
    # axe asks for style sheets that it can read already
    failed = lambda asked: asked.resource_type == "xhr" or problems.append(asked.url[:200])  # noqa: E731
    made.on("requestfailed", failed)
    made.on(
        "request",
        lambda asked: (
            asked.url.startswith((site.as_uri(), "data:", "blob:")) or problems.append(asked.url)
        ),
    )
    made.goto((site / "index.html").as_uri())
    yield made
    made.close()
    assert not problems, problems


def faults(page):
    page.evaluate(AXE_FILE_PATH.read_text(encoding="utf-8"))
    return page.evaluate(AXE, "body")


def test_a_lesson_is_alive_without_kernel_or_network(page):
    expect(page.locator(".site-cards li")).to_have_count(2)
    assert not (found := faults(page)), found
    page.get_by_role("link", name="1. A sample").click()
    expect(page.locator("math")).to_have_count(2)
    assert page.locator(".text a").all_inner_texts() == ["Graphs"]
    for place in page.locator(".site-live").all():
        place.scroll_into_view_if_needed()
        place.locator(".mtfw").first.wait_for()
    expect(page.locator(".mtfw-picture img >> visible=true")).to_have_count(0)

    graph = page.locator(".mtfw-graph")
    graph.locator("[data-id='layer/inner'] .mtfw-handle").click()
    graph.locator("[data-id='layer/inner/relu']").click()
    graph.locator(".mtfw-panel", has_text="layer/inner/relu").wait_for()
    graph.get_by_role("combobox", name="Search").fill("square")
    page.locator(".mtfw-matches li").first.wait_for()
    page.keyboard.press("Enter")
    graph.locator(".mtfw-panel", has_text="layer/square").wait_for()

    dot, ring = (page.locator(".mtfw-reductions").nth(place) for place in range(2))
    dot.locator("[data-name=elements] select").select_option("64")
    dot.get_by_text("step 64 of 64").wait_for()
    ring.locator("[data-name=members] input").press("ArrowRight")
    ring.locator("text", has_text="member 3").wait_for()
    ring.get_by_label("One step on").click()
    assert "Step 1: member 0 sends piece 1" in ring.locator(".mtfr-told").inner_text()

    live = page.locator(".mtfw-live").first
    before = live.locator("img").get_attribute("src")
    live.get_by_label("rate").press("End")
    page.wait_for_function(
        "(src) => document.querySelector('.mtfw-live img').src !== src", arg=before
    )
    assert "1 " in live.locator(".mtfw-legend").inner_text() + " 1 "

    quiz = page.locator(".mtfw-predict")
    assert "The answer: 4" not in quiz.inner_text()
    quiz.get_by_text("2", exact=True).click()
    quiz.get_by_text("You guessed 2 ✗. The answer: 4.").wait_for()

    expect(page.locator(".mtfw-timeline")).to_have_count(1)
    page.locator(".mtft-task").first.wait_for()


def test_the_theme_follows_the_system_until_it_is_chosen_and_telephones_fit(page):
    page.get_by_role("link", name="1. A sample").click()
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_selector(f"html[data-theme={scheme}]")
        for place in page.locator(".site-live").all():
            place.scroll_into_view_if_needed()
            place.locator(".mtfw").first.wait_for()
        assert not (found := faults(page)), found
    page.get_by_role("button", name="Change to the dark theme").press("Enter")
    page.wait_for_selector("html[data-theme=dark]")
    page.reload()
    page.wait_for_selector("html[data-theme=dark]")
    page.set_viewport_size({"width": 390, "height": 800})
    for place in page.locator(".site-live").all():
        place.scroll_into_view_if_needed()
        place.locator(".mtfw").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
