"""Okabe and Ito's colours for the static pictures, each with a dash and a marker.

Colour alone must never carry the meaning, so that whatever is coloured is also dashed, marked or
labelled. The front end has the same table in src/common/palette.ts.
"""

from __future__ import annotations

import dataclasses

__all__ = ["GREY", "PALETTE", "Swatch", "mix", "swatch"]


@dataclasses.dataclass(frozen=True)
class Swatch:
    """A colour with what else sets it apart: a dash pattern for lines, a marker for text."""

    name: str
    color: str
    dash: str
    marker: str


GREY = "#8a8f98"

PALETTE = (
    Swatch("sky blue", "#56b4e9", "", "●"),
    Swatch("orange", "#e69f00", "7 3", "■"),
    Swatch("bluish green", "#009e73", "2 3", "▲"),
    Swatch("reddish purple", "#cc79a7", "9 3 2 3", "◆"),
    Swatch("vermillion", "#d55e00", "4 4", "▼"),
    Swatch("blue", "#0072b2", "12 4", "★"),
    Swatch("yellow", "#f0e442", "1 4", "✚"),
)


def swatch(index: int) -> Swatch:
    """Returns the swatch of the `index`-th thing, around again after the last."""
    return PALETTE[index % len(PALETTE)]


def mix(color: str, other: str, share: float) -> str:
    """Mixes two colours.

    Args:
      color: "#rrggbb".
      other: "#rrggbb".
      share: how much of `color` goes in, 0 to 1.
    Returns: "#rrggbb".
    Example:
      >>> mix("#000000", "#ffffff", 0.5)
      '#808080'
    """
    pairs = ((int(color[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in pairs)
