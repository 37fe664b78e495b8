"""Widgets without Python: what a page has to know to let them answer what readers do.

    widget.offline() --> tables: what to try    --Book.try_all-->    rows: what changed
    collect()        --> all live widgets of a kernel as JSON, for a page: src/site/ plays Python

A table tries values of some traits, one after the other, and keeps what others became. The page
then looks a reader's choice up, or takes the nearest that was tried. Tables are tried in turns, the
first rows first, until the widget's pages would be too large; what is missing needs a notebook.
"""

from __future__ import annotations

import dataclasses
import json
import pathlib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ipywidgets.widgets.widget import _instances

__all__ = ["ANY", "Offline", "Row", "Table", "collect", "keep"]

STATIC = pathlib.Path(__file__).parent / "static"
BUDGET = 1_500_000  # characters of JSON that the answers of one widget may have
#: In a row's place of an input: whatever the reader chose.
ANY = {"any": True}
_PRIVATE = {"layout", "tabbable", "tooltip"}


@dataclasses.dataclass
class Table:
    """Traits that a reader changes, and those that Python changes then.

    Attributes:
      inputs: names of the former.
      outputs: names of the latter.
      tries: values of the inputs, the most wanted first; a missing one stays as it is.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    tries: Iterable[Mapping[str, Any]]


class Row(NamedTuple):
    """An answer that needs not be tried.

    Attributes:
      inputs: values of the traits that a reader changes; `ANY` for whatever it is.
      outputs: values of those that Python changes then.
      adds: what is added to lists that are inputs of other tables.
    """

    inputs: dict[str, Any]
    outputs: dict[str, Any]
    adds: dict[str, list[Any]] = {}


@dataclasses.dataclass
class Offline:
    """What a widget says of itself for pages without Python.

    Attributes:
      tables: see `Table`.
      rows: see `Row`.
      start: traits that begin otherwise than they are.
      asks: further traits that mean nothing without Python.
      said: messages of a view, of which is tried what is answered, and which traits change. Of
        messages {"type": "values", "values": ...} the page takes the nearest.
      search: {"query": trait, "answer": trait, "index": [[id, op, label, rank], ...]}.
      traits: whether the widget's traits are kept; when not, its picture stays.
    """

    tables: list[Table] = dataclasses.field(default_factory=list)
    rows: list[Row] = dataclasses.field(default_factory=list)
    start: dict[str, Any] = dataclasses.field(default_factory=dict)
    asks: list[str] = dataclasses.field(default_factory=list)
    said: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    search: dict[str, Any] = dataclasses.field(default_factory=dict)
    traits: bool = True


class _Book:
    """Answers, each different value kept once."""

    def __init__(self, widget: Any) -> None:
        self.widget = widget
        self.pool: list[str] = []
        self.size = 0
        self._places: dict[str, int] = {}

    def put(self, value: Any) -> int:
        """Where `value` stands in the pool."""
        text = json.dumps(value, separators=(",", ":"), allow_nan=True)
        if text not in self._places:
            self._places[text] = len(self.pool)
            self.pool.append(text)
            self.size += len(text)
        return self._places[text]

    def rows(self, table: Table) -> Iterable[dict[str, Any]]:
        """Tries a table's values; leaves the widget as it was."""
        first = {name: getattr(self.widget, name) for name in table.inputs}
        for values in table.tries:
            for name, value in {**first, **values}.items():
                setattr(self.widget, name, value)
            yield {
                "inputs": [self.put(getattr(self.widget, name)) for name in table.inputs],
                "outputs": [self.put(getattr(self.widget, name)) for name in table.outputs],
            }


def _shown(widget: Any) -> list[str]:
    """The names of the traits that a front end reads."""
    return [name for name in widget.keys if not name.startswith("_") and name not in _PRIVATE]


def answers(widget: Any, offline: Offline) -> dict[str, Any]:
    """Tries what `offline` lists.

    Returns: {"pool": [JSON, ...], "tables": [{"inputs", "outputs", "rows"}, ...]} with rows that
    name places in the pool, and the rest of `offline` as it is.
    """
    book = _Book(widget)
    before = {name: getattr(widget, name) for name in _shown(widget)}
    if widget._printing is not None:
        widget._printing.cancel()
    # The notebook's page sees none of it, and its pictures stay.
    widget.send_state = widget.send = widget.update_picture = lambda *_, **__: None
    tables: list[dict[str, Any]] = []
    for row in offline.rows:
        if not tables or tables[-1]["inputs"] != list(row.inputs):
            tables.append({"inputs": list(row.inputs), "outputs": list(row.outputs), "rows": []})
        if book.size < BUDGET / 2:
            made = {
                "inputs": [book.put(each) for each in row.inputs.values()],
                "outputs": [book.put(each) for each in row.outputs.values()],
            }
            tables[-1]["rows"].append({**made, "adds": row.adds} if row.adds else made)
    said: dict[str, dict[str, Any]] = {}
    waiting = []
    for table in offline.tables:
        tables.append({"inputs": table.inputs, "outputs": table.outputs, "rows": []})
        waiting.append((tables[-1]["rows"], iter(book.rows(table))))
    try:
        # One table after the other, so that none sees what another one tries; each its share.
        for place, (rows, tried) in enumerate(waiting):
            limit = book.size + (BUDGET - book.size) / (len(waiting) - place)
            for row in tried:
                rows.append(row)
                if book.size > limit:
                    break
            _restore(widget, before)
        for content in offline.said:
            if book.size > BUDGET:
                break
            replies: list[Any] = []
            widget.send = lambda reply, buffers=None, to=replies: to.append(reply)
            widget._handle_custom_msg(content, [])
            now = {name: getattr(widget, name) for name in before}
            changed = {name: book.put(now[name]) for name in now if now[name] != before[name]}
            text = json.dumps(content, separators=(",", ":"))
            said[text] = {"traits": changed, "replies": book.put(replies)}
            _restore(widget, before)
    finally:
        del widget.send_state, widget.send, widget.update_picture
    rest = {"start": offline.start, "asks": offline.asks, "search": offline.search, "said": said}
    return {
        "pool": book.pool,
        "tables": tables,
        **{key: each for key, each in rest.items() if each},
    }


def _restore(widget: Any, before: Mapping[str, Any]) -> None:
    for name, value in before.items():
        if getattr(widget, name) != value:
            setattr(widget, name, value)


def collect() -> dict[str, Any]:
    """All widgets of this package that live in this kernel, for a page without Python.

    Returns: by model id {"widget": the front end's name, "state": traits, "answers": ...}.
    """
    living = {key: each for key, each in _instances.items() if hasattr(each, "offline")}
    kept = {key: keep(widget) for key, widget in living.items()}
    return {key: each for key, each in kept.items() if each is not None}


def keep(widget: Any) -> dict[str, Any] | None:
    """One widget as `collect` has it; None where its picture is all that can be kept."""
    offline = widget.offline()
    if not offline.traits:
        return None
    names = {path.read_text(encoding="utf-8"): path.stem for path in STATIC.glob("*.js")}
    made = answers(widget, offline)
    state = {name: getattr(widget, name) for name in _shown(widget)}
    start = {**state, **made.pop("start", {})}
    return {"widget": names[widget._esm], "state": start, "answers": made}
