"""`tf.print` and `tf.strings.format`: tensors as text when a step runs.

    tf.print("loss", loss)  =  StringFormat("loss {}", loss) --> PrintV2

Of each axis the first and the last elements are shown: `[0 1 2 ... 7 8 9]`.
"""

from __future__ import annotations

import os
import pprint
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from minitf.core.graph import dtypes, logging, nest, stacks
from minitf.core.graph.composites import SparseTensor
from minitf.core.graph.convert import convert_to_tensor
from minitf.core.graph.logging import log_stream
from minitf.core.graph.op_def import op, scalar_shape
from minitf.core.graph.tensor import Tensor
from minitf.library.checks.logging_ops import element_text

_LEVELS = {"log(info)": logging.info, "log(warning)": logging.warning, "log(error)": logging.error}


def _escaped(value: Any) -> str:
    """An element inside brackets: strings in quotes, what cannot be shown as octal numbers."""
    if not isinstance(value, bytes):
        return element_text(value)
    text = value.decode("utf-8", "replace")
    shown = "".join(c if c.isprintable() else _code_of(c) for c in text)
    return f'"{shown}"'


def _code_of(character: str) -> str:
    named = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return named.get(character) or "".join(f"\\{byte:03o}" for byte in character.encode())


def shown(array: np.ndarray, ends: int, indent: int = 1) -> str:
    """The text of a tensor.

    Args:
      array: its value.
      ends: how many elements to show at each end of each axis; all when negative.
      indent: how far further rows are indented.
    """
    if not array.ndim:
        return _escaped(array[()])
    cut = ends >= 0 and len(array) > 2 * ends
    rows = [*array[:ends], *array[len(array) - ends :]] if cut else list(array)
    parts = [shown(np.asarray(row), ends, indent + 1) for row in rows]
    if array.ndim == 1:
        if cut:
            parts.insert(ends, "...")
        return f"[{' '.join(parts)}]"
    gap = "\n" * (array.ndim - 1) + " " * indent
    if cut:
        left, right = gap.join(parts[:ends]), gap.join(parts[ends:])
        return f"[{left}{gap}...{gap}{right}]"
    return f"[{gap.join(parts)}]"


@op(
    "StringFormat",
    "inputs: N*? -> output: string",
    samples=[
        lambda rng: ([np.arange(9), rng.normal(size=(2, 3))], {"template": "{}, then {}"}),
        lambda rng: ([np.int32(7)], {"template": "?", "placeholder": "?"}),
    ],
)
def string_format_op(
    xp: Any, inputs: Any, *, template: str, placeholder: str = "{}", summarize: int = 3
) -> Any:
    """Puts the texts of the inputs into a template."""
    parts = template.split(placeholder)
    texts = [shown(np.asarray(getattr(v, "get", lambda v=v: v)()), summarize) for v in inputs]
    texts += [""] * (len(parts) - 1 - len(texts))
    return "".join(p + t for p, t in zip(parts, [*texts, ""], strict=True)).encode()


string_format_op.shape(scalar_shape)


