"""The traffic widget in a real JupyterLab: watched, clicked, typed at, paused, saved, reopened."""

from __future__ import annotations

import re
import time
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

SETUP = """
from minitf_widgets import TrafficView
from tests.widgets.synthetic_traffic import SyntheticTraffic
source = SyntheticTraffic({options})
view = TrafficView(source)
"""
PS, WORKER = "/job:ps/task:0", "/job:worker/task:1"
LINK = f"{PS}|{WORKER}"
# How many pixels of the canvas are painted, and a number that changes with any of them.
PAINTED = """() => {
  const canvas = document.querySelector('.mtft-canvas');
  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  let count = 0, sum = 0;
  for (let i = 3; i < data.length; i += 4)
    if (data[i]) { count += 1; sum = (sum * 31 + i + data[i - 1]) % 1e9; }
  return [count, sum];
}"""
# A point on the page at a share of a link's length.
ALONG = """([key, share]) => {
  const path = document.querySelector(`[data-key="${key}"] .mtft-hit`);
  const at = path.getPointAtLength(path.getTotalLength() * share);
  const {x, y} = at.matrixTransform(path.getScreenCTM());
  return [x, y];
}"""


def show(open_notebook, options="", theme="light"):
    book = open_notebook([SETUP.format(options=options), "view"], theme=theme)
    book.page.wait_for_selector(".mtft-lane")
    book.page.locator(".mtfw-traffic").scroll_into_view_if_needed()
    return book


def click_link(page, key, share=0.15):
    page.mouse.click(*page.evaluate(ALONG, [key, share]))


def item(page, key):
    return page.locator(f".mtfw-traffic [data-key='{key}']")


def test_clicks_reach_python_and_python_reaches_the_page(open_notebook):
    book = show(open_notebook)
    page = book.page
    item(page, WORKER).click()
    assert book.wait_for_python(f"view.selected == {WORKER!r}") < 1
    page.wait_for_selector(".mtft-title:text-is('worker 1')")
    click_link(page, LINK)
    assert book.wait_for_python(f"view.selected == {LINK!r}") < 1
    page.wait_for_selector(".mtft-title:text-is('ps 0 → worker 1')")
    assert item(page, LINK).get_attribute("aria-pressed") == "true"
    details = page.locator(".mtft-details").inner_text()
    assert re.search(r"in all\s+[\d,]+ messages, [\d.]+ .B", details)
    assert "W1/read:0" in details and "401 kB" in details
    assert re.search(r"[\d.]+ µs", details)
    page.keyboard.press("Escape")
    assert book.wait_for_python("view.selected is None") < 1

    book.python(f"view.selected = {PS!r}")
    page.wait_for_selector(".mtft-title:text-is('ps 0')")
    assert item(page, PS).get_attribute("aria-pressed") == "true"
    page.locator(".mtft-svg").click(position={"x": 3, "y": 3})
    assert book.wait_for_python("view.selected is None") < 1


def test_the_keyboard_is_enough(open_notebook):
    book = show(open_notebook)
    page = book.page
    page.get_by_role("button", name="Full screen").focus()
    focused = "() => document.activeElement.getAttribute('data-key')"
    page.keyboard.press("Tab")
    link = page.evaluate(focused)
    assert link is not None and "|" in link
    page.keyboard.press("ArrowRight")
    assert page.evaluate(focused) not in (link, None)
    page.keyboard.press("Enter")
    assert book.wait_for_python("'|' in (view.selected or '')") < 1
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == PS
    for key, wanted in [
        ("ArrowRight", "/job:ps/task:1"),
        ("ArrowDown", "/job:worker/task:2"),
        ("ArrowLeft", "/job:worker/task:1"),
        ("Home", "/job:ps/task:0"),
        ("End", "client"),
        ("ArrowUp", "/job:worker/task:1"),
        ("ArrowLeft", "/job:worker/task:0"),
        ("ArrowUp", PS),
    ]:
        page.keyboard.press(key)
        assert page.evaluate(focused) == wanted
    page.keyboard.press("Enter")
    assert book.wait_for_python(f"view.selected == {PS!r}") < 1
    cells = page.locator(".jp-Cell").count()
    for key in ("a", "b", "x", "d", "d"):
        page.keyboard.press(key)
    expect(page.locator(".jp-Cell"), "JupyterLab takes no key from the widget").to_have_count(cells)
    page.keyboard.press("Space")
    assert book.wait_for_python("view.paused") < 1
    page.keyboard.press("Space")
    assert book.wait_for_python("not view.paused") < 1


