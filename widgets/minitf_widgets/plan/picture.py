"""A pass as a static picture: the program at the left, the graph at the right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from minitf_widgets.graph.picture import FONT, THEMES, draw_svg
from minitf_widgets.palette import GREY
from minitf_widgets.plan.passes import FATES
from minitf_widgets.text import escape

__all__ = ["draw_plan"]

MONO = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
COLUMN, LINE, TOP, LONGEST = 560.0, 16.0, 56.0, 76
MARKS = {"+": "#009e73", "-": "#d55e00", "": ""}


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
    look = THEMES[theme]
    told = draw_svg(_marked(scene, marks), theme)
    graph_height, graph_width = scene["height"] + 60, max(scene["width"], 260.0)
    height = max(TOP + LINE * len(shown["rows"]) + 16, TOP + graph_height)
    width = COLUMN + graph_width
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" font-family="{FONT}" font-size="13" role="img">',
        f"<title>{escape(caption)}</title>",
        f'<rect width="{width:g}" height="{height:g}" rx="8" fill="{look.ground}"/>',
        f'<text x="16" y="24" font-weight="600" fill="{look.ink}">{escape(shown["name"])}</text>',
        f'<text x="16" y="42" font-size="12" fill="{look.muted}">{escape(shown["purpose"])}</text>',
    ]
    for number, (mark, text, _) in enumerate(shown["rows"]):
        y = TOP + LINE * (number + 1)
        color = MARKS[mark] or look.ink
        indent = len(text) - len(text.lstrip())
        cut = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
        strike = ' text-decoration="line-through"' if mark == "-" else ""
        out.append(
            f'<text x="8" y="{y:g}" font-family="{MONO}" font-size="11" fill="{color}" '
            f'font-weight="700">{mark.replace("-", "−")}</text>'
            f'<text x="{22 + 6.62 * indent:g}" y="{y:g}" font-family="{MONO}" '
            f'font-size="11" fill="{color}"{strike}>'
            f"{escape(cut.lstrip())}</text>"
        )
    out.append(told.replace("<svg ", f'<svg x="{COLUMN:g}" y="{TOP:g}" ', 1))
    return "\n".join([*out, "</svg>"])


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
