"""A graph's scene as an SVG document that stands alone: the static picture.

It is readable on light and dark pages alike, since it brings its own ground.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from minitf_widgets import svg
from minitf_widgets.colors import GREY, color_of, inked, mix
from minitf_widgets.graph.shapes import MARKER, NAME, SMALL, text_width
from minitf_widgets.svg import LIGHT

__all__ = ["draw_svg"]

LANE = color_of("gradient")  # the frame of the gradient part
DIM = 0.28  # opacity of what a highlighted run does not need
NOW, BAD, CONTROL = map(color_of, ("now", "wrong", "control"))  # what runs, and what is not finite


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
    values = values or {"states": [""] * len(scene["boxes"]), "chips": {}, "wires": {}}
    legend, legend_height = _legend(scene)
    width = max(scene["width"], 260.0)
    bottom = scene["height"] + (16.0 if values["chips"] else 0.0)
    out = [_box(box, state) for box, state in zip(scene["boxes"], values["states"])]
    for wire in scene["wires"]:
        dim = DIM if wire["dim"] else None
        color, dash = (inked(CONTROL), "5 3") if wire["kind"] == "control" else (LIGHT.wire, None)
        line = {"stroke": color, "stroke_width": wire["width"], "stroke_dasharray": dash}
        out.append(svg.path(wire["d"], **line, opacity=dim))
        if wire["head"]:
            out.append(svg.path(wire["head"], fill=color, opacity=dim))
    on_ground = {"stroke": LIGHT.ground, "stroke_width": 3, "paint_order": "stroke"}
    hidden = {wire for chip, _ in values["chips"].values() for wire in chip["hides"]}
    for wire in scene["wires"]:
        if wire["label"] and not wire["dim"] and wire["id"] not in hidden:
            words = values["wires"].get(wire["id"], wire["label"])
            how = {"dy": ".35em", "size": SMALL, "fill": LIGHT.muted, **on_ground}
            out.append(svg.text(wire["lx"], wire["ly"], words, **how))
    out += [_chip(chip, told) for chip, told in values["chips"].values()]
    for note in scene["notes"]:
        how = {"size": SMALL, "letter_spacing": ".06em", "fill": LIGHT.muted}
        out.append(svg.text(note["x"], note["y"], note["text"], **how))
    return svg.document(
        width,
        bottom + legend_height,
        svg.group(*out, at=((width - scene["width"]) / 2, 0)),
        svg.group(legend, at=(0, bottom)),
        title=caption or "a computation graph",
    )


def _chip(chip: Mapping[str, Any], told: Mapping[str, Any]) -> svg.Markup:
    """Draws the value of a box: an image, a histogram or a text."""
    bad = told.get("bad") or told["type"] == "error"
    edge = BAD if bad else mix(NOW, LIGHT.ink, 0.8)
    image, bars = told.get("image"), None if bad else told.get("bars")
    width, height = chip["w"] - 6, chip["h"] - 6
    if image:
        pixels = {"href": image["src"], "style": "image-rendering:pixelated"}
        inner = [svg.element("image", x=3, y=3, width=width, height=height, **pixels)]
    elif bars:
        step = width / len(bars)
        tall = [height * count / max(bars) for count in bars]
        inner = [
            svg.rect(3 + step * k, 3 + height - each, step * 0.8, each, fill=edge)
            for k, each in enumerate(tall)
        ]
    else:
        how = {"dy": ".35em", "anchor": "middle", "size": SMALL, "fill": LIGHT.ink}
        inner = [svg.text(width / 2 + 3, height / 2 + 3, chip["text"], **how)]
    if told.get("fed") and (image or bars):
        inner.append(svg.text(width + 10, 12, "fed", size=SMALL, fill=LIGHT.muted))
    ground = svg.rect(0, 0, width + 6, height + 6, rx=4, fill=LIGHT.ground, stroke=edge)
    title = svg.element("title", chip["full"])
    return svg.group(title, ground, *inner, at=(chip["x"], chip["y"]))


def _box(box: dict[str, Any], state: str = "") -> svg.Markup:
    w, h = box["w"], box["h"]
    color = box["bar"][0][0] if box["bar"] else GREY
    stroke = inked(color)
    parts = [svg.element("title", box["title"])]
    if box["open"]:
        fill = mix(GREY, LIGHT.ground, 0.06 + 0.02 * (box["level"] % 2))
        edge = {"stroke": LANE, "stroke_dasharray": "6 4"} if box["lane"] else {"stroke": GREY}
        label = {"fill": LIGHT.ink, "stroke": fill, "stroke_width": 4, "paint_order": "stroke"}
        parts.append(svg.path(box["d"], fill=fill, stroke_opacity=0.6, **edge))
        parts.append(svg.text(14, 22, box["label"], bold=True, size=NAME, **label))
    else:
        if state == "now":
            ring = {"rx": 9, "fill": "none", "stroke": NOW, "stroke_width": 3}
            parts.append(svg.rect(-4, -4, w + 8, h + 8, **ring))
        dash = "4 2" if box["aside"] else None
        fill = mix(color, LIGHT.ground, box.get("tint", LIGHT.tint))
        line = {"stroke": stroke, "stroke_width": 1.4, "stroke_dasharray": dash}
        outline = svg.path(box["d"], fill=fill, **line)
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
    mark = svg.element("tspan", f"{box['marker']} ", font_size=MARKER, fill=stroke)
    name = svg.join(mark if box["marker"] else "", box["label"])
    at = middle - 7 if box["sub"] else middle
    parts = [svg.text(x, at, name, bold=True, size=NAME, fill=LIGHT.ink, **how)]
    if box["sub"]:
        fill = mix(LIGHT.ink, LIGHT.muted, 0.4)
        parts.append(svg.text(x, middle + 9, box["sub"], size=SMALL, fill=fill, **how))
    return parts


def _legend(scene: dict[str, Any]) -> tuple[svg.Markup, float]:
    """Returns the legend as SVG elements from (0, 0) down, and its height."""
    if len(scene["legend"]) < 2:
        return svg.join(), 0.0
    limit = max(scene["width"], 260.0) - 20.0
    x, y, parts = 20.0, 8.0, []
    for entry in scene["legend"]:
        label = " ".join(filter(None, (entry["marker"], entry["label"])))
        span = text_width(label, SMALL) + 36.0
        if x > 20.0 and x + span > limit:
            x, y = 20.0, y + 22.0
        color, tint = entry["color"], entry.get("tint", max(LIGHT.tint, 0.3))
        fill = mix(color, LIGHT.ground, tint)
        parts.append(svg.rect(x, y - 6, 14, 12, rx=3, fill=fill, stroke=color))
        parts.append(svg.text(x + 20, y, label, dy=".35em", size=SMALL, fill=LIGHT.ink))
        x += span
    return svg.join(*parts), y + 20.0
