"""Widgets' pictures in what is made from notebooks: PNG and LaTeX, and HTML without a kernel."""

from __future__ import annotations

import base64
import re

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter, LatexExporter

CELLS = [
    "import minitf as tf\nfrom minitf_widgets import DotProduct, GraphView\n"
    "a = tf.constant(2.0, name='a')\nb = tf.square(a, name='b')\ndot = DotProduct(8)",
    "GraphView(tf.get_default_graph())",
    "dot",
    "dot.step = 3\ndot.update_picture()\nimport time; time.sleep(2.0)",
]


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in CELLS])
    folder = str(tmp_path_factory.mktemp("print"))
    resources = {"metadata": {"path": folder}}
    return NotebookClient(notebook, kernel_name="python3", resources=resources).execute()


def pictures(notebook):
    outputs = [output for cell in notebook.cells for output in cell.outputs]
    return [output.data for output in outputs if "mtfw-picture" in output.data.get("text/html", "")]


def test_a_picture_is_html_png_and_text_in_one_output(executed):
    pytest.importorskip("resvg_py", reason="PNGs need the extra `print`")
    for data in pictures(executed):
        assert {"text/html", "text/plain", "image/png"} <= set(data)
        assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")


def test_nbconvert_to_latex_shows_the_pictures(executed):
    pytest.importorskip("resvg_py", reason="PNGs need the extra `print`")
    text, resources = LatexExporter().from_notebook_node(executed)
    shown = re.findall(r"(output_\d+_\d+\.png)", text)
    assert len(shown) == 2
    for name in shown:
        assert resources["outputs"][name].startswith(b"\x89PNG")


def test_nbconvert_to_html_shows_the_pictures_and_asks_for_nothing(executed):
    text, _ = HTMLExporter(template_name="classic", mathjax_url="").from_notebook_node(executed)
    assert text.count('class="mtfw-picture ') == 2
    assert "a dot product" in text.lower()
    assert "Graph of" in text and "GraphView:" not in text
    assert text.count("data:image/svg+xml;base64,") == 2


def test_without_the_extra_the_text_remains(monkeypatch):
    minitf_widgets = pytest.importorskip("minitf_widgets")
    monkeypatch.setattr("minitf_widgets.base.resvg_py", None)
    assert set(minitf_widgets.DotProduct(4)._picture()) == {"text/html", "text/plain"}
