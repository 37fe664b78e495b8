"""`python -m minitf look FILE`: a model's file as a picture to open, search and zoom into.

    frozen.pb, a saved model, model.meta, model.h5, graph.json ──> a page in the browser

Nothing of the file runs, and the page asks nothing from anywhere.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import tempfile
import webbrowser

import minitf as tf
from minitf.library.saving.saved_model import parse_saved_model
from minitf_widgets.graph.view import GraphView
from minitf_widgets.offline import keep
from minitf_widgets.page import standalone
from minitf_widgets.svg import escape

__all__ = ["graph_of", "main", "page_of"]


def graph_of(path: pathlib.Path) -> tuple[tf.Graph, list[str]]:
    """The graph in a file, and what else is to say of it, line by line.

    Raises:
      OSError: when it cannot be read.
      ValueError: when it holds no graph.
    """
    if path.name in ("saved_model.pb", "saved_model.pbtxt", "saved_model.json"):
        path = path.parent
    with tf.Graph().as_default() as graph:
        if path.is_dir():
            return graph, _of_saved_model(path)
        if path.suffix in (".h5", ".hdf5", ".keras"):
            return _of_keras(path)
        if path.suffix == ".meta":
            tf.train.import_meta_graph(os.fspath(path))
            names = ", ".join(f"{v.op.name} {v.shape}" for v in tf.global_variables())
            return graph, [f"Variables: {names or 'none'}"]
        graph_def = tf.GraphDef()
        try:
            graph_def.ParseFromString(path.read_bytes())
        except ValueError as error:
            raise ValueError(f"it holds no graph that can be read: {error}") from None
        tf.import_graph_def(graph_def, name="")
        return graph, []


def _of_keras(path: pathlib.Path) -> tuple[tf.Graph, list[str]]:
    """What a model computes, without the operations that filled its variables."""
    model = tf.keras.models.load_model(os.fspath(path), compile=False)
    needed = [each.op.name for each in model.outputs]
    graph_def = tf.graph_util.extract_sub_graph(tf.get_default_graph().as_graph_def(), needed)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
    return graph, [f"Keras model '{model.name}': {model.count_params():,} parameters"]


def _of_saved_model(path: pathlib.Path) -> list[str]:
    model = parse_saved_model(os.fspath(path)).meta_graphs[0]
    tf.import_graph_def(model.graph_def, name="")
    lines = [f"Tags: {', '.join(model.meta_info_def.tags) or 'none'}"]
    for name, signature in model.signature_def.items():
        takes, gives = (
            ", ".join(f"{key} = {each.name}" for key, each in sorted(ends.items()))
            for ends in (signature.inputs, signature.outputs)
        )
        lines.append(f"Signature {name}: from {takes or 'nothing'} to {gives or 'nothing'}")
    return lines


def page_of(path: pathlib.Path) -> str:
    """The page that shows a file's graph, as HTML."""
    graph, lines = graph_of(path)
    view = GraphView(graph)
    kept = keep(view)
    notes = "".join(f"<p>{escape(line)}</p>" for line in lines)
    try:
        return standalone(path.name, notes, {} if kept is None else {"graph": kept})
    finally:
        view.close()


def main() -> None:
    """What the command line asks for."""
    parser = argparse.ArgumentParser("python -m minitf look", description=__doc__.splitlines()[0])
    parser.add_argument("file", type=pathlib.Path, help="a file, or the folder of a saved model")
    parser.add_argument("--out", type=pathlib.Path, help="where to write the page")
    parser.add_argument("--no-browser", action="store_true", help="write it, and open nothing")
    options = parser.parse_args()
    try:
        text = page_of(options.file)
    except (OSError, ValueError, tf.errors.OpError) as error:
        raise SystemExit(f"{options.file}: {error}") from None
    out = options.out or pathlib.Path(tempfile.mkdtemp("-minitf")) / f"{options.file.stem}.html"
    out.write_text(text, encoding="utf-8")
    print(out)
    if not options.no_browser:
        webbrowser.open(out.resolve().as_uri())


if __name__ == "__main__":
    main()
