"""Live in a real JupyterLab: watched, paused, stepped, stopped and turned while its cell runs."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

from tests.widgets.browser.conftest import crowd

SETUP = """
import time
from minitf_widgets import Live, Slider
live = Live(title="Training", rate=Slider(0.01, 1.0, 0.1, log=True), momentum=[0.0, 0.9], keep=True)
live
"""
LOOP = """
seen, rates = 0, set()
for step in live.steps({count}):
    seen += 1
    rates.add(live.rate)
    live.plot(step, loss=2.3 * 0.99 ** step)
    live.plot(step, accuracy=1 - 0.99 ** step, panel="accuracy")
    time.sleep(0.01)
after = True
"""
DRAWN = """
@live.draw
def bar(rate):
    "A bar as long as the rate."
    width = 20 + 400 * rate
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="440" height="30">'
            f'<rect width="{width}" height="30" fill="#0072b2"/></svg>')
"""
RUN_LAST = """() => {
  const { content } = window.jupyterapp.shell.currentWidget;
  content.activeCellIndex = content.widgets.length - 1;
  window.jupyterapp.commands.execute('notebook:run-cell');
}"""


def words(page, text: str) -> None:
    page.locator(".mtfl-words", has_text=text).wait_for()


def press(page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


@pytest.fixture
def running(open_notebook):
    """Returns `running(count)`: a notebook whose last cell is a loop that has just begun."""

    def begin(count: int | None = None):
        book = open_notebook([SETUP], run=True)
        book.page.evaluate(
            "(source) => window.jupyterapp.commands.execute('notebook:insert-cell-below')"
            ".then(() => window.jupyterapp.shell.currentWidget.content.activeCell.model"
            ".sharedModel.setSource(source))",
            LOOP.format(count=count or ""),
        )
        book.page.evaluate(RUN_LAST)
        words(book.page, "steps/s")
        return book

    return begin


def test_pause_step_slider_and_stop_act_while_the_cell_runs(running):
    book = running()
    page = book.page
    press(page, "Pause")
    words(page, "paused at step")
    first = page.locator(".mtfl-words").inner_text()
    page.wait_for_timeout(300)
    expect(page.locator(".mtfl-words")).to_have_text(first)
    number = int(re.sub(r"\D", "", first))
    press(page, "One step")
    words(page, f"paused at step {number + 1}")
    slider = page.get_by_label("rate", exact=True)
    slider.focus()
    page.keyboard.press("End")
    page.get_by_label("momentum").select_option("0.9")
    page.get_by_label("keep").uncheck()
    press(page, "Go on")
    words(page, "steps/s")
    page.keyboard.type("baxdd")  # the shortcuts of cells
    assert len(book.sources()) == 2
    page.wait_for_timeout(300)
    press(page, "Stop")
    words(page, "stopped at step")
    book.wait_for_idle()
    assert book.value("after and max(rates)") == 1.0
    assert book.value("[live.momentum, live.keep]") == [0.9, False]
    assert not page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.content.widgets.at(-1)"
        ".model.toJSON().outputs.length"
    )
    assert page.get_by_role("button", name="Stop", exact=True).is_disabled()
    assert not page.locator(".mtfl-note").inner_text()


def test_interrupting_the_kernel_ends_the_loop_without_a_traceback(running):
    book = running()
    page = book.page
    page.evaluate("() => window.jupyterapp.commands.execute('kernelmenu:interrupt')")
    words(page, "stopped at step")
    book.wait_for_idle()
    assert book.value("after") is True


def test_a_busy_kernel_is_told(open_notebook):
    book = open_notebook([SETUP])
    page = book.page
    page.evaluate(
        "() => { window.jupyterapp.shell.currentWidget.sessionContext.session.kernel"
        ".requestExecute({code: 'import ctypes; ctypes.PyDLL(None).usleep(3_000_000)'}); }"
    )  # with the lock of the interpreter held, so that no thread hears anything
    page.wait_for_timeout(300)
    page.get_by_label("keep").uncheck()
    page.locator(".mtfl-note:has-text('The kernel is busy')").wait_for()
    page.locator(".mtfl-note").filter(has_not_text="busy").wait_for(state="attached")
    book.wait_for_python("not live.keep", timeout=10)


def test_looks_keys_and_export(open_notebook):
    book = open_notebook([SETUP, DRAWN, LOOP.format(count=60)])
    page = book.page
    words(page, "finished, 60 steps")
    page.locator("img.mtfl-picture[alt='A bar as long as the rate.']").wait_for()
    before = page.locator("img.mtfl-picture").get_attribute("src")
    expect(page.get_by_label("rate", exact=True)).to_be_enabled()
    page.get_by_label("rate", exact=True).focus()
    for _ in range(12):
        page.keyboard.press("ArrowRight")
    book.wait_for_python("live.rate > 0.15", timeout=10)
    page.wait_for_function(
        "(before) => document.querySelector('img.mtfl-picture').src !== before", arg=before
    )
    chart = page.locator(".mtfw-chart-floor").first
    chart.focus()
    page.keyboard.press("ArrowRight")
    page.locator(".mtfw-legend-x:has-text('at step 0')").wait_for()
    assert not book.faults_of_access(".mtfw-live")
    book.theme("dark")
    assert not book.faults_of_access(".mtfw-live")
    page.get_by_label("log scale").check()
    with page.expect_download() as download:
        press(page, "Save the picture as SVG")
    root = ElementTree.parse(download.value.path()).getroot()
    texts = {node.text for node in root.iter() if node.tag.endswith("text")}
    assert {"loss", "accuracy", "step"} <= texts
    with page.expect_download() as download:
        press(page, "Save the picture as PNG")
    assert download.value.path().stat().st_size > 5000
    book.reopen()
    picture = page.locator(".mtfw-picture img").first
    picture.wait_for()
    alt = picture.get_attribute("alt")
    assert alt.startswith("Training: A bar as long as the rate.; finished, 60 steps; loss 1.27")


STREAM = """
import time
from minitf_widgets import Live
lives = [Live(title=str(i)) for i in range(5)]
for live in lives: display(live)
"""
FEED = """
costs = []
for step in range(200):
    started = time.perf_counter()
    for live in lives:
        before = time.perf_counter()
        live.plot(step, time=time.time())
        costs.append(time.perf_counter() - before)
    time.sleep(max(0.0, 0.1 - (time.perf_counter() - started)))
"""
# Keeps, of each value that the page gets, how long it was on its way.
LISTEN = """() => {
  window.delays = [];
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  kernel.iopubMessage.connect((_, message) => {
    const content = message.content?.data?.content;
    if (content?.type !== 'news') return;
    requestAnimationFrame(() => {
      for (const curve of content.curves)
        for (const sent of curve[4]) window.delays.push(Date.now() / 1000 - sent);
    });
  });
}"""


@pytest.mark.long
def test_a_thousand_events_at_ten_hertz_arrive_in_time(open_notebook):
    book = open_notebook([STREAM])
    page = book.page
    page.locator(".mtfw-live").nth(4).wait_for()
    page.evaluate(LISTEN)
    book.python(FEED)
    page.wait_for_function("() => window.delays.length >= 1000")
    delays = sorted(page.evaluate("() => window.delays"))
    costs = sorted(book.value("costs"))
    assert len(delays) == 1000
    assert costs[950] < 0.002 * crowd(), f"a value costs its sender {costs[950]:.4f} s"
    assert delays[500] < 0.1 * crowd(), f"a value takes {delays[500]:.3f} s to the page"
    assert delays[950] < crowd(), f"late values take {delays[950]:.3f} s to the page"
