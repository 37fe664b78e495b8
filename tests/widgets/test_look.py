"""`python -m minitf look FILE` and `save_html`: pages of one file, with a graph to open."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from minitf_widgets import GraphView, look
from minitf_widgets.look import graph_of, page_of

import minitf as tf


def _graph() -> tf.Graph:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 3], "x")
        with tf.name_scope("layer"):
            tf.nn.relu(tf.matmul(x, tf.Variable(tf.ones([3, 2]), name="w")), name="y")
    return graph


def _kept(page: str) -> dict:
    found = re.search(r"Object\.assign\(minitfSite\.widgets, (.*)\);\n", page)
    assert found is not None
    return json.loads(found[1])


def _run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "minitf", "look", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=60)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """A graph in every form that is read."""
    with _graph().as_default() as graph, tf.Session() as sess:
        sess.run(tf.variables_initializer([tf.Variable(0.0, name="other")]))
        sess.run(tf.global_variables_initializer())
        tf.train.write_graph(graph, str(tmp_path), "g.pb", as_text=False)
        tf.train.write_graph(graph, str(tmp_path), "g.json")
        tf.train.Saver(tf.global_variables()).save(sess, f"{tmp_path}/model")
        ends = [graph.get_tensor_by_name(name) for name in ("x:0", "layer/y:0")]
        tf.saved_model.simple_save(sess, f"{tmp_path}/saved", {"in": ends[0]}, {"out": ends[1]})
    with tf.Graph().as_default(), tf.Session():
        model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,), name="only")])
        model.save(f"{tmp_path}/model.h5")
    names = ("g.pb", "g.json", "model.meta", "saved", "model.h5")
    return {name: tmp_path / name for name in names}


@pytest.mark.parametrize("name", ["g.pb", "g.json", "model.meta", "saved", "model.h5"])
def test_every_kind_of_file(name: str, files: dict[str, Path]) -> None:
    graph, lines = graph_of(files[name])
    found = {op.name for op in graph.get_operations()}
    assert ("only/MatMul" if name == "model.h5" else "layer/y") in found
    assert not any(op.type == "IsVariableInitialized" for op in graph.get_operations())
    said = {
        "model.meta": "Variables: layer/w (3, 2), other ()",
        "saved": "Signature serving_default: from in = x:0 to out = layer/y:0",
        "model.h5": "Keras model 'sequential': 8 parameters",
    }
    assert said.get(name, "") in "\n".join(lines)


def test_a_page_is_one_file_with_a_graph_that_opens(files: dict[str, Path]) -> None:
    page = page_of(files["g.pb"])
    assert not re.search(r"<(script|link|img)[^>]* (src|href)=\"(?!data:)", page), "all is inside"
    graph = _kept(page)["graph"]
    assert graph["widget"] == "graph" and graph["state"]["scene"]["boxes"]
    tried = [json.loads(text) for text in graph["answers"]["pool"]]
    assert any(isinstance(each, dict) and each.get("boxes") for each in tried)


def test_no_name_ends_a_script(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        tf.constant("</script><script>alert(1)</script><!--", name="text")
    file = tmp_path / "page.html"
    GraphView(graph).save_html(file, "a < b")
    page = file.read_text()
    assert "<h1>a &lt; b</h1>" in page
    assert "<script>alert" not in page and page.count("</script>") == page.count("<script>")
    assert _kept(page)["widget"]["state"]["scene"]


def test_what_is_no_graph_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "text.pb").write_text("neither this nor that")
    monkeypatch.chdir(tmp_path)
    for name, said in (("text.pb", "it holds no graph"), ("none.pb", "No such file")):
        monkeypatch.setattr(sys, "argv", ["look", name, "--no-browser"])
        with pytest.raises(SystemExit, match=f"^{name}: .*{said}"):
            look.main()


def test_the_command_writes_the_page(files: dict[str, Path], tmp_path: Path) -> None:
    done = _run("g.pb", "--no-browser", "--out", "page.html", cwd=tmp_path)
    assert done.stdout == "page.html\n", done.stderr
    assert "<h1>g.pb</h1>" in (tmp_path / "page.html").read_text()
