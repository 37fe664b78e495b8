"""HTML of the cards: tables, folds and colours that any notebook viewer shows.

Elements come from the standard HTML set and carry their style with them: JupyterLab drops style
sheets and scripts from notebooks that it does not trust, and a page made from a notebook has none
of JupyterLab's. Colours are JupyterLab's variables, so that they follow its theme.

Whatever comes from a graph or a cluster is text, and escaped; `Markup` is what need not be.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from minitf_widgets.svg import Markup, element, join

__all__ = ["Markup", "card", "code", "element", "fold", "join", "table"]

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
