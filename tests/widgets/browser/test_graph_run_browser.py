"""A run on the graph in a real JupyterLab: stepped, played, stopped, looked at, saved."""

from __future__ import annotations

import statistics
from xml.etree import ElementTree

from playwright.sync_api import expect

from tests.widgets.browser.conftest import crowd

SETUP = """
import numpy as np
import minitf as tf
from minitf_widgets import GraphView

x = tf.placeholder(tf.float32, [8, 8, 8, 1], "x")
y = tf.layers.conv2d(x, 4, 3, activation=tf.nn.relu, name="conv")
y = tf.reduce_mean(y, name="mean")
with tf.name_scope("chain"):
    for k in range(470):
        y = tf.add(y, float(k), name=f"add{k}") if k % 2 else tf.tanh(y, name=f"tanh{k}")
bad = tf.log(y - y, name="bad")
cost = tf.multiply(bad, 2.0, name="cost")
word = tf.constant("<b>bold</b>", name="word")
images = np.random.default_rng(0).random((8, 8, 8, 1))
sess = tf.Session()
sess.run(tf.global_variables_initializer())
view = GraphView(tf.get_default_graph())
"""
# Steps to the end by the key, and measures how long each step takes until its value is drawn.
STEP = """async (count) => {
  const root = document.querySelector('.mtfw-graph');
  const times = [];
  for (let k = 0; k < count; k++) {
    const start = performance.now();
    root.dispatchEvent(new KeyboardEvent('keydown', {key: '.', bubbles: true}));
    const words = root.querySelector('.mtfw-play-words').textContent;
    const made = root.querySelector('.mtfw-card .mtfw-full, .mtfw-card .mtfw-histogram');
    root.getBoundingClientRect(); // lays out
    times.push(performance.now() - start);
    if (!words.startsWith(`${k + 2} of`) || !made) throw new Error(`no value at ${words}`);
    if (k % 20 === 0) await new Promise(requestAnimationFrame);
  }
  return times;
}"""


# Plays a few steps, and tells for each frame: ms since the one before, how many tiles there are.
PLAY = """async (steps) => {
  const root = document.querySelector('.mtfw-graph');
  root.querySelector('.mtfw-play [aria-label^="Play"]').click();
  const position = () => parseInt(root.querySelector('.mtfw-play-words').textContent);
  const [seen, end] = [[], position() + steps];
  for (let before = performance.now(); position() < end; ) {
    const now = await new Promise(requestAnimationFrame);
    seen.push([now - before, root.querySelectorAll('.mtfw-tile').length]);
    before = now;
  }
  root.querySelector('.mtfw-play [aria-label^="Pause"]')?.click();
  return seen;
}"""


def graph_of(book):
    return book.page.locator(".mtfw-graph")


def state(book, name):
    return book.page.locator(f".mtfw-graph [data-id='{name}']").get_attribute("data-run")


def position(book):
    return book.page.locator(".mtfw-play-words").inner_text()


