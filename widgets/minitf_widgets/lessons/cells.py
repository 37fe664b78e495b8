"""Recurrent cells drawn at work: unrolled, at one moment, and their gates over time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from minitf_widgets import svg
from minitf_widgets.chart import format_value
from minitf_widgets.colors import PALETTE
from minitf_widgets.lessons.drawings import INK, pixels, show
from minitf_widgets.pictures import GREYS, SIGNED

__all__ = ["draw_gates", "draw_unrolled", "lstm_svg"]

SKY, ORANGE, GREEN = (swatch.color for swatch in PALETTE[:3])
GATES = ("#ffffff", "#1b7837")


def draw_unrolled(inputs: Sequence[Any], states: Sequence[Any]) -> None:
    """Draws a recurrent cell unrolled in time: inputs from below, the state handed to the right.

    Args:
      inputs: of each step, a row of numbers [d].
      states: after each step, a row of numbers [units].
    """
    limit, wide, drawn = max(np.abs(each).max() for each in states), 84, []
    for t, (read, state) in enumerate(zip(inputs, states, strict=True)):
        x = 60 + wide * t
        drawn.append(pixels([state], (x, 10, 60, 16), -limit, limit, SIGNED))
        drawn.append(pixels([read], (x, 154, 60, 16), 0.0, 1.0, GREYS))
        drawn.append(svg.rect(x + 12, 70, 36, 40, rx=6, fill=SKY))
        drawn.append(svg.text(x + 30, 94, "cell", anchor="middle", fill="#000"))
        wires = ((x + 30, 150), (x + 30, 114)), ((x + 30, 68), (x + 30, 30))
        for start, end in (*wires, ((x - 36, 90), (x + 10, 90))):
            drawn += _wire(start, end)
        drawn.append(_words(x - 30, 84, f"h{t}" if t else "0"))
        drawn.append(svg.text(x + 30, 186, f"row {t + 1}", anchor="middle", fill=INK))
    drawn += [_words(0, 22, "state"), _words(0, 166, "input")]
    drawn += _wire((60 + wide * len(states) - 36, 90), (60 + wide * len(states), 90))
    words = f"a cell unrolled: {len(states)} steps, each takes a row and hands on its state"
    show(svg.document(64 + wide * len(states), 192, *drawn, ground=""), words)


def lstm_svg(values: Mapping[str, Any], unit: int = 0, words: str = "") -> str:
    """Returns an LSTM cell at one moment as SVG, with the numbers of one of its units.

    Args:
      values: each [units]: "c" before and "new c" after, "h" before and "new h" after, the gates
        "forget", "input" and "output" from 0 (shut) to 1 (open), and the "candidate".
      unit: whose numbers are written.
      words: what stands above.
    """
    number = {name: float(np.asarray(each)[unit]) for name, each in values.items()}
    road, gates = 62, {"forget": 140, "input": 246, "candidate": 346, "output": 470}
    drawn = [_words(6, 18, words)]
    for left, right in ((6, 124), (156, 330), (362, 640)):  # the memory's road
        drawn += _wire((left, road), (right, road), wide=3)
    for start, end in (
        *(((560, road), (560, 84)), ((560, 112), (560, 130)), ((576, 146), (640, 146))),
        *(((140, 178), (140, road + 18)), ((346, 190), (346, 150)), ((246, 178), (330, 138))),
        *(((346, 118), (346, road + 18)), ((470, 178), (543, 151))),
    ):
        drawn += _wire(start, end)
    drawn += _wire((6, 250), (470, 250), head=False)
    for name, x in gates.items():
        drawn += _wire((x, 250), (x, 230), head=False)
        drawn += _block(x, 210, 84, 38, f"{name} {number[name]:+.2f}", name == "candidate")
        if name != "candidate":  # how far the gate is open
            drawn.append(svg.rect(x - 42, 180, 84, 7, fill="none", stroke=INK, stroke_width=0.7))
            drawn.append(svg.rect(x - 42, 180, 84 * number[name], 7, fill=GREEN))
    drawn += _block(560, 98, 56, 26, "tanh", True)
    for x, y, sign in ((140, road, "×"), (346, road, "+"), (346, 133, "×"), (560, 146, "×")):
        drawn.append(svg.circle(x, y, 14, fill=SKY))
        drawn.append(svg.text(x, y + 6, sign, anchor="middle", size=18, fill="#000"))
    drawn.append(_words(6, road - 12, f"memory {number['c']:+.2f}"))
    drawn.append(_words(400, road - 12, f"memory {number['new c']:+.2f}"))
    drawn.append(_words(584, 136, f"h {number['new h']:+.2f}"))
    drawn.append(_words(6, 268, f"the input x, and h of the step before, {number['h']:+.2f}"))
    return svg.document(648, 276, *drawn, ground="")


def _words(x: float, y: float, text: str) -> svg.Markup:
    return svg.text(x, y, text, size=13, fill=INK)


def _block(
    x: float, y: float, width: float, height: float, text: str, orange: bool
) -> list[svg.Markup]:
    """A rounded box around (x, y) with up to two lines of text."""
    fill = ORANGE if orange else GREEN
    drawn = [svg.rect(x - width / 2, y - height / 2, width, height, rx=6, fill=fill)]
    lines = text.split()
    for line, each in enumerate(lines):
        down = y + 5 + 15 * (line - (len(lines) - 1) / 2)
        drawn.append(svg.text(x, down, each, anchor="middle", size=13, fill="#000"))
    return drawn


def _wire(
    start: tuple[int, int], end: tuple[int, int], wide: float = 1.4, head: bool = True
) -> list[svg.Markup]:
    """A line, with the head of an arrow at its end."""
    line = f"M{start[0]} {start[1]}L{end[0]} {end[1]}"
    turned = math.degrees(math.atan2(end[1] - start[1], end[0] - start[0]))
    place = f"translate({end[0]} {end[1]}) rotate({turned:.1f})"
    tip = svg.path("M2 0L-8 -4.5V4.5Z", fill=INK, transform=place)
    return [svg.path(line, stroke=INK, stroke_width=wide), *([tip] if head else ())]


def draw_gates(rows: Mapping[str, Any], signed: Sequence[str] = ("memory", "state")) -> None:
    """Draws what gates and memory did over time: one plot for each row, [time, units].

    Args:
      rows: by name; gates from 0 (shut, white) to 1 (open, green).
      signed: the names of those that may be negative.
    """
    drawn, left, wide = [], 20 + 8 * max(map(len, rows)), 540.0
    for place, (name, values) in enumerate(rows.items()):
        table, y = np.asarray(values).T, 66 * place + 4
        limit = np.abs(table).max() or 1.0
        low, top, stops = (-limit, limit, SIGNED) if name in signed else (0.0, 1.0, GATES)
        drawn.append(svg.text(left - 10, y + 32, name, anchor="end", fill=INK))
        scale = np.linspace(top, low, 28)[:, None]
        drawn.append(pixels(table, (left, y, wide, 56), low, top, stops))
        drawn.append(pixels(scale, (left + wide + 8, y, 10, 56), low, top, stops))
        for value, at in ((top, y + 10), (low, y + 56)):
            drawn.append(svg.text(left + wide + 23, at, format_value(value, 2), fill=INK))
    steps = len(table[0])
    drawn.append(svg.text(left, 66 * len(rows) + 14, f"steps 1 to {steps}", fill=INK))
    words = f"over {steps} steps, a row of colours a unit: {', '.join(rows)}"
    show(svg.document(left + wide + 70, 66 * len(rows) + 20, *drawn, ground=""), words)
