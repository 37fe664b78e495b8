"""The reductions in a real JupyterLab: stepped, changed, typed at, saved as pictures, reopened."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

CELLS = [
    "import minitf as tf\nfrom minitf_widgets import AllReduce, DotProduct\n"
    "dot = DotProduct()\nring = AllReduce(tf.cluster.all_reduce)",
    "dot",
    "ring",
]


RESTART = "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
NOTE = """() => getComputedStyle(document.querySelector(".mtfw-reductions"), "::before")
  .content.includes("The kernel has ended")"""


def test_reductions_are_stepped_and_changed_in_a_notebook(open_notebook):
    book = open_notebook(CELLS)
    page = book.page
    dot, ring = (page.locator(".mtfw-reductions").nth(place) for place in range(2))
    dot.get_by_text("256 of 256 steps").wait_for()  # it opens on the finished run
    dot.locator(".mtfr-stage").press("Home")
    dot.get_by_label("One step on").click()
    assert book.wait_for_python("dot.step == 1") < 1
    assert "Tree, 256 threads: 1 × 0.1 = 0.1" in dot.locator(".mtfr-told").inner_text()
    dot.locator("[data-name=threads] select").select_option("64")
    assert book.wait_for_python("dot.threads == 64") < 1
    dot.get_by_text("1 of 10 steps").wait_for()  # 4 for products, 6 for sums of sums
    ring.get_by_label("One step on").click()
    assert book.wait_for_python("ring.step == 1") < 1
    ring.locator("[data-name=algorithm] select").select_option("naive")
    assert book.wait_for_python("ring.algorithm == 'naive'") < 1
    ring.get_by_text("step 1 of 2").wait_for()
    ring.locator("[data-name=members] input").press("ArrowRight")
    assert book.wait_for_python("ring.members == 5") < 1
    ring.locator("text", has_text="member 4").wait_for()

    before = book.sources()
    stage = dot.locator(".mtfr-stage")
    stage.focus()
    for key in ("b", "a", "x", "d", "d", "ArrowRight", "Enter", "Home"):
        page.keyboard.press(key)
    assert book.wait_for_python("dot.step == 0") < 1
    assert book.sources() == before
    page.keyboard.press("Space")
    page.emulate_media(reduced_motion="reduce")
    assert book.wait_for_python("dot.step > 0", 5) < 5
    page.keyboard.press("Space")

    for theme in ("light", "dark"):
        book.theme(theme)
        assert book.faults_of_access(".mtfw-reductions") == []
    for view, word in ((dot, "A tree of 64 threads"), (ring, "member 4")):
        with page.expect_download() as download:
            view.get_by_label("Save the picture as SVG").click()
        root = ElementTree.parse(download.value.path()).getroot()
        assert word in [node.text for node in root.iter() if node.tag.endswith("text")]
        with page.expect_download() as download:
            view.get_by_label("Save the picture as PNG").click()
        assert download.value.path().read_bytes().startswith(b"\x89PNG")

    page.evaluate(RESTART)
    page.wait_for_function(NOTE)  # a view without its kernel says so
    book.reopen()
    page.wait_for_selector(".mtfw-picture img >> visible=true")
    expect(page.locator(".mtfw-reductions")).to_have_count(0)
    expect(page.get_by_text("model not found")).to_have_count(2)  # JupyterLab's own line
    for line in page.get_by_text("model not found").all():
        expect(line).to_be_hidden()
    alt = page.locator(".mtfw-picture img").first.get_attribute("alt")
    assert alt.startswith("A dot product of 256 elements: one thread takes 256 steps")


# Steps on, and tells for each frame of a second: ms since then, and how far the first tile is from
# the middle of the arrow that it goes along, as a share of the arrow; None where there is none.
MOVE = """async () => {
  const view = document.querySelector('.mtfw-reductions');
  view.querySelector('[aria-label="One step on"]').click();
  const [began, seen] = [performance.now(), []];
  for (let now = began; now < began + 1000; ) {
    now = await new Promise(requestAnimationFrame);
    const [tile, arrow] = ['.mtfw-tile', '.mtfr-arrow'].map((name) => view.querySelector(name));
    const place = /translate\\((\\S+) (\\S+)\\)/.exec(tile?.getAttribute('transform'));
    const middle = arrow.getPointAtLength(arrow.getTotalLength() / 2);
    seen.push([now - began,
      place && Math.hypot(place[1] - middle.x, place[2] - middle.y) / arrow.getTotalLength()]);
  }
  return seen;
}"""
SCRUB = """(at) => {
  const range = document.querySelector('.mtfw-reductions .mtfw-scrub');
  range.value = at;
  range.dispatchEvent(new Event('input'));
  return [...document.querySelectorAll('.mtfw-reductions .mtfw-tile')].map(
    (tile) => tile.textContent + tile.getAttribute('transform'));
}"""


def test_numbers_travel_along_the_ring(open_notebook):
    book = open_notebook(["import minitf as tf\nfrom minitf_widgets import AllReduce",
                          "ring = AllReduce(tf.cluster.all_reduce)\nring"])  # fmt: skip
    page = book.page
    page.locator(".mtfw-reductions text", has_text="member 3").wait_for()
    seen = page.evaluate(MOVE)
    ways = [(time, far) for time, far in seen if far is not None]
    assert min(ways, key=lambda each: each[1])[0] == pytest.approx(300, abs=100)
    assert ways[0][1] > 0.4 and ways[-1][1] > 0.4, "it comes from one end and goes to the other"
    assert ways[-1][0] < 750 and seen[-1][1] is None, "it arrives"
    assert book.wait_for_python("ring.step == 1") < 1

    there = page.evaluate(SCRUB, 1.5)
    assert len(there) == 8 and page.evaluate(SCRUB, 1.7) != there
    assert page.evaluate(SCRUB, 1.5) == there, "going back goes back"
    assert page.evaluate(SCRUB, 2) == []

    page.emulate_media(reduced_motion="reduce")
    assert [far for _, far in page.evaluate(MOVE) if far is not None] == []
    assert book.wait_for_python("ring.step == 3") < 1


IMPORTS = "import ipywidgets\nimport minitf as tf\nfrom minitf_widgets import AllReduce"


def test_views_stand_in_boxes_and_follow_a_slider_of_ipywidgets(open_notebook):
    shown = """reduce = tf.cluster.all_reduce
