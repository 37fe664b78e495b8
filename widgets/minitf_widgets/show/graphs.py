"""Cards of what a graph is made of: operations, tensors, variables, and sessions' plans."""

from __future__ import annotations

import io
import keyword
import tokenize
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from IPython.core.getipython import get_ipython

import minitf as tf
from minitf_widgets.graph.nodes import attr_text, read_graph_def, shape_text, short_device
from minitf_widgets.show.markup import MONO, Markup, card, code, element, fold, join, table
from minitf_widgets.svg import PALETTE

__all__ = [
    "explanation_card",
    "graph_def_card",
    "operation_card",
    "tensor_card",
    "value_text",
    "variable_card",
    "variables_table",
]

MOST = 8  # names in a row of a card
MOST_VARIABLES = 24  # whose values are read
MOST_NODES = 400  # of a GraphDef
LARGEST = 1_000_000  # elements of a variable that is read


def value_text(value: Any) -> str:
    """Returns a value in one short line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {value_text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (tuple, list)):
        return "(" + ", ".join(map(value_text, value)) + ")"
    array = np.asarray(value)
    if array.size > 12:
        first = np.array2string(array.ravel()[:6], precision=4, separator=", ")[:-1]
        return f"{first}, …]"
    return " ".join(np.array2string(array, precision=4, separator=", ").split())


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


def _facts(*rows: tuple[str, Any]) -> Markup:
    return table((name, value) for name, value in rows if value)


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
    return card(
        "Operation",
        op.name,
        _facts(
            ("type", op.type),
            ("inputs", _names(op.inputs)),
            ("runs after", _names(op.control_inputs)),
            ("outputs", join(*outputs)),
            ("read by", _names(users)),
            ("device", short_device(op.device) if op.device else "left to the session"),
            ("attributes", join(*(join(n, " = ", v, element("br")) for n, v in attrs))),
            ("defined in", _cell(op)),
        ),
    )


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
    return card(
        "Tensor",
        tensor.name,
        _facts(
            ("dtype, shape", f"{tensor.dtype.name} {_shape(tensor)}"),
            ("made by", made),
            ("read by", _names(users) if users else "nothing yet"),
            ("device", short_device(tensor.device) if tensor.device else "left to the session"),
            ("defined in", _cell(op)),
        ),
    )


def variable_card(variable: Any) -> Markup | None:
    """Returns the card of a variable, with its value where a session is at hand."""
    op = getattr(variable, "op", None)
    if not isinstance(op, tf.Operation):
        return None
    sess = tf.get_default_session()
    held = "" if sess is None or sess.graph is not op.graph else _held(sess, variable)
    return card(
        "Variable",
        variable.name,
        _facts(
            ("dtype, shape", f"{variable.dtype.base_dtype.name} {_shape(variable)}"),
            ("value", held),
            ("trained", "yes" if variable.trainable else "no"),
            ("initial value", _names([variable.initial_value])),
            ("device", short_device(variable.device) if variable.device else "left to the session"),
            ("defined in", _cell(op)),
        ),
    )


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


COLORS = {
    tokenize.COMMENT: "var(--jp-mirror-editor-comment-color,#408080)",
    tokenize.NUMBER: "var(--jp-mirror-editor-number-color,#088000)",
    tokenize.STRING: "var(--jp-mirror-editor-string-color,#ba2121)",
}
KEYWORD = "var(--jp-mirror-editor-keyword-color,#008000)"


def _colored(source: str) -> Markup:
    """Returns a program with its words coloured, as the notebook's editor does."""
    lines = source.splitlines(keepends=True)
    out: list[Any] = []
    row, column = 1, 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            color = COLORS.get(token.type, KEYWORD if keyword.iskeyword(token.string) else "")
            if not color or token.start[0] != token.end[0]:
                continue
            (line, start), (_, end) = token.start, token.end
            out += [*(lines[row - 1][column:], *lines[row : line - 1])] if line > row else []
            out.append(lines[line - 1][(column if line == row else 0) : start])
            out.append(element("span", lines[line - 1][start:end], style=f"color:{color}"))
            row, column = line, end
    except (tokenize.TokenError, SyntaxError):
        return join(source)
    return join(*out, lines[row - 1][column:] if lines else "", *lines[row:])


def _program(*parts: Any) -> Markup:
    return element("pre", *parts, style=f"{MONO};line-height:1.35;margin:4px 0;overflow-x:auto")


def explanation_card(told: Any) -> Markup:
    """Returns what `sess.explain` tells: the program, and folded, what each pass changed."""
    text = str(told)
    passes: list[tuple[str, list[str]]] = []
    for line in text[: max(0, text.rfind(told.program))].splitlines():
        if line.startswith("# ") and not line.startswith("#  "):
            passes.append((line[2:], []))
        elif passes and line.strip():
            passes[-1][1].append(line.removeprefix("#  "))
    folds = []
    for title, changes in passes:
        marked = [
            element("span", line, "\n", style=f"color:{PALETTE[2 if line[:1] == '+' else 4].color}")
            for line in changes
        ]
        folds.append(fold(join(title, f" ({len(changes)} lines)"), _program(*marked)))
    count = f"{len(passes)} passes changed it" if passes else "no pass changed it"
    return card("The program that runs", count, *folds, _program(_colored(told.program)))
