"""Cards of objects, as HTML that any notebook viewer shows.

The first functions make tables, folds and the card itself. Those after them make the cards of what
a graph is made of (operations, tensors, variables, sessions' plans) and of what programs are built
with (settings, clusters, datasets, models, estimators).

Elements come from the standard HTML set and carry their style with them: JupyterLab drops style
sheets and scripts from notebooks that it does not trust, and a page made from a notebook has none
of JupyterLab's. Colours are JupyterLab's variables, so that they follow its theme.

Whatever comes from a graph or a cluster is text, and escaped; `Markup` is what need not be.
"""

from __future__ import annotations

import pathlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from IPython.core.getipython import get_ipython
from pygments import token
from pygments.lexers.python import PythonLexer

import minitf as tf
from minitf_widgets.colors import PALETTE, color_of, look_of
from minitf_widgets.graph.nodes import attr_text, read_graph_def, shape_text, short_device
from minitf_widgets.svg import Markup, element, join

__all__ = [
    "card",
    "cluster_card",
    "code",
    "dataset_card",
    "estimator_card",
    "explanation_card",
    "fold",
    "graph_def_card",
    "message_card",
    "model_card",
    "operation_card",
    "table",
    "tensor_card",
    "value_text",
    "variable_card",
    "variables_table",
]

MUTED = "color:var(--jp-content-font-color2,#59636e)"
LINE = "var(--jp-border-color2,#c4c9d080)"
CELL = f"text-align:left;vertical-align:top;padding:2px 14px 2px 0;border-bottom:1px solid {LINE}"
HEAD = f"{CELL};font-weight:600;white-space:nowrap;{MUTED}"
MONO = "font-family:var(--jp-code-font-family,monospace);font-size:12px"
PLAIN = "background:transparent;padding:0;color:inherit"


def code(text: Any) -> Markup:
    """Returns a name or a value in the font of code."""
    return element("code", text, style=f"{MONO};{PLAIN}")


def table(rows: Iterable[Iterable[Any]], head: Iterable[str] = ()) -> Markup:
    """Returns a table; without `head`, the first column names what stands beside it."""
    lines = [element("tr", *(element("th", name, style=HEAD) for name in head))] if head else []
    for first, *others in rows:
        named = element("td" if head else "th", first, style=CELL if head else HEAD)
        cells = (element("td", cell, style=CELL) for cell in others)
        lines.append(element("tr", named, *cells, style="background:transparent"))
    style = "border-collapse:collapse;font-size:13px;margin:4px 0 8px"
    return element("table", element("tbody", *lines), style=style)


def fold(title: Any, *inside: Any, is_open: bool = False) -> Markup:
    """Returns what opens with a click on its title."""
    summary = element("summary", title, style="cursor:pointer")
    body = element("div", *inside, style="margin-left:18px")
    return element("details", summary, body, **({"open": "open"} if is_open else {}))


def card(kind: str, name: Any, *inside: Any) -> Markup:
    """Returns an object's card: what it is, its name, and what there is to tell."""
    title = element("div", element("span", kind, " ", style=MUTED), element("b", code(name)))
    style = f"border-left:3px solid {LINE};padding:2px 0 2px 12px;overflow-x:auto"
    return element("div", title, *inside, style=style)


MOST = 8  # names in a row of a card
MOST_VARIABLES = 24  # whose values are read
MOST_NODES = 400  # of a GraphDef
LARGEST = 1_000_000  # elements of a variable that is read


def value_text(value: Any) -> str:
    """Returns a value in one short line."""
    if isinstance(value, (dict, tuple, list)):
        return _structure(value, value_text)
    array = np.asarray(value)
    if array.size > 12:
        first = np.array2string(array.ravel()[:6], precision=4, separator=", ")[:-1]
        return f"{first}, …]"
    return " ".join(np.array2string(array, precision=4, separator=", ").split())


