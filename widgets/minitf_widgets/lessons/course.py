"""The map of the course: which lesson needs which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt

from minitf_widgets.lessons.figures import INK
from minitf_widgets.palette import PALETTE

__all__ = ["draw_course"]


def draw_course(rows: Mapping[str, Sequence[str]]) -> None:
    """Draws lessons as boxes, in rows from the left to the right.

    Args:
      rows: by what they are about, the lessons; each row needs the ones above it.
    """
    figure, axis = plt.subplots(figsize=(9, 0.95 * len(rows)))
    for row, (subject, lessons) in enumerate(rows.items()):
        colour = PALETTE[row % len(PALETTE)].color
        axis.text(0, row - 0.36, subject, size=9)
        wide = 9.0 / max(map(len, rows.values()))
        for place, lesson in enumerate(lessons):
            axis.barh(row, wide - 0.25, left=place * wide, height=0.45, color=colour)
            words = {"ha": "center", "va": "center", "size": 8, "color": "black"}
            axis.text(place * wide + wide / 2 - 0.125, row, lesson, **words)
            if place:
                arrow = {"arrowstyle": "-|>", "color": INK}
                axis.annotate("", (place * wide, row), (place * wide - 0.25, row), arrowprops=arrow)
    axis.set(xlim=(0, 9), ylim=(len(rows) - 0.6, -0.6))
    axis.set_title("; ".join(f"{subject}: {', '.join(rows[subject])}" for subject in rows), size=1)
    axis.title.set_alpha(0)
    axis.axis("off")
    plt.show()
