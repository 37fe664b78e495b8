"""What is shown for which object, when it is the last line of a cell.

    import minitf as tf          in a notebook's kernel loads this extension, where it is installed
    tf.get_default_graph()   ->  ipython_display: a GraphView
    tensor                   ->  text/html: a card, beside the text/plain that a terminal shows
    a cell that takes long   ->  one line that says where it is: waiting.py

`%unload_ext minitf_widgets.show` leaves the plain texts. Where a card
fails, its object's text is shown.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

from IPython.display import HTML, display

import minitf as tf
from minitf_widgets.graph.nodes import short_device
from minitf_widgets.graph.view import GraphView
from minitf_widgets.show import cards
from minitf_widgets.show.cards import card, code, table
from minitf_widgets.show.waiting import Waiting
from minitf_widgets.svg import Markup, join
from minitf_widgets.timeline.view import TimelineView

__all__ = ["load_ipython_extension", "unload_ipython_extension"]


def _show_graph(graph: Any) -> None:
    empty = HTML(card("Graph", "no operations yet"))
    display(GraphView(graph) if graph.get_operations() else empty)


def _show_scope(scope: Any) -> None:
    graph, name = tf.get_default_graph(), scope.name.rstrip("/")
    if not any(op.name.startswith(f"{name}/") for op in graph.get_operations()):
        return display(HTML(card("Scope", name, "nothing is in it yet")))
    view = GraphView(graph, expanded=[name])
    view.select(name)
    return display(view)


def _show_session(sess: Any) -> None:
    try:
        devices = [(short_device(device.name), code(device.name)) for device in sess.list_devices()]
        told = join(table(devices, ("device", "name")), cards.variables_table(sess))
    except RuntimeError as error:
        told = join(str(error).partition("\n")[0])
    display(HTML(card(type(sess).__name__, sess.sess_str or "in this process", told)))
    _show_graph(sess.graph)


def _show_run(run_metadata: Any) -> None:
    traced = any(device.node_stats for device in run_metadata.step_stats.dev_stats)
    empty = HTML(card("RunMetadata", "nothing was traced"))
    display(TimelineView(run_metadata) if traced else empty)


# Class -> what to display in its place, or the HTML beside its text. Subclasses are shown alike.
VIEWS: dict[str, Callable[[Any], Any]] = {
    "minitf.core.graph.graph.Graph": _show_graph,
    "minitf.core.graph.stacks.name_scope": _show_scope,
    "minitf.core.variables.variable_scope.VariableScope": _show_scope,
    "minitf.core.runtime.session.session.BaseSession": _show_session,
    "minitf.core.runtime.session.config.RunMetadata": _show_run,
}
CARDS: dict[str, Callable[[Any], Markup | None]] = {
    "minitf.core.cluster.cluster_spec.ClusterSpec": cards.cluster_card,
    "minitf.library.clusters.dask_cluster.TaskCluster": cards.cluster_card,
    "minitf.core.graph.graph_def.GraphDef": cards.graph_def_card,
    "minitf.core.graph.messages.Message": cards.message_card,
    "minitf.core.graph.tensor.Operation": cards.operation_card,
    "minitf.core.graph.tensor.Tensor": cards.tensor_card,
    "minitf.core.runtime.plan.explanation.Explanation": cards.explanation_card,
    "minitf.core.variables.variables.Variable": cards.variable_card,
    "minitf.library.estimator.estimator.Estimator": cards.estimator_card,
    "minitf.library.input.data.dataset.Dataset": cards.dataset_card,
    "minitf.library.keras.engine.training.Model": cards.model_card,
}


def _or_text(make: Callable[[Any], Markup | None], thing: Any) -> Markup | None:
    """The card of an object; None, which leaves its text, when it cannot be made."""
    try:
        return make(thing)
    except Exception:  # what is shown must never fail where the text would not
        return None


_waiting: list[Waiting] = []


def load_ipython_extension(shell: Any) -> None:
    """Registers the cards and views with a notebook's IPython, and tells of cells that wait."""
    for formatter, name, show in _all(shell):
        formatter.for_type(name, show)
    if hasattr(getattr(shell, "kernel", None), "session"):
        _waiting.append(Waiting(shell))


def unload_ipython_extension(shell: Any) -> None:
    """Leaves the objects their plain texts."""
    for formatter, name, _ in _all(shell):
        formatter.pop(name, None)
    while _waiting:
        _waiting.pop().close()


def _all(shell: Any) -> Iterator[tuple[Any, str, Callable[[Any], Any]]]:
    formatter = shell.display_formatter
    for name, show in VIEWS.items():
        yield formatter.ipython_display_formatter, name, show
    for name, make in CARDS.items():
        yield formatter.formatters["text/html"], name, functools.partial(_or_text, make)