def test_messages_move_and_stand_still_when_paused(open_notebook):
    book = show(open_notebook, "steps=12.0")
    page = book.page
    page.wait_for_function(f"() => ({PAINTED})()[0] > 200")
    first = page.evaluate(PAINTED)
    time.sleep(0.3)
    assert page.evaluate(PAINTED) != first
    page.click(".mtft-pause")
    assert book.wait_for_python("view.paused") < 1
    time.sleep(0.4)
    still = page.evaluate(PAINTED)
    pulls = book.value("source.pulls")
    time.sleep(0.5)
    assert page.evaluate(PAINTED) == still and still[0] > 0
    assert book.value("source.pulls") <= pulls + 1
    expect(page.locator(".mtft-live")).to_have_text("paused")
    page.click(".mtft-pause")
    page.wait_for_function(f"(still) => ({PAINTED})()[1] !== still", arg=still[1])
    page.locator(".mtfw-traffic select").first.select_option(label="100× slower")
    assert book.wait_for_python("view.slow == 100") < 1
    page.wait_for_selector(".mtft-slowness:has-text('slow motion, 100× slower')")
    page.wait_for_function(f"() => ({PAINTED})()[0] > 50")


def test_less_movement_is_honoured(open_notebook):
    book = show(open_notebook, "steps=12.0")
    page = book.page
    page.emulate_media(reduced_motion="reduce")
    page.wait_for_selector(".mtft-share:has-text('reduced motion')")
    page.wait_for_selector(".mtft-mark >> visible=true")
    time.sleep(0.5)
    assert page.evaluate(PAINTED)[0] == 0


def test_totals_are_exact_and_tables_tell_all(open_notebook):
    book = show(open_notebook, "steps=60.0, sample=50")
    page = book.page
    page.wait_for_selector(".mtft-share:has-text('% of messages drawn, totals exact')")
    for summary in page.locator(".mtft-tables summary").all():
        summary.click()
    book.python("view.stop()")
    page.wait_for_selector(".mtft-live:has-text('stopped')")
    counters = book.value("view.counters")
    rows = page.locator(".mtft-tables details").first.locator("tbody tr")
    shown = {
        cells[0]: (int(cells[1].replace(",", "")), int(cells[2].replace(",", "")))
        for cells in (row.locator("th, td").all_inner_texts() for row in rows.all())
    }
    assert shown == {
        " → ".join(end.replace("/job:", "").replace("/task:", " ") for end in key.split("|")): (
            count["messages"],
            count["bytes"],
        )
        for key, count in counters.items()
    }
    total = sum(count["messages"] for count in counters.values())
    assert page.locator(".mtft-sums").inner_text().startswith(f"{total:,} messages, ")
    log = page.locator(".mtft-tables details").last.locator("tbody tr")
    expect(log).to_have_count(25)
    page.get_by_role("button", name="ps 0 → worker 2").click()
    assert book.wait_for_python("view.selected == '/job:ps/task:0|/job:worker/task:2'") < 1


def test_dead_restarted_and_many_tasks(open_notebook):
    book = show(open_notebook, "ps=2, workers=10")
    page = book.page
    book.python(f"source.dead.add({WORKER!r})")
    item(page, WORKER).get_by_text("✕ dead").wait_for()
    assert "mtft-dead" in item(page, LINK).get_attribute("class")
    said = page.locator(".mtfw-traffic > .mtfw-hidden[role=status]")
    expect(said).to_have_text("worker 1 is dead")
    book.python(f"source.dead.clear(); source.incarnations[{WORKER!r}] += 1")
    page.wait_for_selector(f"[data-key='{WORKER}']:not(.mtft-dead)")
    item(page, WORKER).click()
    page.wait_for_selector(".mtft-subtitle:has-text('alive, restarted 1×')")
    boxes = page.locator(".mtft-task").count()
    assert boxes == 13  # the client, too, which is no task of the cluster
    expect(item(page, PS).locator(".mtft-rate").first).to_contain_text("/s")
    book.python("source.dead.update(source.workers)")
    page.get_by_text("no messages now: totals are shown").wait_for()
    expect(item(page, PS).locator(".mtft-rate").first).to_have_text(re.compile(r"[\d.]+ [kM]B"))