def _structure(value: Any, told: Callable[[Any], str]) -> str:
    """A dict or a list in one line, with what `told` says of what is in it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {told(v)}" for k, v in value.items()) + "}"
    return "(" + ", ".join(map(told, value)) + ")"


def _cell(op: Any) -> str:
    """Where the program made an operation: "Cell In[4], line 3"; '' for code of packages."""
    shell = get_ipython()
    for frame in reversed(getattr(op, "traceback", ())):
        named = shell.compile.format_code_name(frame.filename) if shell is not None else None
        if named:
            return f"{' '.join(named)}, line {frame.lineno}"
    return ""


def _names(things: Sequence[Any]) -> Markup:
    parts: list[Any] = []
    for thing in things[:MOST]:
        parts += [code(thing.name), ", "]
    more = len(things) - MOST
    return join(*(parts if more > 0 else parts[:-1]), f"{more} more" if more > 0 else "")


def _made_card(kind: str, thing: Any, op: Any, rows: Iterable[tuple[str, Any]]) -> Markup:
    """The card of what an operation makes, or of itself, without the rows that are empty."""
    device = short_device(thing.device) if thing.device else "left to the session"
    facts = [*rows, ("device", device), ("defined in", _cell(op))]
    return card(kind, thing.name, table((name, value) for name, value in facts if value))


def _shape(tensor: Any) -> str:
    if tensor.shape.ndims is None:
        return "unknown rank"
    return shape_text(tuple(-1 if size is None else size for size in tensor.shape.as_list()))


def operation_card(op: Any) -> Markup:
    """Returns the card of an operation."""
    attrs = [(name, attr_text(attr)) for name, attr in _attrs(op)]
    outputs = [
        join(code(t.name), f" {t.dtype.name} {_shape(t)}", element("br")) for t in op.outputs
    ]
    users = list(dict.fromkeys(user for tensor in op.outputs for user in tensor.consumers()))
    rows = [
        ("type", op.type),
        ("inputs", _names(op.inputs)),
        ("runs after", _names(op.control_inputs)),
        ("outputs", join(*outputs)),
        ("read by", _names(users)),
        ("attributes", join(*(join(n, " = ", v, element("br")) for n, v in attrs))),
    ]
    return _made_card("Operation", op, op, rows)


def _attrs(op: Any) -> Iterable[tuple[str, Any]]:
    graph = tf.GraphDef(node=[op.node_def])
    [node] = read_graph_def(graph)["node"]
    return [(k, v) for k, v in sorted(node.get("attr", {}).items()) if not k.startswith("_")]


def tensor_card(tensor: Any) -> Markup | None:
    """Returns the card of a graph's tensor; None for an eager one, whose text tells all."""
    if not isinstance(getattr(tensor, "_op", None), tf.Operation):
        return None
    op = tensor.op
    made = join(op.type, *((" of ", _names(op.inputs)) if op.inputs else ()))
    users = tensor.consumers()
    rows = [
        ("dtype, shape", f"{tensor.dtype.name} {_shape(tensor)}"),
        ("made by", made),
        ("read by", _names(users) if users else "nothing yet"),
    ]
    return _made_card("Tensor", tensor, op, rows)


def variable_card(variable: Any) -> Markup | None:
    """Returns the card of a variable, with its value where a session is at hand."""
    op = getattr(variable, "op", None)
    if not isinstance(op, tf.Operation):
        return None
    sess = tf.get_default_session()
    held = "" if sess is None or sess.graph is not op.graph else _held(sess, variable)
    rows = [
        ("dtype, shape", f"{variable.dtype.base_dtype.name} {_shape(variable)}"),
        ("value", held),
        ("trained", "yes" if variable.trainable else "no"),
        ("initial value", _names([variable.initial_value])),
    ]
    return _made_card("Variable", variable, op, rows)


def _held(sess: Any, variable: Any) -> Any:
    """The value of a variable, read without adding anything to the graph."""
    if (variable.shape.num_elements() or 0) > LARGEST:
        return "large"
    try:
        return code(value_text(sess.run(variable)))
    except tf.errors.FailedPreconditionError:
        return "not initialized"
    except (tf.errors.OpError, RuntimeError, ValueError) as error:
        return str(error).partition("\n")[0]


