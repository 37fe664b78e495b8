"""The static pictures of reductions: a whole dot product, a whole all-reduce, on a light ground."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from minitf_widgets.palette import mix, swatch
from minitf_widgets.reductions.collective import parts_in
from minitf_widgets.text import escape

__all__ = ["all_reduce_svg", "dot_product_svg"]

WIDTH = 760
_INK, _MUTED, _LINE, _GROUND = "#1f2328", "#59636e", "#c4c9d0", "#ffffff"
_TREE, _ONE = swatch(2).color, swatch(1).color
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"


def _text(x: float, y: float, text: str, **how: Any) -> str:
    how = {"fill": _INK, "font_size": 13, **how}
    attributes = "".join(f' {key.replace("_", "-")}="{value}"' for key, value in how.items())
    return f'<text x="{x:g}" y="{y:g}"{attributes}>{escape(text)}</text>'


def _rect(x: float, y: float, w: float, h: float, fill: str, stroke: str = _LINE) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" fill="{fill}" '
        f'stroke="{stroke}" stroke-width=".6"/>'
    )


def _document(height: float, title: str, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:g}" '
        f'viewBox="0 0 {WIDTH} {height:g}" font-family="{_FONT}"><title>{escape(title)}'
        f'</title><rect width="{WIDTH}" height="{height:g}" rx="8" fill="{_GROUND}"/>'
        f"{''.join(parts)}</svg>"
    )


def dot_product_svg(title: str, levels: Sequence[Sequence[str]], rows: Sequence[str]) -> str:
    """Draws a tree of additions from the products to the sum.

    Args:
      title: the picture's heading.
      levels: the results of each level, as text; each half as many as the one before.
      rows: what is said beside each level.
    """
    parts = [_text(20, 28, title, font_weight=600, font_size=15)]
    left, width, y = 20.0, WIDTH - 190.0, 46.0
    count = len(levels[0])
    for place, (level, said) in enumerate(zip(levels, rows, strict=True)):
        span = width / count * 2**place
        if span < 2:  # nobody could tell them apart
            parts.append(_rect(left, y, width, 22, mix(_TREE, _GROUND, 0.3)))
        for i, text in enumerate(level if span >= 2 else ()):
            x, w = left + i * span, min(span, width - i * span)
            parts.append(_rect(x, y, w, 22, mix(_TREE, _GROUND, 0.3), _GROUND))
            if len(text) * 6.2 + 4 <= w:
                how = {"text_anchor": "middle", "font_size": 11}
                parts.append(_text(x + w / 2, y + 15, text, **how))
        parts.append(_text(left + width + 12, y + 15, said, fill=_MUTED, font_size=12))
        y += 28
    return _document(y + 12, title, parts)


def all_reduce_svg(title: str, run: Mapping[str, Any], rows: Sequence[Sequence[str]]) -> str:
    """Draws every step of an all-reduce: who has how much of the sum; and the algorithms beside it.

    Args:
      title: the picture's heading.
      run: what to draw, as `collective` makes it.
      rows: a table: a heading, then a line each.
    """
    parts = [_text(20, 28, title, font_weight=600, font_size=15)]
    members, pieces = len(run["members"]), max(1, len(run["pieces"]))
    counts = parts_in(run) if run["pieces"] else []
    cell = max(4.0, min(16.0, 96.0 / max(members, pieces)))
    wide, high = max(70.0, cell * pieces + 18), cell * members + 34
    each_row = int((WIDTH - 40) // wide)
    for place, grid in enumerate(counts):
        x, y = 20 + place % each_row * wide, 46 + place // each_row * high
        what = "before" if place == 0 else f"step {place}"
        parts.append(_text(x, y + 10, what, fill=_MUTED, font_size=11))
        for member, row in enumerate(grid):
            for piece, count in enumerate(row):
                fill = mix(_TREE, _GROUND, (count - 1) / (members - 1) if members > 1 else 1.0)
                at = x + piece * cell, y + 16 + member * cell
                parts.append(_rect(*at, cell, cell, fill))
    y = 46.0 + -(-len(counts) // each_row) * high
    if counts:
        note = "rows: members; columns: pieces; dark green: the sum of all"
        parts.append(_text(20, y + 4, note, fill=_MUTED, font_size=11))
        y += 18
    for place, row in enumerate(rows):
        how = {"font_weight": 600, "fill": _MUTED} if place == 0 else {}
        for x, text in zip((20, 190, 270, 370, 580), row, strict=False):
            parts.append(_text(x, y + 16, text, font_size=12, **how))
        y += 20
    return _document(y + 14, title, parts)