@pytest.mark.parametrize("width", [1280, 1600])
def test_a_large_cluster_stays_in_the_picture(open_notebook, width):
    book = show(open_notebook, "ps=4, workers=16, steps=0.5")
    page = book.page
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate("() => window.jupyterapp.shell.expandLeft()")
    page.wait_for_function("() => document.querySelectorAll('.mtft-task').length === 21")
    page.wait_for_timeout(500)
    inside = page.evaluate(
        """() => {
          const floor = document.querySelector('.mtft-floor');
          const { left, right } = floor.getBoundingClientRect();
          const boxes = [...floor.querySelectorAll('.mtft-task')]
            .map((box) => box.getBoundingClientRect());
          return floor.scrollWidth <= floor.clientWidth
            && boxes.every((box) => box.left >= left && box.right <= right);
        }"""
    )
    assert inside
    item(page, "/job:worker/task:15").click()
    book.wait_for_python("view.selected == '/job:worker/task:15'", timeout=20)


def test_nothing_yet_is_said_in_one_line(open_notebook):
    book = open_notebook([SETUP.format(options="workers=0"), "view"])
    none = book.page.locator(".mtft-messages li")
    none.wait_for()
    expect(none).to_have_text("none yet")
    assert none.bounding_box()["height"] < 30


def test_a_silent_source_is_told(open_notebook):
    book = show(open_notebook)
    book.python("view._read = lambda: 1 / 0")
    page = book.page
    page.wait_for_selector(".mtft-live:has-text('no answer: ZeroDivisionError: division by zero')")
    book.python("view._read = source.traffic")
    page.wait_for_selector(".mtft-live:text-is('live')")


def test_svg_and_png_are_saved(open_notebook):
    book = show(open_notebook, "steps=12.0")
    page = book.page
    page.wait_for_function(f"() => ({PAINTED})()[0] > 200")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the picture as SVG").click()
    root = ElementTree.parse(download.value.path()).getroot()
    texts = {node.text for node in root.iter() if node.tag.endswith("text")}
    assert {"ps 0", "ps 1", "worker 0", "client", "tensor from a ps"} <= texts
    assert not [node for node in root.iter() if "class" in node.attrib]
    expect(page.locator(".mtft-export")).to_have_count(0)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the picture as PNG").click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")


# How many frames are drawn in five seconds while messages come, and what is seen by then.
FRAMES = """() => new Promise((resolve) => {
  let frames = 0;
  const start = performance.now();
  const next = () => {
    frames += 1;
    const seconds = (performance.now() - start) / 1000;
    if (seconds < 5) requestAnimationFrame(next);
    else resolve(frames / seconds);
  };
  requestAnimationFrame(next);
})"""


def test_600_messages_a_second_are_all_accounted_for_and_leave_room_for_frames(open_notebook):
    book = show(open_notebook, "ps=2, workers=4, steps=15.0, sample=1000")  # 10 messages a step
    page = book.page
    before = book.value("sum(c['messages'] for c in view.counters.values())")
    started = time.monotonic()
    rate = page.evaluate(FRAMES)
    book.python("view.stop()")
    page.wait_for_selector(".mtft-live:has-text('stopped')")
    total = book.value("sum(c['messages'] for c in view.counters.values())")
    a_second = (total - before) / (time.monotonic() - started)
    assert a_second > 150, "the source must be busy"
    assert rate > 8, f"{rate:.0f} frames a second"  # 30 and more on a quiet machine
    print(f"{rate:.0f} frames/s at {a_second:.0f} messages/s")
    assert page.locator(".mtft-sums").inner_text().startswith(f"{total:,} messages")
    expect(page.locator(".mtft-share")).to_have_text("every message drawn")
    seen = "sum(len(json.loads(line)['events']) for line in view._history.stream().split('\\n'))"
    assert book.value(seen) == total, "each message came along, once"