def variables_table(sess: Any) -> Markup:
    """Returns the variables of a session with their values, those of a cluster without."""
    found = sess.graph.get_collection(tf.GraphKeys.GLOBAL_VARIABLES)
    near = not sess.sess_str
    rows = [
        (code(v.name), f"{v.dtype.base_dtype.name} {_shape(v)}", _held(sess, v) if near else "")
        for v in found[:MOST_VARIABLES]
    ]
    if len(found) > MOST_VARIABLES:
        rows.append((f"and {len(found) - MOST_VARIABLES} more", "", ""))
    return table(rows, ("variable", "dtype, shape", "value")) if rows else join("no variables")


def graph_def_card(graph_def: Any) -> Markup:
    """Returns a GraphDef as a tree of name scopes."""
    nodes = read_graph_def(graph_def)["node"]
    tree: dict[str, Any] = {}
    for node in nodes[:MOST_NODES]:
        at = tree
        *scopes, base = node["name"].split("/")
        for scope in scopes:
            at = at.setdefault(scope + "/", {})
        at[base] = node
    more = len(nodes) - MOST_NODES
    rest = (f"and {more} more",) if more > 0 else ()
    return card("GraphDef", f"{len(nodes)} nodes", *_branches(tree), *rest)


def _branches(tree: dict[str, Any]) -> list[Markup]:
    found = []
    for name, value in tree.items():
        if "op" in value and isinstance(value["op"], str):
            reads = ", ".join(value.get("input", ()))
            found.append(element("div", code(name), f" = {value['op']}({reads})"))
        else:
            found.append(fold(code(name), *_branches(value)))
    return found


KEYWORD = "var(--jp-mirror-editor-keyword-color,#008000)"
COLORS = {
    token.Comment: "var(--jp-mirror-editor-comment-color,#408080)",
    token.Number: "var(--jp-mirror-editor-number-color,#088000)",
    token.String: "var(--jp-mirror-editor-string-color,#ba2121)",
    token.Keyword: KEYWORD,
    token.Operator.Word: KEYWORD,
}


def _colored(source: str) -> Markup:
    """Returns a program with its words coloured, as the notebook's editor does."""
    words: list[str] = []
    for kind, word in PythonLexer(stripnl=False, ensurenl=False).get_tokens(source):
        color = next((COLORS[each] for each in COLORS if kind in each), None)
        words.append(element("span", word, style=f"color:{color}") if color else word)
    return join(*words)


def _program(*parts: Any) -> Markup:
    return element("pre", *parts, style=f"{MONO};line-height:1.35;margin:4px 0;overflow-x:auto")


def _changed(line: str) -> Markup:
    """A line that a pass has added or taken away."""
    style = f"color:{color_of('right' if line[:1] == '+' else 'wrong')}"
    return element("span", line, "\n", style=style)


def explanation_card(told: Any) -> Markup:
    """Returns what `sess.explain` tells: the program, and folded, what each pass changed."""
    text = str(told)
    passes: list[tuple[str, list[str]]] = []
    for line in text[: max(0, text.rfind(told.program))].splitlines():
        if line.startswith("# ") and not line.startswith("#  "):
            passes.append((line[2:], []))
        elif passes and line.strip():
            passes[-1][1].append(line.removeprefix("#  "))
    folds = [
        fold(join(title, f" ({len(changes)} lines)"), _program(*map(_changed, changes)))
        for title, changes in passes
    ]
    count = f"{len(passes)} passes changed it" if passes else "no pass changed it"
    return card("The program that runs", count, *folds, _program(_colored(told.program)))


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
    for job in spec.jobs:
        look = look_of(f"{job} 0") or PALETTE[-1]
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
    if isinstance(spec, (dict, tuple, list)):
        return _structure(spec, value_spec)
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
