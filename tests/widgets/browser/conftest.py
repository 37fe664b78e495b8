"""A real JupyterLab and a real Chromium for the widgets' browser tests.

    def test_something(open_notebook):
        book = open_notebook(["from minitf_widgets import GraphView", "GraphView(graph)"])
        book.page.click(".mtfw-graph [data-id='dense']")
        book.wait_for_python("view.selected == 'dense'")

The server listens on loopback with directories of its own, so that neither a user's settings nor
another run's are seen. The browser resolves no name: whatever a page asks beyond loopback fails,
is recorded, and fails the test, and so does every page error. One server, one browser and one page
serve the whole run, since a Chromium takes some 700 MB.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator

import nbformat
import pytest
from axe_playwright_python.base import AXE_FILE_PATH
from playwright.sync_api import BrowserContext, Error, Page, Request, expect, sync_playwright

ROOT = pathlib.Path(__file__).parents[3]
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
VIEWPORT = {"width": 1280, "height": 900}
LOOPBACK = {"127.0.0.1", "localhost", "::1"}
OVERRIDES = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
    "@jupyterlab/docmanager-extension:plugin": {"autosave": False},
    "@jupyterlab/completer-extension:tracker": {"enableInlineCompletion": False},
}
# Runs Python in the notebook's kernel, beside its cells, and gives back what it printed.
EXECUTE = """async ([code]) => {
  const panel = window.jupyterapp.shell.currentWidget;
  const future = panel.sessionContext.session.kernel.requestExecute(
    {code, silent: false, store_history: false});
  let text = '', error = '';
  future.onIOPub = (message) => {
    if (message.header.msg_type === 'stream') text += message.content.text;
    if (message.header.msg_type === 'error') error += message.content.traceback.join('\\n');
  };
  await future.done;
  if (error) throw new Error(error);
  return text;
}"""
OPEN = """async ([path]) => {
  const app = window.jupyterapp;
  await app.restored;
  const panel = await app.commands.execute('docmanager:open', {path, factory: 'Notebook'});
  await panel.context.ready;
  await panel.sessionContext.ready;
  await panel.revealed;
  app.shell.collapseLeft?.();
}"""
CLOSE = """async () => {
  const app = window.jupyterapp;
  const panel = app.shell.currentWidget;
  if (!panel?.context) return;
  await panel.sessionContext.shutdown();
  panel.context.model.dirty = false;
  panel.dispose();
}"""


ERRORS = """() => {
  const cells = window.jupyterapp.shell.currentWidget.content.model.cells;
  return Array.from(cells).flatMap((cell) => cell.toJSON().outputs ?? [])
    .filter((output) => output.output_type === 'error')
    .map((output) => output.traceback.join('\\n'));
}"""
SOURCES = """() => Array.from(window.jupyterapp.shell.currentWidget.content.model.cells)
  .map((cell) => cell.toJSON().source)"""
# What axe finds in the elements of a selector: one line a fault, with the element.
AXE = """async (selector) => {
  const found = await window.axe.run(selector, {resultTypes: ['violations']});
  return found.violations.flatMap((each) => each.nodes.map(
    (node) => `${each.id} (${each.help}): ${node.html.slice(0, 160)} ${node.failureSummary}`));
}"""
SAVE = """async () => {
  const panel = window.jupyterapp.shell.currentWidget;
  await panel.context.save();
  return panel.context.path;
}"""


#: The files that `make test` runs; `make test-long` runs all.
QUICK = ("test_graph_view.py", "test_live_browser.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = pathlib.Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if item.path.name not in QUICK:
                item.add_marker(pytest.mark.long)


def find_chromium() -> str | None:
    """Returns the path of Chromium or Chrome, or None where there is none."""
    named = os.environ.get("CHROMIUM")
    names = (named, "chromium", "chromium-browser", "google-chrome")
    return next((found for name in names if name and (found := shutil.which(name))), None)


def crowd() -> float:
    """Returns how many processes want each core, at least 1: what they divide a second by."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


