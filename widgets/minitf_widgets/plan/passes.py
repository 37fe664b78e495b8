"""The passes of a plan as data for the page: programs line by line, and what became of each op.

    sess.explain(...).stages ──> read_passes ──> [{"name", "purpose", "rows", "fates"}, ...]

Only passes that changed the program are kept. The fate of an operation stays with it: what one pass
has folded is folded in all later ones.

A pass as a static picture: the program at the left, the graph at the right.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from minitf_widgets import svg
from minitf_widgets.colors import GREY, color_of
from minitf_widgets.graph.picture import draw_svg
from minitf_widgets.svg import LIGHT

__all__ = ["box_fates", "devices_of", "draw_plan", "read_passes"]

#: The fates of operations that the session does not compute any more; what is "fused" it does.
GONE = {"pruned", "folded", "merged", "removed"}
VERBS = {"fold_constants": "folded", "common_subexpressions": "merged", "fuse_elementwise": "fused"}
Placed = Mapping[str, tuple[str, str]]  # operation -> (type of what computes it, device)


def read_passes(explanation: Any, names: Iterable[str]) -> list[dict[str, Any]]:
    """Reads what `sess.explain` returned.

    Args:
      explanation: with its `stages`; from another process only the program is known.
      names: all operations of the graph.
    Returns: for each stage its name, its purpose, the program's rows (mark, text, operations), and
      by operation the fate, where it has one.
    """
    stages = explanation.stages
    if not stages:
        rows = [["", line, []] for line in str(explanation.program).splitlines()]
        return [{"name": "as it runs", "purpose": "", "rows": rows, "fates": {}}]
    fates = {name: "pruned" for name in names if name not in stages[0].ops}
    told = [_told("as written", _first(len(fates)), stages[0].since(None), fates)]
    for before, after in zip(stages, stages[1:]):
        changes = _changes(before.ops, after.ops, VERBS.get(after.name, "removed"))
        changes = {name: to for name, to in changes.items() if fates.get(name) not in GONE}
        rows = after.since(before)
        fates = {**fates, **changes}
        if changes or any(row.mark for row in rows):
            told.append(_told(after.name.replace("_", " "), after.purpose, rows, fates))
    return told


def _first(pruned: int) -> str:
    if not pruned:
        return "The operations of the graph, one after the other."
    operations = "operation of the graph is" if pruned == 1 else "operations of the graph are"
    return f"Prune: {pruned} {operations} not needed for what is fetched."


def _told(name: str, purpose: str, rows: Iterable[Any], fates: dict[str, str]) -> dict[str, Any]:
    lines = [[row.mark, row.text, list(row.ops)] for row in rows]
    return {"name": name, "purpose": purpose, "rows": lines, "fates": fates}


def _changes(before: Placed, after: Placed, verb: str) -> dict[str, str]:
    gone = dict.fromkeys((name for name in before if name not in after), verb)
    for name, (kind, _) in after.items():
        was = before.get(name, (kind, ""))[0]
        if kind != was and kind in ("Const", "_Fused"):
            gone[name] = "folded" if kind == "Const" else "fused"
    return gone


def devices_of(explanation: Any) -> dict[str, Any]:
    """The devices of the operations, in the form of a RunMetadata, as a GraphView takes it."""
    stages = explanation.stages
    by_device: dict[str, list[dict[str, Any]]] = {}
    for name, (_, device) in (stages[0].ops if stages else {}).items():
        by_device.setdefault(device, []).append({"node_name": name})
    stats = [{"device": device, "node_stats": nodes} for device, nodes in by_device.items()]
    return {"step_stats": {"dev_stats": stats}}


def box_fates(inside: Mapping[str, Iterable[str]], fates: Mapping[str, str]) -> dict[str, str]:
    """What became of each box of a picture.

    Args:
      inside: box id -> the operations in it.
      fates: operation -> its fate, of those that have one.
    Returns: box id -> the fate that all in it share or, of those that are not computed any more,
      most have; where some still are, that of the operation it is named for, or else how many of
      those that are needed have one, as "2 fused".
    """
    result = {}
    for box, names in inside.items():
        found = [fates.get(name, "") for name in names]
        own = fates.get(box, "") if box in names else ""
        if len(set(found)) == 1 or GONE.issuperset(found):
            result[box] = max(sorted(set(found)), key=found.count)
        elif any(found):
            some = [fate for fate in found if fate not in ("", "pruned")]
            most = max(sorted(set(some)), key=some.count, default="")
            counted = f"{some.count(most)} {most}".lstrip(" 0")
            result[box] = own if own and own not in GONE else counted
    return {box: fate for box, fate in result.items() if fate}


MONO = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
COLUMN, LINE, TOP, LONGEST = 560.0, 16.0, 56.0, 76
MARKS = {"+": color_of("right"), "-": color_of("wrong"), "": ""}


def draw_plan(
    shown: Mapping[str, Any],
    scene: Mapping[str, Any],
    marks: Mapping[str, str],
    caption: str,
) -> str:
    """Draws one pass.

    Args:
      shown: of `read_passes`.
      scene: the graph's picture.
      marks: box id -> what became of it.
      caption: said first to readers who hear the picture.
    Returns: the text of an SVG document.
    """
    graph = draw_svg(_marked(scene, marks))
    graph_height, graph_width = scene["height"] + 60, max(scene["width"], 260.0)
    out = [
        svg.text(16, 24, shown["name"], bold=True, size=13, fill=LIGHT.ink),
        svg.text(16, 42, shown["purpose"], fill=LIGHT.muted),
    ]
    for number, (mark, line, _) in enumerate(shown["rows"]):
        y, color = TOP + LINE * (number + 1), MARKS[mark] or LIGHT.ink
        how = {"font_family": MONO, "size": 11, "fill": color}
        words = line.lstrip()
        indent, room = len(line) - len(words), LONGEST - (len(line) - len(words))
        cut = words if len(words) <= room else words[: room - 1] + "…"
        strike = "line-through" if mark == "-" else None
        out.append(svg.text(8, y, mark.replace("-", "−"), font_weight=700, **how))
        out.append(svg.text(22 + 6.62 * indent, y, cut, text_decoration=strike, **how))
    out.append(svg.Markup(graph.replace("<svg ", f'<svg x="{COLUMN:g}" y="{TOP:g}" ', 1)))
    height = max(TOP + LINE * len(shown["rows"]) + 16, TOP + graph_height)
    return svg.document(COLUMN + graph_width, height, *out, title=caption)


def _marked(scene: Mapping[str, Any], marks: Mapping[str, str]) -> dict[str, Any]:
    """The scene with grey boxes where nothing is computed, and a word in each marked one."""
    boxes = []
    for box in scene["boxes"]:
        fate = marks.get(box["id"], "")
        if fate:
            grey = {"bar": [[GREY, 1.0]], "aside": True} if fate in GONE else {}
            box = {**box, **grey, "sub": fate}
        boxes.append(box)
    return {**scene, "boxes": boxes}
