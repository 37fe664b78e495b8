"""The small shapes of the graph picture: outlines of boxes, lines of wires, places of labels.

The outline tells what a box is without its colour: a scope is a stack of cards, a variable a drum,
an input a slanted card, a constant a pill, control a hexagon, any other op a rounded card.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitf_widgets.chart import counted
from minitf_widgets.graph.model import Box
from minitf_widgets.graph.nodes import shape_text, tensor_value

__all__ = [
    "MARKER",
    "NAME",
    "SMALL",
    "arrow_head",
    "closed_size",
    "draw_box",
    "label_spot",
    "outline",
    "short",
    "sub_label",
    "text_width",
    "wire_path",
    "wire_rects",
]

Rect = tuple[float, float, float, float]  # left, top, right, bottom

NAME, SMALL, MARKER = 13.0, 11.5, 11.5  # sizes of letters; a view shrinks them to 10 at most

NARROW = set("fijlrtI.,:;|!'()[]/ ")
WIDE = set("mwMWGOQ@%&")


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Estimates the width of `text` in pixels, in a sans-serif font of `size` pixels."""
    units = sum(
        0.34 if c in NARROW else 0.9 if c in WIDE else 0.68 if c.isupper() else 0.58 for c in text
    )
    return units * size * (1.06 if bold else 1.0)


def short(text: str, limit: int = 24) -> str:
    """Shortens a long name in its middle, since the end tells siblings apart."""
    if len(text) <= limit:
        return text
    keep = (limit - 1) // 2
    return f"{text[: limit - 1 - keep]}…{text[-keep:]}"


def sub_label(box: Box) -> str:
    """Returns the second line of a closed box: the op type, the value, or how much is inside."""
    own = box.own
    if box.node is None:
        ops = counted(box.count, "op")
        if own is None or own.op == box.label:
            return ops
        if own.kind == "variable" and own.outputs:
            return f"variable {shape_text(own.outputs[0][1])}".rstrip()
        return f"{own.op} · {ops}"
    if own is not None and own.op == "Const":
        value = tensor_value(own.attrs.get("value", {}))
        if value is not None and value.size == 1:
            return f"= {value.item():.4g}" if value.dtype.kind == "f" else f"= {value.item()}"
        return "Const"
    return "" if own is None or own.op == box.label.strip("()") else own.op


def closed_size(box: Box, kind: str, marks: int = 0, below: str = "") -> tuple[float, float]:
    """Returns the width and height of a closed box.

    Args:
      box: the box.
      kind: what decides its outline.
      marks: how many marks stand before its name.
      below: its second line.
    """
    name = text_width(short(box.label), NAME, bold=True) + MARKER * marks
    if kind == "plumbing" and box.group:
        return 44.0, 22.0
    width = max(name, text_width(below, SMALL)) + 26.0
    width += 22.0 if box.node is None else 14.0 if kind in ("input", "control") else 0.0
    height = 30.0 if not below else 44.0
    if kind == "variable":
        height += 6.0
    return float(round(max(width, 66.0))), height


def outline(kind: str, scope: bool, w: float, h: float) -> str:
    """Returns the path of a closed box's outline, from its left top corner."""
    if kind == "variable":
        r = 5.0
        return (
            f"M0 {r}C0 {-r / 3:.1f} {w:g} {-r / 3:.1f} {w:g} {r}V{h - r:g}"
            f"C{w:g} {h + r / 3:.1f} 0 {h + r / 3:.1f} 0 {h - r:g}Z"
        )
    if kind == "input" and not scope:
        return f"M11 0H{w:g}L{w - 11:g} {h:g}H0Z"
    if kind == "control" and not scope:
        return f"M10 0H{w - 10:g}L{w:g} {h / 2:g}L{w - 10:g} {h:g}H10L0 {h / 2:g}Z"
    r = h / 2 if kind == "constant" and not scope else 5.0 if scope else 9.0
    r = min(r, 15.0)
    arc = f"A{r:g} {r:g} 0 0 1"
    return (
        f"M{r:g} 0H{w - r:g}{arc} {w:g} {r:g}V{h - r:g}{arc} {w - r:g} {h:g}"
        f"H{r:g}{arc} 0 {h - r:g}V{r:g}{arc} {r:g} 0Z"
    )


