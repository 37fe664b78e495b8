"""Reads protobuf's text form, to compare messages as messages and not as texts.

    "op: 'NoOp' attr { key: 'T' value { i: 1 } }"
    -> {"op": ["NoOp"], "attr": [{"key": ["T"], "value": [{"i": [1.0]}]}]}

Quotes, the order of fields, and how numbers are written make no difference then.
"""

from __future__ import annotations

import ast
import re
from typing import Any

_TOKEN = re.compile(
    r"""\s+|\#[^\n]*|(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')"""
    r"""|(?P<word>[-+\w./]+)|(?P<sign>[{}<>\[\]:,;])"""
)


_DEFAULTS = ([0.0], [""], ["false"])  # to state these says nothing


def parse(text: str) -> dict[str, list]:
    """The fields of a message: by name all their values, in order.

    Raises:
      ValueError: when the text is none.
    """
    tokens: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ValueError(f"Not the text form of a message at {text[at : at + 40]!r}")
        at = match.end()
        if match.lastgroup and match.group() not in (",", ";", ":"):
            tokens.append((match.lastgroup, match.group()))
    tokens.reverse()
    return _message(tokens, "")


def _message(tokens: list[tuple[str, str]], end: str) -> dict[str, list]:
    fields: dict[str, list] = {}
    while tokens:
        kind, name = tokens.pop()
        if name == end:
            break
        if kind == "sign" and name == "[":  # the name of an extension or of an Any
            name = tokens.pop()[1]
            tokens.pop()
        if not tokens:
            raise ValueError(f"Field {name!r} has no value")
        if tokens[-1][1] == "[":
            tokens.pop()
            while tokens[-1][1] != "]":
                fields.setdefault(name, []).append(_value(tokens))
            tokens.pop()
        else:
            fields.setdefault(name, []).append(_value(tokens))
    for name, values in fields.items():  # the entries of a map have no order
        if all(isinstance(v, dict) and v and set(v) <= {"key", "value"} for v in values):
            fields[name] = sorted(values, key=lambda entry: str(entry.get("key")))
    return {name: v for name, v in fields.items() if v not in _DEFAULTS}


def _value(tokens: list[tuple[str, str]]) -> Any:
    kind, token = tokens.pop()
    if token in ("{", "<") and kind == "sign":
        return _message(tokens, {"{": "}", "<": ">"}[token])
    if kind == "text":
        text = ast.literal_eval(token)
        while tokens and tokens[-1][0] == "text":
            text += ast.literal_eval(tokens.pop()[1])
        return text
    try:
        return round(float(token), 6)
    except ValueError:
        return token
