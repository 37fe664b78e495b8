"""`make lab` in a real browser: the student's copies, no question, no call to the outside."""

from __future__ import annotations

import pathlib
import urllib.parse

import pytest

from tests.widgets.browser.conftest import LOOPBACK, ROOT, serving, surroundings

# What JupyterLab opens with: the notebook, the files beside it, and whatever it says unasked.
SHOWN = """async () => {
  const app = window.jupyterapp;
  const panel = app.shell.currentWidget;
  await panel.context.ready;
  const folder = await app.serviceManager.contents.get('', {content: true});
  const id = '@jupyterlab/apputils-extension:notification';
  const notification = await app.serviceManager.settings.fetch(id);
  await new Promise((done) => setTimeout(done, 3000));
  return {
    path: panel.context.path,
    files: folder.content.map((each) => each.name).sort(),
    news: notification.schema.properties.fetchNews.default,
    updates: notification.schema.properties.checkForUpdates.default,
    toasts: Array.from(document.querySelectorAll('.Toastify__toast, .jp-Dialog'))
      .map((each) => each.innerText),
    text: document.body.innerText,
  };
}"""


@pytest.mark.slow
def test_lab_opens_on_the_copies_and_asks_nothing(browser_context, tmp_path: pathlib.Path):
    mine = tmp_path / "my lessons"
    command = (str(ROOT / "scripts" / "lab.py"), str(mine))
    asked = []
    with serving(tmp_path, surroundings(tmp_path), *command) as address:
        page = browser_context.new_page()
        try:
            page.on("request", lambda request: asked.append(urllib.parse.urlsplit(request.url)))
            page.goto(f"{address}/?token=test")
            opened = "() => window.jupyterapp?.shell?.currentWidget?.context"
            page.wait_for_function(opened, timeout=120_000)
            shown = page.evaluate(SHOWN)
        finally:
            page.close()
    assert shown["path"] == "00-first-light.ipynb"
    assert shown["files"] == sorted(
        [*(path.name for path in mine.glob("*.ipynb")), "builders", "exercises"]
    )
    assert shown["toasts"] == []
    for tool in ("Create Assignment", "Nbgrader", "Validate"):  # an instructor's
        assert tool not in shown["text"]
    assert (shown["news"], shown["updates"]) == ("false", False)
    web = [each for each in asked if each.scheme in ("http", "https", "ws", "wss")]
    assert {each.hostname for each in web} <= LOOPBACK
    outward = ("/lab/api/news", "/lab/api/update")  # what the server itself would ask abroad
    assert [each.path for each in web if each.path.startswith(outward)] == []