both = [AllReduce(reduce, algorithm=name) for name in ("ring", "tree")]
step = ipywidgets.IntSlider(description="step", max=6)
for view in both:
    view.layout.width = "50%"
    ipywidgets.jslink((step, "value"), (view, "step"))
ipywidgets.VBox([step, ipywidgets.HBox(both)])"""
    book = open_notebook([IMPORTS, shown])
    views = book.page.locator(".mtfw-reductions")
    views.nth(1).locator("text", has_text="member 3").wait_for()
    left, right = (views.nth(place).bounding_box() for place in range(2))
    assert left["y"] == right["y"] and left["x"] + left["width"] <= right["x"] + 1
    assert views.evaluate_all("all => all.every(each => each.scrollWidth <= each.clientWidth)")
    book.page.locator(".noUi-handle").press("ArrowRight")
    for view in (views.nth(0), views.nth(1)):
        expect(view.locator(".mtfr-told")).to_contain_text("Step 1:")
    book.wait_for_python("[step.value, both[0].step, both[1].step] == [1, 1, 1]")


def test_interactive_output_shows_a_new_view_for_each_value(open_notebook):
    shown = """members = ipywidgets.IntSlider(description="members", value=2, min=2, max=5)
show = lambda members: display(AllReduce(tf.cluster.all_reduce, members))
ipywidgets.VBox([members, ipywidgets.interactive_output(show, {"members": members})])"""
    book = open_notebook([IMPORTS, shown])
    views = book.page.locator(".mtfw-reductions")
    views.locator("text", has_text="member 1").wait_for()
    book.page.locator(".noUi-handle").press("ArrowRight")
    views.locator("text", has_text="member 2").wait_for()
    expect(views).to_have_count(1)