def detail(kind: str, scope: bool, w: float, h: float) -> str:
    """Returns the path of what is drawn besides the outline: a drum's rim, the cards below."""
    lines = ""
    if kind == "variable":
        lines = f"M0 5C0 11.5 {w:g} 11.5 {w:g} 5"
    if scope and kind != "variable":
        lines += f"M5 {h + 3:g}H{w + 3:g}V5"
    return lines


def draw_box(
    box: Box, kind: str, is_open: bool, width: float, height: float, sub: str
) -> dict[str, Any]:
    """Returns the part of a box's scene entry that does not depend on its place."""
    scope = box.node is None
    own = box.own
    tiny = kind == "plumbing" and box.group
    what = f"{own.op if own else ''} op"
    if scope:
        what = f"{'group' if box.group else 'scope'} of {counted(box.count, 'op')}"
    if scope and own is not None:
        what = f"{own.op} and its {counted(box.count - 1, 'helper op')}"
    return {
        "id": box.id,
        "label": box.label if is_open else short(box.label),
        "sub": "" if is_open or tiny else sub,
        "op": own.op if own else "",
        "kind": kind,
        "role": box.role,
        "w": round(width, 1),
        "h": round(height, 1),
        "d": outline("scope", True, width, height)
        if is_open
        else outline(kind, scope, width, height),
        "detail": "" if is_open else detail(kind, scope, width, height),
        "open": is_open,
        "count": box.count,
        "title": f"{box.id}: {what}",
    }


def wire_path(points: Sequence[tuple[float, float]], trim: float = 0.0) -> str:
    """Returns a smooth path through points: lines where upright, S curves elsewhere."""
    points = list(points)
    (_, before), (x, y) = points[-2], points[-1]
    points[-1] = (x, y - trim if y >= before else y + trim)
    path = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        middle = (y0 + y1) / 2
        if abs(x0 - x1) < 0.3:
            path += f"V{y1:.1f}"
        else:
            path += f"C{x0:.1f} {middle:.1f} {x1:.1f} {middle:.1f} {x1:.1f} {y1:.1f}"
    return path


def arrow_head(points: Sequence[tuple[float, float]]) -> str:
    """Returns the path of the head at the end of a wire."""
    (_, before), (x, y) = points[-2], points[-1]
    back = -7.0 if y >= before else 7.0
    return f"M{x:.1f} {y:.1f}l-3.6 {back}h7.2Z"


def wire_rects(route: Sequence[tuple[float, float]]) -> list[Rect]:
    """Returns small rectangles that cover a wire, for labels to keep off."""
    rects = []
    for (x0, y0), (x1, y1) in zip(route, route[1:]):
        pieces = 1 if abs(x0 - x1) < 0.3 else 8
        ends = [_on_curve(x0, y0, x1, y1, k / pieces) for k in range(pieces + 1)]
        for (a, b), (c, d) in zip(ends, ends[1:]):
            rects.append((min(a, c) - 1.0, min(b, d), max(a, c) + 1.0, max(b, d)))
    return rects


def _on_curve(x0: float, y0: float, x1: float, y1: float, t: float) -> tuple[float, float]:
    """Returns the point at `t` of the S that `wire_path` draws between two points."""
    s, middle = 1 - t, (y0 + y1) / 2
    x = (s**3 + 3 * s * s * t) * x0 + (3 * s * t * t + t**3) * x1
    return x, s**3 * y0 + 3 * s * t * middle + t**3 * y1


def label_spot(
    route: Sequence[tuple[float, float]], label: str, taken: Sequence[Rect], width: float
) -> Rect | None:
    """Finds a free place beside a wire for its label; None where there is none.

    Args:
      route: the points of the wire.
      label: the text.
      taken: rectangles to keep off.
      width: the width of the scope, which the label stays inside.
    """
    w, h = text_width(label, SMALL) + 4, 12.0
    for (x0, y0), (x1, y1) in zip(route, route[1:]):
        if abs(y1 - y0) < 16:
            continue
        for t in (0.5, 0.3, 0.7, 0.2):
            x, y = _on_curve(x0, y0, x1, y1, t)
            for left in (x + 5, x - 5 - w, x + 12, x - 12 - w):
                spot = (left, y - h / 2, left + w, y + h / 2)
                if spot[0] >= 0 and spot[2] <= width and not _hits(spot, taken):
                    return spot
    return None


def _hits(spot: Rect, taken: Sequence[Rect]) -> bool:
    left, top, right, bottom = spot
    return any(left < r and a < right and top < b and u < bottom for a, u, r, b in taken)