def test_a_run_is_stepped_through(open_notebook, tmp_path):
    book = open_notebook([SETUP, "view.run(sess, [y, word], {x: images})"])
    page = book.page
    page.wait_for_selector(".mtfw-play")
    expect(page.locator(".mtfw-graph")).to_have_count(1)
    total = book.value("len(view.recording['steps'])")
    assert total > 470 and position(book) == f"{total} of {total}"
    ops = book.value("len(sess.graph.get_operations())")
    needed = f"{total} of {ops} ops are needed"
    assert page.get_by_text(needed).is_visible()
    assert state(book, "cost") == "unneeded" and state(book, "mean") == "done"
    image = page.locator(".mtfw-graph .mtfw-chip[data-of='x'] image")
    assert image.get_attribute("href").startswith("data:image/png")

    # a value is large while the pointer is at it
    page.locator(".mtfw-graph .mtfw-chip[data-of='x']").hover()
    large = page.locator(".mtfw-peek img").bounding_box()
    assert large["width"] >= 120
    page.mouse.move(0, 0)
    expect(page.locator(".mtfw-peek")).to_be_hidden()

    # every step of the whole run, with all its scopes open, is drawn within 50 ms
    book.python("view.expand_all()")
    page.wait_for_function("document.querySelectorAll('.mtfw-graph .mtfw-box').length > 100")
    page.get_by_label("Position in the run").press("Home")
    page.locator(".mtfw-graph [data-id='word']").click()
    page.locator(".mtfw-panel").wait_for()
    page.wait_for_function("document.querySelector('.mtfw-play-words').textContent[0] === '1'")
    # Python is there at once: it notes when, for to ask it takes half a second
    book.python("import time; reached = {}")
    book.python("view.observe(lambda c: reached.update({c.new: time.time()}), 'step')")
    times = page.evaluate(STEP, total - 1)
    ended = page.evaluate("Date.now() / 1000")
    assert statistics.median(times) < 50, statistics.quantiles(times, n=20)
    book.wait_for_python(f"view.step == {total - 1}", 20.0)
    assert book.value(f"reached[{total - 1}]") - ended < crowd()

    # a click changes Python; a busy kernel holds nothing up; Python moves the page
    page.get_by_role("button", name="One step back").click()
    assert book.wait_for_python(f"view.step == {total - 2}") < 1
    page.evaluate(
        "() => { window.jupyterapp.shell.currentWidget.sessionContext.session.kernel"
        ".requestExecute({code: 'import time; time.sleep(2)'}); }"
    )
    page.get_by_role("button", name="One step back").click()
    assert position(book) == f"{total - 2} of {total}"
    book.wait_for_idle()
    book.python("view.step = 1")
    page.wait_for_function("document.querySelector('.mtfw-play-words').textContent[0] === '2'")

    # a breakpoint stops the playing
    book.python("view.expanded = []; view.select('mean')")
    page.get_by_role("button", name="Stop playing at this op").click()
    assert book.wait_for_python("view.breakpoints == ['mean'] and len(view.stops) > 0") < 1
    page.locator(".mtfw-breakpoint").wait_for()
    page.locator(".mtfw-play select").select_option("20/s")
    page.get_by_role("button", name="Play the run").click()
    assert book.wait_for_python("view.step == view.stops[0]", timeout=5) < 5
    page.get_by_role("button", name="Play the run").wait_for()
    assert state(book, "mean") == "now"

    # the first NaN or infinity
    book.python("view.run(sess, cost, {x: images})")
    alarm = page.locator(".mtfw-run-note button")
    alarm.wait_for()
    assert alarm.inner_text().startswith("⚠ bad (Log) made -inf from sub:0 = 0")
    assert state(book, "bad") == "now" and state(book, "cost") == "waiting"
    expect(page.locator(".mtfw-chip.mtfw-bad")).to_have_count(1)
    page.get_by_role("button", name="One step on").click()
    assert state(book, "cost") == "now"
    alarm.click()
    assert state(book, "bad") == "now"

    # keys belong to the widget; names are text
    cells = book.sources()
    page.get_by_role("button", name="Show the whole graph").click()
    page.locator(".mtfw-graph [data-id='mean']").click()
    for key in "baxdd.,p":
        page.keyboard.press(key)
    page.keyboard.press("p")
    assert book.sources() == cells
    expect(page.locator(".mtfw-graph b")).to_have_count(0)

    alarm.click()
    for theme in ("light", "dark"):
        book.theme(theme)
        assert book.faults_of_access(".mtfw-graph") == []

    for button, name in (("SVG", "a.svg"), ("PNG", "a.png")):
        with page.expect_download() as download:
            page.get_by_role("button", name=f"Save the picture as {button}").click()
        download.value.save_as(tmp_path / name)
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    words = list(ElementTree.fromstring(text).itertext())
    assert "-inf" in words and "data:image/png" in text
    assert (tmp_path / "a.png").stat().st_size > 10_000

    # the static picture is that of the last step, also where no kernel runs
    book.reopen()
    picture = page.locator(".mtfw-picture img")
    picture.wait_for()
    assert picture.evaluate("image => image.naturalWidth") > 200


def test_values_travel_along_the_wires(open_notebook):
    small = """
import minitf as tf
from minitf_widgets import GraphView
with tf.Graph().as_default() as graph:
    x = tf.placeholder(tf.float32, [2], "x")
    y = tf.square(x, name="y")
    z = tf.multiply(y, x, name="z")
view = GraphView(graph)
"""
    book = open_notebook([small, "view.run(tf.Session(graph=graph), z, {x: [1, 2]})"])
    page = book.page
    page.wait_for_selector(".mtfw-play")
    graph, tiles = graph_of(book), page.locator(".mtfw-graph .mtfw-tile")
    expect(tiles).to_have_count(0)

    # halfway between two steps the values of y and x are on their ways to z, and z has none yet
    last = book.value("len(view.recording['steps'])") - 1
    scrub = "([range, at]) => { range.value = at; range.dispatchEvent(new Event('input')); }"
    slider = graph.locator(".mtfw-scrub").element_handle()
    page.evaluate(scrub, [slider, last - 0.5])
    expect(tiles).to_have_text(["[1, 4]", "[1, 2]"])
    assert state(book, "z") == "now"
    expect(graph.locator(".mtfw-chip[data-of='z']")).to_have_count(0)
    boxes = {name: graph.locator(f"[data-id='{name}']").bounding_box() for name in "xyz"}
    middle = {name: (box["y"] + box["height"] / 2) for name, box in boxes.items()}
    tile = tiles.first.bounding_box()
    assert middle["y"] < tile["y"] + tile["height"] / 2 < middle["z"]
    page.evaluate(scrub, [slider, last - 0.2])
    assert tiles.first.bounding_box()["y"] > tile["y"] + 2
    page.evaluate(scrub, [slider, last])
    expect(tiles).to_have_count(0)
    expect(graph.locator(".mtfw-chip[data-of='z']")).to_have_text("[1, 8]")

    # it plays without losing frames; where less movement is asked for, nothing travels
    graph.get_by_role("button", name="One step back").click()
    page.get_by_label("Position in the run").press("Home")
    frames = page.evaluate(PLAY, 2)
    assert max(count for _, count in frames) >= 1
    assert statistics.median(time for time, _ in frames) < 20 * crowd()
    page.emulate_media(reduced_motion="reduce")
    page.get_by_label("Position in the run").press("Home")
    assert max(count for _, count in page.evaluate(PLAY, 2)) == 0
