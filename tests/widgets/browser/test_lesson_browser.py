"""The first lesson in a real JupyterLab: run from top to bottom, its widgets clicked.

Page errors and requests beyond this machine fail the test too; `open_notebook` sees to that.
"""

from __future__ import annotations

import pytest

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