def string_format(
    template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Tensor:
    """`tf.strings.format`: a string in which each placeholder is replaced by a tensor's text.

    Args:
      template: the text with placeholders.
      inputs: a tensor or a list of them, as many as there are placeholders.
      placeholder: what is replaced.
      summarize: how many elements to show at each end of each axis; -1: all.
      name: the name.
    Raises:
      ValueError: when the numbers of placeholders and inputs differ.
    """
    values = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    count = template.count(placeholder)
    if count != len(values):
        raise ValueError(
            f"The template expects {count} tensors, but the inputs only has {len(values)}. Please "
            "ensure the number of placeholders in template matches inputs length."
        )
    return string_format_op(
        [convert_to_tensor(v) for v in values],
        template=template,
        placeholder=placeholder,
        summarize=summarize,
        name=name,
    )


@op(
    "PrintV2",
    "input: string ->",
    stateful=True,
    reaches=lambda attrs: "files" if _is_file(attrs["output_stream"]) else "",
    no_samples="what it prints is its purpose; tests/core/ops/test_printing.py reads it",
)
def print_v2_op(xp: Any, input: Any, *, output_stream: str = "stderr", end: str = "\n") -> None:
    """Prints a string."""
    text = bytes(input).decode("utf-8", "replace")
    if output_stream in _LEVELS:
        _LEVELS[output_stream]("%s", text)
    elif _is_file(output_stream):
        with open(output_stream.removeprefix("file://"), "a", encoding="utf-8") as file:
            file.write(text + end)
    else:
        stream = sys.stdout if output_stream == "stdout" else log_stream()
        stream.write(text + end)
        stream.flush()


def _is_file(stream: str) -> bool:
    return stream.startswith("file://")


def _stream_name(stream: Any) -> str:
    if isinstance(stream, str) and (stream in ("stdout", "stderr") or _is_file(stream)):
        return stream
    levels = [(log, name) for name, log in _LEVELS.items()]
    known = [
        (sys.stdout, "stdout"),
        (sys.stderr, "stderr"),
        *levels,
        (logging.warn, "log(warning)"),
    ]
    for object_, name in known:
        if stream is object_:
            return name
    raise ValueError(
        f"Unsupported output stream, logging level, or file.{stream}. Supported streams are "
        "sys.stdout, sys.stderr, tf.logging.info, tf.compat.v1.logging.warning, "
        "tf.logging.error. File needs to be in the form of 'file://<filepath>'."
    )


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "_as_tensor")


def print_v2(*inputs: Any, **kwargs: Any) -> Any:
    """`tf.print`: prints tensors and other values when the step runs; eagerly, at once.

    Args:
      inputs: tensors, Python values, and structures of them.
      output_stream: `sys.stderr` (the default; in a notebook, the cell's output), `sys.stdout`,
        `tf.logging.info`, `.warning`, `.error`, or "file://<path>".
      summarize: how many elements to show at each end of each axis; 3 by default, -1: all.
      sep: what stands between two inputs; a blank.
      end: what stands at the end; a line break.
      name: the operation's name.
    Returns: the operation; None under eager execution.
    Raises:
      ValueError: when an argument is unknown, or the stream.
    Example:
      >>> sess.run(tf.print("x:", tf.range(10), output_stream=sys.stdout))
      x: [0 1 2 ... 7 8 9]
    """
    stream = kwargs.pop("output_stream", sys.stderr)
    name = kwargs.pop("name", None)
    summarize = kwargs.pop("summarize", 3)
    sep = kwargs.pop("sep", " ")
    end = kwargs.pop("end", os.linesep)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    target = _stream_name(stream)
    if len(inputs) == 1 and _is_tensor(inputs[0]):
        only = convert_to_tensor(inputs[0])
        if only.dtype == dtypes.string and only.shape.ndims == 0:
            return print_v2_op(only, output_stream=target, end=end, name=name)
    tensors: list[Any] = []
    placeholder = _unused([v for v in nest.flatten(list(inputs)) if not _is_tensor(v)])
    texts = [_text(value, tensors, placeholder) for value in inputs]
    formatted = string_format(sep.join(texts), tensors, placeholder, summarize)
    with stacks.name_scope(None):
        return print_v2_op(formatted, output_stream=target, end=end, name=name or "PrintV2")


def _unused(values: Sequence[Any]) -> str:
    """A placeholder that no value contains."""
    text = "".join(map(str, values))
    placeholder = "{}"
    while placeholder in text:
        placeholder = "{" + placeholder + "}"
    return placeholder


def _text(value: Any, tensors: list[Any], placeholder: str) -> str:
    """One input as text, with the placeholder for each of its tensors."""
    if isinstance(value, str):
        return value
    mark = type("Mark", (), {"__repr__": lambda self: placeholder})()

    def shown(leaf: Any) -> Any:
        if isinstance(leaf, SparseTensor):
            tensors.extend((leaf.indices, leaf.values, leaf.dense_shape))
            return f"SparseTensor(indices={mark}, values={mark}, shape={mark})"
        if not _is_tensor(leaf):
            return leaf
        tensors.append(leaf)
        return mark

    return pprint.pformat(nest.map_structure(shown, value))
