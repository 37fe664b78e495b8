"""The static pictures of reductions: a whole dot product, a whole all-reduce, on a light ground."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from minitf_widgets import svg
from minitf_widgets.colors import color_of, mix
from minitf_widgets.svg import LIGHT

__all__ = ["all_reduce_svg", "dot_product_svg"]

WIDTH = 760
_GREEN = color_of("sum")


def dot_product_svg(title: str, levels: Sequence[Sequence[str]], rows: Sequence[str]) -> str:
    """Draws a tree of additions from the products to the sum.

    Args:
      title: the picture's heading.
      levels: the results of each level, as text: products, sums of threads, sums of two.
      rows: what is said beside each level.
    """
    parts = [svg.text(20, 28, title, bold=True, size=15, fill=LIGHT.ink)]
    left, width, y = 20.0, WIDTH - 190.0, 46.0
    how = {"fill": mix(_GREEN, LIGHT.ground, 0.3), "stroke_width": 0.6}
    span, below = width / len(levels[0]), 0
    for level, said in zip(levels, rows, strict=True):
        if below:  # sums of two are as wide as both
            span = 2 * span if len(level) == -(-below // 2) else width / len(level)
        below = len(level)
        if span < 2:  # nobody could tell them apart
            parts.append(svg.rect(left, y, width, 22, stroke=LIGHT.line, **how))
        for i, words in enumerate(level if span >= 2 else ()):
            x, w = left + i * span, min(span, width - i * span)
            parts.append(svg.rect(x, y, w, 22, stroke=LIGHT.ground, **how))
            if len(words) * 6.2 + 4 <= w:
                middle = {"anchor": "middle", "size": 11, "fill": LIGHT.ink}
                parts.append(svg.text(x + w / 2, y + 15, words, **middle))
        parts.append(svg.text(left + width + 12, y + 15, said))
        y += 28
    return svg.document(WIDTH, y + 12, *parts, title=title)


def all_reduce_svg(title: str, run: Mapping[str, Any], rows: Sequence[Sequence[str]]) -> str:
    """Draws every step of an all-reduce: who has how much of the sum; and the algorithms beside it.

    Args:
      title: the picture's heading.
      run: what to draw, see all_reduce.py.
      rows: a table: a heading, then a line each.
    """
    parts = [svg.text(20, 28, title, bold=True, size=15, fill=LIGHT.ink)]
    members, pieces = len(run["members"]), max(1, len(run["pieces"]))
    counts = run["parts"] if run["pieces"] else []
    cell = max(4.0, min(16.0, 96.0 / max(members, pieces)))
    wide, high = max(70.0, cell * pieces + 18), cell * members + 34
    each_row = int((WIDTH - 40) // wide)
    for place, grid in enumerate(counts):
        x, y = 20 + place % each_row * wide, 46 + place // each_row * high
        what = "before" if place == 0 else f"step {place}"
        parts.append(svg.text(x, y + 10, what, size=11))
        for member, row in enumerate(grid):
            for piece, count in enumerate(row):
                share = (count - 1) / (members - 1) if members > 1 else 1.0
                how = {"fill": mix(_GREEN, LIGHT.ground, share), "stroke": LIGHT.line}
                at = x + piece * cell, y + 16 + member * cell
                parts.append(svg.rect(*at, cell, cell, stroke_width=0.6, **how))
    y = 46.0 + -(-len(counts) // each_row) * high
    if counts:
        note = "rows: members; columns: pieces; dark green: the sum of all"
        parts.append(svg.text(20, y + 4, note, size=11))
        y += 18
    for place, line in enumerate(rows):
        for x, words in zip((20, 190, 270, 370, 580), line, strict=False):
            fill = LIGHT.ink if place else LIGHT.muted
            parts.append(svg.text(x, y + 16, words, fill=fill, bold=not place))
        y += 20
    return svg.document(WIDTH, y + 14, *parts, title=title)
