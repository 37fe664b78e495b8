"""site/lite in a real Chromium, from Python's own web server: JupyterLab opens, a kernel runs.

Pyodide's interpreter comes from npm, and what is pure Python from the package index. NumPy for
WebAssembly is on neither: the browser finds all that `import minitf` needs, except NumPy and what
is built on it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import shutil
import socket
import subprocess
import sys
from contextlib import contextmanager

import nbformat
import pytest
from playwright.sync_api import expect

from scripts import lite

from .conftest import EXECUTE, ROOT

KERNEL_NEEDS = ("ipython", "jedi", "micropip", "packaging", "termcolor", "typing-extensions")
PIP = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]


def done(command, folder):
    """Runs a program that may lack a network."""
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if run.returncode:
        pytest.skip(f"{command[0]} could not download: {run.stderr.strip()[-200:]}")


@pytest.fixture(scope="module")
def pyodide(tmp_path_factory):
    """The folder of a school: npm's Pyodide with the packages that its kernel starts with."""
    version = pytest.importorskip("jupyterlite_pyodide_kernel.constants").PYODIDE_VERSION
    if not shutil.which("npm"):
        pytest.skip("Pyodide comes from npm, which is not installed")
    folder = tmp_path_factory.mktemp("npm")
    done(["npm", "pack", "--silent", f"pyodide@{version}"], folder)
    shutil.unpack_archive(next(folder.glob("*.tgz")), folder)
    school = folder / "package"
    lock = json.loads((school / lite.LOCK).read_text())
    packages = {name.lower().replace("_", "-"): each for name, each in lock["packages"].items()}
    wanted, found = [*KERNEL_NEEDS], {}
    for name in wanted:  # grows
        found[name] = packages[name]
        wanted += {each.lower().replace("_", "-") for each in found[name]["depends"]} - {*wanted}
    names = [f"{name}=={each['version']}" for name, each in found.items()]
    done([*PIP, "--platform=any", "--python-version=3.14", *names], school)
    for name, each in found.items():
        start = f"{name.replace('-', '_')}-{each['version']}-"
        wheel = next(path for path in school.glob("*.whl") if path.name.lower().startswith(start))
        each["file_name"] = wheel.name
        each["sha256"] = hashlib.sha256(wheel.read_bytes()).hexdigest()
    (school / lite.LOCK).write_text(json.dumps(lock))
    return school


@contextmanager
def served(folder):
    """The address at which `python -m http.server` serves a folder."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-u", "-m", "http.server", str(port), "--bind", "127.0.0.1"]
    server = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        server.stdout.readline()  # it says that it serves
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.communicate()


@pytest.fixture(scope="module")
def site(pyodide, tmp_path_factory):
    """A gallery with site/lite; its JupyterLab can be asked from outside."""
    folder = tmp_path_factory.mktemp("site")
    lite.build(folder / "lite", str(pyodide))
    settings = folder / "lite/jupyter-lite.json"
    page = json.loads(settings.read_text())
    page["jupyter-config-data"]["exposeAppInBrowser"] = True
    settings.write_text(json.dumps(page))
    gallery(folder)
    with served(folder) as address:
        yield address


def gallery(folder):
    """Writes pages of two lessons, which were not run."""
    path = ROOT / "scripts/site.py"
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location("gallery", path)
    made = sys.modules["gallery"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    paths = [ROOT / f"notebooks/{name}.ipynb" for name in ("02-graphs-and-sessions", "13-clusters")]
    made.write([made.Page(path.stem, nbformat.read(path, 4)) for path in paths], folder)


@pytest.fixture
def page(browser_context):
    made = browser_context.new_page()
    problems = []
    made.on("pageerror", lambda error: problems.append(str(error)))
    yield made
    made.close()
    assert not problems, problems


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_jupyterlab_opens_in_the_readers_theme_and_lists_the_lessons(site, page, theme):
    page.emulate_media(color_scheme=theme)
    page.goto(f"{site}/lite/")
    files = page.locator(".jp-DirListing-itemName")
    wanted = ["examples", *(f"{name}.ipynb" for name in lite.LESSONS)]
    expect(files).to_have_text(wanted, timeout=120_000)
    expect(page.locator("body")).to_have_attribute(
        "data-jp-theme-light", str(theme == "light").lower()
    )


@pytest.mark.timeout(900)
def test_a_kernel_starts_and_finds_all_of_minitf_but_numpy(site, page):
    page.goto(site)
    page.get_by_role("link", name="2 · Graphs and sessions").click()
    page.get_by_role("link", name="Run it in this browser").click()
    expect(page.get_by_role("heading", name="Graphs and sessions")).to_be_visible(timeout=120_000)
    expect(page.locator(".jp-Dialog")).to_have_count(0)  # no question which kernel
    page.wait_for_function("() => window.jupyterapp.shell.currentWidget.sessionContext.isReady")
    page.set_default_timeout(600_000)
    said = page.evaluate(EXECUTE, ["import sys; print(sys.platform)"])
    assert said.strip() == "emscripten"
    said = page.evaluate(
        EXECUTE, ["try: import minitf\nexcept ImportError as error: print(error.name)"]
    )
    assert said.strip() == "numpy"
    names = "anywidget ipywidgets malt minitf_widgets psygnal tensorboard"
    code = f"from importlib.util import find_spec; print(*filter(find_spec, '{names}'.split()))"
    assert page.evaluate(EXECUTE, [code]).strip() == names


def test_lessons_that_do_not_run_there_have_no_link(site, page):
    page.goto(f"{site}/13-clusters.html")
    expect(page.get_by_role("link", name="Previous: Graphs and sessions")).to_be_visible()
    expect(page.locator(".site-run")).to_have_count(0)


def test_links_between_lessons_lead_to_what_is_there():
    for name in lite.LESSONS:
        text = lite.lesson(ROOT / f"notebooks/{name}.ipynb")
        targets = re.findall(r"\]\(([^):]+)\.ipynb", text)
        assert {*targets} <= {*lite.LESSONS}, name