class Notebook:
    """A notebook open in JupyterLab, with its kernel."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def run_all(self, timeout: float = 60.0) -> None:
        """Runs all cells and waits for their end; fails when a cell raised an error."""
        done = self.page.evaluate_handle(
            "() => window.jupyterapp.commands.execute('notebook:run-all-cells')"
        )
        done.dispose()
        self.wait_for_idle(timeout)
        errors = self.page.evaluate(ERRORS)
        assert not errors, "\n".join(errors)

    def wait_for_idle(self, timeout: float = 60.0) -> None:
        """Waits until the kernel has nothing left to do."""
        self.page.wait_for_function(
            "() => window.jupyterapp.shell.currentWidget.sessionContext.session"
            ".kernel.status === 'idle'",
            timeout=timeout * 1000,
        )

    def python(self, code: str) -> str:
        """Runs `code` in the kernel and returns what it printed."""
        return self.page.evaluate(EXECUTE, [code])

    def value(self, expression: str) -> object:
        """Returns the value of a Python expression of the kernel, through JSON."""
        return json.loads(self.python(f"import json; print(json.dumps({expression}))"))

    def wait_for_python(self, condition: str, timeout: float = 1.0) -> float:
        """Waits until `condition` is true in the kernel; returns the seconds it took.

        Both are seconds of a quiet machine: on a crowded one they last as often as long (`crowd`).
        """
        start = time.perf_counter()
        while not self.value(f"bool({condition})"):
            waited = (time.perf_counter() - start) / crowd()
            assert waited < timeout, f"{condition} is not true after {waited:.2f} s"
            time.sleep(0.02)
        return (time.perf_counter() - start) / crowd()

    def faults_of_access(self, selector: str) -> list[str]:
        """Returns what axe finds wrong, for people with other senses, in what `selector` names."""
        if not self.page.evaluate("() => 'axe' in window"):
            self.page.evaluate(AXE_FILE_PATH.read_text(encoding="utf-8"))
        return self.page.evaluate(AXE, selector)

    def sources(self) -> list[str]:
        """Returns the text of every cell: what keys typed in a widget must leave alone."""
        return self.page.evaluate(SOURCES)

    def reopen(self) -> None:
        """Saves the notebook, ends its kernel, and opens it again without running anything."""
        path = self.page.evaluate(SAVE)
        self.page.evaluate(CLOSE)
        self.page.evaluate(OPEN, [path])

    def theme(self, name: str) -> None:
        """Switches JupyterLab to the "light" or the "dark" theme."""
        self.page.evaluate(
            "(theme) => window.jupyterapp.commands.execute('apputils:change-theme', {theme})",
            THEMES[name],
        )
        self.page.wait_for_function(
            "(light) => document.body.dataset.jpThemeLight === String(light)", arg=name == "light"
        )


def surroundings(home: pathlib.Path) -> dict[str, str]:
    """An environment in which Jupyter finds and keeps everything below `home`."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "widgets")]),
        "OPENBLAS_NUM_THREADS": "1",
        "JUPYTER_NO_CONFIG": "",
        "JUPYTER_PLATFORM_DIRS": "1",
    }
    for name, folder in {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }.items():
        (home / folder).mkdir()
        environment[name] = str(home / folder)
    return environment


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5):
            return True
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


