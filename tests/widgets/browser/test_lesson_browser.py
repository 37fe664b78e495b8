"""The first lesson in a real JupyterLab: run from top to bottom, its widgets clicked.

Page errors and requests beyond this machine fail the test too; `open_notebook` sees to that.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.widgets.browser.conftest import ROOT

LESSON = ROOT / "notebooks" / "00-first-light.ipynb"
SCROLL = """async ([id]) => {
  const content = window.jupyterapp.shell.currentWidget.content;
  const index = content.widgets.findIndex((cell) => cell.model.id === id);
  await content.scrollToItem(index, 'start');
  return content.widgets[index].node.dataset.windowedListIndex ?? String(index);
}"""


def cell(book, name):
    """Scrolls to the cell of that id, and returns it."""
    index = book.page.evaluate(SCROLL, [name])
    return book.page.locator(f".jp-Cell[data-windowed-list-index='{index}']")


@pytest.mark.slow
def test_the_first_lesson(open_notebook):
    book = open_notebook(LESSON, run=False)
    book.run_all(timeout=240)

    for name in ("graph-view", "network-view", "cluster-view"):
        shown = cell(book, name)
        shown.locator(".mtfw-graph .mtfw-box").first.wait_for()
        assert not shown.locator(".mtfw-picture").is_visible()
    cell(book, "graph-view").locator("[data-id='d']").click()
    assert book.wait_for_python("graph_view.selected == 'd'") < 1

    traffic = cell(book, "cluster-train")
    traffic.locator(".mtft-live:has-text('stopped')").wait_for()
    traffic.locator("[data-key='/job:worker/task:1']").click()
    assert book.wait_for_python("traffic_view.selected == '/job:worker/task:1'") < 1
    assert book.value("float(cluster_accuracy)") > 0.95
    assert book.value("float(one_device_accuracy)") > 0.95


QUESTIONS = [
    "import numpy as np\nimport minitf as tf\nfrom minitf_widgets import GraphView\n"
    "from minitf_widgets.lessons import FilterView, Predict\n"
    "tf.square(tf.constant(3.0, name='three'), name='nine')",
    "choice = Predict('Which `one`?', ['this', '<b>that</b>'])\nchoice",
    "number = Predict('How many?', unit='MB', within=0.1)\nnumber",
    """import minitf as tf
room = tf.cluster.invite("127.0.0.1")
key, *words = room.line.split()
ana = tf.cluster.join(words[-1], key.partition("=")[2], "ana")
asked = Predict("Of the class?", ["one", "two"], room=room)
asked""",
    "view = FilterView(np.eye(8), [[1, 0, 0], [0, 1, 0], [0, 0, 1]])\nview",
    "shape = Predict('Which shape?', text=True)\nshape",
    "graph = GraphView(tf.get_default_graph())\ngraph",
    "click = Predict('Click the operation that returns 9.', click=graph)\nclick",
]


def test_questions_and_the_filter(open_notebook):
    book = open_notebook(QUESTIONS)
    page = book.page
    page.locator(".mtfw-predict input[type=radio]").nth(1).click()
    assert book.wait_for_python("choice.guess == '<b>that</b>'") < 1
    typed = page.locator(".mtfw-predict .mtfw-input")
    typed.first.fill("twelve")
    page.keyboard.press("Enter")
    page.get_by_text("Please write a number").wait_for()
    typed.first.fill("12")
    page.keyboard.press("Enter")
    assert book.wait_for_python("number.guess == '12'") < 1
    typed.nth(1).fill("(2, 1)")
    page.keyboard.press("Enter")
    assert book.wait_for_python("shape.guess == '(2, 1)'") < 1
    page.locator(".mtfw-graph [data-id='nine']").click()
    assert book.wait_for_python("click.guess == 'nine'") < 1
    expect(typed.nth(2)).to_have_value("nine")
    expect(page.locator(".mtfw-predict legend code")).to_have_text("one")
    expect(page.locator(".mtfw-predict b")).to_have_count(0)
    before = book.sources()
    page.locator(".mtfw-predict input[type=radio]").first.focus()
    page.keyboard.type("baxdd")
    assert book.sources() == before

    assert book.wait_for_python("ana.question is not None") < 5
    book.python("ana.vote(2)")
    expect(page.locator(".mtfw-votes").nth(1)).to_have_text("1")

    page.locator(".mtfw-filter button[aria-label='One step on']").click()
    assert book.wait_for_python("view.place == 1") < 1
    page.locator(".mtff-weights input").first.fill("-2")
    assert book.wait_for_python("view.weights[0][0] == -2") < 1
    assert page.locator(".mtff-weights input").first.evaluate(
        "(it) => it === document.activeElement"
    )
    for theme in ("light", "dark"):
        book.theme(theme)
        assert book.faults_of_access(".mtfw-predict") == []
        assert book.faults_of_access(".mtfw-filter") == []

    book.python("choice.compare('this'); number.compare(12.5); shape.compare((2, 1))")
    book.python("click.compare('nine')")
    page.locator(".mtfw-predict .mtfw-right").wait_for()
    assert (
        "You guessed <b>that</b>" in page.locator(".mtfw-predict .mtfw-verdict").first.inner_text()
    )
    assert book.value("number.right")
