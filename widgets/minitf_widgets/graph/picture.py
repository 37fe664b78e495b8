"""A graph's scene as an SVG document that stands alone: the static picture.

The picture brings its own ground, since an `<img>` sees nothing of the page's theme; it is readable
on light and dark pages alike. Labels sit on the colours' light tints, lines carry dashes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from minitf_widgets.graph.shapes import Rect, text_width
from minitf_widgets.palette import GREY, PALETTE, mix
from minitf_widgets.text import escape

__all__ = ["draw_svg"]

LANE = PALETTE[3].color  # the frame of the gradient part
DIM = ' opacity=".28"'  # of what a highlighted run does not need
NOW, BAD = PALETTE[5].color, PALETTE[4].color  # what runs, and what is not finite
CHIP = 17.0  # the height of a value's text below its box
BAR, HIGH = 3.0, 16.0  # of a histogram: the width of a bar, the height of the highest
SHORT = 9  # characters of a value that takes the place of its wire's shape
OVER = 28.0  # how much wider than its box a value may be
PICTURE = 34.0  # the most height of an image

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


@dataclasses.dataclass(frozen=True)
class Look:
    """The colours of a picture, and how much of a box's own colour goes into its ground."""

    ground: str
    ink: str
    muted: str
    wire: str
    tint: float


THEMES = {
    "light": Look("#ffffff", "#1f2328", "#59636e", "#7d8590", 0.17),
    "dark": Look("#111418", "#eceff2", "#a3acb6", "#8b949e", 0.28),
}


def draw_svg(
    scene: dict[str, Any],
    theme: str = "light",
    caption: str = "",
    values: Mapping[str, Any] | None = None,
) -> str:
    """Draws a scene.

    Args:
      scene: what `build_scene` returned.
      theme: "light" or "dark".
      caption: said first to readers who hear the picture.
      values: what `shown` told of a step of a run.
    Returns: the text of an SVG document.
    """
    look = THEMES[theme]
    values = values or {"states": [""] * len(scene["boxes"]), "boxes": {}, "wires": {}}
    legend, legend_height = _legend(scene, look)
    width = max(scene["width"], 260.0)
    bottom = scene["height"] + (16.0 if values["boxes"] else 0.0)
    height = bottom + legend_height
    left = (width - scene["width"]) / 2
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" font-family="{FONT}" font-size="13" role="img">',
        f"<title>{escape(caption or 'a computation graph')}</title>",
        f'<rect width="{width:g}" height="{height:g}" rx="8" fill="{look.ground}"/>',
        f'<g transform="translate({left:g} 0)">',
    ]
    for box, state in zip(scene["boxes"], values["states"]):
        out.append(_box(box, look, state))
    for wire in scene["wires"]:
        dash = ' stroke-dasharray="5 3"' if wire["kind"] == "control" else ""
        dash += DIM if wire["dim"] else ""
        out.append(
            f'<path d="{wire["d"]}" fill="none" stroke="{look.wire}" '
            f'stroke-width="{wire["width"]}"{dash}/>'
        )
        if wire["head"]:
            dim = DIM if wire["dim"] else ""
            out.append(f'<path d="{wire["head"]}" fill="{look.wire}"{dim}/>')
    backward = _backward(scene)
    chips = [
        _chip(box, told, look, box["id"] in backward)
        for box, told in ((scene["boxes"][place], told) for place, told in values["boxes"].items())
    ]
    for wire in scene["wires"]:
        told = values["wires"].get(wire["id"], {})
        short = told and "bars" not in told and len(told["text"]) <= SHORT
        text = told["text"] if short else wire["label"]
        clear = not any(_covers(chip, wire, text) for chip, _ in chips)
        if wire["label"] and not wire["dim"] and clear:
            out.append(
                f'<text x="{wire["lx"]}" y="{wire["ly"]}" dy=".35em" font-size="10.5" '
                f'fill="{look.muted}" stroke="{look.ground}" stroke-width="3" paint-order="stroke">'
                f"{escape(text)}</text>"
            )
    out += [chip for _, chip in chips]
    for note in scene["notes"]:
        out.append(
            f'<text x="{note["x"]}" y="{note["y"]}" font-size="10.5" letter-spacing=".06em" '
            f'fill="{look.muted}">{escape(note["text"])}</text>'
        )
    out += ["</g>", f'<g transform="translate(0 {bottom:g})">{legend}</g>', "</svg>"]
    return "\n".join(out)


