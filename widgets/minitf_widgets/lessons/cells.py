"""Recurrent cells drawn at work: unrolled, at one moment, and their gates over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from minitf_widgets.lessons.figures import INK
from minitf_widgets.palette import PALETTE

__all__ = ["draw_gates", "draw_lstm", "draw_unrolled"]

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
        box = (t - 0.36, t + 0.36, 0.64, 0.82)
        axis.imshow([state], cmap=SIGNED, vmin=-limit, vmax=limit, extent=box, aspect="auto")
    _arrow(axis, (-0.8, 0), (-0.2, 0))
    axis.text(-0.62, 0.06, "$h_0 = 0$", ha="center", size=9)
    axis.text(-0.9, 0.68, "state", size=9)
    axis.text(-0.9, -0.88, "input", size=9)
    axis.set(xlim=(-1, len(states)), ylim=(-1.25, 0.95))
    axis.axis("off")
    axis.set_title("one cell, the same weights at each step", size=9)
    plt.show()


def draw_lstm(values: Mapping[str, Any], unit: int = 0) -> None:
    """Draws an LSTM cell at one moment, with the numbers of one of its units.

    Args:
      values: each [units]: "c" before and "new c" after, "h" before and "new h" after, the gates
        "forget", "input" and "output" from 0 (shut) to 1 (open), and the "candidate".
      unit: whose numbers are written.
    """
    figure, axis = plt.subplots(figsize=(9, 3.6))
    number = {name: float(np.asarray(each)[unit]) for name, each in values.items()}
    road, low = 2.0, 0.25
    for start, end in ((0.1, 2.0), (2.4, 4.6), (5.0, 9.6)):  # the memory's road
        _arrow(axis, (start, road), (end, road), 2.5)
    places = {"forget": 2.2, "input": 3.7, "candidate": 4.8, "output": 7.2}
    for name, x in places.items():
        colour = ORANGE if name == "candidate" else GREEN
        _box(axis, x, low, 0.9, 0.5, f"{name}\n{number[name]:+.2f}", colour)
        axis.plot([x, x], [-0.35, low - 0.27], color=INK, lw=1)
        if name != "candidate":  # how far the gate is open
            axis.barh(low + 0.36, 0.9 * number[name], left=x - 0.45, height=0.07, color=GREEN)
    axis.plot([0.1, 7.2], [-0.35, -0.35], color=INK, lw=1)
    axis.text(0.1, -0.27, f"$x_t$, and $h_{{t-1}}$ = {number['h']:+.2f}", size=9)
    _circle(axis, 2.2, road, "×")
    _circle(axis, 4.8, road, "+")
    _circle(axis, 4.8, 1.2, "×")
    _arrow(axis, (2.2, low + 0.42), (2.2, road - 0.2))
    _arrow(axis, (4.8, low + 0.27), (4.8, 1.0))
    _arrow(axis, (3.7, low + 0.42), (4.6, 1.15))
    _arrow(axis, (4.8, 1.4), (4.8, road - 0.2))
    _box(axis, 8.2, 1.55, 0.6, 0.3, "tanh", ORANGE)
    _circle(axis, 8.2, 0.8, "×")
    _arrow(axis, (8.2, road), (8.2, 1.72))
    _arrow(axis, (8.2, 1.4), (8.2, 1.0))
    _arrow(axis, (7.2, low + 0.42), (8.0, 0.77))
    _arrow(axis, (8.4, 0.8), (9.6, 0.8))
    axis.text(0.1, road + 0.1, f"memory $c_{{t-1}}$ = {number['c']:+.2f}", size=9)
    axis.text(6.0, road + 0.1, f"memory $c_t$ = {number['new c']:+.2f}", size=9)
    axis.text(8.7, 0.9, f"$h_t$ = {number['new h']:+.2f}", size=9)
    axis.set(xlim=(0, 9.8), ylim=(-0.5, 2.4))
    axis.axis("off")
    axis.set_title(f"unit {unit}: what is kept, what comes in, what goes out", size=9)
    plt.show()


def draw_gates(rows: Mapping[str, Any], signed: Sequence[str] = ("memory", "state")) -> None:
    """Draws what gates and memory did over time: a picture a row, [time, units] each.

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
    axes[-1, 0].xaxis.get_major_locator().set_params(integer=True)
    plt.show()


def _box(
    axis: Axes, x: float, y: float, width: float, height: float, text: str, colour: str
) -> None:
    corner = (x - width / 2, y - height / 2)
    style = "round,pad=0,rounding_size=0.06"
    axis.add_patch(FancyBboxPatch(corner, width, height, boxstyle=style, fc=colour, ec="none"))
    axis.text(x, y, text, ha="center", va="center", size=8, color="black")


def _circle(axis: Axes, x: float, y: float, sign: str) -> None:
    words = {"ha": "center", "va": "center", "size": 13, "color": "black"}
    axis.text(x, y, sign, bbox={"boxstyle": "circle,pad=0.15", "fc": SKY, "ec": "none"}, **words)


def _arrow(axis: Axes, start: tuple[float, float], end: tuple[float, float], lw: float = 1) -> None:
    style = {"arrowstyle": "-|>", "color": INK, "lw": lw, "shrinkA": 0, "shrinkB": 0}
    axis.annotate("", end, start, arrowprops=style)
