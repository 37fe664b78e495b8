"""Cards of what programs are built with: settings, clusters, datasets, models, estimators."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterator
from typing import Any

import minitf as tf
from minitf_widgets.show.graphs import value_text
from minitf_widgets.show.markup import Markup, card, code, element, fold, join, table
from minitf_widgets.svg import swatch

__all__ = ["cluster_card", "dataset_card", "estimator_card", "message_card", "model_card"]

FIRST = 3  # elements of a dataset
MOST_BYTES = 5_000_000  # of event files that are read


def message_card(message: Any) -> Markup:
    """Returns a protocol message, such as a ConfigProto, as a tree of what is set."""
    lines = iter(str(message).splitlines())
    inside = _fields(lines)
    return card(type(message).__name__, "" if inside else "all by default", *inside)


def _fields(lines: Iterator[str]) -> list[Markup]:
    found = []
    for line in lines:
        text = line.strip()
        if text == "}":
            break
        if text.endswith("{"):
            found.append(fold(code(text[:-1].strip()), *_fields(lines), is_open=True))
        else:
            found.append(element("div", code(text)))
    return found


def cluster_card(cluster: Any) -> Markup:
    """Returns the map of a ClusterSpec or a TaskCluster: its jobs and their tasks."""
    spec = getattr(cluster, "cluster_spec", cluster)
    rows = []
    for k, job in enumerate(spec.jobs):
        look = swatch(k)
        tasks = [
            element(
                "span",
                element("span", look.marker, " ", style=f"color:{look.color}"),
                element("b", f"{job}:{index}"),
                element("div", code(spec.task_address(job, index))),
                style=f"display:inline-block;margin:3px;padding:3px 10px;border-radius:6px;"
                f"border:1.5px solid {look.color}",
            )
            for index in spec.task_indices(job)
        ]
        rows.append((job, join(*tasks)))
    count = sum(spec.num_tasks(job) for job in spec.jobs)
    what = f"{count} tasks in {len(rows)} jobs"
    return card(type(cluster).__name__, what, table(rows))


def dataset_card(dataset: Any) -> Markup:
    """Returns a dataset's pipeline, from the source on, and its first elements."""
    variant = dataset._variant_tensor
    op = getattr(variant, "_op", None)
    in_graph = isinstance(op, tf.Operation)
    stages = list(_stages(op)) if in_graph else []
    steps = [re.sub(r"Dataset(V\d+)?$", "", stage.type) for stage in reversed(stages)]
    spec = value_spec(dataset.element_spec)
    rows: list[tuple[str, Any]] = [("pipeline", " → ".join(steps))] if steps else []
    rows.append(("element", spec))
    called = any("Generator" in step or "PyFunc" in step for step in steps)
    elements = [] if called else _first(dataset, stages)
    rows += [(f"element {k}", code(value_text(each))) for k, each in enumerate(elements)]
    return card("Dataset", "", table(rows))


def value_spec(spec: Any) -> str:
    """Returns the structure of a dataset's elements in one line."""
    if isinstance(spec, dict):
        return "{" + ", ".join(f"{k!r}: {value_spec(v)}" for k, v in spec.items()) + "}"
    if isinstance(spec, (tuple, list)):
        return "(" + ", ".join(map(value_spec, spec)) + ")"
    dtype = getattr(spec, "dtype", None)
    return str(spec) if dtype is None else f"{dtype.name} {spec.shape}"


def _stages(op: Any) -> Iterator[Any]:
    """Yields the operations of a pipeline from its end to its source, the first where two meet."""
    while op is not None:
        yield op
        made_of = [each.op for each in op.inputs if each.dtype.name == "variant"]
        op = made_of[0] if made_of else None


def _first(dataset: Any, stages: list[Any]) -> list[Any]:
    """Reads the first elements, in a graph of its own so that the program's stays as it is."""
    if not stages:
        return list(dataset.take(FIRST).as_numpy_iterator())
    whole = stages[0].graph.as_graph_def()
    needed = tf.graph_util.extract_sub_graph(whole, [stages[0].name])
    if any(node.op.startswith("Placeholder") or "Variable" in node.op for node in needed.node):
        return []
    found: list[Any] = []
    with tf.Graph().as_default(), tf.Session() as sess:
        [variant] = tf.import_graph_def(needed, return_elements=[f"{stages[0].name}:0"], name="")
        copied = type(dataset)(variant, dataset.element_spec)
        following = copied.take(FIRST).make_one_shot_iterator().get_next()
        try:
            while True:
                found.append(sess.run(following))
        except tf.errors.OutOfRangeError:
            return found


def model_card(model: Any) -> Markup:
    """Returns a Keras model's layers with their output shapes and numbers of parameters."""
    if not getattr(model, "built", False):
        return card("Model", model.name, "not built yet: call it, or give it an input_shape")
    rows: list[tuple[Any, ...]] = []
    for layer in model.layers:
        shape, count = str(_output_shape(layer)), f"{layer.count_params():,}"
        rows.append((code(layer.name), type(layer).__name__, shape, count))
    rows.append(("in all", "", "", f"{model.count_params():,}"))
    return card("Model", model.name, table(rows, ("layer", "type", "output shape", "parameters")))


def _output_shape(layer: Any) -> Any:
    try:
        return layer.output_shape
    except (AttributeError, RuntimeError):
        return "?"


def estimator_card(estimator: Any) -> Markup:
    """Returns an estimator's folder, its checkpoints, and the last metrics of its runs."""
    folder = pathlib.Path(estimator.model_dir)
    state = tf.train.get_checkpoint_state(str(folder))
    paths = list(state.all_model_checkpoint_paths) if state is not None else []
    steps = [path.rpartition("-")[2] for path in paths]
    told = ", ".join(f"step {step}" for step in steps) or "none yet"
    rows = [("folder", code(folder)), ("checkpoints", told)]
    runs = [folder, *sorted(each for each in folder.glob("eval*") if each.is_dir())]
    for run in runs:
        scalars = _scalars(run)
        if scalars:
            text = ", ".join(f"{tag} {value:.4g}" for tag, value in scalars.items())
            rows.append(("training" if run == folder else run.name, text))
    return card(type(estimator).__name__, "", table(rows))


def _scalars(folder: pathlib.Path) -> dict[str, float]:
    """The last value of each scalar in a folder's event files."""
    found: dict[str, float] = {}
    for path in sorted(folder.glob("events.out.tfevents.*")):
        if path.stat().st_size > MOST_BYTES:
            continue
        for event in tf.train.summary_iterator(str(path)):
            for value in event.summary.value:
                if value.HasField("simple_value"):
                    found[value.tag] = value.simple_value
    return found