def test_a_replay_steps_and_loops(open_notebook):
    book = show(open_notebook, "steps=12.0")
    page = book.page
    book.python("view.plot(1, loss=2.5); import time; time.sleep(1.5); view.plot(2, loss=1.5)")
    page.wait_for_selector(".mtft-trend >> visible=true")
    assert "loss" in page.locator(".mtft-trend").inner_text()
    item(page, WORKER).click()
    page.get_by_role("button", name="One training step back").click()
    assert book.wait_for_python("view.position is not None and view.paused") < 1
    page.wait_for_selector(".mtft-live:has-text('looking back')")
    page.wait_for_selector(".mtft-when:has-text('of worker 1')")
    page.get_by_role("button", name="One message on").click()
    page.wait_for_selector(".mtft-when:has-text('worker 1')")
    assert page.evaluate(PAINTED)[0] > 20, "the message stands on its way"
    position = book.value("view.position")
    page.locator(".mtfw-traffic select").first.select_option(label="100× slower")
    page.get_by_role("checkbox", name="loop").check()
    assert book.wait_for_python("not view.paused") < 1
    time.sleep(1.5)
    assert book.value(f"abs(view.position - {position})") < 1
    page.get_by_role("button", name="Show what happens now").click()
    assert book.wait_for_python("view.position is None and not view.paused") < 1


def test_a_saved_recording_ends_with_the_same_totals(open_notebook):
    again = open_notebook(
        [
            SETUP.format(options="steps=12.0")
            + "import time; time.sleep(3); view.stop(); view.save('seen.jsonl.gz')\n"
            + "total = sum(c['messages'] for c in view.counters.values())",
            "again = TrafficView('seen.jsonl.gz', slow=20.0)\nagain",
        ]
    )
    page, total = again.page, again.value("format(total, ',')")
    scrub = page.locator(".mtfw-scrub:visible")
    scrub.wait_for()
    page.wait_for_timeout(1500)  # the recording begins to play by itself
    scrub.focus()
    page.keyboard.press("End")
    end = "sum(c['messages'] for c in again.counters.values())"
    again.wait_for_python(f"format({end}, ',') == {total!r}", timeout=5)
    page.wait_for_timeout(600)
    assert f"{total} messages, " in " ".join(page.locator(".mtft-sums").all_inner_texts())
    page.keyboard.press("Home")
    assert again.wait_for_python(f"again.position < 0.1 and {end} < 100") < 1
    cells = page.locator(".jp-Cell").count()
    for key in ("a", "b", "x", "d", "d"):
        page.keyboard.press(key)
    expect(page.locator(".jp-Cell")).to_have_count(cells)


def test_kinds_are_hidden_ops_picked_and_waits_told(open_notebook):
    book = show(open_notebook, "steps=8.0")
    page = book.page
    page.locator("[data-kind='from-ps']").click()
    assert book.wait_for_python("view.hidden == ['from-ps']") < 1
    page.wait_for_function(
        "() => !document.querySelector('.mtft-messages').innerText.includes('/read:0')"
    )
    assert "mtft-filtered" in item(page, LINK).get_attribute("class")
    page.locator("[data-kind='from-ps']").click()
    assert book.wait_for_python("view.hidden == []") < 1
    page.click(".mtft-pause")
    message = page.locator(".mtft-op").first
    op = message.inner_text().removesuffix(":0")
    message.click()
    assert book.wait_for_python(f"view.selected_op == {op!r}") < 1
    page.click(".mtft-pause")
    name = "<img src=x onerror=alert(1)>"
    wait = {"step": "1", "node": name, "type": "QueueDequeueV2", "of": "", "seconds": 35.0}
    book.python(
        "plain = source.traffic\n"
        "def stuck():\n"
        "    told = plain()\n"
        f"    told['tasks'][0]['waits'] = [{wait!r}]\n"
        "    return told\n"
        "view._read = stuck"
    )
    page.wait_for_selector(
        f".mtft-waits:has-text('ps 0 waits in {name}: the queue is empty, 35 s')"
    )
    expect(page.locator(".mtfw-traffic img")).to_have_count(0)
    tip = "(name) => getComputedStyle(document.querySelector(name), '::after').content"
    assert page.evaluate(tip, "[data-kind='control']") == "none"
    page.locator("[data-kind='to-ps']").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert "without a tensor" in page.evaluate(tip, "[data-kind='control']")
    page.locator(".mtft-caption .mtft-term").hover()
    assert "waiting until it was computed" in page.evaluate(tip, ".mtft-caption .mtft-term").lower()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(open_notebook, theme):
    book = show(open_notebook, "steps=8.0", theme=theme)
    page = book.page
    book.python("view.plot(1, loss=2.5); import time; time.sleep(1.2); view.plot(2, loss=1.5)")
    page.wait_for_selector(".mtft-trend >> visible=true")
    item(page, WORKER).click()
    page.click(".mtft-pause")
    assert book.faults_of_access(".mtfw-traffic") == []


