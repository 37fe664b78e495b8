"""A pass as a static picture: the program at the left, the graph at the right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from minitf_widgets import svg
from minitf_widgets.graph.picture import draw_svg
from minitf_widgets.plan.passes import FATES
from minitf_widgets.svg import GREY, PALETTE

__all__ = ["draw_plan"]

MONO = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
COLUMN, LINE, TOP, LONGEST = 560.0, 16.0, 56.0, 76
MARKS = {"+": PALETTE[2].color, "-": PALETTE[4].color, "": ""}


def draw_plan(
    shown: Mapping[str, Any],
    scene: Mapping[str, Any],
    marks: Mapping[str, str],
    theme: str,
    caption: str,
) -> str:
    """Draws one pass.

    Args:
      shown: of `read_passes`.
      scene: the graph's picture.
      marks: box id -> what became of it.
      theme: "light" or "dark".
      caption: said first to readers who hear the picture.
    Returns: the text of an SVG document.
    """
    look = svg.THEMES[theme]
    graph = draw_svg(_marked(scene, marks), theme)
    graph_height, graph_width = scene["height"] + 60, max(scene["width"], 260.0)
    out = [
        svg.text(16, 24, shown["name"], bold=True, size=13, fill=look.ink),
        svg.text(16, 42, shown["purpose"], fill=look.muted),
    ]
    for number, (mark, line, _) in enumerate(shown["rows"]):
        y, color = TOP + LINE * (number + 1), MARKS[mark] or look.ink
        how = {"font_family": MONO, "size": 11, "fill": color}
        words = line.lstrip()
        indent, room = len(line) - len(words), LONGEST - (len(line) - len(words))
        cut = words if len(words) <= room else words[: room - 1] + "…"
        strike = "line-through" if mark == "-" else None
        out.append(svg.text(8, y, mark.replace("-", "−"), font_weight=700, **how))
        out.append(svg.text(22 + 6.62 * indent, y, cut, text_decoration=strike, **how))
    out.append(svg.Markup(graph.replace("<svg ", f'<svg x="{COLUMN:g}" y="{TOP:g}" ', 1)))
    height = max(TOP + LINE * len(shown["rows"]) + 16, TOP + graph_height)
    return svg.document(COLUMN + graph_width, height, *out, title=caption, ground=look.ground)


def _marked(scene: Mapping[str, Any], marks: Mapping[str, str]) -> dict[str, Any]:
    """The scene with grey boxes where nothing is computed, and a word in each marked one."""
    boxes = []
    for box in scene["boxes"]:
        fate = marks.get(box["id"], "")
        if fate:
            is_gone = fate in FATES and not FATES[fate][1]
            grey = {"bar": [[GREY, 1.0]], "aside": True} if is_gone else {}
            box = {**box, **grey, "sub": fate}
        boxes.append(box)
    return {**scene, "boxes": boxes}
