"""Objects in a notebook: what is registered, and what their cards say."""

from __future__ import annotations

import html
import re
import sys
import types

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from minitf_widgets import GraphView, TimelineView
from minitf_widgets.show import cards, registry

import minitf as tf
from minitf.library.platform import notebook


@pytest.fixture
def shell():
    """A shell whose formatters make HTML, as those of a notebook's kernel do."""
    made = InteractiveShell()
    made.display_formatter.formatters["text/html"].enabled = True
    registry.load_ipython_extension(made)
    yield made
    registry.unload_ipython_extension(made)
    InteractiveShell.clear_instance()


@pytest.fixture
def graph():
    with tf.Graph().as_default() as made:
        yield made


def words(markup_text):
    """The text of a card, without its markup."""
    return " ".join(html.unescape(re.sub("<[^>]+>", " ", markup_text)).split())


def shown(monkeypatch, show, thing):
    seen = []
    monkeypatch.setattr(registry, "display", seen.append)
    show(thing)
    return seen


def test_every_class_that_is_named_exists(shell):
    for name in (*registry.VIEWS, *registry.CARDS):
        module, _, base = name.rpartition(".")
        assert isinstance(getattr(__import__(module, fromlist=[base]), base), type), name


def test_text_stays_text(shell, graph):
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    data, _ = shell.display_formatter.format(x)
    assert data["text/plain"] == repr(x)
    assert "Tensor x:0" in words(data["text/html"])
    registry.unload_ipython_extension(shell)
    data, _ = shell.display_formatter.format(x)
    assert list(data) == ["text/plain"]


def test_a_kernel_loads_the_extension_and_a_terminal_does_not(monkeypatch):
    loaded = []
    manager = types.SimpleNamespace(load_extension=loaded.append)
    shells = types.SimpleNamespace(extension_manager=manager)
    python = types.SimpleNamespace(get_ipython=lambda: shells)
    monkeypatch.setitem(sys.modules, "IPython", python)
    notebook.install()
    assert loaded == []
    shells.kernel = object()
    notebook.install()
    assert loaded == ["minitf_widgets.show"]

    def fail(name):
        raise ModuleNotFoundError("No module named 'anywidget'")

    manager.load_extension = fail
    notebook.install()


def test_the_cards_of_a_graph(graph):
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    w = tf.get_variable("w", [3, 2], initializer=tf.ones_initializer())
    with tf.device("/job:ps/task:1"):
        y = tf.matmul(x, w, name="y")
    with tf.control_dependencies([y]):
        tf.no_op("after")
    told = words(cards.tensor_card(y))
    assert "dtype, shape float32 (?, 2) made by MatMul of x:0 , w/read:0" in told
    assert "read by nothing yet device ps:1" in told
    assert "runs after y" in words(cards.operation_card(graph.get_operation_by_name("after")))
    assert "transpose_a = False" in words(cards.operation_card(y.op))
    assert "shape float32 (3, 2) trained yes" in words(cards.variable_card(w))
    before = len(graph.get_operations())
    with tf.Session():
        assert "not initialized" in words(cards.variable_card(w))
        w.initializer.run()
        assert "[[1., 1.], [1., 1.], [1., 1.]]" in words(cards.variable_card(w))
    assert len(graph.get_operations()) == before, "showing adds nothing"


def test_hostile_names_are_text():
    assert "<script>" not in cards.card("Tensor", "<script>", "a & b", cards.code("<i>"))
    spec = tf.train.ClusterSpec({"worker": ["<img src=x onerror=alert(1)>:1"]})
    card = cards.cluster_card(spec)
    assert "<img" not in card and "<img src=x onerror=alert(1)>:1" in words(card)


