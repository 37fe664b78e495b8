"""The map of the course: its lessons, in the order in which they are done."""

from __future__ import annotations

import matplotlib.pyplot as plt

from minitf_widgets.lessons.figures import INK
from minitf_widgets.palette import PALETTE

__all__ = ["COURSE", "draw_course"]

COURSE = {
    "begin": ("0 first light", "1 tensors", "2 graphs", "3 gradients"),
    "networks, and what runs them": ("4 convolutions", "5 sequences", "6 session", "7 debugging"),
    "data and training": ("8 pipelines", "9 Keras", "10 estimators", "11 checkpoints"),
    "many machines": ("12 devices", "13 clusters", "14 scripts", "15 synchronous", "16 faults"),
    "and then": ("17 what came after",),
}


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