def _backward(scene: Mapping[str, Any]) -> set[str]:
    """The ids of the boxes in lanes, where values flow up and so stand above their boxes."""
    found: set[str] = set()
    lanes = {box["id"] for box in scene["boxes"] if box["lane"]}
    for box in scene["boxes"]:  # parents first
        if box["parent"] in found | lanes:
            found.add(box["id"])
    return found


def _covers(chip: Rect, wire: Mapping[str, Any], text: str) -> bool:
    """Whether a value hides the label of a wire."""
    left, top, right, bottom = chip
    x, y = wire["lx"], wire["ly"]
    return x < right and x + text_width(text, 10.5) > left and y - 5 < bottom and y + 5 > top


def _chip(
    box: dict[str, Any], told: Mapping[str, Any], look: Look, above: bool
) -> tuple[Rect, str]:
    """Draws a value at its box: an image, a histogram or a text; returns where, and the SVG."""
    bad = told.get("bad") or told["type"] == "error"
    edge = BAD if bad else mix(NOW, look.ink, 0.8)
    image, bars = told.get("image"), None if bad else told.get("bars")
    if image:
        height = min(PICTURE, image["h"] * 2.0)
        width = height * image["w"] / image["h"]
        inner = (
            f'<image href="{image["src"]}" x="3" y="3" width="{width:.1f}" '
            f'height="{height:.1f}" style="image-rendering:pixelated"/>'
        )
    elif bars:
        width, height = BAR * len(bars), HIGH
        tall = [HIGH * count / max(bars) for count in bars]
        inner = "".join(
            f'<rect x="{3 + BAR * k:.1f}" y="{3 + HIGH - each:.1f}" '
            f'width="{BAR - 0.6:g}" height="{each:.1f}" fill="{edge}"/>'
            for k, each in enumerate(tall)
        )
    else:
        text = f"fed {told['text']}" if told.get("fed") else told["text"]
        while len(text) > 2 and text_width(text, 11.0) > box["w"] + OVER:
            text = f"{text[:-2]}…"
        width, height = text_width(text, 11.0) + 6.0, CHIP - 6.0
        inner = (
            f'<text x="{width / 2 + 3:.1f}" y="{CHIP / 2:g}" dy=".35em" text-anchor="middle" '
            f'font-size="11" fill="{look.ink}">{escape(text)}</text>'
        )
    fed = _fed(width + 6, look) if told.get("fed") and (image or bars) else ""
    left, width, height = box["x"] + box["w"] / 2 - width / 2 - 3, width + 6, height + 6
    top = box["y"] + 5.0 - height if above else box["y"] + box["h"] - 5.0
    return (left, top, left + width, top + height), (
        f'<g transform="translate({left:.1f} {top:.1f})"><title>{escape(told["full"])}</title>'
        f'<rect width="{width:.1f}" height="{height:.1f}" rx="4" fill="{look.ground}" '
        f'stroke="{edge}"/>{inner}{fed}</g>'
    )


def _fed(width: float, look: Look) -> str:
    """Draws the word behind a value that the caller gave."""
    return f'<text x="{width + 4:g}" y="12" font-size="10" fill="{look.muted}">fed</text>'