def test_actions_ask_before_they_do(open_notebook):
    book = open_notebook(
        [
            SETUP.format(options="")
            + "view.close()\ndone = []\n"
            + "source.add_worker = lambda: done.append('one more') or '/job:worker/task:2'\n"
            + "view = TrafficView(source, actions={'kill': done.append})",
            "view",
        ]
    )
    page = book.page
    page.get_by_role("button", name="add a worker").click()
    page.get_by_role("button", name="add a worker: press again to do it").click()
    page.wait_for_selector(".mtft-told:has-text('worker 2 is there')")
    assert book.value("done") == ["one more"]
    book.python("done.clear()")
    item(page, WORKER).click()
    assert page.get_by_role("button", name="add a worker").count() == 0
    page.get_by_role("button", name="kill worker 1").click()
    sure = page.get_by_role("button", name="kill worker 1: press again to do it")
    sure.wait_for()
    assert book.value("done") == []
    sure.click()
    assert book.wait_for_python(f"done == [{WORKER!r}]") < 1
    page.wait_for_selector(".mtft-told:has-text('worker 1: kill done')")


def test_the_whole_picture_fits_a_small_screen(open_notebook):
    book = show(open_notebook, "ps=4, workers=16, steps=0.5")
    page = book.page
    page.set_viewport_size({"width": 1280, "height": 720})
    page.wait_for_function("() => document.querySelectorAll('.mtft-task').length === 21")
    page.wait_for_timeout(500)
    tall = page.evaluate(
        """() => {
          const box = (name) => document.querySelector(name).getBoundingClientRect();
          return [box('.mtft-replay').bottom - box('.mtfw-traffic').top,
                  box('.mtft-details').left - box('.mtft-floor').right];
        }"""
    )
    assert tall[0] < 620 and tall[1] >= -1, "picture, panel and bar, side by side"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_all_controls_are_in_sight_beside_the_file_browser(open_notebook, theme):
    cells = [
        SETUP.format(options="").replace("(source)", "(source, actions={'kill': print})"),
        "view",
    ]
    page = open_notebook(cells, theme=theme).page
    page.set_viewport_size({"width": 1280, "height": 720})
    page.evaluate("() => window.jupyterapp.shell.expandLeft()")
    item(page, WORKER).click()
    page.get_by_role("button", name="kill worker 1").wait_for()
    page.wait_for_timeout(500)
    tall, bar, kill, smallest = page.evaluate(
        """() => {
          const root = document.querySelector('.mtfw-traffic');
          const top = root.getBoundingClientRect().top;
          const bottom = (name) => root.querySelector(name).getBoundingClientRect().bottom - top;
          const sizes = [...root.querySelectorAll('svg text')]
            .map((text) => parseFloat(getComputedStyle(text).fontSize));
          return [root.clientHeight, bottom('.mtft-replay'), bottom('.mtft-actions button'),
                  Math.min(...sizes)];
        }"""
    )
    assert tall <= 560 and bar <= 560 and kill <= 200
    assert smallest >= 10


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_cluster_that_starts_tells_what_each_task_does(open_notebook, theme):
    setup = (
        SETUP.format(options="steps=0.001")
        + """view.close()
plain = source.traffic
def starting():
    told = {**plain(), "counters": {}, "events": []}
    wait = {"step": "0", "node": "", "type": "", "of": "", "seconds": 4.0}
    told["tasks"][1].update(alive=False, incarnation=0)
    told["tasks"][2]["waits"] = [{**wait, "type": "import", "node": "sklearn"}]
    told["tasks"][3]["waits"] = [{**wait, "type": "report_uninitialized_variables"}]
    return told
view = TrafficView(starting)
"""
    )
    page = open_notebook([setup, "view"], theme=theme).page
    expect(page.locator(".mtft-lane.mtft-unused")).to_have_count(12)
    expect(item(page, "/job:ps/task:1")).to_contain_text("not there yet")
    expect(item(page, "/job:worker/task:0")).to_contain_text("sklearn")
    expect(item(page, "/job:worker/task:0")).to_contain_text("4 s")
    expect(item(page, WORKER)).to_contain_text("the variables")
    told = page.locator(".mtft-waits")
    expect(told).to_contain_text("worker 1 waits for the variables: another task initializes them")
