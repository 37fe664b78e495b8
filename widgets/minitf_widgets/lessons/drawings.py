"""The lessons' drawings, so that their cells hold what is taught and not how it is drawn."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from matplotlib.layout_engine import PlaceHolderLayoutEngine

from minitf_widgets import svg
from minitf_widgets.lessons.figures import INK
from minitf_widgets.svg import PALETTE

__all__ = [
    "COURSE",
    "Diary",
    "belt_svg",
    "draw_bars",
    "draw_bytes",
    "draw_course",
    "draw_curves",
    "draw_images",
    "draw_lanes",
    "draw_orders",
    "draw_stages",
    "draw_tiles",
]

SKY, ORANGE, GREEN, PURPLE = (swatch.color for swatch in PALETTE[:4])

COURSE = {
    "first steps": ("0 first light", "1 tensors", "2 graphs", "3 gradients"),
    "networks, and how they run": ("4 convolutions", "5 sequences", "6 session", "7 debugging"),
    "data and training": ("8 pipelines", "9 Keras", "10 estimators", "11 checkpoints"),
    "many machines": ("12 devices", "13 clusters", "14 scripts", "15 synchronous", "16 faults"),
    "beyond TensorFlow 1": ("17 what came after",),
}


def _finish(figure: Figure, words: str, show: bool = True) -> Figure | None:
    """Shows a figure, or returns it; `words` tell it to who cannot see it."""
    figure.set_label(words)
    if not show:
        plt.close(figure)
        return figure
    plt.show()
    return None


def draw_tiles(rows: Mapping[str, Iterable[object]], top: float = 11) -> None:
    """Draws rows of numbers, a tile for each; a gap follows each batch.

    Args:
      rows: by title, the elements: numbers, or batches [n] of numbers.
      top: the number with the lightest colour.
    """
    figure, axis = plt.subplots(figsize=(9, 0.62 * len(rows) + 0.3))
    for row, elements in enumerate(rows.values()):
        place = 0.0
        for element in elements:
            for value in np.atleast_1d(element):
                colour = plt.colormaps["viridis"](int(value) / top)
                axis.barh(row, 0.94, left=place, height=0.75, color=colour)
                ink = "white" if value < 0.6 * top else "black"
                axis.text(place + 0.47, row, value, ha="center", va="center", size=8, color=ink)
                place += 1
            place += 0.5 * (np.ndim(element) > 0)
    axis.set_yticks(range(len(rows)), list(rows), family="monospace")
    axis.invert_yaxis()
    axis.set_xticks([])
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    told = (f"{name}: {' '.join(map(str, elements))}" for name, elements in rows.items())
    _finish(figure, "; ".join(told))


def draw_lanes(
    runs: Mapping[str, Sequence[tuple[str, int, float, float]]], until: float = math.inf
) -> None:
    """Draws who worked when: one plot for each run, a lane for each stage, a bar for each element.

    Bars of even elements lie higher than those of odd ones, so that one can see two at a time.

    Args:
      runs: by title, the entries (stage, number of the element, start, end), times in seconds.
      until: bars that end later than this, in seconds after the first start, are left out; the
        titles tell the whole time.
    """
    lanes = list(dict.fromkeys(entry[0] for entries in runs.values() for entry in entries))
    size = (9, (0.35 + 0.4 * len(lanes)) * len(runs) + 0.3)
    figure, axes = plt.subplots(len(runs), 1, figsize=size, sharex=True, squeeze=False)
    for axis, (title, entries) in zip(axes[:, 0], runs.items(), strict=True):
        first, last = min(entry[2] for entry in entries), max(entry[3] for entry in entries)
        for stage, element, start, end in entries:
            if end - first > until:
                continue
            lane = lanes.index(stage)
            left, width, place = (
                1e3 * (start - first),
                1e3 * (end - start),
                lane + element % 2 * 0.4 - 0.2,
            )
            colour = (ORANGE, SKY, GREEN, PURPLE)[lane % 4]
            axis.barh(place, width, left=left, height=0.4, color=colour)
            middle = left + width / 2
            axis.text(
                middle, place, element, ha="center", va="center_baseline", size=7, color="black"
            )
        cut = f", the first {1e3 * until:.0f} ms" if last - first > until else ""
        axis.set_title(f"{title}: {1e3 * (last - first):.0f} ms{cut}", loc="left")
        axis.set_yticks(range(len(lanes)), lanes)
        axis.invert_yaxis()
    axes[-1, 0].set_xlabel("milliseconds")
    plt.show()


def draw_bytes(path: str | Path, columns: int = 24) -> None:
    """Draws a TFRecord file as a table of bytes, coloured by what they are; letters as letters."""
    content = Path(path).read_bytes()
    colours: list[str] = []
    while len(colours) < len(content):
        length = int.from_bytes(content[len(colours) : len(colours) + 8], "little")
        colours += [ORANGE] * 8 + [PURPLE] * 4 + [SKY] * length + [PURPLE] * 4
    rows = -(-len(content) // columns)
    figure, axis = plt.subplots(figsize=(9, 0.3 * rows + 0.5))
    for number, (byte, colour) in enumerate(zip(content, colours, strict=True)):
        y, x = divmod(number, columns)
        axis.add_patch(plt.Rectangle((x, y), 0.94, 0.94, color=colour))
        text, size = (chr(byte), 9) if 32 < byte < 127 else (f"{byte:02x}", 6)
        words = {"ha": "center", "va": "center", "family": "monospace", "color": "black"}
        axis.text(x + 0.47, y + 0.47, text, size=size, **words)
    axis.set(xlim=(0, columns), ylim=(rows, 0))
    axis.set_title("orange: length    purple: checksum    blue: the data", loc="left")
    axis.axis("off")
    plt.show()


def draw_images(
    images: Sequence[Any],
    titles: Sequence[object] = (),
    rows: int = 1,
    signed: bool = False,
    numbers: bool = False,
    show: bool = True,
) -> Figure | None:
    """Draws images [h, w] side by side, each in a frame.

    Args:
      images: numbers of any range; all images have one scale.
      titles: a caption for each; none by default.
      rows: in how many rows.
      signed: white is 0, red is positive and blue negative, and a scale says how much; otherwise
        from white (the least value) to black.
      numbers: whether each pixel has its number on it.
      show: whether to show it; else it is returned, for the picture of a `Live`.
    """
    columns = -(-len(images) // rows)
    lines = max((1 + str(title).count("\n") for title in titles), default=0)
    side, head = min(1.5, 8.6 / columns), 0.1 + 0.05 * (lines > 0) + 0.16 * lines
    alone = columns == 1  # whose title may be longer than the picture is wide
    longest = max((len(str(title)) for title in titles), default=0) if alone else 0
    wide, high = max(side * columns + 0.8 * signed, 0.085 * longest), (side + head) * rows + 0.08
    by_hand = PlaceHolderLayoutEngine(adjust_compatible=True, colorbar_gridspec=False)
    figure = plt.figure(figsize=(wide, high), layout=by_hand)  # columns of two figures fit
    low, top = min(np.min(each) for each in images), max(np.max(each) for each in images)
    if signed:
        top = max(abs(low), abs(top)) or 1.0
        low = -top
    colours = "RdBu_r" if signed else "gray_r"
    names = itertools.chain(titles, itertools.repeat(""))
    for place, (image, title) in enumerate(zip(images, names, strict=False)):
        row, column = divmod(place, columns)
        bottom = high - (row + 1) * (side + head) + 0.04
        box = ((column + 0.04) * side / wide, bottom / high, 0.92 * side / wide, 0.92 * side / high)
        axis = figure.add_axes(box)
        shown = axis.imshow(image, cmap=colours, vmin=low, vmax=top)
        axis.set_title(title, size=9, pad=4, loc="left" if alone else "center")
        axis.set(xticks=[], yticks=[])
        axis.spines[:].set(visible=True, linewidth=0.8)
        for (y, x), value in np.ndenumerate(image) if numbers else ():
            ink = "white" if abs(value) > 0.6 * top else "black"
            axis.text(x, y, f"{value:g}", ha="center", va="center", size=9, color=ink)
    if signed:
        scale = figure.add_axes((1 - 0.62 / wide, 0.12, 0.1 / wide, 0.64))
        figure.colorbar(shown, cax=scale).ax.tick_params(labelsize=8)
    told = ", ".join(str(title).replace("\n", " ") for title in titles)
    return _finish(figure, f"images: {told}" if told else f"{len(images)} images", show)


def draw_bars(values: Mapping[str, float], label: str, ordered: bool = True) -> None:
    """Draws numbers as bars from zero to the left or right.

    Args:
      values: by name.
      label: what they are.
      ordered: the largest above; otherwise in the order of `values`.
    """
    names = sorted(values, key=lambda name: -abs(values[name])) if ordered else list(values)
    figure, axis = plt.subplots(figsize=(7, 0.24 * len(names) + 0.5))
    numbers = [values[name] for name in names]
    axis.barh(names, numbers, color=[SKY if number >= 0 else ORANGE for number in numbers])
    form = "+.3f" if min(numbers) < 0 else ",.0f" if max(numbers) >= 1000 else ".3g"
    texts = [f"{number:{form}}" for number in numbers]
    axis.bar_label(axis.containers[0], [f" {text} " for text in texts], size=8, color=INK)
    axis.axvline(0, color=INK, linewidth=1)
    axis.invert_yaxis()
    axis.margins(x=0.15)
    axis.set_xlabel(label)
    _finish(figure, f"{label}: " + ", ".join(map(" ".join, zip(names, texts, strict=True))))


def draw_orders(orders: Mapping[str, Sequence[int]], show: bool = True) -> Figure | None:
    """Draws the order in which elements came out: one plot for each order, a dot for each element.

    Args:
      orders: by title, the numbers with which the elements went in, as they came out.
      show: whether to show it; else it is returned, for the picture of a `Live`.
    """
    size = (3 * len(orders) + 1 * (len(orders) == 1), 2.8)
    figure, axes = plt.subplots(1, len(orders), figsize=size, sharey=True, squeeze=False)
    for axis, (title, order) in zip(axes[0], orders.items(), strict=True):
        axis.plot(order, ".", markersize=7)
        axis.set(title=title, xlabel="output position", ylabel="input position")
        axis.label_outer()
    told = (f"{title}: {' '.join(map(str, order[:10]))} ..." for title, order in orders.items())
    return _finish(figure, "the first outputs; " + "; ".join(told), show)


def draw_curves(
    *panels: Mapping[str, Sequence[float] | Mapping[int, float]],
    xlabel: str = "epoch",
    ylabel: str = "",
    log: bool | str = False,
    ticks: Sequence[object] = (),
    show: bool = True,
) -> Figure | None:
    """Draws panels side by side.

    Args:
      *panels: the curves of each by name: values from number 1 on, or by number.
      xlabel: what the numbers count.
      ylabel: what the values are; by default the name of the first curve.
      log: whether each line upwards is ten times the one below; "both": to the right, too.
      ticks: what stands below number 1, 2 and so on, in place of these.
      show: whether to show it; else it is returned, for the picture of a `Live`.
    """
    size, told = (max(6.5, 4.5 * len(panels)), 2.6), []
    figure, axes = plt.subplots(1, len(panels), figsize=size, squeeze=False)
    for axis, curves in zip(axes[0], panels, strict=True):
        for (name, values), swatch in zip(curves.items(), PALETTE, strict=False):
            marks = {"marker": "o", "markersize": 3} if len(values) < 40 else {}
            places, heights = zip(
                *(values.items() if isinstance(values, Mapping) else enumerate(values, 1)),
                strict=True,
            )
            axis.plot(places, heights, label=name, color=swatch.color, **marks)
            ends = (f"{heights[end]:.3g} at {places[end]}" for end in (0, -1))
            extremes = f"least {min(heights):.3g}, most {max(heights):.3g}"
            told.append(f"{name} from {' to '.join(ends)}, {extremes}")
        axis.set(xlabel=xlabel, ylabel=ylabel or next(iter(curves)))
        if log:
            axis.set_yscale("log")
        axis.xaxis.get_major_locator().set_params(integer=True)
        if len(ticks):
            axis.set_xticks(range(1, len(ticks) + 1), list(map(str, ticks)))
        if log == "both":
            axis.set_xscale("log")
            if len(values) < 8:  # the places themselves rather than powers of ten
                axis.set_xticks(places, [f"{place:g}" for place in places])
                axis.minorticks_off()
        if len(curves) > 1:
            axis.legend()
    return _finish(figure, f"curves over {xlabel}: {'; '.join(told)}", show)


def draw_stages(once: Sequence[str], always: str) -> None:
    """Draws the stages of a run: boxes that come once, and the one that always comes."""
    figure, axis = plt.subplots(figsize=(9, 1.1))
    for place, name in enumerate([*once, always]):
        colour = GREEN if name == always else SKY
        axis.barh(0, 0.82, left=place, height=0.5, color=colour)
        axis.text(place + 0.41, 0, name, ha="center", va="center", size=9, color="black")
        if place:
            arrow = {"arrowstyle": "-|>", "color": INK}
            axis.annotate("", (place, 0), (place - 0.18, 0), arrowprops=arrow)
    axis.text(len(once) / 2, -0.55, "once, the first time", ha="center", va="center", size=9)
    axis.text(len(once) + 0.41, -0.55, "every time", ha="center", va="center", size=9)
    axis.set(xlim=(0, len(once) + 1), ylim=(-0.75, 0.35))
    axis.axis("off")
    _finish(figure, f"{', '.join(once)} once; then {always} every time")


def draw_course() -> None:
    """Draws lessons as boxes, row by row; each row needs the ones above it."""
    figure, axis = plt.subplots(figsize=(10, 0.8 * len(COURSE)))
    wide = 10 / max(map(len, COURSE.values()))
    for row, (subject, lessons) in enumerate(COURSE.items()):
        colour = PALETTE[row % len(PALETTE)].color
        axis.text(0, row - 0.33, subject, size=11)
        for place, lesson in enumerate(lessons):
            axis.barh(row, wide - 0.25, left=place * wide, height=0.45, color=colour)
            words = {"ha": "center", "va": "center", "size": 11, "color": "black"}
            axis.text(place * wide + wide / 2 - 0.125, row, lesson, **words)
            if place:
                arrow = {"arrowstyle": "-|>", "color": INK}
                axis.annotate("", (place * wide, row), (place * wide - 0.25, row), arrowprops=arrow)
    axis.set(xlim=(0, 10), ylim=(len(COURSE) - 0.7, -0.55))
    figure.set_label("; ".join(f"{subject}: {', '.join(each)}" for subject, each in COURSE.items()))
    axis.axis("off")
    plt.show()


def belt_svg(size: int, capacity: int, putting: bool = True, taking: bool = True) -> str:
    """Returns a queue as SVG: full and empty places, and who of the two has to wait.

    Args:
      size: how many elements are in it.
      capacity: how many there is room for.
      putting, taking: False for the side that waits.
    """
    wide, left = 34, 120
    pieces = []
    for place in range(capacity):
        full = place >= capacity - size  # the first to be taken is on the right
        fill = SKY if full else "none"
        box = left + place * wide, 14, wide - 4, 30
        pieces.append(svg.rect(*box, rx=4, fill=fill, stroke=INK))
    right = left + capacity * wide
    for x, anchor, name, busy in (
        (left - 10, "end", "puts ▸", putting),
        (right + 6, "start", "▸ takes", taking),
    ):
        words = name if busy else f"{name.strip(' ▸')}: WAITS"
        pieces.append(svg.text(x, 34, words, anchor=anchor, bold=not busy, size=14, fill=INK))
    return svg.document(right + 120, 58, *pieces, ground="")


class Diary:
    """Keeps when each stage of a pipeline began and ended with each element.

    Attributes:
      entries: (stage, number of the element, start, end), times in seconds.
    """

    def __init__(self) -> None:
        self.entries: list[tuple[str, int, float, float]] = []

    def worker(self, stage: str, milliseconds: float) -> Callable[[Any], Any]:
        """Returns a function that takes so long, hands its element on, and writes it down."""

        def work(element: Any) -> Any:
            start = time.perf_counter()
            time.sleep(milliseconds / 1000)
            self.entries.append((stage, int(element), start, time.perf_counter()))
            return element

        return work

    def close(self) -> list[tuple[str, int, float, float]]:
        """Returns the entries, and begins a new page."""
        entries, self.entries = self.entries, []
        return entries
