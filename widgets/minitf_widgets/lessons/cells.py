"""Recurrent cells drawn at work: unrolled, at one moment, and their gates over time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch, Rectangle

from minitf_widgets import svg
from minitf_widgets.lessons.figures import INK
from minitf_widgets.svg import PALETTE

__all__ = ["draw_gates", "draw_unrolled", "lstm_svg"]

SKY, ORANGE, GREEN = (swatch.color for swatch in PALETTE[:3])
SIGNED = "RdBu_r"


def draw_unrolled(inputs: Sequence[Any], states: Sequence[Any]) -> None:
    """Draws a recurrent cell unrolled in time: inputs from below, the state handed to the right.

    Args:
      inputs: of each step, a row of numbers [d].
      states: after each step, a row of numbers [units].
    """
    figure, axis = plt.subplots(figsize=(9, 3.0))
    limit = max(np.abs(each).max() for each in states)
    for t, (read, state) in enumerate(zip(inputs, states, strict=True)):
        _box(axis, t, 0, 0.36, 0.5, "cell", SKY)
        _arrow(axis, (t, -0.72), (t, -0.27))
        _arrow(axis, (t, 0.27), (t, 0.62))
        _arrow(axis, (t + 0.2, 0), (t + 0.8, 0))
        axis.text(t + 0.5, 0.06, f"$h_{{{t + 1}}}$", ha="center", size=9)
        axis.text(t, -1.12, f"row {t + 1}", ha="center", size=9)
        box = (t - 0.36, t + 0.36, -0.92, -0.74)
        axis.imshow([read], cmap="gray_r", vmin=0, vmax=1, extent=box, aspect="auto")
        frame = {"fill": False, "edgecolor": INK, "linewidth": 0.8}
        axis.add_patch(Rectangle((t - 0.36, -0.92), 0.72, 0.18, **frame))
        box = (t - 0.36, t + 0.36, 0.64, 0.82)
        axis.imshow([state], cmap=SIGNED, vmin=-limit, vmax=limit, extent=box, aspect="auto")
    _arrow(axis, (-0.8, 0), (-0.2, 0))
    axis.text(-0.62, 0.06, "$h_0 = 0$", ha="center", size=9)
    axis.text(-0.9, 0.68, "state", size=9)
    axis.text(-0.9, -0.88, "input", size=9)
    axis.set(xlim=(-1, len(states)), ylim=(-1.25, 0.95))
    axis.axis("off")
    axis.set_title("one cell, the same weights at each step", size=9)
    figure.set_label(
        f"a cell unrolled: {len(states)} steps, each takes a row and hands on its state"
    )
    plt.show()


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
    figure, axes = plt.subplots(
        len(rows), 1, figsize=(9, 0.75 * len(rows) + 0.4), sharex=True, squeeze=False
    )
    for axis, (name, values) in zip(axes[:, 0], rows.items(), strict=True):
        table = np.asarray(values).T
        limit = np.abs(table).max() or 1.0
        limits = (-limit, limit) if name in signed else (0.0, 1.0)
        colours = SIGNED if name in signed else "Greens"
        shown = axis.imshow(table, cmap=colours, vmin=limits[0], vmax=limits[1], aspect="auto")
        axis.set_ylabel(name, rotation=0, ha="right", va="center")
        axis.set_yticks([])
        axis.spines[:].set(visible=True, linewidth=0.8)
        figure.colorbar(shown, ax=axis, aspect=5)
    axes[-1, 0].set_xlabel("step")
    figure.set_label(f"over {len(table[0])} steps, a row of colours a unit: {', '.join(rows)}")
    axes[-1, 0].xaxis.get_major_locator().set_params(integer=True)
    plt.show()


def _box(
    axis: Axes, x: float, y: float, width: float, height: float, text: str, colour: str
) -> None:
    corner = (x - width / 2, y - height / 2)
    style = "round,pad=0,rounding_size=0.06"
    axis.add_patch(FancyBboxPatch(corner, width, height, boxstyle=style, fc=colour, ec="none"))
    axis.text(x, y, text, ha="center", va="center", size=8, color="black")


def _arrow(axis: Axes, start: tuple[float, float], end: tuple[float, float], lw: float = 1) -> None:
    style = {"arrowstyle": "-|>", "color": INK, "lw": lw, "shrinkA": 0, "shrinkB": 0}
    axis.annotate("", end, start, arrowprops=style)
