"""A graph's scene as an SVG document that stands alone: the static picture.

It is readable on light and dark pages alike, since it brings its own ground.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from minitf_widgets import svg
from minitf_widgets.graph.shapes import Rect, text_width
from minitf_widgets.svg import GREY, LIGHT, PALETTE, mix

__all__ = ["draw_svg"]

LANE = PALETTE[3].color  # the frame of the gradient part
DIM = 0.28  # opacity of what a highlighted run does not need
NOW, BAD = PALETTE[5].color, PALETTE[4].color  # what runs, and what is not finite
CHIP = 17.0  # the height of a value's text below its box
BAR, HIGH = 3.0, 16.0  # of a histogram: the width of a bar, the height of the highest
SHORT = 9  # characters of a value that takes the place of its wire's shape
OVER = 28.0  # how much wider than its box a value may be
PICTURE = 34.0  # the most height of an image


def draw_svg(
    scene: dict[str, Any], caption: str = "", values: Mapping[str, Any] | None = None
) -> str:
    """Draws a scene.

    Args:
      scene: what `build_scene` returned.
      caption: said first to readers who hear the picture.
      values: what `shown` told of a step of a run.
    Returns: the text of an SVG document.
    """
    values = values or {"states": [""] * len(scene["boxes"]), "boxes": {}, "wires": {}}
    legend, legend_height = _legend(scene)
    width = max(scene["width"], 260.0)
    bottom = scene["height"] + (16.0 if values["boxes"] else 0.0)
    out = [_box(box, state) for box, state in zip(scene["boxes"], values["states"])]
    for wire in scene["wires"]:
        dim = DIM if wire["dim"] else None
        dash = "5 3" if wire["kind"] == "control" else None
        line = {"stroke": LIGHT.wire, "stroke_width": wire["width"], "stroke_dasharray": dash}
        out.append(svg.path(wire["d"], **line, opacity=dim))
        if wire["head"]:
            out.append(svg.path(wire["head"], fill=LIGHT.wire, opacity=dim))
    backward = _backward(scene)
    chips = [
        _chip(box, told, box["id"] in backward)
        for box, told in ((scene["boxes"][place], told) for place, told in values["boxes"].items())
    ]
    on_ground = {"stroke": LIGHT.ground, "stroke_width": 3, "paint_order": "stroke"}
    for wire in scene["wires"]:
        told = values["wires"].get(wire["id"], {})
        short = told and "bars" not in told and len(told["text"]) <= SHORT
        words = told["text"] if short else wire["label"]
        clear = not any(_covers(chip, wire, words) for chip, _ in chips)
        if wire["label"] and not wire["dim"] and clear:
            how = {"dy": ".35em", "size": 10.5, "fill": LIGHT.muted, **on_ground}
            out.append(svg.text(wire["lx"], wire["ly"], words, **how))
    out += [chip for _, chip in chips]
    for note in scene["notes"]:
        how = {"size": 10.5, "letter_spacing": ".06em", "fill": LIGHT.muted}
        out.append(svg.text(note["x"], note["y"], note["text"], **how))
    return svg.document(
        width,
        bottom + legend_height,
        svg.group(*out, at=((width - scene["width"]) / 2, 0)),
        svg.group(legend, at=(0, bottom)),
        title=caption or "a computation graph",
    )


def _backward(scene: Mapping[str, Any]) -> set[str]:
    """The ids of the boxes in lanes, where values flow up and so stand above their boxes."""
    found: set[str] = set()
    lanes = {box["id"] for box in scene["boxes"] if box["lane"]}
    for box in scene["boxes"]:  # parents first
        if box["parent"] in found | lanes:
            found.add(box["id"])
    return found


def _covers(chip: Rect, wire: Mapping[str, Any], words: str) -> bool:
    """Whether a value hides the label of a wire."""
    left, top, right, bottom = chip
    x, y = wire["lx"], wire["ly"]
    return x < right and x + text_width(words, 10.5) > left and y - 5 < bottom and y + 5 > top


def _chip(box: dict[str, Any], told: Mapping[str, Any], above: bool) -> tuple[Rect, svg.Markup]:
    """Draws a value at its box: an image, a histogram or a text; returns where, and the SVG."""
    bad = told.get("bad") or told["type"] == "error"
    edge = BAD if bad else mix(NOW, LIGHT.ink, 0.8)
    image, bars = told.get("image"), None if bad else told.get("bars")
    if image:
        height = min(PICTURE, image["h"] * 2.0)
        width = height * image["w"] / image["h"]
        pixels = {"href": image["src"], "style": "image-rendering:pixelated"}
        inner = [svg.element("image", x=3, y=3, width=width, height=height, **pixels)]
    elif bars:
        width, height = BAR * len(bars), HIGH
        tall = [HIGH * count / max(bars) for count in bars]
        inner = [
            svg.rect(3 + BAR * k, 3 + HIGH - each, BAR - 0.6, each, fill=edge)
            for k, each in enumerate(tall)
        ]
    else:
        words = f"fed {told['text']}" if told.get("fed") else told["text"]
        while len(words) > 2 and text_width(words, 11.0) > box["w"] + OVER:
            words = f"{words[:-2]}…"
        width, height = text_width(words, 11.0) + 6.0, CHIP - 6.0
        at = (width / 2 + 3, CHIP / 2)
        inner = [svg.text(*at, words, dy=".35em", anchor="middle", size=11, fill=LIGHT.ink)]
    if told.get("fed") and (image or bars):
        inner.append(svg.text(width + 10, 12, "fed", size=10, fill=LIGHT.muted))
    left, width, height = box["x"] + box["w"] / 2 - width / 2 - 3, width + 6, height + 6
    top = box["y"] + 5.0 - height if above else box["y"] + box["h"] - 5.0
    ground = svg.rect(0, 0, width, height, rx=4, fill=LIGHT.ground, stroke=edge)
    drawn = svg.group(svg.element("title", told["full"]), ground, *inner, at=(left, top))
    return (left, top, left + width, top + height), drawn


def _box(box: dict[str, Any], state: str = "") -> svg.Markup:
    w, h = box["w"], box["h"]
    color = box["bar"][0][0] if box["bar"] else GREY
    stroke = mix(color, LIGHT.ink, 0.8)
    parts = [svg.element("title", box["title"])]
    if box["open"]:
        fill = mix(GREY, LIGHT.ground, 0.06 + 0.02 * (box["level"] % 2))
        edge = {"stroke": LANE, "stroke_dasharray": "6 4"} if box["lane"] else {"stroke": GREY}
        label = {"fill": LIGHT.ink, "stroke": fill, "stroke_width": 4, "paint_order": "stroke"}
        parts.append(svg.path(box["d"], fill=fill, stroke_opacity=0.6, **edge))
        parts.append(svg.text(14, 22, box["label"], bold=True, size=13, **label))
    else:
        if state == "now":
            parts.append(
                svg.rect(-4, -4, w + 8, h + 8, rx=9, fill="none", stroke=NOW, stroke_width=3)
            )
        dash = "4 2" if box["aside"] else None
        fill = mix(color, LIGHT.ground, box.get("tint", LIGHT.tint))
        outline = svg.path(
            box["d"], fill=fill, stroke=stroke, stroke_width=1.4, stroke_dasharray=dash
        )
        detail = svg.path(box["detail"], stroke=stroke, stroke_width=1.2) if box["detail"] else ""
        parts += [outline, detail] if box["kind"] == "variable" else [detail, outline]
        parts += _bar(box) if len(box["bar"]) > 1 else []
        parts += _words(box, stroke)
    return svg.group(*parts, at=(box["x"], box["y"]), opacity=DIM if box["dim"] else None)


def _bar(box: dict[str, Any]) -> list[svg.Markup]:
    """Draws the shares of the devices in a box."""
    parts, x = [], 8.0
    for color, share in box["bar"]:
        span = (box["w"] - 16) * share
        parts.append(svg.rect(x, box["h"] - 6, span, 3, fill=color))
        x += span
    return parts


def _words(box: dict[str, Any], stroke: str) -> list[svg.Markup]:
    """Draws the one or two lines of a closed box."""
    x, middle = box["w"] / 2, box["h"] / 2 + (2 if box["kind"] == "variable" else 0)
    how = {"dy": ".35em", "anchor": "middle"}
    mark = svg.element("tspan", f"{box['marker']} ", font_size=9, fill=stroke)
    name = svg.join(mark if box["marker"] else "", box["label"])
    at = middle - 7 if box["sub"] else middle
    parts = [svg.text(x, at, name, bold=True, size=13, fill=LIGHT.ink, **how)]
    if box["sub"]:
        fill = mix(LIGHT.ink, LIGHT.muted, 0.4)
        parts.append(svg.text(x, middle + 9, box["sub"], size=11, fill=fill, **how))
    return parts


def _legend(scene: dict[str, Any]) -> tuple[svg.Markup, float]:
    """Returns the legend as SVG elements from (0, 0) down, and its height."""
    if len(scene["legend"]) < 2:
        return svg.join(), 0.0
    limit = max(scene["width"], 260.0) - 20.0
    x, y, parts = 20.0, 8.0, []
    for entry in scene["legend"]:
        label = " ".join(filter(None, (entry["marker"], entry["label"])))
        span = text_width(label, 11.5) + 36.0
        if x > 20.0 and x + span > limit:
            x, y = 20.0, y + 22.0
        color, tint = entry["color"], entry.get("tint", max(LIGHT.tint, 0.3))
        fill = mix(color, LIGHT.ground, tint)
        parts.append(svg.rect(x, y - 6, 14, 12, rx=3, fill=fill, stroke=color))
        parts.append(svg.text(x + 20, y, label, dy=".35em", size=11.5, fill=LIGHT.ink))
        x += span
    return svg.join(*parts), y + 20.0
