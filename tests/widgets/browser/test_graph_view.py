"""The graph widget in a real JupyterLab: looked at, clicked, typed at, saved, reopened."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

SETUP = """
from minitf_widgets import GraphView
from tests.widgets import graphs
devices = ("/job:ps/task:0/device:CPU:0", "/job:worker/task:0/device:GPU:0")
view = GraphView(graphs.{graph})
"""


def show(open_notebook, graph="mlp(devices=devices)", theme="light"):
    book = open_notebook([SETUP.format(graph=graph), "view"], theme=theme)
    book.page.wait_for_selector(".mtfw-graph .mtfw-box")
    book.page.wait_for_function(
        "() => document.querySelector('.mtfw-content').hasAttribute('transform')"
    )
    return book


def box(book, name):
    return book.page.locator(f".mtfw-graph [data-id='{name}']")


def transform(book):
    return book.page.locator(".mtfw-content").get_attribute("transform")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_click_key_and_theme(open_notebook, theme):
    book = show(open_notebook, theme=theme)
    page = book.page
    expect(page.locator(".mtfw-picture")).to_have_count(1)
    assert not page.locator(".mtfw-picture").is_visible(), "the live view hides the picture"
    ground, ink = page.evaluate(
        """() => {
          const root = document.querySelector('.mtfw-graph');
          return [getComputedStyle(root).backgroundColor, getComputedStyle(root).color];
        }"""
    )
    shade = sum(map(float, re.findall(r"[\d.]+", ground)[:3])) / 3
    letters = sum(map(float, re.findall(r"[\d.]+", ink)[:3])) / 3
    assert (shade > 200 and letters < 90) if theme == "light" else (shade < 60 and letters > 180)

    box(book, "hidden1").click()
    assert book.wait_for_python("view.selected == 'hidden1'") < 1
    expect(page.locator(".mtfw-panel h3")).to_have_text("hidden1")
    expect(page.locator(".mtfw-link"), "train, init, save and two gradients").to_have_count(5)
    page.keyboard.press("Enter")
    assert book.wait_for_python("view.expanded == ['hidden1']") < 1
    box(book, "hidden1/MatMul").wait_for()
    page.keyboard.press("ArrowDown")
    assert book.wait_for_python("view.selected == 'hidden1/MatMul'") < 1
    page.keyboard.press("Escape")
    assert book.wait_for_python("view.selected == ''") < 1


def test_jupyterlab_takes_no_keys_away(open_notebook):
    book = show(open_notebook, "tiny()")
    box(book, "a").click()
    for key in "abxdd":
        book.page.keyboard.press(key)
    expect(book.page.locator(".jp-Cell")).to_have_count(2)
    assert book.page.evaluate("document.activeElement.dataset.id") == "a"


def test_search_reveals(open_notebook):
    book = show(open_notebook)
    page = book.page
    box(book, "x").click()
    page.keyboard.press("/")
    page.keyboard.type("applyadam logits weights")
    page.locator("[role=option]").first.wait_for()
    page.keyboard.press("Enter")
    name = "train/Adam/update_logits/weights/ApplyAdam"
    assert book.wait_for_python(f"view.selected == {name!r}") < 1
    box(book, name).wait_for()
    page.wait_for_timeout(400)
    inside = page.evaluate(
        """(name) => {
          const of = (selector) => document.querySelector(selector).getBoundingClientRect();
          const [a, b] = [of(`[data-id="${name}"] .mtfw-shape`), of('.mtfw-stage')];
          return a.left >= b.left && a.right <= b.right && a.top >= b.top && a.bottom <= b.bottom;
        }""",
        name,
    )
    assert inside, "what was searched for is in view"


def test_mouse_and_buttons(open_notebook):
    book = show(open_notebook)
    page = book.page
    box(book, "hidden2").locator(".mtfw-handle").click()
    assert book.wait_for_python("view.expanded == ['hidden2']") < 1
    box(book, "loss").dblclick()
    assert book.wait_for_python("view.expanded == ['hidden2', 'loss']") < 1
    page.get_by_role("button", name="Close all").click()
    assert book.wait_for_python("view.expanded == []") < 1
    page.get_by_role("button", name="gradient part").click()
    assert book.wait_for_python("not view.show_gradients") < 1
    page.get_by_label("Colour by").select_option("kind")
    assert book.wait_for_python("view.color_by == 'kind'") < 1
    page.get_by_role("button", name="Open all").click()
    assert book.wait_for_python("len(view.expanded) > 10") < 1


def test_zoom_and_pan(open_notebook):
    book = show(open_notebook)
    page = book.page
    first = transform(book)
    box(book, "x").click()
    page.keyboard.press("+")
    nearer = transform(book)
    assert nearer != first
    page.keyboard.press("0")
    assert transform(book) == first
    box(book, "x").hover()
    page.mouse.wheel(0, -100)
    assert transform(book) == first, "a bare wheel scrolls the page"
    page.keyboard.down("Control")
    page.mouse.wheel(0, -100)
    page.keyboard.up("Control")
    page.wait_for_function(
        "(first) => document.querySelector('.mtfw-content').getAttribute('transform') !== first",
        arg=first,
    )
    zoomed = transform(book)
    stage = page.locator(".mtfw-stage").bounding_box()
    page.mouse.move(stage["x"] + 20, stage["y"] + stage["height"] / 2)
    page.mouse.down()
    page.mouse.move(stage["x"] + 90, stage["y"] + stage["height"] / 2 + 30, steps=4)
    page.mouse.up()
    assert transform(book) != zoomed
    assert book.value("view.selected") == "x", "a drag selects nothing"


def test_saved_pictures(open_notebook, tmp_path):
    book = show(open_notebook, theme="dark")
    page = book.page
    for button, name in (
        ("Save the picture as SVG", "a.svg"),
        ("Save the picture as PNG", "a.png"),
    ):
        with page.expect_download() as download:
            page.get_by_role("button", name=button).click()
        download.value.save_as(tmp_path / name)
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    words = "".join(root.itertext())
    assert "hidden1" in words and "ps:0 CPU:0" in words
    assert "color(" not in text and "var(" not in text and "class=" not in text
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_the_picture_stays_where_no_kernel_runs(open_notebook):
    book = show(open_notebook)
    book.reopen()
    picture = book.page.locator(".mtfw-picture img")
    picture.wait_for()
    assert picture.is_visible()
    assert picture.evaluate("image => image.naturalWidth") > 200
    assert picture.get_attribute("alt").startswith("Graph of 175 ops")


def test_python_drives_the_page(open_notebook):
    book = show(open_notebook, "large()")
    page = book.page
    book.python("view.select('resnet/stage2/block3/conv1/Conv2D')")
    box(book, "resnet/stage2/block3/conv1/Conv2D").wait_for()
    page.locator(".mtfw-panel h3", has_text="Conv2D").wait_for()
    box(book, "resnet/stage2/block3/conv2").dispatch_event("click")
    assert book.wait_for_python("view.selected == 'resnet/stage2/block3/conv2'") < 1


def test_less_motion(open_notebook):
    book = show(open_notebook)
    page = book.page
    page.emulate_media(reduced_motion="reduce")
    box(book, "hidden1").click()
    page.keyboard.press("Enter")
    box(book, "hidden1/MatMul").wait_for()
    running = "document.querySelector('.mtfw-graph').getAnimations({subtree: true}).length"
    assert page.evaluate(running) == 0
    page.emulate_media(reduced_motion="no-preference")


@pytest.mark.parametrize(
    "width", [1200, *(pytest.param(wide, marks=pytest.mark.long) for wide in (1280, 1600))]
)
def test_the_toolbar_is_one_row(open_notebook, width):
    book = show(open_notebook)
    page = book.page
    page.set_viewport_size({"width": width, "height": 720})
    page.evaluate("() => window.jupyterapp.shell.expandLeft()")
    page.wait_for_timeout(300)
    tops, inside = page.evaluate(
        """() => {
          const bar = document.querySelector('.mtfw-toolbar');
          const items = [...bar.querySelectorAll('.mtfw-button, .mtfw-select, .mtfw-input')]
            .map((item) => item.getBoundingClientRect()).filter((rect) => rect.width);
          const right = bar.getBoundingClientRect().right;
          return [items.map((rect) => Math.round(rect.top)),
                  items.every((rect) => rect.right <= right)];
        }"""
    )
    assert len(tops) == 12, "search, colours and ten buttons"
    assert len(set(tops)) == 1 and inside


# The height of the smallest letters, and the boxes that are cut or covered.
LOOKS = """() => {
  const of = (element) => element.getBoundingClientRect();
  const root = document.querySelector('.mtfw-graph');
  const stage = of(root.querySelector('.mtfw-canvas'));
  const heights = [...root.querySelectorAll('.mtfw-canvas text')]
    .filter((text) => text.getClientRects().length)
    .map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a);
  const over = [...root.querySelectorAll('.mtfw-minimap, .mtfw-status, .mtfw-peek')]
    .filter((each) => getComputedStyle(each).display !== 'none').map(of);
  const wrong = [...root.querySelectorAll('.mtfw-box')].filter((box) => {
    const a = of(box.querySelector('.mtfw-shape'));
    const cut = a.left < stage.left - 1 || a.right > stage.right + 1 || a.bottom > stage.bottom + 1;
    return cut || over.some((b) =>
      a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom);
  });
  return [Math.min(...heights), wrong.map((box) => box.dataset.id)];
}"""


def test_a_graph_is_readable_beside_the_file_browser(open_notebook):
    book = show(open_notebook)
    page = book.page
    page.set_viewport_size({"width": 1280, "height": 720})
    page.evaluate("() => window.jupyterapp.shell.expandLeft()")
    page.wait_for_timeout(500)
    height, wrong = page.evaluate(LOOKS)
    assert (height >= 9.95, wrong) == (True, [])
    expect(page.locator(".mtfw-panel")).to_be_hidden()
    page.get_by_role("button", name="Keys, and how much is shown").press("?")
    expect(page.locator(".mtfw-panel")).to_contain_text("follow the edges")
    page.keyboard.press("Escape")
    expect(page.locator(".mtfw-panel")).to_be_hidden()
    page.get_by_role("button", name="Open all").click()
    assert book.wait_for_python("len(view.expanded) > 10") < 1
    page.wait_for_timeout(500)
    height, _ = page.evaluate(LOOKS)
    assert height >= 9.95


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(open_notebook, theme):
    book = show(open_notebook, theme=theme)
    box(book, "hidden1").click()
    assert book.faults_of_access(".mtfw-graph") == []