@contextlib.contextmanager
def serving(home: pathlib.Path, environment: dict[str, str], *command: str) -> Iterator[str]:
    """Runs a JupyterLab on a free port of loopback; gives its address, once it answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command += ("--no-browser", f"--port={port}", "--ServerApp.port_retries=0")
    command += ("--IdentityProvider.token=test", "--LabApp.expose_app_in_browser=True")
    with (home / "log.txt").open("w", encoding="utf-8") as log:
        server = subprocess.Popen(
            [sys.executable, *command], env=environment, stdout=log, stderr=log, cwd=home
        )
    try:
        address = f"http://127.0.0.1:{port}"
        while not _answers(f"{address}/api?token=test"):
            assert server.poll() is None, (home / "log.txt").read_text(encoding="utf-8")
            time.sleep(0.1)
        yield address
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


@pytest.fixture(scope="session")
def lab_url(tmp_path_factory: pytest.TempPathFactory):
    """The address, with token, of a JupyterLab that lives as long as the test run."""
    home = tmp_path_factory.mktemp("lab")
    environment = surroundings(home)
    (home / "work").mkdir()
    (home / "config" / "labconfig").mkdir()
    overrides = home / "config" / "labconfig" / "default_setting_overrides.json"
    overrides.write_text(json.dumps(OVERRIDES), encoding="utf-8")
    command = ["-m", "jupyterlab", "--allow-root", "--ip=127.0.0.1"]
    command += [f"--ServerApp.root_dir={home / 'work'}", "--LabApp.news_url=None"]
    with serving(home, environment, *command) as address:
        yield f"{address}/lab?token=test", home / "work"


@pytest.fixture(scope="session")
def browser_context(tmp_path_factory: pytest.TempPathFactory):
    """The one Chromium of the run."""
    chromium = find_chromium()
    if chromium is None:
        pytest.skip("no Chromium on this machine (set CHROMIUM to its path)")
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            str(tmp_path_factory.mktemp("chromium")),
            executable_path=chromium,
            headless=True,
            viewport=VIEWPORT,
            args=[
                "--no-sandbox",
                "--disable-dev-shm-usage",
                "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
            ],
        )
        context.set_default_timeout(20_000)
        expect.set_options(timeout=20_000)
        yield context
        context.close()


class Lab:
    """The one page with JupyterLab in it; a test that fails leaves the next one a new page.

    Attributes:
      problems: errors of the page, and requests beyond loopback, since they were last cleared.
    """

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.problems: list[str] = []
        self._context = context
        self._address = address
        self._page: Page | None = None

    def page(self) -> Page:
        """JupyterLab as it is when it has just been opened, without a notebook."""
        if self._page is None:
            self._page = self._context.new_page()
            self._page.on("request", self._check_request)
            self._page.on("pageerror", lambda error: self.problems.append(f"page error: {error}"))
            self._page.goto(f"{self._address}&reset")
            self._page.wait_for_function("() => window.jupyterapp")
        self._page.set_viewport_size(VIEWPORT)
        self._page.emulate_media(reduced_motion="no-preference")
        return self._page

    def close(self) -> None:
        """Closes the page; a later test gets a new one."""
        if self._page is not None:
            self._page.close()
        self._page = None

    def _check_request(self, asked: Request) -> None:
        host = urllib.parse.urlsplit(asked.url)
        if host.scheme in ("http", "https", "ws", "wss") and host.hostname not in LOOPBACK:
            self.problems.append(f"request beyond loopback: {asked.url}")


@pytest.fixture(scope="session")
def lab(lab_url, browser_context) -> Iterator[Lab]:
    """JupyterLab takes seconds of work to load, so all tests use one page, one after the other."""
    made = Lab(browser_context, lab_url[0])
    yield made
    made.close()


@pytest.fixture
def open_notebook(lab: Lab, lab_url, request: pytest.FixtureRequest):
    """Returns `open_notebook(what, theme="light", run=True)`, which opens a `Notebook`.

    What to open is a list of cells, or the path of a notebook, of which a copy is opened.
    """
    _, folder = lab_url
    failed = request.session.testsfailed
    lab.problems.clear()
    page = lab.page()

    def open_one(
        what: list[str] | pathlib.Path, theme: str = "light", run: bool = True
    ) -> Notebook:
        if isinstance(what, pathlib.Path):
            name = what.name
            shutil.copy(what, folder / name)
        else:
            name = request.node.name.translate(str.maketrans("[]/ ", "____")) + ".ipynb"
            cells = [nbformat.v4.new_code_cell(source) for source in what]
            notebook = nbformat.v4.new_notebook(cells=cells)
            notebook.metadata.kernelspec = {
                "name": "python3",
                "display_name": "Python 3",
                "language": "python",
            }
            nbformat.write(notebook, folder / name)
        page.evaluate(OPEN, [name])
        book = Notebook(page)
        book.theme(theme)
        if run:
            book.run_all()
        return book

    yield open_one
    # JupyterLab gives up what it asked a kernel that was restarted, or shut down below.
    found = [each for each in lab.problems if "Canceled future" not in each]
    try:
        page.evaluate(CLOSE)
    except Error:
        lab.close()
        raise
    if found or request.session.testsfailed > failed:
        lab.close()
    assert not found, found