def test_what_is_displayed_in_an_objects_place(graph, monkeypatch):
    [empty] = shown(monkeypatch, registry._show_graph, graph)
    assert "no operations yet" in empty.data
    with tf.variable_scope("layer") as scope:
        w = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
        tf.identity(w, name="out")
    [view] = shown(monkeypatch, registry._show_graph, graph)
    assert isinstance(view, GraphView)
    [view] = shown(monkeypatch, registry._show_scope, scope)
    assert view.expanded == ["layer"] and view.selected == "layer"
    [text] = shown(monkeypatch, registry._show_scope, tf.name_scope("nothing"))
    assert "nothing is in it yet" in text.data
    sess = tf.Session()
    [card, view] = shown(monkeypatch, registry._show_session, sess)
    assert "not initialized" in words(card.data) and "CPU:0" in words(card.data)
    assert isinstance(view, GraphView)
    run = tf.RunMetadata()
    [text] = shown(monkeypatch, registry._show_run, run)
    assert "nothing was traced" in text.data
    trace = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    sess.run(w.initializer, options=trace, run_metadata=run)
    [view] = shown(monkeypatch, registry._show_run, run)
    assert isinstance(view, TimelineView)
    sess.close()
    [card, _] = shown(monkeypatch, registry._show_session, sess)
    assert "closed" in words(card.data)


def test_a_plan_is_coloured_and_its_passes_fold(graph):
    x = tf.placeholder(tf.float32, [3], name="x")
    y = tf.exp(x) * (tf.constant(2.0) + 1.0)
    with tf.Session() as sess:
        told = sess.explain(y, [x])
    card = cards.explanation_card(told)
    assert card.count("<details>") >= 1 and "def" in card and "color:" in card
    assert told.program.split() == words(card[card.rindex("<pre") :]).split()


def test_messages_and_graph_defs_are_trees(graph):
    config = tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True))
    assert "gpu_options allow_growth: true" in words(cards.message_card(config))
    assert "all by default" in words(cards.message_card(tf.ConfigProto()))
    tf.constant(1.0, name="a/b")
    card = cards.graph_def_card(graph.as_graph_def())
    assert words(card) == "GraphDef 1 nodes a/ b = Const()"


def test_a_dataset_shows_its_pipeline_and_leaves_the_graph_alone(graph):
    data = tf.data.Dataset.from_tensor_slices({"a": np.arange(9)}).map(lambda d: d).batch(2)
    before = len(graph.get_operations())
    told = words(cards.dataset_card(data))
    assert "pipeline TensorSlice → Map → Batch element {'a': int64 (?,)}" in told
    assert "element 2 {'a': [4, 5]}" in told and "element 3" not in told
    assert len(graph.get_operations()) == before
    called = []
    made = tf.data.Dataset.from_generator(lambda: called.append(1) or iter([1]), tf.int64)
    assert "element int64" in words(cards.dataset_card(made)) and not called
    fed = tf.data.Dataset.from_tensors(tf.placeholder(tf.float32, []))
    assert "element 0" not in words(cards.dataset_card(fed))


def test_models_and_estimators(graph, tmp_path):
    model = tf.keras.Sequential([tf.keras.layers.Dense(4, input_shape=(3,), name="first")])
    assert "first Dense (None, 4) 16 in all 16" in words(cards.model_card(model))
    assert "not built yet" in words(cards.model_card(tf.keras.Sequential()))
    columns = [tf.feature_column.numeric_column("x")]
    estimator = tf.estimator.LinearRegressor(columns, model_dir=str(tmp_path))
    assert "checkpoints none yet" in words(cards.estimator_card(estimator))

    def pairs():
        return tf.data.Dataset.from_tensors(({"x": [[1.0]]}, [[2.0]])).repeat(3)

    estimator.train(pairs)
    estimator.evaluate(pairs, steps=1)
    told = words(cards.estimator_card(estimator))
    assert "step 3" in told and "eval" in told and "average_loss" in told


def test_a_card_that_fails_leaves_the_text():
    for make in (cards.operation_card, cards.cluster_card, cards.dataset_card):
        assert registry._or_text(make, object()) is None