def _box(box: dict[str, Any], look: Look, state: str = "") -> str:
    w, h = box["w"], box["h"]
    color = box["bar"][0][0] if box["bar"] else GREY
    stroke = mix(color, look.ink, 0.8)
    place = f"translate({box['x']} {box['y']})"
    dim = DIM if box["dim"] else ""
    parts = [f'<g transform="{place}"{dim}><title>{escape(box["title"])}</title>']
    if box["open"]:
        fill = mix(GREY, look.ground, 0.06 + 0.02 * (box["level"] % 2))
        edge = f'{LANE}" stroke-dasharray="6 4' if box["lane"] else GREY
        parts.append(f'<path d="{box["d"]}" fill="{fill}" stroke="{edge}" stroke-opacity=".6"/>')
        parts.append(
            f'<text x="14" y="22" font-weight="600" fill="{look.ink}" stroke="{fill}" '
            f'stroke-width="4" paint-order="stroke">{escape(box["label"])}</text></g>'
        )
        return "".join(parts)
    if state == "now":
        parts.append(
            f'<rect x="-4" y="-4" width="{w + 8:g}" height="{h + 8:g}" rx="9" fill="none" '
            f'stroke="{NOW}" stroke-width="3"/>'
        )
    if box["detail"] and box["kind"] != "variable":
        parts.append(
            f'<path d="{box["detail"]}" fill="none" stroke="{stroke}" stroke-width="1.2"/>'
        )
    fill = mix(color, look.ground, box.get("tint", look.tint))
    dash = ' stroke-dasharray="4 2"' if box["aside"] else ""
    parts.append(f'<path d="{box["d"]}" fill="{fill}" stroke="{stroke}" stroke-width="1.4"{dash}/>')
    if box["detail"] and box["kind"] == "variable":
        parts.append(
            f'<path d="{box["detail"]}" fill="none" stroke="{stroke}" stroke-width="1.2"/>'
        )
    if len(box["bar"]) > 1:
        x = 8.0
        for bar_color, share in box["bar"]:
            span = (w - 16) * share
            parts.append(
                f'<rect x="{x:.1f}" y="{h - 6:g}" width="{span:.1f}" height="3" '
                f'fill="{bar_color}"/>'
            )
            x += span
    shift = 2 if box["kind"] == "variable" else 0
    middle = h / 2 + shift
    at = middle if not box["sub"] else middle - 7
    mark = ""
    if box["marker"]:
        mark = f'<tspan font-size="9" fill="{stroke}">{escape(box["marker"])}</tspan> '
    parts.append(
        f'<text x="{w / 2:g}" y="{at:g}" dy=".35em" text-anchor="middle" font-weight="600" '
        f'fill="{look.ink}">{mark}{escape(box["label"])}</text>'
    )
    if box["sub"]:
        parts.append(
            f'<text x="{w / 2:g}" y="{middle + 9:g}" dy=".35em" text-anchor="middle" '
            f'font-size="11" fill="{mix(look.ink, look.muted, 0.4)}">{escape(box["sub"])}</text>'
        )
    return "".join(parts) + "</g>"


def _legend(scene: dict[str, Any], look: Look) -> tuple[str, float]:
    """Returns the legend as SVG elements from (0, 0) down, and its height."""
    if len(scene["legend"]) < 2:
        return "", 0.0
    limit = max(scene["width"], 260.0) - 20.0
    x, y, parts = 20.0, 8.0, []
    for entry in scene["legend"]:
        label = " ".join(filter(None, (entry["marker"], entry["label"])))
        span = text_width(label, 11.5) + 36.0
        if x > 20.0 and x + span > limit:
            x, y = 20.0, y + 22.0
        color, tint = entry["color"], entry.get("tint", max(look.tint, 0.3))
        parts.append(
            f'<g transform="translate({x:g} {y:g})"><rect y="-6" width="14" height="12" rx="3" '
            f'fill="{mix(color, look.ground, tint)}" stroke="{color}"/>'
            f'<text x="20" dy=".35em" font-size="11.5" fill="{look.ink}">{escape(label)}</text></g>'
        )
        x += span
    return "".join(parts), y + 20.0
